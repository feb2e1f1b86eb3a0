//! The command line: one file a command. The only place that prints, reads the environment, listens to
//! signals and decides on exit codes.

mod check;
mod demo;
mod destination;
mod failure;
mod local;
mod progress;
mod project;
mod run;
mod signals;
mod terminal;
mod verify;

use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};

use self::failure::{Exit, Failure};
use self::terminal::Terminal;

/// Moves PostgreSQL, MySQL and SQLite tables into a DynamoDB single-table design: shows everything
/// first, resumes where it stopped, proves the result.
#[derive(Debug, Parser)]
#[command(name = "migrate", version, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    run: Option<run::RunArgs>,
}

const EXAMPLES: &str = "\
Examples:
  migrate demo                                  the whole story on embedded databases
  migrate check  --mapping shop.toml            mistakes and key proofs, reads no rows
  migrate --mapping shop.toml --dry-run         every row, nothing written
  migrate --mapping shop.toml                   load; run it again to go on after a stop
  migrate verify --mapping shop.toml            prove the result, item by item

Exit codes: 0 done · 1 failed, safe to run again · 2 wrong usage or missing --yes · 3 mistake in mapping
or schema · 4 rows were rejected · 5 verification found differences · 130 interrupted, checkpoint saved";

#[derive(Debug, Subcommand)]
enum Command {
    /// Load the source into the table (the default command)
    Run(run::RunArgs),
    /// Find mistakes in mapping and schema and prove the keys; reads no rows
    Check(check::CheckArgs),
    /// Rebuild every item and compare it with what the table holds
    Verify(verify::VerifyArgs),
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

/// Runs the `migrate` command and returns its exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let command = match (cli.command, cli.run) {
        (Some(command), _) => command,
        (None, Some(run)) => Command::Run(run),
        (None, None) => {
            return usage(&Cli::command().error(
                clap::error::ErrorKind::MissingRequiredArgument,
                "name a mapping with --mapping, or start with `migrate demo`",
            ));
        }
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

async fn dispatch(command: Command) -> Exit {
    match command {
        Command::Run(args) => run::run(&args).await,
        Command::Check(args) => check::run(&args).await,
        Command::Verify(args) => verify::run(&args).await,
        Command::Demo(args) => demo::run(&args).await,
        Command::Local(args) => local::run(&args).await,
    }
}

/// Help and version go to stdout with 0, mistakes to stderr with 2, as clap knows.
fn usage(error: &clap::Error) -> ExitCode {
    let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
    // Nothing can be told to a closed terminal.
    let _ = error.print();
    ExitCode::from(exit)
}
