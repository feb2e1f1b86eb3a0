use super::*;
use crate::verify::batch::tests::held;
use crate::verify::lookup::tests::{Answer, QUICK, Scripted, key, stored};

fn row(id: usize) -> (usize, Vec<u8>, Vec<u8>) {
    let wire = format!(r#"{{{},"n":{{"N":"7.0"}}}}"#, String::from_utf8(key(id)).unwrap());
    (id, key(id), wire.into_bytes())
}

fn batch_of(rows: &[(usize, Vec<u8>, Vec<u8>)]) -> Batch {
    Batch { held: held(3, rows), items: (0..rows.len()).collect(), absent: Vec::new() }
}

fn batch(ids: impl IntoIterator<Item = usize>) -> Batch {
    batch_of(&ids.into_iter().map(row).collect::<Vec<_>>())
}

fn rules() -> Rules {
    let options = crate::verify::VerifyOptions::new(crate::source::PageLimits { rows: 1, bytes: 1 });
    Rules { pace: QUICK, ..Rules::of(&options) }
}

async fn checked(target: &Scripted, batch: &Batch, rules: &Rules) -> Checked {
    check(target, "User", batch, rules, &|_| {}).await.unwrap()
}

/// Matching, missing, different, rejected.
fn counts(checked: &Checked) -> (usize, usize, usize, usize) {
    let missing = checked.suspects.iter().filter(|suspect| suspect.missing).count();
    (checked.matching, missing, checked.suspects.len() - missing, checked.rejected)
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
    assert_eq!((checked.suspects.len(), checked.units), (0, 5));
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
    let differences: Vec<_> = checked.suspects.iter().map(|suspect| &suspect.difference).collect();
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
    let attribute = |checked: &Checked| {
        let difference = checked.suspects[0].difference.as_ref().unwrap();
        serde_json::to_string(&difference.attributes).unwrap()
    };
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
async fn rows_that_the_load_left_out_are_excused_only_where_they_are_wrong() {
    let excuse: Excuse = Arc::new(|entity, key| match (entity, key[0].1.as_str()) {
        ("User", "0" | "2") => Some(Excused::Rejected),
        ("User", "4") => Some(Excused::Skipped),
        _ => None,
    });
    let target = Scripted::new([stored(0), stored(1)]);
    let checked = checked(&target, &batch(0..5), &Rules { excuse: Some(excuse), ..rules() }).await;
    assert_eq!((counts(&checked), checked.skipped), ((2, 1, 0, 1), 1));
}

#[tokio::test]
async fn missing_items_whose_time_has_passed_are_expired() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let times = [now - 60, now + 3_600, now - 6 * 365 * 86_400, now - 60];
    let mut rows: Vec<_> = (0..4).map(row).collect();
    for (row, time) in rows.iter_mut().zip(times) {
        row.2 = String::from_utf8(row.2.clone())
            .unwrap()
            .replace(r#""7.0""#, &format!(r#""{time}""#))
            .into_bytes();
    }
    let target = Scripted::new([(key(3), br#"{"PK":{"S":"U#3"},"SK":{"N":"3"}}"#.to_vec())]);
    let on = Rules { expiry: Some(Expiry { attribute: "n".to_owned() }), ..rules() };
    let checked = checked(&target, &batch_of(&rows), &on).await;
    // One may be gone by now, one may not yet, one never will; one is there and differs.
    assert_eq!((checked.expired, counts(&checked)), (1, (0, 2, 1, 0)));
    let off = super::check(&target, "User", &batch_of(&rows), &rules(), &|_| {}).await.unwrap();
    assert_eq!((off.expired, counts(&off)), (0, (0, 3, 1, 0)));
}

#[tokio::test]
async fn two_rows_with_one_key_are_both_compared() {
    let other = (1, key(1), altered(1, r#""N":"7""#, r#""N":"9""#).1);
    let checked = checked(&Scripted::new([stored(1)]), &batch_of(&[row(1), other]), &rules()).await;
    assert_eq!(counts(&checked), (1, 0, 1, 0));
}

#[tokio::test]
async fn differences_beyond_the_cap_are_counted() {
    let few = Rules { differences: 2, ..rules() };
    let checked = checked(&Scripted::default(), &batch(0..150), &few).await;
    assert_eq!(checked.suspects.len(), 150);
    let described = checked.suspects.iter().filter(|suspect| suspect.difference.is_some()).count();
    assert_eq!((described, checked.suspects[149].place.row), (2, 149));
}

#[tokio::test]
async fn an_item_of_ours_that_is_malformed_is_an_error_with_its_row() {
    let rows = [(1, key(1), br#"{"PK":{"S":"a"},"PK":{"S":"a"}}"#.to_vec())];
    let error =
        check(&Scripted::new([stored(1)]), "User", &batch_of(&rows), &rules(), &|_| {}).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the item built for the row with id=1: not an item in DynamoDB JSON (at byte 31)"
    );
}
