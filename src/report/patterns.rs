//! What access patterns were asked and answered: data and text.

use indexmap::IndexMap;
use serde::Serialize;

use super::AttributeDifference;
use super::cost::{counted, thousands};
use super::text::{Meaning, Style, Table, compact, printable};
use super::verify::attributes;

/// Stands in `skipped_by`, beside the rules by which a row makes no key.
pub const BETWEEN_REVERSED: &str = "between_reversed";

/// One pattern, asked for some rows of its `params`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PatternReport {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// `query` or `get_item`.
    pub operation: &'static str,
    /// Rows of `params` that were asked for.
    pub params: u64,
    /// Rows that it has.
    pub rows: u64,
    /// Rows of `params` that make no key, by rule, or no question ([`BETWEEN_REVERSED`]).
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub skipped_by: IndexMap<String, u64>,
    /// Rows of `params` whose answer was wrong.
    pub wrong: u64,
    /// Items that are as they should be.
    pub items: u64,
    pub missing: u64,
    pub unexpected: u64,
    pub different: u64,
    pub out_of_order: u64,
    /// Rows that `returns` names and that are not in the index.
    pub not_in_index: u64,
    /// Rows that `returns` names and that make no item.
    pub rejected: u64,
    /// Requests for one row of `params`, on average.
    pub requests: Option<f64>,
    /// Read units for one row of `params`, on average, at the price of eventually consistent reads.
    pub rcu: Option<f64>,
    /// Time of the requests for one row of `params`.
    pub p50_ms: Option<f64>,
    pub p99_ms: Option<f64>,
    pub source: SourceCost,
    pub one_table_per_entity: SeparateCost,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<PatternExample>,
}

/// What the same answer takes in the source.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SourceCost {
    /// SQL statements for one row of `params`.
    pub statements: u64,
    pub p50_ms: Option<f64>,
    pub p99_ms: Option<f64>,
}

/// What the same answer would take with a DynamoDB table for each entity, computed from the same items.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SeparateCost {
    pub requests: Option<f64>,
    pub rcu: Option<f64>,
}

/// An item that makes an answer wrong.
#[derive(Debug, Clone, Serialize)]
pub struct PatternExample {
    /// `missing`, `unexpected`, `different`, `out_of_order`.
    pub what: &'static str,
    /// Those that keys are made of; the others too where values are shown.
    pub params: IndexMap<String, String>,
    /// Unknown of an item that nothing explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// The item's key in the table, as DynamoDB JSON.
    pub key: serde_json::Value,
    /// What differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<AttributeDifference>,
}

impl PatternReport {
    pub fn is_wrong(&self) -> bool {
        self.wrong > 0
    }

    /// There are rows of `params`, and for none of them the table was asked.
    pub fn is_unasked(&self) -> bool {
        self.params == 0 && !self.skipped_by.is_empty()
    }
}

/// The patterns in a table, then the first items that make answers wrong; empty without patterns.
pub(super) fn patterns_text(patterns: &[PatternReport], style: Style) -> String {
    if patterns.is_empty() {
        return String::new();
    }
    let mut table =
        Table::new(&["access pattern", "params", "items", "wrong", "reads", "RCU", "p50 ms", "p99 ms"]);
    for pattern in patterns {
        table.texts(&pattern.name, answers(pattern));
        table.texts("  by SQL", elsewhere(in_source(&pattern.source)));
        table.texts("  by tables apart", elsewhere(apart(&pattern.one_table_per_entity)));
    }
    let wrong = patterns.iter().filter(|pattern| pattern.is_wrong());
    let mut text = table.text(style) + LEGEND;
    text += &wrong.map(|pattern| format!("\n{}", wrong_text(pattern, style))).collect::<String>();
    text + &notes(patterns, style)
}

/// What the answers prove, if any was asked for.
pub(super) fn ending(patterns: &[PatternReport]) -> Option<(Meaning, String)> {
    let count = |wanted: fn(&PatternReport) -> bool| {
        let found = patterns.iter().filter(|pattern| pattern.params > 0 && wanted(pattern)).count();
        u64::try_from(found).unwrap_or(u64::MAX)
    };
    let (asked, wrong) = (count(|_| true), count(PatternReport::is_wrong));
    match (asked, wrong) {
        (0, _) => None,
        (_, 0) => {
            let patterns = counted(asked, "access pattern is", "access patterns are");
            Some((Meaning::Fine, format!("{patterns} answered as the source does.")))
        }
        _ => {
            let patterns = counted(wrong, "access pattern has", "access patterns have");
            Some((Meaning::Wrong, format!("{patterns} wrong answers (exit code 5). {WHY_WRONG}")))
        }
    }
}

const WHY_WRONG: &str = "Where the items themselves are right, the table holds others that no row explains, or the keys do not read what \
    `returns` names.";

const LEGEND: &str = "\
From `reads` on of one answer: requests or SQL statements, read units (eventually
consistent), time. Tables apart: if each entity had one of its own.
";

type Cells<const N: usize> = [Option<String>; N];

fn answers(pattern: &PatternReport) -> Vec<(Option<String>, Meaning)> {
    let wrong = if pattern.is_wrong() { Meaning::Wrong } else { Meaning::Plain };
    let params = if pattern.params == 0 { Meaning::Attention } else { Meaning::Plain };
    let counts = [(pattern.params, params), (pattern.items, Meaning::Plain), (pattern.wrong, wrong)];
    let takes = [pattern.requests, pattern.rcu, pattern.p50_ms, pattern.p99_ms];
    let mut counts =
        counts.into_iter().map(|(count, meaning)| (Some(thousands(count)), meaning)).collect::<Vec<_>>();
    if let Some((Some(params), _)) = counts.first_mut().filter(|_| pattern.rows > pattern.params) {
        params.push_str(&format!(" of {}", thousands(pattern.rows)));
    }
    counts.into_iter().chain(takes.map(|number| (number.map(decimal), Meaning::Plain))).collect()
}

fn in_source(cost: &SourceCost) -> Cells<4> {
    let none = Some(String::new());
    [Some(thousands(cost.statements)), none, cost.p50_ms.map(decimal), cost.p99_ms.map(decimal)]
}

/// Nobody has measured their time.
fn apart(cost: &SeparateCost) -> Cells<4> {
    let none = Some(String::new());
    [cost.requests.map(decimal), cost.rcu.map(decimal), none.clone(), none]
}

/// What the same answer takes elsewhere, below the pattern's own.
fn elsewhere(takes: Cells<4>) -> Vec<(Option<String>, Meaning)> {
    let none = std::iter::repeat_n(Some(String::new()), 3);
    none.chain(takes).map(|text| (text, Meaning::Plain)).collect()
}

/// `1`, `0.5`, `12.34`
fn decimal(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn wrong_text(pattern: &PatternReport, style: Style) -> String {
    let kinds = [
        (pattern.missing, "missing"),
        (pattern.unexpected, "unexpected"),
        (pattern.different, "different"),
        (pattern.out_of_order, "out of order"),
    ];
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", thousands(*count)))
        .collect();
    let (wrong, asked) = (thousands(pattern.wrong), thousands(pattern.params));
    let name = printable(&pattern.name);
    let heading = format!("{name}: {wrong} of {asked} answers are wrong: items {}\n", kinds.join(", "));
    heading + &pattern.examples.iter().map(|example| example_text(example, style)).collect::<String>()
}

fn example_text(example: &PatternExample, style: Style) -> String {
    let what = style.paint(Meaning::Wrong, &format!("{:<12}", example.what.replace('_', " ")));
    let entity =
        example.entity.as_deref().map(|entity| format!("  {}", printable(entity))).unwrap_or_default();
    let params: Vec<String> = example
        .params
        .iter()
        .map(|(name, value)| format!("{}={}", printable(name), printable(value)))
        .collect();
    let params = if params.is_empty() { String::new() } else { format!("  {}", params.join(" ")) };
    format!("  {what}{params}{entity}  {}\n", compact(&example.key)) + &attributes(&example.attributes)
}

fn notes(patterns: &[PatternReport], style: Style) -> String {
    let note = |pattern: &PatternReport| {
        let name = printable(&pattern.name);
        unasked(pattern).into_iter().chain(unproven(pattern)).map(move |note| format!("{name}: {note}"))
    };
    patterns.iter().flat_map(note).map(|note| style.paint(Meaning::Attention, &note) + "\n").collect()
}

/// What was not asked, and why.
fn unasked(pattern: &PatternReport) -> Vec<String> {
    let skipped: u64 = pattern.skipped_by.values().sum();
    let reversed = pattern.skipped_by.get(BETWEEN_REVERSED).copied().unwrap_or(0);
    let mut notes = Vec::new();
    if pattern.params == 0 {
        let why = if skipped == 0 { ", `params` returned no row" } else { "" };
        notes.push(format!("nothing was asked{why}"));
    }
    if skipped > reversed {
        let rows = counted(
            skipped - reversed,
            "row of `params` makes no key and was",
            "rows of `params` make no key and were",
        );
        notes.push(format!("{rows} not asked"));
    }
    if reversed > 0 {
        let rows = counted(reversed, "row of `params` was", "rows of `params` were");
        notes.push(format!("{rows} not asked: the lower bound of `between` is above the\n  upper one, for which an application gets an error"));
    }
    notes
}

/// What an answer that is right says little about.
fn unproven(pattern: &PatternReport) -> Vec<String> {
    let PatternReport { params, not_in_index, rejected, .. } = *pattern;
    let mut notes = Vec::new();
    if params > 0 && !pattern.is_wrong() && pattern.items == 0 {
        notes.push("all answers were empty, in the table and in the source".to_owned());
    }
    if not_in_index > 0 {
        let rows = counted(not_in_index, "row", "rows");
        notes.push(format!("{rows} that `returns` names, not in the index: a key of it is NULL or\n  empty there, or `when` does not hold"));
    }
    if rejected > 0 {
        notes.push(format!("{} that `returns` names, rejected", counted(rejected, "row", "rows")));
    }
    notes
}

#[cfg(test)]
mod tests;
