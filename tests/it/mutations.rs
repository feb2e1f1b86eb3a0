//! Every kind of damage that an item can take is planted in the target: `migrate verify` must find exactly
//! it and `--repair` must mend it. What is no damage must pass.

use serde_json::{Value, json};

use crate::compare::{assert_same, scan};
use crate::dynamodb::Client;
use crate::servers::{self, Kind};
use crate::stage::Stage;

const MAPPING: &str = r##"
[source]
url = "${DATABASE_URL}"

[table]
name = "shop"
endpoint = "${DYNAMODB_ENDPOINT:-embedded}"
entity_type = "kind"

[table.indexes.GSI1]
partition_key = "GSI1PK"
sort_key = "GSI1SK"

[entities.Thing]
from = "things"
pk = "THING#{id:05}"
sk = "THING"

[entities.Thing.index.GSI1]
when = "id > 1"
pk = "LABEL#{label}"
sk = "{id:05}"

[entities.Thing.column.flag]
type = "BOOL"

[entities.Thing.column.unset]
nulls = "null"
"##;

/// Twelve rows with a value of every type that the database has.
fn things(kind: Kind) -> (String, String) {
    let (columns, values, settings) = match kind {
        Kind::Postgres => (
            "n NUMERIC(12,2), big NUMERIC(38,0), flag BOOLEAN, b BYTEA, doc JSONB, list INT[], texts TEXT[], \
             numbers NUMERIC[], binaries BYTEA[]",
            r"19.90, 12345678901234567890123456789012345678, true, '\x00ff10', DOC, '{1,2,3}', '{a,b,c}',
             '{1,100,2.5}', ARRAY['\x01'::bytea, '\x0203'::bytea]",
            "[entities.Thing.column.texts]\ntype = \"SS\"\n[entities.Thing.column.numbers]\ntype = \"NS\"\n\
             [entities.Thing.column.binaries]\ntype = \"BS\"\n",
        ),
        Kind::MySql => (
            "n DECIMAL(12,2), big DECIMAL(38,0), flag BOOLEAN, b VARBINARY(20), doc JSON, list JSON, \
             texts SET('a','b','c')",
            "19.90, 12345678901234567890123456789012345678, true, X'00ff10', DOC, '[1,2,3]', 'a,b,c'",
            "[entities.Thing.column.texts]\ntype = \"SS\"\n",
        ),
        Kind::Sqlite => (
            "n DECIMAL(12,2), big JSON, flag BOOLEAN, b BLOB, doc JSON, list JSON",
            "19.90, '12345678901234567890123456789012345678', true, X'00ff10', DOC, '[1,2,3]'",
            "",
        ),
    };
    let doc = r#"'{"inner": {"name": "x", "n": 98765432109876543210987654321098765432, "none": null}, "list": [1, "1", true], "flag": false}'"#;
    let values = values.replace("DOC", doc);
    let row = |id: u32| format!("({id}, 'row {id}', 'Caf\u{e9} a', '', NULL, NULL, {values})");
    let rows: Vec<String> = (1..=12).map(row).collect();
    let sql = format!(
        "CREATE TABLE things (id INT PRIMARY KEY, label VARCHAR(20), text VARCHAR(50), empty VARCHAR(20), \
         unset VARCHAR(20), absent VARCHAR(20), {columns}); INSERT INTO things VALUES {}",
        rows.join(", ")
    );
    (sql, format!("{MAPPING}\n{settings}"))
}

/// What is done to an item, and what is to be said of it.
struct Damage {
    name: &'static str,
    plant: fn(&mut Value),
    found: &'static [(&'static str, &'static str)],
}

const fn damage(
    name: &'static str,
    plant: fn(&mut Value),
    found: &'static [(&'static str, &'static str)],
) -> Damage {
    Damage { name, plant, found }
}

fn remove(item: &mut Value, name: &str) {
    item.as_object_mut().unwrap().remove(name).unwrap();
}

const DAMAGES: &[Damage] = &[
    damage("a digit of a number", |item| item["n"] = json!({"N": "19.8"}), &[("n", "different")]),
    damage("a power of ten", |item| item["n"] = json!({"N": "199"}), &[("n", "different")]),
    damage("a sign", |item| item["n"] = json!({"N": "-19.9"}), &[("n", "different")]),
    damage(
        "the last of 38 digits",
        |item| item["big"] = json!({"N": "12345678901234567890123456789012345677"}),
        &[("big", "different")],
    ),
    damage(
        "a number that went through a float",
        |item| item["big"] = json!({"N": "12345678901234567000000000000000000000"}),
        &[("big", "different")],
    ),
    damage("a number as text", |item| item["n"] = json!({"S": "19.9"}), &[("n", "different")]),
    damage("text as binary", |item| item["text"] = json!({"B": "Q2Fmw6kgYQ=="}), &[("text", "different")]),
    damage("the case of a text", |item| item["text"] = json!({"S": "caf\u{e9} a"}), &[("text", "different")]),
    damage("a trailing blank", |item| item["text"] = json!({"S": "Caf\u{e9} a "}), &[("text", "different")]),
    damage("NFD for NFC", |item| item["text"] = json!({"S": "Cafe\u{301} a"}), &[("text", "different")]),
    damage("a cut text", |item| item["text"] = json!({"S": "Caf\u{e9}"}), &[("text", "different")]),
    damage("a blank for the empty text", |item| item["empty"] = json!({"S": " "}), &[("empty", "different")]),
    damage(
        "NULL for the empty text",
        |item| item["empty"] = json!({"NULL": true}),
        &[("empty", "different")],
    ),
    damage("no empty text", |item| remove(item, "empty"), &[("empty", "missing")]),
    damage("the empty text for NULL", |item| item["unset"] = json!({"S": ""}), &[("unset", "different")]),
    damage("no NULL", |item| remove(item, "unset"), &[("unset", "missing")]),
    damage("NULL for nothing", |item| item["absent"] = json!({"NULL": true}), &[("absent", "unexpected")]),
    damage("a flipped boolean", |item| item["flag"] = json!({"BOOL": false}), &[("flag", "different")]),
    damage("a boolean as number", |item| item["flag"] = json!({"N": "1"}), &[("flag", "different")]),
    damage("a byte of a binary", |item| item["b"] = json!({"B": "AP8R"}), &[("b", "different")]),
    damage("a byte more", |item| item["b"] = json!({"B": "AP8QAA=="}), &[("b", "different")]),
    damage("binary as text", |item| item["b"] = json!({"S": "AP8Q"}), &[("b", "different")]),
    damage("a missing attribute", |item| remove(item, "label"), &[("label", "missing")]),
    damage("an attribute more", |item| item["extra"] = json!({"S": ""}), &[("extra", "unexpected")]),
    damage(
        "an attribute under another name",
        |item| {
            item["Label"] = item["label"].clone();
            remove(item, "label");
        },
        &[("label", "missing"), ("Label", "unexpected")],
    ),
    damage(
        "the order of a list",
        |item| item["list"]["L"].as_array_mut().unwrap().swap(0, 1),
        &[("list", "different")],
    ),
    damage(
        "a list without its end",
        |item| drop(item["list"]["L"].as_array_mut().unwrap().pop()),
        &[("list", "different")],
    ),
    damage("a list as set", |item| item["list"] = json!({"NS": ["1", "2", "3"]}), &[("list", "different")]),
    damage("a list as text", |item| item["list"] = json!({"S": "[1,2,3]"}), &[("list", "different")]),
    damage(
        "a text deep in a map",
        |item| item["doc"]["M"]["inner"]["M"]["name"] = json!({"S": "y"}),
        &[("doc", "different")],
    ),
    damage(
        "a digit deep in a map",
        |item| item["doc"]["M"]["inner"]["M"]["n"] = json!({"N": "98765432109876543210987654321098765433"}),
        &[("doc", "different")],
    ),
    damage(
        "a NULL that is gone deep in a map",
        |item| remove(&mut item["doc"]["M"]["inner"]["M"], "none"),
        &[("doc", "different")],
    ),
    damage(
        "a member more in a map",
        |item| item["doc"]["M"]["x"] = json!({"M": {}}),
        &[("doc", "different")],
    ),
    damage(
        "the type of an element deep in a map",
        |item| item["doc"]["M"]["list"]["L"][0] = json!({"S": "1"}),
        &[("doc", "different")],
    ),
    damage(
        "a boolean deep in a map",
        |item| item["doc"]["M"]["flag"] = json!({"BOOL": true}),
        &[("doc", "different")],
    ),
    damage("a map as text", |item| item["doc"] = json!({"S": "{}"}), &[("doc", "different")]),
    damage("the type of an entity", |item| item["kind"] = json!({"S": "Other"}), &[("kind", "different")]),
    damage(
        "a stale key of an index",
        |item| item["GSI1PK"] = json!({"S": "LABEL#old"}),
        &[("GSI1PK", "different")],
    ),
    damage("an item that fell out of an index", |item| remove(item, "GSI1SK"), &[("GSI1SK", "missing")]),
];

/// Of what some databases alone have.
const DAMAGES_OF_SETS: &[Damage] = &[
    damage(
        "an element of a text set",
        |item| item["texts"] = json!({"SS": ["a", "b", "d"]}),
        &[("texts", "different")],
    ),
    damage(
        "a set without an element",
        |item| item["texts"] = json!({"SS": ["a", "b"]}),
        &[("texts", "different")],
    ),
    damage(
        "a set as list",
        |item| item["texts"] = json!({"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]}),
        &[("texts", "different")],
    ),
    damage(
        "an element of a number set",
        |item| item["numbers"] = json!({"NS": ["1", "100", "2.6"]}),
        &[("numbers", "different")],
    ),
    damage(
        "numbers of a set as texts",
        |item| item["numbers"] = json!({"SS": ["1", "100", "2.5"]}),
        &[("numbers", "different")],
    ),
    damage(
        "a byte in a binary set",
        |item| item["binaries"] = json!({"BS": ["AQ==", "AgI="]}),
        &[("binaries", "different")],
    ),
];

const NO_DAMAGES: &[fn(&mut Value)] = &[
    |item| item["n"] = json!({"N": "019.900"}),
    |item| item["n"] = json!({"N": "1.99E1"}),
    |item| item["list"] = json!({"L": [{"N": "1.0"}, {"N": "2"}, {"N": "3e0"}]}),
    |item| item["doc"]["M"]["list"]["L"][0] = json!({"N": "1.000"}),
];

const NO_DAMAGES_OF_SETS: &[fn(&mut Value)] = &[
    |item| item["texts"] = json!({"SS": ["c", "a", "b"]}),
    |item| item["numbers"] = json!({"NS": ["2.50", "1E2", "1"]}),
    |item| item["binaries"] = json!({"BS": ["AgM=", "AQ=="]}),
];

async fn loaded(kind: Kind) -> Stage {
    let (sql, mapping) = things(kind);
    let stage = Stage::new(kind, &sql, &mapping).await.with_dynamodb().await;
    stage.migrate("--create-table", 0).await;
    stage
}

fn key(id: usize) -> Value {
    json!({"PK": {"S": format!("THING#{id:05}")}, "SK": {"S": "THING"}})
}

async fn get(client: &Client, id: usize) -> Value {
    let got = client.call("GetItem", json!({"TableName": "shop", "Key": key(id), "ConsistentRead": true}));
    got.await["Item"].take()
}

async fn plant(client: &Client, id: usize, plant: fn(&mut Value)) {
    let before = get(client, id).await;
    let mut item = before.clone();
    plant(&mut item);
    assert_ne!(before, item);
    client.call("PutItem", json!({"TableName": "shop", "Item": item})).await;
}

/// Whether the database has a type for what the damage is about.
fn applies(item: &Value, found: &[(&str, &str)]) -> bool {
    found.iter().any(|(name, _)| item.get(*name).is_some())
}

/// Source key and attributes of each wrong row, with what is wrong about them.
fn told(report: &Value) -> Vec<(String, Vec<(String, String)>)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let differences = report["entities"]["Thing"]["differences"].as_array().into_iter().flatten();
    let attributes = |one: &Value| {
        let attributes = one["attributes"].as_array().unwrap().iter();
        sorted(attributes.map(|one| (text(&one["name"]), text(&one["what"]))).collect())
    };
    differences.map(|one| (text(&one["source_key"]["id"]), attributes(one))).collect()
}

fn expected(id: usize, found: &[(&str, &str)]) -> (String, Vec<(String, String)>) {
    let found = found.iter().map(|(name, what)| ((*name).to_owned(), (*what).to_owned()));
    (id.to_string(), sorted(found.collect()))
}

/// Attributes that nobody expected come in the table's own order.
fn sorted(mut attributes: Vec<(String, String)>) -> Vec<(String, String)> {
    attributes.sort_unstable();
    attributes
}

#[tokio::test]
async fn v05_every_kind_of_damage_is_found_named_and_mended() {
    for kind in servers::ALL {
        let stage = loaded(kind).await;
        let client = stage.client();
        let (whole, item) = (scan(&client, "shop").await, get(&client, 2).await);
        let sets: Vec<&Damage> = DAMAGES_OF_SETS.iter().filter(|one| applies(&item, one.found)).collect();
        assert_eq!(sets.len(), [6, 3, 0][servers::ALL.iter().position(|one| *one == kind).unwrap()]);
        let all: Vec<&Damage> = DAMAGES.iter().chain(sets).collect();
        // As many at a time as a report shows; the first row is in no index.
        for some in all.chunks(10) {
            for (id, damage) in (2..).zip(some) {
                plant(&client, id, damage.plant).await;
            }
            let report = stage.migrate("verify --json", 5).await.json();
            let wanted: Vec<_> = (2..).zip(some).map(|(id, damage)| expected(id, damage.found)).collect();
            let names: Vec<&str> = some.iter().map(|damage| damage.name).collect();
            assert_eq!(told(&report), wanted, "{}: {names:?}", kind.name());
            assert_eq!(report["entities"]["Thing"]["different"], json!(some.len()));
            let report = stage.migrate("verify --repair --yes --json", 0).await.json();
            assert_eq!(report["repair"]["replaced"], json!(some.len()), "{}: {names:?}", kind.name());
            stage.migrate("verify", 0).await;
            assert_same(&whole, &scan(&client, "shop").await);
        }
    }
}

/// Damage to more than one attribute, and to the item itself.
#[tokio::test]
async fn v05_v07_lost_exchanged_and_foreign_items_are_found_and_mended() {
    for kind in servers::ALL {
        let stage = loaded(kind).await;
        let client = stage.client();
        let whole = scan(&client, "shop").await;
        client.call("DeleteItem", json!({"TableName": "shop", "Key": key(4)})).await;
        // Two rows under each other's key.
        for (id, from) in [(5, get(&client, 6).await), (6, get(&client, 5).await)] {
            let mut item = from;
            item["PK"] = key(id)["PK"].clone();
            client.call("PutItem", json!({"TableName": "shop", "Item": item})).await;
        }
        // Into an index that the row is not in, and an item of which only the key is left.
        plant(&client, 1, |item| {
            item["GSI1PK"] = json!({"S": "LABEL#row 1"});
            item["GSI1SK"] = json!({"S": "00001"});
        })
        .await;
        client.call("PutItem", json!({"TableName": "shop", "Item": key(7)})).await;
        let report = stage.migrate("verify --json", 5).await.json();
        let told = told(&report);
        let exchanged = ["GSI1PK", "GSI1SK", "id", "label"];
        assert_eq!(told[0], expected(1, &[("GSI1PK", "unexpected"), ("GSI1SK", "unexpected")]));
        assert_eq!(told[1], expected(4, &[]));
        for (told, id) in told[2..4].iter().zip(["5", "6"]) {
            let names: Vec<&str> = told.1.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!((told.0.as_str(), names), (id, exchanged.to_vec()));
        }
        assert!(told[4].0 == "7" && told[4].1.iter().all(|(_, what)| what == "missing"), "{:?}", told[4]);
        let counts =
            ["missing", "different", "matching"].map(|name| report["entities"]["Thing"][name].clone());
        assert_eq!(counts, [json!(1), json!(4), json!(7)], "{}", kind.name());
        let report = stage.migrate("verify --repair --yes --json", 0).await.json();
        assert_eq!((&report["repair"]["put"], &report["repair"]["replaced"]), (&json!(1), &json!(4)));
        stage.migrate("verify", 0).await;
        assert_same(&whole, &scan(&client, "shop").await);
    }
}

#[tokio::test]
async fn v06_another_spelling_or_order_is_no_damage() {
    for kind in servers::ALL {
        let stage = loaded(kind).await;
        let client = stage.client();
        let item = get(&client, 2).await;
        let sets = ["texts", "numbers", "binaries"].iter().filter(|name| item.get(**name).is_some()).count();
        for (id, change) in (2..).zip(NO_DAMAGES.iter().chain(&NO_DAMAGES_OF_SETS[..sets])) {
            let mut item = get(&client, id).await;
            change(&mut item);
            client.call("PutItem", json!({"TableName": "shop", "Item": item})).await;
        }
        stage.migrate("verify", 0).await;
    }
}
