//! What became of rows, counted per page and summed per range, so that it moves with the watermark.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::pacer::Units;
use crate::item::{Item, ItemPage, write_units};
use crate::report::Sizes;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Rows read; `written + rejected + skipped`.
    pub rows: u64,
    /// Rows whose item is acknowledged.
    pub written: u64,
    pub rejected_by: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped_by: BTreeMap<String, u64>,
    pub table_units: u64,
    /// In the order of the mapping's indexes.
    pub index_units: Vec<u64>,
    pub index_items: Vec<u64>,
    pub sizes: Sizes,
}

impl Tally {
    pub fn rejected(&self) -> u64 {
        self.rejected_by.values().sum()
    }

    pub fn skipped(&self) -> u64 {
        self.skipped_by.values().sum()
    }

    pub fn units(&self) -> Units {
        Units { table: self.table_units, indexes: self.index_units.clone() }
    }

    pub(crate) fn add_item(&mut self, page: &ItemPage, position: usize, item: &Item) {
        self.rows += 1;
        self.written += 1;
        self.table_units += write_units(item.size);
        self.sizes.add(item.size);
        let entries = page.index_entries(position);
        self.fit(entries.len());
        let sums = self.index_units.iter_mut().zip(&mut self.index_items);
        for (bytes, (units, items)) in entries.iter().zip(sums).filter(|(bytes, _)| **bytes > 0) {
            *units += write_units(*bytes);
            *items += 1;
        }
    }

    pub(crate) fn add_rejection(&mut self, rule: &str) {
        self.rows += 1;
        *self.rejected_by.entry(rule.to_owned()).or_default() += 1;
    }

    pub(crate) fn add_skipped(&mut self, reason: &str, rows: u64) {
        if rows > 0 {
            self.rows += rows;
            *self.skipped_by.entry(reason.to_owned()).or_default() += rows;
        }
    }

    pub fn merge(&mut self, other: &Tally) {
        self.rows += other.rows;
        self.written += other.written;
        self.table_units += other.table_units;
        self.sizes.merge(&other.sizes);
        for (rule, count) in &other.rejected_by {
            *self.rejected_by.entry(rule.clone()).or_default() += count;
        }
        for (reason, count) in &other.skipped_by {
            *self.skipped_by.entry(reason.clone()).or_default() += count;
        }
        self.fit(other.index_units.len());
        self.index_units.iter_mut().zip(&other.index_units).for_each(|(sum, more)| *sum += more);
        self.index_items.iter_mut().zip(&other.index_items).for_each(|(sum, more)| *sum += more);
    }

    fn fit(&mut self, indexes: usize) {
        if self.index_units.len() < indexes {
            self.index_units.resize(indexes, 0);
            self.index_items.resize(indexes, 0);
        }
    }
}

/// The write units of one item of a page.
pub(crate) fn units_of(page: &ItemPage, position: usize, item: &Item) -> Units {
    let indexes = page
        .index_entries(position)
        .iter()
        .map(|bytes| if *bytes > 0 { write_units(*bytes) } else { 0 })
        .collect();
    Units { table: write_units(item.size), indexes }
}
