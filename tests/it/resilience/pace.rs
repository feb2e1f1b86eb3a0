//! The given rate holds, and no item is too large for it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::{Scene, assert_accounted, make_table};
use crate::front::Front;
use crate::servers;

/// Two entities, one of them with an index, eight readers and sixteen requests at once: one rate.
#[tokio::test]
async fn w06_a_rate_is_kept_within_five_percent_over_readers_entities_and_indexes() {
    let scene = Scene::new(servers::postgres().await, 3_000).await;
    scene.change_mapping("readers = 4", "readers = 8");
    let index = "[table.indexes.GSI1]\npartition_key = \"GSI1PK\"\n\n[entities.Entry]";
    scene.change_mapping("[entities.Entry]", index);
    let more = "\n[entities.Entry.index.GSI1]\npk = \"A#{id}\"\n\n[entities.Copy]\nfrom = \"ledger\"\npk = \"COPY#{id:07}\"\nsk = \"C\"\n";
    scene.folder.write("ledger.toml", &format!("{}{more}", scene.folder.read("ledger.toml")));
    scene.load_with(&["--rate", "1000"]).run().await.expect_code(0);
    let counters = scene.front.counters();
    assert_eq!((counters.table_units, counters.index_units), (6_000, 3_000));
    // The first and the last second are not whole.
    let whole = &counters.units_per_second[1..counters.units_per_second.len() - 1];
    let rate = whole.iter().sum::<u64>() as f64 / whole.len() as f64;
    assert!((950.0..=1_050.0).contains(&rate), "{rate} a second: {:?}", counters.units_per_second);
    assert!(whole.len() >= 6, "{:?}", counters.units_per_second);
}

/// W09: ten tenants, read in the order of a key that begins with them.
#[tokio::test]
async fn w09_rows_of_one_partition_key_are_spread_over_the_load() {
    let database = servers::postgres().await;
    let columns = "tenant INT, id INT, PRIMARY KEY (tenant, id)";
    make_table(&database, "ledger", columns, "(n - 1) / 1000, n", 10_000).await;
    let folder = crate::tool::Folder::new();
    let mapping =
        super::MAPPING.replace("ENTRY#{id:07}", "T#{tenant}").replace("ACCOUNT#{account}", "{id:07}");
    folder.write("ledger.toml", &mapping);
    let scene = Scene { database, front: Front::acknowledging(), folder };
    let seen: Arc<Mutex<Vec<Vec<String>>>> = Arc::default();
    let batches = Arc::clone(&seen);
    scene.front.decide(move |request| {
        let keys = request.items.iter().map(|item| item["PK"]["S"].to_string()).collect();
        batches.lock().unwrap().extend((request.operation == "BatchWriteItem").then_some(keys));
        None
    });
    scene.load_with(&["--rate", "4000"]).run().await.expect_code(0);
    let batches = seen.lock().unwrap();
    // What is in flight together, ten batches in a row: no partition key has most of it. The end of a load
    // is what is left of a few ranges.
    let is_crowded = |window: &&[Vec<String>]| {
        let keys: Vec<&String> = window.iter().flatten().collect();
        let tenants: BTreeSet<&String> = keys.iter().copied().collect();
        let most = tenants.into_iter().map(|tenant| keys.iter().filter(|key| **key == tenant).count()).max();
        most.unwrap_or_default() * 2 > keys.len()
    };
    let crowded = batches.windows(10).filter(is_crowded).count();
    assert!(crowded * 10 < batches.len(), "{crowded} of {} windows are mostly of one tenant", batches.len());
}

#[tokio::test]
async fn an_item_far_above_the_rate_is_written_in_its_time() {
    for (bytes, rate, seconds) in [(40 * 1024 - 100, "5", 7.2..10.0), (399 * 1024, "100", 3.5..6.0)] {
        let scene = one_item(bytes).await;
        let started = Instant::now();
        let report = scene.load_with(&["--rate", rate]).run().await.expect_code(0).json();
        assert_accounted(&report, 1, 0);
        let took = started.elapsed().as_secs_f64();
        assert!(seconds.contains(&took), "{bytes} bytes at {rate} took {took} s");
        assert_eq!(scene.front.items("ledger").len(), 1);
        scene.migrate("verify", &[]).run().await.expect_code(0);
    }
}

/// A ledger of one row so large.
async fn one_item(bytes: usize) -> Scene {
    let database = servers::postgres().await;
    let columns = "id INT PRIMARY KEY, account VARCHAR(10), note TEXT";
    make_table(&database, "ledger", columns, &format!("n, 'a', repeat('x', {bytes})"), 1).await;
    let folder = crate::tool::Folder::new();
    folder.write("ledger.toml", super::MAPPING);
    Scene { database, front: Front::acknowledging(), folder }
}
