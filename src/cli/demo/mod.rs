//! `migrate demo`: the whole story on embedded databases, with the shop of `mappings/shop.toml`.

mod rows;

use std::path::Path;
use std::sync::Arc;

use clap::{Args, Parser};

use super::RemarkArgs;
use super::destination::{Destination, Missing};
use super::failure::{Exit, Failure};
use super::project::Project;
use super::terminal::Terminal;
use super::{run, verify};
use crate::load::StateFolder;
use crate::mapping::MappingFile;
use crate::plan::PlanOptions;
use crate::source::write_sqlite;
use crate::target::Embedded;

/// Show the whole story on embedded databases; nothing to install
#[derive(Debug, Args)]
#[command(before_help = WHAT, after_help = EXAMPLES)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    output: RemarkArgs,
}

const WHAT: &str = "\
Makes a small shop in a temporary SQLite file and takes it through dry run, load and verification, against the \
embedded DynamoDB. Needs no database, no AWS account and no network, and leaves nothing behind.";

const EXAMPLES: &str = "\
Examples:
  migrate demo
  migrate demo --quiet     the reports alone";

const MAPPING: &str = include_str!("../../../mappings/shop.toml");
const SCHEMA: &str = include_str!("../../../mappings/shop.sqlite.sql");

pub(crate) async fn run(args: &DemoArgs) -> Exit {
    let terminal = Terminal::new(&args.output.output());
    match story(&terminal).await {
        Ok(exit) => exit,
        Err(failure) => terminal.fail("demo", &failure),
    }
}

async fn story(terminal: &Terminal) -> Result<Exit, Failure> {
    let folder = tempfile::tempdir().map_err(|error| {
        Failure::new(Exit::Failed, "demo", format!("make a temporary folder: {error}"))
            .with_help("make room in the temporary folder, or name another one with TMPDIR")
    })?;
    let database = folder.path().join("shop.sqlite");
    write_sqlite(&database, &format!("{SCHEMA}\n{}", rows::rows())).await?;
    let project = project(folder.path(), &database, terminal)?;

    terminal.remark("1. The dry run: every row is mapped, nothing is written.\n   migrate --mapping shop.toml --dry-run\n");
    let dry = run::execute(&project, &run_args(folder.path(), true)?, terminal).await?;
    let mut exit = run::tell(&dry, terminal);
    if exit == Exit::Interrupted {
        return Ok(exit);
    }

    terminal.remark("\n2. The load, into the embedded DynamoDB.\n   migrate --mapping shop.toml\n");
    let (source, prepared) = project.prepare(PlanOptions::default(), terminal).await?;
    let plan = Arc::new(prepared.plan);
    let server = Embedded::memory()?;
    let destination =
        Destination::connect(project.table()?, &plan.table, Some(server), Missing::Create, terminal).await?;
    let args = run_args(folder.path(), false)?;
    let state_path = project.state_folder(&args.state)?;
    let state = Arc::new(StateFolder::open(&state_path)?);
    let loaded =
        run::write(&project, &args, terminal, source, Arc::clone(&plan), &state, &destination).await?;
    exit = worse(exit, run::tell(&loaded, terminal));
    if exit == Exit::Interrupted {
        return Ok(exit);
    }

    terminal.remark("\n3. The proof: every item is rebuilt from the source, read back and compared; then the\n   application's questions are asked of both sides.\n   migrate verify --mapping shop.toml\n");
    let (source, _) = project.prepare(PlanOptions::default(), &silent(terminal)).await?;
    let args = verify_args(folder.path())?;
    let report = verify::compare(&project, &args, terminal, source, &plan, &destination, &state_path).await?;
    exit = worse(exit, verify::tell(&report, terminal));

    terminal.remark(NEXT);
    Ok(exit)
}

const NEXT: &str = "
With your own data:
  1. write a mapping; mappings/shop.toml is the one you just saw
  2. export DATABASE_URL=postgres://user@host/db     (mysql://…, sqlite://file)
  3. migrate check   --mapping my.toml               mistakes and key proofs
  4. migrate         --mapping my.toml --dry-run     every row, nothing written
  5. migrate         --mapping my.toml --create-table
  6. migrate verify  --mapping my.toml

To look around in a DynamoDB of your own: migrate local";

/// The shop's mapping with the demo's database in place of DATABASE_URL.
fn project(folder: &Path, database: &Path, terminal: &Terminal) -> Result<Project, Failure> {
    let url = format!("sqlite://{}", database.display());
    let environment = |name: &str| (name == "DATABASE_URL").then(|| url.clone());
    let file = MappingFile { path: folder.join("shop.toml"), text: MAPPING.to_owned() };
    Project::parse(file, &environment, terminal)
}

/// The arguments a user would type, so that the demo takes the same way.
fn run_args(folder: &Path, dry_run: bool) -> Result<run::RunArgs, Failure> {
    #[derive(Parser)]
    struct Typed {
        #[command(flatten)]
        run: run::RunArgs,
    }
    let mapping = folder.join("shop.toml");
    let words = [Path::new("migrate"), Path::new("--mapping"), &mapping, Path::new("--dry-run")];
    let words = words.iter().take(if dry_run { 4 } else { 3 });
    Typed::try_parse_from(words).map(|typed| typed.run).map_err(|error| bug(&error))
}

fn verify_args(folder: &Path) -> Result<verify::VerifyArgs, Failure> {
    #[derive(Parser)]
    struct Typed {
        #[command(flatten)]
        verify: verify::VerifyArgs,
    }
    let mapping = folder.join("shop.toml");
    let words = [Path::new("migrate"), Path::new("--mapping"), &mapping];
    Typed::try_parse_from(words).map(|typed| typed.verify).map_err(|error| bug(&error))
}

fn bug(error: &clap::Error) -> Failure {
    Failure::new(Exit::Failed, "bug", format!("the demo's own arguments: {error}"))
}

/// For a step whose warnings were told before.
fn silent(terminal: &Terminal) -> Terminal {
    terminal.silenced()
}

fn worse(before: Exit, now: Exit) -> Exit {
    if now == Exit::Done { before } else { now }
}
