//! Memory is bounded, whatever the table, its rows and the speed of the target.

use super::{MILLISECOND, SECOND, Scene, make_table};
use crate::front::{Fault, Front, When};
use crate::servers;
use crate::tool::{Folder, Running};

#[tokio::test]
async fn a_slow_target_does_not_pile_up_rows_of_a_large_table() {
    let values = "n, 'a', repeat('x', 2000)";
    let scene = wide_table(values, 200_000, "page_rows = 5000").await;
    scene.front.script([
        (When::Between(1, 200), Fault::Delay(100 * MILLISECOND)),
        (When::Always, Fault::Hang(60 * SECOND)),
    ]);
    let mut running = scene.load().spawn();
    running.until("the target hangs", |_| scene.front.counters().batches() > 210).await;
    let peak = highest(&running).await;
    running.kill().await;
    assert!(peak < 300 << 20, "{} MB", peak >> 20);
}

#[tokio::test]
async fn rows_of_five_megabytes_do_not_pile_up() {
    let values = "n, 'a', CASE WHEN n % 10 = 0 THEN 'short' ELSE repeat('x', 5000000) END";
    let scene = wide_table(values, 120, "page_rows = 5000").await;
    scene.front.script([(When::Always, Fault::Delay(500 * MILLISECOND))]);
    let mut running = scene.load().spawn();
    let mut highest = 0;
    running
        .until("it is done", |r| {
            highest = highest.max(peak(r));
            r.stdout().contains("elapsed_seconds")
        })
        .await;
    let report = running.finish().await.expect_code(4).json();
    assert_eq!(report["entities"]["Entry"]["rejected_by"]["item_too_large"], 108);
    assert_eq!(report["totals"]["written"], 12);
    assert!(highest < 300 << 20, "{} MB", highest >> 20);
}

#[tokio::test]
async fn the_largest_items_do_not_pile_up_in_flight() {
    let scene = wide_table("n, 'a', repeat('x', 400000)", 600, "page_rows = 40").await;
    scene.front.script([(When::Always, Fault::Hang(60 * SECOND))]);
    let mut running = scene.load().spawn();
    running.until("the target hangs", |_| scene.front.counters().batches() > 2).await;
    let peak = highest(&running).await;
    running.kill().await;
    // Eight pages of 16 MB as cells and as items, twelve requests of 10 MB as batch and as body.
    assert!(peak < 700 << 20, "{} MB", peak >> 20);
}

async fn wide_table(values: &str, rows: u64, page_rows: &str) -> Scene {
    let database = servers::postgres().await;
    make_table(&database, "ledger", "id INT PRIMARY KEY, account VARCHAR(10), note TEXT", values, rows).await;
    let folder = Folder::new();
    folder.write("ledger.toml", &super::MAPPING.replace("page_rows = 100", page_rows));
    Scene { database, front: Front::acknowledging(), folder }
}

/// The most memory the process has held, bytes; 0 when it has ended.
fn peak(running: &Running) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", running.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// The peak once it has not moved for a second: then all readers and requests have what they may have.
async fn highest(running: &Running) -> u64 {
    let mut peaks = vec![peak(running)];
    while peaks.len() < 4 || peaks[peaks.len() - 4] != peaks[peaks.len() - 1] {
        tokio::time::sleep(300 * MILLISECOND).await;
        peaks.push(peak(running));
    }
    peaks[peaks.len() - 1]
}
