//! `migrate verify --orphans`: every planted item without a row is found and told apart from those of others.

use std::io::Write as _;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::dynamodb::Client;
use crate::front::{Fault, Front, Throttle, When};
use crate::repair::by_others;
use crate::servers::{self, Kind};
use crate::stage::{ORDERS, Stage, expect_case};

/// Two entities in one table, told apart by their types and by their keys.
const MAPPING: &str = r##"[source]
url = "${DATABASE_URL}"
page_rows = 50

[table]
name = "shop"
endpoint = "${DYNAMODB_ENDPOINT:-embedded}"
entity_type = "kind"

[entities.User]
from = "users"
pk = "USER#{id:010}"
sk = "PROFILE"

[entities.Order]
from = "orders"
pk = "USER#{user_id:010}"
sk = "ORDER#{id:010}"
"##;

const USERS: usize = 40;
const ORDERS_OF_A_USER: usize = 5;

fn sql(note: &str) -> String {
    let users: Vec<String> = (1..=USERS).map(|id| format!("({id}, 'user {id}')")).collect();
    let orders: Vec<String> = (0..USERS * ORDERS_OF_A_USER)
        .map(|at| format!("({}, {}, '{note}')", at + 1, at / ORDERS_OF_A_USER + 1))
        .collect();
    format!(
        "CREATE TABLE users (id BIGINT PRIMARY KEY, name VARCHAR(100) NOT NULL);
         CREATE TABLE orders (id BIGINT PRIMARY KEY, user_id BIGINT NOT NULL, note VARCHAR(10000));
         INSERT INTO users VALUES {}; INSERT INTO orders VALUES {};",
        users.join(", "),
        orders.join(", ")
    )
}

async fn loaded(kind: Kind, note: &str) -> Stage {
    let stage = Stage::new(kind, &sql(note), MAPPING).await.with_dynamodb().await;
    stage.migrate("--create-table", 0).await;
    stage
}

async fn put(stage: &Stage, item: Value) {
    stage.client().call("PutItem", json!({"TableName": "shop", "Item": item})).await;
}

fn item(pk: &str, sk: &str, kind: Option<&str>) -> Value {
    let mut item = json!({"PK": {"S": pk}, "SK": {"S": sk}, "note": {"S": "planted"}});
    if let Some(kind) = kind {
        item["kind"] = json!({"S": kind});
    }
    item
}

/// scanned, explained, known, unknown, gone.
fn counts(report: &Value) -> [u64; 5] {
    ["scanned", "explained", "known", "unknown", "gone"].map(|name| report["orphans"][name].as_u64().unwrap())
}

fn examples(group: &Value) -> Vec<String> {
    let examples = group["examples"].as_array().cloned().unwrap_or_default();
    let key = |example: &Value| {
        format!(
            "{} {}",
            example["key"]["PK"]["S"].as_str().unwrap(),
            example["key"]["SK"]["S"].as_str().unwrap()
        )
    };
    examples.iter().map(key).collect()
}

#[tokio::test]
async fn v07_planted_items_are_found_and_told_apart_from_those_of_others() {
    for kind in servers::ALL {
        let stage = loaded(kind, "a note").await;
        let clean = stage.migrate("verify --orphans --json", 0).await.json();
        let all = u64::try_from(USERS * (1 + ORDERS_OF_A_USER)).unwrap();
        assert_eq!(counts(&clean), [all, all, 0, 0, 0], "{}", kind.name());
        assert!(clean["orphans"]["segments"].as_u64().unwrap() > 1);
        assert!(clean["orphans"]["rcu"].as_f64().unwrap() > 0.0);
        // A row that is gone, one by its type alone, and those of others: with a key of an entity but without its
        // type, too.
        stage.database.execute("DELETE FROM orders WHERE id = 7").await;
        put(&stage, item("USER#0000009999", "ORDER#0000009999", Some("Order"))).await;
        put(&stage, item("elsewhere", "entirely", Some("User"))).await;
        put(&stage, item("USER#0000000077", "PROFILE", None)).await;
        put(&stage, item("SESSION#1", "A", Some("Session"))).await;
        put(&stage, item("SESSION#2", "A", Some("Session"))).await;
        put(&stage, item("USER#0000000001", "PROFILE#2", Some("Draft"))).await;
        put(&stage, item("counter", "x", None)).await;
        let report = stage.migrate("verify --orphans --json", 5).await.json();
        assert_eq!(counts(&report), [all + 7, all - 1, 3, 5, 0], "{}: {report}", kind.name());
        let found = &report["orphans"]["entities"];
        assert_eq!((&found["User"]["items"], &found["Order"]["items"]), (&json!(1), &json!(2)));
        assert_eq!(examples(&found["User"]), ["elsewhere entirely"]);
        assert_eq!(
            examples(&found["Order"]),
            ["USER#0000000002 ORDER#0000000007", "USER#0000009999 ORDER#0000009999"]
        );
        let others = report["orphans"]["others"].as_array().unwrap();
        let named: Vec<(&Value, &Value)> =
            others.iter().map(|group| (&group["type"], &group["items"])).collect();
        assert_eq!(
            named,
            [(&json!(null), &json!(2)), (&json!("Session"), &json!(2)), (&json!("Draft"), &json!(1))]
        );
        assert_eq!(report["outcome"], "differences");
        // Every row still has its item: only what is too much is wrong.
        stage.migrate("verify", 0).await;
        if kind == Kind::Sqlite {
            expect_case("verify/orphans.expected", &stage.shown(&stage.migrate("verify --orphans", 5).await));
        }
    }
}

/// Items of other applications alone are no damage.
#[tokio::test]
async fn items_of_others_are_counted_and_left_alone() {
    let stage = loaded(Kind::Sqlite, "a note").await;
    put(&stage, item("SESSION#1", "A", Some("Session"))).await;
    let report = stage.migrate("verify --orphans --json", 0).await.json();
    assert_eq!((&report["outcome"], &report["orphans"]["unknown"]), (&json!("done"), &json!(1)));
}

/// Several pages of a megabyte in one segment, and none of them twice.
#[tokio::test]
async fn v04_a_table_of_many_pages_is_read_whole() {
    for kind in servers::ALL {
        let stage = loaded(kind, &"x".repeat(9_000)).await;
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        for id in 0..700 {
            put(&stage, json!({
                "PK": {"S": format!("USER#{id:010}")}, "SK": {"S": "ORDER#0000099999"}, "kind": {"S": "Order"},
                "note": {"S": "y".repeat(8_000)},
            }))
            .await;
        }
        let all = u64::try_from(USERS * (1 + ORDERS_OF_A_USER)).unwrap();
        let stage = stage.at(front.url());
        let report = stage.migrate("verify --orphans --concurrency 1 --json", 5).await.json();
        assert_eq!(counts(&report), [all + 700, all, 700, 0, 0], "{}", kind.name());
        let asked = front.counters().requests("Scan");
        assert!(
            asked > report["orphans"]["segments"].as_u64().unwrap(),
            "{asked} pages are no more than segments"
        );
        assert_eq!(examples(&report["orphans"]["entities"]["Order"]).len(), 10);
    }
}

#[tokio::test]
async fn rejected_rows_and_losers_explain_their_items() {
    for kind in servers::ALL {
        let sql = "CREATE TABLE visits (id INT PRIMARY KEY, day INT NOT NULL, ends INT NOT NULL);
                   INSERT INTO visits VALUES (1, 1, 10), (2, 1, 20), (3, 3, 30)";
        let mapping =
            MAPPING.split("[entities.User]").next().unwrap().replace("entity_type = \"kind\"\n", "")
                + "[entities.Visit]\nfrom = \"visits\"\npk = \"D#{day}\"\nsk = \"VISIT\"\n";
        let stage = Stage::new(kind, sql, &mapping).await.with_dynamodb().await;
        stage.migrate("--create-table", 4).await;
        let report = stage.migrate("verify --orphans --json", 0).await.json();
        assert_eq!(counts(&report), [2, 2, 0, 0, 0], "{}", kind.name());
        // A row that is rejected for another reason than its key explains the item that it once made.
        let indexed = mapping.replace(
            "[entities.Visit]",
            "[table.indexes.GSI1]\npartition_key = \"GSI1PK\"\n\n[entities.Visit]",
        ) + "index.GSI1 = { pk = \"{ends:02}\" }\n";
        let stage = Stage::new(kind, sql, &indexed).await.with_dynamodb().await;
        stage.migrate("--create-table", 4).await;
        stage.database.execute("UPDATE visits SET ends = 1000 WHERE id = 3").await;
        let report = stage.migrate("verify --orphans --json", 0).await.json();
        assert_eq!(report["entities"]["Visit"]["rejected"], 2, "{report}");
        assert_eq!(counts(&report), [2, 2, 0, 0, 0], "{}: {report}", kind.name());
    }
}

#[tokio::test]
async fn throttled_and_broken_pages_are_read_again() {
    let stage = loaded(Kind::Sqlite, "a note").await;
    put(&stage, item("USER#0000009999", "ORDER#0000009999", Some("Order"))).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    front.on(
        "Scan",
        When::Every(3),
        Fault::throttled(Throttle::ProvisionedThroughputExceeded, "TableReadProvisionedThroughputExceeded"),
    );
    front.on("Scan", When::Every(7), Fault::CutAfter);
    front.on("Scan", When::Every(11), Fault::internal_error());
    let report = stage.migrate("verify --orphans --json", 5).await.json();
    assert_eq!(counts(&report), [241, 240, 1, 0, 0]);
}

#[tokio::test]
async fn a_scan_that_is_not_allowed_says_so() {
    let stage = loaded(Kind::Sqlite, "a note").await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    front.on("Scan", When::Always, Fault::access_denied());
    let failed = stage.migrate("verify --orphans --json", 1).await;
    assert_eq!(failed.json()["error"]["code"], "target-permission");
}

/// What counts is how an item stands when it is looked at again.
#[tokio::test]
async fn what_is_deleted_meanwhile_or_becomes_anothers_is_no_orphan() {
    let stage = loaded(Kind::Sqlite, "a note").await;
    let orphan = item("USER#0000009999", "ORDER#0000009999", Some("Order"));
    put(&stage, orphan.clone()).await;
    put(&stage, item("USER#0000009999", "DRAFT", Some("Order"))).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    // The first answer never comes.
    front.on("BatchGetItem", When::At(1), Fault::Hang(Duration::from_millis(700)));
    let client = stage.client();
    let at_front = stage.at(front.url());
    let mut running = at_front.tool("verify --orphans --json").spawn();
    running.until("it looks again", |_| front.counters().requests("BatchGetItem") > 0).await;
    client
        .call("DeleteItem", json!({"TableName": "shop", "Key": {"PK": orphan["PK"], "SK": orphan["SK"]}}))
        .await;
    let others = item("USER#0000009999", "DRAFT", Some("Draft"));
    client.call("PutItem", json!({"TableName": "shop", "Item": others})).await;
    let report = running.finish().await.expect_code(0).json();
    assert_eq!(counts(&report), [242, 240, 0, 1, 1]);
    assert_eq!(report["orphans"]["others"][0]["type"], "Draft");
}

#[tokio::test]
async fn the_cost_is_told_first_and_limited() {
    let stage = loaded(Kind::Sqlite, &"x".repeat(9_000)).await;
    let refused = stage.migrate("verify --orphans --orphans-limit 3 --json", 2).await;
    assert_eq!(refused.json()["error"]["code"], "orphans-limit");
    assert!(
        refused
            .stderr
            .contains("looking for orphans reads the whole table, 1.7 MB in 240 items: about 222 read units"),
        "{}",
        refused.stderr
    );
    let allowed = stage.migrate("verify --orphans --orphans-limit 100000 --json", 0).await;
    assert_eq!(allowed.json()["orphans"]["rcu"], 236.0);
    // What the service believes may be too little: what is consumed counts.
    let stopped = stage.migrate("verify --orphans --orphans-limit 225 --json", 1).await.json();
    assert_eq!(stopped["error"]["code"], "orphans-limit");
    assert_eq!(stopped["error"]["message"], "look for orphans: stopped after 225 read units, before the end");
    assert!(
        stage.migrate("verify --orphans --orphans-limit abc", 2).await.stderr.contains("--orphans-limit")
    );
    stage.migrate("verify --orphans-limit 5", 2).await;
}

#[tokio::test]
async fn the_search_keeps_to_the_rate() {
    let stage = loaded(Kind::Sqlite, &"x".repeat(9_000)).await;
    let started = Instant::now();
    stage.migrate("verify --orphans --sample 1 --rate 200", 0).await;
    // 236 read units, of which 20 may come at once.
    assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
}

#[tokio::test]
async fn an_interrupted_search_proves_nothing_and_says_so() {
    let stage = loaded(Kind::Sqlite, "a note").await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    front.on("Scan", When::Always, Fault::Delay(Duration::from_millis(400)));
    let mut running = stage.tool("verify --orphans --json").spawn();
    running.until("it reads the table", |_| front.counters().requests("Scan") >= 2).await;
    running.interrupt();
    let report = running.finish().await.expect_code(130).json();
    assert_eq!((&report["outcome"], report.get("orphans")), (&json!("interrupted"), None));
}

const LOG: &str = ".migrate/mapping/shop/repairs.jsonl";

/// A row that is gone, an item that never had one, and one of others; with one row more than the table has.
async fn with_orphans(kind: Kind) -> Stage {
    let stage = loaded(kind, "a note").await;
    stage.database.execute("DELETE FROM orders WHERE id = 7").await;
    put(&stage, item("USER#0000009999", "PROFILE", Some("User"))).await;
    put(&stage, item("SESSION#1", "A", Some("Session"))).await;
    stage
}

fn deletion(report: &Value) -> [u64; 3] {
    ["deleted", "moved", "left"].map(|name| report["orphans"]["deletion"][name].as_u64().unwrap())
}

#[tokio::test]
async fn orphans_are_deleted_and_written_down() {
    for kind in servers::ALL {
        let stage = with_orphans(kind).await;
        let before = stage.client().scan("shop", None).await;
        let report = stage.migrate("verify --delete-orphans --yes --json", 0).await.json();
        assert_eq!((&report["outcome"], counts(&report)), (&json!("repaired"), [242, 239, 2, 1, 0]));
        assert_eq!(deletion(&report), [2, 0, 0], "{}", kind.name());
        let log = stage.folder.read(LOG);
        let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let outcomes: Vec<&str> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == "deleted").count(), 2, "{log}");
        let (mut taken, after) = (before.clone(), stage.client().scan("shop", None).await);
        taken.retain(|item| !after.contains(item));
        let mut written: Vec<Value> = lines.iter().filter_map(|line| line.get("before").cloned()).collect();
        let key = |item: &Value| (item["PK"].to_string(), item["SK"].to_string());
        taken.sort_by_key(key);
        written.sort_by_key(key);
        assert_eq!((taken.len(), written), (2, taken.clone()), "each item is in the log as it was");
        // What is left are the rows' items and those of others.
        let again = stage.migrate("verify --delete-orphans --yes --json", 0).await.json();
        assert_eq!((&again["outcome"], counts(&again)), (&json!("done"), [240, 239, 0, 1, 0]));
        assert_eq!(again["orphans"]["deletion"].get("log"), None);
        if kind == Kind::Sqlite {
            let stage = with_orphans(kind).await;
            let shown = stage.migrate("verify --delete-orphans --yes", 0).await;
            expect_case("verify/orphans-deleted.expected", &stage.shown(&shown));
            shown.assert_hides("planted");
        }
    }
}

#[tokio::test]
async fn no_orphan_is_deleted_without_yes_nor_by_a_dry_run() {
    let stage = with_orphans(Kind::Sqlite).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    let refused = stage.migrate("verify --delete-orphans --json", 2).await;
    assert_eq!(refused.json()["error"]["code"], "repair-not-confirmed");
    assert!(refused.stderr.contains("--delete-orphans writes to the table"), "{}", refused.stderr);
    assert_eq!(front.counters().requests("Scan"), 0, "refused before all is read");
    let report = stage.migrate("verify --delete-orphans --dry-run --redact --json", 5).await.json();
    assert_eq!((&report["outcome"], deletion(&report)), (&json!("differences"), [2, 0, 0]));
    assert_eq!(report["orphans"]["deletion"]["dry_run"], true);
    assert!(report["orphans"].to_string().contains("sha256:"), "{report}");
    assert!(!report["orphans"].to_string().contains("USER#"), "{report}");
    let shown = stage.migrate("verify --delete-orphans --dry-run", 5).await;
    expect_case("verify/orphans-dry-run.expected", &stage.shown(&shown));
    assert_eq!(front.counters().requests("DeleteItem"), 0);
    assert!(!stage.folder.path().join(LOG).exists());
}

/// Between the look and the deletion somebody changes one item and deletes the other.
#[tokio::test]
async fn an_orphan_that_others_change_meanwhile_stays() {
    for kind in servers::ALL {
        let stage = with_orphans(kind).await;
        let upstream = stage.endpoint.clone().unwrap();
        let front = Front::forwarding(&upstream);
        let theirs = upstream.clone();
        front.decide(move |seen| {
            let request: Value = serde_json::from_slice(seen.body).unwrap_or_default();
            if seen.operation == "DeleteItem" {
                let newer = item("USER#0000009999", "PROFILE", Some("User"));
                match request["Key"]["SK"] == newer["SK"] {
                    true => {
                        let mut newer = newer;
                        newer["note"] = json!({"S": "newer"});
                        by_others(&theirs, "PutItem", json!({"TableName": "shop", "Item": newer}));
                    }
                    false => {
                        by_others(&theirs, "DeleteItem", json!({"TableName": "shop", "Key": request["Key"]}))
                    }
                }
            }
            None
        });
        let stage = stage.at(front.url());
        let report = stage.migrate("verify --delete-orphans --yes --json", 5).await.json();
        assert_eq!(counts(&report), [242, 239, 1, 1, 1], "{}: {report}", kind.name());
        assert_eq!((&report["outcome"], deletion(&report)), (&json!("differences"), [0, 1, 0]));
        let items = Client::new(&upstream).scan("shop", None).await;
        assert!(items.iter().any(|item| item["note"] == json!({"S": "newer"})));
        assert_eq!(report["orphans"]["entities"]["User"]["examples"][0]["deletion"], "moved");
    }
}

/// Between the look and the deletion somebody adds an attribute, against which no condition helps.
#[tokio::test]
async fn an_orphan_with_an_attribute_that_nobody_has_read_is_put_back() {
    let stage = with_orphans(Kind::Sqlite).await;
    let upstream = stage.endpoint.clone().unwrap();
    let front = Front::forwarding(&upstream);
    let theirs = upstream.clone();
    front.decide(move |seen| {
        let request: Value = serde_json::from_slice(seen.body).unwrap_or_default();
        if seen.operation == "DeleteItem" && request["Key"]["SK"]["S"] == "PROFILE" {
            let added = json!({
                "TableName": "shop", "Key": request["Key"], "UpdateExpression": "SET seen = :now",
                "ExpressionAttributeValues": {":now": {"N": "1"}},
            });
            by_others(&theirs, "UpdateItem", added);
        }
        None
    });
    let stage = stage.at(front.url());
    let report = stage.migrate("verify --delete-orphans --yes --json", 5).await.json();
    assert_eq!((counts(&report), deletion(&report)), ([242, 239, 2, 1, 0], [1, 1, 0]));
    assert_eq!(report["orphans"]["entities"]["User"]["examples"][0]["deletion"], "moved");
    let mut whole = item("USER#0000009999", "PROFILE", Some("User"));
    whole["seen"] = json!({"N": "1"});
    assert!(Client::new(&upstream).scan("shop", None).await.contains(&whole));
    let log = stage.folder.read(LOG);
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of_it: Vec<Value> = lines.filter(|line| line["key"]["SK"]["S"] == "PROFILE").collect();
    let told: Vec<_> = of_it.iter().map(|line| (line["what"].as_str(), line["outcome"].as_str())).collect();
    let expected = [("delete", "intended"), ("delete", "deleted"), ("put", "put"), ("delete", "moved")];
    assert_eq!(told, expected.map(|(what, outcome)| (Some(what), Some(outcome))));
    assert_eq!(of_it[1]["before"], whole);
}

/// A row that comes while the table is read explains its item: rows are read after it.
#[tokio::test]
async fn what_a_newer_row_explains_is_not_deleted() {
    for kind in servers::ALL {
        let stage = with_orphans(kind).await;
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        front.on("Scan", When::Always, Fault::Delay(Duration::from_millis(300)));
        let stage = stage.at(front.url());
        let mut running = stage.tool("verify --delete-orphans --yes --json").spawn();
        running.until("it reads the table", |_| front.counters().requests("Scan") >= 3).await;
        stage.database.execute("INSERT INTO users VALUES (9999, 'late')").await;
        let finished = running.finish().await;
        let report = finished.json();
        assert_eq!(counts(&report), [242, 240, 1, 1, 0], "{}: {report}", kind.name());
        assert_eq!(deletion(&report), [1, 0, 0]);
    }
}

/// Whoever names the wrong database loses nothing.
#[tokio::test]
async fn nothing_is_deleted_where_no_item_has_a_row() {
    for kind in servers::ALL {
        let stage = with_orphans(kind).await;
        stage.database.execute("DELETE FROM orders").await;
        stage.database.execute("DELETE FROM users").await;
        let failed = stage.migrate("verify --delete-orphans --yes --json", 1).await.json();
        assert_eq!(failed["error"]["code"], "orphans-unexplained", "{}", kind.name());
        assert_eq!(stage.client().scan("shop", None).await.len(), 242);
        let report = stage.migrate("verify --orphans --json", 5).await.json();
        assert_eq!(counts(&report), [242, 0, 241, 1, 0]);
    }
}

/// One table is not restored, the other is whole.
#[tokio::test]
async fn an_entity_without_rows_loses_no_item() {
    for kind in servers::ALL {
        let stage = with_orphans(kind).await;
        stage.database.execute("DELETE FROM orders").await;
        for (words, there) in [("--dry-run", 242), ("--yes", 241)] {
            let words = format!("verify --delete-orphans {words} --json");
            let report = stage.migrate(&words, 5).await.json();
            assert_eq!(counts(&report), [242, 40, 201, 1, 0], "{}", kind.name());
            assert_eq!(deletion(&report), [1, 0, 200], "{}", kind.name());
            let example = &report["orphans"]["entities"]["Order"]["examples"][0];
            assert_eq!(example["deletion"], "left");
            assert!(example["why"].as_str().unwrap().contains("no row of its entity is in the source"));
            assert_eq!(stage.client().scan("shop", None).await.len(), there, "{}", kind.name());
        }
        assert!(!stage.folder.read(LOG).contains("ORDER#"));
        if kind == Kind::Sqlite {
            let shown = stage.migrate("verify --delete-orphans --yes", 5).await;
            assert!(shown.stdout.contains("Left as they are: 200 items not deleted"), "{}", shown.stdout);
            assert!(shown.stdout.contains("→ left: no row of its entity is in"), "{}", shown.stdout);
        }
    }
}

/// What the log says: changes that were intended, and items that were deleted.
fn in_log(stage: &Stage) -> (usize, usize) {
    let log = stage.folder.read(LOG);
    let of = |outcome: &str| log.lines().filter(|line| line.contains(outcome)).count();
    (of(r#""outcome":"intended""#), of(r#""outcome":"deleted""#))
}

fn told_as_deleted(stderr: &str) -> Option<usize> {
    let line = stderr.lines().find_map(|line| line.split("orphans deleted before that: ").nth(1))?;
    assert!(line.ends_with("repairs.jsonl"), "{line}");
    line.split(',').next()?.parse().ok()
}

/// P10: nothing that was sent is left without an answer.
#[tokio::test]
async fn a_stopped_deletion_finishes_what_is_in_flight_and_says_what_it_has_done() {
    for concurrency in [1, 32] {
        let stage = loaded(Kind::Sqlite, "a note").await;
        stage.database.execute("DELETE FROM orders WHERE id > 30").await;
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        front.on("DeleteItem", When::Always, Fault::Delay(Duration::from_millis(60)));
        let before = stage.client().scan("shop", None).await.len();
        let client = stage.client();
        let stage = stage.at(front.url());
        let words = format!("verify --delete-orphans --yes --json --concurrency {concurrency}");
        let mut running = stage.tool(&words).spawn();
        running.until("it deletes", |_| front.counters().requests("DeleteItem") >= 30).await;
        running.interrupt();
        let finished = running.finish().await.expect_code(130);
        assert_eq!(finished.json()["outcome"], "interrupted");
        let gone = before - client.scan("shop", None).await.len();
        assert!((30..170).contains(&gone) || concurrency > 1, "{gone} are gone");
        // Where these were the last ones there is a whole report.
        let reported = finished.json()["orphans"]["deletion"]["deleted"].as_u64();
        let reported = reported.map(|deleted| usize::try_from(deleted).unwrap());
        assert_eq!(told_as_deleted(&finished.stderr).or(reported), Some(gone), "{}", finished.stderr);
        assert_eq!(in_log(&stage), (gone, gone), "nothing that was intended is left open");
        // The next one deletes the rest.
        front.script([]);
        let report = stage.migrate("verify --delete-orphans --yes --json", 0).await.json();
        assert_eq!(deletion(&report), [u64::try_from(170 - gone).unwrap(), 0, 0]);
    }
}

/// Some requests end by the limit while others delete.
#[tokio::test]
async fn deletions_that_are_in_flight_at_the_limit_are_finished() {
    let stage = loaded(Kind::Sqlite, "a note").await;
    stage.database.execute("DELETE FROM orders WHERE id > 50").await;
    let read = stage.migrate("verify --orphans --json", 5).await.json()["orphans"]["rcu"].as_f64().unwrap();
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    front.on("DeleteItem", When::Always, Fault::Delay(Duration::from_millis(100)));
    // The last of six requests fails by it, or whichever comes last.
    front.on("BatchGetItem", When::At(6), Fault::Delay(Duration::from_millis(250)));
    let (before, client) = (stage.client().scan("shop", None).await.len(), stage.client());
    let stage = stage.at(front.url());
    let words = format!("verify --delete-orphans --yes --json --orphans-limit {:.0}", read - 10.0);
    let failed = stage.migrate(&words, 1).await;
    assert_eq!(failed.json()["error"]["code"], "orphans-limit");
    let gone = before - client.scan("shop", None).await.len();
    assert_eq!(gone, 125);
    assert_eq!((told_as_deleted(&failed.stderr), in_log(&stage)), (Some(gone), (gone, gone)));
}

/// As DynamoDB exports to S3, in `files` data files.
fn export(stage: &Stage, items: &[Value], files: usize, change: impl FnOnce(&mut Value)) {
    let folder = stage.folder.path().join("AWSDynamoDB/01693685827463-2d8752fd");
    std::fs::create_dir_all(folder.join("data")).unwrap();
    let mut listed = String::new();
    for (at, items) in items.chunks(items.len().div_ceil(files)).enumerate() {
        let mut file = GzEncoder::new(Vec::new(), Compression::fast());
        for item in items {
            writeln!(file, "{}", json!({"Item": item})).unwrap();
        }
        std::fs::write(folder.join(format!("data/file{at}.json.gz")), file.finish().unwrap()).unwrap();
        let key = format!("some/prefix/AWSDynamoDB/01693685827463-2d8752fd/data/file{at}.json.gz");
        let line = json!({"itemCount": items.len(), "md5Checksum": "x", "etag": "y", "dataFileS3Key": key});
        listed += &format!("{line}\n");
    }
    std::fs::write(folder.join("manifest-files.json"), listed).unwrap();
    let mut summary = json!({
        "version": "2020-06-30", "exportTime": "2026-11-29T10:00:00.000Z", "itemCount": items.len(),
        "outputFormat": "DYNAMODB_JSON", "exportType": "FULL_EXPORT",
        "tableArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/shop",
    });
    change(&mut summary);
    std::fs::write(folder.join("manifest-summary.json"), summary.to_string()).unwrap();
}

#[tokio::test]
async fn an_export_tells_the_same_without_a_scan() {
    for kind in servers::ALL {
        let stage = loaded(kind, "a note").await;
        put(&stage, item("USER#0000009999", "ORDER#0000009999", Some("Order"))).await;
        put(&stage, item("SESSION#1", "A", Some("Session"))).await;
        let mut items = stage.client().scan("shop", None).await;
        // Exported, and deleted since.
        items.push(item("USER#0000008888", "PROFILE", Some("User")));
        export(&stage, &items, 3, |_| {});
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        let stage = stage.at(front.url());
        for folder in [
            ".",
            "AWSDynamoDB",
            "AWSDynamoDB/01693685827463-2d8752fd",
            "AWSDynamoDB/01693685827463-2d8752fd/data",
        ] {
            let finished = stage.migrate(&format!("verify --export {folder} --json"), 5).await;
            let report = finished.json();
            assert_eq!(counts(&report), [243, 240, 1, 1, 1], "{} {folder}", kind.name());
            // One item is there again, the other is not.
            assert_eq!((&report["orphans"]["rcu"], report["orphans"].get("segments")), (&json!(2.0), None));
            assert_eq!(
                examples(&report["orphans"]["entities"]["Order"]),
                ["USER#0000009999 ORDER#0000009999"]
            );
            let told = if folder.ends_with("data") {
                "nothing tells whether the export is whole"
            } else {
                "2026-11-29T10:00:00.000Z"
            };
            assert!(finished.stderr.contains(told), "{folder}: {}", finished.stderr);
        }
        assert_eq!(front.counters().requests("Scan"), 0);
    }
}

#[tokio::test]
async fn an_export_that_proves_nothing_is_refused() {
    let stage = Stage::new(Kind::Sqlite, ORDERS, crate::stage::MAPPING).await;
    stage.migrate("run", 0).await;
    let items: Vec<Value> = (0..10).map(|id| item(&format!("ORDER#{id:010}"), "ORDER", None)).collect();
    let folder = stage.folder.path().join("AWSDynamoDB/01693685827463-2d8752fd");
    let refused = async |told: &str| {
        let failed = stage.migrate("verify --export AWSDynamoDB --json", 1).await;
        let error = failed.json()["error"].clone();
        assert_eq!(error["code"], "export", "{told}");
        assert!(error["message"].as_str().unwrap().contains(told), "{told}: {error}");
        assert!(error["help"].is_string());
        failed.assert_hides("planted");
    };
    refused("AWSDynamoDB: No such file").await;
    std::fs::create_dir(stage.folder.path().join("AWSDynamoDB")).unwrap();
    refused("holds no export").await;
    export(&stage, &items, 2, |summary| summary["outputFormat"] = json!("ION"));
    refused("is an export in Amazon Ion").await;
    export(&stage, &items, 2, |summary| summary["exportType"] = json!("INCREMENTAL_EXPORT"));
    refused("is an incremental export").await;
    export(&stage, &items, 2, |summary| summary["itemCount"] = json!(11));
    refused("counts 11 items, manifest-files.json 10").await;
    export(&stage, &items, 2, |summary| {
        summary["tableArn"] = json!("arn:aws:dynamodb:eu-west-1:1:table/other")
    });
    refused("the export is of table `other`, the mapping's table is `shop`").await;
    export(&stage, &items, 2, |summary| summary["tableId"] = json!("another"));
    refused("an earlier table of that name (another)").await;
    export(&stage, &items, 2, |_| {});
    std::fs::copy(folder.join("data/file0.json.gz"), folder.join("data/file1.json.gz")).unwrap();
    refused("the export has items twice: 10 lines hold 5 items").await;
    export(&stage, &items, 2, |_| {});
    let data = |bytes: &[u8]| std::fs::write(folder.join("data/file1.json.gz"), bytes).unwrap();
    let whole = std::fs::read(folder.join("data/file1.json.gz")).unwrap();
    data(&whole[..whole.len() / 2]);
    refused("file1.json.gz").await;
    let packed = |text: &str| {
        let mut file = GzEncoder::new(Vec::new(), Compression::fast());
        file.write_all(text.as_bytes()).unwrap();
        file.finish().unwrap()
    };
    data(&packed(&format!("{}\n", json!({"Item": items[0]}))));
    refused("file1.json.gz holds 1 items, the manifest says 5").await;
    data(&packed("{\"Item\":{\"PK\":{\"S\":\"planted\"}}}\n"));
    refused("file1.json.gz, line 1: no item with the table's key").await;
    data(&packed("{\"Keys\":{\"PK\":{\"S\":\"planted\"}}}\n"));
    refused("file1.json.gz, line 1: no line of a full export").await;
    std::fs::remove_file(folder.join("data/file1.json.gz")).unwrap();
    refused("file1.json.gz is missing").await;
    std::fs::write(folder.join("manifest-files.json"), "x\n").unwrap();
    refused("is no manifest of an export (line 1)").await;
    std::fs::create_dir(stage.folder.path().join("AWSDynamoDB/other")).unwrap();
    std::fs::copy(
        folder.join("manifest-summary.json"),
        stage.folder.path().join("AWSDynamoDB/other/manifest-summary.json"),
    )
    .unwrap();
    refused("holds several exports: 01693685827463-2d8752fd, other").await;
}
