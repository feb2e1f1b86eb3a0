//! A writer moves amounts between rows while pages are read: every snapshot sees the same sum.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dynamigrate::mapping::SnapshotMode;
use dynamigrate::source::{Consistency, Cursor, Dialect, PageLimits, Position, RawCell, Snapshot, Source};

use super::database::{Database, Raw, from, select, settings};

const ACCOUNTS: i64 = 400;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_readers_share_a_snapshot() {
    check(Dialect::Postgres, SnapshotMode::Shared, 4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mysql_readers_prove_that_they_agree() {
    check(Dialect::Mysql, SnapshotMode::Shared, 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mysql_readers_agree_under_a_lock() {
    check(Dialect::Mysql, SnapshotMode::Lock, 4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_has_one_reader() {
    check(Dialect::Sqlite, SnapshotMode::Shared, 4).await;
}

async fn check(dialect: Dialect, mode: SnapshotMode, readers: usize) {
    let rows: Vec<String> = (1..=ACCOUNTS).map(|id| format!("({id}, 1000)")).collect();
    let setup = format!(
        "CREATE TABLE t (id int NOT NULL PRIMARY KEY, amount bigint); INSERT INTO t VALUES {}",
        rows.join(",")
    );
    let database = Database::with(dialect, &setup).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writer = tokio::spawn(write(database.raw().await, Arc::clone(&stop)));
    let mut settings = settings(&database.url);
    settings.snapshot = mode;
    settings.page_rows = 40;
    let mut source = Source::connect(&settings).await.unwrap();
    let select = Arc::new(select(&mut source, from("t"), &["id"]).await);
    for _ in 0..5 {
        let snapshot = source.open(readers, &[(*select).clone()]).await.unwrap();
        assert_eq!(snapshot.consistency, Consistency::Proven);
        assert_eq!(snapshot.readers.len(), if dialect == Dialect::Sqlite { 1 } else { readers });
        assert_eq!(sum(snapshot, &select).await, (ACCOUNTS, ACCOUNTS * 1000));
    }
    stop.store(true, Ordering::Relaxed);
    assert!(writer.await.unwrap() > 0);
}

/// Rows and the sum of their amounts, each range by another reader, a page at a time.
async fn sum(mut snapshot: Snapshot, select: &Arc<dynamigrate::source::Select>) -> (i64, i64) {
    let limits = PageLimits { rows: 17, bytes: 1 << 20 };
    let ranges = snapshot.readers[0].cut(select, 8, Some(400)).await.unwrap();
    assert!(ranges.len() >= 4);
    let (mut rows, mut sum) = (0, 0);
    for (at, range) in ranges.into_iter().enumerate() {
        let count = snapshot.readers.len();
        let mut cursor = Cursor::new(Arc::clone(select), range, Position::Start, limits);
        while let Some((page, _)) = cursor.next(&mut snapshot.readers[at % count]).await.unwrap() {
            rows += i64::try_from(page.rows()).unwrap();
            sum += page.iter().map(|row| integer(row.cell(1))).sum::<i64>();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    (rows, sum)
}

/// Eight bytes: PostgreSQL sends them big endian, MySQL little endian.
fn integer(cell: RawCell<'_>) -> i64 {
    match cell {
        RawCell::Integer(number) => number,
        RawCell::Bytes(bytes) => {
            let bytes: [u8; 8] = bytes.try_into().unwrap();
            let (big, little) = (i64::from_be_bytes(bytes), i64::from_le_bytes(bytes));
            if big.abs() < 1 << 40 { big } else { little }
        }
        cell => panic!("{cell:?}"),
    }
}

/// Transfers until told to stop; how many.
async fn write(mut raw: Raw, stop: Arc<AtomicBool>) -> u32 {
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        let (a, b) = (number % 400 + 1, (number * 7 + 3) % 400 + 1);
        raw.run("BEGIN").await;
        raw.run(&format!("UPDATE t SET amount = amount - 5 WHERE id = {a}")).await;
        raw.run(&format!("UPDATE t SET amount = amount + 5 WHERE id = {b}")).await;
        raw.run("COMMIT").await;
        tokio::task::yield_now().await;
    }
    number
}
