//! SQLite's part of statements: row comparison with values bound by their storage class.

use crate::source::find::Wanted;
use crate::source::statement::{self, Comparison, Side, Statement, Table};
use crate::source::{Column, Dialect, Key, KeyPart, Select};

pub(super) struct Sqlite;

impl Comparison for Sqlite {
    const DIALECT: Dialect = Dialect::Sqlite;

    fn compare(table: &Table, select: &Select, bound: &Key, side: Side, statement: &mut Statement) {
        let columns: Vec<String> = select.key.iter().map(|column| table.column(&column.name)).collect();
        statement.arguments.extend(bound.0.iter().cloned());
        let placeholder = |part: &KeyPart| match part {
            KeyPart::RawText(_) => "CAST(? AS TEXT)".to_owned(),
            _ => "?".to_owned(),
        };
        let placeholders: Vec<String> = bound.0.iter().map(placeholder).collect();
        statement.sql.push_str(&statement::row_comparison(&columns, &placeholders, side));
    }

    fn equal(table: &Table, wanted: &Wanted<'_>, statement: &mut Statement) {
        let values = vec!["?".to_owned(); wanted.forms.len()];
        statement.arguments.extend(wanted.forms.iter().cloned());
        statement.sql.push_str(&statement::any_of(&table.column(&wanted.column.name), &values));
    }

    fn key_output(_column: &Column, name: &str) -> String {
        name.to_owned()
    }
}

/// `class:value`, bytes in hex, floats with all the digits that SQLite has for them.
pub(super) fn text(_column: &Column, sql: &str) -> String {
    format!(
        "typeof({sql}) || ':' || CASE typeof({sql}) WHEN 'blob' THEN hex({sql}) WHEN 'real' THEN quote({sql}) \
         ELSE ({sql}) END"
    )
}

pub(super) fn as_text(sql: &str) -> String {
    format!("CAST({sql} AS TEXT)")
}

/// Every value arrives in its own storage class.
pub(super) fn cast(_column: &Column, sql: &str) -> String {
    sql.to_owned()
}

#[cfg(test)]
mod tests {
    use sqlx::{AssertSqlSafe, Connection, Row, SqliteConnection};

    use super::*;
    use crate::source::{Bounds, Output, RawType, Rows, SqliteType};

    /// The driver's counters are out of reach: the plan itself must search the index.
    #[tokio::test]
    async fn pages_and_positions_search_the_index() {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        let setup = "CREATE TABLE t (a TEXT, b INT, c BLOB, v TEXT, PRIMARY KEY (a, b, c)) WITHOUT ROWID;
                     CREATE TABLE u (a TEXT COLLATE NOCASE PRIMARY KEY, v TEXT)";
        sqlx::raw_sql(setup).execute(&mut connection).await.unwrap();
        for (rows, key) in [
            (Rows::From("t".to_owned()), vec!["a", "b", "c"]),
            (Rows::From("u".to_owned()), vec!["a"]),
            (Rows::Query("SELECT * FROM t WHERE v IS NOT NULL;".to_owned()), vec!["a", "b", "c"]),
        ] {
            let column = |name: &&str| Column {
                name: (*name).to_owned(),
                sql_type: String::new(),
                domain: None,
                labels: None,
                raw: RawType::Sqlite(SqliteType::Any),
                nullable: false,
                unordered: None,
                collation: None,
                foreign: None,
            };
            let columns: Vec<Column> = key.iter().map(column).collect();
            let bound = Key(vec![KeyPart::Integer(1); columns.len()]);
            let bounds = Bounds { after: Some(bound.clone()), up_to: Some(bound) };
            let output = columns.iter().cloned().map(Output::Column).collect();
            let select = Select { rows, filter: None, output, key: columns };
            let page = statement::rows_within::<Sqlite>(&select, &["1".to_owned()], &bounds).unwrap();
            let position = statement::key_at::<Sqlite>(&select, &bounds, 100).unwrap();
            let forms = vec![KeyPart::Integer(1), KeyPart::Text("1".to_owned())];
            let wanted = Wanted { column: &select.key[0], forms };
            let found = statement::rows_equal::<Sqlite>(&select, &["1".to_owned()], &[wanted], 3).unwrap();
            for (Statement { sql, arguments }, operator) in [(page, '>'), (position, '>'), (found, '=')] {
                let mut query = sqlx::query(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}")));
                for _ in arguments {
                    query = query.bind(1_i64);
                }
                let plan = query.fetch_all(&mut connection).await.unwrap();
                let plan: Vec<String> = plan.iter().map(|row| row.get(3)).collect();
                assert_eq!(plan.len(), 1, "{plan:?}");
                assert!(
                    plan.iter().all(|step| step.starts_with("SEARCH") && step.contains(operator)),
                    "{plan:?}"
                );
            }
        }
    }
}
