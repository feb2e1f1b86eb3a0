//! The databases as oracles: random values of every type, written by SQL, against the database's own text
//! of them. `ORACLE_SEED` repeats a run; a failure prints its seed.

mod values;

use std::collections::BTreeMap;
use std::sync::Arc;

use dynamigrate::item;
use dynamigrate::mapping::{Mapping, MappingFile};
use dynamigrate::plan::{PlanOptions, prepare};
use dynamigrate::source::{Bounds, Cursor, PageLimits, Position, Source};
use dynamigrate::witness;
use fastrand::Rng;
use values::Generator;

use crate::servers::Kind;
use crate::stage::Stage;

/// Values of each type.
const VALUES: usize = 1_500;

/// A type as SQL declares it, and what makes its values.
type Subject = (&'static str, Generator);

const POSTGRES: [Subject; 36] = [
    ("smallint", values::integer::<16>),
    ("integer", values::integer::<32>),
    ("bigint", values::integer::<64>),
    ("oid", values::unsigned::<32>),
    ("numeric", values::numeric),
    ("numeric(12, 3)", values::price),
    ("money", values::price),
    ("real", values::float4),
    ("double precision", values::float8),
    ("boolean", values::boolean),
    ("text", values::pg_text),
    ("varchar(40)", values::pg_text),
    ("char(40)", values::pg_text),
    ("bytea", values::bytea),
    ("uuid", values::uuid),
    ("date", values::pg_date),
    ("time", values::pg_time),
    ("time(3)", values::pg_time),
    ("timestamp", values::pg_timestamp),
    ("timestamp(0)", values::pg_timestamp),
    ("timestamptz", values::pg_timestamptz),
    ("timestamptz(3)", values::pg_timestamptz),
    ("json", values::pg_json),
    ("jsonb", values::pg_json),
    ("bit(1)", values::bits::<1>),
    ("bit(20)", values::bits::<20>),
    ("bit(64)", values::bits::<64>),
    ("bit(90)", values::bits::<90>),
    ("bit varying", values::bits::<7>),
    ("int[]", values::int_array),
    ("numeric[]", values::numeric_array),
    ("text[]", values::text_array),
    ("bytea[]", values::bytea_array),
    ("float8[]", values::float_array),
    ("timestamptz[]", values::moment_array),
    ("mood", values::one_of_three),
];

const MYSQL: [Subject; 37] = [
    ("TINYINT", values::integer::<8>),
    ("TINYINT(1)", values::integer::<8>),
    ("SMALLINT", values::integer::<16>),
    ("MEDIUMINT", values::integer::<24>),
    ("INT", values::integer::<32>),
    ("BIGINT", values::integer::<64>),
    ("TINYINT UNSIGNED", values::unsigned::<8>),
    ("MEDIUMINT UNSIGNED", values::unsigned::<24>),
    ("INT(12) UNSIGNED ZEROFILL", values::unsigned::<32>),
    ("BIGINT UNSIGNED", values::unsigned::<64>),
    ("DECIMAL(10, 2)", values::price),
    ("DECIMAL(65, 30)", values::wide_decimal),
    ("FLOAT", values::float4),
    ("DOUBLE", values::finite_double),
    ("YEAR", values::year),
    ("BIT(1)", values::bits::<1>),
    ("BIT(12)", values::bits::<12>),
    ("BIT(64)", values::bits::<64>),
    ("DATE", values::my_date),
    ("DATETIME", values::my_datetime),
    ("DATETIME(6)", values::my_datetime),
    ("TIMESTAMP(3) NULL", values::my_timestamp),
    ("TIME", values::my_time),
    ("TIME(6)", values::my_time),
    ("VARCHAR(60) CHARACTER SET utf8mb4", values::my_text),
    ("TEXT CHARACTER SET utf8mb4", values::my_text),
    ("VARCHAR(60) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", values::my_text),
    ("VARCHAR(60) CHARACTER SET latin1", values::latin1),
    ("VARCHAR(60) CHARACTER SET utf16", values::latin1),
    ("VARBINARY(40)", values::blob),
    ("BINARY(20)", values::blob),
    ("BLOB", values::blob),
    ("ENUM('a', 'b c', 'ü') CHARACTER SET utf8mb4", values::one_of_three),
    ("SET('a', 'b c', 'ü') CHARACTER SET utf8mb4", values::members),
    ("JSON", values::my_json),
    ("UUID", values::my_uuid),
    ("INT NULL", values::integer::<32>),
];

const SQLITE: [Subject; 10] = [
    ("INTEGER", values::integer::<64>),
    ("REAL", values::finite_double),
    ("TEXT", values::lite_text),
    ("BLOB", values::blob),
    ("", values::anything),
    ("NUMERIC", values::anything),
    ("DATE", values::lite_date),
    ("DATETIME", values::lite_datetime),
    ("DECIMAL(10, 4)", values::lite_decimal),
    ("JSON", values::lite_json),
];

#[tokio::test]
async fn postgres_says_the_same_of_every_value() {
    let setup = "CREATE TYPE mood AS ENUM ('a', 'b c', 'ü')";
    ask(Kind::Postgres, setup, &POSTGRES).await;
}

#[tokio::test]
async fn mysql_says_the_same_of_every_value() {
    ask(Kind::MySql, "SET SESSION sql_mode = ''", &MYSQL).await;
}

#[tokio::test]
async fn sqlite_says_the_same_of_every_value() {
    ask(Kind::Sqlite, "SELECT 1", &SQLITE).await;
}

/// Rows of one table: the values that DynamoDB has no room for, by their ids.
type Unfit = Vec<usize>;

async fn ask(kind: Kind, setup: &str, subjects: &[Subject]) {
    let seed = std::env::var("ORACLE_SEED").map_or_else(|_| fastrand::u64(..), |seed| seed.parse().unwrap());
    eprintln!("ORACLE_SEED={seed}");
    let mut random = Rng::with_seed(seed);
    let mut mapping = "[source]\nurl = \"${DATABASE_URL}\"\n\n[table]\nname = \"oracle\"\n".to_owned();
    let mut sql = format!("{setup};\n");
    let mut unfit = BTreeMap::new();
    for (number, (declared, generator)) in subjects.iter().enumerate() {
        mapping +=
            &format!("\n[entities.T{number}]\nfrom = \"t{number}\"\npk = \"T{number}#{{id}}\"\nsk = \"T\"\n");
        let (statements, rejected) = table(number, declared, *generator, &mut random);
        sql += &statements;
        unfit.insert(format!("T{number}"), rejected);
    }
    let stage = Stage::new(kind, &sql, &mapping).await;
    let compared = compare(&stage, subjects, &unfit).await;
    assert_eq!(compared, subjects.len() * VALUES, "seed {seed}");
}

fn table(number: usize, declared: &str, generator: Generator, random: &mut Rng) -> (String, Unfit) {
    let mut unfit = Vec::new();
    let mut sql = format!("CREATE TABLE t{number} (id INT PRIMARY KEY, v {declared});\n");
    for first in (0..VALUES).step_by(250) {
        let row = |id: usize| {
            let (literal, fits) = generator(random);
            unfit.extend((!fits).then_some(id));
            format!("({id}, {literal})")
        };
        let rows: Vec<String> = (first..first + 250).map(row).collect();
        sql += &format!("INSERT INTO t{number} VALUES {};\n", rows.join(", "));
    }
    (sql, unfit)
}

/// Reads every table page by page, and has each page compared whole. Returns how many rows there were.
async fn compare(stage: &Stage, subjects: &[Subject], unfit: &BTreeMap<String, Unfit>) -> usize {
    let file = MappingFile::read(&stage.folder.path().join("mapping.toml")).unwrap();
    let url = stage.database.url().to_owned();
    let environment = move |name: &str| (name == "DATABASE_URL").then(|| url.clone());
    let mapping = Mapping::parse(&file, &environment).unwrap();
    let mut source = Source::connect(&mapping.source).await.unwrap();
    let plan = prepare(&mapping, &mut source, PlanOptions::default()).await.unwrap().plan;
    let selects: Vec<_> = plan.entities.iter().map(|entity| entity.select.as_ref().clone()).collect();
    let mut reader = source.open(1, &selects).await.unwrap().readers.remove(0);
    let mut rows = 0;
    for (entity, (declared, _)) in plan.entities.iter().zip(subjects) {
        let limits = PageLimits { rows: 400, bytes: 16 << 20 };
        let mut cursor = Cursor::new(Arc::clone(&entity.select), Bounds::default(), Position::Start, limits);
        let mut rejected: Vec<usize> = Vec::new();
        while let Some((page, _)) = cursor.next(&mut reader).await.unwrap() {
            let items = item::build(&entity.layout, &page);
            let sample = cursor.sample(&mut reader, None).await.unwrap();
            assert_eq!(sample.cells().rows(), page.rows());
            witness::compare(entity, &sample, &items).unwrap_or_else(|found| panic!("{declared}: {found}"));
            rejected.extend(items.rejections.iter().map(|r| r.source_key[0].1.parse::<usize>().unwrap()));
            rows += page.rows();
        }
        rejected.sort_unstable();
        assert_eq!(rejected, unfit[&entity.name], "rejected rows of {declared}");
    }
    rows
}
