//! Pages of rows → batches → pacer → target → watermark → checkpoint, and the way back on resume.
//!
//! A checkpoint never covers an item that the target has not acknowledged, nor a reject that is not on
//! disk. A load may be stopped anywhere, by a signal or by `kill -9`; the next run goes on from the
//! checkpoint and writes again at most two pages a reader plus what was in flight.

mod batch;
mod checkpoint;
mod count;
mod delivery;
mod desk;
mod journal;
mod outcome;
mod pacer;
mod reading;
mod rejects;
mod retry;
mod search;
mod second_look;
mod session;
mod spares;
mod state;
mod survey;
mod tally;
mod watermark;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::watch;

use self::count::Keys;
use self::delivery::Courier;
use self::search::Search;
use self::session::{Checks, Ending, session};
use crate::item::{ItemPage, Noticed};
use crate::keys::{Collisions, KeyPassError};
use crate::mapping::SourceSettings;
use crate::plan::{EntityPlan, Plan};
use crate::source::{Consistency, PageLimits, Reader, Select, Source, SourceError};
use crate::target::{Target, TargetError};
use crate::witness::{Contradiction, Schedule};

pub use checkpoint::{Checkpoint, CheckpointError, EntityCheckpoint, RangeCheckpoint, TableIdentity};
pub use journal::Journal;
pub use outcome::report;
pub use pacer::{AutoPace, Pace, PaceRange, Pacer, Units};
pub use rejects::{Reject, read as read_rejects, redacted};
pub(crate) use state::append;
pub use state::{
    CHECKPOINT as CHECKPOINT_FILE, LOSERS as LOSERS_FILE, REJECTS as REJECTS_FILE, StateError, StateFolder,
};
pub(crate) use state::{remove, replace};
pub use survey::Surveys;
pub use tally::Tally;

/// What is to be loaded, and how.
#[derive(Debug)]
pub struct Load<T> {
    pub plan: Arc<Plan>,
    pub source: SourceSettings,
    pub target: Arc<T>,
    pub options: LoadOptions,
    pub observe: Observer,
}

#[derive(Debug, Clone)]
pub struct LoadOptions {
    /// Positions in the plan of the entities to load.
    pub entities: Vec<usize>,
    pub readers: usize,
    pub page: PageLimits,
    pub pace: Pace,
    /// Batches in flight at most.
    pub concurrency: usize,
    /// Rows of each entity at most; such a load never marks an entity done.
    pub limit: Option<u64>,
    /// Items of each entity to show in the report.
    pub samples: usize,
    /// What is counted in the values (dry run).
    pub surveys: Surveys,
    /// Rejected rows of this run after which it stops; `None` never stops (dry run).
    pub max_rejects: Option<u64>,
    /// How long to retry without a single item written.
    pub patience: Duration,
    /// After which a source that gives nothing, while nothing else is to be done, is told of.
    pub silence: Duration,
}

/// What happens during a load, for progress displays. The library prints nothing itself.
#[derive(Debug, Clone)]
pub enum Event {
    /// A snapshot is open; `number` counts those of the whole load.
    SnapshotOpened {
        number: u32,
    },
    /// A page of rows was read and built.
    Read {
        entity: usize,
        rows: u64,
        rejected: u64,
    },
    /// Keys were read by the pass that counts them.
    Counting {
        entity: usize,
        rows: u64,
    },
    /// The pass is over: so many keys are shared by several rows.
    Counted {
        rows: u64,
        shared: u64,
    },
    /// Items were acknowledged.
    Written {
        entity: usize,
        items: u64,
    },
    /// What a batch that was acknowledged, or refused in part, took of the table and its indexes.
    Consumed {
        write_units: u64,
    },
    /// The target slows the load down, and where: `GSI1 key range`.
    Throttled {
        reason: String,
    },
    /// The target does not answer as it should; tried again.
    TargetTrouble {
        cause: String,
    },
    /// The source is gone; trying to reach it again.
    SourceLost {
        cause: String,
    },
    /// Nothing is to be done before the source answers: a long query, or a connection that is dead
    /// without anybody having closed it.
    SourceSilent {
        since: Duration,
    },
    EntityDone {
        entity: usize,
    },
}

/// Who is told of [`Event`]s.
#[derive(Clone)]
pub struct Observer(Arc<dyn Fn(Event) + Send + Sync>);

impl Observer {
    pub fn new(observe: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self(Arc::new(observe))
    }

    pub fn silent() -> Self {
        Self::new(|_| {})
    }

    fn emit(&self, event: Event) {
        (self.0)(event);
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// Why a load ended early. What was acknowledged is in the checkpoint.
#[derive(Debug, Error)]
pub enum LoadError {
    #[error("{0}")]
    Source(SourceError),
    #[error("{0}")]
    Target(TargetError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error("more than {limit} rows were rejected")]
    TooManyRejects { limit: u64 },
    #[error("the service refused every item of `{entity}` so far: {cause}")]
    AllRefused { entity: String, cause: String },
    #[error(
        "{rows} rows have the item key of another row, more than max_rejects ({limit}); nothing was written"
    )]
    TooManyCollisions { rows: u64, limit: u64 },
    #[error("{0}")]
    Keys(KeyPassError),
    #[error("{0}")]
    Contradiction(Box<Contradiction>),
    #[error("a bug in migrate: {0}")]
    Bug(String),
}

/// How a load ended and what it leaves.
#[derive(Debug)]
pub struct Loaded {
    pub end: End,
    pub progress: Checkpoint,
    pub samples: Samples,
    /// What this run found when it counted keys.
    pub collisions: Option<Collisions>,
    /// Rows that this run compared with the source's own text of them.
    pub compared: Arc<Schedule>,
    /// By the entity's position in the plan; empty without surveys.
    pub noticed: Vec<Vec<Noticed>>,
}

#[derive(Debug)]
pub enum End {
    Complete,
    Interrupted,
    Failed(LoadError),
}

/// The first items read of each entity, as DynamoDB JSON.
#[derive(Debug, Default)]
pub struct Samples {
    wanted: usize,
    items: BTreeMap<usize, Vec<Vec<u8>>>,
}

impl Samples {
    pub fn of(&self, entity: usize) -> &[Vec<u8>] {
        self.items.get(&entity).map(Vec::as_slice).unwrap_or_default()
    }

    fn collect(&mut self, entity: usize, page: &ItemPage) {
        let samples = self.items.entry(entity).or_default();
        let missing = self.wanted.saturating_sub(samples.len());
        samples.extend(page.items.iter().take(missing).map(|item| page.wire(item).to_vec()));
    }
}

/// Pieces that an entity's key space is cut into, a reader.
const RANGES_A_READER: usize = 8;

/// Loads until everything is written, `stop` turns true, or something is in the way. When the source
/// goes away, what is in flight is finished and the load goes on with a new snapshot once it is back.
pub async fn run<T: Target>(
    load: &Load<T>,
    mut source: Source,
    mut journal: Journal,
    mut stop: watch::Receiver<bool>,
) -> Loaded {
    let pacer = Arc::new(Pacer::new(&load.options.pace));
    let courier = Courier {
        target: Arc::clone(&load.target),
        pacer,
        observe: load.observe.clone(),
        patience: load.options.patience,
    };
    let mut samples = Samples { wanted: load.options.samples, ..Samples::default() };
    let schedule = Arc::new(Schedule::default());
    let mut search = Search::default();
    let mut keys = Keys::default();
    let end = loop {
        let before = journal.rows();
        let opened = tokio::select! {
            opened = open_readers(load, &mut source, &mut journal, &mut keys) => opened,
            () = stopped(&mut stop) => Err(Ending::Interrupted),
        };
        let ending = match opened {
            Ok(readers) => {
                let checks = Checks { schedule: Arc::clone(&schedule), losers: keys.losers.clone() };
                session(load, &courier, readers, &mut journal, &mut samples, checks, &mut stop).await
            }
            Err(ending) => ending,
        };
        if journal.rows() > before {
            search.begin_anew();
        }
        match ending {
            Ending::Complete => break End::Complete,
            Ending::Interrupted => break End::Interrupted,
            Ending::Failed(error) => break End::Failed(error),
            Ending::Source(error) if search.is_worth_it(&error) => {
                match search.reconnect(load, error, &mut stop).await {
                    Ok(again) => source = again,
                    Err(end) => break end,
                }
            }
            Ending::Source(error) => break End::Failed(LoadError::Source(error)),
        }
    };
    let noticed = load.options.surveys.noticed(&load.plan, journal.seen());
    Loaded {
        end,
        progress: journal.into_progress(),
        samples,
        collisions: keys.collisions,
        compared: schedule,
        noticed,
    }
}

/// Opens a snapshot, cuts the key space of entities that have not been begun, and counts the keys that no
/// proof tells apart.
async fn open_readers<T>(
    load: &Load<T>,
    source: &mut Source,
    journal: &mut Journal,
    keys: &mut Keys,
) -> Result<Vec<Reader>, Ending> {
    let selects: Vec<Select> = load.chosen().map(|(_, entity)| entity.select.as_ref().clone()).collect();
    let mut snapshot = source.open(load.options.readers, &selects).await.map_err(Ending::Source)?;
    journal.begin_snapshot(snapshot.consistency == Consistency::Proven);
    load.observe.emit(Event::SnapshotOpened { number: journal.progress().snapshots });
    let pieces = u64::try_from(snapshot.readers.len() * RANGES_A_READER).unwrap_or(1);
    for (_, entity) in load.chosen() {
        let begun =
            journal.progress().entity(&entity.name).is_some_and(|recorded| !recorded.ranges.is_empty());
        if let (false, Some(reader)) = (begun, snapshot.readers.first_mut()) {
            let ranges = reader.cut(&entity.select, pieces, entity.row_estimate).await;
            journal.cut(entity, ranges.map_err(Ending::Source)?);
        }
    }
    keys.count(load, snapshot.readers, journal).await
}

impl<T> Load<T> {
    /// The entities to load, with their positions in the plan.
    fn chosen(&self) -> impl Iterator<Item = (usize, &EntityPlan)> {
        self.options.entities.iter().filter_map(|at| Some((*at, self.plan.entities.get(*at)?)))
    }
}

/// Waits for the signal to stop; for ever when nobody can give it any more.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
