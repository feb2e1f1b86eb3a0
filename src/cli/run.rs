//! `migrate run`: the dry run and the load.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;

use super::OutputArgs;
use super::announce::{Announcement, announce};
use super::destination::{Destination, Missing, expected_pace, is_embedded, stream_records};
use super::failure::{Exit, Failure};
use super::help::{PACE, SAFETY};
use super::progress::{Progress, Wrong};
use super::project::{MappingArgs, Project, StateArgs, choose};
use super::signals::stop_on_signal;
use super::terminal::Terminal;
use crate::load::{
    self, Checkpoint, End, Journal, Load, LoadOptions, Loaded, Pace, StateFolder, TableIdentity,
};
use crate::mapping::{Rate, SnapshotMode};
use crate::plan::{EntityPlan, Plan, PlanOptions};
use crate::report::{Consistent, Outcome, RunReport, dry_run_text, run_text};
use crate::source::{PageLimits, Source};
use crate::target::{Discard, Target};

/// Load the source into the table, or show what would be loaded
#[derive(Debug, Clone, Args)]
#[command(before_help = WHAT, after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub mapping: MappingArgs,
    /// Make the item of every row, show what would be written, write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Forget the checkpoint and load again from the first row
    #[arg(long, conflicts_with = "dry_run")]
    pub restart: bool,
    /// Only these entities, separated by commas
    #[arg(long, value_name = "ENTITY", value_delimiter = ',')]
    pub only: Vec<String>,
    /// At most this many more rows of each entity; marks none as done
    #[arg(long, value_name = "ROWS", value_parser = parse_rows)]
    pub limit: Option<u64>,
    /// Write capacity units (WCU) a second, indexes included, or "auto" for what the table takes [default:
    /// write.rate of the mapping, else auto]
    #[arg(long, help_heading = PACE, value_name = "WCU", value_parser = parse_rate)]
    pub rate: Option<Rate>,
    /// Requests in flight at most, 1 to 1024 [default: write.concurrency of the mapping, else 16]
    #[arg(long, help_heading = PACE, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub concurrency: Option<u16>,
    #[command(flatten)]
    pub state: StateArgs,
    /// Create the table when it does not exist, as [table.create] says
    #[arg(long)]
    pub create_table: bool,
    /// Stop after more rejected rows than this [default: write.max_rejects of the mapping, else 1000]
    #[arg(long, help_heading = SAFETY, value_name = "ROWS", value_parser = parse_count)]
    pub max_rejects: Option<u64>,
    /// Write although the table holds items that no checkpoint knows, or although the source's snapshot is
    /// held longer than source.snapshot_limit
    #[arg(long, help_heading = SAFETY)]
    pub yes: bool,
    /// Hash the source keys in rejects.jsonl, and show no items in a dry run
    #[arg(long, help_heading = SAFETY)]
    pub redact: bool,
    /// Load although two rows may have the same key: one would replace the other
    #[arg(long, help_heading = SAFETY)]
    pub allow_unproven_keys: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

const WHAT: &str = "\
Reads the mapped tables in one snapshot, makes an item of each row and writes the items in batches, no faster \
than the table takes them. After a stop of any kind the same command goes on where the checkpoint says; a finished \
load is not written again. Never changes the source, deletes no item, and writes into a table with other items only \
with --yes. With --dry-run it writes nothing and says what a load would do and cost.";

const EXAMPLES: &str = "\
Examples:
  migrate run -m shop.toml --dry-run           every row, nothing written
  migrate run -m shop.toml --create-table      make the table and load it
  migrate run -m shop.toml                     go on after a stop
  migrate run -m shop.toml --only User,Order --limit 100
  migrate run -m shop.toml --rate 500          500 WCU a second
  migrate -m shop.toml                         the same as `migrate run`";

fn parse_rows(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(rows @ 1..) => Ok(rows),
        _ => Err("expected a number of rows, at least 1".to_owned()),
    }
}

fn parse_count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a number of rows, 0 for none".to_owned())
}

fn parse_rate(text: &str) -> Result<Rate, String> {
    match (text, text.parse::<u64>()) {
        ("auto", _) => Ok(Rate::Auto),
        (_, Ok(rate)) if rate >= 1 => Ok(Rate::Fixed(rate)),
        _ => Err("expected \"auto\" or whole write capacity units per second, at least 1".to_owned()),
    }
}

/// Cells of one page at most, beyond one row (design, promise 6).
const PAGE_BYTES: usize = 16 * 1024 * 1024;

/// How long to retry without a single item written.
const PATIENCE: Duration = Duration::from_secs(300);

/// How long the source may give nothing until that is told.
const SILENCE: Duration = Duration::from_secs(60);

const CONCURRENCY: usize = 16;

/// Items of each entity that a dry run shows.
const SAMPLES: usize = 3;

pub(crate) async fn run(args: &RunArgs) -> Exit {
    let terminal = Terminal::new(&args.output);
    let result = match Project::open(&args.mapping.mapping, &terminal) {
        Ok(project) => execute(&project, args, &terminal).await,
        Err(failure) => Err(failure),
    };
    match result {
        Ok(ran) => tell(&ran, &terminal),
        Err(failure) => terminal.fail("run", &failure),
    }
}

/// A run that got as far as having something to report.
#[derive(Debug)]
pub(crate) struct Ran {
    pub report: RunReport,
    pub failure: Option<Failure>,
    /// The fixed rate asked for.
    pub rate: Option<u64>,
}

/// Prints the report and returns the exit code.
pub(crate) fn tell(ran: &Ran, terminal: &Terminal) -> Exit {
    if terminal.json {
        terminal.document(&ran.report);
    } else if ran.report.dry_run {
        terminal.data(&dry_run_text(&ran.report, ran.rate, terminal.style()));
    } else {
        terminal.data(&run_text(&ran.report, terminal.style()));
    }
    if let Some(failure) = &ran.failure {
        terminal.explain(failure);
        return failure.exit;
    }
    match ran.report.outcome {
        Outcome::Interrupted => Exit::Interrupted,
        _ if ran.report.totals.rejected > 0 => Exit::Rejects,
        _ => Exit::Done,
    }
}

pub(crate) async fn execute(project: &Project, args: &RunArgs, terminal: &Terminal) -> Result<Ran, Failure> {
    project.must_know(&args.only)?;
    if args.dry_run {
        return dry_run(project, args, terminal).await;
    }
    let folder = project.state_folder(&args.state)?;
    let state = Arc::new(StateFolder::open(&folder)?);
    // An unreadable one stops the run before anything is made.
    let begun = !args.restart && Checkpoint::read(state.path())?.is_some_and(|found| found.is_begun());
    let (source, plan) = prepare(project, args, terminal).await?;
    let table = project.table()?;
    let missing = match begun {
        true => Missing::Gone,
        // The embedded DynamoDB has nobody else to create its tables.
        false if args.create_table || is_embedded(table) => Missing::Create,
        false => Missing::Fail,
    };
    let destination = Destination::reach(table, &plan.table, &folder, missing, terminal).await?;
    write(project, args, terminal, source, plan, &state, &destination).await
}

async fn prepare(
    project: &Project,
    args: &RunArgs,
    terminal: &Terminal,
) -> Result<(Source, Arc<Plan>), Failure> {
    let options = PlanOptions { allow_unproven: args.allow_unproven_keys, ..PlanOptions::default() };
    let (source, prepared) = project.prepare(options, terminal).await?;
    Ok((source, Arc::new(prepared.plan)))
}

/// Everything up to the target, which discards.
async fn dry_run(project: &Project, args: &RunArgs, terminal: &Terminal) -> Result<Ran, Failure> {
    let (source, plan) = prepare(project, args, terminal).await?;
    let pace = expected_pace(rate(project, args), &plan.table);
    let mut options = options(project, args, &plan, Pace::Unlimited)?;
    options.max_rejects = None;
    options.samples = if args.redact { 0 } else { SAMPLES };
    let table = TableIdentity { name: plan.table.name.clone(), id: None };
    let journal = Journal::in_memory(Checkpoint::new(table, source.identity().database.clone()));
    let mut ran = drive(project, Arc::new(Discard), &plan, source, options, journal, &pace, terminal).await?;
    ran.report.dry_run = true;
    ran.rate = match rate(project, args) {
        Rate::Fixed(rate) => Some(rate),
        Rate::Auto => None,
    };
    if plan.table.create.stream.is_some() {
        let records = stream_records(ran.report.totals.items);
        terminal.remark(&format!("warning: the table that is created has a stream: {records}"));
    }
    Ok(ran)
}

/// The load itself, from a reached table on.
#[allow(clippy::too_many_arguments)]
pub(crate) async fn write(
    project: &Project,
    args: &RunArgs,
    terminal: &Terminal,
    source: Source,
    plan: Arc<Plan>,
    state: &Arc<StateFolder>,
    destination: &Destination,
) -> Result<Ran, Failure> {
    let entities = choose(&plan, &args.only)?;
    let database = source.identity().database.clone();
    let Recorded { progress, ours } = recorded(args, state, &plan, &entities, destination, &database)?;
    let begun = progress.is_begun();
    let pace = destination.pace(rate(project, args), &plan.table);
    if is_done(&progress, &plan, &entities) {
        return Ok(already_done(progress, &plan, &pace, state.path()));
    }
    if !ours && !args.yes && !destination.dynamodb.is_empty().await? {
        return Err(not_empty(&plan));
    }
    let rows = rows_left(&progress, &plan, &entities);
    let settings = project.source()?;
    announce(
        &Announcement { settings, source: &source, destination, pace: &pace, rows },
        args.yes,
        terminal,
    )?;
    if args.restart && ours {
        terminal.remark("restart: the items of the earlier load are replaced, whatever became of them since");
    }
    let journal = Journal::in_folder(Arc::clone(state), progress, args.redact);
    let options = options(project, args, &plan, pace.clone())?;
    let target = Arc::new(destination.dynamodb.clone());
    let mut ran = drive(project, target, &plan, source, options, journal, &pace, terminal).await?;
    ran.report.resumed = begun;
    ran.report.rejects_file = rejects_file(state.path(), &ran.report);
    Ok(ran)
}

/// Where a load goes on from.
struct Recorded {
    progress: Checkpoint,
    /// A checkpoint says that the items in the table come from this mapping.
    ours: bool,
}

/// The checkpoint to go on from; a new one where there is none or `--restart` forgets it. Changes no
/// file: the old checkpoint stays until the load begins.
fn recorded(
    args: &RunArgs,
    state: &StateFolder,
    plan: &Plan,
    entities: &[usize],
    destination: &Destination,
    database: &str,
) -> Result<Recorded, Failure> {
    let table = destination.identity();
    let whole = args.restart && args.only.is_empty();
    // What is forgotten as a whole need not be readable.
    let found = if whole {
        Checkpoint::read(state.path()).unwrap_or_default()
    } else {
        Checkpoint::read(state.path())?
    };
    let ours = found.as_ref().is_some_and(|old| old.table == table && old.is_begun());
    let Some(mut checkpoint) = found.filter(|_| !whole) else {
        return Ok(Recorded { progress: Checkpoint::new(table, database.to_owned()), ours });
    };
    if args.restart {
        let again = |name: &str| {
            entities.iter().filter_map(|entity| plan.entities.get(*entity)).any(|plan| plan.name == name)
        };
        checkpoint.entities.retain(|entity| !again(&entity.name));
    }
    checkpoint.must_match(plan, &table, database)?;
    Ok(Recorded { progress: checkpoint, ours })
}

/// An estimate of what is still to be read of the chosen entities. What a `where` leaves of a table is
/// not known and counts as nothing.
fn rows_left(progress: &Checkpoint, plan: &Plan, entities: &[usize]) -> u64 {
    let chosen = entities.iter().filter_map(|entity| plan.entities.get(*entity));
    let left = |entity: &EntityPlan| {
        let read = progress.entity(&entity.name).map(|recorded| recorded.tally().rows).unwrap_or_default();
        entity.row_estimate.unwrap_or_default().saturating_sub(read)
    };
    let whole = chosen.filter(|entity| entity.select.filter.is_none());
    whole.filter(|entity| !progress.is_done(&entity.name)).map(left).sum()
}

fn is_done(progress: &Checkpoint, plan: &Plan, entities: &[usize]) -> bool {
    let mut chosen = entities.iter().filter_map(|entity| plan.entities.get(*entity));
    chosen.all(|entity| progress.is_done(&entity.name))
}

fn already_done(progress: Checkpoint, plan: &Plan, pace: &Pace, folder: &Path) -> Ran {
    let loaded = Loaded { end: End::Complete, progress, samples: load::Samples::default() };
    let mut report = load::report(&loaded, plan, pace, Duration::ZERO);
    if report.outcome != Outcome::Limited {
        report.outcome = Outcome::AlreadyDone;
    }
    report.resumed = true;
    report.rejects_file = rejects_file(folder, &report);
    Ran { report, failure: None, rate: None }
}

fn rejects_file(folder: &Path, report: &RunReport) -> Option<String> {
    (report.totals.rejected > 0).then(|| folder.join(load::REJECTS_FILE).display().to_string())
}

fn not_empty(plan: &Plan) -> Failure {
    let message =
        format!("table `{}` already holds items, and no checkpoint says that they are ours", plan.table.name);
    Failure::new(Exit::Usage, "table-not-empty", message).with_help(
        "items with the keys of this load are replaced; say --yes if that is meant, or load into an empty table",
    )
}

fn rate(project: &Project, args: &RunArgs) -> Rate {
    args.rate.unwrap_or(project.mapping().write.rate)
}

fn options(project: &Project, args: &RunArgs, plan: &Plan, pace: Pace) -> Result<LoadOptions, Failure> {
    let source = project.source()?;
    let write = &project.mapping().write;
    Ok(LoadOptions {
        entities: choose(plan, &args.only)?,
        readers: source.readers,
        page: PageLimits { rows: source.page_rows, bytes: PAGE_BYTES },
        pace,
        concurrency: args.concurrency.map(usize::from).or(write.concurrency).unwrap_or(CONCURRENCY),
        limit: args.limit,
        samples: 0,
        max_rejects: Some(args.max_rejects.unwrap_or(write.max_rejects)),
        patience: PATIENCE,
        silence: SILENCE,
    })
}

/// Runs a load to its end, with progress and signals, and reports.
#[allow(clippy::too_many_arguments)]
async fn drive<T: Target>(
    project: &Project,
    target: Arc<T>,
    plan: &Arc<Plan>,
    source: Source,
    options: LoadOptions,
    journal: Journal,
    pace: &Pace,
    terminal: &Terminal,
) -> Result<Ran, Failure> {
    let started = Instant::now();
    let done =
        |name: &str| journal.progress().entity(name).map(|entity| entity.tally().rows).unwrap_or_default();
    let done: Vec<_> = plan.entities.iter().map(|entity| done(&entity.name)).collect();
    let progress = Arc::new(Progress::new(plan, &done, Wrong::Rejected, terminal));
    let observe = progress.observer();
    let load = Load { plan: Arc::clone(plan), source: project.source()?.clone(), target, options, observe };
    let loaded = load::run(&load, source, journal, stop_on_signal(terminal)).await;
    progress.finish();
    let mut report = load::report(&loaded, plan, pace, started.elapsed());
    if project.source()?.snapshot == SnapshotMode::None {
        report.consistent = Consistent::None;
    }
    Ok(finished(loaded, report))
}

fn finished(loaded: Loaded, mut report: RunReport) -> Ran {
    let failure = match loaded.end {
        End::Failed(error) => Some(Failure::from(error)),
        End::Complete | End::Interrupted => None,
    };
    report.error = failure.as_ref().map(Failure::report);
    Ran { report, failure, rate: None }
}
