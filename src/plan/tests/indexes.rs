use super::super::testing::*;
use super::super::{Membership, Plan};
use crate::mapping::{Diagnostic, Entity, Index, KeyType, Projection};
use crate::source::{Output, Relation};

fn user() -> Entity {
    entity("User", "U#{id:010}", "P")
}

fn users() -> Relation {
    relation("id int8, email text, age int4", "id")
}

fn with_indexes(
    entities: Vec<Entity>,
    indexes: Vec<Index>,
) -> Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>> {
    let relations: Vec<Relation> = entities.iter().map(|_| users()).collect();
    let mut mapping = mapping(entities);
    mapping.table.indexes = indexes;
    resolved(&mapping, &relations)
}

fn membership(plan: &Plan, name: &str) -> Membership {
    let layout = &plan.entities[0].layout;
    let keys = [Some(&layout.partition_key), layout.sort_key.as_ref()].into_iter().flatten();
    let blocks = layout.index_entries.iter().flat_map(|entry| &entry.keys);
    let key = keys.chain(blocks).find(|key| key.attribute == name).map(|key| key.membership);
    let attribute = layout.attributes.iter().find(|attribute| attribute.name == name);
    key.or(attribute.map(|attribute| attribute.membership)).unwrap()
}

#[test]
fn attributes_know_in_which_indexes_they_count() {
    let mut with_block = user();
    with_block.indexes = vec![block("GSI1", "E#{email}", "U")];
    let included =
        Index { projection: Projection::Include(vec!["age".to_owned()]), ..index("ByAge", "email", "SK") };
    let keys_only = Index { projection: Projection::KeysOnly, ..index("Inverted", "SK", "PK") };
    let indexes = vec![index("GSI1", "GSI1PK", "GSI1SK"), keys_only, included];
    let (plan, _) = with_indexes(vec![with_block], indexes).unwrap();
    let is = |projected, partition_of, sort_of| Membership { projected, partition_of, sort_of };
    assert_eq!(membership(&plan, "PK"), is(0b111, 0, 0b010));
    assert_eq!(membership(&plan, "SK"), is(0b111, 0b010, 0b100));
    assert_eq!(membership(&plan, "GSI1PK"), is(0b001, 0b001, 0));
    assert_eq!(membership(&plan, "email"), is(0b101, 0b100, 0));
    assert_eq!(membership(&plan, "age"), is(0b101, 0, 0));
    let attribute = &plan.entities[0].layout.attributes[1];
    assert_eq!((attribute.name.as_str(), attribute.index_key), ("email", Some(KeyType::S)));
}

#[test]
fn a_condition_is_read_beside_the_columns() {
    let mut sparse = user();
    sparse.indexes = vec![block("GSI1", "E#{email}", "U")];
    sparse.indexes[0].when = Some(text("age > 17"));
    let (plan, _) = with_indexes(vec![sparse], vec![index("GSI1", "GSI1PK", "GSI1SK")]).unwrap();
    let entity = &plan.entities[0];
    let when = entity.layout.index_entries[0].when.unwrap();
    assert_eq!(entity.select.output[when], Output::Condition { sql: "age > 17".to_owned() });
    assert_eq!(entity.layout.columns[when].raw, None);
}

#[test]
fn an_attribute_that_is_an_index_key_must_have_its_type() {
    let mut by_age = index("ByAge", "email", "age");
    let wrong = with_indexes(vec![user()], vec![by_age.clone()]).unwrap_err();
    assert_eq!(
        lines(&wrong)[1],
        "note enters-index: `User` enters index `ByAge` without a block `index.ByAge`: its items carry the key attributes anyway"
    );
    assert_eq!(
        lines(&wrong)[0],
        "error index-key-type: attribute `age` is N, but a key of index `ByAge`, which wants S"
    );
    by_age.sort_key = vec![key_attribute("age", KeyType::N)];
    assert!(with_indexes(vec![user()], vec![by_age]).is_ok());
}

#[test]
fn an_attribute_is_one_type_in_all_keys() {
    let mut other = index("Inverted", "SK", "PK");
    other.partition_key[0].kind = KeyType::N;
    let findings = with_indexes(vec![user()], vec![other]).unwrap_err();
    assert!(codes(&findings).contains(&"key-type"));
}

#[test]
fn entering_an_index_by_accident_is_warned_of_and_by_design_noted() {
    let mut with_block = user();
    with_block.indexes = vec![block("GSI1", "E#{email}", "U")];
    let mut accident = entity("Org", "ORG#{id:010}", "P");
    accident.attributes = vec![attribute("GSI1PK", "email"), attribute("GSI1SK", "email")];
    let indexes = vec![index("GSI1", "GSI1PK", "GSI1SK"), index("Inverted", "SK", "PK")];
    let (_, findings) = with_indexes(vec![with_block, accident], indexes).unwrap();
    let found: Vec<String> = lines(&findings).into_iter().filter(|line| line.contains("enters")).collect();
    assert_eq!(
        found,
        [
            "note enters-index: `User` enters index `Inverted` without a block `index.Inverted`: its items carry the key attributes anyway",
            "warning enters-index: `Org` enters index `GSI1` without a block `index.GSI1`: its items carry the key attributes anyway",
            "note enters-index: `Org` enters index `Inverted` without a block `index.Inverted`: its items carry the key attributes anyway",
        ]
    );
}

#[test]
fn k03_a_block_that_leaves_a_key_out_never_enters_its_index() {
    let mut half = user();
    half.indexes = vec![block("GSI1", "E#{email}", "U")];
    half.indexes[0].sk.clear();
    let (_, findings) = with_indexes(vec![half], vec![index("GSI1", "GSI1PK", "GSI1SK")]).unwrap();
    assert_eq!(codes(&findings), ["index-incomplete"]);
}

/// K03: with several attributes in a key, an item needs them all.
#[test]
fn k03_keys_of_several_attributes_come_from_blocks_and_columns_alike() {
    let by_email = |user: &mut Entity| {
        user.indexes = vec![block("Wide", "E#{email}", "{age:sortable}")];
        user.indexes[0].pk.push(template("{id:010}"));
    };
    let mut wide = index("Wide", "W1", "W3");
    wide.partition_key.push(key_attribute("W2", KeyType::S));
    let mut with_block = user();
    by_email(&mut with_block);
    let mut by_columns = wide.clone();
    by_columns.sort_key = vec![key_attribute("email", KeyType::S), key_attribute("age", KeyType::N)];
    let mut half = user();
    by_email(&mut half);
    half.indexes[0].pk.clear();
    let (plan, findings) = with_indexes(vec![with_block], vec![wide.clone()]).unwrap();
    assert_eq!(codes(&findings), Vec::<&str>::new());
    let entry = &plan.entities[0].layout.index_entries[0];
    let names: Vec<&str> = entry.keys.iter().map(|key| key.attribute.as_str()).collect();
    assert_eq!(names, ["W1", "W2", "W3"]);
    let sizing = &plan.entities[0].layout.indexes[0];
    assert_eq!((sizing.partition_keys, sizing.sort_keys), (2, 1));
    let is = |projected, partition_of, sort_of| Membership { projected, partition_of, sort_of };
    assert_eq!(membership(&plan, "W2"), is(1, 1, 0));
    let (_, findings) = with_indexes(vec![half], vec![wide]).unwrap();
    assert_eq!(codes(&findings), ["index-incomplete"]);
    let mut carries = user();
    carries.attributes = vec![attribute("W1", "email"), attribute("W2", "email")];
    carries.columns = crate::mapping::ColumnChoice::All;
    let (plan, _) = with_indexes(vec![carries], vec![by_columns]).unwrap();
    assert_eq!((membership(&plan, "W2"), membership(&plan, "age")), (is(1, 1, 0), is(1, 0, 1)));
}

/// Z06: said once, however many local indexes there are.
#[test]
fn z06_a_local_index_limits_what_a_partition_key_holds() {
    let local = |name, sk| Index { local: true, ..index(name, "PK", sk) };
    let (plan, findings) =
        with_indexes(vec![user()], vec![local("ByEmail", "email"), local("ByAge", "SK")]).unwrap();
    assert_eq!(codes(&findings).iter().filter(|code| **code == "local-index").count(), 1);
    assert!(lines(&findings)[0].contains("holds 10 GB at most"), "{findings:?}");
    assert!(plan.table.indexes.iter().all(|index| index.local));
}

#[test]
fn blocks_must_name_an_index_of_the_table() {
    let mut wrong = user();
    wrong.indexes = vec![block("GSI", "E#{email}", "U")];
    let findings = with_indexes(vec![wrong], vec![index("GSI1", "GSI1PK", "GSI1SK")]).unwrap_err();
    assert_eq!(codes(&findings), ["unknown-index"]);
    assert_eq!(findings[0].help.as_deref(), Some("did you mean `GSI1`?"));
}
