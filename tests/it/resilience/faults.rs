//! The target misbehaves: no row is lost, and what no patience helps against ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{MILLISECOND, SECOND, Scene, assert_accounted, source_id};
use crate::front::{Fault, Throttle, When};
use crate::servers;
use crate::tool::{Finished, Tool};

#[tokio::test]
async fn w01_w02_w04_w05_whatever_passes_is_tried_again_until_all_is_written() {
    use Throttle::{ProvisionedThroughputExceeded, RequestLimitExceeded, Throttling};
    let faults = [
        Fault::Unprocessed(1),
        Fault::Unprocessed(24),
        Fault::Unprocessed(25),
        Fault::throttled(ProvisionedThroughputExceeded, "TableWriteProvisionedThroughputExceeded"),
        Fault::throttled(Throttling, "IndexWriteKeyRangeThroughputExceeded"),
        Fault::throttled(RequestLimitExceeded, "TableWriteAccountLimitExceeded"),
        Fault::internal_error(),
        Fault::unavailable(),
        Fault::CutBefore,
        Fault::CutAfter,
    ];
    let scene = Scene::new(servers::postgres().await, 1_000).await;
    for fault in faults {
        let what = format!("{fault:?}");
        let (before, batches) = (scene.written(), scene.front.counters().batches());
        scene.front.script([(When::Every(2), fault)]);
        let report = scene.load_with(&["--restart", "--yes"]).run().await.expect_code(0).json();
        assert_accounted(&report, 1_000, 0);
        assert!(scene.front.counters().batches() > batches + 1_000 / 25, "it had no effect: {what}");
        assert!(scene.written() >= before + 1_000, "{what}");
        scene.assert_same().await;
    }
    scene.assert_complete().await;
}

#[tokio::test]
async fn w13_p11_a_request_that_hangs_is_given_up_and_sent_again() {
    let scene = Scene::new(servers::postgres().await, 1_000).await;
    scene
        .front
        .script([(When::At(3), Fault::Hang(60 * SECOND)), (When::At(5), Fault::HangAfter(60 * SECOND))]);
    let started = Instant::now();
    let report = scene.load().run().await.expect_code(0).json();
    assert_accounted(&report, 1_000, 0);
    assert!((10 * SECOND..25 * SECOND).contains(&started.elapsed()), "{:?}", started.elapsed());
    assert_eq!(scene.front.counters().rewritten, 25);
    scene.assert_complete().await;
}

#[tokio::test]
async fn w12_k05_one_refused_item_is_rejected_by_name_and_its_neighbours_are_written() {
    let scene = Scene::new(servers::postgres().await, 1_000).await;
    let refused = |item: &Value| ["37", "512", "513"].iter().any(|id| item["id"]["N"] == **id);
    scene.front.script([(When::holding(refused), Fault::invalid("a private value"))]);
    let finished = scene.load().run().await.expect_code(4);
    finished.assert_hides("a private value");
    let report = finished.json();
    assert_accounted(&report, 1_000, 3);
    assert_eq!(report["entities"]["Entry"]["rejected_by"]["refused"], 3);
    let mut rejected: Vec<String> = scene.rejects().iter().map(source_id).collect();
    rejected.sort();
    assert_eq!(rejected, ["37", "512", "513"]);
    assert!(scene.rejects().iter().all(|reject| reject["rule"] == "refused"));
    assert_eq!(scene.written(), 997, "the others are written, each once");
    let verified = scene.migrate("verify", &[]).run().await.expect_code(0).json();
    assert_eq!(verified["entities"]["Entry"]["rejected"], 3, "{verified:#}");
}

/// Z06: the rows that a full partition key has no room for are rejected with the reason, the others are written.
#[tokio::test]
async fn z06_what_a_full_partition_key_refuses_is_rejected_by_name() {
    let scene = Scene::new(servers::postgres().await, 100).await;
    let full = |item: &Value| ["7", "70"].iter().any(|id| item["id"]["N"] == **id);
    let refusal = Fault::Error {
        status: 400,
        code: "ItemCollectionSizeLimitExceededException",
        message: "Collection size exceeded.".to_owned(),
    };
    scene.front.script([(When::holding(full), refusal)]);
    let report = scene.load().run().await.expect_code(4).json();
    assert_accounted(&report, 100, 2);
    let rejects = scene.rejects();
    assert!(rejects.iter().all(|reject| reject["rule"] == "refused"), "{rejects:?}");
    let told = |reject: &Value| reject["message"].as_str().is_some_and(|message| message.contains("10 GB"));
    assert!(rejects.iter().all(told), "{rejects:?}");
    assert_eq!(scene.written(), 98);
}

#[tokio::test]
async fn a_service_that_refuses_everything_stops_the_load() {
    let scene = Scene::new(servers::postgres().await, 5_000).await;
    scene.front.script([(When::Always, Fault::invalid("a private value"))]);
    let failed = scene.load().run().await;
    failed.assert_hides("a private value");
    assert_fails(failed, 1, "all-refused", "migrate check");
    assert!(scene.front.counters().batches() < 5_000 / 4, "{}", scene.front.counters().batches());
    assert_eq!(scene.written(), 0);
    scene.front.script([]);
    let report = scene.load_with(&["--restart"]).run().await.expect_code(0).json();
    assert_accounted(&report, 5_000, 0);
    scene.assert_complete().await;
}

#[tokio::test]
async fn refused_rows_do_not_stop_a_load_whose_earlier_run_has_written_others() {
    let scene = Scene::new(servers::postgres().await, 3_000).await;
    // One range, so that what comes first after the stop is nothing but refused rows.
    scene.change_mapping("readers = 4", "readers = 1");
    scene.change_mapping("page_rows = 100", "page_rows = 1600");
    let refused =
        |item: &Value| (1_000..1_400).contains(&item["id"]["N"].as_str().unwrap().parse::<u64>().unwrap());
    scene.front.script([(When::holding(refused), Fault::invalid("x"))]);
    scene.load_with(&["--limit", "999"]).run().await.expect_code(0);
    let report = scene.load().run().await.expect_code(4).json();
    assert_accounted(&report, 3_000, 400);
}

#[tokio::test]
async fn what_no_patience_helps_against_stops_at_once_and_a_later_run_completes() {
    let fatal = [
        (Fault::expired_token(), 1, "target-credentials", "log in again"),
        (Fault::access_denied(), 1, "target-permission", "dynamodb:DescribeTable, BatchWriteItem"),
        (Fault::no_table(), 3, "no-table", "--create-table"),
    ];
    for (fault, exit, code, help) in fatal {
        let scene = Scene::new(servers::postgres().await, 3_000).await;
        scene.front.script([(When::Between(20, u64::MAX), fault)]);
        let started = Instant::now();
        assert_fails(scene.load().run().await, exit, code, help);
        assert!(started.elapsed() < 8 * SECOND, "{code}: {:?}", started.elapsed());
        let refused = scene.front.counters().batches() - 19;
        assert!(refused <= 16, "{code}: {refused} requests after the first refusal");
        assert!(scene.written() <= 19 * 25);
        scene.front.script([]);
        let report = scene.load().run().await.expect_code(0).json();
        assert_accounted(&report, 3_000, 0);
        scene.assert_complete().await;
    }
}

/// Credentials in a file, as tools for single sign-on write them.
fn key_file(scene: &Scene, key: &str) -> std::path::PathBuf {
    let text = format!(
        "[default]\naws_access_key_id = {key}\naws_secret_access_key = s\naws_session_token = {key}\n"
    );
    scene.folder.write("credentials", &text)
}

fn with_key_file(scene: &Scene, command: &str, more: &[&str]) -> Tool {
    let tool = scene.migrate(command, more).env("AWS_SHARED_CREDENTIALS_FILE", key_file(scene, "OLD"));
    tool.without_env("AWS_ACCESS_KEY_ID").without_env("AWS_SECRET_ACCESS_KEY")
}

/// C02: a file that somebody has renewed in the meantime is read again, once.
#[tokio::test]
async fn c02_credentials_that_were_renewed_in_the_meantime_are_read_again() {
    let scene = Scene::new(servers::postgres().await, 3_000).await;
    let (file, text) = (key_file(&scene, "NEW"), scene.folder.read("credentials"));
    let renewed = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&renewed);
    scene.front.decide(move |seen| {
        let is_late = seen.operation == "BatchGetItem" || seen.number >= 20;
        let is_data = seen.operation.starts_with("Batch");
        if seen.access_key == "NEW" {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        (is_data && is_late && seen.access_key != "NEW").then(|| {
            // The file is empty for a moment, as when others write it.
            if std::fs::read_to_string(&file).unwrap() != text {
                std::fs::write(&file, &text).unwrap();
            }
            Fault::expired_token()
        })
    });
    let loaded = with_key_file(&scene, "run", &["--create-table"]).run().await.expect_code(0);
    assert_accounted(&loaded.json(), 3_000, 0);
    assert!(renewed.load(Ordering::Relaxed) >= 100, "the rest is signed with the new key");
    with_key_file(&scene, "verify", &[]).run().await.expect_code(0);
    scene.assert_same().await;
}

/// C02, C04: the new ones may be of another account, whose table has the same name.
#[tokio::test]
async fn c02_c04_renewed_credentials_of_another_account_are_not_used() {
    let scene = Scene::new(servers::postgres().await, 3_000).await;
    let file = key_file(&scene, "NEW");
    let text = scene.folder.read("credentials");
    scene.front.decide(move |seen| match (seen.operation, seen.access_key) {
        ("DescribeTable", "NEW") => Some(Fault::no_table()),
        ("BatchWriteItem", "OLD") => {
            std::fs::write(&file, &text).unwrap();
            Some(Fault::expired_token())
        }
        ("BatchWriteItem", _) => panic!("written with other credentials"),
        _ => None,
    });
    let failed = with_key_file(&scene, "run", &["--create-table"]).run().await;
    assert_fails(failed, 1, "target-credentials", "log in again");
    assert_eq!(scene.written(), 0);
}

/// C02: neither the same credentials nor others that were never good are tried for ever.
#[tokio::test]
async fn c02_credentials_that_stay_expired_end_the_load() {
    let scene = Scene::new(servers::postgres().await, 3_000).await;
    for change in [false, true] {
        let file = key_file(&scene, "OLD");
        let text = std::fs::read_to_string(&file).unwrap();
        let mut keys = 0;
        scene.front.decide(move |seen| {
            (seen.operation == "BatchWriteItem").then(|| {
                keys += 1;
                let key = if change { format!("KEY{keys}") } else { "OLD".to_owned() };
                std::fs::write(&file, text.replace("OLD", &key)).unwrap();
                Fault::expired_token()
            })
        });
        let started = Instant::now();
        let failed = with_key_file(&scene, "run", &["--create-table"]).run().await;
        assert_fails(failed, 1, "target-credentials", "log in again");
        assert!(started.elapsed() < 10 * SECOND, "{:?}", started.elapsed());
    }
}

/// W07: hundreds of requests at once, every twentieth of them throttled.
#[tokio::test]
async fn w07_hundreds_of_requests_in_flight_wear_no_retry_out() {
    let scene = Scene::new(servers::postgres().await, 20_000).await;
    scene.change_mapping("page_rows = 100", "page_rows = 5000");
    let throttled =
        Fault::throttled(Throttle::ProvisionedThroughputExceeded, "TableWriteProvisionedThroughputExceeded");
    let mut batches = 0;
    scene.front.decide(move |seen| {
        batches += u64::from(seen.operation == "BatchWriteItem");
        let is_throttled = seen.operation == "BatchWriteItem" && batches.is_multiple_of(20);
        Some(if is_throttled { throttled.clone() } else { Fault::Delay(200 * MILLISECOND) })
    });
    let report = scene.load_with(&["--concurrency", "256"]).run().await.expect_code(0).json();
    assert_accounted(&report, 20_000, 0);
    assert!(scene.front.counters().max_in_flight > 128, "{}", scene.front.counters().max_in_flight);
    assert_eq!(scene.front.counters().rewritten, 0);
    scene.assert_same().await;
}

#[tokio::test]
async fn w11_a_table_that_is_too_slow_gets_everything_all_the_same() {
    let scene = Scene::new(servers::postgres().await, 2_000).await;
    scene.front.enforce(crate::front::Capacity::table(500.0));
    let started = Instant::now();
    let report = scene.load().run().await.expect_code(0).json();
    assert_accounted(&report, 2_000, 0);
    assert!(started.elapsed() > Duration::from_millis(2_500), "{:?}", started.elapsed());
    assert_eq!(scene.front.counters().rewritten, 0);
    scene.assert_complete().await;
}

#[track_caller]
fn assert_fails(finished: Finished, exit: i32, code: &str, help: &str) {
    let document = finished.expect_code(exit).json();
    assert_eq!((&document["outcome"], &document["error"]["code"]), (&"failed".into(), &code.into()));
    assert!(document["error"]["help"].as_str().unwrap_or_default().contains(help), "{document:#}");
}
