//! Snapshots that several MySQL connections take at the same moment, and the proof that they did.

use futures::future::try_join_all;
use sqlx::{AssertSqlSafe, MySqlConnection, Row};

use super::error::failure;
use super::{Reader, Session};
use crate::mapping::SnapshotMode;
use crate::source::error::Step;
use crate::source::{Consistency, Dialect, Rows, Select, SourceError, Supply, sql_text};

/// Readers open within a few hundred microseconds; between two commits there is usually more.
const TRIES: u32 = 200;

impl Session {
    /// Readers whose snapshots are one, proven where the server can tell.
    pub(in crate::source) async fn open(
        &mut self,
        readers: usize,
        selects: &[Select],
    ) -> Result<Supply<Reader>, SourceError> {
        let mut connections = try_join_all((0..readers).map(|_| self.another())).await?;
        let consistency = match self.mode {
            SnapshotMode::None => Consistency::None,
            SnapshotMode::Lock => {
                let mut holder = self.another().await?;
                execute(&mut holder, lock(selects), "lock the tables").await?;
                begin(&mut connections).await?;
                execute(&mut holder, "UNLOCK TABLES".to_owned(), "unlock the tables").await?;
                Consistency::Proven
            }
            SnapshotMode::Shared => begin_until_equal(&mut connections).await?,
        };
        let consistency = match consistency {
            Consistency::Proven if self.has_tables_without_snapshots(selects).await? => {
                Consistency::Unproven("a table's engine has no snapshots, as InnoDB has")
            }
            other => other,
        };
        Ok(Supply { readers: connections.into_iter().map(Reader::new).collect(), consistency })
    }
}

impl Session {
    /// MyISAM, Aria and the like show every reader what is there when it reads.
    async fn has_tables_without_snapshots(&mut self, selects: &[Select]) -> Result<bool, SourceError> {
        let database = self.database.clone().unwrap_or_default();
        let connection = self.control().await?;
        for select in selects {
            let Rows::From(name) = &select.rows else { continue };
            let mut parts = sql_text::name_parts(name, Dialect::Mysql).unwrap_or_default();
            let table = parts.pop().unwrap_or_default();
            let schema = parts.pop().unwrap_or_else(|| database.clone());
            let found = sqlx::query(
                "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?
                    AND engine NOT IN ('InnoDB', 'ROCKSDB', 'ndbcluster')",
            );
            let found = found.bind(schema).bind(table).fetch_all(&mut *connection).await;
            if !found.map_err(|error| failure(&error, Step::Read, "look at the tables' engines"))?.is_empty()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

async fn begin_until_equal(connections: &mut [MySqlConnection]) -> Result<Consistency, SourceError> {
    for _ in 0..TRIES {
        begin(connections).await?;
        if connections.len() == 1 {
            return Ok(Consistency::Proven);
        }
        // One after the other: the server answers out of one place for all sessions, and asked at the same
        // time it can give one session the position of another.
        let mut positions = Vec::with_capacity(connections.len());
        for connection in &mut *connections {
            positions.push(position(connection).await?);
        }
        let Some(first) = positions.first().filter(|position| !position.is_empty()) else {
            return Ok(Consistency::Unproven(
                "this server does not tell where in its binary log a snapshot is",
            ));
        };
        if positions.iter().all(|position| position == first) {
            return Ok(Consistency::Proven);
        }
    }
    Ok(Consistency::Unproven("the readers' snapshots differ: the server commits too often between them"))
}

async fn begin(connections: &mut [MySqlConnection]) -> Result<(), SourceError> {
    let begin = |connection| async move {
        let sql = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY".to_owned();
        execute(connection, sql, "open a snapshot").await
    };
    try_join_all(connections.iter_mut().map(begin)).await.map(drop)
}

/// File and offset in the binary log that a snapshot stands at (MariaDB, Percona); nothing without.
async fn position(connection: &mut MySqlConnection) -> Result<Vec<String>, SourceError> {
    let rows = sqlx::raw_sql("SHOW STATUS LIKE 'binlog_snapshot_%'").fetch_all(connection).await;
    let rows = rows.map_err(|error| failure(&error, Step::Read, "compare the readers' snapshots"))?;
    let values = rows.iter().filter_map(|row| row.try_get::<String, _>(1).ok());
    let values: Vec<String> = values.collect();
    // Without a binary log the names are there and the file is empty.
    Ok(if values.iter().any(|value| value.contains('.')) { values } else { Vec::new() })
}

/// The tables of a query are not known to us: then everything is locked.
fn lock(selects: &[Select]) -> String {
    let name = |select: &Select| match &select.rows {
        Rows::From(name) => Some(name.trim().to_owned()),
        Rows::Query(_) => None,
    };
    let Some(mut names) = selects.iter().map(name).collect::<Option<Vec<String>>>() else {
        return "FLUSH TABLES WITH READ LOCK".to_owned();
    };
    names.sort();
    names.dedup();
    let names: Vec<String> = names.into_iter().map(|name| format!("{name} READ")).collect();
    match names.is_empty() {
        true => "FLUSH TABLES WITH READ LOCK".to_owned(),
        false => format!("LOCK TABLES {}", names.join(", ")),
    }
}

async fn execute(connection: &mut MySqlConnection, sql: String, doing: &str) -> Result<(), SourceError> {
    let done = sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await;
    done.map(drop).map_err(|error| failure(&error, Step::Read, doing))
}
