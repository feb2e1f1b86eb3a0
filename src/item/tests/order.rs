//! `order_by`: bytes that compare as values do.

use std::cmp::Ordering;

use super::super::order_of;
use super::{layout, mysql, page, pg, pg_numeric, sqlite};
use crate::source::{MysqlType, PgType, RawCell, RawType, SqliteType};

fn order(raw: &RawType, cell: RawCell<'_>) -> Vec<u8> {
    order_of(&layout(std::slice::from_ref(raw)), &page(&[&[cell]]), 0, &[0])
}

#[track_caller]
fn ascends(raw: &RawType, cells: &[RawCell<'_>]) {
    let orders: Vec<_> = cells.iter().map(|cell| order(raw, *cell)).collect();
    for (at, pair) in orders.windows(2).enumerate() {
        assert!(pair[0] < pair[1], "{raw:?} {at}: {pair:?}");
    }
}

#[test]
fn values_of_each_type_ascend() {
    let numeric = pg(PgType::Numeric);
    let texts = [
        "-1000", "-999.99", "-10", "-9.5", "-9.05", "-0.001", "0", "0.0009", "0.01", "9", "9.5", "10", "1e20",
    ];
    let numbers: Vec<Vec<u8>> =
        texts.iter().map(|text| pg_numeric(&text.replace("1e20", "100000000000000000000"))).collect();
    let mut cells = vec![RawCell::Null];
    cells.extend(numbers.iter().map(|bytes| RawCell::Bytes(bytes)));
    ascends(&numeric, &cells);
    let micros: Vec<[u8; 8]> = [i64::MIN, -1, 0, 1, 86_400_000_000, i64::MAX].map(i64::to_be_bytes).to_vec();
    let cells: Vec<_> = micros.iter().map(|bytes| RawCell::Bytes(bytes)).collect();
    ascends(&pg(PgType::TimestampTz { precision: 6 }), &cells);
    let time = mysql(MysqlType::Time { precision: 0 });
    let (early, zero, late) = ([8, 1, 0, 0, 0, 0, 2, 0, 0], [0], [8, 0, 0, 0, 0, 0, 1, 0, 0]);
    ascends(&time, &[RawCell::Bytes(&early), RawCell::Bytes(&zero), RawCell::Bytes(&late)]);
    let any = sqlite(SqliteType::Decimal);
    ascends(
        &any,
        &[
            RawCell::Null,
            RawCell::Real(-1.5),
            RawCell::Integer(1),
            RawCell::Text(b"1.5"),
            RawCell::Integer(2),
        ],
    );
    ascends(&pg(PgType::Bool), &[RawCell::Bytes(&[0]), RawCell::Bytes(&[1])]);
}

#[test]
fn values_that_no_item_holds_ascend_too() {
    let real = pg(PgType::Float8);
    let values =
        [f64::NEG_INFINITY, -1e300, -5.0, -1e-300, 0.0, 1e-300, 1e-200, 5.0, 1e300, f64::INFINITY, f64::NAN];
    let cells: Vec<_> = values.iter().map(|value| value.to_be_bytes()).collect();
    let mut cells: Vec<_> = cells.iter().map(|bytes| RawCell::Bytes(bytes)).collect();
    cells.insert(0, RawCell::Null);
    ascends(&real, &cells);
    // One more than 38 digits.
    let digits = ["123456789012345678901234567890123456788", "123456789012345678901234567890123456789"];
    let numbers = digits.map(pg_numeric);
    ascends(&pg(PgType::Numeric), &[RawCell::Bytes(&numbers[0]), RawCell::Bytes(&numbers[1])]);
    // Zero dates, and those of a month without a day: between the year before and the next one.
    let dates: [&[u8]; 4] = [&[0], &[4, 0xe7, 7, 12, 31], &[4, 0xe8, 7, 0, 0], &[4, 0xe8, 7, 1, 0]];
    ascends(&mysql(MysqlType::Date), &dates.map(RawCell::Bytes));
    let days = [i32::MIN, -2_000_000, -800_000, 0, i32::MAX].map(i32::to_be_bytes);
    ascends(&pg(PgType::Date), &[0, 1, 2, 3, 4].map(|at| RawCell::Bytes(&days[at])));
}

#[test]
fn values_of_a_column_of_any_class_ascend() {
    let any = sqlite(SqliteType::Any);
    ascends(
        &any,
        &[
            RawCell::Null,
            RawCell::Real(f64::NEG_INFINITY),
            RawCell::Integer(i64::MIN),
            RawCell::Integer(9_007_199_254_740_993),
            RawCell::Real(9_007_199_254_740_994.0),
            RawCell::Integer(9_007_199_254_740_995),
            RawCell::Real(1e300),
            RawCell::Text(b"12"),
            RawCell::Text(b"2"),
        ],
    );
}

#[test]
fn random_numbers_order_as_numbers() {
    let mut random = fastrand::Rng::with_seed(16);
    let raw = pg(PgType::Float8);
    let value = |random: &mut fastrand::Rng| match random.u8(0..3) {
        0 => f64::from(random.i16(..)),
        1 => random.f64() - 0.5,
        _ => (random.f64() - 0.5) * 10_f64.powi(random.i32(-100..100)),
    };
    for _ in 0..20_000 {
        let (a, b) = (value(&mut random), value(&mut random));
        let orders = [a, b].map(|value| order(&raw, RawCell::Bytes(&value.to_be_bytes())));
        let expected = a.partial_cmp(&b).unwrap_or(Ordering::Equal);
        assert_eq!(orders[0].cmp(&orders[1]), expected, "{a} {b}");
    }
}

#[test]
fn the_first_column_decides_before_the_second() {
    let raws = [pg(PgType::Text), pg(PgType::Int4)];
    let row = |text: &'static str, number: i32| {
        let number = number.to_be_bytes();
        order_of(
            &layout(&raws),
            &page(&[&[RawCell::Bytes(text.as_bytes()), RawCell::Bytes(&number)]]),
            0,
            &[0, 1],
        )
    };
    assert!(row("a", 9) < row("ab", -9) && row("a\0", 9) < row("ab", 1) && row("a", -1) < row("a", 1));
    assert!(row("a", 9) < row("a\0", -9));
}
