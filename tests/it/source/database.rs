//! A database of its own for each test, dropped after it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use dynamigrate::mapping::{Secret, SnapshotMode, SourceSettings, Spanned};
use dynamigrate::source::{
    Bounds, Column, Computed, Cursor, Dialect, Output, Page, PageLimits, PageRead, Position, RawCell, Reader,
    Relation, Rows, Select, Source,
};
use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection, SqliteConnection};

pub(super) struct Database {
    pub(super) dialect: Dialect,
    pub(super) url: String,
    name: String,
    server: String,
    _folder: Option<tempfile::TempDir>,
}

pub(super) enum Raw {
    Postgres(PgConnection),
    Mysql(MySqlConnection),
    Sqlite(SqliteConnection),
}

pub(super) const ALL: [Dialect; 3] = [Dialect::Postgres, Dialect::Mysql, Dialect::Sqlite];

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// The server that a variable names, without a database.
pub(super) fn server(dialect: Dialect) -> String {
    let variable = match dialect {
        Dialect::Postgres => "TEST_POSTGRES_URL",
        Dialect::Mysql => "TEST_MYSQL_URL",
        Dialect::Sqlite => return String::new(),
    };
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set: run the tests with ./test"))
}

/// `url` with another database behind its last slash.
pub(super) fn with_database(url: &str, name: &str) -> String {
    let (base, query) = url.split_once('?').map_or((url, String::new()), |(b, q)| (b, format!("?{q}")));
    let (scheme, rest) = base.split_once("://").unwrap();
    let authority = rest.split('/').next().unwrap();
    format!("{scheme}://{authority}/{name}{query}")
}

impl Database {
    pub(super) async fn create(dialect: Dialect) -> Database {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("it_source_{}_{number}", std::process::id());
        let server = server(dialect);
        if dialect == Dialect::Sqlite {
            let folder = tempfile::tempdir().unwrap();
            let url = format!("sqlite://{}?mode=rwc", folder.path().join("test.db").display());
            let mut raw = Raw::connect(dialect, &url).await;
            raw.run("PRAGMA journal_mode = WAL").await;
            return Database { dialect, url, name, server, _folder: Some(folder) };
        }
        Raw::connect(dialect, &server).await.run(&format!("CREATE DATABASE {name}")).await;
        let url = with_database(&server, &name);
        Database { dialect, url, name, server, _folder: None }
    }

    pub(super) async fn with(dialect: Dialect, sql: &str) -> Database {
        let database = Database::create(dialect).await;
        database.run(sql).await;
        database
    }

    pub(super) async fn run(&self, sql: &str) {
        self.raw().await.run(sql).await;
    }

    pub(super) async fn raw(&self) -> Raw {
        Raw::connect(self.dialect, &self.url).await
    }

    pub(super) async fn source(&self) -> Source {
        Source::connect(&settings(&self.url)).await.unwrap()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if self.dialect == Dialect::Sqlite {
            return;
        }
        let (dialect, server, name) = (self.dialect, self.server.clone(), self.name.clone());
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let force = if dialect == Dialect::Postgres { " WITH (FORCE)" } else { "" };
                Raw::connect(dialect, &server).await.run(&format!("DROP DATABASE {name}{force}")).await;
            });
        });
        let _ = dropped.join();
    }
}

impl Raw {
    pub(super) async fn connect(dialect: Dialect, url: &str) -> Raw {
        match dialect {
            Dialect::Postgres => Raw::Postgres(PgConnection::connect(url).await.unwrap()),
            Dialect::Mysql => {
                let options: sqlx::mysql::MySqlConnectOptions = url.parse().unwrap();
                let options = options.pipes_as_concat(false);
                Raw::Mysql(MySqlConnection::connect_with(&options).await.unwrap())
            }
            Dialect::Sqlite => Raw::Sqlite(SqliteConnection::connect(url).await.unwrap()),
        }
    }

    pub(super) async fn run(&mut self, sql: &str) {
        self.try_run(sql).await.unwrap();
    }

    pub(super) async fn try_run(&mut self, sql: &str) -> Result<(), sqlx::Error> {
        let sql = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        match self {
            Raw::Postgres(connection) => sql.execute(connection).await.map(drop),
            Raw::Mysql(connection) => sql.execute(connection).await.map(drop),
            Raw::Sqlite(connection) => sql.execute(connection).await.map(drop),
        }
    }

    /// The first column of the first row.
    pub(super) async fn text(&mut self, sql: &str) -> String {
        let sql = AssertSqlSafe(sql.to_owned());
        match self {
            Raw::Postgres(connection) => sqlx::query_scalar(sql).fetch_one(connection).await,
            Raw::Mysql(connection) => sqlx::query_scalar(sql).fetch_one(connection).await,
            Raw::Sqlite(connection) => sqlx::query_scalar(sql).fetch_one(connection).await,
        }
        .unwrap()
    }
}

pub(crate) fn settings(url: &str) -> SourceSettings {
    SourceSettings {
        url: Spanned::new(0..0, Secret::new(url)),
        snapshot: SnapshotMode::Shared,
        snapshot_limit: Duration::from_secs(3600),
        readers: 4,
        page_rows: 5000,
        ca_file: None,
        missing: Vec::new(),
    }
}

/// A select of all columns of a table, in the order of `key`.
pub(super) async fn select(source: &mut Source, rows: Rows, key: &[&str]) -> Select {
    let relation = source.describe(&rows, None, &[], &[]).await.unwrap();
    select_of(relation, rows, key)
}

pub(super) fn select_of(relation: Relation, rows: Rows, key: &[&str]) -> Select {
    let find = |name: &&str| relation.columns.iter().find(|column| column.name == **name).unwrap().clone();
    let key: Vec<Column> = key.iter().map(find).collect();
    let output = relation.columns.into_iter().map(Output::Column).collect();
    Select { rows, filter: None, output, key }
}

pub(crate) fn from(name: &str) -> Rows {
    Rows::From(name.to_owned())
}

pub(super) fn computed(name: &str, sql: &str) -> Computed {
    Computed { name: name.to_owned(), sql: sql.to_owned() }
}

/// Cells as something that compares and prints.
pub(super) fn rows_of(page: &Page) -> Vec<String> {
    let columns = |row: dynamigrate::source::Row<'_>| {
        let mut text = String::new();
        for at in 0..64 {
            match row.cell(at) {
                RawCell::Null => text.push_str("·|"),
                cell => text.push_str(&format!("{cell:?}|")),
            }
        }
        text
    };
    page.iter().map(columns).collect()
}

/// All rows by one statement.
pub(super) async fn plain(reader: &mut Reader, select: &Select) -> Vec<String> {
    match reader.page(select, &Bounds::default(), usize::MAX).await.unwrap() {
        PageRead::Page(page) => rows_of(&page),
        PageRead::TooLarge { rows } => panic!("too large after {rows} rows"),
    }
}

/// All rows of a range by pages, going on each time from a position that went through JSON.
pub(super) async fn walk(
    reader: &mut Reader,
    select: &Arc<Select>,
    bounds: &Bounds,
    rows: u64,
) -> Vec<String> {
    let limits = PageLimits { rows, bytes: 64 << 20 };
    let mut all = Vec::new();
    let mut position = Position::Start;
    loop {
        let mut cursor = Cursor::new(Arc::clone(select), bounds.clone(), position.clone(), limits);
        let Some((page, next)) = cursor.next(reader).await.unwrap() else { return all };
        assert!(page.rows() <= usize::try_from(rows).unwrap());
        all.extend(rows_of(&page));
        position = serde_json::from_str(&serde_json::to_string(&next).unwrap()).unwrap();
    }
}
