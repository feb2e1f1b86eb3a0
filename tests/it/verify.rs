//! `migrate verify`: every planted difference is found and named, and nothing else is.

use std::time::Duration;

use serde_json::{Value, json};

use crate::front::{Fault, Front, When};
use crate::servers::{self, Kind};
use crate::stage::{ORDERS, Stage, expect_case};

fn key(id: u32) -> Value {
    json!({"PK": {"S": format!("ORDER#{id:010}")}, "SK": {"S": "ORDER"}})
}

async fn many(kind: Kind, rows: u32) -> Stage {
    let rows: Vec<String> = (1..=rows).map(|id| format!("({id}, {}, 'note {id}')", id % 10)).collect();
    let sql = format!(
        "{} INSERT INTO orders VALUES {}",
        ORDERS.split(';').next().unwrap().to_owned() + ";",
        rows.join(", ")
    );
    let stage = Stage::new(kind, &sql, crate::stage::MAPPING).await.with_dynamodb().await;
    stage.migrate("--create-table", 0).await;
    stage
}

async fn plant(stage: &Stage, id: u32, change: impl FnOnce(&mut Value)) {
    let got = stage.client().call("GetItem", json!({"TableName": "shop", "Key": key(id)})).await;
    let mut item = got["Item"].clone();
    change(&mut item);
    stage.client().call("PutItem", json!({"TableName": "shop", "Item": item})).await;
}

#[tokio::test]
async fn planted_differences_are_found_and_named() {
    for kind in servers::ALL {
        let stage = many(kind, 60).await;
        stage.migrate("verify", 0).await;
        stage.client().call("DeleteItem", json!({"TableName": "shop", "Key": key(1)})).await;
        plant(&stage, 2, |item| item["note"] = json!({"S": "another"})).await;
        plant(&stage, 3, |item| item["extra"] = json!({"S": "x"})).await;
        plant(&stage, 4, |item| drop(item.as_object_mut().unwrap().remove("note"))).await;
        plant(&stage, 5, |item| item["customer"] = json!({"S": "5"})).await;
        let found = stage.migrate("verify --json", 5).await.json();
        let entity = &found["entities"]["Order"];
        let counts = ["read", "checked", "matching", "missing", "different"]
            .map(|name| entity[name].as_u64().unwrap());
        assert_eq!(counts, [60, 60, 55, 1, 4], "{}", kind.name());
        let differences: Vec<(String, Value)> = entity["differences"]
            .as_array()
            .unwrap()
            .iter()
            .map(|difference| {
                (
                    difference["source_key"]["id"].as_str().unwrap().to_owned(),
                    difference["attributes"].clone(),
                )
            })
            .collect();
        let expected = [
            ("1", json!([])),
            ("2", json!([{"name": "note", "what": "different"}])),
            ("3", json!([{"name": "extra", "what": "unexpected"}])),
            ("4", json!([{"name": "note", "what": "missing"}])),
            ("5", json!([{"name": "customer", "what": "different"}])),
        ];
        assert_eq!(
            differences,
            expected.map(|(id, attributes)| (id.to_owned(), attributes)),
            "{}",
            kind.name()
        );
        if kind == Kind::Sqlite {
            expect_case("verify/differences.expected", &stage.shown(&stage.migrate("verify", 5).await));
        }
    }
}

#[tokio::test]
async fn values_are_shown_only_when_asked_for() {
    let stage = many(Kind::Sqlite, 3).await;
    plant(&stage, 2, |item| item["note"] = json!({"S": "a private word"})).await;
    for words in ["verify", "verify --json"] {
        let finished = stage.migrate(words, 5).await;
        finished.assert_hides("private");
        finished.assert_hides("note 2");
    }
    let shown = stage.migrate("verify --show-values --json", 5).await.json();
    let attribute = &shown["entities"]["Order"]["differences"][0]["attributes"][0];
    assert_eq!(
        *attribute,
        json!({"name": "note", "what": "different", "expected": {"S": "note 2"}, "found": {"S": "a private word"}})
    );
    let text = stage.migrate("verify --show-values", 5).await.stdout;
    assert!(text.contains("a private word") && text.contains("note 2"), "{text}");
}

#[tokio::test]
async fn a_sample_is_of_its_size_and_the_same_for_the_same_seed() {
    for kind in servers::ALL {
        let stage = many(kind, 400).await;
        let checked = |report: &Value| report["entities"]["Order"]["checked"].as_u64().unwrap();
        let five = stage.migrate("verify --sample 5 --json", 0).await.json();
        assert_eq!((checked(&five), &five["entities"]["Order"]["read"]), (5, &json!(400)), "{}", kind.name());
        let tenth = stage.migrate("verify --sample 10% --json", 0).await.json();
        assert!(
            (10..=90).contains(&checked(&tenth)),
            "{}: {} of 400 are no tenth",
            kind.name(),
            checked(&tenth)
        );
        assert_eq!(checked(&stage.migrate("verify --sample 100% --json", 0).await.json()), 400);
        assert_eq!(checked(&stage.migrate("verify --sample 1000 --json", 0).await.json()), 400);
        // One changed item is seen by the seeds whose sample holds it, each time.
        plant(&stage, 77, |item| item["note"] = json!({"S": "changed"})).await;
        let mut seen = 0;
        for seed in 0..6 {
            let words = format!("verify --sample 50% --seed {seed} --json");
            let first = stage.tool(&words).run().await;
            let second = stage.tool(&words).run().await;
            let without_time =
                |document: Value| json!([document["entities"], document["sample"], document["outcome"]]);
            assert_eq!(
                without_time(first.json()),
                without_time(second.json()),
                "{} seed {seed}",
                kind.name()
            );
            seen += u32::from(first.code() == Some(5));
        }
        assert!((1..6).contains(&seen), "{}: {seen} of 6 seeds saw it", kind.name());
    }
}

#[tokio::test]
async fn a_verification_says_that_it_was_a_sample() {
    let stage = many(Kind::Sqlite, 40).await;
    let shown = stage.shown(&stage.migrate("verify --sample 10 --seed 3", 0).await);
    expect_case("verify/sample.expected", &shown);
}

#[tokio::test]
async fn an_interrupted_verification_proves_nothing_and_says_so() {
    let stage = many(Kind::Sqlite, 1500).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    front.on("BatchGetItem", When::Always, Fault::Delay(Duration::from_millis(400)));
    let mut running = stage.tool("verify --json --concurrency 1").spawn();
    running.until("it reads the table", |_| front.counters().requests("BatchGetItem") >= 2).await;
    running.interrupt();
    let report = running.finish().await.expect_code(130).json();
    assert_eq!(report["outcome"], "interrupted");
    assert!(report["entities"]["Order"]["checked"].as_u64().unwrap() < 1500);
    let mut running = stage.tool("verify --concurrency 1").spawn();
    let before = front.counters().requests("BatchGetItem");
    running.until("it reads the table", |_| front.counters().requests("BatchGetItem") >= before + 2).await;
    running.terminate();
    let told = running.finish().await.expect_code(130);
    assert!(told.stdout.contains("nterrupted"), "{}", told.stdout);
}

/// V04: each key is asked for by name; no listing can end too early.
#[tokio::test]
async fn a_verification_writes_nothing() {
    let stage = many(Kind::Sqlite, 30).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    stage.migrate("verify", 0).await;
    let mut asked: Vec<String> = front.counters().requests.keys().cloned().collect();
    asked.retain(|operation| !["DescribeTable", "BatchGetItem"].contains(&operation.as_str()));
    assert_eq!(asked, Vec::<String>::new(), "no Scan, no write");
    std::fs::remove_dir_all(stage.folder.path().join(".migrate")).unwrap();
    stage.migrate("verify", 0).await;
    assert_eq!(stage.folder.files(), ["mapping.toml"], "a verification leaves no files");
}

#[tokio::test]
async fn rejected_rows_are_told_apart_from_missing_items() {
    let stage = Stage::new(
        Kind::Sqlite,
        &format!("{ORDERS} INSERT INTO orders VALUES (-5, 7, NULL)"),
        crate::stage::MAPPING,
    )
    .await;
    stage.migrate("run", 4).await;
    let report = stage.migrate("verify --json", 0).await.json();
    let entity = &report["entities"]["Order"];
    let counts = ["checked", "matching", "missing", "rejected"].map(|name| entity[name].as_u64().unwrap());
    assert_eq!(counts, [3, 2, 0, 1]);
}

/// Killed or interrupted in the middle: the next one looks up only what is left, and says the same.
#[tokio::test]
async fn a_stopped_verification_goes_on_where_it_was() {
    for kind in servers::ALL {
        let stage = many(kind, 1_500).await;
        stage
            .folder
            .write("mapping.toml", &crate::stage::MAPPING.replace("[source]", "[source]\npage_rows = 100"));
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        let stage = stage.at(front.url());
        let whole = stage.migrate("verify --json", 0).await.json();
        let all = front.counters().requests("BatchGetItem");
        front.on("BatchGetItem", When::Always, Fault::Delay(Duration::from_millis(300)));
        let mut running = stage.tool("verify --json --concurrency 1").spawn();
        running.until("it reads the table", |_| front.counters().requests("BatchGetItem") >= all + 6).await;
        running.interrupt();
        running.finish().await.expect_code(130);
        assert!(stage.folder.files().iter().any(|file| file.ends_with("verify.json")));
        front.script([]);
        let before = front.counters().requests("BatchGetItem");
        let rest = stage.migrate("verify --json", 0).await.json();
        let place = kind.name();
        assert!(front.counters().requests("BatchGetItem") - before < all, "{place}: {all} requests again");
        assert_eq!((&rest["entities"], &rest["snapshots"]), (&whole["entities"], &json!(2)), "{place}");
        assert!(!stage.folder.files().iter().any(|file| file.ends_with("verify.json")), "{place}");
        let again = stage.migrate("verify --json", 0).await.json();
        assert_eq!((&again["entities"], &again["snapshots"]), (&whole["entities"], &json!(1)), "{place}");
    }
}

/// What an earlier part has found is found again; another sample, seed or mapping begins anew, and so does --restart.
#[tokio::test]
async fn what_was_wrong_before_the_stop_is_wrong_behind_it() {
    let stage = many(Kind::Sqlite, 1_500).await;
    stage
        .folder
        .write("mapping.toml", &crate::stage::MAPPING.replace("[source]", "[source]\npage_rows = 100"));
    plant(&stage, 3, |item| item["note"] = json!({"S": "another"})).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    for words in ["", "--restart", "--seed 1 --sample 100%"] {
        front.on("BatchGetItem", When::Always, Fault::Delay(Duration::from_millis(300)));
        let before = front.counters().requests("BatchGetItem");
        let mut running = stage.tool("verify --json --concurrency 1").spawn();
        running
            .until("it reads the table", |_| front.counters().requests("BatchGetItem") >= before + 8)
            .await;
        running.interrupt();
        running.finish().await.expect_code(130);
        front.script([]);
        let report = stage.migrate(&format!("verify --json {words}"), 5).await.json();
        let entity = &report["entities"]["Order"];
        assert_eq!((&entity["checked"], &entity["different"]), (&json!(1_500), &json!(1)), "{words}");
        assert_eq!(entity["differences"][0]["source_key"]["id"], "3", "{words}");
        assert_eq!(report["snapshots"], json!(if words.is_empty() { 2 } else { 1 }), "{words}");
    }
    // Stopped while the wrong row is read once more: it is read again, with its range, and that alone.
    let before = front.counters().requests("BatchGetItem");
    front.on("BatchGetItem", When::At(before + 17), Fault::Delay(Duration::from_millis(2_000)));
    let mut running = stage.tool("verify --json --concurrency 1").spawn();
    running
        .until("it reads the row once more", |_| front.counters().requests("BatchGetItem") >= before + 17)
        .await;
    running.interrupt();
    running.finish().await.expect_code(130);
    front.script([]);
    let before = front.counters().requests("BatchGetItem");
    let report = stage.migrate("verify --json", 5).await.json();
    assert_eq!((&report["snapshots"], &report["entities"]["Order"]["different"]), (&json!(2), &json!(1)));
    assert!(front.counters().requests("BatchGetItem") - before < 15);
    // What has ended is forgotten.
    assert_eq!(stage.migrate("verify --json", 5).await.json()["snapshots"], 1);
    // What was checked before a repair or a load says nothing about what is there behind it.
    for (command, code) in [("verify --repair --yes --json", 0), ("--restart --json", 0)] {
        stopped(&stage, &front).await;
        let report = stage.migrate(command, code).await.json();
        if command.starts_with("verify") {
            assert_eq!(report["snapshots"], 1, "{command}");
        }
        assert_eq!(stage.migrate("verify --json", 0).await.json()["snapshots"], 1, "{command}");
    }
    stopped(&stage, &front).await;
    let gone_on = stage.migrate("verify --json", 0).await;
    assert!(gone_on.stderr.contains("goes on where the verification that began 20"), "{}", gone_on.stderr);
    assert_eq!(gone_on.json()["snapshots"], 2);
}

/// One that was stopped before it had checked a page is none to go on with.
#[tokio::test]
async fn a_verification_that_has_checked_nothing_is_begun_anew() {
    let stage = many(Kind::Sqlite, 50).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    front.on("BatchGetItem", When::Always, Fault::Delay(Duration::from_millis(5_000)));
    let mut running = stage.tool("verify --json --concurrency 1").spawn();
    running.until("it reads the table", |_| front.counters().requests("BatchGetItem") >= 1).await;
    running.interrupt();
    running.finish().await.expect_code(130);
    front.script([]);
    let anew = stage.migrate("verify --json", 0).await;
    assert!(!anew.stderr.contains("goes on where"), "{}", anew.stderr);
    assert_eq!(anew.json()["snapshots"], 1);
}

/// A verification that has checked some of its rows.
async fn stopped(stage: &Stage, front: &Front) {
    front.on("BatchGetItem", When::Always, Fault::Delay(Duration::from_millis(300)));
    let before = front.counters().requests("BatchGetItem");
    let mut running = stage.tool("verify --json --concurrency 1").spawn();
    running.until("it reads the table", |_| front.counters().requests("BatchGetItem") >= before + 8).await;
    running.interrupt();
    running.finish().await.expect_code(130);
    front.script([]);
}

/// An application that writes to both databases meanwhile is no damage.
#[tokio::test]
async fn rows_that_move_on_while_they_are_verified_are_no_difference() {
    for kind in servers::ALL {
        let stage = many(kind, 300).await;
        let direct = stage.client();
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        let stage = stage.at(front.url());
        front.on("BatchGetItem", When::At(1), Fault::Delay(Duration::from_millis(2_000)));
        let mut running = stage.tool("verify --json --concurrency 1").spawn();
        running.until("it reads the table", |_| front.counters().requests("BatchGetItem") >= 1).await;
        // One changed on both sides, one deleted on both, and one that was changed in the source alone.
        stage
            .database
            .execute("UPDATE orders SET note = 'new' WHERE id IN (7, 9); DELETE FROM orders WHERE id = 8")
            .await;
        let mut item =
            direct.call("GetItem", json!({"TableName": "shop", "Key": key(7)})).await["Item"].clone();
        item["note"] = json!({"S": "new"});
        direct.call("PutItem", json!({"TableName": "shop", "Item": item})).await;
        direct.call("DeleteItem", json!({"TableName": "shop", "Key": key(8)})).await;
        let report = running.finish().await.expect_code(0).json();
        let entity = &report["entities"]["Order"];
        let counts = ["checked", "matching", "missing", "different", "moved"]
            .map(|name| entity[name].as_u64().unwrap());
        assert_eq!(counts, [300, 298, 0, 0, 2], "{}", kind.name());
        // By a snapshot of now the third one is behind.
        let report = stage.migrate("verify --json", 5).await.json();
        assert_eq!(report["entities"]["Order"]["different"], json!(1), "{}", kind.name());
    }
}

#[tokio::test]
async fn items_that_the_table_has_deleted_by_their_time_to_live_are_expired() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let sql = format!(
        "CREATE TABLE sessions (id INT PRIMARY KEY, expires BIGINT); INSERT INTO sessions VALUES (1, {}), (2, {}), (3, {})",
        now - 100,
        now + 100_000,
        now - 100
    );
    for kind in servers::ALL {
        let stage = Stage::new(kind, &sql, crate::enable_ttl::MAPPING).await.with_dynamodb().await;
        stage.migrate("--create-table", 0).await;
        for id in [1, 2] {
            let key = json!({"PK": {"S": format!("S#{id}")}, "SK": {"S": "S"}});
            stage.client().call("DeleteItem", json!({"TableName": "shop", "Key": key})).await;
        }
        let entity = |report: Value| {
            let entity = &report["entities"]["Session"];
            ["matching", "missing", "expired"].map(|name| entity[name].as_u64().unwrap())
        };
        // Nothing deletes while it is off.
        assert_eq!(entity(stage.migrate("verify --json", 5).await.json()), [1, 2, 0], "{}", kind.name());
        let enable = json!({"TableName": "shop", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "expires"}});
        stage.client().call("UpdateTimeToLive", enable).await;
        assert_eq!(entity(stage.migrate("verify --json", 5).await.json()), [1, 1, 1], "{}", kind.name());
        // Whoever may not ask whether it is on is told what that means.
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        front.decide(|seen| (seen.operation == "DescribeTimeToLive").then(Fault::access_denied));
        let stage = stage.at(front.url());
        let finished = stage.migrate("verify --json", 5).await;
        assert!(
            finished.stderr.contains("items that it has deleted count as missing"),
            "{}",
            finished.stderr
        );
        assert_eq!(entity(finished.json()), [1, 2, 0], "{}", kind.name());
        // Nor is it put again, not even when nobody knows.
        let report = stage.migrate("verify --repair --yes --json", 0).await.json();
        assert_eq!((&report["repair"]["put"], &report["repair"]["left"]), (&json!(1), &json!(0)));
        assert_eq!(entity(report), [1, 1, 1], "{}", kind.name());
        assert_eq!(entity(stage.migrate("verify --json", 5).await.json()), [2, 1, 0], "{}", kind.name());
    }
}

/// The load has left nothing out that could be excused by it: a row that has become one that is rejected still has the
/// item that it was.
#[tokio::test]
async fn the_item_of_a_row_that_is_rejected_by_now_is_wrong() {
    for kind in servers::ALL {
        let (text, long) = match kind {
            Kind::Sqlite => ("TEXT", "replace(hex(zeroblob(205000)), '0', 'x')"),
            Kind::MySql => ("LONGTEXT", "repeat('x', 410000)"),
            Kind::Postgres => ("TEXT", "repeat('x', 410000)"),
        };
        let rows: Vec<String> = (1..=250).map(|id| format!("({id}, 'short')")).collect();
        let sql = format!(
            "CREATE TABLE orders (id BIGINT PRIMARY KEY, note {text}); INSERT INTO orders VALUES {}",
            rows.join(", ")
        );
        let stage = Stage::new(kind, &sql, crate::stage::MAPPING).await.with_dynamodb().await;
        stage.migrate("--create-table", 0).await;
        stage.database.execute(&format!("UPDATE orders SET note = {long} WHERE id IN (3, 249)")).await;
        stage.client().call("DeleteItem", json!({"TableName": "shop", "Key": key(249)})).await;
        let report = stage.migrate("verify --json", 5).await.json();
        let entity = &report["entities"]["Order"];
        let counts =
            ["checked", "matching", "different", "rejected"].map(|name| entity[name].as_u64().unwrap());
        assert_eq!(counts, [250, 248, 1, 1], "{}: {report}", kind.name());
        let difference = &entity["differences"][0];
        assert_eq!((&difference["source_key"]["id"], &difference["key"]), (&json!("3"), &key(3)));
        assert!(difference["why"].as_str().unwrap().contains("the row is rejected"), "{difference}");
        // Nobody knows what it should be.
        let report = stage.migrate("verify --repair --yes --json", 5).await.json();
        assert_eq!(report["entities"]["Order"]["different"], 1, "{}", kind.name());
    }
}

/// What a load has left out is excused to its own mapping, database and table alone.
#[tokio::test]
async fn a_load_of_another_mapping_excuses_nothing_and_nothing_is_repaired_by_it() {
    let stage = many(Kind::Sqlite, 5).await;
    let none = stage.migrate("verify --state elsewhere", 0).await;
    assert!(none.stderr.contains("no load is recorded in"), "{}", none.stderr);
    let mapping = crate::stage::MAPPING.replace("ORDER#{id:010}", "O#{id:010}");
    stage.folder.write("mapping.toml", &mapping);
    let other = stage.migrate("verify --json", 5).await;
    assert!(other.stderr.contains("what that load left out counts as wrong"), "{}", other.stderr);
    for words in ["--repair", "--delete-orphans"] {
        let refused = stage.migrate(&format!("verify {words} --yes --json"), 3).await;
        assert!(refused.stderr.contains("load this mapping first"), "{}", refused.stderr);
        assert_eq!(crate::compare::scan(&stage.client(), "shop").await.len(), 5, "{words}");
    }
}

/// The price is told before the first read, and a rate is kept to.
#[tokio::test]
async fn what_it_reads_is_told_first_and_read_no_faster_than_asked_for() {
    let stage = many(Kind::Sqlite, 300).await;
    let started = std::time::Instant::now();
    let finished = stage.migrate("verify --rate 150 --json", 0).await;
    assert!(finished.stderr.contains("about 300 read units, about 2 s"), "{}", finished.stderr);
    assert_eq!(finished.json()["rcu"], json!(300));
    // A tenth of a second's units may come at once.
    assert!(started.elapsed() > Duration::from_millis(1_500), "{:?}", started.elapsed());
}

/// One item is lost and a stray one has come: the table holds as many as before.
#[tokio::test]
async fn v01_v07_equal_counts_hide_nothing() {
    for kind in servers::ALL {
        let stage = many(kind, 20).await;
        let client = stage.client();
        let mut stray =
            client.call("GetItem", json!({"TableName": "shop", "Key": key(1)})).await["Item"].take();
        stray["PK"] = key(77)["PK"].clone();
        client.call("PutItem", json!({"TableName": "shop", "Item": stray})).await;
        client.call("DeleteItem", json!({"TableName": "shop", "Key": key(1)})).await;
        assert_eq!(client.scan("shop", None).await.len(), 20);
        let entity = stage.migrate("verify --json", 5).await.json()["entities"]["Order"].take();
        let counts = ["checked", "matching", "missing"].map(|name| entity[name].as_u64().unwrap());
        assert_eq!(counts, [20, 19, 1], "{}", kind.name());
    }
}

#[tokio::test]
async fn v02_counts_are_of_rows_and_not_of_the_databases_estimates() {
    for kind in servers::ALL {
        let table = ORDERS.split(';').next().unwrap();
        let rows: Vec<String> = (1..=900).map(|id| format!("({id}, 1, NULL)")).collect();
        let analyze = match kind {
            Kind::Postgres => "ANALYZE orders",
            Kind::MySql => "ANALYZE TABLE orders",
            Kind::Sqlite => "ANALYZE",
        };
        let sql = format!(
            "{table}; INSERT INTO orders VALUES {}; {analyze}; DELETE FROM orders WHERE id > 30",
            rows.join(", ")
        );
        let stage = Stage::new(kind, &sql, crate::stage::MAPPING).await.with_dynamodb().await;
        for words in ["--create-table --json", "verify --json"] {
            let report = stage.migrate(words, 0).await.json();
            assert_eq!(report["entities"]["Order"]["read"], json!(30), "{}: {words}", kind.name());
        }
    }
}
