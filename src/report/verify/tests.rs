use expect_test::expect;
use indexmap::IndexMap;
use serde_json::json;

use super::*;
use crate::report::{ErrorReport, SampleReport};

const PLAIN: Style = Style { color: false };

fn entity(read: u64, [matching, missing, different, rejected]: [u64; 4]) -> VerifiedEntity {
    let checked = matching + missing + different + rejected;
    VerifiedEntity { read, checked, matching, missing, different, rejected, ..VerifiedEntity::default() }
}

fn report(outcome: Outcome, entities: [(&str, VerifiedEntity); 2]) -> VerifyReport {
    VerifyReport {
        checked_all: false,
        command: "verify",
        outcome,
        table: "shop".to_owned(),
        sample: None,
        entities: entities.into_iter().map(|(name, entity)| (name.to_owned(), entity)).collect(),
        access_patterns: Vec::new(),
        orphans: None,
        snapshots: 1,
        rcu: 99_200,
        repair: None,
        time_to_live: None,
        elapsed_seconds: 3.21,
        error: None,
    }
}

fn clean() -> VerifyReport {
    report(
        Outcome::Done,
        [("User", entity(1_200, [1_197, 0, 0, 3])), ("OrderItem", entity(98_000, [98_000, 0, 0, 0]))],
    )
}

fn wrong(show_values: bool) -> VerifyReport {
    let value = |value: serde_json::Value| show_values.then_some(value);
    let attribute = |name: &str, what, expected, found| AttributeDifference {
        name: name.to_owned(),
        what,
        expected,
        found,
    };
    let difference = |id: &str, attributes| Difference {
        key: json!({"PK": {"S": format!("USER#{id}")}, "SK": {"S": "PROFILE"}}),
        source_key: IndexMap::from([("id".to_owned(), id.to_owned())]),
        attributes,
        repair: None,
        why: None,
    };
    let mut user = entity(1_200, [1_000, 198, 2, 0]);
    user.differences = vec![
        difference("7", Vec::new()),
        difference(
            "\u{1b}]0;9",
            vec![
                attribute("email", "different", value(json!({"S": "a@b"})), value(json!({"S": "a@c"}))),
                attribute("balance", "missing", value(json!({"N": "19.90"})), None),
                attribute("x", "unexpected", None, value(json!({"NULL": true}))),
            ],
        ),
    ];
    report(Outcome::Differences, [("User", user), ("OrderItem", entity(98_000, [98_000, 0, 0, 0]))])
}

#[test]
fn a_target_that_holds_everything() {
    expect![[r#"
        Verified table shop against its source: every row · 3.2 s

        entity       rows  checked  matching  missing  different  rejected
        User        1,200    1,200     1,197        0          0         3
        OrderItem  98,000   98,000    98,000        0          0         0
        total      99,200   99,200    99,197        0          0         3

        3 rejected rows have no item, by the mapping's rules or as the load found; they are not in the target
        Every item that the source makes is in the target, and equal.
    "#]]
    .assert_eq(&verify_text(&clean(), PLAIN));
}

#[test]
fn differences_name_row_key_and_attributes() {
    expect![[r#"
        Verified table shop against its source: every row · 3.2 s

        entity       rows  checked  matching  missing  different  rejected
        User        1,200    1,200     1,000      198          2         0
        OrderItem  98,000   98,000    98,000        0          0         0
        total      99,200   99,200    99,000      198          2         0

        User: 198 missing, 2 different; the first 2
          missing    id=7  {"PK":{"S":"USER#7"},"SK":{"S":"PROFILE"}}
          different  id=\u{1b}]0;9  {"PK":{"S":"USER#\u001b]0;9"},"SK":{"S":"PROFILE"}}
            email    different
            balance  missing
            x        unexpected

        200 of 99,200 checked rows are wrong in the target (exit code 5). If the load is
        not finished, finish it first; then --repair --dry-run shows what mends them,
        and --repair --yes mends them.
    "#]]
    .assert_eq(&verify_text(&wrong(false), PLAIN));
}

#[test]
fn values_are_shown_where_the_report_holds_them() {
    let text = verify_text(&wrong(true), PLAIN);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("    ")).collect();
    assert_eq!(
        lines,
        [
            r#"    email    different   expected {"S":"a@b"}  found {"S":"a@c"}"#,
            r#"    balance  missing     expected {"N":"19.90"}"#,
            r#"    x        unexpected  found {"NULL":true}"#,
        ]
    );
}

#[test]
fn a_sample_says_what_it_left_out() {
    let entities = [("User", entity(100_000, [1_003, 0, 0, 0])), ("Country", entity(40, [0; 4]))];
    let mut sampled = report(Outcome::Done, entities);
    sampled.sample = Some(SampleReport { size: "1%".to_owned(), seed: 42 });
    expect![[r#"
        Verified table shop against its source: a sample of 1% of all rows, seed 42 · 3.2 s

        entity      rows  checked  matching  missing  different  rejected
        User     100,000    1,003     1,003        0          0         0
        Country       40        0         0        0          0         0
        total    100,040    1,003     1,003        0          0         0

        Country: nothing was checked, the sample took none of 40 rows
        The target matches in every row of the sample; 99,037 other rows were not
        checked.
    "#]]
    .assert_eq(&verify_text(&sampled, PLAIN));
}

#[test]
fn what_did_not_finish_proves_nothing() {
    let last = |report: &VerifyReport| verify_text(report, PLAIN).split("\n\n").last().unwrap().to_owned();
    expect![[r#"
        Interrupted after 99,200 checked rows, 200 of them wrong; the rest is unknown.
        The same command goes on.
    "#]]
    .assert_eq(&last(&VerifyReport { outcome: Outcome::Interrupted, ..wrong(false) }));
    let error = ErrorReport {
        code: "target".to_owned(),
        message: "read items back: throttled".to_owned(),
        help: Some("give the table more read capacity".to_owned()),
    };
    let none = report(Outcome::Failed, [("User", entity(0, [0; 4])), ("Order", entity(0, [0; 4]))]);
    expect![[r#"
        Failed; this proves nothing.
    "#]]
    .assert_eq(&last(&VerifyReport { error: Some(error), ..none.clone() }));
    expect![[r#"
        The source has no rows; nothing was checked.
    "#]]
    .assert_eq(&last(&VerifyReport { outcome: Outcome::Done, ..none }));
}

#[test]
fn colour_means_something() {
    let text = verify_text(&wrong(false), Style { color: true });
    let colored: Vec<&str> = text.split("\u{1b}[").skip(1).step_by(2).collect();
    expect![[r#"
        [
            "32m1,000",
            "31m198",
            "31m2",
            "32m98,000",
            "32m99,000",
            "31m198",
            "31m2",
            "31mmissing  ",
            "31mdifferent",
            "31m200 of 99,200 checked rows are wrong in the target (exit code 5). If the load is\nnot finished, finish it first; then --repair --dry-run shows what mends them,\nand --repair --yes mends them.",
        ]
    "#]].assert_debug_eq(&colored);
}
