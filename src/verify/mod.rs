//! Proof that the target holds what the source says.
//!
//! Every row is read again and built again; its item is fetched by key with a strongly consistent
//! read and compared by DynamoDB's own equality. Nothing is written unless it is to be repaired, only the search for
//! orphans scans, and counts that the service keeps (ItemCount) are never asked for.
//!
//! ```text
//! plan → ranges → pages → items → (sample) → batches of keys → lookup → compare → tally
//! wrong rows → read again → lookup → (repair) → verdict
//! ```

mod batch;
mod checkpoint;
mod compare;
mod confirm;
mod equality;
mod error;
mod lookup;
mod orphans;
mod patterns;
mod repair;
mod rivals;
mod sample;
mod suspects;
mod tally;
mod value;
mod verified;
mod walk;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio::time::MissedTickBehavior;

use crate::keys::Losers;
use crate::load::{Pace, StateError};
use crate::plan::Plan;
use crate::report::{RepairReport, SampleReport};
use crate::source::{PageLimits, Reader, Source, SourceError};
use crate::target::{Lookup, Query};

use checkpoint::VerifyCheckpoint;
use confirm::Ear;
use tally::Tally;

pub use batch::read_units;
pub use checkpoint::Notebook;
pub use compare::{Excuse, Excused, Expiry};
pub use equality::{Malformed, differences};
pub use error::VerifyError;
pub use orphans::{
    Export, ExportError, Inventory, Observe, OrphanError, OrphanEvent, OrphanOptions, Sweep, find_orphans,
};
pub use repair::{
    Became, Mend, MendError, OrphanedItem, REPAIRS as REPAIRS_FILE, Repair, RepairLog, WrongRow,
};
pub use rivals::losing_now;
pub use sample::{Sample, SampleError};
pub use verified::Verified;

#[derive(Clone)]
pub struct VerifyOptions {
    /// `None` verifies every row.
    pub sample: Option<Sample>,
    /// The same seed takes the same sample.
    pub seed: u64,
    /// Put the values of attributes that differ into the report.
    pub show_values: bool,
    pub page_limits: PageLimits,
    /// Differences to report of each entity, the lowest source keys first; all are counted.
    pub differences_per_entity: usize,
    /// Requests to the target in flight at most, at least one for each reader.
    pub concurrency: usize,
    /// Read units a second.
    pub pace: Pace,
    /// Rows that the load left out for a reason that only it can know (`key_collision`, `refused`):
    /// where the target does not match, they count as that.
    pub excuse: Option<Excuse>,
    /// Where the table deletes what has expired.
    pub expiry: Option<Expiry>,
    /// Wrong rows of an entity that are read once more, at most.
    pub reconsidered: u64,
    /// The rows that the load's count of the keys has left out.
    pub losers: Option<Arc<Losers>>,
    /// Mends what is still wrong then.
    pub mend: Option<Arc<dyn Mend>>,
    /// How long a global index may be behind its table before a wrong answer of it counts.
    pub settle: Duration,
}

impl VerifyOptions {
    /// Every row, ten differences of each entity, 32 requests in flight as fast as they are answered, no values.
    pub fn new(page_limits: PageLimits) -> Self {
        Self {
            sample: None,
            seed: 0,
            show_values: false,
            page_limits,
            differences_per_entity: 10,
            concurrency: 32,
            pace: Pace::Unlimited,
            excuse: None,
            expiry: None,
            reconsidered: 10_000,
            losers: None,
            mend: None,
            settle: Duration::from_secs(30),
        }
    }
}

impl fmt::Debug for VerifyOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyOptions")
            .field("sample", &self.sample)
            .field("seed", &self.seed)
            .field("concurrency", &self.concurrency)
            .finish_non_exhaustive()
    }
}

/// What happens during a verification, for progress displays.
#[derive(Debug, Clone)]
pub enum VerifyEvent {
    /// Rows that an earlier verification, which was stopped, has checked.
    Resumed { entity: usize, rows: u64 },
    /// A page of rows was read.
    Read { entity: usize, rows: u64 },
    /// Rows were looked up and compared.
    Checked { entity: usize, rows: u64, wrong: u64 },
    /// A request has to be sent again, and why.
    Slowed { reason: String },
    /// An access pattern is asked.
    Pattern { name: String },
}

/// How often the notebook is written.
const NOTED_EVERY: Duration = Duration::from_secs(10);

/// Verifies all entities of a plan over readers of one snapshot, and goes on from what the notebook says. The
/// caller lets it forget that once the verification has ended.
///
/// `observe` is called from this future alone. Once `stop` holds true, reading and looking up end at
/// once and what was counted so far is returned as interrupted.
pub async fn verify<L: Lookup>(
    plan: &Plan,
    readers: Vec<Reader>,
    target: Arc<L>,
    options: &VerifyOptions,
    notebook: Option<&Notebook>,
    observe: &(dyn Fn(VerifyEvent) + Send + Sync),
    mut stop: watch::Receiver<bool>,
) -> Result<Verified, VerifyError> {
    let started = Instant::now();
    let names = plan.entities.iter().map(|entity| entity.name.as_str());
    let mut tally = Tally::new(names, options.differences_per_entity);
    let mut page = match notebook.and_then(|notebook| notebook.read(plan, options)) {
        Some(earlier) => earlier,
        None => notebook.map(|notebook| notebook.page(plan, options)).unwrap_or_default(),
    };
    page.snapshots += 1;
    tally.units = page.units;
    let earlier = std::mem::take(&mut page.entities);
    let (news, mut inbox) = mpsc::unbounded_channel();
    let mut work = Box::pin(walk::check_all(plan, readers, target, options, earlier, news));
    let mut clock = tokio::time::interval(NOTED_EVERY);
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    clock.reset();
    let ended = loop {
        tokio::select! {
            biased;
            () = stopped(&mut stop) => break Ok(true),
            Some(news) = inbox.recv() => if let Some(event) = tally.note(news)? { observe(event) },
            _ = clock.tick() => note(notebook, &mut page, &tally)?,
            done = &mut work => break done.map(|()| false),
        }
    };
    drop(work);
    while let Ok(news) = inbox.try_recv() {
        if let Some(event) = tally.note(news)? {
            observe(event);
        }
    }
    note(notebook, &mut page, &tally)?;
    let interrupted = ended?;
    let sample = options.sample.map(|size| SampleReport { size: size.to_string(), seed: options.seed });
    let entities = tally.finish();
    let shown = (0..entities.len()).map(|entity| tally.shown(entity).map(std::mem::take).unwrap_or_default());
    Ok(Verified {
        shown: shown.collect(),
        shows: options.differences_per_entity,
        patterns: Vec::new(),
        elapsed: started.elapsed(),
        interrupted,
        checked_all: !interrupted,
        sample,
        snapshots: page.snapshots,
        units: tally.units,
        repair: options.mend.as_ref().map(|mend| RepairReport::logged(mend.log())),
        suspects: tally.suspects,
        entities,
    })
}

fn note(notebook: Option<&Notebook>, page: &mut VerifyCheckpoint, tally: &Tally) -> Result<(), StateError> {
    let Some(notebook) = notebook else { return Ok(()) };
    page.entities = tally.progress();
    page.units = tally.units;
    notebook.write(page)
}

/// Reads wrong rows once more by readers of a new snapshot: what the source changed meanwhile is no damage. Where
/// keys have to be counted before anything is mended, rows are read by another snapshot, opened after that.
///
/// Once `stop` holds true reading ends at once, rows that are being mended are finished; those that were not read
/// again stay as they were found. This future is not to be dropped before its end.
pub async fn reconsider<L: Lookup>(
    plan: &Plan,
    now: Snapshots<'_>,
    target: &L,
    options: &VerifyOptions,
    verified: &mut Verified,
    observe: &(dyn Fn(VerifyEvent) + Send + Sync),
    stop: watch::Receiver<bool>,
) -> Result<(), VerifyError> {
    let started = Instant::now();
    let suspects = std::mem::take(&mut verified.suspects);
    let (news, mut inbox) = mpsc::unbounded_channel();
    let ear = Ear { news, stop };
    let mut work = Box::pin(confirm::confirm(plan, now, target, options, suspects, ear));
    let ended = loop {
        tokio::select! {
            biased;
            Some(news) = inbox.recv() => verified.reconsidered(news, observe),
            ended = &mut work => break ended,
        }
    };
    drop(work);
    while let Ok(news) = inbox.try_recv() {
        verified.reconsidered(news, observe);
    }
    verified.elapsed += started.elapsed();
    verified.interrupted |= ended?;
    Ok(())
}

/// Opens snapshots of now, as often as that is asked for.
#[derive(Debug)]
pub struct Snapshots<'a> {
    pub source: &'a mut Source,
    /// Readers of each.
    pub readers: usize,
}

impl Snapshots<'_> {
    async fn open(&mut self, plan: &Plan) -> Result<Vec<Reader>, SourceError> {
        let selects: Vec<_> = plan.entities.iter().map(|entity| entity.select.as_ref().clone()).collect();
        Ok(self.source.open(self.readers, &selects).await?.readers)
    }
}

/// Asks the access patterns, each of a new snapshot of the source; what seems wrong is asked once more of another one.
///
/// Stops as [`verify`] does; then there are no patterns.
pub async fn ask_patterns<T: Lookup + Query>(
    plan: &Plan,
    source: &mut Source,
    target: &T,
    options: &VerifyOptions,
    verified: &mut Verified,
    observe: &(dyn Fn(VerifyEvent) + Send + Sync),
    mut stop: watch::Receiver<bool>,
) -> Result<(), VerifyError> {
    let started = Instant::now();
    tokio::select! {
        biased;
        () = stopped(&mut stop) => verified.interrupted = true,
        asked = patterns::ask_all(plan, source, target, options, observe) => {
            let asked = asked?;
            verified.units += asked.units;
            verified.patterns = asked.reports;
        }
    }
    verified.elapsed += started.elapsed();
    Ok(())
}

/// Never, once nobody can say stop any more.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
