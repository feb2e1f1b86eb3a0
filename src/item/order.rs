//! Bytes that compare as values do: which of several rows comes first by some columns.

use crate::mapping::{Nulls, Overflow};
use crate::plan::{Layout, ReadSettings};
use crate::source::Page;

use super::calendar::{Civil, Date, Moment};
use super::reading::{Purpose, write_text};
use super::template::cell;
use super::value::{Decimal, Value};

/// The order of a row by some columns, as bytes: NULL first, then numbers from -infinity to NaN, then dates
/// and moments, then everything else by the bytes of its text; a value that cannot be read comes with NULL.
/// Numbers of any size keep their order, also those DynamoDB cannot hold.
pub fn order_of(layout: &Layout, page: &Page, row: usize, columns: &[usize]) -> Vec<u8> {
    let mut order = Vec::new();
    for &column in columns {
        match page.row(row).map(|row| cell(row, &layout.columns, column)) {
            Some(Ok(value)) => push(&value, &mut order),
            _ => order.push(NULL),
        }
    }
    order
}

const NULL: u8 = 0;
const NEGATIVE_INFINITY: u8 = 1;
const NEGATIVE: u8 = 2;
const ZERO: u8 = 3;
const POSITIVE: u8 = 4;
const INFINITY: u8 = 5;
const NAN: u8 = 6;
const MOMENT: u8 = 7;
const END_OF_TIME: u8 = 8;
const OTHER: u8 = 9;

/// From here on floats are whole, and integers of 64 bits may stand beside them (SQLite mixes both).
const WHOLE: f64 = 9_007_199_254_740_992.0;

fn push(value: &Value<'_>, order: &mut Vec<u8>) {
    match value {
        Value::Null => order.push(NULL),
        Value::Bool(value) => push_number(if *value { "1" } else { "0" }, order),
        Value::Int(value) => push_number(&value.to_string(), order),
        Value::UInt(value) => push_number(&value.to_string(), order),
        Value::Float32(value) => push_float(f64::from(*value), order),
        Value::Float64(value) => push_float(*value, order),
        Value::Decimal(Decimal::NaN) => order.push(NAN),
        Value::Decimal(Decimal::Infinity { negative }) => order.push(infinity(*negative)),
        Value::Decimal(_) => {
            let mut text = Vec::new();
            value.write_any_number(&mut text);
            match str::from_utf8(&text) {
                Ok(text) => push_number(text, order),
                Err(_) => push_text(&text, order),
            }
        }
        Value::Date(date) => push_moment(*date, 0, order),
        Value::Timestamp(Moment { date, micros, .. }) | Value::TimestampTz(Moment { date, micros, .. }) => {
            push_moment(*date, *micros, order);
        }
        Value::Time(time) => {
            let micros = if time.negative { -time.micros } else { time.micros };
            push_number(&micros.to_string(), order);
        }
        _ => {
            let mut text = Vec::new();
            drop(write_text(value, &AS_IT_IS, Purpose::Exact, &mut text));
            push_text(&text, order);
        }
    }
}

const AS_IT_IS: ReadSettings =
    ReadSettings { kind: None, format: None, zone: None, overflow: Overflow::Reject, nulls: Nulls::Omit };

fn infinity(negative: bool) -> u8 {
    if negative { NEGATIVE_INFINITY } else { INFINITY }
}

fn push_float(value: f64, order: &mut Vec<u8>) {
    match value {
        _ if value.is_nan() => order.push(NAN),
        _ if value.is_infinite() => order.push(infinity(value.is_sign_negative())),
        _ if value.abs() < WHOLE => push_number(&format!("{value:e}"), order),
        _ => push_number(&format!("{value:.0}"), order),
    }
}

/// A decimal of any size, with or without an exponent: its sign, the place of its first digit and its digits,
/// all turned round where it is negative.
fn push_number(text: &str, order: &mut Vec<u8>) {
    let Some(Scientific { negative, digits, point }) = Scientific::parse(text) else {
        return push_text(text.as_bytes(), order);
    };
    if digits.is_empty() {
        return order.push(ZERO);
    }
    order.push(if negative { NEGATIVE } else { POSITIVE });
    let start = order.len();
    order.extend((point ^ i64::MIN).to_be_bytes());
    order.extend_from_slice(&digits);
    order.push(0);
    if negative {
        order.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
    }
}

/// ±0.digits × 10^point, the digits without zeros at either end.
struct Scientific {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

impl Scientific {
    fn parse(text: &str) -> Option<Self> {
        let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |unsigned| (true, unsigned));
        let unsigned = unsigned.strip_prefix('+').unwrap_or(unsigned);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = [whole, fraction].concat().into_bytes();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let leading = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..leading);
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let point = i64::try_from(whole.len()).ok()?.checked_sub(i64::try_from(leading).ok()?)?;
        Some(Self { negative, digits, point: point.checked_add(exponent)? })
    }
}

/// Infinities at either end; years before Christ backwards. Dates that no calendar has keep their place.
fn push_moment(date: Date, micros: i64, order: &mut Vec<u8>) {
    let civil = match date {
        Date::Infinite { negative: true } => return order.push(NEGATIVE_INFINITY),
        Date::Infinite { negative: false } => return order.push(END_OF_TIME),
        Date::Civil(civil) => civil,
        Date::BeforeChrist(civil) => Civil { year: 1 - civil.year, ..civil },
    };
    order.push(MOMENT);
    order.extend((civil.year ^ i32::MIN).to_be_bytes());
    order.extend([civil.month, civil.day]);
    order.extend((micros ^ i64::MIN).to_be_bytes());
}

/// A zero ends a text, so that none is taken for the beginning of a longer one and its next column.
fn push_text(text: &[u8], order: &mut Vec<u8>) {
    order.push(OTHER);
    for &byte in text {
        match byte {
            0 => order.extend([0, 1]),
            byte => order.push(byte),
        }
    }
    order.extend([0, 0]);
}
