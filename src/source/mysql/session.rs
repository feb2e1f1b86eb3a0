//! Connections to MySQL and MariaDB: read only, set on purpose, asserted.

use std::fmt;

use sqlx::mysql::{MySqlConnectOptions, MySqlSslMode};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, MySqlConnection, Row};

use super::error::failure;
use crate::mapping::{SnapshotMode, SourceSettings};
use crate::source::error::{self, Step};
use crate::source::url::{self, Location};
use crate::source::{
    CONNECT_TIMEOUT, Identity, KeyCheck, Select, SourceError, SourceErrorKind, Transport, statement,
};

/// The control connection, and what is needed to open more.
pub(in crate::source) struct Session {
    options: MySqlConnectOptions,
    connection: MySqlConnection,
    address: String,
    pub(super) database: Option<String>,
    pub(super) mode: SnapshotMode,
    pub(super) is_mariadb: bool,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Session {
    pub(in crate::source) async fn connect(
        settings: &SourceSettings,
    ) -> Result<(Session, Identity), SourceError> {
        let url = settings.url.get_ref().expose();
        let (options, location) = options(url, settings)?;
        let address = location.address();
        let mut connection = connect(&options, &address).await?;
        let (version, database): (String, Option<String>) =
            sqlx::query_as("SELECT CAST(VERSION() AS CHAR), CAST(DATABASE() AS CHAR)")
                .fetch_one(&mut connection)
                .await
                .map_err(|error| failure(&error, Step::Connect, format!("connect to {address}")))?;
        let is_mariadb = version.contains("MariaDB");
        let number = version.split('-').next().unwrap_or_default();
        let server = format!("{} {number}", if is_mariadb { "MariaDB" } else { "MySQL" });
        let transport = Transport {
            local: location.is_local(),
            encryption: encryption(&mut connection).await,
            verified: is_verified(ssl_mode(&location)?),
            optional: matches!(ssl_mode(&location)?, MySqlSslMode::Preferred),
        };
        let database_name = database.clone().unwrap_or_default();
        let identity = Identity { server, database: database_name, address: address.clone(), transport };
        let mode = settings.snapshot;
        Ok((Session { options, connection, address, database, mode, is_mariadb }, identity))
    }

    /// The control connection, a new one where the old one broke.
    pub(super) async fn control(&mut self) -> Result<&mut MySqlConnection, SourceError> {
        if self.connection.ping().await.is_err() {
            self.connection = self.another().await?;
        }
        Ok(&mut self.connection)
    }

    /// One more connection.
    pub(super) async fn another(&self) -> Result<MySqlConnection, SourceError> {
        connect(&self.options, &self.address).await
    }

    pub(in crate::source) async fn check_key(&mut self, select: &Select) -> Result<KeyCheck, SourceError> {
        let [duplicates, nulls] = statement::key_checks(select, crate::source::Dialect::Mysql);
        let connection = self.control().await?;
        Ok(KeyCheck {
            duplicates: finds_a_row(connection, duplicates).await?,
            nulls: finds_a_row(connection, nulls).await?,
        })
    }
}

async fn finds_a_row(connection: &mut MySqlConnection, sql: String) -> Result<bool, SourceError> {
    let rows = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_all(connection).await;
    rows.map(|rows| !rows.is_empty()).map_err(|error| failure(&error, Step::Read, "check the key"))
}

/// How to connect, and where to in words.
fn options(url: &str, settings: &SourceSettings) -> Result<(MySqlConnectOptions, Location), SourceError> {
    let mut location = url::location(url, 3306)?;
    let mut options: MySqlConnectOptions =
        url::without_tls(url).parse().map_err(|error: sqlx::Error| url::wrong(&error::innermost(&error)))?;
    if let Some(socket) = options.get_socket() {
        location.host = socket.display().to_string();
    }
    if location.host.contains(':') {
        options = options.host(&location.host);
    }
    let mode = ssl_mode(&location)?;
    // Logins by IAM, PAM or LDAP send the password itself: only to a server that has proven who it is.
    options = options.ssl_mode(mode).enable_cleartext_plugin(is_verified(mode));
    if let Some(file) = url::authorities(settings, &location)? {
        options = options.ssl_ca(file);
    }
    // The server's own sql_mode: a user's `||` may mean OR.
    options = options
        .pipes_as_concat(false)
        .no_engine_substitution(false)
        .timezone(Some("+00:00".to_owned()))
        .charset("utf8mb4")
        .disable_statement_logging();
    Ok((options, location))
}

fn is_verified(mode: MySqlSslMode) -> bool {
    matches!(mode, MySqlSslMode::VerifyCa | MySqlSslMode::VerifyIdentity)
}

async fn encryption(connection: &mut MySqlConnection) -> Option<String> {
    let rows = sqlx::raw_sql("SHOW SESSION STATUS LIKE 'Ssl_version'").fetch_all(connection).await.ok()?;
    let version: String = rows.first()?.try_get(1).ok()?;
    (!version.is_empty()).then_some(version)
}

/// PostgreSQL's words and MySQL's own.
fn ssl_mode(location: &Location) -> Result<MySqlSslMode, SourceError> {
    let Some(word) = &location.tls else {
        return Ok(if location.is_local() { MySqlSslMode::Preferred } else { MySqlSslMode::VerifyIdentity });
    };
    match word.to_ascii_lowercase().replace('_', "-").as_str() {
        "disable" | "disabled" => Ok(MySqlSslMode::Disabled),
        "prefer" | "preferred" => Ok(MySqlSslMode::Preferred),
        "require" | "required" => Ok(MySqlSslMode::Required),
        "verify-ca" => Ok(MySqlSslMode::VerifyCa),
        "verify-full" | "verify-identity" => Ok(MySqlSslMode::VerifyIdentity),
        _ => Err(url::wrong("its sslmode is none of disable, prefer, require, verify-ca, verify-full")),
    }
}

/// A connection whose session is as the design wants it.
async fn connect(options: &MySqlConnectOptions, address: &str) -> Result<MySqlConnection, SourceError> {
    let context = || format!("connect to {address}");
    let connecting = tokio::time::timeout(CONNECT_TIMEOUT, MySqlConnection::connect_with(options)).await;
    let Ok(connected) = connecting else { return Err(crate::source::connect_timeout(context())) };
    let fail = |error: sqlx::Error| error::with_bundle(failure(&error, Step::Connect, context()));
    let mut connection = connected.map_err(fail)?;
    let set = settings(&mut connection).await.map_err(fail)?;
    sqlx::raw_sql(AssertSqlSafe(set)).execute(&mut connection).await.map_err(fail)?;
    sqlx::raw_sql("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        .execute(&mut connection)
        .await
        .map_err(fail)?;
    sqlx::raw_sql("SET SESSION TRANSACTION READ ONLY").execute(&mut connection).await.map_err(fail)?;
    // MySQL does not know it.
    let _ = sqlx::raw_sql(NO_SUBQUERY_CACHE).execute(&mut connection).await;
    assert_session(&mut connection, context()).await?;
    Ok(connection)
}

/// MariaDB keeps the answers of a correlated subquery by the outer value in its column's collation: for `fr` it
/// would give what it found for `FR`, whatever the subquery compares.
const NO_SUBQUERY_CACHE: &str = "SET SESSION optimizer_switch = 'subquery_cache=off'";

/// Not every server has all of them.
const WANTED: [(&str, &str); 15] = [
    ("max_execution_time", "0"),
    ("max_statement_time", "0"),
    ("idle_transaction_timeout", "0"),
    ("idle_readonly_transaction_timeout", "0"),
    ("net_write_timeout", "31536000"),
    ("net_read_timeout", "31536000"),
    ("wait_timeout", "2147483"),
    ("group_concat_max_len", "1073741824"),
    // A limit that a server sets for everybody would end pages early.
    ("sql_select_limit", "18446744073709551615"),
    ("sql_big_selects", "1"),
    ("max_join_size", "18446744073709551615"),
    ("information_schema_stats_expiry", "0"),
    ("autocommit", "1"),
    ("lock_wait_timeout", "60"),
    // The server's own: the driver's handshake adds IGNORE_SPACE. Padding would be read as part of a CHAR.
    ("sql_mode", "REPLACE(@@global.sql_mode, 'PAD_CHAR_TO_FULL_LENGTH', '')"),
];

async fn settings(connection: &mut MySqlConnection) -> Result<String, sqlx::Error> {
    let known = variables(connection, &WANTED).await?;
    let set = WANTED.iter().filter(|(name, _)| known.iter().any(|(known, _)| known == name));
    let set: Vec<String> = set.map(|(name, value)| format!("SESSION {name} = {value}")).collect();
    Ok(format!("SET {}", set.join(", ")))
}

/// As SHOW VARIABLES prints them; of two spellings a server has one or both.
const ASSERTED: [(&str, &str); 9] = [
    ("time_zone", "+00:00"),
    ("character_set_client", "utf8mb4"),
    ("character_set_results", "utf8mb4"),
    ("tx_read_only", "ON"),
    ("transaction_read_only", "ON"),
    ("tx_isolation", "REPEATABLE-READ"),
    ("transaction_isolation", "REPEATABLE-READ"),
    ("max_execution_time", "0"),
    ("max_statement_time", "0.000000"),
];

async fn assert_session(connection: &mut MySqlConnection, context: String) -> Result<(), SourceError> {
    let rows = variables(connection, &ASSERTED).await;
    let rows = rows.map_err(|error| failure(&error, Step::Connect, context.clone()))?;
    let wrong = rows.iter().find(|(name, value)| !ASSERTED.contains(&(name.as_str(), value.as_str())));
    let Some((name, value)) = wrong else { return Ok(()) };
    let cause = format!("the session kept {name} = {value}");
    Err(SourceError::new(SourceErrorKind::Config, context, cause)
        .with_hint("connect to the server itself, not through a proxy"))
}

/// Those of the session's variables that this server has.
async fn variables(
    connection: &mut MySqlConnection,
    wanted: &[(&str, &str)],
) -> Result<Vec<(String, String)>, sqlx::Error> {
    let names: Vec<String> = wanted.iter().map(|(name, _)| format!("'{name}'")).collect();
    let sql = format!("SHOW SESSION VARIABLES WHERE Variable_name IN ({})", names.join(", "));
    let rows = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_all(connection).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::{Secret, Spanned};

    fn settings(url: &str) -> SourceSettings {
        SourceSettings {
            url: Spanned::new(0..0, Secret::new(url)),
            snapshot: SnapshotMode::Shared,
            snapshot_limit: std::time::Duration::from_secs(1),
            readers: 1,
            page_rows: 1,
            ca_file: None,
            missing: Vec::new(),
        }
    }

    #[test]
    fn c09_a_password_goes_in_clear_text_only_to_a_verified_server() {
        for (url, allowed) in [
            ("mysql://u:p@db.example/x", true),
            ("mysql://u:p@db.example/x?sslmode=verify-ca", true),
            ("mysql://u:p@db.example/x?sslmode=require", false),
            ("mysql://u:p@db.example/x?sslmode=prefer", false),
            ("mysql://u:p@localhost/x", false),
        ] {
            let (options, _) = options(url, &settings(url)).unwrap();
            let wanted = format!("enable_cleartext_plugin: {allowed}");
            assert!(format!("{options:?}").contains(&wanted), "{url}");
        }
    }
}
