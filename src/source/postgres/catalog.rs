//! What PostgreSQL's catalog says about an entity's rows.

use std::collections::HashMap;

use sqlx::postgres::PgColumn;
use sqlx::{AssertSqlSafe, Column as _, Executor, PgConnection, Row, SqlSafeStr, Statement as _};

use super::Session;
use super::error::failure;
use super::types::{Types, oid};
use crate::source::error::Step;
use crate::source::pieces::{self, Pieces};
use crate::source::{
    Collation, Column, Dialect, Folding, ForeignKey, Piece, RawType, Relation, RelationKind, Rows,
    SourceError, SourceErrorKind, UniqueKey, sql_text,
};

/// A column before its type is known.
struct Found {
    name: String,
    /// `None` for an expression.
    sql_type: Option<String>,
    oid: u32,
    modifier: i32,
    not_null: bool,
    /// Name of a collation that takes different bytes for equal.
    collation: Option<String>,
}

/// The name of an attribute's collation where it is not deterministic; servers before 12 have none such.
const COLLATION: &str = "(SELECT c.collname::text FROM pg_catalog.pg_collation c
                           WHERE c.oid = attcollation AND to_jsonb(c) ->> 'collisdeterministic' = 'false')";

impl Session {
    pub(in crate::source) async fn describe(
        &mut self,
        wanted: &Pieces<'_>,
    ) -> Result<Relation, Vec<SourceError>> {
        let connection = self.control().await.map_err(|error| vec![error])?;
        let mut relation = match wanted.rows {
            Rows::From(name) => table(connection, name).await,
            Rows::Query(query) => self::query(connection, query).await,
        }
        .map_err(|error| vec![error])?;
        let mut wrong = Vec::new();
        for (piece, sql) in wanted.checks(Dialect::Postgres) {
            match sql {
                Err(error) => wrong.push(error),
                Ok(sql) => match columns_of(connection, piece, sql).await {
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
    /// Quoted where they must be, with their schema where the search path does not find them.
    pub(in crate::source) async fn tables(&mut self) -> Result<Vec<String>, SourceError> {
        let connection = self.control().await?;
        let names = sqlx::query_scalar(
            "SELECT c.oid::regclass::text FROM pg_catalog.pg_class c
               JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
              WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
                AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
              ORDER BY 1 LIMIT 1000",
        );
        let step = Step::Prepare(Piece::Rows);
        names.fetch_all(connection).await.map_err(|error| failure(&error, step, "list the tables"))
    }
}

async fn table(connection: &mut PgConnection, name: &str) -> Result<Relation, SourceError> {
    let step = Step::Prepare(Piece::Rows);
    let fail = |error: sqlx::Error| failure(&error, step, format!("describe `{name}`"));
    if sql_text::name_parts(name, Dialect::Postgres).is_none() {
        return Err(pieces::not_a_name(name, Dialect::Postgres));
    }
    let sql = format!("SELECT FROM {name} WHERE false");
    connection.prepare(AssertSqlSafe(sql).into_sql_str()).await.map_err(fail)?;
    let row = sqlx::query(
        "SELECT c.oid::int8, c.relkind::text, c.reltuples::float8,
                EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid),
                pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
           FROM pg_catalog.pg_class c WHERE c.oid = to_regclass($1)",
    )
    .bind(name)
    .fetch_optional(&mut *connection)
    .await
    .map_err(fail)?
    .ok_or_else(|| pieces::not_a_name(name, Dialect::Postgres))?;
    let relation: i64 = row.try_get(0).map_err(fail)?;
    if !row.try_get::<bool, _>(4).map_err(fail)? {
        let error = SourceError::new(
            SourceErrorKind::Permission,
            format!("describe `{name}`"),
            format!("this user may not read `{name}`"),
        );
        return Err(error.with_hint(format!("GRANT SELECT ON {name} to this user")));
    }
    let kind = match (row.try_get(1).map_err(fail)?, row.try_get(3).map_err(fail)?) {
        ("p", _) => RelationKind::Partitioned,
        ("v" | "f", _) => RelationKind::View,
        (_, true) => RelationKind::Inherited,
        _ => RelationKind::Table,
    };
    let columns = attributes(connection, relation).await.map_err(fail)?;
    let unique_keys = match kind {
        // A parent's keys say nothing of its children's rows.
        RelationKind::Inherited => Vec::new(),
        _ => unique_keys(connection, relation).await.map_err(fail)?,
    };
    Ok(Relation {
        kind,
        columns: typed(connection, columns).await.map_err(fail)?,
        computed: Vec::new(),
        unique_keys,
        foreign_keys: foreign_keys(connection, relation).await.map_err(fail)?,
        family: family(connection, relation).await.map_err(fail)?,
        row_estimate: row_estimate(connection, relation).await.map_err(fail)?,
    })
}

async fn query(connection: &mut PgConnection, query: &str) -> Result<Relation, SourceError> {
    let [bare, wrapped] = pieces::query(query, Dialect::Postgres)?;
    let columns = columns_of(connection, Piece::Rows, bare).await?;
    pieces::no_duplicates(&columns)?;
    let columns = columns_of(connection, Piece::Rows, wrapped).await?;
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
    connection: &mut PgConnection,
    piece: Piece,
    sql: String,
) -> Result<Vec<Column>, SourceError> {
    let fail = |error: sqlx::Error| failure(&error, Step::Prepare(piece), pieces::prepare_context(piece));
    let columns = prepared(connection, piece, sql).await?;
    let mut origins = Origins::default();
    for column in &columns {
        if let (Some(table), Some(number)) = (column.relation_id(), column.relation_attribute_no()) {
            origins.wanted.push(format!("({},{number})", table.0));
        }
    }
    origins.load(connection).await.map_err(fail)?;
    let found = columns.iter().map(|column| {
        let place = column.relation_id().map(|table| table.0).zip(column.relation_attribute_no());
        let origin = place.and_then(|place| origins.found.get(&place));
        Found {
            name: column.name().to_owned(),
            sql_type: origin.map(|origin| origin.sql_type.clone()),
            // A result tells what a domain is made of, without its modifier.
            oid: origin.map_or_else(|| column.type_info().oid().map_or(0, |oid| oid.0), |origin| origin.oid),
            modifier: origin.map_or(-1, |origin| origin.modifier),
            collation: origin.and_then(|origin| origin.collation.clone()),
            // An outer join makes NULLs of any column.
            not_null: false,
        }
    });
    let found: Vec<Found> = found.collect();
    typed(connection, found).await.map_err(fail)
}

/// The driver's columns of a statement without parameters.
async fn prepared(
    connection: &mut PgConnection,
    piece: Piece,
    sql: String,
) -> Result<Vec<PgColumn>, SourceError> {
    let fail = |error: sqlx::Error| failure(&error, Step::Prepare(piece), pieces::prepare_context(piece));
    match connection.prepare(AssertSqlSafe(sql.clone()).into_sql_str()).await {
        Ok(statement) => {
            let parameters = statement.parameters();
            let parameters = parameters.map_or(0, |either| either.either(<[_]>::len, |count| count));
            if parameters > 0 { Err(pieces::parameters(piece)) } else { Ok(statement.columns().to_vec()) }
        }
        // The driver looks up each type by itself, and knows no multiranges.
        Err(sqlx::Error::ColumnDecode { .. }) => columns_of_nothing(connection, &sql).await.map_err(fail),
        Err(error) => Err(fail(error)),
    }
}

/// The columns of a statement in the simple protocol, where the driver looks up no types: of one row that
/// joins nothing of it, so that nothing of it is run.
async fn columns_of_nothing(connection: &mut PgConnection, sql: &str) -> Result<Vec<PgColumn>, sqlx::Error> {
    let sql = format!("SELECT q.* FROM (SELECT) AS one LEFT JOIN (\n{sql}\n) AS q ON false");
    let row = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_one(connection).await?;
    Ok(row.columns().to_vec())
}

/// Declared types of the table columns that a statement's columns come from.
#[derive(Default)]
struct Origins {
    wanted: Vec<String>,
    found: HashMap<(u32, i16), Origin>,
}

struct Origin {
    sql_type: String,
    oid: u32,
    modifier: i32,
    collation: Option<String>,
}

impl Origins {
    async fn load(&mut self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        if self.wanted.is_empty() {
            return Ok(());
        }
        let sql = format!(
            "SELECT attrelid::int8, attnum, format_type(atttypid, atttypmod), atttypmod, {COLLATION}, atttypid::int8
               FROM pg_catalog.pg_attribute WHERE (attrelid, attnum) IN ({})",
            self.wanted.join(", ")
        );
        for row in sqlx::query(AssertSqlSafe(sql)).fetch_all(connection).await? {
            let place = (oid(row.try_get(0)?), row.try_get(1)?);
            let (sql_type, modifier, collation) = (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
            let oid = oid(row.try_get(5)?);
            self.found.insert(place, Origin { sql_type, oid, modifier, collation });
        }
        Ok(())
    }
}

async fn attributes(connection: &mut PgConnection, relation: i64) -> Result<Vec<Found>, sqlx::Error> {
    let sql = format!(
        "SELECT attname::text, format_type(atttypid, atttypmod), atttypid::int8, atttypmod, attnotnull, {COLLATION}
           FROM pg_catalog.pg_attribute
          WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(relation).fetch_all(connection).await?;
    let found = rows.iter().map(|row| {
        Ok(Found {
            name: row.try_get(0)?,
            sql_type: row.try_get(1)?,
            oid: oid(row.try_get(2)?),
            modifier: row.try_get(3)?,
            not_null: row.try_get(4)?,
            collation: row.try_get(5)?,
        })
    });
    found.collect()
}

async fn typed(connection: &mut PgConnection, columns: Vec<Found>) -> Result<Vec<Column>, sqlx::Error> {
    let oids: Vec<u32> = columns.iter().map(|column| column.oid).collect();
    let types = Types::load(connection, &oids).await?;
    let column = |found: Found| {
        let known = types.of(found.oid, found.modifier);
        Column {
            name: found.name,
            sql_type: found.sql_type.unwrap_or_else(|| types.sql_name(found.oid)),
            domain: known.domain,
            labels: known.labels,
            raw: RawType::Postgres(known.raw),
            nullable: !found.not_null,
            unordered: known.unordered,
            collation: found.collation.map(nondeterministic).or(known.collation),
            foreign: known.foreign,
        }
    };
    Ok(columns.into_iter().map(column).collect())
}

/// What exactly it folds, its locale decides.
fn nondeterministic(name: String) -> Collation {
    Collation { name, folding: Folding::Accents, pads: false }
}

/// Valid unique indexes over whole columns, in the columns' own collations.
async fn unique_keys(connection: &mut PgConnection, relation: i64) -> Result<Vec<UniqueKey>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT c.relname::text, i.indisprimary, bool_and(a.attnotnull),
                array_agg(a.attname::text ORDER BY k.place)
           FROM pg_catalog.pg_index i
           JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
          CROSS JOIN LATERAL unnest(i.indkey::int2[], i.indcollation::oid[])
                WITH ORDINALITY AS k (number, collation_id, place)
           JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
          WHERE i.indrelid = $1::oid AND i.indisunique AND i.indisvalid
            AND i.indpred IS NULL AND i.indexprs IS NULL AND k.place <= i.indnkeyatts
          GROUP BY c.relname, i.indisprimary
         HAVING bool_and(k.collation_id = a.attcollation)
          ORDER BY i.indisprimary DESC, c.relname",
    );
    let rows = rows.bind(relation).fetch_all(connection).await?;
    let keys = rows.iter().map(|row| {
        Ok(UniqueKey {
            name: row.try_get(0)?,
            primary: row.try_get(1)?,
            not_null: row.try_get(2)?,
            columns: row.try_get(3)?,
        })
    });
    keys.collect()
}

async fn foreign_keys(connection: &mut PgConnection, relation: i64) -> Result<Vec<ForeignKey>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT f.confrelid::regclass::text,
                ARRAY (SELECT a.attname::text FROM unnest(f.conkey) WITH ORDINALITY AS k (number, place)
                         JOIN pg_catalog.pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.number
                        ORDER BY k.place),
                ARRAY (SELECT a.attname::text FROM unnest(f.confkey) WITH ORDINALITY AS k (number, place)
                         JOIN pg_catalog.pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = k.number
                        ORDER BY k.place)
           FROM pg_catalog.pg_constraint f WHERE f.contype = 'f' AND f.conrelid = $1::oid ORDER BY f.conname",
    );
    let rows = rows.bind(relation).fetch_all(connection).await?;
    let keys = rows.iter().map(|row| {
        Ok(ForeignKey { table: row.try_get(0)?, columns: row.try_get(1)?, referenced: row.try_get(2)? })
    });
    keys.collect()
}

/// The table and everything that reading it reads, itself first.
async fn family(connection: &mut PgConnection, relation: i64) -> Result<Vec<u32>, sqlx::Error> {
    let members: Vec<i64> = sqlx::query_scalar(
        "WITH RECURSIVE family (relation, depth) AS (
           SELECT $1::oid, 0
           UNION
           SELECT i.inhrelid, depth + 1 FROM family JOIN pg_catalog.pg_inherits i ON i.inhparent = family.relation)
         SELECT relation::int8 FROM family ORDER BY depth, relation",
    )
    .bind(relation)
    .fetch_all(connection)
    .await?;
    Ok(members.into_iter().map(oid).collect())
}

/// Of the table with its partitions and children; `None` where one of them was never analyzed.
async fn row_estimate(connection: &mut PgConnection, relation: i64) -> Result<Option<u64>, sqlx::Error> {
    let estimate: Option<i64> = sqlx::query_scalar(
        "WITH RECURSIVE family (relation) AS (
           SELECT $1::oid
           UNION ALL
           SELECT i.inhrelid FROM family JOIN pg_catalog.pg_inherits i ON i.inhparent = family.relation)
         SELECT CASE WHEN min(c.reltuples) >= 0 THEN sum(c.reltuples)::int8 END
           FROM family JOIN pg_catalog.pg_class c ON c.oid = family.relation
          WHERE c.relkind IN ('r', 'm', 't')",
    )
    .bind(relation)
    .fetch_one(connection)
    .await?;
    Ok(estimate.and_then(|rows| u64::try_from(rows).ok()))
}
