//! Pace in write capacity units: the only home of governor.
//!
//! One bucket for all units together when the user gave a rate, else one for the table and one for
//! each index, since DynamoDB limits each by itself. Buckets are debited before a batch is sent, in
//! slices no larger than a bucket's burst, so that an item of any size is writable at any rate.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use tokio::time::Instant;

use crate::target::{TargetError, TargetErrorKind, ThrottleReason};

/// How fast to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pace {
    /// As fast as the target answers: local targets and dry runs.
    Unlimited,
    /// Write units per second of table and indexes together.
    Fixed(u64),
    /// Starts from what the table can take, goes down on throttles and up again.
    Auto(AutoPace),
}

/// What DescribeTable lets us expect; `None` is unlimited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AutoPace {
    pub table: Option<PaceRange>,
    /// In the order of the mapping's indexes, each with its name.
    pub indexes: Vec<(String, Option<PaceRange>)>,
    /// Positions of local indexes, whose units count against the table's.
    pub local: Vec<usize>,
}

impl AutoPace {
    fn of_table(&self, units: &Units) -> u64 {
        units.table + units.of(&self.local)
    }
}

/// Write units per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaceRange {
    pub start: u64,
    pub ceiling: u64,
}

/// The write units of some items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Units {
    pub table: u64,
    /// In the order of the mapping's indexes.
    pub indexes: Vec<u64>,
}

impl Units {
    pub fn total(&self) -> u64 {
        self.table + self.indexes.iter().sum::<u64>()
    }

    fn of(&self, indexes: &[usize]) -> u64 {
        indexes.iter().filter_map(|at| self.indexes.get(*at)).sum()
    }

    pub fn add(&mut self, other: &Units) {
        self.table += other.table;
        self.indexes.resize(self.indexes.len().max(other.indexes.len()), 0);
        for (sum, more) in self.indexes.iter_mut().zip(&other.indexes) {
            *sum += more;
        }
    }
}

impl Pace {
    /// Seconds that `units` take at this pace; `None` when it is unlimited.
    pub fn seconds(&self, units: &Units) -> Option<u64> {
        match self {
            Pace::Unlimited => None,
            Pace::Fixed(rate) => Some(units.total().div_ceil((*rate).max(1))),
            Pace::Auto(auto) => {
                let table = auto.table.map(|range| auto.of_table(units).div_ceil(range.start.max(1)));
                let indexes =
                    auto.indexes.iter().zip(&units.indexes).filter_map(|((_, range), units)| {
                        range.map(|range| units.div_ceil(range.start.max(1)))
                    });
                table.into_iter().chain(indexes).max()
            }
        }
    }
}

/// Hands out write units.
#[derive(Debug)]
pub struct Pacer {
    together: Option<Bucket>,
    table: Option<Bucket>,
    indexes: Vec<(String, Option<Bucket>)>,
    local: Vec<usize>,
}

impl Pacer {
    pub fn new(pace: &Pace) -> Self {
        match pace {
            Pace::Unlimited => Self { together: None, table: None, indexes: Vec::new(), local: Vec::new() },
            Pace::Fixed(rate) => Self { together: Some(Bucket::fixed(*rate)), ..Self::new(&Pace::Unlimited) },
            Pace::Auto(auto) => Self {
                together: None,
                table: auto.table.map(Bucket::adaptive),
                indexes: auto
                    .indexes
                    .iter()
                    .map(|(name, range)| (name.clone(), range.map(Bucket::adaptive)))
                    .collect(),
                local: auto.local.clone(),
            },
        }
    }

    /// Waits until `units` may be written.
    pub async fn take(&self, units: &Units) {
        if let Some(bucket) = &self.together {
            bucket.take(units.total()).await;
        }
        if let Some(bucket) = &self.table {
            bucket.take(units.table + units.of(&self.local)).await;
        }
        for ((_, bucket), units) in self.indexes.iter().zip(&units.indexes) {
            if let Some(bucket) = bucket {
                bucket.take(*units).await;
            }
        }
    }

    /// Slows down what was throttled. A hot key range slows nothing but its own batch: the rest of the
    /// table can take more.
    pub fn throttled(&self, reasons: &[ThrottleReason]) {
        let table_wide: Vec<_> = reasons.iter().filter(|reason| !reason.is_key_range()).collect();
        if reasons.is_empty() {
            self.table.iter().for_each(Bucket::slow_down);
        }
        for reason in table_wide {
            match reason.index() {
                None => self.table.iter().for_each(Bucket::slow_down),
                Some(name) if self.is_local(name) => self.table.iter().for_each(Bucket::slow_down),
                Some(name) => self
                    .indexes
                    .iter()
                    .filter(|(index, _)| index == name)
                    .filter_map(|(_, bucket)| bucket.as_ref())
                    .for_each(Bucket::slow_down),
            }
        }
    }

    /// Slows down where the error is a throttle.
    pub fn slowed_by(&self, error: &TargetError) {
        if let TargetErrorKind::Throttled(reasons) = &error.kind {
            self.throttled(reasons);
        }
    }

    fn is_local(&self, name: &str) -> bool {
        let mut local = self.local.iter().filter_map(|at| self.indexes.get(*at));
        local.any(|(index, _)| index == name)
    }
}

/// What a throttle is about, each thing once: `GSI1 key range, table account quota`.
pub(crate) fn throttle_in_words(reasons: &[ThrottleReason]) -> String {
    let mut words: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    words.sort();
    words.dedup();
    if words.is_empty() { "the service does not say why".to_owned() } else { words.join(", ") }
}

/// How long without a throttle until a bucket is filled faster.
const CALM: Duration = Duration::from_secs(5);
/// At most one change of rate in this time, since one overload throttles many batches at once.
const SETTLE: Duration = Duration::from_secs(1);

#[derive(Debug)]
struct Bucket {
    ceiling: u64,
    state: Mutex<BucketState>,
}

#[derive(Debug)]
struct BucketState {
    rate: u64,
    limiter: Arc<Limiter>,
    burst: u32,
    changed: Instant,
    throttled: Option<Instant>,
}

type Limiter = RateLimiter<NotKeyed, InMemoryState, TokioClock, NoOpMiddleware<std::time::Instant>>;

impl Bucket {
    fn fixed(rate: u64) -> Self {
        Self::adaptive(PaceRange { start: rate, ceiling: rate })
    }

    fn adaptive(range: PaceRange) -> Self {
        let (limiter, burst) = limiter(range.start);
        let state = BucketState {
            rate: range.start.max(1),
            limiter,
            burst,
            changed: Instant::now(),
            throttled: None,
        };
        Self { ceiling: range.ceiling, state: Mutex::new(state) }
    }

    async fn take(&self, units: u64) {
        let mut left = units;
        while left > 0 {
            let (limiter, burst) = self.current();
            let slice = u32::try_from(left).unwrap_or(u32::MAX).min(burst);
            let Some(cells) = NonZeroU32::new(slice) else { return };
            match limiter.check_n(cells) {
                Ok(Ok(())) => left -= u64::from(slice),
                Ok(Err(not_yet)) => {
                    tokio::time::sleep(not_yet.wait_time_from(TokioClock.now())).await;
                }
                // The burst is never exceeded; were it so, one unit at a time still gets through.
                Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        }
    }

    /// The limiter to use now, filled faster after a calm while.
    fn current(&self) -> (Arc<Limiter>, u32) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let calm = state.throttled.is_none_or(|at| at.elapsed() >= CALM);
        if calm && state.rate < self.ceiling && state.changed.elapsed() >= SETTLE {
            let faster = (state.rate + state.rate.div_ceil(10)).min(self.ceiling);
            state.set_rate(faster);
        }
        (Arc::clone(&state.limiter), state.burst)
    }

    fn slow_down(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let settled = state.throttled.is_none_or(|at| at.elapsed() >= SETTLE);
        state.throttled = Some(Instant::now());
        if settled {
            let slower = (state.rate * 7 / 10).max(1);
            state.set_rate(slower);
        }
    }
}

impl BucketState {
    fn set_rate(&mut self, rate: u64) {
        self.rate = rate;
        (self.limiter, self.burst) = limiter(rate);
        self.changed = Instant::now();
    }
}

/// A tenth of a second's units may come at once: smooth at high rates, one unit at low ones.
fn limiter(rate: u64) -> (Arc<Limiter>, u32) {
    let rate = u32::try_from(rate).unwrap_or(u32::MAX);
    let per_second = NonZeroU32::new(rate).unwrap_or(NonZeroU32::MIN);
    let burst = NonZeroU32::new(rate / 10).unwrap_or(NonZeroU32::MIN);
    let quota = Quota::per_second(per_second).allow_burst(burst);
    (Arc::new(RateLimiter::direct_with_clock(quota, TokioClock)), burst.get())
}

/// Tokio's clock, which tests can pause.
#[derive(Debug, Clone, Copy)]
struct TokioClock;

impl Clock for TokioClock {
    type Instant = std::time::Instant;

    fn now(&self) -> Self::Instant {
        Instant::now().into_std()
    }
}

#[cfg(test)]
mod tests;
