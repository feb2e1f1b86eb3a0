//! Query, items as the service wrote them.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::DynamoDb;
use super::aside::Aside;
use super::error::Stage;
use super::get::READ_TIME;
use super::put::{replace_body, with_time};
use crate::target::{Query, QueryAnswer, QueryRequest, TargetError, TargetErrorKind};

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(rename = "Items", borrow)]
    items: Vec<&'a RawValue>,
    #[serde(rename = "LastEvaluatedKey", borrow, default)]
    last: Option<&'a RawValue>,
    #[serde(rename = "ConsumedCapacity", default)]
    consumed: Option<Consumed>,
}

#[derive(Deserialize)]
struct Consumed {
    #[serde(rename = "CapacityUnits", default)]
    units: Option<f64>,
}

impl Query for DynamoDb {
    async fn query(&self, request: &QueryRequest<'_>) -> Result<QueryAnswer, TargetError> {
        let body = Bytes::from(request.body(self.table()));
        let aside = Aside::default();
        let used = self.shared.clients.current();
        let answer = used
            .client
            .query()
            .table_name(self.table())
            .customize()
            .config_override(with_time(self.shared.request_timeout.saturating_mul(READ_TIME)))
            .interceptor(aside.clone())
            .mutate_request(move |request| replace_body(request, &body))
            .send()
            .await;
        if let Err(error) = answer {
            let error = self.call(Stage::Load, self.read_context()).failed(error);
            return Err(self.shared.clients.judge(&used, error).await);
        }
        used.succeeded();
        read(&aside.take())
            .ok_or_else(|| self.unreadable(TargetErrorKind::Transient, "the answer is no Query answer"))
    }
}

fn read(body: &[u8]) -> Option<QueryAnswer> {
    let answer: Answer<'_> = serde_json::from_slice(body).ok()?;
    let bytes = |raw: &RawValue| raw.get().as_bytes().to_vec();
    Some(QueryAnswer {
        items: answer.items.into_iter().map(bytes).collect(),
        last: answer.last.map(bytes),
        half_units: answer.consumed.and_then(|consumed| half_units(consumed.units?)),
    })
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
        let answer = read(body).unwrap();
        assert_eq!(answer.items, [br#"{"n":{"N":"1.50"}}"#.to_vec()]);
        assert_eq!(answer.last.as_deref(), Some(br#"{"PK":{"S":"\/"}}"#.as_slice()));
        assert_eq!(answer.half_units, Some(1));
        let empty = read(br#"{"Count":0,"Items":[],"ScannedCount":0}"#).unwrap();
        assert!(empty.items.is_empty() && empty.last.is_none() && empty.half_units.is_none());
        assert!(read(b"{}").is_none());
    }
}
