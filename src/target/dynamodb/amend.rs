//! PutItem, UpdateItem and DeleteItem, each on the condition that the item is what was read.
//!
//! An item is replaced by UpdateItem: an attribute that came since, and that neither item has, stays.

use std::error::Error;

use aws_sdk_dynamodb::config::http::{HttpRequest, HttpResponse};
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use bytes::Bytes;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::DynamoDb;
use super::answer::{Failure, failure};
use super::aside::Aside;
use super::error::Stage;
use super::put::{replace_body, with_time};
use crate::target::guard::{Guard, Members};
use crate::target::{Amend, Amended, Amendment, TargetError};

impl Amend for DynamoDb {
    async fn amend(&self, amendment: &Amendment<'_>) -> Result<Amended, TargetError> {
        let context = format!("change an item of table `{}`", self.table());
        let body = body(self.table(), amendment).map_err(|error| TargetError::no_item(&context, &error))?;
        let Some(body) = body else { return Ok(Amended::TooWide) };
        let used = self.shared.clients.current();
        let (client, before) = (&used.client, Aside::default());
        let time = with_time(self.time_for(body.len()));
        let replace = move |request: &mut HttpRequest| replace_body(request, &body);
        // One of three kinds of request, which have no type in common.
        macro_rules! send {
            ($operation:expr) => {{
                let operation = $operation.table_name(self.table()).customize();
                let operation = operation.config_override(time).interceptor(before.clone());
                operation.mutate_request(replace).send().await.map_err(|error| no(&error)).err()
            }};
        }
        let no = match amendment {
            Amendment::Put { .. } => send!(client.put_item()),
            Amendment::Replace { .. } => send!(client.update_item()),
            Amendment::Delete { .. } => send!(client.delete_item()),
        };
        match no {
            None => {}
            Some(No::Moved) => return Ok(Amended::Moved),
            Some(No::Failed(failure)) => {
                let error = self.call(Stage::Load, context).error(&failure);
                return Err(self.shared.clients.judge(&used, error).await);
            }
        }
        used.succeeded();
        Ok(Amended::Done { before: item_before(&before.take()) })
    }
}

/// Why nothing was changed, as far as it is known.
enum No {
    Moved,
    Failed(Failure),
}

fn no<E>(error: &SdkError<E, HttpResponse>) -> No
where
    E: ProvideErrorMetadata + Error + Send + Sync + 'static,
{
    match error.code() {
        Some("ConditionalCheckFailedException") => No::Moved,
        _ => No::Failed(failure(error)),
    }
}

/// What the three kinds of request have.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Request<'a> {
    table_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a Members<'a>>,
    condition_expression: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    update_expression: Option<String>,
    expression_attribute_names: IndexMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    expression_attribute_values: &'a IndexMap<String, &'a RawValue>,
    return_values: &'static str,
}

/// The request's body; `None` where the item is too wide for a condition.
fn body(table: &str, amendment: &Amendment<'_>) -> Result<Option<Bytes>, serde_json::Error> {
    let key = amendment.key();
    let key: Members<'_> = serde_json::from_slice(&key)?;
    let Some(guard) = Guard::of(amendment, &key)? else { return Ok(None) };
    let item = match amendment {
        Amendment::Put { item, .. } => Some(serde_json::from_slice(item)?),
        Amendment::Replace { .. } | Amendment::Delete { .. } => None,
    };
    let request = Request {
        table_name: table,
        key: item.is_none().then_some(&key),
        item,
        condition_expression: guard.condition(),
        update_expression: guard.update(),
        expression_attribute_names: guard.names(),
        expression_attribute_values: guard.values(),
        return_values: "ALL_OLD",
    };
    serde_json::to_vec(&request).map(|body| Some(Bytes::from(body)))
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(rename = "Attributes", borrow)]
    attributes: Option<&'a RawValue>,
}

fn item_before(body: &[u8]) -> Option<Vec<u8>> {
    let answer: Answer<'_> = serde_json::from_slice(body).ok()?;
    answer.attributes.map(|item| item.get().as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &[u8] = br#""PK":{"S":"A"},"SK":{"S":"1"}"#;

    fn text(amendment: &Amendment<'_>) -> String {
        String::from_utf8(body("shop", amendment).unwrap().unwrap().to_vec()).unwrap()
    }

    #[test]
    fn an_item_is_put_as_it_was_built() {
        let item = br#"{"PK":{"S":"A"},"SK":{"S":"1"},"t":{"S":"\u00e9\/"}}"#;
        assert_eq!(
            text(&Amendment::Put { key: KEY, item }),
            r##"{"TableName":"shop","Item":{"PK":{"S":"A"},"SK":{"S":"1"},"t":{"S":"\u00e9\/"}},"ConditionExpression":"attribute_not_exists(#a0)","ExpressionAttributeNames":{"#a0":"PK"},"ReturnValues":"ALL_OLD"}"##
        );
    }

    #[test]
    fn an_item_is_replaced_by_what_differs() {
        let found = br#"{"PK":{"S":"A"},"SK":{"S":"1"},"n":{"N":"1"}}"#;
        let item = br#"{"PK":{"S":"A"},"SK":{"S":"1"},"n":{"N":"2"}}"#;
        assert_eq!(
            text(&Amendment::Replace { key: KEY, found, item }),
            r##"{"TableName":"shop","Key":{"PK":{"S":"A"},"SK":{"S":"1"}},"ConditionExpression":"#a0 = :v0 AND #a1 = :v1 AND #a2 = :v2","UpdateExpression":"SET #a2 = :v3","ExpressionAttributeNames":{"#a0":"PK","#a1":"SK","#a2":"n"},"ExpressionAttributeValues":{":v0":{"S":"A"},":v1":{"S":"1"},":v2":{"N":"1"},":v3":{"N":"2"}},"ReturnValues":"ALL_OLD"}"##
        );
    }

    #[test]
    fn an_item_is_deleted_with_all_its_attributes_as_they_were_read() {
        let found = br#"{"PK":{"S":"A"},"SK":{"S":"1"},"b":{"B":""}}"#;
        assert_eq!(
            text(&Amendment::Delete { key: KEY, found }),
            r##"{"TableName":"shop","Key":{"PK":{"S":"A"},"SK":{"S":"1"}},"ConditionExpression":"#a0 = :v0 AND #a1 = :v1 AND #a2 = :v2","ExpressionAttributeNames":{"#a0":"PK","#a1":"SK","#a2":"b"},"ExpressionAttributeValues":{":v0":{"S":"A"},":v1":{"S":"1"},":v2":{"B":""}},"ReturnValues":"ALL_OLD"}"##
        );
    }

    #[test]
    fn what_is_no_item_makes_no_request() {
        assert!(body("shop", &Amendment::Delete { key: KEY, found: b"[]" }).is_err());
        assert!(body("shop", &Amendment::Put { key: b"no json", item: b"{}" }).is_err());
    }

    #[test]
    fn the_item_before_is_told_byte_for_byte() {
        let told = item_before(br#"{"Attributes":{"PK":{"S":"\u00e9"}},"ConsumedCapacity":{}}"#);
        assert_eq!(told.unwrap(), br#"{"PK":{"S":"\u00e9"}}"#);
        assert_eq!(item_before(b"{}"), None);
    }
}
