//! Where items go: DynamoDB by the official SDK, the embedded DynamoDB, or nowhere (the dry run).

use std::future::Future;

mod compare;
mod discard;
mod dynamodb;
mod embedded;
mod endpoint;
mod error;
mod guard;
mod key;
mod live;
mod number;
mod put_batch;
mod query;

pub use compare::{TableDifference, compare, extra_indexes};
pub use discard::Discard;
pub use dynamodb::{Address, ConnectSettings, Created, DynamoDb, SizeEstimate, TimeToLive};
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

/// Where all items are read, whatever their keys.
pub trait Scan: Send + Sync + 'static {
    /// The next page of a segment, eventually consistent. One attempt; the caller retries.
    fn scan(&self, request: &ScanRequest<'_>) -> impl Future<Output = Result<ScanPage, TargetError>> + Send;
}

/// Which page, and what of its items.
#[derive(Debug, Clone, Copy)]
pub struct ScanRequest<'a> {
    pub segment: u32,
    /// Segments that the table is cut into.
    pub segments: u32,
    /// [`ScanPage::next`] of the page before; `None` for the first.
    pub start: Option<&'a [u8]>,
    /// Names of the attributes wanted.
    pub attributes: &'a [String],
}

/// What a [`Scan`] answered.
#[derive(Debug, Default)]
pub struct ScanPage {
    /// As [`Found::items`], of the attributes that were asked for.
    pub items: Vec<Vec<u8>>,
    /// Where the next page starts, as the service wrote it; `None` behind the last.
    pub next: Option<Vec<u8>>,
    /// Read units that it took, as the service says; 0 where it does not.
    pub units: f64,
}

/// Where one item is changed that was looked at before.
///
/// The contract: one conditional write, one attempt. [`Amended::Done`] means that the change is durable,
/// any other answer that nothing was changed. An error of kind [`TargetErrorKind::Throttled`] or
/// [`TargetErrorKind::Transient`] says nothing: the change may have been made, and asking for it again then
/// answers [`Amended::Moved`]. [`TargetErrorKind::Refused`] means that the service does not take the item.
pub trait Amend: Send + Sync + 'static {
    fn amend(&self, amendment: &Amendment<'_>) -> impl Future<Output = Result<Amended, TargetError>> + Send;
}

/// A change of one item. Items are DynamoDB JSON; keys are as [`crate::item::Item::key`] has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amendment<'a> {
    /// Puts `item`, which has `key`, where there is no item.
    Put { key: &'a [u8], item: &'a [u8] },
    /// Makes `found` into `item`, of the same key, where all attributes of `found` are as they were read
    /// and none has come that only `item` has. Attributes that neither has stay: nobody has read them.
    Replace { key: &'a [u8], found: &'a [u8], item: &'a [u8] },
    /// Deletes `found` where all its attributes are as they were read. No condition can say that there are no
    /// others: whoever deletes compares [`Amended::Done`] with what was read, and puts back what has more.
    Delete { key: &'a [u8], found: &'a [u8] },
}

impl Amendment<'_> {
    /// The key as an object.
    fn key(&self) -> Vec<u8> {
        let (Amendment::Put { key, .. } | Amendment::Replace { key, .. } | Amendment::Delete { key, .. }) =
            self;
        [b"{", *key, b"}"].concat()
    }
}

/// What an [`Amend`] answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Amended {
    /// Done; with the item as it was the moment before, where there was one. Its attributes may be more
    /// than those that were read.
    Done { before: Option<Vec<u8>> },
    /// The item is no longer what was read, or no longer absent.
    Moved,
    /// The item has more attributes than one condition can hold, so that no change of it is safe.
    TooWide,
}
