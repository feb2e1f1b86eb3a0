//! A fuzz target for each decoder: whatever bytes come in, it neither panics nor writes what is no JSON.
//!
//! `cargo test` runs each with a thousand random inputs; `cargo bolero test item::tests::fuzz::NAME` runs
//! one for as long as wanted, guided by the code that inputs reach (CONTRIBUTING.md).

use super::super::build;
use super::{
    attribute, column, formatted, key, layout, mysql, overflowing, page, pg, settings, sqlite, typed,
};
use crate::mapping::{Format, KeyType, Overflow, Step, ValueType};
use crate::plan::KeyPlan;
use crate::source::{MysqlType, PgType, RawCell, RawType, SqliteType};

/// One target a line: its name, and the type whose decoder it is about.
macro_rules! targets {
    ($($name:ident: $raw:expr;)*) => {$(
        #[test]
        fn $name() {
            let raw = $raw;
            bolero::check!().with_iterations(1_000).for_each(|bytes: &[u8]| takes(&raw, bytes));
        }
    )*};
}

targets! {
    postgres_bool: pg(PgType::Bool);
    postgres_int2: pg(PgType::Int2);
    postgres_int4: pg(PgType::Int4);
    postgres_int8: pg(PgType::Int8);
    postgres_oid: pg(PgType::Oid);
    postgres_xid8: pg(PgType::Xid8);
    postgres_inet: pg(PgType::Inet);
    postgres_float4: pg(PgType::Float4);
    postgres_float8: pg(PgType::Float8);
    postgres_numeric: pg(PgType::Numeric);
    postgres_text: pg(PgType::Text);
    postgres_char: pg(PgType::Char);
    postgres_bytea: pg(PgType::Bytea);
    postgres_uuid: pg(PgType::Uuid);
    postgres_date: pg(PgType::Date);
    postgres_time: pg(PgType::Time { precision: 6 });
    postgres_timestamp: pg(PgType::Timestamp { precision: 6 });
    postgres_timestamptz: pg(PgType::TimestampTz { precision: 3 });
    postgres_json: pg(PgType::Json);
    postgres_jsonb: pg(PgType::Jsonb);
    postgres_bit: pg(PgType::Bit { width: 20 });
    postgres_many_bits: pg(PgType::Bit { width: 90 });
    postgres_server_text: pg(PgType::ServerText);
    postgres_int_array: pg(PgType::Array(Box::new(PgType::Int4)));
    postgres_numeric_array: pg(PgType::Array(Box::new(PgType::Numeric)));
    postgres_json_array: pg(PgType::Array(Box::new(PgType::Json)));
    mysql_integer: mysql(MysqlType::Integer { unsigned: false });
    mysql_unsigned: mysql(MysqlType::Integer { unsigned: true });
    mysql_tinyint1: mysql(MysqlType::TinyInt1 { unsigned: false });
    mysql_float: mysql(MysqlType::Float);
    mysql_double: mysql(MysqlType::Double);
    mysql_decimal: mysql(MysqlType::Decimal);
    mysql_year: mysql(MysqlType::Year);
    mysql_bit: mysql(MysqlType::Bit { width: 12 });
    mysql_date: mysql(MysqlType::Date);
    mysql_datetime: mysql(MysqlType::DateTime { precision: 6 });
    mysql_timestamp: mysql(MysqlType::Timestamp { precision: 0 });
    mysql_time: mysql(MysqlType::Time { precision: 6 });
    mysql_text: mysql(MysqlType::Text);
    mysql_set: mysql(MysqlType::Set);
    mysql_json: mysql(MysqlType::Json);
    mysql_binary: mysql(MysqlType::Binary);
    mysql_server_text: mysql(MysqlType::ServerText);
    sqlite_any: sqlite(SqliteType::Any);
    sqlite_boolean: sqlite(SqliteType::Boolean);
    sqlite_decimal: sqlite(SqliteType::Decimal);
    sqlite_date: sqlite(SqliteType::Date);
    sqlite_datetime: sqlite(SqliteType::DateTime);
    sqlite_time: sqlite(SqliteType::Time);
    sqlite_json: sqlite(SqliteType::Json);
    sqlite_uuid: sqlite(SqliteType::Uuid);
}

/// Carries the cell as every kind of attribute and as a key.
fn takes(raw: &RawType, bytes: &[u8]) {
    let cell = cell(raw, bytes);
    let mut layout = layout(std::slice::from_ref(raw));
    for settings in [
        settings(),
        overflowing(Overflow::String),
        overflowing(Overflow::Null),
        typed(ValueType::S),
        typed(ValueType::N),
        typed(ValueType::B),
        typed(ValueType::Bool),
        typed(ValueType::Uuid),
        typed(ValueType::StringSet),
        typed(ValueType::NumberSet),
        formatted(Format::EpochMillis),
        formatted(Format::Strftime("%G-W%V %j %H:%M:%S.%6f".to_owned())),
    ] {
        layout.attributes = vec![attribute("v", 0, settings)];
        is_json(&build(&layout, &page(&[&[cell]])));
    }
    layout.attributes.clear();
    for (kind, steps) in [
        (KeyType::S, vec![]),
        (KeyType::S, vec![Step::Trim, Step::Escape, Step::Shard(16)]),
        (KeyType::S, vec![Step::Sortable]),
        (KeyType::N, vec![]),
        (KeyType::B, vec![]),
    ] {
        layout.partition_key = KeyPlan { kind, ..key("PK", vec![column(0, &steps)]) };
        is_json(&build(&layout, &page(&[&[cell]])));
    }
}

/// SQLite's class is taken from the first byte.
fn cell<'a>(raw: &RawType, bytes: &'a [u8]) -> RawCell<'a> {
    match (raw, bytes.split_first()) {
        (RawType::Sqlite(_), Some((class, rest))) => match (class % 4, rest.first_chunk::<8>()) {
            (0, Some(number)) => RawCell::Integer(i64::from_be_bytes(*number)),
            (1, Some(number)) => RawCell::Real(f64::from_be_bytes(*number)),
            (2, _) => RawCell::Blob(rest),
            _ => RawCell::Text(rest),
        },
        (RawType::Sqlite(_), None) => RawCell::Null,
        _ => RawCell::Bytes(bytes),
    }
}

fn is_json(built: &super::ItemPage) {
    assert_eq!((built.rows, built.items.len() + built.rejections.len()), (1, 1));
    for item in &built.items {
        let wire = built.wire(item);
        let parsed = serde_json::from_slice::<serde_json::Value>(wire);
        assert!(parsed.is_ok(), "{}", String::from_utf8_lossy(wire));
    }
}
