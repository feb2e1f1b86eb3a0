//! MySQL's part of statements: casts, keys bound by type, the expanded comparison.

use crate::source::find::Wanted;
use crate::source::statement::{self, Comparison, Side, Statement, Table};
use crate::source::{Column, Dialect, Key, KeyPart, MysqlType, RawType, Select};

pub(super) struct Mysql;

impl Comparison for Mysql {
    const DIALECT: Dialect = Dialect::Mysql;

    fn compare(table: &Table, select: &Select, bound: &Key, side: Side, statement: &mut Statement) {
        let columns: Vec<String> = select.key.iter().map(|column| table.column(&column.name)).collect();
        let arguments = &mut statement.arguments;
        let sql = statement::expanded_comparison(&columns, side, |at| {
            arguments.extend(bound.0.get(at).cloned());
            select.key.get(at).map_or_else(|| "?".to_owned(), placeholder)
        });
        statement.sql.push_str(&sql);
    }

    fn equal(table: &Table, wanted: &Wanted<'_>, statement: &mut Statement) {
        let value = match wanted.column.raw {
            // A text that a user wrote, not the bytes of a position.
            RawType::Mysql(MysqlType::Recoded { .. }) => "?".to_owned(),
            _ => placeholder(wanted.column),
        };
        let values = vec![value; wanted.forms.len()];
        statement.arguments.extend(wanted.forms.iter().cloned());
        statement.sql.push_str(&statement::any_of(&table.column(&wanted.column.name), &values));
    }

    fn value(column: &Column, value: &KeyPart, statement: &mut Statement) {
        statement.arguments.push(value.clone());
        statement.sql.push_str(&placeholder(column));
    }

    fn key_output(column: &Column, name: &str) -> String {
        match column.raw {
            RawType::Mysql(
                MysqlType::Date
                | MysqlType::DateTime { .. }
                | MysqlType::Timestamp { .. }
                | MysqlType::Time { .. }
                | MysqlType::ServerText,
            ) => format!("CAST({name} AS CHAR)"),
            RawType::Mysql(MysqlType::Recoded { .. }) => format!("CAST({name} AS BINARY)"),
            _ => cast(column, name),
        }
    }
}

/// A text against a decimal would be compared as floats; the bytes of another character set are that
/// set's, and compare in the column's own collation.
fn placeholder(column: &Column) -> String {
    if let RawType::Mysql(MysqlType::Recoded { charset, collation }) = &column.raw {
        return format!("CONVERT(? USING {charset}) COLLATE {collation}");
    }
    if column.raw != RawType::Mysql(MysqlType::Decimal) {
        return "?".to_owned();
    }
    let declared = column.sql_type.to_ascii_lowercase();
    let digits = declared.strip_prefix("decimal(").and_then(|rest| rest.split(')').next());
    format!("CAST(? AS DECIMAL({}))", digits.unwrap_or("65,30"))
}

/// The server's text of a value: bytes in hex, bits as a number, floats as doubles, whose text has all
/// their digits.
pub(super) fn text(column: &Column, sql: &str) -> String {
    match column.raw {
        RawType::Mysql(MysqlType::Recoded { ref charset, .. }) => as_text(&superset(sql, charset).0),
        RawType::Mysql(MysqlType::Binary) => as_text(&format!("HEX({sql})")),
        RawType::Mysql(MysqlType::Bit { .. }) => as_text(&format!("CAST({sql} AS UNSIGNED)")),
        RawType::Mysql(MysqlType::Float | MysqlType::Double) => as_text(&format!("({sql}) + 0e0")),
        _ => as_text(&cast(column, sql)),
    }
}

pub(super) fn as_text(sql: &str) -> String {
    format!("CAST({sql} AS CHAR)")
}

/// The form in which a value of any type can be read and bound again: floats by their text.
pub(super) fn bindable(column: &Column, name: &str) -> String {
    match column.raw {
        RawType::Mysql(MysqlType::Float | MysqlType::Double) => text(column, name),
        _ => Mysql::key_output(column, name),
    }
}

/// How a column is read so that its cells have the form its type promises.
pub(super) fn cast(column: &Column, sql: &str) -> String {
    match &column.raw {
        RawType::Mysql(MysqlType::Recoded { charset, .. }) => unless_lossy(sql, charset),
        RawType::Mysql(MysqlType::ServerText) if is_geometry(&column.sql_type) => geometry(sql),
        RawType::Mysql(MysqlType::ServerText) => format!("CAST({sql} AS CHAR)"),
        RawType::Mysql(MysqlType::Bit { .. }) => format!("CAST({sql} AS UNSIGNED)"),
        _ => sql.to_owned(),
    }
}

/// WKT, behind the number of its reference system where it has one: `SRID=4326;POINT(1 2)`.
fn geometry(sql: &str) -> String {
    let text = format!("ST_AsText({sql})");
    format!("CASE ST_SRID({sql}) WHEN 0 THEN {text} ELSE CONCAT('SRID=', ST_SRID({sql}), ';', {text}) END")
}

/// The text in UTF-8, where it can be had back from that; else a byte that is no UTF-8.
fn unless_lossy(sql: &str, charset: &str) -> String {
    let (sql, charset) = superset(sql, charset);
    format!(
        "CASE WHEN CAST(CONVERT(CONVERT({sql} USING utf8mb4) USING {charset}) AS BINARY) <=> CAST({sql} AS BINARY) \
         THEN CAST(CONVERT({sql} USING utf8mb4) AS BINARY) ELSE CAST(X'FF' AS BINARY) END"
    )
}

/// MySQL's sjis and ujis have one Unicode for two characters, the two backslashes; the character sets that
/// Windows made of them have two.
fn superset<'a>(sql: &str, charset: &'a str) -> (String, &'a str) {
    let superset = match charset {
        "sjis" => "cp932",
        "ujis" => "eucjpms",
        _ => return (sql.to_owned(), charset),
    };
    (format!("CONVERT(CAST({sql} AS BINARY) USING {superset})"), superset)
}

pub(super) fn is_geometry(sql_type: &str) -> bool {
    let name = sql_type.to_ascii_lowercase();
    matches!(
        name.as_str(),
        "geometry"
            | "point"
            | "linestring"
            | "polygon"
            | "multipoint"
            | "multilinestring"
            | "multipolygon"
            | "geometrycollection"
            | "geomcollection"
    )
}
