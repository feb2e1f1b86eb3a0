//! Changes of single items that hold only as long as nobody else has changed them.

use std::time::Duration;

use dynamigrate::target::{Amend, Amended, Amendment, DynamoDb, Embedded, Lookup, Put, PutBatch, Target};
use serde_json::{Value as Json, json};

use super::{connect, key, plain};

/// Values of every type, empty ones included; attribute names that expressions cannot hold as they are.
fn every_type() -> Vec<(&'static str, Json)> {
    vec![
        ("size", json!({"S": "a \"reserved\" word"})),
        ("a.b[0]", json!({"S": ""})),
        ("#x", json!({"N": "12345678901234567890123456789012345678"})),
        (":v", json!({"N": "-1.5E-100"})),
        ("ключ 🦀", json!({"B": "AAEC/w=="})),
        ("empty", json!({"B": ""})),
        ("yes", json!({"BOOL": true})),
        ("NULL", json!({"NULL": true})),
        ("list", json!({"L": [{"S": ""}, {"N": "1"}, {"L": []}, {"M": {}}]})),
        ("none", json!({"L": []})),
        ("map", json!({"M": {"b": {"N": "2"}, "a": {"M": {".": {"B": ""}}}}})),
        ("nothing", json!({"M": {}})),
        ("texts", json!({"SS": ["b", "a", ""]})),
        ("numbers", json!({"NS": ["2", "10", "1.5"]})),
        ("binaries", json!({"BS": ["AQ==", "", "Ag=="]})),
    ]
}

/// One value of the same type that is not the same.
fn another(name: &str) -> Json {
    match name {
        "size" => json!({"S": "A \"reserved\" word"}),
        "a.b[0]" => json!({"S": " "}),
        "#x" => json!({"N": "12345678901234567890123456789012345679"}),
        ":v" => json!({"N": "-1.5E-101"}),
        "ключ 🦀" => json!({"B": "AAEC/g=="}),
        "empty" => json!({"B": "AA=="}),
        "yes" => json!({"BOOL": false}),
        "NULL" => json!({"S": ""}),
        "list" => json!({"L": [{"N": "1"}, {"S": ""}, {"L": []}, {"M": {}}]}),
        "none" => json!({"M": {}}),
        "map" => json!({"M": {"b": {"N": "2"}, "a": {"M": {".": {"B": "AA=="}}}}}),
        "nothing" => json!({"L": []}),
        "texts" => json!({"SS": ["b", "a"]}),
        "numbers" => json!({"NS": ["2", "10", "1.6"]}),
        "binaries" => json!({"BS": ["AQ==", "Ag=="]}),
        _ => json!({"S": "another"}),
    }
}

fn item(attributes: impl IntoIterator<Item = (&'static str, Json)>) -> Vec<u8> {
    let mut item = json!({"PK": {"S": "A"}, "SK": {"S": "1"}});
    for (name, value) in attributes {
        item[name] = value;
    }
    item.to_string().into_bytes()
}

struct Table {
    target: DynamoDb,
    key: Vec<u8>,
    _server: Embedded,
}

impl Table {
    async fn new() -> Self {
        let server = Embedded::memory().unwrap();
        let target = connect(server.endpoint()).await;
        target.create(&plain(), Duration::from_secs(20)).await.unwrap();
        Self { target, key: key("A", "1"), _server: server }
    }

    async fn holds(&self, item: &[u8]) {
        let mut batch = PutBatch::default();
        // Where the key stands is asked only of what was left over.
        batch.push(item, 0..0);
        assert_eq!(self.target.put(&batch).await.unwrap(), Put::All);
    }

    async fn stored(&self) -> Option<Vec<u8>> {
        self.target.get(&[&self.key]).await.unwrap().items.pop()
    }

    async fn amend(&self, amendment: Amendment<'_>) -> Amended {
        self.target.amend(&amendment).await.unwrap()
    }

    async fn put(&self, item: &[u8]) -> Amended {
        self.amend(Amendment::Put { key: &self.key, item }).await
    }

    async fn replace(&self, found: &[u8], item: &[u8]) -> Amended {
        self.amend(Amendment::Replace { key: &self.key, found, item }).await
    }

    async fn delete(&self, found: &[u8]) -> Amended {
        self.amend(Amendment::Delete { key: &self.key, found }).await
    }

    async fn assert_holds(&self, expected: &[u8]) {
        let found = self.stored().await.expect("the item is gone");
        assert_equal(expected, &found);
    }
}

/// By value: the service spells numbers and orders sets in its own way.
fn assert_equal(expected: &[u8], found: &[u8]) {
    let differences = dynamigrate::verify::differences(expected, found).unwrap();
    assert!(differences.is_empty(), "{differences:?}");
}

fn is_done(amended: &Amended) -> bool {
    matches!(amended, Amended::Done { .. })
}

#[tokio::test]
async fn an_item_is_put_only_where_there_is_none() {
    let table = Table::new().await;
    let first = item(every_type());
    assert_eq!(table.put(&first).await, Amended::Done { before: None });
    table.assert_holds(&first).await;
    assert_eq!(table.put(&item([("n", json!({"N": "2"}))])).await, Amended::Moved);
    table.assert_holds(&first).await;
}

#[tokio::test]
async fn an_item_of_every_type_is_replaced_as_long_as_it_is_what_was_read() {
    let table = Table::new().await;
    table.holds(&item(every_type())).await;
    let found = table.stored().await.unwrap();
    let wanted = item([("n", json!({"N": "1"})), ("size", json!({"S": ""}))]);
    let Amended::Done { before: Some(before) } = table.replace(&found, &wanted).await else {
        panic!("not replaced");
    };
    assert_equal(&found, &before);
    table.assert_holds(&wanted).await;
    // Once more: what was read is no longer there.
    assert_eq!(table.replace(&found, &wanted).await, Amended::Moved);
}

#[tokio::test]
async fn a_change_of_any_one_attribute_since_is_seen() {
    let table = Table::new().await;
    table.holds(&item(every_type())).await;
    let found = table.stored().await.unwrap();
    for (changed, _) in every_type() {
        let theirs = every_type().into_iter().map(|(name, value)| match name == changed {
            true => (name, another(name)),
            false => (name, value),
        });
        let theirs = item(theirs);
        table.holds(&theirs).await;
        assert_eq!(table.replace(&found, &item([])).await, Amended::Moved, "{changed}");
        assert_eq!(table.delete(&found).await, Amended::Moved, "{changed}");
        table.assert_holds(&theirs).await;
        let without = item(every_type().into_iter().filter(|(name, _)| *name != changed));
        table.holds(&without).await;
        assert_eq!(table.replace(&found, &item([])).await, Amended::Moved, "without {changed}");
        assert_eq!(table.delete(&found).await, Amended::Moved, "without {changed}");
    }
}

#[tokio::test]
async fn an_item_that_is_gone_is_not_put_back() {
    let table = Table::new().await;
    let found = item([]);
    assert_eq!(table.replace(&found, &item([("n", json!({"N": "1"}))])).await, Amended::Moved);
    assert_eq!(table.replace(&found, &found).await, Amended::Moved);
    assert_eq!(table.delete(&found).await, Amended::Moved);
    assert_eq!(table.stored().await, None);
}

#[tokio::test]
async fn an_attribute_that_came_since_stops_whoever_wants_to_write_it_and_stays_with_others() {
    let table = Table::new().await;
    let found = item([("old", json!({"S": "x"}))]);
    let theirs = item([("old", json!({"S": "x"})), ("theirs", json!({"S": "y"}))]);
    table.holds(&theirs).await;
    let same = item([("theirs", json!({"S": "z"}))]);
    assert_eq!(table.replace(&found, &same).await, Amended::Moved);
    table.assert_holds(&theirs).await;
    assert!(is_done(&table.replace(&found, &item([("ours", json!({"N": "1"}))])).await));
    table.assert_holds(&item([("ours", json!({"N": "1"})), ("theirs", json!({"S": "y"}))])).await;
}

#[tokio::test]
async fn what_is_deleted_is_told_with_all_that_it_had() {
    let table = Table::new().await;
    let had = item(every_type());
    table.holds(&had).await;
    let Amended::Done { before: Some(before) } = table.delete(&item([])).await else {
        panic!("not deleted");
    };
    assert_equal(&had, &before);
    assert_eq!(table.stored().await, None);
}

#[tokio::test]
async fn equal_values_in_other_spellings_are_no_change() {
    let table = Table::new().await;
    table
        .holds(&item([
            ("n", json!({"N": "1.50E1"})),
            ("s", json!({"SS": ["a", "b"]})),
            ("m", json!({"M": {"a": {"N": "100"}, "b": {"NULL": true}}})),
        ]))
        .await;
    let spelled = item([
        ("n", json!({"N": "15.0"})),
        ("s", json!({"SS": ["b", "a"]})),
        ("m", json!({"M": {"b": {"NULL": true}, "a": {"N": "1E2"}}})),
    ]);
    assert!(is_done(&table.delete(&spelled).await));
}

#[tokio::test]
async fn an_item_of_150_attributes_is_changed_and_a_wider_one_never() {
    let table = Table::new().await;
    let wide = |attributes: usize| {
        let each = (0..attributes).map(|at| (format!("attribute {at}"), json!({"N": at.to_string()})));
        let mut item: serde_json::Map<String, Json> = each.collect();
        item.insert("PK".to_owned(), json!({"S": "A"}));
        item.insert("SK".to_owned(), json!({"S": "1"}));
        Json::Object(item).to_string().into_bytes()
    };
    let widest = wide(148);
    table.holds(&widest).await;
    let mut other: Json = serde_json::from_slice(&widest).unwrap();
    other.as_object_mut().unwrap().values_mut().for_each(|value| {
        if value.get("N").is_some() {
            *value = json!({"N": "-1"});
        }
    });
    let other = other.to_string().into_bytes();
    assert!(is_done(&table.replace(&widest, &other).await));
    table.assert_holds(&other).await;
    let wider = wide(149);
    table.holds(&wider).await;
    assert_eq!(table.replace(&wider, &other).await, Amended::TooWide);
    assert_eq!(table.delete(&wider).await, Amended::TooWide);
    table.assert_holds(&wider).await;
}

#[tokio::test]
async fn large_items_fit_with_their_condition() {
    let table = Table::new().await;
    let long = |letter: &str| item([("text", json!({"S": letter.repeat(399 << 10)}))]);
    table.holds(&long("a")).await;
    assert!(is_done(&table.replace(&long("a"), &long("b")).await));
    table.assert_holds(&long("b")).await;
    assert!(is_done(&table.delete(&long("b")).await));
}
