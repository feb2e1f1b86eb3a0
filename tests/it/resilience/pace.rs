//! The given rate holds, and no item is too large for it.

use std::time::Instant;

use super::{Scene, assert_accounted, make_table};
use crate::front::Front;
use crate::servers;

#[tokio::test]
async fn w06_a_rate_is_kept_within_a_tenth() {
    let scene = Scene::new(servers::postgres().await, 3_000).await;
    let started = Instant::now();
    scene.load_with(&["--rate", "500"]).run().await.expect_code(0);
    let counters = scene.front.counters();
    assert_eq!(counters.table_units, 3_000);
    // The first and the last second are not whole.
    let whole = &counters.units_per_second[1..counters.units_per_second.len() - 1];
    let rate = whole.iter().sum::<u64>() as f64 / whole.len() as f64;
    assert!((450.0..=550.0).contains(&rate), "{rate} a second: {:?}", counters.units_per_second);
    assert!(started.elapsed().as_secs() >= 5);
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
