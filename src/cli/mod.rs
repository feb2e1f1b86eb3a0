//! The command line: one file a command. The only place that prints, reads the environment, listens to
//! signals and decides on exit codes.

mod announce;
mod check;
mod completions;
mod demo;
mod destination;
mod failure;
mod help;
mod local;
mod man;
mod mend;
mod preview;
mod progress;
mod project;
mod run;
mod signals;
mod status;
mod terminal;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, FromArgMatches as _, Parser, Subcommand};

use self::failure::{Exit, Failure};
use self::terminal::Terminal;

/// Moves PostgreSQL, MySQL and SQLite tables into a DynamoDB single-table design: shows everything
/// first, resumes where it stopped, proves the result.
#[derive(Debug, Parser)]
#[command(name = "migrate", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Find mistakes in mapping and schema, prove the keys
    Check(check::CheckArgs),
    /// Show the items of a few rows; needs no target, writes nothing
    Preview(preview::PreviewArgs),
    /// Load the source into the table; `migrate --mapping …` is the same
    Run(run::RunArgs),
    /// Say how far the load got; asks neither the source nor the table
    Status(status::StatusArgs),
    /// Rebuild every item and compare it with what the table holds
    Verify(verify::VerifyArgs),
    /// Show the whole story on embedded databases; nothing to install
    Demo(demo::DemoArgs),
    /// Serve the bundled DynamoDB on this machine, until Ctrl-C
    Local(local::LocalArgs),
    /// Print a script that completes commands and flags in a shell
    Completions(completions::CompletionsArgs),
    /// Print the manual page of migrate or of one of its commands
    Man(man::ManArgs),
}

/// How a command speaks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OutputArgs {
    /// Print one JSON document to stdout instead of text
    #[arg(long, help_heading = help::OUTPUT)]
    json: bool,
    /// Print no progress, remarks or warnings, only failures
    #[arg(short, long, conflicts_with = "verbose", help_heading = help::OUTPUT)]
    quiet: bool,
    /// Print more of what happens, notes about the mapping included
    #[arg(short, long, help_heading = help::OUTPUT)]
    verbose: bool,
}

/// How a command without a report speaks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RemarkArgs {
    /// Print no progress, remarks or warnings, only failures
    #[arg(short, long, conflicts_with = "verbose", help_heading = help::OUTPUT)]
    quiet: bool,
    /// Print more of what happens, notes about the mapping included
    #[arg(short, long, help_heading = help::OUTPUT)]
    verbose: bool,
}

impl RemarkArgs {
    fn output(&self) -> OutputArgs {
        OutputArgs { json: false, quiet: self.quiet, verbose: self.verbose }
    }
}

/// Runs the `migrate` command and returns its exit code.
pub fn main() -> ExitCode {
    let words = with_command(std::env::args_os());
    let command = match parse(&words) {
        Ok(cli) => cli.command,
        Err(error) => return usage(error, &words),
    };
    match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => {
            // As a task among the others: the load's loop then wakes up where its work is, and no
            // thread has to wait for another. A task that panics has said so already.
            let exit = runtime.block_on(async { tokio::spawn(dispatch(command)).await });
            let exit = exit.unwrap_or(Exit::Failed);
            // A reader in the middle of a query must not hold the exit up.
            runtime.shutdown_background();
            ExitCode::from(exit)
        }
        Err(error) => {
            let failure = Failure::new(Exit::Failed, "runtime", format!("start the runtime: {error}"));
            ExitCode::from(Terminal::new(&OutputArgs::default()).fail("run", &failure))
        }
    }
}

fn parse(words: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = help::command().try_get_matches_from(words)?;
    Cli::from_arg_matches(&matches)
}

/// Puts `run` where the command is left out: `migrate --mapping shop.toml`.
fn with_command(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<_> = words.collect();
    let first = words.get(1).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let about_itself = ["-h", "--help", "-V", "--version"].contains(&first.as_str());
    if first.starts_with('-') && !about_itself {
        words.insert(1, "run".into());
    }
    words
}

async fn dispatch(command: Command) -> Exit {
    match command {
        Command::Run(args) => run::run(&args).await,
        Command::Check(args) => check::run(&args).await,
        Command::Preview(args) => preview::run(&args).await,
        Command::Verify(args) => verify::run(&args).await,
        Command::Status(args) => status::run(&args),
        Command::Demo(args) => demo::run(&args).await,
        Command::Local(args) => local::run(&args).await,
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}

/// Help and version go to stdout with 0, mistakes to stderr with 2, as clap knows; a mistake also goes to
/// stdout as a document where one was asked for.
fn usage(mut error: clap::Error, words: &[OsString]) -> ExitCode {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let hint = help::hint(&error, &words);
    if let Some(hint) = hint.clone() {
        // What is known is better than what is written alike.
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    // Nothing can be told to a closed terminal.
    let _ = error.print();
    if !error.use_stderr() {
        return ExitCode::from(Exit::Done);
    }
    let json = words.iter().any(|word| word == "--json");
    let terminal = Terminal::new(&OutputArgs { json, ..OutputArgs::default() });
    let message = error.to_string();
    let message = message.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let failure = Failure::new(Exit::Usage, "usage", message);
    let failure = failure.with_help(hint.unwrap_or_else(|| "try '--help'".to_owned()));
    terminal.fail_in_document(words.get(1).map(String::as_str).unwrap_or_default(), &failure);
    ExitCode::from(Exit::Usage)
}
