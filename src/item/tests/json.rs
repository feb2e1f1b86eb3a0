use super::super::json::{Scratch, write};
use super::super::rejection::Rule;
use super::{overflowing, pg, s, value, wire};
use crate::mapping::Overflow;
use crate::source::{PgType, RawCell};

fn json(text: &str, overflow: Overflow) -> Result<(String, usize), Rule> {
    value(&pg(PgType::Json), RawCell::Bytes(text.as_bytes()), &overflowing(overflow))
}

fn strict(text: &str) -> Result<String, Rule> {
    json(text, Overflow::Reject).map(|(wire, _)| wire)
}

#[test]
fn documents_become_maps_lists_and_scalars() {
    let cases = [
        (r#"{}"#, r#"{"M":{}}"#, 3),
        (r#"[]"#, r#"{"L":[]}"#, 3),
        (r#" "x" "#, r#"{"S":"x"}"#, 1),
        (r#"-1.50e1"#, r#"{"N":"-15"}"#, 3),
        ("true", r#"{"BOOL":true}"#, 1),
        ("null", r#"{"NULL":true}"#, 1),
        (
            r#"{"a":{"b":[]},"c":""}"#,
            r#"{"M":{"a":{"M":{"b":{"L":[]}}},"c":{"S":""}}}"#,
            3 + 2 + (3 + 2 + 3) + 2,
        ),
        (
            "[1,\n\t[2, 3] , {\"k\" : false}]",
            r#"{"L":[{"N":"1"},{"L":[{"N":"2"},{"N":"3"}]},{"M":{"k":{"BOOL":false}}}]}"#,
            3 + (1 + 2) + (1 + 3 + 3 + 3) + (1 + 3 + 3),
        ),
    ];
    for (text, expected, size) in cases {
        assert_eq!(json(text, Overflow::Reject), Ok((expected.to_owned(), size)), "{text}");
    }
}

#[test]
fn n20_numbers_in_documents_are_exact() {
    let text = r#"{"n":123456789012345678901234567890.12345678,"big":18446744073709551616}"#;
    let expected =
        r#"{"M":{"n":{"N":"123456789012345678901234567890.12345678"},"big":{"N":"18446744073709551616"}}}"#;
    assert_eq!(strict(text).unwrap(), expected);
    assert_eq!(strict(r#"{"n":123456789012345678901234567890.123456789}"#), Err(Rule::NumberDigits));
}

#[test]
fn n21_numbers_out_of_range_go_by_policy_where_they_stand() {
    let text = r#"{"a":1,"e":1e400,"l":[1e400,2]}"#;
    let expanded = format!("[1{}]", "0".repeat(400));
    assert_eq!(strict(text), Err(Rule::NumberRange));
    assert_eq!(strict(&expanded), Err(Rule::NumberRange));
    let by = |overflow| json(text, overflow).unwrap().0;
    assert_eq!(
        by(Overflow::String),
        r#"{"M":{"a":{"N":"1"},"e":{"S":"1e400"},"l":{"L":[{"S":"1e400"},{"N":"2"}]}}}"#
    );
    assert_eq!(by(Overflow::Omit), r#"{"M":{"a":{"N":"1"},"l":{"L":[{"NULL":true},{"N":"2"}]}}}"#);
    assert_eq!(
        by(Overflow::Null),
        r#"{"M":{"a":{"N":"1"},"e":{"NULL":true},"l":{"L":[{"NULL":true},{"N":"2"}]}}}"#
    );
    assert_eq!(json(r#"{"e":1e400}"#, Overflow::Omit), Ok((r#"{"M":{}}"#.to_owned(), 3)));
    assert_eq!(json(r#"{"e":1e400,"a":1}"#, Overflow::Omit), Ok((r#"{"M":{"a":{"N":"1"}}}"#.to_owned(), 7)));
    assert_eq!(json("1e400", Overflow::Omit), Ok(("-".to_owned(), 0)));
    assert_eq!(json("1e400", Overflow::String).unwrap().0, r#"{"S":"1e400"}"#);
}

#[test]
fn s15_strings_keep_their_characters_and_are_billed_unescaped() {
    let cases = [
        (r#""x\u0000y""#, r#"{"S":"x\u0000y"}"#, 3),
        (r#""\u0041\/\n\"\\""#, r#"{"S":"A/\n\"\\"}"#, 5),
        (r#""\ud83d\ude00é""#, r#"{"S":"😀é"}"#, 6),
        (r#""\b\f\r\t\u001f\u007f""#, "{\"S\":\"\\b\\f\\r\\t\\u001f\u{7f}\"}", 6),
    ];
    for (text, expected, size) in cases {
        assert_eq!(json(text, Overflow::Reject), Ok((expected.to_owned(), size)), "{text}");
    }
}

#[test]
fn half_surrogates_and_broken_documents_are_invalid() {
    for text in [
        r#""\ud83d""#,
        r#""\ud83dx""#,
        r#""\ud83d\u0041""#,
        r#""\ude00""#,
        r#""\u12""#,
        r#""\u12g4""#,
        r#""\x""#,
        "\"a\nb\"",
        r#"""#,
        "",
        " ",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "{",
        r#"{"a""#,
        r#"{"a":"#,
        r#"{"a":1"#,
        r#"{"a":1,}"#,
        r#"{a:1}"#,
        r#"{"a" 1}"#,
        "[1 2]",
        "1 2",
        "tru",
        "nul",
        "+1",
        "01",
        ".5",
        "5.",
        "1e",
        "-",
        "--1",
        "NaN",
        "]",
        "}",
        "[}",
        "{]",
        r#"{"":1}"#,
        "'x'",
    ] {
        assert_eq!(strict(text), Err(Rule::JsonInvalid), "{text}");
    }
}

#[test]
fn s16_of_equal_names_the_last_wins() {
    let cases = [
        (r#"{"a":1,"a":2}"#, r#"{"M":{"a":{"N":"2"}}}"#),
        (r#"{"a":1,"b":2,"\u0061":[3]}"#, r#"{"M":{"b":{"N":"2"},"a":{"L":[{"N":"3"}]}}}"#),
        (
            r#"{"a":{"x":1,"x":2},"b":1,"b":2,"c":0,"b":3}"#,
            r#"{"M":{"a":{"M":{"x":{"N":"2"}}},"c":{"N":"0"},"b":{"N":"3"}}}"#,
        ),
        (r#"[{"a":1,"a":2},{"a":3}]"#, r#"{"L":[{"M":{"a":{"N":"2"}}},{"M":{"a":{"N":"3"}}}]}"#),
    ];
    for (text, expected) in cases {
        let (wire, size) = json(text, Overflow::Reject).unwrap();
        assert_eq!(wire, expected);
        let again: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(size, json(&again.to_string(), Overflow::Reject).unwrap().1);
    }
}

/// S16, N21: an omitted number is the last of its name all the same.
#[test]
fn s16_an_omitted_member_takes_earlier_ones_of_its_name_with_it() {
    let omitted = |text: &str| json(text, Overflow::Omit).unwrap();
    for (text, expected) in [
        (r#"{"a":1,"a":1e400}"#, r#"{"M":{}}"#),
        (r#"{"a":1e400,"a":1}"#, r#"{"M":{"a":{"N":"1"}}}"#),
        (r#"{"b":1e400,"a":1,"c":1e400}"#, r#"{"M":{"a":{"N":"1"}}}"#),
        (r#"{"x":{"a":1,"a":[1,1e400],"a":1e400},"y":2}"#, r#"{"M":{"x":{"M":{}},"y":{"N":"2"}}}"#),
    ] {
        let (wire, size) = omitted(text);
        assert_eq!(wire, expected, "{text}");
        let plain = match expected {
            r#"{"M":{}}"# => "{}",
            r#"{"M":{"a":{"N":"1"}}}"# => r#"{"a":1}"#,
            _ => r#"{"x":{},"y":2}"#,
        };
        assert_eq!(size, json(plain, Overflow::Reject).unwrap().1, "{text}");
    }
}

#[test]
fn a_value_fits_in_31_wrappers_and_not_in_32() {
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    assert!(strict(&nested("[", "1", "]", 31)).is_ok());
    assert_eq!(strict(&nested("[", "1", "]", 32)), Err(Rule::Nesting));
    assert!(strict(&nested("[", "", "]", 32)).is_ok());
    assert_eq!(strict(&nested("[", "", "]", 33)), Err(Rule::Nesting));
    assert!(strict(&nested(r#"{"a":"#, "1", "}", 31)).is_ok());
    assert_eq!(strict(&nested(r#"{"a":"#, "1", "}", 32)), Err(Rule::Nesting));
    assert_eq!(strict(&nested("[", "", "]", 1_000_000)), Err(Rule::Nesting));
    // The lists of an array count too.
    let member = nested("[", "1", "]", 30);
    let array = |dimensions: &[(u32, i32)]| {
        let bytes = super::pg_array(dimensions, &[Some(member.as_bytes())]);
        let raw = pg(PgType::Array(Box::new(PgType::Json)));
        wire(&raw, RawCell::Bytes(&bytes), &super::settings()).map(|wire| wire.len())
    };
    assert!(array(&[(1, 1)]).is_ok());
    assert_eq!(array(&[(1, 1), (1, 1)]), Err(Rule::Nesting));
    let deep = nested("[", "", "]", 40);
    assert_eq!(
        wire(&pg(PgType::Json), RawCell::Bytes(deep.as_bytes()), &overflowing(Overflow::String)),
        s(&deep)
    );
    assert_eq!(json(&deep, Overflow::Omit).unwrap().0, "-");
}

/// What DynamoDB cannot hold is an overflow only in a text that is JSON to its end.
#[test]
fn text_that_is_no_json_is_told_as_such_whatever_stands_before() {
    let deep = "[".repeat(33);
    let closed = "]".repeat(33);
    for (inside, behind, expected) in [
        ("", "", Rule::Nesting),
        (r#"1, {"a": [true, {}, "x\u00e9"]}, null, -1.5e3 "#, " ", Rule::Nesting),
        ("1,", "", Rule::JsonInvalid),
        ("01", "", Rule::JsonInvalid),
        (r#"{"a"}"#, "", Rule::JsonInvalid),
        (r#"{"a": 1, 2}"#, "", Rule::JsonInvalid),
        (r#"{"": 1}"#, "", Rule::JsonInvalid),
        (r#""\x""#, "", Rule::JsonInvalid),
        ("[1}", "", Rule::JsonInvalid),
        ("", "]", Rule::JsonInvalid),
        ("", "1", Rule::JsonInvalid),
    ] {
        let text = format!("{deep}{inside}{closed}{behind}");
        assert_eq!(strict(&text), Err(expected), "{text}");
        let kept = json(&text, Overflow::String);
        assert_eq!(kept.is_ok(), expected == Rule::Nesting, "{text}");
    }
    assert_eq!(strict(&"[".repeat(1_000_000)), Err(Rule::JsonInvalid));
    for (text, expected) in [
        ("1e400", Rule::NumberRange),
        ("1e400 1", Rule::JsonInvalid),
        (r#"{"a": [1e400], "b": 1e400}"#, Rule::NumberRange),
        (r#"{"a": [1e400], "b"}"#, Rule::JsonInvalid),
        (r#"{"a": 1e400"#, Rule::JsonInvalid),
    ] {
        assert_eq!(strict(text), Err(expected), "{text}");
    }
}

/// One character taken out or doubled somewhere behind the fault.
#[test]
fn the_rest_of_a_document_is_read_as_strictly_as_its_beginning() {
    let mut random = fastrand::Rng::with_seed(11);
    let (mut valid, mut invalid) = (0, 0);
    for _ in 0..20_000 {
        let text = document(&mut random, 0);
        let at = random.usize(0..text.chars().count());
        let changed: String = text
            .chars()
            .enumerate()
            .flat_map(|(place, c)| {
                std::iter::repeat_n(c, if place == at { 2 * random.usize(0..2) } else { 1 })
            })
            .collect();
        let written = strict(&format!("[1,{changed}]"));
        let (expected, count) = match written {
            Err(Rule::JsonInvalid) => (Rule::JsonInvalid, &mut invalid),
            _ => (Rule::NumberRange, &mut valid),
        };
        assert_eq!(strict(&format!("[1e400,{changed}]")), Err(expected), "{changed}");
        *count += 1;
    }
    assert!(valid > 1_000 && invalid > 1_000, "{valid} {invalid}");
}

#[test]
fn random_documents_agree_with_a_plain_conversion() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut scratch = Scratch::default();
    for _ in 0..20_000 {
        let text = document(&mut random, 0);
        let mut out = Vec::new();
        let (_, size) = write(&text, Overflow::Reject, &mut scratch, &mut out).unwrap();
        let wire: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let (expected, expected_size) = plain(&serde_json::from_str(&text).unwrap());
        assert_eq!(wire, expected, "{text}");
        assert_eq!(size, expected_size, "{text}");
    }
}

#[test]
fn random_bytes_of_json_never_panic() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut scratch = Scratch::default();
    let alphabet = r#"{}[]":,\u0aeE+-.12 tfnsé"#.chars().collect::<Vec<_>>();
    for _ in 0..100_000 {
        let mut text: String = if random.bool() { document(&mut random, 2) } else { String::new() };
        for _ in 0..random.usize(0..8) {
            let at = random.usize(0..=text.len());
            if text.is_char_boundary(at) {
                text.insert(at, alphabet[random.usize(0..alphabet.len())]);
            }
        }
        let mut out = Vec::new();
        let valid = write(&text, Overflow::Null, &mut scratch, &mut out);
        if valid.is_ok() {
            serde_json::from_slice::<serde_json::Value>(&out).unwrap();
            serde_json::from_str::<serde_json::Value>(&text).unwrap();
        }
    }
}

fn document(random: &mut fastrand::Rng, depth: usize) -> String {
    let names = ["a", "b", "\\u0061", "long name", "é"];
    let texts =
        ["", "x", "quote \\\" and \\\\", "\\ud83d\\ude00", "tab\\t", "ünï", "eight by eight by eight"];
    let numbers = ["0", "-0", "12", "1.50", "-3e2", "123456789012345678901234567890", "1E-7"];
    match random.u8(0..if depth > 4 { 4 } else { 7 }) {
        0 => format!("\"{}\"", texts[random.usize(0..texts.len())]),
        1 => numbers[random.usize(0..numbers.len())].to_owned(),
        2 => ["true", "false"][random.usize(0..2)].to_owned(),
        3 => "null".to_owned(),
        4 => {
            let members: Vec<_> = (0..random.usize(0..4)).map(|_| document(random, depth + 1)).collect();
            format!("[{}]", members.join(" , "))
        }
        _ => {
            let member = |random: &mut fastrand::Rng| {
                format!("\"{}\": {}", names[random.usize(0..names.len())], document(random, depth + 1))
            };
            let members: Vec<_> = (0..random.usize(0..5)).map(|_| member(random)).collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

/// The same conversion on a parsed document, with its billed size.
fn plain(value: &serde_json::Value) -> (serde_json::Value, usize) {
    use serde_json::{Value, json};
    match value {
        Value::Null => (json!({"NULL": true}), 1),
        Value::Bool(value) => (json!({"BOOL": value}), 1),
        Value::String(text) => (json!({"S": text}), text.len()),
        Value::Number(number) => {
            let number = super::super::number::Number::parse(number.to_string().as_bytes()).unwrap();
            let mut out = Vec::new();
            number.write(&mut out);
            (json!({"N": String::from_utf8(out).unwrap()}), number.size())
        }
        Value::Array(members) => {
            let members: Vec<_> = members.iter().map(plain).collect();
            let size = members.iter().map(|(_, size)| size + 1).sum::<usize>();
            (json!({"L": members.into_iter().map(|(member, _)| member).collect::<Vec<_>>()}), size + 3)
        }
        Value::Object(members) => {
            let members: Vec<_> = members.iter().map(|(name, value)| (name, plain(value))).collect();
            let size = members.iter().map(|(name, (_, size))| name.len() + 1 + size).sum::<usize>();
            let members = members.into_iter().map(|(name, (member, _))| (name.clone(), member));
            (json!({"M": members.collect::<serde_json::Map<_, _>>()}), size + 3)
        }
    }
}
