//! What became of wrong rows that were to be repaired.

use std::path::Path;

use serde::Serialize;

use super::cost::{counted, thousands};
use super::text::{Meaning, Style, printable};
use super::verify::{are, were};
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
    /// Of changes that are written down there; without a log none is made.
    pub(crate) fn logged(log: Option<&Path>) -> Self {
        Self { dry_run: log.is_none(), log: log.map(|path| path.display().to_string()), ..Self::default() }
    }

    pub(crate) fn count(&mut self, became: &Became) {
        match became {
            Became::Put => self.put += 1,
            Became::Replaced { .. } => self.replaced += 1,
            Became::Moved => self.moved += 1,
            Became::Left(_) => self.left += 1,
            // Such a row is not wrong any more; items without a row are counted by themselves.
            Became::Right | Became::Deleted { .. } => {}
        }
    }

    /// Nothing is logged where nothing was to be done.
    pub(crate) fn ended(mut self) -> Self {
        self.log = self.log.take().filter(|_| self.total() > 0);
        self
    }

    fn total(&self) -> u64 {
        self.put + self.replaced + self.moved + self.left
    }

    /// All of the rows that were found wrong are mended.
    pub(crate) fn is_all(&self, wrong: u64) -> bool {
        !self.dry_run && self.put + self.replaced == wrong
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
pub(super) fn ending(report: &RepairReport, wrong: u64, checked: &str) -> (Meaning, String) {
    let mended = report.put + report.replaced;
    let rows = format!("{} of {checked}", thousands(wrong));
    if report.is_all(wrong) {
        let were = were(wrong);
        let text = format!("{rows} {were} wrong in the target; all are repaired. Verify again to prove it.");
        return (Meaning::Fine, text);
    }
    let text = match report.dry_run {
        true => {
            let next = if mended > 0 { "leave out --dry-run to repair them" } else { "none would be" };
            let are = are(wrong);
            format!("{rows} {are} wrong in the target (exit code 5). Nothing was written; {next}.")
        }
        false => {
            let still = wrong.saturating_sub(mended);
            let next = match (report.moved > 0, report.left > 0) {
                (true, _) => " Where others write, stop them and verify again.",
                (false, true) => " Each says why it was left.",
                (false, false) => "",
            };
            let (were, still, are) = (were(wrong), thousands(still), are(still));
            format!("{rows} {were} wrong in the target, {still} still {are} (exit code 5).{next}")
        }
    };
    (Meaning::Wrong, text)
}
