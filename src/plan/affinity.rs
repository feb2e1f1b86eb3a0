//! What SQLite makes of a declared type.

use crate::source::{Class, Column, RawType, SqliteType};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Affinity {
    Integer,
    Text,
    Blob,
    Real,
    Numeric,
}

/// SQLite's own rule (datatype3.html, section 3.1), in its order.
pub(super) fn affinity(declared: &str) -> Affinity {
    let declared = declared.to_ascii_uppercase();
    let has = |words: &[&str]| words.iter().any(|word| declared.contains(word));
    match () {
        () if has(&["INT"]) => Affinity::Integer,
        () if has(&["CHAR", "CLOB", "TEXT"]) => Affinity::Text,
        // ANY of a STRICT table converts nothing.
        () if has(&["BLOB"]) || matches!(declared.trim(), "" | "ANY") => Affinity::Blob,
        () if has(&["REAL", "FLOA", "DOUB"]) => Affinity::Real,
        () => Affinity::Numeric,
    }
}

/// The class of the values that whoever declared a column of SQLite must have expected; `None` where the
/// declaration says nothing, or nothing that is known here.
pub(super) fn declared_class(column: &Column) -> Option<Class> {
    let RawType::Sqlite(kind) = &column.raw else { return None };
    if *kind != SqliteType::Any {
        return Some(column.raw.class());
    }
    let declared = column.sql_type.to_ascii_uppercase();
    match affinity(&declared) {
        Affinity::Integer => Some(Class::Integer),
        Affinity::Text => Some(Class::Text),
        Affinity::Real => Some(Class::Float),
        Affinity::Blob => declared.contains("BLOB").then_some(Class::Bytes),
        Affinity::Numeric => {
            matches!(declared.trim(), "NUMERIC" | "DECIMAL" | "NUMBER").then_some(Class::Decimal)
        }
    }
}
