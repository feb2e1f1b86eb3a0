//! `migrate verify --repair`: what is wrong is mended, what others change meanwhile stays, and all of it is
//! written down.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::dynamodb::Client;
use crate::front::{Fault, Front, Throttle, When};
use crate::servers::{self, Kind};
use crate::stage::{MAPPING, ORDERS, Stage, expect_case};

const LOG: &str = ".migrate/mapping/shop/repairs.jsonl";

fn key(id: u32) -> Value {
    json!({"PK": {"S": format!("ORDER#{id:010}")}, "SK": {"S": "ORDER"}})
}

/// Orders of which the first is missing and the next three differ.
async fn damaged(kind: Kind) -> Stage {
    let rows: Vec<String> = (1..=20).map(|id| format!("({id}, {}, 'note {id}')", id % 10)).collect();
    let table = ORDERS.split(';').next().unwrap();
    let sql = format!("{table}; INSERT INTO orders VALUES {}", rows.join(", "));
    let stage = Stage::new(kind, &sql, MAPPING).await.with_dynamodb().await;
    stage.migrate("--create-table", 0).await;
    let client = stage.client();
    client.call("DeleteItem", json!({"TableName": "shop", "Key": key(1)})).await;
    change(&client, 2, |item| item["note"] = json!({"S": "a private word"})).await;
    change(&client, 3, |item| item["extra"] = json!({"L": [{"S": ""}, {"B": ""}]})).await;
    change(&client, 4, |item| drop(item.as_object_mut().unwrap().remove("note"))).await;
    stage
}

async fn get(client: &Client, id: u32) -> Value {
    client.call("GetItem", json!({"TableName": "shop", "Key": key(id), "ConsistentRead": true})).await["Item"]
        .take()
}

async fn change(client: &Client, id: u32, change: impl FnOnce(&mut Value)) {
    let mut item = get(client, id).await;
    change(&mut item);
    client.call("PutItem", json!({"TableName": "shop", "Item": item})).await;
}

fn log_of(stage: &Stage) -> Vec<Value> {
    stage.folder.read(LOG).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn what_is_wrong_is_mended_and_written_down() {
    for kind in servers::ALL {
        let stage = damaged(kind).await;
        let (before, extra) = (get(&stage.client(), 2).await, get(&stage.client(), 3).await);
        let report = stage.migrate("verify --repair --yes --json", 0).await.json();
        assert_eq!(report["outcome"], "repaired", "{}", kind.name());
        let log = stage.folder.path().join(LOG).display().to_string();
        assert!(log.ends_with(report["repair"]["log"].as_str().unwrap()), "{}", report["repair"]);
        assert_eq!(
            (&report["repair"]["put"], &report["repair"]["replaced"], &report["repair"]["dry_run"]),
            (&json!(1), &json!(3), &json!(false))
        );
        assert_eq!((&report["repair"]["moved"], &report["repair"]["left"]), (&json!(0), &json!(0)));
        let differences = report["entities"]["Order"]["differences"].as_array().unwrap();
        let became: Vec<&str> = differences.iter().map(|one| one["repair"].as_str().unwrap()).collect();
        assert_eq!(became, ["put", "replaced", "replaced", "replaced"]);
        let lines = log_of(&stage);
        let outcomes: Vec<&str> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
        let intended = ["intended"; 4];
        assert_eq!(outcomes, [&intended[..], &["put", "replaced", "replaced", "replaced"]].concat());
        assert_eq!((&lines[1]["before"], &lines[2]["before"]), (&before, &extra));
        assert_eq!(lines[1]["source_key"], json!({"id": "2"}));
        assert_eq!((&lines[1]["key"], &lines[1]["what"]), (&key(2), &json!("replace")));
        let mode = std::fs::metadata(stage.folder.path().join(LOG)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        // Nothing is left to do, and nothing is done.
        let report = stage.migrate("verify --repair --yes --json", 0).await.json();
        assert_eq!((&report["outcome"], &report["repair"]["put"]), (&json!("done"), &json!(0)));
        assert_eq!(report["repair"].get("log"), None);
        assert_eq!(log_of(&stage), lines);
        stage.migrate("verify", 0).await;
    }
}

#[tokio::test]
async fn nothing_is_written_without_yes_nor_by_a_dry_run() {
    let stage = damaged(Kind::Sqlite).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    let refused = stage.migrate("verify --repair", 2).await;
    expect_case("verify/repair-unconfirmed.expected", &stage.shown(&refused));
    assert!(front.counters().requests("BatchGetItem") == 0, "refused before all is read");
    let document = stage.migrate("verify --repair --json", 2).await.json();
    assert_eq!(document["error"]["code"], "repair-not-confirmed");
    let shown = stage.migrate("verify --repair --dry-run", 5).await;
    expect_case("verify/repair-dry-run.expected", &stage.shown(&shown));
    let report = stage.migrate("verify --repair --dry-run --yes --json", 5).await.json();
    assert_eq!(report["repair"], json!({"dry_run": true, "put": 1, "replaced": 3, "moved": 0, "left": 0}));
    assert_eq!(report["outcome"], "differences");
    let counters = front.counters();
    for operation in ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"] {
        assert_eq!(counters.requests(operation), 0, "{operation}");
    }
    assert!(!stage.folder.path().join(LOG).exists());
    // Without --repair a verification writes nothing anyway.
    stage.migrate("verify --dry-run", 5).await;
}

#[tokio::test]
async fn a_repair_is_told_in_words() {
    let stage = damaged(Kind::Sqlite).await;
    let shown = stage.migrate("verify --repair --yes", 0).await;
    expect_case("verify/repair.expected", &stage.shown(&shown));
    shown.assert_hides("private");
}

/// Between the verifier's look and its write somebody changes the item.
#[tokio::test]
async fn a_change_by_others_meanwhile_stays() {
    for kind in servers::ALL {
        let stage = damaged(kind).await;
        let upstream = stage.endpoint.clone().unwrap();
        let front = with_others(&upstream);
        let stage = stage.at(front.url());
        let report = stage.migrate("verify --repair --yes --json", 5).await.json();
        assert_eq!(report["outcome"], "differences", "{}", kind.name());
        let counts =
            ["put", "replaced", "moved", "left"].map(|name| report["repair"][name].as_u64().unwrap());
        assert_eq!(counts, [0, 1, 3, 0], "{}", kind.name());
        let client = Client::new(&upstream);
        assert_eq!(get(&client, 1).await, newer(1));
        assert_eq!(get(&client, 2).await, newer(2));
        assert_eq!(get(&client, 3).await, Value::Null);
        let moved = log_of(&stage).into_iter().filter(|line| line["outcome"] == "moved").count();
        assert_eq!(moved, 3);
    }
    let stage = damaged(Kind::Sqlite).await;
    let front = with_others(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    let shown = stage.migrate("verify --repair --yes", 5).await;
    expect_case("verify/repair-moved.expected", &stage.shown(&shown));
}

/// Lets others put, replace and delete three of the four items just before they are repaired.
fn with_others(upstream: &str) -> Front {
    let front = Front::forwarding(upstream);
    let theirs = upstream.to_owned();
    front.decide(move |seen| {
        let request: Value = serde_json::from_slice(seen.body).unwrap_or_default();
        match seen.operation {
            "PutItem" => by_others(&theirs, "PutItem", json!({"TableName": "shop", "Item": newer(1)})),
            "UpdateItem" if request["Key"] == key(2) => {
                by_others(&theirs, "PutItem", json!({"TableName": "shop", "Item": newer(2)}));
            }
            "UpdateItem" if request["Key"] == key(3) => {
                by_others(&theirs, "DeleteItem", json!({"TableName": "shop", "Key": key(3)}));
            }
            _ => {}
        }
        None
    });
    front
}

/// What an application writes meanwhile.
fn newer(id: u32) -> Value {
    let mut item = key(id);
    item["version"] = json!({"N": "2"});
    item
}

/// Another client, at once: the front's own runtime must not be waited for.
pub fn by_others(endpoint: &str, operation: &'static str, request: Value) {
    let client = Client::new(endpoint);
    let call = async move { client.call(operation, request).await };
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    std::thread::spawn(move || runtime().block_on(call)).join().unwrap();
}

/// An attribute that came since the item was read, of which neither side knows.
#[tokio::test]
async fn an_attribute_that_others_add_meanwhile_is_not_lost() {
    let stage = damaged(Kind::Sqlite).await;
    let upstream = stage.endpoint.clone().unwrap();
    let front = Front::forwarding(&upstream);
    let stage = stage.at(front.url());
    let theirs = upstream.clone();
    front.decide(move |seen| {
        let request: Value = serde_json::from_slice(seen.body).unwrap_or_default();
        if seen.operation == "UpdateItem" && request["Key"] == key(2) {
            let added = json!({
                "TableName": "shop", "Key": key(2), "UpdateExpression": "SET seen = :now",
                "ExpressionAttributeValues": {":now": {"N": "1"}},
            });
            by_others(&theirs, "UpdateItem", added);
        }
        None
    });
    // It is not the item that the row makes, and nobody knows whether it should be.
    let report = stage.migrate("verify --repair --yes --json", 5).await.json();
    assert_eq!(report["repair"]["moved"], 1, "{report}");
    let item = get(&Client::new(&upstream), 2).await;
    assert_eq!((&item["note"], &item["seen"]), (&json!({"S": "note 2"}), &json!({"N": "1"})));
    // What the log says of the item as it was holds the new attribute too.
    let replaced =
        log_of(&stage).into_iter().find(|line| line["key"] == key(2) && line["outcome"] == "replaced");
    assert_eq!(replaced.unwrap()["before"]["seen"], json!({"N": "1"}));
    let report = stage.migrate("verify --json", 5).await.json();
    assert_eq!(
        report["entities"]["Order"]["differences"][0]["attributes"],
        json!([{"name": "seen", "what": "unexpected"}])
    );
}

#[tokio::test]
async fn throttles_and_lost_answers_are_no_hindrance() {
    let stage = damaged(Kind::Sqlite).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    let hot = || Fault::throttled(Throttle::Throttling, "TableWriteKeyRangeThroughputExceeded");
    front.on("PutItem", When::Between(1, 3), hot());
    front.on("PutItem", When::At(3), Fault::CutAfter);
    front.on("UpdateItem", When::At(1), Fault::internal_error());
    front.on("UpdateItem", When::At(2), Fault::CutAfter);
    front.on("UpdateItem", When::At(4), Fault::CutBefore);
    let report = stage.migrate("verify --repair --yes --json", 0).await.json();
    let counts = ["put", "replaced", "moved", "left"].map(|name| report["repair"][name].as_u64().unwrap());
    assert_eq!(counts, [1, 3, 0, 0]);
    stage.migrate("verify", 0).await;
}

#[tokio::test]
async fn an_item_that_cannot_be_changed_is_left_and_the_others_are_mended() {
    let stage = damaged(Kind::Sqlite).await;
    let client = stage.client();
    change(&client, 5, |item| {
        (0..200).for_each(|at| item[format!("attribute {at}")] = json!({"N": "1"}));
    })
    .await;
    let wide = get(&client, 5).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    front.on("PutItem", When::Always, Fault::invalid("a private word"));
    let shown = stage.migrate("verify --repair --yes", 5).await;
    shown.assert_hides("private");
    let ending = "\n5 of 20 checked rows were wrong in the target, 2 still are (exit code 5).";
    assert!(shown.stdout.contains(ending), "{}", shown.stdout);
    assert!(shown.stdout.contains("2 items that could not be changed"), "{}", shown.stdout);
    assert!(shown.stdout.contains("→ left: the item has more attributes"), "{}", shown.stdout);
    assert_eq!(get(&client, 5).await, wide);
    let left: Vec<Value> = log_of(&stage).into_iter().filter(|line| line["outcome"] == "left").collect();
    assert_eq!(left.len(), 2);
    assert!(left[0]["why"].as_str().unwrap().starts_with("ValidationException"), "{}", left[0]);
    let report = stage.migrate("verify --repair --yes --json", 5).await.json();
    let counts = ["put", "replaced", "moved", "left"].map(|name| report["repair"][name].as_u64().unwrap());
    assert_eq!(counts, [0, 0, 0, 2]);
    let why = report["entities"]["Order"]["differences"][1]["why"].as_str().unwrap();
    assert!(why.contains("150"), "{why}");
}

#[tokio::test]
async fn a_refused_permission_ends_the_repair_with_what_is_needed() {
    let stage = damaged(Kind::Sqlite).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    front.on("UpdateItem", When::At(2), Fault::access_denied());
    let failed = stage.migrate("verify --repair --yes", 1).await;
    assert!(failed.stderr.contains("PutItem, UpdateItem and DeleteItem to repair"), "{}", failed.stderr);
    // What was found is told, and what was done before is written down.
    assert!(failed.stdout.contains("1 missing, 3 different"), "{}", failed.stdout);
    let outcomes: Vec<Value> = log_of(&stage).into_iter().map(|line| line["outcome"].clone()).collect();
    assert_eq!(outcomes[4..], ["put", "replaced", "replaced"]);
}

/// Two that write to one table at a time would each take the other's items for damage.
#[tokio::test]
async fn a_repair_waits_for_no_load() {
    let stage = damaged(Kind::Sqlite).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    front.on("BatchGetItem", When::Always, Fault::Delay(Duration::from_millis(500)));
    let mut running = stage.tool("verify --repair --yes").spawn();
    running.until("it reads the table", |_| front.counters().requests("BatchGetItem") >= 1).await;
    let locked = stage.migrate("--restart --yes", 1).await;
    assert!(locked.stderr.contains("in use by another migrate"), "{}", locked.stderr);
    // A look needs no lock, whatever it finds.
    let look = stage.tool("verify --repair --dry-run").run().await;
    assert!([Some(0), Some(5)].contains(&look.code()), "{}", look.stderr);
    running.finish().await.expect_code(0);
}

#[tokio::test]
async fn redact_hides_keys_in_report_and_log() {
    let stage = damaged(Kind::Sqlite).await;
    let shown = stage.migrate("verify --repair --yes --redact", 0).await;
    assert!(shown.stdout.contains("id=sha256:") && shown.stdout.contains("sha256:"), "{}", shown.stdout);
    shown.assert_hides("ORDER#000");
    let line = &log_of(&stage)[0];
    assert!(line["source_key"]["id"].as_str().unwrap().starts_with("sha256:"), "{line}");
    assert_eq!(line["key"], key(1));
}

/// What is written is the row as it is by then, and no row that is gone.
#[tokio::test]
async fn a_row_that_moves_on_meanwhile_is_repaired_as_it_is_by_then() {
    for kind in servers::ALL {
        let stage = damaged(kind).await;
        let direct = stage.client();
        let extra = get(&direct, 3).await;
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        let stage = stage.at(front.url());
        front.on("BatchGetItem", When::At(1), Fault::Delay(Duration::from_millis(1_500)));
        let mut running = stage.tool("verify --repair --yes --json").spawn();
        running.until("it reads the table", |_| front.counters().requests("BatchGetItem") >= 1).await;
        let sql = "UPDATE orders SET note = 'newer' WHERE id = 2; DELETE FROM orders WHERE id IN (1, 3)";
        stage.database.execute(sql).await;
        let report = running.finish().await.expect_code(5).json();
        let entity = &report["entities"]["Order"];
        let counts = ["missing", "different", "moved"].map(|name| entity[name].as_u64().unwrap());
        assert_eq!(counts, [0, 3, 1], "{}", kind.name());
        assert_eq!((&report["repair"]["put"], &report["repair"]["replaced"]), (&json!(0), &json!(2)));
        assert_eq!(get(&direct, 1).await, Value::Null, "{}", kind.name());
        assert_eq!(get(&direct, 2).await["note"], json!({"S": "newer"}));
        assert_eq!(get(&direct, 3).await, extra, "no row says what it should be");
    }
}

/// Where rows share a key, and the load has not chosen between them, nobody knows whose item it is.
#[tokio::test]
async fn no_row_takes_the_item_of_another() {
    let mapping = MAPPING.split("[entities").next().unwrap().to_owned()
        + "[entities.Visit]\nfrom = \"visits\"\npk = \"D#{day}\"\nsk = \"V\"\n";
    let rows: Vec<String> = (1..=20).map(|id| format!("({id}, {id}, 'a')")).collect();
    let sql = format!(
        "CREATE TABLE visits (id INT PRIMARY KEY, day INT NOT NULL, note VARCHAR(20)); \
         INSERT INTO visits VALUES {}, (21, 5, 'b')",
        rows.join(", ")
    );
    for kind in servers::ALL {
        let stage = Stage::new(kind, &sql, &mapping).await.with_dynamodb().await;
        stage.migrate("--create-table", 4).await;
        let client = stage.client();
        let key = |day: u32| json!({"PK": {"S": format!("D#{day}")}, "SK": {"S": "V"}});
        let damage = async |day: u32| {
            let mut item = key(day);
            item["note"] = json!({"S": "damaged"});
            client.call("PutItem", json!({"TableName": "shop", "Item": item})).await;
        };
        damage(7).await;
        // Row 21 is known to have lost its key to row 5.
        let report = stage.migrate("verify --repair --yes --json", 0).await.json();
        assert_eq!((&report["repair"]["replaced"], &report["repair"]["left"]), (&json!(1), &json!(0)));
        // Of row 0 nothing is known.
        stage.database.execute("INSERT INTO visits VALUES (0, 3, 'c')").await;
        damage(7).await;
        for words in ["verify --repair --dry-run --json", "verify --repair --yes --json"] {
            let report = stage.migrate(words, 5).await.json();
            let counts =
                ["put", "replaced", "moved", "left"].map(|name| report["repair"][name].as_u64().unwrap());
            assert_eq!(counts, [0, 0, 0, 2], "{}", kind.name());
            let why = report["entities"]["Visit"]["differences"][0]["why"].as_str().unwrap();
            assert!(why.contains("another row's"), "{why}");
        }
        let item = client.call("GetItem", json!({"TableName": "shop", "Key": key(3)})).await;
        assert_eq!(item["Item"]["id"], json!({"N": "3"}), "{}", kind.name());
    }
}

/// Counting the keys takes long; a row that changes meanwhile is repaired as it is after that.
#[tokio::test]
async fn rows_are_read_by_a_snapshot_that_is_younger_than_the_count_of_keys() {
    let mapping = MAPPING.split("[entities").next().unwrap().replace("[source]", "[source]\nreaders = 1")
        + "[entities.Visit]\nfrom = \"slow_visits\"\nkey = [\"id\"]\npk = \"D#{day}\"\nsk = \"V\"\n";
    let rows: Vec<String> = (1..=20).map(|id| format!("({id}, {id}, 'a')")).collect();
    let sql = format!(
        "CREATE TABLE pause (seconds DOUBLE PRECISION NOT NULL); INSERT INTO pause VALUES (0); \
         CREATE TABLE visits (id INT PRIMARY KEY, day INT NOT NULL, note VARCHAR(20)); \
         INSERT INTO visits VALUES {}; \
         CREATE VIEW slow_visits AS SELECT id, note, \
         CASE WHEN pg_sleep((SELECT seconds FROM pause)) IS NULL THEN 0 ELSE day END AS day FROM visits",
        rows.join(", ")
    );
    let stage = Stage::new(Kind::Postgres, &sql, &mapping).await.with_dynamodb().await;
    stage.migrate("--create-table", 0).await;
    let client = stage.client();
    let key = json!({"PK": {"S": "D#7"}, "SK": {"S": "V"}});
    client.call("DeleteItem", json!({"TableName": "shop", "Key": key})).await;
    stage.database.execute("UPDATE pause SET seconds = 0.03").await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    let mut running = stage.tool("verify --repair --yes --json").spawn();
    running.until("it has compared all", |_| front.counters().requests("BatchGetItem") >= 2).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    stage.database.execute("UPDATE visits SET note = 'newer' WHERE id = 7").await;
    let report = running.finish().await.expect_code(0).json();
    assert_eq!(report["repair"]["put"], json!(1));
    let item = client.call("GetItem", json!({"TableName": "shop", "Key": key})).await["Item"].take();
    assert_eq!(item["note"], json!({"S": "newer"}));
}

/// P10: what was under way is in the log, and the next repair finds what is left.
#[tokio::test]
async fn a_repair_that_is_stopped_is_finished_by_the_next() {
    for kind in servers::ALL {
        let rows: Vec<String> = (1..=400).map(|id| format!("({id}, 1, 'note')")).collect();
        let table = ORDERS.split(';').next().unwrap();
        let sql = format!("{table}; INSERT INTO orders VALUES {}", rows.join(", "));
        let stage = Stage::new(kind, &sql, MAPPING).await.with_dynamodb().await;
        stage.migrate("--create-table", 0).await;
        let whole = crate::compare::scan(&stage.client(), "shop").await;
        for id in 1..=300 {
            let item = json!({"TableName": "shop", "Key": key(id)});
            stage.client().call("DeleteItem", item).await;
        }
        let direct = stage.client();
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        let stage = stage.at(front.url());
        front.on("PutItem", When::Always, Fault::Delay(Duration::from_millis(100)));
        let mut running = stage.tool("verify --repair --yes --json").spawn();
        running.until("it repairs", |_| front.counters().requests("PutItem") >= 40).await;
        running.interrupt();
        let report = running.finish().await.expect_code(130).json();
        assert_eq!(report["outcome"], "interrupted");
        let put = log_of(&stage).iter().filter(|line| line["outcome"] == "put").count();
        assert!((40..300).contains(&put) || kind != Kind::Sqlite, "{}: {put}", kind.name());
        // What was in flight is finished, and known to be.
        let intended = log_of(&stage).iter().filter(|line| line["outcome"] == "intended").count();
        let there = direct.scan("shop", None).await.len() - 100;
        assert_eq!((put, intended), (there, there), "{}", kind.name());
        assert_eq!(report["repair"]["put"], json!(there), "{}", kind.name());
        front.script([]);
        let report = stage.migrate("verify --repair --yes --json", 0).await.json();
        assert_eq!(report["repair"]["put"], json!(300 - there), "{}", kind.name());
        crate::compare::assert_same(&whole, &crate::compare::scan(&direct, "shop").await);
    }
}
