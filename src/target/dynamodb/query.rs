//! Query, items as the service wrote them.

use bytes::Bytes;

use super::DynamoDb;
use super::read::Page;
use crate::target::{Query, QueryAnswer, QueryRequest, TargetError, TargetErrorKind};

impl Query for DynamoDb {
    async fn query(&self, request: &QueryRequest<'_>) -> Result<QueryAnswer, TargetError> {
        let body = Bytes::from(request.body(self.table()));
        let read = self.read();
        let operation = read.used.client.query().table_name(self.table()).customize();
        let sent = read.request(operation, body).send().await;
        answer(&read.body(sent).await?)
            .ok_or_else(|| self.unreadable(TargetErrorKind::Transient, "the answer is no Query answer"))
    }
}

fn answer(body: &[u8]) -> Option<QueryAnswer> {
    let Page { items, last, units } = Page::parse(body)?;
    Some(QueryAnswer { items, last, half_units: units.and_then(half_units) })
}

/// Read units come in halves: an eventually consistent read of up to 4 KB is one.
fn half_units(units: f64) -> Option<u64> {
    format!("{:.0}", units * 2.0).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_the_place_of_the_next_page_come_back_byte_for_byte() {
        let body = br#"{"Count":1,"Items":[{"n":{"N":"1.50"}}],"LastEvaluatedKey":{"PK":{"S":"\/"}},"ScannedCount":1,"ConsumedCapacity":{"TableName":"shop","CapacityUnits":0.5}}"#;
        let read = answer(body).unwrap();
        assert_eq!(read.items, [br#"{"n":{"N":"1.50"}}"#.to_vec()]);
        assert_eq!(read.last.as_deref(), Some(br#"{"PK":{"S":"\/"}}"#.as_slice()));
        assert_eq!(read.half_units, Some(1));
        let empty = answer(br#"{"Count":0,"Items":[],"ScannedCount":0}"#).unwrap();
        assert!(empty.items.is_empty() && empty.last.is_none() && empty.half_units.is_none());
        assert!(answer(b"{}").is_none());
    }
}
