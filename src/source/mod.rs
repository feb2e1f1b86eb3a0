//! The relational side: catalog, sessions, snapshots, ranges of keys and pages of rows.
//!
//! The only home of sqlx. Knows no item and no mapping rule: it is told what to select and hands back
//! raw cells, whose bytes [`crate::item`] decodes by the [`RawType`] of their column. The three
//! dialects stand side by side (`postgres`, `mysql`, `sqlite`) with the same file names in each.

mod catalog;
mod cursor;
mod error;
mod find;
mod key;
mod mysql;
mod near;
mod page;
mod parameters;
mod pieces;
mod postgres;
mod ranges;
mod raw;
mod sample;
mod select;
mod sql_text;
mod sqlite;
mod statement;
mod url;

use std::time::Duration;

use crate::mapping::SourceSettings;

pub use catalog::{
    Collation, Column, Folding, Foreign, ForeignKey, Identity, Relation, RelationKind, Transport, UniqueKey,
};
pub use cursor::{Bounds, Cursor, PageLimits, Position};
pub use error::{Piece, SourceError, SourceErrorKind};
pub use find::KeyValue;
pub use key::{Key, KeyPart};
pub use near::Kinship;
pub use page::{Page, PageBuilder, RawCell, Row};
pub use parameters::{Bound, Draw, ParameterRow, Predicate};
pub use raw::{Class, MysqlType, PgType, RawType, SqliteType};
pub use sample::{Sample, Window};
pub use select::{Computed, Output, Rows, Select};
pub use sqlite::write_sqlite;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Postgres,
    Mysql,
    Sqlite,
}

/// A connected source: one control connection for the catalog, and the means to open readers.
#[derive(Debug)]
pub struct Source {
    session: Session,
    identity: Identity,
    page_rows: u64,
}

#[derive(Debug)]
enum Session {
    Postgres(postgres::Session),
    Mysql(mysql::Session),
    Sqlite(sqlite::Session),
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

/// One connection that reads pages. After an error it is of no further use.
#[derive(Debug)]
pub struct Reader {
    connection: Connection,
    page_rows: u64,
}

#[derive(Debug)]
enum Connection {
    Postgres(postgres::Reader),
    Mysql(mysql::Reader),
    Sqlite(sqlite::Reader),
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

impl PageRead {
    /// The page of a read that has no limit.
    fn whole(self) -> Result<Page, SourceError> {
        match self {
            PageRead::Page(page) => Ok(page),
            PageRead::TooLarge { .. } => {
                Err(SourceError::new(SourceErrorKind::Server, "read a few rows", "they are too large"))
            }
        }
    }
}

/// What a dialect opens: its own readers.
struct Supply<R> {
    readers: Vec<R>,
    consistency: Consistency,
}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

impl Source {
    /// Connects with a read-only session set on purpose (design, "Sessions") and asserted.
    pub async fn connect(settings: &SourceSettings) -> Result<Source, SourceError> {
        let (session, identity) = match url::dialect(settings.url.get_ref().expose())? {
            Dialect::Postgres => {
                let (session, identity) = postgres::Session::connect(settings).await?;
                (Session::Postgres(session), identity)
            }
            Dialect::Mysql => {
                let (session, identity) = mysql::Session::connect(settings).await?;
                (Session::Mysql(session), identity)
            }
            Dialect::Sqlite => {
                let (session, identity) = sqlite::Session::connect(settings).await?;
                (Session::Sqlite(session), identity)
            }
        };
        Ok(Source { session, identity, page_rows: settings.page_rows })
    }

    pub fn dialect(&self) -> Dialect {
        match self.session {
            Session::Postgres(_) => Dialect::Postgres,
            Session::Mysql(_) => Dialect::Mysql,
            Session::Sqlite(_) => Dialect::Sqlite,
        }
    }

    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Describes an entity's rows. Every piece of SQL is prepared alone, so that an error names the
    /// wrong one; all wrong pieces are returned, or the rows' error alone.
    pub async fn describe(
        &mut self,
        rows: &Rows,
        filter: Option<&str>,
        computed: &[Computed],
        conditions: &[String],
    ) -> Result<Relation, Vec<SourceError>> {
        let pieces = pieces::Pieces { rows, filter, computed, conditions };
        let mut described = match &mut self.session {
            Session::Postgres(session) => session.describe(&pieces).await,
            Session::Mysql(session) => session.describe(&pieces).await,
            Session::Sqlite(session) => session.describe(&pieces).await,
        };
        if let (Rows::From(name), Err(errors)) = (rows, &mut described) {
            for error in errors.iter_mut().filter(|error| error.kind == SourceErrorKind::Sql(Piece::Rows)) {
                // Where the names cannot be had, the error stands all the same.
                if let (None, Ok(tables)) = (&error.hint, self.tables().await) {
                    error.hint = Some(pieces::likely_table(name, &tables, self.dialect()));
                }
            }
        }
        described
    }

    /// Tables and views of the database, as `from` takes them.
    async fn tables(&mut self) -> Result<Vec<String>, SourceError> {
        match &mut self.session {
            Session::Postgres(session) => session.tables().await,
            Session::Mysql(session) => session.tables().await,
            Session::Sqlite(session) => session.tables().await,
        }
    }

    /// Asks the database whether the select's key is unique and not NULL over its rows.
    pub async fn check_key(&mut self, select: &Select) -> Result<KeyCheck, SourceError> {
        match &mut self.session {
            Session::Postgres(session) => session.check_key(select).await,
            Session::Mysql(session) => session.check_key(select).await,
            Session::Sqlite(session) => session.check_key(select).await,
        }
    }

    /// Of a select's rows those that refer to a parent which keys write otherwise.
    pub fn spelled_otherwise(&self, select: &Select, kin: Kinship<'_>) -> Select {
        let version = self.identity.server.strip_prefix("PostgreSQL ").unwrap_or_default();
        let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        let speech = near::Speech { dialect: self.dialect(), normalizes: major >= Some(13) };
        near::spelled_otherwise(select, kin, speech)
    }

    /// Opens readers on one snapshot, and may be called again for a new one. `selects` are what will
    /// be read (for LOCK TABLES, and against changes behind PostgreSQL's snapshot). SQLite gives one reader whatever is asked, unless `snapshot = false`.
    pub async fn open(&mut self, readers: usize, selects: &[Select]) -> Result<Snapshot, SourceError> {
        let page_rows = self.page_rows;
        let readers = readers.max(1);
        Ok(match &mut self.session {
            Session::Postgres(session) => {
                session.open(readers, selects).await?.named(Connection::Postgres, page_rows)
            }
            Session::Mysql(session) => {
                session.open(readers, selects).await?.named(Connection::Mysql, page_rows)
            }
            Session::Sqlite(session) => session.open(readers).await?.named(Connection::Sqlite, page_rows),
        })
    }
}

impl<R> Supply<R> {
    fn named(self, name: impl Fn(R) -> Connection, page_rows: u64) -> Snapshot {
        let readers = self.readers.into_iter().map(|reader| Reader { connection: name(reader), page_rows });
        Snapshot { readers: readers.collect(), consistency: self.consistency }
    }
}

impl Reader {
    /// Cuts a select into about `pieces` ranges that tile all keys: the first open below, the last
    /// above. Fewer where a range would have less than a page; at most twice as many where the
    /// estimate is too low.
    pub async fn cut(
        &mut self,
        select: &Select,
        pieces: u64,
        estimate: Option<u64>,
    ) -> Result<Vec<Bounds>, SourceError> {
        ranges::cut(self, select, pieces, estimate).await
    }

    /// The key of the `rows`th row within `bounds` (1 is the first); `None` when fewer are there.
    pub async fn key_at(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        rows: u64,
    ) -> Result<Option<Key>, SourceError> {
        match &mut self.connection {
            Connection::Postgres(reader) => reader.key_at(select, bounds, rows).await,
            Connection::Mysql(reader) => reader.key_at(select, bounds, rows).await,
            Connection::Sqlite(reader) => reader.key_at(select, bounds, rows).await,
        }
    }

    /// How many rows there are.
    pub async fn count(&mut self, select: &Select) -> Result<u64, SourceError> {
        match &mut self.connection {
            Connection::Postgres(reader) => reader.count(select).await,
            Connection::Mysql(reader) => reader.count(select).await,
            Connection::Sqlite(reader) => reader.count(select).await,
        }
    }

    /// The first `rows` rows, in key order, that have the given values in columns of their key; of all
    /// rows without any. Values are written as [`crate::item::source_key`] shows them.
    pub async fn find(
        &mut self,
        select: &Select,
        values: &[KeyValue],
        rows: u64,
    ) -> Result<Page, SourceError> {
        match &mut self.connection {
            Connection::Postgres(reader) => reader.find(select, values, rows).await,
            Connection::Mysql(reader) => reader.find(select, values, rows).await,
            Connection::Sqlite(reader) => reader.find(select, values, rows).await,
        }
    }

    /// Draws from all rows of a select without a key: those of `params`.
    pub async fn draw(&mut self, select: &Select, draw: &mut Draw<'_>) -> Result<(), SourceError> {
        match &mut self.connection {
            Connection::Postgres(reader) => reader.draw(select, draw).await,
            Connection::Mysql(reader) => reader.draw(select, draw).await,
            Connection::Sqlite(reader) => reader.draw(select, draw).await,
        }
    }

    /// The rows that a predicate also holds for, in any order.
    pub async fn matching(
        &mut self,
        select: &Select,
        predicate: &Predicate,
        bound: Bound<'_>,
        max_bytes: usize,
    ) -> Result<PageRead, SourceError> {
        match &mut self.connection {
            Connection::Postgres(reader) => reader.matching(select, predicate, bound, max_bytes).await,
            Connection::Mysql(reader) => reader.matching(select, predicate, bound, max_bytes).await,
            Connection::Sqlite(reader) => reader.matching(select, predicate, bound, max_bytes).await,
        }
    }

    /// A window of the rows within `bounds` in key order, all without, as cells and as the server's own text.
    async fn sample(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        window: Option<Window>,
    ) -> Result<Sample, SourceError> {
        let page = match &mut self.connection {
            Connection::Postgres(reader) => reader.sample(select, bounds, window).await?,
            Connection::Mysql(reader) => reader.sample(select, bounds, window).await?,
            Connection::Sqlite(reader) => reader.sample(select, bounds, window).await?,
        };
        Ok(Sample::new(page, select))
    }

    /// All rows within `bounds` in key order. A page is whole or an error, never cut short.
    pub async fn page(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        max_bytes: usize,
    ) -> Result<PageRead, SourceError> {
        self.page_into(Page::default(), select, bounds, max_bytes).await
    }

    /// As [`Reader::page`], in the memory of a page that nobody needs any more.
    async fn page_into(
        &mut self,
        spare: Page,
        select: &Select,
        bounds: &Bounds,
        max_bytes: usize,
    ) -> Result<PageRead, SourceError> {
        match &mut self.connection {
            Connection::Postgres(reader) => reader.page(select, bounds, max_bytes, spare).await,
            Connection::Mysql(reader) => reader.page(select, bounds, max_bytes, spare).await,
            Connection::Sqlite(reader) => reader.page(select, bounds, max_bytes, spare).await,
        }
    }
}

fn connect_timeout(context: String) -> SourceError {
    let cause = format!("no answer within {} s", CONNECT_TIMEOUT.as_secs());
    SourceError::new(SourceErrorKind::Connect, context, cause)
        .with_hint("check host, port, firewalls and security groups between here and the server")
}
