use serde_json::{Map, Value as Json, json};

use super::*;

fn what(expected: &str, found: &str) -> Vec<(String, &'static str)> {
    let differences = differences(expected.as_bytes(), found.as_bytes()).unwrap();
    differences.into_iter().map(|difference| (difference.name, difference.what)).collect()
}

fn is_same(expected: &str, found: &str) -> bool {
    same(expected.as_bytes(), found.as_bytes()).unwrap()
}

fn equal(expected: &str, found: &str) {
    assert!(is_same(expected, found) && is_same(found, expected), "{expected} {found}");
    assert_eq!(what(expected, found), [], "{expected} {found}");
    assert_eq!(what(found, expected), [], "{found} {expected}");
}

fn unequal(expected: &str, found: &str) {
    assert!(!is_same(expected, found) && !is_same(found, expected), "{expected} {found}");
    assert_eq!(what(expected, found).len(), 1, "{expected} {found}");
    assert_eq!(what(found, expected).len(), 1, "{found} {expected}");
}

#[test]
fn v06_another_spelling_is_equal() {
    equal(r#"{"a":{"N":"1.0"}}"#, r#"{"a":{"N":"1E0"}}"#);
    equal(r#"{"a":{"N":"-0"}}"#, r#"{"a":{"N":"0.00"}}"#);
    equal(r#"{"a":{"NS":["1","2.50"]}}"#, r#"{"a":{"NS":["2.5","1.0"]}}"#);
    equal(r#"{"a":{"SS":["x","y"]}}"#, r#"{"a":{"SS":["y","x"]}}"#);
    equal(r#"{"a":{"BS":["AQ==","Ag=="]}}"#, r#"{"a":{"BS":["Ag==","AQ=="]}}"#);
    equal(r#"{"a":{"S":"é\n"}}"#, r#"{"a":{"S":"\u00e9\u000a"}}"#);
    equal(r#"{"a":{"S":"😀/"}}"#, r#"{"\u0061":{"S":"\ud83d\ude00\/"}}"#);
    equal(
        r#"{"a":{"M":{"x":{"N":"1"},"y":{"NULL":true}}},"b":{"L":[]}}"#,
        r#" {"b":{"L":[ ]},"a":{"M":{"y":{"NULL":true},"x":{"N":"1.0"}}}} "#,
    );
}

#[test]
fn what_looks_alike_is_not_equal() {
    unequal(r#"{"a":{"N":"1"}}"#, r#"{"a":{"S":"1"}}"#);
    unequal(r#"{"a":{"S":"AQ=="}}"#, r#"{"a":{"B":"AQ=="}}"#);
    unequal(r#"{"a":{"S":"é"}}"#, r#"{"a":{"S":"e\u0301"}}"#);
    unequal(r#"{"a":{"S":"a"}}"#, r#"{"a":{"S":"a "}}"#);
    unequal(r#"{"a":{"S":""}}"#, r#"{"a":{"NULL":true}}"#);
    unequal(r#"{"a":{"BOOL":true}}"#, r#"{"a":{"BOOL":false}}"#);
    unequal(r#"{"a":{"L":[{"N":"1"},{"N":"2"}]}}"#, r#"{"a":{"L":[{"N":"2"},{"N":"1"}]}}"#);
    unequal(r#"{"a":{"L":[{"S":"1"}]}}"#, r#"{"a":{"SS":["1"]}}"#);
    unequal(r#"{"a":{"SS":["1"]}}"#, r#"{"a":{"NS":["1"]}}"#);
    unequal(r#"{"a":{"L":[]}}"#, r#"{"a":{"M":{}}}"#);
    unequal(r#"{"a":{"N":"12345678901234567890.1"}}"#, r#"{"a":{"N":"12345678901234567890.2"}}"#);
}

#[test]
fn differences_come_in_the_expected_order_then_what_nobody_expected() {
    let expected = r#"{"z":{"S":"1"},"b":{"S":"1"},"a":{"S":"1"}}"#;
    let found = r#"{"y":{"S":"1"},"a":{"S":"2"},"b":{"S":"1"},"x":{"S":"1"}}"#;
    let differences: Vec<_> = what(expected, found);
    let differences: Vec<_> = differences.iter().map(|(name, what)| (name.as_str(), *what)).collect();
    assert_eq!(differences, [("z", "missing"), ("a", "different"), ("y", "unexpected"), ("x", "unexpected")]);
}

#[test]
fn a_malformed_item_is_an_error_even_beside_itself() {
    let malformed = [
        "",
        "{",
        "[]",
        "null",
        r#"{"a":1}"#,
        r#"{"a":{}}"#,
        r#"{"a":{"S":1}}"#,
        r#"{"a":{"N":1}}"#,
        r#"{"a":{"N":""}}"#,
        r#"{"a":{"N":"1_0"}}"#,
        r#"{"a":{"B":"A"}}"#,
        r#"{"a":{"X":"1"}}"#,
        r#"{"a":{"BOOL":"true"}}"#,
        r#"{"a":{"NULL":false}}"#,
        r#"{"a":{"S":"1","N":"1"}}"#,
        r#"{"a":{"S":"1"},"a":{"S":"1"}}"#,
        r#"{"a":{"M":{"b":{"S":"1"},"b":{"S":"1"}}}}"#,
        r#"{"a":{"NS":["1","1.0"]}}"#,
        r#"{"a":{"S":"\ud800"}}"#,
        r#"{"a":{"S":"1"}} {}"#,
    ];
    for item in malformed {
        assert!(differences(item.as_bytes(), item.as_bytes()).is_err(), "{item}");
        assert!(differences(b"{}", item.as_bytes()).is_err(), "{item}");
    }
    assert!(differences(b"{\"a\":{\"S\":\"\xff\"}}", b"{}").is_err());
}

#[test]
fn an_error_names_a_place_and_no_value() {
    let error = differences(br#"{"a":{"S":"ok"},"b":{"BOOL":"secret"}}"#, b"{}").unwrap_err();
    assert_eq!(error.to_string(), "not an item in DynamoDB JSON (at byte 36)");
}

#[test]
fn keys_are_the_same_by_value() {
    let key = |text: &str| Identity::parse(text.as_bytes()).unwrap();
    let wanted = key(r#""PK":{"S":"U#1"},"SK":{"N":"1"}"#);
    let item = Item::parse(br#"{"SK":{"N":"1.0"},"other":{"S":"x"},"PK":{"S":"U\u00231"}}"#).unwrap();
    assert_eq!(item.identity(&wanted), Some(wanted));
    assert_eq!(Item::parse(br#"{"PK":{"S":"U#1"}}"#).unwrap().identity(&key(r#""SK":{"N":"1"}"#)), None);
    assert!(Identity::parse(b"").is_err());
}

/// Random items: equal to themselves, to every other spelling, and to no mutation.
#[test]
fn v05_random_items_equal_their_respellings_and_no_mutation() {
    let mut random = fastrand::Rng::with_seed(20_261_202);
    for _ in 0..2_000 {
        let members = random_item(&mut random);
        let respelled = respell_item(&members, &mut random);
        let (name, mutant, change) = mutate_item(&members, &mut random);
        let (item, mutant) = (Json::from(members).to_string(), Json::from(mutant).to_string());
        equal(&item, &item);
        equal(&item, &respelled);
        for (expected, found) in [(&item, &mutant), (&respelled, &mutant)] {
            assert!(!is_same(expected, found) && !is_same(found, expected), "{expected} {found}");
            assert_eq!(what(expected, found), [(name.clone(), change)], "{expected} {found}");
            assert_eq!(what(found, expected).len(), 1, "{found} {expected}");
        }
    }
}

fn random_item(random: &mut fastrand::Rng) -> Map<String, Json> {
    let count = random.usize(1..6);
    (0..count).map(|number| (format!("{}{number}", text(random)), value(random, 3))).collect()
}

fn value(random: &mut fastrand::Rng, depth: usize) -> Json {
    let members = random.usize(1..4);
    match random.usize(0..if depth == 0 { 8 } else { 10 }) {
        0 => json!({"S": text(random)}),
        1 => json!({"N": number(random)}),
        2 => json!({"B": binary(random)}),
        3 => json!({"BOOL": random.bool()}),
        4 => json!({"NULL": true}),
        5 => json!({"SS": (0..members).map(|m| format!("{m}{}", text(random))).collect::<Vec<_>>()}),
        6 => json!({"NS": (0..members).map(|m| format!("{}{m}.5", random.u32(1..))).collect::<Vec<_>>()}),
        7 => json!({"BS": [base64(&[1]), base64(&[2, random.u8(..)])]}),
        8 => json!({"L": (0..members).map(|_| value(random, depth - 1)).collect::<Vec<_>>()}),
        _ => {
            json!({"M": (0..members).map(|m| (m.to_string(), value(random, depth - 1))).collect::<Map<_, _>>()})
        }
    }
}

fn text(random: &mut fastrand::Rng) -> String {
    let alphabet = ['a', 'Z', '0', ' ', '"', '\\', '/', '\n', '\u{1}', 'é', 'ß', '漢', '😀', '\u{301}', '#'];
    (0..random.usize(0..8)).map(|_| alphabet[random.usize(0..alphabet.len())]).collect()
}

fn number(random: &mut fastrand::Rng) -> String {
    let sign = if random.bool() { "-" } else { "" };
    let whole = random.u64(1..);
    let fraction = random.u64(..);
    format!("{sign}{whole}.{fraction}1")
}

fn binary(random: &mut fastrand::Rng) -> String {
    base64(&(0..random.usize(0..9)).map(|_| random.u8(..)).collect::<Vec<_>>())
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn respell_item(item: &Map<String, Json>, random: &mut fastrand::Rng) -> String {
    let mut members: Vec<String> = item
        .iter()
        .map(|(name, value)| format!("{}: {}", escape(name, random), respell(value, random)))
        .collect();
    random.shuffle(&mut members);
    format!("{{ {} }}", members.join(" ,"))
}

fn respell(value: &Json, random: &mut fastrand::Rng) -> String {
    let (tag, inner) = value.as_object().unwrap().iter().next().unwrap();
    let list = |inner: &Json| inner.as_array().unwrap().clone();
    let inner = match tag.as_str() {
        "S" => escape(inner.as_str().unwrap(), random),
        "N" => format!("{:?}", respell_number(inner.as_str().unwrap(), random)),
        "NS" | "SS" | "BS" => {
            let mut members: Vec<String> = list(inner)
                .iter()
                .map(|member| match tag.as_str() {
                    "NS" => format!("{:?}", respell_number(member.as_str().unwrap(), random)),
                    _ => escape(member.as_str().unwrap(), random),
                })
                .collect();
            random.shuffle(&mut members);
            format!("[{}]", members.join(", "))
        }
        "L" => format!(
            "[{}]",
            list(inner).iter().map(|member| respell(member, random)).collect::<Vec<_>>().join(",\n")
        ),
        "M" => respell_item(inner.as_object().unwrap(), random),
        _ => inner.to_string(),
    };
    format!("{{\"{tag}\":{inner}}}")
}

fn respell_number(text: &str, random: &mut fastrand::Rng) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    match random.usize(0..4) {
        0 => format!("{sign}000{digits}00"),
        1 => format!("{sign}{digits}E+0"),
        2 => {
            let (whole, fraction) = digits.split_once('.').unwrap();
            format!("{sign}{whole}{fraction}e-{}", fraction.len())
        }
        _ => {
            let (whole, fraction) = digits.split_once('.').unwrap();
            format!("{sign}0.{whole}{fraction}E{}", whole.len())
        }
    }
}

fn escape(text: &str, random: &mut fastrand::Rng) -> String {
    let mut spelled = String::from("\"");
    for character in text.chars() {
        if random.bool() {
            let mut units = [0; 2];
            character.encode_utf16(&mut units).iter().for_each(|unit| spelled += &format!("\\u{unit:04X}"));
        } else {
            let json = json!(character.to_string()).to_string();
            spelled += &json[1..json.len() - 1];
        }
    }
    spelled + "\""
}

/// One change, and how it must show: the attribute's name and what.
fn mutate_item(
    item: &Map<String, Json>,
    random: &mut fastrand::Rng,
) -> (String, Map<String, Json>, &'static str) {
    let mut mutant = item.clone();
    let name = item.keys().nth(random.usize(0..item.len())).unwrap().clone();
    match random.usize(0..8) {
        0 => {
            mutant.remove(&name);
            (name, mutant, "missing")
        }
        1 => {
            mutant.insert("extra".to_owned(), json!({"NULL": true}));
            ("extra".to_owned(), mutant, "unexpected")
        }
        _ => {
            mutate(&mut mutant[&name], random);
            (name, mutant, "different")
        }
    }
}

fn mutate(value: &mut Json, random: &mut fastrand::Rng) {
    let (tag, inner) = value.as_object().unwrap().iter().next().unwrap();
    let (tag, mut inner) = (tag.clone(), inner.clone());
    let tag_after = match tag.as_str() {
        "N" if random.bool() => "S",
        "S" if random.usize(0..4) == 0 => "SS",
        "NULL" => "BOOL",
        other => other,
    };
    if tag_after == "SS" && tag == "S" {
        inner = json!([inner]);
    } else if tag_after == tag {
        mutate_inner(&tag, &mut inner, random);
    }
    *value = json!({ tag_after: inner });
}

fn mutate_inner(tag: &str, inner: &mut Json, random: &mut fastrand::Rng) {
    match tag {
        "S" => *inner = json!(format!("{}x", inner.as_str().unwrap())),
        "N" => *inner = json!(change_digit(inner.as_str().unwrap(), random)),
        "B" => *inner = json!(base64(&[inner.as_str().unwrap().as_bytes(), b"x"].concat())),
        "BOOL" => *inner = json!(!inner.as_bool().unwrap()),
        "SS" | "NS" | "BS" => {
            let members = inner.as_array_mut().unwrap();
            let position = random.usize(0..members.len());
            members[position] = match tag {
                "NS" => json!("-7"),
                "BS" => json!(base64(&[9, 9, 9])),
                _ => json!("another"),
            };
        }
        "L" => {
            let members = inner.as_array_mut().unwrap();
            match random.usize(0..2) {
                0 => members.push(json!({"NULL": true})),
                _ => {
                    let position = random.usize(0..members.len());
                    mutate(&mut members[position], random);
                }
            }
        }
        _ => {
            let members = inner.as_object_mut().unwrap();
            let name = members.keys().nth(random.usize(0..members.len())).unwrap().clone();
            match random.usize(0..2) {
                0 => drop(members.remove(&name)),
                _ => mutate(&mut members[&name], random),
            }
        }
    }
}

/// Changes one digit, wherever it is.
fn change_digit(text: &str, random: &mut fastrand::Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let digits: Vec<usize> = (0..bytes.len()).filter(|position| bytes[*position].is_ascii_digit()).collect();
    let position = digits[random.usize(0..digits.len())];
    bytes[position] = b'0' + (bytes[position] - b'0' + random.u8(1..10)) % 10;
    String::from_utf8(bytes).unwrap()
}
