//! Walks a range of keys page by page, with as many rows a page as its bytes allow.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Key, Page, PageRead, Reader, Sample, Select, SourceError, SourceErrorKind, Window};

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
    /// Rows to ask for next.
    rows: u64,
    /// Rows that the next page may have, whatever else would fit.
    cap: Option<u64>,
    /// Memory for the next page.
    spare: Page,
    /// Of the last page.
    last: Bounds,
}

/// The part of [`PageLimits::bytes`] that pages usually have: rows may grow thirtyfold from one page to
/// the next before one is read in vain.
const USUAL_SHARE: usize = 32;

/// Rows of a first page: enough to learn how large they are.
const FIRST_ROWS: u64 = 500;

impl Cursor {
    /// `position` is where to go on; `Position::Start` reads the whole range.
    pub fn new(select: Arc<Select>, bounds: Bounds, position: Position, limits: PageLimits) -> Self {
        let rows = limits.rows.clamp(1, FIRST_ROWS);
        Self {
            select,
            bounds,
            position,
            limits,
            rows,
            cap: None,
            spare: Page::default(),
            last: Bounds::default(),
        }
    }

    /// Takes a page that is done with: the next one is read into its memory.
    pub fn reuse(&mut self, page: Page) {
        self.spare = page;
    }

    /// Lets the next pages have no more than `rows` rows each, if given.
    pub fn cap_rows(&mut self, rows: Option<u64>) {
        self.cap = rows.map(|rows| rows.max(1));
    }

    /// The next page and the position behind it; `None` at the end. The position behind the last page
    /// is the range's end, whatever rows there are: that page may be empty. Starts with few rows and
    /// grows while pages stay small. After an error the same page is read again.
    pub async fn next(&mut self, reader: &mut Reader) -> Result<Option<(Page, Position)>, SourceError> {
        if self.is_at_end() {
            return Ok(None);
        }
        loop {
            let rest = self.rest();
            let end = reader.key_at(&self.select, &rest, self.rows.min(self.cap.unwrap_or(u64::MAX))).await?;
            let (up_to, position) = match end {
                Some(key) => (Some(key.clone()), Position::At(key)),
                None => (rest.up_to.clone(), rest.up_to.clone().map_or(Position::End, Position::At)),
            };
            let bounds = Bounds { after: rest.after, up_to };
            let spare = std::mem::take(&mut self.spare);
            match reader.page_into(spare, &self.select, &bounds, self.limits.bytes).await? {
                PageRead::Page(page) => {
                    self.position = position.clone();
                    self.adapt(&page);
                    self.last = bounds;
                    return Ok(Some((page, position)));
                }
                PageRead::TooLarge { rows } => self.shrink(rows)?,
            }
        }
    }

    /// A window of the last page's rows once more, all without, as cells and as the server's own text.
    pub async fn sample(&self, reader: &mut Reader, window: Option<Window>) -> Result<Sample, SourceError> {
        reader.sample(&self.select, &self.last, window).await
    }

    /// Whether all rows were read.
    pub fn is_at_end(&self) -> bool {
        match &self.position {
            Position::End => true,
            Position::At(key) => self.bounds.up_to.as_ref() == Some(key),
            Position::Start => false,
        }
    }

    fn rest(&self) -> Bounds {
        let after = match &self.position {
            Position::At(key) => Some(key.clone()),
            Position::Start | Position::End => self.bounds.after.clone(),
        };
        Bounds { after, up_to: self.bounds.up_to.clone() }
    }

    /// As many rows as make a page of the usual size, if they are like those of this page; at most
    /// twice as many, since they may not be.
    fn adapt(&mut self, page: &Page) {
        let (Ok(rows), Ok(bytes)) = (u64::try_from(page.rows()), u64::try_from(page.size())) else { return };
        let usual = u64::try_from(self.limits.bytes / USUAL_SHARE).unwrap_or(u64::MAX);
        if rows > 0 {
            let fitting = usual / bytes.div_ceil(rows).max(1);
            self.rows = fitting.clamp(1, rows.saturating_mul(2)).min(self.limits.rows.max(1));
        }
    }

    fn shrink(&mut self, rows: usize) -> Result<(), SourceError> {
        if self.rows == 1 {
            return Err(SourceError::new(
                SourceErrorKind::Server,
                "read a page of one row",
                "several rows have the same key and do not fit into one page",
            ));
        }
        let fitting = u64::try_from(rows / 2).unwrap_or(1);
        self.rows = fitting.clamp(1, self.rows - 1);
        Ok(())
    }
}
