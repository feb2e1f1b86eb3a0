//! The binary protocol of MySQL and MariaDB.

use crate::source::MysqlType;

use super::super::calendar::{Civil, Date, MICROS_PER_SECOND, Moment, TimeOfDay};
use super::super::rejection::Violation;
use super::super::value::{Decimal, Value};
use super::{check_precision, utf8};

/// TIME ends at 838:59:59, within the 35th day.
const MAX_DAYS: i64 = 34;

pub(super) fn decode<'a>(bytes: &'a [u8], kind: &MysqlType) -> Result<Value<'a>, Violation> {
    Ok(match kind {
        MysqlType::Integer { unsigned } | MysqlType::TinyInt1 { unsigned } => {
            decode_integer(bytes, *unsigned)?
        }
        MysqlType::Float => Value::Float32(f32::from_le_bytes(fixed(bytes)?)),
        MysqlType::Double => Value::Float64(f64::from_le_bytes(fixed(bytes)?)),
        MysqlType::Decimal => Value::Decimal(Decimal::Text(utf8(bytes)?)),
        MysqlType::Year => Value::UInt(u64::from(u16::from_le_bytes(fixed(bytes)?))),
        MysqlType::Bit { width } => decode_bit(bytes, *width)?,
        MysqlType::Date => Value::Date(decode_moment(bytes, 0)?.date),
        MysqlType::DateTime { precision } => Value::Timestamp(decode_moment(bytes, *precision)?),
        MysqlType::Timestamp { precision } => Value::TimestampTz(decode_moment(bytes, *precision)?),
        MysqlType::Time { precision } => Value::Time(decode_time(bytes, *precision)?),
        MysqlType::Text | MysqlType::Recoded { .. } | MysqlType::ServerText => Value::Text(utf8(bytes)?),
        MysqlType::Set => Value::Members(utf8(bytes)?),
        MysqlType::Json => Value::Json(utf8(bytes)?),
        MysqlType::Binary => Value::Bytes(bytes),
    })
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Violation> {
    bytes.try_into().map_err(|_| Violation::malformed("a value of another length than its type"))
}

fn decode_integer(bytes: &[u8], unsigned: bool) -> Result<Value<'static>, Violation> {
    Ok(match (bytes, unsigned) {
        ([byte], true) => Value::UInt(u64::from(*byte)),
        ([byte], false) => Value::Int(i64::from(i8::from_le_bytes([*byte]))),
        ([a, b], true) => Value::UInt(u64::from(u16::from_le_bytes([*a, *b]))),
        ([a, b], false) => Value::Int(i64::from(i16::from_le_bytes([*a, *b]))),
        ([a, b, c, d], true) => Value::UInt(u64::from(u32::from_le_bytes([*a, *b, *c, *d]))),
        ([a, b, c, d], false) => Value::Int(i64::from(i32::from_le_bytes([*a, *b, *c, *d]))),
        (_, true) => Value::UInt(u64::from_le_bytes(fixed(bytes)?)),
        (_, false) => Value::Int(i64::from_le_bytes(fixed(bytes)?)),
    })
}

/// bit(1) is a boolean, more bits are a number.
fn decode_bit(bytes: &[u8], width: u32) -> Result<Value<'static>, Violation> {
    match (width, decode_integer(bytes, true)?) {
        (1, Value::UInt(0)) => Ok(Value::Bool(false)),
        (1, Value::UInt(1)) => Ok(Value::Bool(true)),
        (1, _) => Err(Violation::malformed("a bit(1) with more than one bit")),
        (_, bits) => Ok(bits),
    }
}

/// A length byte, then as many parts as are not zero. Nothing at all is the zero date, which is not
/// NULL; whether a date exists is found where it is written.
fn decode_moment(bytes: &[u8], precision: u8) -> Result<Moment, Violation> {
    let parts = parts(bytes)?;
    if !matches!(parts.len(), 0 | 4 | 7 | 11) {
        return Err(Violation::malformed("a date of an unknown length"));
    }
    let part = |at: usize| parts.get(at).copied().unwrap_or(0);
    let civil =
        Civil { year: i32::from(u16::from_le_bytes([part(0), part(1)])), month: part(2), day: part(3) };
    let micros = clock(part(4), part(5), part(6), [part(7), part(8), part(9), part(10)])?;
    let precision = check_precision(micros, precision)?;
    Ok(Moment { date: Date::Civil(civil), micros, precision })
}

fn decode_time(bytes: &[u8], precision: u8) -> Result<TimeOfDay, Violation> {
    let parts = parts(bytes)?;
    if !matches!(parts.len(), 0 | 8 | 12) {
        return Err(Violation::malformed("a time of an unknown length"));
    }
    let part = |at: usize| parts.get(at).copied().unwrap_or(0);
    let days = i64::from(u32::from_le_bytes([part(1), part(2), part(3), part(4)]));
    let clock = clock(part(5), part(6), part(7), [part(8), part(9), part(10), part(11)])?;
    if days > MAX_DAYS {
        return Err(Violation::malformed("a time of more than 838 hours"));
    }
    let micros = days * 86_400 * MICROS_PER_SECOND + clock;
    let precision = check_precision(micros, precision)?;
    match part(0) {
        sign @ (0 | 1) => Ok(TimeOfDay { negative: sign == 1 && micros != 0, micros, precision }),
        _ => Err(Violation::malformed("a time with an unknown sign")),
    }
}

/// What follows the length byte.
fn parts(bytes: &[u8]) -> Result<&[u8], Violation> {
    match bytes.split_first() {
        Some((len, parts)) if usize::from(*len) == parts.len() => Ok(parts),
        _ => Err(Violation::malformed("a date or time of another length than it says")),
    }
}

fn clock(hour: u8, minute: u8, second: u8, micros: [u8; 4]) -> Result<i64, Violation> {
    let micros = i64::from(u32::from_le_bytes(micros));
    if hour > 23 || minute > 59 || second > 59 || micros >= MICROS_PER_SECOND {
        return Err(Violation::malformed("a time of day that does not exist"));
    }
    let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
    Ok(seconds * MICROS_PER_SECOND + micros)
}
