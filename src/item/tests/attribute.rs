use super::super::rejection::Rule;
use super::{n, overflowing, pg, pg_array, pg_numeric, s, settings, typed, value, wire};
use crate::mapping::{Format, Overflow, ValueType};
use crate::plan::ReadSettings;
use crate::source::{PgType, RawCell};

fn ok(text: &str) -> Result<String, Rule> {
    Ok(text.to_owned())
}

#[test]
fn types_of_the_mapping_convert_what_fits_and_reject_the_rest() {
    let int = 7_i64.to_be_bytes();
    let decimal = pg_numeric("1.00");
    type Case<'a> = (PgType, &'a [u8], ValueType, Result<String, Rule>);
    let cases: [Case<'_>; 23] = [
        (PgType::Int8, &int, ValueType::S, s("7")),
        (PgType::Int8, &int, ValueType::N, n("7")),
        (PgType::Int8, &int, ValueType::B, Err(Rule::TypeMismatch)),
        (PgType::Int8, &int, ValueType::Bool, Err(Rule::BooleanInvalid)),
        (PgType::Int8, &int, ValueType::List, Err(Rule::TypeMismatch)),
        (PgType::Int8, &int, ValueType::NumberSet, Err(Rule::TypeMismatch)),
        (PgType::Int8, &int, ValueType::Uuid, Err(Rule::TypeMismatch)),
        (PgType::Numeric, &decimal, ValueType::Bool, ok(r#"{"BOOL":true}"#)),
        (PgType::Numeric, &decimal, ValueType::S, s("1")),
        (PgType::Bool, &[1], ValueType::N, n("1")),
        (PgType::Bool, &[1], ValueType::S, s("true")),
        (PgType::Text, b"12.50", ValueType::N, n("12.5")),
        (PgType::Text, b"12,50", ValueType::N, Err(Rule::TypeMismatch)),
        (PgType::Text, b"0", ValueType::Bool, ok(r#"{"BOOL":false}"#)),
        (PgType::Text, b"abc", ValueType::B, Err(Rule::TypeMismatch)),
        (PgType::Bytea, b"abc", ValueType::B, ok(r#"{"B":"YWJj"}"#)),
        (PgType::Text, b"abc", ValueType::Uuid, Err(Rule::TypeMismatch)),
        (PgType::Bytea, b"abc", ValueType::S, s("abc")),
        (PgType::Bytea, &[0xFF], ValueType::S, Err(Rule::TextInvalid)),
        (PgType::Json, b"[1]", ValueType::List, ok(r#"{"L":[{"N":"1"}]}"#)),
        (PgType::Json, b"{}", ValueType::List, Err(Rule::TypeMismatch)),
        (PgType::Json, b" 5 ", ValueType::N, n("5")),
        (PgType::Date, &[0, 0, 0, 0], ValueType::N, Err(Rule::TypeMismatch)),
    ];
    for (kind, cell, target, expected) in cases {
        let got = wire(&pg(kind.clone()), RawCell::Bytes(cell), &typed(target));
        assert_eq!(got, expected, "{kind:?} as {target:?}");
    }
}

#[test]
fn s10_sets_have_no_duplicates_no_nulls_and_are_never_empty() {
    let set = |kind: ValueType, element: PgType, elements: &[Option<&[u8]>]| {
        let dimensions = [(u32::try_from(elements.len()).unwrap(), 1)];
        let dimensions = if elements.is_empty() { &[][..] } else { &dimensions };
        value(
            &pg(PgType::Array(Box::new(element))),
            RawCell::Bytes(&pg_array(dimensions, elements)),
            &typed(kind),
        )
    };
    let text = |elements: &[Option<&[u8]>]| set(ValueType::StringSet, PgType::Text, elements);
    assert_eq!(text(&[Some(b"a"), Some(b"bc")]), Ok((r#"{"SS":["a","bc"]}"#.to_owned(), 3)));
    assert_eq!(text(&[Some(b"a"), Some(b"b"), Some(b"a")]), Err(Rule::SetInvalid));
    assert_eq!(text(&[Some(b"a"), None]), Err(Rule::SetInvalid));
    assert_eq!(text(&[]), Ok(("-".to_owned(), 0)));
    assert_eq!(text(&[Some(b"")]), Ok((r#"{"SS":[""]}"#.to_owned(), 0)));
    let (one, two) = (pg_numeric("1.0"), pg_numeric("2.50"));
    let numbers = |elements: &[Option<&[u8]>]| set(ValueType::NumberSet, PgType::Numeric, elements);
    assert_eq!(numbers(&[Some(&one), Some(&two)]), Ok((r#"{"NS":["1","2.5"]}"#.to_owned(), 5)));
    assert_eq!(numbers(&[Some(&one), Some(&pg_numeric("1.00"))]), Err(Rule::SetInvalid));
    assert_eq!(
        set(ValueType::BinarySet, PgType::Bytea, &[Some(b"abc"), Some(b"")]).unwrap().0,
        r#"{"BS":["YWJj",""]}"#
    );
    assert_eq!(set(ValueType::NumberSet, PgType::Text, &[Some(b"x")]), Err(Rule::TypeMismatch));
}

#[test]
fn overflow_in_a_set_can_only_omit_the_member() {
    let raw = pg(PgType::Array(Box::new(PgType::Float8)));
    let (nan, one) = (f64::NAN.to_be_bytes(), 1_f64.to_be_bytes());
    let cell = pg_array(&[(2, 1)], &[Some(&nan), Some(&one)]);
    let set = |overflow| {
        let settings = ReadSettings { overflow, ..typed(ValueType::NumberSet) };
        wire(&raw, RawCell::Bytes(&cell), &settings)
    };
    assert_eq!(set(Overflow::Omit), ok(r#"{"NS":["1"]}"#));
    assert_eq!(set(Overflow::String), Err(Rule::SetInvalid));
    assert_eq!(set(Overflow::Reject), Err(Rule::SetInvalid));
}

#[test]
fn settings_of_an_array_hold_for_its_elements() {
    let raw = pg(PgType::Array(Box::new(PgType::Timestamp { precision: 0 })));
    let cell = pg_array(&[(2, 1)], &[Some(&[0; 8]), Some(&i64::MAX.to_be_bytes())]);
    let epoch = ReadSettings { format: Some(Format::Epoch), ..overflowing(Overflow::String) };
    assert_eq!(
        wire(&raw, RawCell::Bytes(&cell), &epoch),
        ok(r#"{"L":[{"N":"946684800"},{"S":"infinity"}]}"#)
    );
    let zone = ReadSettings { overflow: Overflow::Null, ..super::zoned("Europe/Berlin") };
    assert_eq!(
        wire(&raw, RawCell::Bytes(&cell), &zone),
        ok(r#"{"L":[{"S":"1999-12-31T23:00:00Z"},{"NULL":true}]}"#)
    );
    assert_eq!(wire(&raw, RawCell::Bytes(&cell), &settings()), Err(Rule::DateRange));
}

#[test]
fn values_are_billed_as_documented() {
    let cases: [(PgType, &[u8], usize); 5] = [
        (PgType::Text, "é\"x".as_bytes(), 4),
        (PgType::Bytea, &[0; 10], 10),
        (PgType::Bool, &[0], 1),
        (PgType::Uuid, &[0; 16], 36),
        (PgType::Timestamp { precision: 6 }, &[0; 8], 26),
    ];
    for (kind, cell, size) in cases {
        assert_eq!(value(&pg(kind), RawCell::Bytes(cell), &settings()).unwrap().1, size);
    }
    let list = pg_array(&[(2, 1)], &[Some(b"ab"), None]);
    let (_, size) =
        value(&pg(PgType::Array(Box::new(PgType::Text))), RawCell::Bytes(&list), &settings()).unwrap();
    assert_eq!(size, 3 + 1 + 2 + 1 + 1);
}
