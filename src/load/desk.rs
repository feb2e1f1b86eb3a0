//! Open pages and what is in flight of them: mixes the items of distant ranges into batches, and never
//! has two items with one key under way.

use std::collections::{BTreeMap, HashSet};

use foldhash::fast::RandomState;
use tokio::sync::OwnedSemaphorePermit;

use super::batch::{Batch, MAX_ITEMS, Slot};
use super::spares::Spares;
use super::tally::{Tally, units_of};
use crate::item::{Item, ItemPage, Rejection, Rule, Seen, source_key};
use crate::plan::Plan;
use crate::source::{Page, Position};

/// A range of an entity's key space, by positions in plan and checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RangeId {
    pub entity: usize,
    pub range: usize,
}

/// A page of rows with its items.
#[derive(Debug)]
pub(crate) struct BuiltPage {
    pub range: RangeId,
    /// What is covered of the range once this page is written.
    pub position: Position,
    pub page: Page,
    pub items: ItemPage,
    pub seen: Seen,
    /// Room for one page; given back when the page is in the checkpoint.
    pub permit: OwnedSemaphorePermit,
}

/// What became of a page whose every row is written or rejected.
#[derive(Debug)]
pub(crate) struct FinishedPage {
    pub range: RangeId,
    pub position: Position,
    pub tally: Tally,
    pub rejections: Vec<Rejection>,
    pub seen: Seen,
    pub permit: OwnedSemaphorePermit,
}

#[derive(Debug)]
struct OpenPage {
    built: BuiltPage,
    /// Items taken into batches so far.
    taken: usize,
    /// Items in flight.
    outstanding: usize,
    /// Items rejected after they were built, with why.
    lost: BTreeMap<usize, Rejection>,
}

/// Item keys; two items have the same key exactly when these bytes are equal.
type KeySet = HashSet<Vec<u8>, RandomState>;

#[derive(Debug, Default)]
pub(crate) struct Desk {
    pages: BTreeMap<u64, OpenPage>,
    next_page: u64,
    /// Items not taken yet.
    waiting: usize,
    /// Keys of the items in flight.
    in_flight: KeySet,
    spares: Spares,
}

impl Desk {
    /// The memory of finished pages goes to `spares`.
    pub(crate) fn new(spares: Spares) -> Self {
        Self { spares, ..Self::default() }
    }

    /// Puts a page on the desk and returns its number there.
    pub(crate) fn open(&mut self, built: BuiltPage) -> u64 {
        self.next_page += 1;
        self.waiting += built.items.items.len();
        self.pages
            .insert(self.next_page, OpenPage { built, taken: 0, outstanding: 0, lost: BTreeMap::new() });
        self.next_page
    }

    /// Items that no batch has taken yet.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    /// The next batch, mixed from all open pages; `None` when nothing waits.
    pub(crate) fn batch(&mut self, plan: &Plan) -> Option<Batch> {
        let mut batch = Batch::default();
        let open = self.pages.values().filter(|page| page.rest() > 0).count().max(1);
        let share = MAX_ITEMS.div_ceil(open);
        while self.waiting > 0 && !batch.is_full() {
            let before = self.waiting;
            for (number, page) in &mut self.pages {
                for _ in 0..share.min(page.rest()) {
                    if batch.is_full() || !page.take(*number, &mut batch, &mut self.in_flight, plan) {
                        break;
                    }
                    self.waiting -= 1;
                }
            }
            if self.waiting == before {
                break;
            }
        }
        (batch.len() > 0).then_some(batch)
    }

    /// Takes back a batch that every item of is written or refused.
    pub(crate) fn land(&mut self, slots: &[Slot], refused: Vec<(Slot, String)>, plan: &Plan) {
        for slot in slots {
            let Some(page) = self.pages.get_mut(&slot.page) else { continue };
            page.outstanding -= 1;
            if let Some(item) = page.built.items.items.get(slot.item) {
                self.in_flight.remove(page.built.items.key(item));
            }
        }
        for (slot, message) in refused {
            if let Some(page) = self.pages.get_mut(&slot.page) {
                page.lose(slot.item, Rule::Refused, message, plan);
            }
        }
    }

    /// Removes the pages that are finished.
    pub(crate) fn finished(&mut self) -> Vec<(u64, FinishedPage)> {
        let done: Vec<_> =
            self.pages.iter().filter(|(_, page)| page.is_finished()).map(|(number, _)| *number).collect();
        done.into_iter()
            .filter_map(|number| self.pages.remove(&number).map(|page| (number, page.finish(&self.spares))))
            .collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    pub(crate) fn entity_of(&self, page: u64) -> Option<usize> {
        self.pages.get(&page).map(|page| page.built.range.entity)
    }
}

impl OpenPage {
    fn rest(&self) -> usize {
        self.built.items.items.len() - self.taken
    }

    fn is_finished(&self) -> bool {
        self.rest() == 0 && self.outstanding == 0
    }

    /// Moves the next item into the batch, or rejects it when its key is under way. False when the
    /// batch has no room for it.
    fn take(&mut self, number: u64, batch: &mut Batch, in_flight: &mut KeySet, plan: &Plan) -> bool {
        let items = &self.built.items;
        let Some(item) = items.items.get(self.taken) else { return false };
        if !batch.fits(items.wire(item).len()) {
            return false;
        }
        let position = self.taken;
        let key = items.key(item);
        if in_flight.contains(key) {
            let message = "another row with the same item key is being written".to_owned();
            self.lose(position, Rule::KeyCollision, message, plan);
        } else {
            in_flight.insert(key.to_vec());
            let units = units_of(items, position, item);
            let key = item.key.start - item.wire.start..item.key.end - item.wire.start;
            batch.push(Slot { page: number, item: position }, items.wire(item), key, &units);
            self.outstanding += 1;
        }
        self.taken += 1;
        true
    }

    fn lose(&mut self, position: usize, rule: Rule, message: String, plan: &Plan) {
        let Some(Item { row, .. }) = self.built.items.items.get(position) else { return };
        let layout = plan.entities.get(self.built.range.entity).map(|entity| &entity.layout);
        let source_key = layout.map(|layout| source_key(layout, &self.built.page, *row)).unwrap_or_default();
        let rejection = Rejection { row: *row, rule, column: None, message, source_key };
        self.lost.insert(position, rejection);
    }

    fn finish(self, spares: &Spares) -> FinishedPage {
        let BuiltPage { range, position, mut items, seen, permit, page } = self.built;
        let mut tally = Tally::default();
        for (position, item) in items.items.iter().enumerate() {
            if !self.lost.contains_key(&position) {
                tally.add_item(&items, position, item);
            }
        }
        tally.add_skipped("key_collision", u64::try_from(items.skipped).unwrap_or(u64::MAX));
        let rejections = std::mem::take(&mut items.rejections);
        spares.give(page, items);
        let rejections: Vec<_> = rejections.into_iter().chain(self.lost.into_values()).collect();
        rejections.iter().for_each(|rejection| tally.add_rejection(rejection.rule.as_str()));
        FinishedPage { range, position, tally, rejections, seen, permit }
    }
}
