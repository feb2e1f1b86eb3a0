//! What a checkpoint says, as data and as text.

use indexmap::IndexMap;
use serde::Serialize;

use super::ErrorReport;
use super::text::{Meaning, Style, Table, printable};

/// The document of `migrate status --json`.
#[derive(Debug, Clone, Serialize)]
pub struct StatusReport {
    pub command: &'static str,
    pub outcome: Progress,
    pub table: String,
    /// Snapshots of the source used so far.
    pub snapshots: u32,
    pub entities: IndexMap<String, EntityStatus>,
    /// The file that says it; absent when nothing was loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejects_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorReport>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    NotBegun,
    Unfinished,
    Done,
}

/// Rows of an entity of the mapping that are dealt with, and ranges of its key space.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EntityStatus {
    pub done: bool,
    pub read: u64,
    pub written: u64,
    pub rejected: u64,
    pub rejected_by: IndexMap<String, u64>,
    pub skipped: u64,
    pub skipped_by: IndexMap<String, u64>,
    pub ranges: u64,
    pub ranges_done: u64,
}

/// What is done, and what the same command would go on with.
pub fn status_text(report: &StatusReport, style: Style) -> String {
    let Some(checkpoint) = &report.checkpoint else {
        return format!("Nothing has been loaded into table {} from here.\n", printable(&report.table));
    };
    let mut text = format!("Load into table {}\n\n{}\n", printable(&report.table), table(report).text(style));
    text += &format!("checkpoint: {}\n", printable(checkpoint));
    if let Some(file) = &report.rejects_file {
        text += &format!("rejected rows are listed in {}\n", printable(file));
    }
    text + match report.outcome {
        Progress::Done if report.rejects_file.is_some() => {
            "\nEverything is loaded but the rejected rows. Mend the data or the mapping, then load again with --restart.\n"
        }
        Progress::Done => "\nEverything is loaded. `migrate verify` proves it.\n",
        Progress::NotBegun | Progress::Unfinished => "\nNot finished. `migrate run` goes on.\n",
    }
}

fn table(report: &StatusReport) -> Table {
    let mut table = Table::new(&["entity", "read", "written", "rejected", "skipped", "ranges", "done"]);
    for (name, entity) in &report.entities {
        let plain = |number| (number, Meaning::Plain);
        let numbers = [
            plain(entity.read),
            plain(entity.written),
            (entity.rejected, Meaning::Wrong),
            plain(entity.skipped),
            plain(entity.ranges),
            (entity.ranges_done, if entity.done { Meaning::Fine } else { Meaning::Attention }),
        ];
        table.row(name, numbers);
    }
    table
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn report(outcome: Progress) -> StatusReport {
        let user = EntityStatus {
            done: true,
            read: 1_200,
            written: 1_196,
            skipped: 3,
            skipped_by: IndexMap::from([("key_collision".to_owned(), 3)]),
            rejected: 1,
            rejected_by: IndexMap::from([("key_null".to_owned(), 1)]),
            ranges: 4,
            ranges_done: 4,
        };
        let order = EntityStatus {
            read: 50_000,
            written: 50_000,
            ranges: 32,
            ranges_done: 3,
            ..EntityStatus::default()
        };
        StatusReport {
            command: "status",
            outcome,
            table: "shop".to_owned(),
            snapshots: 1,
            entities: IndexMap::from([("User".to_owned(), user), ("Order".to_owned(), order)]),
            checkpoint: Some(".migrate/shop/shop/checkpoint.json".to_owned()),
            rejects_file: Some(".migrate/shop/shop/rejects.jsonl".to_owned()),
            error: None,
        }
    }

    #[test]
    fn an_unfinished_load_says_how_far_it_got_and_how_to_go_on() {
        expect![[r#"
            Load into table shop

            entity    read  written  rejected  skipped  ranges  done
            User     1,200    1,196         1        3       4     4
            Order   50,000   50,000         0        0      32     3

            checkpoint: .migrate/shop/shop/checkpoint.json
            rejected rows are listed in .migrate/shop/shop/rejects.jsonl

            Not finished. `migrate run` goes on.
        "#]]
        .assert_eq(&status_text(&report(Progress::Unfinished), Style::default()));
    }

    #[test]
    fn nothing_loaded_is_said_in_one_line() {
        let nothing = StatusReport { checkpoint: None, ..report(Progress::NotBegun) };
        expect![[r#"
            Nothing has been loaded into table shop from here.
        "#]]
        .assert_eq(&status_text(&nothing, Style::default()));
    }
}
