//! What a run or a verification found, as data with stable JSON names (design, section 3) and as text.

mod collisions;
mod columns;
pub mod cost;
mod dry_run;
mod expiry;
mod indexes;
mod orphans;
mod patterns;
mod preview;
mod rejects;
mod repair;
mod run;
mod sizes;
mod status;
mod text;
mod verify;

use indexmap::IndexMap;
use serde::Serialize;

use text::{Meaning, printable};

pub use columns::ColumnReport;
pub use dry_run::dry_run_text;
pub use expiry::{ExpiryReport, ExpiryState};
pub use orphans::{DeletionReport, OrphanExample, OrphanReport, OrphanedEntity, OtherItems};
pub use patterns::{BETWEEN_REVERSED, PatternExample, PatternReport, SeparateCost, SourceCost};
pub use preview::{Made, PreviewReport, PreviewedEntity, PreviewedRow, RejectedRow, preview_text};
pub use repair::RepairReport;
pub use run::run_text;
pub use sizes::{SizeSummary, Sizes};
pub use status::{EntityStatus, Progress, StatusReport, status_text};
pub use text::Style;
pub use verify::verify_text;

/// The document of `migrate run --json`.
#[derive(Debug, Clone, Serialize)]
pub struct RunReport {
    pub command: &'static str,
    pub outcome: Outcome,
    pub dry_run: bool,
    pub resumed: bool,
    pub table: String,
    /// Snapshots of the source that the whole load has used, earlier runs included.
    pub snapshots: u32,
    pub consistent: Consistent,
    pub entities: IndexMap<String, EntityReport>,
    pub indexes: IndexMap<String, IndexReport>,
    pub totals: Totals,
    /// Where no proof told the keys apart: what this run found when it counted them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collisions: Option<CollisionReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejects_file: Option<String>,
    pub elapsed_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorReport>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Done,
    /// An earlier run had already done everything.
    AlreadyDone,
    /// Finished, with rejected rows.
    Rejects,
    /// Stopped by `--limit`, or by `--only` before other entities were done: rows are left.
    Limited,
    /// A verification found missing or different items (exit code 5).
    Differences,
    /// It found some, and has mended them all.
    Repaired,
    Interrupted,
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Consistent {
    Proven,
    Unproven,
    /// No snapshot was asked for.
    None,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct EntityReport {
    /// Rows; always `written + rejected + skipped` when the entity is complete.
    pub read: u64,
    /// Rows whose items this run compared with the database's own text of them.
    pub compared: u64,
    /// Rows whose item the target has acknowledged.
    pub written: u64,
    pub items: u64,
    pub rejected: u64,
    pub skipped: u64,
    pub rejected_by: IndexMap<String, u64>,
    pub skipped_by: IndexMap<String, u64>,
    /// Write capacity units, computed from billed sizes, indexes included.
    pub wcu: u64,
    pub size: SizeSummary,
    /// Three of its items, as DynamoDB JSON (dry run only).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<serde_json::Value>,
    /// What its values do that may surprise (dry run only).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnReport>,
}

/// Rows that share their item keys.
#[derive(Debug, Clone, Serialize)]
pub struct CollisionReport {
    /// Rows whose keys were counted.
    pub rows: u64,
    /// Keys that several rows have.
    pub keys: u64,
    /// Ten pairs at most.
    pub examples: Vec<CollisionExample>,
}

#[derive(Debug, Clone, Serialize)]
pub struct CollisionExample {
    pub kept: KeyedRow,
    pub lost: KeyedRow,
}

#[derive(Debug, Clone, Serialize)]
pub struct KeyedRow {
    pub entity: String,
    pub source_key: IndexMap<String, String>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct IndexReport {
    pub items: u64,
    pub absent: u64,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct Totals {
    pub read: u64,
    pub written: u64,
    pub items: u64,
    pub rejected: u64,
    pub skipped: u64,
    pub wcu: u64,
    /// Seconds the load takes at the given rate; `None` for an unknown rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_seconds: Option<u64>,
}

/// A failure, in every command's document.
#[derive(Debug, Clone, Serialize)]
pub struct ErrorReport {
    pub code: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// The document of `migrate verify --json`.
#[derive(Debug, Clone, Serialize)]
pub struct VerifyReport {
    pub command: &'static str,
    pub outcome: Outcome,
    pub table: String,
    /// Absent when every row was to be verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<SampleReport>,
    /// Of the source; more than one when a verification that was stopped went on.
    pub snapshots: u32,
    /// Whether every row was checked before it ended.
    #[serde(skip)]
    pub checked_all: bool,
    pub entities: IndexMap<String, VerifiedEntity>,
    /// In the order of the mapping.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub access_patterns: Vec<PatternReport>,
    /// Items that no row explains, where they were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orphans: Option<OrphanReport>,
    /// Only where wrong rows were to be repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<RepairReport>,
    /// Only where it was to be switched on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_live: Option<ExpiryReport>,
    /// Read capacity units of all requests, computed from the items' billed sizes.
    pub rcu: u64,
    pub elapsed_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorReport>,
}

/// Which rows were verified: enough to verify the same ones again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SampleReport {
    /// `1%`, or rows of each entity.
    pub size: String,
    pub seed: u64,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct VerifiedEntity {
    /// Rows read from the source, those outside the sample included.
    pub read: u64,
    /// Rows that were rebuilt: always the sum of all counts below.
    pub checked: u64,
    pub matching: u64,
    pub missing: u64,
    pub different: u64,
    /// Rows that make no item, by the same rules as the load, or that the load has rejected.
    pub rejected: u64,
    /// Rows that `on_collision` left out.
    pub skipped: u64,
    /// Missing items whose time to live has passed.
    pub expired: u64,
    /// Rows that the source changed meanwhile; the target is right about them as they are now.
    pub moved: u64,
    /// The first rows in source order whose item is missing or different.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
}

impl VerifyReport {
    /// There were rows, and none of them was checked.
    pub fn took_nothing(&self) -> bool {
        let mut entities = self.entities.values();
        entities.clone().any(|entity| entity.read > 0) && entities.all(|entity| entity.checked == 0)
    }
}

impl VerifiedEntity {
    pub fn is_wrong(&self) -> bool {
        self.missing > 0 || self.different > 0
    }
}

#[derive(Debug, Clone, Serialize)]
pub struct Difference {
    /// The item's key as DynamoDB JSON.
    pub key: serde_json::Value,
    pub source_key: IndexMap<String, String>,
    /// Empty when the item is missing.
    pub attributes: Vec<AttributeDifference>,
    /// What became of it where it was to be repaired: `put`, `replaced`, `moved`, `left`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<&'static str>,
    /// Why it was left as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AttributeDifference {
    pub name: String,
    /// `missing`, `unexpected`, `different`.
    pub what: &'static str,
    /// DynamoDB JSON of both sides, only with `--show-values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<serde_json::Value>,
}

/// The end of a text whose command failed: what was wrong and what to do.
fn failure(error: Option<&ErrorReport>, otherwise: &str, style: Style) -> String {
    let Some(error) = error else { return style.paint(Meaning::Wrong, otherwise) + "\n" };
    let message = style.paint(Meaning::Wrong, &format!("{otherwise} {}", lines(&error.message)));
    let help = error.help.as_ref().map(|help| format!("help: {}\n", lines(help)));
    format!("{message}\n{}", help.unwrap_or_default())
}

fn lines(text: &str) -> String {
    text.lines().map(printable).collect::<Vec<_>>().join("\n")
}
