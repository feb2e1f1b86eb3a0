//! The target table: made as the mapping says, and never written over without being told to.

use serde_json::{Value, json};

use crate::front::Front;
use crate::servers::Kind;
use crate::stage::{MAPPING, ORDERS, Stage, expect_case};
use crate::tool::Finished;

async fn described(stage: &Stage) -> Value {
    stage.client().call("DescribeTable", json!({"TableName": "shop"})).await["Table"].clone()
}

fn keys(described: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let keys = described["KeySchema"].as_array().unwrap().iter();
    keys.map(|key| (text(&key["AttributeName"]), text(&key["KeyType"]))).collect()
}

fn pair(name: &str, role: &str) -> (String, String) {
    (name.to_owned(), role.to_owned())
}

#[tokio::test]
async fn a_table_is_made_as_the_mapping_says() {
    let stage = Stage::example(Kind::Sqlite, "shop.toml", "shop.sqlite.sql").await;
    let finished = stage.migrate("--create-table", 0).await;
    let table = described(&stage).await;
    assert_eq!(keys(&table), [pair("PK", "HASH"), pair("SK", "RANGE")]);
    assert_eq!(table["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST");
    let mut indexes = table["GlobalSecondaryIndexes"].as_array().unwrap().clone();
    indexes.sort_by_key(|index| index["IndexName"].to_string());
    let shape = |index: &Value| {
        (index["IndexName"].clone(), keys(index), index["Projection"]["ProjectionType"].clone())
    };
    assert_eq!(
        indexes.iter().map(shape).collect::<Vec<_>>(),
        [
            (json!("GSI1"), vec![pair("GSI1PK", "HASH"), pair("GSI1SK", "RANGE")], json!("ALL")),
            (json!("Inverted"), vec![pair("SK", "HASH"), pair("PK", "RANGE")], json!("KEYS_ONLY")),
        ]
    );
    // The mapping wants point-in-time recovery, which servers for trying out do not have.
    expect_case("table-made.expected", &stage.shown(&Finished { stdout: String::new(), ..finished }));
}

const DETAILS: &str = r##"[source]
url = "${DATABASE_URL}"

[table]
name = "shop"
endpoint = "${DYNAMODB_ENDPOINT}"
partition_key = { name = "id", type = "N" }
sort_key = false

[table.indexes.ByCustomer]
partition_key = { name = "customer", type = "N" }
sort_key = "note"
projection = ["amount", "day"]

[table.create]
billing = { read = 3, write = 7 }
deletion_protection = true
tags = { team = "orders" }
stream = "NEW_IMAGE"

[entities.Order]
from = "orders"
pk = "{id}"
columns = ["customer", "note"]
"##;

#[tokio::test]
async fn every_detail_of_the_table_is_asked_for() {
    let front = Front::acknowledging();
    let body = std::sync::Arc::new(std::sync::Mutex::new(Value::Null));
    let kept = std::sync::Arc::clone(&body);
    front.decide(move |seen| {
        if seen.operation == "CreateTable" {
            *kept.lock().unwrap() = serde_json::from_slice(seen.body).unwrap();
        }
        None
    });
    let stage = Stage::new(Kind::Sqlite, ORDERS, DETAILS).await.at(front.url());
    stage.migrate("--create-table", 0).await;
    let mut request = body.lock().unwrap().clone();
    request["AttributeDefinitions"].as_array_mut().unwrap().sort_by_key(|a| a["AttributeName"].to_string());
    assert_eq!(
        request,
        json!({
            "TableName": "shop",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [
                {"AttributeName": "customer", "AttributeType": "N"},
                {"AttributeName": "id", "AttributeType": "N"},
                {"AttributeName": "note", "AttributeType": "S"},
            ],
            "GlobalSecondaryIndexes": [{
                "IndexName": "ByCustomer",
                "KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}, {"AttributeName": "note", "KeyType": "RANGE"}],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["amount", "day"]},
                "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 7},
            }],
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 7},
            "DeletionProtectionEnabled": true,
            "Tags": [{"Key": "team", "Value": "orders"}],
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"},
        })
    );
}

const LOCAL: &str = r##"[source]
url = "${DATABASE_URL}"

[table]
name = "shop"
endpoint = "${DYNAMODB_ENDPOINT}"

[table.indexes.ByDay]
partition_key = ["tenant", { name = "amount", type = "N" }]
sort_key = ["day", "note"]
projection = "KEYS_ONLY"

[table.indexes.ByNote]
local = true
partition_key = "PK"
sort_key = "note"

[entities.Order]
from = "orders"
pk = "O#{id}"
sk = "O"
"##;

/// Z06: and what stands there afterwards is what the mapping says.
#[tokio::test]
async fn k03_z06_keys_of_several_attributes_and_local_indexes_are_made_and_compared() {
    let stage = Stage::new(Kind::Sqlite, ORDERS, LOCAL).await.with_dynamodb().await;
    stage.migrate("--create-table", 0).await;
    let table = described(&stage).await;
    let global = &table["GlobalSecondaryIndexes"][0];
    assert_eq!(
        keys(global),
        [pair("tenant", "HASH"), pair("amount", "HASH"), pair("day", "RANGE"), pair("note", "RANGE")]
    );
    let local = &table["LocalSecondaryIndexes"][0];
    assert_eq!(keys(local), [pair("PK", "HASH"), pair("note", "RANGE")]);
    stage.migrate("--restart", 0).await;
    let mapping = LOCAL.replace("[\"day\", \"note\"]", "[\"note\", \"day\"]").replace("local = true\n", "");
    stage.folder.write("mapping.toml", &mapping);
    let refused = stage.migrate("--restart", 3).await;
    assert!(refused.stderr.contains("index `ByDay`'s sort key is"), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("index `ByNote` is local, the mapping says global"),
        "{}",
        refused.stderr
    );
}

/// On the service itself; a table without it works all the same, and the user is told.
#[tokio::test]
async fn point_in_time_recovery_is_switched_on_where_there_is_any() {
    let front = Front::acknowledging();
    let mapping = MAPPING
        .replace("[entities.Order]", "[table.create]\npoint_in_time_recovery = true\n\n[entities.Order]");
    let stage =
        Stage::new(Kind::Sqlite, ORDERS, &mapping).await.at("http://dynamodb.us-east-1.amazonaws.com");
    let call = stage.tool("--create-table").env("HTTP_PROXY", front.url()).env("http_proxy", front.url());
    let finished = call.run().await.expect_code(0);
    assert!(front.counters().requests("UpdateContinuousBackups") > 0, "{:?}", front.counters().requests);
    assert!(finished.stderr.contains("point-in-time recovery of table `shop`"), "{}", finished.stderr);
    assert_eq!(front.items("shop").len(), 2);
}

#[tokio::test]
async fn an_existing_table_is_not_made_again() {
    let stage = Stage::orders().await.with_dynamodb().await;
    stage.migrate("--create-table", 0).await;
    let first = described(&stage).await["CreationDateTime"].clone();
    stage.migrate("--create-table --restart --yes", 0).await;
    assert_eq!(described(&stage).await["CreationDateTime"], first);
}

/// An index that only the table has costs units that no estimate sees.
#[tokio::test]
async fn an_index_that_the_mapping_does_not_name_is_mentioned() {
    let stage = Stage::orders().await.with_dynamodb().await;
    crate::stage::create_table(&stage.client(), |request| {
        request["AttributeDefinitions"]
            .as_array_mut()
            .unwrap()
            .push(json!({"AttributeName": "customer", "AttributeType": "N"}));
        request["GlobalSecondaryIndexes"] = json!([{
            "IndexName": "ByCustomer", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}],
        }]);
    })
    .await;
    let finished = stage.migrate("run", 0).await;
    assert!(finished.stderr.contains("ByCustomer"), "{}", finished.stderr);
}

/// `--yes` is asked for once: what this load has written itself needs none.
#[tokio::test]
async fn a_table_with_items_of_others_is_written_only_with_yes() {
    let stage = Stage::orders().await.with_dynamodb().await;
    let other = json!({"PK": {"S": "ORDER#0000000001"}, "SK": {"S": "ORDER"}, "mine": {"S": "precious"}});
    crate::stage::create_table(&stage.client(), |_| {}).await;
    stage.client().call("PutItem", json!({"TableName": "shop", "Item": other})).await;
    for words in ["run", "--create-table", "--limit 1", "--restart"] {
        let refused = stage.migrate(words, 2).await;
        assert!(refused.stderr.contains("error[table-not-empty]"), "{words}: {}", refused.stderr);
        let items = stage.client().scan("shop", None).await;
        assert_eq!(items, std::slice::from_ref(&other), "{words}");
    }
    stage.migrate("--yes --limit 1", 0).await;
    stage.migrate("run", 0).await;
    stage.migrate("verify", 0).await;
}

/// R09.
#[tokio::test]
async fn a_snapshot_held_longer_than_its_limit_needs_yes() {
    let rows: Vec<String> = (3..=400).map(|id| format!("({id}, 7, NULL)")).collect();
    let sql = format!("{ORDERS} INSERT INTO orders VALUES {}; ANALYZE", rows.join(", "));
    let mapping = MAPPING.replace("\n[table]", "snapshot_limit = \"1m\"\n\n[table]");
    let stage = Stage::new(Kind::Sqlite, &sql, &mapping).await;
    let refused = stage.migrate("--rate 5", 2).await;
    assert!(refused.stderr.contains("error[snapshot-limit]"), "{}", refused.stderr);
    assert!(refused.stderr.contains("--yes"), "{}", refused.stderr);
    stage.migrate("--rate 100000", 0).await;
}

/// R09: entries in an index take time too, where every row is known to have one.
#[tokio::test]
async fn index_entries_count_for_the_time_a_snapshot_is_held() {
    let rows: Vec<String> = (1..=400).map(|id| format!("({id}, 'paid', 'x')")).collect();
    let table = "CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT NOT NULL, note TEXT);";
    let sql = format!("{table} INSERT INTO orders VALUES {}; ANALYZE", rows.join(", "));
    for (column, when, code) in [("status", "", 2), ("note", "", 0), ("status", "when = \"id > 0\"\n", 0)] {
        let index = "[table.indexes.GSI1]\npartition_key = \"GSI1PK\"\n";
        let entry = format!("[entities.Order.index.GSI1]\n{when}pk = \"BY#{{{column}}}\"\n");
        let mapping = MAPPING.replace("\n[table]", "snapshot_limit = \"1m\"\n\n[table]");
        let mapping = format!("{mapping}\n{index}\n{entry}");
        let stage = Stage::new(Kind::Sqlite, &sql, &mapping).await;
        // 400 rows at 10 a second are under a minute, 400 entries more are over it.
        let told = stage.migrate("--rate 10 --limit 1", code).await.stderr;
        assert!(
            told.contains(if code == 2 { "about 1 min 20 s at least" } else { "about 40 s at least" }),
            "{told}"
        );
    }
}

/// W15: by the table as it is; in a dry run by the one that would be made.
#[tokio::test]
async fn w15_a_stream_is_told_with_the_records_it_will_get() {
    let front = Front::acknowledging();
    crate::stage::create_table(&front.client(), |request| {
        request["StreamSpecification"] = json!({"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"});
    })
    .await;
    let sql = format!("{ORDERS} ANALYZE");
    let stage = Stage::new(Kind::Sqlite, &sql, MAPPING).await.at(front.url());
    let loaded = stage.migrate("run", 0).await;
    let told =
        "the table has a stream: its consumers get a record for each item that is written, about 2 in all";
    assert!(loaded.stderr.contains(told), "{}", loaded.stderr);
    let mapping = MAPPING.replace("[entities", "[table.create]\nstream = \"NEW_IMAGE\"\n\n[entities");
    let stage = Stage::new(Kind::Sqlite, &sql, &mapping).await;
    let dry = stage.migrate("--dry-run", 0).await;
    assert!(dry.stderr.contains("has a stream") && dry.stderr.contains("about 2 in all"), "{}", dry.stderr);
}
