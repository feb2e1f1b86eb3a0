//! A batch on its way: the request's bytes, and which item of which page each part is.

use std::ops::Range;

use super::pacer::Units;
use crate::target::PutBatch;

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
    /// Where each request stands in `put.requests`.
    spans: Vec<Range<usize>>,
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
        self.slots.is_empty() || self.put.requests.len() + wire + FRAME <= MAX_BYTES
    }

    pub(crate) fn push(&mut self, slot: Slot, wire: &[u8], key: &[u8], units: &Units) {
        if !self.slots.is_empty() {
            self.put.requests.push(b',');
        }
        let start = self.put.requests.len();
        self.put.requests.extend_from_slice(br#"{"PutRequest":{"Item":"#);
        self.put.requests.extend_from_slice(wire);
        self.put.requests.extend_from_slice(b"}}");
        self.spans.push(start..self.put.requests.len());
        self.put.keys.push(key.to_vec());
        self.slots.push(slot);
        self.units.add(units);
    }

    /// Whose items these are.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The items at `positions`, for another attempt.
    pub(crate) fn subset(&self, positions: impl IntoIterator<Item = usize>) -> Batch {
        let mut rest = Batch::default();
        for position in positions {
            let parts = (self.slots.get(position), self.spans.get(position), self.put.keys.get(position));
            let (Some(slot), Some(span), Some(key)) = parts else { continue };
            if !rest.slots.is_empty() {
                rest.put.requests.push(b',');
            }
            let start = rest.put.requests.len();
            rest.put.requests.extend_from_slice(self.put.requests.get(span.clone()).unwrap_or_default());
            rest.spans.push(start..rest.put.requests.len());
            rest.put.keys.push(key.clone());
            rest.slots.push(*slot);
        }
        rest
    }

    pub(crate) fn halves(&self) -> (Batch, Batch) {
        let middle = self.len() / 2;
        (self.subset(0..middle), self.subset(middle..self.len()))
    }
}

/// Bytes around an item in a request, comma included.
const FRAME: usize = 26;

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(items: usize) -> Batch {
        let mut batch = Batch::default();
        for item in 0..items {
            let wire = format!("{{\"n\":{item}}}");
            batch.push(
                Slot { page: 1, item },
                wire.as_bytes(),
                &[u8::try_from(item).unwrap()],
                &Units::default(),
            );
        }
        batch
    }

    #[test]
    fn requests_are_valid_json_between_brackets() {
        for items in 0..=MAX_ITEMS {
            let text = format!("[{}]", String::from_utf8(batch(items).put.requests).unwrap());
            let parsed: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
            assert_eq!(parsed.len(), items);
        }
    }

    #[test]
    fn a_subset_keeps_items_keys_and_slots_together() {
        let rest = batch(5).subset([4, 1]);
        assert_eq!(
            String::from_utf8(rest.put.requests.clone()).unwrap(),
            r#"{"PutRequest":{"Item":{"n":4}}},{"PutRequest":{"Item":{"n":1}}}"#
        );
        assert_eq!(rest.put.keys, [vec![4], vec![1]]);
        assert_eq!(rest.slots().iter().map(|slot| slot.item).collect::<Vec<_>>(), [4, 1]);
    }

    #[test]
    fn halves_hold_every_item_once() {
        let (left, right) = batch(25).halves();
        assert_eq!((left.len(), right.len()), (12, 13));
        assert_eq!(right.slots()[0].item, 12);
    }

    #[test]
    fn z04_a_batch_ends_at_fifteen_megabytes_but_one_item_always_fits() {
        let mut batch = Batch::default();
        assert!(batch.fits(MAX_BYTES * 2));
        batch.push(Slot { page: 0, item: 0 }, &vec![b'x'; MAX_BYTES - 100], b"k", &Units::default());
        assert!(!batch.fits(100));
        assert!(batch.fits(10));
    }
}
