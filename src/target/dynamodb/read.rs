//! What all reads have in common: a body of our own goes out, and the answer's goes past the SDK.

use std::error::Error;

use aws_sdk_dynamodb::client::customize::CustomizableOperation;
use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::DynamoDb;
use super::aside::Aside;
use super::error::Stage;
use super::put::{replace_body, with_time};
use super::renewal::Current;
use crate::target::{TargetError, TargetErrorKind};

/// An answer may be 16 MB: reads get so many times the time of a write.
const READ_TIME: u32 = 3;

/// One request that reads.
pub(super) struct Read<'a> {
    target: &'a DynamoDb,
    pub(super) used: Current,
    aside: Aside,
}

impl Read<'_> {
    pub(super) fn request<T, E, B>(
        &self,
        operation: CustomizableOperation<T, E, B>,
        body: Bytes,
    ) -> CustomizableOperation<T, E, B> {
        operation
            .config_override(with_time(self.target.shared.request_timeout.saturating_mul(READ_TIME)))
            .interceptor(self.aside.clone())
            .mutate_request(move |request| replace_body(request, &body))
    }

    /// The answer's body, as the service wrote it.
    pub(super) async fn body<T, E>(
        self,
        sent: Result<T, SdkError<E, HttpResponse>>,
    ) -> Result<Vec<u8>, TargetError>
    where
        E: ProvideErrorMetadata + Error + Send + Sync + 'static,
    {
        if let Err(error) = sent {
            let error = self.target.call(Stage::Load, self.target.read_context()).failed(error);
            return Err(self.target.shared.clients.judge(&self.used, error).await);
        }
        self.used.succeeded();
        Ok(self.aside.take())
    }
}

impl DynamoDb {
    pub(super) fn read(&self) -> Read<'_> {
        Read { target: self, used: self.shared.clients.current(), aside: Aside::default() }
    }

    fn read_context(&self) -> String {
        format!("read from table `{}`", self.table())
    }

    pub(super) fn unreadable(&self, kind: TargetErrorKind, cause: &str) -> TargetError {
        TargetError::new(kind, self.read_context(), cause)
    }
}

/// A page of a Query or a Scan, items byte for byte.
pub(super) struct Page {
    pub(super) items: Vec<Vec<u8>>,
    /// Where the next page begins.
    pub(super) last: Option<Vec<u8>>,
    /// Read units, where the service says so.
    pub(super) units: Option<f64>,
}

impl Page {
    pub(super) fn parse(body: &[u8]) -> Option<Self> {
        let answer: Answer<'_> = serde_json::from_slice(body).ok()?;
        let bytes = |raw: &RawValue| raw.get().as_bytes().to_vec();
        Some(Self {
            items: answer.items.into_iter().map(bytes).collect(),
            last: answer.last.map(bytes),
            units: answer.consumed.and_then(|consumed| consumed.units),
        })
    }
}

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
