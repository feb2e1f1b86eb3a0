//! Sessions are set on purpose; what goes wrong before the first row is named.

use std::path::PathBuf;
use std::sync::Arc;

use dynamigrate::mapping::{SnapshotMode, Spanned};
use dynamigrate::source::{
    Bounds, Consistency, Cursor, Dialect, PageLimits, PageRead, Position, RawCell, Rows, Source, SourceError,
    SourceErrorKind,
};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::database::{ALL, Database, from, select, server, settings, with_database};
use crate::servers::PrivateServer;

/// R08, R09.
#[tokio::test]
async fn postgres_sessions_are_as_designed() {
    let database = Database::create(Dialect::Postgres).await;
    database
        .run("CREATE FUNCTION r() RETURNS text LANGUAGE sql AS $$ SELECT current_setting('row_security') $$")
        .await;
    let query = "SELECT 1 AS k, concat_ws(' ', current_setting('transaction_read_only'),
       current_setting('transaction_isolation'), r(), current_setting('TimeZone'), current_setting('DateStyle'),
       current_setting('IntervalStyle'), current_setting('array_nulls'),
       current_setting('extra_float_digits'), current_setting('statement_timeout'), current_setting('lock_timeout'),
       current_setting('idle_in_transaction_session_timeout'), current_setting('idle_session_timeout'),
       current_setting('application_name')) AS v";
    let expected = "on repeatable read off UTC ISO, MDY iso_8601 on 3 0 0 0 0 dynamigrate";
    assert_eq!(value(&database, query).await, expected);
}

/// R06, S19.
#[tokio::test]
async fn mysql_sessions_are_as_designed() {
    let database = Database::create(Dialect::Mysql).await;
    let query = "SELECT 1 AS k, CONCAT_WS(' ', @@tx_read_only, @@tx_isolation, @@time_zone, @@max_statement_time,
       @@net_write_timeout > 3600, @@wait_timeout > 86400, @@character_set_client, @@group_concat_max_len = 1073741824,
       @@sql_mode = @@global.sql_mode, @@in_transaction) AS v";
    let expected = "ON REPEATABLE-READ +00:00 0.000000 1 1 utf8mb4 1 1 1";
    assert_eq!(value(&database, query).await, expected);
}

#[tokio::test]
async fn mysql_pipes_stay_what_the_server_says() {
    let database = Database::create(Dialect::Mysql).await;
    assert_eq!(value(&database, "SELECT 1 AS k, CAST('2' || '0' AS CHAR) AS v").await, "1");
}

/// T10.
#[tokio::test]
async fn mysql_timestamps_arrive_in_utc() {
    let setup = "SET time_zone = '+02:00'; CREATE TABLE t (k int PRIMARY KEY, v timestamp NULL);
                 INSERT INTO t VALUES (1, '2024-06-01 08:30:00')";
    let database = Database::with(Dialect::Mysql, setup).await;
    assert_eq!(value(&database, "SELECT k, CAST(v AS CHAR) AS v FROM t").await, "2024-06-01 06:30:00");
    let mut source = database.source().await;
    let select = select(&mut source, from("t"), &["k"]).await;
    let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
    let PageRead::Page(page) = reader.page(&select, &Bounds::default(), 1000).await.unwrap() else {
        panic!()
    };
    assert_eq!(page.row(0).unwrap().cell(1), RawCell::Bytes(&[7, 0xe8, 7, 6, 1, 6, 30, 0]));
}

#[tokio::test]
async fn nothing_can_be_written() {
    for dialect in ALL {
        let database = Database::with(dialect, "CREATE TABLE t (k int NOT NULL PRIMARY KEY)").await;
        let mut source = database.source().await;
        let errors =
            source.describe(&Rows::Query("DELETE FROM t RETURNING k".to_owned()), None, &[], &[]).await;
        assert!(errors.is_err(), "{dialect:?}");
    }
    let setup = "CREATE TABLE t (k int PRIMARY KEY); CREATE FUNCTION w() RETURNS int LANGUAGE sql AS
                 $$ INSERT INTO t VALUES (1) RETURNING k $$";
    let database = Database::with(Dialect::Postgres, setup).await;
    let mut source = database.source().await;
    let select = select(&mut source, Rows::Query("SELECT w() AS k".to_owned()), &["k"]).await;
    let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
    let error = reader.page(&select, &Bounds::default(), 1000).await.unwrap_err();
    assert!(error.cause.contains("read-only"), "{error}");
}

#[tokio::test]
async fn postgres_hidden_rows_are_an_error() {
    let role = format!("it_source_role_{}", std::process::id());
    let setup = format!("DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN PASSWORD 'se#cret';
        CREATE TABLE t (k int PRIMARY KEY); CREATE TABLE denied (k int PRIMARY KEY); INSERT INTO t VALUES (1), (2);
        GRANT SELECT ON t TO {role}; ALTER TABLE t ENABLE ROW LEVEL SECURITY;
        CREATE POLICY p ON t USING (k = 1)");
    let database = Database::with(Dialect::Postgres, &setup).await;
    let (_, server) = database.url.split_once('@').unwrap();
    let mut source =
        Source::connect(&settings(&format!("postgres://{role}:se%23cret@{server}"))).await.unwrap();
    for table in ["t", "denied"] {
        let errors = source.describe(&from(table), None, &[], &[]).await.unwrap_err();
        assert_eq!(errors[0].kind, SourceErrorKind::Permission, "{errors:?}");
        assert!(errors[0].hint.is_some());
    }
    drop(source);
    database.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
}

#[tokio::test]
async fn servers_that_cannot_be_used_say_why() {
    for dialect in [Dialect::Postgres, Dialect::Mysql] {
        let server = server(dialect);
        let (scheme, rest) = server.split_once("://").unwrap();
        let (_, host) = rest.split_once('@').unwrap();
        let missing = with_database(&server, "no_such_database");
        fails(&missing, SourceErrorKind::NoDatabase).await;
        fails(&format!("{scheme}://root:se%23cret@127.0.0.1:1/x"), SourceErrorKind::Connect).await;
        fails(
            &format!("{scheme}://root:se%23cret@no-such-host.invalid/x?sslmode=disable"),
            SourceErrorKind::Connect,
        )
        .await;
        fails(&format!("{scheme}://root:se#cret@{host}"), SourceErrorKind::Config).await;
        fails(&format!("{scheme}:/root:secret@{host}"), SourceErrorKind::Config).await;
        if dialect == Dialect::Mysql {
            fails(&format!("{scheme}://nobody:secret@{host}"), SourceErrorKind::Authentication).await;
        }
    }
    fails("oracle://u:secret@h/x", SourceErrorKind::Config).await;
    fails("postgress://u:secret@h/x", SourceErrorKind::Config).await;
}

#[tokio::test]
async fn files_that_cannot_be_used_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("text"), "not a database, but long enough to have a header".repeat(99)).unwrap();
    fails(&format!("sqlite://{}", path("missing.db")), SourceErrorKind::NoDatabase).await;
    fails(&format!("sqlite:{}", folder.path().display()), SourceErrorKind::Config).await;
    fails(&format!("sqlite://{}", path("text")), SourceErrorKind::Config).await;
    fails("sqlite::memory:", SourceErrorKind::Config).await;
}

/// C11.
#[tokio::test]
async fn authorities_must_exist() {
    let mut settings = settings(&server(Dialect::Postgres));
    settings.ca_file = Some(Spanned::new(0..0, PathBuf::from("/nowhere/ca.pem")));
    let error = Source::connect(&settings).await.unwrap_err();
    assert_eq!(error.kind, SourceErrorKind::Config);
}

/// C10, C11: a private authority, and a certificate that is valid for `localhost` alone.
#[tokio::test]
async fn c10_c11_certificates_are_verified_as_far_as_the_url_says() {
    for mut server in [PrivateServer::postgres().await, PrivateServer::mysql().await] {
        let authority = server.with_certificate().await;
        let connect = async |host: &str, mode: &str, authority: Option<&PathBuf>| {
            let url = server.url().replace("127.0.0.1", host);
            let mut settings = settings(&format!("{url}?sslmode={mode}"));
            settings.ca_file = authority.map(|file| Spanned::new(0..0, file.clone()));
            Source::connect(&settings).await.map(|source| source.identity().transport.clone())
        };
        for (host, mode) in
            [("localhost", "verify-full"), ("localhost", "verify-ca"), ("127.0.0.1", "verify-ca")]
        {
            let transport = connect(host, mode, Some(&authority)).await.unwrap();
            assert!(transport.verified && transport.encryption.unwrap().starts_with("TLS"), "{host} {mode}");
            let error = connect(host, mode, None).await.unwrap_err();
            assert_eq!(error.kind, SourceErrorKind::Connect, "{error:?}");
            assert!(error.hint.unwrap().contains("`ca_file`"));
        }
        let error = connect("127.0.0.1", "verify-full", Some(&authority)).await.unwrap_err();
        assert_eq!(error.kind, SourceErrorKind::Connect, "{error:?}");
        for (mode, optional) in [("require", false), ("prefer", true)] {
            let transport = connect("localhost", mode, None).await.unwrap();
            assert!(transport.encryption.is_some() && !transport.verified, "{transport:?}");
            assert_eq!(transport.optional, optional);
        }
        assert_eq!(connect("localhost", "disable", None).await.unwrap().encryption, None);
    }
}

/// C10: not by an address that is known to be this machine.
#[tokio::test]
async fn c10_clear_text_to_elsewhere_is_refused_or_told() {
    for dialect in [Dialect::Postgres, Dialect::Mysql] {
        let url = server(dialect).replace("127.0.0.1", "127.1");
        let error = Source::connect(&settings(&url)).await.unwrap_err();
        assert_eq!(error.kind, SourceErrorKind::Connect, "{error:?}");
        assert!(error.hint.unwrap().contains("must offer TLS"));
        let source = Source::connect(&settings(&format!("{url}?sslmode=prefer"))).await.unwrap();
        let warning = source.identity().transport.warning().unwrap();
        assert!(warning.contains("(now: not encrypted)"), "{warning}");
        let source = Source::connect(&settings(&format!("{url}?sslmode=disable"))).await.unwrap();
        assert_eq!(source.identity().transport.warning(), None);
        assert_eq!(source.identity().transport.in_words().as_deref(), Some("not encrypted"));
    }
}

/// C09: a server that asks for the password itself gets nothing over an open line.
#[tokio::test]
async fn c09_a_password_is_not_sent_in_clear_text_over_an_open_line() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("mysql://iam:hidden-token@{}/x?sslmode=disable", listener.local_addr().unwrap());
    let asking = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut hello = b"\x0a8.0.30\0\x01\0\0\0abcdefgh\0\x08\x82\x2d\x02\0\x08\0\x15".to_vec();
        hello.extend_from_slice(&[0; 10]);
        hello.extend_from_slice(b"abcdefghijkl\0mysql_native_password\0");
        send(&mut stream, 0, &hello).await;
        let mut received = [0; 4096];
        let first = stream.read(&mut received).await.unwrap();
        let mut heard = received[..first].to_vec();
        send(&mut stream, 2, b"\xfemysql_clear_password\0").await;
        stream.read_to_end(&mut heard).await.unwrap_or_default();
        heard
    });
    let error = Source::connect(&settings(&url)).await.unwrap_err();
    assert!(error.hint.as_deref().unwrap_or_default().contains("sslmode=verify-full"), "{error:?}");
    let heard = String::from_utf8_lossy(&asking.await.unwrap()).into_owned();
    assert!(heard.contains("iam") && !heard.contains("hidden-token"), "{heard:?}");
}

/// A packet of MySQL's protocol.
async fn send(stream: &mut tokio::net::TcpStream, number: u8, payload: &[u8]) {
    let length = u8::try_from(payload.len()).unwrap();
    stream.write_all(&[&[length, 0, 0, number], payload].concat()).await.unwrap();
}

#[tokio::test]
async fn identities_carry_no_password() {
    for dialect in ALL {
        let database = Database::create(dialect).await;
        let source = database.source().await;
        assert_eq!(source.dialect(), dialect);
        assert!(!source.identity().database.is_empty() && !source.identity().address.contains(":@"));
        assert!(source.identity().server.contains('.'), "{:?}", source.identity());
    }
}

#[tokio::test]
async fn keys_are_asked_for() {
    for dialect in ALL {
        let setup = "CREATE TABLE t (a int, b int); INSERT INTO t VALUES (1, 1), (1, 2), (2, 2);
                     CREATE TABLE n (a int, b int); INSERT INTO n VALUES (1, NULL)";
        let database = Database::with(dialect, setup).await;
        let mut source = database.source().await;
        for (table, key, filter, expected) in [
            ("t", vec!["a", "b"], None, (false, false)),
            ("t", vec!["a"], None, (true, false)),
            ("t", vec!["a"], Some("b = 2"), (false, false)),
            ("n", vec!["a", "b"], None, (false, true)),
        ] {
            let mut select = select(&mut source, from(table), &key).await;
            select.filter = filter.map(str::to_owned);
            let found = source.check_key(&select).await.unwrap();
            assert_eq!((found.duplicates, found.nulls), expected, "{dialect:?} {table} {key:?}");
        }
    }
}

#[tokio::test]
async fn mysql_readers_open_under_a_lock() {
    let database = Database::with(Dialect::Mysql, "CREATE TABLE t (k int PRIMARY KEY)").await;
    let mut settings = settings(&database.url);
    settings.snapshot = SnapshotMode::Lock;
    let mut source = Source::connect(&settings).await.unwrap();
    let table = select(&mut source, from("t"), &["k"]).await;
    let query = select(&mut source, Rows::Query("SELECT k FROM t".to_owned()), &["k"]).await;
    for selects in [vec![table.clone()], vec![table, query]] {
        let snapshot = source.open(3, &selects).await.unwrap();
        assert_eq!((snapshot.readers.len(), snapshot.consistency), (3, Consistency::Proven));
    }
    database.run("INSERT INTO t VALUES (1)").await;
}

#[tokio::test]
async fn mysql_engines_without_snapshots_prove_nothing() {
    let setup = "CREATE TABLE t (k int PRIMARY KEY) ENGINE = MyISAM";
    let database = Database::with(Dialect::Mysql, setup).await;
    let mut source = database.source().await;
    let select = select(&mut source, from("t"), &["k"]).await;
    let snapshot = source.open(1, &[select]).await.unwrap();
    assert!(matches!(snapshot.consistency, Consistency::Unproven(_)));
}

#[tokio::test]
async fn errors_while_reading_quote_no_value() {
    for (dialect, sql) in [(Dialect::Postgres, "v::int"), (Dialect::Sqlite, "json_extract(v, '$.a')")] {
        let setup =
            "CREATE TABLE t (k int NOT NULL PRIMARY KEY, v varchar(20)); INSERT INTO t VALUES (1, 'private')";
        let database = Database::with(dialect, setup).await;
        let mut source = database.source().await;
        let mut select = select(&mut source, from("t"), &["k"]).await;
        select.filter = Some(format!("{sql} > 0"));
        let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
        let error = reader.page(&select, &Bounds::default(), 1000).await.unwrap_err();
        assert_eq!(error.kind, SourceErrorKind::Server, "{error:?}");
        assert!(!format!("{error:?}").contains("private"), "{error:?}");
    }
}

#[tokio::test]
async fn sources_and_readers_work_in_tasks() {
    let database = Database::with(Dialect::Sqlite, "CREATE TABLE t (k INTEGER PRIMARY KEY)").await;
    let url = database.url.clone();
    let task = tokio::spawn(async move {
        let mut source = Source::connect(&settings(&url)).await.unwrap();
        let select = Arc::new(select(&mut source, from("t"), &["k"]).await);
        source.check_key(&select).await.unwrap();
        let mut reader = source.open(1, &[(*select).clone()]).await.unwrap().readers.pop().unwrap();
        let ranges = reader.cut(&select, 4, None).await.unwrap();
        let limits = PageLimits { rows: 10, bytes: 1000 };
        Cursor::new(select, ranges[0].clone(), Position::Start, limits)
            .next(&mut reader)
            .await
            .unwrap()
            .is_some()
    });
    assert!(task.await.unwrap());
}

/// The text in column v of a query's only row.
async fn value(database: &Database, query: &str) -> String {
    let mut source = database.source().await;
    let select = Arc::new(select(&mut source, Rows::Query(query.to_owned()), &["k"]).await);
    let mut reader = source.open(1, &[]).await.unwrap().readers.pop().unwrap();
    let PageRead::Page(page) = reader.page(&select, &Bounds::default(), 10_000).await.unwrap() else {
        panic!()
    };
    match page.row(0).unwrap().cell(1) {
        RawCell::Bytes(bytes) | RawCell::Text(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
        cell => panic!("{cell:?}"),
    }
}

async fn fails(url: &str, kind: SourceErrorKind) {
    let error: SourceError = Source::connect(&settings(url)).await.unwrap_err();
    assert_eq!(error.kind, kind, "{url} {error:?}");
    let all = format!("{error} {error:?}");
    assert!(!all.contains("se#cret") && !all.contains("se%23cret") && !all.contains("secret@"), "{all}");
    assert!(error.hint.is_some() || kind == SourceErrorKind::Config, "{error:?}");
}
