//! BatchWriteItem with the item builder's own bytes as its body.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::config::Config;
use aws_sdk_dynamodb::config::http::HttpRequest;
use aws_sdk_dynamodb::types::{AttributeValue, WriteRequest};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::timeout::TimeoutConfig;
use bytes::Bytes;

use super::DynamoDb;
use super::error::Stage;
use crate::target::Decimal;
use crate::target::key::{KeyValue, Keys};
use crate::target::{Put, PutBatch, Target, TargetError, TargetErrorKind};

/// Above this many bytes a request gets more time than the usual attempt: a slow line must not turn
/// the largest batches into timeouts for ever.
const LARGE: usize = 1 << 20;
/// The line speed that is still served, bytes per second.
const SLOWEST_LINE: usize = 256 << 10;

impl Target for DynamoDb {
    async fn put(&self, batch: &PutBatch) -> Result<Put, TargetError> {
        let body = request_body(self.table(), batch.requests());
        let used = self.shared.clients.current();
        let mut operation =
            used.client.batch_write_item().request_items(self.table(), Vec::new()).customize();
        if body.len() > LARGE {
            operation = operation.config_override(with_time(self.time_for(body.len())));
        }
        let answer = operation.mutate_request(move |request| replace_body(request, &body)).send().await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let error = self.call(Stage::Load, self.write_context()).failed(error);
                return Err(self.shared.clients.judge(&used, error).await);
            }
        };
        used.succeeded();
        match answer.unprocessed_items() {
            Some(requests) if requests.is_empty() => Ok(Put::All),
            Some(requests) => self.left_over(batch, requests),
            None => Err(self.unclear(TargetErrorKind::Transient, "the answer does not say what was written")),
        }
    }
}

impl DynamoDb {
    /// Which items of the batch the service did not get to.
    fn left_over(
        &self,
        batch: &PutBatch,
        requests: &HashMap<String, Vec<WriteRequest>>,
    ) -> Result<Put, TargetError> {
        let keys = Keys::read(batch.keys());
        let position = |request: &WriteRequest| {
            let item = request.put_request()?.item();
            keys.as_ref()?.position(|name| key_value(item.get(name)?))
        };
        let positions: Option<Vec<usize>> = requests.values().flatten().map(position).collect();
        let Some(mut positions) = positions else {
            return Err(self.unclear(
                TargetErrorKind::Other,
                "the service returned an unprocessed item that was not sent",
            ));
        };
        positions.sort_unstable();
        positions.dedup();
        Ok(if positions.is_empty() { Put::All } else { Put::Some(positions) })
    }

    fn write_context(&self) -> String {
        format!("write to table `{}`", self.table())
    }

    fn unclear(&self, kind: TargetErrorKind, cause: &str) -> TargetError {
        TargetError::new(kind, self.write_context(), cause)
    }

    pub(super) fn time_for(&self, bytes: usize) -> Duration {
        let seconds = u32::try_from(bytes / SLOWEST_LINE).unwrap_or(u32::MAX);
        self.shared.request_timeout.saturating_add(Duration::from_secs(u64::from(seconds)))
    }
}

/// `{"RequestItems":{"shop":[…]}}`
fn request_body(table: &str, requests: &[u8]) -> Bytes {
    let table = serde_json::Value::from(table).to_string();
    let mut body = Vec::with_capacity(requests.len() + table.len() + 32);
    body.extend_from_slice(b"{\"RequestItems\":{");
    body.extend_from_slice(table.as_bytes());
    body.extend_from_slice(b":[");
    body.extend_from_slice(requests);
    body.extend_from_slice(b"]}}");
    Bytes::from(body)
}

/// Happens before signing, so the signature covers the new body. Without the new content-length the
/// service reads the old one's bytes only.
pub(super) fn replace_body(request: &mut HttpRequest, body: &Bytes) {
    *request.body_mut() = SdkBody::from(body.clone());
    request.headers_mut().insert("content-length", body.len().to_string());
}

pub(super) fn with_time(attempt: Duration) -> aws_sdk_dynamodb::config::Builder {
    let timeouts = TimeoutConfig::builder().operation_attempt_timeout(attempt).build();
    Config::builder().timeout_config(timeouts)
}

/// A key attribute's value; `None` for types that cannot be one.
pub(super) fn key_value(value: &AttributeValue) -> Option<KeyValue> {
    match value {
        AttributeValue::S(text) => Some(KeyValue::S(text.clone())),
        AttributeValue::N(text) => Decimal::parse(text).map(KeyValue::N),
        AttributeValue::B(blob) => Some(KeyValue::B(blob.as_ref().to_vec())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_what_the_service_expects() {
        let body = request_body("shop", br#"{"PutRequest":{"Item":{"PK":{"S":"A"}}}}"#);
        assert_eq!(body, r#"{"RequestItems":{"shop":[{"PutRequest":{"Item":{"PK":{"S":"A"}}}}]}}"#);
    }
}
