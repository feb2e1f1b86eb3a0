//! The dry run: the same code up to the target, and not a byte written.

mod columns;

use serde_json::{Value, json};

use crate::dynamodb::embedded_in_process;
use crate::front::Front;
use crate::servers::{self, Kind};
use crate::stage::{MAPPING, ORDERS, Stage, create_table};

#[tokio::test]
async fn it_writes_nothing_and_asks_no_target() {
    let front = Front::acknowledging();
    for kind in servers::ALL {
        let stage = Stage::new(kind, ORDERS, MAPPING).await.at(front.url());
        stage.migrate("--dry-run", 0).await;
        assert_eq!(stage.folder.files(), ["mapping.toml"], "{}", kind.name());
        let nowhere = Stage::new(kind, ORDERS, MAPPING).await.at("http://127.0.0.1:1");
        nowhere.migrate("--dry-run", 0).await;
        let embedded = Stage::new(kind, ORDERS, MAPPING).await;
        embedded.migrate("--dry-run --create-table --yes", 0).await;
        assert_eq!(embedded.folder.files(), ["mapping.toml"], "{}", kind.name());
    }
    assert!(front.counters().requests.is_empty(), "{:?}", front.counters().requests);
}

#[tokio::test]
async fn it_touches_no_checkpoint() {
    let stage = Stage::orders().await;
    stage.migrate("run --limit 1", 0).await;
    let before = contents(&stage);
    stage.migrate("--dry-run", 0).await;
    assert_eq!(contents(&stage), before);
    // Neither is a wrong one in its way.
    let checkpoint = ".migrate/mapping/shop/checkpoint.json";
    stage.folder.write(checkpoint, "damaged");
    stage.migrate("--dry-run", 0).await;
    assert_eq!(stage.folder.read(checkpoint), "damaged");
}

fn contents(stage: &Stage) -> Vec<(String, Vec<u8>, std::time::SystemTime)> {
    let files = stage.folder.files().into_iter().map(|file| {
        let path = stage.folder.path().join(&file);
        let changed = std::fs::metadata(&path).unwrap().modified().unwrap();
        (file, std::fs::read(path).unwrap(), changed)
    });
    files.collect()
}

/// Sizes by the documented rules: the UTF-8 bytes of names and texts; a number one byte for each two
/// significant digits and one more; a boolean one; an index entry of keys only: the keys of index and table.
const SIZES: &str = r##"[source]
url = "${DATABASE_URL}"

[table]
name = "things"
endpoint = "${DYNAMODB_ENDPOINT:-embedded}"

[table.indexes.All]
partition_key = "g"

[table.indexes.Keys]
partition_key = "SK"
sort_key = "PK"
projection = "KEYS_ONLY"

[table.indexes.Some]
partition_key = "SK"
projection = ["n"]

[entities.Thing]
from = "things"
pk = "T#{id:03}"
sk = "T"
columns = ["n", "s", "b"]

[entities.Thing.column.b]
type = "BOOL"

[entities.Thing.index.All]
when = "id = 2"
pk = "G"
"##;

#[tokio::test]
async fn sizes_and_write_units_are_those_of_the_documented_rules() {
    let sql = "CREATE TABLE things (id INT PRIMARY KEY, n DECIMAL(12,2) NOT NULL, s VARCHAR(3000) NOT NULL, b SMALLINT NULL);
               INSERT INTO things VALUES (1, 19.90, 'é', 1), (2, -1234567.89, 'SSSS', NULL)"
        .replace("SSSS", &"s".repeat(2030));
    for kind in servers::ALL {
        let stage = Stage::new(kind, &sql, SIZES).await;
        let dry = stage.migrate("--dry-run --json", 0).await.json();
        // 1: PK 2+5, SK 2+1, n 1+ceil(3/2)+1=4, s 1+2, b 1+1                       = 19 → 1 unit
        // 2: PK 2+5, SK 2+1, n 1+ceil(9/2)+1+1=8, s 1+2030, g 1+1                  = 2051 → 3 units
        // All: item 2 whole, 3 units. Keys: PK and SK of both, 10 bytes, 1 unit each.
        // Some: PK, SK and n of both, 14 and 18 bytes, 1 unit each.
        let size = json!({"min": 19, "median": 19, "p99": 2051, "max": 2051});
        let entity = &dry["entities"]["Thing"];
        assert_eq!(entity["size"], size, "{}: {entity}", kind.name());
        assert_eq!(entity["wcu"], json!((1 + 3) + 3 + 2 + 2), "{}", kind.name());
        assert_eq!(dry["totals"]["wcu"], 11);
        assert_eq!(
            dry["indexes"],
            json!({"All": {"items": 1, "absent": 1}, "Keys": {"items": 2, "absent": 0}, "Some": {"items": 2, "absent": 0}})
        );
        let shown = stage.migrate("--dry-run --rate 2", 0).await.stdout;
        assert!(shown.contains("about 6 s at 2 WCU/s"), "{shown}");
        assert!(shown.contains("min 19 B, median 19 B, p99 2.0 KB, max 2.0 KB"), "{shown}");
        let timed = stage.migrate("--dry-run --rate 2 --json", 0).await.json();
        assert_eq!(timed["totals"]["expected_seconds"], 6);
    }
}

/// The units that are foretold are those that DynamoDB is then asked for.
#[tokio::test]
async fn what_it_foretells_is_what_the_load_consumes() {
    let embedded = embedded_in_process().await;
    let front = Front::forwarding(embedded.url());
    for kind in servers::ALL {
        let stage = Stage::example(kind, "shop.toml", &format!("shop.{}.sql", kind.name())).await;
        let dry = stage.migrate("--dry-run --json", 0).await.json();
        let before = front.counters();
        let stage = stage.at(front.url());
        stage.migrate(if kind == Kind::Postgres { "--create-table" } else { "--yes" }, 0).await;
        let after = front.counters();
        assert_eq!(json!(after.written - before.written), dry["totals"]["items"], "{}", kind.name());
        assert_eq!(
            json!(after.table_units - before.table_units),
            json!(157),
            "{}: one unit each",
            kind.name()
        );
        if kind == Kind::Postgres {
            let units = after.table_units + after.index_units;
            // The front bills an index entry like the whole item; these items are all below one unit.
            assert_eq!(json!(units), dry["totals"]["wcu"], "{}", kind.name());
        }
    }
}

/// R17.
#[tokio::test]
async fn it_counts_rejections_by_rule_and_ends_with_4() {
    let sql = "CREATE TABLE t (id BIGINT PRIMARY KEY, code VARCHAR(20) NULL, long_text VARCHAR(2000) NOT NULL);
               INSERT INTO t VALUES (1, 'a', 'x'), (2, NULL, 'x'), (3, NULL, 'x'), (4, '', 'x'), (5, 'b', 'LLLL'), (-6, 'c', 'x')"
        .replace("LLLL", &"l".repeat(1500));
    let mapping = MAPPING
        .replace("from = \"orders\"", "from = \"t\"")
        .replace("pk = \"ORDER#{id:010}\"", "pk = \"{code}\"")
        .replace("sk = \"ORDER\"", "sk = \"{id:010}#{long_text}\"");
    for kind in servers::ALL {
        let stage = Stage::new(kind, &sql, &mapping).await;
        let finished = stage.migrate("--dry-run --json", 4).await;
        let dry = finished.json();
        let by = json!({"key_empty": 1, "key_null": 2, "key_pad": 1, "key_too_long": 1});
        assert_eq!(sorted(&dry["entities"]["Order"]["rejected_by"]), by, "{}", kind.name());
        assert_eq!((&dry["totals"]["read"], &dry["totals"]["rejected"]), (&json!(6), &json!(5)));
        let shown = stage.migrate("--dry-run", 4).await.stdout;
        assert!(shown.contains("5 rows would be rejected (exit code 4)"), "{shown}");
        assert!(shown.contains("rejected Order key_null"), "{shown}");
    }
}

fn sorted(value: &Value) -> Value {
    let members: std::collections::BTreeMap<_, _> = value.as_object().unwrap().iter().collect();
    json!(members)
}

/// `max_rejects` stops a load, not the count.
#[tokio::test]
async fn it_counts_more_rejections_than_a_load_would_bear() {
    let sql = format!("{ORDERS} INSERT INTO orders VALUES (-1, 7, NULL), (-2, 7, NULL), (-3, 7, NULL)");
    let stage = Stage::new(Kind::Sqlite, &sql, MAPPING).await;
    let dry = stage.migrate("--dry-run --max-rejects 1 --json", 4).await.json();
    assert_eq!(dry["totals"]["rejected"], 3);
    let run = stage.migrate("--max-rejects 1 --json", 1).await.json();
    assert_eq!(run["error"]["code"], "max-rejects");
}

#[tokio::test]
async fn a_limit_takes_so_many_rows_of_each_entity_and_marks_none_as_done() {
    for kind in servers::ALL {
        let stage = Stage::example(kind, "shop.toml", &format!("shop.{}.sql", kind.name())).await;
        let dry = stage.migrate("--dry-run --limit 7 --json", 0).await.json();
        for (name, entity) in dry["entities"].as_object().unwrap() {
            assert_eq!(entity["read"], 7, "{name} on {}", kind.name());
        }
        let run = stage.migrate("--create-table --limit 7 --json", 0).await.json();
        assert_eq!(run["totals"]["written"], 28, "{}", kind.name());
        assert_eq!(stage.client().scan("shop", None).await.len(), 28);
        let rest = stage.migrate("--json", 0).await.json();
        assert_eq!(
            (&rest["outcome"], &rest["totals"]["written"]),
            (&json!("done"), &json!(157)),
            "{}",
            kind.name()
        );
        stage.migrate("verify", 0).await;
    }
}

#[tokio::test]
async fn it_shows_three_samples_of_each_entity_and_they_are_what_is_written() {
    for kind in servers::ALL {
        let stage = Stage::example(kind, "shop.toml", &format!("shop.{}.sql", kind.name())).await;
        let dry = stage.migrate("--dry-run --json", 0).await.json();
        stage.migrate("--create-table", 0).await;
        let items = crate::compare::scan(&stage.client(), "shop").await;
        for (name, entity) in dry["entities"].as_object().unwrap() {
            let samples = entity["samples"].as_array().unwrap();
            assert_eq!(samples.len(), 3, "{name}");
            for (key, sample) in crate::compare::by_key(samples.clone()) {
                assert_eq!(items.get(&key), Some(&sample), "{name}: {key}");
            }
        }
    }
}

#[tokio::test]
async fn one_entity_alone_can_be_tried() {
    let stage = Stage::example(Kind::Sqlite, "shop.toml", "shop.sqlite.sql").await;
    let dry = stage.migrate("--dry-run --only Product,User --json", 0).await.json();
    let read: Vec<_> = dry["entities"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, e)| (name.as_str(), e["read"].clone()))
        .collect();
    let tried: Vec<_> = read.iter().filter(|(_, read)| *read != json!(0)).map(|(name, _)| *name).collect();
    assert_eq!(tried, ["User", "Product"], "{read:?}");
}

/// With a table there already: nothing is compared, nothing is asked.
#[tokio::test]
async fn a_table_that_differs_is_no_matter_of_a_dry_run() {
    let stage = Stage::orders().await.with_dynamodb().await;
    create_table(&stage.client(), |request| {
        request["AttributeDefinitions"][0]["AttributeType"] = json!("N");
    })
    .await;
    stage.migrate("--dry-run", 0).await;
    stage.migrate("run", 3).await;
}

#[tokio::test]
async fn n18_bits_of_varying_number_keep_their_number() {
    let sql = "CREATE TABLE orders (id BIGINT PRIMARY KEY, v varbit(7)); \
               INSERT INTO orders VALUES (1, B'101'), (2, B'0101');";
    let report = Stage::new(Kind::Postgres, sql, MAPPING).await.migrate("--dry-run --json", 0).await.json();
    let values: Vec<&Value> =
        report["entities"]["Order"]["samples"].as_array().unwrap().iter().map(|item| &item["v"]).collect();
    assert_eq!(values, [&json!({"S": "101"}), &json!({"S": "0101"})]);
}

#[tokio::test]
async fn only_the_chosen_entities_count_for_the_snapshot_limit() {
    let rows =
        "CREATE TABLE orders (id BIGINT PRIMARY KEY); INSERT INTO orders SELECT generate_series(1, 9000);
                CREATE TABLE few (id BIGINT PRIMARY KEY); INSERT INTO few VALUES (1); ANALYZE;";
    let few = "\n[entities.Few]\nfrom = \"few\"\npk = \"FEW#{id:010}\"\nsk = \"FEW\"\n";
    let stage = Stage::new(Kind::Postgres, rows, &format!("{MAPPING}{few}")).await;
    let refused = stage.migrate("run --rate 1", 2).await;
    assert!(refused.stderr.contains("snapshot_limit"), "{}", refused.stderr);
    stage.migrate("run --rate 1 --only Few", 0).await;
}
