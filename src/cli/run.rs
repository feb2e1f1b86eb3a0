//! `migrate run`: the dry run and the load.

mod args;
mod recorded;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) use self::args::RunArgs;
pub(super) use self::recorded::Ahead;
use self::recorded::{Recorded, ahead, is_done, recorded};
use super::announce::{Announcement, announce};
use super::destination::{Destination, Missing, expected_pace, is_embedded, stream_records};
use super::failure::{Exit, Failure};
use super::progress::{Progress, Wrong};
use super::project::{Project, choose};
use super::signals::stop_on_signal;
use super::terminal::Terminal;
use crate::load::{
    self, Checkpoint, End, Journal, Load, LoadOptions, Loaded, Pace, StateFolder, Surveys, TableIdentity,
};
use crate::mapping::{Rate, SnapshotMode};
use crate::plan::{EntityPlan, Plan, PlanOptions};
use crate::report::cost::thousands;
use crate::report::{Consistent, Outcome, RunReport, dry_run_text, run_text};
use crate::source::{PageLimits, Source};
use crate::target::{Discard, Target};
use crate::verify::Notebook;

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
    let (source, plan) = prepare(project, terminal).await?;
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

async fn prepare(project: &Project, terminal: &Terminal) -> Result<(Source, Arc<Plan>), Failure> {
    let (source, prepared) = project.prepare(PlanOptions::default(), terminal).await?;
    Ok((source, Arc::new(prepared.plan)))
}

/// Everything up to the target, which discards.
async fn dry_run(project: &Project, args: &RunArgs, terminal: &Terminal) -> Result<Ran, Failure> {
    let (source, plan) = prepare(project, terminal).await?;
    let pace = expected_pace(rate(project, args), &plan.table);
    let mut options = options(project, args, &plan, Pace::Unlimited)?;
    options.max_rejects = None;
    options.samples = if args.redact { 0 } else { SAMPLES };
    options.surveys = Surveys::of(&plan);
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
    if !args.yes {
        if !ours && !destination.dynamodb.is_empty().await? {
            return Err(not_empty(&plan));
        }
        nothing_is_gone(&progress, &plan)?;
    }
    let ahead = ahead(&progress, &plan, &entities);
    let settings = project.source()?;
    announce(
        &Announcement { settings, source: &source, destination, pace: &pace, ahead: &ahead },
        args.yes,
        terminal,
    )?;
    if args.restart && ours {
        terminal.remark("restart: the items of the earlier load are replaced, whatever became of them since");
    }
    Notebook::forget_in(state.path())?;
    let journal = Journal::in_folder(Arc::clone(state), progress, args.redact);
    let options = options(project, args, &plan, pace.clone())?;
    let target = Arc::new(destination.dynamodb.clone());
    let mut ran = drive(project, target, &plan, source, options, journal, &pace, terminal).await?;
    ran.report.resumed = begun;
    ran.report.rejects_file = rejects_file(state.path(), &ran.report);
    Ok(ran)
}

fn already_done(progress: Checkpoint, plan: &Plan, pace: &Pace, folder: &Path) -> Ran {
    let loaded = Loaded {
        end: End::Complete,
        progress,
        samples: load::Samples::default(),
        collisions: None,
        compared: Arc::default(),
        noticed: Vec::new(),
    };
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

/// The keys of an entity that the mapping no longer has cannot be compared with those to be written.
fn nothing_is_gone(progress: &Checkpoint, plan: &Plan) -> Result<(), Failure> {
    let is_known = |name: &str| plan.entities.iter().any(|entity| entity.name == name);
    let gone = progress.entities.iter().filter(|entity| entity.may_have_items() && !is_known(&entity.name));
    let gone: Vec<_> = gone.map(|entity| format!("`{}`", entity.name)).collect();
    if gone.is_empty() {
        return Ok(());
    }
    let message = format!("the table holds items of {}, which the mapping no longer has", gone.join(", "));
    Err(Failure::new(Exit::Mapping, "entity-gone", message).with_help(
        "nothing says that the items to be written have other keys: put the entity back under its name, load into an \
         empty table, or say --yes if those items may be replaced",
    ))
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
        surveys: Surveys::none(),
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
    let rows = |position: usize, entity: &EntityPlan| {
        let recorded = journal.progress().entity(&entity.name);
        let ahead = options.entities.contains(&position) && !journal.progress().is_done(&entity.name);
        ahead.then(|| recorded.map(|entity| entity.tally().rows).unwrap_or_default())
    };
    let done: Vec<_> = plan.entities.iter().enumerate().map(|(at, entity)| rows(at, entity)).collect();
    announce_counting(plan, &options.entities, journal.progress(), terminal);
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

/// What is read before anything is written, because no proof tells the keys apart.
fn announce_counting(plan: &Plan, entities: &[usize], progress: &Checkpoint, terminal: &Terminal) {
    let is_due = |name: &&String| {
        let chosen =
            entities.iter().filter_map(|at| plan.entities.get(*at)).any(|entity| entity.name == **name);
        chosen && !progress.is_done(name)
    };
    let contested = plan.contested.iter().filter(|set| set.iter().any(|name| is_due(&name))).flatten();
    let contested: Vec<&str> = contested.map(String::as_str).collect();
    if contested.is_empty() {
        return;
    }
    let counted = plan.entities.iter().filter(|entity| contested.contains(&entity.name.as_str()));
    let rows: Option<u64> = counted.map(EntityPlan::expected_rows).sum();
    let rows = rows.map(|rows| format!(", about {} rows", thousands(rows))).unwrap_or_default();
    let names = contested.join(", ");
    terminal.remark(&format!(
        "no proof tells the keys of {names} apart: they are counted first{rows}, before anything is written"
    ));
}

fn finished(loaded: Loaded, mut report: RunReport) -> Ran {
    let failure = match loaded.end {
        End::Failed(error) => Some(Failure::from(error)),
        End::Complete | End::Interrupted => None,
    };
    report.error = failure.as_ref().map(Failure::report);
    Ran { report, failure, rate: None }
}
