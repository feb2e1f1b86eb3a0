//! Right decoders pass; a wrong one of any kind is noticed, with its column.

use super::*;
use crate::item::build;
use crate::item::tests::broken::while_broken;
use crate::item::tests::{pg_array, pg_numeric};
use crate::mapping::{Format, KeyType, Step, ValueType};
use crate::plan::{
    AttributePlan, CollisionPlan, ColumnPlan, FingerprintParts, IndexEntryPlan, Keep, KeyPlan, KeyProof,
    Membership,
};
use crate::source::{Column, MysqlType, PageBuilder, PgType, RawCell, RawType, Rows, Select, SqliteType};

fn settings() -> ReadSettings {
    ReadSettings { kind: None, format: None, zone: None, overflow: Overflow::Reject, nulls: Nulls::Omit }
}

fn literal(text: &str) -> TemplatePlan {
    TemplatePlan { parts: vec![PartPlan::Literal(text.to_owned())] }
}

fn placeholder(column: usize, steps: &[Step]) -> PartPlan {
    PartPlan::Value { column, steps: steps.to_vec(), settings: settings() }
}

fn key(attribute: &str, kind: KeyType, template: TemplatePlan) -> KeyPlan {
    KeyPlan { attribute: attribute.to_owned(), kind, template, membership: Membership::default() }
}

fn attribute_plan(name: &str, value: ValuePlan) -> AttributePlan {
    AttributePlan { name: name.to_owned(), value, membership: Membership::default(), index_key: None }
}

/// An entity of one column `c` of this type, carried as attribute `v`.
fn entity(raw: &RawType, settings: ReadSettings) -> EntityPlan {
    let column = Column {
        name: "c".to_owned(),
        sql_type: "its type".to_owned(),
        domain: None,
        labels: None,
        raw: raw.clone(),
        nullable: true,
        unordered: None,
        collation: None,
        foreign: None,
    };
    let layout = Layout {
        columns: vec![ColumnPlan { name: "c".to_owned(), raw: Some(raw.clone()) }],
        source_key: vec![0],
        partition_key: key("PK", KeyType::S, literal("K")),
        sort_key: None,
        attributes: vec![attribute_plan("v", ValuePlan::Column { column: 0, settings })],
        index_entries: Vec::new(),
        indexes: Vec::new(),
    };
    let select = Select {
        rows: Rows::From("t".to_owned()),
        filter: None,
        output: vec![Output::Column(column.clone())],
        key: vec![column],
    };
    EntityPlan {
        name: "Thing".to_owned(),
        select: std::sync::Arc::new(select),
        row_estimate: None,
        fingerprint: String::new(),
        fingerprint_parts: FingerprintParts::default(),
        key_is_claim: false,
        collision: CollisionPlan { keep: Keep::Reject, order_by: Vec::new() },
        key_proof: KeyProof::Proven { by: String::new() },
        layout,
    }
}

fn sample(rows: &[(RawCell<'_>, Option<&str>)]) -> Sample {
    let mut page = PageBuilder::new(2);
    for (cell, text) in rows {
        page.push(*cell);
        page.push(text.map_or(RawCell::Null, |text| RawCell::Bytes(text.as_bytes())));
    }
    Sample::of(page.finish(), 1)
}

/// What is found of one value; `None` where the row makes no item.
fn look(entity: &EntityPlan, cell: RawCell<'_>, text: Option<&str>) -> Option<Result<(), Contradiction>> {
    let sample = sample(&[(cell, text)]);
    let items = build(&entity.layout, sample.cells());
    (!items.items.is_empty()).then(|| compare(entity, &sample, &items))
}

fn pg(kind: PgType) -> RawType {
    RawType::Postgres(kind)
}

fn my(kind: MysqlType) -> RawType {
    RawType::Mysql(kind)
}

fn lite(kind: SqliteType) -> RawType {
    RawType::Sqlite(kind)
}

/// One value of every type of every database: its cell, and the server's text of it.
fn values() -> Vec<(RawType, Vec<u8>, &'static str)> {
    let date = 8766_i32.to_be_bytes().to_vec();
    let moment = 757_382_400_500_000_i64.to_be_bytes().to_vec();
    let uuid: Vec<u8> = (0..16).collect();
    let numbers = pg_array(&[(2, 1)], &[Some(&1_i32.to_be_bytes()), None]);
    vec![
        (pg(PgType::Bool), vec![1], "true"),
        (pg(PgType::Int2), vec![0xFF, 0xFE], "-2"),
        (pg(PgType::Int4), 7_i32.to_be_bytes().to_vec(), "7"),
        (pg(PgType::Int8), i64::MIN.to_be_bytes().to_vec(), "-9223372036854775808"),
        (pg(PgType::Oid), u32::MAX.to_be_bytes().to_vec(), "4294967295"),
        (pg(PgType::Xid8), vec![255; 8], "18446744073709551615"),
        (pg(PgType::Inet), b"10.0.0.1".to_vec(), "10.0.0.1"),
        (pg(PgType::Float4), 0.1_f32.to_be_bytes().to_vec(), "0.1"),
        (pg(PgType::Float8), 0.1_f64.to_be_bytes().to_vec(), "0.1"),
        (pg(PgType::Numeric), pg_numeric("-1234.5600"), "-1234.5600"),
        (pg(PgType::Text), b"K\xC3\xA4se \"x\"".to_vec(), "Käse \"x\""),
        (pg(PgType::Char), b"AB  ".to_vec(), "AB"),
        (pg(PgType::Bytea), vec![0, 255], "00ff"),
        (pg(PgType::Uuid), uuid, "00010203-0405-0607-0809-0a0b0c0d0e0f"),
        (pg(PgType::Date), date, "2024-01-01"),
        (pg(PgType::Time { precision: 3 }), 1_500_000_i64.to_be_bytes().to_vec(), "00:00:01.5"),
        (pg(PgType::Timestamp { precision: 6 }), moment.clone(), "2024-01-01 00:00:00.5"),
        (pg(PgType::TimestampTz { precision: 3 }), moment, "2024-01-01 00:00:00.5+00"),
        (pg(PgType::Json), br#"{"a":[1.50,null]}"#.to_vec(), r#"{"a":[1.50,null]}"#),
        (pg(PgType::Jsonb), b"\x01[1e2]".to_vec(), "[100]"),
        (pg(PgType::Bit { width: 1 }), vec![0, 0, 0, 1, 0x80], "1"),
        (pg(PgType::Bit { width: 4 }), vec![0, 0, 0, 4, 0xA0], "1010"),
        (pg(PgType::Array(Box::new(PgType::Int4))), numbers, "{1,NULL}"),
        (pg(PgType::ServerText), b"[1,5)".to_vec(), "[1,5)"),
        (my(MysqlType::Integer { unsigned: true }), vec![255; 8], "18446744073709551615"),
        (my(MysqlType::Integer { unsigned: false }), vec![5], "00005"),
        (my(MysqlType::TinyInt1 { unsigned: false }), vec![255], "-1"),
        (my(MysqlType::Float), 0.1_f32.to_le_bytes().to_vec(), "0.10000000149011612"),
        (my(MysqlType::Double), 1e-7_f64.to_le_bytes().to_vec(), "1e-7"),
        (my(MysqlType::Decimal), b"19.90".to_vec(), "19.90"),
        (my(MysqlType::Year), vec![0xE8, 0x07], "2024"),
        (my(MysqlType::Bit { width: 1 }), vec![1, 0, 0, 0, 0, 0, 0, 0], "1"),
        (my(MysqlType::Bit { width: 12 }), vec![0xFF, 0x0F, 0, 0, 0, 0, 0, 0], "4095"),
        (my(MysqlType::Date), vec![4, 0xE8, 0x07, 2, 29], "2024-02-29"),
        (my(MysqlType::DateTime { precision: 0 }), vec![4, 0xE8, 0x07, 1, 1], "2024-01-01 00:00:00"),
        (my(MysqlType::Timestamp { precision: 2 }), vec![4, 0xE8, 0x07, 1, 1], "2024-01-01 00:00:00.00"),
        (my(MysqlType::Time { precision: 0 }), vec![8, 1, 34, 0, 0, 0, 22, 59, 59], "-838:59:59"),
        (my(MysqlType::Text), b"a".to_vec(), "a"),
        (my(MysqlType::Set), b"a,b".to_vec(), "a,b"),
        (my(MysqlType::Json), b"[true]".to_vec(), "[true]"),
        (my(MysqlType::Binary), vec![0xAB], "AB"),
        (my(MysqlType::ServerText), b"POINT(1 2)".to_vec(), "POINT(1 2)"),
    ]
}

fn sqlite_values() -> Vec<(SqliteType, RawCell<'static>, &'static str)> {
    vec![
        (SqliteType::Any, RawCell::Integer(i64::MAX), "integer:9223372036854775807"),
        (SqliteType::Any, RawCell::Real(0.1), "real:0.1"),
        (SqliteType::Any, RawCell::Text(b"a:b"), "text:a:b"),
        (SqliteType::Any, RawCell::Blob(b"\x00\xFF"), "blob:00FF"),
        (SqliteType::Boolean, RawCell::Integer(1), "integer:1"),
        (SqliteType::Boolean, RawCell::Integer(2), "integer:2"),
        (SqliteType::Decimal, RawCell::Text(b"19.90"), "text:19.90"),
        (SqliteType::Date, RawCell::Text(b"2024-02-29"), "text:2024-02-29"),
        (SqliteType::Date, RawCell::Text(b"2023-02-29"), "text:2023-02-29"),
        (SqliteType::DateTime, RawCell::Text(b"2024-01-01 10:00:00.5"), "text:2024-01-01 10:00:00.5"),
        (SqliteType::DateTime, RawCell::Text(b"yesterday"), "text:yesterday"),
        (SqliteType::Time, RawCell::Text(b"10:00:00"), "text:10:00:00"),
        (SqliteType::Json, RawCell::Text(b"{\"a\":1}"), "text:{\"a\":1}"),
        (
            SqliteType::Uuid,
            RawCell::Text(b"00010203-0405-0607-0809-0A0B0C0D0E0F"),
            "text:00010203-0405-0607-0809-0A0B0C0D0E0F",
        ),
    ]
}

#[test]
fn a_broken_decoder_of_any_kind_is_noticed_with_its_column() {
    let cells = values();
    let all = cells.iter().map(|(raw, bytes, text)| (raw.clone(), RawCell::Bytes(bytes), *text));
    let all = all.chain(sqlite_values().into_iter().map(|(kind, cell, text)| (lite(kind), cell, text)));
    let mut kinds = 0;
    for (raw, cell, text) in all {
        let entity = entity(&raw, settings());
        assert_eq!(look(&entity, cell, Some(text)), Some(Ok(())), "{raw:?} is right");
        let found = while_broken(|| look(&entity, cell, Some(text))).expect("an item is made");
        let contradiction = found.expect_err(&format!("a wrong {raw:?} passed"));
        assert_eq!(contradiction.attribute, "v", "{raw:?}");
        assert_eq!(contradiction.columns, [("c".to_owned(), "its type".to_owned())]);
        kinds += 1;
    }
    assert!(kinds > 50, "{kinds}");
}

/// A value that another row has, a NULL that is none, and a value that is NULL.
#[test]
fn a_value_in_the_wrong_place_is_noticed() {
    let entity = entity(&pg(PgType::Text), settings());
    for (cell, text) in [
        (RawCell::Bytes(b"a"), Some("b")),
        (RawCell::Bytes(b"a"), None),
        (RawCell::Null, Some("a")),
        (RawCell::Bytes(b""), None),
    ] {
        assert!(look(&entity, cell, text).unwrap().is_err(), "{cell:?} {text:?}");
    }
    assert_eq!(look(&entity, RawCell::Null, None), Some(Ok(())));
    assert_eq!(look(&entity, RawCell::Bytes(b""), Some("")), Some(Ok(())));
}

#[test]
fn settings_are_followed() {
    let typed = |kind| ReadSettings { kind: Some(kind), ..settings() };
    let formatted = |format| ReadSettings { format: Some(format), ..settings() };
    let berlin = ReadSettings { zone: jiff::tz::TimeZone::get("Europe/Berlin").ok(), ..settings() };
    let moment = 757_382_400_500_000_i64.to_be_bytes();
    let (timestamp, text) = (pg(PgType::Timestamp { precision: 6 }), "2024-01-01 00:00:00.5");
    let swapped =
        [0x11, 0xE8, 0xC2, 0x66, 0x98, 0xFA, 0x4F, 0xC8, 0x9A, 0xB6, 2, 0x42, 0xC7, 0xBC, 0x9D, 0x97];
    let swapped_text = "11E8C26698FA4FC89AB60242C7BC9D97";
    for (raw, cell, text, settings) in [
        (pg(PgType::Text), &b"007"[..], "007", typed(ValueType::N)),
        (pg(PgType::Text), b"true", "true", typed(ValueType::Bool)),
        (pg(PgType::Int4), &[0, 0, 0, 1], "1", typed(ValueType::Bool)),
        (pg(PgType::Int4), &[0, 0, 0, 1], "1", typed(ValueType::S)),
        (pg(PgType::Json), b"[1]", "[1]", typed(ValueType::S)),
        (pg(PgType::Json), b"[1]", "[1]", typed(ValueType::List)),
        (my(MysqlType::Set), b"b,a", "b,a", typed(ValueType::StringSet)),
        (my(MysqlType::Set), b"", "", typed(ValueType::StringSet)),
        (my(MysqlType::Binary), &swapped, swapped_text, typed(ValueType::UuidSwapped)),
        (my(MysqlType::Binary), &swapped, swapped_text, typed(ValueType::Uuid)),
        (timestamp.clone(), &moment, text, formatted(Format::Epoch)),
        (timestamp.clone(), &moment, text, formatted(Format::EpochMillis)),
        (timestamp.clone(), &moment, text, formatted(Format::Strftime("%G-W%V %j %H:%M:%S.%3f".to_owned()))),
        (timestamp, &moment, text, berlin),
    ] {
        let entity = entity(&raw, settings.clone());
        assert_eq!(look(&entity, RawCell::Bytes(cell), Some(text)), Some(Ok(())), "{raw:?} {settings:?}");
        let found = while_broken(|| look(&entity, RawCell::Bytes(cell), Some(text)));
        assert!(found.is_none_or(|found| found.is_err()), "{raw:?} {settings:?}");
    }
}

/// What DynamoDB has no value for, by each policy; an item made although the row must be rejected.
#[test]
fn what_overflows_goes_by_its_policy() {
    let infinity = i64::MAX.to_be_bytes();
    let numeric = pg_numeric(&"9".repeat(39));
    let nines = "9".repeat(39);
    let cases: [(RawType, &[u8], &str); 4] = [
        (pg(PgType::Numeric), &numeric, &nines),
        (pg(PgType::TimestampTz { precision: 6 }), &infinity, "infinity"),
        (pg(PgType::Float8), &f64::NAN.to_be_bytes(), "NaN"),
        (my(MysqlType::Date), &[0], "0000-00-00"),
    ];
    for (raw, cell, text) in cases {
        for overflow in [Overflow::Reject, Overflow::String, Overflow::Omit, Overflow::Null] {
            let entity = entity(&raw, ReadSettings { overflow, ..settings() });
            let found = look(&entity, RawCell::Bytes(cell), Some(text));
            assert_eq!(found, (overflow != Overflow::Reject).then_some(Ok(())), "{raw:?} {overflow:?}");
        }
        let entity = entity(&pg(PgType::Text), ReadSettings { kind: Some(ValueType::N), ..settings() });
        let made = look(&entity, RawCell::Bytes(b"1"), Some(&"9".repeat(39)));
        assert!(made.unwrap().is_err(), "an item of a row that must be rejected");
    }
}

#[test]
fn keys_and_index_entries_are_compared_too() {
    let mut entity = entity(&pg(PgType::Int4), settings());
    let parts = vec![PartPlan::Literal("ID#".to_owned()), placeholder(0, &[Step::Pad(5)])];
    entity.layout.partition_key = key("PK", KeyType::S, TemplatePlan { parts });
    let shard = TemplatePlan { parts: vec![placeholder(0, &[Step::Shard(7)])] };
    let keys = vec![key("GSI1PK", KeyType::S, shard)];
    entity.layout.index_entries = vec![IndexEntryPlan { index: 0, when: None, keys }];
    let label = TemplatePlan { parts: vec![placeholder(0, &[]), PartPlan::Literal("!".to_owned())] };
    let label = ValuePlan::Template { template: label, settings: settings() };
    entity.layout.attributes = vec![attribute_plan("Label", label)];
    let cell = RawCell::Bytes(&[0, 0, 0, 42]);
    assert_eq!(look(&entity, cell, Some("42")), Some(Ok(())));
    let found = look(&entity, cell, Some("43")).unwrap().unwrap_err();
    assert_eq!(found.attribute, "GSI1PK");
    let text = found.to_string();
    assert_eq!(
        text,
        "attribute `GSI1PK` of Thing, made of column `c` (its type), is not what the database's own text says, in the \
         row with c = 42"
    );
    entity.layout.index_entries.clear();
    assert_eq!(look(&entity, cell, Some("43")).unwrap().unwrap_err().attribute, "Label");
    entity.layout.attributes.clear();
    assert_eq!(look(&entity, cell, Some("43")).unwrap().unwrap_err().attribute, "PK");
}

/// K15, K16: two renderers of `sortable` that share no code say the same of random numbers.
#[test]
fn k15_k16_sortable_is_rendered_twice_alike() {
    let mut random = fastrand::Rng::with_seed(1516);
    let sorting = |raw: &RawType| {
        let mut entity = entity(raw, settings());
        let parts = vec![placeholder(0, &[Step::Sortable])];
        entity.layout.partition_key = key("PK", KeyType::S, TemplatePlan { parts });
        entity.layout.attributes.clear();
        entity
    };
    let (decimals, any) = (sorting(&my(MysqlType::Decimal)), sorting(&lite(SqliteType::Any)));
    let mut compared = 0;
    for _ in 0..2_000 {
        let text = format!("{}e{}", random.i64(..) >> random.u32(0..64), random.i32(-140..120));
        let found = look(&decimals, RawCell::Bytes(text.as_bytes()), Some(&text));
        compared += usize::from(found.is_some());
        assert!(found.is_none_or(|found| found == Ok(())), "{text}");
        let integer = random.i64(..) >> random.u32(0..64);
        let told = format!("integer:{integer}");
        assert_eq!(look(&any, RawCell::Integer(integer), Some(&told)), Some(Ok(())), "{integer}");
        let real = f64::from_bits(random.u64(..));
        let told = format!("real:{real:?}");
        let found = look(&any, RawCell::Real(real), Some(&told));
        assert!(found.is_none_or(|found| found == Ok(())), "{real}");
    }
    assert!(compared > 1_000);
    let wrong = look(&any, RawCell::Integer(7), Some("integer:8")).unwrap().unwrap_err();
    assert_eq!(wrong.attribute, "PK");
    assert!(look(&any, RawCell::Integer(7), Some("text:7")).unwrap().is_err());
}

/// In an attribute, what `sortable` has no text for goes by the attribute's policy.
#[test]
fn sortable_in_an_attribute_goes_by_its_policy() {
    let nan = [0, 0, 0, 0, 0xC0, 0, 0, 0];
    let huge = pg_numeric(&"9".repeat(41));
    for (cell, text) in [(nan.as_slice(), "NaN"), (huge.as_slice(), &"9".repeat(41))] {
        for (overflow, made) in [(Overflow::Reject, false), (Overflow::Omit, true), (Overflow::Null, true)] {
            let mut entity = entity(&pg(PgType::Numeric), settings());
            let template = TemplatePlan { parts: vec![placeholder(0, &[Step::Sortable])] };
            let value = ValuePlan::Template { template, settings: ReadSettings { overflow, ..settings() } };
            entity.layout.attributes = vec![attribute_plan("v", value)];
            let found = look(&entity, RawCell::Bytes(cell), Some(text));
            assert_eq!(found, made.then_some(Ok(())), "{text} {overflow:?}");
        }
    }
}

/// Items of one page that differ from those of its rows read again, though the cells are the same.
#[test]
fn rows_read_twice_make_the_same_items_while_their_cells_are_the_same() {
    let entity = entity(&pg(PgType::Text), settings());
    let rows = |text: &'static str| sample(&[(RawCell::Bytes(text.as_bytes()), Some(text))]);
    let (first, changed) = (rows("a"), rows("b"));
    let items = |sample: &Sample| build(&entity.layout, sample.cells());
    let (made, other) = (items(&first), items(&changed));
    assert_eq!(agree(&entity, (first.cells(), &made, 0), (&first, &made)), Ok(()));
    assert_eq!(agree(&entity, (changed.cells(), &other, 0), (&first, &made)), Ok(()), "the source changed");
    let found = agree(&entity, (first.cells(), &other, 0), (&first, &made)).unwrap_err();
    assert_eq!(found.attribute, "v", "another row's item");
    let nothing = ItemPage { rows: 1, ..ItemPage::default() };
    assert!(agree(&entity, (first.cells(), &nothing, 0), (&first, &made)).is_err(), "no item at all");
}
