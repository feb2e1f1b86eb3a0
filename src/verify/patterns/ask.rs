//! Asks the target: every page of every call, throttles and lost requests repeated.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::stream::{self, StreamExt, TryStreamExt};

use crate::mapping::SortKey;
use crate::target::{Lookup, Query, QueryAnswer, QueryRequest, TargetError};

use super::super::VerifyError;
use super::super::equality::{Item, Malformed};
use super::super::lookup::{LookupError, Pace, Patience, fetch, worth_retrying};
use super::super::value::Value;
use super::expected::Expected;
use super::question::{Call, Question, Reading};
use super::{MOST_BYTES, large};

/// Bytes of a read unit.
const UNIT: u64 = 4096;

/// What the target answered to one question.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) calls: Vec<Found>,
    pub(super) requests: u64,
    /// Halves of read units; unknown where the service does not say.
    pub(super) half_units: Option<u64>,
    pub(super) elapsed: Duration,
}

/// The items of one call, in the order of the answer.
#[derive(Debug)]
pub(super) struct Found {
    /// The partition that was asked.
    pub(super) pk: Vec<Value>,
    pub(super) items: Vec<Stored>,
}

/// An item as the target holds it.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) wire: Vec<u8>,
    pub(super) item: Item,
}

struct Got {
    found: Found,
    requests: u64,
    half_units: Option<u64>,
}

/// What one answer may still hold, all of its calls together.
struct Room(AtomicUsize);

impl Room {
    fn take(&self, reading: &Reading<'_>, bytes: usize) -> Result<(), VerifyError> {
        let left = |room: usize| room.checked_sub(bytes);
        match self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left) {
            Ok(_) => Ok(()),
            Err(_) => Err(large(reading.pattern, "items of the table".to_owned())),
        }
    }
}

/// The calls of a question run side by side, as an application makes them, so many at once as may be in flight.
pub(super) async fn ask<T: Lookup + Query>(
    target: &T,
    reading: &Reading<'_>,
    question: &Question,
    expected: &[Expected],
    concurrency: usize,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
) -> Result<Answer, VerifyError> {
    let started = Instant::now();
    let room = &Room(AtomicUsize::new(MOST_BYTES));
    let calls = question.calls.iter().map(|call| async move {
        match reading.is_get() {
            true => get(target, reading, call, expected, room, slowed).await,
            false => query(target, reading, call, room, slowed).await,
        }
    });
    // A list: of the iterator itself the compiler does not see that it may go to another thread.
    let calls: Vec<_> = calls.collect();
    let got: Vec<Got> = stream::iter(calls).buffered(concurrency.max(1)).try_collect().await?;
    Ok(Answer {
        elapsed: started.elapsed(),
        requests: got.iter().map(|got| got.requests).sum(),
        half_units: got.iter().map(|got| got.half_units).sum(),
        calls: got.into_iter().map(|got| got.found).collect(),
    })
}

async fn query<T: Query>(
    target: &T,
    reading: &Reading<'_>,
    call: &Call,
    room: &Room,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
) -> Result<Got, VerifyError> {
    let mut items = Vec::new();
    let (mut requests, mut half_units) = (0, Some(0));
    let mut after: Option<Vec<u8>> = None;
    loop {
        let wanted = reading.pattern.limit;
        let limit = wanted.map(|limit| limit.saturating_sub(u64::try_from(items.len()).unwrap_or(u64::MAX)));
        if limit == Some(0) {
            break;
        }
        let request = QueryRequest {
            index: reading.index,
            pk: named(&reading.pk, &call.pk).collect(),
            sk: call.sk.as_ref().map(|sk| conditions(reading, sk)),
            order: reading.pattern.order,
            limit,
            consistent: reading.consistent,
            after: after.as_deref(),
        };
        let page = patiently(target, &request, slowed).await.map_err(|error| of_pattern(reading, error))?;
        requests += 1;
        half_units = half_units.zip(page.half_units).map(|(sum, more)| sum + more);
        room.take(reading, page.items.iter().map(Vec::len).sum())?;
        for wire in page.items {
            items.push(stored(reading, wire)?);
        }
        after = page.last;
        if after.is_none() {
            break;
        }
    }
    Ok(Got { found: Found { pk: values(reading, &call.pk)?, items }, requests, half_units })
}

/// One read by key; its units follow from the item's size.
async fn get<T: Lookup>(
    target: &T,
    reading: &Reading<'_>,
    call: &Call,
    expected: &[Expected],
    room: &Room,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
) -> Result<Got, VerifyError> {
    let sk: &[Vec<u8>] = match &call.sk {
        Some(SortKey::Equal(parts)) => parts,
        _ => &[],
    };
    let key = members(named(&reading.pk, &call.pk).chain(named(&reading.sk, sk)));
    let found = fetch(target, &[&key], Pace::default(), slowed).await.map_err(|error| match error {
        LookupError::Target(error) => of_pattern(reading, error),
        LookupError::Malformed(malformed) => unreadable(reading, malformed),
    })?;
    room.take(reading, found.iter().flatten().map(|wire| wire.len()).sum())?;
    let items = found.iter().flatten().map(|wire| stored(reading, wire.to_vec()));
    let items = items.collect::<Result<Vec<Stored>, VerifyError>>()?;
    let size = expected.iter().map(|item| u64::from(item.size)).max().unwrap_or(0);
    let pk = values(reading, &call.pk)?;
    // Strongly consistent: two halves.
    Ok(Got { found: Found { pk, items }, requests: 1, half_units: Some(2 * half_units(size)) })
}

/// Of one request that reads so many bytes, eventually consistent.
pub(super) fn half_units(bytes: u64) -> u64 {
    bytes.div_ceil(UNIT).max(1)
}

fn stored(reading: &Reading<'_>, wire: Vec<u8>) -> Result<Stored, VerifyError> {
    let item = Item::parse(&wire).map_err(|malformed| unreadable(reading, malformed))?;
    Ok(Stored { wire, item })
}

async fn patiently<T: Query>(
    target: &T,
    request: &QueryRequest<'_>,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
) -> Result<QueryAnswer, TargetError> {
    let mut patience = Patience::new(Pace::default());
    loop {
        match target.query(request).await {
            Err(error) if worth_retrying(&error.kind) => {
                slowed(&error);
                patience.wait(error).await?;
            }
            answered => return answered,
        }
    }
}

fn named<'a>(names: &[&'a str], values: &'a [Vec<u8>]) -> impl Iterator<Item = (&'a str, &'a [u8])> {
    names.iter().copied().zip(values.iter().map(Vec::as_slice))
}

fn conditions<'a>(reading: &Reading<'a>, sk: &'a SortKey<Vec<u8>>) -> SortKey<(&'a str, &'a [u8])> {
    let first = reading.sk.first().copied().unwrap_or_default();
    match sk {
        SortKey::Equal(parts) => SortKey::Equal(named(&reading.sk, parts).collect()),
        SortKey::Compared(comparison, part) => SortKey::Compared(*comparison, (first, part)),
        SortKey::Between(low, high) => SortKey::Between((first, low), (first, high)),
    }
}

/// `"PK":{"S":"…"},"SK":{"S":"…"}`
fn members<'a>(key: impl Iterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let member = |(name, value): (&str, &[u8])| {
        [serde_json::Value::from(name).to_string().as_bytes(), b":", value].concat()
    };
    key.map(member).collect::<Vec<_>>().join(&b","[..])
}

fn values(reading: &Reading<'_>, pk: &[Vec<u8>]) -> Result<Vec<Value>, VerifyError> {
    let parse = |value: &Vec<u8>| Value::parse(value).map_err(|malformed| unreadable(reading, malformed));
    pk.iter().map(parse).collect()
}

fn of_pattern(reading: &Reading<'_>, error: TargetError) -> VerifyError {
    let context = format!("access pattern `{}`: {}", reading.pattern.name, error.context);
    VerifyError::Target(TargetError { context, ..error })
}

fn unreadable(reading: &Reading<'_>, malformed: Malformed) -> VerifyError {
    VerifyError::MalformedAnswer { pattern: reading.pattern.name.clone(), malformed }
}

#[cfg(test)]
mod tests;
