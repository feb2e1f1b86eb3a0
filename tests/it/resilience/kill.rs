//! kill -9 at any moment, and the same command again.

use std::os::unix::fs::MetadataExt;

use super::{COST_OF_A_KILL, MILLISECOND, SECOND, Scene, assert_accounted};
use crate::front::{Fault, When};
use crate::servers;
use crate::tool::Running;

/// When a run is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// The state folder is locked, no checkpoint is there.
    Locked,
    /// A checkpoint is there.
    Checkpoint,
    /// The run has written so many items.
    Items(u64),
    /// The checkpoint has just been replaced, so many times or more.
    Saves(usize),
}

#[tokio::test]
async fn p02_p05_p08_a_load_killed_at_sixteen_moments_ends_as_if_nothing_had_been() {
    use Moment::{Checkpoint, Items, Locked, Saves};
    let scene = Scene::with_rejects(servers::postgres().await, 100_000, "n % 1000 = 0").await;
    let moments = [
        Locked,
        Checkpoint,
        Items(1),
        Saves(2),
        Items(300),
        // Three in a row within the same ranges, which have 3,125 rows.
        Items(900),
        Items(1_000),
        Items(1_100),
        Saves(1),
        Items(5_000),
        Saves(20),
        Items(9_000),
        Items(14_000),
        Saves(60),
        Items(20_000),
        Items(25_000),
    ];
    survive(&scene, &moments, 100_000, 100).await;
}

#[tokio::test]
async fn p02_p05_p08_a_load_from_mariadb_killed_at_ten_moments_ends_as_if_nothing_had_been() {
    use Moment::{Checkpoint, Items, Locked, Saves};
    let scene = Scene::with_rejects(servers::mysql().await, 20_000, "n % 1000 = 0").await;
    // Slower than the source: all open pages are written in part when the kill comes.
    scene.front.script([(When::Always, Fault::Delay(15 * MILLISECOND))]);
    let moments = [
        Locked,
        Checkpoint,
        Items(1),
        Saves(1),
        Items(700),
        Items(1_300),
        Saves(10),
        Items(2_500),
        Items(3_000),
        Items(4_000),
    ];
    survive(&scene, &moments, 20_000, 20).await;
}

/// Kills at each moment, then lets the load finish.
async fn survive(scene: &Scene, moments: &[Moment], rows: u64, rejected: u64) {
    let mut allowed = 0;
    for moment in moments {
        let before = scene.written();
        kill_at(scene, *moment).await;
        allowed += if scene.written() > before { COST_OF_A_KILL } else { 0 };
    }
    let report = scene.load().run().await.expect_code(4).json();
    assert_accounted(&report, rows, rejected);
    let rewritten = scene.front.counters().rewritten;
    assert!(rewritten <= allowed, "{rewritten} items written again, {allowed} allowed");
    scene.assert_rejects_listed_once().await;
    scene.assert_complete().await;
}

async fn kill_at(scene: &Scene, moment: Moment) {
    let written = scene.written();
    let mut saves = vec![version(scene)];
    let mut running = scene.load().spawn();
    let reached = |_: &Running| match moment {
        Moment::Locked => scene.state("lock").exists(),
        Moment::Checkpoint => scene.state("checkpoint.json").exists(),
        Moment::Items(count) => scene.written() >= written + count,
        Moment::Saves(count) => {
            let now = version(scene);
            if saves.last() != Some(&now) {
                saves.push(now);
            }
            saves.len() > count
        }
    };
    running.until(&format!("{moment:?}"), reached).await;
    assert_eq!(running.kill().await.signal(), Some(9), "it was still at it: {moment:?}");
}

/// Differs for each copy of the checkpoint.
fn version(scene: &Scene) -> Option<(u64, i64)> {
    let file = std::fs::metadata(scene.state("checkpoint.json")).ok()?;
    Some((file.ino(), file.mtime_nsec()))
}

#[tokio::test]
async fn p01_a_kill_inside_one_long_range_goes_on_behind_what_is_saved() {
    // Fewer than two pages: not cut.
    let scene = Scene::new(servers::postgres().await, 20_000).await;
    scene.change_mapping("readers = 4\npage_rows = 100", "readers = 1\npage_rows = 15000");
    let mut saved = 0;
    for _ in 0..3 {
        let mut running = scene.load().spawn();
        running.until("more is saved", |_| scene.has_checkpoint() && scene.saved() > saved).await;
        assert_eq!(running.kill().await.signal(), Some(9));
        saved = scene.saved();
        let before = scene.front.rewritten();
        scene.load_with(&["--limit", "400"]).run().await.expect_code(0);
        assert_eq!(scene.saved(), saved + 400);
        let again = scene.front.rewritten();
        let again: Vec<u64> = again
            .iter()
            .filter(|(key, count)| before.get(*key) != Some(count))
            .map(|(key, _)| id(key))
            .collect();
        assert!(
            again.iter().all(|id| (saved + 1..=saved + 400).contains(id)),
            "{saved} were saved: {again:?}"
        );
        saved += 400;
    }
    assert_eq!(scene.checkpoint()["entities"][0]["ranges"].as_array().unwrap().len(), 1);
    let report = scene.load().run().await.expect_code(0).json();
    assert_accounted(&report, 20_000, 0);
    scene.assert_complete().await;
}

/// The number in `… {"S":"ENTRY#0000042"} …`.
fn id(key: &str) -> u64 {
    key.split_once("ENTRY#").unwrap().1[..7].parse().unwrap()
}

#[tokio::test]
async fn a_load_into_the_embedded_dynamodb_survives_the_death_of_both() {
    let scene = Scene::new(servers::sqlite().await, 10_000).await;
    scene.change_mapping("\"${TARGET_URL}\"", "\"embedded\"");
    for items in [100, 1_500, 3_000, 6_000] {
        let mut running = scene.load().spawn();
        let saved = |_: &Running| scene.has_checkpoint() && scene.saved() >= items;
        running.until("so much is saved", saved).await;
        assert_eq!(running.kill().await.signal(), Some(9));
    }
    let report = scene.load().run().await.expect_code(0).json();
    assert_accounted(&report, 10_000, 0);
    scene.migrate("verify", &[]).run().await.expect_code(0);
}

#[tokio::test]
async fn p08_the_checkpoint_names_its_ranges_before_the_first_item_is_written() {
    let scene = Scene::new(servers::postgres().await, 1_000).await;
    let checkpoint = scene.state("checkpoint.json");
    let (tell, told) = std::sync::mpsc::channel();
    scene.front.decide(move |seen| {
        if seen.operation == "BatchWriteItem" && seen.number == 1 {
            tell.send(std::fs::read_to_string(&checkpoint).unwrap_or_default()).unwrap();
        }
        None
    });
    scene.load().run().await.expect_code(0);
    let text = told.recv().unwrap();
    assert!(
        text.contains("\"ranges\":[{"),
        "a run killed here could not tell its items from others': {text}"
    );
}

#[tokio::test]
async fn p08_a_kill_while_the_table_is_created_or_before_the_first_page_costs_nothing() {
    let scene = Scene::new(servers::postgres().await, 1_000).await;
    scene.front.on("CreateTable", When::At(1), Fault::HangAfter(20 * SECOND));
    let mut running = scene.load().spawn();
    running.until("the table is asked for", |_| scene.front.counters().requests("CreateTable") == 1).await;
    running.kill().await;
    scene.front.script([(When::Always, Fault::Delay(400 * MILLISECOND))]);
    let mut running = scene.load().spawn();
    running.until("the first batch is under way", |_| scene.front.counters().batches() > 0).await;
    running.kill().await;
    assert_eq!(scene.written(), 0);
    scene.front.script([]);
    let report = scene.load().run().await.expect_code(0).json();
    assert_accounted(&report, 1_000, 0);
    scene.assert_complete().await;
}
