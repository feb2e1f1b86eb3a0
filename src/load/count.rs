//! Before the first write: keys that no proof tells apart are counted, in the load's own snapshot.

use std::sync::Arc;

use super::checkpoint::RangeCheckpoint;
use super::journal::Journal;
use super::session::Ending;
use super::{Event, Load, LoadError, RANGES_A_READER};
use crate::keys::{Collisions, Counted, KeyPassError, Losers, Part, Piece, Ranges, count};
use crate::plan::{EntityPlan, Keep};
use crate::source::{Bounds, Position, Reader};

/// What is known of keys that are shared.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// Rows that are not written.
    pub losers: Option<Arc<Losers>>,
    /// Of this run's own pass.
    pub collisions: Option<Collisions>,
}

impl Keys {
    /// Counts what is still to be counted; gives the readers back.
    pub(super) async fn count<T>(
        &mut self,
        load: &Load<T>,
        mut readers: Vec<Reader>,
        journal: &mut Journal,
    ) -> Result<Vec<Reader>, Ending> {
        if self.losers.is_none() {
            let recorded = journal.losers().map_err(|error| Ending::Failed(LoadError::State(error)))?;
            self.losers = recorded.map(Arc::new);
        }
        let contested = contested(load, journal);
        if contested.is_empty() {
            return Ok(readers);
        }
        let ranges = ranges(load, &contested, &mut readers, journal).await?;
        let observe = load.observe.clone();
        let observe = move |entity, rows| observe.emit(Event::Counting { entity, rows });
        let counted =
            count(&load.plan, &ranges, readers, load.options.page, self.losers.clone(), observe).await;
        let (counted, readers) = counted.map_err(Ending::from)?;
        let chosen = load.chosen().map(|(_, entity)| entity.name.clone());
        let chosen: Vec<String> = chosen.filter(|name| contested.contains(name)).collect();
        self.keep(counted, &chosen, load, journal)?;
        Ok(readers)
    }

    fn keep<T>(
        &mut self,
        counted: Counted,
        chosen: &[String],
        load: &Load<T>,
        journal: &mut Journal,
    ) -> Result<(), Ending> {
        let Counted { losers, collisions } = counted;
        load.observe.emit(Event::Counted { rows: collisions.rows, shared: collisions.keys });
        let rejected = load.chosen().filter(|(_, entity)| entity.collision.keep == Keep::Reject);
        let rejected: u64 = rejected.filter_map(|(at, _)| collisions.lost.get(&at)).sum();
        self.collisions = Some(collisions);
        if let Some(limit) = load.options.max_rejects.filter(|limit| rejected > *limit) {
            return Err(Ending::Failed(LoadError::TooManyCollisions { rows: rejected, limit }));
        }
        let before = self.losers.take();
        let is_chosen = |name: &str| chosen.iter().any(|chosen| chosen == name);
        let is_other = |name: &str| !is_chosen(name);
        let mut parts: Vec<Part<'_>> = vec![(&losers, &is_chosen)];
        if let Some(before) = before.as_deref() {
            parts.push((before, &is_other));
        }
        let all = Losers::merge(parts).map_err(KeyPassError::from)?;
        journal.count(chosen, &all).map_err(|error| Ending::Failed(LoadError::State(error)))?;
        self.losers = Some(Arc::new(all));
        Ok(())
    }
}

/// Entities of the sets that hold one of which something is still to be written. Each snapshot is counted
/// anew: another one may have rows with keys that are in the table.
fn contested<T>(load: &Load<T>, journal: &Journal) -> Vec<String> {
    let is_due = |name: &String| {
        load.chosen().any(|(_, entity)| entity.name == *name) && !journal.progress().is_done(name)
    };
    load.plan.contested.iter().filter(|set| set.iter().any(is_due)).flatten().cloned().collect()
}

/// The ranges that the load itself reads, where it reads the entity.
async fn ranges<T>(
    load: &Load<T>,
    contested: &[String],
    readers: &mut [Reader],
    journal: &Journal,
) -> Result<Vec<Ranges>, Ending> {
    let mut all = Vec::new();
    let cuts = u64::try_from(readers.len() * RANGES_A_READER).unwrap_or(1);
    for (entity, plan) in load.plan.entities.iter().enumerate() {
        if !contested.contains(&plan.name) {
            continue;
        }
        let pieces = match (recorded(journal, plan), readers.first_mut()) {
            (Some(pieces), _) => pieces,
            (None, Some(reader)) => {
                let cut = reader.cut(&plan.select, cuts, plan.row_estimate).await.map_err(Ending::Source)?;
                let piece = |(range, bounds)| Piece { range, bounds, written: false };
                cut.into_iter().enumerate().map(piece).collect()
            }
            (None, None) => Vec::new(),
        };
        all.push(Ranges { entity, pieces });
    }
    Ok(all)
}

fn recorded(journal: &Journal, plan: &EntityPlan) -> Option<Vec<Piece>> {
    let recorded = journal.progress().entity(&plan.name).filter(|recorded| !recorded.ranges.is_empty())?;
    Some(recorded.ranges.iter().enumerate().flat_map(|(range, state)| pieces(range, state)).collect())
}

/// What is before the watermark, and what is behind it.
fn pieces(range: usize, state: &RangeCheckpoint) -> Vec<Piece> {
    let piece = |bounds: Bounds, written| Piece { range, bounds, written };
    let Bounds { after, up_to } = state.bounds.clone();
    match &state.position {
        _ if state.done => vec![piece(state.bounds.clone(), true)],
        Position::End => vec![piece(state.bounds.clone(), true)],
        Position::Start => vec![piece(state.bounds.clone(), false)],
        Position::At(key) => vec![
            piece(Bounds { after, up_to: Some(key.clone()) }, true),
            piece(Bounds { after: Some(key.clone()), up_to }, false),
        ],
    }
}

impl From<KeyPassError> for Ending {
    fn from(error: KeyPassError) -> Self {
        match error {
            KeyPassError::Source(error) => Ending::Source(error),
            error => Ending::Failed(LoadError::Keys(error)),
        }
    }
}
