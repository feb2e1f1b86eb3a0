//! Decode and build alone: raw cells of PostgreSQL and MySQL → DynamoDB JSON, on one core; and what a dry run
//! counts beside it.
//!
//! `cargo bench --bench rows`; prints nanoseconds a row and bytes of an item, the best of several passes.
//! The rows are those of `benches/orders.*.sql`, in each database's binary form.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use dynamigrate::item::{self, Survey};
use dynamigrate::mapping::{Mapping, MappingFile};
use dynamigrate::plan::{EntityPlan, Layout, resolve};
use dynamigrate::source::{
    Column, MysqlType, Page, PageBuilder, PgType, RawCell, RawType, Relation, RelationKind, UniqueKey,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The cells of a row in their column's order.
type Cells = Vec<Option<Vec<u8>>>;

const ROWS: i64 = 5_000;
const PASSES: usize = 60;
const LOCAL: &str = "http://127.0.0.1:8000";

fn main() -> Result<(), Box<dyn Error>> {
    measure("postgres", &postgres_columns(), postgres_row)?;
    measure("mysql", &mysql_columns(), mysql_row)
}

fn measure(database: &str, columns: &[(&str, RawType)], row: fn(i64) -> Cells) -> Result<(), Box<dyn Error>> {
    let entity = entity(database, columns)?;
    let layout = &entity.layout;
    let page = page(layout, columns, row);
    let built = item::build(layout, &page);
    if let Some(rejection) = built.rejections.first() {
        return Err(format!("{database}: a row is rejected: {}", rejection.message).into());
    }
    let mut spare = item::build(layout, &page);
    let passes = (0..PASSES).map(|_| {
        let started = Instant::now();
        spare = black_box(item::rebuild(layout, black_box(&page), std::mem::take(&mut spare)));
        started.elapsed()
    });
    let best = passes.min().unwrap_or(Duration::ZERO);
    let rows = u32::try_from(page.rows())?;
    let bytes = built.bytes.len() / page.rows();
    println!("{database}: {} ns a row, items of {bytes} bytes", (best / rows).as_nanos());
    let watches = entity.watches(None);
    let watched = watches.len();
    let survey = Survey::new(watches);
    let passes = (0..PASSES).map(|_| {
        let started = Instant::now();
        black_box(survey.look(layout, black_box(&page), &built));
        started.elapsed()
    });
    let best = passes.min().unwrap_or(Duration::ZERO);
    println!("{database}: a dry run's survey {} ns a row, {watched} watches", (best / rows).as_nanos());
    Ok(())
}

fn entity(database: &str, columns: &[(&str, RawType)]) -> Result<EntityPlan, Box<dyn Error>> {
    let path = format!("{}/benches/orders.{database}.toml", env!("CARGO_MANIFEST_DIR"));
    let file = MappingFile::read(path.as_ref())?;
    let url = format!("{database}://localhost/orders");
    let environment = |name: &str| Some(if name == "DATABASE_URL" { url.clone() } else { LOCAL.to_owned() });
    let mapping = Mapping::parse(&file, &environment).map_err(|found| format!("{found:?}"))?;
    let column = |(name, raw): &(&str, RawType)| Column {
        name: (*name).to_owned(),
        sql_type: sql_type(raw).to_owned(),
        domain: None,
        labels: None,
        raw: raw.clone(),
        nullable: ["tax", "shipped_at", "details", "note"].contains(name),
        unordered: None,
        collation: None,
        foreign: None,
    };
    let relation = Relation {
        kind: RelationKind::Table,
        columns: columns.iter().map(column).collect(),
        computed: Vec::new(),
        unique_keys: vec![UniqueKey {
            name: "orders_pkey".to_owned(),
            primary: true,
            columns: vec!["id".to_owned()],
            not_null: true,
        }],
        foreign_keys: Vec::new(),
        row_estimate: None,
        family: Vec::new(),
    };
    let (plan, _) = resolve(&mapping, &[Ok(relation)]).map_err(|found| format!("{found:?}"))?;
    Ok(plan.entities.into_iter().next().ok_or("no entity")?)
}

fn sql_type(raw: &RawType) -> &'static str {
    match raw {
        RawType::Mysql(MysqlType::Integer { .. }) => "bigint",
        RawType::Mysql(MysqlType::Binary) => "binary(16)",
        RawType::Mysql(MysqlType::Json) => "longtext",
        _ => "",
    }
}

/// The cells in the order in which the layout reads them.
fn page(layout: &Layout, columns: &[(&str, RawType)], row: fn(i64) -> Cells) -> Page {
    let place = |name: &str| columns.iter().position(|(column, _)| *column == name);
    let order: Vec<usize> = layout.columns.iter().filter_map(|column| place(&column.name)).collect();
    let mut page = PageBuilder::new(order.len());
    for n in 1..=ROWS {
        let cells = row(n);
        for place in &order {
            let cell = cells.get(*place).and_then(Option::as_deref);
            page.push(cell.map_or(RawCell::Null, RawCell::Bytes));
        }
    }
    page.finish()
}

fn postgres_columns() -> Vec<(&'static str, RawType)> {
    let columns = [
        ("id", PgType::Int8),
        ("reference", PgType::Uuid),
        ("customer_id", PgType::Int8),
        ("status", PgType::Text),
        ("customer_name", PgType::Text),
        ("total", PgType::Numeric),
        ("tax", PgType::Numeric),
        ("created_at", PgType::TimestampTz { precision: 6 }),
        ("shipped_at", PgType::Timestamp { precision: 6 }),
        ("paid", PgType::Bool),
        ("details", PgType::Jsonb),
        ("quantity", PgType::Int4),
        ("note", PgType::Text),
    ];
    columns.map(|(name, kind)| (name, RawType::Postgres(kind))).to_vec()
}

fn postgres_row(n: i64) -> Cells {
    let micros = 631_152_000_000_000 + n * 61_000_217;
    vec![
        Some(n.to_be_bytes().to_vec()),
        Some(reference(n).to_vec()),
        Some((n % 50_000).to_be_bytes().to_vec()),
        Some(status(n).to_vec()),
        Some(customer_name(n).into_bytes()),
        Some(numeric(n, 2)),
        (n % 5 != 0).then(|| numeric(n % 90_000, 4)),
        Some(micros.to_be_bytes().to_vec()),
        (n % 4 >= 2).then(|| micros.to_be_bytes().to_vec()),
        Some([u8::from(n % 3 != 0)].to_vec()),
        Some(format!("\u{1}{}", details(n)).into_bytes()),
        Some(i32::try_from(n % 12).unwrap_or(0).to_be_bytes().to_vec()),
        (n % 3 == 0).then(|| note(n).into_bytes()),
    ]
}

/// PostgreSQL's binary numeric: count, weight, sign and scale, then digits of base 10,000.
fn numeric(unscaled: i64, scale: u32) -> Vec<u8> {
    let whole = unscaled / 10_i64.pow(scale);
    let fraction = unscaled % 10_i64.pow(scale) * 10_i64.pow(4 - scale);
    let digits = [whole / 10_000, whole % 10_000, fraction];
    let leading = digits.iter().take(2).take_while(|digit| **digit == 0).count();
    let digits: Vec<i16> =
        digits.iter().skip(leading).map(|digit| i16::try_from(*digit).unwrap_or(0)).collect();
    let count = i16::try_from(digits.len()).unwrap_or(0);
    let head = [count, count - 2, 0, i16::try_from(scale).unwrap_or(0)];
    head.iter().chain(&digits).flat_map(|word| word.to_be_bytes()).collect()
}

fn mysql_columns() -> Vec<(&'static str, RawType)> {
    let integer = MysqlType::Integer { unsigned: false };
    let columns = [
        ("id", integer.clone()),
        ("reference", MysqlType::Binary),
        ("customer_id", integer.clone()),
        ("status", MysqlType::Text),
        ("customer_name", MysqlType::Text),
        ("total", MysqlType::Decimal),
        ("tax", MysqlType::Decimal),
        ("created_at", MysqlType::Timestamp { precision: 6 }),
        ("shipped_at", MysqlType::DateTime { precision: 6 }),
        ("paid", MysqlType::TinyInt1 { unsigned: false }),
        ("details", MysqlType::Json),
        ("quantity", integer),
        ("note", MysqlType::Text),
    ];
    columns.map(|(name, kind)| (name, RawType::Mysql(kind))).to_vec()
}

fn mysql_row(n: i64) -> Cells {
    vec![
        Some(n.to_le_bytes().to_vec()),
        Some(reference(n).to_vec()),
        Some((n % 50_000).to_le_bytes().to_vec()),
        Some(status(n).to_vec()),
        Some(customer_name(n).into_bytes()),
        Some(format!("{}.{:02}", n / 100, n % 100).into_bytes()),
        (n % 5 != 0).then(|| format!("{}.{:04}", n / 10_000, n % 10_000).into_bytes()),
        Some(moment(n)),
        (n % 4 >= 2).then(|| moment(n)),
        Some([u8::from(n % 3 != 0)].to_vec()),
        Some(details(n).into_bytes()),
        Some(i32::try_from(n % 12).unwrap_or(0).to_le_bytes().to_vec()),
        (n % 3 == 0).then(|| note(n).into_bytes()),
    ]
}

/// MySQL's binary date and time: length, year, month, day, h, m, s, µs.
fn moment(n: i64) -> Vec<u8> {
    let part = |value: i64| u8::try_from(value).unwrap_or(0);
    let [low, high] = 2020_u16.to_le_bytes();
    let parts = [11, low, high, part(1 + n % 12), part(1 + n % 28), part(n % 24), part(n % 60), 7];
    parts.into_iter().chain(u32::try_from(n * 217 % 1_000_000).unwrap_or(0).to_le_bytes()).collect()
}

fn reference(n: i64) -> [u8; 16] {
    i128::from(n).wrapping_mul(0x1e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_be_bytes()
}

fn status(n: i64) -> &'static [u8] {
    match n % 4 {
        0 => b"PENDING",
        1 => b"PAID",
        2 => b"SHIPPED",
        _ => b"CANCELLED",
    }
}

fn customer_name(n: i64) -> String {
    format!("Customer Nº {} of \"Harbour & Sons\"", n % 50_000)
}

fn details(n: i64) -> String {
    let weight = n % 1_000 * 125;
    format!(
        r#"{{"tags": ["a", "b"], "lines": {}, "weight": {}.{:03}, "channel": "web"}}"#,
        n % 7,
        weight / 1_000,
        weight % 1_000
    )
}

fn note(n: i64) -> String {
    format!("Leave at the back door, please. Order {n}")
}
