use super::super::rejection::Rule;
use super::super::{build, source_key};
use super::{attribute, column, index, key, layout, literal, one, page, pg, settings, typed};
use crate::mapping::{Constant, KeyType, Nulls, Overflow, ValueType};
use crate::plan::{
    AttributePlan, IndexEntryPlan, IndexSizing, KeyPlan, Layout, Membership, PartPlan, ReadSettings,
    TemplatePlan, ValuePlan,
};
use crate::source::{MysqlType, PgType, RawCell};

const NONE: Membership = Membership { projected: 0, partition_of: 0, sort_of: 0 };

fn member(projected: u32, partition_of: u32, sort_of: u32) -> Membership {
    Membership { projected, partition_of, sort_of }
}

fn texts(columns: usize) -> Layout {
    layout(&vec![pg(PgType::Text); columns])
}

fn cell(text: &str) -> RawCell<'_> {
    RawCell::Bytes(text.as_bytes())
}

fn entry(when: Option<usize>, parts: [Vec<PartPlan>; 2]) -> IndexEntryPlan {
    let [pk, sk] = parts;
    let keys = vec![
        KeyPlan { membership: member(1, 1, 0), ..key("GSI1PK", pk) },
        KeyPlan { membership: member(1, 0, 1), ..key("GSI1SK", sk) },
    ];
    IndexEntryPlan { index: 0, when, keys }
}

#[test]
fn an_item_has_its_keys_first_then_index_keys_then_attributes() {
    let mut layout = texts(2);
    layout.sort_key = Some(key("SK", vec![literal("S#"), column(0, &[])]));
    layout.indexes = vec![index("GSI1", true, true)];
    layout.index_entries = vec![entry(None, [vec![column(0, &[])], vec![column(1, &[])]])];
    layout.attributes = vec![attribute("na\"me", 1, settings())];
    let built = build(&layout, &page(&[&[cell("x"), cell("y")]]));
    let expected =
        r#"{"PK":{"S":"K"},"SK":{"S":"S#x"},"GSI1PK":{"S":"x"},"GSI1SK":{"S":"y"},"na\"me":{"S":"y"}}"#;
    assert_eq!(one(&built), Ok(expected));
    assert_eq!(built.key(&built.items[0]), br#""PK":{"S":"K"},"SK":{"S":"S#x"}"#);
    let size = 2 + 1 + 2 + 3 + 6 + 1 + 6 + 1 + 5 + 1;
    assert_eq!((built.items[0].size, &built.index_bytes[..]), (size, &[size][..]));
}

#[test]
fn the_documented_example_is_23_bytes() {
    let mut layout = texts(2);
    layout.partition_key = key("shirt-color", vec![column(0, &[])]);
    layout.attributes = vec![attribute("shirt-size", 1, settings())];
    assert_eq!(build(&layout, &page(&[&[cell("R"), cell("M")]])).items[0].size, 23);
}

#[test]
fn one_bad_row_is_rejected_and_the_page_goes_on() {
    let mut layout = texts(2);
    layout.partition_key = key("PK", vec![column(0, &[])]);
    layout.attributes = vec![attribute("v", 1, typed(ValueType::N))];
    let rows: [&[RawCell<'_>]; 4] = [
        &[cell("a"), cell("1")],
        &[cell("b"), cell("secret")],
        &[RawCell::Null, cell("2")],
        &[cell("d"), cell("3")],
    ];
    let built = build(&layout, &page(&rows));
    assert_eq!((built.rows, built.items.len(), built.rejections.len()), (4, 2, 2));
    let wires: Vec<_> = built.items.iter().map(|item| String::from_utf8_lossy(built.wire(item))).collect();
    assert_eq!(wires, [r#"{"PK":{"S":"a"},"v":{"N":"1"}}"#, r#"{"PK":{"S":"d"},"v":{"N":"3"}}"#]);
    assert_eq!(wires.concat().as_bytes(), built.bytes);
    assert_eq!(built.items.iter().map(|item| item.row).collect::<Vec<_>>(), [0, 3]);
    let [number, null] = &built.rejections[..] else { panic!() };
    assert_eq!((number.row, number.rule, number.column.as_deref()), (1, Rule::TypeMismatch, Some("b")));
    assert!(!number.message.contains("secret"));
    assert_eq!(number.source_key, [("a".to_owned(), "b".to_owned())]);
    assert_eq!((null.row, null.rule, null.column.as_deref()), (2, Rule::KeyNull, Some("a")));
}

#[test]
fn k01_k05_an_index_entry_with_a_null_or_empty_part_is_left_out_whole() {
    let mut layout = texts(2);
    layout.indexes = vec![index("GSI1", true, false)];
    layout.index_entries = vec![entry(None, [vec![literal("P#"), column(0, &[])], vec![column(1, &[])]])];
    for cells in
        [[cell("x"), cell("")], [cell("x"), RawCell::Null], [cell(""), cell("y")], [RawCell::Null, cell("y")]]
    {
        let built = build(&layout, &page(&[&cells]));
        assert_eq!(one(&built), Ok(r#"{"PK":{"S":"K"}}"#));
        assert_eq!((built.items[0].size, built.index_bytes[0]), (3, 0));
    }
    let built = build(&layout, &page(&[&[cell("x"), cell("y")]]));
    assert_eq!((built.items[0].size, built.index_bytes[0]), (3 + 9 + 7, 9 + 7));
}

#[test]
fn conditions_decide_about_index_entries() {
    let mut layout = texts(2);
    layout.columns[1].raw = None;
    layout.indexes = vec![index("GSI1", true, true)];
    layout.index_entries = vec![entry(Some(1), [vec![column(0, &[])], vec![literal("s")]])];
    for (condition, carried) in
        [(RawCell::Integer(1), true), (RawCell::Integer(0), false), (RawCell::Null, false)]
    {
        let built = build(&layout, &page(&[&[cell("x"), condition]]));
        assert_eq!(built.index_bytes[0] > 0, carried);
    }
}

#[test]
fn k03_an_item_without_the_sort_key_of_an_index_is_not_in_it() {
    let mut layout = texts(3);
    let keyed = |name: &str, column, membership| AttributePlan {
        membership,
        index_key: Some(KeyType::S),
        ..attribute(name, column, settings())
    };
    layout.indexes =
        vec![index("whole", true, true), index("keys", true, false), index("city", false, false)];
    layout.partition_key.membership = member(0b111, 0, 0);
    layout.attributes = vec![
        keyed("city", 0, member(0b111, 0b111, 0)),
        keyed("opened", 1, member(0b011, 0, 0b011)),
        AttributePlan { membership: member(0b001, 0, 0), ..attribute("rest", 2, settings()) },
    ];
    let sizes = |cells: &[RawCell<'_>]| build(&layout, &page(&[cells])).index_bytes;
    assert_eq!(sizes(&[cell("Rome"), cell("2024"), cell("xyz")]), [3 + 8 + 10 + 7, 3 + 8 + 10, 3 + 8]);
    assert_eq!(sizes(&[cell("Rome"), RawCell::Null, cell("xyz")]), [0, 0, 3 + 8]);
    assert_eq!(sizes(&[RawCell::Null, cell("2024"), cell("xyz")]), [0, 0, 0]);
}

/// K03: an item is in an index when it carries all key attributes, however they came.
#[test]
fn k03_an_index_of_several_key_attributes_takes_an_item_that_carries_them_all() {
    let mut layout = texts(4);
    let wide = |name: &str, all| IndexSizing { partition_keys: 2, sort_keys: 2, ..index(name, true, all) };
    layout.indexes = vec![index("plain", false, true), wide("whole", true), wide("keys", false)];
    layout.partition_key.membership = member(0b111, 0, 0);
    let keyed = |name: &str, column, membership| AttributePlan {
        membership,
        index_key: Some(KeyType::S),
        ..attribute(name, column, settings())
    };
    layout.attributes = vec![
        keyed("a", 0, member(0b111, 0b111, 0)),
        keyed("d", 3, member(0b111, 0, 0b110)),
        AttributePlan { membership: member(0b011, 0, 0), ..attribute("rest", 0, settings()) },
    ];
    let block = [("b", 1, member(0b111, 0b110, 0)), ("c", 2, member(0b111, 0, 0b110))];
    let keys = block.map(|(name, at, membership)| KeyPlan { membership, ..key(name, vec![column(at, &[])]) });
    layout.index_entries = vec![IndexEntryPlan { index: 1, when: None, keys: keys.into() }];
    let sizes = |cells: [&str; 4]| {
        let cells = cells.map(|text| if text.is_empty() { RawCell::Null } else { cell(text) });
        build(&layout, &page(&[&cells])).index_bytes
    };
    assert_eq!(sizes(["x", "y", "z", "w"]), [3 + 4 * 2 + 5, 3 + 4 * 2 + 5, 3 + 4 * 2]);
    assert_eq!(sizes(["x", "", "z", "w"]), [3 + 2 * 2 + 5, 0, 0], "the block is written whole or not at all");
    assert_eq!(sizes(["x", "y", "z", ""]), [3 + 3 * 2 + 5, 0, 0]);
    assert_eq!(sizes(["", "y", "z", "w"]), [0, 0, 0]);
    // The next row begins anew.
    let two = build(&layout, &page(&[&[cell("x"), cell("y"), cell("z"), cell("w")], &[cell("x"); 4]]));
    assert_eq!(two.index_bytes.len(), 6);
    assert!(two.index_bytes.iter().all(|bytes| *bytes > 0));
}

/// Z06: an item and its entries in local indexes hold 400 KB together.
#[test]
fn z06_entries_in_local_indexes_count_against_the_size_of_an_item() {
    let mut layout = texts(2);
    layout.partition_key.membership = member(1, 1, 0);
    let of = |layout: &Layout, size: usize, day: &str| {
        let large = "x".repeat(size);
        let day = if day.is_empty() { RawCell::Null } else { cell(day) };
        one(&build(layout, &page(&[&[cell(&large), day]]))).map(str::len)
    };
    layout.attributes = vec![
        AttributePlan { membership: member(1, 0, 0), ..attribute("v", 0, settings()) },
        AttributePlan {
            membership: member(1, 0, 1),
            index_key: Some(KeyType::S),
            ..attribute("day", 1, settings())
        },
    ];
    layout.indexes = vec![index("ByDay", true, true)];
    assert!(of(&layout, 300_000, "1").is_ok(), "a global index has room of its own");
    layout.indexes[0].local = true;
    assert!(of(&layout, 204_000, "1").is_ok());
    assert_eq!(of(&layout, 205_000, "1"), Err(Rule::ItemTooLarge));
    assert!(of(&layout, 205_000, "").is_ok(), "without an entry");
    layout.indexes[0].all = false;
    layout.attributes[0].membership = NONE;
    assert!(of(&layout, 409_000, "1").is_ok(), "an entry of keys alone");
}

#[test]
fn an_inverted_index_over_the_table_keys_counts_them() {
    let mut layout = texts(1);
    layout.indexes = vec![index("Inverted", true, false)];
    layout.partition_key = KeyPlan { membership: member(1, 0, 1), ..key("PK", vec![column(0, &[])]) };
    layout.sort_key = Some(KeyPlan { membership: member(1, 1, 0), ..key("SK", vec![literal("P")]) });
    let built = build(&layout, &page(&[&[cell("x")]]));
    assert_eq!(built.index_bytes, [6]);
    let long = "x".repeat(1_025);
    assert_eq!(one(&build(&layout, &page(&[&[cell(&long)]]))), Err(Rule::IndexKeyTooLong));
}

#[test]
fn k02_k05_attributes_that_are_index_keys_are_strict() {
    let keyed = |kind, membership, settings: ReadSettings| {
        let mut layout = layout(&[pg(PgType::Text)]);
        layout.indexes = vec![index("I", false, false)];
        layout.attributes =
            vec![AttributePlan { index_key: Some(kind), membership, ..attribute("v", 0, settings) }];
        layout
    };
    let nulls = ReadSettings { nulls: Nulls::Null, ..settings() };
    let partition = member(1, 1, 0);
    let by = |layout: &Layout, cell| one(&build(layout, &page(&[&[cell]]))).map(str::to_owned);
    assert_eq!(by(&keyed(KeyType::S, partition, nulls), RawCell::Null).unwrap(), r#"{"PK":{"S":"K"}}"#);
    assert_eq!(by(&keyed(KeyType::S, partition, settings()), cell("")), Err(Rule::IndexKeyEmpty));
    assert_eq!(by(&keyed(KeyType::N, partition, settings()), cell("1")), Err(Rule::IndexKeyType));
    assert!(by(&keyed(KeyType::N, partition, typed(ValueType::N)), cell("1")).is_ok());
    let (longest, longer) = ("x".repeat(2_048), "x".repeat(2_049));
    assert!(by(&keyed(KeyType::S, partition, settings()), cell(&longest)).is_ok());
    assert_eq!(by(&keyed(KeyType::S, partition, settings()), cell(&longer)), Err(Rule::IndexKeyTooLong));
    assert_eq!(
        by(&keyed(KeyType::S, member(1, 0, 1), settings()), cell(&longest)),
        Err(Rule::IndexKeyTooLong)
    );
    assert_eq!(by(&keyed(KeyType::S, partition, settings()), cell("a\0")), Err(Rule::TextInvalid));
    assert!(by(&keyed(KeyType::S, partition, settings()), cell(r"a\u0000")).is_ok());
    // What overflows in a key is rejected whatever the policy.
    let policy = ReadSettings { overflow: Overflow::Omit, ..typed(ValueType::N) };
    assert_eq!(by(&keyed(KeyType::N, partition, policy), cell(&"1".repeat(39))), Err(Rule::NumberDigits));
}

#[test]
fn index_entry_keys_have_types_and_limits_too() {
    let mut layout = texts(1);
    layout.indexes = vec![index("GSI1", true, false)];
    layout.index_entries = vec![entry(None, [vec![literal("p")], vec![column(0, &[])]])];
    let long = "x".repeat(1_025);
    assert_eq!(one(&build(&layout, &page(&[&[cell(&long)]]))), Err(Rule::IndexKeyTooLong));
    layout.index_entries[0].keys[1].kind = KeyType::N;
    let built = build(&layout, &page(&[&[cell("x")]]));
    assert_eq!(one(&built), Err(Rule::IndexKeyType));
    assert!(built.rejections[0].message.contains("GSI1SK"));
}

#[test]
fn constants_and_templates_are_attributes_as_well() {
    let mut layout = layout(&[pg(PgType::Int8), pg(PgType::Text), pg(PgType::Date)]);
    let constant = |name: &str, value, kind| AttributePlan {
        name: name.to_owned(),
        value: ValuePlan::Constant { value, kind },
        membership: NONE,
        index_key: None,
    };
    let template = |settings: ReadSettings, parts| AttributePlan {
        value: ValuePlan::Template { template: TemplatePlan { parts }, settings },
        ..constant("t", Constant::Boolean(true), None)
    };
    layout.attributes = vec![
        constant("type", Constant::Text("ORDER".to_owned()), None),
        constant("price", Constant::Text("19.90".to_owned()), Some(ValueType::N)),
        constant("version", Constant::Integer(-3), None),
        constant("old", Constant::Boolean(true), None),
        template(settings(), vec![column(0, &[]), literal("-"), column(1, &[])]),
    ];
    let day = [0_u8; 4];
    let built =
        build(&layout, &page(&[&[RawCell::Bytes(&7_i64.to_be_bytes()), cell("é"), RawCell::Bytes(&day)]]));
    let fixed = r#"{"PK":{"S":"K"},"type":{"S":"ORDER"},"price":{"N":"19.9"},"version":{"N":"-3"},"old":{"BOOL":true}"#;
    assert_eq!(one(&built), Ok(&format!(r#"{fixed},"t":{{"S":"7-é"}}}}"#)[..]));
    assert_eq!(built.items[0].size, 3 + 9 + (5 + 3) + (7 + 3) + (3 + 1) + (1 + 4));
    let never = i32::MAX.to_be_bytes();
    let cells = [RawCell::Bytes(&[0; 8]), RawCell::Null, RawCell::Bytes(&never)];
    let of = |settings: ReadSettings, part: usize| {
        layout.attributes.splice(.., [template(settings, vec![literal("d:"), column(part, &[])])]);
        one(&build(&layout, &page(&[&cells]))).map(str::to_owned)
    };
    let mut of = of;
    assert_eq!(of(settings(), 1).unwrap(), r#"{"PK":{"S":"K"}}"#);
    assert_eq!(
        of(ReadSettings { nulls: Nulls::Null, ..settings() }, 1).unwrap(),
        r#"{"PK":{"S":"K"},"t":{"NULL":true}}"#
    );
    assert_eq!(of(settings(), 2), Err(Rule::DateRange));
    assert_eq!(of(super::overflowing(Overflow::Omit), 2).unwrap(), r#"{"PK":{"S":"K"}}"#);
    assert_eq!(
        of(super::overflowing(Overflow::String), 2).unwrap(),
        r#"{"PK":{"S":"K"},"t":{"S":"d:infinity"}}"#
    );
}

#[test]
fn z01_z02_an_item_ends_at_409600_bytes() {
    let mut layout = texts(1);
    layout.attributes = vec![attribute("v", 0, settings())];
    let at = |len: usize| build(&layout, &page(&[&[cell(&"x".repeat(len))], &[cell("small")]]));
    let fits = at(409_600 - 4);
    assert_eq!((fits.items.len(), fits.items[0].size), (2, 409_600));
    let over = at(409_600 - 3);
    assert_eq!((over.items.len(), over.items[0].row, over.rejections[0].rule), (1, 1, Rule::ItemTooLarge));
    assert!(over.rejections[0].message.contains("409601"));
    assert_eq!(over.bytes, br#"{"PK":{"S":"K"},"v":{"S":"small"}}"#);
}

#[test]
fn source_keys_are_text_for_people() {
    let mut layout = layout(&[
        pg(PgType::Int8),
        pg(PgType::TimestampTz { precision: 0 }),
        crate::source::RawType::Mysql(MysqlType::Binary),
        pg(PgType::Text),
    ]);
    layout.source_key = vec![3, 0, 1, 2];
    let page = page(&[&[
        RawCell::Bytes(&5_i64.to_be_bytes()),
        RawCell::Bytes(&[0; 8]),
        RawCell::Bytes(&[0xAB, 1]),
        RawCell::Bytes(&[0xFF]),
    ]]);
    let key = source_key(&layout, &page, 0);
    let key: Vec<_> = key.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(key, [("d", "(unreadable)"), ("a", "5"), ("b", "2000-01-01T00:00:00Z"), ("c", "ab01")]);
    assert_eq!(source_key(&layout, &page, 1), []);
}
