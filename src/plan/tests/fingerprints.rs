use super::super::testing::*;
use super::super::{FingerprintParts, describe_difference};
use crate::mapping::{ColumnChoice, Constant, Entity, KeyType, Mapping};
use crate::source::Relation;

fn base() -> (Mapping, Relation) {
    let mut user = entity("User", "U#{id:010}", "P");
    user.attributes = vec![attribute("Mail", "email"), constant("Source", Constant::Integer(1))];
    user.indexes = vec![block("GSI1", "E#{email}", "U")];
    let mut mapping = mapping(vec![user]);
    mapping.table.indexes = vec![index("GSI1", "GSI1PK", "GSI1SK")];
    (mapping, relation("id int8, email text, born date, seen timestamp", "id"))
}

fn parts(mapping: &Mapping, relation: &Relation) -> (String, FingerprintParts) {
    let (plan, _) = resolved(mapping, std::slice::from_ref(relation)).unwrap();
    (plan.entities[0].fingerprint.clone(), plan.entities[0].fingerprint_parts.clone())
}

#[test]
fn what_decides_the_items_changes_the_fingerprint_and_says_so() {
    let changed = |change: &dyn Fn(&mut Mapping, &mut Relation)| {
        let (old_hash, old) = {
            let (mapping, relation) = base();
            parts(&mapping, &relation)
        };
        let (mut mapping, mut relation) = base();
        change(&mut mapping, &mut relation);
        let (hash, new) = parts(&mapping, &relation);
        assert_eq!(hash == old_hash, old == new);
        describe_difference(&old, &new).unwrap_or_default()
    };
    let on_entity = |change: &dyn Fn(&mut Entity)| changed(&|mapping, _| change(&mut mapping.entities[0]));
    assert_eq!(on_entity(&|user| user.pk = template("U#{id:012}")), "`pk`");
    assert_eq!(on_entity(&|user| user.sk = Some(template("Q"))), "`sk`");
    assert_eq!(on_entity(&|user| user.filter = Some(text("id > 1"))), "`where`");
    assert_eq!(
        on_entity(&|user| user.rows = crate::mapping::Rows::From(text("people"))),
        "`from` or `query`"
    );
    assert_eq!(on_entity(&|user| user.indexes[0].when = Some(text("true"))), "the `index` blocks");
    let several = changed(&|mapping, _| {
        mapping.table.indexes[0].partition_key.push(key_attribute("GSI1PK2", KeyType::S));
        mapping.entities[0].indexes[0].pk.push(template("{id:sortable}"));
    });
    assert_eq!(several, "the `index` blocks");
    assert_eq!(
        on_entity(&|user| user.defaults.nulls = Some(crate::mapping::Nulls::Null)),
        "the attributes, the `index` blocks, `pk`"
    );
    assert_eq!(on_entity(&|user| user.key = Some(texts(&["id", "email"]))), "the source key");
    assert_eq!(
        on_entity(&|user| user.columns = ColumnChoice::List(texts(&["id"]))),
        "the attributes, the source's columns (names, types or `let`)"
    );
    assert_eq!(on_entity(&|user| user.defaults = in_zone("UTC")), "the attributes");
    let type_changed = changed(&|_, relation| relation.columns[1] = column("email uuid"));
    assert_eq!(type_changed, "the source's columns (names, types or `let`)");
    let renamed = changed(&|mapping, _| mapping.table.partition_key = key_attribute("pk", KeyType::S));
    assert_eq!(renamed, "`pk`, the table's key attributes");
}

#[test]
fn what_decides_nothing_leaves_the_fingerprint_alone() {
    let same = |change: &dyn Fn(&mut Mapping, &mut Relation)| {
        let (mapping, relation) = base();
        let (old, _) = parts(&mapping, &relation);
        let (mut mapping, mut relation) = base();
        change(&mut mapping, &mut relation);
        old == parts(&mapping, &relation).0
    };
    assert!(same(&|_, _| {}));
    assert!(same(&|mapping, _| mapping.source.page_rows = 7), "page sizes");
    assert!(same(&|mapping, _| mapping.write.max_rejects = 7), "rates and limits");
    assert!(same(&|mapping, _| mapping.entities[0].attributes.reverse()), "the order of attributes");
    assert!(same(&|_, relation| relation.row_estimate = None), "estimates");
    assert!(same(&|mapping, _| mapping.table.indexes.push(index("New", "a", "b"))), "other indexes");
    assert!(
        same(&|mapping, _| mapping.table.indexes[0].sort_key.push(key_attribute("x", KeyType::S))),
        "what reaches an index"
    );
    assert!(same(&|mapping, _| mapping.entities[0].name = text("Person")), "the entity's name");
    let mut narrow = base();
    narrow.0.entities[0].columns = ColumnChoice::List(Vec::new());
    let mut grown = narrow.clone();
    grown.1.columns.push(column("more text"));
    assert_eq!(parts(&narrow.0, &narrow.1), parts(&grown.0, &grown.1), "columns that are not read");
}

#[test]
fn parts_survive_being_written_to_a_checkpoint() {
    let (mapping, relation) = base();
    let (hash, parts) = parts(&mapping, &relation);
    assert_eq!(hash.len(), 64);
    let text = serde_json::to_string(&parts).unwrap();
    assert_eq!(serde_json::from_str::<FingerprintParts>(&text).unwrap(), parts);
}
