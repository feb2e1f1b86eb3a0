//! The independent comparison: what the database says as its own text, what DynamoDB gives by Scan, and
//! a test's own, hand-written idea of how one becomes the other. Shares nothing with `src/`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::dynamodb::Client;
use crate::servers::{Database, Texts};

/// Items by their key, for comparing sets of items whatever their order.
pub type Items = BTreeMap<String, Value>;

/// Everything in a table. Panics when a key comes twice.
pub async fn scan(client: &Client, table: &str) -> Items {
    by_key(client.scan(table, None).await)
}

/// The items that a query's rows should have become: `item` is the test's own translation of a row.
pub async fn expect(database: &Database, sql: &str, item: impl Fn(&Texts) -> Value) -> Items {
    by_key(database.texts(sql).await.iter().map(item))
}

/// By PK and SK.
pub fn by_key(items: impl IntoIterator<Item = Value>) -> Items {
    let mut by_key = Items::new();
    for item in items {
        let key = format!("{} {}", item["PK"], item["SK"]);
        if let Some(other) = by_key.insert(key.clone(), item) {
            panic!("two items of key {key}, one of them {other}");
        }
    }
    by_key
}

/// Panics with the first differences, if there are any.
#[track_caller]
pub fn assert_same(expected: &Items, found: &Items) {
    let missing = expected.keys().filter(|key| !found.contains_key(*key));
    let extra = found.keys().filter(|key| !expected.contains_key(*key));
    let different =
        expected.iter().filter(|(key, item)| found.get(*key).is_some_and(|other| !same(item, other)));
    let mut differences: Vec<String> = missing.map(|key| format!("missing: {key}")).collect();
    differences.extend(extra.map(|key| format!("not expected: {key}")));
    differences.extend(
        different
            .map(|(key, item)| format!("different: {key}\n  expected {item}\n  found    {}", found[key])),
    );
    let count = differences.len();
    differences.truncate(5);
    assert_eq!(count, 0, "{count} differences among {} items\n{}", expected.len(), differences.join("\n"));
}

/// As DynamoDB compares: sets have no order. Numbers must be written canonically on both sides.
fn same(a: &Value, b: &Value) -> bool {
    sorted_sets(a) == sorted_sets(b)
}

fn sorted_sets(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let sorted = members.iter().map(|(name, member)| match (name.as_str(), member) {
                ("SS" | "NS" | "BS", Value::Array(elements)) => {
                    let mut elements = elements.clone();
                    elements.sort_by_key(Value::to_string);
                    (name.clone(), elements.into())
                }
                _ => (name.clone(), sorted_sets(member)),
            });
            Value::Object(sorted.collect::<Map<String, Value>>())
        }
        Value::Array(elements) => elements.iter().map(sorted_sets).collect(),
        other => other.clone(),
    }
}

/// An item of hand-written parts; an attribute without a value (NULL) is left out.
pub fn item<'a>(attributes: impl IntoIterator<Item = (&'a str, &'a str, Option<String>)>) -> Value {
    let attributes = attributes.into_iter().filter_map(|(name, kind, value)| {
        let value = value?;
        let typed = if kind == "BOOL" { json!({ "BOOL": is_true(&value) }) } else { json!({ kind: value }) };
        Some((name.to_owned(), typed))
    });
    Value::Object(attributes.collect())
}

/// As one database or the other writes it.
fn is_true(text: &str) -> bool {
    match text {
        "t" | "true" | "1" => true,
        "f" | "false" | "0" => false,
        other => panic!("no boolean: {other}"),
    }
}

/// A decimal's text without trailing zeros, as DynamoDB stores it: `19.90` → `19.9`, `0.00` → `0`.
pub fn canonical_decimal(text: &str) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    }
}
