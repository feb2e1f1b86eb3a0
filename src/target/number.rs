//! Decimal numbers of any length as DynamoDB spells them, compared by value and never through a float.

use std::cmp::Ordering;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A number in one spelling a value: `1.0`, `1` and `10E-1` are equal, and so are `-0` and `0`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    negative: bool,
    /// Without zeros at either end; empty for zero.
    digits: String,
    /// Power of ten of the last digit.
    exponent: i64,
}

impl Decimal {
    /// `None` when the text is no number as DynamoDB spells them, or its exponent is beyond 64 bits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, unsigned) = match text.strip_prefix(['-', '+']) {
            Some(rest) => (text.starts_with('-'), rest),
            None => (false, text),
        };
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [whole, fraction].concat();
        if digits.is_empty() || !is_digits(&digits) || !is_exponent(exponent) {
            return None;
        }
        let significant = digits.trim_end_matches('0');
        if significant.is_empty() {
            return Some(Self { negative: false, digits: String::new(), exponent: 0 });
        }
        let trailing_zeros = i64::try_from(digits.len() - significant.len()).ok()?;
        let fraction = i64::try_from(fraction.len()).ok()?;
        let exponent = exponent.parse::<i64>().ok()?.checked_sub(fraction)?.checked_add(trailing_zeros)?;
        Some(Self { negative, digits: significant.trim_start_matches('0').to_owned(), exponent })
    }
}

/// By value, as DynamoDB orders numbers.
impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = self.sign().cmp(&other.sign());
        let size = || self.leading().cmp(&other.leading()).then_with(|| self.digits.cmp(&other.digits));
        sign.then_with(|| if self.negative { size().reverse() } else { size() })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Decimal {
    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// Power of ten of the first digit.
    fn leading(&self) -> i64 {
        self.exponent.saturating_add(i64::try_from(self.digits.len()).unwrap_or(i64::MAX))
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_exponent(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && is_digits(digits)
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Decimal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number as text")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Decimal, E> {
                Decimal::parse(text).ok_or_else(|| E::custom("not a number"))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_value_are_equal() {
        let groups: [&[&str]; 6] = [
            &["0", "-0", "0.00", "0e999", "+0", "0E99999999999999999999", "00"],
            &["1", "1.0", "1E0", "01", "+1", "1.", "10e-1", "0.1E+1"],
            &["-1.5", "-15E-1", "-01.50"],
            &["150", "1.5E2", "0150"],
            &[".5", "0.5", "5e-1"],
            &["19.9", "19.90"],
        ];
        for group in groups {
            for text in group {
                assert_eq!(Decimal::parse(text), Decimal::parse(group[0]), "{text}");
                assert!(Decimal::parse(text).is_some(), "{text}");
            }
        }
    }

    #[test]
    fn values_that_a_float_cannot_tell_apart_differ() {
        let long = "12345678901234567890123456789012345678";
        assert_ne!(Decimal::parse(long), Decimal::parse(&long.replace("678", "679")));
        assert_ne!(Decimal::parse("9007199254740993"), Decimal::parse("9007199254740992"));
        assert_ne!(Decimal::parse("1"), Decimal::parse("-1"));
        assert_ne!(Decimal::parse("1E125"), Decimal::parse("1E126"));
        assert_ne!(Decimal::parse("10"), Decimal::parse("100"));
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let ordered =
            ["-1E20", "-150", "-15", "-1.51", "-1.5", "-0.2", "-1E-9", "0", "1E-130", "0.02", "0.1", "0.15"];
        let ordered =
            ordered.into_iter().chain(["0.2", "1", "1.5", "1.51", "9", "10", "19.9", "20", "100", "1E125"]);
        let numbers: Vec<Decimal> = ordered.map(|text| Decimal::parse(text).unwrap()).collect();
        assert!(numbers.is_sorted(), "{numbers:?}");
        let mut reversed: Vec<Decimal> = numbers.iter().rev().cloned().collect();
        reversed.sort_unstable();
        assert_eq!(reversed, numbers);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let texts =
            ["", "-", "+", ".", "1_000", " 5", "NaN", "Infinity", "1e", "1e+", "1.2.3", "--1", "1e5.0", "٣"];
        for text in texts {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert_eq!(Decimal::parse("1e99999999999999999999"), None);
    }
}
