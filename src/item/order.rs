//! Bytes that compare as values do: which of several rows comes first by some columns.

use crate::mapping::{Nulls, Overflow};
use crate::plan::{Layout, ReadSettings};
use crate::source::Page;

use super::calendar::{Date, MICROS_PER_DAY, Moment};
use super::number::Number;
use super::reading::{Purpose, write_text};
use super::template::cell;
use super::value::Value;

/// The order of a row by some columns, as bytes: NULL first, then as numbers, dates and moments order.
/// Other types order by the bytes of their texts; a value that cannot be read comes with NULL.
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
const NEGATIVE: u8 = 1;
const ZERO: u8 = 2;
const POSITIVE: u8 = 3;

fn push(value: &Value<'_>, order: &mut Vec<u8>) {
    match value {
        Value::Null => order.push(NULL),
        Value::Bool(value) => order.extend([POSITIVE, u8::from(*value)]),
        Value::Date(date) => push_moment(*date, 0, order),
        Value::Timestamp(Moment { date, micros, .. }) | Value::TimestampTz(Moment { date, micros, .. }) => {
            push_moment(*date, *micros, order);
        }
        Value::Time(time) => {
            let micros = if time.negative { -time.micros } else { time.micros };
            push_integer(i128::from(micros), order);
        }
        Value::Int(value) => push_integer(i128::from(*value), order),
        Value::UInt(value) => push_integer(i128::from(*value), order),
        _ => match value.number() {
            Some(Ok(number)) => push_number(&number, order),
            Some(Err(_)) => order.push(NULL),
            None => push_other(value, order),
        },
    }
}

/// So that integers and decimals of one column, which SQLite mixes, order together.
fn push_integer(value: i128, order: &mut Vec<u8>) {
    match Number::parse(value.to_string().as_bytes()) {
        Ok(number) => push_number(&number, order),
        Err(_) => order.push(NULL),
    }
}

fn push_number(number: &Number, order: &mut Vec<u8>) {
    let start = order.len() + 1;
    match number.sign() {
        0 => order.push(ZERO),
        sign => {
            order.push(if sign < 0 { NEGATIVE } else { POSITIVE });
            let (digits, point) = number.parts();
            let point = i16::try_from(point).unwrap_or(i16::MAX);
            order.extend((point ^ i16::MIN).to_be_bytes());
            order.extend_from_slice(digits);
            order.push(0);
            if sign < 0 {
                order.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
            }
        }
    }
}

/// Infinities at either end; dates before Christ by how long ago they are.
fn push_moment(date: Date, micros: i64, order: &mut Vec<u8>) {
    let days = match date {
        Date::Infinite { negative: true } => i64::MIN / MICROS_PER_DAY,
        Date::Infinite { negative: false } => i64::MAX / MICROS_PER_DAY,
        Date::Civil(civil) => civil.days(),
        Date::BeforeChrist(civil) => super::calendar::Civil { year: 1 - civil.year, ..civil }.days(),
    };
    let micros = i128::from(days) * i128::from(MICROS_PER_DAY) + i128::from(micros);
    order.push(POSITIVE);
    order.extend((micros ^ i128::MIN).to_be_bytes());
}

fn push_other(value: &Value<'_>, order: &mut Vec<u8>) {
    let settings =
        ReadSettings { kind: None, format: None, zone: None, overflow: Overflow::Reject, nulls: Nulls::Omit };
    order.push(POSITIVE);
    let start = order.len();
    drop(write_text(value, &settings, Purpose::Exact, order));
    // A zero ends a text, so that none is taken for the beginning of a longer one and its next column.
    let text = order.split_off(start);
    for byte in text {
        match byte {
            0 => order.extend([0, 1]),
            byte => order.push(byte),
        }
    }
    order.extend([0, 0]);
}
