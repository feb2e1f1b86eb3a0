//! Decimal numbers as text, digit by digit.

/// A decimal number of any length: 0.`digits` × 10^`point`, without zeros at either end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: String,
    point: i64,
}

/// Significant digits of a DynamoDB number, and the powers of ten of its first digit (developer guide,
/// "Constraints").
const DIGITS: usize = 38;
const POWERS: std::ops::RangeInclusive<i64> = -130..=125;

impl Decimal {
    /// `None` for text that is no number, NaN and infinity among it.
    pub(super) fn read(text: &str) -> Option<Decimal> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || !all.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let digits = all.trim_start_matches('0');
        let leading = i64::try_from(all.len() - digits.len()).ok()?;
        let point = i64::try_from(whole.len()).ok()?.saturating_add(exponent).saturating_sub(leading);
        let digits = digits.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Decimal { negative: false, digits, point: 0 });
        }
        Some(Decimal { negative, digits, point })
    }

    /// Whether DynamoDB has a number for it.
    pub(super) fn fits(&self) -> bool {
        self.digits.is_empty()
            || (self.digits.len() <= DIGITS && POWERS.contains(&self.point.saturating_sub(1)))
    }

    /// All digits, without an exponent and without needless zeros.
    pub(super) fn plain(&self) -> String {
        let Ok(width) = usize::try_from(self.point.unsigned_abs()) else { return String::new() };
        let sign = if self.negative { "-" } else { "" };
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        if self.point <= 0 {
            return format!("{sign}0.{}{}", "0".repeat(width), self.digits);
        }
        match self.digits.split_at_checked(width) {
            Some((whole, fraction)) if !fraction.is_empty() => format!("{sign}{whole}.{fraction}"),
            _ => format!("{sign}{}{}", self.digits, "0".repeat(width.saturating_sub(self.digits.len()))),
        }
    }
}

/// Exponents that are too long for 64 bits are far out of range all the same.
fn read_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let largest = if text.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 };
    Some(text.parse().unwrap_or(largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_plain_spelling() {
        for (text, plain) in [
            ("0", "0"),
            ("-0.00", "0"),
            ("007.50", "7.5"),
            ("1e3", "1000"),
            ("-1.5E-3", "-0.0015"),
            ("+12.0", "12"),
            ("0.1", "0.1"),
            ("100", "100"),
        ] {
            assert_eq!(Decimal::read(text).unwrap().plain(), plain, "{text}");
        }
        for text in ["", "-", ".", "NaN", "Infinity", "1e", "1.2.3", " 1"] {
            assert_eq!(Decimal::read(text), None, "{text}");
        }
    }

    #[test]
    fn what_fits_is_what_the_service_takes() {
        let fits = |text: &str| Decimal::read(text).unwrap().fits();
        assert!(fits(&"9".repeat(38)) && fits("1e125") && fits("1e-130") && fits("0e999"));
        assert!(fits("1234567895171680000000000000000000000000"));
        assert!(fits("0e99999999999999999999") && fits("0.0e-9223372036854775809"));
        assert!(!fits("1e99999999999999999999") && !fits("1e-99999999999999999999"));
        assert!(!fits(&"9".repeat(39)) && !fits("1e126") && !fits("9e-131"));
    }
}
