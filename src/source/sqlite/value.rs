//! Values that users write for columns of a key, in every form that SQLite may hold them in.

use crate::source::{Column, KeyPart, RawType, SqliteType, find};

/// Any column holds any value: a text finds itself, and what it is the text of, as far as the column's
/// affinity does not turn one into the other anyway.
pub(super) fn forms(column: &Column, text: &str) -> Option<Vec<KeyPart>> {
    let mut forms = vec![KeyPart::Text(text.to_owned())];
    match column.raw {
        RawType::Sqlite(SqliteType::Boolean) => forms.extend(boolean(text)),
        RawType::Sqlite(SqliteType::DateTime) => forms.push(KeyPart::Text(text.replacen('T', " ", 1))),
        RawType::Sqlite(SqliteType::Uuid) => forms.push(KeyPart::Text(text.to_ascii_uppercase())),
        _ => {}
    }
    match affinity(&column.sql_type) {
        Affinity::Text | Affinity::Number => {}
        Affinity::None => {
            forms.extend(number(text));
            forms.extend(find::hex(text).map(KeyPart::Bytes));
        }
    }
    Some(forms)
}

fn boolean(text: &str) -> Option<KeyPart> {
    match text {
        "false" => Some(KeyPart::Integer(0)),
        "true" => Some(KeyPart::Integer(1)),
        _ => None,
    }
}

fn number(text: &str) -> Option<KeyPart> {
    if let Ok(integer) = text.parse::<i64>() {
        // `007` is a text and not 7.
        return (integer.to_string() == text).then_some(KeyPart::Integer(integer));
    }
    let starts = text.strip_prefix('-').unwrap_or(text).starts_with(|first: char| first.is_ascii_digit());
    let real = text.parse::<f64>().ok().filter(|real| starts && real.is_finite());
    real.map(|real| KeyPart::Real(real.to_bits()))
}

/// What SQLite does to a value that is compared with the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Affinity {
    /// INTEGER, REAL, NUMERIC: a text that is a number becomes one.
    Number,
    Text,
    None,
}

/// SQLite's own rules, in its order.
fn affinity(declared: &str) -> Affinity {
    let name = declared.to_ascii_uppercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["INT"]) {
        Affinity::Number
    } else if has(&["CHAR", "CLOB", "TEXT"]) {
        Affinity::Text
    } else if name.is_empty() || has(&["BLOB"]) {
        Affinity::None
    } else {
        Affinity::Number
    }
}
