//! The closing text of a run that wrote.

use std::time::Duration;

use super::collisions::collisions;
use super::cost::{counted, elapsed, thousands};
use super::indexes::indexes;
use super::rejects::by_rule;
use super::text::{Meaning, Style, Table, by_name, printable};
use super::{Consistent, EntityReport, Outcome, RunReport};

/// What a run read, wrote and rejected, whether that adds up, and what to do next.
pub fn run_text(report: &RunReport, style: Style) -> String {
    let sections = [
        heading(report),
        table(report, style),
        indexes(&report.indexes, style),
        collisions(report.collisions.as_ref(), style),
        notes(report, style),
        ending(report, style),
    ];
    let sections: Vec<String> = sections.into_iter().filter(|section| !section.is_empty()).collect();
    sections.join("\n")
}

fn heading(report: &RunReport) -> String {
    let did = match (report.outcome, report.resumed) {
        (Outcome::AlreadyDone, _) => "Earlier load into",
        (_, true) => "Resumed load into",
        (_, false) => "Load into",
    };
    let (table, time) = (printable(&report.table), elapsed(report.elapsed_seconds));
    format!("{did} table {table} · {time}{}\n", speed(report).unwrap_or_default())
}

/// Items a second, where this run wrote all of them and took long enough to tell.
fn speed(report: &RunReport) -> Option<String> {
    let seconds = Duration::try_from_secs_f64(report.elapsed_seconds).ok()?.as_secs();
    let whole = report.outcome == Outcome::Done && !report.resumed && seconds >= 10;
    whole.then(|| format!(" · {} items/s", thousands(report.totals.items / seconds)))
}

fn table(report: &RunReport, style: Style) -> String {
    let mut table = Table::new(&["entity", "read", "written", "items", "rejected", "skipped", "WCU"]);
    let row = |read, written, items, rejected, skipped, wcu| {
        let plain = |number| (number, Meaning::Plain);
        [plain(read), plain(written), plain(items), (rejected, Meaning::Wrong), plain(skipped), plain(wcu)]
    };
    for (name, entity) in &report.entities {
        let EntityReport { read, written, items, rejected, skipped, wcu, .. } = *entity;
        table.row(name, row(read, written, items, rejected, skipped, wcu));
    }
    let totals = &report.totals;
    let (written, items, rejected) = (totals.written, totals.items, totals.rejected);
    table.row("total", row(totals.read, written, items, rejected, totals.skipped, totals.wcu));
    table.text(style)
}

fn notes(report: &RunReport, style: Style) -> String {
    let mut notes = invariant(report, style) + &compared(report, style);
    for (name, entity) in report.entities.iter().filter(|(_, entity)| !entity.skipped_by.is_empty()) {
        notes += &format!("{} skipped: {}\n", printable(name), by_name(&entity.skipped_by));
    }
    notes += &by_rule(&report.entities, style);
    if let Some(file) = report.rejects_file.as_ref().filter(|_| report.totals.rejected > 0) {
        notes += &format!("rejected rows are listed in {}\n", printable(file));
    }
    notes + &snapshots(report, style)
}

/// Promise 1: no row is lost silently, entity by entity.
fn invariant(report: &RunReport, style: Style) -> String {
    let adds_up = |entity: &EntityReport| {
        u128::from(entity.read)
            == [entity.written, entity.rejected, entity.skipped].map(u128::from).iter().sum::<u128>()
    };
    let wrong: Vec<String> = report
        .entities
        .iter()
        .filter(|(_, entity)| !adds_up(entity))
        .map(|(name, _)| printable(name))
        .collect();
    let totals = &report.totals;
    let [read, written, rejected, skipped] =
        [totals.read, totals.written, totals.rejected, totals.skipped].map(thousands);
    let sum = format!("read = written + rejected + skipped: {read} = {written} + {rejected} + {skipped}");
    let finished = !matches!(report.outcome, Outcome::Interrupted | Outcome::Failed);
    match (wrong.is_empty(), finished) {
        (true, _) => style.paint(Meaning::Fine, &sum) + "\n",
        (false, false) => {
            let why = format!("{sum} does not add up yet: rows in flight were not acknowledged");
            style.paint(Meaning::Attention, &why) + "\n"
        }
        (false, true) => {
            style.paint(Meaning::Wrong, &format!("{sum} DOES NOT ADD UP for {}", wrong.join(", "))) + "\n"
        }
    }
}

/// The second look of this run; nothing of an earlier one.
pub(super) fn compared(report: &RunReport, style: Style) -> String {
    let rows: u64 = report.entities.values().map(|entity| entity.compared).sum();
    match (rows, report.outcome) {
        (0, _) | (_, Outcome::Failed) => String::new(),
        _ => {
            let rows = counted(rows, "row was", "rows were");
            style
                .paint(Meaning::Fine, &format!("{rows} read again as the database's own text: no difference"))
                + "\n"
        }
    }
}

fn snapshots(report: &RunReport, style: Style) -> String {
    let mut notes = Vec::new();
    if report.snapshots > 1 {
        notes.push(format!(
            "the source was read in {} snapshots: rows that changed between them may be of different times; run `migrate verify --repair`",
            report.snapshots
        ));
    }
    match report.consistent {
        Consistent::Proven => {}
        // It failed before anything was read.
        _ if report.snapshots == 0 => {}
        // Two snapshots are two states, whatever each of them was.
        Consistent::Unproven if report.snapshots > 1 => {}
        Consistent::Unproven => {
            notes.push("the source could not prove that all readers saw the same state".to_owned());
        }
        Consistent::None => notes.push(
            "the source was read without a snapshot: rows that changed meanwhile may be of different times"
                .to_owned(),
        ),
    }
    notes.into_iter().map(|note| style.paint(Meaning::Attention, &note) + "\n").collect()
}

fn ending(report: &RunReport, style: Style) -> String {
    let rejected = counted(report.totals.rejected, "row was rejected", "rows were rejected");
    let (meaning, text) = match report.outcome {
        Outcome::Done => (Meaning::Fine, "Done. `migrate verify` proves it.".to_owned()),
        Outcome::AlreadyDone => {
            let text =
                "An earlier run had already done everything; nothing was written. `--restart` loads again.";
            (Meaning::Fine, text.to_owned())
        }
        Outcome::Rejects => (
            Meaning::Attention,
            format!(
                "Finished, but {rejected} (exit code 4). Mend the data or the mapping, then load again with --restart."
            ),
        ),
        Outcome::Limited => {
            let rest = "Not everything is loaded, as asked for. The same command without --limit or --only loads the rest.";
            let text = match report.totals.rejected {
                0 => rest.to_owned(),
                _ => format!(
                    "{rest}\n{rejected} (exit code 4). Mend the data or the mapping, then load these again with --restart --only."
                ),
            };
            (Meaning::Attention, text)
        }
        Outcome::Interrupted => {
            let text = "Interrupted; the checkpoint is saved. The same command goes on.";
            (Meaning::Attention, text.to_owned())
        }
        Outcome::Differences => (Meaning::Wrong, "The target differs from the source.".to_owned()),
        Outcome::Repaired => (Meaning::Fine, "The target is repaired.".to_owned()),
        Outcome::Failed => return super::failure(report.error.as_ref(), "Failed.", style),
    };
    style.paint(meaning, &text) + "\n"
}

#[cfg(test)]
pub(super) mod tests;
