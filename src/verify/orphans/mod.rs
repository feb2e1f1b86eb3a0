//! Items that no source row explains.
//!
//! ```text
//! table, by Scan ─┐  hash of each key, key in a log   ┐
//! or its export  ─┘                                   ├ sorted, side by side → items without a row
//! source, after it: key columns → keys → hashes       ┘    → whose? → read again → orphans
//! ```
//!
//! The source is read after the table, so that a row that was added meanwhile explains its item. What of the
//! entities' own items has no row is fetched once more with a strongly consistent read before it counts, and
//! deleted where that is asked for, as long as what was read of it then still holds. An entity that has lost all its
//! rows loses no item: rather its table is empty by mistake than all of its items are too much.
//! Items of other applications are counted by what they say they are, and not fetched.

mod confirm;
mod explain;
mod export;
mod look;
mod meter;
mod sightings;
mod sweep;
mod tally;

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinError;

use super::equality::Malformed;
use super::lookup::{LookupError, Pace};
use super::repair::{Mend, MendError};
use super::stopped;
use crate::item::ItemPage;
use crate::keys::{EveryKey, KeyPassError, Sorter, every_key};
use crate::load::{self, StateError};
use crate::plan::{Plan, Recognizer};
use crate::report::OrphanReport;
use crate::source::{PageLimits, Source, SourceError};
use crate::target::{Lookup, Scan, TargetError};

use confirm::Confirm;
use explain::{Explained, explain};
use look::Names;
use meter::Meter;
use sightings::{Candidates, NoteError, RowKey, Sightings};
use tally::Tally;

pub use export::{Export, ExportError};
pub use sweep::Sweep;

/// Bytes of hashes in memory, over all workers.
const ROOM: usize = 24 << 20;

/// Where the table's items are read.
#[derive(Debug)]
pub enum Inventory {
    /// The table itself: costs read units.
    Table(Sweep),
    /// An export of it, on this machine's disk.
    Export(Export),
}

pub struct OrphanOptions {
    pub inventory: Inventory,
    /// The attribute that holds an entity's type.
    pub entity_type: Option<String>,
    pub readers: usize,
    pub page_limits: PageLimits,
    /// Lookups in flight at most.
    pub concurrency: usize,
    /// Read units a second.
    pub pace: load::Pace,
    /// Read units after which it ends unfinished.
    pub most: u32,
    /// Examples to report of each entity.
    pub examples: usize,
    /// Deletes orphans.
    pub mend: Option<Arc<dyn Mend>>,
}

impl fmt::Debug for OrphanOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrphanOptions")
            .field("inventory", &self.inventory)
            .field("most", &self.most)
            .field("deletes", &self.mend.is_some())
            .finish_non_exhaustive()
    }
}

/// What happens during the search, for progress displays.
#[derive(Debug, Clone, PartialEq)]
pub enum OrphanEvent {
    /// A page of the table, or some lines of an export.
    Scanned {
        items: u64,
        units: f64,
    },
    /// Keys of source rows.
    Keys {
        rows: u64,
    },
    /// Items without a row that were looked at.
    Examined {
        items: u64,
    },
    Deleted {
        items: u64,
    },
    /// A request has to be sent again, and why.
    Slowed {
        reason: String,
    },
}

pub type Observe = Arc<dyn Fn(OrphanEvent) + Send + Sync>;

/// Why a search proves nothing.
#[derive(Debug, thiserror::Error)]
pub enum OrphanError {
    #[error(transparent)]
    Source(SourceError),
    #[error(transparent)]
    Keys(KeyPassError),
    #[error(transparent)]
    Target(TargetError),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error("look for orphans: an item of the table: {0}")]
    Malformed(#[from] Malformed),
    #[error("look for orphans: sort the keys: {0}")]
    Disk(#[from] io::Error),
    #[error("look for orphans: stopped after {most} read units, before the end")]
    TooExpensive { most: u32 },
    #[error("look for orphans: none of {items} items has a row of this source; none is deleted")]
    NothingExplained { items: u64 },
    #[error(transparent)]
    State(StateError),
    #[error("look for orphans: the source opened no reader")]
    NoReader,
    #[error("look for orphans: a worker ended early")]
    Task(#[from] JoinError),
}

/// Looks for them. `None` once `stop` holds true before the end: nothing is known then, but for what has been deleted
/// by then. Deletions that are under way are finished, after an error too; this future is not to be dropped before its
/// end.
pub async fn find_orphans<T: Scan + Lookup>(
    plan: &Plan,
    source: &mut Source,
    table: Arc<T>,
    options: OrphanOptions,
    observe: Observe,
    stop: watch::Receiver<bool>,
) -> Result<Option<OrphanReport>, OrphanError> {
    let names = Arc::new(Names::new(plan, options.entity_type.as_deref()));
    let meter = Arc::new(Meter::new(&options.pace, options.most));
    let read = read(plan, source, &table, &options, &names, &meter, &observe);
    let Some(read) = unless_stopped(&stop, read).await else { return Ok(None) };
    let Read { found, logs, segments, with_rows } = read?;
    let Explained { items: scanned, sightings, explained, others } = found;
    if sightings > scanned && segments.is_none() {
        return Err(ExportError::Twice { lines: sightings, items: scanned }.into());
    }
    if options.mend.is_some() && explained == 0 && scanned > 0 {
        return Err(OrphanError::NothingExplained { items: scanned });
    }
    let recognizer = Recognizer::new(plan, options.entity_type.as_deref());
    let mut tally = Tally::new(plan, &recognizer, options.examples);
    let confirm = Confirm {
        target: &*table,
        names: &names,
        meter: &meter,
        concurrency: options.concurrency,
        plan,
        with_rows: &with_rows,
        mend: options.mend.as_deref(),
        observe: &observe,
        stop: &stop,
    };
    if !confirm.settle(Candidates::new(others, logs)?, &mut tally).await? {
        return Ok(None);
    }
    let log = options.mend.as_ref().map(|mend| mend.log());
    Ok(Some(OrphanReport { scanned, explained, segments, rcu: meter.spent(), ..tally.report(log) }))
}

/// `None` once it is to stop; the work is dropped where it stands then.
async fn unless_stopped<T>(stop: &watch::Receiver<bool>, work: impl Future<Output = T>) -> Option<T> {
    let mut stop = stop.clone();
    tokio::select! {
        biased;
        () = stopped(&mut stop) => None,
        done = work => Some(done),
    }
}

/// The table beside the rows.
struct Read {
    found: Explained,
    /// Keys of the items, by worker.
    logs: Vec<(u16, File)>,
    segments: Option<u32>,
    /// Entities of which the source has rows.
    with_rows: BTreeSet<usize>,
}

async fn read<T: Scan + Lookup>(
    plan: &Plan,
    source: &mut Source,
    table: &Arc<T>,
    options: &OrphanOptions,
    names: &Arc<Names>,
    meter: &Arc<Meter>,
    observe: &Observe,
) -> Result<Read, OrphanError> {
    let (seen, segments) = match &options.inventory {
        Inventory::Table(how) => {
            let table = Arc::clone(table);
            let seen = sweep::sweep(table, names, *how, Pace::default(), meter, observe).await?;
            (seen, Some(how.segments))
        }
        Inventory::Export(export) => (export.read(names, observe).await?, None),
    };
    let rows = row_keys(plan, source, options, names, observe).await?;
    let with_rows = rows.iter().flat_map(|rows| &rows.entities).copied().collect();
    let keys = rows.into_iter().map(|rows| rows.sorter).collect();
    let (found, logs) = compare(seen, keys).await?;
    Ok(Read { found, logs, segments, with_rows })
}

/// Hashes of the keys of all rows, in a snapshot of now.
async fn row_keys(
    plan: &Plan,
    source: &mut Source,
    options: &OrphanOptions,
    names: &Arc<Names>,
    observe: &Observe,
) -> Result<Vec<RowKeys>, OrphanError> {
    let selects: Vec<_> = plan.entities.iter().map(|entity| entity.select.as_ref().clone()).collect();
    let readers = source.open(options.readers, &selects).await.map_err(OrphanError::Source)?.readers;
    if readers.is_empty() {
        return Err(OrphanError::NoReader);
    }
    let room = ROOM / readers.len();
    let taker = || RowKeys {
        names: Arc::clone(names),
        sorter: Sorter::new(room),
        entities: BTreeSet::new(),
        observe: Arc::clone(observe),
    };
    Ok(every_key(plan, readers, options.page_limits, taker).await?)
}

struct RowKeys {
    names: Arc<Names>,
    sorter: Sorter<RowKey>,
    /// Of which there are rows.
    entities: BTreeSet<usize>,
    observe: Observe,
}

impl EveryKey for RowKeys {
    fn take(&mut self, entity: usize, rows: u64, keys: &ItemPage) -> Result<(), KeyPassError> {
        if rows > 0 {
            self.entities.insert(entity);
        }
        for item in &keys.items {
            // What our own code has written reads back.
            let hash = self.names.look(keys.wire(item)).and_then(|look| look.hash());
            self.sorter.push(RowKey(hash.map_err(io::Error::other)?))?;
        }
        (self.observe)(OrphanEvent::Keys { rows });
        Ok(())
    }
}

/// On a thread of its own: it may read gigabytes of temporary files.
async fn compare(
    seen: Vec<Sightings>,
    rows: Vec<Sorter<RowKey>>,
) -> Result<(Explained, Vec<(u16, File)>), OrphanError> {
    let compare = move || {
        let seen = seen.into_iter().map(Sightings::finish).collect::<io::Result<Vec<_>>>()?;
        let (sorters, logs): (Vec<_>, Vec<_>) = seen.into_iter().unzip();
        Ok::<_, io::Error>((explain(sorters, rows)?, logs))
    };
    Ok(tokio::task::spawn_blocking(compare).await??)
}

impl Names {
    fn new(plan: &Plan, entity_type: Option<&str>) -> Self {
        Self {
            partition_key: plan.table.partition_key.name.clone(),
            sort_key: plan.table.sort_key.as_ref().map(|key| key.name.clone()),
            entity_type: entity_type.map(str::to_owned),
        }
    }
}

fn count(items: usize) -> u64 {
    u64::try_from(items).unwrap_or(u64::MAX)
}

impl OrphanError {
    pub fn hint(&self) -> Option<&str> {
        match self {
            OrphanError::Source(error) => error.hint.as_deref(),
            OrphanError::Target(error) => error.hint.as_deref(),
            _ => None,
        }
    }
}

impl From<KeyPassError> for OrphanError {
    fn from(error: KeyPassError) -> Self {
        match error {
            KeyPassError::Source(error) => OrphanError::Source(error),
            error => OrphanError::Keys(error),
        }
    }
}

impl From<MendError> for OrphanError {
    fn from(error: MendError) -> Self {
        match error {
            MendError::Target(error) => OrphanError::Target(error),
            MendError::Malformed(malformed) => OrphanError::Malformed(malformed),
            MendError::Log(error) => OrphanError::State(error),
        }
    }
}

impl From<NoteError> for OrphanError {
    fn from(error: NoteError) -> Self {
        match error {
            NoteError::Malformed(malformed) => OrphanError::Malformed(malformed),
            NoteError::Disk(error) => OrphanError::Disk(error),
        }
    }
}

impl From<LookupError> for OrphanError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Target(error) => OrphanError::Target(error),
            LookupError::Malformed(malformed) => OrphanError::Malformed(malformed),
        }
    }
}
