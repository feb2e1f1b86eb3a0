//! One wide table a database, with a column of every type: loaded, verified, and shown.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::compare;
use crate::servers::{Database, Kind};
use crate::stage::{Stage, expect_case};

/// N02, N08, N09, N12, N13, N15, N16, N18, N19, T05, T06, T08, T12, S05, S06, S08, S09, S11, S15, S16, S20, S22.
#[tokio::test]
async fn every_type_of_postgres_is_loaded_and_verified() {
    let database = filled(Kind::Postgres, &["postgres.sql"]).await;
    let stage = verified(database, "types.toml", "postgres").await;
    let stage = verified(stage.database, "postgres.arrays.toml", "postgres.arrays").await;
    let domains = mapping("postgres.arrays.toml").replace("\"arrays\"", "\"domains\"");
    let stage = Stage::over(stage.database, &domains).with_dynamodb().await;
    loaded(&stage).await;
    let shown = stage.migrate("preview", 0).await;
    expect_case("types/postgres.domains.expected", &stage.shown(&shown));
}

/// N09, N13, N15, N17, N18, T01, S02, S11, S12, S20, S22, K21, K25.
#[tokio::test]
async fn every_type_of_mysql_is_loaded_and_verified() {
    let database = filled(Kind::MySql, &["mysql.sql"]).await;
    // MySQL itself prints some of them otherwise.
    if database.text("SELECT VERSION()").await.contains("MariaDB") {
        run_file(&database, "mariadb.sql").await;
        verified(database, "types.toml", "mysql").await;
    } else {
        loaded(&Stage::over(database, &mapping("types.toml")).with_dynamodb().await).await;
    }
}

/// N13, S20, S22.
#[tokio::test]
async fn every_type_of_sqlite_is_loaded_and_verified() {
    let database = filled(Kind::Sqlite, &["sqlite.sql"]).await;
    let stage = verified(database, "types.toml", "sqlite").await;
    let strict = mapping("types.toml").replace("from = \"wide\"", "from = \"strict_one\"");
    let stage = Stage::over(stage.database, &strict).with_dynamodb().await;
    loaded(&stage).await;
    let shown = stage.migrate("preview", 0).await;
    expect_case("types/sqlite.strict.expected", &stage.shown(&shown));
}

/// Loads and verifies, and shows the items.
async fn verified(database: Database, file: &str, name: &str) -> Stage {
    let stage = Stage::over(database, &mapping(file)).with_dynamodb().await;
    loaded(&stage).await;
    let shown = stage.migrate("preview --limit 100", 0).await;
    expect_case(&format!("types/{name}.expected"), &stage.shown(&shown));
    stage
}

async fn loaded(stage: &Stage) {
    stage.migrate("run --create-table", 0).await;
    stage.migrate("verify", 0).await;
}

pub(super) async fn filled(kind: Kind, files: &[&str]) -> Database {
    let database = kind.database().await;
    for file in files {
        run_file(&database, file).await;
    }
    database
}

async fn run_file(database: &Database, file: &str) {
    database.execute_file(format!("tests/cases/types/{file}")).await;
}

pub(super) fn mapping(file: &str) -> String {
    let path = format!("{}/tests/cases/types/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// N01, N02, N04, N05, N12, N16, N20, N21, T05, T07, T08, T09, T11, S15, S16, Z01.
#[tokio::test]
async fn what_postgres_holds_and_dynamodb_does_not_is_rejected_by_name() {
    rejected(Kind::Postgres).await;
}

/// N01, N02, N04, N15, N20, T01, T02, T11, S12, S15, Z01.
#[tokio::test]
async fn what_mysql_holds_and_dynamodb_does_not_is_rejected_by_name() {
    rejected(Kind::MySql).await;
}

/// N04, N05, N13, N20, N21, T11, S15, S16, Z01.
#[tokio::test]
async fn what_sqlite_holds_and_dynamodb_does_not_is_rejected_by_name() {
    rejected(Kind::Sqlite).await;
}

/// Each row is carried, or rejected by the rule that stands beside it; verify agrees.
async fn rejected(kind: Kind) {
    let name = kind.name();
    let database = filled(kind, &[&format!("bad.{name}.sql")]).await;
    let stage = Stage::over(database, &mapping("bad.toml")).with_dynamodb().await;
    stage.migrate("run --create-table", 4).await;
    let rows = stage.database.texts("SELECT id, rule, cases FROM bad ORDER BY id").await;
    let expected = rows.iter().map(|row| {
        let [id, rule, cases] = row.as_slice() else { panic!("{row:?}") };
        let [id, rule, cases] = [id, rule, cases].map(|text| text.clone().unwrap());
        format!("{id} {rule}: {cases}")
    });
    let expected: Vec<String> = expected.collect();
    let rejects = rejects(&stage);
    let written = compare::scan(&stage.client(), "types").await;
    let written: Vec<&str> = written.values().map(|item| item["id"]["N"].as_str().unwrap()).collect();
    let found = rows.iter().map(|row| {
        let (id, cases) = (row[0].clone().unwrap(), row[2].clone().unwrap());
        let rule = rejects.get(&id).map_or("lost", String::as_str);
        let rule = if written.contains(&id.as_str()) { "carried" } else { rule };
        format!("{id} {rule}: {cases}")
    });
    assert_eq!(found.collect::<Vec<String>>(), expected);
    assert_eq!(written.len() + rejects.len(), rows.len());
    stage.migrate("verify", 0).await;
    // Deep documents fill pages.
    let shallow = "from = \"bad\"\nwhere = \"cases NOT LIKE '%3_ levels'\"";
    let lenient = mapping("bad.toml").replace("from = \"bad\"", shallow);
    let lenient = format!("[defaults]\noverflow = \"string\"\n\n{lenient}");
    stage.folder.write("mapping.toml", &lenient);
    let shown = stage.migrate("preview --limit 100", 4).await;
    expect_case(&format!("types/bad.{name}.expected"), &stage.shown(&shown));
}

/// The rule of each rejected row, by its id.
fn rejects(stage: &Stage) -> BTreeMap<String, String> {
    let files = stage.folder.files();
    let file = files.iter().find(|file| file.ends_with("rejects.jsonl")).expect("a file of rejects");
    let text = stage.folder.read(file);
    let reject = |line: &str| {
        let reject: Value = serde_json::from_str(line).unwrap();
        let id = reject["source_key"]["id"].as_str().unwrap().to_owned();
        (id, reject["rule"].as_str().unwrap().to_owned())
    };
    text.lines().map(reject).collect()
}
