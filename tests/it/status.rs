//! `migrate status` says what the checkpoint says, without any database.

use serde_json::json;

use crate::stage::{Stage, names};

#[tokio::test]
async fn status_needs_no_database_and_follows_the_load() {
    let stage = Stage::orders().await;
    let before = stage.migrate("status --json", 0).await.json();
    assert_eq!((&before["outcome"], &before["table"]), (&json!("not_begun"), &json!("shop")));
    assert!(!stage.folder.path().join(".migrate").exists(), "status made a state folder");

    stage.migrate("run --limit 1", 0).await;
    stage.database.execute("DROP TABLE orders").await;
    let half = stage.migrate("status --json", 0).await.json();
    assert_eq!(half["outcome"], json!("unfinished"));
    assert_eq!(names(&half), ["checkpoint", "command", "entities", "outcome", "snapshots", "table"]);
    let order = &half["entities"]["Order"];
    let all = [
        "done",
        "ranges",
        "ranges_done",
        "read",
        "rejected",
        "rejected_by",
        "skipped",
        "skipped_by",
        "written",
    ];
    assert_eq!(names(order), all);
    assert_eq!((&order["read"], &order["written"], &order["done"]), (&json!(1), &json!(1), &json!(false)));
    let text = stage.migrate("status", 0).await;
    assert!(text.stdout.contains("Not finished. `migrate run` goes on."), "{}", text.stdout);
}

#[tokio::test]
async fn status_of_a_complete_load_is_done_and_a_damaged_checkpoint_is_named() {
    let stage = Stage::orders().await;
    stage.migrate("run", 0).await;
    assert_eq!(stage.migrate("status --json", 0).await.json()["outcome"], json!("done"));
    let checkpoint = stage.folder.path().join(".migrate/mapping/shop/checkpoint.json");
    std::fs::write(&checkpoint, "{").unwrap();
    let failed = stage.migrate("status --json", 1).await;
    assert_eq!(failed.json()["error"]["code"], json!("checkpoint-damaged"));
}
