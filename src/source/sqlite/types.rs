//! SQLite's declared types as [`SqliteType`]s.

use crate::source::{Collation, Column, Folding, RawType, SqliteType};

/// `declared` is empty where a column has no type, or comes from an expression.
pub(super) fn column(name: &str, declared: &str, nullable: bool) -> Column {
    Column {
        name: name.to_owned(),
        sql_type: declared.to_owned(),
        domain: None,
        labels: None,
        raw: RawType::Sqlite(raw(declared)),
        nullable,
        unordered: is_float(declared).then_some("floats do not order as they compare"),
        collation: None,
        foreign: None,
    }
}

/// A collation by what it takes for equal to `a`: `A`, or `a` and a blank.
pub(super) fn collation(folds: bool, pads: bool) -> Option<Collation> {
    let (name, folding) = match (folds, pads) {
        (false, false) => return None,
        (true, false) => ("NOCASE", Folding::Case),
        (false, true) => ("RTRIM", Folding::Nothing),
        (true, true) => ("a collation of its own", Folding::Case),
    };
    Some(Collation { name: name.to_owned(), folding, pads })
}

fn raw(declared: &str) -> SqliteType {
    let name = declared.split('(').next().unwrap_or_default().trim().to_ascii_uppercase();
    match name.as_str() {
        "BOOLEAN" | "BOOL" => SqliteType::Boolean,
        "DECIMAL" | "NUMERIC" if declared.contains('(') => SqliteType::Decimal,
        "DATE" => SqliteType::Date,
        "DATETIME" | "TIMESTAMP" => SqliteType::DateTime,
        "TIME" => SqliteType::Time,
        "JSON" | "JSONB" => SqliteType::Json,
        "UUID" | "GUID" => SqliteType::Uuid,
        _ => SqliteType::Any,
    }
}

/// SQLite's own rule for REAL affinity.
fn is_float(declared: &str) -> bool {
    let name = declared.to_ascii_uppercase();
    let other = ["INT", "CHAR", "CLOB", "TEXT", "BLOB"].iter().any(|part| name.contains(part));
    !other && ["REAL", "FLOA", "DOUB"].iter().any(|part| name.contains(part))
}
