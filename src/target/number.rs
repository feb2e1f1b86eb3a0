//! Decimal numbers by value.

/// A number in the one form that all its spellings share: digits without zeros at either end, times
/// ten to the exponent. Zero has no digits, no sign and exponent 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// Reads `-1.50`, `1E3`, `+.5` …; `None` for what DynamoDB takes for no number.
pub(super) fn decimal(text: &str) -> Option<Decimal> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    normalize(negative, &digits, exponent)
}

fn normalize(negative: bool, digits: &str, exponent: i64) -> Option<Decimal> {
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some(Decimal { negative: false, digits: String::new(), exponent: 0 });
    }
    let dropped = i64::try_from(digits.len() - significant.len()).ok()?;
    Some(Decimal { negative, digits: significant.to_owned(), exponent: exponent.checked_add(dropped)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_number_are_equal() {
        for (a, b) in
            [("1.50", "1.5"), ("100", "1E2"), ("+5", "5."), (".5", "0.5"), ("-0", "0"), ("00042", "4.2e1")]
        {
            assert_eq!(decimal(a), decimal(b), "{a} {b}");
        }
        assert_ne!(decimal("1"), decimal("-1"));
        assert_ne!(decimal("10"), decimal("1"));
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in ["", "-", ".", "1e", "NaN", "1_0", " 1", "1.2.3"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }
}
