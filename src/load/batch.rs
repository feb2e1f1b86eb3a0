//! A batch on its way: the request's bytes, and which item of which page each part is.

use std::ops::Range;

use super::pacer::Units;
use crate::target::{FRAME, PutBatch};

/// Requests of one BatchWriteItem at most (AWS API, BatchWriteItem).
pub(crate) const MAX_ITEMS: usize = 25;

/// Wire bytes of one batch at most. The service refuses requests over 16 MB of the wire form; the rest
/// is for the table's name and the braces.
pub(crate) const MAX_BYTES: usize = 15 * 1024 * 1024;

#[derive(Debug, Clone, Default)]
pub(crate) struct Batch {
    pub put: PutBatch,
    pub units: Units,
    slots: Vec<Slot>,
}

/// An item of an open page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub page: u64,
    pub item: usize,
}

impl Batch {
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len() >= MAX_ITEMS
    }

    /// Whether an item of `wire` bytes still fits. One item always fits.
    pub(crate) fn fits(&self, wire: usize) -> bool {
        self.slots.is_empty() || self.put.requests().len() + wire + FRAME <= MAX_BYTES
    }

    /// `key` is the place of the item's key in `wire`.
    pub(crate) fn push(&mut self, slot: Slot, wire: &[u8], key: Range<usize>, units: &Units) {
        self.put.push(wire, key);
        self.slots.push(slot);
        self.units.add(units);
    }

    /// Whose items these are.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The items at `positions`, for another attempt; their units are paid for.
    pub(crate) fn subset(&self, positions: impl IntoIterator<Item = usize> + Clone) -> Batch {
        let slots = positions.clone().into_iter().filter_map(|position| self.slots.get(position).copied());
        Batch { slots: slots.collect(), put: self.put.subset(positions), units: Units::default() }
    }

    pub(crate) fn halves(&self) -> (Batch, Batch) {
        let middle = self.len() / 2;
        (self.subset(0..middle), self.subset(middle..self.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(items: u8) -> Batch {
        let mut batch = Batch::default();
        for item in 0..items {
            batch.push(Slot { page: 1, item: item.into() }, &[item], 0..1, &Units::default());
        }
        batch
    }

    fn items(batch: &Batch) -> Vec<usize> {
        let items: Vec<_> = batch.slots().iter().map(|slot| slot.item).collect();
        let keys = batch.put.keys().map(|key| usize::from(key[0]));
        assert!(keys.eq(items.iter().copied()), "slots and items belong together");
        items
    }

    #[test]
    fn a_subset_keeps_items_and_slots_together() {
        assert_eq!(items(&batch(5).subset([4, 1])), [4, 1]);
    }

    #[test]
    fn halves_hold_every_item_once() {
        let (left, right) = batch(25).halves();
        assert_eq!(items(&left), (0..12).collect::<Vec<_>>());
        assert_eq!(items(&right), (12..25).collect::<Vec<_>>());
    }

    #[test]
    fn z04_a_batch_ends_at_fifteen_megabytes_but_one_item_always_fits() {
        let mut batch = Batch::default();
        assert!(batch.fits(MAX_BYTES * 2));
        batch.push(Slot { page: 0, item: 0 }, &vec![b'x'; MAX_BYTES - 100], 0..1, &Units::default());
        assert!(!batch.fits(100));
        assert!(batch.fits(10));
    }
}
