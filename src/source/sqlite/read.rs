//! Reads keys and pages of rows from SQLite.

use std::fmt;

use futures::TryStreamExt;
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteRow, SqliteValueRef};
use sqlx::{AssertSqlSafe, Decode, Row, Sqlite as Driver, SqliteConnection, TypeInfo, ValueRef};

use super::error::failure;
use super::sql::{self, Sqlite};
use super::value;
use crate::source::error::Step;
use crate::source::find::{self, KeyValue};
use crate::source::sample::Window;
use crate::source::statement::{self, Statement};
use crate::source::{
    Bound, Bounds, Column, Dialect, Draw, Key, KeyPart, Page, PageBuilder, PageRead, ParameterRow, Predicate,
    RawCell, Select, SourceError, SourceErrorKind,
};

/// One connection, in one transaction unless `snapshot = false`.
pub(in crate::source) struct Reader {
    connection: SqliteConnection,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
}

impl Reader {
    pub(super) fn new(connection: SqliteConnection) -> Self {
        Self { connection }
    }

    pub(in crate::source) async fn key_at(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        rows: u64,
    ) -> Result<Option<Key>, SourceError> {
        let statement = statement::key_at::<Sqlite>(select, bounds, rows)?;
        let found = query(statement).fetch_optional(&mut self.connection).await;
        let found = found.map_err(|error| failure(&error, Step::Read, "find a position in the key"))?;
        found.map(|row| key(&row, &select.key)).transpose()
    }

    pub(in crate::source) async fn page(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        max_bytes: usize,
        spare: Page,
    ) -> Result<PageRead, SourceError> {
        let outputs = statement::outputs(select, Dialect::Sqlite, sql::cast);
        let statement = statement::rows_within::<Sqlite>(select, &outputs, bounds)?;
        self.read(outputs.len(), statement, max_bytes, spare).await
    }

    pub(in crate::source) async fn sample(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        window: Option<Window>,
    ) -> Result<Page, SourceError> {
        let mut outputs = statement::outputs(select, Dialect::Sqlite, sql::cast);
        outputs.extend(statement::texts(select, Dialect::Sqlite, sql::text, sql::as_text));
        let statement = statement::window_within::<Sqlite>(select, &outputs, bounds, window)?;
        self.read(outputs.len(), statement, usize::MAX, Page::default()).await?.whole()
    }

    pub(in crate::source) async fn count(&mut self, select: &Select) -> Result<u64, SourceError> {
        let sql = statement::count(select, Dialect::Sqlite);
        let count: Result<i64, sqlx::Error> =
            sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut self.connection).await;
        let count = count.map_err(|error| failure(&error, Step::Read, "count rows"))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    pub(in crate::source) async fn find(
        &mut self,
        select: &Select,
        values: &[KeyValue],
        rows: u64,
    ) -> Result<Page, SourceError> {
        let wanted = find::wanted(select, values, value::forms)?;
        let outputs = statement::outputs(select, Dialect::Sqlite, sql::cast);
        let statement = statement::rows_equal::<Sqlite>(select, &outputs, &wanted, rows)?;
        self.read(outputs.len(), statement, usize::MAX, Page::default()).await?.whole()
    }

    pub(in crate::source) async fn draw(
        &mut self,
        select: &Select,
        draw: &mut Draw<'_>,
    ) -> Result<(), SourceError> {
        let outputs = statement::outputs(select, Dialect::Sqlite, sql::cast);
        let columns = outputs.len();
        let statement = statement::all_rows::<Sqlite>(select, &outputs);
        let lost = |error: sqlx::Error| failure(&error, Step::Read, "read the rows of `params`");
        let mut rows = query(statement).fetch(&mut self.connection);
        while let Some(row) = rows.try_next().await.map_err(lost)? {
            let mut page = PageBuilder::new(columns);
            let mut values = Vec::with_capacity(columns);
            for at in 0..columns {
                let cell = cell(row.try_get_raw(at).map_err(lost)?).map_err(lost)?;
                page.push(cell);
                values.push(key_part(cell));
            }
            if let Some(rank) = draw.place(&values) {
                draw.keep(rank, ParameterRow { page: page.finish(), values });
            }
        }
        Ok(())
    }

    pub(in crate::source) async fn matching(
        &mut self,
        select: &Select,
        predicate: &Predicate,
        bound: Bound<'_>,
        max_bytes: usize,
    ) -> Result<PageRead, SourceError> {
        let outputs = statement::outputs(select, Dialect::Sqlite, sql::cast);
        let statement = statement::rows_matching::<Sqlite>(select, &outputs, predicate, &bound);
        self.read(outputs.len(), statement, max_bytes, Page::default()).await
    }

    async fn read(
        &mut self,
        columns: usize,
        statement: Statement,
        max_bytes: usize,
        spare: Page,
    ) -> Result<PageRead, SourceError> {
        let query = query(statement);
        let lost = |error: sqlx::Error| failure(&error, Step::Read, "read a page of rows");
        let mut page = PageBuilder::reusing(spare, columns);
        let mut rows = query.fetch(&mut self.connection);
        while let Some(row) = rows.try_next().await.map_err(lost)? {
            for at in 0..columns {
                let value = row.try_get_raw(at).map_err(lost)?;
                page.push(cell(value).map_err(lost)?);
            }
            if page.size() > max_bytes && page.rows() > 1 {
                return Ok(PageRead::TooLarge { rows: page.rows() });
            }
        }
        Ok(PageRead::Page(page.finish()))
    }
}

/// By the value's own storage class.
fn cell(value: SqliteValueRef<'_>) -> Result<RawCell<'_>, sqlx::Error> {
    if value.is_null() {
        return Ok(RawCell::Null);
    }
    let class = value.type_info();
    let cell = match class.name() {
        "INTEGER" => <i64 as Decode<'_, Driver>>::decode(value).map(RawCell::Integer),
        "REAL" => <f64 as Decode<'_, Driver>>::decode(value).map(RawCell::Real),
        "TEXT" => <&[u8] as Decode<'_, Driver>>::decode(value).map(RawCell::Text),
        _ => <&[u8] as Decode<'_, Driver>>::decode(value).map(RawCell::Blob),
    };
    cell.map_err(sqlx::Error::Decode)
}

fn key(row: &SqliteRow, columns: &[Column]) -> Result<Key, SourceError> {
    let doing = "read a position in the key";
    let fail = |error: sqlx::Error| failure(&error, Step::Read, doing);
    let part = |(at, column): (usize, &Column)| {
        let part = key_part(cell(row.try_get_raw(at).map_err(fail)?).map_err(fail)?);
        part.ok_or_else(|| {
            let cause = format!("column `{}` has a NULL", column.name);
            SourceError::new(SourceErrorKind::Server, doing, cause)
        })
    };
    columns.iter().enumerate().map(part).collect::<Result<Vec<_>, _>>().map(Key)
}

/// `None` for NULL.
fn key_part(cell: RawCell<'_>) -> Option<KeyPart> {
    match cell {
        RawCell::Integer(number) => Some(KeyPart::Integer(number)),
        RawCell::Real(number) => Some(KeyPart::Real(number.to_bits())),
        RawCell::Text(text) => Some(KeyPart::text(text)),
        RawCell::Blob(bytes) | RawCell::Bytes(bytes) => Some(KeyPart::Bytes(bytes.to_vec())),
        RawCell::Null => None,
    }
}

fn query(statement: Statement) -> Query<'static, Driver, SqliteArguments> {
    let mut query = sqlx::query(AssertSqlSafe(statement.sql));
    for part in statement.arguments {
        query = match part {
            KeyPart::Integer(number) => query.bind(number),
            KeyPart::Real(bits) => query.bind(f64::from_bits(bits)),
            KeyPart::Text(text) => query.bind(text),
            KeyPart::Bytes(bytes) | KeyPart::RawText(bytes) => query.bind(bytes),
            // Never written by this database: the text of a number compares as that number.
            KeyPart::Unsigned(number) => query.bind(number.to_string()),
        };
    }
    query
}
