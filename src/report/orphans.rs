//! Items that no source row explains, as data and as text.

use std::path::Path;

use indexmap::IndexMap;
use serde::Serialize;

use super::cost::{counted, thousands};
use super::text::{Meaning, Style, compact, printable};

/// What `verify --orphans` found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct OrphanReport {
    /// Items of the table: always `explained + known + unknown + gone`.
    pub scanned: u64,
    /// Items with the key of a row.
    pub explained: u64,
    /// Items of the mapping's entities without a row.
    pub known: u64,
    /// Other items.
    pub unknown: u64,
    /// Items without a row that were no longer there when they were read again.
    pub gone: u64,
    pub entities: IndexMap<String, OrphanedEntity>,
    /// Other items by the type that they say they have, the most first.
    pub others: Vec<OtherItems>,
    /// Pieces in which the table was read; absent for an export.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<u32>,
    /// Only where they were to be deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion: Option<DeletionReport>,
    /// Read units that the Scan took, as the service says, and those of reading items again, as computed.
    pub rcu: f64,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct OrphanedEntity {
    pub items: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<OrphanExample>,
}

#[derive(Debug, Clone, Serialize)]
pub struct OtherItems {
    /// Absent where they do not say, and beyond fifty types.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    pub items: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<OrphanExample>,
}

#[derive(Debug, Clone, Serialize)]
pub struct OrphanExample {
    /// The item's key as DynamoDB JSON.
    pub key: serde_json::Value,
    /// What became of it where it was to be deleted: `deleted`, `moved`, `left`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion: Option<&'static str>,
    /// Why it was left as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Orphans that were to be deleted, by what became of them.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DeletionReport {
    /// Nothing was written: what would have become of them.
    pub dry_run: bool,
    pub deleted: u64,
    /// Changed by somebody else meanwhile: left as they are.
    pub moved: u64,
    /// Not deleted: could not be, or nothing of their entity is in the source.
    pub left: u64,
    /// Where every change is written down, with the item as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
}

impl DeletionReport {
    /// Of deletions that are written down there; without a log none is made.
    pub(crate) fn logged(self, log: Option<&Path>) -> Self {
        let is_empty = self.deleted + self.moved + self.left == 0;
        let path = log.filter(|_| !is_empty).map(|path| path.display().to_string());
        Self { dry_run: log.is_none(), log: path, ..self }
    }
}

impl OrphanReport {
    /// Orphans that are still in the table.
    pub fn remaining(&self) -> u64 {
        let deleted = self.deletion.as_ref().filter(|deletion| !deletion.dry_run);
        self.known.saturating_sub(deleted.map_or(0, |deletion| deletion.deleted))
    }

    pub(crate) fn examples_mut(&mut self) -> impl Iterator<Item = &mut OrphanExample> {
        let entities = self.entities.values_mut().flat_map(|entity| &mut entity.examples);
        entities.chain(self.others.iter_mut().flat_map(|others| &mut others.examples))
    }
}

/// Types of others' items, and examples of each, in the text.
const OTHERS_SHOWN: usize = 10;
const EXAMPLES_OF_OTHERS: usize = 1;

/// The section of a verification's text.
pub(super) fn section(report: &OrphanReport, style: Style) -> String {
    let known = counted(
        report.known,
        "item of the mapping's entities has no row",
        "items of the mapping's entities have no row",
    );
    let read = counted(report.scanned, "item", "items");
    let meaning = if report.known > 0 { Meaning::Wrong } else { Meaning::Fine };
    let mut text = format!("Orphans: {read} in {}\n{}\n", origin(report), style.paint(meaning, &known));
    for (name, entity) in report.entities.iter().filter(|(_, entity)| entity.items > 0) {
        text += &group(&printable(name), entity.items, &entity.examples, entity.examples.len());
    }
    text += &report.deletion.as_ref().map(|deletion| deleted(deletion, style)).unwrap_or_default();
    if report.unknown > 0 {
        let others = counted(report.unknown, "item is", "items are");
        let line = format!("{others} of no entity of the mapping: left alone");
        text += &(style.paint(Meaning::Attention, &line) + "\n");
        for others in report.others.iter().take(OTHERS_SHOWN) {
            let kind = others.kind.as_deref().map_or("without a type".to_owned(), printable);
            text += &group(&kind, others.items, &others.examples, EXAMPLES_OF_OTHERS);
        }
        let more = report.others.len().saturating_sub(OTHERS_SHOWN);
        if more > 0 {
            text += &format!("  and {more} more types\n");
        }
    }
    if report.gone > 0 {
        let gone = counted(report.gone, "item without a row was", "items without a row were");
        text += &format!("{gone} deleted meanwhile\n");
    }
    text
}

/// Empty where there was nothing to delete.
fn deleted(report: &DeletionReport, style: Style) -> String {
    let DeletionReport { deleted, moved, left, .. } = *report;
    if deleted + moved + left == 0 {
        return String::new();
    }
    let verb = if report.dry_run { "Would be deleted" } else { "Deleted" };
    let mut text = format!("{verb}: {}\n", counted(deleted, "orphan", "orphans"));
    let kept = [(moved, "changed by others meanwhile"), (left, "not deleted")];
    let kept = kept.iter().filter(|(count, _)| *count > 0);
    let kept: Vec<String> =
        kept.map(|(count, why)| format!("{} {why}", counted(*count, "item", "items"))).collect();
    if !kept.is_empty() {
        text += &(style.paint(Meaning::Attention, &format!("Left as they are: {}", kept.join(", "))) + "\n");
    }
    if let Some(log) = &report.log {
        text += &format!("Each deletion is in {}, with the item as it was before\n", printable(log));
    }
    text
}

/// The last word on orphans.
pub(super) fn ending(report: &OrphanReport) -> (Meaning, String) {
    let remaining = report.remaining();
    let (are, were) = (
        counted(report.known, "orphan is", "orphans are"),
        counted(report.known, "orphan was", "orphans were"),
    );
    let text = match &report.deletion {
        Some(deletion) if deletion.dry_run => {
            format!(
                "{are} in the target (exit code 5). Nothing was written; leave out --dry-run to delete them."
            )
        }
        Some(_) if remaining == 0 => {
            return (Meaning::Fine, format!("{were} in the target; all are deleted."));
        }
        Some(_) => format!("{were} in the target, {} still are (exit code 5).", thousands(remaining)),
        None => format!(
            "{are} in the target (exit code 5): rows that were deleted, or keys that the mapping no longer makes. \
             --delete-orphans --dry-run shows what would be deleted."
        ),
    };
    (Meaning::Wrong, text)
}

fn origin(report: &OrphanReport) -> String {
    let place = match report.segments {
        Some(segments) => format!("the table (Scan in {segments} segments, "),
        None => "the export (".to_owned(),
    };
    place + &units(report.rcu) + " read units)"
}

/// Whole units, with their half where there is one.
fn units(rcu: f64) -> String {
    let text = format!("{rcu:.1}");
    let (whole, half) = text.split_once('.').unwrap_or((&text, "0"));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), thousands);
    if half == "0" { whole } else { format!("{whole}.{half}") }
}

fn group(name: &str, items: u64, examples: &[OrphanExample], shown: usize) -> String {
    let keys = examples.iter().take(shown).map(line);
    let shown = u64::try_from(examples.len().min(shown)).unwrap_or(u64::MAX);
    let which = if shown < items { ", for example" } else { "" };
    format!("  {name}: {}{which}\n", thousands(items)) + &keys.collect::<String>()
}

fn line(example: &OrphanExample) -> String {
    let became = example.deletion.filter(|became| *became != "deleted");
    let became = became.map(|became| format!("  → {became}")).unwrap_or_default();
    let why = example.why.as_ref().map(|why| format!(": {}", printable(why))).unwrap_or_default();
    format!("    {}{became}{why}\n", compact(&example.key))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    fn example(id: u32) -> OrphanExample {
        OrphanExample { key: json!({"PK": {"S": format!("ORDER#{id}")}}), deletion: None, why: None }
    }

    fn report() -> OrphanReport {
        let order = OrphanedEntity { items: 1_200, examples: vec![example(1), example(2)] };
        let session =
            OtherItems { kind: Some("Session".to_owned()), items: 2, examples: vec![example(7), example(8)] };
        OrphanReport {
            scanned: 2_000,
            explained: 795,
            known: 1_200,
            unknown: 3,
            gone: 2,
            entities: [("User".to_owned(), OrphanedEntity::default()), ("Order".to_owned(), order)].into(),
            others: vec![session, OtherItems { kind: None, items: 1, examples: vec![example(9)] }],
            segments: Some(32),
            deletion: None,
            rcu: 12_345.5,
        }
    }

    #[test]
    fn orphans_and_others_are_told_apart() {
        expect![[r#"
            Orphans: 2,000 items in the table (Scan in 32 segments, 12,345.5 read units)
            1,200 items of the mapping's entities have no row
              Order: 1,200, for example
                {"PK":{"S":"ORDER#1"}}
                {"PK":{"S":"ORDER#2"}}
            3 items are of no entity of the mapping: left alone
              Session: 2, for example
                {"PK":{"S":"ORDER#7"}}
              without a type: 1
                {"PK":{"S":"ORDER#9"}}
            2 items without a row were deleted meanwhile
        "#]]
        .assert_eq(&section(&report(), Style { color: false }));
    }

    #[test]
    fn what_became_of_them_is_told() {
        let deletion = DeletionReport { dry_run: false, deleted: 1_197, moved: 2, left: 1, log: None };
        let mut deleted = OrphanReport { unknown: 0, others: Vec::new(), gone: 0, ..report() };
        deleted.deletion = Some(deletion.logged(Some(Path::new(".migrate/repairs.jsonl"))));
        let examples = &mut deleted.entities["Order"].examples;
        examples[0].deletion = Some("deleted");
        examples[1].deletion = Some("left");
        examples[1].why = Some("the service refuses it".to_owned());
        expect![[r#"
            Orphans: 2,000 items in the table (Scan in 32 segments, 12,345.5 read units)
            1,200 items of the mapping's entities have no row
              Order: 1,200, for example
                {"PK":{"S":"ORDER#1"}}
                {"PK":{"S":"ORDER#2"}}  → left: the service refuses it
            Deleted: 1,197 orphans
            Left as they are: 2 items changed by others meanwhile, 1 item not deleted
            Each deletion is in .migrate/repairs.jsonl, with the item as it was before
        "#]]
        .assert_eq(&section(&deleted, Style { color: false }));
        let endings = |report: &OrphanReport| ending(report).1;
        let mut dry = deleted.clone();
        dry.deletion = Some(DeletionReport { deleted: 1_200, ..DeletionReport::default() }.logged(None));
        let mut all = deleted.clone();
        all.deletion = Some(DeletionReport { deleted: 1_200, ..DeletionReport::default() });
        expect![[r#"
            1,200 orphans are in the target (exit code 5): rows that were deleted, or keys that the mapping no longer makes. --delete-orphans --dry-run shows what would be deleted.
            1,200 orphans are in the target (exit code 5). Nothing was written; leave out --dry-run to delete them.
            1,200 orphans were in the target, 3 still are (exit code 5).
            1,200 orphans were in the target; all are deleted."#]]
        .assert_eq(&[endings(&report()), endings(&dry), endings(&deleted), endings(&all)].join("\n"));
        assert_eq!([report(), dry, deleted, all].map(|report| report.remaining()), [1_200, 1_200, 3, 0]);
    }

    #[test]
    fn a_table_without_any_is_one_line() {
        let clean = OrphanReport { scanned: 5, explained: 5, ..OrphanReport::default() };
        expect![[r#"
            Orphans: 5 items in the export (0 read units)
            0 items of the mapping's entities have no row
        "#]]
        .assert_eq(&section(&clean, Style { color: false }));
    }
}
