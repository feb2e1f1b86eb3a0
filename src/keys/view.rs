//! What a key pass reads of an entity: the columns of its item keys, of its source key and of `order_by`.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::item::{ItemPage, order_of};
use crate::plan::{CollisionPlan, EntityPlan, Keep, KeyPlan, Layout, Membership, PartPlan};
use crate::source::{Page, Select};

/// An entity whose items are nothing but their keys.
#[derive(Debug)]
pub(super) struct KeyView {
    pub(super) select: Arc<Select>,
    pub(super) layout: Layout,
    /// Positions in the layout's columns.
    collision: CollisionPlan,
}

/// Sixteen bytes of a hash: of an item key, or of a source key.
pub type Hash = [u8; 16];

impl KeyView {
    pub(super) fn new(entity: &EntityPlan) -> Self {
        let mut wanted = Columns { entity, positions: Vec::new() };
        let key = |key: &KeyPlan, wanted: &mut Columns<'_>| {
            let mut key = KeyPlan { membership: Membership::default(), ..key.clone() };
            for part in &mut key.template.parts {
                if let PartPlan::Value { column, .. } = part {
                    *column = wanted.place(*column);
                }
            }
            key
        };
        let layout = &entity.layout;
        let partition_key = key(&layout.partition_key, &mut wanted);
        let sort_key = layout.sort_key.as_ref().map(|sort_key| key(sort_key, &mut wanted));
        let source_key = layout.source_key.iter().map(|column| wanted.place(*column)).collect();
        let order_by = entity.collision.order_by.iter().map(|column| wanted.place(*column)).collect();
        let columns = wanted.positions.iter().filter_map(|at| layout.columns.get(*at).cloned()).collect();
        let output =
            wanted.positions.iter().filter_map(|at| entity.select.output.get(*at).cloned()).collect();
        Self {
            select: Arc::new(Select { output, ..Select::clone(&entity.select) }),
            layout: Layout {
                columns,
                source_key,
                partition_key,
                sort_key,
                attributes: Vec::new(),
                index_entries: Vec::new(),
                indexes: Vec::new(),
            },
            collision: CollisionPlan { order_by, ..entity.collision.clone() },
        }
    }

    /// What decides between rows with one key: the smallest is kept, then the first by source key.
    pub(super) fn rank(&self, page: &Page, row: usize, place: [u8; 8]) -> Vec<u8> {
        let mut rank = order_of(&self.layout, page, row, &self.collision.order_by);
        if self.collision.keep == Keep::Last {
            rank.extend_from_slice(&place);
            rank.iter_mut().for_each(|byte| *byte = !*byte);
        }
        rank
    }
}

/// Columns of an entity in the order in which they are asked for.
struct Columns<'a> {
    entity: &'a EntityPlan,
    positions: Vec<usize>,
}

impl Columns<'_> {
    fn place(&mut self, column: usize) -> usize {
        match self.positions.iter().position(|known| *known == column) {
            Some(place) => place,
            None => {
                debug_assert!(column < self.entity.layout.columns.len());
                self.positions.push(column);
                self.positions.len() - 1
            }
        }
    }
}

/// Of the bytes of an item key, which are equal exactly when the keys are.
pub(super) fn key_hash(items: &ItemPage, item: &crate::item::Item) -> Hash {
    half(Sha256::digest(items.key(item)).into())
}

/// Of a row's source key, as [`crate::item::source_key`] tells it: by it a loser is known again.
pub fn row_hash(source_key: &[(String, String)]) -> Hash {
    let mut digest = Sha256::new();
    for (_, text) in source_key {
        digest.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        digest.update(text);
    }
    half(digest.finalize().into())
}

fn half(digest: [u8; 32]) -> Hash {
    let mut hash = Hash::default();
    hash.copy_from_slice(digest.first_chunk::<16>().unwrap_or(&[0; 16]));
    hash
}
