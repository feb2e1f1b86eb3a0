use expect_test::expect;

use super::*;
use crate::item::Rule;

const PLAIN: Style = Style { color: false };

fn entity(name: &str, noticed: &[(&str, Notice, u64)]) -> EntityReport {
    let columns = noticed.iter().map(|(column, what, rows)| {
        let noticed = Noticed { column: (*column).to_owned(), what: what.clone(), rows: *rows };
        ColumnReport::new(name, &noticed)
    });
    EntityReport { columns: columns.collect(), ..EntityReport::default() }
}

fn every_notice() -> Vec<Notice> {
    vec![
        Notice::Rejected(Rule::NumberDigits),
        Notice::LargeNumber,
        Notice::Flags,
        Notice::Numbers,
        Notice::UuidBytes { straight: 1_200, swapped: 600 },
        Notice::UuidBytes { straight: 0, swapped: 4 },
        Notice::UuidBytes { straight: 1, swapped: 1 },
        Notice::UuidOrder { swapped: true },
        Notice::UuidOrder { swapped: false },
        Notice::Padding,
        Notice::LowerBound,
        Notice::NoMember,
        Notice::EqualNames,
        Notice::Nul,
        Notice::Overflow(Overflow::String),
        Notice::Overflow(Overflow::Omit),
        Notice::Overflow(Overflow::Null),
        Notice::KeyBlanks,
    ]
}

#[test]
fn every_notice_has_its_words() {
    let noticed: Vec<_> = every_notice().into_iter().map(|what| ("Unit Price", what, 7)).collect();
    let entities = IndexMap::from([("Order".to_owned(), entity("Order", &noticed))]);
    expect![[r#"
        Columns to look at
          Order.Unit Price  7  rejected (number_digits)
          Order.Unit Price  7  beyond 2^53: exact here, rounded by readers that take numbers for floats, such as JavaScript
                               `type = "S"` in [entities.Order.column."Unit Price"] writes it as text; an array is cast to one of texts in `let`
          Order.Unit Price  7  every value is 0 or 1, and written as a number
                               `type = "BOOL"` in [entities.Order.column."Unit Price"] fits
          Order.Unit Price  7  neither 0 nor 1: `type = "BOOL"` would reject them
          Order.Unit Price  7  16 bytes that are read as bytes: 1,200 are UUIDs as they stand, 600 swapped
                               `type = "uuid"` in [entities.Order.column."Unit Price"] fits
          Order.Unit Price  7  16 bytes that are read as bytes: 0 are UUIDs as they stand, 4 swapped
                               `type = "uuid_swapped"` in [entities.Order.column."Unit Price"] fits
          Order.Unit Price  7  16 bytes that are read as bytes: 1 are UUIDs as they stand, 1 swapped
                               `type = "uuid"` or `"uuid_swapped"` in [entities.Order.column."Unit Price"] fits: the application knows which
          Order.Unit Price  7  no UUID in the order in which they are read; swapped the values are UUIDs
                               `type = "uuid_swapped"` in [entities.Order.column."Unit Price"] reads them so
          Order.Unit Price  7  no UUID in the order in which they are read; as they stand the values are UUIDs
                               `type = "uuid"` in [entities.Order.column."Unit Price"] reads them so
          Order.Unit Price  7  written without the blanks that fill them up, which do not count in SQL either
                               `rpad(Unit Price, 10)` in [entities.Order.let] keeps such blanks, with the length that the type declares for 10
          Order.Unit Price  7  arrays that do not begin at 1, which lists do not tell
                               `Unit Price::text` in [entities.Order.let] keeps the bounds
          Order.Unit Price  7  no member of the ENUM, written as an empty text
                               `NULLIF(Unit Price, '')` in [entities.Order.let] makes them NULL
          Order.Unit Price  7  documents with equal names in one object: the last is written
                               `type = "S"` in [entities.Order.column."Unit Price"] keeps the text
          Order.Unit Price  7  texts with the character NUL, written as they are
                               where readers do not bear it, replace it in [entities.Order.let]
          Order.Unit Price  7  more than DynamoDB holds: written as text, as `overflow` says
          Order.Unit Price  7  more than DynamoDB holds: left out, as `overflow` says
          Order.Unit Price  7  more than DynamoDB holds: written as NULL, as `overflow` says
          Order.Unit Price  7  texts with blanks around them, in a key
                               `{"Unit Price":trim}` takes them off there; `check` tells whether the keys still differ
    "#]].assert_eq(&columns(&entities, PLAIN));
}

#[test]
fn every_code_is_documented() {
    let documents = include_str!("../../../docs/json.md");
    for what in every_notice() {
        let noticed = Noticed { column: "x".to_owned(), what, rows: 1 };
        let code = ColumnReport::new("T", &noticed).code;
        assert!(documents.contains(&format!("`{code}`")), "{code}");
    }
}

#[test]
fn columns_of_all_entities_line_up_and_end() {
    assert_eq!(columns(&IndexMap::from([("A".to_owned(), EntityReport::default())]), PLAIN), "");
    let few = entity("A", &[("x", Notice::Rejected(Rule::KeyNull), 1_200), ("y", Notice::Numbers, 5)]);
    let many: Vec<_> = (0..40).map(|_| ("column", Notice::Numbers, 12)).collect();
    let entities = IndexMap::from([("A".to_owned(), few), ("Bcd".to_owned(), entity("Bcd", &many))]);
    let text = columns(&entities, PLAIN);
    let lines: Vec<&str> = text.lines().collect();
    expect![[r#"
        Columns to look at
          A.x         1,200  rejected (key_null)
          A.y             5  neither 0 nor 1: `type = "BOOL"` would reject them
          Bcd.column     12  neither 0 nor 1: `type = "BOOL"` would reject them
          and 12 more that --json tells"#]]
    .assert_eq(&[&lines[..4], &lines[lines.len() - 1..]].concat().join("\n"));
    let colored = columns(&entities, Style { color: true });
    assert!(
        colored.contains("\u{1b}[31m1,200\u{1b}[0m") && colored.contains("\u{1b}[33m    5\u{1b}[0m"),
        "{colored:?}"
    );
}
