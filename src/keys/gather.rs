//! What the two passes take of each page.

use std::io;
use std::sync::Arc;

use super::KeyPassError;
use super::pass::{Part, Take};
use super::record::{HashedKey, Rival};
use super::sorter::Sorter;
use super::suspects::Suspects;
use super::view::{KeyView, key_hash, row_hash};
use crate::item::{self, ItemPage};
use crate::source::Page;

/// Hashes of all keys.
pub(super) struct HashSorter<O> {
    pub(super) sorter: Sorter<HashedKey>,
    pub(super) observe: O,
}

impl<O: Fn(usize, u64) + Send + 'static> Take for HashSorter<O> {
    fn take(
        &mut self,
        _: &KeyView,
        page: &Page,
        items: &ItemPage,
        part: &Part<'_>,
    ) -> Result<(), KeyPassError> {
        for item in &items.items {
            let (hash, place) = (key_hash(items, item), part.first.place(item.row)?);
            self.sorter.push(HashedKey { hash, place })?;
        }
        (self.observe)(part.first.entity, u64::try_from(page.rows()).unwrap_or(u64::MAX));
        Ok(())
    }
}

/// Rows that may share their keys.
pub(super) struct RivalSorter {
    pub(super) sorter: Sorter<Rival>,
    pub(super) suspects: Arc<Suspects>,
}

impl Take for RivalSorter {
    fn take(
        &mut self,
        view: &KeyView,
        page: &Page,
        items: &ItemPage,
        part: &Part<'_>,
    ) -> Result<(), KeyPassError> {
        for item in &items.items {
            let place = part.first.place(item.row)?;
            if !self.suspects.hold(place) {
                continue;
            }
            let shown = item::source_key(&view.layout, page, item.row);
            let row = row_hash(&shown);
            self.sorter.push(Rival {
                key: items.key(item).to_vec(),
                standing: part.standing(&row),
                entity: place.entity(),
                rank: view.rank(page, item.row, place.to_bytes()),
                place,
                row,
                shown: serde_json::to_vec(&shown).map_err(io::Error::other)?,
            })?;
        }
        Ok(())
    }
}
