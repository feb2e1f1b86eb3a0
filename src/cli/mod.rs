//! The command line: one file a command. The only place that prints, reads the environment, listens to
//! signals and decides on exit codes.

mod announce;
mod check;
mod demo;
mod destination;
mod failure;
mod local;
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

use clap::{Args, Parser, Subcommand};

use self::failure::{Exit, Failure};
use self::terminal::Terminal;

/// Moves PostgreSQL, MySQL and SQLite tables into a DynamoDB single-table design: shows everything
/// first, resumes where it stopped, proves the result.
#[derive(Debug, Parser)]
#[command(name = "migrate", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  migrate demo                                  the whole story on embedded databases
  migrate check  --mapping shop.toml            mistakes and key proofs, reads no rows
  migrate --mapping shop.toml --dry-run         every row, nothing written
  migrate --mapping shop.toml                   load; run it again to go on after a stop
  migrate verify --mapping shop.toml            prove the result, item by item

Exit codes:
    0  done
    1  failed outside mapping and data, safe to run again
    2  wrong usage, or --yes is missing
    3  mistake in mapping or schema, table differs, unproven keys
    4  finished, but rows were rejected
    5  verification found differences
  130  interrupted, checkpoint saved";

#[derive(Debug, Subcommand)]
enum Command {
    /// Load the source into the table; `migrate --mapping …` is the same
    Run(run::RunArgs),
    /// Find mistakes in mapping and schema and prove the keys; reads no rows
    Check(check::CheckArgs),
    /// Show the items of a few rows; needs no target, writes nothing
    Preview(preview::PreviewArgs),
    /// Rebuild every item and compare it with what the table holds
    Verify(verify::VerifyArgs),
    /// Say how far the load got; asks neither the source nor the table
    Status(status::StatusArgs),
    /// Show the whole story on embedded databases; nothing to install
    Demo(demo::DemoArgs),
    /// Serve the bundled DynamoDB on loopback, to try a mapping and look at the result
    Local(local::LocalArgs),
}

/// How a command speaks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OutputArgs {
    /// Print one JSON document to stdout
    #[arg(long)]
    json: bool,
    /// Print no progress and no remarks
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more of what happens
    #[arg(short, long)]
    verbose: bool,
}

/// How a command without a report speaks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RemarkArgs {
    /// Print no progress and no remarks
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more of what happens
    #[arg(short, long)]
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
    let command = match Cli::try_parse_from(&words) {
        Ok(cli) => cli.command,
        Err(error) => return usage(&error, &words),
    };
    match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => {
            let exit = runtime.block_on(dispatch(command));
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
    }
}

/// Help and version go to stdout with 0, mistakes to stderr with 2, as clap knows; a mistake also goes to
/// stdout as a document where one was asked for.
fn usage(error: &clap::Error, words: &[OsString]) -> ExitCode {
    // Nothing can be told to a closed terminal.
    let _ = error.print();
    if !error.use_stderr() {
        return ExitCode::from(Exit::Done);
    }
    let first = words.get(1).map(|word| word.to_string_lossy()).unwrap_or_default();
    let terminal = Terminal::new(&OutputArgs {
        json: words.iter().any(|word| word == "--json"),
        ..OutputArgs::default()
    });
    if first.ends_with(".toml") {
        terminal.complain(&format!("\nA mapping is named with --mapping: migrate --mapping {first}"));
    }
    if terminal.json {
        let message = error.to_string();
        let message = message.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let failure = Failure::new(Exit::Usage, "usage", message).with_help("try '--help'");
        terminal.fail_in_document(&first, &failure);
    }
    ExitCode::from(Exit::Usage)
}
