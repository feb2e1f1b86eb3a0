//! How a column is read: `type`, `format` and `zone` turn the value of its cell into the value meant,
//! and that into text.

use crate::mapping::{Format, ValueType};
use crate::plan::ReadSettings;

use super::calendar::Instant;
use super::decode::parse_uuid;
use super::escape::{hex_digits, write_hex};
use super::number::write_integer;
use super::rejection::{Rule, Violation};
use super::time::{Fields, write_date, write_exact_date, write_exact_moment, write_instant, write_time};
use super::value::{Decimal, Value};

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Part of a key: only types with one canonical text, only values DynamoDB could hold.
    Key,
    /// An attribute: numbers may have any number of digits.
    Attribute,
    /// The value whatever it is (`overflow = "string"`, source keys): never fails.
    Exact,
}

/// The value meant by `type` and `format`. Strftime text and what only has a written form (lists,
/// sets) stay as they are.
pub(super) fn read<'a>(value: Value<'a>, settings: &ReadSettings) -> Result<Value<'a>, Violation> {
    read_as(value, settings.kind, settings)
}

/// As [`read`], with a type of its own: that of the members of a list or set.
pub(super) fn read_as<'a>(
    value: Value<'a>,
    kind: Option<ValueType>,
    settings: &ReadSettings,
) -> Result<Value<'a>, Violation> {
    if settings.zone.is_some() && matches!(value, Value::Text(_)) {
        return Err(not_a_moment());
    }
    let value = match &settings.format {
        None => value,
        Some(_) if value == Value::Null => return Ok(value),
        Some(Format::Epoch) => Value::Int(instant(&value, settings)?.epoch()),
        Some(Format::EpochMillis) => Value::Int(instant(&value, settings)?.epoch_millis()),
        Some(Format::Strftime(_)) => match value {
            Value::Date(_) | Value::Time(_) | Value::Timestamp(_) | Value::TimestampTz(_) => {
                return Ok(value);
            }
            _ => return Err(not_a_date()),
        },
    };
    match kind {
        Some(ValueType::N) => as_number(value),
        Some(ValueType::B) => as_bytes(value),
        Some(ValueType::Bool) => as_boolean(value),
        Some(ValueType::Uuid) => as_uuid(value, false),
        Some(ValueType::UuidSwapped) => as_uuid(value, true),
        _ => Ok(value),
    }
}

/// The instant of a date or timestamp, with its zone applied; without one it counts as UTC.
pub(super) fn instant(value: &Value<'_>, settings: &ReadSettings) -> Result<Instant, Violation> {
    match value {
        Value::Date(date) => date.midnight(settings.zone.as_ref()),
        Value::Timestamp(moment) => moment.local(settings.zone.as_ref()),
        Value::TimestampTz(moment) => moment.instant(),
        _ => Err(not_a_date()),
    }
}

/// Appends strftime text of a date, time or timestamp.
pub(super) fn write_strftime(
    value: &Value<'_>,
    format: &str,
    settings: &ReadSettings,
    out: &mut Vec<u8>,
) -> Result<(), Violation> {
    let fields = match value {
        Value::Time(time) => Fields::of_time(*time)?,
        // The calendar date itself, wherever it was.
        Value::Date(date) => Fields::of_instant(date.midnight(None)?),
        _ => Fields::of_instant(instant(value, settings)?),
    };
    fields.write(format, out)
}

/// Appends the text of a value that [`read`] gave. NULL has none.
pub(super) fn write_text(
    value: &Value<'_>,
    settings: &ReadSettings,
    purpose: Purpose,
    out: &mut Vec<u8>,
) -> Result<(), Violation> {
    if purpose == Purpose::Exact {
        write_exact(value, settings, out);
        return Ok(());
    }
    if let Some(Format::Strftime(format)) = &settings.format {
        return write_strftime(value, format, settings, out);
    }
    match value {
        Value::Null => {}
        Value::Bool(_)
        | Value::Int(_)
        | Value::UInt(_)
        | Value::Text(_)
        | Value::Uuid(_)
        | Value::Time(_) => {
            write_exact(value, settings, out);
        }
        Value::Decimal(decimal) if purpose == Purpose::Key && settings.kind != Some(ValueType::S) => {
            decimal.number()?.write(out);
        }
        Value::Float32(_) | Value::Float64(_) | Value::Json(_) if purpose == Purpose::Key => {
            return Err(no_key_text("a float or a JSON document"));
        }
        Value::Decimal(_) | Value::Float32(_) | Value::Float64(_) => write_any_number(value, out)?,
        Value::Json(text) => out.extend_from_slice(text.as_bytes()),
        Value::Members(text) if purpose == Purpose::Attribute => out.extend_from_slice(text.as_bytes()),
        Value::Date(date) => write_date(date.check()?, out),
        Value::Timestamp(moment) | Value::TimestampTz(moment) => {
            write_instant(instant(value, settings)?, moment.precision, out);
        }
        Value::Bytes(bytes) if purpose == Purpose::Attribute => match std::str::from_utf8(bytes) {
            Ok(text) => out.extend_from_slice(text.as_bytes()),
            Err(_) => return Err(Violation::new(Rule::TextInvalid, "bytes that are not UTF-8 text")),
        },
        Value::Bytes(_) => return Err(no_key_text("binary without hex or type = \"uuid\"")),
        Value::Members(_) | Value::Array(_) => return Err(no_key_text("a list")),
    }
    Ok(())
}

/// A number of any size; a decimal column's text that is none is malformed.
fn write_any_number(value: &Value<'_>, out: &mut Vec<u8>) -> Result<(), Violation> {
    match value.number() {
        Some(Err(violation)) if !violation.rule.is_overflow() => Err(violation),
        _ => {
            value.write_any_number(out);
            Ok(())
        }
    }
}

fn write_exact(value: &Value<'_>, settings: &ReadSettings, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"NULL"),
        Value::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Value::Int(value) => {
            write_integer(*value < 0, value.unsigned_abs(), out);
        }
        Value::UInt(value) => {
            write_integer(false, *value, out);
        }
        Value::Decimal(_) | Value::Float32(_) | Value::Float64(_) => value.write_any_number(out),
        Value::Text(text) | Value::Json(text) | Value::Members(text) => {
            out.extend_from_slice(text.as_bytes())
        }
        Value::Bytes(bytes) => write_hex(bytes, out),
        Value::Uuid(uuid) => write_uuid(uuid, out),
        Value::Date(date) => write_exact_date(*date, out),
        Value::Time(time) => write_time(*time, out),
        Value::Timestamp(moment) => match moment.local(settings.zone.as_ref()) {
            Ok(instant) => write_instant(instant, moment.precision, out),
            Err(_) => write_exact_moment(*moment, false, out),
        },
        Value::TimestampTz(moment) => write_exact_moment(*moment, true, out),
        Value::Array(array) => {
            out.push(b'{');
            let mut elements = array.elements();
            let mut first = true;
            while let Ok(Some(element)) = elements.next() {
                if !first {
                    out.push(b',');
                }
                first = false;
                write_exact(&element, settings, out);
            }
            out.push(b'}');
        }
    }
}

fn write_uuid(uuid: &[u8; 16], out: &mut Vec<u8>) {
    const PLACES: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
    let mut text = [b'-'; 36];
    for (byte, at) in uuid.iter().zip(PLACES) {
        if let Some(place) = text.get_mut(at..at + 2) {
            place.copy_from_slice(&hex_digits(*byte));
        }
    }
    out.extend_from_slice(&text);
}

fn as_number(value: Value<'_>) -> Result<Value<'_>, Violation> {
    match value {
        Value::Null
        | Value::Int(_)
        | Value::UInt(_)
        | Value::Decimal(_)
        | Value::Float32(_)
        | Value::Float64(_) => Ok(value),
        Value::Bool(value) => Ok(Value::Int(i64::from(value))),
        Value::Text(text) => Ok(Value::Decimal(Decimal::Text(text))),
        Value::Json(text) => Ok(Value::Decimal(Decimal::Text(text.trim_ascii()))),
        _ => Err(Violation::mismatch("type = \"N\" on a value that is no number")),
    }
}

fn as_bytes(value: Value<'_>) -> Result<Value<'_>, Violation> {
    match value {
        Value::Null | Value::Bytes(_) | Value::Uuid(_) => Ok(value),
        // A text is not its bytes: that of a UUID would be its letters.
        Value::Text(_) => Err(Violation::mismatch("type = \"B\" on a text; let makes bytes of it by a cast")),
        _ => Err(Violation::mismatch("type = \"B\" on a value that is no bytes")),
    }
}

/// Only what says 0 or 1, true or false.
fn as_boolean(value: Value<'_>) -> Result<Value<'_>, Violation> {
    match value {
        Value::Null | Value::Bool(_) => return Ok(value),
        Value::Int(0) | Value::UInt(0) | Value::Text("0" | "false") => return Ok(Value::Bool(false)),
        Value::Int(1) | Value::UInt(1) | Value::Text("1" | "true") => return Ok(Value::Bool(true)),
        Value::Decimal(decimal) => {
            let mut text = Vec::new();
            decimal.number()?.write(&mut text);
            match text.as_slice() {
                b"0" => return Ok(Value::Bool(false)),
                b"1" => return Ok(Value::Bool(true)),
                _ => {}
            }
        }
        _ => {}
    }
    Err(Violation::new(Rule::BooleanInvalid, "neither 0 nor 1; leave type = \"BOOL\" away to keep the value"))
}

fn as_uuid(value: Value<'_>, swapped: bool) -> Result<Value<'_>, Violation> {
    match value {
        Value::Null => Ok(value),
        Value::Uuid(_) if !swapped => Ok(value),
        Value::Text(text) if !swapped => match parse_uuid(text) {
            Some(uuid) => Ok(Value::Uuid(uuid)),
            None => Err(Violation::mismatch("the text is no UUID")),
        },
        Value::Bytes(bytes) => match <[u8; 16]>::try_from(bytes) {
            Ok(uuid) if swapped => Ok(Value::Uuid(unswap(uuid))),
            Ok(uuid) => Ok(Value::Uuid(uuid)),
            Err(_) => {
                Err(Violation::mismatch(format!("{} bytes, a UUID has 16; leave type away", bytes.len())))
            }
        },
        _ => Err(Violation::mismatch("type = \"uuid\" on a value that is not bytes")),
    }
}

/// Undoes `UUID_TO_BIN(x, 1)`, which puts the time's high part first.
pub(super) fn unswap(stored: [u8; 16]) -> [u8; 16] {
    let [h0, h1, m0, m1, l0, l1, l2, l3, n0, n1, n2, n3, n4, n5, n6, n7] = stored;
    [l0, l1, l2, l3, m0, m1, h0, h1, n0, n1, n2, n3, n4, n5, n6, n7]
}

/// SQLite's DATETIME alone can hold a text: beside values in UTC it would be of another zone.
fn not_a_moment() -> Violation {
    Violation::mismatch(
        "no time of the form YYYY-MM-DD HH:MM:SS with up to six fraction digits, so that its zone cannot be applied; \
         make it one with let",
    )
}

fn not_a_date() -> Violation {
    Violation::mismatch("a date format on a value that is no date or timestamp")
}

fn no_key_text(what: &str) -> Violation {
    Violation::mismatch(format!("{what} has no text for a key"))
}
