//! The one decimal routine: scalars, array elements and numbers in JSON all pass through it.
//!
//! Turns digits of any spelling into the text DynamoDB stores (plain decimal, no needless zeros, no
//! `-0`), checks what it can hold, and knows what the text is billed. No float takes part; a float
//! value enters as its shortest decimal text.

use std::fmt::{self, Write as _};

use super::rejection::{Rule, Violation};

/// Significant digits a DynamoDB number holds (developer guide, Constraints).
const MAX_DIGITS: usize = 38;

/// Powers of ten of the first digit: 1E-130 to 9.99…E+125 (developer guide, Constraints).
const MIN_POWER: i64 = -130;
const MAX_POWER: i64 = 125;

/// A number DynamoDB can hold, exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    negative: bool,
    /// ASCII digits without zeros at either end; none for zero.
    digits: [u8; MAX_DIGITS],
    len: usize,
    /// The value is 0.digits × 10^point.
    point: i64,
}

/// Why some text or some digits are not a DynamoDB number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberError {
    NotANumber,
    Digits(u64),
    TooLarge,
    TooSmall,
}

impl Number {
    /// Reads `sign? digits-with-at-most-one-dot exponent?`, the grammar of the service.
    pub(super) fn parse(text: &[u8]) -> Result<Number, NumberError> {
        let (negative, unsigned) = match text.split_first() {
            Some((b'-', rest)) => (true, rest),
            Some((b'+', rest)) => (false, rest),
            _ => (false, text),
        };
        let mut collector = Collector::default();
        let mut whole = None;
        let mut rest = unsigned;
        while let Some((&byte, tail)) = rest.split_first() {
            match byte {
                b'0'..=b'9' => collector.push(byte),
                b'.' if whole.is_none() => whole = Some(collector.seen),
                b'e' | b'E' => break,
                _ => return Err(NumberError::NotANumber),
            }
            rest = tail;
        }
        if collector.seen == 0 {
            return Err(NumberError::NotANumber);
        }
        let exponent = match rest.split_first() {
            None => 0,
            Some((_, digits)) => parse_exponent(digits).ok_or(NumberError::NotANumber)?,
        };
        collector.finish(negative, whole.unwrap_or(collector.seen).saturating_add(exponent))
    }

    /// Base-10000 groups as PostgreSQL's numeric holds them: the first has weight 10000^`weight`.
    pub(super) fn from_groups(
        negative: bool,
        weight: i16,
        groups: impl Iterator<Item = u16>,
    ) -> Result<Number, NumberError> {
        let mut collector = Collector::default();
        for group in groups {
            for digit in group_digits(group) {
                collector.push(digit);
            }
        }
        collector.finish(negative, (i64::from(weight) + 1) * 4)
    }

    /// The shortest decimal that reads back as the same f64; `None` for NaN and infinities.
    pub(super) fn from_f64(value: f64) -> Option<Result<Number, NumberError>> {
        value.is_finite().then(|| Number::parse(shortest(value).as_bytes()))
    }

    /// As [`Number::from_f64`], but exactly the value where a 64-bit integer may stand beside it: there the
    /// shortest decimal may be another integer's.
    pub(super) fn among_integers(value: f64) -> Option<Result<Number, NumberError>> {
        match value.abs() {
            9_007_199_254_740_992.0..9_223_372_036_854_775_808.0 => {
                Some(Number::parse(format!("{value:.0}").as_bytes()))
            }
            _ => Number::from_f64(value),
        }
    }

    /// As [`Number::from_f64`], by the f32's own shortest decimal.
    pub(super) fn from_f32(value: f32) -> Option<Result<Number, NumberError>> {
        value.is_finite().then(|| Number::parse(shortest(value).as_bytes()))
    }

    /// Appends the canonical text.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let digits = self.digits.get(..self.len).unwrap_or_default();
        if digits.is_empty() {
            out.push(b'0');
            return;
        }
        if self.negative {
            out.push(b'-');
        }
        match usize::try_from(self.point) {
            Ok(0) | Err(_) => {
                out.extend_from_slice(b"0.");
                zeros(out, usize::try_from(self.point.unsigned_abs()).unwrap_or(0));
                out.extend_from_slice(digits);
            }
            Ok(whole) => match digits.split_at_checked(whole) {
                Some((whole, fraction)) if !fraction.is_empty() => {
                    out.extend_from_slice(whole);
                    out.push(b'.');
                    out.extend_from_slice(fraction);
                }
                _ => {
                    out.extend_from_slice(digits);
                    zeros(out, whole.saturating_sub(digits.len()));
                }
            },
        }
    }

    /// ASCII digits and point: the value is 0.digits × 10^point.
    pub(super) fn parts(&self) -> (&[u8], i64) {
        (self.digits.get(..self.len).unwrap_or_default(), self.point)
    }

    /// Appends the text that orders by bytes as the numbers do: `500 + point` and the digits, ended by `.`;
    /// of a negative number each digit is taken from 9, behind a `-`, ended by `~`. No such text begins
    /// another.
    pub(super) fn write_sortable(&self, out: &mut Vec<u8>) {
        let digits = self.digits.get(..self.len).unwrap_or_default();
        if digits.is_empty() {
            out.extend_from_slice(b"0.");
            return;
        }
        let scale = u16::try_from(500 + self.point).unwrap_or_default();
        let [_, scale @ ..] = group_digits(scale);
        if self.negative {
            out.push(b'-');
            out.extend(scale.iter().chain(digits).map(|digit| b'9' - (digit - b'0')));
            out.push(b'~');
        } else {
            out.extend(scale.iter().chain(digits));
            out.push(b'.');
        }
    }

    /// Billed bytes, by the rule measured on AWS (facts/dynamodb.md 1.1; it can only exceed the
    /// documented one).
    pub(super) fn size(&self) -> usize {
        let whole = usize::try_from(self.point).unwrap_or(0).min(self.len);
        let fraction = self.len - whole;
        whole.div_ceil(2) + fraction.div_ceil(2) + 1 + usize::from(self.negative)
    }
}

/// Appends an integer and returns its billed size; the short way of the most common numbers.
pub(super) fn write_integer(negative: bool, magnitude: u64, out: &mut Vec<u8>) -> usize {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(magnitude).as_bytes();
    if negative && magnitude != 0 {
        out.push(b'-');
    }
    out.extend_from_slice(text);
    let significant = text.len() - text.iter().rev().take_while(|digit| **digit == b'0').count();
    significant.div_ceil(2) + 1 + usize::from(negative && magnitude != 0)
}

/// The four ASCII digits of a base-10000 group.
pub(super) fn group_digits(group: u16) -> [u8; 4] {
    let digit = |value: u16| b'0' + u8::try_from(value % 10).unwrap_or(0);
    [digit(group / 1000), digit(group / 100), digit(group / 10), digit(group)]
}

impl From<NumberError> for Violation {
    fn from(error: NumberError) -> Self {
        match error {
            NumberError::NotANumber => {
                Violation::mismatch("the text is not a number; write it as type = \"S\"")
            }
            NumberError::Digits(count) => {
                Violation::new(Rule::NumberDigits, format!("{count} significant digits, DynamoDB holds 38"))
            }
            NumberError::TooLarge => {
                Violation::new(Rule::NumberRange, "beyond 9.99E+125, the largest number of DynamoDB")
            }
            NumberError::TooSmall => Violation::new(
                Rule::NumberRange,
                "closer to zero than 1E-130, the smallest number of DynamoDB",
            ),
        }
    }
}

/// What is said of NaN and infinities.
pub(super) fn not_finite() -> Violation {
    Violation::new(Rule::NumberNotFinite, "NaN or infinity, which DynamoDB has no number for")
}

/// Takes digits from the left and keeps the significant ones.
#[derive(Debug)]
struct Collector {
    digits: [u8; MAX_DIGITS],
    /// Digits pushed so far.
    seen: i64,
    /// Zeros before the first other digit.
    leading: i64,
    /// Digits from the first to the last that is not zero.
    significant: u64,
    /// Zeros since then.
    pending: u64,
}

impl Default for Collector {
    fn default() -> Self {
        Self { digits: [b'0'; MAX_DIGITS], seen: 0, leading: 0, significant: 0, pending: 0 }
    }
}

impl Collector {
    fn push(&mut self, digit: u8) {
        self.seen += 1;
        if digit == b'0' {
            if self.significant == 0 {
                self.leading += 1;
            } else {
                self.pending += 1;
            }
            return;
        }
        self.significant += self.pending;
        self.pending = 0;
        let slot = usize::try_from(self.significant).ok().and_then(|at| self.digits.get_mut(at));
        if let Some(slot) = slot {
            *slot = digit;
        }
        self.significant += 1;
    }

    /// `point` is the position of the decimal point in the digits pushed.
    fn finish(&self, negative: bool, point: i64) -> Result<Number, NumberError> {
        if self.significant == 0 {
            return Ok(Number { negative: false, digits: self.digits, len: 0, point: 0 });
        }
        let len = usize::try_from(self.significant).unwrap_or(usize::MAX);
        if len > MAX_DIGITS {
            return Err(NumberError::Digits(self.significant));
        }
        let point = point.saturating_sub(self.leading);
        if point > MAX_POWER + 1 {
            return Err(NumberError::TooLarge);
        }
        if point < MIN_POWER + 1 {
            return Err(NumberError::TooSmall);
        }
        Ok(Number { negative, digits: self.digits, len, point })
    }
}

/// Digits with an optional sign; saturates, since such exponents are out of range anyway.
fn parse_exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_i64;
    for &byte in digits {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        value = value.saturating_mul(10).saturating_add(digit);
    }
    Some(if negative { -value } else { value })
}

fn zeros(out: &mut Vec<u8>, count: usize) {
    out.resize(out.len() + count, b'0');
}

/// `1.5e-7`: the standard library's shortest digits, written to the stack.
pub(super) fn shortest(value: impl fmt::LowerExp) -> Short {
    let mut text = Short { bytes: [0; 32], len: 0 };
    // Never longer than `-1.7976931348623157e-308`.
    let _ = write!(text, "{value:e}");
    text
}

/// A short text on the stack.
#[derive(Debug)]
pub(super) struct Short {
    bytes: [u8; 32],
    len: usize,
}

impl Short {
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

impl fmt::Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        let room = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}
