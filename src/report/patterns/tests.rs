use expect_test::expect;
use serde_json::json;

use super::*;

const PLAIN: Style = Style { color: false };

fn right() -> PatternReport {
    PatternReport {
        name: "a user and all their orders".to_owned(),
        operation: "query",
        params: 100,
        items: 1_540,
        requests: Some(1.0),
        rcu: Some(0.5),
        p50_ms: Some(3.25),
        p99_ms: Some(12.0),
        source: SourceCost { statements: 3, p50_ms: Some(1.1), p99_ms: Some(2.0) },
        one_table_per_entity: SeparateCost { requests: Some(3.0), rcu: Some(1.52) },
        ..PatternReport::default()
    }
}

fn example(what: &'static str, entity: Option<&str>, attributes: Vec<AttributeDifference>) -> PatternExample {
    PatternExample {
        what,
        params: IndexMap::from([
            ("id".to_owned(), "7".to_owned()),
            ("day".to_owned(), "\u{1b}[1m".to_owned()),
        ]),
        entity: entity.map(str::to_owned),
        key: json!({"PK": {"S": "USER#7"}, "SK": {"S": "ORDER#1"}}),
        attributes,
    }
}

fn wrong() -> PatternReport {
    let changed =
        AttributeDifference { name: "total".to_owned(), what: "different", expected: None, found: None };
    PatternReport {
        name: "open orders".to_owned(),
        index: Some("GSI1".to_owned()),
        params: 20,
        wrong: 2,
        items: 31,
        missing: 1,
        unexpected: 1_200,
        out_of_order: 3,
        different: 1,
        examples: vec![
            example("missing", Some("Order"), Vec::new()),
            example("unexpected", None, Vec::new()),
            example("different", Some("Order"), vec![changed]),
            example("out_of_order", Some("Order"), Vec::new()),
        ],
        ..right()
    }
}

#[test]
fn without_patterns_there_is_nothing_to_say() {
    assert_eq!(patterns_text(&[], PLAIN), "");
}

#[test]
fn right_answers_with_what_they_take_here_and_elsewhere() {
    expect![[r#"
        access pattern               params  items  wrong  reads   RCU  p50 ms  p99 ms
        a user and all their orders     100  1,540      0      1   0.5    3.25      12
          by SQL                                               3           1.1       2
          by tables apart                                      3  1.52
        From `reads` on of one answer: requests or SQL statements, read units (eventually
        consistent), time. Tables apart: if each entity had one of its own.
    "#]]
    .assert_eq(&patterns_text(&[right()], PLAIN));
}

#[test]
fn wrong_answers_with_the_first_items_that_make_them_so() {
    expect![[r#"
        access pattern               params  items  wrong  reads   RCU  p50 ms  p99 ms
        a user and all their orders     100  1,540      0      1   0.5    3.25      12
          by SQL                                               3           1.1       2
          by tables apart                                      3  1.52
        open orders                      20     31      2      1   0.5    3.25      12
          by SQL                                               3           1.1       2
          by tables apart                                      3  1.52
        From `reads` on of one answer: requests or SQL statements, read units (eventually
        consistent), time. Tables apart: if each entity had one of its own.

        open orders: 2 of 20 answers are wrong: items 1 missing, 1,200 unexpected, 1 different, 3 out of order
          missing       id=7 day=\u{1b}[1m  Order  {"PK":{"S":"USER#7"},"SK":{"S":"ORDER#1"}}
          unexpected    id=7 day=\u{1b}[1m  {"PK":{"S":"USER#7"},"SK":{"S":"ORDER#1"}}
          different     id=7 day=\u{1b}[1m  Order  {"PK":{"S":"USER#7"},"SK":{"S":"ORDER#1"}}
            total  different
          out of order  id=7 day=\u{1b}[1m  Order  {"PK":{"S":"USER#7"},"SK":{"S":"ORDER#1"}}
    "#]]
    .assert_eq(&patterns_text(&[right(), wrong()], PLAIN));
}

#[test]
fn rows_that_were_not_asked_are_told() {
    let nothing = PatternReport {
        params: 0,
        items: 0,
        requests: None,
        rcu: None,
        p50_ms: None,
        p99_ms: None,
        source: SourceCost { statements: 3, ..SourceCost::default() },
        one_table_per_entity: SeparateCost::default(),
        ..right()
    };
    let skipped_by = IndexMap::from([("key_null".to_owned(), 2), ("key_too_long".to_owned(), 1)]);
    let some = PatternReport { name: "some".to_owned(), skipped_by, ..right() };
    let skipped_by = IndexMap::from([("key_null".to_owned(), 1), (BETWEEN_REVERSED.to_owned(), 12)]);
    let little = PatternReport {
        name: "little".to_owned(),
        rows: 4_120,
        items: 0,
        not_in_index: 1,
        rejected: 2,
        source: SourceCost { statements: 1, ..SourceCost::default() },
        ..right()
    };
    let none = PatternReport { name: "none".to_owned(), skipped_by, ..nothing.clone() };
    expect![[r#"
        access pattern                     params  items  wrong  reads   RCU  p50 ms  p99 ms
        a user and all their orders             0      0      0      –     –       –       –
          by SQL                                                     3             –       –
          by tables apart                                            –     –
        some                                  100  1,540      0      1   0.5    3.25      12
          by SQL                                                     3           1.1       2
          by tables apart                                            3  1.52
        little                       100 of 4,120      0      0      1   0.5    3.25      12
          by SQL                                                     1             –       –
          by tables apart                                            3  1.52
        none                                    0      0      0      –     –       –       –
          by SQL                                                     3             –       –
          by tables apart                                            –     –
        From `reads` on of one answer: requests or SQL statements, read units (eventually
        consistent), time. Tables apart: if each entity had one of its own.
        a user and all their orders: nothing was asked, `params` returned no row
        some: 3 rows of `params` make no key and were not asked
        little: all answers were empty, in the table and in the source
        little: 1 row that `returns` names, not in the index: a key of it is NULL or
          empty there, or `when` does not hold
        little: 2 rows that `returns` names, rejected
        none: nothing was asked
        none: 1 row of `params` makes no key and was not asked
        none: 12 rows of `params` were not asked: the lower bound of `between` is above the
          upper one, for which an application gets an error
    "#]]
    .assert_eq(&patterns_text(&[nothing, some, little, none], PLAIN));
}
