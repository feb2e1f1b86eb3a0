use expect_test::expect;
use indexmap::IndexMap;

use super::*;
use crate::report::{ErrorReport, SizeSummary, Totals};

const PLAIN: Style = Style { color: false };

fn entity(read: u64, rejected_by: &[(&str, u64)], skipped: u64) -> EntityReport {
    let rejected = rejected_by.iter().map(|(_, count)| count).sum();
    let written = read - rejected - skipped;
    EntityReport {
        compared: 0,
        read,
        written,
        items: written,
        rejected,
        skipped,
        rejected_by: rejected_by.iter().map(|(rule, count)| ((*rule).to_owned(), *count)).collect(),
        skipped_by: (skipped > 0).then(|| ("limit".to_owned(), skipped)).into_iter().collect(),
        wcu: written * 2,
        size: SizeSummary { min: 96, median: 210, p99: 1_300, max: 409_600 },
        samples: Vec::new(),
        columns: Vec::new(),
    }
}

/// A load of three entities, the first with these rejections.
pub(in crate::report) fn report(outcome: Outcome, rejected_by: &[(&str, u64)]) -> RunReport {
    let entities = IndexMap::from([
        ("User".to_owned(), entity(1_234_567, rejected_by, 0)),
        ("OrderItem".to_owned(), entity(4_000, &[], 12)),
        ("Empty".to_owned(), EntityReport::default()),
    ]);
    let sum = |count: fn(&EntityReport) -> u64| entities.values().map(count).sum();
    RunReport {
        command: "run",
        outcome,
        dry_run: false,
        resumed: false,
        table: "shop".to_owned(),
        snapshots: 1,
        consistent: Consistent::Proven,
        totals: Totals {
            read: sum(|entity| entity.read),
            written: sum(|entity| entity.written),
            items: sum(|entity| entity.items),
            rejected: sum(|entity| entity.rejected),
            skipped: sum(|entity| entity.skipped),
            wcu: sum(|entity| entity.wcu),
            expected_seconds: None,
        },
        entities,
        indexes: IndexMap::new(),
        collisions: None,
        rejects_file: Some(".migrate/shop/shop/rejects.jsonl".to_owned()),
        elapsed_seconds: 4_325.6,
        error: None,
    }
}

#[test]
fn a_clean_load() {
    expect![[r#"
        Load into table shop · 1 h 12 min · 286 items/s

        entity          read    written      items  rejected  skipped        WCU
        User       1,234,567  1,234,567  1,234,567         0        0  2,469,134
        OrderItem      4,000      3,988      3,988         0       12      7,976
        Empty              0          0          0         0        0          0
        total      1,238,567  1,238,555  1,238,555         0       12  2,477,110

        read = written + rejected + skipped: 1,238,567 = 1,238,555 + 0 + 12
        OrderItem skipped: limit 12

        Done. `migrate verify` proves it.
    "#]]
    .assert_eq(&run_text(&report(Outcome::Done, &[]), PLAIN));
}

#[test]
fn v11_rejected_rows_are_listed_by_rule_with_what_mends_them() {
    let rejected = report(Outcome::Rejects, &[("key_null", 3), ("number_digits", 1_200), ("malformed", 1)]);
    expect![[r#"
        Load into table shop · 1 h 12 min

        entity          read    written      items  rejected  skipped        WCU
        User       1,234,567  1,233,363  1,233,363     1,204        0  2,466,726
        OrderItem      4,000      3,988      3,988         0       12      7,976
        Empty              0          0          0         0        0          0
        total      1,238,567  1,237,351  1,237,351     1,204       12  2,474,702

        read = written + rejected + skipped: 1,238,567 = 1,237,351 + 1,204 + 12
        OrderItem skipped: limit 12
        rejected User key_null           3  a key needs every value: leave such rows out with `where`
        rejected User number_digits  1,200  DynamoDB cannot hold it as a number: `overflow = "string"` keeps it as text, but not in a key
        rejected User malformed          1
        rejected rows are listed in .migrate/shop/shop/rejects.jsonl

        Finished, but 1,204 rows were rejected (exit code 4). Mend the data or the mapping, then load again with --restart.
    "#]].assert_eq(&run_text(&rejected, PLAIN));
}

#[test]
fn a_resumed_load_over_two_snapshots_points_to_verify() {
    let base = report(Outcome::Done, &[]);
    let resumed = RunReport { resumed: true, snapshots: 2, consistent: Consistent::Unproven, ..base };
    expect![[r#"
        Resumed load into table shop · 1 h 12 min

        entity          read    written      items  rejected  skipped        WCU
        User       1,234,567  1,234,567  1,234,567         0        0  2,469,134
        OrderItem      4,000      3,988      3,988         0       12      7,976
        Empty              0          0          0         0        0          0
        total      1,238,567  1,238,555  1,238,555         0       12  2,477,110

        read = written + rejected + skipped: 1,238,567 = 1,238,555 + 0 + 12
        OrderItem skipped: limit 12
        the source was read in 2 snapshots: rows that changed between them may be of different times; run `migrate verify --repair`

        Done. `migrate verify` proves it.
    "#]].assert_eq(&run_text(&resumed, PLAIN));
}

#[test]
fn v09_a_row_that_is_unaccounted_for_is_shouted() {
    let mut lost = report(Outcome::Done, &[]);
    lost.entities["OrderItem"].written -= 1;
    lost.totals.written -= 1;
    let text = run_text(&lost, PLAIN);
    let line = text.lines().find(|line| line.starts_with("read =")).unwrap();
    expect![
        "read = written + rejected + skipped: 1,238,567 = 1,238,554 + 0 + 12 DOES NOT ADD UP for OrderItem"
    ]
    .assert_eq(line);
    lost.outcome = Outcome::Interrupted;
    let text = run_text(&lost, PLAIN);
    let line = text.lines().find(|line| line.starts_with("read =")).unwrap();
    expect!["read = written + rejected + skipped: 1,238,567 = 1,238,554 + 0 + 12 does not add up yet: rows in flight were not acknowledged"].assert_eq(line);
}

#[test]
fn a_failed_load_says_why_and_what_to_do() {
    let error = ErrorReport {
        code: "target".to_owned(),
        message: "write to table shop: AccessDeniedException".to_owned(),
        help: Some("allow dynamodb:BatchWriteItem\nor use other credentials".to_owned()),
    };
    let failed = RunReport { error: Some(error), ..report(Outcome::Failed, &[]) };
    let text = run_text(&failed, PLAIN);
    expect![[r#"
        Failed. write to table shop: AccessDeniedException
        help: allow dynamodb:BatchWriteItem
        or use other credentials
    "#]]
    .assert_eq(text.split("\n\n").last().unwrap_or_default());
}

#[test]
fn colour_means_something() {
    let text = run_text(&report(Outcome::Rejects, &[("key_null", 3)]), Style { color: true });
    let colored: Vec<&str> = text.split("\u{1b}[").skip(1).step_by(2).collect();
    expect![[r#"
        [
            "31m3",
            "31m3",
            "32mread = written + rejected + skipped: 1,238,567 = 1,238,552 + 3 + 12",
            "31m3",
            "33mFinished, but 3 rows were rejected (exit code 4). Mend the data or the mapping, then load again with --restart.",
        ]
    "#]].assert_debug_eq(&colored);
}
