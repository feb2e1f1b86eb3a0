//! `check --deep`: texts in keys that are near to others, planted in each database and counted exactly.

use serde_json::{Value, json};

use crate::servers::{self, Kind};
use crate::stage::{Stage, expect_case, names};

const MAPPING: &str = r##"[source]
url = "${DATABASE_URL}"

[table]
name = "shop"
endpoint = "${DYNAMODB_ENDPOINT:-embedded}"

[table.indexes.GSI1]
partition_key = "GSI1PK"
sort_key = "GSI1SK"

[entities.Country]
from = "country"
pk = "COUNTRY#{code}"
sk = "COUNTRY"

[entities.City]
from = "city"
pk = "COUNTRY#{country_code}"
sk = "CITY#{id:010}"

[entities.City.index.GSI1]
pk = "DISTRICT#{district}"
sk = "CITY"
"##;

/// How each database declares a text that refers in any case, and one of exact bytes.
fn schema(kind: Kind) -> String {
    let (before, loose, exact) = match kind {
        Kind::Postgres => (
            "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);",
            "varchar(20) COLLATE loose",
            "varchar(20)",
        ),
        Kind::MySql => {
            ("", "varchar(20) COLLATE utf8mb4_general_ci", "varchar(20) COLLATE utf8mb4_nopad_bin")
        }
        Kind::Sqlite => ("", "TEXT COLLATE NOCASE", "TEXT"),
    };
    format!(
        "{before}
         CREATE TABLE country (code {loose} NOT NULL PRIMARY KEY, name varchar(50) NOT NULL);
         CREATE TABLE city (id int PRIMARY KEY, country_code {loose} NOT NULL, district {exact} NOT NULL,
                            FOREIGN KEY (country_code) REFERENCES country (code));
         INSERT INTO country VALUES ('FR', 'France'), ('de', 'Germany'), ('IT', 'Italy');"
    )
}

/// Seven cities: three that spell their country otherwise; districts with four twins, one by its normal form.
const CITIES: &str =
    "INSERT INTO city VALUES (1, 'FR', 'North'), (2, 'fr', 'north'), (3, 'Fr', 'South'), (4, 'DE', 'Süd'),
     (5, 'de', 'Su\u{308}d'), (6, 'IT', 'East'), (7, 'IT', 'East');";

fn deep(document: &Value) -> Vec<Value> {
    document["deep"].as_array().expect("--deep").clone()
}

/// K19: children by `=` of the database; K20: twins by trim, lower and NFC.
#[tokio::test]
async fn k19_k20_children_and_twins_are_counted_on_each_database() {
    for kind in servers::ALL {
        let stage = Stage::new(kind, &format!("{} {CITIES}", schema(kind)), MAPPING).await;
        let finished = stage.migrate("check --deep --json", 0).await;
        let document = finished.json();
        let expected = [
            json!({"entity": "City", "code": "near-parent", "column": "country_code", "parent": "country", "rows": 3,
                   "examples": [{"id": "2"}, {"id": "3"}, {"id": "4"}]}),
            json!({"entity": "City", "code": "near-twins", "column": "district", "parent": null, "rows": 4,
                   "examples": [{"id": "2"}, {"id": "5"}]}),
        ];
        assert_eq!(deep(&document), expected, "{}", kind.name());
        let findings = document["findings"].as_array().unwrap();
        let near: Vec<&Value> =
            findings.iter().filter(|finding| text(&finding["code"]).starts_with("near-")).collect();
        assert_eq!(near.len(), 2);
        for finding in near {
            assert_eq!(finding["severity"], "warning");
            assert!(finding["line"].is_u64() && finding["help"].is_string(), "{finding}");
            assert!(!text(&finding["message"]).contains("North"), "no values of cells: {finding}");
        }
        assert!(finished.stderr.contains("--deep: joins City"), "{}", finished.stderr);
        assert!(finished.stderr.contains("--deep: reads code of Country"), "{}", finished.stderr);
    }
}

#[tokio::test]
async fn a_deep_check_says_what_it_reads_and_what_to_do() {
    let kind = Kind::Sqlite;
    let stage = Stage::new(kind, &format!("{} {CITIES}", schema(kind)), MAPPING).await;
    let finished = stage.migrate("check --deep", 0).await;
    expect_case("check-deep.expected", &stage.shown(&finished));
}

/// Without the flag no row is read; with exact texts or keys that fold there is nothing to say.
#[tokio::test]
async fn k19_k20_canonical_keys_have_no_twins_but_other_normal_forms() {
    let folded = MAPPING
        .replace("{code}", "{code:trim|lower}")
        .replace("{country_code}", "{country_code:trim|lower}")
        .replace("{district}", "{district:lower}");
    for kind in servers::ALL {
        let stage = Stage::new(kind, &format!("{} {CITIES}", schema(kind)), &folded).await;
        assert!(!names(&stage.migrate("check --json", 0).await.json()).contains(&"deep".to_owned()));
        let document = stage.migrate("check --deep --json", 0).await.json();
        let expected =
            [json!({"entity": "City", "code": "near-twins", "column": "district", "parent": null, "rows": 2,
                               "examples": [{"id": "5"}]})];
        assert_eq!(deep(&document), expected, "{}", kind.name());
        // A parent whose key does not fold is missed by all whose does.
        let half = folded.replace("{code:trim|lower}", "{code}");
        stage.folder.write("mapping.toml", &half);
        let document = stage.migrate("check --deep --json", 0).await.json();
        let rows = &deep(&document)[0];
        assert_eq!((&rows["code"], &rows["rows"]), (&json!("near-parent"), &json!(5)), "{}", kind.name());
    }
}

/// Foreign keys that nobody enforced: what no parent equals, but for case and blanks.
#[tokio::test]
async fn k19_orphans_that_are_near_to_a_parent_are_children_of_it() {
    let table = |text: &str| {
        format!(
            "CREATE TABLE \"Par ent\" (org int NOT NULL, id {text} NOT NULL, PRIMARY KEY (org, id));
             CREATE TABLE child (n int PRIMARY KEY, org int, pid {text},
                                 FOREIGN KEY (org, pid) REFERENCES \"Par ent\" (org, id));
             INSERT INTO \"Par ent\" VALUES (1, 'ABC'), (1, 'x'), (2, 'abc');
             INSERT INTO child VALUES (1, 1, 'ABC'), (2, 1, 'abc'), (3, 1, ' ABC '), (4, 2, 'ABC'), (5, 1, 'y'), (6, 3, 'abc'),
                                      (7, 1, NULL), (8, NULL, 'abc');"
        )
    };
    let mapping = "[source]\nurl = \"${DATABASE_URL}\"\n\n[table]\nname = \"shop\"\nendpoint = \"embedded\"\n\n\
                   [entities.Child]\nfrom = \"child\"\npk = \"P#{org:04}#{pid}\"\nsk = \"C#{n:010}\"\n";
    for kind in servers::ALL {
        let sql = match kind {
            Kind::Postgres => format!("SET session_replication_role = replica; {}", table("varchar(20)")),
            Kind::MySql => {
                let sql = table("varchar(20) COLLATE utf8mb4_nopad_bin").replace('"', "`");
                format!("SET foreign_key_checks = 0; {sql}")
            }
            Kind::Sqlite => format!("PRAGMA foreign_keys = off; {}", table("TEXT")),
        };
        let stage = Stage::new(kind, &sql, mapping).await;
        let document = stage.migrate("check --deep --json", 0).await.json();
        // As the catalog has it.
        let table_name = if kind == Kind::Postgres { "\"Par ent\"" } else { "Par ent" };
        let expected = [
            json!({"entity": "Child", "code": "near-parent", "column": "pid", "parent": table_name, "rows": 3,
                               "examples": [{"n": "2"}, {"n": "3"}, {"n": "4"}]}),
        ];
        assert_eq!(deep(&document), expected, "{}", kind.name());
    }
}

/// K20: blanks at the end, which PAD SPACE and RTRIM leave out; normal forms, which collations of ICU do.
#[tokio::test]
async fn k19_k20_a_parent_may_differ_by_blanks_or_by_normal_form() {
    for (kind, text, child) in [
        (Kind::Postgres, "varchar(20) COLLATE loose", "a\u{308}b"),
        (Kind::MySql, "varchar(20) COLLATE utf8mb4_bin", "\u{e4}b "),
        (Kind::Sqlite, "TEXT COLLATE RTRIM", "\u{e4}b  "),
    ] {
        let before = match kind {
            Kind::Postgres => {
                "CREATE COLLATION loose (provider = icu, locale = 'und', deterministic = false);"
            }
            _ => "",
        };
        // SQLite's way to mean the primary key.
        let referenced = if kind == Kind::Sqlite { "" } else { "(id)" };
        let sql = format!(
            "{before} CREATE TABLE par (id {text} NOT NULL PRIMARY KEY);
             CREATE TABLE chi (n int PRIMARY KEY, pid {text} NOT NULL, FOREIGN KEY (pid) REFERENCES par {referenced});
             INSERT INTO par VALUES ('\u{e4}b'), ('c'); INSERT INTO chi VALUES (1, '\u{e4}b'), (2, '{child}'), (3, 'c');"
        );
        let mapping = "[source]\nurl = \"${DATABASE_URL}\"\n\n[table]\nname = \"shop\"\nendpoint = \"embedded\"\n\n\
                       [entities.Child]\nfrom = \"chi\"\npk = \"P#{pid}\"\nsk = \"C#{n:010}\"\n";
        let stage = Stage::new(kind, &sql, mapping).await;
        let document = stage.migrate("check --deep --json", 0).await.json();
        let expected =
            [json!({"entity": "Child", "code": "near-parent", "column": "pid", "parent": "par", "rows": 1,
                               "examples": [{"n": "2"}]})];
        assert_eq!(deep(&document), expected, "{}", kind.name());
    }
}

/// Five examples at most, by source key; hashed on demand. A `where` leaves its rows out.
#[tokio::test]
async fn examples_are_few_and_may_be_hashed() {
    let rows: Vec<String> =
        (1..=40).map(|id| format!("({id}, '{}')", if id % 2 == 0 { "a" } else { "A" })).collect();
    let sql = format!(
        "CREATE TABLE word (id int PRIMARY KEY, word varchar(20) NOT NULL); INSERT INTO word VALUES {}",
        rows.join(", ")
    );
    let mapping = "[source]\nurl = \"${DATABASE_URL}\"\n\n[table]\nname = \"shop\"\nendpoint = \"embedded\"\n\n\
                   [entities.Word]\nfrom = \"word\"\nwhere = \"id > 10\"\npk = \"W#{word}\"\nsk = \"W#{id:010}\"\n";
    let stage = Stage::new(Kind::Sqlite, &sql, mapping).await;
    let found = deep(&stage.migrate("check --deep --json", 0).await.json());
    let keys = ["12", "14", "16", "18", "20"].map(|id| json!({"id": id}));
    assert_eq!((&found[0]["rows"], &found[0]["examples"]), (&json!(30), &json!(keys)));
    let hashed = stage.migrate("check --deep --redact", 0).await;
    assert!(
        hashed.stderr.contains("30 rows of `Word`") && !hashed.stderr.contains("id=12"),
        "{}",
        hashed.stderr
    );
    stage.migrate("check --deep --offline", 2).await;
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}
