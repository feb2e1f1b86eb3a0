//! Rows that share their item keys, as text.

use super::cost::{counted, thousands};
use super::text::{Meaning, Style, printable};
use super::{CollisionReport, KeyedRow};

/// How many there are, and examples; empty where every row has a key of its own.
pub(super) fn collisions(report: Option<&CollisionReport>, style: Style) -> String {
    let Some(report) = report.filter(|report| report.keys > 0) else { return String::new() };
    let keys =
        counted(report.keys, "item key is that of several rows", "item keys are those of several rows");
    let mut text =
        style.paint(Meaning::Attention, &format!("{keys} ({} rows counted)", thousands(report.rows)));
    text.push('\n');
    for example in &report.examples {
        text += &format!("  {} is kept, {} is not\n", row(&example.kept), row(&example.lost));
    }
    text
}

/// `Visit (id = 7)`
fn row(row: &KeyedRow) -> String {
    let key: Vec<String> = row
        .source_key
        .iter()
        .map(|(name, text)| format!("{} = {}", printable(name), printable(text)))
        .collect();
    format!("{} ({})", printable(&row.entity), key.join(", "))
}
