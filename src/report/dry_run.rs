//! The text of a dry run: what would be written, what would be rejected, and what it costs.

use serde_json::Value as Json;

use super::collisions::collisions;
use super::columns::columns;
use super::cost::{about, bytes, counted, elapsed, seconds_at, thousands};
use super::indexes::indexes;
use super::rejects::by_rule;
use super::run::compared;
use super::text::{Meaning, Style, by_name, compact, printable};
use super::{EntityReport, Outcome, RunReport, SizeSummary};

/// `rate` is the fixed rate asked for, in write capacity units per second; `None` for `auto`.
pub fn dry_run_text(report: &RunReport, rate: Option<u64>, style: Style) -> String {
    let heading = format!(
        "Dry run: nothing was written to table {} · {}\n",
        printable(&report.table),
        elapsed(report.elapsed_seconds)
    );
    let entities = report.entities.iter().map(|(name, entity)| section(name, entity, style));
    let indexes = indexes(&report.indexes, style);
    let last = [
        indexes,
        total(report, rate) + &compared(report, style),
        columns(&report.entities, style),
        collisions(report.collisions.as_ref(), style),
        by_rule(&report.entities, style),
        ending(report, style),
    ];
    let sections = std::iter::once(heading).chain(entities).chain(last);
    sections.filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n")
}

fn section(name: &str, entity: &EntityReport, style: Style) -> String {
    let mut text = format!("{}\n", printable(name));
    text += &line("rows", &thousands(entity.read));
    text += &line("items", &thousands(entity.items));
    if entity.rejected > 0 {
        let rejected = format!("{} ({})", thousands(entity.rejected), by_name(&entity.rejected_by));
        text += &line("rejected", &style.paint(Meaning::Wrong, &rejected));
    }
    if entity.skipped > 0 {
        text += &line("skipped", &format!("{} ({})", thousands(entity.skipped), by_name(&entity.skipped_by)));
    }
    if entity.items > 0 {
        text += &line("item size", &sizes(entity.size));
        text += &line("write units", &format!("{} WCU, indexes included", thousands(entity.wcu)));
    }
    text + &samples(&entity.samples)
}

fn line(label: &str, value: &str) -> String {
    format!("  {label:<12} {value}\n")
}

fn sizes(size: SizeSummary) -> String {
    let [min, median, p99, max] =
        [size.min, size.median, size.p99, size.max].map(|size| bytes(u64::from(size)));
    format!("min {min}, median {median}, p99 {p99}, max {max}")
}

fn samples(samples: &[Json]) -> String {
    samples.iter().map(sample).collect()
}

/// One attribute a line.
fn sample(item: &Json) -> String {
    let Some(attributes) = item.as_object() else { return format!("    {}\n", compact(item)) };
    let attributes: Vec<String> = attributes
        .iter()
        .map(|(name, value)| format!("      {}: {}", compact(&name.as_str().into()), compact(value)))
        .collect();
    format!("    {{\n{}\n    }}\n", attributes.join(",\n"))
}

fn total(report: &RunReport, rate: Option<u64>) -> String {
    let totals = &report.totals;
    let time = match (rate, totals.expected_seconds) {
        (Some(rate), _) => {
            format!("{} at {} WCU/s", about(seconds_at(totals.wcu, rate)), thousands(rate))
        }
        (None, Some(seconds)) => about(seconds),
        (None, None) => "depends on the table's capacity; give --rate to see it".to_owned(),
    };
    let mut text = "Total\n".to_owned();
    text += &line("rows", &thousands(totals.read));
    text += &line("items", &thousands(totals.items));
    text += &line("write units", &format!("{} WCU", thousands(totals.wcu)));
    text + &line("time", &time)
}

fn ending(report: &RunReport, style: Style) -> String {
    let rejected = counted(report.totals.rejected, "row would be rejected", "rows would be rejected");
    let text = match report.outcome {
        Outcome::Failed => return super::failure(report.error.as_ref(), "Failed.", style),
        Outcome::Interrupted => {
            style.paint(Meaning::Attention, "Interrupted: the numbers above are of the rows read so far.")
        }
        _ if report.totals.rejected > 0 => {
            let text = format!(
                "{rejected} (exit code 4). Mend the data or the mapping, and try again; a load without that leaves them out."
            );
            style.paint(Meaning::Attention, &text)
        }
        Outcome::Limited => style
            .paint(Meaning::Attention, "Every row read makes an item; the rest was left out, as asked for."),
        _ if report.totals.skipped > 0 => style.paint(
            Meaning::Fine,
            "Every row makes an item or is skipped, as asked for. The same command without --dry-run loads them.",
        ),
        _ if report.totals.read == 0 => style.paint(Meaning::Attention, "The source has no rows to load."),
        _ => style
            .paint(Meaning::Fine, "Every row makes an item. The same command without --dry-run loads them."),
    };
    text + "\n"
}

#[cfg(test)]
mod tests;
