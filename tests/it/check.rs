//! Mistakes that only the database can show: each folder of `tests/cases/check/` holds a mapping, the SQL
//! of its source (`source.KIND.sql`), perhaps further flags (`args`), and the whole output.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::servers::{self, Kind};
use crate::stage::{MAPPING, ORDERS, Stage, expect_case};

#[tokio::test]
async fn every_mistake_that_needs_the_database_is_shown_at_its_place() {
    let cases = cases();
    assert!(cases.len() >= 20, "found only {} cases", cases.len());
    for case in cases {
        let name = case.file_name().unwrap().to_str().unwrap().to_owned();
        let (kind, sql) = source(&case);
        let mapping = std::fs::read_to_string(case.join("mapping.toml")).unwrap();
        let stage = Stage::new(kind, &sql, &mapping).await;
        let args = std::fs::read_to_string(case.join("args")).unwrap_or_default();
        let finished = stage.tool(&format!("check {args}")).run().await;
        expect_case(&format!("check/{name}/expected"), &stage.shown(&finished));
        // What `check` lets pass, a dry run does; what it refuses, a run refuses.
        let run = stage.tool(&format!("--dry-run --json {args}")).run().await;
        let mistakes = finished.code() == Some(3);
        assert_eq!(run.code() == Some(3), mistakes, "{name}: {}", run.stderr);
        assert!(matches!(finished.code(), Some(0 | 3)), "{name}: {}", finished.stderr);
    }
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/check");
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    cases
}

fn source(case: &Path) -> (Kind, String) {
    let mut sources = servers::ALL.into_iter().filter_map(|kind| {
        let path = case.join(format!("source.{}.sql", kind.name()));
        std::fs::read_to_string(path).ok().map(|sql| (kind, sql))
    });
    sources.next().unwrap_or_else(|| panic!("{} has no source.KIND.sql", case.display()))
}

/// The exit code, codes of the findings with their severity, and the proofs, by JSON.
async fn found(kind: Kind, sql: &str, mapping: &str, args: &str) -> (i32, Vec<String>, Value) {
    let stage = Stage::new(kind, sql, mapping).await;
    let finished = stage.tool(&format!("check --json {args}")).run().await;
    let document = finished.json();
    let findings = document["findings"].as_array().unwrap().iter();
    let findings = findings.filter(|finding| finding["severity"] != "note");
    let findings =
        findings.map(|finding| format!("{} {}", finding["severity"], finding["code"]).replace('"', ""));
    (finished.code().unwrap(), findings.collect(), document["entities"].clone())
}

fn keyed(rows: &str, pk: &str, sk: &str) -> String {
    MAPPING
        .replace("from = \"orders\"", rows)
        .replace("ORDER#{id:010}", pk)
        .replace("sk = \"ORDER\"", &format!("sk = \"{sk}\""))
}

#[tokio::test]
async fn unproven_keys_are_warnings_since_a_run_counts_them() {
    let visits = "CREATE TABLE visit (id int PRIMARY KEY, user_id int NOT NULL, day date NOT NULL)";
    for kind in servers::ALL {
        let mapping = keyed("from = \"visit\"", "U#{user_id:010}", "D#{day}");
        let (code, findings, proofs) = found(kind, visits, &mapping, "").await;
        assert_eq!((code, findings), (0, vec!["warning unproven-keys".to_owned()]), "{}", kind.name());
        assert_eq!(proofs["Order"]["key_proof"]["status"], "unproven");
        let mapping = keyed("from = \"visit\"", "U#{user_id:010}", "D#{day}#{id:010}");
        let (code, findings, proofs) = found(kind, visits, &mapping, "").await;
        assert_eq!((code, findings), (0, vec![]), "{}", kind.name());
        let by = proofs["Order"]["key_proof"]["by"].as_str().unwrap();
        assert!(by.starts_with("pk and sk hold the primary key (id)"), "{}: {by}", kind.name());
    }
}

/// A column of a query may be NULL for all that is known: silence, since the load would reject it by
/// name anyway.
#[tokio::test]
async fn nothing_is_said_of_null_where_nothing_is_known() {
    let rows = ["query = \"SELECT * FROM orders\"\nkey = [\"id\"]", "from = \"seen\"\nkey = [\"id\"]"];
    let sql = format!("{ORDERS} CREATE VIEW seen AS SELECT * FROM orders");
    for kind in servers::ALL {
        for rows in rows {
            let mapping = keyed(rows, "C#{customer:010}", "O#{id:010}");
            let (code, findings, _) = found(kind, &sql, &mapping, "").await;
            assert_eq!((code, findings), (0, vec![]), "{} {rows}", kind.name());
        }
        let nullable = "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer INT)";
        let mapping = keyed("from = \"orders\"", "C#{customer:010}", "O#{id:010}");
        let (code, findings, _) = found(kind, nullable, &mapping, "").await;
        assert_eq!((code, findings), (0, vec!["warning nullable-in-key".to_owned()]), "{}", kind.name());
    }
}

#[tokio::test]
async fn a_check_reads_the_mapping_alone_when_offline() {
    let stage = Stage::orders().await;
    let offline =
        stage.tool("check --offline").env("DATABASE_URL", "postgres://nobody@127.0.0.1:1/x").run().await;
    expect_case("check-offline.expected", &stage.shown(&offline));
    let wrong = MAPPING.replace("sk = \"ORDER\"", "sk = \"ORDER#{id:shrd(8)}\"");
    stage.folder.write("mapping.toml", &wrong);
    stage.migrate("check --offline", 3).await;
}

#[tokio::test]
async fn check_writes_nothing() {
    let stage = Stage::orders().await.at("http://127.0.0.1:1");
    stage.migrate("check", 0).await;
    assert_eq!(stage.folder.files(), ["mapping.toml"]);
}

#[tokio::test]
async fn quiet_checks_say_only_mistakes() {
    let sql = "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer INT)";
    let mapping = keyed("from = \"orders\"", "C#{customer:010}", "O#{id:010}");
    let stage = Stage::new(Kind::Sqlite, sql, &mapping).await;
    assert!(stage.migrate("check", 0).await.stderr.contains("nullable-in-key"));
    assert_eq!(stage.migrate("check --quiet", 0).await.stderr, "");
    stage.folder.write("mapping.toml", &mapping.replace("customer", "custommer"));
    let shown = stage.migrate("check --quiet --json", 3).await;
    assert_eq!(shown.json()["error"]["code"], json!("unknown-column"));
}
