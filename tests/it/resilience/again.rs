//! The same command again: what goes on, what is left alone, what is refused.

use serde_json::{Value, json};

use super::{Scene, assert_accounted, make_table};
use crate::compare;
use crate::dynamodb::embedded_in_process;
use crate::front::Front;
use crate::servers::{self, Kind};
use crate::tool::Finished;

/// W14.
#[tokio::test]
async fn a_complete_load_that_is_run_again_writes_nothing_and_exits_as_before() {
    for (rejected, code) in [("1 = 0", 0), ("n % 100 = 0", 4)] {
        let scene = Scene::with_rejects(servers::sqlite().await, 1_000, rejected).await;
        let first = scene.load().run().await.expect_code(code).json();
        let batches = scene.front.counters().batches();
        let again = scene.load().run().await.expect_code(code).json();
        assert_eq!(again["outcome"], "already_done");
        assert_eq!(scene.front.counters().batches(), batches);
        assert_eq!(again["totals"]["written"], first["totals"]["written"]);
        scene.assert_rejects_listed_once().await;
    }
}

#[tokio::test]
async fn restart_loads_everything_again_and_lists_rejects_once() {
    let scene = Scene::with_rejects(servers::postgres().await, 1_000, "n % 100 = 0").await;
    scene.load().run().await.expect_code(4);
    let report = scene.load_with(&["--restart"]).run().await.expect_code(4).json();
    assert_accounted(&report, 1_000, 10);
    assert_eq!((&report["resumed"], &report["snapshots"]), (&json!(false), &json!(1)));
    assert_eq!(scene.written(), 2 * 990);
    scene.assert_rejects_listed_once().await;
    scene.assert_complete().await;
}

#[tokio::test]
async fn a_restart_that_never_begins_leaves_everything_as_it_was() {
    let scene = Scene::with_rejects(servers::postgres().await, 1_000, "n % 100 = 0").await;
    let role = format!("few_{}", scene.database.text("SELECT current_database()").await);
    let make = format!("CREATE ROLE {role} LOGIN PASSWORD 'few'; GRANT SELECT ON ledger TO {role}");
    scene.database.execute(&make).await;
    let url = scene.database.url_as(&role, "few");
    let load = |more: &[&str]| scene.load_with(more).env("SOURCE_URL", &url);
    load(&[]).run().await.expect_code(4);
    let (checkpoint, rejects) = (scene.checkpoint(), scene.rejects());
    // One connection finds out what there is; the readers get none.
    scene.database.execute(&format!("ALTER ROLE {role} CONNECTION LIMIT 1")).await;
    let report = load(&["--restart"]).run().await.expect_code(1).json();
    assert_eq!((&report["outcome"], &report["snapshots"]), (&json!("failed"), &json!(0)));
    assert_eq!((scene.checkpoint(), scene.rejects()), (checkpoint, rejects));
    scene.database.execute(&format!("ALTER ROLE {role} CONNECTION LIMIT 20")).await;
    assert_eq!(load(&[]).run().await.expect_code(4).json()["outcome"], "already_done");
    load(&["--restart"]).run().await.expect_code(4);
    scene.assert_rejects_listed_once().await;
    scene.database.execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
}

#[tokio::test]
async fn only_some_entities_of_a_new_mapping_are_not_everything() {
    let scene = Scene::new(servers::sqlite().await, 300).await;
    make_table(&scene.database, "tags", "id INT NOT NULL PRIMARY KEY, word VARCHAR(10)", "n, 'x'", 30).await;
    let mapping = scene.folder.read("ledger.toml");
    let with_tags =
        format!("{mapping}\n[entities.Tag]\nfrom = \"tags\"\npk = \"TAG#{{id:07}}\"\nsk = \"TAG\"\n");
    scene.folder.write("ledger.toml", &with_tags);
    for _ in 0..2 {
        let report = scene.load_with(&["--only", "Tag"]).run().await.expect_code(0).json();
        assert_eq!((&report["outcome"], scene.written()), (&json!("limited"), 30));
    }
    assert_eq!(scene.load().run().await.expect_code(0).json()["outcome"], "done");
    assert_eq!(
        scene.load_with(&["--only", "Tag"]).run().await.expect_code(0).json()["outcome"],
        "already_done"
    );
}

#[tokio::test]
async fn restart_into_a_table_of_others_asks_first_and_forgets_nothing() {
    let scene = Scene::new(servers::postgres().await, 1_000).await;
    scene.load().run().await.expect_code(0);
    let ours = std::fs::read(scene.state("checkpoint.json")).unwrap();
    let stranger = Front::acknowledging();
    let client = stranger.client();
    client.create_table("ledger").await;
    let item = json!({"PutRequest": {"Item": {"PK": {"S": "SOMEBODY"}, "SK": {"S": "ELSE"}}}});
    client.call("BatchWriteItem", json!({"RequestItems": {"ledger": [item]}})).await;
    // Another table of the same name.
    let described = scene.load_with(&["--restart"]).env("TARGET_URL", stranger.url());
    std::fs::write(scene.state("checkpoint.json"), with_table_id(&scene, "another")).unwrap();
    let other = std::fs::read(scene.state("checkpoint.json")).unwrap();
    let refused = described.run().await.expect_code(2).json();
    assert_eq!(refused["error"]["code"], "table-not-empty");
    assert_eq!(std::fs::read(scene.state("checkpoint.json")).unwrap(), other);
    assert_ne!(ours, other);
    assert_eq!(stranger.items("ledger").len(), 1);
}

/// The checkpoint as if it were of another table of the same name.
fn with_table_id(scene: &Scene, id: &str) -> String {
    let mut body = scene.checkpoint();
    body["table"]["id"] = json!(id);
    checkpoint_text(&body.to_string())
}

fn checkpoint_text(body: &str) -> String {
    use sha2::{Digest, Sha256};
    let hash: String = Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}\n{body}", json!({"dynamigrate_checkpoint": 1, "sha256": hash}))
}

#[tokio::test]
async fn only_one_entity_is_loaded_and_restarted_and_a_new_one_just_loads() {
    let scene = Scene::new(servers::postgres().await, 1_000).await;
    make_table(&scene.database, "tags", "id INT PRIMARY KEY, word VARCHAR(10)", "n, 'x'", 300).await;
    scene.load().run().await.expect_code(0);
    let mapping = scene.folder.read("ledger.toml");
    let with_tags =
        format!("{mapping}\n[entities.Tag]\nfrom = \"tags\"\npk = \"TAG#{{id:07}}\"\nsk = \"TAG\"\n");
    scene.folder.write("ledger.toml", &with_tags);
    let report = scene.load().run().await.expect_code(0).json();
    assert_accounted(&report, 1_300, 0);
    assert_eq!(scene.written(), 1_300, "only the new entity is written");
    let unknown = scene.load_with(&["--only", "Tags"]).run().await.expect_code(2).json();
    assert!(unknown["error"]["help"].as_str().unwrap().contains("Tag"));
    scene.load_with(&["--restart", "--only", "Tag"]).run().await.expect_code(0);
    assert_eq!(scene.written(), 1_600);
    assert_eq!(scene.load().run().await.expect_code(0).json()["outcome"], "already_done");
    assert_eq!(scene.front.items("ledger").len(), 1_300);
}

#[tokio::test]
async fn a_limited_load_writes_so_many_rows_and_a_full_one_fills_the_rest() {
    for kind in [Kind::Postgres, Kind::MySql, Kind::Sqlite] {
        let scene = Scene::new(kind.database().await, 3_000).await;
        for limited in [1, 250, 251] {
            let before = scene.written();
            scene.load_with(&["--limit", &limited.to_string()]).run().await.expect_code(0);
            assert_eq!(scene.written(), before + limited, "{}", kind.name());
        }
        let report = scene.load().run().await.expect_code(0).json();
        assert_accounted(&report, 3_000, 0);
        assert_eq!(scene.front.counters().rewritten, 0);
        scene.assert_complete().await;
    }
}

/// P03.
#[tokio::test]
async fn a_limited_load_never_marks_an_entity_done() {
    let scene = Scene::new(servers::postgres().await, 120).await;
    scene.load_with(&["--limit", "1000"]).run().await.expect_code(0);
    let ranges = scene.checkpoint()["entities"][0]["ranges"].as_array().unwrap().clone();
    assert!(ranges.iter().any(|range| range["done"] == false), "{ranges:?}");
    assert_eq!(scene.load().run().await.expect_code(0).json()["outcome"], "done");
    assert_eq!((scene.written(), scene.front.counters().rewritten), (120, 0));
    scene.assert_complete().await;
}

#[tokio::test]
async fn p06_a_changed_mapping_is_refused_and_says_what_changed() {
    let scene = Scene::new(servers::postgres().await, 1_000).await;
    scene.load_with(&["--limit", "300"]).run().await.expect_code(0);
    let mapping = scene.folder.read("ledger.toml");
    let checkpoint = std::fs::read(scene.state("checkpoint.json")).unwrap();
    let changes = [
        (mapping.replace("ENTRY#{id:07}", "ROW#{id:07}"), "`pk`"),
        (mapping.replace("ACCOUNT#{account}", "A#{account}"), "`sk`"),
        (format!("{mapping}columns = {{ except = [\"note\"] }}\n"), "the attributes"),
        (format!("{mapping}where = \"id > 5\"\n"), "`where`"),
        (format!("{mapping}[entities.Entry.column.amount]\ntype = \"S\"\n"), "the attributes"),
    ];
    for (changed, what) in changes {
        scene.folder.write("ledger.toml", &changed);
        let refused = scene.load().run().await;
        assert_refused(refused, "mapping-changed", what);
        assert_eq!(std::fs::read(scene.state("checkpoint.json")).unwrap(), checkpoint);
    }
    let harmless = format!("# a word\n{mapping}\n[write]\nrate = 100000\nconcurrency = 3\nmax_rejects = 7\n");
    let harmless =
        harmless.replace("readers = 4", "readers = 2").replace("page_rows = 100", "page_rows = 77");
    scene.folder.write("ledger.toml", &harmless);
    let report = scene.load().run().await.expect_code(0).json();
    assert_accounted(&report, 1_000, 0);
    assert_eq!(scene.front.counters().rewritten, 0);
}

#[tokio::test]
async fn p06_all_entities_that_changed_are_named_at_once() {
    let scene = Scene::new(servers::sqlite().await, 100).await;
    let mapping = scene.folder.read("ledger.toml");
    let other = "[entities.Copy]\nfrom = \"ledger\"\npk = \"COPY#{id:07}\"\nsk = \"COPY\"\n";
    scene.folder.write("ledger.toml", &format!("{mapping}\n{other}"));
    scene.load_with(&["--limit", "50"]).run().await.expect_code(0);
    scene.change_mapping("ENTRY#{id:07}", "ENTRY#{id:09}");
    scene.change_mapping("COPY#{id:07}", "COPY#{id:09}");
    let finished = scene.load().run().await;
    let help = finished.json()["error"]["help"].as_str().unwrap().to_owned();
    assert!(help.contains("--restart --only Entry,Copy"), "{help}");
    assert_refused(finished, "mapping-changed", "`Entry`, `Copy`");
}

#[tokio::test]
async fn p06_a_source_column_that_changed_is_refused() {
    let scene = Scene::new(servers::postgres().await, 500).await;
    scene.load_with(&["--limit", "300"]).run().await.expect_code(0);
    scene.database.execute("ALTER TABLE ledger ALTER COLUMN amount TYPE TEXT").await;
    assert_refused(scene.load().run().await, "mapping-changed", "the source's columns");
}

#[tokio::test]
async fn p06_another_database_or_table_is_refused() {
    let embedded = embedded_in_process().await;
    let scene = Scene::new(servers::postgres().await, 500).await;
    let scene = Scene { front: Front::forwarding(embedded.url()), ..scene };
    scene.load_with(&["--limit", "300"]).run().await.expect_code(0);

    let other = Scene::new(servers::postgres().await, 500).await;
    let refused = scene.load().env("SOURCE_URL", other.database.url()).run().await;
    assert_refused(refused, "checkpoint-foreign", "source database");

    embedded.client().call("DeleteTable", json!({"TableName": "ledger"})).await;
    let refused = scene.load().run().await;
    assert_refused(refused, "checkpoint-foreign", "not there");
    let tables = embedded.client().call("ListTables", json!({})).await;
    assert_eq!(tables["TableNames"], json!([]), "none is made before that is known");

    embedded.client().create_table("ledger").await;
    assert_refused(scene.load().run().await, "checkpoint-foreign", "TableId");
    assert_eq!(embedded.client().scan("ledger", None).await.len(), 0);

    // A table of another name has a state of its own: copied there, it is not believed.
    scene.change_mapping("name = \"ledger\"", "name = \"journal\"");
    embedded.client().create_table("journal").await;
    let folder = scene.folder.path().join(".migrate/ledger");
    std::fs::create_dir(folder.join("journal")).unwrap();
    std::fs::copy(scene.state("checkpoint.json"), folder.join("journal/checkpoint.json")).unwrap();
    assert_refused(scene.load().run().await, "checkpoint-foreign", "another table");
}

#[tokio::test]
async fn p04_a_damaged_checkpoint_is_left_alone_and_the_copy_before_it_goes_on() {
    let scene = Scene::with_rejects(servers::postgres().await, 1_000, "n % 100 = 0").await;
    scene.load_with(&["--limit", "300"]).run().await.expect_code(4);
    let path = scene.state("checkpoint.json");
    let whole = std::fs::read(&path).unwrap();
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    let damages = [
        whole[..whole.len() / 2].to_vec(),
        Vec::new(),
        flipped(whole.len() / 2),
        flipped(10),
        b"{}".to_vec(),
    ];
    for damaged in damages {
        std::fs::write(&path, &damaged).unwrap();
        let written = scene.written();
        let document = scene.load().run().await.expect_code(1).json();
        assert_eq!(document["error"]["code"], "checkpoint-damaged");
        assert_eq!(std::fs::read(&path).unwrap(), damaged, "it is left as it is");
        assert_eq!(scene.written(), written);
        let help = document["error"]["help"].as_str().unwrap();
        assert!(help.contains("checkpoint.previous.json"), "{help}");
    }
    std::fs::rename(scene.state("checkpoint.previous.json"), &path).unwrap();
    let report = scene.load().run().await.expect_code(4).json();
    assert_accounted(&report, 1_000, 10);
    scene.assert_rejects_listed_once().await;
    scene.assert_complete().await;
}

/// W17.
#[tokio::test]
async fn of_two_equal_keys_the_second_is_rejected_which_is_no_damage() {
    let scene = Scene::new(servers::postgres().await, 40).await;
    scene.change_mapping("ENTRY#{id:07}", "ENTRY#{pair}");
    scene.folder.write(
        "ledger.toml",
        &format!("{}\n[entities.Entry.let]\npair = \"(id + 1) / 2\"\n", scene.folder.read("ledger.toml")),
    );
    let loaded = scene.load().run().await.expect_code(4);
    assert!(
        loaded.stderr.contains("keys counted: 40 rows, 20 keys that several rows have"),
        "{}",
        loaded.stderr
    );
    let report = loaded.json();
    assert_accounted(&report, 40, 20);
    assert_eq!(report["entities"]["Entry"]["rejected_by"]["key_collision"], 20);
    let mut losers: Vec<u64> =
        scene.rejects().iter().map(|line| super::source_id(line).parse().unwrap()).collect();
    losers.sort_unstable();
    assert_eq!(losers, (1..=20).map(|pair| pair * 2).collect::<Vec<u64>>(), "the second of each pair");
    let winners = compare::by_key(scene.front.items("ledger"));
    assert_eq!(winners.len(), 20);
    let verified = scene.migrate("verify", &[]).run().await.expect_code(0).json();
    let entry = &verified["entities"]["Entry"];
    assert_eq!((&entry["matching"], &entry["rejected"]), (&json!(20), &json!(20)), "{verified:#}");
}

#[track_caller]
fn assert_refused(finished: Finished, code: &str, what: &str) {
    let document: Value = finished.expect_code(3).json();
    let error = &document["error"];
    assert_eq!(error["code"], code, "{document:#}");
    assert!(error["message"].as_str().unwrap().contains(what), "{document:#}");
}
