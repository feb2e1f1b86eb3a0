//! The text of a verification.

use super::cost::{counted, elapsed, thousands};
use super::patterns::{self, patterns_text};
use super::text::{Meaning, Style, Table, compact, printable, width, wrapped};
use super::{
    AttributeDifference, Difference, Outcome, VerifiedEntity, VerifyReport, expiry, orphans, repair,
};

/// What was checked, what is wrong, the first wrong rows, and what that proves.
///
/// Values appear only where the report holds them.
pub fn verify_text(report: &VerifyReport, style: Style) -> String {
    let wrong = report.entities.iter().filter(|(_, entity)| !entity.differences.is_empty());
    let mut sections = vec![heading(report), table(report, style)];
    let would = report.repair.as_ref().is_some_and(|repair| repair.dry_run);
    sections.extend(wrong.map(|(name, entity)| differences(name, entity, would, style)));
    sections.extend(report.repair.iter().map(|repaired| repair::section(repaired, style)));
    sections.extend(report.orphans.as_ref().map(|found| orphans::section(found, style)));
    sections.push(patterns_text(&report.access_patterns, style));
    let expiry = report.time_to_live.as_ref().map(|live| expiry::section(live, style));
    sections.push(notes(report, style) + &ending(report, style) + &expiry.unwrap_or_default());
    sections.retain(|section| !section.is_empty());
    sections.join("\n")
}

fn heading(report: &VerifyReport) -> String {
    let rows = match &report.sample {
        None => "every row".to_owned(),
        Some(sample) => {
            let of = if sample.size.ends_with('%') { "of all rows" } else { "rows of each entity" };
            format!("a sample of {} {of}, seed {}", sample.size, sample.seed)
        }
    };
    format!(
        "Verified table {} against its source: {rows} · {}\n",
        printable(&report.table),
        elapsed(report.elapsed_seconds)
    )
}

fn table(report: &VerifyReport, style: Style) -> String {
    let total = total(report);
    let extra = [("skipped", total.skipped), ("expired", total.expired), ("moved", total.moved)];
    let mut header = vec!["entity", "rows", "checked", "matching", "missing", "different", "rejected"];
    header.extend(extra.iter().filter(|(_, count)| *count > 0).map(|(name, _)| *name));
    let mut table = Table::new(&header);
    for (name, entity) in &report.entities {
        table.row(name, numbers(entity, &total));
    }
    table.row("total", numbers(&total, &total));
    table.text(style)
}

fn numbers(entity: &VerifiedEntity, total: &VerifiedEntity) -> Vec<(u64, Meaning)> {
    let mut numbers = vec![
        (entity.read, Meaning::Plain),
        (entity.checked, Meaning::Plain),
        (entity.matching, Meaning::Fine),
        (entity.missing, Meaning::Wrong),
        (entity.different, Meaning::Wrong),
        (entity.rejected, Meaning::Attention),
    ];
    let extra =
        [(entity.skipped, total.skipped), (entity.expired, total.expired), (entity.moved, total.moved)];
    numbers
        .extend(extra.iter().filter(|(_, total)| *total > 0).map(|(count, _)| (*count, Meaning::Attention)));
    numbers
}

fn total(report: &VerifyReport) -> VerifiedEntity {
    let sum = |count: fn(&VerifiedEntity) -> u64| report.entities.values().map(count).sum();
    VerifiedEntity {
        read: sum(|entity| entity.read),
        checked: sum(|entity| entity.checked),
        matching: sum(|entity| entity.matching),
        missing: sum(|entity| entity.missing),
        different: sum(|entity| entity.different),
        rejected: sum(|entity| entity.rejected),
        skipped: sum(|entity| entity.skipped),
        expired: sum(|entity| entity.expired),
        moved: sum(|entity| entity.moved),
        differences: Vec::new(),
    }
}

/// `would`: what is said of repairs has not happened.
fn differences(name: &str, entity: &VerifiedEntity, would: bool, style: Style) -> String {
    let (missing, different) = (thousands(entity.missing), thousands(entity.different));
    let all = entity.missing.saturating_add(entity.different);
    let shown = u64::try_from(entity.differences.len()).unwrap_or(u64::MAX);
    let which = if shown < all { format!("; the first {}", thousands(shown)) } else { String::new() };
    let heading = format!("{}: {missing} missing, {different} different{which}\n", printable(name));
    heading + &entity.differences.iter().map(|difference| row(difference, would, style)).collect::<String>()
}

fn row(difference: &Difference, would: bool, style: Style) -> String {
    let what = if difference.attributes.is_empty() { "missing" } else { "different" };
    let parts = difference.source_key.iter();
    let source_key: Vec<String> =
        parts.map(|(name, value)| format!("{}={}", printable(name), printable(value))).collect();
    let what = style.paint(Meaning::Wrong, &format!("{what:<9}"));
    let arrow = if would { "→ would be" } else { "→" };
    let repair = difference.repair.map(|repair| format!("  {arrow} {repair}")).unwrap_or_default();
    let why = difference.why.as_ref().map(|why| format!(": {}", printable(why))).unwrap_or_default();
    let heading = format!("  {what}  {}  {}{repair}{why}\n", source_key.join(" "), compact(&difference.key));
    heading + &attributes(&difference.attributes)
}

pub(super) fn attributes(attributes: &[AttributeDifference]) -> String {
    let names = attributes.iter().map(|attribute| width(&printable(&attribute.name)));
    let widest = names.max().unwrap_or_default();
    attributes.iter().map(|one| attribute(one, widest)).collect()
}

fn attribute(attribute: &AttributeDifference, widest: usize) -> String {
    let name = printable(&attribute.name);
    let space = " ".repeat(widest - width(&name));
    let mut line = format!("    {name}{space}  {}", attribute.what);
    if attribute.expected.is_some() || attribute.found.is_some() {
        line += &" ".repeat("unexpected".len().saturating_sub(attribute.what.len()));
    }
    if let Some(expected) = &attribute.expected {
        line += &format!("  expected {}", compact(expected));
    }
    if let Some(found) = &attribute.found {
        line += &format!("  found {}", compact(found));
    }
    line + "\n"
}

fn notes(report: &VerifyReport, style: Style) -> String {
    let unsampled = |entity: &VerifiedEntity| entity.read > 0 && entity.checked == 0;
    let mut notes: Vec<String> = Vec::new();
    if report.sample.is_some() {
        let untouched = report.entities.iter().filter(|(_, entity)| unsampled(entity));
        notes.extend(untouched.map(|(name, entity)| {
            let rows = counted(entity.read, "row", "rows");
            format!("{}: nothing was checked, the sample took none of {rows}", printable(name))
        }));
    }
    if report.snapshots > 1 {
        notes.push(format!(
            "in {} parts, each by a snapshot of the source of its own",
            thousands(u64::from(report.snapshots))
        ));
    }
    let VerifiedEntity { rejected, skipped, expired, moved, .. } = total(report);
    if rejected > 0 {
        let rows = counted(rejected, "rejected row has", "rejected rows have");
        notes.push(format!(
            "{rows} no item, by the mapping's rules or as the load found; they are not in the target"
        ));
    }
    if skipped > 0 {
        let rows = counted(skipped, "skipped row has", "skipped rows have");
        notes.push(format!("{rows} no item: `on_collision` chose another row with its key"));
    }
    if expired > 0 {
        let items = counted(expired, "item has", "items have");
        notes.push(format!("{items} expired and may be gone: the table's time to live is on"));
    }
    if moved > 0 {
        let rows = counted(moved, "row was", "rows were");
        notes.push(format!(
            "{rows} changed in the source meanwhile; the target is right about them as they are now"
        ));
    }
    notes.into_iter().map(|note| style.paint(Meaning::Attention, &note) + "\n").collect()
}

fn ending(report: &VerifyReport, style: Style) -> String {
    let total = total(report);
    let checked = counted(total.checked, "checked row", "checked rows");
    let all_wrong = total.missing.saturating_add(total.different);
    let wrong = thousands(all_wrong);
    let (meaning, text) = match report.outcome {
        // Why is told by whoever tells of failures.
        Outcome::Failed => (Meaning::Wrong, "Failed; this proves nothing.".to_owned()),
        Outcome::Interrupted => (Meaning::Attention, interrupted(report, &checked, &wrong)),
        _ if all_wrong > 0
            && let Some(repaired) = &report.repair =>
        {
            repair::ending(repaired, all_wrong, &checked)
        }
        _ if all_wrong > 0 => {
            let next = "If the load is not finished, finish it first; then --repair --dry-run shows what mends them, and --repair --yes mends them.";
            (
                Meaning::Wrong,
                format!("{wrong} of {checked} {} wrong in the target (exit code 5). {next}", are(all_wrong)),
            )
        }
        _ if total.read == 0 => {
            (Meaning::Attention, "The source has no rows; nothing was checked.".to_owned())
        }
        _ if total.checked == 0 => (Meaning::Attention, "Nothing was checked.".to_owned()),
        _ if report.snapshots > 1 => (Meaning::Attention, in_parts(report.snapshots)),
        _ => (Meaning::Fine, proven(report, &total)),
    };
    let orphaned =
        report.orphans.as_ref().filter(|orphans| orphans.known > 0 && report.outcome != Outcome::Interrupted);
    let orphaned = orphaned.map(orphans::ending);
    let last =
        std::iter::once((meaning, text)).chain(orphaned).chain(patterns::ending(&report.access_patterns));
    last.map(|(meaning, text)| style.paint(meaning, &wrapped(&text)) + "\n").collect()
}

fn interrupted(report: &VerifyReport, checked: &str, wrong: &str) -> String {
    let rest = match report.checked_all {
        true => "that is all rows, but not all that was to be done",
        false => "the rest is unknown",
    };
    format!("Interrupted after {checked}, {wrong} of them wrong; {rest}. The same command goes on.")
}

/// What an earlier part has checked may be otherwise by now.
fn in_parts(snapshots: u32) -> String {
    format!(
        "Every row matched when it was checked, in {} parts; what has changed since its part is not proven. \
         --restart checks all rows by one snapshot.",
        thousands(u64::from(snapshots))
    )
}

pub(super) fn are(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

pub(super) fn were(count: u64) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

fn proven(report: &VerifyReport, total: &VerifiedEntity) -> String {
    let unchecked = total.read.saturating_sub(total.checked);
    match (&report.sample, unchecked) {
        (Some(_), 1..) => {
            let rows = counted(unchecked, "other row was", "other rows were");
            format!("The target matches in every row of the sample; {rows} not checked.")
        }
        _ if report.orphans.as_ref().is_some_and(|orphans| orphans.known == 0) => {
            let of_export = report.orphans.as_ref().is_some_and(|orphans| orphans.segments.is_none());
            let others = if of_export { "was in the export" } else { "is" };
            format!(
                "Every item that the source makes is in the target, and equal; no other item of its entities {others}."
            )
        }
        _ => "Every item that the source makes is in the target, and equal.".to_owned(),
    }
}

#[cfg(test)]
mod tests;
