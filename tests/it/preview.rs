//! `migrate preview`: the items of a few rows, without a target.

use serde_json::json;

use crate::compare;
use crate::servers::{self, Kind};
use crate::stage::{MAPPING, Stage, expect_case, names};

/// Three rows of two columns' key, one of which makes no item.
const LINES: &str = "CREATE TABLE items (order_id BIGINT NOT NULL, line_no INT NOT NULL, sku VARCHAR(20), PRIMARY KEY (order_id, line_no));
INSERT INTO items VALUES (7, 1, 'MUG'), (7, 2, NULL), (8, 1, 'TEA');";

const LINES_MAPPING: &str = r##"[source]
url = "${DATABASE_URL}"

[table]
name = "shop"
endpoint = "http://127.0.0.1:9"

[table.indexes.BySku]
partition_key = "Sku"

[entities.Item]
from = "items"
where = "order_id < 100"
pk = "ORDER#{order_id:010}"
sk = "SKU#{sku}"

[entities.Item.index.BySku]
when = "line_no = 1 AND order_id = 7"
pk = "{sku}"
"##;

async fn lines(kind: Kind) -> Stage {
    Stage::new(kind, LINES, LINES_MAPPING).await
}

#[tokio::test]
async fn the_shop_is_shown_alike_on_all_three_databases() {
    for kind in servers::ALL {
        let stage = Stage::example(kind, "shop.toml", &format!("shop.{}.sql", kind.name())).await;
        let shown = stage.migrate("preview --limit 2", 0).await;
        expect_case("preview/shop.expected", &stage.shown(&shown));
        let one = stage.migrate("preview --entity OrderItem --key line_no=1 --key order_id=1", 0).await;
        expect_case("preview/shop-item.expected", &stage.shown(&one));
    }
}

#[tokio::test]
async fn what_is_shown_is_what_the_load_writes() {
    let stage = Stage::example(Kind::Sqlite, "shop.toml", "shop.sqlite.sql").await;
    let document = stage.migrate("preview --limit 1000 --json", 0).await.json();
    let rows = document["entities"].as_object().unwrap().values().flat_map(|e| e["rows"].as_array().unwrap());
    let rows: Vec<_> = rows.collect();
    let run = stage.migrate("--create-table --json", 0).await.json();
    let written = compare::scan(&stage.client(), "shop").await;
    compare::assert_same(&compare::by_key(rows.iter().map(|row| row["item"].clone())), &written);
    let wcu: u64 = rows.iter().map(|row| row["wcu"].as_u64().unwrap()).sum();
    assert_eq!(json!(wcu), run["totals"]["wcu"]);
    let in_index =
        rows.iter().filter(|row| row["indexes"].as_array().unwrap().contains(&json!("GSI1"))).count();
    assert_eq!(json!(in_index), run["indexes"]["GSI1"]["items"]);
}

#[tokio::test]
async fn rows_are_found_by_any_columns_of_their_key() {
    for kind in servers::ALL {
        let stage = lines(kind).await;
        for (words, found) in [
            ("--key order_id=8 --key line_no=1", vec![["8", "1"]]),
            ("--key line_no=1", vec![["7", "1"], ["8", "1"]]),
            ("--entity Item -k line_no=1 --limit 1", vec![["7", "1"]]),
        ] {
            let document = stage.migrate(&format!("preview {words} --json"), 0).await.json();
            let rows = document["entities"]["Item"]["rows"].as_array().unwrap();
            let keys: Vec<_> = rows.iter().map(|row| row["source_key"].clone()).collect();
            let expected: Vec<_> =
                found.iter().map(|[order, line]| json!({"order_id": order, "line_no": line})).collect();
            assert_eq!(keys, expected, "{}: {words}", kind.name());
        }
    }
}

#[tokio::test]
async fn a_row_that_makes_no_item_says_why_and_exits_with_4() {
    let stage = lines(Kind::Sqlite).await;
    let shown = stage.migrate("preview", 4).await;
    expect_case("preview/rejected.expected", &stage.shown(&shown));
    let document = stage.migrate("preview --json", 4).await.json();
    assert_eq!(document["outcome"], json!("rejects"));
    assert_eq!(names(&document), ["command", "entities", "outcome", "table"]);
    let rows = &document["entities"]["Item"]["rows"];
    assert_eq!(names(&rows[0]), ["indexes", "item", "size", "source_key", "wcu"]);
    assert_eq!(rows[0]["indexes"], json!(["BySku"]));
    assert_eq!(names(&rows[1]), ["rejected", "source_key"]);
    assert_eq!(names(&rows[1]["rejected"]), ["column", "message", "rule"]);
    assert_eq!(rows[1]["rejected"]["rule"], json!("key_null"));
}

/// The endpoint of the mapping is one that nobody listens at.
#[tokio::test]
async fn a_preview_needs_no_target_and_leaves_nothing() {
    let stage = lines(Kind::Sqlite).await;
    stage.migrate("preview --key order_id=8", 0).await;
    assert_eq!(stage.folder.files(), ["mapping.toml"]);
}

#[tokio::test]
async fn mistakes_about_rows_are_said_with_what_to_do() {
    let stage = lines(Kind::Postgres).await;
    let mut shown = String::new();
    for (words, code) in [
        ("--entity Itme", 2),
        ("--key order=7", 2),
        ("--key sku=MUG", 2),
        ("--key 7", 2),
        ("--key order_id=7 --key order_id=8", 2),
        ("--key order_id=seven", 2),
        ("--key order_id=9 --key line_no=1", 1),
        ("--limit 0", 2),
        ("--key order_id=9 --json", 1),
    ] {
        let finished = stage.migrate(&format!("preview {words}"), code).await;
        shown += &format!("$ migrate preview {words}\n{}\n", stage.shown(&finished));
    }
    expect_case("preview/mistakes.expected", &shown);
}

#[tokio::test]
async fn a_key_needs_its_entity_where_there_are_several() {
    let two = format!("{MAPPING}\n[entities.Note]\nfrom = \"orders\"\npk = \"NOTE#{{id}}\"\nsk = \"NOTE\"\n");
    let stage = Stage::new(Kind::Sqlite, crate::stage::ORDERS, &two).await;
    let refused = stage.migrate("preview --key id=1 --json", 2).await.json();
    assert_eq!(refused["error"]["code"], json!("key-without-entity"));
    stage.migrate("preview --entity Note --key id=1", 0).await;
    let all = stage.migrate("preview --json", 0).await.json();
    assert_eq!(names(&all["entities"]), ["Note", "Order"]);
}

#[tokio::test]
async fn an_entity_without_rows_is_no_mistake() {
    let stage = Stage::new(Kind::Sqlite, "CREATE TABLE orders (id INTEGER PRIMARY KEY)", MAPPING).await;
    assert_eq!(stage.migrate("preview", 0).await.stdout, "Order: no rows\n");
    stage.migrate("preview --key id=1", 1).await;
}

#[tokio::test]
async fn redact_leaves_types_and_hashes_keys() {
    let stage = Stage::new(
        Kind::Sqlite,
        "CREATE TABLE orders (id TEXT NOT NULL PRIMARY KEY, note TEXT, doc JSON); INSERT INTO orders VALUES ('secretkey', 'secretnote', '{\"secretname\": 1}')",
        &MAPPING.replace("{id:010}", "{id}"),
    )
    .await;
    for words in ["preview --redact", "preview --redact --json", "preview --redact --key id=secretkey"] {
        let shown = stage.migrate(words, 0).await;
        shown.assert_hides("secret");
        assert!(shown.stdout.contains("sha256:"), "{}", shown.stdout);
    }
    stage.migrate("preview --redact --key id=secretother", 1).await.assert_hides("secret");
}

/// A declared key is not proven for a look: that reads all rows.
#[tokio::test]
async fn a_preview_takes_declared_keys_at_their_word() {
    let sql =
        "CREATE TABLE orders (id INTEGER NOT NULL, note TEXT); INSERT INTO orders VALUES (1, 'a'), (1, 'b')";
    let mapping = MAPPING.replace("from = \"orders\"", "from = \"orders\"\nkey = [\"id\"]");
    let stage = Stage::new(Kind::Sqlite, sql, &mapping).await;
    stage.migrate("check", 3).await;
    let shown = stage.migrate("preview --key id=1 --json", 0).await.json();
    assert_eq!(shown["entities"]["Order"]["rows"].as_array().unwrap().len(), 2);
}
