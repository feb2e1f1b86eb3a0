//! Pages of 100,000 rows cost the rows they return and what finds their ends, whatever the key.

use std::sync::Arc;
use std::time::Duration;

use dynamigrate::source::{
    Bounds, Cursor, Dialect, KeyValue, PageLimits, PageRead, Position, RawCell, Reader, Rows, Select,
};

use super::database::{Database, from, select};

const ROWS: u64 = 100_000;

const TABLES: [(&str, &[&str]); 3] = [("one", &["a"]), ("two", &["a", "b"]), ("three", &["a", "b", "c"])];

/// Values of the first column of each table's key.
const FIRST: [&str; 3] = ["50000", "3", "2024-01-03"];

#[tokio::test]
async fn postgres_reads_each_row_about_twice() {
    let setup = "
        CREATE TABLE one (a bigint PRIMARY KEY, v text); INSERT INTO one SELECT g, 'v' FROM generate_series(1, 100000) g;
        CREATE TABLE two (a int, b text, v text, PRIMARY KEY (a, b));
        INSERT INTO two SELECT g % 7, g, 'v' FROM generate_series(1, 100000) g;
        CREATE TABLE three (a date, b int, c uuid, v text, PRIMARY KEY (a, b, c));
        INSERT INTO three SELECT date '2024-01-01' + g % 5, g % 100, md5(g::text)::uuid, 'v' FROM generate_series(1, 100000) g";
    let database = Database::with(Dialect::Postgres, setup).await;
    database.run("VACUUM ANALYZE one").await;
    database.run("VACUUM ANALYZE two").await;
    database.run("ANALYZE three").await;
    let mut source = database.source().await;
    let mut raw = database.raw().await;
    for ((table, key), first) in TABLES.into_iter().zip(FIRST) {
        let select = Arc::new(select(&mut source, from(table), key).await);
        let counters = format!(
            "SELECT t.seq_scan || ' ' || i.idx_tup_read FROM pg_stat_user_tables t JOIN pg_stat_user_indexes i USING (relid)
              WHERE t.relname = '{table}'"
        );
        let before = counted(&raw.text(&counters).await);
        let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
        read_all(&mut reader, &select).await;
        find_few(&mut reader, &select, first).await;
        drop(reader);
        // The server reports a session's counters when it ends.
        let mut after = before;
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            raw.run("SELECT pg_stat_clear_snapshot()").await;
            after = counted(&raw.text(&counters).await);
            if after.1 > before.1 {
                break;
            }
        }
        let (scans, read) = (after.0 - before.0, after.1 - before.1);
        assert_eq!(scans, 0, "{table}");
        assert!((ROWS..ROWS * 5 / 2).contains(&read), "{table}: {read} index entries");
    }
}

#[tokio::test]
async fn mysql_reads_each_row_about_twice() {
    let setup = "
        CREATE TABLE one (a bigint PRIMARY KEY, v text); INSERT INTO one SELECT seq, 'v' FROM seq_1_to_100000;
        CREATE TABLE two (a int, b varchar(20) COLLATE utf8mb4_general_ci, v text, PRIMARY KEY (a, b));
        INSERT INTO two SELECT seq % 7, seq, 'v' FROM seq_1_to_100000;
        CREATE TABLE three (a date, b decimal(10,2), c binary(16), v text, PRIMARY KEY (a, b, c));
        INSERT INTO three SELECT DATE '2024-01-01' + INTERVAL seq % 5 DAY, seq % 100, UNHEX(MD5(seq)), 'v' FROM seq_1_to_100000;
        ANALYZE TABLE one, two, three";
    let database = Database::with(Dialect::Mysql, setup).await;
    let mut source = database.source().await;
    let status =
        "SELECT 1 AS k, CAST(SUM(variable_value) AS CHAR) AS v FROM information_schema.session_status
                   WHERE variable_name LIKE 'handler_read%'";
    let status = select(&mut source, Rows::Query(status.to_owned()), &["k"]).await;
    for ((table, key), first) in TABLES.into_iter().zip(FIRST) {
        let select = Arc::new(select(&mut source, from(table), key).await);
        let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
        let before = handler_reads(&mut reader, &status).await;
        read_all(&mut reader, &select).await;
        let read = handler_reads(&mut reader, &status).await - before;
        assert!((ROWS..ROWS * 5 / 2).contains(&read), "{table}: {read} handler reads");
        let before = handler_reads(&mut reader, &status).await;
        find_few(&mut reader, &select, first).await;
        let read = handler_reads(&mut reader, &status).await - before;
        assert!(read < 20, "{table}: {read} handler reads for a few rows");
    }
}

async fn read_all(reader: &mut Reader, select: &Arc<Select>) {
    let limits = PageLimits { rows: 1000, bytes: 64 << 20 };
    let mut rows = 0;
    let mut cursor = Cursor::new(Arc::clone(select), Bounds::default(), Position::Start, limits);
    while let Some((page, _)) = cursor.next(reader).await.unwrap() {
        rows += u64::try_from(page.rows()).unwrap();
    }
    assert_eq!(rows, ROWS);
}

/// By a part of the key that its index begins with.
async fn find_few(reader: &mut Reader, select: &Select, first: &str) {
    let first = KeyValue { column: "a".to_owned(), text: first.to_owned() };
    let page = reader.find(select, &[first], 3).await.unwrap();
    assert_eq!(page.rows(), if select.key.len() == 1 { 1 } else { 3 });
}

async fn handler_reads(reader: &mut Reader, status: &Select) -> u64 {
    let PageRead::Page(page) = reader.page(status, &Bounds::default(), 1 << 20).await.unwrap() else {
        panic!()
    };
    let RawCell::Bytes(text) = page.row(0).unwrap().cell(1) else { panic!() };
    std::str::from_utf8(text).unwrap().split('.').next().unwrap().parse().unwrap()
}

fn counted(text: &str) -> (u64, u64) {
    let (scans, read) = text.split_once(' ').unwrap();
    (scans.parse().unwrap(), read.parse().unwrap())
}
