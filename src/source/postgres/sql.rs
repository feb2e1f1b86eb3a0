//! PostgreSQL's part of statements: casts, keys as the server's own text, row comparison.

use crate::source::find::Wanted;
use crate::source::statement::{self, Comparison, Side, Statement, Table};
use crate::source::{Column, Dialect, Key, PgType, RawType, Select};

pub(super) struct Postgres;

impl Comparison for Postgres {
    const DIALECT: Dialect = Dialect::Postgres;

    fn compare(table: &Table, select: &Select, bound: &Key, side: Side, statement: &mut Statement) {
        let columns: Vec<String> = select.key.iter().map(|column| table.column(&column.name)).collect();
        let mut placeholders = Vec::with_capacity(columns.len());
        for (column, part) in select.key.iter().zip(&bound.0) {
            statement.arguments.push(part.clone());
            // The key's own text, read back as the key's own type.
            placeholders.push(format!("${}::text::{}", statement.arguments.len(), column.sql_type));
        }
        // The first column alone as well: for partitions, joins and estimates.
        if let ([column, _, ..], [placeholder, ..]) = (columns.as_slice(), placeholders.as_slice()) {
            let operator = if side == Side::After { ">=" } else { "<=" };
            statement.sql.push_str(&format!("{column} {operator} {placeholder} AND "));
        }
        statement.sql.push_str(&statement::row_comparison(&columns, &placeholders, side));
    }

    fn equal(table: &Table, wanted: &Wanted<'_>, statement: &mut Statement) {
        let first = statement.arguments.len() + 1;
        let places = first..first + wanted.forms.len();
        let values: Vec<String> =
            places.map(|place| format!("${place}::text::{}", wanted.column.sql_type)).collect();
        statement.arguments.extend(wanted.forms.iter().cloned());
        statement.sql.push_str(&statement::any_of(&table.column(&wanted.column.name), &values));
    }

    fn key_output(_column: &Column, name: &str) -> String {
        format!("{name}::text")
    }
}

/// The server's text of a value, in the form it is read in.
pub(super) fn text(column: &Column, sql: &str) -> String {
    match column.raw {
        RawType::Postgres(PgType::Bytea) => format!("encode({sql}, 'hex')"),
        _ => as_text(&cast(column, sql)),
    }
}

pub(super) fn as_text(sql: &str) -> String {
    format!("({sql})::text")
}

/// How a column is read so that its cells have the form its type promises.
pub(super) fn cast(column: &Column, sql: &str) -> String {
    match &column.raw {
        RawType::Postgres(PgType::ServerText) => format!("{sql}::text"),
        // Money is read as numeric; for numeric itself it changes nothing.
        RawType::Postgres(PgType::Numeric) => format!("{sql}::numeric"),
        RawType::Postgres(PgType::Array(element)) => match **element {
            PgType::ServerText => format!("{sql}::text[]"),
            PgType::Numeric => format!("{sql}::numeric[]"),
            _ => sql.to_owned(),
        },
        _ => sql.to_owned(),
    }
}
