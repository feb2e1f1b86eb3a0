//! Reads keys and pages of rows from PostgreSQL.

use std::fmt;
use std::sync::Arc;

use futures::TryStreamExt;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Column as _, PgConnection, Postgres as Driver, Row, TypeInfo, ValueRef as _};

use super::error::failure;
use super::session::Keeper;
use super::sql::{self, Postgres};
use super::types;
use super::value;
use crate::source::error::{self, Step};
use crate::source::find::{self, KeyValue, Wanted};
use crate::source::sample::Window;
use crate::source::statement::{self, CellKind, Comparison as _, Statement};
use crate::source::{
    Bound, Bounds, Dialect, Draw, Key, KeyPart, Page, PageBuilder, PageRead, ParameterRow, Predicate,
    RawCell, RawType, Select, SourceError, SourceErrorKind,
};

/// One connection, in a transaction on the shared snapshot unless `snapshot = false`.
pub(in crate::source) struct Reader {
    connection: PgConnection,
    _keeper: Option<Arc<Keeper>>,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
}

impl Reader {
    pub(super) fn new(connection: PgConnection, keeper: Option<Arc<Keeper>>) -> Self {
        Self { connection, _keeper: keeper }
    }

    pub(in crate::source) async fn key_at(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        rows: u64,
    ) -> Result<Option<Key>, SourceError> {
        let statement = statement::key_at::<Postgres>(select, bounds, rows)?;
        let found = query(statement)?.fetch_optional(&mut self.connection).await;
        let found = found.map_err(|error| failure(&error, Step::Read, "find a position in the key"))?;
        found.map(|row| key(&row)).transpose()
    }

    pub(in crate::source) async fn page(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        max_bytes: usize,
        spare: Page,
    ) -> Result<PageRead, SourceError> {
        let outputs = statement::outputs(select, Dialect::Postgres, sql::cast);
        let statement = statement::rows_within::<Postgres>(select, &outputs, bounds)?;
        self.read(select, &statement::cell_kinds(select), statement, max_bytes, spare).await
    }

    pub(in crate::source) async fn sample(
        &mut self,
        select: &Select,
        bounds: &Bounds,
        window: Option<Window>,
    ) -> Result<Page, SourceError> {
        let mut outputs = statement::outputs(select, Dialect::Postgres, sql::cast);
        outputs.extend(statement::texts(select, Dialect::Postgres, sql::text, sql::as_text));
        let statement = statement::window_within::<Postgres>(select, &outputs, bounds, window)?;
        let kinds = statement::sample_kinds(select);
        self.read(select, &kinds, statement, usize::MAX, Page::default()).await?.whole()
    }

    pub(in crate::source) async fn count(&mut self, select: &Select) -> Result<u64, SourceError> {
        let sql = statement::count(select, Dialect::Postgres);
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
        for wanted in &wanted {
            self.check(wanted).await?;
        }
        let outputs = statement::outputs(select, Dialect::Postgres, sql::cast);
        let statement = statement::rows_equal::<Postgres>(select, &outputs, &wanted, rows)?;
        let kinds = statement::cell_kinds(select);
        self.read(select, &kinds, statement, usize::MAX, Page::default()).await?.whole()
    }

    pub(in crate::source) async fn draw(
        &mut self,
        select: &Select,
        draw: &mut Draw<'_>,
    ) -> Result<(), SourceError> {
        let outputs = statement::outputs(select, Dialect::Postgres, sql::cast);
        let statement = statement::rows_to_draw::<Postgres>(select, outputs, Postgres::key_output);
        let kinds = statement::cell_kinds(select);
        let lost = |error: sqlx::Error| failure(&error, Step::Read, "read the rows of `params`");
        let mut rows = query(statement)?.fetch(&mut self.connection);
        let mut checked = false;
        while let Some(row) = rows.try_next().await.map_err(lost)? {
            if !std::mem::replace(&mut checked, true) {
                check_types(&row, select)?;
            }
            let values = (kinds.len()..row.len()).map(|at| bindable(&row, at));
            let values = values.collect::<Result<Vec<_>, _>>().map_err(lost)?;
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
        let outputs = statement::outputs(select, Dialect::Postgres, sql::cast);
        let statement = statement::rows_matching::<Postgres>(select, &outputs, predicate, &bound);
        self.read(select, &statement::cell_kinds(select), statement, max_bytes, Page::default()).await
    }

    /// Asks the server alone whether a value is one of its column's type.
    async fn check(&mut self, wanted: &Wanted<'_>) -> Result<(), SourceError> {
        for form in &wanted.forms {
            let statement = Statement { sql: value::check(wanted.column), arguments: vec![form.clone()] };
            let fits = query(statement)?.fetch_one(&mut self.connection).await;
            match fits.and_then(|row| row.try_get::<Option<bool>, _>(0)) {
                Ok(Some(true)) => {}
                Ok(_) => return Err(find::unfit(wanted.column)),
                Err(error) => {
                    let error = failure(&error, Step::Value, "read the value of a key column");
                    let unfit = error.kind == SourceErrorKind::KeyValue;
                    return Err(if unfit { find::unfit(wanted.column) } else { error });
                }
            }
        }
        Ok(())
    }

    async fn read(
        &mut self,
        select: &Select,
        kinds: &[CellKind],
        statement: Statement,
        max_bytes: usize,
        spare: Page,
    ) -> Result<PageRead, SourceError> {
        let query = query(statement)?;
        let lost = |error: sqlx::Error| failure(&error, Step::Read, "read a page of rows");
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
}

/// Each page of another statement, or of another connection, may find the table altered.
fn check_types(row: &PgRow, select: &Select) -> Result<(), SourceError> {
    for (output, found) in select.output.iter().zip(row.columns()) {
        let Some(column) = statement::value_of(output) else { continue };
        let (RawType::Postgres(planned), Some(oid)) = (&column.raw, found.type_info().oid()) else {
            continue;
        };
        if !types::arrives_as(planned, oid.0) {
            let found = found.type_info().name().to_ascii_lowercase();
            return Err(error::changed_type(&column.name, &column.sql_type, &found));
        }
    }
    Ok(())
}

fn push(row: &PgRow, kinds: &[CellKind], page: &mut PageBuilder) -> Result<(), sqlx::Error> {
    for (at, kind) in kinds.iter().enumerate() {
        let value = row.try_get_raw(at)?;
        if value.is_null() {
            page.push(RawCell::Null);
            continue;
        }
        let bytes = value.as_bytes().map_err(sqlx::Error::Decode)?;
        page.push(match kind {
            CellKind::Value => RawCell::Bytes(bytes),
            CellKind::Condition => RawCell::Integer(i64::from(bytes.iter().any(|byte| *byte != 0))),
        });
    }
    Ok(())
}

fn bindable(row: &PgRow, at: usize) -> Result<Option<KeyPart>, sqlx::Error> {
    let value = row.try_get_raw(at)?;
    if value.is_null() {
        return Ok(None);
    }
    value.as_bytes().map(|bytes| Some(KeyPart::text(bytes))).map_err(sqlx::Error::Decode)
}

fn key(row: &PgRow) -> Result<Key, SourceError> {
    let part = |at| row.try_get_raw(at)?.as_bytes().map(KeyPart::text).map_err(sqlx::Error::Decode);
    let parts: Result<Vec<KeyPart>, sqlx::Error> = (0..row.len()).map(part).collect();
    parts.map(Key).map_err(|error| failure(&error, Step::Read, "read a position in the key"))
}

fn query(statement: Statement) -> Result<Query<'static, Driver, PgArguments>, SourceError> {
    let mut query = sqlx::query(AssertSqlSafe(statement.sql));
    for part in statement.arguments {
        query = match part {
            KeyPart::Text(text) => query.bind(text),
            KeyPart::RawText(bytes) => query.bind(bytes),
            _ => {
                return Err(SourceError::new(
                    SourceErrorKind::Config,
                    "read from a position in the key",
                    "it is a position of another database",
                ));
            }
        };
    }
    Ok(query)
}
