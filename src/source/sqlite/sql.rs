//! SQLite's part of statements: row comparison with values bound by their storage class.

use crate::source::statement::{self, Comparison, Side, Statement, Table};
use crate::source::{Column, Dialect, Key, Select};

pub(super) struct Sqlite;

impl Comparison for Sqlite {
    const DIALECT: Dialect = Dialect::Sqlite;

    fn compare(table: &Table, select: &Select, bound: &Key, side: Side, statement: &mut Statement) {
        let columns: Vec<String> = select.key.iter().map(|column| table.column(&column.name)).collect();
        statement.arguments.extend(bound.0.iter().cloned());
        let placeholders = vec!["?".to_owned(); bound.0.len()];
        statement.sql.push_str(&statement::row_comparison(&columns, &placeholders, side));
    }

    fn key_output(_column: &Column, name: &str) -> String {
        name.to_owned()
    }
}

/// Every value arrives in its own storage class.
pub(super) fn cast(_column: &Column, sql: &str) -> String {
    sql.to_owned()
}
