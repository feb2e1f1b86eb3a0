//! One value → one DynamoDB attribute value: its wire form, its type, its billed size.

use crate::mapping::{Format, Nulls, Overflow, ValueType};
use crate::plan::ReadSettings;

use super::collection;
use super::escape::{write_base64, write_text as write_escaped};
use super::json;
use super::number::write_integer;
use super::reading::{Purpose, read, write_text};
use super::rejection::Violation;
use super::value::Value;

/// The types of DynamoDB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    S,
    N,
    B,
    Bool,
    Null,
    L,
    M,
    StringSet,
    NumberSet,
    BinarySet,
}

/// What became of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// Appended, with its billed bytes.
    Value(Wire, usize),
    /// The attribute is left out, and nothing was appended.
    Absent,
}

/// Buffers kept between values.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) text: Vec<u8>,
    pub(super) template: Vec<u8>,
    pub(super) json: json::Scratch,
    pub(super) members: Vec<std::ops::Range<usize>>,
}

/// Billed bytes of BOOL and NULL.
pub(super) const FLAG_SIZE: usize = 1;

/// Appends `{"S":"…"}` or its like. What DynamoDB cannot hold goes by `overflow`.
pub(super) fn write(
    value: &Value<'_>,
    settings: &ReadSettings,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<Written, Violation> {
    let start = out.len();
    match write_strict(value, settings, scratch, out) {
        Err(violation) if violation.rule.is_overflow() => {
            out.truncate(start);
            write_overflow(value, violation, settings, scratch, out)
        }
        result => result,
    }
}

/// What a NULL becomes.
pub(super) fn write_null(nulls: Nulls, out: &mut Vec<u8>) -> Written {
    match nulls {
        Nulls::Omit => Written::Absent,
        Nulls::Null => {
            out.extend_from_slice(b"{\"NULL\":true}");
            Written::Value(Wire::Null, FLAG_SIZE)
        }
    }
}

/// Appends UTF-8 text as `{"S":"…"}`.
pub(super) fn write_string(text: &[u8], out: &mut Vec<u8>) -> Written {
    out.extend_from_slice(b"{\"S\":\"");
    write_escaped(text, out);
    out.extend_from_slice(b"\"}");
    Written::Value(Wire::S, text.len())
}

/// Appends `{"B":"…"}`.
pub(super) fn write_binary(bytes: &[u8], out: &mut Vec<u8>) -> Written {
    out.extend_from_slice(b"{\"B\":\"");
    write_base64(bytes, out);
    out.extend_from_slice(b"\"}");
    Written::Value(Wire::B, bytes.len())
}

/// Appends a value in the form of its own type; `settings` matter for zones, formats and overflow.
pub(super) fn write_natural(
    value: &Value<'_>,
    settings: &ReadSettings,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<Written, Violation> {
    match value {
        Value::Null => Ok(write_null(Nulls::Null, out)),
        Value::Bool(value) => {
            out.extend_from_slice(if *value { b"{\"BOOL\":true}" } else { b"{\"BOOL\":false}" });
            Ok(Written::Value(Wire::Bool, FLAG_SIZE))
        }
        Value::Int(_) | Value::UInt(_) | Value::Decimal(_) | Value::Float32(_) | Value::Float64(_) => {
            write_number(value, out)
        }
        Value::Text(text) => Ok(write_string(text.as_bytes(), out)),
        Value::Bytes(bytes) => Ok(write_binary(bytes, out)),
        Value::Uuid(_) | Value::Date(_) | Value::Time(_) | Value::Timestamp(_) | Value::TimestampTz(_) => {
            write_as_text(value, settings, scratch, out)
        }
        Value::Json(text) => {
            let (wire, size) = json::write(text, settings.overflow, &mut scratch.json, out)?;
            Ok(Written::Value(wire, size))
        }
        Value::Array(_) | Value::Members(_) => collection::write(value, settings, scratch, out),
    }
}

fn write_strict(
    value: &Value<'_>,
    settings: &ReadSettings,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<Written, Violation> {
    if matches!(value, Value::Null) {
        return Ok(write_null(settings.nulls, out));
    }
    if matches!(value, Value::Array(_) | Value::Members(_)) {
        return collection::write(value, settings, scratch, out);
    }
    if settings.kind.is_none() && settings.format.is_none() && settings.zone.is_none() {
        return write_natural(value, settings, scratch, out);
    }
    let meant = read(*value, settings);
    let value = meant.as_ref().map_err(Violation::clone)?;
    match (settings.kind, value) {
        (Some(ValueType::S), _) => write_as_text(value, settings, scratch, out),
        (Some(ValueType::B), Value::Uuid(uuid)) => Ok(write_binary(uuid, out)),
        (Some(ValueType::List), Value::Json(_)) => match write_natural(value, settings, scratch, out)? {
            list @ Written::Value(Wire::L, _) => Ok(list),
            _ => Err(Violation::mismatch("type = \"L\" on JSON that is no array")),
        },
        (Some(ValueType::List | ValueType::StringSet | ValueType::NumberSet | ValueType::BinarySet), _) => {
            Err(Violation::mismatch("a list or set is wanted of a single value"))
        }
        _ => write_natural(value, settings, scratch, out),
    }
}

/// Appends `{"N":"…"}`.
fn write_number(value: &Value<'_>, out: &mut Vec<u8>) -> Result<Written, Violation> {
    out.extend_from_slice(b"{\"N\":\"");
    let size = write_digits(value, out)?;
    out.extend_from_slice(b"\"}");
    Ok(Written::Value(Wire::N, size))
}

/// Appends the canonical digits of a number and returns their billed size.
pub(super) fn write_digits(value: &Value<'_>, out: &mut Vec<u8>) -> Result<usize, Violation> {
    match value {
        Value::Int(value) => Ok(write_integer(*value < 0, value.unsigned_abs(), out)),
        Value::UInt(value) => Ok(write_integer(false, *value, out)),
        _ => match value.number() {
            Some(number) => {
                let number = number?;
                number.write(out);
                Ok(number.size())
            }
            None => Err(Violation::mismatch("a value that is no number")),
        },
    }
}

fn write_as_text(
    value: &Value<'_>,
    settings: &ReadSettings,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<Written, Violation> {
    match value {
        Value::Text(text) | Value::Json(text) | Value::Members(text) => {
            return Ok(write_string(text.as_bytes(), out));
        }
        _ => {}
    }
    if matches!(settings.format, Some(Format::Strftime(_))) || matches!(value, Value::Bytes(_)) {
        scratch.text.clear();
        write_text(value, settings, Purpose::Attribute, &mut scratch.text)?;
        return Ok(write_string(&scratch.text, out));
    }
    // Texts that need no escape.
    out.extend_from_slice(b"{\"S\":\"");
    let start = out.len();
    write_text(value, settings, Purpose::Attribute, out)?;
    let size = out.len() - start;
    out.extend_from_slice(b"\"}");
    Ok(Written::Value(Wire::S, size))
}

fn write_overflow(
    value: &Value<'_>,
    violation: Violation,
    settings: &ReadSettings,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<Written, Violation> {
    match settings.overflow {
        Overflow::Reject => Err(violation),
        Overflow::Omit => Ok(Written::Absent),
        Overflow::Null => Ok(write_null(Nulls::Null, out)),
        Overflow::String => {
            scratch.text.clear();
            write_text(value, settings, Purpose::Exact, &mut scratch.text)?;
            Ok(write_string(&scratch.text, out))
        }
    }
}
