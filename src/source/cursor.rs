//! Walks a range of keys page by page, with as many rows a page as its bytes allow.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Key, Page, Reader, Select, SourceError};

/// `after < key <= up_to`; an absent bound is open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    pub after: Option<Key>,
    pub up_to: Option<Key>,
}

/// How far a range has been read or written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    Start,
    /// Everything up to and including this key.
    At(Key),
    End,
}

#[derive(Debug, Clone, Copy)]
pub struct PageLimits {
    /// Rows at most.
    pub rows: u64,
    /// Bytes of cells at most, beyond one row.
    pub bytes: usize,
}

/// Reads one range from a position on.
#[derive(Debug)]
pub struct Cursor {
    select: Arc<Select>,
    bounds: Bounds,
    position: Position,
    limits: PageLimits,
}

impl Cursor {
    /// `position` is where to go on; `Position::Start` reads the whole range.
    pub fn new(select: Arc<Select>, bounds: Bounds, position: Position, limits: PageLimits) -> Self {
        Self { select, bounds, position, limits }
    }

    /// Lets the next page have no more than `rows` rows, if given.
    pub fn cap_rows(&mut self, rows: Option<u64>) {
        let _ = rows;
    }

    /// The next page and the position behind it; `None` at the end. Starts with few rows and grows
    /// while pages stay small.
    pub async fn next(&mut self, reader: &mut Reader) -> Result<Option<(Page, Position)>, SourceError> {
        let _ = (&self.select, &self.bounds, &self.position, self.limits, reader);
        unimplemented!("source helper")
    }
}
