//! Proof that the target holds what the source says.
//!
//! Every row is read again and built again; its item is fetched by key with a strongly consistent
//! read and compared by DynamoDB's own equality. Nothing is written unless it is to be repaired, nothing is
//! scanned, and counts that the service keeps (ItemCount) are never asked for.
//!
//! ```text
//! plan → ranges → pages → items → (sample) → batches of keys → lookup → compare → tally
//! ```

mod batch;
mod compare;
mod equality;
mod lookup;
mod repair;
mod sample;
mod tally;
mod value;
mod walk;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinError;

use crate::load::StateError;
use crate::plan::Plan;
use crate::report::{Outcome, RepairReport, SampleReport, VerifiedEntity, VerifyReport};
use crate::source::{PageLimits, Reader, SourceError};
use crate::target::{Lookup, TargetError};

use compare::CheckError;
use lookup::LookupError;
use tally::Tally;

pub use compare::Excused;
pub use equality::{Malformed, differences};
pub use repair::{Became, Mend, MendError, REPAIRS as REPAIRS_FILE, Repair, RepairLog, WrongRow};
pub use sample::{Sample, SampleError};

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
    /// Rows that the load rejected for a reason that only it can know (`key_collision`, `refused`):
    /// where the target does not match, they count as rejected.
    pub excused: Option<Excused>,
    /// Mends what is missing or different.
    pub mend: Option<Arc<dyn Mend>>,
}

impl VerifyOptions {
    /// Every row, ten differences of each entity, 32 requests in flight, no values.
    pub fn new(page_limits: PageLimits) -> Self {
        Self {
            sample: None,
            seed: 0,
            show_values: false,
            page_limits,
            differences_per_entity: 10,
            concurrency: 32,
            excused: None,
            mend: None,
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
    /// A page of rows was read.
    Read { entity: usize, rows: u64 },
    /// Rows were looked up and compared.
    Checked { entity: usize, rows: u64, wrong: u64 },
    /// A request has to be sent again, and why.
    Slowed { reason: String },
}

/// What was found, in the order of the plan's entities.
#[derive(Debug)]
pub struct Verified {
    pub entities: IndexMap<String, VerifiedEntity>,
    pub elapsed: Duration,
    /// Stopped before every row was checked.
    pub interrupted: bool,
    pub sample: Option<SampleReport>,
    /// Where wrong rows were to be repaired.
    pub repair: Option<RepairReport>,
}

/// Why a verification proves nothing.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Target(TargetError),
    /// The target's answer, or the item built from a row, is no item.
    #[error("verify `{entity}`: {what}")]
    Malformed { entity: String, what: String },
    #[error("verify `{entity}`: {rows} rows made {items} items and {rejections} rejections")]
    Unaccounted { entity: String, rows: usize, items: usize, rejections: usize },
    #[error("verify: the source opened no reader")]
    NoReader,
    #[error(transparent)]
    State(#[from] StateError),
    #[error("verify: a lookup ended early")]
    Task(#[source] JoinError),
}

/// Verifies all entities of a plan over readers of one snapshot.
///
/// `observe` is called from this future alone. Once `stop` holds true, reading and looking up end at
/// once and what was counted so far is returned as interrupted.
pub async fn verify<L: Lookup>(
    plan: &Plan,
    readers: Vec<Reader>,
    target: Arc<L>,
    options: VerifyOptions,
    observe: &(dyn Fn(VerifyEvent) + Send + Sync),
    mut stop: watch::Receiver<bool>,
) -> Result<Verified, VerifyError> {
    let started = Instant::now();
    let names = plan.entities.iter().map(|entity| entity.name.as_str());
    let mut tally = Tally::new(names, options.differences_per_entity);
    let (news, mut inbox) = mpsc::unbounded_channel();
    let mut work = Box::pin(walk::check_all(plan, readers, target, &options, news));
    let interrupted = loop {
        tokio::select! {
            biased;
            () = stopped(&mut stop) => break true,
            Some(news) = inbox.recv() => observe(tally.note(news)),
            done = &mut work => { done?; break false }
        }
    };
    drop(work);
    while let Ok(news) = inbox.try_recv() {
        observe(tally.note(news));
    }
    let sample = options.sample.map(|size| SampleReport { size: size.to_string(), seed: options.seed });
    let repair = options.mend.as_ref().map(|mend| tally.repair().clone().logged(mend.log()));
    Ok(Verified { entities: tally.finish(), elapsed: started.elapsed(), interrupted, sample, repair })
}

/// Never, once nobody can say stop any more.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}

impl Verified {
    pub fn outcome(&self) -> Outcome {
        if self.interrupted {
            return Outcome::Interrupted;
        }
        match self.entities.values().any(VerifiedEntity::is_wrong) {
            true if self.repair.as_ref().is_some_and(RepairReport::is_all) => Outcome::Repaired,
            true => Outcome::Differences,
            false => Outcome::Done,
        }
    }

    /// The document of `migrate verify --json`.
    pub fn report(self, table: &str) -> VerifyReport {
        VerifyReport {
            command: "verify",
            outcome: self.outcome(),
            table: table.to_owned(),
            sample: self.sample,
            entities: self.entities,
            repair: self.repair,
            elapsed_seconds: self.elapsed.as_secs_f64(),
            error: None,
        }
    }
}

impl VerifyError {
    fn of(error: CheckError, entity: String) -> Self {
        match error {
            CheckError::Lookup(LookupError::Target(error)) => VerifyError::Target(error),
            CheckError::Lookup(LookupError::Malformed(malformed)) => {
                VerifyError::Malformed { entity, what: format!("the target's answer: {malformed}") }
            }
            CheckError::Mend(MendError::Target(error)) => VerifyError::Target(error),
            CheckError::Mend(MendError::Log(error)) => VerifyError::State(error),
            CheckError::Mend(error @ MendError::Malformed(_)) => {
                VerifyError::Malformed { entity, what: error.to_string() }
            }
            error @ CheckError::Built { .. } => VerifyError::Malformed { entity, what: error.to_string() },
        }
    }

    pub fn hint(&self) -> Option<&str> {
        match self {
            VerifyError::Source(error) => error.hint.as_deref(),
            VerifyError::Target(error) => error.hint.as_deref(),
            _ => None,
        }
    }
}
