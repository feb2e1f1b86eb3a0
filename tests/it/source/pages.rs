//! What a page holds, how large it is, and where a range ends.

use std::sync::Arc;

use dynamigrate::mapping::SnapshotMode;
use dynamigrate::source::{
    Bounds, Cursor, Dialect, Key, KeyPart, Output, PageLimits, Position, RawCell, Source, SourceErrorKind,
};

use super::database::{ALL, Database, computed, from, select, select_of, settings};

fn limits(rows: u64, bytes: usize) -> PageLimits {
    PageLimits { rows, bytes }
}

#[tokio::test]
async fn an_empty_table_is_one_empty_page_at_the_end() {
    for dialect in ALL {
        let database = Database::with(dialect, "CREATE TABLE t (id int NOT NULL PRIMARY KEY)").await;
        let mut source = database.source().await;
        let select = Arc::new(select(&mut source, from("t"), &["id"]).await);
        let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
        assert_eq!(reader.cut(&select, 10, Some(1000)).await.unwrap(), [Bounds::default()]);
        let mut cursor = Cursor::new(select, Bounds::default(), Position::Start, limits(10, 1 << 20));
        let (page, position) = cursor.next(&mut reader).await.unwrap().unwrap();
        assert_eq!((page.rows(), position), (0, Position::End));
        assert!(cursor.next(&mut reader).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn filters_lets_and_whens_are_sql() {
    for dialect in ALL {
        let setup = "CREATE TABLE t (id int NOT NULL PRIMARY KEY, n int);
                     INSERT INTO t VALUES (1, 10), (2, NULL), (3, 30), (4, 40)";
        let database = Database::with(dialect, setup).await;
        let mut source = database.source().await;
        let lets = [computed("double", "n * 2 -- twice")];
        let whens = ["n > 10 -- large".to_owned()];
        let relation = source.describe(&from("t"), Some("id < 4 -- few"), &lets, &whens).await.unwrap();
        let column = relation.computed[0].clone();
        let mut select = select_of(relation, from("t"), &["id"]);
        select.filter = Some("id < 4 -- few".to_owned());
        select.output.push(Output::Computed { column, sql: lets[0].sql.clone() });
        select.output.push(Output::Condition { sql: whens[0].clone() });
        let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
        let mut cursor =
            Cursor::new(Arc::new(select), Bounds::default(), Position::Start, limits(10, 1 << 20));
        let (page, _) = cursor.next(&mut reader).await.unwrap().unwrap();
        let conditions: Vec<RawCell<'_>> = page.iter().map(|row| row.cell(3)).collect();
        assert_eq!(
            conditions,
            [RawCell::Integer(0), RawCell::Integer(0), RawCell::Integer(1)],
            "{dialect:?}"
        );
        let nulls: Vec<bool> = page.iter().map(|row| row.cell(2) == RawCell::Null).collect();
        assert_eq!(nulls, [false, true, false], "{dialect:?}");
    }
}

#[tokio::test]
async fn large_rows_make_small_pages_and_small_rows_large_ones() {
    for dialect in ALL {
        let (kind, large) = match dialect {
            Dialect::Sqlite => ("blob", "zeroblob(200000)"),
            Dialect::Mysql => ("longtext", "REPEAT('x', 200000)"),
            Dialect::Postgres => ("text", "repeat('x', 200000)"),
        };
        let rows: Vec<String> = (1..=40).map(|id| format!("({id}, {large})")).collect();
        let setup = format!(
            "CREATE TABLE t (id int NOT NULL PRIMARY KEY, v {kind}); INSERT INTO t VALUES {}",
            rows.join(", ")
        );
        let database = Database::with(dialect, &setup).await;
        let mut source = database.source().await;
        let select = Arc::new(select(&mut source, from("t"), &["id"]).await);
        let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
        for (bytes, most) in [(1_000_000, 2..=5), (100_000, 1..=1), (64 << 20, 40..=40)] {
            let mut cursor =
                Cursor::new(Arc::clone(&select), Bounds::default(), Position::Start, limits(1000, bytes));
            let mut sizes = Vec::new();
            while let Some((page, _)) = cursor.next(&mut reader).await.unwrap() {
                assert!(page.size() <= bytes || page.rows() == 1);
                sizes.push(page.rows());
            }
            assert_eq!(sizes.iter().sum::<usize>(), 40, "{dialect:?} {sizes:?}");
            assert!(most.contains(sizes.iter().max().unwrap()), "{dialect:?} {sizes:?}");
        }
    }
}

#[tokio::test]
async fn pages_grow_and_positions_end_where_the_range_ends() {
    let setup = "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 4000)";
    let database = Database::with(Dialect::Postgres, setup).await;
    let mut source = database.source().await;
    let select = Arc::new(select(&mut source, from("t"), &["id"]).await);
    let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
    let key = |id: i32| Key(vec![KeyPart::Text(id.to_string())]);
    let bounds = Bounds { after: Some(key(100)), up_to: Some(key(3900)) };
    let mut cursor = Cursor::new(Arc::clone(&select), bounds.clone(), Position::Start, limits(1500, 8 << 20));
    let mut found = Vec::new();
    while let Some((page, position)) = cursor.next(&mut reader).await.unwrap() {
        found.push((page.rows(), position));
    }
    let expected =
        [(500, 600), (1000, 1600), (1500, 3100), (800, 3900)].map(|(rows, id)| (rows, Position::At(key(id))));
    assert_eq!(found, expected);
    let mut again = Cursor::new(select, bounds, Position::At(key(3900)), limits(1500, 8 << 20));
    assert!(again.next(&mut reader).await.unwrap().is_none());
}

/// R05.
#[tokio::test]
async fn ranges_tile_whatever_the_estimate() {
    let setup = "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 4000)";
    let database = Database::with(Dialect::Postgres, setup).await;
    let mut settings = settings(&database.url);
    settings.page_rows = 10;
    let mut source = Source::connect(&settings).await.unwrap();
    let select = select(&mut source, from("t"), &["id"]).await;
    let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
    for (estimate, expected) in
        [(None, 8..=16), (Some(40), 8..=16), (Some(4000), 8..=9), (Some(400_000), 1..=1)]
    {
        let ranges = reader.cut(&select, 8, estimate).await.unwrap();
        assert!(expected.contains(&ranges.len()), "{estimate:?}: {}", ranges.len());
        assert!(ranges[0].after.is_none() && ranges[ranges.len() - 1].up_to.is_none());
        assert!(ranges.windows(2).all(|pair| pair[0].up_to.is_some() && pair[0].up_to == pair[1].after));
    }
}

/// R12.
#[tokio::test]
async fn a_column_added_between_pages_changes_nothing_and_a_dropped_one_is_named() {
    for dialect in ALL {
        let setup = "CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)";
        let database = Database::with(dialect, setup).await;
        let mut settings = settings(&database.url);
        settings.snapshot = SnapshotMode::None;
        let mut source = Source::connect(&settings).await.unwrap();
        let select = Arc::new(select(&mut source, from("t"), &["id"]).await);
        let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
        let mut cursor = Cursor::new(select, Bounds::default(), Position::Start, limits(1, 1 << 20));
        cursor.next(&mut reader).await.unwrap().unwrap();
        database.run("ALTER TABLE t ADD COLUMN w int").await;
        assert_eq!(cursor.next(&mut reader).await.unwrap().unwrap().0.rows(), 1);
        database.run("ALTER TABLE t DROP COLUMN v").await;
        let error = cursor.next(&mut reader).await.unwrap_err();
        let kind =
            if dialect == Dialect::Sqlite { SourceErrorKind::Server } else { SourceErrorKind::SchemaChanged };
        assert_eq!(error.kind, kind, "{error:?}");
    }
}

/// R12: a reader that comes later, or again after a broken connection, would misread the bytes.
#[tokio::test]
async fn r12_a_column_of_another_type_is_named_and_not_misread() {
    for dialect in [Dialect::Postgres, Dialect::Mysql] {
        let setup = "CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int, w varchar(20));
                     INSERT INTO t VALUES (1, 1094861636, 'x'), (2, 1, 'y')";
        let change = match dialect {
            Dialect::Postgres => ["v TYPE varchar(20)", "v TYPE bigint USING 1", "w TYPE bytea USING 'x'"],
            _ => ["v varchar(20)", "v int unsigned", "w double"],
        };
        for (change, column) in change.into_iter().zip(["v", "v", "w"]) {
            let database = Database::with(dialect, setup).await;
            let mut source = database.source().await;
            let select = Arc::new(select(&mut source, from("t"), &["id"]).await);
            let verb = if dialect == Dialect::Postgres { "ALTER COLUMN" } else { "MODIFY" };
            database.run(&format!("UPDATE t SET w = '1'; ALTER TABLE t {verb} {change}")).await;
            let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
            let mut cursor = Cursor::new(select, Bounds::default(), Position::Start, limits(10, 1 << 20));
            let error = cursor.next(&mut reader).await.unwrap_err();
            assert_eq!(error.kind, SourceErrorKind::SchemaChanged, "{dialect:?} {change}: {error:?}");
            assert!(error.cause.contains(&format!("column {column} was")), "{error}");
        }
    }
}

#[tokio::test]
async fn mysql_zero_dates_are_not_null() {
    let setup = "SET sql_mode = ''; CREATE TABLE t (id int PRIMARY KEY, d date, dt datetime, ts timestamp NULL);
                 INSERT INTO t VALUES (1, 0, 0, 0), (2, NULL, NULL, NULL), (3, '2025-00-15', '2025-06-00', NULL)";
    let database = Database::with(Dialect::Mysql, setup).await;
    let mut source = database.source().await;
    let select = Arc::new(select(&mut source, from("t"), &["id"]).await);
    let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
    let mut cursor = Cursor::new(select, Bounds::default(), Position::Start, limits(10, 1 << 20));
    let (page, _) = cursor.next(&mut reader).await.unwrap().unwrap();
    let row = page.row(0).unwrap();
    assert_eq!([row.cell(1), row.cell(2), row.cell(3)], [RawCell::Bytes(&[0]); 3]);
    let row = page.row(1).unwrap();
    assert_eq!([row.cell(1), row.cell(2), row.cell(3)], [RawCell::Null; 3]);
    assert_eq!(page.row(2).unwrap().cell(1), RawCell::Bytes(&[4, 0xe9, 7, 0, 15]));
}
