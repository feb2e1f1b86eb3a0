//! Whatever bytes come in: no panic, and what goes out is JSON whose keys are canonical.

use std::collections::HashMap;

use super::super::build;
use super::{attribute, column, column_with, key, layout, mysql, page, pg, settings, sqlite};
use crate::mapping::{Format, KeyType, Nulls, Overflow, Step, ValueType};
use crate::plan::{KeyPlan, ReadSettings};
use crate::source::{MysqlType, PgType, RawCell, RawType, SqliteType};

pub(super) fn all_types() -> Vec<RawType> {
    let scalars = [
        PgType::Bool,
        PgType::Int2,
        PgType::Int4,
        PgType::Int8,
        PgType::Oid,
        PgType::Xid8,
        PgType::Float4,
        PgType::Float8,
        PgType::Numeric,
        PgType::Text,
        PgType::Char,
        PgType::Bytea,
        PgType::Uuid,
        PgType::Date,
        PgType::Time { precision: 6 },
        PgType::Timestamp { precision: 6 },
        PgType::TimestampTz { precision: 255 },
        PgType::Json,
        PgType::Jsonb,
        PgType::Bit { width: 1 },
        PgType::Bit { width: 20 },
        PgType::Bit { width: 72 },
        PgType::Inet,
        PgType::ServerText,
    ];
    let mysql_types = [
        MysqlType::Integer { unsigned: true },
        MysqlType::Integer { unsigned: false },
        MysqlType::TinyInt1 { unsigned: false },
        MysqlType::Float,
        MysqlType::Double,
        MysqlType::Decimal,
        MysqlType::Year,
        MysqlType::Bit { width: 1 },
        MysqlType::Bit { width: 12 },
        MysqlType::Date,
        MysqlType::DateTime { precision: 6 },
        MysqlType::Timestamp { precision: 0 },
        MysqlType::Time { precision: 6 },
        MysqlType::Text,
        MysqlType::Set,
        MysqlType::Json,
        MysqlType::Binary,
        MysqlType::ServerText,
    ];
    let sqlite_types = [
        SqliteType::Any,
        SqliteType::Boolean,
        SqliteType::Decimal,
        SqliteType::Date,
        SqliteType::DateTime,
        SqliteType::Time,
        SqliteType::Json,
        SqliteType::Uuid,
    ];
    let arrays = scalars.clone().into_iter().map(|scalar| PgType::Array(Box::new(scalar)));
    let mut types: Vec<_> = arrays.map(pg).collect();
    types.extend(scalars.into_iter().map(pg));
    types.extend(mysql_types.into_iter().map(mysql));
    types.extend(sqlite_types.into_iter().map(sqlite));
    types
}

/// Bytes that are often nearly what some type promises.
fn random_bytes(random: &mut fastrand::Rng) -> Vec<u8> {
    let len = [0, 1, 2, 4, 5, 8, 12, 13, 16, 20, 24, 28][random.usize(0..12)];
    let mut bytes: Vec<u8> = match random.u8(0..4) {
        0 => (0..len).map(|_| random.u8(..)).collect(),
        1 => (0..len).map(|_| random.u8(0..3)).collect(),
        2 => (0..len).map(|_| b"0123456789.-+e: T#%{}[]\",\\"[random.usize(0..26)]).collect(),
        _ => (0..len).map(|_| if random.bool() { 0xFF } else { 0 }).collect(),
    };
    match random.u8(0..4) {
        0 if !bytes.is_empty() => bytes[0] = u8::try_from(bytes.len() - 1).unwrap(),
        1 => {
            let elements = random.u32(0..4);
            bytes = super::pg_array(
                &[(elements, 1)],
                &vec![Some(&bytes[..]); usize::try_from(elements).unwrap()],
            );
        }
        _ => {}
    }
    bytes
}

fn random_settings(random: &mut fastrand::Rng) -> ReadSettings {
    let kinds = [
        ValueType::S,
        ValueType::N,
        ValueType::B,
        ValueType::Bool,
        ValueType::List,
        ValueType::StringSet,
        ValueType::NumberSet,
        ValueType::BinarySet,
        ValueType::Uuid,
        ValueType::UuidSwapped,
    ];
    let formats =
        [Format::Epoch, Format::EpochMillis, Format::Strftime("%Y-%j %G-W%V %H:%M:%S.%6f %".to_owned())];
    ReadSettings {
        kind: random.bool().then(|| kinds[random.usize(0..kinds.len())]),
        format: (random.u8(0..4) == 0).then(|| formats[random.usize(0..3)].clone()),
        zone: (random.u8(0..4) == 0).then(|| jiff::tz::TimeZone::get("America/New_York").unwrap()),
        overflow: [Overflow::Reject, Overflow::String, Overflow::Omit, Overflow::Null][random.usize(0..4)],
        nulls: [Nulls::Omit, Nulls::Null][random.usize(0..2)],
    }
}

fn random_cell<'a>(raw: &RawType, bytes: &'a [u8], random: &mut fastrand::Rng) -> RawCell<'a> {
    match (raw, random.u8(0..5)) {
        (RawType::Sqlite(_), 0) => RawCell::Integer(random.i64(..)),
        (RawType::Sqlite(_), 1) => RawCell::Real(f64::from_bits(random.u64(..))),
        (RawType::Sqlite(_), 2) => RawCell::Text(bytes),
        (RawType::Sqlite(_), 3) => RawCell::Blob(bytes),
        (RawType::Sqlite(_), _) => RawCell::Null,
        _ => RawCell::Bytes(bytes),
    }
}

#[test]
fn no_bytes_of_any_type_panic_and_every_item_is_json() {
    let mut random = fastrand::Rng::with_seed(2_026);
    let mut accepted = 0;
    for raw in all_types() {
        let mut layout = layout(std::slice::from_ref(&raw));
        for _ in 0..8 {
            layout.attributes =
                vec![attribute("v", 0, settings()), attribute("w", 0, random_settings(&mut random))];
            let cells: Vec<_> = (0..400).map(|_| random_bytes(&mut random)).collect();
            let cells: Vec<_> = cells.iter().map(|bytes| [random_cell(&raw, bytes, &mut random)]).collect();
            let rows: Vec<&[RawCell<'_>]> = cells.iter().map(|row| &row[..]).collect();
            let built = build(&layout, &page(&rows));
            assert_eq!(built.items.len() + built.rejections.len(), 400);
            accepted += built.items.len();
            for item in &built.items {
                let wire = built.wire(item);
                let parsed = serde_json::from_slice::<serde_json::Value>(wire);
                assert!(parsed.is_ok(), "{raw:?} {}", String::from_utf8_lossy(wire));
            }
        }
    }
    assert!(accepted > 20_000, "{accepted}");
}

#[test]
fn every_decoder_takes_100_000_random_cells() {
    let mut random = fastrand::Rng::with_seed(100_000);
    let cells: Vec<_> = (0..100_000).map(|_| random_bytes(&mut random)).collect();
    for raw in all_types() {
        for bytes in &cells {
            let cell = random_cell(&raw, bytes, &mut random);
            if let Ok(value) = super::super::decode::decode(cell, &raw) {
                std::hint::black_box(value);
            }
        }
    }
}

#[test]
fn keys_of_random_cells_never_panic() {
    let mut random = fastrand::Rng::with_seed(3);
    let steps = [
        Step::Pad(12),
        Step::Strftime("%Y%m%d%H%M%S%3f".to_owned()),
        Step::Lower,
        Step::Upper,
        Step::Trim,
        Step::Escape,
        Step::Hex,
        Step::Epoch,
        Step::EpochMillis,
        Step::Sortable,
        Step::Shard(0),
        Step::Shard(16),
    ];
    for raw in all_types() {
        let mut layout = layout(std::slice::from_ref(&raw));
        for _ in 0..100 {
            let steps: Vec<_> =
                (0..random.usize(0..3)).map(|_| steps[random.usize(0..steps.len())].clone()).collect();
            let part = vec![column_with(0, &steps, random_settings(&mut random))];
            let kind = [KeyType::S, KeyType::N, KeyType::B][random.usize(0..3)];
            layout.partition_key = KeyPlan { kind, ..key("PK", part) };
            for _ in 0..100 {
                let bytes = random_bytes(&mut random);
                let built = build(&layout, &page(&[&[random_cell(&raw, &bytes, &mut random)]]));
                for item in &built.items {
                    serde_json::from_slice::<serde_json::Value>(built.wire(item)).unwrap();
                    assert!(item.size > 2);
                }
            }
        }
    }
}

#[test]
fn keys_are_equal_exactly_when_their_values_are() {
    let mut random = fastrand::Rng::with_seed(4);
    let mut layout = layout(&[pg(PgType::Text)]);
    layout.partition_key = key("PK", vec![column(0, &[])]);
    let mut seen: HashMap<Vec<u8>, String> = HashMap::new();
    for _ in 0..20_000 {
        let text: String = (0..random.usize(1..4))
            .map(|_| ['a', '"', '\\', '\n', 'n', 'u', '0', '\u{1}', 'é'][random.usize(0..9)])
            .collect();
        let built = build(&layout, &page(&[&[RawCell::Bytes(text.as_bytes())]]));
        let key = built.key(&built.items[0]).to_vec();
        let back: serde_json::Value = serde_json::from_slice(built.wire(&built.items[0])).unwrap();
        assert_eq!(back["PK"]["S"], text.as_str());
        assert_eq!(seen.entry(key).or_insert_with(|| text.clone()), &text);
    }
}
