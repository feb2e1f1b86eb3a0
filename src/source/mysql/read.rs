//! Reads keys and pages of rows from MySQL.

use std::fmt;

use futures::TryStreamExt;
use sqlx::mysql::{MySqlArguments, MySqlRow};
use sqlx::query::Query;
use sqlx::{
    AssertSqlSafe, Column as _, Decode, Executor, MySql, MySqlConnection, Row, SqlSafeStr, Statement as _,
    TypeInfo,
};

use super::error::failure;
use super::sql::{self, Mysql};
use super::types;
use super::value;
use crate::source::error::{self, Step};
use crate::source::find::{self, KeyValue};
use crate::source::sample::Window;
use crate::source::statement::{self, CellKind, Statement};
use crate::source::{
    Bound, Bounds, Column, Dialect, Draw, Key, KeyPart, MysqlType, Page, PageBuilder, PageRead, ParameterRow,
    Predicate, RawCell, RawType, Select, SourceError, SourceErrorKind,
};

/// One connection, in a transaction of its own snapshot unless `snapshot = false`.
pub(in crate::source) struct Reader {
    connection: MySqlConnection,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
}

impl Reader {
    pub(super) fn new(connection: MySqlConnection) -> Self {
        Self { connection }
    }

    pub(in crate::source) async fn key_at(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        rows: u64,
    ) -> Result<Option<Key>, SourceError> {
        let doing = "find a position in the key";
        let query = self.query(statement::key_at::<Mysql>(select, bounds, rows)?, doing).await?;
        let found = query.fetch_all(&mut self.connection).await;
        let found = found.map_err(|error| failure(&error, Step::Read, doing))?;
        found.first().map(|row| key(row, &select.key)).transpose()
    }

    pub(in crate::source) async fn page(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        max_bytes: usize,
        spare: Page,
    ) -> Result<PageRead, SourceError> {
        let outputs = statement::outputs(select, Dialect::Mysql, sql::cast);
        let statement = statement::rows_within::<Mysql>(select, &outputs, bounds)?;
        self.read(select, &statement::cell_kinds(select), statement, max_bytes, spare).await
    }

    pub(in crate::source) async fn sample(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        window: Option<Window>,
    ) -> Result<Page, SourceError> {
        let mut outputs = statement::outputs(select, Dialect::Mysql, sql::cast);
        outputs.extend(statement::texts(select, Dialect::Mysql, sql::text, sql::as_text));
        let statement = statement::window_within::<Mysql>(select, &outputs, bounds, window)?;
        let kinds = statement::sample_kinds(select);
        self.read(select, &kinds, statement, usize::MAX, Page::default()).await?.whole()
    }

    pub(in crate::source) async fn count(&mut self, select: &Select) -> Result<u64, SourceError> {
        let sql = statement::count(select, Dialect::Mysql);
        let row = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_one(&mut self.connection).await;
        let count: Result<i64, sqlx::Error> = row.and_then(|row| row.try_get(0));
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
        let outputs = statement::outputs(select, Dialect::Mysql, sql::cast);
        let statement = statement::rows_equal::<Mysql>(select, &outputs, &wanted, rows)?;
        let kinds = statement::cell_kinds(select);
        self.read(select, &kinds, statement, usize::MAX, Page::default()).await?.whole()
    }

    pub(in crate::source) async fn draw(
        &mut self,
        select: &Select,
        draw: &mut Draw<'_>,
    ) -> Result<(), SourceError> {
        let doing = "read the rows of `params`";
        let outputs = statement::outputs(select, Dialect::Mysql, sql::cast);
        let statement = statement::rows_to_draw::<Mysql>(select, outputs, sql::bindable);
        let kinds = statement::cell_kinds(select);
        let query = self.query(statement, doing).await?;
        let lost = |error: sqlx::Error| failure(&error, Step::Read, doing);
        let mut rows = query.fetch(&mut self.connection);
        let mut checked = false;
        while let Some(row) = rows.try_next().await.map_err(lost)? {
            if !std::mem::replace(&mut checked, true) {
                check_types(&row, select)?;
            }
            let columns = select.output.iter().filter_map(statement::value_of);
            let values = (kinds.len()..).zip(columns).map(|(at, column)| bindable(&row, at, column));
            let values = values.collect::<Result<Vec<_>, _>>()?;
            let Some(rank) = draw.place(&values) else { continue };
            let mut page = PageBuilder::new(kinds.len());
            push(&row, &kinds, &mut page).map_err(lost)?;
            draw.keep(rank, ParameterRow { page: page.finish(), values });
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
        let outputs = statement::outputs(select, Dialect::Mysql, sql::cast);
        let statement = statement::rows_matching::<Mysql>(select, &outputs, predicate, &bound);
        self.read(select, &statement::cell_kinds(select), statement, max_bytes, Page::default()).await
    }

    async fn read(
        &mut self,
        select: &Select,
        kinds: &[CellKind],
        statement: Statement,
        max_bytes: usize,
        spare: Page,
    ) -> Result<PageRead, SourceError> {
        let doing = "read a page of rows";
        let query = self.query(statement, doing).await?;
        let lost = |error: sqlx::Error| failure(&error, Step::Read, doing);
        let mut page = PageBuilder::reusing(spare, kinds.len());
        let mut rows = query.fetch(&mut self.connection);
        while let Some(row) = rows.try_next().await.map_err(lost)? {
            if page.rows() == 0 {
                check_types(&row, select)?;
            }
            push(&row, kinds, &mut page).map_err(lost)?;
            if page.size() > max_bytes && page.rows() > 1 {
                return Ok(PageRead::TooLarge { rows: page.rows() });
            }
        }
        Ok(PageRead::Page(page.finish()))
    }

    /// Asks the server how many parameters it sees before any is bound: after a statement with too few
    /// the driver waits for ever.
    async fn query(
        &mut self,
        statement: Statement,
        doing: &str,
    ) -> Result<Query<'static, MySql, MySqlArguments>, SourceError> {
        let prepared = self.connection.prepare(AssertSqlSafe(statement.sql.clone()).into_sql_str()).await;
        let prepared = prepared.map_err(|error| failure(&error, Step::Read, doing))?;
        let wanted = prepared.parameters().map_or(0, |either| either.either(<[_]>::len, |count| count));
        if wanted != statement.arguments.len() {
            return Err(SourceError::new(SourceErrorKind::Config, doing, "the mapping's SQL has parameters"));
        }
        let mut query = sqlx::query(AssertSqlSafe(statement.sql));
        for part in statement.arguments {
            query = match part {
                KeyPart::Text(text) => query.bind(text),
                KeyPart::Integer(number) => query.bind(number),
                KeyPart::Unsigned(number) => query.bind(number),
                KeyPart::Bytes(bytes) => query.bind(bytes),
                KeyPart::Real(_) | KeyPart::RawText(_) => {
                    return Err(SourceError::new(
                        SourceErrorKind::Config,
                        doing,
                        "a position of another database",
                    ));
                }
            };
        }
        Ok(query)
    }
}

/// Each page of another statement, or of another connection, may find the table altered.
fn check_types(row: &MySqlRow, select: &Select) -> Result<(), SourceError> {
    for (output, found) in select.output.iter().zip(row.columns()) {
        let Some(column) = statement::value_of(output) else { continue };
        let RawType::Mysql(planned) = &column.raw else { continue };
        if !types::arrives_as(planned, found.type_info()) {
            let found = found.type_info().name().to_ascii_lowercase();
            return Err(error::changed_type(&column.name, &column.sql_type, &found));
        }
    }
    Ok(())
}

fn push(row: &MySqlRow, kinds: &[CellKind], page: &mut PageBuilder) -> Result<(), sqlx::Error> {
    for (at, kind) in kinds.iter().enumerate() {
        // An error means NULL; is_null() would take a zero date for NULL too.
        let cell = match (<&[u8] as Decode<'_, MySql>>::decode(row.try_get_raw(at)?), kind) {
            (Err(_), _) => RawCell::Null,
            (Ok(bytes), CellKind::Value) => RawCell::Bytes(bytes),
            (Ok(bytes), CellKind::Condition) => {
                RawCell::Integer(i64::from(bytes.iter().any(|byte| *byte != 0)))
            }
        };
        page.push(cell);
    }
    Ok(())
}

/// As in [`push`], an error means NULL.
fn bindable(row: &MySqlRow, at: usize, column: &Column) -> Result<Option<KeyPart>, SourceError> {
    let doing = "read the rows of `params`";
    let value = row.try_get_raw(at).map_err(|error| failure(&error, Step::Read, doing))?;
    let Ok(bytes) = <&[u8] as Decode<'_, MySql>>::decode(value) else { return Ok(None) };
    let part = key_part(bytes, &column.raw).ok_or_else(|| {
        let cause = format!("column `{}` has a value that cannot be bound again", column.name);
        SourceError::new(SourceErrorKind::Server, doing, cause)
    });
    part.map(Some)
}

fn key(row: &MySqlRow, columns: &[Column]) -> Result<Key, SourceError> {
    let doing = "read a position in the key";
    let part = |(at, column): (usize, &Column)| {
        let value = row.try_get_raw(at).map_err(|error| failure(&error, Step::Read, doing))?;
        let bytes = <&[u8] as Decode<'_, MySql>>::decode(value).ok();
        bytes.and_then(|bytes| key_part(bytes, &column.raw)).ok_or_else(|| {
            let cause = format!("column `{}` has a value that cannot be a position", column.name);
            SourceError::new(SourceErrorKind::Server, doing, cause)
        })
    };
    columns.iter().enumerate().map(part).collect::<Result<Vec<_>, _>>().map(Key)
}

/// The binary protocol's value in the form that compares as its column does.
fn key_part(bytes: &[u8], raw: &RawType) -> Option<KeyPart> {
    let RawType::Mysql(raw) = raw else { return None };
    match raw {
        MysqlType::Integer { unsigned: false } | MysqlType::TinyInt1 { unsigned: false } => {
            signed(bytes).map(KeyPart::Integer)
        }
        MysqlType::Integer { unsigned: true }
        | MysqlType::TinyInt1 { unsigned: true }
        | MysqlType::Year
        | MysqlType::Bit { .. } => unsigned(bytes).map(KeyPart::Unsigned),
        MysqlType::Binary | MysqlType::Recoded { .. } => Some(KeyPart::Bytes(bytes.to_vec())),
        _ => std::str::from_utf8(bytes).ok().map(|text| KeyPart::Text(text.to_owned())),
    }
}

/// Little endian, 1 to 8 bytes.
fn signed(bytes: &[u8]) -> Option<i64> {
    match bytes {
        [a] => Some(i64::from(i8::from_le_bytes([*a]))),
        [a, b] => Some(i64::from(i16::from_le_bytes([*a, *b]))),
        [a, b, c, d] => Some(i64::from(i32::from_le_bytes([*a, *b, *c, *d]))),
        _ => bytes.try_into().ok().map(i64::from_le_bytes),
    }
}

/// Little endian, up to 8 bytes.
fn unsigned(bytes: &[u8]) -> Option<u64> {
    (bytes.len() <= 8).then(|| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}
