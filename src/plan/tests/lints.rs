//! Warnings and notes about keys that sort, gather or read otherwise than may be meant.

use super::super::testing::*;
use crate::mapping::{Constant, Diagnostic, Entity, Index, KeyType, Origin};
use crate::source::Relation;

const CODES: [&str; 5] =
    ["one-partition", "few-partitions", "decimal-in-key", "shared-prefix", "local-time-in-key"];

fn said(entities: Vec<Entity>, relations: &[Relation], indexes: Vec<Index>) -> Vec<String> {
    let mut mapping = mapping(entities);
    mapping.table.indexes = indexes;
    let (_, findings) = resolved(&mapping, relations).unwrap();
    let ours: Vec<Diagnostic> = findings.into_iter().filter(|found| CODES.contains(&found.code)).collect();
    assert!(ours.iter().all(|found| found.help.is_some()));
    lines(&ours)
}

fn thing(index_pk: &str, columns: &str) -> Vec<String> {
    let mut entity = entity("T", "T#{id:010}", "P");
    entity.indexes = vec![block("GSI1", index_pk, "{id:010}")];
    said(vec![entity], &[relation(columns, "id")], vec![index("GSI1", "GSI1PK", "GSI1SK")])
}

#[test]
fn partitions_that_gather_a_whole_entity_are_warned_of() {
    let one = "warning one-partition: all items of `T` share one partition of index `GSI1`";
    assert_eq!(thing("ALL", "id int8"), [one]);
    let few =
        "note few-partitions: the items of `T` have no more partitions of index `GSI1` than `a` has values";
    for (columns, pk) in
        [("id int8, a bool", "A#{a}"), ("id int8, a my tinyint(1)", "{a}"), ("id int8, a my enum", "A#{a}#B")]
    {
        assert_eq!(thing(pk, columns), [few], "{columns}");
    }
    for (columns, pk) in [
        ("id int8", "ALL#{id:shard(8)}"),
        ("id int8, a bool", "{a}#{id:shard(8)}"),
        ("id int8, a bool, b bool", "{a}#{b}"),
        ("id int8, a text", "A#{a}"),
        ("id int8, a my bigint", "A#{a}"),
    ] {
        assert_eq!(thing(pk, columns), Vec::<String>::new(), "{pk}");
    }
}

/// PostgreSQL's enums by the catalog's count of their labels.
#[test]
fn an_enum_of_few_labels_gathers_as_a_flag_does() {
    for (labels, expected) in [(None, 0), (Some(3), 1), (Some(100), 1), (Some(101), 0)] {
        let mut entity = entity("T", "T#{id:010}", "P");
        entity.indexes = vec![block("GSI1", "A#{a}", "{id:010}")];
        let mut relation = relation("id int8, a text", "id");
        relation.columns[1].labels = labels;
        let said = said(vec![entity], &[relation], vec![index("GSI1", "GSI1PK", "GSI1SK")]);
        assert_eq!(said.len(), expected, "{labels:?}: {said:?}");
    }
}

#[test]
fn all_attributes_of_a_partition_key_count_however_they_came() {
    let columns = [relation("id int8, a bool", "id")];
    let mut wide = index("GSI1", "kind", "a");
    wide.partition_key.push(key_attribute("GSI1PK", KeyType::S));
    wide.sort_key.clear();
    let mut of_kind = entity("T", "T#{id:010}", "P");
    let constant = |name| crate::mapping::Attribute {
        origin: Origin::Value(spanned(Constant::Text("thing".to_owned()))),
        ..attribute(name, "a")
    };
    of_kind.attributes = vec![constant("kind"), constant("GSI1PK")];
    let one = "warning one-partition: all items of `T` share one partition of index `GSI1`";
    assert_eq!(said(vec![of_kind.clone()], &columns, vec![wide.clone()]), [one]);
    of_kind.attributes[1] = attribute("GSI1PK", "name");
    let named = [relation("id int8, name text", "id")];
    assert_eq!(said(vec![of_kind.clone()], &named, vec![wide]), Vec::<String>::new());
    // An index over the table's own keys is another view of what they say.
    let inverted = vec![index("Inverted", "SK", "PK")];
    assert_eq!(said(vec![entity("T", "T#{id:010}", "P")], &columns, inverted), Vec::<String>::new());
    let local = Index { local: true, ..index("Local", "PK", "a") };
    let mut texts = entity("T", "T#{id:010}", "P");
    texts.attributes = vec![attribute("a", "name")];
    assert_eq!(said(vec![texts], &named, vec![local]), Vec::<String>::new());
}

#[test]
fn a_sparse_index_of_one_partition_is_noted_only() {
    let mut sparse = entity("T", "T#{id:010}", "P");
    sparse.indexes = vec![block("GSI1", "OPEN", "{id:010}")];
    sparse.indexes[0].when = Some(text("a"));
    let found =
        said(vec![sparse], &[relation("id int8, a bool", "id")], vec![index("GSI1", "GSI1PK", "GSI1SK")]);
    let note = "note one-partition: all items of `T` that are in index `GSI1` share one partition of it";
    assert_eq!(found, [note]);
}

/// K27: whoever looks an item up must spell the number as it is written.
#[test]
fn k27_decimals_in_partition_keys_are_noted() {
    let of = |pk: &str, sk: &str, columns: &str| {
        said(vec![entity("T", pk, sk)], &[relation(columns, "id")], Vec::new())
    };
    let note = "note decimal-in-key: column `price` (numeric(9,2)) stands in a partition key without needless zeros: 1.50 is `1.5`";
    assert_eq!(of("P#{price}", "{id:010}", "id int8, price numeric(9,2)"), [note]);
    for (pk, columns) in [
        ("P#{price:sortable}", "id int8, price numeric(9,2)"),
        ("P#{price:shard(4)}", "id int8, price numeric(9,2)"),
        ("P#{price}", "id int8, price numeric(9,0)"),
        ("P#{price}", "id int8, price text"),
    ] {
        assert_eq!(of(pk, "{id:010}", columns), Vec::<String>::new(), "{pk} {columns}");
    }
    assert_eq!(of("P#{id:010}", "{price:sortable}", "id int8, price numeric(9,2)"), Vec::<String>::new());
}

#[test]
fn timestamps_without_a_zone_in_keys_are_noted_once() {
    let columns = [relation("id int8, made timestamp, seen timestamp, at timestamptz", "id")];
    let of = |pk: &str, sk: &str| said(vec![entity("T", pk, sk)], &columns, Vec::new());
    let note =
        "note local-time-in-key: keys of `T` hold timestamps without a zone as they are, without a `Z`: ";
    assert_eq!(of("P#{id:010}", "{made}#{seen:%Y%m%d}"), [format!("{note}`made`, `seen`")]);
    assert_eq!(of("P#{id:010}", "{at}"), Vec::<String>::new());
    assert_eq!(of("P#{id:010}", "X"), Vec::<String>::new());
}

#[test]
fn sort_keys_that_begin_others_are_noted_once_a_pair() {
    let of = |pairs: &[(&str, &str, &str)]| {
        let entities = pairs.iter().map(|(name, pk, sk)| entity(name, pk, sk)).collect();
        let relations: Vec<_> =
            pairs.iter().map(|_| relation("id int8, no int8, title text", "id no")).collect();
        said(entities, &relations, Vec::new())
    };
    let order = ("Order", "U#{id:010}", "ORDER#{no:010}");
    let item = ("Item", "U#{id:010}", "ORDER#{no:010}#ITEM#{id:04}");
    let note = "note shared-prefix: begins_with `ORDER#` reads `Order` and `Item`: sort keys of `Order` begin those of `Item` in one partition";
    assert_eq!(of(&[order, item]), [note]);
    assert_eq!(of(&[item, order]), [note]);
    for other in [
        ("Item", "V#{id:010}", "ORDER#{no:010}#ITEM#{id:04}"),
        ("Item", "U#{id:010}", "ITEM#{no:010}#{id:04}"),
        ("Item", "U#{id:010}", "ORDERED#{no:010}#{id:04}"),
        ("Item", "U#{id:010}", "ORDER#{no:012}"),
    ] {
        let expected: Vec<String> = match other.2.ends_with("012}") {
            true => vec![note.to_owned()],
            false => Vec::new(),
        };
        assert_eq!(of(&[order, other]), expected, "{other:?}");
    }
    // What begins with a column has no prefix to ask for.
    assert_eq!(
        of(&[("A", "U#{id:010}", "{no:010}"), ("B", "U#{id:010}", "{no:010}#X")]),
        Vec::<String>::new()
    );
}
