//! SQLite: the value's own storage class tells what it is; the declared type is followed where the
//! value fits it.

use crate::source::{RawCell, SqliteType};

use super::super::calendar::{Civil, Date, MICROS_PER_SECOND, Moment, TimeOfDay};
use super::super::number::{Number, NumberError};
use super::super::rejection::Violation;
use super::super::value::{Decimal, Value};
use super::{parse_uuid, utf8};

pub(super) fn decode(cell: RawCell<'_>, kind: SqliteType) -> Result<Value<'_>, Violation> {
    match cell {
        RawCell::Null => Ok(Value::Null),
        RawCell::Integer(value) => Ok(match (kind, value) {
            (SqliteType::Boolean, 0) => Value::Bool(false),
            (SqliteType::Boolean, 1) => Value::Bool(true),
            _ => Value::Int(value),
        }),
        RawCell::Real(value) => Ok(Value::Float64(value)),
        RawCell::Text(bytes) => {
            let text = utf8(bytes)?;
            Ok(declared(text, kind).unwrap_or(Value::Text(text)))
        }
        RawCell::Blob(bytes) | RawCell::Bytes(bytes) => Ok(Value::Bytes(bytes)),
    }
}

/// The text as its declared type, when it is one.
fn declared(text: &str, kind: SqliteType) -> Option<Value<'_>> {
    match kind {
        SqliteType::Any | SqliteType::Boolean => None,
        SqliteType::Decimal => match Number::parse(text.as_bytes()) {
            Err(NumberError::NotANumber) => None,
            _ => Some(Value::Decimal(Decimal::Text(text))),
        },
        SqliteType::Date => parse_date(text).map(|civil| Value::Date(Date::Civil(civil))),
        SqliteType::DateTime => parse_moment(text).map(Value::Timestamp),
        SqliteType::Time => {
            let (micros, precision) = parse_clock(text)?;
            Some(Value::Time(TimeOfDay { negative: false, micros, precision }))
        }
        SqliteType::Json => Some(Value::Json(text)),
        SqliteType::Uuid => parse_uuid(text).map(Value::Uuid),
    }
}

/// `YYYY-MM-DD HH:MM:SS[.f]`, also with `T`; keeps as many fraction digits as there are.
fn parse_moment(text: &str) -> Option<Moment> {
    let (date, clock) = text.split_once([' ', 'T'])?;
    let (micros, precision) = parse_clock(clock)?;
    Some(Moment { date: Date::Civil(parse_date(date)?), micros, precision })
}

/// A date that exists, in the years 1 to 9999.
fn parse_date(text: &str) -> Option<Civil> {
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = *text.as_bytes().first_chunk::<10>()? else {
        return None;
    };
    let year = i32::try_from(digits(&[y0, y1, y2, y3])?).ok()?;
    let month = u8::try_from(digits(&[m0, m1])?).ok()?;
    let day = u8::try_from(digits(&[d0, d1])?).ok()?;
    let civil = Civil { year, month, day };
    (text.len() == 10 && civil.exists() && year > 0).then_some(civil)
}

/// `HH:MM:SS[.f]` with up to six fraction digits, in microseconds, and how many digits there are.
fn parse_clock(text: &str) -> Option<(i64, u8)> {
    let (clock, fraction) = text.as_bytes().split_first_chunk::<8>()?;
    let [h0, h1, b':', m0, m1, b':', s0, s1] = *clock else { return None };
    let (hour, minute, second) = (digits(&[h0, h1])?, digits(&[m0, m1])?, digits(&[s0, s1])?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (micros, precision) = match fraction.split_first() {
        None => (0, 0),
        Some((b'.', fraction @ [_, ..])) if fraction.len() <= 6 => {
            let precision = u8::try_from(fraction.len()).ok()?;
            (digits(fraction)? * 10_i64.pow(u32::from(6 - precision)), precision)
        }
        Some(_) => return None,
    };
    Some((((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND + micros, precision))
}

fn digits(text: &[u8]) -> Option<i64> {
    text.iter()
        .try_fold(0_i64, |value, digit| digit.is_ascii_digit().then(|| value * 10 + i64::from(digit - b'0')))
}
