//! `[[access_patterns]]`, as they are read.

use super::parse;
use crate::mapping::{AccessPattern, Comparison, Order, SortKey, Template, TemplatePart};

const BASE: &str = r#"
[source]
url = "sqlite://shop.db"

[table]
name = "shop"

[table.indexes.GSI1]
partition_key = ["A", "B"]
sort_key = ["C", "D"]

[entities.Order]
from = "orders"
pk = "ORDER#{id:010}"
sk = "ORDER"

[[access_patterns]]
name = "a pattern"
returns = { Order = "id = {id}" }
"#;

fn pattern(keys: &str) -> AccessPattern {
    let mut mapping = parse(&format!("{BASE}{keys}")).unwrap_or_else(|found| panic!("{keys}: {found:?}"));
    mapping.patterns.pop().unwrap()
}

fn text(template: &Template) -> String {
    let part = |part: &TemplatePart| match part {
        TemplatePart::Literal(text) => text.clone(),
        TemplatePart::Placeholder { column, .. } => format!("{{{column}}}"),
    };
    template.parts.iter().map(part).collect()
}

#[test]
fn what_is_not_said_has_a_default() {
    let pattern = pattern("pk = 'ORDER#'");
    assert_eq!((pattern.order, pattern.limit, pattern.sample), (Order::Ascending, None, 100));
    assert!(
        pattern.index.is_none()
            && pattern.params.is_none()
            && pattern.shards.is_none()
            && pattern.sk.is_none()
    );
    let [(entity, predicate)] = pattern.returns.as_slice() else { panic!("{:?}", pattern.returns) };
    assert_eq!((entity.get_ref().as_str(), predicate.get_ref().as_str()), ("Order", "id = {id}"));
}

#[test]
fn a_sort_key_is_compared_in_each_way() {
    for (key, comparison) in [
        ("begins_with", Comparison::BeginsWith),
        ("lt", Comparison::Less),
        ("lte", Comparison::LessOrEqual),
        ("gt", Comparison::Greater),
        ("gte", Comparison::GreaterOrEqual),
    ] {
        let pattern = pattern(&format!("pk = 'P'\nsk = {{ {key} = 'A' }}"));
        let Some(SortKey::Compared(found, template)) = &pattern.sk else { panic!("{:?}", pattern.sk) };
        assert_eq!((*found, text(template)), (comparison, "A".to_owned()));
    }
    let parts = |keys| pattern(keys).sk.unwrap().parts().into_iter().map(text).collect::<Vec<_>>();
    assert_eq!(parts("pk = 'P'\nsk = { between = ['A', 'B'] }"), ["A", "B"]);
    assert_eq!(parts("pk = 'P'\nsk = 'A'"), ["A"]);
}

#[test]
fn keys_of_several_attributes_take_lists_and_a_sort_key_its_first_ones() {
    let pattern = pattern(
        "index = 'GSI1'\nparams = 'SELECT 1 AS id'\npk = ['{id}', 'B']\nsk = ['C']\norder = 'desc'\nlimit = 7\nsample = 3",
    );
    assert_eq!(pattern.pk.iter().map(text).collect::<Vec<_>>(), ["{id}", "B"]);
    assert_eq!(pattern.sk.unwrap().parts().into_iter().map(text).collect::<Vec<_>>(), ["C"]);
    assert_eq!((pattern.order, pattern.limit, pattern.sample), (Order::Descending, Some(7), 3));
}

#[test]
fn a_shard_is_a_column_of_params_where_no_shards_are() {
    let pattern = pattern("params = 'SELECT 1 AS shard'\npk = 'P#{shard:lower}'");
    assert!(pattern.shards.is_none());
    assert_eq!(*self::pattern("shards = 4\npk = 'P#{shard:02}'").shards.unwrap().get_ref(), 4);
}
