//! Where items go: DynamoDB by the official SDK, the embedded DynamoDB, or nowhere (the dry run).

use std::future::Future;

mod compare;
mod discard;
mod dynamodb;
mod embedded;
mod endpoint;
mod error;
mod key;
mod live;
mod number;
mod put_batch;
mod query;

pub use compare::{TableDifference, compare, extra_indexes};
pub use discard::Discard;
pub use dynamodb::{Address, ConnectSettings, Created, DynamoDb, TimeToLive};
pub use embedded::Embedded;
pub use error::{TargetError, TargetErrorKind, ThrottleReason};
pub use live::{LiveIndex, LiveTable, WriteLimits, write_limits};
pub(crate) use number::Decimal;
pub use put_batch::{FRAME, PutBatch};
pub use query::{NamedValue, QueryAnswer, QueryRequest};

/// Where batches are written.
///
/// The contract: `Ok(Put::All)` means that every item of the batch is durable. `Ok(Put::Some)` means
/// that all but the named ones are. An error of kind [`TargetErrorKind::Throttled`] or
/// [`TargetErrorKind::Transient`] says nothing about any item (each may or may not be written);
/// putting the same batch again is harmless. [`TargetErrorKind::Refused`] means that none was written
/// and that at least one item is at fault. One attempt a call: the caller retries.
pub trait Target: Send + Sync + 'static {
    fn put(&self, batch: &PutBatch) -> impl Future<Output = Result<Put, TargetError>> + Send;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Put {
    All,
    /// Positions in the batch of the items that were not written.
    Some(Vec<usize>),
}

/// Where items are read back by key.
pub trait Lookup: Send + Sync + 'static {
    /// One strongly consistent read of 1 to 100 different keys, each as [`crate::item::Item::key`] has
    /// it. One attempt; what is not answered for is asked again by the caller.
    fn get(&self, keys: &[&[u8]]) -> impl Future<Output = Result<Found, TargetError>> + Send;
}

/// Where items are asked for by their partition and sort keys, in the order of the sort key.
pub trait Query: Send + Sync + 'static {
    /// One page of the answer. One attempt.
    fn query(
        &self,
        request: &QueryRequest<'_>,
    ) -> impl Future<Output = Result<QueryAnswer, TargetError>> + Send;
}

/// What a [`Lookup`] answered.
#[derive(Debug, Default)]
pub struct Found {
    /// The raw `{"PK":{"S":"…"},…}` of each item found, in any order, as the service wrote it.
    pub items: Vec<Vec<u8>>,
    /// Positions of keys that the service did not get to (UnprocessedKeys).
    pub unanswered: Vec<usize>,
}
