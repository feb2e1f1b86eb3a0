//! Mends what a verification found: a missing item is put, a different one replaced, one without a row
//! deleted, each only as long as the table holds what the verifier has read there.
//!
//! ```text
//! what is wrong → intents on disk → paced, conditional writes → look again where it moved → outcomes on disk
//! ```

mod log;

use std::path::Path;
use std::sync::Arc;

use futures::future::{BoxFuture, join_all};

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
    /// Somebody else has changed it since, and it is still wrong: left as it is.
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
}

/// Changes of one call in flight at a time.
const SIDE_BY_SIDE: usize = 8;

/// Mends through conditional writes, a few of them side by side.
#[derive(Debug)]
pub struct Repair<A, L> {
    amend: Arc<A>,
    lookup: Arc<L>,
    log: RepairLog,
    pacer: Pacer,
    /// How many indexes the table has.
    indexes: usize,
    pace: lookup::Pace,
}

impl<A: Amend, L: Lookup> Repair<A, L> {
    pub fn new(amend: Arc<A>, lookup: Arc<L>, log: RepairLog, pacer: Pacer, indexes: usize) -> Self {
        Self { amend, lookup, log, pacer, indexes, pace: lookup::Pace::default() }
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
            let ended = join_all(some.iter().map(|change| self.one(change, slowed))).await;
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
        change: &Change<'_>,
        slowed: &(dyn Fn(&TargetError) + Send + Sync),
    ) -> Result<Became, MendError> {
        let units = change.units(self.indexes);
        let mut patience = Patience::new(self.pace);
        // An attempt that nobody answered may have been made all the same.
        let mut in_doubt = false;
        loop {
            self.pacer.take(&units).await;
            let trouble = match self.amend.amend(&change.amendment).await {
                Ok(Amended::Done { before }) => return Ok(change.made(before)),
                Ok(Amended::TooWide) => return Ok(Became::Left(TOO_WIDE.to_owned())),
                Ok(Amended::Moved) => return self.look_again(change, in_doubt, slowed).await,
                Err(error) if is_refusal(&error.kind) => return Ok(Became::Left(error.cause)),
                Err(error) if worth_retrying(&error.kind) => error,
                Err(error) => return Err(error.into()),
            };
            match &trouble.kind {
                TargetErrorKind::Throttled(reasons) => self.pacer.throttled(reasons),
                _ => in_doubt = true,
            }
            slowed(&trouble);
            patience.wait(trouble).await?;
        }
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
