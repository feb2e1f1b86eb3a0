//! PostgreSQL's part of statements: casts, keys as the server's own text, row comparison.

use crate::source::find::Wanted;
use crate::source::statement::{self, Comparison, Side, Statement, Table};
use crate::source::{Column, Dialect, Key, KeyPart, PgType, RawType, Select};

pub(super) struct Postgres;

impl Comparison for Postgres {
    const DIALECT: Dialect = Dialect::Postgres;

    fn compare(table: &Table, select: &Select, bound: &Key, side: Side, statement: &mut Statement) {
        let columns: Vec<String> = select.key.iter().map(|column| table.column(&column.name)).collect();
        let mut placeholders = Vec::with_capacity(columns.len());
        for (column, part) in select.key.iter().zip(&bound.0) {
            statement.arguments.push(part.clone());
            // The key's own text, read back as the key's own type.
            let place = statement.arguments.len();
            let text = match part {
                KeyPart::RawText(_) => format!("convert_from(${place}::bytea, 'SQL_ASCII')"),
                _ => format!("${place}::text"),
            };
            placeholders.push(format!("{text}::{}", column.sql_type));
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
        // Of an enum itself the driver looks up the labels, which need not be UTF-8.
        RawType::Postgres(PgType::Text) if column.labels.is_some() => format!("{sql}::text"),
        // Money is read as numeric; for numeric itself it changes nothing.
        RawType::Postgres(PgType::Numeric) => format!("{sql}::numeric"),
        RawType::Postgres(PgType::Inet) => format!("pg_catalog.abbrev({sql})"),
        RawType::Postgres(PgType::Array(element)) => array(element, sql),
        _ => sql.to_owned(),
    }
}

/// An array of the element's own type, which costs nothing where it is one already: an array of a domain
/// or an enum would arrive under a type that only its database knows.
fn array(element: &PgType, sql: &str) -> String {
    let name = match element {
        PgType::Bool => "bool",
        PgType::Int2 => "int2",
        PgType::Int4 => "int4",
        PgType::Int8 => "int8",
        PgType::Xid8 => "xid8",
        PgType::Float4 => "float4",
        PgType::Float8 => "float8",
        PgType::Numeric => "numeric",
        PgType::Char => "bpchar",
        PgType::Bytea => "bytea",
        PgType::Uuid => "uuid",
        PgType::Date => "date",
        PgType::Time { .. } => "time",
        PgType::Timestamp { .. } => "timestamp",
        PgType::TimestampTz { .. } => "timestamptz",
        PgType::Json => "json",
        PgType::Jsonb => "jsonb",
        // Without the quotes it would be bit(1).
        PgType::Bit { .. } => "\"bit\"",
        // Through the array's own text, in which its elements stand as they are printed.
        PgType::Inet => return format!("{sql}::text::text[]"),
        // xid and cid have no cast.
        PgType::Oid => return format!("{sql}::text::oid[]"),
        PgType::Text | PgType::Array(_) | PgType::ServerText => "text",
    };
    format!("{sql}::{name}[]")
}
