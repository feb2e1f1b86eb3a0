//! Ctrl-C and SIGTERM: an orderly stop, at any speed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{MILLISECOND, SECOND, Scene, assert_accounted};
use crate::front::{Fault, Throttle, When};
use crate::servers;
use crate::tool::{Finished, Running};

#[tokio::test]
async fn p10_ctrl_c_and_sigterm_finish_what_is_in_flight_and_save() {
    let scene = Scene::new(servers::postgres().await, 6_000).await;
    let received = slow_down(&scene, 40 * MILLISECOND);
    for (signal, items) in [("INT", 700), ("TERM", 1_900)] {
        let mut running = scene.load().spawn();
        running.until("items are written", |_| scene.written() > items).await;
        running.signal(signal);
        let stopped = running.finish().await.expect_code(130);
        assert!(stopped.stderr.contains("stopping: finishing what is in flight"), "{}", stopped.stderr);
        assert_eq!(stopped.json()["outcome"], "interrupted");
        assert_eq!(received.load(Ordering::Relaxed), scene.written(), "every request was waited for");
        assert!(scene.saved() > 0 && scene.saved() <= scene.written());
    }
    scene.front.decide(|_| None);
    let report = scene.load().run().await.expect_code(0).json();
    assert_accounted(&report, 6_000, 0);
    assert_eq!(report["resumed"], true);
    scene.assert_complete().await;
}

#[tokio::test]
async fn p10_a_second_signal_exits_at_once_and_the_checkpoint_is_valid() {
    let scene = Scene::new(servers::postgres().await, 3_000).await;
    scene.front.script([(When::Between(40, 1_000), Fault::Hang(60 * SECOND))]);
    let mut running = scene.load().spawn();
    running.until("requests hang", |_| scene.front.counters().batches() > 50).await;
    running.interrupt();
    running.until("it says so", |r| r.stderr().contains("stopping")).await;
    let signalled = Instant::now();
    running.interrupt();
    running.finish().await.expect_code(130);
    assert!(signalled.elapsed() < 2 * SECOND);
    scene.front.script([]);
    scene.load().run().await.expect_code(0);
    scene.assert_complete().await;
}

/// P10.
#[tokio::test]
async fn ctrl_c_at_a_low_rate_does_not_wait_for_the_rate() {
    let scene = Scene::new(servers::postgres().await, 1_000).await;
    let mut running = scene.load_with(&["--rate", "5"]).spawn();
    running.until("the first batch is written", |_| scene.written() > 0).await;
    assert_stops_within(running, 2 * SECOND).await;
    scene.load().run().await.expect_code(0);
    scene.assert_complete().await;
}

/// P10.
#[tokio::test]
async fn ctrl_c_while_everything_is_throttled_waits_for_the_drain_time_and_no_longer() {
    let scene = Scene::new(servers::postgres().await, 2_000).await;
    let reason = "TableWriteProvisionedThroughputExceeded";
    let throttle = Fault::throttled(Throttle::ProvisionedThroughputExceeded, reason);
    scene.front.script([(When::Between(20, u64::MAX), throttle)]);
    let mut running = scene.load().spawn();
    running.until("it is throttled", |_| scene.front.counters().batches() > 40).await;
    assert_stops_within(running, 20 * SECOND).await;
    scene.front.script([]);
    scene.load().run().await.expect_code(0);
    scene.assert_complete().await;
}

#[tokio::test]
async fn p08_ctrl_c_before_the_first_checkpoint_leaves_a_new_start() {
    let scene = Scene::new(servers::postgres().await, 500).await;
    scene.front.on("DescribeTable", When::At(1), Fault::Hang(20 * SECOND));
    let mut running = scene.load().spawn();
    running.until("it asks for the table", |_| scene.front.counters().requests("DescribeTable") > 0).await;
    running.interrupt();
    let stopped = running.finish().await;
    assert!(stopped.code() == Some(130) || stopped.signal() == Some(2), "{}", stopped.status);
    scene.load().run().await.expect_code(0);
    scene.assert_complete().await;
}

async fn assert_stops_within(running: Running, time: Duration) -> Finished {
    let signalled = Instant::now();
    running.interrupt();
    let stopped = running.finish().await.expect_code(130);
    assert!(signalled.elapsed() < time, "{:?}", signalled.elapsed());
    stopped
}

/// Every request takes so long. Returns how many items have arrived.
fn slow_down(scene: &Scene, time: Duration) -> Arc<AtomicU64> {
    let received = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&received);
    scene.front.decide(move |seen| {
        counter.fetch_add(seen.items.len() as u64, Ordering::Relaxed);
        (seen.operation == "BatchWriteItem").then_some(Fault::Delay(time))
    });
    received
}
