use super::super::build;
use super::super::rejection::Rule;
use super::{
    attribute, column, column_with, index, key, layout, literal, mysql, one, page, pg, pg_numeric, settings,
    sqlite, typed, zoned,
};
use crate::mapping::{KeyType, Step, ValueType};
use crate::plan::{IndexEntryPlan, KeyPlan, Layout, PartPlan};
use crate::source::{MysqlType, PgType, RawCell, RawType, SqliteType};

/// The partition key's value of one cell in a template.
fn rendered(raw: &RawType, cell: RawCell<'_>, parts: Vec<PartPlan>) -> Result<String, Rule> {
    of_kind(KeyType::S, raw, cell, parts)
}

fn of_kind(kind: KeyType, raw: &RawType, cell: RawCell<'_>, parts: Vec<PartPlan>) -> Result<String, Rule> {
    let mut layout = layout(std::slice::from_ref(raw));
    layout.partition_key = KeyPlan { kind, ..key("PK", parts) };
    let built = build(&layout, &page(&[&[cell]]));
    let wire = one(&built)?;
    let item = &built.items[0];
    assert_eq!(built.key(item), &wire.as_bytes()[1..wire.len() - 1]);
    let head = format!(r#"{{"PK":{{"{}":""#, kind.as_str());
    Ok(wire.strip_prefix(&head).unwrap().strip_suffix(r#""}}"#).unwrap().to_owned())
}

fn text(cell: &str, steps: &[Step]) -> Result<String, Rule> {
    rendered(&pg(PgType::Text), RawCell::Bytes(cell.as_bytes()), vec![column(0, steps)])
}

fn ok(text: &str) -> Result<String, Rule> {
    Ok(text.to_owned())
}

#[test]
fn each_type_has_one_text() {
    let timestamp = 1_000_i64.to_be_bytes();
    let decimal = pg_numeric("1.50");
    let cases: [(PgType, &[u8], Result<String, Rule>); 11] = [
        (PgType::Int8, &2_129_020_i64.to_be_bytes(), ok("K#2129020")),
        (PgType::Numeric, &decimal, ok("K#1.5")),
        (PgType::Bool, &[1], ok("K#true")),
        (PgType::Uuid, &[0xAB; 16], ok("K#abababab-abab-abab-abab-abababababab")),
        (PgType::TimestampTz { precision: 6 }, &timestamp, ok("K#2000-01-01T00:00:00.001000Z")),
        (PgType::Timestamp { precision: 3 }, &timestamp, ok("K#2000-01-01T00:00:00.001")),
        (PgType::Date, &[0; 4], ok("K#2000-01-01")),
        (PgType::Text, b"a\"b", ok(r#"K#a\"b"#)),
        (PgType::Bytea, b"x", Err(Rule::TypeMismatch)),
        (PgType::Float8, &[0; 8], Err(Rule::TypeMismatch)),
        (PgType::Json, b"{}", Err(Rule::TypeMismatch)),
    ];
    for (kind, cell, expected) in cases {
        let got = rendered(&pg(kind.clone()), RawCell::Bytes(cell), vec![literal("K#"), column(0, &[])]);
        assert_eq!(got, expected, "{kind:?}");
    }
    let zoned = vec![column_with(0, &[], zoned("Asia/Tokyo"))];
    let raw = pg(PgType::Timestamp { precision: 0 });
    assert_eq!(rendered(&raw, RawCell::Bytes(&[0; 8]), zoned), ok("1999-12-31T15:00:00Z"));
}

/// In a key nothing takes the place of a value, so `overflow` is no help there.
#[test]
fn what_helps_with_a_value_that_dynamodb_cannot_hold_depends_on_its_place() {
    let huge = pg_numeric(&"9".repeat(41));
    let day = i32::MAX.to_be_bytes();
    let of = |raw: &RawType, cell: &[u8], place: fn(&mut Layout)| {
        let mut layout = layout(&[raw.clone(), pg(PgType::Text)]);
        layout.partition_key = key("PK", vec![column(1, &[])]);
        place(&mut layout);
        let built = build(&layout, &page(&[&[RawCell::Bytes(cell), RawCell::Bytes(b"k")]]));
        built.rejections[0].message.split_once("; ").unwrap().1.to_owned()
    };
    let in_key = |layout: &mut Layout| layout.partition_key = key("PK", vec![column(0, &[])]);
    let in_number_key = |layout: &mut Layout| {
        layout.partition_key = KeyPlan { kind: KeyType::N, ..key("PK", vec![column(0, &[])]) };
    };
    let in_index = |layout: &mut Layout| {
        layout.indexes = vec![index("I", false, true)];
        layout.index_entries =
            vec![IndexEntryPlan { index: 0, when: None, keys: vec![key("I", vec![column(0, &[])])] }];
    };
    let in_attribute = |layout: &mut Layout| layout.attributes = vec![attribute("a", 0, settings())];
    let (number, date) = (pg(PgType::Numeric), pg(PgType::Date));
    assert_eq!(of(&number, &huge, in_attribute), "set overflow, or type = \"S\"");
    assert_eq!(of(&number, &huge, in_key), "in a key set type = \"S\", or leave such rows out with where");
    assert_eq!(of(&number, &huge, in_number_key), "no key can hold it: leave such rows out with where");
    assert_eq!(
        of(&number, &huge, in_index),
        "in a key of an index set type = \"S\", or make it NULL with let"
    );
    let in_sorting_key = |layout: &mut Layout| {
        layout.partition_key = key("PK", vec![column(0, &[Step::Sortable])]);
    };
    assert_eq!(of(&number, &huge, in_sorting_key), "no key can hold it: leave such rows out with where");
    let as_text = vec![column_with(0, &[], typed(ValueType::S))];
    assert_eq!(rendered(&number, RawCell::Bytes(&huge), as_text), ok(&"9".repeat(41)));
    assert_eq!(of(&date, &day, in_attribute), "set overflow");
    assert_eq!(of(&date, &day, in_key), "no key can hold it: leave such rows out with where");
    assert_eq!(of(&date, &day, in_index), "no key of an index can hold it: make it NULL with let");
}

#[test]
fn k01_k04_a_table_key_is_never_null_nor_empty() {
    let raw = pg(PgType::Text);
    for parts in [vec![column(0, &[])], vec![literal("CUST#"), column(0, &[])]] {
        assert_eq!(rendered(&raw, RawCell::Null, parts.clone()), Err(Rule::KeyNull));
        assert_eq!(rendered(&raw, RawCell::Bytes(b""), parts), Err(Rule::KeyEmpty));
    }
    assert_eq!(text(" \t", &[Step::Trim]), Err(Rule::KeyEmpty));
    assert_eq!(text("", &[Step::Shard(8)]), Err(Rule::KeyEmpty));
    let char = pg(PgType::Char);
    assert_eq!(rendered(&char, RawCell::Bytes(b"   "), vec![column(0, &[])]), Err(Rule::KeyEmpty));
    let bytes = pg(PgType::Bytea);
    assert_eq!(of_kind(KeyType::B, &bytes, RawCell::Bytes(b""), vec![column(0, &[])]), Err(Rule::KeyEmpty));
    assert_eq!(of_kind(KeyType::B, &bytes, RawCell::Null, vec![column(0, &[])]), Err(Rule::KeyNull));
}

#[test]
fn k15_padding_widens_and_never_cuts() {
    let pad = |value: i64| {
        rendered(&pg(PgType::Int8), RawCell::Bytes(&value.to_be_bytes()), vec![column(0, &[Step::Pad(4)])])
    };
    assert_eq!(pad(0), ok("0000"));
    assert_eq!(pad(900), ok("0900"));
    assert_eq!(pad(2_800), ok("2800"));
    assert_eq!(pad(12_345), Err(Rule::KeyPad));
    assert_eq!(pad(-1), Err(Rule::KeyPad));
    let unsigned = mysql(MysqlType::Integer { unsigned: true });
    let parts = vec![column(0, &[Step::Pad(20)])];
    assert_eq!(rendered(&unsigned, RawCell::Bytes(&[0xFF; 8]), parts), ok("18446744073709551615"));
}

fn sortable(raw: &RawType, cell: RawCell<'_>) -> Result<String, Rule> {
    rendered(raw, cell, vec![column(0, &[Step::Sortable])])
}

#[test]
fn k15_k16_sortable_texts_are_as_documented() {
    let decimal = |text: &str| sortable(&mysql(MysqlType::Decimal), RawCell::Bytes(text.as_bytes()));
    for (number, expected) in [
        ("0", "0."),
        ("-0.00", "0."),
        ("5", "5015."),
        ("2800", "50428."),
        ("19.90", "502199."),
        ("0.05", "4995."),
        ("-5", "-4984~"),
        ("-19.9", "-497800~"),
    ] {
        assert_eq!(decimal(number), ok(expected), "{number}");
    }
    assert_eq!(decimal("1e125"), ok("6261."));
    assert_eq!(decimal("-1e-130"), ok("-6288~"));
    assert_eq!(decimal("1e126"), Err(Rule::NumberRange));
    assert_eq!(decimal(&"9".repeat(39)), Err(Rule::NumberDigits));
    assert_eq!(sortable(&pg(PgType::Numeric), RawCell::Bytes(&pg_numeric("-1.5"))), ok("-49884~"));
    let any = sqlite(SqliteType::Any);
    assert_eq!(sortable(&any, RawCell::Integer(-5)), ok("-4984~"));
    assert_eq!(sortable(&any, RawCell::Real(-0.0)), ok("0."));
    assert_eq!(sortable(&any, RawCell::Real(0.05)), ok("4995."));
    assert_eq!(sortable(&any, RawCell::Real(1e300)), Err(Rule::NumberRange));
    assert_eq!(sortable(&any, RawCell::Real(f64::INFINITY)), Err(Rule::NumberNotFinite));
    assert_eq!(sortable(&any, RawCell::Text(b"5")), Err(Rule::TypeMismatch));
    assert_eq!(sortable(&any, RawCell::Blob(b"5")), Err(Rule::TypeMismatch));
}

/// Whatever follows in the key: no text begins another.
#[test]
fn k15_k16_sortable_texts_compare_as_the_numbers_do() {
    let mut random = fastrand::Rng::with_seed(15);
    let raw = mysql(MysqlType::Decimal);
    let mut number = || {
        let widest = 10_i128.pow(random.u32(0..18));
        let (digits, power) = (random.i128(-widest..=widest), random.u32(0..20));
        let text = format!("{digits}e{}", i64::from(power) - 12);
        let rendered = sortable(&raw, RawCell::Bytes(text.as_bytes())).unwrap();
        (digits * 10_i128.pow(power), rendered)
    };
    for _ in 0..10_000 {
        let ((left, left_text), (right, right_text)) = (number(), number());
        let followed = |text: &str| [format!("{text}#"), format!("{text}~")];
        assert_eq!(left.cmp(&right), left_text.cmp(&right_text), "{left_text} {right_text}");
        if left != right {
            for (left_key, right_key) in followed(&left_text).iter().zip(followed(&right_text).iter().rev()) {
                assert_eq!(left.cmp(&right), left_key.cmp(right_key), "{left_key} {right_key}");
            }
        }
    }
}

/// SQLite compares an integer with a real exactly, also where reals have no fraction any more.
#[test]
fn k16_integers_and_reals_of_sqlite_sort_together() {
    let mut random = fastrand::Rng::with_seed(16);
    let any = sqlite(SqliteType::Any);
    for _ in 0..10_000 {
        let width = random.u32(1..64);
        let integer = random.i64(..) >> (64 - width);
        let near = format!("{integer}").parse::<f64>().unwrap();
        let real = if random.bool() { near } else { near + f64::from(random.i8(..)) };
        let exactly: i128 = format!("{real:.0}").parse().unwrap();
        let left = sortable(&any, RawCell::Integer(integer)).unwrap();
        let right = sortable(&any, RawCell::Real(real)).unwrap();
        assert_eq!(left.cmp(&right), i128::from(integer).cmp(&exactly), "{integer} {real}");
    }
}

#[test]
fn steps_apply_in_order() {
    let epoch = 1_500_000_i64.to_be_bytes();
    let instant = pg(PgType::TimestampTz { precision: 6 });
    let time = |steps: &[Step]| rendered(&instant, RawCell::Bytes(&epoch), vec![column(0, steps)]);
    assert_eq!(time(&[Step::Epoch]), ok("946684801"));
    assert_eq!(time(&[Step::EpochMillis, Step::Pad(15)]), ok("000946684801500"));
    assert_eq!(time(&[Step::Epoch, Step::Sortable]), ok("509946684801."));
    assert_eq!(time(&[Step::Strftime("%Y/%m".to_owned())]), ok("2000/01"));
    assert_eq!(time(&[Step::Lower, Step::Epoch]), Err(Rule::TypeMismatch));
    assert_eq!(text("  Ä@Example.COM ", &[Step::Trim, Step::Lower]), ok("ä@example.com"));
    assert_eq!(text("Straße", &[Step::Upper]), ok("STRASSE"));
    assert_eq!(text("a#b%c", &[Step::Escape]), ok("a%23b%25c"));
    assert_eq!(text("é", &[Step::Hex]), ok("c3a9"));
    let bytes = pg(PgType::Bytea);
    assert_eq!(rendered(&bytes, RawCell::Bytes(&[0, 0xAF]), vec![column(0, &[Step::Hex])]), ok("00af"));
    let uuid = vec![column_with(0, &[], typed(ValueType::Uuid))];
    assert_eq!(rendered(&bytes, RawCell::Bytes(&[1; 16]), uuid), ok("01010101-0101-0101-0101-010101010101"));
}

#[test]
fn shards_are_the_published_hash() {
    // sha256("7") = 7902699b…, sha256("abc") = ba7816bf….
    let shard = |cell: &str, count| text(cell, &[Step::Shard(count)]);
    assert_eq!(shard("7", 8), ok(&(0x7902_699b_u32 % 8).to_string()));
    assert_eq!(shard("abc", 1_000), ok(&(0xba78_16bf_u32 % 1_000).to_string()));
    assert_eq!(
        text("abc", &[Step::Shard(1_000), Step::Pad(4)]),
        ok(&format!("{:04}", 0xba78_16bf_u32 % 1_000))
    );
    let integer =
        rendered(&pg(PgType::Int8), RawCell::Bytes(&7_i64.to_be_bytes()), vec![column(0, &[Step::Shard(8)])]);
    assert_eq!(integer, shard("7", 8));
}

#[test]
fn k18_partition_keys_end_at_2048_bytes_and_sort_keys_at_1024() {
    assert!(text(&"x".repeat(2_048), &[]).is_ok());
    assert_eq!(text(&"x".repeat(2_049), &[]), Err(Rule::KeyTooLong));
    assert_eq!(text(&"é".repeat(1_025), &[]), Err(Rule::KeyTooLong));
    let mut layout = layout(&[pg(PgType::Text)]);
    layout.sort_key = Some(key("SK", vec![literal("URL#"), column(0, &[])]));
    let sort =
        |text: String| one(&build(&layout, &page(&[&[RawCell::Bytes(text.as_bytes())]]))).map(str::len);
    assert!(sort("x".repeat(1_020)).is_ok());
    assert_eq!(sort("x".repeat(1_021)), Err(Rule::KeyTooLong));
    assert_eq!(sort("é".repeat(600)), Err(Rule::KeyTooLong));
}

#[test]
fn k27_number_keys_are_canonical_and_equal_only_when_equal() {
    let number = |text: &str| {
        of_kind(KeyType::N, &pg(PgType::Numeric), RawCell::Bytes(&pg_numeric(text)), vec![column(0, &[])])
    };
    assert_eq!(number("1.50"), ok("1.5"));
    assert_eq!(number("100.0"), number("100"));
    assert_ne!(number("1.5"), number("1.51"));
    assert_eq!(number(&"1".repeat(39)), Err(Rule::NumberDigits));
    let text = |cell: &'static [u8], settings| {
        of_kind(KeyType::N, &pg(PgType::Text), RawCell::Bytes(cell), vec![column_with(0, &[], settings)])
    };
    assert_eq!(text(b"0100", typed(ValueType::N)), ok("100"));
    assert_eq!(text(b"0100", super::settings()), Err(Rule::KeyType));
    let epoch =
        of_kind(KeyType::N, &pg(PgType::Date), RawCell::Bytes(&[0; 4]), vec![column(0, &[Step::Epoch])]);
    assert_eq!(epoch, ok("946684800"));
    let binary = of_kind(KeyType::B, &pg(PgType::Bytea), RawCell::Bytes(b"abc"), vec![column(0, &[])]);
    assert_eq!(binary, ok("YWJj"));
    assert_eq!(
        of_kind(KeyType::B, &pg(PgType::Text), RawCell::Bytes(b"abc"), vec![column(0, &[])]),
        Err(Rule::KeyType)
    );
}

#[test]
fn in_a_key_overflow_always_rejects() {
    use crate::mapping::Overflow;
    let long = pg_numeric(&"1".repeat(39));
    let infinite = i64::MAX.to_be_bytes();
    for overflow in [Overflow::String, Overflow::Omit, Overflow::Null] {
        let part = || vec![column_with(0, &[], super::overflowing(overflow))];
        let numeric = pg(PgType::Numeric);
        assert_eq!(rendered(&numeric, RawCell::Bytes(&long), part()), Err(Rule::NumberDigits));
        assert_eq!(of_kind(KeyType::N, &numeric, RawCell::Bytes(&long), part()), Err(Rule::NumberDigits));
        let instant = pg(PgType::TimestampTz { precision: 6 });
        assert_eq!(rendered(&instant, RawCell::Bytes(&infinite), part()), Err(Rule::DateRange));
    }
    let zero = vec![column(0, &[Step::Strftime("%Y".to_owned())])];
    assert_eq!(rendered(&mysql(MysqlType::Date), RawCell::Bytes(&[0]), zero), Err(Rule::DateInvalid));
}

#[test]
fn s15_a_nul_character_is_no_part_of_a_key() {
    assert_eq!(text("a\0b", &[]), Err(Rule::TextInvalid));
    assert_eq!(text("a\0b", &[Step::Hex]), ok("610062"));
}
