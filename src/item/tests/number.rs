use super::super::number::{Number, NumberError};
use super::super::rejection::Rule;
use super::{n, overflowing, pg, pg_array, pg_numeric, s, typed, value, wire};
use crate::mapping::{Overflow, ValueType};
use crate::source::{MysqlType, PgType, RawCell};

fn canonical(text: &str) -> Result<String, NumberError> {
    let number = Number::parse(text.as_bytes())?;
    let mut out = Vec::new();
    number.write(&mut out);
    Ok(String::from_utf8(out).unwrap())
}

fn size(text: &str) -> usize {
    Number::parse(text.as_bytes()).unwrap().size()
}

fn numeric(text: &str) -> Result<String, Rule> {
    wire(&pg(PgType::Numeric), RawCell::Bytes(&pg_numeric(text)), &super::settings())
}

#[test]
fn v06_numbers_have_one_spelling() {
    let cases = [
        ("1.0", "1"),
        ("00042", "42"),
        ("-0", "0"),
        ("-0.000", "0"),
        ("0e126", "0"),
        ("1.5E2", "150"),
        ("1.5e+3", "1500"),
        ("+5", "5"),
        ("5.", "5"),
        (".5", "0.5"),
        ("19.90", "19.9"),
        ("100", "100"),
        ("1E2", "100"),
        ("-12.3400e-3", "-0.01234"),
        ("1e-3", "0.001"),
        ("0000.0001", "0.0001"),
        ("9e0", "9"),
    ];
    for (text, expected) in cases {
        assert_eq!(canonical(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_no_number_is_refused() {
    for text in
        ["", "-", "+", ".", "1_000", " 5", "5 ", "NaN", "Infinity", "1e", "1e+", "1.2.3", "e5", "1e5x", "0x1"]
    {
        assert_eq!(canonical(text), Err(NumberError::NotANumber), "{text}");
    }
}

#[test]
fn n01_thirty_eight_digits_fit_and_thirty_nine_do_not() {
    let digits = "12345678901234567890123456789012345678";
    assert_eq!(canonical(digits).as_deref(), Ok(digits));
    assert_eq!(canonical(&format!("{digits}9")), Err(NumberError::Digits(39)));
    assert_eq!(canonical(&format!("{digits}0")).unwrap(), format!("{digits}0"));
    assert_eq!(canonical("12345678901234567890123456789012345678901"), Err(NumberError::Digits(41)));
    assert_eq!(numeric("12345678901234567890123456789012345678901"), Err(Rule::NumberDigits));
}

#[test]
fn n02_forty_characters_but_sixteen_significant_digits() {
    let text = "1234567895171680000000000000000000000000";
    assert_eq!(canonical(text).as_deref(), Ok(text));
    assert_eq!(numeric(text), n(text));
}

#[test]
fn n04_magnitudes_end_where_dynamodb_says() {
    assert_eq!(canonical("1e-130").unwrap(), format!("0.{}1", "0".repeat(129)));
    assert_eq!(canonical("1e-131"), Err(NumberError::TooSmall));
    assert_eq!(canonical("9.9e-131"), Err(NumberError::TooSmall));
    let largest = format!("{}{}", "9".repeat(38), "0".repeat(88));
    assert_eq!(canonical("9.9999999999999999999999999999999999999E+125"), Ok(largest));
    assert_eq!(canonical("1e126"), Err(NumberError::TooLarge));
    assert_eq!(canonical("1e99999999999999999999"), Err(NumberError::TooLarge));
    assert_eq!(canonical("-1e-99999999999999999999"), Err(NumberError::TooSmall));
    let float8 =
        |value: f64| wire(&pg(PgType::Float8), RawCell::Bytes(&value.to_be_bytes()), &super::settings());
    assert_eq!(float8(5e-324), Err(Rule::NumberRange));
    assert_eq!(float8(f64::MAX), Err(Rule::NumberRange));
    assert_eq!(numeric(&format!("0.{}1", "0".repeat(130))), Err(Rule::NumberRange));
}

#[test]
fn n05_nan_and_infinity_go_by_policy_in_scalars_and_arrays() {
    let float8 = pg(PgType::Float8);
    let array = pg(PgType::Array(Box::new(PgType::Float8)));
    let list = pg_array(&[(2, 1)], &[Some(&f64::NAN.to_be_bytes()), Some(&1.5_f64.to_be_bytes())]);
    let cases = [
        (Overflow::Reject, Err(Rule::NumberNotFinite), Err(Rule::NumberNotFinite)),
        (Overflow::String, s("NaN"), Ok(r#"{"L":[{"S":"NaN"},{"N":"1.5"}]}"#.to_owned())),
        (Overflow::Omit, Ok("-".to_owned()), Ok(r#"{"L":[{"NULL":true},{"N":"1.5"}]}"#.to_owned())),
        (
            Overflow::Null,
            Ok(r#"{"NULL":true}"#.to_owned()),
            Ok(r#"{"L":[{"NULL":true},{"N":"1.5"}]}"#.to_owned()),
        ),
    ];
    for (overflow, scalar, element) in cases {
        let settings = overflowing(overflow);
        assert_eq!(wire(&float8, RawCell::Bytes(&f64::NAN.to_be_bytes()), &settings), scalar);
        assert_eq!(wire(&array, RawCell::Bytes(&list), &settings), element);
    }
    let string = overflowing(Overflow::String);
    for (value, text) in [
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
    ] {
        assert_eq!(wire(&float8, RawCell::Bytes(&value.to_be_bytes()), &string), s(text));
    }
    for (sign, text) in [(0xC0_u8, "NaN"), (0xD0, "Infinity"), (0xF0, "-Infinity")] {
        let bytes = [0, 0, 0, 0, sign, 0, 0, 0];
        let numeric = pg(PgType::Numeric);
        assert_eq!(wire(&numeric, RawCell::Bytes(&bytes), &super::settings()), Err(Rule::NumberNotFinite));
        assert_eq!(wire(&numeric, RawCell::Bytes(&bytes), &string), s(text));
        assert_eq!(wire(&numeric, RawCell::Bytes(&bytes), &typed(ValueType::S)), s(text));
    }
}

#[test]
fn n08_n09_floats_are_the_shortest_decimal_of_their_own_width() {
    for (value, text) in
        [(19.99, "19.99"), (1.23, "1.23"), (0.1, "0.1"), (-0.0, "0"), (1e22, "10000000000000000000000")]
    {
        let float8 = wire(&pg(PgType::Float8), RawCell::Bytes(&f64::to_be_bytes(value)), &super::settings());
        assert_eq!(float8, n(text));
        let double = wire(
            &super::mysql(MysqlType::Double),
            RawCell::Bytes(&f64::to_le_bytes(value)),
            &super::settings(),
        );
        assert_eq!(double, n(text));
    }
    for (value, text) in
        [(0.1_f32, "0.1"), (0.360465, "0.360465"), (500000.5, "500000.5"), (16777216.0, "16777216")]
    {
        let float4 = wire(&pg(PgType::Float4), RawCell::Bytes(&value.to_be_bytes()), &super::settings());
        assert_eq!(float4, n(text));
        let float =
            wire(&super::mysql(MysqlType::Float), RawCell::Bytes(&value.to_le_bytes()), &super::settings());
        assert_eq!(float, n(text));
    }
}

#[test]
fn n12_array_elements_are_as_exact_as_scalars() {
    let element = pg_numeric("0.1");
    let array = pg_array(&[(1, 1)], &[Some(&element)]);
    let raw = pg(PgType::Array(Box::new(PgType::Numeric)));
    assert_eq!(wire(&raw, RawCell::Bytes(&array), &super::settings()).unwrap(), r#"{"L":[{"N":"0.1"}]}"#);
}

#[test]
fn n16_groups_of_four_digits_keep_their_place() {
    let cases = [
        ("0.0001", "0.0001"),
        ("9999.9999", "9999.9999"),
        ("10000", "10000"),
        ("1234.56", "1234.56"),
        ("19.90", "19.9"),
        ("0", "0"),
        ("-0.00010000", "-0.0001"),
        ("100000000.00000001", "100000000.00000001"),
        ("0.00000000012", "0.00000000012"),
    ];
    for (text, expected) in cases {
        assert_eq!(numeric(text), n(expected), "{text}");
    }
}

#[test]
fn n15_long_decimals_keep_all_digits_as_text() {
    let text = "12345678901234567890123456789012345.123456789012345678901234567890";
    let decimal = super::mysql(MysqlType::Decimal);
    let cell = RawCell::Bytes(text.as_bytes());
    assert_eq!(wire(&decimal, cell, &super::settings()), Err(Rule::NumberDigits));
    // One spelling for all databases, without the zero that says nothing.
    let plain = text.trim_end_matches('0');
    assert_eq!(wire(&decimal, cell, &overflowing(Overflow::String)), s(plain));
    assert_eq!(wire(&decimal, cell, &typed(ValueType::S)), s(plain));
    let exact =
        |text: &str| wire(&pg(PgType::Numeric), RawCell::Bytes(&pg_numeric(text)), &typed(ValueType::S));
    assert_eq!(exact(text), s(plain));
    assert_eq!(exact(&format!("-0.{}12", "0".repeat(140))), s(&format!("-0.{}12", "0".repeat(140))));
    assert_eq!(exact(&format!("12{}", "0".repeat(200))), s(&format!("12{}", "0".repeat(200))));
}

#[test]
fn z02_numbers_are_billed_as_measured() {
    let cases = [
        ("0", 1),
        ("-0", 1),
        ("42", 2),
        ("-42", 3),
        ("100", 2),
        ("1E125", 2),
        ("1.5", 3),
        ("12.34", 3),
        ("-0.001", 3),
        ("1729999999", 6),
        ("1729999999.123456", 9),
        ("12345678901234567890123456789012345678", 20),
        ("0.001", 2),
        ("1000.0001", 5),
    ];
    for (text, expected) in cases {
        assert_eq!(size(text), expected, "{text}");
    }
    for integer in [0_i64, 1, 7, 10, 42, 100, 1_010, -1, -42, -100, i64::MAX, i64::MIN] {
        let cell = integer.to_be_bytes();
        let (_, billed) = value(&pg(PgType::Int8), RawCell::Bytes(&cell), &super::settings()).unwrap();
        assert_eq!(billed, size(&integer.to_string()), "{integer}");
    }
}

/// A slow decimal that shares nothing with the code under test: digits and a power of ten.
fn slow_decimal(text: &str) -> (bool, String, i64) {
    let (text, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let negative = text.starts_with('-');
    let text = text.trim_start_matches(['-', '+']);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction}");
    let mut power = exponent.parse::<i64>().unwrap() - i64::try_from(fraction.len()).unwrap();
    let mut digits = digits.trim_start_matches('0').to_owned();
    while digits.ends_with('0') {
        digits.pop();
        power += 1;
    }
    if digits.is_empty() { (false, digits, 0) } else { (negative, digits, power) }
}

#[test]
fn canonical_text_is_equal_in_value_and_unique() {
    let mut random = fastrand::Rng::with_seed(38);
    let mut seen = std::collections::HashMap::new();
    let mut held = 0;
    for _ in 0..100_000 {
        let mut text = String::new();
        text.push_str(["", "-", "+"][random.usize(0..3)]);
        let digits = |random: &mut fastrand::Rng, most: usize| {
            let zeros = random.bool();
            (0..random.usize(0..most))
                .map(|_| if zeros && random.u8(0..3) > 0 { '0' } else { random.digit(10) })
                .collect::<String>()
        };
        let few = if random.bool() { 3 } else { 25 };
        text.push_str(&digits(&mut random, few));
        text.push(random.digit(10));
        if random.bool() {
            text.push('.');
            text.push_str(&digits(&mut random, few));
        }
        if random.bool() {
            text.push_str(&format!("{}{}", ["e", "E", "e+", "e-"][random.usize(0..4)], random.u8(0..150)));
        }
        let slow = slow_decimal(&text);
        let magnitude = i64::try_from(slow.1.len()).unwrap() + slow.2 - 1;
        let fits = slow.1.is_empty() || slow.1.len() <= 38 && (-130..=125).contains(&magnitude);
        let canonical = canonical(&text);
        assert_eq!(canonical.is_ok(), fits, "{text}");
        let Ok(canonical) = canonical else { continue };
        held += 1;
        assert!(!canonical.contains(['e', 'E', '+']), "{canonical}");
        assert_eq!(slow_decimal(&canonical), slow, "{text} became {canonical}");
        let before = seen.insert(slow, canonical.clone());
        assert!(before.is_none_or(|before| before == canonical));
    }
    assert!(held > 50_000);
}
