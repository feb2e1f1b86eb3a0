//! What a SQLite file says about an entity's rows.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, Column as _, Executor, Row, SqlSafeStr, SqliteConnection, Statement as _};

use super::Session;
use super::error::failure;
use super::types;
use crate::source::error::Step;
use crate::source::pieces::{self, Pieces};
use crate::source::{
    Column, Dialect, ForeignKey, Piece, Relation, RelationKind, Rows, SourceError, UniqueKey, sql_text,
};

/// A table's place in the catalog.
struct Place {
    schema: String,
    table: String,
}

/// What must be known of a table before its keys are.
struct Facts {
    is_view: bool,
    without_rowid: bool,
}

impl Session {
    pub(in crate::source) async fn describe(
        &mut self,
        wanted: &Pieces<'_>,
    ) -> Result<Relation, Vec<SourceError>> {
        let connection = &mut self.connection;
        let mut relation = match wanted.rows {
            Rows::From(name) => table(connection, name).await,
            Rows::Query(query) => self::query(connection, query).await,
        }
        .map_err(|error| vec![error])?;
        let mut wrong = Vec::new();
        for (piece, sql) in wanted.checks(Dialect::Sqlite) {
            match sql {
                Err(error) => wrong.push(error),
                Ok(sql) => match columns_of(connection, piece, &sql).await {
                    Ok(columns) if matches!(piece, Piece::Computed(_)) => relation.computed.extend(columns),
                    Ok(_) => {}
                    Err(error) => wrong.push(error),
                },
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        pieces::name_computed(&mut relation, wanted.computed);
        Ok(relation)
    }
}

impl Session {
    /// Quoted where they must be.
    pub(in crate::source) async fn tables(&mut self) -> Result<Vec<String>, SourceError> {
        let names = sqlx::query_scalar(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              ORDER BY 1 LIMIT 1000",
        );
        let step = Step::Prepare(Piece::Rows);
        let names: Vec<String> = names
            .fetch_all(&mut self.connection)
            .await
            .map_err(|error| failure(&error, step, "list the tables"))?;
        Ok(names.into_iter().map(|name| sql_text::quote_where_odd(name, Dialect::Sqlite)).collect())
    }
}

async fn table(connection: &mut SqliteConnection, name: &str) -> Result<Relation, SourceError> {
    let parts = sql_text::name_parts(name, Dialect::Sqlite)
        .ok_or_else(|| pieces::not_a_name(name, Dialect::Sqlite))?;
    let place = match parts.as_slice() {
        [table] => Place { schema: "main".to_owned(), table: table.clone() },
        [schema, table] => Place { schema: schema.clone(), table: table.clone() },
        _ => return Err(pieces::not_a_name(name, Dialect::Sqlite)),
    };
    columns_of(connection, Piece::Rows, &format!("SELECT 1 FROM {name}")).await?;
    let fail = |error: sqlx::Error| failure(&error, Step::Prepare(Piece::Rows), format!("describe `{name}`"));
    let facts = facts(connection, &place).await.map_err(fail)?;
    let mut columns = columns(connection, &place).await.map_err(fail)?;
    let (unique_keys, rowid) = unique_keys(connection, &place, &facts, &mut columns).await.map_err(fail)?;
    let row_estimate = row_estimate(connection, name, &place, rowid.as_deref()).await.map_err(fail)?;
    Ok(Relation {
        kind: if facts.is_view { RelationKind::View } else { RelationKind::Table },
        columns: columns.into_iter().map(|(column, _)| column).collect(),
        computed: Vec::new(),
        unique_keys,
        foreign_keys: foreign_keys(connection, &place).await.map_err(fail)?,
        family: Vec::new(),
        row_estimate,
    })
}

async fn query(connection: &mut SqliteConnection, query: &str) -> Result<Relation, SourceError> {
    let [bare, wrapped] = pieces::query(query, Dialect::Sqlite)?;
    let columns = columns_of(connection, Piece::Rows, &bare).await?;
    pieces::no_duplicates(&columns)?;
    let columns = columns_of(connection, Piece::Rows, &wrapped).await?;
    Ok(Relation {
        kind: RelationKind::Query,
        columns,
        computed: Vec::new(),
        unique_keys: Vec::new(),
        foreign_keys: Vec::new(),
        family: Vec::new(),
        row_estimate: None,
    })
}

/// The columns of a statement, which is prepared and not run.
async fn columns_of(
    connection: &mut SqliteConnection,
    piece: Piece,
    sql: &str,
) -> Result<Vec<Column>, SourceError> {
    let fail = |error: sqlx::Error| failure(&error, Step::Prepare(piece), pieces::prepare_context(piece));
    let statement = connection.prepare(AssertSqlSafe(sql).into_sql_str()).await.map_err(fail)?;
    let parameters = statement.parameters().map_or(0, |either| either.either(<[_]>::len, |count| count));
    if parameters > 0 {
        return Err(pieces::parameters(piece));
    }
    let strict = sql_text::with_bracketed_names(sql);
    if strict != sql {
        let checked = connection.prepare(AssertSqlSafe(strict).into_sql_str()).await;
        checked.map_err(|error| fail(error).with_hint("a text stands in single quotes: 'text'"))?;
    }
    let mut declared: HashMap<String, HashMap<String, Column>> = HashMap::new();
    let mut columns = Vec::with_capacity(statement.columns().len());
    for column in statement.columns() {
        let origin = column.origin();
        let mut found = None;
        if let Some(origin) = origin.table_column() {
            let table = origin.table.to_string();
            if !declared.contains_key(&table) {
                let columns = declared_columns(connection, &table).await.map_err(fail)?;
                declared.insert(table.clone(), columns);
            }
            found = declared.get(&table).and_then(|columns| columns.get(&*origin.name)).cloned();
        }
        let found = found.unwrap_or_else(|| types::column("", "", true));
        columns.push(Column { name: column.name().to_owned(), nullable: true, ..found });
    }
    Ok(columns)
}

async fn declared_columns(
    connection: &mut SqliteConnection,
    table: &str,
) -> Result<HashMap<String, Column>, sqlx::Error> {
    // The driver names the table with its schema.
    let (schema, table) = table.split_once('.').unwrap_or(("main", table));
    let place = Place { schema: schema.to_owned(), table: table.to_owned() };
    let columns = columns(connection, &place).await?;
    Ok(columns.into_iter().map(|(column, _)| (column.name.clone(), column)).collect())
}

async fn facts(connection: &mut SqliteConnection, place: &Place) -> Result<Facts, sqlx::Error> {
    let row = sqlx::query(
        "SELECT type, wr FROM pragma_table_list WHERE schema = ?1 COLLATE NOCASE AND name = ?2 COLLATE NOCASE",
    );
    let row = row.bind(&place.schema).bind(&place.table).fetch_optional(connection).await?;
    let Some(row) = row else { return Ok(Facts { is_view: true, without_rowid: false }) };
    let kind: String = row.try_get(0)?;
    Ok(Facts { is_view: kind == "view", without_rowid: row.try_get::<i64, _>(1)? == 1 })
}

/// Columns and their places in the primary key, 0 for none; generated ones included, not the hidden ones
/// of a virtual table, through which it takes commands.
async fn columns(
    connection: &mut SqliteConnection,
    place: &Place,
) -> Result<Vec<(Column, i64)>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?2, ?1)
          WHERE hidden <> 1 ORDER BY cid",
    );
    let rows = rows.bind(&place.schema).bind(&place.table).fetch_all(&mut *connection).await?;
    let column = |row: &sqlx::sqlite::SqliteRow| {
        let name: String = row.try_get(0)?;
        let declared: String = row.try_get(1)?;
        let not_null: i64 = row.try_get(2)?;
        Ok((types::column(&name, &declared, not_null == 0), row.try_get(3)?))
    };
    let mut columns: Vec<(Column, i64)> = rows.iter().map(column).collect::<Result<_, sqlx::Error>>()?;
    let is_table = sqlx::query_scalar(
        "SELECT 1 FROM pragma_table_list WHERE type = 'table' AND schema = ?1 COLLATE NOCASE AND name = ?2 COLLATE NOCASE",
    );
    let is_table: Option<i64> =
        is_table.bind(&place.schema).bind(&place.table).fetch_optional(&mut *connection).await?;
    if is_table.is_some() {
        collate(connection, place, &mut columns).await?;
    }
    Ok(columns)
}

/// Tries what each column takes for equal to `a`, since no pragma tells its collation: of a UNION the
/// first SELECT decides, here one that gives no rows.
async fn collate(
    connection: &mut SqliteConnection,
    place: &Place,
    columns: &mut [(Column, i64)],
) -> Result<(), sqlx::Error> {
    let quote = |name: &str| sql_text::quote(name, Dialect::Sqlite);
    let listed = |sql: &dyn Fn(&str) -> String| {
        columns.iter().map(|(column, _)| sql(&quote(&column.name))).collect::<Vec<_>>().join(", ")
    };
    let sql = format!(
        "SELECT {} FROM (SELECT {} FROM {}.{} WHERE false UNION ALL SELECT {})",
        listed(&|name| format!("({name} = 'A') + 2 * ({name} = 'a ')")),
        listed(&str::to_owned),
        quote(&place.schema),
        quote(&place.table),
        listed(&|_| "'a'".to_owned()),
    );
    let row = sqlx::query(AssertSqlSafe(sql)).fetch_one(connection).await?;
    for (at, (column, _)) in columns.iter_mut().enumerate() {
        let equal: i64 = row.try_get(at)?;
        column.collation = types::collation(equal & 1 != 0, equal & 2 != 0);
    }
    Ok(())
}

/// Unique keys, and the name of the column that is the rowid.
async fn unique_keys(
    connection: &mut SqliteConnection,
    place: &Place,
    facts: &Facts,
    columns: &mut [(Column, i64)],
) -> Result<(Vec<UniqueKey>, Option<String>), sqlx::Error> {
    let indexes = sqlx::query(
        "SELECT name, origin FROM pragma_index_list(?2, ?1) WHERE \"unique\" = 1 AND partial = 0
          ORDER BY origin <> 'pk', name",
    );
    let indexes = indexes.bind(&place.schema).bind(&place.table).fetch_all(&mut *connection).await?;
    let mut keys = Vec::new();
    let mut rowid = None;
    let has_index = indexes.iter().any(|row| row.try_get::<&str, _>(1).is_ok_and(|origin| origin == "pk"));
    if let Some((column, _)) = columns.iter_mut().find(|(_, pk)| *pk == 1).filter(|_| !has_index) {
        // INTEGER PRIMARY KEY: the rowid itself, never NULL.
        column.nullable = false;
        rowid = Some(column.name.clone());
        let columns = vec![column.name.clone()];
        keys.push(UniqueKey { name: "primary key".to_owned(), primary: true, columns, not_null: true });
    } else if facts.without_rowid {
        columns.iter_mut().filter(|(_, pk)| *pk > 0).for_each(|(column, _)| column.nullable = false);
    }
    for index in indexes {
        let name: String = index.try_get(0)?;
        let primary = index.try_get::<&str, _>(1)? == "pk";
        if !collates(connection, place, &name).await? {
            keys.extend(unique_key(connection, place, name, primary, columns).await?);
        }
    }
    Ok((keys, rowid))
}

/// Whether an index may compare in another collation than its columns do.
async fn collates(
    connection: &mut SqliteConnection,
    place: &Place,
    index: &str,
) -> Result<bool, sqlx::Error> {
    let schema = sql_text::quote(&place.schema, Dialect::Sqlite);
    let sql =
        format!("SELECT sql LIKE '%collate%' FROM {schema}.sqlite_schema WHERE type = 'index' AND name = ?");
    let said: Option<Option<bool>> =
        sqlx::query_scalar(AssertSqlSafe(sql)).bind(index).fetch_optional(connection).await?;
    Ok(said.flatten().unwrap_or(false))
}

/// `None` for an index on an expression.
async fn unique_key(
    connection: &mut SqliteConnection,
    place: &Place,
    name: String,
    primary: bool,
    columns: &[(Column, i64)],
) -> Result<Option<UniqueKey>, sqlx::Error> {
    let rows = sqlx::query("SELECT name FROM pragma_index_xinfo(?2, ?1) WHERE key = 1 ORDER BY seqno");
    let rows = rows.bind(&place.schema).bind(&name).fetch_all(connection).await?;
    let mut names = Vec::with_capacity(rows.len());
    let mut not_null = true;
    for row in rows {
        let Some(column) = row.try_get::<Option<String>, _>(0)? else { return Ok(None) };
        let nullable =
            columns.iter().find(|(known, _)| known.name == column).is_none_or(|(known, _)| known.nullable);
        not_null &= !nullable;
        names.push(column);
    }
    Ok((!names.is_empty()).then_some(UniqueKey { name, primary, columns: names, not_null }))
}

async fn foreign_keys(
    connection: &mut SqliteConnection,
    place: &Place,
) -> Result<Vec<ForeignKey>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?2, ?1) ORDER BY id DESC, seq",
    );
    let rows = rows.bind(&place.schema).bind(&place.table).fetch_all(connection).await?;
    let mut keys: Vec<(i64, ForeignKey)> = Vec::new();
    for row in rows {
        let id = row.try_get(0)?;
        if keys.last().is_none_or(|(last, _)| *last != id) {
            keys.push((
                id,
                ForeignKey { columns: Vec::new(), table: row.try_get(1)?, referenced: Vec::new() },
            ));
        }
        if let Some((_, key)) = keys.last_mut() {
            key.columns.push(row.try_get(2)?);
            // Without a name the other table's primary key is meant.
            key.referenced.extend(row.try_get::<Option<String>, _>(3)?);
        }
    }
    Ok(keys.into_iter().map(|(_, key)| key).collect())
}

/// From ANALYZE, else the largest rowid, which is found at once.
async fn row_estimate(
    connection: &mut SqliteConnection,
    name: &str,
    place: &Place,
    rowid: Option<&str>,
) -> Result<Option<u64>, sqlx::Error> {
    let analyzed = sqlx::query_scalar("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'");
    let analyzed: Option<i64> = analyzed.fetch_optional(&mut *connection).await?;
    if analyzed.is_some() {
        let stat = sqlx::query_scalar(
            "SELECT stat FROM sqlite_stat1 WHERE tbl = ? COLLATE NOCASE AND stat IS NOT NULL",
        );
        let stat: Option<String> = stat.bind(&place.table).fetch_optional(&mut *connection).await?;
        let rows = stat.and_then(|stat| stat.split(' ').next().and_then(|rows| rows.parse().ok()));
        if rows.is_some() {
            return Ok(rows);
        }
    }
    let Some(rowid) = rowid else { return Ok(None) };
    let sql = format!("SELECT max({}) FROM {name}", sql_text::quote(rowid, Dialect::Sqlite));
    let most: Option<i64> = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(connection).await?;
    Ok(most.and_then(|most| u64::try_from(most).ok()).or(Some(0)))
}
