//! Keys that no proof tells apart: counted before the first write, and what `on_collision` makes of them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::compare;
use crate::front::{Fault, Front, When};
use crate::servers::{self, Kind};
use crate::stage::Stage;

const HEAD: &str = r##"[source]
url = "${DATABASE_URL}"
page_rows = 50

[table]
name = "shop"
endpoint = "${DYNAMODB_ENDPOINT:-embedded}"

"##;

/// Rows that no mapping of theirs tells apart.
struct Planted {
    what: &'static str,
    sql: String,
    mapping: &'static str,
    /// Keys that several rows have, and by entity the rows that are not kept.
    keys: u64,
    lost: &'static [(&'static str, u64)],
}

fn numbered(table: &str, columns: &str, rows: usize, row: impl Fn(usize) -> String) -> String {
    let rows: Vec<String> = (1..=rows).map(|id| format!("({})", row(id))).collect();
    format!("CREATE TABLE {table} ({columns}); INSERT INTO {table} VALUES {};", rows.join(", "))
}

fn planted() -> Vec<Planted> {
    let pair = "a VARCHAR(20) NOT NULL, b VARCHAR(20) NOT NULL, PRIMARY KEY (a, b)";
    vec![
        Planted {
            what: "far apart, in different ranges and batches",
            sql: numbered("visits", "id INT PRIMARY KEY, day INT NOT NULL", 900, |id| {
                format!("{id}, {}", if id == 890 { 5 } else { id })
            }),
            mapping: "[entities.Visit]\nfrom = \"visits\"\npk = \"D#{day}\"\nsk = \"VISIT\"\n",
            keys: 1,
            lost: &[("Visit", 1)],
        },
        Planted {
            what: "many rows of one key",
            sql: numbered("visits", "id INT PRIMARY KEY, day INT NOT NULL", 300, |id| {
                format!("{id}, {}", id % 100)
            }),
            mapping: "[entities.Visit]\nfrom = \"visits\"\npk = \"D#{day}\"\nsk = \"VISIT\"\n",
            keys: 100,
            lost: &[("Visit", 200)],
        },
        Planted {
            what: "two entities",
            sql: numbered("users", "id INT PRIMARY KEY", 10, |id| id.to_string())
                + &numbered("orgs", "id INT PRIMARY KEY", 10, |id| (id + 7).to_string()),
            mapping: "[entities.User]\nfrom = \"users\"\npk = \"E#{id}\"\nsk = \"M\"\n
                      [entities.Org]\nfrom = \"orgs\"\npk = \"E#{id}\"\nsk = \"M\"\n",
            keys: 3,
            lost: &[("Org", 3)],
        },
        Planted {
            what: "the delimiter inside a value",
            sql: format!(
                "CREATE TABLE dk ({pair}); INSERT INTO dk VALUES ('A#', 'B'), ('A', '#B'), ('A', 'B')"
            ),
            mapping: "[entities.Pair]\nfrom = \"dk\"\npk = \"P\"\nsk = \"{a}#{b}\"\n",
            keys: 1,
            lost: &[("Pair", 1)],
        },
        Planted {
            what: "nothing between two values",
            sql: format!(
                "CREATE TABLE dk ({pair}); INSERT INTO dk VALUES ('testtest', 'test'), ('test', 'testtest')"
            ),
            mapping: "[entities.Pair]\nfrom = \"dk\"\npk = \"P\"\nsk = \"{a}{b}\"\n",
            keys: 1,
            lost: &[("Pair", 1)],
        },
        Planted {
            what: "case and blanks",
            sql: "CREATE TABLE names (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL);
                  INSERT INTO names VALUES (1, 'Ann'), (2, 'ann'), (3, ' ANN '), (4, 'Bob')"
                .to_owned(),
            mapping: "[entities.Name]\nfrom = \"names\"\npk = \"N#{name:trim|lower}\"\nsk = \"N\"\n",
            keys: 1,
            lost: &[("Name", 2)],
        },
        Planted {
            what: "shards",
            sql: numbered("users", "id INT PRIMARY KEY", 10, |id| id.to_string()),
            mapping: "[entities.User]\nfrom = \"users\"\npk = \"S#{id:shard(1)}\"\nsk = \"U\"\n",
            keys: 1,
            lost: &[("User", 9)],
        },
        Planted {
            what: "parts of a date",
            sql: "CREATE TABLE events (id INT PRIMARY KEY, at DATE NOT NULL);
                  INSERT INTO events VALUES (1, '2024-01-01'), (2, '2024-01-31'), (3, '2024-02-01')"
                .to_owned(),
            mapping: "[entities.Event]\nfrom = \"events\"\npk = \"E\"\nsk = \"{at:%Y-%m}\"\n",
            keys: 1,
            lost: &[("Event", 1)],
        },
    ]
}

fn rejected(document: &Value) -> BTreeMap<String, u64> {
    let entities = document["entities"].as_object().unwrap().iter();
    let lost = entities.map(|(name, entity)| (name.clone(), entity["rejected_by"]["key_collision"].as_u64()));
    lost.filter_map(|(name, lost)| Some((name, lost?))).collect()
}

/// K07, K08, K11, K12, K14, K20: all of them are told by a dry run, which writes nothing, and by the load before its
/// first write; the first row by source key stays, and no row is lost without a word.
#[tokio::test]
async fn k07_k11_k12_k14_k20_planted_collisions_are_found_before_the_first_write() {
    for kind in servers::ALL {
        for Planted { what, sql, mapping, keys, lost } in planted() {
            let place = format!("{}: {what}", kind.name());
            let stage = Stage::new(kind, &sql, &format!("{HEAD}{mapping}")).await.with_dynamodb().await;
            let lost: BTreeMap<String, u64> =
                lost.iter().map(|(name, rows)| ((*name).to_owned(), *rows)).collect();
            let dry = stage.migrate("--dry-run --json", 4).await.json();
            assert_eq!((&dry["collisions"]["keys"], rejected(&dry)), (&json!(keys), lost.clone()), "{place}");
            let run = stage.migrate("--create-table --json", 4).await.json();
            assert_eq!((&run["collisions"], rejected(&run)), (&dry["collisions"], lost.clone()), "{place}");
            let rows = run["totals"]["read"].as_u64().unwrap();
            let written = compare::scan(&stage.client(), "shop").await.len();
            assert_eq!(u64::try_from(written).unwrap(), rows - lost.values().sum::<u64>(), "{place}");
            stage.migrate("verify", 0).await;
        }
    }
}

#[tokio::test]
async fn keys_that_all_differ_are_counted_and_loaded() {
    for kind in servers::ALL {
        let sql = numbered("visits", "id INT PRIMARY KEY, day INT NOT NULL", 200, |id| format!("{id}, {id}"));
        let mapping = "[entities.Visit]\nfrom = \"visits\"\npk = \"D#{day}\"\nsk = \"VISIT\"\n";
        let stage = Stage::new(kind, &sql, &format!("{HEAD}{mapping}")).await.with_dynamodb().await;
        let run = stage.migrate("--create-table", 0).await;
        assert!(run.stderr.contains("keys counted: 200 rows, each with a key of its own"), "{}", run.stderr);
        assert!(
            !stage.folder.files().iter().any(|file| file.ends_with(".tmp")),
            "{:?}",
            stage.folder.files()
        );
        stage.migrate("verify", 0).await;
    }
}

#[tokio::test]
async fn more_collisions_than_rejects_are_allowed_write_nothing() {
    let sql = numbered("visits", "id INT PRIMARY KEY, day INT NOT NULL", 100, |id| format!("{id}, 1"));
    let mapping = "[entities.Visit]\nfrom = \"visits\"\npk = \"D#{day}\"\nsk = \"VISIT\"\n";
    for kind in servers::ALL {
        let stage = Stage::new(kind, &sql, &format!("{HEAD}{mapping}")).await.with_dynamodb().await;
        let failed = stage.migrate("--create-table --max-rejects 98 --json", 1).await.json();
        assert_eq!(failed["error"]["code"], "collisions", "{failed}");
        assert!(compare::scan(&stage.client(), "shop").await.is_empty());
        stage.migrate("--create-table --max-rejects 99 --json", 4).await;
    }
}

/// Versions of 40 documents, in an order that is not that of their ids.
fn versions() -> String {
    numbered(
        "versions",
        "id INT PRIMARY KEY, doc INT NOT NULL, changed DECIMAL(8,2), note VARCHAR(20)",
        1_200,
        |id| {
            let signed = |id: usize| (id as i64 * 7_919) % 10_007 - 5_000;
            let changed = match id % 7 {
                0 => "NULL".to_owned(),
                _ => format!("{}.{:02}", signed(id), id % 100),
            };
            format!("{id}, {}, {changed}, 'v{id}'", id % 40)
        },
    )
}

/// The ids that SQL keeps: by `changed`, NULL first, then by id.
async fn kept_by_sql(stage: &Stage, keep: &str) -> Vec<i64> {
    let rows = stage.database.texts("SELECT id, doc, changed FROM versions").await;
    let mut best: BTreeMap<i64, (Option<i64>, i64)> = BTreeMap::new();
    for row in rows {
        let number = |at: usize| row[at].as_ref().map(|text| text.parse::<f64>().unwrap());
        let cents = number(2).map(|changed| (changed * 100.0).round() as i64);
        let (id, doc) = (number(0).unwrap() as i64, number(1).unwrap() as i64);
        let this = (cents, id);
        let entry = best.entry(doc).or_insert(this);
        if (keep == "first" && this < *entry) || (keep == "last" && this > *entry) {
            *entry = this;
        }
    }
    let mut ids: Vec<i64> = best.into_values().map(|(_, id)| id).collect();
    ids.sort_unstable();
    ids
}

fn choosing(keep: &str) -> String {
    format!(
        "{HEAD}[entities.Version]\nfrom = \"versions\"\npk = \"DOC#{{doc}}\"\nsk = \"V\"\non_collision = \"{keep}\"\norder_by = [\"changed\"]\n"
    )
}

fn ids(items: impl IntoIterator<Item = Value>) -> Vec<i64> {
    let mut ids: Vec<i64> =
        items.into_iter().map(|item| item["id"]["N"].as_str().unwrap().parse().unwrap()).collect();
    ids.sort_unstable();
    ids
}

/// K09: what is dropped is chosen, counted and the same on every run.
#[tokio::test]
async fn k09_first_and_last_keep_the_row_that_sql_would() {
    for kind in servers::ALL {
        for keep in ["first", "last"] {
            let stage = Stage::new(kind, &versions(), &choosing(keep)).await.with_dynamodb().await;
            let run = stage.migrate("--create-table --json", 0).await.json();
            let place = format!("{} {keep}", kind.name());
            assert_eq!(run["entities"]["Version"]["skipped_by"], json!({"key_collision": 1_160}), "{place}");
            assert_eq!((&run["totals"]["written"], &run["totals"]["skipped"]), (&json!(40), &json!(1_160)));
            let written = ids(compare::scan(&stage.client(), "shop").await.into_values());
            assert_eq!(written, kept_by_sql(&stage, keep).await, "{place}");
            let verified = stage.migrate("verify --json", 0).await.json();
            let entity = &verified["entities"]["Version"];
            let counts = ["checked", "matching", "rejected", "skipped"].map(|name| &entity[name]);
            assert_eq!(counts, [1_200, 40, 0, 1_160].map(|count| json!(count)).each_ref(), "{place}");
            let again = stage.migrate("--json", 0).await.json();
            assert_eq!(again["outcome"], "already_done", "{place}");
        }
    }
}

/// A row that was left out for another one's sake is missed once that other one is gone, and gets its place.
#[tokio::test]
async fn a_row_whose_rival_is_gone_is_excused_no_more() {
    for kind in servers::ALL {
        for keep in ["first", "reject"] {
            let sql = "CREATE TABLE emails (id INT PRIMARY KEY, email VARCHAR(20) NOT NULL, note VARCHAR(20));
                       INSERT INTO emails VALUES (1, 'a', 'first'), (2, 'a', 'second'), (3, 'a', 'third'), (4, 'b', 'alone')";
            let mapping = format!(
                "{HEAD}[entities.Email]\nfrom = \"emails\"\npk = \"E#{{email}}\"\nsk = \"E\"\non_collision = \"{keep}\"\n"
            );
            let stage = Stage::new(kind, sql, &mapping).await.with_dynamodb().await;
            let place = format!("{} {keep}", kind.name());
            let left_out = if keep == "reject" { "rejected" } else { "skipped" };
            stage.migrate("--create-table", if keep == "reject" { 4 } else { 0 }).await;
            let counts = |report: Value| {
                let entity = &report["entities"]["Email"];
                ["matching", "different", left_out].map(|name| entity[name].as_u64().unwrap())
            };
            assert_eq!(counts(stage.migrate("verify --json", 0).await.json()), [2, 0, 2], "{place}");
            stage.database.execute("DELETE FROM emails WHERE id = 1").await;
            let report = stage.migrate("verify --json", 5).await.json();
            assert_eq!(
                report["entities"]["Email"]["differences"][0]["source_key"],
                json!({"id": "2"}),
                "{place}"
            );
            assert_eq!(counts(report), [1, 1, 1], "{place}");
            stage.migrate("verify --repair --yes", 0).await;
            assert_eq!(counts(stage.migrate("verify --json", 0).await.json()), [2, 0, 1], "{place}");
            let table = compare::scan(&stage.client(), "shop").await;
            assert!(table.values().any(|item| item["note"]["S"] == "second"), "{place}");
        }
    }
}

/// Killed in the middle of it, with a slow target, and gone on with: the same table.
#[tokio::test]
async fn k09_a_killed_load_keeps_the_same_rows() {
    for keep in ["reject", "first", "last"] {
        let mapping = match keep {
            "reject" => choosing(keep).replace("order_by = [\"changed\"]\n", ""),
            _ => choosing(keep),
        };
        // Each row once more under a key of its own, so that there is enough to write.
        let mapping =
            format!("{mapping}\n[entities.Own]\nfrom = \"versions\"\npk = \"OWN#{{id}}\"\nsk = \"O\"\n")
                + "\n[write]\nmax_rejects = 5000\n";
        let stage = Stage::new(Kind::Postgres, &versions(), &mapping).await;
        let front = Front::acknowledging();
        front.script([(When::Always, Fault::Delay(Duration::from_millis(30)))]);
        let stage = stage.at(front.url());
        let mut running = stage.tool("--create-table --concurrency 2").spawn();
        running.until("100 items", |_| front.items("shop").len() > 100).await;
        running.kill().await;
        let code = if keep == "reject" { 4 } else { 0 };
        let run = stage.migrate("--json", code).await.json();
        assert_eq!(run["resumed"], json!(true));
        let versions = front.items("shop").into_iter().filter(|item| item["SK"]["S"] == "V");
        let expected = match keep {
            "reject" => (1..=40).collect(),
            keep => kept_by_sql(&stage, keep).await,
        };
        assert_eq!(ids(versions), expected, "{keep}");
        let totals = &run["totals"];
        assert_eq!((&totals["read"], &totals["written"]), (&json!(2_400), &json!(1_240)), "{keep}");
        stage.migrate("verify", 0).await;
    }
}

/// An entity that comes later may not take the keys of items that are written already.
#[tokio::test]
async fn items_that_are_written_win_over_an_entity_that_comes_later() {
    let sql = numbered("users", "id INT PRIMARY KEY", 10, |id| id.to_string())
        + &numbered("orgs", "id INT PRIMARY KEY", 10, |id| (id + 7).to_string());
    let entity = |name: &str, rows: &str| {
        format!("[entities.{name}]\nfrom = \"{rows}\"\npk = \"E#{{id}}\"\nsk = \"M\"\n\n")
    };
    let stage = Stage::new(Kind::Sqlite, &sql, &format!("{HEAD}{}", entity("Org", "orgs")))
        .await
        .with_dynamodb()
        .await;
    stage.migrate("--create-table", 0).await;
    // Before the other in the file, and behind it in time.
    stage
        .folder
        .write("mapping.toml", &format!("{HEAD}{}{}", entity("User", "users"), entity("Org", "orgs")));
    let run = stage.migrate("--json", 4).await.json();
    assert_eq!(run["entities"]["User"]["rejected_by"], json!({"key_collision": 3}), "{run}");
    assert_eq!(compare::scan(&stage.client(), "shop").await.len(), 17);
    stage.migrate("verify", 0).await;
}

fn item_of(who: &str, id: i64) -> impl Fn(&Value) -> bool {
    let (who, key) = (who.to_owned(), format!("E#{id}"));
    move |item| item["who"]["S"] == who.as_str() && item["PK"]["S"] == key.as_str()
}

/// Whatever the order in which entities are loaded: the same rows are kept, and what is in the table stays.
#[tokio::test]
async fn an_entity_that_is_loaded_alone_keeps_what_it_wrote() {
    for kind in servers::ALL {
        let columns = "id INT PRIMARY KEY, who VARCHAR(9) NOT NULL";
        let sql = numbered("a", columns, 100, |id| format!("{id}, 'a'"))
            + &numbered("b", columns, 100, |id| format!("{}, 'b'", id + 50));
        let entity = |name: &str| {
            format!(
                "[entities.{}]\nfrom = \"{name}\"\npk = \"E#{{id}}\"\nsk = \"M\"\n\n",
                name.to_uppercase()
            )
        };
        let mapping = format!("{HEAD}{}{}", entity("a"), entity("b"));
        let stage = Stage::new(kind, &sql, &mapping).await.with_dynamodb().await;
        // What the whole load will keep is kept from the start.
        stage.migrate("--only B --create-table", 4).await;
        let run = stage.migrate("--json", 4).await.json();
        let place = kind.name();
        assert_eq!(rejected(&run), BTreeMap::from([("B".to_owned(), 50)]), "{place}");
        let table: Vec<Value> = compare::scan(&stage.client(), "shop").await.into_values().collect();
        assert_eq!(table.len(), 150, "{place}");
        assert_eq!(table.iter().filter(|item| item["who"]["S"] == "b").count(), 50, "{place}");
        stage.migrate("verify", 0).await;
        // Moved onto a key that B has, and A read again.
        stage.database.execute("UPDATE a SET id = 120 WHERE id = 7").await;
        let run = stage.migrate("--restart --only A --json", 4).await.json();
        assert_eq!(run["entities"]["A"]["rejected_by"], json!({"key_collision": 1}), "{place}");
        let table: Vec<Value> = compare::scan(&stage.client(), "shop").await.into_values().collect();
        assert!(table.iter().any(item_of("b", 120)) && !table.iter().any(item_of("a", 120)), "{place}");
    }
}

/// A later snapshot may have rows with keys that are in the table since an earlier one.
#[tokio::test]
async fn rows_that_change_between_two_runs_overwrite_nothing() {
    for kind in servers::ALL {
        let columns = "id INT PRIMARY KEY, day INT NOT NULL";
        let sql = numbered("visits", columns, 2_000, |id| format!("{id}, {id}"));
        let mapping = "[entities.Visit]\nfrom = \"visits\"\npk = \"D#{day}\"\nsk = \"VISIT\"\n";
        let stage = Stage::new(kind, &sql, &format!("{HEAD}{mapping}")).await.with_dynamodb().await;
        stage.migrate("--create-table --limit 1000", 0).await;
        let before = ids(compare::scan(&stage.client(), "shop").await.into_values());
        let missing: Vec<i64> = (1..=2_000).filter(|id| before.binary_search(id).is_err()).collect();
        let (early, late) = (before[0], missing[missing.len() - 1]);
        let other = missing[missing.len() - 2];
        // Two rows that are to be written get the keys of written ones, and one that is written gets a row of
        // its own key in the range behind it.
        stage
            .database
            .execute(&format!(
                "UPDATE visits SET day = {early} WHERE id = {late}; UPDATE visits SET day = {} WHERE id = {other};
                 INSERT INTO visits VALUES (2001, {})",
                before[1], before[2]
            ))
            .await;
        let run = stage.migrate("--json", 4).await.json();
        let place = kind.name();
        assert_eq!(run["entities"]["Visit"]["rejected_by"], json!({"key_collision": 3}), "{place}");
        let table = ids(compare::scan(&stage.client(), "shop").await.into_values());
        let expected: Vec<i64> = (1..=2_000).filter(|id| ![late, other].contains(id)).collect();
        assert_eq!(table, expected, "{place}");
        stage.migrate("verify", 0).await;
    }
}

/// Values that SQLite tells apart and that read alike: a rejects file could not name the one that is left out.
#[tokio::test]
async fn rows_whose_source_keys_read_alike_stop_the_load_before_it_writes() {
    let id = "0190a6b0-0000-7000-8000-00000000000a";
    let sql = format!(
        "CREATE TABLE things (id UUID PRIMARY KEY NOT NULL); INSERT INTO things VALUES ('{id}'), ('{}')",
        id.to_uppercase()
    );
    let mapping = "[entities.Thing]\nfrom = \"things\"\npk = \"T#{id}\"\nsk = \"T\"\n";
    let stage = Stage::new(Kind::Sqlite, &sql, &format!("{HEAD}{mapping}")).await.with_dynamodb().await;
    let failed = stage.migrate("--create-table --json", 1).await.json();
    assert_eq!(failed["error"]["code"], "collisions", "{failed}");
    assert!(failed["error"]["message"].as_str().unwrap().contains(&format!("id = {id}")), "{failed}");
    assert!(compare::scan(&stage.client(), "shop").await.is_empty());
}

/// Nothing tells the keys of an entity that is gone from those to be written.
#[tokio::test]
async fn an_entity_that_left_the_mapping_is_asked_about_before_anything_is_written() {
    let sql = numbered("users", "id INT PRIMARY KEY", 10, |id| id.to_string());
    let head = HEAD.replace("[table]\n", "[table]\nentity_type = \"kind\"\n");
    let entity =
        |name: &str| format!("{head}[entities.{name}]\nfrom = \"users\"\npk = \"E#{{id}}\"\nsk = \"M\"\n");
    let stage = Stage::new(Kind::Sqlite, &sql, &entity("User")).await.with_dynamodb().await;
    stage.migrate("--create-table", 0).await;
    stage.folder.write("mapping.toml", &entity("Person"));
    let failed = stage.migrate("--json", 3).await.json();
    assert_eq!(failed["error"]["code"], "entity-gone", "{failed}");
    let table: Vec<Value> = compare::scan(&stage.client(), "shop").await.into_values().collect();
    assert!(table.len() == 10 && table.iter().all(|item| item["kind"]["S"] == "User"), "{table:?}");
    stage.migrate("--yes", 0).await;
    let table: Vec<Value> = compare::scan(&stage.client(), "shop").await.into_values().collect();
    assert!(table.len() == 10 && table.iter().all(|item| item["kind"]["S"] == "Person"), "{table:?}");
}

/// Also by values that no item could hold.
#[tokio::test]
async fn rows_are_chosen_by_numbers_of_any_size() {
    for kind in servers::ALL {
        let real = if kind == Kind::Postgres { "DOUBLE PRECISION" } else { "DOUBLE" };
        let mut values = vec!["1e300", "-1e-200", "1e-200", "0", "-1e300", "1e200", "7", "-1e-201", "1e-201"];
        if kind == Kind::Postgres {
            values.extend(["'Infinity'", "'-Infinity'"]);
        }
        let rows: Vec<String> =
            (1..).zip(&values).map(|(id, value)| format!("({id}, 'one', {value})")).collect();
        let sql = format!(
            "CREATE TABLE scores (id INT PRIMARY KEY, who VARCHAR(9) NOT NULL, score {real}); INSERT INTO scores VALUES {}",
            rows.join(", ")
        );
        for (keep, expected) in [("first", 5), ("last", 1)] {
            let expected = match (kind, keep) {
                (Kind::Postgres, "first") => 11,
                (Kind::Postgres, _) => 10,
                _ => expected,
            };
            let mapping = format!(
                "[entities.Score]\nfrom = \"scores\"\ncolumns = [\"id\", \"who\"]\npk = \"S#{{who}}\"\nsk = \"S\"\non_collision = \"{keep}\"\norder_by = [\"score\"]\n"
            );
            let stage = Stage::new(kind, &sql, &format!("{HEAD}{mapping}")).await.with_dynamodb().await;
            stage.migrate("--create-table", 0).await;
            let table = ids(compare::scan(&stage.client(), "shop").await.into_values());
            assert_eq!(table, [expected], "{} {keep}", kind.name());
        }
    }
}
