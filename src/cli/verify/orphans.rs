//! `migrate verify --orphans`: what it will cost, its progress, its failures.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{ArgGroup, Args, ValueHint};
use indicatif::{ProgressBar, ProgressDrawTarget};

use super::super::destination::Destination;
use super::super::failure::{Exit, Failure};
use super::super::help::ORPHANS;
use super::super::project::Project;
use super::super::signals::stop_on_signal;
use super::super::terminal::Terminal;
use super::price::{price, time};
use super::{PAGE_BYTES, VerifyArgs};
use crate::load::Pace;
use crate::plan::Plan;
use crate::report::cost::{bytes, thousands};
use crate::report::{DeletionReport, OrphanReport, Outcome, VerifyReport};
use crate::source::{PageLimits, Source};
use crate::target::SizeEstimate;
use crate::verify::{
    Export, ExportError, Inventory, Mend, OrphanError, OrphanEvent, OrphanOptions, Sweep, find_orphans,
};

#[derive(Debug, Clone, Args)]
#[command(group(ArgGroup::new("inventory").args(["orphans", "export", "delete_orphans"]).multiple(true)))]
pub(crate) struct OrphanArgs {
    /// Also look for items that no row explains: reads the whole table, and says first what that costs
    #[arg(long, help_heading = ORPHANS)]
    pub orphans: bool,
    /// Read units that looking for orphans may take
    #[arg(long, help_heading = ORPHANS, default_value_t = 1_000_000, value_name = "RCU", requires = "inventory")]
    pub orphans_limit: u32,
    /// Look for them in an export of the table (full, DYNAMODB_JSON, copied from S3) instead of reading it
    #[arg(long, help_heading = ORPHANS, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub export: Option<PathBuf>,
    /// Look for orphans and delete them, each as long as what was read of it still holds
    #[arg(long, help_heading = ORPHANS)]
    pub delete_orphans: bool,
}

/// Requests of a Scan in flight at most: each may bring a megabyte.
const WORKERS: u16 = 8;

/// Pieces of the table a worker, since they are of different sizes.
const SEGMENTS_A_WORKER: u32 = 4;

/// Looks for orphans where that is asked for; `None` where it is not, or was interrupted.
pub(super) async fn look(
    project: &Project,
    args: &VerifyArgs,
    terminal: &Terminal,
    source: &mut Source,
    plan: &Plan,
    destination: &Destination,
    mend: Option<Arc<dyn Mend>>,
) -> Result<Option<OrphanReport>, Failure> {
    let OrphanArgs { orphans, orphans_limit, export, delete_orphans } = &args.orphans;
    let pace = destination.read_pace(args.rate);
    let inventory = match export {
        Some(folder) => Inventory::Export(exported(folder, destination, terminal)?),
        None if *orphans || *delete_orphans => {
            let estimate = destination.dynamodb.size_estimate().await?;
            terminal.remark(&announcement(&estimate, &pace, destination.dynamodb.is_local()));
            must_not_exceed(&estimate, *orphans_limit)?;
            let workers = args.concurrency.min(WORKERS);
            Inventory::Table(Sweep { segments: u32::from(workers) * SEGMENTS_A_WORKER, workers })
        }
        None => return Ok(None),
    };
    let settings = project.source()?;
    let entity_type = project.table()?.entity_type.as_ref().map(|name| name.get_ref().clone());
    if mend.is_some() && entity_type.is_none() {
        terminal.remark(BY_KEYS_ALONE);
    }
    let options = OrphanOptions {
        inventory,
        entity_type,
        readers: settings.readers,
        page_limits: PageLimits { rows: settings.page_rows, bytes: PAGE_BYTES },
        concurrency: usize::from(args.concurrency),
        pace,
        most: *orphans_limit,
        examples: 10,
        mend: mend.clone(),
    };
    let table = Arc::new(destination.dynamodb.clone());
    let progress = Arc::new(Looking::new(terminal));
    let observer = Arc::clone(&progress);
    let observe = Arc::new(move |event| observer.note(&event));
    let found = find_orphans(plan, source, table, options, observe, stop_on_signal(terminal)).await;
    progress.finish();
    if let (Ok(None) | Err(_), Some(mend)) = (&found, mend)
        && let Some(log) = mend.log()
    {
        tell_deleted(mend.deleted(), &log.display().to_string(), terminal);
    }
    Ok(found?)
}

const BY_KEYS_ALONE: &str = "warning: the mapping has no entity_type, so that only its key tells whose an item is: \
                             are there items of others in the table whose keys look like those of the entities?";

/// Of a verification that has no report.
pub(super) fn tell_of_changes(found: Option<&OrphanReport>, terminal: &Terminal) {
    let deletion = found.and_then(|found| found.deletion.as_ref());
    if let Some(DeletionReport { deleted, log: Some(log), .. }) = deletion {
        tell_deleted(*deleted, log, terminal);
    }
}

fn tell_deleted(deleted: u64, log: &str, terminal: &Terminal) {
    if deleted > 0 {
        let deleted = thousands(deleted);
        terminal.remark(&format!("orphans deleted before that: {deleted}, each with its item in {log}"));
    }
}

/// Orphans that are still there are damage.
pub(super) fn judge(report: &mut VerifyReport) {
    let Some(orphans) = report.orphans.as_ref().filter(|orphans| orphans.known > 0) else { return };
    report.outcome = match report.outcome {
        Outcome::Done | Outcome::Repaired if orphans.remaining() > 0 => Outcome::Differences,
        Outcome::Done => Outcome::Repaired,
        outcome => outcome,
    };
}

/// What reading the whole table takes, as far as anyone knows before.
fn announcement(estimate: &SizeEstimate, pace: &Pace, is_local: bool) -> String {
    let units = estimate.read_units();
    let price = if is_local { String::new() } else { price(units) };
    format!(
        "looking for orphans reads the whole table, {} in {} items: about {} read units{price}{}; by the \
         service's estimate, which may be six hours old\n\
         what has no row is read again, and deleting takes the write units of what is deleted",
        bytes(estimate.bytes),
        thousands(estimate.items),
        thousands(units),
        time(pace, units),
    )
}

fn must_not_exceed(estimate: &SizeEstimate, most: u32) -> Result<(), Failure> {
    let units = estimate.read_units();
    if units <= u64::from(most) {
        return Ok(());
    }
    Err(too_expensive(format!(
        "to look for orphans would take about {} read units, more than --orphans-limit {most}",
        thousands(units)
    )))
}

fn too_expensive(message: String) -> Failure {
    Failure::new(Exit::Usage, "orphans-limit", message).with_help(
        "allow more with --orphans-limit, or look in an export of the table, which takes hardly any: --export DIR",
    )
}

fn exported(folder: &Path, destination: &Destination, terminal: &Terminal) -> Result<Export, Failure> {
    let export = Export::open(folder)?;
    export.must_be_of(destination.dynamodb.table(), destination.live.id.as_deref())?;
    let files = thousands(u64::try_from(export.files()).unwrap_or(u64::MAX));
    terminal.remark(&match export.made_at() {
        Some(time) => format!(
            "looking for orphans in the export of {time} ({files} files); what was written since is not looked at"
        ),
        None => format!("looking for orphans in {files} files of an export"),
    });
    if !export.has_manifest() {
        terminal.remark("warning: without manifest-summary.json nothing tells whether the export is whole");
    }
    Ok(export)
}

/// Between two lines where there is no terminal.
const PAUSE: Duration = Duration::from_secs(5);

/// Progress of a search: one line that changes, else a line every few seconds.
#[derive(Debug)]
struct Looking {
    terminal: Terminal,
    bar: ProgressBar,
    seen: Mutex<Seen>,
}

#[derive(Debug)]
struct Seen {
    items: u64,
    units: f64,
    rows: u64,
    examined: u64,
    deleted: u64,
    last_line: Instant,
}

impl Looking {
    fn new(terminal: &Terminal) -> Self {
        let target =
            if terminal.interactive { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let seen = Seen { items: 0, units: 0.0, rows: 0, examined: 0, deleted: 0, last_line: Instant::now() };
        let bar = ProgressBar::with_draw_target(None, target);
        Self { terminal: terminal.clone(), bar, seen: Mutex::new(seen) }
    }

    fn note(&self, event: &OrphanEvent) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let text = seen.note(event);
        if self.terminal.interactive {
            self.bar.set_message(text);
            self.bar.tick();
        } else if !self.terminal.quiet && seen.last_line.elapsed() >= PAUSE {
            seen.last_line = Instant::now();
            self.terminal.remark(&text);
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Seen {
    fn note(&mut self, event: &OrphanEvent) -> String {
        match event {
            OrphanEvent::Scanned { items, units } => {
                self.items += items;
                self.units += units;
                let units =
                    if self.units > 0.0 { format!(", {:.0} read units", self.units) } else { String::new() };
                format!("looking for orphans: {} items read{units}", thousands(self.items))
            }
            OrphanEvent::Keys { rows } => {
                self.rows += rows;
                format!("looking for orphans: keys of {} rows", thousands(self.rows))
            }
            OrphanEvent::Examined { items } => {
                self.examined += items;
                format!("looking for orphans: {} items without a row", thousands(self.examined))
            }
            OrphanEvent::Deleted { items } => {
                self.deleted += items;
                format!("looking for orphans: {} deleted", thousands(self.deleted))
            }
            OrphanEvent::Slowed { reason } => format!("slowed: {reason}"),
        }
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        Failure::new(Exit::Failed, "export", error.to_string()).with_help(error.help())
    }
}

impl From<OrphanError> for Failure {
    fn from(error: OrphanError) -> Self {
        let message = error.to_string();
        match error {
            OrphanError::Source(error) => error.into(),
            OrphanError::Target(error) => error.into(),
            OrphanError::Export(error) => error.into(),
            OrphanError::TooExpensive { .. } => Failure { exit: Exit::Failed, ..too_expensive(message) },
            OrphanError::Disk(_) => Failure::new(Exit::Failed, "orphans", message).with_help(
                "keys are sorted in temporary files: is there room on the disk? TMPDIR says where",
            ),
            OrphanError::State(error) => error.into(),
            OrphanError::NothingExplained { .. } => Failure::new(Exit::Failed, "orphans-unexplained", message)
                .with_help("is it the right database, and do its tables have rows? `migrate verify --orphans` alone shows what it finds"),
            OrphanError::Keys(_)
            | OrphanError::Malformed(_)
            | OrphanError::NoReader
            | OrphanError::Task(_) => Failure::new(Exit::Failed, "orphans", message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_told_as_an_estimate() {
        let estimate = SizeEstimate { bytes: 100 << 30, items: 150_000_000 };
        assert_eq!(
            announcement(&estimate, &Pace::Fixed(10_000), false),
            "looking for orphans reads the whole table, 100.0 GB in 150,000,000 items: about 13,107,200 read units, \
             about $1.63 on demand in us-east-1, about 21 min 51 s; by the service's estimate, which may be six hours old\n\
             what has no row is read again, and deleting takes the write units of what is deleted"
        );
        let failure = must_not_exceed(&estimate, 13_107_199).unwrap_err();
        assert_eq!((failure.exit, failure.code), (Exit::Usage, "orphans-limit"));
        assert!(must_not_exceed(&estimate, 13_107_200).is_ok());
    }

    #[test]
    fn progress_adds_up() {
        let mut seen =
            Seen { items: 0, units: 0.0, rows: 0, examined: 0, deleted: 0, last_line: Instant::now() };
        seen.note(&OrphanEvent::Scanned { items: 1_500, units: 128.5 });
        let line = seen.note(&OrphanEvent::Scanned { items: 1_500, units: 128.5 });
        assert_eq!(line, "looking for orphans: 3,000 items read, 257 read units");
        assert_eq!(seen.note(&OrphanEvent::Keys { rows: 5_000 }), "looking for orphans: keys of 5,000 rows");
    }
}
