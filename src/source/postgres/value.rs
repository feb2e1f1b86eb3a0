//! Values that users write for columns of a key, as PostgreSQL reads them.

use crate::source::{Column, KeyPart, PgType, RawType, find};

/// The server reads the text itself; only bytes and booleans of one bit have a form of their own in reports.
pub(super) fn forms(column: &Column, text: &str) -> Option<Vec<KeyPart>> {
    let text = match (&column.raw, text) {
        (RawType::Postgres(PgType::Bytea), _) => format!("\\x{}", lower_hex(&find::hex(text)?)),
        (RawType::Postgres(PgType::Bit { width: 1 }), "true") => "1".to_owned(),
        (RawType::Postgres(PgType::Bit { width: 1 }), "false") => "0".to_owned(),
        _ => text.to_owned(),
    };
    Some(vec![KeyPart::Text(text)])
}

fn lower_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a text is a value of the column's type, and the same one without the type's length or precision:
/// a cast would cut or round it, and another row would be found.
pub(super) fn check(column: &Column) -> String {
    let cast = format!("$1::text::{}", column.sql_type);
    match wider(column) {
        Some(wider) => format!("SELECT {cast}::{wider} = $1::text::{wider}"),
        None => format!("SELECT {cast} IS NOT NULL"),
    }
}

fn wider(column: &Column) -> Option<&'static str> {
    let RawType::Postgres(raw) = &column.raw else { return None };
    match raw {
        PgType::Text => Some("text"),
        PgType::Char => Some("bpchar"),
        PgType::Numeric if column.sql_type != "money" => Some("numeric"),
        PgType::Date | PgType::Timestamp { .. } => Some("timestamp"),
        PgType::TimestampTz { .. } => Some("timestamptz"),
        PgType::Time { .. } => Some("time"),
        PgType::Bit { .. } => Some("varbit"),
        _ => None,
    }
}
