//! A Query in words of our own.

use crate::mapping::{Comparison, Order, SortKey};

/// A key attribute with its value: `PK`, `{"S":"USER#1"}`.
pub type NamedValue<'a> = (&'a str, &'a [u8]);

/// What is asked for. Values are DynamoDB JSON, as [`crate::item::key_value`] makes them.
#[derive(Debug, Clone)]
pub struct QueryRequest<'a> {
    /// The table itself without one.
    pub index: Option<&'a str>,
    /// Every attribute of the partition key.
    pub pk: Vec<NamedValue<'a>>,
    pub sk: Option<SortKey<NamedValue<'a>>>,
    pub order: Order,
    /// Items of the page at most.
    pub limit: Option<u64>,
    /// Strongly consistent: not possible of a global index.
    pub consistent: bool,
    /// Where the page before ended, as the service wrote it.
    pub after: Option<&'a [u8]>,
}

/// One page.
#[derive(Debug, Clone, Default)]
pub struct QueryAnswer {
    /// The raw `{"PK":{"S":"…"},…}` of each item, as the service wrote it.
    pub items: Vec<Vec<u8>>,
    /// Where the next page begins; `None` where the answer ends.
    pub last: Option<Vec<u8>>,
    /// Halves of read units that the service took, where it says so.
    pub half_units: Option<u64>,
}

impl QueryRequest<'_> {
    /// `{"TableName":"shop","KeyConditionExpression":"#a = :a AND begins_with(#b, :b)",…}`
    pub(super) fn body(&self, table: &str) -> Vec<u8> {
        let mut conditions = Conditions::default();
        for (name, value) in &self.pk {
            conditions.add(name, &[value], "{n} = {v}");
        }
        match &self.sk {
            None => {}
            Some(SortKey::Equal(parts)) => {
                for (name, value) in parts {
                    conditions.add(name, &[value], "{n} = {v}");
                }
            }
            Some(SortKey::Compared(comparison, (name, value))) => {
                conditions.add(name, &[value], form(*comparison));
            }
            Some(SortKey::Between((name, low), (_, high))) => {
                conditions.add(name, &[low, high], "{n} BETWEEN {v} AND {w}");
            }
        }
        let mut body = Vec::new();
        member(&mut body, "TableName", &text(table));
        if let Some(index) = self.index {
            member(&mut body, "IndexName", &text(index));
        }
        member(&mut body, "KeyConditionExpression", &text(&conditions.expression));
        member(&mut body, "ExpressionAttributeNames", &object(&conditions.names));
        member(&mut body, "ExpressionAttributeValues", &object(&conditions.values));
        member(&mut body, "ScanIndexForward", flag(self.order == Order::Ascending));
        member(&mut body, "ConsistentRead", flag(self.consistent));
        member(&mut body, "ReturnConsumedCapacity", b"\"TOTAL\"");
        if let Some(limit) = self.limit {
            member(&mut body, "Limit", limit.to_string().as_bytes());
        }
        if let Some(after) = self.after {
            member(&mut body, "ExclusiveStartKey", after);
        }
        body.push(b'}');
        body
    }
}

fn form(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::BeginsWith => "begins_with({n}, {v})",
        Comparison::Less => "{n} < {v}",
        Comparison::LessOrEqual => "{n} <= {v}",
        Comparison::Greater => "{n} > {v}",
        Comparison::GreaterOrEqual => "{n} >= {v}",
    }
}

#[derive(Default)]
struct Conditions {
    expression: String,
    names: Vec<(String, Vec<u8>)>,
    values: Vec<(String, Vec<u8>)>,
}

impl Conditions {
    /// `form` has `{n}` for the attribute, `{v}` and `{w}` for its values.
    fn add(&mut self, name: &str, values: &[&[u8]], form: &str) {
        let alias = format!("#k{}", self.names.len());
        self.names.push((alias.clone(), text(name)));
        let mut condition = form.replace("{n}", &alias);
        for (value, place) in values.iter().zip(["{v}", "{w}"]) {
            let alias = format!(":v{}", self.values.len());
            condition = condition.replace(place, &alias);
            self.values.push((alias, value.to_vec()));
        }
        if !self.expression.is_empty() {
            self.expression.push_str(" AND ");
        }
        self.expression.push_str(&condition);
    }
}

fn text(text: &str) -> Vec<u8> {
    serde_json::Value::from(text).to_string().into_bytes()
}

fn flag(set: bool) -> &'static [u8] {
    if set { b"true" } else { b"false" }
}

fn object(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut object = Vec::new();
    for (name, value) in members {
        member(&mut object, name, value);
    }
    object.push(b'}');
    object
}

fn member(object: &mut Vec<u8>, name: &str, value: &[u8]) {
    object.push(if object.is_empty() { b'{' } else { b',' });
    object.extend(text(name));
    object.push(b':');
    object.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(sk: Option<SortKey<NamedValue<'static>>>) -> QueryRequest<'static> {
        QueryRequest {
            index: None,
            pk: vec![("PK", br#"{"S":"U#1"}"#)],
            sk,
            order: Order::Ascending,
            limit: None,
            consistent: true,
            after: None,
        }
    }

    fn condition(sk: SortKey<NamedValue<'static>>) -> String {
        let body: serde_json::Value = serde_json::from_slice(&request(Some(sk)).body("shop")).unwrap();
        body["KeyConditionExpression"].as_str().unwrap().to_owned()
    }

    const A: NamedValue<'static> = ("SK", br#"{"S":"A"}"#);
    const B: NamedValue<'static> = ("SK", br#"{"S":"B"}"#);

    #[test]
    fn every_condition_is_written_with_aliases() {
        for (comparison, expected) in [
            (Comparison::BeginsWith, "#k0 = :v0 AND begins_with(#k1, :v1)"),
            (Comparison::Less, "#k0 = :v0 AND #k1 < :v1"),
            (Comparison::LessOrEqual, "#k0 = :v0 AND #k1 <= :v1"),
            (Comparison::Greater, "#k0 = :v0 AND #k1 > :v1"),
            (Comparison::GreaterOrEqual, "#k0 = :v0 AND #k1 >= :v1"),
        ] {
            assert_eq!(condition(SortKey::Compared(comparison, A)), expected);
        }
        assert_eq!(condition(SortKey::Between(A, B)), "#k0 = :v0 AND #k1 BETWEEN :v1 AND :v2");
        assert_eq!(condition(SortKey::Equal(vec![A, B])), "#k0 = :v0 AND #k1 = :v1 AND #k2 = :v2");
    }

    #[test]
    fn the_body_is_what_the_service_expects() {
        let request = QueryRequest {
            index: Some("GSI1"),
            order: Order::Descending,
            limit: Some(3),
            consistent: false,
            after: Some(br#"{"PK":{"S":"U#1"}}"#),
            ..request(None)
        };
        assert_eq!(
            String::from_utf8(request.body("shop")).unwrap(),
            r##"{"TableName":"shop","IndexName":"GSI1","KeyConditionExpression":"#k0 = :v0","ExpressionAttributeNames":{"#k0":"PK"},"ExpressionAttributeValues":{":v0":{"S":"U#1"}},"ScanIndexForward":false,"ConsistentRead":false,"ReturnConsumedCapacity":"TOTAL","Limit":3,"ExclusiveStartKey":{"PK":{"S":"U#1"}}}"##
        );
    }
}
