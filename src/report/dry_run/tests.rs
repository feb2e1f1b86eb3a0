use expect_test::expect;
use serde_json::json;

use super::*;
use crate::report::ErrorReport;
use crate::report::run::tests::report;

const PLAIN: Style = Style { color: false };

fn dry_run(outcome: Outcome, rejected_by: &[(&str, u64)]) -> RunReport {
    let mut report = RunReport { dry_run: true, ..report(outcome, rejected_by) };
    report.rejects_file = None;
    report.entities["User"].samples = vec![
        json!({"PK": {"S": "USER#1"}, "SK": {"S": "PROFILE"}, "name": {"S": "Zoë"}, "bio": {"S": "b".repeat(300)}}),
        json!({"PK": {"S": "USER#2"}, "SK": {"S": "PROFILE"}, "tags": {"SS": ["a", "b"]}}),
    ];
    let index = |items, absent| crate::report::IndexReport { items, absent };
    report.indexes =
        [("GSI1".to_owned(), index(1_200_000, 38_555)), ("by_status".to_owned(), index(12, 0))].into();
    report
}

#[test]
fn a_clean_dry_run_shows_what_would_be_written() {
    expect![[r#"
        Dry run: nothing was written to table shop · 1 h 12 min

        User
          rows         1,234,567
          items        1,234,567
          item size    min 96 B, median 210 B, p99 1.2 KB, max 400.0 KB
          write units  2,469,134 WCU, indexes included
            {
              "PK": {"S":"USER#1"},
              "SK": {"S":"PROFILE"},
              "name": {"S":"Zoë"},
              "bio": {"S":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb… (300 characters)"}
            }
            {
              "PK": {"S":"USER#2"},
              "SK": {"S":"PROFILE"},
              "tags": {"SS":["a","b"]}
            }

        OrderItem
          rows         4,000
          items        3,988
          skipped      12 (limit 12)
          item size    min 96 B, median 210 B, p99 1.2 KB, max 400.0 KB
          write units  7,976 WCU, indexes included

        Empty
          rows         0
          items        0

        index          items  absent
        GSI1       1,200,000  38,555
        by_status         12       0

        Total
          rows         1,238,567
          items        1,238,555
          write units  2,477,110 WCU
          time         about 1 h 22 min at 500 WCU/s

        Every row makes an item or is skipped, as asked for. The same command without --dry-run loads them.
    "#]]
    .assert_eq(&dry_run_text(&dry_run(Outcome::Done, &[]), Some(500), PLAIN));
}

#[test]
fn rows_that_would_be_rejected_come_with_what_mends_them() {
    let rejected = dry_run(Outcome::Rejects, &[("key_null", 1), ("item_too_large", 20)]);
    expect![[r#"
        Dry run: nothing was written to table shop · 1 h 12 min

        User
          rows         1,234,567
          items        1,234,546
          rejected     21 (key_null 1, item_too_large 20)
          item size    min 96 B, median 210 B, p99 1.2 KB, max 400.0 KB
          write units  2,469,092 WCU, indexes included
            {
              "PK": {"S":"USER#1"},
              "SK": {"S":"PROFILE"},
              "name": {"S":"Zoë"},
              "bio": {"S":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb… (300 characters)"}
            }
            {
              "PK": {"S":"USER#2"},
              "SK": {"S":"PROFILE"},
              "tags": {"SS":["a","b"]}
            }

        OrderItem
          rows         4,000
          items        3,988
          skipped      12 (limit 12)
          item size    min 96 B, median 210 B, p99 1.2 KB, max 400.0 KB
          write units  7,976 WCU, indexes included

        Empty
          rows         0
          items        0

        index          items  absent
        GSI1       1,200,000  38,555
        by_status         12       0

        Total
          rows         1,238,567
          items        1,238,534
          write units  2,477,068 WCU
          time         depends on the table's capacity; give --rate to see it

        rejected User key_null         1  a key needs every value: leave such rows out with `where`
        rejected User item_too_large  20  an item holds 400 KB: leave out large columns with `columns`

        21 rows would be rejected (exit code 4). Mend the data or the mapping, and try again; a load without that leaves them out.
    "#]].assert_eq(&dry_run_text(&rejected, None, PLAIN));
}

#[test]
fn a_failed_dry_run_says_why() {
    let error = ErrorReport { code: "source".to_owned(), message: "connection lost".to_owned(), help: None };
    let failed = RunReport { error: Some(error), ..dry_run(Outcome::Failed, &[]) };
    let text = dry_run_text(&failed, Some(1), PLAIN);
    expect!["Failed. connection lost"].assert_eq(text.lines().last().unwrap_or_default());
}

#[test]
fn the_time_goes_by_the_rate() {
    let mut dry_run = dry_run(Outcome::Done, &[]);
    let time = |report: &RunReport, rate| {
        let text = dry_run_text(report, rate, PLAIN);
        text.lines().find(|line| line.starts_with("  time")).unwrap_or_default().to_owned()
    };
    expect!["  time         about 41 min 18 s at 1,000 WCU/s"].assert_eq(&time(&dry_run, Some(1_000)));
    expect!["  time         depends on the table's capacity; give --rate to see it"]
        .assert_eq(&time(&dry_run, None));
    dry_run.totals.expected_seconds = Some(90);
    expect!["  time         about 1 min 30 s"].assert_eq(&time(&dry_run, None));
}
