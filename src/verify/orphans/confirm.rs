//! Of the items without a row those of the entities are read again before they count, and are deleted where
//! that is asked for.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::join_all;
use tokio::sync::watch;

use super::super::batch::units_of;
use super::super::lookup::{Pace, fetch};
use super::super::repair::{Became, Mend, OrphanedItem};
use super::look::{Names, rendered};
use super::meter::Meter;
use super::sightings::{Candidate, Candidates};
use super::tally::Tally;
use super::{Observe, OrphanError, OrphanEvent, count, unless_stopped};
use crate::plan::Plan;
use crate::target::{Lookup, TargetError};

/// An item of an entity without a row, as it stood when it was read again.
#[derive(Debug)]
pub(super) struct Orphan {
    pub(super) entity: usize,
    /// As [`crate::item::Item::key`].
    pub(super) key: Vec<u8>,
    found: Arc<Vec<u8>>,
    /// Where it was to be deleted.
    pub(super) became: Option<Became>,
}

/// How items are read again.
pub(super) struct Confirm<'a, L> {
    pub(super) target: &'a L,
    pub(super) names: &'a Names,
    pub(super) meter: &'a Meter,
    /// Requests in flight at most.
    pub(super) concurrency: usize,
    pub(super) plan: &'a Plan,
    /// Entities of which the source has rows: nothing of others is deleted.
    pub(super) with_rows: &'a BTreeSet<usize>,
    /// Deletes orphans.
    pub(super) mend: Option<&'a dyn Mend>,
    pub(super) observe: &'a Observe,
    pub(super) stop: &'a watch::Receiver<bool>,
}

/// What became of an item that was taken for an entity's.
enum Settled {
    Orphan(Orphan),
    /// It is another one now, of nobody's that is known.
    Other(Candidate),
    Gone,
}

const NO_ROWS: &str = "no row of its entity is in the source, as if its table were not restored; delete such items by \
                       hand if that is right";

/// Items of one request: few, since each may have 400 KB.
const ITEMS_A_REQUEST: usize = 25;

/// Requests in flight at most, for the same reason.
const REQUESTS: usize = 8;

/// Candidates looked at between two signs of life.
const STRIDE: usize = 10_000;

impl<L: Lookup> Confirm<'_, L> {
    /// Every candidate ends as an orphan, as an item of others, or as gone. False once it was stopped before that.
    pub(super) async fn settle(
        &self,
        mut candidates: Candidates,
        tally: &mut Tally<'_>,
    ) -> Result<bool, OrphanError> {
        loop {
            let (suspects, looked_at) = self.next(&mut candidates, tally)?;
            if looked_at == 0 {
                return Ok(true);
            }
            let requests = suspects.chunks(ITEMS_A_REQUEST).map(|some| self.confirm(some, tally));
            // All of them end by themselves, since each may be deleting.
            let ended = join_all(requests).await.into_iter().collect::<Result<Option<Vec<_>>, _>>()?;
            let Some(settled) = ended else { return Ok(false) };
            for settled in settled.into_iter().flatten() {
                match settled {
                    Settled::Orphan(orphan) if orphan.became == Some(Became::Right) => tally.add_gone(),
                    Settled::Orphan(orphan) => tally.add(orphan),
                    Settled::Other(candidate) => tally.add_other(&candidate, self.names),
                    Settled::Gone => tally.add_gone(),
                }
            }
            (self.observe)(OrphanEvent::Examined { items: count(looked_at) });
            tokio::task::yield_now().await;
        }
    }

    /// Entities' items among the next candidates, and how many were looked at; others are counted.
    fn next(
        &self,
        candidates: &mut Candidates,
        tally: &mut Tally<'_>,
    ) -> Result<(Vec<Candidate>, usize), OrphanError> {
        let most = self.concurrency.clamp(1, REQUESTS) * ITEMS_A_REQUEST;
        let (mut suspects, mut looked_at) = (Vec::new(), 0);
        while suspects.len() < most && looked_at < STRIDE {
            let Some(candidate) = candidates.next().transpose()? else { break };
            looked_at += 1;
            match tally.whose(&candidate)? {
                Some(_) => suspects.push(candidate),
                None => tally.add_other(&candidate, self.names),
            }
        }
        Ok((suspects, looked_at))
    }

    /// `None` where it was stopped before anything was deleted.
    async fn confirm(
        &self,
        suspects: &[Candidate],
        tally: &Tally<'_>,
    ) -> Result<Option<Vec<Settled>>, OrphanError> {
        let looked = unless_stopped(self.stop, self.look(suspects, tally)).await;
        let Some(mut settled) = looked.transpose()? else { return Ok(None) };
        if let Some(mend) = self.mend {
            // Never dropped: deletions that are under way are made, and known to be.
            self.delete(mend, &mut settled).await?;
        }
        Ok(Some(settled))
    }

    async fn look(&self, suspects: &[Candidate], tally: &Tally<'_>) -> Result<Vec<Settled>, OrphanError> {
        let keys: Vec<Vec<u8>> = suspects.iter().map(|suspect| suspect.members(self.names)).collect();
        let asked: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let slowed = |error: &TargetError| {
            self.meter.slowed(error);
            self.tell(error);
        };
        let found = fetch(self.target, &asked, Pace::default(), &slowed).await?;
        let units = u32::try_from(units_of(&found)).unwrap_or(u32::MAX);
        self.meter.pay(f64::from(units)).await?;
        let mut settled = Vec::new();
        for ((suspect, key), stored) in suspects.iter().zip(keys).zip(found) {
            let Some(stored) = stored else {
                settled.push(Settled::Gone);
                continue;
            };
            let now = Candidate { kind: self.names.look(&stored)?.kind(), ..suspect.clone() };
            settled.push(match tally.whose(&now)? {
                Some(entity) => Settled::Orphan(Orphan { entity, key, found: stored, became: None }),
                None => Settled::Other(now),
            });
        }
        Ok(settled)
    }

    async fn delete(&self, mend: &dyn Mend, settled: &mut [Settled]) -> Result<(), OrphanError> {
        for (position, entity) in self.plan.entities.iter().enumerate() {
            let mut orphans: Vec<&mut Orphan> = settled
                .iter_mut()
                .filter_map(|settled| match settled {
                    Settled::Orphan(orphan) if orphan.entity == position => Some(orphan),
                    _ => None,
                })
                .collect();
            if orphans.is_empty() {
                continue;
            }
            if !self.with_rows.contains(&position) {
                orphans.iter_mut().for_each(|orphan| orphan.became = Some(Became::Left(NO_ROWS.to_owned())));
                continue;
            }
            let items: Vec<OrphanedItem<'_>> = orphans
                .iter()
                .map(|orphan| OrphanedItem { key: &orphan.key, found: &orphan.found })
                .collect();
            let became = mend.delete(&entity.name, &items, &|error| self.tell(error)).await?;
            let deleted = became.iter().filter(|became| matches!(became, Became::Deleted { .. })).count();
            (self.observe)(OrphanEvent::Deleted { items: count(deleted) });
            orphans.iter_mut().zip(became).for_each(|(orphan, became)| orphan.became = Some(became));
        }
        Ok(())
    }

    fn tell(&self, error: &TargetError) {
        (self.observe)(OrphanEvent::Slowed { reason: error.cause.clone() });
    }
}

impl Candidate {
    pub(super) fn members(&self, names: &Names) -> Vec<u8> {
        names.members(&self.partition_key, self.sort_key.as_deref())
    }

    /// The texts of its partition and its sort key, as templates render them.
    pub(super) fn texts(&self) -> Result<(Vec<u8>, Option<Vec<u8>>), OrphanError> {
        let sort_key = self.sort_key.as_deref().map(rendered).transpose()?;
        Ok((rendered(&self.partition_key)?, sort_key))
    }
}
