//! Decoders that are wrong on purpose, for the tests of what must notice.

use std::cell::Cell;

use super::super::calendar::{Civil, Date, Moment};
use super::super::decode::PgArray;
use super::super::value::{Decimal, Value};

thread_local! {
    static BROKEN: Cell<bool> = const { Cell::new(false) };
}

/// Runs something while every decoder of this thread is broken.
pub(crate) fn while_broken<T>(run: impl FnOnce() -> T) -> T {
    BROKEN.set(true);
    let result = run();
    BROKEN.set(false);
    result
}

/// The value itself, or a slightly wrong one of the same kind.
pub(in crate::item) fn broken(value: Value<'_>) -> Value<'_> {
    if BROKEN.get() { wrong(value) } else { value }
}

fn wrong(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Null => Value::Int(0),
        Value::Bool(value) => Value::Bool(!value),
        Value::Int(value) => Value::Int(value ^ 1),
        Value::UInt(value) => Value::UInt(value ^ 1),
        Value::Float32(value) => Value::Float64(f64::from(value)),
        Value::Float64(value) => Value::Float64(f64::from_bits(value.to_bits() ^ 1)),
        Value::Decimal(Decimal::Text(text)) => Value::Decimal(Decimal::Text(&text[1..])),
        Value::Decimal(Decimal::Groups(mut numeric)) => {
            numeric.weight += 1;
            Value::Decimal(Decimal::Groups(numeric))
        }
        Value::Decimal(_) => Value::Int(0),
        Value::Text(text) => Value::Text(&text[..text.len() - 1]),
        Value::Bytes(bytes) => Value::Bytes(&bytes[..bytes.len() - 1]),
        Value::Uuid(mut uuid) => {
            uuid.reverse();
            Value::Uuid(uuid)
        }
        Value::Date(date) => Value::Date(day_later(date)),
        Value::Time(mut time) => {
            time.negative = !time.negative;
            Value::Time(time)
        }
        Value::Timestamp(moment) => Value::Timestamp(Moment { date: day_later(moment.date), ..moment }),
        Value::TimestampTz(moment) => Value::TimestampTz(Moment { date: day_later(moment.date), ..moment }),
        Value::Json(_) => Value::Json("{}"),
        Value::Array(array) => Value::Array(PgArray::empty_like(&array)),
        Value::Members(_) => Value::Members("other"),
    }
}

fn day_later(date: Date) -> Date {
    match date {
        Date::Civil(civil) => Date::Civil(Civil::from_days(civil.days() + 1)),
        other => other,
    }
}
