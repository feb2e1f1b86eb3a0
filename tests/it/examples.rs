//! The smaller examples of `mappings/`, on all three databases: keys proven, loaded, verified, the same items; and
//! read as their comments say.

use serde_json::{Value, json};

use crate::compare::{self, Items};
use crate::servers::{self, Kind};
use crate::stage::Stage;

/// Loads an example from each database; its items, and the DynamoDB of the last one to be asked.
async fn loaded(name: &str, counts: &Value) -> (Items, Stage) {
    loaded_from(name, name, counts).await
}

/// As [`loaded`], with the rows of another example.
async fn loaded_from(rows: &str, name: &str, counts: &Value) -> (Items, Stage) {
    let mut first: Option<Items> = None;
    let mut last = None;
    for kind in servers::ALL {
        let stage =
            Stage::example(kind, &format!("{name}.toml"), &format!("{rows}.{}.sql", kind.name())).await;
        keys_are_proven(&stage, kind).await;
        let run = stage.migrate("--create-table --json", 0).await.json();
        let entities = run["entities"].as_object().unwrap().iter();
        let written: Value =
            entities.map(|(name, entity)| (name.clone(), entity["written"].clone())).collect();
        assert_eq!(written, *counts, "{name} on {}", kind.name());
        let verified = stage.migrate("verify --json", 0).await.json();
        assert_eq!(verified["outcome"], "done", "{name} on {}", kind.name());
        patterns_are_answered(&verified, kind);
        let items = compare::scan(&stage.client(), name).await;
        match &first {
            Some(first) => compare::assert_same(first, &items),
            None => first = Some(items),
        }
        last = Some(stage);
    }
    (first.unwrap(), last.unwrap())
}

/// Each pattern was asked, found something, and took as many requests as it has calls.
pub fn patterns_are_answered(verified: &Value, kind: Kind) {
    let patterns = verified["access_patterns"].as_array().unwrap();
    assert!(patterns.len() >= 3, "{}: {} patterns", kind.name(), patterns.len());
    for pattern in patterns {
        let count = |name: &str| pattern[name].as_u64().unwrap();
        let place = format!("{} on {}", pattern["name"], kind.name());
        assert!(count("params") > 0 && count("items") > 0, "{place}: {pattern}");
        assert_eq!(count("wrong"), 0, "{place}: {pattern}");
        assert!(pattern["skipped_by"].is_null(), "{place}: {pattern}");
        let separate = pattern["one_table_per_entity"]["requests"].as_f64().unwrap();
        assert_eq!(separate, pattern["source"]["statements"].as_f64().unwrap(), "{place}");
    }
}

fn pattern<'v>(verified: &'v Value, name: &str) -> &'v Value {
    let mut patterns = verified["access_patterns"].as_array().unwrap().iter();
    patterns.find(|pattern| pattern["name"] == name).unwrap_or_else(|| panic!("no pattern {name}"))
}

async fn keys_are_proven(stage: &Stage, kind: Kind) {
    let check = stage.migrate("check --json", 0).await.json();
    for (name, entity) in check["entities"].as_object().unwrap() {
        assert_eq!(entity["key_proof"]["status"], "proven", "{name} on {}", kind.name());
    }
    let findings = check["findings"].as_array().unwrap().iter();
    let warnings: Vec<&Value> = findings.filter(|finding| finding["severity"] != "note").collect();
    assert!(warnings.is_empty(), "{}: {warnings:?}", kind.name());
}

/// One Query: of the table, or of an index, on a partition and what the sort key begins with.
struct Query<'a> {
    table: &'a str,
    index: Option<&'a str>,
    keys: [&'a str; 2],
    partition: &'a str,
    begins_with: Option<&'a str>,
    newest_first: bool,
}

impl<'a> Query<'a> {
    fn of(table: &'a str, partition: &'a str) -> Self {
        let (keys, begins_with) = (["PK", "SK"], None);
        Self { table, index: None, keys, partition, begins_with, newest_first: false }
    }

    fn begins_with(self, text: &'a str) -> Self {
        Self { begins_with: Some(text), ..self }
    }

    fn index(self, name: &'a str, keys: [&'a str; 2]) -> Self {
        Self { index: Some(name), keys, ..self }
    }

    async fn items(self, stage: &Stage) -> Vec<Value> {
        let mut request = json!({
            "TableName": self.table,
            "KeyConditionExpression": "#p = :p",
            "ExpressionAttributeNames": {"#p": self.keys[0]},
            "ExpressionAttributeValues": {":p": {"S": self.partition}},
            "ScanIndexForward": !self.newest_first,
        });
        if let Some(begins_with) = self.begins_with {
            request["KeyConditionExpression"] = json!("#p = :p AND begins_with(#s, :s)");
            request["ExpressionAttributeNames"]["#s"] = json!(self.keys[1]);
            request["ExpressionAttributeValues"][":s"] = json!({"S": begins_with});
        }
        if let Some(index) = self.index {
            request["IndexName"] = json!(index);
        }
        stage.client().call("Query", request).await["Items"].as_array().unwrap().clone()
    }
}

fn texts<'i>(items: &'i [Value], attribute: &str) -> Vec<&'i str> {
    items.iter().map(|item| item[attribute]["S"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_saas_keeps_tenants_apart_and_addresses_unique() {
    let counts = json!({
        "Tenant": 3, "User": 15, "Project": 9, "TenantSlug": 3, "UserEmail": 15, "ProjectMember": 27, "Task": 37
    });
    let (items, stage) = loaded("saas", &counts).await;
    let projects = Query::of("saas", "TENANT#0000000001").begins_with("PROJECT#").items(&stage).await;
    assert_eq!(texts(&projects, "name"), ["Website", "Billing", "Mobile app", "Import", "Hiring"]);
    // `Ada@Example.com` in each tenant: three guards, each with its own user.
    let guards: Vec<&Value> = items
        .values()
        .filter(|item| item["PK"]["S"].as_str().unwrap().ends_with("#ada@example.com"))
        .collect();
    assert_eq!(guards.len(), 3);
    assert_eq!(
        *guards[0],
        json!({
            "PK": {"S": "EMAIL#0000000001#ada@example.com"}, "SK": {"S": "EMAIL"},
            "entity_type": {"S": "UserEmail"}, "user_id": {"N": "1"}
        })
    );
    assert!(items.contains_key(&format!("{} {}", json!({"S": "SLUG#kaffee"}), json!({"S": "SLUG"}))));
    let due = Query::of("saas", "TENANT#0000000001#USER#0000000001").begins_with("DUE#");
    let due = due.index("GSI1", ["GSI1PK", "GSI1SK"]).items(&stage).await;
    assert!(due.iter().all(|task| task["state"]["S"] != "done" && task["entity_type"]["S"] == "Task"));
    let indexed = stage.client().scan("saas", Some("GSI1")).await.len();
    assert_eq!(indexed, 27 + 15, "members, and tasks that are open, somebody's and have a date");
}

#[tokio::test]
async fn a_membership_is_read_from_both_sides() {
    let (_, stage) = loaded("membership", &json!({"User": 10, "Group": 4, "Membership": 17})).await;
    let group = Query::of("membership", "GROUP#0000000002").items(&stage).await;
    assert_eq!(
        texts(&group, "entity_type"),
        ["Group", "Membership", "Membership", "Membership", "Membership"]
    );
    let mut pairs = Vec::new();
    for user in 1..=10 {
        let key = format!("USER#{user:010}");
        let groups = Query::of("membership", &key).begins_with("GROUP#").index("Inverted", ["SK", "PK"]);
        let groups = groups.items(&stage).await;
        pairs.extend(groups.iter().map(|item| (item["PK"].clone(), item["SK"].clone())));
        assert!(
            groups.iter().all(|item| item["group_name"]["S"].is_string() && item["role"]["S"].is_string())
        );
    }
    assert_eq!(pairs.len(), 17, "each membership once");
}

#[tokio::test]
async fn events_are_read_by_device_and_month_and_newest_first() {
    let (items, stage) = loaded("events", &json!({"Device": 4, "DeviceMonth": 7, "Event": 64})).await;
    let mut found = 0;
    for device in 1..=3 {
        let key = format!("DEVICE#{device:010}");
        for month in Query::of("events", &key).begins_with("MONTH#").items(&stage).await {
            let month_key =
                format!("{key}#{}", month["SK"]["S"].as_str().unwrap().trim_start_matches("MONTH#"));
            let events = Query::of("events", &month_key).items(&stage).await;
            assert_eq!(json!(events.len().to_string()), month["events"]["N"], "{month_key}");
            let times = texts(&events, "SK");
            assert!(times.is_sorted(), "{times:?}");
            found += events.len();
        }
    }
    assert_eq!(found, 64);
    // The newest of all devices: one query a shard, merged.
    let mut newest: Vec<String> = Vec::new();
    for shard in 0..4 {
        let key = format!("EVENTS#2026-01#{shard}");
        let query = Query { newest_first: true, ..Query::of("events", &key) };
        let shard = query.index("Latest", ["LatestPK", "LatestSK"]).items(&stage).await;
        newest.extend(texts(&shard, "LatestSK").into_iter().map(str::to_owned));
    }
    newest.sort_unstable_by(|left, right| right.cmp(left));
    let mut all: Vec<&str> = items.values().filter_map(|item| item["LatestSK"]["S"].as_str()).collect();
    all.sort_unstable_by(|left, right| right.cmp(left));
    all.retain(|time| time.starts_with("2026-01"));
    assert!(all.len() > 20, "{} events of the month", all.len());
    assert_eq!(newest, all);
}

#[tokio::test]
async fn an_order_is_read_with_its_items_by_its_number() {
    let (_, stage) = loaded_from("shop", "orders", &json!({"User": 20, "Order": 35, "OrderItem": 90})).await;
    let order = Query::of("orders", "ORDER#0000000002").items(&stage).await;
    assert_eq!(texts(&order, "SK"), ["ITEM#0001", "ITEM#0002", "METADATA"]);
    let user = Query::of("orders", "USER#0000000001").index("GSI1", ["GSI1PK", "GSI1SK"]).items(&stage).await;
    assert_eq!(texts(&user, "entity_type")[..2], ["User", "Order"]);
    let verified = stage.migrate("verify --json", 0).await.json();
    let with_items = pattern(&verified, "an order with its items");
    assert_eq!((&with_items["operation"], &with_items["items"]), (&json!("query"), &json!(125)));
    assert_eq!(with_items["source"]["statements"], 2);
    assert_eq!((&with_items["requests"], &with_items["rcu"]), (&json!(1.0), &json!(0.5)));
    assert_eq!(with_items["one_table_per_entity"], json!({"requests": 2.0, "rcu": 1.0}));
    assert_eq!(pattern(&verified, "an order alone")["operation"], "get_item");
}

#[tokio::test]
async fn a_directory_is_read_by_id_e_mail_and_status() {
    let (items, stage) = loaded_from("shop", "directory", &json!({"Profile": 20, "Order": 35})).await;
    let customers = Query::of("directory", "STATUS#CUSTOMER").index("GSI2", ["GSI2PK", "GSI2SK"]);
    let customers = Query { newest_first: true, ..customers }.items(&stage).await;
    let visitors =
        Query::of("directory", "STATUS#VISITOR").index("GSI2", ["GSI2PK", "GSI2SK"]).items(&stage).await;
    assert_eq!(customers.len() + visitors.len(), 20);
    assert!(texts(&customers, "GSI2SK").windows(2).all(|pair| pair[0] > pair[1]));
    assert!(customers.iter().all(|person| person["name"]["S"].is_string() && person["email"].is_null()));
    let ada = Query::of("directory", "EMAIL#ada@example.com")
        .index("GSI1", ["GSI1PK", "GSI1SK"])
        .items(&stage)
        .await;
    assert_eq!(texts(&ada, "SK"), ["PROFILE#0000000001"]);
    assert_eq!(items.len(), 55);
}

#[tokio::test]
async fn buckets_of_a_month_answer_two_questions_by_one_index() {
    let (items, stage) = loaded_from("shop", "buckets", &json!({"Order": 35, "Sale": 90})).await;
    let paid =
        Query::of("buckets", "STATUS#paid#2024-07").index("GSI1", ["GSI1PK", "GSI1SK"]).items(&stage).await;
    assert!(!paid.is_empty() && paid.iter().all(|order| order["entity_type"]["S"] == "Order"));
    let books = Query::of("buckets", "CATEGORY#books#2024-07")
        .index("GSI1", ["GSI1PK", "GSI1SK"])
        .items(&stage)
        .await;
    assert!(!books.is_empty() && books.iter().all(|sale| sale["category"]["S"] == "Books"));
    let indexed = stage.client().scan("buckets", Some("GSI1")).await.len();
    assert!(indexed < items.len(), "sales of products without a category are not in it");
}
