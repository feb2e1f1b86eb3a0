//! `{ value = … }`: constants, and how they fit a `type`.

use toml::Spanned;
use toml::de::DeValue;

use super::walker::{Read, Reported, Value, Walker};
use crate::mapping::diagnostic::{Diagnostic, quoted};
use crate::mapping::{Constant, Origin, ValueSettings, ValueType};

/// DynamoDB's limits of a number: digits, and the power of ten of the first one.
const MAX_DIGITS: usize = 38;
const MAGNITUDES: std::ops::RangeInclusive<i64> = -130..=125;

pub(super) fn read<'a>(walker: &mut Walker<'a>, value: &'a Value<'a>) -> Read<Spanned<Constant>> {
    let constant = match value.get_ref() {
        DeValue::String(text) => Constant::Text(text.clone().into_owned()),
        DeValue::Boolean(flag) => Constant::Boolean(*flag),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) => Constant::Integer(number),
            Err(_) => return Err(refuse_large(walker, value, integer.as_str())),
        },
        DeValue::Float(_) => return Err(refuse_float(walker, value)),
        _ => return Err(walker.wrong_type("value", "a string, an integer, or true or false", value)),
    };
    Ok(Spanned::new(value.span(), constant))
}

/// Floats of TOML are binary: 19.90 is not what would be written.
pub(super) fn refuse_float(walker: &mut Walker<'_>, value: &Value<'_>) -> Reported {
    let spelled = walker.spelled(value).replace('_', "");
    let help = match is_number(&spelled) {
        true => format!("write {{ value = \"{spelled}\", type = \"N\" }}"),
        false => "DynamoDB has no such number".to_owned(),
    };
    let message = "a float is not exact";
    walker.report(Diagnostic::error("float-value", value.span(), message).with_help(help))
}

fn refuse_large(walker: &mut Walker<'_>, value: &Value<'_>, digits: &str) -> Reported {
    let help = format!("write {{ value = \"{digits}\", type = \"N\" }}");
    let mistake = Diagnostic::error("out-of-range", value.span(), "an integer of TOML has 64 bits");
    walker.report(mistake.with_help(help))
}

/// What a constant is written as when no `type` says otherwise.
pub(super) fn natural_type(constant: &Constant) -> ValueType {
    match constant {
        Constant::Text(_) => ValueType::S,
        Constant::Integer(_) => ValueType::N,
        Constant::Boolean(_) => ValueType::Bool,
    }
}

/// Checks a constant against the settings that stand beside it.
pub(super) fn check(walker: &mut Walker<'_>, origin: &Origin, settings: &ValueSettings) -> Read<()> {
    let Origin::Value(value) = origin else { return Ok(()) };
    if let Some(format) = &settings.format {
        let mistake = Diagnostic::error("conflicting-keys", format.span(), "a constant takes no `format`")
            .with_help("take `format` out; it is for columns with dates and times");
        return Err(walker.report(mistake));
    }
    let Some(kind) = &settings.kind else { return Ok(()) };
    match (value.get_ref(), kind.get_ref()) {
        (_, ValueType::S)
        | (Constant::Integer(_), ValueType::N)
        | (Constant::Boolean(_), ValueType::Bool) => Ok(()),
        (Constant::Text(text), ValueType::N) if is_number(text) => Ok(()),
        (Constant::Text(text), ValueType::N) => {
            let message = format!("{} is no number that DynamoDB can hold", quoted(text));
            let help = "38 digits at most, such as \"19.90\" or \"-1.5e-3\"";
            Err(walker.report(Diagnostic::error("value-type", value.span(), message).with_help(help)))
        }
        (constant, _) => {
            let message = format!("this type does not fit the constant, which is {}", described(constant));
            let help = "constants are strings (S), numbers (N) and true or false (BOOL)";
            Err(walker.report(Diagnostic::error("value-type", kind.span(), message).with_help(help)))
        }
    }
}

fn described(constant: &Constant) -> &'static str {
    match constant {
        Constant::Text(_) => "a string",
        Constant::Integer(_) => "an integer",
        Constant::Boolean(_) => "true or false",
    }
}

/// Whether DynamoDB can hold the text as a number.
pub(super) fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()),
        None => (unsigned, Some(0)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match exponent {
        Some(exponent) if is_digits(whole) && is_digits(fraction) => fits(whole, fraction, exponent),
        _ => false,
    }
}

fn fits(whole: &str, fraction: &str, exponent: i32) -> bool {
    let digits = format!("{whole}{fraction}");
    let leading_zeros = digits.len().saturating_sub(digits.trim_start_matches('0').len());
    let significant = digits.trim_matches('0').len();
    let first = i64::try_from(whole.len())
        .and_then(|whole| i64::try_from(leading_zeros).map(|zeros| whole.saturating_sub(zeros)))
        .unwrap_or(i64::MAX);
    let magnitude = first.saturating_sub(1).saturating_add(i64::from(exponent));
    significant == 0 || (significant <= MAX_DIGITS && MAGNITUDES.contains(&magnitude))
}

#[cfg(test)]
mod tests {
    use super::is_number;

    #[test]
    fn knows_the_numbers_of_dynamodb() {
        let largest = format!("{}e88", "9".repeat(38));
        for text in
            ["0", "-0", "19.90", "007", "1e125", "1E-130", "0.0000001", largest.as_str(), &"0".repeat(60)]
        {
            assert!(is_number(text), "{text}");
        }
        let too_long = format!("1{}1", "0".repeat(37));
        for text in
            ["", "-", "+1", "1.", ".5", "1e", "1e126", "1e-131", "NaN", "inf", " 1", "1_0", too_long.as_str()]
        {
            assert!(!is_number(text), "{text}");
        }
    }
}
