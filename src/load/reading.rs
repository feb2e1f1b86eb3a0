//! Readers: each takes ranges from a shared queue, reads page after page, and builds the items.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Semaphore, mpsc};

use super::checkpoint::Checkpoint;
use super::desk::{BuiltPage, RangeId};
use super::second_look::SecondLook;
use super::spares::Spares;
use super::{Event, Observer, Surveys};
use crate::item;
use crate::keys::{Losers, leave_out};
use crate::plan::Plan;
use crate::source::{Bounds, Cursor, PageLimits, Position, Reader, SourceError};
use crate::witness::Contradiction;

/// What a reader hands over, in the order of each range.
#[derive(Debug)]
pub(crate) enum Reading {
    Page(Box<BuiltPage>),
    /// A clean end of the range's rows.
    End(RangeId),
}

/// Why a reader ended early.
#[derive(Debug)]
pub(crate) enum ReadError {
    Source(SourceError),
    /// The rows that are not to be written cannot be read.
    Losers(io::Error),
    /// An item is not what the source says of its row.
    Contradiction(Box<Contradiction>),
}

impl From<SourceError> for ReadError {
    fn from(error: SourceError) -> Self {
        ReadError::Source(error)
    }
}

impl From<Contradiction> for ReadError {
    fn from(found: Contradiction) -> Self {
        ReadError::Contradiction(Box::new(found))
    }
}

/// Ranges to read one after the other by one reader.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Work {
    ranges: Vec<(RangeId, Bounds, Position)>,
    /// Rows to read at most: `--limit`.
    budget: Option<u64>,
}

/// All unfinished ranges of the chosen entities, distant ones side by side: rows read in key order
/// would hit one partition of the target after the other.
pub(crate) fn work(
    checkpoint: &Checkpoint,
    plan: &Plan,
    chosen: &[usize],
    limit: Option<u64>,
) -> VecDeque<Work> {
    let unfinished = |entity: usize| -> Vec<(RangeId, Bounds, Position)> {
        let recorded = plan.entities.get(entity).and_then(|plan| checkpoint.entity(&plan.name));
        let ranges = recorded.into_iter().flat_map(|recorded| recorded.ranges.iter().enumerate());
        ranges
            .filter(|(_, range)| !range.done)
            .map(|(range, state)| (RangeId { entity, range }, state.bounds.clone(), state.position.clone()))
            .collect()
    };
    if limit.is_some() {
        let whole = |entity: &usize| Work { ranges: unfinished(*entity), budget: limit };
        return chosen.iter().map(whole).collect();
    }
    let mut placed: Vec<_> = chosen.iter().flat_map(|entity| spread(unfinished(*entity))).collect();
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    placed.into_iter().map(|(_, range)| Work { ranges: vec![range], budget: None }).collect()
}

/// Orders ranges so that neighbours are read far apart in time (bit-reversed positions), each with its
/// place between 0 and 1.
fn spread<T>(ranges: Vec<T>) -> Vec<(f64, T)> {
    let count = u32::try_from(ranges.len()).unwrap_or(u32::MAX).max(1);
    let bits = count.next_power_of_two().trailing_zeros();
    let mut order: Vec<_> = (0u32..)
        .zip(ranges)
        .map(|(position, range)| (position.reverse_bits().checked_shr(32 - bits).unwrap_or(0), range))
        .collect();
    order.sort_by_key(|(reversed, _)| *reversed);
    let place = |position: u32| (f64::from(position) + 0.5) / f64::from(count);
    (0u32..).zip(order).map(|(position, (_, range))| (place(position), range)).collect()
}

/// What readers share.
#[derive(Debug, Clone)]
pub(crate) struct Desks {
    pub plan: Arc<Plan>,
    pub queue: Arc<Mutex<VecDeque<Work>>>,
    pub limits: PageLimits,
    /// Pages that may be open at once, over all readers.
    pub room: Arc<Semaphore>,
    /// Memory for pages.
    pub spares: Spares,
    pub readings: mpsc::Sender<Reading>,
    pub surveys: Surveys,
    pub observe: Observer,
    pub second_look: SecondLook,
    pub losers: Option<Arc<Losers>>,
}

impl Desks {
    /// Reads until the queue is empty or nobody listens any more.
    pub(crate) async fn read(self, mut reader: Reader) -> Result<(), ReadError> {
        while let Some(work) = self.next_work() {
            if !self.read_work(&mut reader, work).await? {
                break;
            }
        }
        Ok(())
    }

    fn next_work(&self) -> Option<Work> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// False when the other end has gone.
    async fn read_work(&self, reader: &mut Reader, work: Work) -> Result<bool, ReadError> {
        let mut budget = work.budget;
        for (range, bounds, position) in work.ranges {
            if budget == Some(0) {
                break;
            }
            if !self.read_range(reader, range, bounds, position, &mut budget).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn read_range(
        &self,
        reader: &mut Reader,
        range: RangeId,
        bounds: Bounds,
        position: Position,
        budget: &mut Option<u64>,
    ) -> Result<bool, ReadError> {
        let Some(entity) = self.plan.entities.get(range.entity) else { return Ok(true) };
        let losers = match &self.losers {
            Some(losers) => losers.of(&entity.name, range.range).map_err(ReadError::Losers)?,
            None => HashSet::new(),
        };
        let mut cursor = Cursor::new(Arc::clone(&entity.select), bounds, position, self.limits);
        while !cursor.is_at_end() {
            if *budget == Some(0) {
                return Ok(true);
            }
            // Room first: a page is read only when it can be held, so that a slow target never
            // keeps a result set of the source open.
            let Ok(permit) = Arc::clone(&self.room).acquire_owned().await else { return Ok(false) };
            let (spare_page, spare_items) = self.spares.take();
            cursor.cap_rows(*budget);
            cursor.reuse(spare_page);
            let Some((page, position)) = cursor.next(reader).await? else { break };
            let mut items = item::rebuild(&entity.layout, &page, spare_items);
            let subject = (range.entity, entity);
            self.second_look.at((&page, &items), subject, &cursor, reader).await?;
            leave_out(&mut items, &page, &entity.layout, &losers, entity.collision.keep);
            let rows = u64::try_from(items.rows).unwrap_or(u64::MAX);
            if let Some(budget) = budget {
                *budget = budget.saturating_sub(rows);
            }
            let rejected = u64::try_from(items.rejections.len()).unwrap_or(u64::MAX);
            self.observe.emit(Event::Read { entity: range.entity, rows, rejected });
            let seen = self.surveys.look(range.entity, &entity.layout, &page, &items);
            let built = BuiltPage { range, position, page, items, seen, permit };
            if self.readings.send(Reading::Page(Box::new(built))).await.is_err() {
                return Ok(false);
            }
        }
        // A limited load never marks anything done.
        Ok(budget.is_some() || self.readings.send(Reading::End(range)).await.is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w09_neighbouring_ranges_are_read_far_apart() {
        let order: Vec<_> = spread((0..8).collect()).into_iter().map(|(_, range)| range).collect();
        assert_eq!(order, [0, 4, 2, 6, 1, 5, 3, 7]);
    }

    #[test]
    fn every_range_is_read_once_whatever_their_number() {
        for count in 0..70 {
            let mut ranges: Vec<_> =
                spread((0..count).collect()).into_iter().map(|(_, range)| range).collect();
            ranges.sort_unstable();
            assert_eq!(ranges, (0..count).collect::<Vec<i32>>());
        }
    }
}
