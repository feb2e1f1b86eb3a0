//! Values that need more than a table: servers with settings of their own, texts that are none, queries.

use serde_json::{Value, json};

use super::fixtures::{filled, mapping};
use crate::compare;
use crate::servers::{self, Kind};
use crate::stage::{MAPPING, Stage, expect_case};

/// T12, N11, T10: what the database or the role sets is not what the sessions have.
#[tokio::test]
async fn settings_of_a_postgres_database_change_no_value() {
    let mut database = filled(Kind::Postgres, &["postgres.sql"]).await;
    for (setting, value) in [
        ("IntervalStyle", "sql_standard"),
        ("DateStyle", "German, DMY"),
        ("TimeZone", "Asia/Tokyo"),
        ("extra_float_digits", "-15"),
        ("bytea_output", "escape"),
        ("array_nulls", "off"),
        ("default_transaction_isolation", "read committed"),
    ] {
        let name = database.name();
        database.execute(&format!("ALTER DATABASE {name} SET {setting} = '{value}'")).await;
    }
    assert_eq!(database.text("SELECT interval '1 day 2 hours'").await, "1 2:00:00");
    for (file, name) in [("types.toml", "postgres"), ("postgres.arrays.toml", "postgres.arrays")] {
        let stage = Stage::over(database, &mapping(file));
        let shown = stage.migrate("preview --limit 100", 0).await;
        expect_case(&format!("types/{name}.expected"), &stage.shown(&shown));
        database = stage.database;
    }
}

/// N11: what a server casts to text has all digits of its floats.
#[tokio::test]
async fn n11_floats_that_a_server_writes_have_all_their_digits() {
    let sql = "CREATE TABLE orders (id BIGINT PRIMARY KEY, f real, p point, r tstzrange);
               INSERT INTO orders VALUES (1, 500000.5, '(0.1,0.30000000000000004)', NULL), (2, 0.360465, NULL, NULL);";
    let mapping = format!("{MAPPING}\n[entities.Order.let]\ntext = \"f::text\"\n");
    let items = items(&Stage::new(Kind::Postgres, sql, &mapping).await).await;
    assert_eq!(items[0]["text"], json!({"S": "500000.5"}));
    assert_eq!(items[0]["f"], json!({"N": "500000.5"}));
    assert_eq!(items[0]["p"], json!({"S": "(0.1,0.30000000000000004)"}));
    assert_eq!(items[1]["text"], json!({"S": "0.360465"}));
}

/// S06, S20: a query that passes columns on gives what its table gives.
#[tokio::test]
async fn a_query_gives_what_its_table_gives() {
    let tables = [
        (Kind::Postgres, "postgres.sql", "wide", "SELECT * FROM wide"),
        (
            Kind::Postgres,
            "postgres.sql",
            "wide",
            "SELECT w.* FROM (SELECT * FROM wide) AS w JOIN wide USING (id)",
        ),
        (Kind::Postgres, "postgres.sql", "arrays", "SELECT * FROM arrays"),
        (Kind::MySql, "mysql.sql", "wide", "SELECT w.* FROM wide AS w JOIN wide AS v USING (id)"),
        (Kind::Sqlite, "sqlite.sql", "wide", "SELECT * FROM (SELECT * FROM wide)"),
    ];
    for (kind, file, table, query) in tables {
        let from = MAPPING.replace("\"orders\"", &format!("\"{table}\""));
        let stage = Stage::over(filled(kind, &[file]).await, &from);
        let of_table = items(&stage).await;
        let query = format!("query = \"{query}\"\nkey = [\"id\"]");
        stage.folder.write("mapping.toml", &MAPPING.replace("from = \"orders\"", &query));
        let of_query = items(&stage).await;
        assert!(of_table == of_query, "{}: {query}", kind.name());
    }
}

/// N18: MariaDB says BIT of an expression, and sends its digits.
#[tokio::test]
async fn n18_bits_of_expressions_are_numbers() {
    let sql = "CREATE TABLE orders (id BIGINT PRIMARY KEY, one BIT, many BIT(40));
               INSERT INTO orders VALUES (1, b'1', b'1000000000000000000000000000000000000001');";
    let lets =
        "\n[entities.Order.let]\none_more = \"COALESCE(one, NULL)\"\nmore = \"IF(id > 0, many, NULL)\"\n";
    let stage = Stage::new(Kind::MySql, sql, &format!("{MAPPING}{lets}")).await;
    let query = "key = [\"many\"]\nquery = \"SELECT COALESCE(many, NULL) AS many, one FROM orders\"";
    let item = &items(&stage).await[0];
    assert_eq!(item["one"], json!({"BOOL": true}));
    assert_eq!(item["one_more"], json!({"BOOL": true}));
    assert_eq!(item["many"], json!({"N": "549755813889"}));
    assert_eq!(item["more"], item["many"]);
    stage.folder.write(
        "mapping.toml",
        &MAPPING.replace("from = \"orders\"", query).replace("{id:010}", "{many:020}"),
    );
    assert_eq!(items(&stage).await[0]["many"], json!({"N": "549755813889"}));
}

/// The driver for PostgreSQL knows no multiranges, which shows where a statement is only prepared.
#[tokio::test]
async fn s06_multiranges_stand_in_queries_and_expressions() {
    let sql = "CREATE TABLE orders (id BIGINT PRIMARY KEY, slots int4multirange, days datemultirange[]);
               INSERT INTO orders VALUES (1, '{[1,2),[5,6)}', NULL);";
    let lets =
        "\n[entities.Order.let]\nwhole = \"slots + int4multirange(int4range(2, 5))\"\nfirst = \"days[1]\"\n";
    let stage = Stage::new(Kind::Postgres, sql, &format!("{MAPPING}{lets}")).await;
    assert_eq!(items(&stage).await[0]["whole"], json!({"S": "{[1,6)}"}));
    for wrong in [
        "SELECT *, FROM orders",
        "SELECT slots AS id, id FROM orders",
        "SELECT slots, days FROM orders WHERE id = $1",
    ] {
        let query = format!("query = \"{wrong}\"\nkey = [\"id\"]");
        stage.folder.write("mapping.toml", &MAPPING.replace("from = \"orders\"", &query));
        stage.migrate("check", 3).await;
    }
}

/// N14: the types of a query are those of its result.
#[tokio::test]
async fn n14_sums_and_counts_of_a_query_are_exact() {
    let sql = "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT NOT NULL, total DECIMAL(10,2) NOT NULL);
               INSERT INTO orders VALUES (1, 9007199254740993, 19.90), (2, 9007199254740993, 0.10), (3, 7, 0.30);";
    let mapping = MAPPING.replace(
        "from = \"orders\"",
        "key = [\"customer\"]\nquery = \"SELECT customer, count(*) AS orders, sum(id) AS ids, sum(customer) AS \
         customers, sum(total) AS total, avg(id) AS mean FROM orders GROUP BY customer\"",
    );
    let mapping = mapping.replace("{id:010}", "{customer:020}");
    for (kind, mean) in [(Kind::Postgres, "1.5"), (Kind::MySql, "1.5"), (Kind::Sqlite, "1.5")] {
        let items = items(&Stage::new(kind, sql, &mapping).await).await;
        let large = items.iter().find(|item| item["orders"] == json!({"N": "2"})).unwrap();
        assert_eq!(large["ids"], json!({"N": "3"}), "{}", kind.name());
        assert_eq!(large["customers"], json!({"N": "18014398509481986"}), "{}", kind.name());
        assert_eq!(large["total"], json!({"N": "20"}), "{}", kind.name());
        assert_eq!(large["mean"], json!({"N": mean}), "{}", kind.name());
    }
}

/// S19: MySQL's default would cut after 1 MB (MariaDB) or 1 KB.
#[tokio::test]
async fn s19_group_concat_is_not_cut() {
    let sql = "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT NOT NULL, word LONGTEXT NOT NULL);
               INSERT INTO orders WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
                 SELECT i, 7, REPEAT('x', 50000) FROM n;";
    let mapping = MAPPING.replace(
        "from = \"orders\"",
        "key = [\"id\"]\nquery = \"SELECT customer AS id, LENGTH(GROUP_CONCAT(word)) AS length FROM orders GROUP BY \
         customer\"",
    );
    let items = items(&Stage::new(Kind::MySql, sql, &mapping).await).await;
    assert_eq!(items[0]["length"], json!({"N": "1500029"}));
}

/// T10: written at another offset, read by every reader of a load.
#[tokio::test]
async fn t10_a_timestamp_is_the_same_instant_for_every_reader() {
    let sql = "SET time_zone = '+02:00';
               CREATE TABLE orders (id BIGINT PRIMARY KEY, ts TIMESTAMP NULL, dt DATETIME);
               INSERT INTO orders WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
                 SELECT i, '2024-06-01 08:30:00', '2024-06-01 08:30:00' FROM n;";
    let stage =
        Stage::new(Kind::MySql, sql, &MAPPING.replace("[table]", "readers = 4\npage_rows = 10\n\n[table]"))
            .await
            .with_dynamodb()
            .await;
    stage.migrate("run --create-table", 0).await;
    let written = compare::scan(&stage.client(), "shop").await;
    assert_eq!(written.len(), 400);
    for item in written.values() {
        assert_eq!(item["ts"], json!({"S": "2024-06-01T06:30:00Z"}));
        assert_eq!(item["dt"], json!({"S": "2024-06-01T08:30:00"}));
    }
}

/// A database without an encoding holds any bytes: rows, and whole pages of them, are rejected by name.
#[tokio::test]
async fn texts_of_no_encoding_are_rejected_by_row() {
    let database = servers::postgres_in("SQL_ASCII").await;
    let sql = "CREATE TABLE orders (id BIGINT PRIMARY KEY, note text, tags text[]);
               INSERT INTO orders SELECT g, CASE WHEN g <= 12 THEN E'\\xff' ELSE 'plain' END FROM generate_series(1, 30) g;
               INSERT INTO orders VALUES (31, NULL, ARRAY['a', E'\\xe9']), (32, E'\\xc3\\xa9', '{a}');";
    database.execute(sql).await;
    let mapping = MAPPING.replace("[table]", "page_rows = 5\n\n[table]");
    let stage = Stage::over(database, &mapping).with_dynamodb().await;
    let report = stage.migrate("run --create-table --json", 4).await.json();
    assert_eq!(report["totals"]["rejected"], json!(13), "{report}");
    let written = compare::scan(&stage.client(), "shop").await;
    assert_eq!(written.len(), 19);
    let last = written.values().find(|item| item["id"] == json!({"N": "32"})).unwrap();
    assert_eq!(last["note"], json!({"S": "é"}));
    stage.migrate("verify", 0).await;
}

/// So are labels of enums, which the driver would look up as texts.
#[tokio::test]
async fn labels_of_no_encoding_are_rejected_by_row() {
    let sql = "CREATE TYPE mood AS ENUM ('ok', E'\\xe9', E'\\xc3\\xa9');
               CREATE DOMAIN feeling AS mood;
               CREATE TABLE orders (id BIGINT NOT NULL, mood mood NOT NULL, own feeling, moods mood[], PRIMARY KEY (mood, id));
               INSERT INTO orders SELECT g, 'ok', 'ok', '{ok}' FROM generate_series(1, 7) g;
               INSERT INTO orders VALUES (8, E'\\xe9', 'ok', '{ok}'), (9, 'ok', E'\\xe9', '{ok}'), (10, 'ok', 'ok', E'{ok,\\xe9}'),
                                         (11, E'\\xc3\\xa9', E'\\xc3\\xa9', E'{\\xc3\\xa9}');";
    let query = "query = \"SELECT *, mood AS again FROM orders\"\nkey = [\"mood\", \"id\"]";
    for rows in ["from = \"orders\"", query] {
        let database = servers::postgres_in("SQL_ASCII").await;
        database.execute(sql).await;
        let mapping =
            MAPPING.replace("[table]", "page_rows = 3\n\n[table]").replace("from = \"orders\"", rows);
        let mapping = mapping.replace("sk = \"ORDER\"", "sk = \"ORDER\"\ncolumns = \"*\"");
        let stage = Stage::over(database, &format!("{mapping}\n[entities.Order.let]\nplain = \"mood\"\n"));
        let stage = stage.with_dynamodb().await;
        let report = stage.migrate("run --create-table --json", 4).await.json();
        assert_eq!(report["entities"]["Order"]["rejected_by"], json!({"text_invalid": 3}), "{report}");
        let written = compare::scan(&stage.client(), "shop").await;
        assert_eq!(written.len(), 8);
        let last = written.values().find(|item| item["id"] == json!({"N": "11"})).unwrap();
        let (one, list) = (json!({"S": "é"}), json!({"L": [{"S": "é"}]}));
        assert_eq!([&last["mood"], &last["own"], &last["plain"], &last["moods"]], [&one, &one, &one, &list]);
        stage.migrate("verify", 0).await;
    }
}

/// As keys of the source they are positions like others.
#[tokio::test]
async fn texts_of_no_encoding_may_be_keys_of_the_source() {
    let postgres = servers::postgres_in("SQL_ASCII").await;
    let (create, number) = (
        "CREATE TABLE orders (part text NOT NULL, id text NOT NULL, PRIMARY KEY (part, id));",
        "lpad(g::text, 3, '0')",
    );
    let rows = format!("INSERT INTO orders SELECT 'p', {number} FROM generate_series(1, 60) g WHERE g % 3 > 0;
                        INSERT INTO orders SELECT E'p\\xff', {number} || E'\\xe9' FROM generate_series(1, 60) g;");
    postgres.execute(&format!("{create} {rows}")).await;
    let sqlite = servers::sqlite().await;
    let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
                INSERT INTO orders SELECT 'p', printf('%03d', i) FROM n WHERE i % 3 > 0;
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
                INSERT INTO orders SELECT CAST(x'70ff' AS TEXT), CAST(CAST(printf('%03d', i) AS BLOB) || x'e9' AS TEXT) FROM n;";
    sqlite.execute(&format!("{create} {rows}")).await;
    let mapping =
        MAPPING.replace("[table]", "page_rows = 5\n\n[table]").replace("{id:010}", "{part:escape}#{id}");
    for database in [postgres, sqlite] {
        let stage = Stage::over(database, &mapping).with_dynamodb().await;
        let report = stage.migrate("run --create-table --json", 4).await.json();
        assert_eq!(report["totals"]["rejected"], json!(60), "{report}");
        assert_eq!(compare::scan(&stage.client(), "shop").await.len(), 40);
        stage.migrate("verify", 0).await;
    }
}

/// A database of another encoding is converted by its server.
#[tokio::test]
async fn texts_of_another_encoding_are_converted() {
    let database = servers::postgres_in("LATIN1").await;
    database
        .execute(
            "CREATE TABLE orders (id BIGINT PRIMARY KEY, note text); INSERT INTO orders VALUES (1, 'é');",
        )
        .await;
    let items = items(&Stage::over(database, MAPPING)).await;
    assert_eq!(items[0]["note"], json!({"S": "é"}));
}

/// As docs/types.md says: a `let` column in the place of the column that it is made of.
#[tokio::test]
async fn a_let_column_takes_the_place_of_its_column() {
    let document = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/types.md")).unwrap();
    let blocks: Vec<&str> =
        document.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let sql =
        "CREATE EXTENSION hstore; CREATE TABLE orders (id BIGINT PRIMARY KEY, attrs hstore, total numeric);
               INSERT INTO orders VALUES (1, 'a=>1', 19.90);";
    let all = MAPPING.replace("sk = \"ORDER\"", "sk = \"ORDER\"\ncolumns = \"*\"");
    let stage = Stage::new(Kind::Postgres, sql, &format!("{all}\n{}", blocks[1])).await;
    let key = json!({"PK": {"S": "ORDER#0000000001"}, "SK": {"S": "ORDER"}, "id": {"N": "1"}});
    let mut item = key.clone();
    item["total"] = json!({"N": "19.9"});
    item["attrs"] = json!({"M": {"a": {"S": "1"}}});
    assert_eq!(items(&stage).await, [item]);
    stage.folder.write("mapping.toml", &format!("{all}\n{}", blocks[0]));
    let mut item = key;
    item["total"] = json!({"S": "19.9"});
    item["Total"] = json!({"S": "19.9"});
    item["attrs"] = json!({"S": "\"a\"=>\"1\""});
    assert_eq!(items(&stage).await, [item]);
}

/// K21: a server that pads CHAR again is told not to.
#[tokio::test]
async fn k21_mysql_pads_no_char_whatever_its_mode() {
    let server = servers::PrivateServer::mysql().await;
    servers::run(Kind::MySql, &server.url(), "SET GLOBAL sql_mode = 'PAD_CHAR_TO_FULL_LENGTH,ANSI_QUOTES'")
        .await
        .unwrap();
    let database = server.database().await;
    database
        .execute(
            "CREATE TABLE orders (id BIGINT PRIMARY KEY, c CHAR(10)); INSERT INTO orders VALUES (1, 'AB')",
        )
        .await;
    let items = items(&Stage::over(database, &MAPPING.replace("ORDER#{id:010}", "ORDER#{id:010}#{c}"))).await;
    assert_eq!(items[0]["PK"], json!({"S": "ORDER#0000000001#AB"}));
    assert_eq!(items[0]["c"], json!({"S": "AB"}));
}

/// Z03: numbers of rows about a batch of 25, none at all too.
#[tokio::test]
async fn z03_tables_of_a_batch_more_or_less_are_loaded() {
    for rows in [0, 1, 24, 25, 26, 50] {
        let sql = format!(
            "CREATE TABLE orders (id INTEGER PRIMARY KEY);
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
             INSERT INTO orders SELECT i FROM n WHERE i <= {rows};"
        );
        let stage = Stage::new(Kind::Sqlite, &sql, MAPPING).await.with_dynamodb().await;
        let report = stage.migrate("run --create-table --json", 0).await.json();
        assert_eq!(report["totals"]["written"], json!(rows));
        assert_eq!(stage.client().scan("shop", None).await.len(), rows);
        stage.migrate("verify", 0).await;
    }
}

/// T13, T14, T15: seconds as a number, and rows that have expired are loaded like any other: no command switches
/// expiry on.
#[tokio::test]
async fn t15_expired_rows_are_loaded_and_nothing_expires_them() {
    let sql = "CREATE TABLE orders (id BIGINT PRIMARY KEY, purge_after timestamptz);
               INSERT INTO orders VALUES (1, '2001-09-09 01:46:40.9+00'), (2, '2033-05-18 03:33:20+00'), (3, NULL);";
    let mapping = MAPPING.replace("name = \"shop\"", "name = \"shop\"\nttl = \"expires_at\"");
    let expiry =
        "\n[entities.Order.attributes]\nexpires_at = { column = \"purge_after\", format = \"epoch\" }\n";
    let stage = Stage::new(Kind::Postgres, sql, &format!("{mapping}{expiry}")).await.with_dynamodb().await;
    stage.migrate("run --create-table", 0).await;
    let written = compare::scan(&stage.client(), "shop").await;
    let expiries: Vec<Option<&Value>> = written.values().map(|item| item.get("expires_at")).collect();
    let (past, future) = (json!({"N": "1000000000"}), json!({"N": "2000000000"}));
    assert_eq!(expiries, [Some(&past), Some(&future), None]);
    let table = stage.client().call("DescribeTimeToLive", json!({"TableName": "shop"})).await;
    assert_eq!(table["TimeToLiveDescription"]["TimeToLiveStatus"], json!("DISABLED"));
    stage.migrate("verify", 0).await;
}

/// The server writes money, intervals and ranges as its settings say; items are the same.
#[tokio::test]
async fn n19_t06_t12_a_servers_locale_and_styles_change_no_value() {
    let sql = "CREATE TABLE orders (id BIGINT PRIMARY KEY, price money, span interval, valid tstzrange);
               INSERT INTO orders VALUES
               (1, '-1234.56', '1 year 2 mons 3 days 04:05:06.789', '[-infinity,infinity]'), (2, '0.01', '-1 day', 'empty');";
    let mut seen = Vec::new();
    for (style, locale) in
        [("postgres", "C"), ("sql_standard", "C.UTF-8"), ("postgres_verbose", "C"), ("iso_8601", "C")]
    {
        let stage = Stage::new(Kind::Postgres, sql, MAPPING).await;
        let name = stage.database.name();
        let set = format!(
            "ALTER DATABASE {name} SET IntervalStyle = '{style}'; ALTER DATABASE {name} SET lc_monetary = '{locale}'"
        );
        stage.database.execute(&set).await;
        seen.push(items(&stage).await);
    }
    assert_eq!(seen[0][0]["price"], json!({"N": "-1234.56"}));
    assert_eq!(seen[0][0]["span"], json!({"S": "P1Y2M3DT4H5M6.789S"}));
    assert_eq!(seen[0][0]["valid"], json!({"S": "[-infinity,infinity]"}));
    assert_eq!(seen[0][1]["price"], json!({"N": "0.01"}));
    assert_eq!(seen[0][1]["span"], json!({"S": "P-1D"}));
    assert_eq!(seen[0][1]["valid"], json!({"S": "empty"}));
    assert!(seen.iter().all(|items| *items == seen[0]), "{seen:#?}");
}

/// MariaDB's JSON is a text with a check; one without the check stays a text.
#[tokio::test]
async fn s02_mariadbs_json_is_a_document() {
    let sql = r#"CREATE TABLE orders (id BIGINT PRIMARY KEY, doc JSON, note LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin);
               INSERT INTO orders VALUES (1, '{"a": [1, "b"]}', '{"a": 1}');"#;
    let items = items(&Stage::new(Kind::MySql, sql, MAPPING).await).await;
    assert_eq!(items[0]["doc"], json!({"M": {"a": {"L": [{"N": "1"}, {"S": "b"}]}}}));
    assert_eq!(items[0]["note"], json!({"S": "{\"a\": 1}"}));
}

/// The items of the entity `Order`, in the order of its key.
async fn items(stage: &Stage) -> Vec<Value> {
    let document = stage.migrate("preview --limit 100 --json", 0).await.json();
    let rows = document["entities"]["Order"]["rows"].as_array().unwrap();
    rows.iter().map(|row| row["item"].clone()).collect()
}

fn texts(pk: &str) -> String {
    MAPPING.replace("from = \"orders\"", "from = \"t\"").replace("ORDER#{id:010}", pk)
}

/// Characters without Unicode, which MariaDB itself reads as `?` or `\`: a row of another text would be taken for
/// theirs, so they are rejected by name, in a key too.
#[tokio::test]
async fn texts_that_the_server_cannot_convert_are_rejected_by_name() {
    let sql = "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(9) CHARACTER SET sjis, u VARCHAR(9) CHARACTER SET ujis,
                 r VARCHAR(9) CHARACTER SET cp1251, d VARCHAR(9) CHARACTER SET dec8, w VARCHAR(9) CHARACTER SET ucs2);
        INSERT INTO t VALUES (1, x'815f', NULL, NULL, NULL, NULL), (2, NULL, x'a1c0', NULL, NULL, NULL),
          (3, NULL, NULL, x'98', NULL, NULL), (4, NULL, NULL, NULL, x'a4', NULL), (5, NULL, NULL, NULL, NULL, x'd83d'),
          (6, x'83489983', x'a4a2', x'c6', 'a', x'0416'), (7, '?', '?', '?', '?', '?'), (8, '', '', '', '', '')";
    let stage = Stage::new(Kind::MySql, sql, &texts("T#{id}")).await.with_dynamodb().await;
    let run = stage.migrate("--create-table --json", 4).await.json();
    assert_eq!(run["entities"]["Order"]["rejected_by"], json!({"text_invalid": 3}), "{run}");
    let items = compare::scan(&stage.client(), "shop").await;
    for (id, column) in [("1", "s"), ("2", "u")] {
        let item = items.values().find(|item| item["id"]["N"] == id).unwrap();
        assert_eq!(item[column], json!({"S": "＼"}), "the wide backslash is not the narrow one");
    }
    let six = items.values().find(|item| item["id"]["N"] == "6").unwrap();
    assert_eq!((&six["u"]["S"], &six["r"]["S"], &six["w"]["S"]), (&json!("あ"), &json!("Ж"), &json!("Ж")));
    stage.migrate("verify", 0).await;
}

#[tokio::test]
async fn keys_of_other_character_sets_are_paged_by_their_bytes() {
    for (charset, collation, odd) in [
        ("cp1251", "cp1251_bin", "x'98'"),
        ("cp1251", "cp1251_general_ci", "x'98'"),
        ("ucs2", "ucs2_bin", "x'd83d'"),
    ] {
        let sql = format!(
            "CREATE TABLE t (k VARCHAR(9) CHARACTER SET {charset} COLLATE {collation} PRIMARY KEY, v INT);
             INSERT INTO t VALUES ('a', 1), ({odd}, 2), ('z', 3), ('q', 4), ('?', 5)"
        );
        let mapping = texts("T#{k}").replace("\"\n\n[table]", "\"\npage_rows = 1\n\n[table]");
        let stage = Stage::new(Kind::MySql, &sql, &mapping).await.with_dynamodb().await;
        let run = stage.migrate("--create-table --json", 4).await.json();
        let totals = (&run["totals"]["read"], &run["totals"]["written"], &run["totals"]["rejected"]);
        assert_eq!(totals, (&json!(5), &json!(4), &json!(1)), "{collation}: {run}");
        stage.migrate("verify", 0).await;
        stage.migrate("preview --key k=q", 0).await;
    }
}

/// MariaDB's cache of subqueries takes `fr` for `FR`, whatever the subquery compares.
#[tokio::test]
async fn a_subquery_is_answered_for_each_spelling() {
    let sql = "CREATE TABLE p (k VARCHAR(9) COLLATE utf8mb4_bin PRIMARY KEY, n INT);
        INSERT INTO p VALUES ('FR', 1), ('fr', 2);
        CREATE TABLE t (id INT PRIMARY KEY, k VARCHAR(9) COLLATE utf8mb4_general_ci);
        INSERT INTO t VALUES (1, 'FR'), (2, 'fr'), (3, 'FR'), (4, 'fr')";
    let found = "n = \"(SELECT p.n FROM p WHERE p.k = CAST(t.k AS BINARY))\"";
    let mapping = format!("{}\n[entities.Order.let]\n{found}\n", texts("T#{id}"));
    let items = items(&Stage::new(Kind::MySql, sql, &mapping).await).await;
    let numbers: Vec<_> = items.iter().map(|item| item["n"]["N"].as_str().unwrap()).collect();
    assert_eq!(numbers, ["1", "2", "1", "2"]);
}
