//! BatchGetItem, strongly consistent, items as the service wrote them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::KeysAndAttributes;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::DynamoDb;
use crate::target::key::Keys;
use crate::target::{Found, Lookup, TargetError, TargetErrorKind};

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(rename = "Responses", borrow)]
    responses: HashMap<String, Vec<&'a RawValue>>,
    #[serde(rename = "UnprocessedKeys", borrow, default)]
    unprocessed: HashMap<String, Unprocessed<'a>>,
}

#[derive(Deserialize)]
struct Unprocessed<'a> {
    #[serde(rename = "Keys", borrow)]
    keys: Vec<&'a RawValue>,
}

impl Lookup for DynamoDb {
    async fn get(&self, keys: &[&[u8]]) -> Result<Found, TargetError> {
        let body = request_body(self.table(), keys);
        let read = self.read();
        let operation = read
            .used
            .client
            .batch_get_item()
            .set_request_items(Some(HashMap::from([(self.table().to_owned(), no_keys(self)?)])))
            .customize();
        let sent = read.request(operation, body).send().await;
        let body = read.body(sent).await?;
        let Ok(answer) = serde_json::from_slice::<Answer<'_>>(&body) else {
            return Err(self.unreadable(TargetErrorKind::Transient, "the answer is no BatchGetItem answer"));
        };
        let items = answer.responses.values().flatten().map(|item| item.get().as_bytes().to_vec()).collect();
        Ok(Found { items, unanswered: self.unanswered(keys, &answer)? })
    }
}

impl DynamoDb {
    fn unanswered(&self, keys: &[&[u8]], answer: &Answer<'_>) -> Result<Vec<usize>, TargetError> {
        if answer.unprocessed.is_empty() {
            return Ok(Vec::new());
        }
        let known = Keys::read(keys.iter().copied());
        let unprocessed = answer.unprocessed.values().flat_map(|table| &table.keys);
        let positions: Option<Vec<usize>> =
            unprocessed.map(|key| known.as_ref()?.position_of(key.get())).collect();
        positions.ok_or_else(|| {
            self.unreadable(
                TargetErrorKind::Other,
                "the service returned an unprocessed key that was not asked for",
            )
        })
    }
}

/// What stands for the keys until the body is replaced.
fn no_keys(target: &DynamoDb) -> Result<KeysAndAttributes, TargetError> {
    KeysAndAttributes::builder()
        .set_keys(Some(Vec::new()))
        .build()
        .map_err(|error| target.unreadable(TargetErrorKind::Other, &error.to_string()))
}

/// `{"RequestItems":{"shop":{"ConsistentRead":true,"Keys":[{…},{…}]}}}`
fn request_body(table: &str, keys: &[&[u8]]) -> Bytes {
    let table = serde_json::Value::from(table).to_string();
    let mut body = Vec::with_capacity(keys.iter().map(|key| key.len() + 3).sum::<usize>() + table.len() + 64);
    body.extend_from_slice(b"{\"RequestItems\":{");
    body.extend_from_slice(table.as_bytes());
    body.extend_from_slice(b":{\"ConsistentRead\":true,\"Keys\":[");
    for (position, key) in keys.iter().enumerate() {
        let opening: &[u8] = if position == 0 { b"{" } else { b",{" };
        body.extend_from_slice(opening);
        body.extend_from_slice(key);
        body.push(b'}');
    }
    body.extend_from_slice(b"]}}}");
    Bytes::from(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_wrapped_in_braces() {
        let body = request_body("shop", &[br#""PK":{"S":"A"}"#, br#""PK":{"S":"B"}"#]);
        assert_eq!(
            body,
            r#"{"RequestItems":{"shop":{"ConsistentRead":true,"Keys":[{"PK":{"S":"A"}},{"PK":{"S":"B"}}]}}}"#
        );
    }

    #[test]
    fn items_and_unprocessed_keys_come_back_byte_for_byte() {
        let body = br#"{"Responses":{"shop":[{"n":{"N":"1.50"},"s":{"S":"\u00e9\/"}}]},
                       "UnprocessedKeys":{"shop":{"ConsistentRead":true,"Keys":[{"PK":{"S":"\/"}}]}}}"#;
        let answer: Answer<'_> = serde_json::from_slice(body).unwrap();
        assert_eq!(answer.responses["shop"][0].get(), r#"{"n":{"N":"1.50"},"s":{"S":"\u00e9\/"}}"#);
        assert_eq!(answer.unprocessed["shop"].keys[0].get(), r#"{"PK":{"S":"\/"}}"#);
    }

    #[test]
    fn an_answer_without_responses_is_no_answer() {
        assert!(serde_json::from_slice::<Answer<'_>>(b"{}").is_err());
        assert!(serde_json::from_slice::<Answer<'_>>(b"<html>").is_err());
    }
}
