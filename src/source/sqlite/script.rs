//! Making a SQLite database from a script. The only place that writes to a source: the demo's own.

use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use super::error::failure;
use crate::source::SourceError;
use crate::source::error::Step;

/// Creates the file at `path` and runs the statements of `script`, all or none.
pub async fn write_sqlite(path: &Path, script: &str) -> Result<(), SourceError> {
    let context = || format!("write {}", path.display());
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let mut connection =
        options.connect().await.map_err(|error| failure(&error, Step::Connect, context()))?;
    let script = format!("BEGIN;\n{script}\n;COMMIT;");
    sqlx::raw_sql(AssertSqlSafe(script))
        .execute(&mut connection)
        .await
        .map_err(|error| failure(&error, Step::Read, context()))?;
    connection.close().await.map_err(|error| failure(&error, Step::Read, context()))
}
