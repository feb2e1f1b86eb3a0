//! Of the items without a row those of the entities are read again before they count.

use futures::future::try_join_all;

use super::super::lookup::{KEYS_PER_REQUEST, Pace, fetch};
use super::look::{Names, rendered};
use super::sightings::{Candidate, Candidates};
use super::tally::Tally;
use super::{Observe, OrphanError, OrphanEvent, count};
use crate::target::{Lookup, TargetError};

/// An item of an entity without a row, as it stood when it was read again.
#[derive(Debug)]
pub(super) struct Orphan {
    pub(super) entity: usize,
    /// As [`crate::item::Item::key`].
    pub(super) key: Vec<u8>,
}

/// What became of an item that was taken for an entity's.
enum Settled {
    Orphan(Orphan),
    /// It is another one now, of nobody's that is known.
    Other(Candidate),
    Gone,
}

/// Candidates looked at between two signs of life.
const STRIDE: usize = 10_000;

/// Every candidate ends as an orphan, as an item of others, or as gone.
pub(super) async fn settle<'a, L: Lookup>(
    mut candidates: Candidates,
    mut tally: Tally<'a>,
    names: &Names,
    target: &L,
    concurrency: usize,
    observe: &Observe,
) -> Result<Tally<'a>, OrphanError> {
    loop {
        let mut suspects = Vec::new();
        let mut looked_at = 0;
        for candidate in candidates.by_ref().take(STRIDE.min(concurrency.max(1) * KEYS_PER_REQUEST)) {
            let candidate = candidate?;
            looked_at += 1;
            match tally.whose(&candidate)? {
                Some(_) => suspects.push(candidate),
                None => tally.add_other(&candidate, names),
            }
        }
        if looked_at == 0 {
            return Ok(tally);
        }
        let slowed = |error: &TargetError| observe(OrphanEvent::Slowed { reason: error.cause.clone() });
        let requests =
            suspects.chunks(KEYS_PER_REQUEST).map(|some| confirm(some, &tally, names, target, &slowed));
        for settled in try_join_all(requests).await?.into_iter().flatten() {
            match settled {
                Settled::Orphan(orphan) => tally.add(orphan),
                Settled::Other(candidate) => tally.add_other(&candidate, names),
                Settled::Gone => tally.add_gone(),
            }
        }
        observe(OrphanEvent::Examined { items: count(looked_at) });
        tokio::task::yield_now().await;
    }
}

async fn confirm<L: Lookup>(
    suspects: &[Candidate],
    tally: &Tally<'_>,
    names: &Names,
    target: &L,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
) -> Result<Vec<Settled>, OrphanError> {
    let keys: Vec<Vec<u8>> = suspects.iter().map(|suspect| suspect.members(names)).collect();
    let asked: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let found = fetch(target, &asked, Pace::default(), slowed).await?;
    let mut settled = Vec::new();
    for ((suspect, key), stored) in suspects.iter().zip(keys).zip(found) {
        let Some(stored) = stored else {
            settled.push(Settled::Gone);
            continue;
        };
        let now = Candidate { kind: names.look(&stored.wire)?.kind(), ..suspect.clone() };
        settled.push(match tally.whose(&now)? {
            Some(entity) => Settled::Orphan(Orphan { entity, key }),
            None => Settled::Other(now),
        });
    }
    Ok(settled)
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
