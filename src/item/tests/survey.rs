//! What a survey counts, cell by cell.

use super::*;
use crate::item::build;
use crate::item::survey::{Notice, Noticed, Seen, Survey};
use crate::plan::{Watch, Watched};

/// What is noticed of one column with these cells.
#[allow(clippy::needless_pass_by_value)]
fn noticed(raw: RawType, what: Watched, cells: &[RawCell<'_>]) -> Option<(Notice, u64)> {
    let mut layout = layout(std::slice::from_ref(&raw));
    layout.attributes = vec![attribute("v", 0, settings())];
    let survey = Survey::new(vec![Watch { column: 0, what }]);
    let rows: Vec<&[RawCell<'_>]> = cells.iter().map(std::slice::from_ref).collect();
    let page = page(&rows);
    let seen = survey.look(&layout, &page, &build(&layout, &page));
    let mut noticed = survey.noticed(&layout, &seen);
    noticed.retain(|noticed| !matches!(noticed.what, Notice::Rejected(_)));
    assert!(noticed.len() <= 1 && noticed.iter().all(|noticed| noticed.column == "a"), "{noticed:?}");
    noticed.pop().map(|noticed| (noticed.what, noticed.rows))
}

/// How many of these cells are hits.
fn hits(raw: RawType, what: Watched, cells: &[RawCell<'_>]) -> u64 {
    noticed(raw, what, cells).map_or(0, |(_, rows)| rows)
}

fn text(text: &str) -> RawCell<'_> {
    RawCell::Bytes(text.as_bytes())
}

/// PostgreSQL's numeric of base-10000 groups.
fn numeric(weight: i16, sign: u16, groups: &[u16]) -> Vec<u8> {
    let count = u16::try_from(groups.len()).unwrap();
    let head = [count.to_be_bytes(), weight.to_be_bytes(), sign.to_be_bytes(), [0, 0]];
    head.into_iter().chain(groups.iter().map(|group| group.to_be_bytes())).flatten().collect()
}

const EXACT: i64 = 9_007_199_254_740_992;

/// N13: 2^53 itself is exact, its neighbour is not.
#[test]
fn n13_whole_numbers_beyond_two_to_the_53_are_counted() {
    let integers = [EXACT, EXACT + 1, -EXACT, -EXACT - 1, i64::MIN, 0].map(i64::to_be_bytes);
    let cells = integers.each_ref().map(|bytes| RawCell::Bytes(bytes));
    assert_eq!(noticed(pg(PgType::Int8), Watched::LargeNumber, &cells), Some((Notice::LargeNumber, 3)));
    let unsigned = MysqlType::Integer { unsigned: true };
    let most = u64::MAX.to_le_bytes();
    let cells = [RawCell::Bytes(&most), RawCell::Null, RawCell::Bytes(&[1])];
    assert_eq!(hits(mysql(unsigned), Watched::LargeNumber, &cells), 1);
    let cells = [RawCell::Integer(EXACT + 1), RawCell::Real(1e300), RawCell::Text(b"9007199254740993")];
    assert_eq!(hits(sqlite(SqliteType::Any), Watched::LargeNumber, &cells), 1);
}

/// N13
#[test]
fn n13_decimals_count_by_their_whole_part() {
    let texts = [
        ("9007199254740992.99", 0),
        ("9007199254740993", 1),
        ("-9007199254740993.5", 1),
        ("1234567890.123456789012345", 0),
        ("00000000000000000001", 0),
        ("123456789012345678901234567890", 1),
        ("123456789012345678901234567890123456789", 0),
    ];
    for (decimal, expected) in texts {
        let cells = [text(decimal)];
        assert_eq!(hits(mysql(MysqlType::Decimal), Watched::LargeNumber, &cells), expected, "{decimal}");
    }
    for (weight, groups, expected) in [
        (3, &[9007, 1992, 5474, 992][..], 0),
        (3, &[9007, 1992, 5474, 993], 1),
        (3, &[9007, 1992, 5474, 992, 9999], 0),
        (3, &[9008], 1),
        (2, &[9999, 9999, 9999, 9999, 9999], 0),
        (4, &[1], 1),
        (9, &[1], 1),
        (-40, &[1], 0),
    ] {
        let bytes = numeric(weight, 0x4000, groups);
        let cells = [RawCell::Bytes(&bytes)];
        assert_eq!(hits(pg(PgType::Numeric), Watched::LargeNumber, &cells), expected, "{weight} {groups:?}");
    }
}

/// N17
#[test]
fn n17_flags_are_told_from_numbers() {
    let tiny = || mysql(MysqlType::TinyInt1 { unsigned: false });
    let flags = [RawCell::Bytes(&[0]), RawCell::Bytes(&[1]), RawCell::Null, RawCell::Bytes(&[1])];
    assert_eq!(noticed(tiny(), Watched::Flag, &flags), Some((Notice::Flags, 3)));
    let numbers = [RawCell::Bytes(&[7]), RawCell::Bytes(&[0xFF]), RawCell::Bytes(&[1])];
    assert_eq!(noticed(tiny(), Watched::Flag, &numbers), Some((Notice::Numbers, 2)));
    assert_eq!(noticed(tiny(), Watched::Flag, &[RawCell::Null]), None);
}

/// A UUID of version 1, as it stands and as `UUID_TO_BIN(x, 1)` stores it.
const STRAIGHT: [u8; 16] =
    [0x98, 0xfa, 0x4f, 0xc8, 0xc2, 0x66, 0x11, 0xe8, 0x9a, 0xb6, 0x02, 0x42, 0xc7, 0xbc, 0x9d, 0x97];
const SWAPPED: [u8; 16] =
    [0x11, 0xe8, 0xc2, 0x66, 0x98, 0xfa, 0x4f, 0xc8, 0x9a, 0xb6, 0x02, 0x42, 0xc7, 0xbc, 0x9d, 0x97];

/// K24: `SWAPPED` read as it stands is a version 4 by chance, `STRAIGHT` read swapped has no version.
#[test]
fn k24_both_orders_of_sixteen_bytes_are_counted() {
    let chance = [0xF0, 0x11, 1, 2, 3, 4, 0x99, 5, 0x9a, 1, 2, 3, 4, 5, 6, 7];
    let cells = |uuid: &'static [u8; 16], count: usize| vec![RawCell::Bytes(uuid); count];
    let read = |swapped| Watched::UuidOrder { swapped };
    let binary = || mysql(MysqlType::Binary);
    let straight = cells(&STRAIGHT, 20);
    let told = noticed(binary(), read(None), &straight);
    assert_eq!(told, Some((Notice::UuidBytes { straight: 20, swapped: 0 }, 20)));
    assert_eq!(noticed(binary(), read(Some(false)), &straight), None);
    let order = Some((Notice::UuidOrder { swapped: false }, 20));
    assert_eq!(noticed(binary(), read(Some(true)), &straight), order);
    let mut swapped = cells(&SWAPPED, 19);
    swapped.push(RawCell::Bytes(&[0; 16]));
    let told = noticed(binary(), read(None), &swapped);
    assert_eq!(told, Some((Notice::UuidBytes { straight: 20, swapped: 20 }, 20)));
    assert_eq!(noticed(binary(), read(Some(true)), &swapped), None);
    // Digests are no UUIDs in either order.
    let digests = vec![RawCell::Bytes(&chance); 20];
    for reading in [None, Some(false), Some(true)] {
        assert_eq!(noticed(binary(), read(reading), &digests), None);
    }
}

/// K21
#[test]
fn k21_blanks_that_are_left_out_are_counted() {
    let cells = [text("ab  "), text("ab"), text("  "), text(" a"), RawCell::Null];
    assert_eq!(hits(pg(PgType::Char), Watched::Padding, &cells), 2);
}

/// S09
#[test]
fn s09_arrays_that_begin_elsewhere_are_counted() {
    let array = |bound: i32| {
        let words = [1, 0, 23, 1, bound, 4, 7].map(i32::to_be_bytes);
        words.concat()
    };
    let (zero, one, empty) = (array(0), array(1), [0, 0, 23].map(i32::to_be_bytes).concat());
    let cells = [&zero, &one, &empty].map(|bytes| RawCell::Bytes(bytes));
    let raw = pg(PgType::Array(Box::new(PgType::Int4)));
    assert_eq!(noticed(raw, Watched::LowerBound, &cells), Some((Notice::LowerBound, 1)));
}

/// S12, S15, S16, K20
#[test]
fn texts_and_documents_are_counted_by_what_they_hold() {
    let cells = [text(""), text("a"), RawCell::Null];
    assert_eq!(hits(mysql(MysqlType::Text), Watched::NoMember, &cells), 1);
    let cells = [text("a\0b"), text("a"), text("\\u0000")];
    assert_eq!(hits(mysql(MysqlType::Text), Watched::Nul, &cells), 1);
    let cells = [r#"{"s":"x\u0000y"}"#, r#"{"s":"x\\u0000y"}"#, "{}"].map(text);
    assert_eq!(hits(pg(PgType::Json), Watched::Nul, &cells), 1);
    let cells =
        [r#"{"a":1,"a":2}"#, r#"{"a":[{"b":1,"b":1}]}"#, r#"{"a":{"b":1},"b":1}"#, "no json"].map(text);
    assert_eq!(hits(pg(PgType::Json), Watched::EqualNames, &cells), 2);
    let cells = [text(" a"), text("a "), text("a b"), text("")];
    assert_eq!(hits(pg(PgType::Text), Watched::KeyBlanks, &cells), 2);
}

/// N01, N05: whatever `overflow` puts in a value's place.
#[test]
fn n01_n05_values_that_overflow_replaces_are_counted() {
    let watch = || Watched::Overflow { overflow: Overflow::String, strict: settings() };
    let wide = "1".repeat(39);
    let cells = [text(&wide), text("1.5"), RawCell::Null];
    let told = noticed(mysql(MysqlType::Decimal), watch(), &cells);
    assert_eq!(told, Some((Notice::Overflow(Overflow::String), 1)));
    let floats = [f64::NAN, 5e-324, 1.5].map(f64::to_be_bytes);
    let cells = floats.each_ref().map(|bytes| RawCell::Bytes(bytes));
    assert_eq!(hits(pg(PgType::Float8), watch(), &cells), 2);
    let document = format!(r#"{{"n":{wide}}}"#);
    assert_eq!(hits(pg(PgType::Json), watch(), &[text(&document), text("{}")]), 1);
}

#[test]
fn rejections_are_counted_by_column_and_pages_add_up() {
    let mut layout = layout(&[mysql(MysqlType::Decimal), mysql(MysqlType::TinyInt1 { unsigned: false })]);
    layout.attributes = vec![attribute("v", 0, settings()), attribute("w", 1, settings())];
    let survey = Survey::new(vec![Watch { column: 1, what: Watched::Flag }]);
    let wide = "1".repeat(39);
    let page = page(&[&[text(&wide), RawCell::Bytes(&[2])], &[text("1"), RawCell::Bytes(&[1])]]);
    let seen = survey.look(&layout, &page, &build(&layout, &page));
    let mut sum = Seen::default();
    (0..3).for_each(|_| sum.merge(&seen));
    let rejected = Noticed { column: "a".to_owned(), what: Notice::Rejected(Rule::NumberDigits), rows: 3 };
    let numbers = Noticed { column: "b".to_owned(), what: Notice::Numbers, rows: 3 };
    assert_eq!(survey.noticed(&layout, &sum), [rejected, numbers]);
    assert_eq!(survey.noticed(&layout, &Seen::default()), []);
}
