//! Connections to PostgreSQL: read only, set on purpose, asserted; and snapshots that readers share.

use std::fmt;
use std::sync::Arc;

use futures::future::try_join_all;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, Row};

use super::Reader;
use super::error::failure;
use crate::mapping::{SnapshotMode, SourceSettings};
use crate::source::error::{self, Step};
use crate::source::url::{self, Location};
use crate::source::{
    CONNECT_TIMEOUT, Consistency, Identity, KeyCheck, Rows, Select, SourceError, SourceErrorKind, Supply,
    Transport, statement,
};

/// The control connection, and what is needed to open more.
pub(in crate::source) struct Session {
    options: PgConnectOptions,
    pub(super) connection: PgConnection,
    pub(super) address: String,
    mode: SnapshotMode,
}

/// The transaction that exported a snapshot; readers hold it as long as they live.
pub(super) struct Keeper {
    _connection: PgConnection,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("address", &self.address).finish_non_exhaustive()
    }
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keeper")
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
        let (version, database): (String, String) =
            sqlx::query_as("SELECT current_setting('server_version'), current_database()::text")
                .fetch_one(&mut connection)
                .await
                .map_err(|error| failure(&error, Step::Connect, format!("connect to {address}")))?;
        let version = version.split(' ').next().unwrap_or_default();
        let transport = Transport {
            local: location.is_local(),
            encryption: encryption(&mut connection).await,
            verified: matches!(options.get_ssl_mode(), PgSslMode::VerifyCa | PgSslMode::VerifyFull),
            optional: matches!(options.get_ssl_mode(), PgSslMode::Allow | PgSslMode::Prefer),
        };
        let server = format!("PostgreSQL {version}");
        let identity = Identity { server, database, address: address.clone(), transport };
        Ok((Session { options, connection, address, mode: settings.snapshot }, identity))
    }

    /// The control connection, a new one where the old one broke.
    pub(super) async fn control(&mut self) -> Result<&mut PgConnection, SourceError> {
        if self.connection.ping().await.is_err() {
            self.connection = connect(&self.options, &self.address).await?;
        }
        Ok(&mut self.connection)
    }

    pub(in crate::source) async fn check_key(&mut self, select: &Select) -> Result<KeyCheck, SourceError> {
        let [duplicates, nulls] = statement::key_checks(select, crate::source::Dialect::Postgres);
        let connection = self.control().await?;
        Ok(KeyCheck {
            duplicates: finds_a_row(connection, duplicates).await?,
            nulls: finds_a_row(connection, nulls).await?,
        })
    }

    /// Readers on one exported snapshot.
    pub(in crate::source) async fn open(
        &mut self,
        readers: usize,
        selects: &[Select],
    ) -> Result<Supply<Reader>, SourceError> {
        let connections = (0..readers).map(|_| connect(&self.options, &self.address));
        let mut connections = try_join_all(connections).await?;
        if self.mode == SnapshotMode::None {
            let readers = connections.into_iter().map(|connection| Reader::new(connection, None)).collect();
            return Ok(Supply { readers, consistency: Consistency::None });
        }
        let tables = self.lockable(selects).await?;
        let (keeper, snapshot) = self.export(&tables).await?;
        let keeper = Arc::new(keeper);
        for connection in &mut connections {
            let begin = format!("{BEGIN}; SET TRANSACTION SNAPSHOT '{snapshot}'");
            execute(connection, begin, "import the snapshot").await?;
            // A pooler may have given the transaction another server session than the settings.
            assert_session(connection, "import the snapshot".to_owned()).await?;
        }
        let readers = connections
            .into_iter()
            .map(|connection| Reader::new(connection, Some(Arc::clone(&keeper))))
            .collect();
        Ok(Supply { readers, consistency: Consistency::Proven })
    }

    /// A snapshot, and before it a hold on the tables until nobody reads any more: one that is rewritten
    /// or truncated behind a snapshot looks empty to it.
    async fn export(&self, tables: &[String]) -> Result<(Keeper, String), SourceError> {
        let mut connection = connect(&self.options, &self.address).await?;
        execute(&mut connection, BEGIN.to_owned(), "open a snapshot").await?;
        if !tables.is_empty() {
            let lock = format!("LOCK TABLE {} IN ACCESS SHARE MODE", tables.join(", "));
            execute(&mut connection, lock, "hold the tables for the snapshot").await?;
        }
        let snapshot: String = sqlx::query_scalar("SELECT pg_export_snapshot()")
            .fetch_one(&mut connection)
            .await
            .map_err(|error| failure(&error, Step::Read, "export the snapshot"))?;
        Ok((Keeper { _connection: connection }, snapshot))
    }

    /// The tables that this user may lock: rights on single columns are not enough, and what a view or a
    /// query reads is held from its first row on.
    async fn lockable(&mut self, selects: &[Select]) -> Result<Vec<String>, SourceError> {
        let names = selects.iter().filter_map(|select| match &select.rows {
            Rows::From(name) => Some(name.trim().to_owned()),
            Rows::Query(_) => None,
        });
        let names: Vec<String> = names.collect();
        let found = sqlx::query_scalar(
            "SELECT DISTINCT name FROM unnest($1::text[]) AS name
               JOIN pg_catalog.pg_class c ON c.oid = to_regclass(name)
              WHERE c.relkind IN ('r', 'p') AND has_table_privilege(c.oid, 'SELECT')",
        );
        let found = found.bind(names).fetch_all(self.control().await?).await;
        found.map_err(|error| failure(&error, Step::Read, "look for the tables to hold"))
    }
}

const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

async fn execute(connection: &mut PgConnection, sql: String, doing: &str) -> Result<(), SourceError> {
    let done = sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await;
    done.map(drop).map_err(|error| failure(&error, Step::Read, doing))
}

async fn finds_a_row(connection: &mut PgConnection, sql: String) -> Result<bool, SourceError> {
    let row = sqlx::query(AssertSqlSafe(sql)).fetch_optional(connection).await;
    row.map(|row| row.is_some()).map_err(|error| failure(&error, Step::Read, "check the key"))
}

/// How to connect, and where to in words.
fn options(url: &str, settings: &SourceSettings) -> Result<(PgConnectOptions, Location), SourceError> {
    let mut location = url::location(url, 5432)?;
    let mut options: PgConnectOptions =
        url.parse().map_err(|error: sqlx::Error| url::wrong(&error::innermost(&error)))?;
    // Parameters of the URL and the PG… variables may say otherwise than its beginning.
    location.host = match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => options.get_host().trim_matches(['[', ']']).to_owned(),
    };
    location.port = options.get_port();
    location.user = options.get_username().to_owned();
    location.database = options.get_database().unwrap_or_default().to_owned();
    if location.host.contains(':') {
        options = options.host(&location.host);
    }
    if location.tls.is_none() && !location.is_local() {
        options = options.ssl_mode(PgSslMode::VerifyFull);
    }
    if let Some(file) = url::authorities(settings, &location)? {
        options = options.ssl_root_cert(file);
    }
    options = options.application_name("dynamigrate").extra_float_digits(3).disable_statement_logging();
    Ok((options, location))
}

/// As the server knows it, from version 9.5 on; one that does not say is taken as clear text.
async fn encryption(connection: &mut PgConnection) -> Option<String> {
    let sql = "SELECT version FROM pg_catalog.pg_stat_ssl WHERE ssl AND pid = pg_backend_pid()";
    sqlx::query_scalar(sql).fetch_optional(connection).await.ok().flatten()
}

/// A connection whose session is as the design wants it.
async fn connect(options: &PgConnectOptions, address: &str) -> Result<PgConnection, SourceError> {
    let context = || format!("connect to {address}");
    let connecting = tokio::time::timeout(CONNECT_TIMEOUT, PgConnection::connect_with(options)).await;
    let Ok(connected) = connecting else { return Err(super::super::connect_timeout(context())) };
    let fail = |error: sqlx::Error| error::with_bundle(failure(&error, Step::Connect, context()));
    let mut connection = connected.map_err(fail)?;
    let set = sqlx::raw_sql(SETTINGS).execute(&mut connection).await;
    set.map_err(|error| failure(&error, Step::Connect, context()))?;
    // Not every system can look for vanished clients; a server that cannot says no.
    let _ = sqlx::raw_sql(WATCH).execute(&mut connection).await;
    assert_session(&mut connection, context()).await?;
    Ok(connection)
}

/// Settings that not every version has are set only where they exist. A database without an encoding may
/// hold any bytes: asked for UTF-8 it would end a page at the first text that is none.
const SETTINGS: &str = "\
    SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY;
    SET row_security = off;
    SET TimeZone = 'UTC';
    SET DateStyle = 'ISO, MDY';
    SET IntervalStyle = 'iso_8601';
    SET array_nulls = on;
    SET bytea_output = 'hex';
    SET extra_float_digits = 3;
    SET statement_timeout = 0;
    SET lock_timeout = 0;
    SET idle_in_transaction_session_timeout = 0;
    SELECT set_config(wanted.name, wanted.setting, false)
      FROM (VALUES ('idle_session_timeout', '0'), ('transaction_timeout', '0'),
                   ('plan_cache_mode', 'force_custom_plan'), ('jit', 'off'),
                   ('tcp_keepalives_idle', '60'), ('tcp_keepalives_interval', '10'),
                   ('tcp_keepalives_count', '6')) AS wanted (name, setting)
      JOIN pg_catalog.pg_settings ON pg_settings.name = wanted.name;
    SELECT set_config('client_encoding', 'SQL_ASCII', false)
     WHERE current_setting('server_encoding') = 'SQL_ASCII'";

/// A query whose client is gone, killed for example, ends soon, not with its last row.
const WATCH: &str = "SET client_connection_check_interval = '2s'";

const ASSERTED: [(&str, &str); 11] = [
    ("default_transaction_read_only", "on"),
    ("row_security", "off"),
    ("TimeZone", "UTC"),
    ("DateStyle", "ISO, MDY"),
    ("IntervalStyle", "iso_8601"),
    ("array_nulls", "on"),
    ("extra_float_digits", "3"),
    ("statement_timeout", "0"),
    ("lock_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    ("client_encoding", "UTF8"),
];

async fn assert_session(connection: &mut PgConnection, context: String) -> Result<(), SourceError> {
    let names: Vec<&str> = ASSERTED.iter().map(|(name, _)| *name).collect();
    let sql =
        "SELECT current_setting(name), current_setting('server_encoding') FROM unnest($1::text[]) AS name";
    let rows = sqlx::query(sql)
        .bind(names)
        .fetch_all(&mut *connection)
        .await
        .map_err(|error| failure(&error, Step::Connect, context.clone()))?;
    for (row, (name, wanted)) in rows.iter().zip(ASSERTED) {
        let setting: String = row.try_get(0).unwrap_or_default();
        let encoding: String = row.try_get(1).unwrap_or_default();
        let has_none = name == "client_encoding" && setting == "SQL_ASCII" && encoding == setting;
        if setting != wanted && !has_none {
            let cause = format!("the session kept {name} = {setting} where {wanted} was set");
            return Err(SourceError::new(SourceErrorKind::Config, context, cause)
                .with_hint("connect to the server itself, not through a pooler"));
        }
    }
    Ok(())
}
