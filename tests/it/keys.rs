//! Keys as rows make them: what cannot be a key is rejected by name, and never written as something else.

use std::time::Duration;

use serde_json::{Value, json};

use crate::compare::{self, Items};
use crate::front::{Fault, Front, When};
use crate::servers::{self, Kind};
use crate::stage::Stage;

const TABLE: &str = "[source]\nurl = \"${DATABASE_URL}\"\n\n[table]\nname = \"shop\"\nendpoint = \"${DYNAMODB_ENDPOINT:-embedded}\"\n\n";
const GSI1: &str = "[table.indexes.GSI1]\npartition_key = \"gsi1pk\"\nsort_key = \"gsi1sk\"\n\n";

struct Outcome {
    run: Value,
    items: Items,
    /// The rejects file's lines.
    rejects: Vec<Value>,
}

/// Loads one entity into a new table. The rows verified afterwards are those that were written.
async fn load(kind: Kind, sql: &str, mapping: &str, code: i32) -> Outcome {
    let stage = Stage::new(kind, sql, mapping).await.with_dynamodb().await;
    let dry = stage.tool("--dry-run --json").run().await;
    let run = stage.migrate("--create-table --json", code).await.json();
    assert_eq!(dry.code(), Some(code), "{}: the dry run ended otherwise: {}", kind.name(), dry.stderr);
    assert_eq!(dry.json()["totals"]["rejected"], run["totals"]["rejected"], "{}", kind.name());
    let verified = stage.migrate("verify --json", 0).await.json();
    let entity = verified["entities"].as_object().unwrap().values().next().unwrap();
    assert_eq!(entity["rejected"], run["totals"]["rejected"], "{}", kind.name());
    let rejects = match run["rejects_file"].as_str() {
        Some(file) => {
            stage.folder.read(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        }
        None => Vec::new(),
    };
    Outcome { items: compare::scan(&stage.client(), "shop").await, run, rejects }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

#[tokio::test]
async fn k01_null_in_a_key_rejects_the_row_and_nothing_is_made_of_it() {
    let sql = "CREATE TABLE orders (id INT PRIMARY KEY, customer_id INT NULL); INSERT INTO orders VALUES (1, NULL), (2, 7)";
    let mapping = format!(
        "{TABLE}[entities.Order]\nfrom = \"orders\"\npk = \"CUST#{{customer_id}}\"\nsk = \"ORDER#{{id:010}}\"\n"
    );
    for kind in servers::ALL {
        let loaded = load(kind, sql, &mapping, 4).await;
        assert_eq!(loaded.items.len(), 1, "{}", kind.name());
        let reject = &loaded.rejects[0];
        assert_eq!((text(&reject["rule"]), text(&reject["column"])), ("key_null", "customer_id"));
        assert_eq!((text(&reject["entity"]), &reject["source_key"]), ("Order", &json!({"id": "1"})));
    }
}

/// k02: whatever the policy for NULL says.
#[tokio::test]
async fn k02_null_is_never_written_into_an_index_key() {
    let sql = "CREATE TABLE account (id INT PRIMARY KEY, master_id VARCHAR(36) NULL); INSERT INTO account VALUES (1, NULL), (2, 'm')";
    let mapping = format!(
        "[defaults]\nnulls = \"null\"\n\n{TABLE}[table.indexes.Masters]\npartition_key = \"master_id\"\n\n[entities.Account]\nfrom = \"account\"\npk = \"A#{{id:010}}\"\nsk = \"A\"\n"
    );
    for kind in servers::ALL {
        let loaded = load(kind, sql, &mapping, 0).await;
        let items: Vec<&Value> = loaded.items.values().collect();
        assert_eq!(
            (items[0].get("master_id"), &items[1]["master_id"]),
            (None, &json!({"S": "m"})),
            "{}",
            kind.name()
        );
        assert_eq!(loaded.run["indexes"]["Masters"], json!({"items": 1, "absent": 1}));
    }
}

#[tokio::test]
async fn k03_items_that_an_index_lacks_are_counted() {
    let sql = "CREATE TABLE t (id INT PRIMARY KEY, city VARCHAR(20) NOT NULL, opened DATE NULL);
               INSERT INTO t VALUES (1, 'Rome', NULL), (2, 'Oslo', '2026-01-01'), (3, 'Bonn', NULL)";
    let mapping = format!(
        "{TABLE}{GSI1}[entities.Shop]\nfrom = \"t\"\npk = \"T#{{id:010}}\"\nsk = \"T\"\n\n[entities.Shop.attributes]\ngsi1pk = \"city\"\ngsi1sk = \"opened\"\n"
    );
    for kind in servers::ALL {
        let loaded = load(kind, sql, &mapping, 0).await;
        assert_eq!(loaded.run["indexes"]["GSI1"], json!({"items": 1, "absent": 2}), "{}", kind.name());
    }
}

#[tokio::test]
async fn k04_an_empty_text_is_no_key() {
    let sql = "CREATE TABLE users (id INT PRIMARY KEY, email VARCHAR(100) NOT NULL DEFAULT ''); INSERT INTO users VALUES (1, ''), (2, 'a@b')";
    let mapping =
        format!("{TABLE}[entities.User]\nfrom = \"users\"\npk = \"{{email}}\"\nsk = \"U#{{id:010}}\"\n");
    for kind in servers::ALL {
        let loaded = load(kind, sql, &mapping, 4).await;
        assert_eq!(loaded.items.len(), 1);
        assert_eq!(text(&loaded.rejects[0]["rule"]), "key_empty", "{}", kind.name());
        assert_eq!(loaded.rejects[0]["source_key"], json!({"id": "1"}));
    }
}

#[tokio::test]
async fn k05_one_empty_index_key_of_25_leaves_24() {
    let rows: Vec<String> =
        (1..=25).map(|id| format!("({id}, '{}')", if id == 13 { "" } else { "home" })).collect();
    let sql = format!(
        "CREATE TABLE contact (id INT PRIMARY KEY, type VARCHAR(20) NOT NULL DEFAULT ''); INSERT INTO contact VALUES {}",
        rows.join(", ")
    );
    let by_column = format!(
        "{TABLE}[table.indexes.GSI1]\npartition_key = \"type\"\n\n[entities.Contact]\nfrom = \"contact\"\npk = \"C#{{id:010}}\"\nsk = \"C\"\n"
    );
    let by_block = format!(
        "{TABLE}{GSI1}[entities.Contact]\nfrom = \"contact\"\npk = \"C#{{id:010}}\"\nsk = \"C\"\n\n[entities.Contact.index.GSI1]\npk = \"{{type}}\"\nsk = \"C\"\n"
    );
    for kind in servers::ALL {
        let loaded = load(kind, &sql, &by_column, 4).await;
        assert_eq!(
            (loaded.items.len(), text(&loaded.rejects[0]["rule"])),
            (24, "index_key_empty"),
            "{}",
            kind.name()
        );
        // A block of its own omits the keys instead: the item is not in the index.
        let loaded = load(kind, &sql, &by_block, 0).await;
        assert_eq!(loaded.run["indexes"]["GSI1"], json!({"items": 24, "absent": 1}), "{}", kind.name());
        assert_eq!(loaded.items.len(), 25);
    }
}

#[tokio::test]
async fn k15_a_number_wider_than_its_padding_is_rejected_not_cut() {
    let sql = "CREATE TABLE product (id INT PRIMARY KEY, price INT NOT NULL); INSERT INTO product VALUES (1, 900), (2, 2800), (3, 12345), (4, -1)";
    let mapping = format!(
        "{TABLE}[entities.Product]\nfrom = \"product\"\npk = \"PRODUCT\"\nsk = \"P#{{price:04}}#{{id:010}}\"\n"
    );
    for kind in servers::ALL {
        let loaded = load(kind, sql, &mapping, 4).await;
        let keys: Vec<&str> = loaded.items.values().map(|item| text(&item["SK"]["S"])).collect();
        assert_eq!(keys, ["P#0900#0000000001", "P#2800#0000000002"], "{}", kind.name());
        let mut rejected: Vec<_> = loaded
            .rejects
            .iter()
            .map(|reject| (text(&reject["rule"]), text(&reject["source_key"]["id"])))
            .collect();
        rejected.sort_unstable();
        assert_eq!(rejected, [("key_pad", "3"), ("key_pad", "4")]);
    }
}

/// k18: 1024 bytes of a sort key, in bytes of UTF-8.
#[tokio::test]
async fn k18_a_key_that_is_too_long_is_rejected() {
    let sql = format!(
        "CREATE TABLE page (id INT PRIMARY KEY, url VARCHAR(3000) NOT NULL); INSERT INTO page VALUES (1, '{}'), (2, '{}'), (3, '{}')",
        "é".repeat(600),
        "é".repeat(510),
        "x".repeat(1020)
    );
    let by_sk =
        format!("{TABLE}[entities.Page]\nfrom = \"page\"\npk = \"PAGE#{{id:010}}\"\nsk = \"URL#{{url}}\"\n");
    let by_index = format!(
        "{TABLE}{GSI1}[entities.Page]\nfrom = \"page\"\npk = \"PAGE#{{id:010}}\"\nsk = \"PAGE\"\n\n[entities.Page.index.GSI1]\npk = \"PAGES\"\nsk = \"URL#{{url}}\"\n"
    );
    for kind in servers::ALL {
        for (mapping, rule) in [(&by_sk, "key_too_long"), (&by_index, "index_key_too_long")] {
            let loaded = load(kind, &sql, mapping, 4).await;
            assert_eq!((loaded.items.len(), loaded.rejects.len()), (2, 1), "{} {rule}", kind.name());
            assert_eq!(
                (text(&loaded.rejects[0]["rule"]), &loaded.rejects[0]["source_key"]["id"]),
                (rule, &json!("1"))
            );
        }
    }
}

#[tokio::test]
async fn k23_k26_numbers_and_texts_keep_every_digit() {
    let sql = "CREATE TABLE category (id BIGINT PRIMARY KEY, zip VARCHAR(5) NOT NULL);
               INSERT INTO category VALUES (2129020, '02134'), (2129021, '2134'), (9223372036854775807, '1e3')";
    let mapping = format!(
        "{TABLE}[entities.Category]\nfrom = \"category\"\npk = \"CAT#{{id}}\"\nsk = \"ZIP#{{zip}}\"\n"
    );
    for kind in servers::ALL {
        let loaded = load(kind, sql, &mapping, 0).await;
        let keys: Vec<_> =
            loaded.items.values().map(|item| (text(&item["PK"]["S"]), text(&item["SK"]["S"]))).collect();
        assert_eq!(
            keys,
            [
                ("CAT#2129020", "ZIP#02134"),
                ("CAT#2129021", "ZIP#2134"),
                ("CAT#9223372036854775807", "ZIP#1e3")
            ],
            "{}",
            kind.name()
        );
        let item = loaded.items.values().last().unwrap();
        assert_eq!((&item["id"], &item["zip"]), (&json!({"N": "9223372036854775807"}), &json!({"S": "1e3"})));
    }
}

/// k11: an escaped delimiter keeps the pair apart that `A##B` would make one.
#[tokio::test]
async fn k11_escaped_parts_stay_apart() {
    let sql = "CREATE TABLE dk (a VARCHAR(20), b VARCHAR(20), PRIMARY KEY (a, b)); INSERT INTO dk VALUES ('A#', 'B'), ('A', '#B'), ('A%23', 'B')";
    let mapping =
        format!("{TABLE}[entities.Pair]\nfrom = \"dk\"\npk = \"PAIR\"\nsk = \"{{a:escape}}#{{b:escape}}\"\n");
    for kind in servers::ALL {
        let loaded = load(kind, sql, &mapping, 0).await;
        let keys: Vec<_> = loaded.items.values().map(|item| text(&item["SK"]["S"])).collect();
        assert_eq!(keys, ["A#%23B", "A%23#B", "A%2523#B"], "{}", kind.name());
    }
}

/// The second of two rows with one key is rejected by name, the first row stays.
async fn two_of_one_key(stage: &Stage, first: u32, second: u32) {
    let run = stage.migrate("--create-table --json", 4).await.json();
    let pair = |id: u32| json!({"entity": "Visit", "source_key": {"id": id.to_string()}});
    assert_eq!(
        run["collisions"],
        json!({"rows": 60, "keys": 1, "examples": [{"kept": pair(first), "lost": pair(second)}]})
    );
    assert_eq!(run["entities"]["Visit"]["rejected_by"], json!({"key_collision": 1}));
    assert_eq!(run["totals"]["written"], 59);
    let reject: Value = serde_json::from_str(stage.folder.read(text(&run["rejects_file"])).trim()).unwrap();
    assert_eq!(reject["rule"], "key_collision");
    assert_eq!(reject["source_key"], json!({"id": second.to_string()}));
    let kept = compare::scan(&stage.client(), "shop").await;
    assert_eq!(kept.len(), 59);
    assert!(kept.values().any(|item| item["id"] == json!({"N": first.to_string()})), "the first row stays");
    // The same exit code again, and verify knows the loser.
    let again = stage.migrate("--json", 4).await.json();
    assert_eq!(again["outcome"], "already_done");
    stage.migrate("verify", 0).await;
}

/// 60 visits of a user, two of them on one day.
async fn visits(kind: Kind, first: u32, second: u32) -> Stage {
    let rows = (1..=60).map(|id| format!("({id}, 7, {})", if id == second { first } else { id }));
    let rows: Vec<String> = rows.collect();
    let sql = format!(
        "CREATE TABLE visit (id INT PRIMARY KEY, user_id INT NOT NULL, day INT NOT NULL); INSERT INTO visit VALUES {}",
        rows.join(", ")
    );
    let mapping = format!(
        "{TABLE}[entities.Visit]\nfrom = \"visit\"\npk = \"U#{{user_id:010}}\"\nsk = \"D#{{day:010}}\"\n"
    );
    Stage::new(kind, &sql, &mapping).await.with_dynamodb().await
}

#[tokio::test]
async fn k08_two_equal_keys_of_one_batch_are_a_named_rejection() {
    for kind in servers::ALL {
        two_of_one_key(&visits(kind, 3, 4).await, 3, 4).await;
    }
}

#[tokio::test]
async fn k07_two_equal_keys_of_two_batches_are_a_named_rejection() {
    for kind in servers::ALL {
        let stage = visits(kind, 10, 40).await;
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        front.script([(When::Always, Fault::Delay(Duration::from_millis(500)))]);
        two_of_one_key(&stage.at(front.url()), 10, 40).await;
    }
}
