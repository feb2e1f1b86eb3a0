//! The rows of a page that are to be looked up, cut into requests.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::item::{self, Item, ItemPage};
use crate::plan::{KeyPlan, Layout, Membership};
use crate::source::Page;

use super::lookup::KEYS_PER_REQUEST;
use super::sample::{Threshold, place};

/// A source key as text, for people: `[("order_id", "7")]`.
pub(super) type SourceKey = Vec<(String, String)>;

/// Expected bytes of one request at most, beyond one item: keeps the answer well under the service's
/// 16 MB and bounds what is in flight.
const BYTES_PER_REQUEST: usize = 4 << 20;

/// Where a row stands in its entity's order of source keys. Ranges tile that order and pages follow
/// each other, so that comparing places compares rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) range: usize,
    pub(super) page: u64,
    pub(super) row: usize,
}

/// A page with the items of its rows, shared by the batches that look them up.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) entity: usize,
    /// Of its first row.
    pub(super) place: Place,
    pub(super) layout: Arc<Layout>,
    pub(super) page: Page,
    pub(super) built: ItemPage,
}

/// Items of a page to be looked up with one request, by their positions in it.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) held: Arc<Held>,
    pub(super) items: Vec<usize>,
    /// Rows without an item, whose keys are looked up, too.
    pub(super) absent: Vec<Absent>,
}

/// A row that is rejected. Its key may have an item of what it was before.
#[derive(Debug)]
pub(super) struct Absent {
    pub(super) place: Place,
    pub(super) source_key: SourceKey,
    pub(super) key: Vec<u8>,
}

/// An item that the target should hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    held: &'a Held,
    item: &'a Item,
}

impl Batch {
    pub(super) fn wanted(&self) -> impl Iterator<Item = Wanted<'_>> {
        let items = self.items.iter().filter_map(|at| self.held.built.items.get(*at));
        items.map(|item| Wanted { held: &self.held, item })
    }
}

impl<'a> Wanted<'a> {
    pub(super) fn key(&self) -> &'a [u8] {
        self.held.built.key(self.item)
    }

    pub(super) fn wire(&self) -> &'a [u8] {
        self.held.built.wire(self.item)
    }

    pub(super) fn source_key(&self) -> SourceKey {
        item::source_key(&self.held.layout, &self.held.page, self.item.row)
    }

    pub(super) fn place(&self) -> Place {
        Place { row: self.item.row, ..self.held.place }
    }

    /// Read units of a strongly consistent read.
    pub(super) fn units(&self) -> u64 {
        read_units(self.item.size)
    }
}

/// One unit for each 4 KB begun (developer guide, read capacity).
pub fn read_units(size: u32) -> u64 {
    u64::from(size.div_ceil(4096).max(1))
}

/// Of items that were read, at most: their JSON is longer than what is billed. One that is missing takes a unit, too.
pub(super) fn units_of(found: &[Option<Arc<Vec<u8>>>]) -> u64 {
    let bytes = found.iter().map(|item| item.as_ref().map_or(0, |item| item.len()));
    bytes.map(|bytes| read_units(u32::try_from(bytes).unwrap_or(u32::MAX))).sum()
}

/// Which rows of an entity are verified.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice<'a> {
    pub(super) entity: &'a str,
    pub(super) seed: u64,
    /// `None` takes all rows.
    pub(super) threshold: Option<Threshold>,
}

impl Choice<'_> {
    fn takes(&self, source_key: impl FnOnce() -> SourceKey) -> bool {
        self.threshold.is_none_or(|threshold| threshold.takes(place(self.seed, self.entity, &source_key())))
    }
}

/// The chosen rows that make an item, in requests of at most 100 keys and four megabytes.
pub(super) fn batches(held: &Arc<Held>, choice: Choice<'_>) -> Vec<Batch> {
    let mut batches = Vec::new();
    let (mut items, mut bytes) = (Vec::new(), 0);
    for (at, item) in held.built.items.iter().enumerate() {
        if !choice.takes(|| item::source_key(&held.layout, &held.page, item.row)) {
            continue;
        }
        let size = item.wire.len();
        if items.len() >= KEYS_PER_REQUEST || (!items.is_empty() && bytes + size > BYTES_PER_REQUEST) {
            batches.push(Batch {
                held: Arc::clone(held),
                items: std::mem::take(&mut items),
                absent: Vec::new(),
            });
            bytes = 0;
        }
        items.push(at);
        bytes += size;
    }
    if !items.is_empty() {
        batches.push(Batch { held: Arc::clone(held), items, absent: Vec::new() });
    }
    batches
}

/// The chosen rows that make none but have a key, in requests; `keys` is [`keys_alone`].
pub(super) fn absent(held: &Arc<Held>, keys: &Layout, choice: Choice<'_>) -> Vec<Batch> {
    let rejections = held.built.rejections.iter();
    let rejected: HashMap<usize, &item::Rejection> = rejections
        .filter(|rejection| choice.takes(|| rejection.source_key.clone()))
        .map(|rejection| (rejection.row, rejection))
        .collect();
    if rejected.is_empty() {
        return Vec::new();
    }
    let built = item::build(keys, &held.page);
    let rows = built.items.iter().filter_map(|item| Some((item, rejected.get(&item.row)?)));
    let mut rows = rows.map(|(item, rejection)| Absent {
        place: Place { row: item.row, ..held.place },
        source_key: rejection.source_key.clone(),
        key: built.key(item).to_vec(),
    });
    let mut batches = Vec::new();
    loop {
        let absent: Vec<Absent> = rows.by_ref().take(KEYS_PER_REQUEST).collect();
        if absent.is_empty() {
            return batches;
        }
        batches.push(Batch { held: Arc::clone(held), items: Vec::new(), absent });
    }
}

/// What makes the keys of an entity's rows, whatever is wrong with their other columns.
pub(super) fn keys_alone(layout: &Layout) -> Layout {
    let key = |key: &KeyPlan| KeyPlan { membership: Membership::default(), ..key.clone() };
    Layout {
        columns: layout.columns.clone(),
        source_key: layout.source_key.clone(),
        partition_key: key(&layout.partition_key),
        sort_key: layout.sort_key.as_ref().map(key),
        attributes: Vec::new(),
        index_entries: Vec::new(),
        indexes: Vec::new(),
    }
}

/// The chosen rows that make none.
pub(super) fn rejected(built: &ItemPage, choice: Choice<'_>) -> usize {
    let chosen = |rejection: &&item::Rejection| choice.takes(|| rejection.source_key.clone());
    built.rejections.iter().filter(chosen).count()
}

#[cfg(test)]
pub(super) mod tests;
