//! The second look: rows of a load against the database's own text of them.

use serde_json::{Value, json};

use crate::compare;
use crate::servers::{self, Kind};
use crate::stage::{MAPPING, Stage};

/// Some thousand orders, of which every seventh has no note.
fn orders(rows: usize) -> String {
    let row = |id: usize| match id % 7 {
        0 => format!("({id}, {}, NULL)", id % 50),
        _ => format!("({id}, {}, 'note {id}')", id % 50),
    };
    let rows: Vec<String> = (1..=rows).map(row).collect();
    format!(
        "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer INT NOT NULL, note VARCHAR(100));
INSERT INTO orders VALUES {};",
        rows.join(",\n")
    )
}

fn compared(document: &Value) -> u64 {
    document["entities"]["Order"]["compared"].as_u64().unwrap()
}

#[tokio::test]
async fn a_thousand_rows_of_each_entity_are_looked_at_twice() {
    for kind in servers::ALL {
        let stage = Stage::new(kind, &orders(2_500), MAPPING).await;
        for words in ["--dry-run --json", "--json"] {
            let document = stage.migrate(words, 0).await.json();
            let compared = compared(&document);
            assert!((1_000..=1_500).contains(&compared), "{} {words}: {compared}", kind.name());
        }
        let few = Stage::new(kind, &orders(3), MAPPING).await;
        assert_eq!(compared(&few.migrate("--json", 0).await.json()), 3, "{}", kind.name());
    }
}

#[tokio::test]
async fn without_a_snapshot_rows_are_compared_as_they_are_read_again() {
    for kind in servers::ALL {
        let mapping = MAPPING.replace("\"\n\n[table]", "\"\nsnapshot = false\n\n[table]");
        let stage = Stage::new(kind, &orders(100), &mapping).await;
        assert_eq!(compared(&stage.migrate("--json", 0).await.json()), 100, "{}", kind.name());
    }
}

/// PostgreSQL says of this type's text something else than it sends: what a wrong decoder looks like.
const LYING: &str = "CREATE FUNCTION lie(smallint) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT CASE $1 WHEN 4711 THEN '1147' ELSE '0' END $$;
CREATE CAST (smallint AS text) WITH FUNCTION lie(smallint);
CREATE TABLE orders (id BIGINT PRIMARY KEY, mood smallint);
INSERT INTO orders SELECT n, NULL FROM generate_series(1, 20) n;
UPDATE orders SET mood = 4711 WHERE id = 13;";

#[tokio::test]
async fn a_difference_stops_the_run_as_a_bug_before_anything_of_its_page_is_written() {
    let stage = Stage::new(Kind::Postgres, LYING, MAPPING).await.with_dynamodb().await;
    let finished = stage.migrate("--create-table --json", 1).await;
    let document = finished.json();
    assert_eq!(document["error"]["code"], "contradiction", "{document}");
    let message = document["error"]["message"].as_str().unwrap();
    assert!(message.contains("a bug in migrate: attribute `mood` of Order"), "{message}");
    assert!(message.contains("`mood` (smallint)") && message.contains("id = 13"), "{message}");
    assert!(!finished.stderr.contains("4711") && !message.contains("1147"), "a value is printed");
    assert_eq!(document["totals"]["written"], json!(0));
    assert!(compare::scan(&stage.client(), "shop").await.is_empty());
    let dry = stage.migrate("--dry-run --json", 1).await.json();
    assert_eq!(dry["error"]["code"], "contradiction");
    // As its help says: read by SQL of the user's own, the database gives what it says.
    let mapping = format!(
        "{MAPPING}columns = {{ except = [\"mood\"] }}\n\n[entities.Order.let]\nmood_text = \"mood::text\"\n"
    );
    stage.folder.write("mapping.toml", &mapping);
    stage.migrate("--restart", 0).await;
}

/// SQL that changes by itself gives the cell and its text different values; that is no bug.
#[tokio::test]
async fn values_that_change_by_themselves_are_no_contradiction() {
    for (kind, random) in [(Kind::Postgres, "random()"), (Kind::MySql, "rand()"), (Kind::Sqlite, "random()")]
    {
        let mapping = format!("{MAPPING}\n[entities.Order.let]\nluck = \"{random}\"\n");
        let stage = Stage::new(kind, &orders(50), &mapping).await;
        let document = stage.migrate("--json", 0).await.json();
        assert_eq!(document["totals"]["written"], json!(50), "{}", kind.name());
    }
}
