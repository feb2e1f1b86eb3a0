//! Rows read twice by one statement: as cells, and as the server's own text.

use super::{Page, RawCell, Select};

/// Rows of a page to be read again: `rows` behind the first `first`.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    pub first: u64,
    pub rows: u64,
}

/// Some rows of a select, with a text for every output.
///
/// The texts are what the server makes of a value, whatever this program makes of its cell: bytes in hex,
/// MySQL's floats as doubles and its bits as numbers, SQLite's values as `class:value`, conditions as 1 or 0.
#[derive(Debug)]
pub struct Sample {
    /// Cells, and behind them their texts.
    page: Page,
    outputs: usize,
}

impl Sample {
    pub(super) fn new(page: Page, select: &Select) -> Self {
        Self { page, outputs: select.output.len() }
    }

    /// For tests of what reads samples.
    #[cfg(test)]
    pub(crate) fn of(page: Page, outputs: usize) -> Self {
        Self { page, outputs }
    }

    /// The rows as [`super::Reader::page`] gives them; further columns are the texts.
    pub fn cells(&self) -> &Page {
        &self.page
    }

    /// Whether the cells of `row` are those of row `other` of a page.
    pub fn has_cells_of(&self, row: usize, page: &Page, other: usize) -> bool {
        match (self.page.row(row), page.row(other)) {
            (Some(own), Some(other)) => (0..self.outputs).all(|at| own.cell(at) == other.cell(at)),
            _ => false,
        }
    }

    /// The text of an output; `None` for NULL.
    pub fn text(&self, row: usize, output: usize) -> Option<&[u8]> {
        match self.page.row(row)?.cell(self.outputs + output) {
            RawCell::Bytes(text) | RawCell::Text(text) => Some(text),
            _ => None,
        }
    }
}
