//! Databases on real servers, one of its own for each test, and servers of its own for a test that
//! stops them. The servers are started by `./test`, which tells where they are in TEST_* variables.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sqlx::mysql::{MySqlConnectOptions, MySqlRow};
use sqlx::postgres::{PgConnectOptions, PgRow};
use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, Decode, MySqlConnection, PgConnection, Row, SqliteConnection,
    Type,
};
use tempfile::TempDir;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Postgres,
    MySql,
    Sqlite,
}

pub const ALL: [Kind; 3] = [Kind::Postgres, Kind::MySql, Kind::Sqlite];

impl Kind {
    /// As in the names of files: `shop.postgres.sql`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Postgres => "postgres",
            Kind::MySql => "mysql",
            Kind::Sqlite => "sqlite",
        }
    }

    pub async fn database(self) -> Database {
        match self {
            Kind::Postgres => postgres().await,
            Kind::MySql => mysql().await,
            Kind::Sqlite => sqlite().await,
        }
    }
}

/// An empty database with a name of its own; gone when dropped.
pub struct Database {
    kind: Kind,
    url: String,
    /// The server's URL and the database's name, to drop it there.
    home: Option<(String, String)>,
    _folder: Option<TempDir>,
}

/// A row of texts, NULL as `None`.
pub type Texts = Vec<Option<String>>;

pub async fn postgres() -> Database {
    Database::on_server(Kind::Postgres, variable("TEST_POSTGRES_URL")).await
}

/// With an encoding of its own.
pub async fn postgres_in(encoding: &str) -> Database {
    let options =
        format!(" TEMPLATE template0 ENCODING '{encoding}' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'");
    Database::created(Kind::Postgres, variable("TEST_POSTGRES_URL"), &options).await
}

pub async fn mysql() -> Database {
    Database::on_server(Kind::MySql, variable("TEST_MYSQL_URL")).await
}

pub async fn sqlite() -> Database {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("source.db").display());
    let database = Database { kind: Kind::Sqlite, url, home: None, _folder: Some(folder) };
    database.execute("PRAGMA journal_mode = WAL").await;
    database
}

impl Database {
    async fn on_server(kind: Kind, server: String) -> Self {
        Self::created(kind, server, "").await
    }

    async fn created(kind: Kind, server: String, options: &str) -> Self {
        let name = unique_name();
        run(kind, &server, &format!("CREATE DATABASE {name}{options}")).await.unwrap();
        let url = format!("{}/{name}", server.rsplit_once('/').unwrap().0);
        Self { kind, url, home: Some((server, name)), _folder: None }
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// As a mapping takes it, password included.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its name on its server.
    pub fn name(&self) -> &str {
        self.home.as_ref().map_or("main", |(_, name)| name)
    }

    /// The URL with another user and password, to try what they may see.
    pub fn url_as(&self, user: &str, password: &str) -> String {
        let (scheme, rest) = self.url.split_once("://").unwrap();
        format!("{scheme}://{user}:{password}@{}", rest.split_once('@').unwrap().1)
    }

    /// Runs a script of any number of statements; panics on the first mistake.
    pub async fn execute(&self, script: &str) {
        if let Err(e) = run(self.kind, &self.url, script).await {
            panic!("{} refused the script: {e}", self.kind.name());
        }
    }

    /// Runs a file of `mappings/`.
    pub async fn execute_file(&self, path: impl AsRef<Path>) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        self.execute(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
            .await;
    }

    /// What a query answers, every value as the server's own text.
    pub async fn texts(&self, sql: &str) -> Vec<Texts> {
        let statement = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        match self.kind {
            Kind::Postgres => {
                let mut connection = connect_postgres(&self.url).await.unwrap();
                let rows = statement.fetch_all(&mut connection).await.unwrap();
                rows.iter().map(texts::<PgRow>).collect()
            }
            Kind::MySql => {
                let mut connection = connect_mysql(&self.url).await.unwrap();
                let rows = statement.fetch_all(&mut connection).await.unwrap();
                rows.iter().map(texts::<MySqlRow>).collect()
            }
            Kind::Sqlite => {
                let mut connection = connect_sqlite(&self.url).await.unwrap();
                let rows = statement.fetch_all(&mut connection).await.unwrap();
                rows.iter().map(texts::<SqliteRow>).collect()
            }
        }
    }

    /// The one value a query answers.
    pub async fn text(&self, sql: &str) -> String {
        self.texts(sql).await[0][0].clone().expect("a value that is not NULL")
    }
}

impl Drop for Database {
    /// The server outlives a test run under `./test --servers`. A failure to drop is nobody's loss.
    fn drop(&mut self) {
        let (kind, Some((server, name))) = (self.kind, self.home.take()) else { return };
        let force = if kind == Kind::Postgres { " WITH (FORCE)" } else { "" };
        let sql = format!("DROP DATABASE {name}{force}");
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let dropping =
                async { tokio::time::timeout(Duration::from_secs(5), run(kind, &server, &sql)).await };
            runtime.block_on(dropping).map(drop).unwrap_or_default();
        });
        dropping.join().unwrap_or_default();
    }
}

/// A server process for one test alone, on its own data and port: to be stopped and started at will.
pub struct PrivateServer {
    kind: Kind,
    folder: TempDir,
    port: u16,
    password: String,
    /// Beyond the usual ones.
    arguments: Vec<String>,
    process: Option<Child>,
}

impl PrivateServer {
    pub async fn postgres() -> Self {
        Self::new(Kind::Postgres, &variable("TEST_POSTGRES_URL")).await
    }

    pub async fn mysql() -> Self {
        Self::new(Kind::MySql, &variable("TEST_MYSQL_URL")).await
    }

    async fn new(kind: Kind, shared: &str) -> Self {
        let templates = PathBuf::from(variable("TEST_TEMPLATES"));
        // Another user runs the server when root runs the tests.
        let folder = tempfile::Builder::new()
            .prefix("private-server.")
            .permissions(std::fs::Permissions::from_mode(0o755))
            .tempdir_in(templates.parent().unwrap())
            .unwrap();
        let copied =
            Command::new("cp").arg("-a").arg(templates.join(kind.name())).arg(folder.path()).status();
        assert!(copied.unwrap().success(), "cp -a of the {} template", kind.name());
        let password = password_of(shared);
        let arguments = Vec::new();
        let mut server = Self { kind, folder, port: free_port(), password, arguments, process: None };
        server.start().await;
        server
    }

    /// Starts again with a certificate for `localhost`, and nothing else, of an authority of its own.
    /// Returns the authority's file.
    pub async fn with_certificate(&mut self) -> PathBuf {
        self.stop();
        let file = |name: &str| self.folder.path().join(name).display().to_string();
        let (authority, key) = (file("ca.pem"), file("server.key"));
        let new_key = "req -nodes -newkey rsa:2048";
        openssl(&format!(
            "{new_key} -x509 -days 2 -subj /CN=authority -keyout {} -out {authority} \
             -addext basicConstraints=critical,CA:TRUE",
            file("ca.key")
        ));
        openssl(&format!(
            "{new_key} -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout {key} -out {}",
            file("server.csr")
        ));
        let certificate = file("server.pem");
        openssl(&format!(
            "x509 -req -days 2 -copy_extensions copy -CA {authority} -CAkey {} -in {} -out {certificate}",
            file("ca.key"),
            file("server.csr")
        ));
        // The server runs as the owner of its data.
        let data = format!("--reference={}", self.folder.path().join(self.kind.name()).display());
        assert!(Command::new("chown").args([&data, &key, &certificate]).status().unwrap().success());
        self.arguments = match self.kind {
            Kind::Postgres => {
                let settings = [
                    "ssl=on".to_owned(),
                    format!("ssl_cert_file={certificate}"),
                    format!("ssl_key_file={key}"),
                ];
                settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]).collect()
            }
            _ => vec![format!("--ssl-cert={certificate}"), format!("--ssl-key={key}")],
        };
        self.start().await;
        PathBuf::from(authority)
    }

    /// A database on it. Drop it before the server, or while it runs.
    pub async fn database(&self) -> Database {
        Database::on_server(self.kind, self.url()).await
    }

    pub fn url(&self) -> String {
        let Self { port, password, .. } = self;
        match self.kind {
            Kind::Postgres => format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres"),
            Kind::MySql => format!("mysql://root:{password}@127.0.0.1:{port}/mysql"),
            Kind::Sqlite => panic!("SQLite has no server"),
        }
    }

    /// Starts it, again on the same port and data, and waits until it answers.
    pub async fn start(&mut self) {
        assert!(self.process.is_none(), "the server runs already");
        let data = self.folder.path().join(self.kind.name());
        assert_ne!(std::fs::metadata(&data).unwrap().uid(), 0, "servers refuse to run as root");
        let log = std::fs::File::create(self.folder.path().join("log")).unwrap();
        let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("test"));
        command
            .args(["--serve", self.kind.name()])
            .arg(&data)
            .arg(self.port.to_string())
            .args(&self.arguments);
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.process = Some(command.spawn().unwrap());
        self.wait_until_it_answers().await;
    }

    async fn wait_until_it_answers(&mut self) {
        let started = Instant::now();
        while !connects(self.kind, &self.url()).await {
            let ended = self.process.as_mut().unwrap().try_wait().unwrap();
            if ended.is_some() || started.elapsed() > Duration::from_secs(60) {
                let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                panic!("the private {} server does not start:\n{log}", self.kind.name());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Ends it as a crash does. What was committed is there after the next start.
    pub fn kill(&mut self) {
        self.signal("KILL");
    }

    /// Ends it as an administrator does: connections are told.
    pub fn stop(&mut self) {
        self.signal(if self.kind == Kind::Postgres { "INT" } else { "TERM" });
    }

    fn signal(&mut self, signal: &str) {
        let Some(mut process) = self.process.take() else { return };
        let id = process.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        process.wait().unwrap();
        // PostgreSQL takes its port again only when its orphaned children have noticed.
        std::thread::sleep(Duration::from_millis(if signal == "KILL" { 300 } else { 0 }));
    }
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let id = process.id().to_string();
            Command::new("kill").args(["-s", "QUIT", &id]).status().map(drop).unwrap_or_default();
            process.wait().map(drop).unwrap_or_default();
        }
    }
}

fn openssl(arguments: &str) {
    let made = Command::new("openssl").args(arguments.split_whitespace()).stderr(Stdio::null()).status();
    assert!(made.expect("openssl").success(), "openssl {arguments}");
}

pub async fn connects(kind: Kind, url: &str) -> bool {
    run(kind, url, "SELECT 1").await.is_ok()
}

/// The passwords of the shared servers: what no output may contain.
pub fn passwords() -> Vec<String> {
    ["TEST_POSTGRES_URL", "TEST_MYSQL_URL"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .map(|url| password_of(&url))
        .collect()
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run ./test, which starts the servers"))
}

fn password_of(url: &str) -> String {
    let user_info = url.split_once("://").unwrap().1.split_once('@').unwrap().0;
    user_info.split_once(':').unwrap().1.to_owned()
}

fn unique_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let nanos = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
    format!("t{nanos:x}_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Below the range that systems take outgoing ports from, so that it is still free after a restart.
fn free_port() -> u16 {
    loop {
        let port = fastrand::u16(10_000..20_000);
        if std::net::TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

pub async fn run(kind: Kind, url: &str, script: &str) -> Result<(), sqlx::Error> {
    let statements = sqlx::raw_sql(AssertSqlSafe(script.to_owned()));
    match kind {
        Kind::Postgres => {
            let mut connection = connect_postgres(url).await?;
            statements.execute(&mut connection).await?;
            connection.close().await
        }
        Kind::MySql => {
            let mut connection = connect_mysql(url).await?;
            statements.execute(&mut connection).await?;
            connection.close().await
        }
        Kind::Sqlite => {
            let mut connection = connect_sqlite(url).await?;
            statements.execute(&mut connection).await?;
            connection.close().await
        }
    }
}

async fn connect_postgres(url: &str) -> Result<PgConnection, sqlx::Error> {
    url.parse::<PgConnectOptions>()?.connect().await
}

/// With the server's own sql_mode, in which `||` means OR.
async fn connect_mysql(url: &str) -> Result<MySqlConnection, sqlx::Error> {
    let options = url.parse::<MySqlConnectOptions>()?;
    options.pipes_as_concat(false).no_engine_substitution(false).connect().await
}

async fn connect_sqlite(url: &str) -> Result<SqliteConnection, sqlx::Error> {
    url.parse::<SqliteConnectOptions>()?.create_if_missing(true).connect().await
}

fn texts<R>(row: &R) -> Texts
where
    R: Row,
    usize: sqlx::ColumnIndex<R>,
    String: for<'r> Decode<'r, R::Database> + Type<R::Database>,
{
    (0..row.len()).map(|i| row.try_get_unchecked::<Option<String>, _>(i).unwrap()).collect()
}
