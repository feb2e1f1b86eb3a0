//! Items that no source row explains, as data and as text.

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
}

/// Types of others' items, and examples of each, in the text.
const OTHERS_SHOWN: usize = 10;
const EXAMPLES_OF_OTHERS: usize = 1;

/// The section of a verification's text.
pub(super) fn orphans(report: &OrphanReport, style: Style) -> String {
    let known = counted(
        report.known,
        "of the mapping's entities has no row",
        "of the mapping's entities have no row",
    );
    let read = counted(report.scanned, "item", "items");
    let meaning = if report.known > 0 { Meaning::Wrong } else { Meaning::Fine };
    let mut text = format!("Orphans: {read} in {}; {}\n", origin(report), style.paint(meaning, &known));
    for (name, entity) in report.entities.iter().filter(|(_, entity)| entity.items > 0) {
        text += &group(&printable(name), entity.items, &entity.examples, entity.examples.len());
    }
    if report.unknown > 0 {
        let others = counted(report.unknown, "item is", "items are");
        let line = format!("{others} of no entity of the mapping; they are left alone");
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
    let keys = examples.iter().take(shown).map(|example| format!("    {}\n", compact(&example.key)));
    let shown = u64::try_from(examples.len().min(shown)).unwrap_or(u64::MAX);
    let which = if shown < items { ", for example" } else { "" };
    format!("  {name}: {}{which}\n", thousands(items)) + &keys.collect::<String>()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    fn example(id: u32) -> OrphanExample {
        OrphanExample { key: json!({"PK": {"S": format!("ORDER#{id}")}}) }
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
            rcu: 12_345.5,
        }
    }

    #[test]
    fn orphans_and_others_are_told_apart() {
        expect![[r#"
            Orphans: 2,000 items in the table (Scan in 32 segments, 12,345.5 read units); 1,200 of the mapping's entities have no row
              Order: 1,200, for example
                {"PK":{"S":"ORDER#1"}}
                {"PK":{"S":"ORDER#2"}}
            3 items are of no entity of the mapping; they are left alone
              Session: 2, for example
                {"PK":{"S":"ORDER#7"}}
              without a type: 1
                {"PK":{"S":"ORDER#9"}}
            2 items without a row were deleted meanwhile
        "#]]
        .assert_eq(&orphans(&report(), Style { color: false }));
    }

    #[test]
    fn a_table_without_any_is_one_line() {
        let clean = OrphanReport { scanned: 5, explained: 5, ..OrphanReport::default() };
        expect![[r#"
            Orphans: 5 items in the export (0 read units); 0 of the mapping's entities have no row
        "#]]
        .assert_eq(&orphans(&clean, Style { color: false }));
    }
}
