//! The source is one state of the database, whoever writes meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use super::{MILLISECOND, Scene};
use crate::front::{Fault, When};
use crate::servers::{self, Kind};

#[tokio::test]
async fn a_sum_stays_constant_while_amounts_move_between_rows() {
    for kind in [Kind::Postgres, Kind::MySql, Kind::Sqlite] {
        let scene = Scene::new(kind.database().await, ROWS).await;
        scene.front.script([(When::Always, Fault::Delay(60 * MILLISECOND))]);
        let before = sum(&scene).await;
        let writer = Writer::start(&scene);
        writer.until_it_has_moved(20).await;
        let mut running = scene.load().spawn();
        running.until("the load is under way", |_| scene.written() > 1_000).await;
        let moved = writer.moved();
        let report = running.finish().await.expect_code(0).json();
        let meanwhile = writer.stop() - moved;
        assert!(meanwhile >= 20, "{}: only {meanwhile} amounts moved", kind.name());
        assert_eq!(sum(&scene).await, before, "the writer keeps the sum");
        assert_eq!(written_sum(&scene), before, "{}", kind.name());
        assert_eq!((report["snapshots"].as_u64(), &report["consistent"]), (Some(1), &"proven".into()));
    }
}

const ROWS: u64 = 6_000;

async fn sum(scene: &Scene) -> i64 {
    scene.database.text("SELECT CAST(sum(amount) AS CHAR(20)) FROM ledger").await.trim().parse().unwrap()
}

fn written_sum(scene: &Scene) -> i64 {
    let items = scene.front.items("ledger");
    items.iter().map(|item| item["amount"]["N"].as_str().unwrap().parse::<i64>().unwrap()).sum()
}

/// Moves one from a row to another, in one transaction each, until told to stop.
struct Writer {
    moved: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Writer {
    fn start(scene: &Scene) -> Self {
        let (moved, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, stopped) = (Arc::clone(&moved), Arc::clone(&stop));
        let (kind, url) = (scene.database.kind(), scene.database.url().to_owned());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            while !stopped.load(Ordering::Relaxed) {
                let (from, to) = (fastrand::u64(1..=ROWS), fastrand::u64(1..=ROWS));
                let script = format!(
                    "BEGIN; UPDATE ledger SET amount = amount + 1000 WHERE id = {to}; \
                     UPDATE ledger SET amount = amount - 1000 WHERE id = {from}; COMMIT"
                );
                if from != to && runtime.block_on(servers::run(kind, &url, &script)).is_ok() {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        Self { moved, stop, thread }
    }

    fn moved(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }

    async fn until_it_has_moved(&self, count: u64) {
        while self.moved() < count {
            assert!(!self.thread.is_finished(), "the writer has died");
            tokio::time::sleep(MILLISECOND).await;
        }
    }

    fn stop(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
        self.moved.load(Ordering::Relaxed)
    }
}
