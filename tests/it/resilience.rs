//! A load survives everything: kill -9, signals, faults of the target, a source that goes away, a full
//! disk; and what it leaves behind is always the table that an undisturbed load would have made.

mod again;
mod consistency;
mod faults;
mod kill;
mod lost_source;
mod memory;
mod pace;
mod state;
mod stop;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::compare;
use crate::front::Front;
use crate::servers::{Database, Kind, Texts};
use crate::tool::{Folder, Tool};

/// A source table of entries, a front that stores what it is sent, and a folder with the mapping.
struct Scene {
    database: Database,
    front: Front,
    folder: Folder,
}

/// Small pages, so that what a kill may cost is small against the table.
const MAPPING: &str = r#"
[source]
url = "${SOURCE_URL}"
readers = 4
page_rows = 100

[table]
name = "ledger"
endpoint = "${TARGET_URL}"

[entities.Entry]
from = "ledger"
pk = "ENTRY#{id:07}"
sk = "ACCOUNT#{account}"
"#;

/// Two pages of each reader, in rows: what a kill may cost at most.
const COST_OF_A_KILL: u64 = 2 * 4 * 100;

impl Scene {
    /// `rows` entries, numbered from 1.
    async fn new(database: Database, rows: u64) -> Self {
        Self::with_rejects(database, rows, "1 = 0").await
    }

    /// Where the condition on `n` holds, an entry has no account and so no key.
    async fn with_rejects(database: Database, rows: u64, condition: &str) -> Self {
        let account = format!("CASE WHEN {condition} THEN NULL ELSE 'grün' END");
        let columns = format!("n, {account}, n % 1000, CASE WHEN n % 3 = 0 THEN NULL ELSE 'paid' END");
        let table = "id INT NOT NULL PRIMARY KEY, account VARCHAR(10), amount INT NOT NULL, note VARCHAR(10)";
        make_table(&database, "ledger", table, &columns, rows).await;
        let folder = Folder::new();
        folder.write("ledger.toml", MAPPING);
        Self { database, front: Front::acknowledging(), folder }
    }

    /// Puts another text in place of one in the mapping.
    fn change_mapping(&self, old: &str, new: &str) {
        let text = self.folder.read("ledger.toml");
        assert!(text.contains(old), "the mapping has no {old:?}");
        self.folder.write("ledger.toml", &text.replace(old, new));
    }

    fn migrate(&self, command: &str, more: &[&str]) -> Tool {
        let arguments = [command, "--mapping", "ledger.toml", "--json"];
        let tool = self.folder.tool(arguments.iter().chain(more));
        self.equip(tool)
    }

    fn equip(&self, tool: Tool) -> Tool {
        tool.env("SOURCE_URL", self.database.url()).env("TARGET_URL", self.front.url())
    }

    /// `migrate run`, which makes the table where it is missing.
    fn load(&self) -> Tool {
        self.load_with(&[])
    }

    fn load_with(&self, more: &[&str]) -> Tool {
        self.migrate("run", &[&["--create-table"], more].concat())
    }

    fn state(&self, file: &str) -> PathBuf {
        self.folder.path().join(".migrate/ledger/ledger").join(file)
    }

    fn has_checkpoint(&self) -> bool {
        self.state("checkpoint.json").exists()
    }

    /// The checkpoint's body.
    fn checkpoint(&self) -> Value {
        let text = std::fs::read_to_string(self.state("checkpoint.json")).unwrap();
        serde_json::from_str(text.split_once('\n').unwrap().1).unwrap()
    }

    /// Items that the checkpoint covers.
    fn saved(&self) -> u64 {
        let checkpoint = self.checkpoint();
        let ranges = checkpoint["entities"][0]["ranges"].as_array();
        let ranges = ranges.into_iter().flatten();
        ranges.map(|range| range["tally"]["written"].as_u64().unwrap()).sum()
    }

    /// Lines of the rejects file.
    fn rejects(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.state("rejects.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn written(&self) -> u64 {
        self.front.counters().written
    }

    /// Source and target agree, by `migrate verify` and by a comparison that shares nothing with it.
    async fn assert_complete(&self) {
        self.migrate("verify", &[]).run().await.expect_code(0);
        self.assert_same().await;
    }

    async fn assert_same(&self) {
        let sql = "SELECT id, account, amount, note FROM ledger WHERE account IS NOT NULL";
        let expected = compare::expect(&self.database, sql, entry).await;
        compare::assert_same(&expected, &compare::by_key(self.front.items("ledger")));
    }

    /// The rejects file names every row without an account, each once.
    async fn assert_rejects_listed_once(&self) {
        let wanted = self.database.texts("SELECT id FROM ledger WHERE account IS NULL ORDER BY id").await;
        let wanted: Vec<String> = wanted.into_iter().map(|row| row[0].clone().unwrap()).collect();
        let mut listed: Vec<String> = self.rejects().iter().map(source_id).collect();
        listed.sort_by_key(|id| id.parse::<u64>().unwrap());
        assert_eq!(listed, wanted);
    }
}

fn source_id(reject: &Value) -> String {
    reject["source_key"]["id"].as_str().unwrap().to_owned()
}

/// What a row of the ledger becomes, by hand.
fn entry(row: &Texts) -> Value {
    let [id, account, amount, note] = row.as_slice() else { panic!("{row:?}") };
    let number: u64 = id.as_ref().unwrap().parse().unwrap();
    compare::item([
        ("PK", "S", Some(format!("ENTRY#{number:07}"))),
        ("SK", "S", account.as_ref().map(|account| format!("ACCOUNT#{account}"))),
        ("id", "N", id.clone()),
        ("account", "S", account.clone()),
        ("amount", "N", amount.clone()),
        ("note", "S", note.clone()),
    ])
}

/// Fills a table from a query over `n` = 1 to `rows`.
async fn make_table(database: &Database, name: &str, columns: &str, values: &str, rows: u64) {
    let recursion = match database.kind() {
        Kind::MySql => "SET SESSION max_recursive_iterations = 1000000;",
        Kind::Postgres | Kind::Sqlite => "",
    };
    let numbers = format!(
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {rows})"
    );
    let script = format!(
        "{recursion} CREATE TABLE {name} ({columns}); INSERT INTO {name} {numbers} SELECT {values} FROM numbers"
    );
    database.execute(&script).await;
}

/// The report's rows add up and are all there are.
#[track_caller]
fn assert_accounted(report: &Value, rows: u64, rejected: u64) {
    let totals = &report["totals"];
    let counts = ["read", "written", "rejected", "skipped"].map(|name| totals[name].as_u64().unwrap());
    assert_eq!(counts, [rows, rows - rejected, rejected, 0], "{report:#}");
}

const MILLISECOND: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
