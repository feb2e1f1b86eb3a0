//! The exit codes, all of them in one place (README, "Exit codes").

use std::time::Duration;

use serde_json::json;

use crate::front::{Fault, Front, When};
use crate::servers::Kind;
use crate::stage::{MAPPING, ORDERS, Stage, create_table};

#[tokio::test]
async fn every_exit_code_means_what_the_readme_says() {
    let stage = Stage::orders().await.with_dynamodb().await;
    let at = |code: i32, words: &str| (code, words.to_owned());
    for (code, words) in [
        at(0, "check"),
        at(0, "check --offline"),
        at(0, "--dry-run"),
        at(2, "--no-such-flag"),
        at(2, "--rate 0"),
        at(2, "--only Zebra --dry-run"),
        at(3, "run"),
        at(3, "verify"),
        at(0, "--create-table"),
        at(0, "run"),
        at(0, "verify"),
        at(0, "--restart"),
    ] {
        stage.migrate(&words, code).await;
    }
    // Without a checkpoint nothing says that the items are ours.
    std::fs::remove_dir_all(stage.folder.path().join(".migrate")).unwrap();
    stage.migrate("run", 2).await;
    stage.migrate("--yes", 0).await;
    // Differences.
    let key = json!({"PK": {"S": "ORDER#0000000001"}, "SK": {"S": "ORDER"}});
    stage.client().call("DeleteItem", json!({"TableName": "shop", "Key": key})).await;
    stage.migrate("verify", 5).await;
    // A mistake, and a source that is away.
    stage.folder.write("mapping.toml", &MAPPING.replace("{id:010}", "{idd:010}"));
    for command in ["run", "check", "verify", "--dry-run"] {
        stage.migrate(command, 3).await;
    }
    stage.folder.write("mapping.toml", MAPPING);
    for command in ["run", "check", "verify", "--dry-run"] {
        let url = "postgres://nobody@127.0.0.1:1/x";
        stage.tool(command).env("DATABASE_URL", url).run().await.expect_code(1);
    }
}

#[tokio::test]
async fn rejected_rows_end_with_4_each_time_until_mended() {
    let sql = format!("{ORDERS} INSERT INTO orders VALUES (-1, 7, NULL)");
    let stage = Stage::new(Kind::Sqlite, &sql, MAPPING).await;
    stage.migrate("--dry-run", 4).await;
    stage.migrate("run", 4).await;
    stage.migrate("run", 4).await;
    stage.migrate("verify", 0).await;
    stage.database.execute("DELETE FROM orders WHERE id < 0").await;
    stage.migrate("--restart --yes", 0).await;
}

/// 130 beats 4; max_rejects is 1.
#[tokio::test]
async fn interrupted_beats_rejected() {
    let rows: Vec<String> = (3..=600).map(|id| format!("({id}, 7, NULL)")).collect();
    let sql = format!("{ORDERS} INSERT INTO orders VALUES (-1, 7, NULL), {}", rows.join(", "));
    let stage = Stage::new(Kind::Sqlite, &sql, MAPPING).await;
    let front = Front::acknowledging();
    create_table(&front.client(), |_| {}).await;
    let stage = stage.at(front.url());
    front.script([(When::Always, Fault::Delay(Duration::from_millis(150)))]);
    for signal in ["INT", "TERM"] {
        let batches = front.counters().batches();
        let mut running = stage.tool("--concurrency 1").spawn();
        running.until("it writes", |_| front.counters().batches() >= batches + 2).await;
        running.signal(signal);
        running.finish().await.expect_code(130);
    }
    front.script([]);
    stage.migrate("run", 4).await;
    let stopped = Stage::new(Kind::Sqlite, &sql, MAPPING).await;
    stopped.migrate("--max-rejects 0", 1).await;
}

#[tokio::test]
async fn colors_and_bars_are_for_terminals() {
    let stage = Stage::orders().await;
    for words in ["run", "verify", "--dry-run", "check", "--only Zebra --restart"] {
        let finished = stage.tool(words).run().await;
        for stream in [&finished.stdout, &finished.stderr] {
            assert!(!stream.contains('\u{1b}'), "{words}: {stream:?}");
            assert!(!stream.contains('\r'), "{words}: {stream:?}");
        }
    }
}

/// Data goes to stdout, everything else to stderr.
#[tokio::test]
async fn reports_are_data_and_remarks_are_not() {
    let stage = Stage::orders().await;
    let run = stage.migrate("run", 0).await;
    assert!(run.stdout.starts_with("Load into table shop"), "{}", run.stdout);
    assert!(run.stderr.contains("into table `shop`") && run.stderr.contains("from "), "{}", run.stderr);
    let quiet = stage.migrate("-q --restart --yes", 0).await;
    assert_eq!(quiet.stderr, "");
}

#[tokio::test]
async fn a_limited_load_says_that_rows_are_left() {
    let stage = Stage::orders().await;
    assert_eq!(stage.migrate("run --limit 1 --json", 0).await.json()["outcome"], json!("limited"));
    let told = stage.migrate("run --limit 1", 0).await;
    assert!(told.stdout.contains("Not everything is loaded"), "{}", told.stdout);
    assert_eq!(stage.migrate("run --json", 0).await.json()["outcome"], json!("done"));
}

#[tokio::test]
async fn a_sample_that_took_no_row_proves_nothing() {
    let stage = Stage::orders().await;
    stage.migrate("run", 0).await;
    let document = stage.migrate("verify --sample 0.0001% --json", 2).await.json();
    assert_eq!(
        (&document["outcome"], &document["error"]["code"]),
        (&json!("failed"), &json!("empty-sample"))
    );
    let nothing = stage.migrate("verify --sample 0.0001%", 2).await;
    assert!(nothing.stderr.contains("the sample took no row"), "{}", nothing.stderr);
}

#[tokio::test]
async fn w13_a_target_that_stops_answering_is_told_without_a_terminal() {
    let front = Front::acknowledging();
    front.on("BatchWriteItem", When::At(1), Fault::internal_error());
    let stage = Stage::orders().await.at(front.url());
    let told = stage.migrate("run --create-table", 0).await;
    assert!(told.stderr.contains("retrying: "), "{}", told.stderr);
}

#[tokio::test]
async fn a_restart_says_that_items_are_replaced() {
    let stage = Stage::orders().await;
    stage.migrate("run", 0).await;
    let told = stage.migrate("run --restart", 0).await;
    assert!(told.stderr.contains("restart: the items of the earlier load are replaced"), "{}", told.stderr);
}
