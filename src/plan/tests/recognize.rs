use super::super::testing::*;
use super::super::{Recognizer, resolve};

fn recognizer(entity_type: Option<&str>) -> Recognizer {
    let entities = vec![
        entity("User", "USER#{id:010}", "PROFILE"),
        entity("Order", "USER#{user_id:010}", "ORDER#{day}#{id}"),
    ];
    let mut mapping = mapping(entities);
    mapping.table.entity_type = entity_type.map(text);
    let relations = [relation("id int8", "id"), relation("id int8, user_id int8, day date", "id")];
    let described: Vec<_> = relations.into_iter().map(Ok).collect();
    let Ok((plan, _)) = resolve(&mapping, &described) else { panic!("a mapping without mistakes") };
    Recognizer::new(&plan, entity_type)
}

fn known(recognizer: &Recognizer, kind: Option<&str>, pk: &str, sk: Option<&str>) -> Option<usize> {
    recognizer.entity(kind, pk.as_bytes(), sk.map(str::as_bytes))
}

#[test]
fn an_item_without_a_type_belongs_to_the_entity_without_one_that_can_render_its_key() {
    let without = recognizer(None);
    let entity = |pk: &str, sk: &str| known(&without, None, pk, Some(sk));
    assert_eq!(entity("USER#0000000007", "PROFILE"), Some(0));
    assert_eq!(entity("USER#0000000007", "ORDER#2024-01-31#-5"), Some(1));
    assert_eq!(entity("USER#7", "PROFILE"), None, "not padded");
    assert_eq!(entity("USER#0000000007", "ORDER#2024-01-31#"), None);
    assert_eq!(entity("USER#0000000007", "PROFILE2"), None);
    assert_eq!(entity("SESSION#1", "PROFILE"), None);
    assert_eq!(known(&without, None, "USER#0000000007", None), None);
    // Who writes types has written none of these.
    assert_eq!(known(&recognizer(Some("kind")), None, "USER#0000000007", Some("PROFILE")), None);
}

#[test]
fn a_type_alone_decides_where_there_is_one() {
    let recognizer = recognizer(Some("kind"));
    assert_eq!(known(&recognizer, Some("Order"), "anything", Some("else")), Some(1));
    assert_eq!(known(&recognizer, Some("Session"), "USER#0000000007", Some("PROFILE")), None);
}
