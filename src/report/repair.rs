//! What became of wrong rows that were to be repaired.

use std::path::Path;

use serde::Serialize;

use super::cost::{counted, thousands};
use super::text::{Meaning, Style, printable};
use crate::verify::Became;

/// Rows of this run, by what became of them.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RepairReport {
    /// Nothing was written: what would have become of them.
    pub dry_run: bool,
    /// Missing items that were put.
    pub put: u64,
    /// Different items that were replaced.
    pub replaced: u64,
    /// Rows whose item somebody else has changed meanwhile: left as they are.
    pub moved: u64,
    /// Rows whose item could not be changed.
    pub left: u64,
    /// Where every change is written down, with the item as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
}

impl RepairReport {
    pub(crate) fn of<'a>(rows: impl Iterator<Item = &'a Became>) -> Self {
        let mut report = Self::default();
        for row in rows {
            match row {
                Became::Put => report.put += 1,
                Became::Replaced { .. } => report.replaced += 1,
                Became::Moved => report.moved += 1,
                Became::Left(_) => report.left += 1,
                // Such a row matches.
                Became::Right => {}
            }
        }
        report
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.put += other.put;
        self.replaced += other.replaced;
        self.moved += other.moved;
        self.left += other.left;
    }

    /// With the log of the changes; without one, none was made.
    pub(crate) fn logged(self, log: Option<&Path>) -> Self {
        let dry_run = log.is_none();
        let log = match self.total() {
            0 => None,
            _ => log.map(|path| path.display().to_string()),
        };
        Self { dry_run, log, ..self }
    }

    fn total(&self) -> u64 {
        self.put + self.replaced + self.moved + self.left
    }

    /// Nothing wrong was left.
    pub fn is_all(&self) -> bool {
        !self.dry_run && self.moved == 0 && self.left == 0
    }
}

/// What was changed, what was not, and where it is written down; empty where nothing was to be done.
pub(super) fn section(report: &RepairReport, style: Style) -> String {
    if report.total() == 0 {
        return String::new();
    }
    let verb = if report.dry_run { "Would be repaired" } else { "Repaired" };
    let mut text = format!(
        "{verb}: {}, {} replaced\n",
        counted(report.put, "item", "items") + " put",
        thousands(report.replaced)
    );
    let left = [(report.moved, "changed by others meanwhile"), (report.left, "that could not be changed")];
    let left: Vec<String> = left
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{} {why}", counted(*count, "item", "items")))
        .collect();
    if !left.is_empty() {
        text += &style.paint(Meaning::Attention, &format!("Left as they are: {}", left.join(", ")));
        text.push('\n');
    }
    if let Some(log) = &report.log {
        text += &format!("Each change is in {}, with the item as it was before\n", printable(log));
    }
    text
}

/// The last word on wrong rows that were to be repaired.
pub(super) fn ending(report: &RepairReport, wrong: &str, checked: &str) -> (Meaning, String) {
    if report.is_all() {
        let text = format!(
            "{wrong} of {checked} were wrong in the target; all are repaired. Verify again to prove it."
        );
        return (Meaning::Fine, text);
    }
    let text = match report.dry_run {
        true => format!(
            "{wrong} of {checked} are wrong in the target (exit code 5). Nothing was written; leave out --dry-run to repair them."
        ),
        false => {
            let still = thousands(report.moved + report.left);
            format!(
                "{wrong} of {checked} were wrong in the target, {still} still are (exit code 5). Where others write, stop them and verify \
                 again."
            )
        }
    };
    (Meaning::Wrong, text)
}
