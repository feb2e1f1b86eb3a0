//! The shop of `mappings/`, end to end on all three databases.

use serde_json::{Value, json};

use crate::compare::{self, Items};
use crate::examples::patterns_are_answered;
use crate::servers::{self, Kind};
use crate::stage::Stage;

/// Written by hand from the rules of the mapping language.
fn by_hand() -> Value {
    serde_json::from_str(include_str!("../fixtures/shop.expected.json")).unwrap()
}

async fn shop(kind: Kind) -> Stage {
    Stage::example(kind, "shop.toml", &format!("shop.{}.sql", kind.name())).await
}

#[tokio::test]
async fn the_shop_on_all_three_databases_gives_the_same_items() {
    let mut found: Vec<(Kind, Value, Items)> = Vec::new();
    for kind in servers::ALL {
        let stage = shop(kind).await;
        let dry = stage.migrate("--dry-run --json", 0).await.json();
        let run = stage.migrate("--create-table --json", 0).await.json();
        assert_eq!(run["outcome"], "done", "{}", kind.name());
        assert_eq!(counts(&dry), counts(&run), "{}: the dry run said otherwise", kind.name());
        let items = compare::scan(&stage.client(), "shop").await;
        must_be_as_by_hand(&items);
        must_be_in_indexes(&stage, &run).await;
        let verified = stage.migrate("verify --json", 0).await.json();
        assert_eq!(verified["outcome"], "done", "{}", kind.name());
        patterns_are_answered(&verified, kind);
        found.push((kind, counts(&run), items));
    }
    let (_, first_counts, first) = &found[0];
    for (kind, counts, items) in &found[1..] {
        assert_eq!(counts, first_counts, "{}", kind.name());
        compare::assert_same(first, items);
    }
}

/// What a report says that does not depend on the day.
fn counts(report: &Value) -> Value {
    let entities = report["entities"].as_object().unwrap().iter().map(|(name, entity)| {
        let kept = ["read", "items", "rejected", "skipped", "rejected_by", "skipped_by", "wcu", "size"];
        let kept = kept.map(|member| (member.to_owned(), entity[member].clone()));
        (name.clone(), Value::Object(kept.into_iter().collect()))
    });
    let entities: serde_json::Map<String, Value> = entities.collect();
    json!({"entities": entities, "indexes": report["indexes"], "wcu": report["totals"]["wcu"]})
}

fn must_be_as_by_hand(items: &Items) {
    let expected = by_hand();
    let written = expected["items"].as_array().unwrap();
    assert!(written.len() >= 12, "only {} items are written by hand", written.len());
    let written = compare::by_key(written.clone());
    let same_keys = items.iter().filter(|(key, _)| written.contains_key(*key));
    let same_keys: Items = same_keys.map(|(key, item)| (key.clone(), item.clone())).collect();
    compare::assert_same(&written, &same_keys);
    for absent in expected["absent"].as_array().unwrap() {
        let key = format!("{} {}", absent["PK"], absent["SK"]);
        assert!(!items.contains_key(&key), "{key} is of an order that was deleted");
    }
    for (entity, count) in expected["counts"].as_object().unwrap() {
        let found = items.values().filter(|item| item["entity_type"]["S"] == **entity).count();
        assert_eq!(json!(found), *count, "{entity}");
    }
}

/// The index counts of the report are what DynamoDB has.
async fn must_be_in_indexes(stage: &Stage, run: &Value) {
    for index in ["GSI1", "Inverted"] {
        let found = stage.client().scan("shop", Some(index)).await.len();
        assert_eq!(run["indexes"][index]["items"], json!(found), "{index}");
        let all = run["totals"]["items"].as_u64().unwrap();
        assert_eq!(run["indexes"][index]["absent"], json!(all - found as u64), "{index}");
    }
}

#[tokio::test]
async fn running_twice_is_the_same_as_once() {
    for kind in servers::ALL {
        let stage = shop(kind).await;
        stage.migrate("--create-table", 0).await;
        let once = compare::scan(&stage.client(), "shop").await;
        let again = stage.migrate("--json", 0).await.json();
        assert_eq!(again["outcome"], "already_done", "{}", kind.name());
        compare::assert_same(&once, &compare::scan(&stage.client(), "shop").await);
        stage.migrate("--restart --yes", 0).await;
        compare::assert_same(&once, &compare::scan(&stage.client(), "shop").await);
        stage.migrate("verify", 0).await;
    }
}

/// w14: a second run costs nothing.
#[tokio::test]
async fn a_finished_load_is_not_written_again() {
    let stage = shop(Kind::Sqlite).await;
    let front = crate::front::Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    stage.migrate("--create-table", 0).await;
    let batches = front.counters().batches();
    assert!(batches > 0);
    stage.migrate("run", 0).await;
    assert_eq!(front.counters().batches(), batches);
}
