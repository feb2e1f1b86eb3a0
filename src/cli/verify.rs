//! `migrate verify`: rebuild every item and compare it with what the table holds.

mod expire;
mod orphans;
mod price;
mod recorded;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::OutputArgs;
use super::destination::{Destination, Missing};
use super::failure::{Exit, Failure};
use super::help::{OUTPUT, PACE};
use super::mend::{RepairArgs, Repairs};
use super::progress::{Progress, Wrong};
use super::project::{MappingArgs, Project, StateArgs};
use super::signals::stop_on_signal;
use super::terminal::Terminal;
use crate::load::redacted;
use crate::mapping::Rate;
use crate::plan::{Plan, PlanOptions};
use crate::report::{OrphanReport, Outcome, VerifyReport, verify_text};
use crate::source::{PageLimits, Source};
use crate::target::TimeToLive;
use crate::verify::{
    Expiry, Notebook, Sample, Snapshots, VerifyOptions, ask_patterns, losing_now, reconsider, verify,
};

use expire::Expire;
use orphans::OrphanArgs;
use price::{announce, questions};
use recorded::Recorded;

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
    /// Forget how far an earlier verification was that was stopped, and begin with the first row
    #[arg(long)]
    pub restart: bool,
    /// Read capacity units (RCU) a second, or "auto" for what the table takes
    #[arg(long, help_heading = PACE, default_value = "auto", value_name = "RCU", value_parser = parse_rate)]
    pub rate: Rate,
    /// Requests in flight at most, 1 to 1024
    #[arg(long, help_heading = PACE, default_value_t = 32, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub concurrency: u16,
    /// Leave the access patterns of the mapping out
    #[arg(long)]
    pub no_patterns: bool,
    /// Print the values of attributes that differ
    #[arg(long, help_heading = OUTPUT)]
    pub show_values: bool,
    #[command(flatten)]
    pub repair: RepairArgs,
    /// Switch the table's time to live on, once nothing is wrong in it
    #[arg(long, conflicts_with = "sample")]
    pub enable_ttl: bool,
    #[command(flatten)]
    pub orphans: OrphanArgs,
    #[command(flatten)]
    pub state: StateArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

const WHAT: &str = "\
Reads every row of the source again, or a sample, builds its item and compares it with a strongly consistent \
read of the table. Says what that costs before it begins. Names the items that are missing or different, and their \
attributes; each of them is looked at twice, and once more by the row as it is then. After a stop the same command goes \
on where it was. With --orphans also names items of its entities that no row explains. Then asks the mapping's access \
patterns of the table and of the source: the answers must be the same. Changes nothing, or with --repair and \
--delete-orphans only what is wrong: each item as long as what was read of it still holds.";

const EXAMPLES: &str = "\
Examples:
  migrate verify -m shop.toml
  migrate verify -m shop.toml --sample 1%              one row of a hundred
  migrate verify -m shop.toml --sample 500 --seed 7    500 rows an entity
  migrate verify -m shop.toml --rate 500               500 RCU a second
  migrate verify -m shop.toml --show-values            what exactly differs
  migrate verify -m shop.toml --repair --dry-run       what would be repaired
  migrate verify -m shop.toml --repair --yes           mend it
  migrate verify -m shop.toml --orphans                and what is too much
  migrate verify -m shop.toml --delete-orphans --yes   delete that
  migrate verify -m shop.toml --enable-ttl             the last step of a move";

fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number".to_owned())
}

fn parse_rate(text: &str) -> Result<Rate, String> {
    match (text, text.parse::<u64>()) {
        ("auto", _) => Ok(Rate::Auto),
        (_, Ok(rate)) if rate >= 1 => Ok(Rate::Fixed(rate)),
        _ => Err("expected \"auto\" or whole read capacity units per second, at least 1".to_owned()),
    }
}

/// How long an index may be behind its table; a server for trying out writes both at once, or nearly so.
const SETTLE: Duration = Duration::from_secs(30);
const LOCAL_SETTLE: Duration = Duration::from_millis(500);

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

/// What was found and done, also where it ended early.
#[derive(Debug)]
pub(crate) struct Compared {
    report: VerifyReport,
    failure: Option<Failure>,
}

/// Prints the report and returns the exit code.
pub(crate) fn tell(compared: &Compared, terminal: &Terminal) -> Exit {
    let Compared { report, failure } = compared;
    if terminal.json {
        terminal.document(report);
    } else {
        terminal.data(&verify_text(report, terminal.style()));
    }
    if let Some(failure) = failure {
        terminal.explain(failure);
        return failure.exit;
    }
    match report.outcome {
        Outcome::Differences => Exit::Differences,
        Outcome::Interrupted => Exit::Interrupted,
        _ => Exit::Done,
    }
}

async fn execute(project: &Project, args: &VerifyArgs, terminal: &Terminal) -> Result<Compared, Failure> {
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
) -> Result<Compared, Failure> {
    let expire = match args.enable_ttl {
        true => Some(Expire::allowed(plan, destination).await?),
        false => None,
    };
    let repairs = Repairs::begin(args, project, plan, destination, folder, terminal)?;
    let settings = project.source()?;
    let identity = destination.identity();
    let database = source.identity().database.clone();
    let writes = repairs.mend.is_some() && !args.repair.dry_run;
    let recorded = Recorded::read(folder, plan, &identity, &database, writes, terminal)?;
    let mut options = VerifyOptions {
        mend: repairs.mend.clone().filter(|_| args.repair.repair),
        ..options(project, args, plan, destination, &recorded, terminal).await?
    };
    let asks = !args.no_patterns && !plan.patterns.is_empty();
    let questions = if asks { questions(&plan.patterns) } else { String::new() };
    announce(plan, destination, recorded.checkpoint.as_ref(), &options, &questions, terminal)?;
    let mend = repairs.mend.clone().filter(|_| args.orphans.delete_orphans);
    let orphans = orphans::look(project, args, terminal, &mut source, plan, destination, mend).await?;
    let progress = Progress::new(plan, &vec![Some(0); plan.entities.len()], Wrong::Different, terminal);
    let notebook =
        Notebook { folder: folder.to_owned(), purpose: purpose(args).to_owned(), table: identity, database };
    let observe = |event| progress.verify_event(&event);
    let stop = stop_on_signal(terminal);
    let verified = async {
        let selects: Vec<_> = plan.entities.iter().map(|entity| entity.select.as_ref().clone()).collect();
        let mut readers = source.open(settings.readers, &selects).await?.readers;
        let mut losing = HashMap::new();
        if let Some(known) = &options.losers {
            (losing, readers) = losing_now(plan, readers, options.page_limits, known).await?;
        }
        options.excuse = recorded.excuse(options.losers.as_deref(), losing)?;
        go_on(&notebook, args, plan, &options, terminal)?;
        let target = Arc::new(destination.dynamodb.clone());
        Ok(verify(plan, readers, target, &options, Some(&notebook), &observe, stop.clone()).await?)
    };
    let mut verified = match verified.await {
        Ok(verified) => verified,
        Err(failure) => {
            progress.finish();
            orphans::tell_of_changes(orphans.as_ref(), terminal);
            return Err(failure);
        }
    };
    let rest = async {
        if verified.suspects() > 0 && !verified.interrupted {
            let now = Snapshots { source: &mut source, readers: settings.readers };
            let target = &destination.dynamodb;
            reconsider(plan, now, target, &options, &mut verified, &observe, stop.clone()).await?;
        }
        if asks && !verified.interrupted {
            let target = &destination.dynamodb;
            ask_patterns(plan, &mut source, target, &options, &mut verified, &observe, stop).await?;
        }
        if !verified.interrupted {
            notebook.forget()?;
        }
        Ok::<_, Failure>(())
    };
    let rest = rest.await;
    progress.finish();
    Ok(conclude(verified.report(&plan.table.name), orphans, rest.err(), args, expire, destination).await)
}

/// Says since when, where an earlier verification is gone on with.
fn go_on(
    notebook: &Notebook,
    args: &VerifyArgs,
    plan: &Plan,
    options: &VerifyOptions,
    terminal: &Terminal,
) -> Result<(), Failure> {
    // What is switched on behind it is switched on for all rows as they are now.
    if args.restart || args.enable_ttl {
        notebook.forget()?;
    }
    if let Some(since) = notebook.since(plan, options) {
        terminal.remark(&format!(
            "goes on where the verification that began {since} was stopped; --restart begins anew"
        ));
    }
    Ok(())
}

/// What was found stands beside the failure that has ended it.
async fn conclude(
    mut report: VerifyReport,
    orphans: Option<OrphanReport>,
    failure: Option<Failure>,
    args: &VerifyArgs,
    expire: Option<Expire>,
    destination: &Destination,
) -> Compared {
    report.orphans = orphans;
    if args.repair.redact {
        hide_keys(&mut report);
    }
    orphans::judge(&mut report);
    let mut failure = failure.or_else(|| empty_sample(&report));
    if let (None, Some(expire)) = (&failure, expire) {
        failure = expire.conclude(&mut report, destination, args.repair.dry_run).await.err();
    }
    if let Some(failure) = &failure {
        report.outcome = Outcome::Failed;
        report.error = Some(failure.report());
    }
    Compared { report, failure }
}

fn empty_sample(report: &VerifyReport) -> Option<Failure> {
    (report.outcome == Outcome::Done && report.took_nothing()).then(|| {
        Failure::new(Exit::Usage, "empty-sample", "the sample took no row, which proves nothing")
            .with_help("take a larger --sample, or another --seed")
    })
}

fn purpose(args: &VerifyArgs) -> &'static str {
    match (args.repair.repair && !args.repair.dry_run, args.enable_ttl) {
        (true, _) => "repair",
        (false, true) => "enable-ttl",
        (false, false) => "verify",
    }
}

/// What the flags say, and what the load and the table's settings excuse.
async fn options(
    project: &Project,
    args: &VerifyArgs,
    plan: &Plan,
    destination: &Destination,
    recorded: &Recorded<'_>,
    terminal: &Terminal,
) -> Result<VerifyOptions, Failure> {
    let settings = project.source()?;
    let limits = PageLimits { rows: settings.page_rows, bytes: PAGE_BYTES };
    let losers = recorded.losers()?;
    let defaults = VerifyOptions::new(limits);
    Ok(VerifyOptions {
        sample: args.sample,
        seed: args.seed,
        show_values: args.show_values,
        concurrency: usize::from(args.concurrency),
        pace: destination.read_pace(args.rate),
        losers,
        expiry: expiry(plan, destination, args.repair.repair, terminal).await,
        settle: if destination.dynamodb.is_local() { LOCAL_SETTLE } else { SETTLE },
        // Every wrong row is to be mended, however many there are.
        reconsidered: if args.repair.repair { u64::MAX } else { defaults.reconsidered },
        ..defaults
    })
}

/// Both a row's key and its item's tell who it is about.
fn hide_keys(report: &mut VerifyReport) {
    for difference in report.entities.values_mut().flat_map(|entity| &mut entity.differences) {
        difference.source_key.values_mut().for_each(|value| *value = redacted(value));
        hide_key(&mut difference.key);
    }
    let orphans = report.orphans.iter_mut().flat_map(OrphanReport::examples_mut);
    orphans.for_each(|example| hide_key(&mut example.key));
    for example in report.access_patterns.iter_mut().flat_map(|pattern| &mut pattern.examples) {
        example.params.values_mut().for_each(|value| *value = redacted(value));
        hide_key(&mut example.key);
    }
}

/// An item's key as DynamoDB JSON.
fn hide_key(key: &mut serde_json::Value) {
    let values = key.as_object_mut().into_iter().flat_map(|key| key.values_mut());
    for value in values.filter_map(|typed| typed.as_object_mut()).flat_map(|typed| typed.values_mut()) {
        *value = value.as_str().map_or_else(String::new, redacted).into();
    }
}

/// The table deletes what has expired only where that is switched on, or was until just now: while it is being
/// switched off, what has gone by it must not be put again.
fn expires_by(attribute: String, live: Option<&TimeToLive>) -> Option<Expiry> {
    live.is_some_and(|live| live.attribute == attribute).then_some(Expiry { attribute })
}

async fn expiry(plan: &Plan, destination: &Destination, repair: bool, terminal: &Terminal) -> Option<Expiry> {
    let attribute = plan.table.ttl.clone()?;
    match destination.dynamodb.time_to_live().await {
        Ok(live) => expires_by(attribute, live.as_ref()),
        Err(error) if repair => {
            terminal.remark(&format!(
                "warning: {error}; missing items whose time has passed are not put again, as if the table's TTL were on"
            ));
            Some(Expiry { attribute })
        }
        Err(error) => {
            terminal.remark(&format!(
                "warning: {error}; where the table's TTL is on, items that it has deleted count as missing"
            ));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiry_that_is_being_switched_off_has_deleted_until_now() {
        let live = |attribute: &str, enabled| Some(TimeToLive { attribute: attribute.to_owned(), enabled });
        let by = |live: Option<TimeToLive>| expires_by("expires".to_owned(), live.as_ref()).is_some();
        assert!(by(live("expires", true)) && by(live("expires", false)));
        assert!(!by(live("other", true)) && !by(None));
    }
}
