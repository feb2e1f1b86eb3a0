//! Raw row + plan → [`Item`] or [`Rejection`]. Pure: no I/O, no clock, no randomness.
//!
//! An item is its DynamoDB JSON bytes plus key and billed size, written straight from the raw cells
//! into one buffer a page; no map of attribute values is built. Everything the service would refuse
//! is found here, so that one bad row never takes 24 good ones with it.

use std::ops::Range;

use crate::mapping::{Nulls, Overflow};
use crate::plan::{ColumnPlan, KeyPlan, Layout, ReadSettings};
use crate::source::Page;

mod attribute;
mod build;
mod calendar;
mod collection;
mod decode;
mod escape;
mod json;
mod key;
mod number;
mod order;
mod reading;
mod rejection;
mod sizes;
mod survey;
mod template;
mod time;
mod value;

use attribute::Scratch;
use build::Builder;
use key::{MAX_PARTITION_KEY, MAX_SORT_KEY, write_key};
use reading::{Purpose, write_text};
use template::cell;

pub use order::order_of;
pub use rejection::{Rejection, Rule};
pub use survey::{Notice, Noticed, Seen, Survey};

/// The items of one page of rows, in row order, in one buffer.
#[derive(Debug, Default)]
pub struct ItemPage {
    /// DynamoDB JSON of all items, one behind the other.
    pub bytes: Vec<u8>,
    pub items: Vec<Item>,
    /// Billed bytes of each item's entry in each index (`items.len() × indexes`, item by item);
    /// 0 where the item is not in the index.
    pub index_bytes: Vec<u32>,
    pub rejections: Vec<Rejection>,
    /// Rows that `on_collision` leaves out.
    pub skipped: usize,
    /// Rows of the page: items + rejections + skipped.
    pub rows: usize,
    /// Objects in JSON documents with equal names, of which one was written.
    pub equal_names: u64,
}

/// One item of an [`ItemPage`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// `{"PK":{"S":"…"},"SK":{"S":"…"},…}` in the page's bytes; the key attributes come first.
    pub wire: Range<usize>,
    /// The key members of `wire` without braces: `"PK":{"S":"…"},"SK":{"S":"…"}`. Canonical: two
    /// items have the same key exactly when these bytes are equal.
    pub key: Range<usize>,
    /// Bytes DynamoDB bills: names and values, without the 100 bytes of storage overhead.
    pub size: u32,
    /// Position of the source row in its page.
    pub row: usize,
}

impl ItemPage {
    pub fn wire(&self, item: &Item) -> &[u8] {
        self.bytes.get(item.wire.clone()).unwrap_or_default()
    }

    pub fn key(&self, item: &Item) -> &[u8] {
        self.bytes.get(item.key.clone()).unwrap_or_default()
    }

    fn cleared(mut self) -> Self {
        self.bytes.clear();
        self.items.clear();
        self.index_bytes.clear();
        self.rejections.clear();
        self.skipped = 0;
        self.rows = 0;
        self.equal_names = 0;
        self
    }

    /// Keeps the items of some rows.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let indexes = self.index_bytes.len().checked_div(self.items.len()).unwrap_or(0);
        let kept: Vec<bool> = self.items.iter().map(|item| keep(item.row)).collect();
        let mut of_item = kept.iter();
        self.items.retain(|_| of_item.next().copied().unwrap_or(true));
        let mut of_entry = kept.iter().flat_map(|kept| std::iter::repeat_n(*kept, indexes));
        self.index_bytes.retain(|_| of_entry.next().unwrap_or(true));
    }

    /// Billed bytes of the entries that the item at `position` has in each index; 0 where it has none.
    pub fn index_entries(&self, position: usize) -> &[u32] {
        let indexes = self.index_bytes.len().checked_div(self.items.len()).unwrap_or(0);
        self.index_bytes.get(position * indexes..(position + 1) * indexes).unwrap_or_default()
    }
}

/// Builds the items of a page: row by row an item or a rejection, whatever the bytes.
pub fn build(layout: &Layout, page: &Page) -> ItemPage {
    rebuild(layout, page, ItemPage::default())
}

/// As [`build`], in the memory of items that nobody needs any more.
pub fn rebuild(layout: &Layout, page: &Page, spare: ItemPage) -> ItemPage {
    Builder::new(layout).build(page, spare)
}

/// The source key of a row as text, for people: `[("order_id", "7"), ("line_no", "1")]`.
pub fn source_key(layout: &Layout, page: &Page, row: usize) -> Vec<(String, String)> {
    named_texts(&layout.columns, &layout.source_key, page, row)
}

/// The values of some columns of a row as text, for people.
pub fn named_texts(
    columns: &[ColumnPlan],
    chosen: &[usize],
    page: &Page,
    row: usize,
) -> Vec<(String, String)> {
    let Some(row) = page.row(row) else { return Vec::new() };
    let settings =
        ReadSettings { kind: None, format: None, zone: None, overflow: Overflow::Reject, nulls: Nulls::Omit };
    let text = |column: usize| {
        let mut text = Vec::new();
        match cell(row, columns, column) {
            // The exact text of a value always exists.
            Ok(value) => drop(write_text(&value, &settings, Purpose::Exact, &mut text)),
            Err(_) => text.extend_from_slice(b"(unreadable)"),
        }
        String::from_utf8_lossy(&text).into_owned()
    };
    let name = |column: usize| columns.get(column).map(|plan| plan.name.clone()).unwrap_or_default();
    chosen.iter().map(|&column| (name(column), text(column))).collect()
}

/// A key attribute's value as it stands in an item, `{"S":"…"}`, or the rule by which there is none.
pub fn key_value(
    plan: &KeyPlan,
    columns: &[ColumnPlan],
    page: &Page,
    row: usize,
    sorts: bool,
) -> Result<Vec<u8>, Rule> {
    let row = page.row(row).ok_or(Rule::KeyNull)?;
    let mut value = Vec::new();
    let size = write_key(plan, row, columns, &mut Scratch::default(), &mut value)
        .map_err(|fault| fault.violation.rule)?;
    let limit = if sorts { MAX_SORT_KEY } else { MAX_PARTITION_KEY };
    if size > limit { Err(Rule::KeyTooLong) } else { Ok(value) }
}

/// Write capacity units of `bytes` billed bytes: whole kilobytes, at least one.
pub fn write_units(bytes: u32) -> u64 {
    u64::from(bytes).div_ceil(1024).max(1)
}

#[cfg(test)]
pub(crate) mod tests;
