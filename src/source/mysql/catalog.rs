//! What MySQL's catalog says about an entity's rows.

use std::collections::HashMap;

use sqlx::mysql::MySqlRow;
use sqlx::{AssertSqlSafe, Column as _, Executor, MySqlConnection, Row, SqlSafeStr, Statement as _};

use super::Session;
use super::error::failure;
use super::types::{self, Declared};
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

impl Session {
    pub(in crate::source) async fn describe(
        &mut self,
        wanted: &Pieces<'_>,
    ) -> Result<Relation, Vec<SourceError>> {
        let (database, is_mariadb) = (self.database.clone(), self.is_mariadb);
        let connection = self.control().await.map_err(|error| vec![error])?;
        let mut relation = match wanted.rows {
            Rows::From(name) => table(connection, name, database, is_mariadb).await,
            Rows::Query(query) => self::query(connection, is_mariadb, query).await,
        }
        .map_err(|error| vec![error])?;
        let mut wrong = Vec::new();
        for (piece, sql) in wanted.checks(Dialect::Mysql) {
            match sql {
                Err(error) => wrong.push(error),
                Ok(sql) => match columns_of(connection, is_mariadb, piece, sql).await {
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
        let connection = self.control().await?;
        let names = sqlx::query_scalar(
            "SELECT CAST(table_name AS CHAR) FROM information_schema.tables
              WHERE table_schema = DATABASE() ORDER BY 1 LIMIT 1000",
        );
        let step = Step::Prepare(Piece::Rows);
        let names: Vec<String> =
            names.fetch_all(connection).await.map_err(|error| failure(&error, step, "list the tables"))?;
        Ok(names.into_iter().map(|name| sql_text::quote_where_odd(name, Dialect::Mysql)).collect())
    }
}

async fn table(
    connection: &mut MySqlConnection,
    name: &str,
    database: Option<String>,
    is_mariadb: bool,
) -> Result<Relation, SourceError> {
    let parts =
        sql_text::name_parts(name, Dialect::Mysql).ok_or_else(|| pieces::not_a_name(name, Dialect::Mysql))?;
    columns_of(connection, is_mariadb, Piece::Rows, format!("SELECT 1 FROM {name} WHERE false")).await?;
    let place = match <[String; 1]>::try_from(parts) {
        Ok([table]) => Place { schema: database.unwrap_or_default(), table },
        Err(parts) => match <[String; 2]>::try_from(parts) {
            Ok([schema, table]) => Place { schema, table },
            Err(_) => return Err(pieces::not_a_name(name, Dialect::Mysql)),
        },
    };
    let fail = |error: sqlx::Error| failure(&error, Step::Prepare(Piece::Rows), format!("describe `{name}`"));
    let (kind, row_estimate) = table_facts(connection, &place).await.map_err(fail)?;
    let checks = if is_mariadb { json_checks(connection, &place).await.map_err(fail)? } else { Vec::new() };
    Ok(Relation {
        kind,
        columns: columns(connection, &place, &checks).await.map_err(fail)?,
        computed: Vec::new(),
        unique_keys: unique_keys(connection, &place).await.map_err(fail)?,
        foreign_keys: foreign_keys(connection, &place).await.map_err(fail)?,
        family: Vec::new(),
        row_estimate,
    })
}

async fn query(
    connection: &mut MySqlConnection,
    is_mariadb: bool,
    query: &str,
) -> Result<Relation, SourceError> {
    let [bare, wrapped] = pieces::query(query, Dialect::Mysql)?;
    let mut columns = columns_of(connection, is_mariadb, Piece::Rows, bare).await?;
    pieces::no_duplicates(&columns)?;
    // Types as they will be read, except where the bare query knows more of them.
    for (column, read) in
        columns.iter_mut().zip(columns_of(connection, is_mariadb, Piece::Rows, wrapped).await?)
    {
        if !types::refines(column, &read) {
            *column = read;
        }
    }
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
    connection: &mut MySqlConnection,
    is_mariadb: bool,
    piece: Piece,
    sql: String,
) -> Result<Vec<Column>, SourceError> {
    let fail = |error: sqlx::Error| failure(&error, Step::Prepare(piece), pieces::prepare_context(piece));
    let statement = connection.prepare(AssertSqlSafe(sql).into_sql_str()).await.map_err(fail)?;
    let parameters = statement.parameters().map_or(0, |either| either.either(<[_]>::len, |count| count));
    if parameters > 0 {
        return Err(pieces::parameters(piece));
    }
    let mut tables: HashMap<String, Vec<Column>> = HashMap::new();
    let mut columns = Vec::with_capacity(statement.columns().len());
    for column in statement.columns() {
        let mut read = types::result_column(column.name(), column.type_info());
        if let Some(origin) = column.origin().table_column() {
            let table = origin.table.to_string();
            if !tables.contains_key(&table) {
                let declared = declared_columns(connection, is_mariadb, &table).await.map_err(fail)?;
                tables.insert(table.clone(), declared);
            }
            let declared = tables.get(&table).into_iter().flatten();
            if let Some(declared) = declared
                .filter(|declared| declared.name == *origin.name)
                .find(|declared| types::refines(declared, &read))
            {
                read = Column { name: read.name, nullable: true, ..declared.clone() };
            }
        }
        columns.push(read);
    }
    Ok(columns)
}

/// The columns of `schema.table` as the driver names it; none where that is no table of the catalog.
async fn declared_columns(
    connection: &mut MySqlConnection,
    is_mariadb: bool,
    name: &str,
) -> Result<Vec<Column>, sqlx::Error> {
    let Some((schema, table)) = name.split_once('.') else { return Ok(Vec::new()) };
    let place = Place { schema: schema.to_owned(), table: table.to_owned() };
    let checks = if is_mariadb { json_checks(connection, &place).await? } else { Vec::new() };
    columns(connection, &place, &checks).await
}

/// Rows of a catalog query with the table's schema and name as its two parameters.
async fn about(
    connection: &mut MySqlConnection,
    sql: &'static str,
    place: &Place,
) -> Result<Vec<MySqlRow>, sqlx::Error> {
    sqlx::query(sql).bind(&place.schema).bind(&place.table).fetch_all(connection).await
}

async fn table_facts(
    connection: &mut MySqlConnection,
    place: &Place,
) -> Result<(RelationKind, Option<u64>), sqlx::Error> {
    let rows = about(
        connection,
        "SELECT CAST(table_type AS CHAR), CAST(table_rows AS CHAR), CAST(create_options AS CHAR)
           FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
        place,
    )
    .await?;
    let Some(row) = rows.first() else { return Ok((RelationKind::View, None)) };
    let text = |at: usize| row.try_get::<Option<String>, _>(at).ok().flatten().unwrap_or_default();
    let kind = match text(0).as_str() {
        "VIEW" | "SYSTEM VIEW" => RelationKind::View,
        _ if text(2).contains("partitioned") => RelationKind::Partitioned,
        _ => RelationKind::Table,
    };
    Ok((kind, text(1).parse().ok()))
}

async fn columns(
    connection: &mut MySqlConnection,
    place: &Place,
    json_checks: &[String],
) -> Result<Vec<Column>, sqlx::Error> {
    let rows = about(
        connection,
        "SELECT CAST(column_name AS CHAR), CAST(column_type AS CHAR), CAST(data_type AS CHAR),
                CAST(character_set_name AS CHAR), CAST(datetime_precision AS CHAR),
                CAST(numeric_precision AS CHAR), CAST(is_nullable AS CHAR),
                CAST(collation_name AS CHAR)
           FROM information_schema.columns WHERE table_schema = ? AND table_name = ?
          ORDER BY ordinal_position",
        place,
    )
    .await?;
    let declared = rows.iter().map(|row| {
        let text = |at: usize| row.try_get::<Option<String>, _>(at);
        let name = text(0)?.unwrap_or_default();
        Ok(Declared {
            is_json: json_checks.iter().any(|check| is_json_check(check, &name)),
            name,
            column_type: text(1)?.unwrap_or_default(),
            data_type: text(2)?.unwrap_or_default(),
            charset: text(3)?,
            fraction_digits: text(4)?.and_then(|digits| digits.parse().ok()),
            bits: text(5)?.and_then(|bits| bits.parse().ok()),
            nullable: text(6)?.as_deref() != Some("NO"),
            collation: text(7)?,
        }
        .column())
    });
    declared.collect()
}

/// Quoted as the server's sql_mode says: ANSI_QUOTES takes double quotes.
fn is_json_check(check: &str, column: &str) -> bool {
    [Dialect::Mysql, Dialect::Postgres]
        .iter()
        .any(|quotes| check == format!("json_valid({})", sql_text::quote(column, *quotes)))
}

/// MariaDB writes JSON as LONGTEXT with the check `json_valid(`name`)`.
async fn json_checks(connection: &mut MySqlConnection, place: &Place) -> Result<Vec<String>, sqlx::Error> {
    let rows = about(
        connection,
        "SELECT CAST(check_clause AS CHAR) FROM information_schema.check_constraints
          WHERE constraint_schema = ? AND table_name = ?",
        place,
    )
    .await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

async fn unique_keys(connection: &mut MySqlConnection, place: &Place) -> Result<Vec<UniqueKey>, sqlx::Error> {
    let rows = about(
        connection,
        "SELECT CAST(index_name AS CHAR), CAST(column_name AS CHAR), CAST(nullable AS CHAR)
           FROM information_schema.statistics
          WHERE table_schema = ? AND table_name = ? AND non_unique = 0
          ORDER BY index_name <> 'PRIMARY', index_name, seq_in_index",
        place,
    )
    .await?;
    let mut keys: Vec<UniqueKey> = Vec::new();
    let mut expressions = Vec::new();
    for row in rows {
        let name: String = row.try_get(0)?;
        let nullable = row.try_get::<Option<String>, _>(2)?.as_deref() == Some("YES");
        let Some(column) = row.try_get::<Option<String>, _>(1)? else {
            expressions.push(name);
            continue;
        };
        match keys.last_mut().filter(|key| key.name == name) {
            Some(key) => {
                key.columns.push(column);
                key.not_null &= !nullable;
            }
            None => keys.push(UniqueKey {
                primary: name == "PRIMARY",
                name,
                columns: vec![column],
                not_null: !nullable,
            }),
        }
    }
    keys.retain(|key| !expressions.contains(&key.name));
    Ok(keys)
}

async fn foreign_keys(
    connection: &mut MySqlConnection,
    place: &Place,
) -> Result<Vec<ForeignKey>, sqlx::Error> {
    let rows = about(
        connection,
        "SELECT CAST(constraint_name AS CHAR), CAST(column_name AS CHAR),
                CAST(IF(referenced_table_schema = table_schema, referenced_table_name,
                        CONCAT(referenced_table_schema, '.', referenced_table_name)) AS CHAR),
                CAST(referenced_column_name AS CHAR)
           FROM information_schema.key_column_usage
          WHERE table_schema = ? AND table_name = ? AND referenced_table_name IS NOT NULL
          ORDER BY constraint_name, ordinal_position",
        place,
    )
    .await?;
    let mut keys: Vec<(String, ForeignKey)> = Vec::new();
    for row in rows {
        let name: String = row.try_get(0)?;
        if keys.last().is_none_or(|(last, _)| *last != name) {
            let table = row.try_get(2)?;
            keys.push((name, ForeignKey { columns: Vec::new(), table, referenced: Vec::new() }));
        }
        if let Some((_, key)) = keys.last_mut() {
            key.columns.push(row.try_get(1)?);
            key.referenced.push(row.try_get(3)?);
        }
    }
    Ok(keys.into_iter().map(|(_, key)| key).collect())
}
