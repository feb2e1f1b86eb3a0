//! Raw cell + [`RawType`] → [`Value`]. Any bytes may come in; what does not have the promised form is
//! a violation, never a panic and never a guess.

mod mysql;
mod postgres;
mod sqlite;

use crate::source::{RawCell, RawType};

use super::calendar::MICROS_PER_SECOND;
use super::rejection::{Rule, Violation};
use super::value::Value;

pub(super) use postgres::{PgArray, PgElements, PgNumeric};

/// Decodes a cell.
#[inline]
pub(super) fn decode<'a>(cell: RawCell<'a>, raw: &'a RawType) -> Result<Value<'a>, Violation> {
    let decoded = match (raw, cell) {
        (_, RawCell::Null) => Ok(Value::Null),
        (RawType::Postgres(kind), RawCell::Bytes(bytes)) => postgres::decode(bytes, kind),
        (RawType::Mysql(kind), RawCell::Bytes(bytes)) => mysql::decode(bytes, kind),
        (RawType::Sqlite(kind), cell) => sqlite::decode(cell, *kind),
        // A `let` column may arrive as a plain integer.
        (_, RawCell::Integer(value)) => Ok(Value::Int(value)),
        _ => Err(Violation::malformed("a cell of another database than its column")),
    };
    #[cfg(test)]
    let decoded = decoded.map(super::tests::broken::broken);
    decoded
}

fn utf8(bytes: &[u8]) -> Result<&str, Violation> {
    std::str::from_utf8(bytes)
        .map_err(|_| Violation::new(Rule::TextInvalid, "not UTF-8; convert it in SQL, or read it as bytes"))
}

/// Checks that no fraction digit beyond the column's precision would be lost.
fn check_precision(micros: i64, precision: u8) -> Result<u8, Violation> {
    let precision = precision.min(6);
    let unit = 10_i64.pow(u32::from(6 - precision));
    if micros % MICROS_PER_SECOND % unit == 0 {
        Ok(precision)
    } else {
        Err(Violation::malformed("more fraction digits of seconds than the column's precision"))
    }
}

/// `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` in either case.
pub(super) fn parse_uuid(text: &str) -> Option<[u8; 16]> {
    let text = text.as_bytes();
    if text.len() != 36 {
        return None;
    }
    let mut uuid = [0; 16];
    let mut bytes = uuid.iter_mut();
    for (at, group) in [(0, 8), (9, 4), (14, 4), (19, 4), (24, 12)] {
        if at > 0 && text.get(at - 1) != Some(&b'-') {
            return None;
        }
        let digits = text.get(at..at + group)?;
        for pair in digits.as_chunks::<2>().0 {
            *bytes.next()? = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
    }
    Some(uuid)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}
