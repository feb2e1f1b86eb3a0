//! The JSON documents: exactly the names that docs/json.md promises, one document on stdout and nothing else,
//! no JSON on stderr.

use std::time::Duration;

use serde_json::{Value, json};

use crate::front::{Fault, Front, When};
use crate::servers::Kind;
use crate::stage::{MAPPING, Stage, create_table, names};
use crate::tool::Finished;

const RUN: [&str; 11] = [
    "command",
    "consistent",
    "dry_run",
    "elapsed_seconds",
    "entities",
    "indexes",
    "outcome",
    "resumed",
    "snapshots",
    "table",
    "totals",
];
const RUN_ENTITY: [&str; 10] = [
    "compared",
    "items",
    "read",
    "rejected",
    "rejected_by",
    "size",
    "skipped",
    "skipped_by",
    "wcu",
    "written",
];
const TOTALS: [&str; 6] = ["items", "read", "rejected", "skipped", "wcu", "written"];
const VERIFY: [&str; 7] = ["command", "elapsed_seconds", "entities", "outcome", "rcu", "snapshots", "table"];
const VERIFY_ENTITY: [&str; 9] =
    ["checked", "different", "expired", "matching", "missing", "moved", "read", "rejected", "skipped"];
const PATTERN: [&str; 18] = [
    "different",
    "items",
    "missing",
    "name",
    "not_in_index",
    "one_table_per_entity",
    "operation",
    "out_of_order",
    "p50_ms",
    "p99_ms",
    "params",
    "rcu",
    "rejected",
    "requests",
    "rows",
    "source",
    "unexpected",
    "wrong",
];
const CHECK: [&str; 4] = ["command", "entities", "findings", "outcome"];

/// The one document of a call; stderr holds none.
#[track_caller]
fn document(finished: &Finished) -> Value {
    let document = finished.json();
    for line in finished.stderr.lines() {
        let is_json =
            serde_json::from_str::<Value>(line).is_ok_and(|value| value.is_object() || value.is_array());
        assert!(!is_json, "JSON on stderr: {line}");
    }
    document
}

#[track_caller]
fn must_have(value: &Value, expected: &[&str], more: &[&str]) {
    let mut expected: Vec<&str> = [expected, more].concat();
    expected.sort_unstable();
    assert_eq!(names(value), expected);
}

const INDEXED: &str = "[table.indexes.GSI1]\npartition_key = \"GSI1PK\"\n\n[entities.Order]";

fn indexed() -> String {
    let block = "\n[entities.Order.index.GSI1]\nwhen = \"customer = 7\"\npk = \"C#{customer:010}\"\n";
    MAPPING.replace("[entities.Order]", INDEXED) + block
}

async fn stage(rows: u32) -> Stage {
    let rows: Vec<String> = (1..=rows).map(|id| format!("({id}, 7, 'note')")).collect();
    let sql = format!(
        "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer INT NOT NULL, note VARCHAR(100)); INSERT INTO orders VALUES {}",
        rows.join(", ")
    );
    Stage::new(Kind::Sqlite, &sql, &indexed()).await
}

#[tokio::test]
async fn a_run_has_the_promised_names() {
    let stage = stage(5).await.with_dynamodb().await;
    let dry = document(&stage.migrate("--dry-run --json --rate 10", 0).await);
    must_have(&dry, &RUN, &[]);
    must_have(&dry["entities"]["Order"], &RUN_ENTITY, &["samples"]);
    must_have(&dry["entities"]["Order"]["size"], &["max", "median", "min", "p99"], &[]);
    must_have(&dry["indexes"]["GSI1"], &["absent", "items"], &[]);
    must_have(&dry["totals"], &TOTALS, &["expected_seconds"]);
    assert_eq!(
        (&dry["command"], &dry["outcome"], &dry["dry_run"]),
        (&json!("run"), &json!("done"), &json!(true))
    );
    assert_eq!((&dry["resumed"], &dry["table"]), (&json!(false), &json!("shop")));
    assert_eq!((&dry["snapshots"], &dry["consistent"]), (&json!(1), &json!("proven")));

    let run = document(&stage.migrate("--create-table --json", 0).await);
    must_have(&run, &RUN, &[]);
    must_have(&run["entities"]["Order"], &RUN_ENTITY, &[]);
    must_have(&run["totals"], &TOTALS, &[]);
    assert_eq!(
        (&run["outcome"], &run["dry_run"], &run["resumed"]),
        (&json!("done"), &json!(false), &json!(false))
    );
    let entity = &run["entities"]["Order"];
    assert_eq!((&entity["read"], &entity["written"], &entity["items"]), (&json!(5), &json!(5), &json!(5)));
    assert!(run["elapsed_seconds"].is_f64());

    let again = document(&stage.migrate("--json", 0).await);
    must_have(&again, &RUN, &[]);
    assert_eq!((&again["outcome"], &again["resumed"]), (&json!("already_done"), &json!(true)));
}

#[tokio::test]
async fn a_run_without_a_snapshot_says_that_it_is_not_consistent() {
    let stage = stage(5).await;
    stage
        .folder
        .write("mapping.toml", &indexed().replace("\"\n\n[table]", "\"\nsnapshot = false\n\n[table]"));
    let run = document(&stage.migrate("--json", 0).await);
    assert_eq!(run["consistent"], "none");
}

#[tokio::test]
async fn v11_rejected_rows_are_named_by_rule() {
    let stage = stage(3).await;
    stage.database.execute("INSERT INTO orders VALUES (-1, 7, NULL), (99999999999, 7, NULL)").await;
    let run = document(&stage.migrate("--json", 4).await);
    must_have(&run, &RUN, &["rejects_file"]);
    assert_eq!(run["outcome"], "rejects");
    let entity = &run["entities"]["Order"];
    assert_eq!((&entity["rejected"], &entity["rejected_by"]), (&json!(2), &json!({"key_pad": 2})));
    assert_eq!((&entity["skipped"], &entity["skipped_by"]), (&json!(0), &json!({})));
    let rejects = stage.folder.read(run["rejects_file"].as_str().unwrap());
    assert_eq!(rejects.lines().count(), 2);
    for line in rejects.lines() {
        let reject: Value = serde_json::from_str(line).unwrap();
        must_have(&reject, &["column", "entity", "message", "position", "range", "rule", "source_key"], &[]);
    }
}

#[tokio::test]
async fn a_failed_run_is_the_same_document_with_an_error() {
    let front = Front::acknowledging();
    create_table(&front.client(), |request| {
        request["AttributeDefinitions"]
            .as_array_mut()
            .unwrap()
            .push(json!({"AttributeName": "GSI1PK", "AttributeType": "S"}));
        request["GlobalSecondaryIndexes"] = json!([{
            "IndexName": "GSI1", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "GSI1PK", "KeyType": "HASH"}],
        }]);
    })
    .await;
    let stage = stage(5).await.at(front.url());
    front.script([(When::Always, Fault::access_denied())]);
    let failed = stage.migrate("--json", 1).await;
    let document_ = document(&failed);
    must_have(&document_, &RUN, &["error"]);
    must_have(&document_["error"], &["code", "help", "message"], &[]);
    assert_eq!(
        (&document_["outcome"], &document_["error"]["code"]),
        (&json!("failed"), &json!("target-permission"))
    );
    assert!(failed.stderr.contains("error[target-permission]"), "{}", failed.stderr);
}

#[tokio::test]
async fn an_early_failure_is_a_document_too() {
    let stage = stage(1).await.at("http://127.0.0.1:1");
    for (words, command, code, error) in [
        ("--json", "run", 1, "target-unreachable"),
        ("verify --json", "verify", 1, "target-unreachable"),
        ("--json --only Zebra --dry-run", "run", 2, "unknown-entity"),
        ("--json --limit abc", "run", 2, "usage"),
        ("verify --json --sample x", "verify", 2, "usage"),
    ] {
        let failure = document(&stage.migrate(words, code).await);
        must_have(&failure, &["command", "error", "outcome"], &[]);
        assert_eq!(
            (&failure["command"], &failure["outcome"], &failure["error"]["code"]),
            (&json!(command), &json!("failed"), &json!(error)),
            "{words}"
        );
    }
    stage.folder.write("mapping.toml", "[source]\n");
    for (words, command) in [("--json", "run"), ("verify --json", "verify")] {
        let failure = document(&stage.migrate(words, 3).await);
        assert_eq!(
            (&failure["command"], &failure["error"]["code"]),
            (&json!(command), &json!("missing-key"))
        );
    }
}

#[tokio::test]
async fn an_interrupted_run_says_so() {
    let front = Front::acknowledging();
    create_table(&front.client(), |_| {}).await;
    front.script([(When::Always, Fault::Delay(Duration::from_millis(200)))]);
    let stage = stage(500).await.at(front.url());
    stage.folder.write("mapping.toml", MAPPING);
    let mut running = stage.tool("--json --concurrency 1").spawn();
    running.until("it writes", |_| front.counters().batches() >= 2).await;
    running.interrupt();
    let finished = running.finish().await.expect_code(130);
    let interrupted = document(&finished);
    must_have(&interrupted, &RUN, &[]);
    assert_eq!(interrupted["outcome"], "interrupted");
    assert!(finished.stderr.contains("stopping"), "{}", finished.stderr);
    front.script([]);
    let resumed = document(&stage.migrate("--json", 0).await);
    assert_eq!((&resumed["outcome"], &resumed["resumed"]), (&json!("done"), &json!(true)));
    assert_eq!(resumed["totals"]["written"], 500);
}

#[tokio::test]
async fn a_verification_has_the_promised_names() {
    let stage = stage(5).await.with_dynamodb().await;
    stage.migrate("--create-table", 0).await;
    let clean = document(&stage.migrate("verify --json", 0).await);
    must_have(&clean, &VERIFY, &[]);
    must_have(&clean["entities"]["Order"], &VERIFY_ENTITY, &[]);
    assert_eq!((&clean["command"], &clean["outcome"]), (&json!("verify"), &json!("done")));
    let sampled = document(&stage.migrate("verify --json --sample 2 --seed 5", 0).await);
    must_have(&sampled, &VERIFY, &["sample"]);
    assert_eq!(sampled["sample"], json!({"size": "2", "seed": 5}));
    let key = json!({"PK": {"S": "ORDER#0000000001"}, "SK": {"S": "ORDER"}});
    stage.client().call("DeleteItem", json!({"TableName": "shop", "Key": key})).await;
    let wrong = document(&stage.migrate("verify --json", 5).await);
    must_have(&wrong, &VERIFY, &[]);
    must_have(&wrong["entities"]["Order"], &VERIFY_ENTITY, &["differences"]);
    assert_eq!(wrong["outcome"], "differences");
    let difference = &wrong["entities"]["Order"]["differences"][0];
    must_have(difference, &["attributes", "key", "source_key"], &[]);
    assert_eq!((&difference["key"], &difference["source_key"]), (&key, &json!({"id": "1"})));
}

#[tokio::test]
async fn an_access_pattern_has_the_promised_names() {
    let pattern = "\n[[access_patterns]]\nname = \"of a customer\"\nindex = \"GSI1\"\nparams = \"SELECT 7 AS customer\"\n\
        pk = \"C#{customer:010}\"\nreturns = { Order = \"customer = {customer}\" }\n";
    let stage = stage(5).await.with_dynamodb().await;
    stage.migrate("--create-table", 0).await;
    stage.folder.write("mapping.toml", &(indexed() + pattern));
    let key = json!({"PK": {"S": "ORDER#0000000001"}, "SK": {"S": "ORDER"}});
    stage.client().call("DeleteItem", json!({"TableName": "shop", "Key": key})).await;
    let asked = document(&stage.migrate("verify --json", 5).await);
    must_have(&asked, &VERIFY, &["access_patterns"]);
    let pattern = &asked["access_patterns"][0];
    must_have(pattern, &PATTERN, &["examples", "index"]);
    must_have(&pattern["source"], &["p50_ms", "p99_ms", "statements"], &[]);
    must_have(&pattern["one_table_per_entity"], &["rcu", "requests"], &[]);
    must_have(&pattern["examples"][0], &["key", "params", "what"], &["entity"]);
}

#[tokio::test]
async fn a_check_has_the_promised_names() {
    let stage = stage(1).await;
    let fine = document(&stage.migrate("check --json", 0).await);
    must_have(&fine, &CHECK, &[]);
    assert_eq!((&fine["command"], &fine["outcome"]), (&json!("check"), &json!("done")));
    must_have(&fine["entities"]["Order"], &["key_proof"], &[]);
    must_have(&fine["entities"]["Order"]["key_proof"], &["by", "status"], &[]);
    stage.folder.write("mapping.toml", &indexed().replace("{id:010}", "{idd:010}"));
    let wrong = document(&stage.migrate("check --json", 3).await);
    must_have(&wrong, &CHECK, &["error"]);
    must_have(&wrong["findings"][0], &["code", "column", "help", "line", "message", "severity"], &[]);
    let finding = &wrong["findings"][0];
    assert_eq!((&finding["code"], &finding["severity"]), (&json!("unknown-column"), &json!("error")));
    let line = indexed().lines().position(|line| line.contains("pk = \"ORDER#")).unwrap() + 1;
    assert_eq!((&finding["line"], &finding["column"]), (&json!(line), &json!(13)));
}

/// Remarks are not data: with `--quiet` nothing but the document is printed.
#[tokio::test]
async fn quiet_documents_stand_alone() {
    let stage = stage(3).await;
    for words in ["--dry-run --json -q", "run --json -q", "verify --json -q", "check --json -q"] {
        let finished = stage.migrate(words, 0).await;
        finished.json();
        assert_eq!(finished.stderr, "", "{words}");
    }
}
