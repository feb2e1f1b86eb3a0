use super::super::rejection::Rule;
use super::{mysql, n, pg, pg_array, s, settings, sqlite, typed, wire};
use crate::mapping::ValueType;
use crate::source::{MysqlType, PgType, RawCell, RawType, SqliteType};

fn bytes(raw: &RawType, bytes: &[u8]) -> Result<String, Rule> {
    wire(raw, RawCell::Bytes(bytes), &settings())
}

fn ok(text: &str) -> Result<String, Rule> {
    Ok(text.to_owned())
}

#[test]
fn s22_null_is_left_out_for_every_type() {
    for raw in super::random::all_types() {
        assert_eq!(wire(&raw, RawCell::Null, &settings()), ok("-"));
        let null = crate::plan::ReadSettings { nulls: crate::mapping::Nulls::Null, ..settings() };
        assert_eq!(wire(&raw, RawCell::Null, &null), ok(r#"{"NULL":true}"#));
    }
}

#[test]
fn postgres_scalars() {
    assert_eq!(bytes(&pg(PgType::Bool), &[1]), ok(r#"{"BOOL":true}"#));
    assert_eq!(bytes(&pg(PgType::Bool), &[2]), Err(Rule::Malformed));
    assert_eq!(bytes(&pg(PgType::Int2), &(-2_i16).to_be_bytes()), n("-2"));
    assert_eq!(bytes(&pg(PgType::Int4), &i32::MIN.to_be_bytes()), n("-2147483648"));
    assert_eq!(bytes(&pg(PgType::Int8), &i64::MAX.to_be_bytes()), n("9223372036854775807"));
    assert_eq!(bytes(&pg(PgType::Int8), &[0; 7]), Err(Rule::Malformed));
    assert_eq!(bytes(&pg(PgType::Oid), &[0xFF; 4]), n("4294967295"));
    assert_eq!(bytes(&pg(PgType::Xid8), &[0xFF; 8]), n("18446744073709551615"));
    assert_eq!(bytes(&pg(PgType::Xid8), &[0xFF; 4]), Err(Rule::Malformed));
    assert_eq!(bytes(&pg(PgType::Text), "naïve \"x\"\n".as_bytes()), s(r#"naïve \"x\"\n"#));
    assert_eq!(bytes(&pg(PgType::Text), b""), s(""));
    assert_eq!(bytes(&pg(PgType::Text), &[0xFF]), Err(Rule::TextInvalid));
    assert_eq!(bytes(&pg(PgType::ServerText), b"10.0.0.0/8"), s("10.0.0.0/8"));
    assert_eq!(bytes(&pg(PgType::Bytea), &[0, 0xFF]), ok(r#"{"B":"AP8="}"#));
    assert_eq!(bytes(&pg(PgType::Bytea), &[]), ok(r#"{"B":""}"#));
}

#[test]
fn k21_char_loses_its_padding_and_nothing_else() {
    assert_eq!(bytes(&pg(PgType::Char), b"AB        "), s("AB"));
    assert_eq!(bytes(&pg(PgType::Char), b" A\t "), s(r" A\t"));
    assert_eq!(bytes(&pg(PgType::Text), b"AB  "), s("AB  "));
}

#[test]
fn k26_postcodes_keep_their_zeros() {
    assert_eq!(bytes(&pg(PgType::Text), b"02134"), s("02134"));
    assert_eq!(wire(&pg(PgType::Text), RawCell::Bytes(b"02134"), &typed(ValueType::N)), n("2134"));
}

#[test]
fn k24_k25_sixteen_bytes_are_a_uuid_only_where_the_mapping_says() {
    let uuid = 0x98fa_4fc8_c266_11e8_9ab6_0242_c7bc_9d97_u128.to_be_bytes();
    let swapped = 0x11E8_C266_98FA_4FC8_9AB6_0242_C7BC_9D97_u128.to_be_bytes();
    let binary = mysql(MysqlType::Binary);
    let text = "98fa4fc8-c266-11e8-9ab6-0242c7bc9d97";
    assert_eq!(bytes(&pg(PgType::Uuid), &uuid), s(text));
    assert_eq!(wire(&binary, RawCell::Bytes(&uuid), &typed(ValueType::Uuid)), s(text));
    assert_eq!(wire(&binary, RawCell::Bytes(&swapped), &typed(ValueType::UuidSwapped)), s(text));
    assert_eq!(wire(&binary, RawCell::Bytes(&uuid[..15]), &typed(ValueType::Uuid)), Err(Rule::TypeMismatch));
    assert_eq!(bytes(&binary, &uuid), ok(r#"{"B":"mPpPyMJmEeiatgJCx7ydlw=="}"#));
    assert_eq!(wire(&pg(PgType::Uuid), RawCell::Bytes(&uuid), &typed(ValueType::B)), bytes(&binary, &uuid));
    let zero_at_the_end = 0xab9d_25e0_64e6_469f_9873_8621_910e_d300_u128.to_be_bytes();
    assert_eq!(
        wire(&binary, RawCell::Bytes(&zero_at_the_end), &typed(ValueType::Uuid)),
        s("ab9d25e0-64e6-469f-9873-8621910ed300")
    );
}

#[test]
fn n13_unsigned_integers_are_exact() {
    let integer = |unsigned| mysql(MysqlType::Integer { unsigned });
    assert_eq!(bytes(&integer(true), &[0xFF; 8]), n("18446744073709551615"));
    assert_eq!(bytes(&integer(false), &[0xFF; 8]), n("-1"));
    assert_eq!(bytes(&integer(true), &9_007_199_254_740_993_u64.to_le_bytes()), n("9007199254740993"));
    for (len, unsigned, signed) in [(1, "254", "-2"), (2, "65534", "-2"), (4, "4294967294", "-2")] {
        let mut cell = [0xFF; 4];
        cell[0] = 0xFE;
        assert_eq!(bytes(&integer(true), &cell[..len]), n(unsigned));
        assert_eq!(bytes(&integer(false), &cell[..len]), n(signed));
    }
    assert_eq!(bytes(&integer(true), &[0; 3]), Err(Rule::Malformed));
}

#[test]
fn n17_tinyint_1_is_a_number_and_bool_only_when_mapped() {
    let tiny = mysql(MysqlType::TinyInt1 { unsigned: false });
    for (cell, number, boolean) in [
        (0_u8, "0", ok(r#"{"BOOL":false}"#)),
        (1, "1", ok(r#"{"BOOL":true}"#)),
        (7, "7", Err(Rule::BooleanInvalid)),
        (255, "-1", Err(Rule::BooleanInvalid)),
    ] {
        assert_eq!(bytes(&tiny, &[cell]), n(number));
        assert_eq!(wire(&tiny, RawCell::Bytes(&[cell]), &typed(ValueType::Bool)), boolean);
    }
}

#[test]
fn n18_bits_are_booleans_numbers_or_bytes_by_width() {
    let my = |width| mysql(MysqlType::Bit { width });
    assert_eq!(bytes(&my(1), &1_u64.to_le_bytes()), ok(r#"{"BOOL":true}"#));
    assert_eq!(bytes(&my(1), &2_u64.to_le_bytes()), Err(Rule::Malformed));
    assert_eq!(bytes(&my(8), &129_u32.to_le_bytes()), n("129"));
    assert_eq!(bytes(&my(8), b"129"), Err(Rule::Malformed));
    assert_eq!(bytes(&my(64), &[0xFF; 8]), n("18446744073709551615"));
    let bit = |width| pg(PgType::Bit { width });
    assert_eq!(bytes(&bit(1), &[0, 0, 0, 1, 0x80]), ok(r#"{"BOOL":true}"#));
    assert_eq!(bytes(&bit(3), &[0, 0, 0, 3, 0b1010_0000]), n("5"));
    assert_eq!(bytes(&bit(10), &[0, 0, 0, 10, 0xFF, 0xC0]), n("1023"));
    assert_eq!(
        bytes(&bit(64), &[0, 0, 0, 64, 255, 255, 255, 255, 255, 255, 255, 255]),
        n("18446744073709551615")
    );
    assert_eq!(bytes(&bit(72), &[0, 0, 0, 72, 1, 2, 3, 4, 5, 6, 7, 8, 9]), ok(r#"{"B":"AQIDBAUGBwgJ"}"#));
    assert_eq!(bytes(&bit(3), &[0, 0, 0, 4, 0xA0]), Err(Rule::Malformed));
}

#[test]
fn other_mysql_types() {
    assert_eq!(bytes(&mysql(MysqlType::Year), &[0xE9, 7]), n("2025"));
    assert_eq!(bytes(&mysql(MysqlType::Year), &[0, 0]), n("0"));
    assert_eq!(bytes(&mysql(MysqlType::Decimal), b"-0019.900"), n("-19.9"));
    assert_eq!(bytes(&mysql(MysqlType::Decimal), b"19,9"), Err(Rule::TypeMismatch));
    assert_eq!(
        bytes(&mysql(MysqlType::Json), br#"{"a": [1, null]}"#),
        ok(r#"{"M":{"a":{"L":[{"N":"1"},{"NULL":true}]}}}"#)
    );
    assert_eq!(bytes(&mysql(MysqlType::Set), b"red,blue"), ok(r#"{"L":[{"S":"red"},{"S":"blue"}]}"#));
    assert_eq!(bytes(&mysql(MysqlType::Set), b""), ok(r#"{"L":[]}"#));
    let set = |text: &[u8]| wire(&mysql(MysqlType::Set), RawCell::Bytes(text), &typed(ValueType::StringSet));
    assert_eq!(set(b"red,blue"), ok(r#"{"SS":["red","blue"]}"#));
    assert_eq!(set(b""), ok("-"));
}

#[test]
fn s08_s09_arrays_of_any_dimension_with_nulls() {
    let int = |value: i32| value.to_be_bytes();
    let (one, two, three, four) = (int(1), int(2), int(3), int(4));
    let array = |dimensions: &[(u32, i32)], elements: &[Option<&[u8]>]| {
        bytes(&pg(PgType::Array(Box::new(PgType::Int4))), &pg_array(dimensions, elements))
    };
    assert_eq!(
        array(&[(3, 1)], &[Some(&one), None, Some(&three)]),
        ok(r#"{"L":[{"N":"1"},{"NULL":true},{"N":"3"}]}"#)
    );
    assert_eq!(
        array(&[(2, 1), (2, 1)], &[Some(&one), Some(&two), Some(&three), Some(&four)]),
        ok(r#"{"L":[{"L":[{"N":"1"},{"N":"2"}]},{"L":[{"N":"3"},{"N":"4"}]}]}"#)
    );
    assert_eq!(array(&[(2, 0)], &[Some(&one), Some(&two)]), ok(r#"{"L":[{"N":"1"},{"N":"2"}]}"#));
    assert_eq!(array(&[], &[]), ok(r#"{"L":[]}"#));
    assert_eq!(array(&[(u32::MAX, 1), (0, 1)], &[]), ok(r#"{"L":[]}"#));
    assert_eq!(array(&[(2, 1)], &[Some(&one)]), Err(Rule::Malformed));
    assert_eq!(array(&[(1, 1)], &[Some(&one), Some(&two)]), Err(Rule::Malformed));
    assert_eq!(array(&[(u32::MAX, 1); 6], &[Some(&one)]), Err(Rule::Malformed));
    assert_eq!(array(&[(1, 1); 7], &[Some(&one)]), Err(Rule::Malformed));
}

#[test]
fn jsonb_has_a_version_and_json_has_none() {
    assert_eq!(bytes(&pg(PgType::Jsonb), b"\x01[true]"), ok(r#"{"L":[{"BOOL":true}]}"#));
    assert_eq!(bytes(&pg(PgType::Jsonb), b"\x02[true]"), Err(Rule::Malformed));
    assert_eq!(bytes(&pg(PgType::Json), b" null "), ok(r#"{"NULL":true}"#));
    assert_eq!(
        wire(&pg(PgType::Json), RawCell::Bytes(br#"{"a": 1}"#), &typed(ValueType::S)),
        s(r#"{\"a\": 1}"#)
    );
}

#[test]
fn sqlite_values_are_what_their_storage_class_says() {
    let at = |kind, cell| wire(&sqlite(kind), cell, &settings());
    let cases = [
        (SqliteType::Any, RawCell::Integer(9_007_199_254_740_993), n("9007199254740993")),
        (SqliteType::Any, RawCell::Real(0.1), n("0.1")),
        (SqliteType::Any, RawCell::Text(b"007"), s("007")),
        (SqliteType::Any, RawCell::Text(&[0xFF]), Err(Rule::TextInvalid)),
        (SqliteType::Any, RawCell::Blob(b""), ok(r#"{"B":""}"#)),
        (SqliteType::Boolean, RawCell::Integer(1), ok(r#"{"BOOL":true}"#)),
        (SqliteType::Boolean, RawCell::Integer(2), n("2")),
        (SqliteType::Boolean, RawCell::Text(b"yes"), s("yes")),
        (SqliteType::Decimal, RawCell::Text(b"19.90"), n("19.9")),
        (SqliteType::Decimal, RawCell::Text(b"n/a"), s("n/a")),
        (SqliteType::Decimal, RawCell::Real(19.9), n("19.9")),
        (SqliteType::Date, RawCell::Text(b"2024-02-29"), s("2024-02-29")),
        (SqliteType::Date, RawCell::Text(b"2023-02-29"), s("2023-02-29")),
        (SqliteType::DateTime, RawCell::Text(b"2024-02-29 01:02:03"), s("2024-02-29T01:02:03")),
        (SqliteType::DateTime, RawCell::Text(b"2024-02-29T01:02:03.50"), s("2024-02-29T01:02:03.50")),
        (SqliteType::DateTime, RawCell::Text(b"2024-02-29 01:02"), s("2024-02-29 01:02")),
        (SqliteType::DateTime, RawCell::Integer(1_700_000_000), n("1700000000")),
        (SqliteType::Time, RawCell::Text(b"23:59:59.123456"), s("23:59:59.123456")),
        (SqliteType::Time, RawCell::Text(b"24:00:00"), s("24:00:00")),
        (SqliteType::Json, RawCell::Text(b"[1]"), ok(r#"{"L":[{"N":"1"}]}"#)),
        (SqliteType::Json, RawCell::Text(b"oops"), Err(Rule::JsonInvalid)),
        (
            SqliteType::Uuid,
            RawCell::Text(b"98FA4FC8-C266-11E8-9AB6-0242C7BC9D97"),
            s("98fa4fc8-c266-11e8-9ab6-0242c7bc9d97"),
        ),
        (SqliteType::Uuid, RawCell::Text(b"no uuid"), s("no uuid")),
    ];
    for (kind, cell, expected) in cases {
        assert_eq!(at(kind, cell), expected, "{kind:?} {cell:?}");
    }
}

#[test]
fn a_cell_of_another_database_is_malformed() {
    assert_eq!(wire(&pg(PgType::Text), RawCell::Text(b"x"), &settings()), Err(Rule::Malformed));
    assert_eq!(wire(&mysql(MysqlType::Text), RawCell::Real(1.0), &settings()), Err(Rule::Malformed));
}
