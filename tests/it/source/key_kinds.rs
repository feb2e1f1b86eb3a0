//! Whatever the type of the key: pages of 1, 2 and 7 rows and cut ranges give the rows of one ORDER BY.

use std::sync::Arc;

use dynamigrate::source::{Bounds, Dialect, Rows, Source};

use super::database::{Database, from, plain, select, settings, walk};

/// Setup, key columns.
pub(super) type Kind = (&'static str, &'static [&'static str]);

pub(super) const POSTGRES: &[Kind] = &[
    (
        "CREATE TABLE t (k bigint PRIMARY KEY, v text); INSERT INTO t SELECT -g, 'v' FROM generate_series(-25, 25) g",
        &["k"],
    ),
    (
        "CREATE TABLE t (k int NOT NULL, v text); CREATE UNIQUE INDEX ON t (k DESC); INSERT INTO t SELECT 100 - g * 3, 'v' FROM generate_series(1, 40) g",
        &["k"],
    ),
    (
        "CREATE TABLE t (k text PRIMARY KEY); INSERT INTO t SELECT CASE WHEN g % 2 = 0 THEN upper(chr(97 + g % 26) || g) ELSE chr(97 + g % 26) || g END FROM generate_series(1, 60) g; INSERT INTO t VALUES (''), (' '), ('it''s'), ('\\'), ('ß')",
        &["k"],
    ),
    (
        "CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false); CREATE TABLE t (k text COLLATE ci PRIMARY KEY); INSERT INTO t VALUES ('ä1'), ('ae2'), ('A3'), ('a4'), ('b'), ('C'), ('Äa'), ('Ä'), ('e'), ('É2'), ('f'), ('G')",
        &["k"],
    ),
    (
        "CREATE TABLE t (k uuid PRIMARY KEY); INSERT INTO t SELECT md5(g::text)::uuid FROM generate_series(1, 50) g",
        &["k"],
    ),
    (
        "CREATE TABLE t (a int, b int, PRIMARY KEY (a, b)); INSERT INTO t SELECT g % 3, g FROM generate_series(1, 50) g",
        &["a", "b"],
    ),
    (
        "CREATE TABLE t (a text, b date, c smallint, PRIMARY KEY (a, b, c)); INSERT INTO t SELECT chr(65 + g % 2), date '2024-01-01' + g % 5, g FROM generate_series(1, 50) g",
        &["a", "b", "c"],
    ),
    (
        "CREATE TABLE t (k numeric(30,10) PRIMARY KEY); INSERT INTO t SELECT g / 7.0 + 12345678901234567890 FROM generate_series(1, 50) g",
        &["k"],
    ),
    (
        "CREATE TABLE t (k numeric PRIMARY KEY); INSERT INTO t SELECT (g - 20) * 1e29 FROM generate_series(1, 40) g; INSERT INTO t VALUES (0.1), (1e-30), ('NaN')",
        &["k"],
    ),
    (
        "CREATE TABLE t (k date PRIMARY KEY); INSERT INTO t SELECT date '1999-12-20' + g FROM generate_series(1, 40) g; INSERT INTO t VALUES ('infinity'), ('-infinity'), ('0044-03-15 BC')",
        &["k"],
    ),
    (
        "CREATE TABLE t (k timestamp(3) PRIMARY KEY); INSERT INTO t SELECT timestamp '2024-03-31 01:59:59.5' + g * interval '7.001 seconds' FROM generate_series(1, 40) g",
        &["k"],
    ),
    (
        "CREATE TABLE t (k timestamptz PRIMARY KEY); INSERT INTO t SELECT timestamptz '2024-03-31 01:59:59.5+02' + g * interval '7.000001 seconds' FROM generate_series(1, 40) g; INSERT INTO t VALUES ('infinity')",
        &["k"],
    ),
    (
        "CREATE TABLE t (k time PRIMARY KEY); INSERT INTO t SELECT time '00:00' + g * interval '7.5 min' FROM generate_series(1, 40) g",
        &["k"],
    ),
    (
        "CREATE TABLE t (k interval PRIMARY KEY); INSERT INTO t SELECT g * interval '1 day 2.5 s' - interval '20 days' FROM generate_series(1, 40) g",
        &["k"],
    ),
    (
        "CREATE TABLE t (k bytea PRIMARY KEY); INSERT INTO t SELECT decode(md5(g::text), 'hex') FROM generate_series(1, 40) g; INSERT INTO t VALUES (''), ('\\x00'), ('\\x0000')",
        &["k"],
    ),
    (
        "CREATE TABLE t (k char(5) PRIMARY KEY); INSERT INTO t SELECT 'a' || g FROM generate_series(1, 40) g",
        &["k"],
    ),
    (
        "CREATE TYPE mood AS ENUM ('z', 'happy', 'a', 'sad'); CREATE TABLE t (k mood, n int, PRIMARY KEY (k, n)); INSERT INTO t SELECT m, n FROM unnest(enum_range(NULL::mood)) m, generate_series(1, 9) n",
        &["k", "n"],
    ),
    (
        "CREATE TABLE t (k inet PRIMARY KEY); INSERT INTO t SELECT inet '10.0.0.250' + g FROM generate_series(1, 30) g; INSERT INTO t VALUES ('::1')",
        &["k"],
    ),
    (
        "CREATE DOMAIN code AS varchar(10); CREATE TABLE t (k code PRIMARY KEY); INSERT INTO t SELECT 'c' || g FROM generate_series(1, 30) g",
        &["k"],
    ),
    (
        "CREATE TABLE t (k boolean, n bigint, PRIMARY KEY (k, n)); INSERT INTO t SELECT g % 2 = 0, g FROM generate_series(1, 30) g",
        &["k", "n"],
    ),
    (
        "CREATE TABLE t (k bit varying(20) PRIMARY KEY); INSERT INTO t SELECT g::bit(12) FROM generate_series(1, 30) g; INSERT INTO t VALUES (''), ('1')",
        &["k"],
    ),
    (
        "CREATE TABLE t (k xid8 PRIMARY KEY); INSERT INTO t SELECT (18446744073709551615 - g)::text::xid8 FROM generate_series(0, 30) g; INSERT INTO t VALUES ('0')",
        &["k"],
    ),
    (
        "CREATE TABLE t (k int[] PRIMARY KEY); INSERT INTO t SELECT ARRAY[g % 3, g] FROM generate_series(1, 30) g",
        &["k"],
    ),
    (
        "CREATE TABLE t (k int4range PRIMARY KEY); INSERT INTO t SELECT int4range(g, g + 3) FROM generate_series(1, 30) g; INSERT INTO t VALUES ('empty')",
        &["k"],
    ),
    (
        "CREATE TABLE t (k int, v int, PRIMARY KEY (k)) PARTITION BY RANGE (k); CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (20); CREATE TABLE t2 PARTITION OF t DEFAULT; INSERT INTO t SELECT g, g FROM generate_series(-5, 40) g",
        &["k"],
    ),
    (
        "CREATE SCHEMA \"My S\"; CREATE TABLE \"My S\".\"T x\" (\"Key \"\"1\"\"\" int PRIMARY KEY); INSERT INTO \"My S\".\"T x\" SELECT generate_series(1, 30); CREATE VIEW t AS SELECT \"Key \"\"1\"\"\" AS \"k K\" FROM \"My S\".\"T x\"",
        &["k K"],
    ),
];

pub(super) const MYSQL: &[Kind] = &[
    (
        "CREATE TABLE t (k bigint PRIMARY KEY, v text); INSERT INTO t SELECT 25 - CAST(seq AS SIGNED), 'v' FROM seq_1_to_50",
        &["k"],
    ),
    (
        "CREATE TABLE t (k bigint unsigned PRIMARY KEY); INSERT INTO t SELECT 18446744073709551615 - seq FROM seq_0_to_50; INSERT INTO t VALUES (0), (9007199254740993)",
        &["k"],
    ),
    (
        "CREATE TABLE t (k mediumint PRIMARY KEY); INSERT INTO t SELECT (CAST(seq AS SIGNED) - 25) * 1000 FROM seq_1_to_50",
        &["k"],
    ),
    (
        "CREATE TABLE t (k tinyint(1) PRIMARY KEY); INSERT INTO t SELECT CAST(seq AS SIGNED) - 25 FROM seq_1_to_50",
        &["k"],
    ),
    (
        "CREATE TABLE t (category varchar(16) CHARACTER SET latin1 COLLATE latin1_german2_ci, n int, PRIMARY KEY (category, n)); INSERT INTO t VALUES ('ä',1),('ae',2),('ä',3),('b',1),('Ä',4),('AE',5),('ß',6),('ss',7),('a',1),('az',1)",
        &["category", "n"],
    ),
    (
        "CREATE TABLE t (k varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY); INSERT INTO t SELECT IF(seq % 2, CONCAT('Key', seq), CONCAT('kEY', seq)) FROM seq_1_to_50; INSERT INTO t VALUES (''), ('it''s'), ('\\\\'), ('ä'), ('😀')",
        &["k"],
    ),
    (
        "CREATE TABLE t (k varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY); INSERT INTO t SELECT IF(seq % 2, CONCAT('Key', seq), CONCAT('kEY', seq)) FROM seq_1_to_50",
        &["k"],
    ),
    (
        "CREATE TABLE t (k char(36) CHARACTER SET ascii PRIMARY KEY); INSERT INTO t SELECT LOWER(CONCAT(LEFT(MD5(seq), 8), '-x')) FROM seq_1_to_50",
        &["k"],
    ),
    (
        "CREATE TABLE t (k decimal(30,10) PRIMARY KEY); INSERT INTO t SELECT seq / 7 + 12345678901234567890 FROM seq_1_to_50",
        &["k"],
    ),
    (
        "CREATE TABLE t (k decimal(65,30) PRIMARY KEY); INSERT INTO t SELECT 12345678901234567890123456789012345 + seq * 0.000000000000000000000000000001 FROM seq_1_to_50",
        &["k"],
    ),
    (
        "CREATE TABLE t (k date PRIMARY KEY); INSERT INTO t SELECT DATE '1999-12-20' + INTERVAL seq DAY FROM seq_1_to_50",
        &["k"],
    ),
    (
        "CREATE TABLE t (k datetime(6) PRIMARY KEY); INSERT INTO t SELECT TIMESTAMP '2024-03-31 01:59:59.5' + INTERVAL seq * 7000001 MICROSECOND FROM seq_1_to_50; INSERT INTO t VALUES ('2024-01-01')",
        &["k"],
    ),
    (
        "SET time_zone = '+02:00'; CREATE TABLE t (k timestamp(3) NOT NULL PRIMARY KEY); INSERT INTO t SELECT TIMESTAMP '2024-03-31 01:59:59.5' + INTERVAL seq * 7 SECOND FROM seq_1_to_50",
        &["k"],
    ),
    (
        "CREATE TABLE t (k time(3) PRIMARY KEY); INSERT INTO t SELECT SEC_TO_TIME((CAST(seq AS SIGNED) - 25) * 100000.5) FROM seq_1_to_50",
        &["k"],
    ),
    (
        "CREATE TABLE t (k year PRIMARY KEY); INSERT INTO t SELECT 1990 + seq FROM seq_1_to_50; INSERT INTO t VALUES (0)",
        &["k"],
    ),
    ("CREATE TABLE t (k bit(20) PRIMARY KEY); INSERT INTO t SELECT seq * 20000 FROM seq_1_to_50", &["k"]),
    (
        "CREATE TABLE b (k bit(20) PRIMARY KEY); INSERT INTO b SELECT seq * 20000 FROM seq_1_to_50; CREATE VIEW t AS SELECT COALESCE(k, NULL) AS k FROM b",
        &["k"],
    ),
    (
        "CREATE TABLE t (k binary(16) PRIMARY KEY); INSERT INTO t SELECT UNHEX(MD5(seq)) FROM seq_1_to_50",
        &["k"],
    ),
    (
        "CREATE TABLE t (k varbinary(20) PRIMARY KEY); INSERT INTO t SELECT LEFT(UNHEX(MD5(seq)), 1 + seq % 16) FROM seq_1_to_50; INSERT INTO t VALUES (''), (x'00'), (x'0000')",
        &["k"],
    ),
    ("CREATE TABLE t (k uuid PRIMARY KEY); INSERT INTO t SELECT UUID() FROM seq_1_to_50", &["k"]),
    (
        "CREATE TABLE t (k inet6 PRIMARY KEY); INSERT INTO t SELECT CONCAT('2001:db8::', seq) FROM seq_1_to_50",
        &["k"],
    ),
    (
        "CREATE TABLE t (a varchar(9), b date, c smallint unsigned, PRIMARY KEY (a, b, c)); INSERT INTO t SELECT CHAR(65 + seq % 2), DATE '2024-01-01' + INTERVAL seq % 5 DAY, seq FROM seq_1_to_50",
        &["a", "b", "c"],
    ),
    (
        "CREATE TABLE `t x` (`a b` int PRIMARY KEY); INSERT INTO `t x` SELECT seq FROM seq_1_to_50; CREATE VIEW t AS SELECT `a b` AS `k``K` FROM `t x`",
        &["k`K"],
    ),
];

pub(super) const SQLITE: &[Kind] = &[
    (
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v); WITH RECURSIVE s (n) AS (SELECT -25 UNION ALL SELECT n + 1 FROM s WHERE n < 25) INSERT INTO t SELECT n * 3, 'v' FROM s",
        &["k"],
    ),
    (
        "CREATE TABLE t (k TEXT NOT NULL PRIMARY KEY); WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 50) INSERT INTO t SELECT CASE WHEN n % 2 THEN 'Key' ELSE 'kEY' END || n FROM s; INSERT INTO t VALUES (''), ('it''s'), ('ä')",
        &["k"],
    ),
    (
        "CREATE TABLE t (k TEXT COLLATE NOCASE NOT NULL PRIMARY KEY); WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 50) INSERT INTO t SELECT CASE WHEN n % 2 THEN 'Key' ELSE 'kEY' END || n FROM s",
        &["k"],
    ),
    (
        "CREATE TABLE t (k BLOB NOT NULL PRIMARY KEY); WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 50) INSERT INTO t SELECT randomblob(n % 9 + 8) FROM s; INSERT INTO t VALUES (x''), (x'00'), (x'0000')",
        &["k"],
    ),
    (
        "CREATE TABLE t (k NOT NULL PRIMARY KEY); INSERT INTO t VALUES (1), (2.5), (-3), (9007199254740993), (9007199254740992.0), (0.1), (1e300), (-1e-300), ('a'), ('1'), (''), (x'01'), (x''), ('B'), (-9223372036854775808), (9223372036854775807)",
        &["k"],
    ),
    (
        "CREATE TABLE t (k NUMERIC(10,2) NOT NULL PRIMARY KEY); WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 50) INSERT INTO t SELECT n / 8.0 FROM s",
        &["k"],
    ),
    (
        "CREATE TABLE t (a TEXT, b INT, c DATE, PRIMARY KEY (a, b, c)) WITHOUT ROWID; WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 50) INSERT INTO t SELECT char(65 + n % 2), n % 5, date('2024-01-01', n || ' days') FROM s",
        &["a", "b", "c"],
    ),
    (
        "CREATE TABLE [t x] ([a \"b] INTEGER PRIMARY KEY); WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 50) INSERT INTO [t x] SELECT n FROM s; CREATE VIEW t AS SELECT [a \"b] AS \"k \"\"K\" FROM [t x]",
        &["k \"K"],
    ),
];

/// R03, R05.
#[tokio::test]
async fn postgres_pages_tile_every_kind_of_key() {
    check_all(Dialect::Postgres, POSTGRES).await;
}

/// R03, R04, R05.
#[tokio::test]
async fn mysql_pages_tile_every_kind_of_key() {
    check_all(Dialect::Mysql, MYSQL).await;
}

/// R03, R05.
#[tokio::test]
async fn sqlite_pages_tile_every_kind_of_key() {
    check_all(Dialect::Sqlite, SQLITE).await;
}

/// One database for all: making one takes longer than a check.
async fn check_all(dialect: Dialect, kinds: &[Kind]) {
    let mut database = Database::create(dialect).await;
    for kind in kinds {
        if dialect == Dialect::Sqlite {
            database = Database::create(dialect).await;
        }
        check(&database, kind).await;
        database.run(clean(dialect)).await;
    }
}

pub(super) fn clean(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Postgres => {
            "DROP SCHEMA public CASCADE; DROP SCHEMA IF EXISTS \"My S\" CASCADE; CREATE SCHEMA public"
        }
        Dialect::Mysql => "DROP VIEW IF EXISTS t; DROP TABLE IF EXISTS t, `t x`",
        Dialect::Sqlite => "",
    }
}

async fn check(database: &Database, (setup, key): &Kind) {
    let dialect = database.dialect;
    database.run(setup).await;
    let mut settings = settings(&database.url);
    settings.page_rows = 3;
    let mut source = Source::connect(&settings).await.unwrap();
    let columns: Vec<String> = key.iter().map(|name| quoted(dialect, name)).collect();
    let query = format!("SELECT {} FROM t; -- done", columns.join(", "));
    for rows in [from("t"), Rows::Query(query)] {
        let select = Arc::new(select(&mut source, rows, key).await);
        assert!(select.key.iter().all(|column| column.unordered.is_none()), "{setup}");
        let found = source.check_key(&select).await.unwrap();
        assert!(!found.duplicates && !found.nulls, "{setup}");
        let mut reader = source.open(1, &[(*select).clone()]).await.unwrap().readers.pop().unwrap();
        let expected = plain(&mut reader, &select).await;
        assert!(expected.len() >= 10, "{setup}");
        for rows in [1, 2, 7] {
            let all = walk(&mut reader, &select, &Bounds::default(), rows).await;
            assert_eq!(all, expected, "pages of {rows}: {setup}");
        }
        let ranges = reader.cut(&select, 5, None).await.unwrap();
        assert!(ranges.len() > 1 && ranges.len() <= 10, "{} ranges: {setup}", ranges.len());
        let mut all = Vec::new();
        for range in &ranges {
            all.extend(walk(&mut reader, &select, range, 2).await);
        }
        assert_eq!(all, expected, "{} ranges: {setup}", ranges.len());
    }
}

fn quoted(dialect: Dialect, name: &str) -> String {
    match dialect {
        Dialect::Mysql => format!("`{}`", name.replace('`', "``")),
        _ => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}
