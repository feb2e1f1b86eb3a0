//! Rows whose keys may not be alone.

use std::collections::BTreeMap;

use super::place::Place;
use super::record::HashedKey;
use super::sorter::Sorter;
use super::{Collisions, KeyPassError};

/// Rows whose hashes are not alone: a bit a row.
#[derive(Debug, Default)]
pub(super) struct Suspects(BTreeMap<(usize, usize), Vec<u64>>);

impl Suspects {
    fn add(&mut self, place: Place) {
        let bits = self.0.entry((place.entity(), place.piece())).or_default();
        let (word, bit) = Self::bit(place);
        if bits.len() <= word {
            bits.resize(word + 1, 0);
        }
        if let Some(word) = bits.get_mut(word) {
            *word |= bit;
        }
    }

    pub(super) fn hold(&self, place: Place) -> bool {
        let (word, bit) = Self::bit(place);
        let bits = self.0.get(&(place.entity(), place.piece()));
        bits.and_then(|bits| bits.get(word)).is_some_and(|word| word & bit != 0)
    }

    fn bit(place: Place) -> (usize, u64) {
        (usize::try_from(place.row() / 64).unwrap_or(usize::MAX), 1 << (place.row() % 64))
    }

    pub(super) fn touch(&self, entity: usize) -> bool {
        self.0.keys().any(|(touched, _)| *touched == entity)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Rows of sorted hashes that have a neighbour like them.
pub(super) fn suspects(
    sorters: Vec<Sorter<HashedKey>>,
    collisions: &mut Collisions,
) -> Result<Suspects, KeyPassError> {
    let mut suspects = Suspects::default();
    let mut before: Option<HashedKey> = None;
    for key in Sorter::join(sorters)? {
        let key = key?;
        collisions.rows += 1;
        if let Some(before) = before.filter(|before| before.hash == key.hash) {
            suspects.add(before.place);
            suspects.add(key.place);
        }
        before = Some(key);
    }
    Ok(suspects)
}
