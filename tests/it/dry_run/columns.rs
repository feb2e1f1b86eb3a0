//! What a dry run counts in columns: planted rows, exact counts, over several pages and readers.

use serde_json::Value;

use crate::servers::{self, Kind};
use crate::stage::Stage;

/// Pages of two rows; the rest of the entity follows.
const HEAD: &str = r##"[source]
url = "${DATABASE_URL}"
page_rows = 2

[table]
name = "shop"
endpoint = "${DYNAMODB_ENDPOINT:-embedded}"

[table.indexes.ByCode]
partition_key = "C"

[entities.T]
from = "t"
pk = "T#{id:010}"
sk = "T"
"##;

/// `big large-number 2`, of each column.
async fn counted(kind: Kind, sql: &str, mapping: &str, code: i32) -> Vec<String> {
    let stage = Stage::new(kind, sql, &format!("{HEAD}{mapping}")).await;
    let dry = stage.migrate("--dry-run --json", code).await.json();
    let shown = stage.migrate("--dry-run", code).await.stdout;
    let columns = dry["entities"]["T"]["columns"].as_array().cloned().unwrap_or_default();
    assert_eq!(shown.contains("Columns to look at"), !columns.is_empty(), "{shown}");
    let line = |column: &Value| {
        let (name, code) = (column["column"].as_str().unwrap(), column["code"].as_str().unwrap());
        assert!(shown.contains(&format!("  T.{name} ")), "{name}: {shown}");
        format!("{name} {code} {}", column["rows"])
    };
    columns.iter().map(line).collect()
}

/// N01, N13, K21, S09, S15, S16: what PostgreSQL alone, or it too, can hold.
#[tokio::test]
async fn n01_n13_k21_s09_s15_s16_postgres_columns_are_counted() {
    let sql = r#"CREATE TABLE t (id bigint PRIMARY KEY, code text NOT NULL, big bigint, price numeric, wide numeric,
                   kept numeric, dropped float8, pad char(5), numbers int[], doc json, jb jsonb, plain text, seen timestamp);
        INSERT INTO t VALUES
         (1, ' a', 9007199254740992, 1.5, 1, 1, 'NaN', 'ab', '{1}', '{"a":1,"a":2}', '{"a":1,"a":2}', 'x', 'infinity'),
         (2, 'b ', 9007199254740993, 9007199254740993.5, 2, 123456789012345678901234567890123456789, 1, 'abcde',
          '[0:1]={7,8}', '{"s":"x\u0000y"}', '{}', 'x', now()),
         (3, 'c', -9007199254740993, 9007199254740991.9, 123456789012345678901234567890123456789, 1e200, 2, '',
          '{{1,2},{3,4}}', '{"s":"\\u0000"}', '{}', 'x', now()),
         (4, 'd', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
         (5, 'e', 5, 5, 5, 5, 5, ' x', '{}', '[{"b":{"c":1,"c":1}},{"b":2}]', '{}', ' x ', now())"#;
    let mapping = r#"
        [entities.T.index.ByCode]
        pk = "{code}"
        [entities.T.column]
        kept = { overflow = "string" }
        dropped = { overflow = "omit" }
        seen = { overflow = "null" }"#;
    assert_eq!(
        counted(Kind::Postgres, sql, mapping, 4).await,
        [
            "wide number_digits 1",
            "code key-blanks 2",
            "big large-number 2",
            "price large-number 1",
            "kept overflow 2",
            "dropped overflow 1",
            "pad char-padding 3",
            "numbers array-bounds 1",
            "doc json-equal-names 2",
            "doc nul-character 1",
            "seen overflow 1",
        ]
    );
}

/// N01, N13, N17, K24, S12, S15
#[tokio::test]
async fn n01_n13_n17_k24_s12_s15_mysql_columns_are_counted() {
    let sql = "SET SESSION sql_mode = '';
        CREATE TABLE t (id bigint PRIMARY KEY, code varchar(9) COLLATE utf8mb4_bin NOT NULL, big bigint unsigned,
          wide decimal(45,5), kept decimal(45,5), flag tinyint(1), stars tinyint(1), mapped tinyint(1), plain binary(16),
          digest binary(16), wrong binary(16), mood enum('ok','sad'), other enum('a',''), note varchar(20));
        INSERT INTO t VALUES
         (1, 'a', 9007199254740992, 1, 1, 0, 0, 0, 0x98fa4fc8c26611e89ab60242c7bc9d97, 0x00112233445566778899aabbccddeeff,
          0x11e8c26698fa4fc89ab60242c7bc9d97, 'ok', '', 'x'),
         (2, 'b ', 18446744073709551615, 2, 1234567890123456789012345678901234567890.12345, 1, 5, 1,
          0x98fa4fc8c26611e89ab60242c7bc9d97, 0x00112233445566770099aabbccddeeff, 0x11e8c26698fa3fc89ab60242c7bc9d97,
          'nope', '', CONCAT('a', CHAR(0))),
         (3, 'c', 3, 1234567890123456789012345678901234567890.12345, 3, 1, -1, 1, 0x98fa4fc8c26611e89ab60242c7bc9d97,
          0x00112233445500770099aabbccddeeff, 0x11e8c26698fa0fc89ab60242c7bc9d97, 'sad', '', 'x'),
         (4, ' d', NULL, NULL, NULL, NULL, NULL, 2, NULL, NULL, NULL, NULL, NULL, NULL),
         (5, 'e', 5, 5, 5, 0, 1, 0, 0x98fa4fc8c26611e89ab60242c7bc9d97, NULL, 0x11e8c26698fa9fc89ab60242c7bc9d97, '', 'a', 'x')";
    let mapping = r#"
        [entities.T.index.ByCode]
        pk = "{code}"
        [entities.T.column]
        kept = { overflow = "string" }
        mapped = { type = "BOOL" }
        wrong = { type = "uuid" }"#;
    assert_eq!(
        counted(Kind::MySql, sql, mapping, 4).await,
        [
            "mapped boolean_invalid 1",
            "wide number_digits 1",
            "code key-blanks 2",
            "big large-number 1",
            "kept overflow 1",
            "flag tinyint1 4",
            "stars tinyint1-number 2",
            "plain uuid-bytes 4",
            "wrong uuid-order 2",
            "mood enum-invalid 2",
            "note nul-character 1",
        ]
    );
}

/// N13, K24, S15, S16: SQLite's values say themselves what they are.
#[tokio::test]
async fn n13_k24_s15_s16_sqlite_columns_are_counted() {
    let sql = r#"CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT NOT NULL, big INTEGER, price DECIMAL(40,2), doc JSON,
                   straight BLOB, note TEXT, day DATE);
        INSERT INTO t VALUES
         (1, 'a', 9007199254740993, 1.5, '{"a":1,"a":2}', x'98fa4fc8c26611e89ab60242c7bc9d97', 'x', '2024-01-01'),
         (2, 'b ', 9007199254740992, 1e300, '{}', x'98fa4fc8c26611e89ab60242c7bc9d97', CAST(x'610062' AS TEXT), '0000-00-00'),
         (3, ' c', 'text', 3, '{"s":"\u0000"}', x'98fa4fc8c26611e89ab60242c7bc9d97', 'x', NULL)"#;
    let mapping = r#"
        [entities.T.index.ByCode]
        pk = "{code}"
        [entities.T.column]
        straight = { type = "uuid_swapped" }
        price = { overflow = "null" }"#;
    assert_eq!(
        counted(Kind::Sqlite, sql, mapping, 0).await,
        [
            "code key-blanks 2",
            "big large-number 1",
            "big other-type 1",
            "price overflow 1",
            "doc json-equal-names 1",
            "doc nul-character 1",
            "straight uuid-order 3",
            "note nul-character 1",
            "day other-type 1",
        ]
    );
}

/// SQLite takes any value into any column.
#[tokio::test]
async fn sqlite_values_of_other_types_than_declared_are_counted() {
    let sql = r#"CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT NOT NULL, num INTEGER, label VARCHAR(9), ratio REAL, bytes BLOB,
                   price DECIMAL(9,2), paid BOOLEAN, day DATE, at DATETIME, clock TIME, doc JSON, owner UUID, free, any ANY);
        INSERT INTO t VALUES
         (1, 'a', 1, 'x', 1.5, x'00', 1.5, 1, '2024-01-01', '2024-01-01 00:00:00', '12:00:00', '{}',
          'ab9d25e0-64e6-469f-9873-8621910ed300', 'x', 1),
         (2, x'62', 'two', x'00', 'x', 'x', 'x', 2, '2024-02-30', 1719828000, 'noon', x'00', 'nobody', 2, 'x'),
         (3, 'c', x'03', 3, x'00', 3, x'00', 'true', 3, 'now', 3, 3, x'00', x'00', x'00'),
         (4, 'd', 4.5, NULL, 4, NULL, 4, 0, NULL, NULL, NULL, '4', NULL, NULL, NULL)"#;
    let mapping = r#"
        [entities.T.index.ByCode]
        pk = "C#{id}""#;
    assert_eq!(
        counted(Kind::Sqlite, sql, mapping, 0).await,
        [
            "code other-type 1",
            "num other-type 2",
            "label other-type 1",
            "ratio other-type 2",
            "bytes other-type 2",
            "price other-type 2",
            "paid other-type 2",
            "day other-type 2",
            "at other-type 2",
            "clock other-type 2",
            "doc other-type 1",
            "owner other-type 2",
        ]
    );
}

/// N20, N21: what stands inside documents is counted by the column that holds them.
#[tokio::test]
async fn n20_n21_numbers_inside_documents_are_counted_by_column() {
    let wide = "123456789012345678901234567890.123456789";
    let range = |kind| if kind == Kind::MySql { "1e200" } else { "1e400" };
    for kind in servers::ALL {
        let sql = format!(
            "CREATE TABLE t (id BIGINT PRIMARY KEY, doc JSON, kept JSON, code VARCHAR(9));
             INSERT INTO t (id, doc, kept) VALUES
              (1, '{{\"a\": 1}}', '[1]'), (2, '{{\"a\": [{wide}]}}', '[1]'), (3, '[1]', '[{wide}, 2]'),
              (4, '[{e}]', '[1]'), (5, '[2]', '[{e}]'), (6, '[{wide}]', '[1]')",
            e = range(kind)
        );
        let found = counted(kind, &sql, "[entities.T.column.kept]\noverflow = \"string\"\n", 4).await;
        let expected = ["doc number_digits 2", "doc number_range 1", "kept overflow 2"];
        assert_eq!(found, expected, "{}", kind.name());
    }
}

/// A load counts nothing, and neither does a dry run of ordinary columns.
#[tokio::test]
async fn ordinary_columns_and_loads_count_nothing() {
    let sql =
        "CREATE TABLE t (id BIGINT PRIMARY KEY, code VARCHAR(9) NOT NULL, total DECIMAL(12,2), day DATE);
               INSERT INTO t VALUES (1, 'a', 12.50, '2024-01-01'), (2, 'b', NULL, NULL)";
    for kind in servers::ALL {
        assert_eq!(counted(kind, sql, "", 0).await, Vec::<String>::new(), "{}", kind.name());
    }
    let big = "CREATE TABLE t (id BIGINT PRIMARY KEY); INSERT INTO t VALUES (9007199254740993)";
    let stage = Stage::new(Kind::Sqlite, big, &HEAD.replace("{id:010}", "{id:020}")).await;
    assert_eq!(stage.migrate("--dry-run --json", 0).await.json()["entities"]["T"]["columns"][0]["rows"], 1);
    let load = stage.migrate("run --json", 0).await.json();
    assert_eq!(load["entities"]["T"].get("columns"), None);
}

/// T13: seconds of this century, and milliseconds of it.
#[tokio::test]
async fn t13_milliseconds_in_the_ttl_attribute_are_counted() {
    let sql = "CREATE TABLE t (id INT PRIMARY KEY, ends BIGINT, code VARCHAR(5));
        INSERT INTO t VALUES (1, 1608000000, 'a'), (2, 1608000000000, 'b'), (3, 1708000000000, 'c'), (4, NULL, 'd')";
    for kind in servers::ALL {
        let mapping = "[entities.T.attributes]\nexpires_at = \"ends\"\n";
        let head = HEAD.replace("name = \"shop\"", "name = \"shop\"\nttl = \"expires_at\"");
        let stage = Stage::new(kind, sql, &format!("{head}{mapping}")).await;
        let dry = stage.migrate("--dry-run --json", 0).await.json();
        let columns = dry["entities"]["T"]["columns"].as_array().unwrap();
        let found: Vec<_> =
            columns.iter().map(|column| (&column["column"], &column["code"], &column["rows"])).collect();
        assert_eq!(found.len(), 1, "{}: {dry}", kind.name());
        assert_eq!(found[0].1, "ttl-milliseconds", "{}", kind.name());
        assert_eq!((found[0].0, found[0].2), (&Value::from("ends"), &Value::from(2)), "{}", kind.name());
    }
}
