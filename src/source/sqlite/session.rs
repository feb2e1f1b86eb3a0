//! Connections to a SQLite file, read only.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, SqliteConnection};

use super::Reader;
use super::error::failure;
use crate::mapping::{SnapshotMode, SourceSettings};
use crate::source::error::{self, Step};
use crate::source::{
    Consistency, Identity, KeyCheck, Select, SourceError, SourceErrorKind, Supply, Transport, statement, url,
};

/// The control connection, and what is needed to open more.
pub(in crate::source) struct Session {
    options: SqliteConnectOptions,
    pub(super) connection: SqliteConnection,
    path: String,
    mode: SnapshotMode,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Session {
    pub(in crate::source) async fn connect(
        settings: &SourceSettings,
    ) -> Result<(Session, Identity), SourceError> {
        let url = settings.url.get_ref().expose();
        if url.contains(":memory:") || url.contains("mode=memory") {
            return Err(url::wrong("a database in memory has no rows to migrate"));
        }
        let options: SqliteConnectOptions =
            url.parse().map_err(|error: sqlx::Error| url::wrong(&error::innermost(&error)))?;
        let options = options
            .read_only(true)
            .create_if_missing(false)
            .busy_timeout(Duration::from_secs(10))
            .disable_statement_logging();
        let file = options.get_filename().to_owned();
        let path = file.display().to_string();
        check_file(&file, &path)?;
        let mut connection = connect(&options, &path).await?;
        let version: String = sqlx::query_scalar("SELECT sqlite_version()")
            .fetch_one(&mut connection)
            .await
            .map_err(|error| failure(&error, Step::Connect, format!("open {path}")))?;
        let database = file.file_name().map(|name| name.to_string_lossy().into_owned());
        let identity = Identity {
            server: format!("SQLite {version}"),
            database: database.unwrap_or_default(),
            address: path.clone(),
            transport: Transport::file(),
        };
        Ok((Session { options, connection, path, mode: settings.snapshot }, identity))
    }

    pub(in crate::source) async fn check_key(&mut self, select: &Select) -> Result<KeyCheck, SourceError> {
        let [duplicates, nulls] = statement::key_checks(select, crate::source::Dialect::Sqlite);
        Ok(KeyCheck {
            duplicates: finds_a_row(&mut self.connection, duplicates).await?,
            nulls: finds_a_row(&mut self.connection, nulls).await?,
        })
    }

    /// One reader in one transaction: SQLite cannot share a snapshot. Without a snapshot, as many as
    /// are asked for.
    pub(in crate::source) async fn open(&mut self, readers: usize) -> Result<Supply<Reader>, SourceError> {
        let count = if self.mode == SnapshotMode::None { readers } else { 1 };
        let mut opened = Vec::with_capacity(count);
        for _ in 0..count {
            let mut connection = connect(&self.options, &self.path).await?;
            if self.mode != SnapshotMode::None {
                // BEGIN alone takes no snapshot, the first read does.
                let begin = "BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1";
                let begun = sqlx::raw_sql(begin).execute(&mut connection).await;
                begun.map_err(|error| failure(&error, Step::Read, "open a snapshot"))?;
            }
            opened.push(Reader::new(connection));
        }
        let consistency = match self.mode {
            SnapshotMode::None => Consistency::None,
            SnapshotMode::Shared | SnapshotMode::Lock => Consistency::Proven,
        };
        Ok(Supply { readers: opened, consistency })
    }
}

async fn finds_a_row(connection: &mut SqliteConnection, sql: String) -> Result<bool, SourceError> {
    let row = sqlx::query(AssertSqlSafe(sql)).fetch_optional(connection).await;
    row.map(|row| row.is_some()).map_err(|error| failure(&error, Step::Read, "check the key"))
}

fn check_file(file: &Path, path: &str) -> Result<(), SourceError> {
    let (kind, cause) = match std::fs::metadata(file) {
        Ok(found) if found.is_file() => return Ok(()),
        Ok(_) => (SourceErrorKind::Config, "it is not a file".to_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            (SourceErrorKind::NoDatabase, "no such file".to_owned())
        }
        Err(error) => (SourceErrorKind::Permission, error.to_string()),
    };
    let hint = "the url is sqlite://relative/path or sqlite:///absolute/path of a database";
    Err(SourceError::new(kind, format!("open {path}"), cause).with_hint(hint))
}

async fn connect(options: &SqliteConnectOptions, path: &str) -> Result<SqliteConnection, SourceError> {
    let context = || format!("open {path}");
    let fail = |error: sqlx::Error| failure(&error, Step::Connect, context());
    let mut connection = options.connect().await.map_err(fail)?;
    // The first statement that reads the file.
    let encoding: String =
        sqlx::query_scalar("PRAGMA encoding").fetch_one(&mut connection).await.map_err(fail)?;
    sqlx::raw_sql("PRAGMA query_only = on; SELECT count(*) FROM sqlite_schema")
        .execute(&mut connection)
        .await
        .map_err(fail)?;
    if encoding != "UTF-8" {
        let cause = format!("its texts are {encoding}, which cannot be read here");
        return Err(SourceError::new(SourceErrorKind::Config, context(), cause).with_hint(
            "make a UTF-8 copy: sqlite3 new.db 'PRAGMA encoding=\"UTF-8\"', then .dump the old one into it",
        ));
    }
    Ok(connection)
}
