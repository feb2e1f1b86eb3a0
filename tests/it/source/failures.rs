//! A broken connection is never the end of rows, and a new snapshot can be opened after it.

use std::sync::Arc;

use dynamigrate::source::{Bounds, Cursor, Dialect, PageLimits, PageRead, Position, SourceErrorKind};

use super::database::{Database, Raw, from, select};

/// R06, R08.
#[tokio::test]
async fn killed_connections_are_lost_and_come_back() {
    for dialect in [Dialect::Postgres, Dialect::Mysql] {
        let series = match dialect {
            Dialect::Postgres => "FROM generate_series(1, 3000) AS s (seq)",
            _ => "FROM seq_1_to_3000",
        };
        let setup =
            format!("CREATE TABLE t (id int NOT NULL PRIMARY KEY); INSERT INTO t SELECT seq {series}");
        let database = Database::with(dialect, &setup).await;
        let mut source = database.source().await;
        let select = Arc::new(select(&mut source, from("t"), &["id"]).await);
        let mut snapshot = source.open(2, &[]).await.unwrap();
        let reader = &mut snapshot.readers[0];
        let limits = PageLimits { rows: 1000, bytes: 1 << 20 };
        let mut cursor = Cursor::new(Arc::clone(&select), Bounds::default(), Position::Start, limits);
        let (page, position) = cursor.next(reader).await.unwrap().unwrap();
        assert_eq!(page.rows(), 500);
        kill(&database).await;
        let error = cursor.next(reader).await.unwrap_err();
        assert_eq!(error.kind, SourceErrorKind::Lost, "{error:?}");
        // And from the middle of a statement's rows.
        let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
        let mut cursor = Cursor::new(Arc::clone(&select), Bounds::default(), position, limits);
        let mut rows = 0;
        while let Some((page, _)) = cursor.next(&mut reader).await.unwrap() {
            rows += page.rows();
        }
        assert_eq!(rows, 2500);
        // The control connection was killed too.
        assert!(!source.check_key(&select).await.unwrap().duplicates);
    }
}

/// R06.
#[tokio::test]
async fn a_statement_killed_in_its_middle_is_lost() {
    for dialect in [Dialect::Postgres, Dialect::Mysql] {
        let (series, sleep) = match dialect {
            Dialect::Postgres => ("FROM generate_series(1, 50) AS s (seq)", "pg_sleep(0.1 + 0 * id)::text"),
            _ => ("FROM seq_1_to_50", "SLEEP(0.1 + 0 * id)"),
        };
        let setup =
            format!("CREATE TABLE t (id int NOT NULL PRIMARY KEY); INSERT INTO t SELECT seq {series}");
        let database = Database::with(dialect, &setup).await;
        let mut source = database.source().await;
        let mut select = select(&mut source, from("t"), &["id"]).await;
        select.filter = Some(format!("{sleep} IS NOT NULL"));
        let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
        let whole = Bounds::default();
        let reading = reader.page(&select, &whole, 1 << 20);
        let killing = async {
            tokio::time::sleep(std::time::Duration::from_millis(700)).await;
            kill(&database).await;
        };
        let (read, ()) = tokio::join!(reading, killing);
        let error = read.unwrap_err();
        assert_eq!(error.kind, SourceErrorKind::Lost, "{error:?}");
    }
}

/// Ends all connections to a database but the one that does it.
/// R07: what a replica says when it cancels a read.
#[tokio::test]
async fn r07_a_read_that_a_replica_cancels_is_lost_with_advice() {
    let setup = "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1);
        CREATE FUNCTION cancelled() RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
          RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001'; END $$";
    let database = Database::with(Dialect::Postgres, setup).await;
    let mut source = database.source().await;
    let mut select = select(&mut source, from("t"), &["id"]).await;
    select.filter = Some("cancelled()".to_owned());
    let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
    let error = reader.page(&select, &Bounds::default(), 1000).await.unwrap_err();
    assert_eq!(error.kind, SourceErrorKind::Lost, "{error:?}");
    assert!(error.hint.unwrap().contains("hot_standby_feedback"));
}

/// R12: a table that is emptied or rewritten behind a snapshot looks empty to it: it is held.
#[tokio::test]
async fn r12_a_table_cannot_be_emptied_behind_the_snapshot() {
    let setup = "CREATE TABLE \"T 1\" (id int PRIMARY KEY, v int); INSERT INTO \"T 1\" VALUES (1, 1), (2, 2);
        CREATE VIEW seen AS SELECT * FROM \"T 1\"";
    let database = Database::with(Dialect::Postgres, setup).await;
    let mut source = database.source().await;
    let table = select(&mut source, from("\"T 1\""), &["id"]).await;
    let view = select(&mut source, from("seen"), &["id"]).await;
    let mut snapshot = source.open(2, &[table.clone(), view]).await.unwrap();
    let mut raw = database.raw().await;
    raw.run("SET lock_timeout = '100ms'").await;
    for change in ["TRUNCATE \"T 1\"", "ALTER TABLE \"T 1\" ALTER COLUMN v TYPE bigint"] {
        assert!(raw.try_run(change).await.is_err(), "{change}");
    }
    for reader in &mut snapshot.readers {
        let page = reader.page(&table, &Bounds::default(), 1000).await.unwrap();
        assert!(matches!(page, PageRead::Page(page) if page.rows() == 2));
    }
    drop(snapshot);
    database.run("SET lock_timeout = '10s'; TRUNCATE \"T 1\"").await;
}

/// R12: MySQL lets it happen and says so to whoever reads.
#[tokio::test]
async fn r12_a_table_that_mysql_emptied_behind_the_snapshot_is_an_error() {
    for change in ["TRUNCATE t", "ALTER TABLE t MODIFY v bigint", "ALTER TABLE t ADD COLUMN w int FIRST"] {
        let setup = "CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1), (2, 2)";
        let database = Database::with(Dialect::Mysql, setup).await;
        let mut source = database.source().await;
        let table = select(&mut source, from("t"), &["id"]).await;
        let mut snapshot = source.open(1, std::slice::from_ref(&table)).await.unwrap();
        database.run(change).await;
        match snapshot.readers[0].page(&table, &Bounds::default(), 1000).await {
            Ok(PageRead::Page(page)) => assert_eq!(page.rows(), 2, "{change}"),
            Ok(other) => panic!("{change}: {other:?}"),
            Err(error) => assert_eq!(error.kind, SourceErrorKind::SchemaChanged, "{change}: {error:?}"),
        }
    }
}

async fn kill(database: &Database) {
    let mut raw = database.raw().await;
    match database.dialect {
        Dialect::Postgres => {
            raw.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE datname = current_database() AND pid <> pg_backend_pid()",
            )
            .await;
        }
        Dialect::Mysql => {
            let list = "SELECT CAST(COALESCE(GROUP_CONCAT(id SEPARATOR ' '), '') AS CHAR) FROM information_schema.processlist
                         WHERE db = DATABASE() AND id <> CONNECTION_ID()";
            let ids = raw.text(list).await;
            for id in ids.split(' ').filter(|id| !id.is_empty()) {
                run_quietly(&mut raw, &format!("KILL {id}")).await;
            }
        }
        Dialect::Sqlite => {}
    }
}

/// A connection may end between being listed and being killed.
async fn run_quietly(raw: &mut Raw, sql: &str) {
    if let Raw::Mysql(connection) = raw {
        let _ = sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(connection).await;
    }
}
