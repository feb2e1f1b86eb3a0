//! Mends what a verification found: a missing item is put, a different one replaced, one without a row
//! deleted, each only as long as the table holds what the verifier has read there. An attribute that came since
//! stays: replacing does not touch it, and an item that was deleted with one is put back at once.
//!
//! ```text
//! what is wrong → intents on disk → paced, conditional writes → look again where it moved → outcomes on disk
//! ```

mod log;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::future::{BoxFuture, join_all};
use tokio::sync::Semaphore;

use super::equality::{Malformed, same};
use super::lookup::{self, LookupError, Patience, fetch, worth_retrying};
use crate::load::{Pacer, StateError, Units};
use crate::target::{Amend, Amended, Amendment, Lookup, TargetError, TargetErrorKind};

pub use log::{REPAIRS, RepairLog};

/// A row whose item was missing or different each time that it was looked at.
#[derive(Debug, Clone, Copy)]
pub struct WrongRow<'a> {
    pub source_key: &'a [(String, String)],
    /// As [`crate::item::Item::key`] has it.
    pub key: &'a [u8],
    pub expected: &'a [u8],
    /// As the verifier read it last; `None` where there was none.
    pub found: Option<&'a [u8]>,
}

/// An item without a row.
#[derive(Debug, Clone, Copy)]
pub struct OrphanedItem<'a> {
    /// As [`crate::item::Item::key`] has it.
    pub key: &'a [u8],
    /// As it was read last.
    pub found: &'a [u8],
}

/// What became of what was wrong. Items are those that the change took away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Became {
    Put,
    Replaced {
        before: Option<Vec<u8>>,
    },
    Deleted {
        before: Option<Vec<u8>>,
    },
    /// Somebody else has made it right since.
    Right,
    /// Somebody else has changed it since, and it is still wrong: left as it is, or put back.
    Moved,
    /// Nothing was changed, and why.
    Left(String),
}

/// Why repairing ended early.
#[derive(Debug, thiserror::Error)]
pub enum MendError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error("the target's answer: {0}")]
    Malformed(#[from] Malformed),
    #[error(transparent)]
    Log(#[from] StateError),
}

/// Whoever mends what is wrong, whatever it is written to.
pub trait Mend: Send + Sync {
    /// Mends rows of one entity and says of each, in order, what became of it. `slowed` hears of each
    /// request that has to be sent again.
    fn mend<'a>(
        &'a self,
        entity: &'a str,
        rows: &'a [WrongRow<'a>],
        slowed: &'a (dyn Fn(&TargetError) + Send + Sync),
    ) -> BoxFuture<'a, Result<Vec<Became>, MendError>>;

    /// Deletes items of one entity that have no row, in the same way.
    fn delete<'a>(
        &'a self,
        entity: &'a str,
        items: &'a [OrphanedItem<'a>],
        slowed: &'a (dyn Fn(&TargetError) + Send + Sync),
    ) -> BoxFuture<'a, Result<Vec<Became>, MendError>>;

    /// Where all changes are written down; `None` where none is made.
    fn log(&self) -> Option<&Path>;

    /// Items deleted so far, those of calls that failed included.
    fn deleted(&self) -> u64;
}

/// Changes of one call in flight at a time, as far as there are turns for them.
const SIDE_BY_SIDE: usize = 8;

/// Mends through conditional writes, a few of them side by side. A call that is under way is to be waited for: one
/// that is dropped leaves changes of which nobody knows whether they were made.
#[derive(Debug)]
pub struct Repair<A, L> {
    amend: Arc<A>,
    lookup: Arc<L>,
    log: RepairLog,
    pacer: Pacer,
    /// How many indexes the table has.
    indexes: usize,
    /// Writes in flight at most, those of all calls together.
    turns: Semaphore,
    deleted: AtomicU64,
    pace: lookup::Pace,
}

impl<A: Amend, L: Lookup> Repair<A, L> {
    /// `concurrency` is how many writes may be in flight, whoever calls.
    pub fn new(
        amend: Arc<A>,
        lookup: Arc<L>,
        log: RepairLog,
        pacer: Pacer,
        indexes: usize,
        concurrency: usize,
    ) -> Self {
        let turns = Semaphore::new(concurrency.max(1));
        let (deleted, pace) = (AtomicU64::default(), lookup::Pace::default());
        Self { amend, lookup, log, pacer, indexes, turns, deleted, pace }
    }

    async fn all(
        &self,
        entity: &str,
        changes: Vec<Change<'_>>,
        slowed: &(dyn Fn(&TargetError) + Send + Sync),
    ) -> Result<Vec<Became>, MendError> {
        self.log.intend(entity, &changes).await?;
        let mut became = Vec::with_capacity(changes.len());
        for some in changes.chunks(SIDE_BY_SIDE) {
            let ended = join_all(some.iter().map(|change| self.one(entity, change, slowed))).await;
            let deleted = ended.iter().filter(|one| matches!(one, Ok(Became::Deleted { .. }))).count();
            self.deleted.fetch_add(u64::try_from(deleted).unwrap_or(u64::MAX), Ordering::Relaxed);
            let done = some.iter().zip(&ended).filter_map(|(change, one)| Some((change, one.as_ref().ok()?)));
            self.log.settle(entity, done).await?;
            for one in ended {
                became.push(one?);
            }
        }
        Ok(became)
    }

    async fn one(
        &self,
        entity: &str,
        change: &Change<'_>,
        slowed: &(dyn Fn(&TargetError) + Send + Sync),
    ) -> Result<Became, MendError> {
        match self.make(change, slowed).await? {
            Made::Done { before } => match (unread(&change.amendment, before.as_deref())?, &change.amendment)
            {
                (None, _) => Ok(change.made(before)),
                (Some(item), Amendment::Delete { .. }) => self.put_back(entity, change, item, slowed).await,
                (Some(_), _) => {
                    // What came since stays in the item, which is another one than the row makes.
                    self.log.settle(entity, [(change, &change.made(before))].into_iter()).await?;
                    Ok(Became::Moved)
                }
            },
            Made::Moved { in_doubt } => self.look_again(change, in_doubt, slowed).await,
            Made::Not(why) => Ok(Became::Left(why)),
        }
    }

    /// Asks for a change until somebody has answered whether it was made.
    async fn make(
        &self,
        change: &Change<'_>,
        slowed: &(dyn Fn(&TargetError) + Send + Sync),
    ) -> Result<Made, TargetError> {
        let units = change.units(self.indexes);
        let mut patience = Patience::new(self.pace);
        // An attempt that nobody answered may have been made all the same.
        let mut in_doubt = false;
        loop {
            let trouble = match self.attempt(change, &units).await {
                Ok(Amended::Done { before }) => return Ok(Made::Done { before }),
                Ok(Amended::TooWide) => return Ok(Made::Not(TOO_WIDE.to_owned())),
                Ok(Amended::Moved) => return Ok(Made::Moved { in_doubt }),
                Err(error) if is_refusal(&error.kind) => return Ok(Made::Not(error.cause)),
                Err(error) if worth_retrying(&error.kind) => error,
                Err(error) => return Err(error),
            };
            match &trouble.kind {
                TargetErrorKind::Throttled(reasons) => self.pacer.throttled(reasons),
                _ => in_doubt = true,
            }
            slowed(&trouble);
            patience.wait(trouble).await?;
        }
    }

    async fn attempt(&self, change: &Change<'_>, units: &Units) -> Result<Amended, TargetError> {
        // Never closed, so that there is a turn for everybody.
        let _turn = self.turns.acquire().await.ok();
        self.pacer.take(units).await;
        self.amend.amend(&change.amendment).await
    }

    /// An attribute came between the look and the deletion: no condition can forbid that. The whole item, which is in
    /// the log before anything else, is put again where there is none by now.
    async fn put_back(
        &self,
        entity: &str,
        deletion: &Change<'_>,
        item: &[u8],
        slowed: &(dyn Fn(&TargetError) + Send + Sync),
    ) -> Result<Became, MendError> {
        let deleted = deletion.made(Some(item.to_vec()));
        let logged = self.log.settle(entity, [(deletion, &deleted)].into_iter()).await;
        let back = Change { amendment: Amendment::Put { key: deletion.key(), item }, ..*deletion };
        let made = self.make(&back, slowed).await;
        // What could not be written down is put back all the same.
        logged?;
        let made = made.map_err(|error| TargetError {
            context: "put back an item that had changed when it was deleted (it is in repairs.jsonl)"
                .to_owned(),
            ..error
        })?;
        let (put, became) = match made {
            Made::Done { .. } => (Became::Put, Became::Moved),
            // There is a newer one, or it was put by an attempt that nobody answered.
            Made::Moved { .. } => (Became::Moved, Became::Moved),
            Made::Not(why) => (Became::Left(why), deleted),
        };
        self.log.settle(entity, [(&back, &put)].into_iter()).await?;
        Ok(became)
    }

    /// Somebody has changed the item; perhaps it was this repair, whose answer was lost.
    async fn look_again(
        &self,
        change: &Change<'_>,
        in_doubt: bool,
        slowed: &(dyn Fn(&TargetError) + Send + Sync),
    ) -> Result<Became, MendError> {
        let found = fetch(&*self.lookup, &[change.key()], self.pace, slowed).await?;
        let is_right = match (change.expected(), found.into_iter().next().flatten()) {
            (Some(expected), Some(found)) => same(expected, &found)?,
            (expected, found) => expected.is_none() && found.is_none(),
        };
        Ok(match (is_right, in_doubt) {
            (true, true) => change.made(change.found().map(<[u8]>::to_vec)),
            (true, false) => Became::Right,
            (false, _) => Became::Moved,
        })
    }
}

impl<A: Amend, L: Lookup> Mend for Repair<A, L> {
    fn mend<'a>(
        &'a self,
        entity: &'a str,
        rows: &'a [WrongRow<'a>],
        slowed: &'a (dyn Fn(&TargetError) + Send + Sync),
    ) -> BoxFuture<'a, Result<Vec<Became>, MendError>> {
        Box::pin(self.all(entity, rows.iter().map(Change::of_row).collect(), slowed))
    }

    fn delete<'a>(
        &'a self,
        entity: &'a str,
        items: &'a [OrphanedItem<'a>],
        slowed: &'a (dyn Fn(&TargetError) + Send + Sync),
    ) -> BoxFuture<'a, Result<Vec<Became>, MendError>> {
        Box::pin(self.all(entity, items.iter().map(Change::of_orphan).collect(), slowed))
    }

    fn log(&self) -> Option<&Path> {
        self.log.path()
    }

    fn deleted(&self) -> u64 {
        self.deleted.load(Ordering::Relaxed)
    }
}

/// What came of asking for a change.
enum Made {
    /// With the item that it took away.
    Done { before: Option<Vec<u8>> },
    /// Not by the attempt that was answered; perhaps by one that was not.
    Moved { in_doubt: bool },
    /// Nothing was changed, and why.
    Not(String),
}

/// The item that a change has found, where it had attributes that nobody has read: all that were read are as they
/// were.
fn unread<'a>(amendment: &Amendment<'_>, before: Option<&'a [u8]>) -> Result<Option<&'a [u8]>, Malformed> {
    match (amendment, before) {
        (Amendment::Delete { found, .. } | Amendment::Replace { found, .. }, Some(before)) => {
            Ok((!same(found, before)?).then_some(before))
        }
        _ => Ok(None),
    }
}

const TOO_WIDE: &str = "the item has more attributes than a condition can hold (150), so that a change of it could undo \
                        another's";

/// Errors that are about this one item.
fn is_refusal(kind: &TargetErrorKind) -> bool {
    matches!(kind, TargetErrorKind::Refused | TargetErrorKind::Collection)
}

/// What is to be done about one item.
#[derive(Debug, Clone, Copy)]
struct Change<'a> {
    /// Of its row; empty where it has none.
    source_key: &'a [(String, String)],
    amendment: Amendment<'a>,
}

impl<'a> Change<'a> {
    fn of_row(row: &WrongRow<'a>) -> Self {
        let WrongRow { source_key, key, expected: item, found } = *row;
        let amendment = match found {
            None => Amendment::Put { key, item },
            Some(found) => Amendment::Replace { key, found, item },
        };
        Self { source_key, amendment }
    }

    fn of_orphan(orphan: &OrphanedItem<'a>) -> Self {
        let OrphanedItem { key, found } = *orphan;
        Self { source_key: &[], amendment: Amendment::Delete { key, found } }
    }

    fn key(&self) -> &'a [u8] {
        match self.amendment {
            Amendment::Put { key, .. } | Amendment::Replace { key, .. } | Amendment::Delete { key, .. } => {
                key
            }
        }
    }

    fn found(&self) -> Option<&'a [u8]> {
        match self.amendment {
            Amendment::Put { .. } => None,
            Amendment::Replace { found, .. } | Amendment::Delete { found, .. } => Some(found),
        }
    }

    fn expected(&self) -> Option<&'a [u8]> {
        match self.amendment {
            Amendment::Put { item, .. } | Amendment::Replace { item, .. } => Some(item),
            Amendment::Delete { .. } => None,
        }
    }

    /// What is asked for, in the log.
    fn what(&self) -> &'static str {
        match self.amendment {
            Amendment::Put { .. } => "put",
            Amendment::Replace { .. } => "replace",
            Amendment::Delete { .. } => "delete",
        }
    }

    fn made(&self, before: Option<Vec<u8>>) -> Became {
        match self.amendment {
            Amendment::Put { .. } => Became::Put,
            Amendment::Replace { .. } => Became::Replaced { before },
            Amendment::Delete { .. } => Became::Deleted { before },
        }
    }

    /// Write units at most: an item's JSON is longer than what is billed, and not every item is in every index.
    fn units(&self, indexes: usize) -> Units {
        let kilobytes = |json: &[u8]| u64::try_from(json.len().div_ceil(1024)).unwrap_or(u64::MAX);
        let (new, old) = (self.expected().map_or(0, kilobytes), self.found().map_or(0, kilobytes));
        Units { table: new.max(old), indexes: vec![new.saturating_add(old); indexes] }
    }
}

impl Became {
    /// In the log and in the report.
    pub(super) fn outcome(&self) -> &'static str {
        match self {
            Became::Put => "put",
            Became::Replaced { .. } => "replaced",
            Became::Deleted { .. } => "deleted",
            Became::Right => "right",
            Became::Moved => "moved",
            Became::Left(_) => "left",
        }
    }

    pub(super) fn why(&self) -> Option<&str> {
        match self {
            Became::Left(why) => Some(why),
            _ => None,
        }
    }

    fn before(&self) -> Option<&[u8]> {
        match self {
            Became::Replaced { before } | Became::Deleted { before } => before.as_deref(),
            _ => None,
        }
    }
}

impl From<LookupError> for MendError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Target(error) => MendError::Target(error),
            LookupError::Malformed(malformed) => MendError::Malformed(malformed),
        }
    }
}

#[cfg(test)]
mod tests;
