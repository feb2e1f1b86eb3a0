//! Rows that have given values in columns of their key. The values are bound, and compared by the source.

use super::{Class, Column, KeyPart, Select, SourceError, SourceErrorKind};

/// A column of the key and the value it must have, as reports write source keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue {
    pub column: String,
    pub text: String,
}

/// A column of the key with the forms that the value wanted can have in it.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    pub(super) column: &'a Column,
    pub(super) forms: Vec<KeyPart>,
}

/// Reads the values by the dialect's `forms`, which knows none for a text that the column cannot hold.
pub(super) fn wanted<'a>(
    select: &'a Select,
    values: &[KeyValue],
    forms: impl Fn(&Column, &str) -> Option<Vec<KeyPart>>,
) -> Result<Vec<Wanted<'a>>, SourceError> {
    let read = |value: &KeyValue| {
        let column = select.key.iter().find(|column| column.name == value.column);
        let column = column.ok_or_else(|| no_key_column(&value.column))?;
        let forms = forms(column, &value.text).ok_or_else(|| unfit(column))?;
        Ok(Wanted { column, forms })
    };
    values.iter().map(read).collect()
}

fn no_key_column(name: &str) -> SourceError {
    SourceError::new(SourceErrorKind::KeyValue, "look for a row", format!("`{name}` is no column of the key"))
}

/// The value itself stays out: it may be private.
pub(super) fn unfit(column: &Column) -> SourceError {
    let cause = format!("{} does not take the value given", shown_type(column));
    let error =
        SourceError::new(SourceErrorKind::KeyValue, format!("look for a row by `{}`", column.name), cause);
    match form(column.raw.class()) {
        Some(form) => error.with_hint(format!("write {form}")),
        None => error,
    }
}

fn shown_type(column: &Column) -> &str {
    if column.sql_type.is_empty() { "its type" } else { &column.sql_type }
}

/// How values are written where it is not plain.
fn form(class: Class) -> Option<&'static str> {
    match class {
        Class::Integer => Some("a whole number within the type's range"),
        Class::Decimal => Some("a number with as many digits as the type holds, such as 19.90"),
        Class::Boolean => Some("true or false"),
        Class::Uuid => Some("a UUID: 32 hex digits, with or without hyphens"),
        Class::Bytes => Some("the bytes in hex, such as 00ff"),
        Class::Date => Some("a date as 2026-12-31"),
        Class::Time => Some("a time as 23:59:59"),
        Class::Timestamp | Class::TimestampTz => Some("a timestamp as 2026-12-31T23:59:59"),
        Class::Float | Class::Text | Class::Json | Class::Array | Class::Dynamic => None,
    }
}

/// Bytes from hex digits, also behind `0x` or `\x`.
pub(super) fn hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("\\x")).unwrap_or(text);
    let nibble = |digit: &u8| char::from(*digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| Some(nibble(high)? << 4 | nibble(low)?);
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn bytes_are_read_from_hex() {
        assert_eq!(hex("00fF"), Some(vec![0, 255]));
        assert_eq!(hex("\\x01"), Some(vec![1]));
        assert_eq!(hex("0x"), Some(Vec::new()));
        for wrong in ["0", "0g", "é0", " 00"] {
            assert_eq!(hex(wrong), None, "{wrong}");
        }
    }
}
