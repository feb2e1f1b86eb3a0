use expect_test::expect;
use serde_json::json;

use super::*;

fn row(id: &str) -> PreviewedRow {
    let source_key =
        IndexMap::from([("order_id".to_owned(), id.to_owned()), ("line_no".to_owned(), "1".to_owned())]);
    PreviewedRow { source_key, made: None, rejected: None }
}

fn made(item: Json, indexes: &[&str]) -> Option<Made> {
    let indexes = indexes.iter().map(|name| (*name).to_owned()).collect();
    Some(Made { item, indexes, size: 1_300, wcu: 4 })
}

fn rejected() -> PreviewedRow {
    let rejected = RejectedRow {
        rule: "key_null".to_owned(),
        column: Some("user_id".to_owned()),
        message: "NULL, which no key can hold".to_owned(),
    };
    PreviewedRow { rejected: Some(rejected), ..row("9") }
}

fn report(rows: Vec<PreviewedRow>) -> PreviewReport {
    let entities = IndexMap::from([
        ("Item".to_owned(), PreviewedEntity { rows }),
        ("User".to_owned(), PreviewedEntity::default()),
    ]);
    PreviewReport {
        command: "preview",
        outcome: Outcome::Done,
        table: "shop".to_owned(),
        entities,
        error: None,
    }
}

#[test]
fn an_item_is_a_block_of_json_under_its_source_key() {
    let item = json!({
        "PK": {"S": "USER#7"},
        "note": {"S": "x".repeat(400)},
        "tags": {"L": [{"S": "a"}, {"S": "b"}]},
        "document": {"M": {"a": {"S": "y".repeat(60)}, "b": {"L": [{"S": "z".repeat(60)}]}, "c": {"M": {}}}},
        "odd\u{9b}": {"S": "\u{202e}x\ny"},
    });
    let rows = vec![PreviewedRow { made: made(item, &["GSI1", "Inverted"]), ..row("7") }];
    expect![[r#"
        Item order_id=7 line_no=1
          1.2 KB · 4 WCU · in GSI1, Inverted
        {
          "PK": {"S": "USER#7"},
          "note": {
            "S": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… (400 characters)"
          },
          "tags": {"L": [{"S": "a"}, {"S": "b"}]},
          "document": {
            "M": {
              "a": {"S": "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"},
              "b": {"L": [{"S": "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"}]},
              "c": {"M": {}}
            }
          },
          "odd\u{9b}": {"S": "\u{202e}x\ny"}
        }

        User: no rows
    "#]].assert_eq(&preview_text(&report(rows), Style::default()));
}

#[test]
fn a_rejected_row_says_by_which_rule_and_what_mends_it() {
    let rows = vec![rejected(), PreviewedRow { made: made(json!({"PK": {"S": "a"}}), &[]), ..row("10") }];
    expect![[r#"
        Item order_id=9 line_no=1
          rejected: key_null `user_id`: NULL, which no key can hold
          help: a key needs every value: leave such rows out with `where`

        Item order_id=10 line_no=1
          1.2 KB · 4 WCU · in no index
        {
          "PK": {"S": "a"}
        }

        User: no rows

        1 of 2 rows would be rejected (exit code 4).
    "#]]
    .assert_eq(&preview_text(&report(rows), Style::default()));
    let colored = preview_text(&report(vec![rejected()]), Style { color: true });
    assert!(colored.contains("\u{1b}[31mrejected: key_null `user_id`\u{1b}[0m: NULL"), "{colored:?}");
}

#[test]
fn a_row_of_the_document_has_either_an_item_or_a_rejection() {
    let rows =
        vec![PreviewedRow { made: made(json!({"PK": {"N": "1.50"}}), &["GSI1"]), ..row("7") }, rejected()];
    let document = serde_json::to_value(report(rows)).unwrap();
    let rows = &document["entities"]["Item"]["rows"];
    let key = |id: &str| json!({"order_id": id, "line_no": "1"});
    assert_eq!(
        rows[0],
        json!({"source_key": key("7"), "item": {"PK": {"N": "1.50"}}, "indexes": ["GSI1"], "size": 1300, "wcu": 4})
    );
    let why = json!({"rule": "key_null", "column": "user_id", "message": "NULL, which no key can hold"});
    assert_eq!(rows[1], json!({"source_key": key("9"), "rejected": why}));
}
