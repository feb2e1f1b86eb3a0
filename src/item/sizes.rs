//! Billed bytes of one item and of its entries in the indexes.

use crate::plan::{IndexSizing, Membership};

/// Adds up attribute by attribute; an index with the whole item needs no sum of its own.
#[derive(Debug)]
pub(super) struct Sizes {
    total: usize,
    /// Indexes whose partition and sort key the item carries, as bits.
    partition_keys: u32,
    sort_keys: u32,
    entries: Vec<IndexEntry>,
    /// Indexes that have a sort key, and those that hold whole items, as bits.
    sorted: u32,
    whole: u32,
    /// Indexes whose entries are added up attribute by attribute.
    added: u32,
    /// Positions of local indexes.
    local: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
struct IndexEntry {
    /// Projected bytes.
    bytes: usize,
    /// Key attributes of the index that the item carries, and how many there must be; 0 where the bits of
    /// partition and sort key tell.
    keys: u32,
    needed: u32,
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
            entries: indexes.iter().map(IndexEntry::new).collect(),
            sorted: bits(|index| index.sort_keys > 0),
            whole: bits(|index| index.all),
            added: bits(|index| !index.all || many_keys(index)),
            local: (0..indexes.len())
                .filter(|at| indexes.get(*at).is_some_and(|index| index.local))
                .collect(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.total = 0;
        self.partition_keys = 0;
        self.sort_keys = 0;
        for entry in &mut self.entries {
            *entry = IndexEntry { bytes: 0, keys: 0, ..*entry };
        }
    }

    /// Counts an attribute of `bytes`, name included.
    pub(super) fn add(&mut self, bytes: usize, membership: Membership) {
        self.total += bytes;
        self.partition_keys |= membership.partition_of;
        self.sort_keys |= membership.sort_of;
        let keys = membership.partition_of | membership.sort_of;
        let mut projected = membership.projected & self.added;
        while projected != 0 {
            let at = usize::try_from(projected.trailing_zeros()).unwrap_or(usize::MAX);
            if let Some(entry) = self.entries.get_mut(at) {
                entry.bytes += bytes;
                entry.keys += (keys >> (at & 31)) & 1;
            }
            projected &= projected - 1;
        }
    }

    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// How many local indexes there are.
    pub(super) fn local_indexes(&self) -> usize {
        self.local.len()
    }

    /// The item with its entries in local indexes, which count against the item's limit.
    pub(super) fn total_with_local(&self) -> usize {
        let present = self.present();
        let entries =
            self.local.iter().filter_map(|at| Some(self.entry(*at, self.entries.get(*at)?, present)));
        self.total + entries.sum::<usize>()
    }

    /// Appends the bytes of each index's entry; 0 where the item lacks a key of the index.
    pub(super) fn push_entries(&self, out: &mut Vec<u32>) {
        let present = self.present();
        for (at, entry) in self.entries.iter().enumerate() {
            out.push(u32::try_from(self.entry(at, entry, present)).unwrap_or(u32::MAX));
        }
    }

    /// Indexes of whose partition and sort key the item carries an attribute, as bits.
    fn present(&self) -> u32 {
        self.partition_keys & (self.sort_keys | !self.sorted)
    }

    #[inline]
    fn entry(&self, at: usize, entry: &IndexEntry, present: u32) -> usize {
        let index = bit(at);
        match (present & index != 0) & (entry.keys >= entry.needed) {
            false => 0,
            true if self.whole & index != 0 => self.total,
            true => entry.bytes,
        }
    }
}

impl IndexEntry {
    fn new(index: &IndexSizing) -> Self {
        let needed = if many_keys(index) { index.partition_keys + index.sort_keys } else { 0 };
        Self { bytes: 0, keys: 0, needed: u32::try_from(needed).unwrap_or(u32::MAX) }
    }
}

/// Bits of partition and sort key do not tell whether all attributes of them are there.
fn many_keys(index: &IndexSizing) -> bool {
    index.partition_keys > 1 || index.sort_keys > 1
}

/// Indexes beyond the 32nd have none; the plan does not let them happen.
fn bit(at: usize) -> u32 {
    u32::try_from(at).ok().and_then(|at| 1_u32.checked_shl(at)).unwrap_or(0)
}
