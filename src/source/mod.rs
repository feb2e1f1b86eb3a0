//! The relational side: catalog, sessions, snapshots, ranges of keys and pages of rows.
//!
//! The only home of sqlx. Knows no item and no mapping rule: it is told what to select and hands back
//! raw cells, whose bytes [`crate::item`] decodes by the [`RawType`] of their column. The three
//! dialects stand side by side (`postgres`, `mysql`, `sqlite`) with the same file names in each.

mod catalog;
mod cursor;
mod error;
mod key;
mod page;
mod raw;
mod select;

use crate::mapping::SourceSettings;

pub use catalog::{Column, ForeignKey, Identity, Relation, RelationKind, UniqueKey};
pub use cursor::{Bounds, Cursor, PageLimits, Position};
pub use error::{Piece, SourceError, SourceErrorKind};
pub use key::{Key, KeyPart};
pub use page::{Page, PageBuilder, RawCell, Row};
pub use raw::{Class, MysqlType, PgType, RawType, SqliteType};
pub use select::{Computed, Output, Rows, Select};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Postgres,
    Mysql,
    Sqlite,
}

/// A connected source: one control connection for the catalog, and the means to open readers.
#[derive(Debug)]
pub struct Source {
    _private: (),
}

/// What [`Source::check_key`] found about a declared key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyCheck {
    pub duplicates: bool,
    pub nulls: bool,
}

/// Readers that see one state of the database, as far as the database can promise it.
#[derive(Debug)]
pub struct Snapshot {
    pub readers: Vec<Reader>,
    pub consistency: Consistency,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Consistency {
    Proven,
    /// Why it cannot be told.
    Unproven(&'static str),
    /// `snapshot = false`.
    None,
}

/// One connection that reads pages.
#[derive(Debug)]
pub struct Reader {
    _private: (),
}

/// A page, or the news that it would not fit.
#[derive(Debug)]
pub enum PageRead {
    Page(Page),
    /// More than the limit after `rows` rows (at least 2): ask again with fewer.
    TooLarge {
        rows: usize,
    },
}

impl Source {
    /// Connects with a read-only session set on purpose (design, "Sessions") and asserted.
    pub async fn connect(settings: &SourceSettings) -> Result<Source, SourceError> {
        let _ = settings;
        unimplemented!("source helper")
    }

    pub fn dialect(&self) -> Dialect {
        unimplemented!("source helper")
    }

    pub fn identity(&self) -> &Identity {
        unimplemented!("source helper")
    }

    /// Describes an entity's rows. Every piece of SQL is prepared alone, so that an error names the
    /// wrong one; all wrong pieces are returned.
    pub async fn describe(
        &mut self,
        rows: &Rows,
        filter: Option<&str>,
        computed: &[Computed],
        conditions: &[String],
    ) -> Result<Relation, Vec<SourceError>> {
        let _ = (rows, filter, computed, conditions);
        unimplemented!("source helper")
    }

    /// Asks the database whether the select's key is unique and not NULL over its rows.
    pub async fn check_key(&mut self, select: &Select) -> Result<KeyCheck, SourceError> {
        let _ = select;
        unimplemented!("source helper")
    }

    /// Opens readers on one snapshot. `selects` are what will be read (for LOCK TABLES).
    pub async fn open(&mut self, readers: usize, selects: &[Select]) -> Result<Snapshot, SourceError> {
        let _ = (readers, selects);
        unimplemented!("source helper")
    }
}

impl Reader {
    /// Cuts a select into about `pieces` ranges that tile all keys: the first open below, the last above.
    pub async fn cut(
        &mut self,
        select: &Select,
        pieces: u64,
        estimate: Option<u64>,
    ) -> Result<Vec<Bounds>, SourceError> {
        let _ = (select, pieces, estimate);
        unimplemented!("source helper")
    }

    /// The key of the `rows`th row within `bounds` (1 is the first); `None` when fewer are there.
    pub async fn key_at(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        rows: u64,
    ) -> Result<Option<Key>, SourceError> {
        let _ = (select, bounds, rows);
        unimplemented!("source helper")
    }

    /// All rows within `bounds` in key order.
    pub async fn page(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        max_bytes: usize,
    ) -> Result<PageRead, SourceError> {
        let _ = (select, bounds, max_bytes);
        unimplemented!("source helper")
    }
}
