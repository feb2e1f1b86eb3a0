//! One decoded value, borrowed from its cell. Exact: nothing is rounded, cut or guessed here.

use std::borrow::Cow;

use super::calendar::{Date, Moment, TimeOfDay};
use super::decode::{PgArray, PgNumeric};
use super::number::{Number, not_finite, shortest};
use super::rejection::Violation;

/// What a cell holds, whatever database it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float32(f32),
    Float64(f64),
    Decimal(Decimal<'a>),
    Text(&'a str),
    Bytes(&'a [u8]),
    Uuid([u8; 16]),
    Date(Date),
    Time(TimeOfDay),
    /// Without zone.
    Timestamp(Moment),
    /// An instant, in UTC.
    TimestampTz(Moment),
    /// JSON text, not yet checked.
    Json(&'a str),
    Array(PgArray<'a>),
    /// Members of a MySQL SET, joined by commas.
    Members(&'a str),
}

/// An exact decimal in the form it arrived in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Decimal<'a> {
    /// Text of a number, not yet checked.
    Text(&'a str),
    Groups(PgNumeric<'a>),
    NaN,
    Infinity {
        negative: bool,
    },
}

impl Decimal<'_> {
    pub(super) fn number(&self) -> Result<Number, Violation> {
        match self {
            Decimal::Text(text) => Ok(Number::parse(text.as_bytes())?),
            Decimal::Groups(numeric) => {
                Ok(Number::from_groups(numeric.negative, numeric.weight, numeric.groups())?)
            }
            Decimal::NaN | Decimal::Infinity { .. } => Err(not_finite()),
        }
    }

    /// Appends the whole text, however many digits it has.
    fn write_exact(&self, out: &mut Vec<u8>) {
        match self {
            Decimal::Text(text) => out.extend_from_slice(without_needless_zeros(text).as_bytes()),
            Decimal::Groups(numeric) => numeric.write_exact(out),
            Decimal::NaN => out.extend_from_slice(b"NaN"),
            Decimal::Infinity { negative } => write_infinity(*negative, out),
        }
    }
}

/// Plain decimals have one spelling however many digits they have; a text with an exponent stays as it is.
fn without_needless_zeros(text: &str) -> Cow<'_, str> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Cow::Borrowed(text);
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = Some(whole.trim_start_matches('0')).filter(|whole| !whole.is_empty()).unwrap_or("0");
    match fraction.trim_end_matches('0') {
        "" => Cow::Owned(format!("{sign}{whole}")),
        fraction => Cow::Owned(format!("{sign}{whole}.{fraction}")),
    }
}

impl Value<'_> {
    /// The number this value is; `None` when it is none.
    pub(super) fn number(&self) -> Option<Result<Number, Violation>> {
        let of_float = |number: Option<Result<Number, _>>| match number {
            Some(number) => number.map_err(Violation::from),
            None => Err(not_finite()),
        };
        match self {
            Value::Float32(value) => Some(of_float(Number::from_f32(*value))),
            Value::Float64(value) => Some(of_float(Number::from_f64(*value))),
            Value::Decimal(decimal) => Some(decimal.number()),
            _ => None,
        }
    }

    /// Appends the text of a decimal or float without the limits of a DynamoDB number: canonical
    /// where it is one, else all its digits.
    pub(super) fn write_any_number(&self, out: &mut Vec<u8>) {
        if let Some(Ok(number)) = self.number() {
            return number.write(out);
        }
        match self {
            Value::Decimal(decimal) => decimal.write_exact(out),
            Value::Float32(value) => write_float(f64::from(*value), shortest(*value).as_bytes(), out),
            Value::Float64(value) => write_float(*value, shortest(*value).as_bytes(), out),
            _ => {}
        }
    }
}

/// A float that is no DynamoDB number, as PostgreSQL writes it: `NaN`, `-Infinity`, `5e-324`, `1e+300`.
fn write_float(value: f64, shortest: &[u8], out: &mut Vec<u8>) {
    if value.is_nan() {
        out.extend_from_slice(b"NaN");
    } else if value.is_infinite() {
        write_infinity(value.is_sign_negative(), out);
    } else {
        for &byte in shortest {
            out.push(byte);
            if byte == b'e' && !shortest.windows(2).any(|pair| pair == b"e-") {
                out.push(b'+');
            }
        }
    }
}

fn write_infinity(negative: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if negative { b"-Infinity" } else { b"Infinity" });
}
