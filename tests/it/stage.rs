//! A database, a mapping in a folder and an endpoint: what a call of `migrate` takes part in. Outputs
//! are shown whole, with what differs from run to run masked.

use std::path::Path;

use serde_json::{Value, json};

use crate::dynamodb::{Client, Embedded, embedded_in_process};
use crate::servers::{Database, Kind};
use crate::tool::{Finished, Folder, Tool};

pub struct Stage {
    pub folder: Folder,
    pub database: Database,
    /// The embedded DynamoDB in the state folder without one.
    pub endpoint: Option<String>,
    _embedded: Option<Embedded>,
}

/// Two orders, of which one has a note.
pub const ORDERS: &str =
    "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer INT NOT NULL, note VARCHAR(100));
INSERT INTO orders VALUES (1, 7, 'first'), (2, 8, NULL);";

/// The smallest mapping of them. More tables of TOML can follow.
pub const MAPPING: &str = r##"[source]
url = "${DATABASE_URL}"

[table]
name = "shop"
endpoint = "${DYNAMODB_ENDPOINT:-embedded}"

[entities.Order]
from = "orders"
pk = "ORDER#{id:010}"
sk = "ORDER"
"##;

impl Stage {
    /// With `mapping.toml`, and the embedded DynamoDB in the state folder.
    pub async fn new(kind: Kind, sql: &str, mapping: &str) -> Self {
        let database = kind.database().await;
        database.execute(sql).await;
        Self::over(database, mapping)
    }

    /// As [`Stage::new`], over a database that is there.
    pub fn over(database: Database, mapping: &str) -> Self {
        let folder = Folder::new();
        folder.write("mapping.toml", mapping);
        Self { folder, database, endpoint: None, _embedded: None }
    }

    /// The two orders in SQLite.
    pub async fn orders() -> Self {
        Self::new(Kind::Sqlite, ORDERS, MAPPING).await
    }

    /// An example of `mappings/` with its rows, and a DynamoDB of its own.
    pub async fn example(kind: Kind, mapping: &str, rows: &str) -> Self {
        let database = kind.database().await;
        database.execute_file(format!("mappings/{rows}")).await;
        let folder = Folder::new();
        let path = folder.copy(&format!("mappings/{mapping}"));
        std::fs::rename(path, folder.path().join("mapping.toml")).unwrap();
        Self { folder, database, endpoint: None, _embedded: None }.with_dynamodb().await
    }

    pub async fn with_dynamodb(mut self) -> Self {
        let embedded = embedded_in_process().await;
        self.endpoint = Some(embedded.url().to_owned());
        self._embedded = Some(embedded);
        self
    }

    pub fn at(mut self, endpoint: &str) -> Self {
        self.endpoint = Some(endpoint.to_owned());
        self
    }

    pub fn client(&self) -> Client {
        Client::new(self.endpoint.as_deref().expect("an endpoint"))
    }

    /// `migrate COMMAND --mapping mapping.toml ARGS`, not started yet; words are separated by spaces.
    pub fn tool(&self, words: &str) -> Tool {
        let mut words: Vec<&str> = words.split_whitespace().collect();
        let after_command = usize::from(words.first().is_some_and(|word| !word.starts_with('-')));
        words.splice(after_command..after_command, ["--mapping", "mapping.toml"]);
        let tool = self.folder.tool(words).env("DATABASE_URL", self.database.url());
        match &self.endpoint {
            Some(endpoint) => tool.env("DYNAMODB_ENDPOINT", endpoint),
            None => tool,
        }
    }

    #[track_caller]
    pub fn migrate(&self, words: &str, code: i32) -> impl Future<Output = Finished> {
        let place = std::panic::Location::caller();
        let running = self.tool(words).run();
        let words = words.to_owned();
        async move {
            let finished = running.await;
            assert_eq!(
                finished.code(),
                Some(code),
                "{place}: exit code of `migrate {words}`\n--- stdout\n{}\n--- stderr\n{}",
                finished.stdout,
                finished.stderr
            );
            finished
        }
    }

    /// Exit code and both streams, with what differs from run to run masked.
    pub fn shown(&self, finished: &Finished) -> String {
        let stream = |name: &str, text: &str| match text {
            "" => String::new(),
            text => format!("--- {name}\n{}", self.masked(text)),
        };
        let code = finished.code().map_or("killed".to_owned(), |code| code.to_string());
        format!(
            "exit code {code}\n{}{}",
            stream("stderr", &finished.stderr),
            stream("stdout", &finished.stdout)
        )
    }

    pub fn masked(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let mut mask = |from: &str, to: &str| text = text.replace(from, to);
        mask(&self.folder.path().display().to_string(), "FOLDER");
        if let Some(endpoint) = &self.endpoint {
            mask(endpoint, "http://ENDPOINT");
        }
        let url = self.database.url();
        match self.database.kind() {
            Kind::Sqlite => {
                mask(url.trim_start_matches("sqlite://"), "DATABASE");
            }
            _ => {
                let (server, name) = url.rsplit_once('@').unwrap().1.split_once('/').unwrap();
                mask(name, "DATABASE");
                mask(server, "HOST:PORT");
            }
        }
        text.split_inclusive('\n').map(without_time_and_version).collect()
    }
}

/// `… · 0.4 s` → `… · TIME`, `(PostgreSQL 15.1)` → `(VERSION)`.
fn without_time_and_version(line: &str) -> String {
    let line = match line.rsplit_once(" · ") {
        Some((before, time)) if time.trim_end().ends_with(['s', 'n']) => format!("{before} · TIME\n"),
        _ => line.to_owned(),
    };
    let systems = ["(PostgreSQL ", "(MariaDB ", "(MySQL ", "(SQLite "];
    match systems.iter().find_map(|system| line.split_once(system)) {
        Some((before, rest)) => {
            format!("{before}(VERSION){}", rest.split_once(')').map_or("", |(_, after)| after))
        }
        None => line,
    }
}

/// A table like the mapping's, but for what `change` does to the request.
pub async fn create_table(client: &Client, change: impl FnOnce(&mut Value)) {
    let mut request = json!({
        "TableName": "shop",
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        "AttributeDefinitions": [
            {"AttributeName": "PK", "AttributeType": "S"},
            {"AttributeName": "SK", "AttributeType": "S"},
        ],
    });
    change(&mut request);
    client.call("CreateTable", request).await;
}

/// A snapshot in `tests/cases/`; `UPDATE_EXPECT=1` writes it anew.
#[track_caller]
pub fn expect_case(path: &str, shown: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(path);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    }
    expect_test::expect_file![path].assert_eq(shown);
}

/// The names of a JSON object's members, sorted.
pub fn names(value: &Value) -> Vec<String> {
    let mut names: Vec<String> =
        value.as_object().unwrap_or_else(|| panic!("no object: {value}")).keys().cloned().collect();
    names.sort();
    names
}
