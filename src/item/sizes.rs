//! Billed bytes of one item and of its entries in the indexes.

use crate::plan::{IndexSizing, Membership};

/// Adds up attribute by attribute; an index with the whole item needs no sum of its own.
#[derive(Debug)]
pub(super) struct Sizes {
    total: usize,
    /// Indexes whose partition and sort key the item carries, as bits.
    partition_keys: u32,
    sort_keys: u32,
    /// Projected bytes in each index.
    entries: Vec<usize>,
    /// Indexes that have a sort key, and those that hold whole items, as bits.
    sorted: u32,
    whole: u32,
}

impl Sizes {
    pub(super) fn new(indexes: &[IndexSizing]) -> Self {
        let bits = |has: fn(&IndexSizing) -> bool| {
            indexes.iter().enumerate().filter(|(_, index)| has(index)).fold(0, |bits, (at, _)| bits | bit(at))
        };
        Self {
            total: 0,
            partition_keys: 0,
            sort_keys: 0,
            entries: vec![0; indexes.len()],
            sorted: bits(|index| index.has_sort_key),
            whole: bits(|index| index.all),
        }
    }

    pub(super) fn clear(&mut self) {
        self.total = 0;
        self.partition_keys = 0;
        self.sort_keys = 0;
        self.entries.fill(0);
    }

    /// Counts an attribute of `bytes`, name included.
    pub(super) fn add(&mut self, bytes: usize, membership: Membership) {
        self.total += bytes;
        self.partition_keys |= membership.partition_of;
        self.sort_keys |= membership.sort_of;
        let mut projected = membership.projected & !self.whole;
        while projected != 0 {
            let at = usize::try_from(projected.trailing_zeros()).unwrap_or(usize::MAX);
            if let Some(entry) = self.entries.get_mut(at) {
                *entry += bytes;
            }
            projected &= projected - 1;
        }
    }

    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// Appends the bytes of each index's entry; 0 where the item lacks a key of the index.
    pub(super) fn push_entries(&self, out: &mut Vec<u32>) {
        let present = self.partition_keys & (self.sort_keys | !self.sorted);
        for (at, entry) in self.entries.iter().enumerate() {
            let bytes = match bit(at) {
                index if present & index == 0 => 0,
                index if self.whole & index != 0 => self.total,
                _ => *entry,
            };
            out.push(u32::try_from(bytes).unwrap_or(u32::MAX));
        }
    }
}

/// Indexes beyond the 32nd have none; the plan does not let them happen.
fn bit(at: usize) -> u32 {
    u32::try_from(at).ok().and_then(|at| 1_u32.checked_shl(at)).unwrap_or(0)
}
