//! The items of a few rows, as data and as text.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value as Json;

use super::cost::{bytes, counted};
use super::rejects::advice;
use super::text::{Meaning, Style, printable, shortened, width};
use super::{ErrorReport, Outcome};

/// The document of `migrate preview --json`.
#[derive(Debug, Clone, Serialize)]
pub struct PreviewReport {
    pub command: &'static str,
    pub outcome: Outcome,
    pub table: String,
    pub entities: IndexMap<String, PreviewedEntity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorReport>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct PreviewedEntity {
    /// In the order of the source key.
    pub rows: Vec<PreviewedRow>,
}

/// A row, and its item or why it makes none.
#[derive(Debug, Clone, Serialize)]
pub struct PreviewedRow {
    pub source_key: IndexMap<String, String>,
    #[serde(flatten)]
    pub made: Option<Made>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<RejectedRow>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Made {
    /// DynamoDB JSON.
    pub item: Json,
    /// The indexes that the item enters.
    pub indexes: Vec<String>,
    /// Billed bytes.
    pub size: u32,
    /// Write capacity units, computed from billed sizes, indexes included.
    pub wcu: u64,
}

#[derive(Debug, Clone, Serialize)]
pub struct RejectedRow {
    pub rule: String,
    /// The column or, where there is none, the attribute at fault.
    pub column: Option<String>,
    pub message: String,
}

impl PreviewedEntity {
    pub fn has_rejected(&self) -> bool {
        self.rows.iter().any(|row| row.rejected.is_some())
    }
}

/// A block a row: source key, size and indexes, then the item.
pub fn preview_text(report: &PreviewReport, style: Style) -> String {
    let blocks = report.entities.iter().flat_map(|(name, entity)| entity_blocks(name, entity, style));
    let mut blocks: Vec<String> = blocks.collect();
    blocks.extend(ending(report, style));
    blocks.join("\n")
}

fn entity_blocks(name: &str, entity: &PreviewedEntity, style: Style) -> Vec<String> {
    if entity.rows.is_empty() {
        let none = style.paint(Meaning::Attention, "no rows");
        return vec![format!("{}: {none}\n", printable(name))];
    }
    entity.rows.iter().map(|row| block(name, row, style)).collect()
}

fn block(name: &str, row: &PreviewedRow, style: Style) -> String {
    let key: Vec<String> = row.source_key.iter().map(|(column, value)| format!("{column}={value}")).collect();
    let heading = printable(&format!("{name} {}", key.join(" ")));
    match (&row.made, &row.rejected) {
        (Some(made), _) => format!("{heading}\n  {}\n{}\n", cost(made), pretty(&made.item)),
        (None, Some(rejected)) => format!("{heading}\n{}", why(rejected, style)),
        (None, None) => format!("{heading}\n"),
    }
}

fn cost(made: &Made) -> String {
    let indexes = match made.indexes.as_slice() {
        [] => "in no index".to_owned(),
        indexes => format!("in {}", printable(&indexes.join(", "))),
    };
    format!("{} · {} WCU · {indexes}", bytes(u64::from(made.size)), made.wcu)
}

fn why(rejected: &RejectedRow, style: Style) -> String {
    let column = rejected.column.as_ref().map(|column| format!(" `{}`", printable(column)));
    let rule = format!("rejected: {}{}", rejected.rule, column.unwrap_or_default());
    let mut text = format!("  {}: {}\n", style.paint(Meaning::Wrong, &rule), printable(&rejected.message));
    // A message that knows the place of the value knows better what helps there.
    let advised = rejected.message.contains("; ");
    if let Some(advice) = advice(&rejected.rule).filter(|_| !advised) {
        text += &format!("  help: {advice}\n");
    }
    text
}

fn ending(report: &PreviewReport, style: Style) -> Option<String> {
    let rows = || report.entities.values().flat_map(|entity| &entity.rows);
    let count = |rows: usize| u64::try_from(rows).unwrap_or(u64::MAX);
    let rejected = count(rows().filter(|row| row.rejected.is_some()).count());
    let all = counted(count(rows().count()), "row", "rows");
    let text = format!("{rejected} of {all} would be rejected (exit code 4).");
    (rejected > 0).then(|| style.paint(Meaning::Attention, &text) + "\n")
}

/// Columns that a value may take before it is broken into lines.
const WIDTH: usize = 100;

/// Characters of a text; the document has all of them.
const LONGEST_TEXT: usize = 240;

/// JSON with as much on one line as fits.
fn pretty(value: &Json) -> String {
    let mut text = String::new();
    write(&shortened(value, LONGEST_TEXT), 0, true, &mut text);
    printable_lines(&text)
}

/// `broken`: over several lines even where it would fit into one.
fn write(value: &Json, depth: usize, broken: bool, text: &mut String) {
    let line = spaced(value);
    if !broken && depth * 2 + width(&line) <= WIDTH {
        text.push_str(&line);
        return;
    }
    match value {
        Json::Object(members) if !members.is_empty() => {
            let member = |name: &str| format!("{}: ", Json::from(name));
            let members = members.iter().map(|(name, value)| (member(name), value));
            lines(["{", "}"], members, depth, text);
        }
        Json::Array(members) if !members.is_empty() => {
            lines(["[", "]"], members.iter().map(|value| (String::new(), value)), depth, text);
        }
        _ => text.push_str(&line),
    }
}

fn lines<'a>(
    [open, close]: [&str; 2],
    members: impl Iterator<Item = (String, &'a Json)>,
    depth: usize,
    text: &mut String,
) {
    text.push_str(open);
    for (at, (head, value)) in members.enumerate() {
        let comma = if at == 0 { "" } else { "," };
        text.push_str(&format!("{comma}\n{}{head}", "  ".repeat(depth + 1)));
        write(value, depth + 1, false, text);
    }
    text.push_str(&format!("\n{}{close}", "  ".repeat(depth)));
}

/// `{"S": "text"}` on one line.
fn spaced(value: &Json) -> String {
    let list =
        |[open, close]: [&str; 2], members: Vec<String>| format!("{open}{}{close}", members.join(", "));
    match value {
        Json::Object(members) => {
            let member =
                |(name, value): (&String, &Json)| format!("{}: {}", Json::from(name.as_str()), spaced(value));
            list(["{", "}"], members.iter().map(member).collect())
        }
        Json::Array(members) => list(["[", "]"], members.iter().map(spaced).collect()),
        other => other.to_string(),
    }
}

fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
