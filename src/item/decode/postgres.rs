//! PostgreSQL's binary formats.

use crate::source::PgType;

use super::super::calendar::{Date, MICROS_PER_DAY, Moment, TimeOfDay};
use super::super::number::group_digits;
use super::super::rejection::Violation;
use super::super::value::{Decimal, Value};
use super::{check_precision, utf8};

/// Days from 1970-01-01 to 2000-01-01, PostgreSQL's own epoch.
const EPOCH_DAYS: i64 = 10_957;
/// The dimensions PostgreSQL allows (MAXDIM).
const MAX_DIMENSIONS: usize = 6;

/// numeric: base-10000 groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::item) struct PgNumeric<'a> {
    pub(in crate::item) negative: bool,
    /// The first group counts 10000^weight.
    pub(in crate::item) weight: i16,
    /// Two bytes a group, big endian.
    groups: &'a [u8],
}

/// An array: elements in row-major order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::item) struct PgArray<'a> {
    /// Length and lower bound of each, 32 bits both.
    dimensions: &'a [u8],
    elements: PgElements<'a>,
}

/// The elements of an array, one after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::item) struct PgElements<'a> {
    element: &'a PgType,
    bytes: &'a [u8],
}

#[inline]
pub(super) fn decode<'a>(bytes: &'a [u8], kind: &'a PgType) -> Result<Value<'a>, Violation> {
    Ok(match kind {
        PgType::Bool => Value::Bool(decode_bool(bytes)?),
        PgType::Int2 => Value::Int(i64::from(i16::from_be_bytes(fixed(bytes)?))),
        PgType::Int4 => Value::Int(i64::from(i32::from_be_bytes(fixed(bytes)?))),
        PgType::Int8 => Value::Int(i64::from_be_bytes(fixed(bytes)?)),
        PgType::Oid => Value::UInt(u64::from(u32::from_be_bytes(fixed(bytes)?))),
        PgType::Xid8 => Value::UInt(u64::from_be_bytes(fixed(bytes)?)),
        PgType::Float4 => Value::Float32(f32::from_be_bytes(fixed(bytes)?)),
        PgType::Float8 => Value::Float64(f64::from_be_bytes(fixed(bytes)?)),
        PgType::Numeric => Value::Decimal(decode_numeric(bytes)?),
        PgType::Text | PgType::Inet | PgType::ServerText => Value::Text(utf8(bytes)?),
        PgType::Char => Value::Text(utf8(bytes)?.trim_end_matches(' ')),
        PgType::Bytea => Value::Bytes(bytes),
        PgType::Uuid => Value::Uuid(fixed(bytes)?),
        PgType::Date => Value::Date(decode_date(i32::from_be_bytes(fixed(bytes)?))),
        PgType::Time { precision } => Value::Time(decode_time(bytes, *precision)?),
        PgType::Timestamp { precision } => Value::Timestamp(decode_moment(bytes, *precision)?),
        PgType::TimestampTz { precision } => Value::TimestampTz(decode_moment(bytes, *precision)?),
        PgType::Json => Value::Json(utf8(bytes)?),
        PgType::Jsonb => match bytes.split_first() {
            Some((1, text)) => Value::Json(utf8(text)?),
            _ => return Err(Violation::malformed("a jsonb value of an unknown version")),
        },
        PgType::Bit { width } => decode_bit(bytes, *width)?,
        PgType::Array(element) => Value::Array(decode_array(bytes, element)?),
    })
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Violation> {
    bytes.try_into().map_err(|_| Violation::malformed("a value of another length than its type"))
}

fn decode_bool(bytes: &[u8]) -> Result<bool, Violation> {
    match bytes {
        [0] => Ok(false),
        [1] => Ok(true),
        _ => Err(Violation::malformed("a boolean that is neither 0 nor 1")),
    }
}

fn decode_numeric(bytes: &[u8]) -> Result<Decimal<'_>, Violation> {
    let (header, groups) =
        bytes.split_first_chunk::<8>().ok_or_else(|| Violation::malformed("a numeric cut short"))?;
    let [c0, c1, w0, w1, s0, s1, _, _] = *header;
    let negative = match u16::from_be_bytes([s0, s1]) {
        0x0000 => false,
        0x4000 => true,
        0xC000 => return Ok(Decimal::NaN),
        0xD000 => return Ok(Decimal::Infinity { negative: false }),
        0xF000 => return Ok(Decimal::Infinity { negative: true }),
        _ => return Err(Violation::malformed("a numeric with an unknown sign")),
    };
    let count = usize::from(u16::from_be_bytes([c0, c1]));
    let numeric = PgNumeric { negative, weight: i16::from_be_bytes([w0, w1]), groups };
    if groups.len() != count * 2 || numeric.groups().any(|group| group > 9999) {
        return Err(Violation::malformed("a numeric whose digits are no base-10000 digits"));
    }
    Ok(Decimal::Groups(numeric))
}

impl PgNumeric<'_> {
    pub(in crate::item) fn groups(&self) -> impl Iterator<Item = u16> {
        self.groups.as_chunks::<2>().0.iter().map(|group| u16::from_be_bytes(*group))
    }

    /// Appends all digits, in plain decimal, without needless zeros.
    pub(in crate::item) fn write_exact(&self, out: &mut Vec<u8>) {
        let mut digits: Vec<u8> = self.groups().flat_map(group_digits).collect();
        let whole = (i32::from(self.weight) + 1) * 4;
        let missing = usize::try_from(-whole).unwrap_or(0);
        digits.splice(0..0, std::iter::repeat_n(b'0', missing));
        let whole = usize::try_from(whole).unwrap_or(0);
        if digits.len() < whole {
            digits.resize(whole, b'0');
        }
        let (whole, fraction) = digits.split_at_checked(whole).unwrap_or((&digits, &[]));
        let whole = whole.get(count_zeros(whole.iter())..).unwrap_or_default();
        let end = fraction.len() - count_zeros(fraction.iter().rev());
        let fraction = fraction.get(..end).unwrap_or_default();
        if self.negative && !(whole.is_empty() && fraction.is_empty()) {
            out.push(b'-');
        }
        out.extend_from_slice(if whole.is_empty() { b"0" } else { whole });
        if !fraction.is_empty() {
            out.push(b'.');
            out.extend_from_slice(fraction);
        }
    }
}

fn count_zeros<'d>(digits: impl Iterator<Item = &'d u8>) -> usize {
    digits.take_while(|digit| **digit == b'0').count()
}

fn decode_date(days: i32) -> Date {
    match days {
        i32::MAX => Date::Infinite { negative: false },
        i32::MIN => Date::Infinite { negative: true },
        _ => Date::from_days(i64::from(days) + EPOCH_DAYS),
    }
}

fn decode_time(bytes: &[u8], precision: u8) -> Result<TimeOfDay, Violation> {
    let micros = i64::from_be_bytes(fixed(bytes)?);
    if !(0..=MICROS_PER_DAY).contains(&micros) {
        return Err(Violation::malformed("a time of day beyond 24 hours"));
    }
    Ok(TimeOfDay { negative: false, micros, precision: check_precision(micros, precision)? })
}

fn decode_moment(bytes: &[u8], precision: u8) -> Result<Moment, Violation> {
    let micros = i64::from_be_bytes(fixed(bytes)?);
    let infinite = |negative| Moment { date: Date::Infinite { negative }, micros: 0, precision };
    match micros {
        i64::MAX => return Ok(infinite(false)),
        i64::MIN => return Ok(infinite(true)),
        _ => {}
    }
    let date = Date::from_days(micros.div_euclid(MICROS_PER_DAY) + EPOCH_DAYS);
    let micros = micros.rem_euclid(MICROS_PER_DAY);
    Ok(Moment { date, micros, precision: check_precision(micros, precision)? })
}

/// bit(1) is a boolean, up to 64 bits are a number, more are bytes.
fn decode_bit(bytes: &[u8], width: u32) -> Result<Value<'_>, Violation> {
    let (count, bits) =
        bytes.split_first_chunk::<4>().ok_or_else(|| Violation::malformed("a bit string cut short"))?;
    let count = u32::from_be_bytes(*count);
    if usize::try_from(count.div_ceil(8)) != Ok(bits.len()) || width != count {
        return Err(Violation::malformed("a bit string of another length than it says"));
    }
    match width {
        1 => Ok(Value::Bool(bits.first().is_some_and(|byte| byte & 0x80 != 0))),
        0..=64 => {
            let packed = bits.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
            let unused = u32::try_from(bits.len() * 8).unwrap_or(0).saturating_sub(count);
            Ok(Value::UInt(packed >> unused.min(63)))
        }
        _ => Ok(Value::Bytes(bits)),
    }
}

/// Lower bounds are passed over: DynamoDB's lists have none.
fn decode_array<'a>(bytes: &'a [u8], element: &'a PgType) -> Result<PgArray<'a>, Violation> {
    let (header, rest) = bytes.split_first_chunk::<12>().ok_or_else(cut_array)?;
    let [d0, d1, d2, d3, ..] = *header;
    let dimensions = usize::try_from(u32::from_be_bytes([d0, d1, d2, d3])).unwrap_or(usize::MAX);
    if dimensions > MAX_DIMENSIONS {
        return Err(Violation::malformed("an array of more dimensions than PostgreSQL allows"));
    }
    let (dimensions, rest) = rest.split_at_checked(dimensions * 8).ok_or_else(cut_array)?;
    let lengths = lengths(dimensions).try_fold(1_usize, usize::checked_mul);
    let count = if dimensions.is_empty() { 0 } else { lengths.ok_or_else(cut_array)? };
    // No server sends a dimension of no length; an empty array has no dimensions.
    let dimensions = if count == 0 { &[] } else { dimensions };
    let elements = PgElements { element, bytes: rest };
    let mut left = elements;
    for _ in 0..count {
        left.next_bytes()?.ok_or_else(cut_array)?;
    }
    if left.bytes.is_empty() {
        Ok(PgArray { dimensions, elements })
    } else {
        Err(Violation::malformed("an array with more elements than it says"))
    }
}

fn lengths(dimensions: &[u8]) -> impl ExactSizeIterator<Item = usize> + Clone {
    dimensions.as_chunks::<8>().0.iter().map(|dimension| {
        let [l0, l1, l2, l3, ..] = *dimension;
        usize::try_from(u32::from_be_bytes([l0, l1, l2, l3])).unwrap_or(usize::MAX)
    })
}

fn cut_array() -> Violation {
    Violation::malformed("an array cut short")
}

impl<'a> PgArray<'a> {
    /// Length of each dimension, the outermost first; none for an empty array.
    pub(in crate::item) fn lengths(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        lengths(self.dimensions)
    }

    #[cfg(test)]
    pub(in crate::item) fn empty_like(array: &PgArray<'a>) -> Self {
        PgArray { dimensions: &[], elements: PgElements { bytes: &[], ..array.elements } }
    }

    /// As arrays do unless they say otherwise.
    pub(in crate::item) fn begins_at_one(&self) -> bool {
        self.dimensions
            .as_chunks::<8>()
            .0
            .iter()
            .all(|[.., b0, b1, b2, b3]| [*b0, *b1, *b2, *b3] == [0, 0, 0, 1])
    }

    pub(in crate::item) fn elements(&self) -> PgElements<'a> {
        self.elements
    }
}

impl<'a> PgElements<'a> {
    /// The next element, decoded; `None` behind the last.
    pub(in crate::item) fn next(&mut self) -> Result<Option<Value<'a>>, Violation> {
        match self.next_bytes()? {
            None => Ok(None),
            Some(None) => Ok(Some(Value::Null)),
            Some(Some(bytes)) => decode(bytes, self.element).map(Some),
        }
    }

    /// The next element; `Some(None)` is a NULL.
    fn next_bytes(&mut self) -> Result<Option<Option<&'a [u8]>>, Violation> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let (len, rest) = self.bytes.split_first_chunk::<4>().ok_or_else(cut_array)?;
        let Ok(len) = usize::try_from(i32::from_be_bytes(*len)) else {
            self.bytes = rest;
            return Ok(Some(None));
        };
        let (element, rest) = rest.split_at_checked(len).ok_or_else(cut_array)?;
        self.bytes = rest;
        Ok(Some(Some(element)))
    }
}
