use super::*;
use crate::verify::equality::Item;

const KEY: [&str; 2] = ["PK", "SK"];

fn wire(sk: &str, order: &str) -> Vec<u8> {
    format!(r#"{{"PK":{{"S":"P"}},"SK":{{"S":"{sk}"}},"order":{order}}}"#).into_bytes()
}

fn text(text: &str) -> String {
    format!(r#"{{"S":"{text}"}}"#)
}

/// An item of partition P in an index that is sorted by `order`.
fn item_by(sk: &str, order: &str) -> Expected {
    let wire = wire(sk, order);
    let item = Item::parse(&wire).unwrap();
    let key = format!(r#""PK":{{"S":"P"}},"SK":{{"S":"{sk}"}}"#);
    Expected {
        returned: 0,
        identity: Identity::parse(key.as_bytes()).unwrap(),
        pk: item.values(&["PK"]).unwrap(),
        sk: item.values(&["order"]).unwrap(),
        item,
        size: 100,
        wire,
        excused: false,
    }
}

fn item(sk: &str, order: &str) -> Expected {
    item_by(sk, &text(order))
}

fn call(items: &[(&str, &str)]) -> Found {
    call_of(&items.iter().map(|(sk, order)| wire(sk, &text(order))).collect::<Vec<_>>())
}

fn call_of(items: &[Vec<u8>]) -> Found {
    let stored = items.iter().map(|wire| Stored { wire: wire.clone(), item: Item::parse(wire).unwrap() });
    Found { pk: vec![Value::S("P".to_owned())], items: stored.collect() }
}

fn verdict(choice: Choice, expected: &[Expected], calls: &[Found]) -> Verdict {
    Judge::new(choice, expected).judge(&KEY, calls)
}

const ALL: Choice = Choice { descending: false, limit: None };
const FIRST_TWO: Choice = Choice { descending: false, limit: Some(2) };
const LAST_TWO: Choice = Choice { descending: true, limit: Some(2) };

#[test]
fn the_same_items_in_order_are_right() {
    let expected = [item("a", "1"), item("b", "2")];
    let found = verdict(ALL, &expected, &[call(&[("a", "1"), ("b", "2")])]);
    assert!(!found.is_wrong());
    assert_eq!(found.right, 2);
    assert!(!verdict(ALL, &[], &[call(&[])]).is_wrong());
}

#[test]
fn what_is_missing_too_much_or_another_is_told_apart() {
    let expected = [item("a", "1"), item("b", "2")];
    let found = verdict(ALL, &expected, &[call(&[("a", "7"), ("x", "8")])]);
    assert_eq!((found.missing, found.unexpected), (vec![1], vec![(0, 1)]));
    let [different] = found.different.as_slice() else { panic!("{:?}", found.different) };
    assert_eq!((different.expected, different.found, found.right), (0, (0, 0), 0));
    assert_eq!(different.attributes[0].name, "order");
}

#[test]
fn an_item_behind_one_that_should_come_later_is_out_of_order() {
    let expected = [item("a", "1"), item("b", "2"), item("c", "3")];
    let turned = [call(&[("b", "2"), ("a", "1"), ("c", "3")])];
    let found = verdict(ALL, &expected, &turned);
    assert_eq!((found.out_of_order.as_slice(), found.right), ([0].as_slice(), 3));
    assert!(found.missing.is_empty());
    let descending = Choice { descending: true, limit: None };
    assert!(!verdict(descending, &expected, &[call(&[("c", "3"), ("b", "2"), ("a", "1")])]).is_wrong());
    assert!(verdict(descending, &expected, &[call(&[("a", "1"), ("b", "2"), ("c", "3")])]).is_wrong());
}

#[test]
fn texts_go_by_their_bytes_and_numbers_by_their_value() {
    // U+FF5E comes before U+1F600 in UTF-8, but not in UTF-16.
    let texts = [item("a", "\u{ff5e}"), item("b", "\u{1f600}")];
    assert!(!verdict(ALL, &texts, &[call(&[("a", "\u{ff5e}"), ("b", "\u{1f600}")])]).is_wrong());
    let number = |sk, number: &str| (sk, format!(r#"{{"N":"{number}"}}"#));
    let in_order = [number("a", "-10"), number("b", "-9.5"), number("c", "9"), number("d", "10")];
    let expected: Vec<Expected> = in_order.iter().map(|(sk, order)| item_by(sk, order)).collect();
    let mut wires: Vec<Vec<u8>> = in_order.iter().map(|(sk, order)| wire(sk, order)).collect();
    assert!(!verdict(ALL, &expected, &[call_of(&wires)]).is_wrong());
    wires.swap(2, 3);
    assert_eq!(verdict(ALL, &expected, &[call_of(&wires)]).out_of_order, [2]);
    let bytes = [item_by("a", r#"{"B":"/w=="}"#), item_by("b", r#"{"B":"AA=="}"#)];
    let by_base64 = [wire("a", r#"{"B":"/w=="}"#), wire("b", r#"{"B":"AA=="}"#)];
    assert_eq!(verdict(ALL, &bytes, &[call_of(&by_base64)]).out_of_order, [1], "0xff comes after 0x00");
}

#[test]
fn items_of_one_sort_key_have_no_order() {
    let expected = [item("a", "1"), item("b", "1")];
    assert!(!verdict(ALL, &expected, &[call(&[("b", "1"), ("a", "1")])]).is_wrong());
}

#[test]
fn a_limit_leaves_the_others_out() {
    let expected = [item("a", "1"), item("b", "2"), item("c", "3")];
    assert!(!verdict(FIRST_TWO, &expected, &[call(&[("a", "1"), ("b", "2")])]).is_wrong());
    assert!(!verdict(LAST_TWO, &expected, &[call(&[("c", "3"), ("b", "2")])]).is_wrong());
    let skipped = verdict(FIRST_TWO, &expected, &[call(&[("a", "1"), ("c", "3")])]);
    assert_eq!(skipped.missing, [1], "it comes before one that is there");
    assert_eq!(verdict(FIRST_TWO, &expected, &[call(&[("a", "1")])]).missing, [1]);
}

#[test]
fn of_items_tied_at_the_limit_any_is_right() {
    let expected = [item("a", "1"), item("b", "2"), item("c", "2"), item("d", "3")];
    for tied in ["b", "c"] {
        assert!(!verdict(FIRST_TWO, &expected, &[call(&[("a", "1"), (tied, "2")])]).is_wrong(), "{tied}");
    }
    assert_eq!(verdict(FIRST_TWO, &expected, &[call(&[("a", "1")])]).missing.len(), 1);
    assert_eq!(verdict(FIRST_TWO, &expected, &[call(&[("b", "2"), ("c", "2")])]).missing, [0]);
}

#[test]
fn the_limit_is_that_of_each_call() {
    let mut other = item("z", "0");
    other.pk = vec![Value::S("Q".to_owned())];
    let mut empty = call(&[]);
    empty.pk.clone_from(&other.pk);
    let expected = [item("a", "1"), item("b", "2"), item("c", "3"), other];
    let first = call(&[("a", "1"), ("b", "2")]);
    assert_eq!(verdict(FIRST_TWO, &expected, &[first, empty]).missing, [3]);
}

#[test]
fn an_item_of_a_partition_that_is_not_asked_is_missing() {
    let mut elsewhere = item("b", "2");
    elsewhere.pk = vec![Value::S("Q".to_owned())];
    let expected = [item("a", "1"), elsewhere];
    assert_eq!(verdict(ALL, &expected, &[call(&[("a", "1")])]).missing, [1]);
}

#[test]
fn a_row_that_the_load_left_out_may_be_there_or_not() {
    let mut excused = item("b", "2");
    excused.excused = true;
    let expected = [item("a", "1"), excused, item("c", "3")];
    assert!(!verdict(ALL, &expected, &[call(&[("a", "1"), ("c", "3")])]).is_wrong());
    assert!(!verdict(ALL, &expected, &[call(&[("a", "1"), ("b", "9"), ("c", "3")])]).is_wrong());
    assert!(
        !verdict(FIRST_TWO, &expected, &[call(&[("a", "1"), ("b", "2")])]).is_wrong(),
        "it takes a place"
    );
    assert_eq!(verdict(FIRST_TWO, &expected, &[call(&[("a", "1")])]).missing, [2]);
}

#[test]
fn of_rows_with_one_key_the_written_one_counts() {
    let mut loser = item("a", "2");
    loser.excused = true;
    for expected in [[item("a", "1"), loser.clone()], [loser, item("a", "1")]] {
        assert!(!verdict(ALL, &expected, &[call(&[("a", "1")])]).is_wrong());
        assert_eq!(verdict(ALL, &expected, &[call(&[("a", "2")])]).different.len(), 1);
        assert_eq!(verdict(ALL, &expected, &[call(&[])]).missing.len(), 1);
    }
}
