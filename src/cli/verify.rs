//! `migrate verify`: rebuild every item and compare it with what the table holds.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::OutputArgs;
use super::destination::{Destination, Missing};
use super::failure::{Exit, Failure};
use super::help::{OUTPUT, PACE};
use super::mend::RepairArgs;
use super::progress::{Progress, Wrong};
use super::project::{MappingArgs, Project, StateArgs};
use super::signals::stop_on_signal;
use super::terminal::Terminal;
use crate::item::Rule;
use crate::keys::{Hash, Losers, row_hash};
use crate::load::{Checkpoint, LOSERS_FILE, REJECTS_FILE, read_rejects, redacted};
use crate::plan::{EntityPlan, Plan, PlanOptions};
use crate::report::{Outcome, VerifyReport, verify_text};
use crate::source::{PageLimits, Source};
use crate::verify::{Excused, Sample, VerifyOptions, verify};

/// Rebuild every item and compare it with what the table holds
#[derive(Debug, Clone, Args)]
#[command(before_help = WHAT, after_help = EXAMPLES)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub mapping: MappingArgs,
    /// Only a part of the rows: "1%", or a number of rows of each entity [default: all]
    #[arg(long, value_name = "1%|N")]
    pub sample: Option<Sample>,
    /// Which sample: the same seed takes the same rows
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = parse_seed)]
    pub seed: u64,
    /// Requests in flight at most, 1 to 1024
    #[arg(long, help_heading = PACE, default_value_t = 32, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub concurrency: u16,
    /// Print the values of attributes that differ
    #[arg(long, help_heading = OUTPUT)]
    pub show_values: bool,
    #[command(flatten)]
    pub repair: RepairArgs,
    #[command(flatten)]
    pub state: StateArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

const WHAT: &str = "\
Reads every row of the source again, or a sample, builds its item and compares it with a strongly consistent \
read of the table. Names the items that are missing or different, and their attributes. Changes nothing, or with \
--repair only what is wrong: each item as long as it is still what was read. Items that no row explains are not looked \
for yet.";

const EXAMPLES: &str = "\
Examples:
  migrate verify -m shop.toml
  migrate verify -m shop.toml --sample 1%              one row of a hundred
  migrate verify -m shop.toml --sample 500 --seed 7    500 rows an entity
  migrate verify -m shop.toml --show-values            what exactly differs
  migrate verify -m shop.toml --repair --dry-run       what would be repaired
  migrate verify -m shop.toml --repair --yes           mend it";

fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number".to_owned())
}

/// Cells of one page at most, beyond one row.
const PAGE_BYTES: usize = 16 * 1024 * 1024;

pub(crate) async fn run(args: &VerifyArgs) -> Exit {
    let terminal = Terminal::new(&args.output);
    let result = match Project::open(&args.mapping.mapping, &terminal) {
        Ok(project) => execute(&project, args, &terminal).await,
        Err(failure) => Err(failure),
    };
    match result {
        Ok(report) => tell(&report, &terminal),
        Err(failure) => terminal.fail("verify", &failure),
    }
}

/// Prints the report and returns the exit code.
pub(crate) fn tell(report: &VerifyReport, terminal: &Terminal) -> Exit {
    if terminal.json {
        terminal.document(report);
    } else {
        terminal.data(&verify_text(report, terminal.style()));
    }
    match report.outcome {
        // Only for a sample that took no row, see `compare`.
        Outcome::Failed => Exit::Usage,
        Outcome::Differences => Exit::Differences,
        Outcome::Interrupted => Exit::Interrupted,
        _ => Exit::Done,
    }
}

async fn execute(project: &Project, args: &VerifyArgs, terminal: &Terminal) -> Result<VerifyReport, Failure> {
    // Whether the keys are proven was decided before the load.
    let options = PlanOptions::default();
    // Its warnings were told before the load.
    let told = if terminal.verbose { terminal.clone() } else { terminal.silenced() };
    let (source, prepared) = project.prepare(options, &told).await?;
    let folder = project.state_folder(&args.state)?;
    let destination =
        Destination::reach(project.table()?, &prepared.plan.table, &folder, Missing::Fail, terminal).await?;
    compare(project, args, terminal, source, &prepared.plan, &destination, &folder).await
}

/// The verification itself, from a reached table on.
pub(crate) async fn compare(
    project: &Project,
    args: &VerifyArgs,
    terminal: &Terminal,
    mut source: Source,
    plan: &Plan,
    destination: &Destination,
    folder: &Path,
) -> Result<VerifyReport, Failure> {
    let repairs = args.repair.begin(project, plan, destination, folder, terminal)?;
    let settings = project.source()?;
    let selects: Vec<_> = plan.entities.iter().map(|entity| entity.select.as_ref().clone()).collect();
    let snapshot = source.open(settings.readers, &selects).await?;
    let limits = PageLimits { rows: settings.page_rows, bytes: PAGE_BYTES };
    let options = VerifyOptions {
        sample: args.sample,
        seed: args.seed,
        show_values: args.show_values,
        concurrency: usize::from(args.concurrency),
        excused: excused(folder, plan)?,
        mend: repairs.mend.clone(),
        ..VerifyOptions::new(limits)
    };
    let progress = Progress::new(plan, &vec![Some(0); plan.entities.len()], Wrong::Different, terminal);
    let target = Arc::new(destination.dynamodb.clone());
    let observe = |event| progress.verify_event(&event);
    let verified = verify(plan, snapshot.readers, target, options, &observe, stop_on_signal(terminal)).await;
    progress.finish();
    let mut report = verified?.report(&plan.table.name);
    if args.repair.redact {
        hide_keys(&mut report);
    }
    if report.outcome == Outcome::Done && report.took_nothing() {
        let failure =
            Failure::new(Exit::Usage, "empty-sample", "the sample took no row, which proves nothing")
                .with_help("take a larger --sample, or another --seed");
        report.outcome = Outcome::Failed;
        report.error = Some(failure.report());
    }
    Ok(report)
}

/// Both a row's key and its item's tell who it is about.
fn hide_keys(report: &mut VerifyReport) {
    for difference in report.entities.values_mut().flat_map(|entity| &mut entity.differences) {
        difference.source_key.values_mut().for_each(|value| *value = redacted(value));
        let values = difference.key.as_object_mut().into_iter().flat_map(|key| key.values_mut());
        for value in values.filter_map(|typed| typed.as_object_mut()).flat_map(|typed| typed.values_mut()) {
            *value = value.as_str().map_or_else(String::new, redacted).into();
        }
    }
}

/// Rows that the load left out for reasons that no rule on the row itself can see.
fn excused(folder: &Path, plan: &Plan) -> Result<Option<Excused>, Failure> {
    let at_run_time = [Rule::KeyCollision, Rule::Refused].map(Rule::as_str);
    let rejected: HashSet<(String, Vec<(String, String)>)> = read_rejects(&folder.join(REJECTS_FILE))?
        .into_iter()
        .filter(|reject| at_run_time.contains(&reject.rule.as_str()))
        .map(|reject| (reject.entity, reject.source_key.into_iter().collect()))
        .collect();
    let losers = losers(folder, plan)?;
    if rejected.is_empty() && losers.is_empty() {
        return Ok(None);
    }
    Ok(Some(Arc::new(move |entity: &str, key: &[(String, String)]| {
        let hashed = || key.iter().map(|(name, value)| (name.clone(), redacted(value))).collect();
        losers.get(entity).is_some_and(|losers| losers.contains(&row_hash(key)))
            || rejected.contains(&(entity.to_owned(), key.to_vec()))
            || rejected.contains(&(entity.to_owned(), hashed()))
    })))
}

/// Rows whose key another row has, by the load's key pass.
fn losers(folder: &Path, plan: &Plan) -> Result<HashMap<String, HashSet<Hash>>, Failure> {
    let checkpoint = Checkpoint::read(folder)?;
    let counted = |entity: &&EntityPlan| {
        let recorded = checkpoint.as_ref().and_then(|checkpoint| checkpoint.entity(&entity.name));
        recorded.is_some_and(|recorded| recorded.counted)
    };
    let counted: Vec<&EntityPlan> = plan.entities.iter().filter(counted).collect();
    if counted.is_empty() {
        return Ok(HashMap::new());
    }
    let path = folder.join(LOSERS_FILE);
    let fail = |error: std::io::Error| {
        Failure::new(Exit::Failed, "losers-unreadable", format!("read {}: {error}", path.display()))
            .with_help("load again with --restart: it counts the keys anew")
    };
    let losers = Losers::read(&path).map_err(fail)?;
    let of =
        |entity: &EntityPlan| Ok((entity.name.clone(), losers.of_all_ranges(&entity.name).map_err(fail)?));
    counted.into_iter().map(of).collect()
}
