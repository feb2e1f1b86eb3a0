use super::*;
use crate::verify::lookup::tests::{Answer, QUICK, Scripted, key, stored};

fn row(id: usize) -> Wanted {
    let wire = format!(r#"{{{},"n":{{"N":"7.0"}}}}"#, String::from_utf8(key(id)).unwrap());
    Wanted {
        place: Place { row: id, ..Place::default() },
        key: key(id),
        wire: wire.into_bytes(),
        source_key: vec![("id".to_owned(), id.to_string())],
    }
}

fn batch(ids: impl IntoIterator<Item = usize>) -> Batch {
    Batch { entity: 3, rows: ids.into_iter().map(row).collect() }
}

fn rules() -> Rules {
    Rules { excused: None, mend: None, show_values: false, differences: 10, pace: QUICK }
}

async fn checked(target: &Scripted, batch: &Batch, rules: &Rules) -> Checked {
    check(target, "User", batch, rules, &|_| {}).await.unwrap()
}

fn counts(checked: &Checked) -> (usize, usize, usize, usize) {
    (checked.matching, checked.missing, checked.different, checked.excused)
}

fn altered(id: usize, from: &str, to: &str) -> (Vec<u8>, Vec<u8>) {
    let (key, wire) = stored(id);
    (key, String::from_utf8(wire).unwrap().replace(from, to).into_bytes())
}

#[tokio::test]
async fn a_table_that_holds_everything_is_read_once() {
    let target = Scripted::new((0..5).map(stored));
    let checked = checked(&target, &batch(0..5), &rules()).await;
    assert_eq!((checked.entity, counts(&checked)), (3, (5, 0, 0, 0)));
    assert!(checked.differences.is_empty());
    assert_eq!(target.asked(), [5]);
}

#[tokio::test]
async fn missing_and_different_rows_are_read_again_and_reported_in_order() {
    let target = Scripted::new([stored(0), altered(1, r#"{"N":"7"}"#, r#"{"S":"7"}"#), stored(3)]);
    let checked = checked(&target, &batch(0..4), &rules()).await;
    assert_eq!(counts(&checked), (2, 1, 1, 0));
    assert_eq!(target.asked(), [4, 2]);
    expect_test::expect![[r#"
        [
          {
            "key": {
              "PK": {
                "S": "U#1"
              },
              "SK": {
                "N": "1"
              }
            },
            "source_key": {
              "id": "1"
            },
            "attributes": [
              {
                "name": "n",
                "what": "different"
              }
            ]
          },
          {
            "key": {
              "PK": {
                "S": "U#2"
              },
              "SK": {
                "N": "2"
              }
            },
            "source_key": {
              "id": "2"
            },
            "attributes": []
          }
        ]"#]]
    .assert_eq(&pretty(&checked));
}

fn pretty(checked: &Checked) -> String {
    let differences: Vec<_> = checked.differences.iter().map(|(_, difference)| difference).collect();
    serde_json::to_string_pretty(&differences).unwrap()
}

#[tokio::test]
async fn a_row_that_the_second_read_finds_is_no_difference() {
    let target = Scripted::new([stored(0), stored(1)]).then([Answer::Nothing]);
    let checked = checked(&target, &batch(0..2), &rules()).await;
    assert_eq!(counts(&checked), (2, 0, 0, 0));
    assert_eq!(target.asked(), [2, 2]);
}

#[tokio::test]
async fn values_are_shown_only_on_demand() {
    let target = Scripted::new([altered(0, r#""N":"7""#, r#""N":"8""#)]);
    let shown = Rules { show_values: true, ..rules() };
    let attribute = |checked: &Checked| serde_json::to_string(&checked.differences[0].1.attributes).unwrap();
    assert_eq!(
        attribute(&checked(&target, &batch([0]), &shown).await),
        r#"[{"name":"n","what":"different","expected":{"N":"7.0"},"found":{"N":"8"}}]"#
    );
    assert_eq!(
        attribute(&checked(&target, &batch([0]), &rules()).await),
        r#"[{"name":"n","what":"different"}]"#
    );
}

#[tokio::test]
async fn rows_that_the_load_rejected_are_excused_only_where_they_are_wrong() {
    let excused: Excused = Arc::new(|entity, key| entity == "User" && matches!(key[0].1.as_str(), "0" | "2"));
    let target = Scripted::new([stored(0), stored(1)]);
    let checked = checked(&target, &batch(0..4), &Rules { excused: Some(excused), ..rules() }).await;
    assert_eq!(counts(&checked), (2, 1, 0, 1));
}

#[tokio::test]
async fn two_rows_with_one_key_are_both_compared() {
    let mut batch = batch([1, 1]);
    batch.rows[1].wire = altered(1, r#""N":"7""#, r#""N":"9""#).1;
    let checked = checked(&Scripted::new([stored(1)]), &batch, &rules()).await;
    assert_eq!(counts(&checked), (1, 0, 1, 0));
}

#[tokio::test]
async fn differences_beyond_the_cap_are_counted() {
    let few = Rules { differences: 2, ..rules() };
    let checked = checked(&Scripted::default(), &batch(0..150), &few).await;
    assert_eq!((checked.missing, checked.differences.len()), (150, 2));
    assert_eq!(checked.differences[1].0.row, 1);
}

#[tokio::test]
async fn an_item_of_ours_that_is_malformed_is_an_error_with_its_row() {
    let mut batch = batch([1]);
    batch.rows[0].wire = br#"{"PK":{"S":"a"},"PK":{"S":"a"}}"#.to_vec();
    let error = check(&Scripted::new([stored(1)]), "User", &batch, &rules(), &|_| {}).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the item built for the row with id=1: not an item in DynamoDB JSON (at byte 31)"
    );
}
