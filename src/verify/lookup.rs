//! Fetches items by key until every key is answered for.
//!
//! A key counts as missing only when the target answered for it in a strongly consistent read: keys it
//! did not get to are asked again, however often that takes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::equality::{Identity, Item, KeyNames, Malformed};
use crate::target::{Found, Lookup, TargetError, TargetErrorKind};

/// Keys of one request at most (BatchGetItem).
pub(super) const KEYS_PER_REQUEST: usize = 100;

/// How a request that was not answered is repeated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// The first delay at most; each further one doubles.
    pub(super) first: Duration,
    pub(super) longest: Duration,
    /// How long to go on asking while nothing at all is answered.
    pub(super) patience: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(50),
            longest: Duration::from_secs(20),
            patience: Duration::from_secs(300),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum LookupError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

/// The items of `keys` as the service wrote them, position by position; `None` where the target holds none. Keys
/// may repeat.
///
/// Throttles and transient errors are retried with growing, random delays, unless nothing at all was
/// answered for as long as `pace` has patience; `slowed` hears of each. Other errors end it at once.
pub(super) async fn fetch<L: Lookup>(
    target: &L,
    keys: &[&[u8]],
    pace: Pace,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
) -> Result<Vec<Option<Arc<Vec<u8>>>>, LookupError> {
    let Some(first) = keys.first() else { return Ok(Vec::new()) };
    let mut answers = Answers::new(KeyNames::of(first)?, keys);
    let different: Vec<&[u8]> = answers.different();
    for some in different.chunks(KEYS_PER_REQUEST) {
        for wire in ask(target, some, pace, slowed).await? {
            answers.place(wire)?;
        }
    }
    Ok(keys.iter().map(|key| answers.items.get(key).cloned().flatten()).collect())
}

/// What was found, by key.
struct Answers<'a> {
    names: KeyNames,
    items: HashMap<&'a [u8], Option<Arc<Vec<u8>>>, foldhash::fast::RandomState>,
}

impl<'a> Answers<'a> {
    fn new(names: KeyNames, keys: &[&'a [u8]]) -> Self {
        Self { names, items: keys.iter().map(|key| (*key, None)).collect() }
    }

    fn different(&self) -> Vec<&'a [u8]> {
        let mut keys: Vec<&[u8]> = self.items.keys().copied().collect();
        keys.sort_unstable();
        keys
    }

    /// Puts a found item where its key attributes say. The service mostly spells them as we do.
    fn place(&mut self, wire: Vec<u8>) -> Result<(), LookupError> {
        let spelled = self.names.key_of(&wire)?;
        let key = match spelled.as_deref().and_then(|key| self.items.get_key_value(key)) {
            Some((key, _)) => Some(*key),
            None => self.by_value(&wire)?,
        };
        match key.and_then(|key| self.items.get_mut(key)) {
            Some(answer) => *answer = Some(Arc::new(wire)),
            None => return Err(confused("an item that was not asked for").into()),
        }
        Ok(())
    }

    fn by_value(&self, wire: &[u8]) -> Result<Option<&'a [u8]>, Malformed> {
        let item = Item::parse(wire)?;
        for key in self.items.keys() {
            let wanted = Identity::parse(key)?;
            if item.identity(&wanted).is_some_and(|identity| identity == wanted) {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }
}

/// All items of at most [`KEYS_PER_REQUEST`] different keys.
async fn ask<L: Lookup>(
    target: &L,
    keys: &[&[u8]],
    pace: Pace,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
) -> Result<Vec<Vec<u8>>, TargetError> {
    let mut items = Vec::new();
    let mut left = keys.to_vec();
    let mut patience = Patience::new(pace);
    while !left.is_empty() {
        let trouble = match target.get(&left).await {
            Ok(found) => {
                let unanswered = unanswered(&left, &found)?;
                if unanswered.len() < left.len() {
                    patience = Patience::new(pace);
                }
                items.extend(found.items);
                left = unanswered;
                unfinished(left.len())
            }
            Err(error) if worth_retrying(&error.kind) => error,
            Err(error) => return Err(error),
        };
        if !left.is_empty() {
            slowed(&trouble);
            patience.wait(trouble).await?;
        }
    }
    Ok(items)
}

fn unanswered<'a>(asked: &[&'a [u8]], found: &Found) -> Result<Vec<&'a [u8]>, TargetError> {
    let mut positions = found.unanswered.clone();
    positions.sort_unstable();
    positions.dedup();
    let key = |position: &usize| asked.get(*position).copied();
    let keys = positions.iter().map(key).collect::<Option<Vec<_>>>();
    keys.ok_or_else(|| confused("a key that was not asked for"))
}

/// Which errors say nothing about the next attempt.
pub(super) fn worth_retrying(kind: &TargetErrorKind) -> bool {
    match kind {
        TargetErrorKind::Throttled(_) | TargetErrorKind::Transient | TargetErrorKind::Unreachable => true,
        TargetErrorKind::Refused
        | TargetErrorKind::NoTable
        | TargetErrorKind::TableDiffers
        | TargetErrorKind::Permission
        | TargetErrorKind::Credentials
        | TargetErrorKind::Expired
        | TargetErrorKind::Clock
        | TargetErrorKind::Account
        | TargetErrorKind::Config
        | TargetErrorKind::Collection
        | TargetErrorKind::Other => false,
    }
}

fn unfinished(keys: usize) -> TargetError {
    TargetError {
        kind: TargetErrorKind::Throttled(Vec::new()),
        context: "read items back".to_owned(),
        cause: format!("keys of a request not answered for: {keys}"),
        hint: Some("give the table more read capacity, or verify with fewer requests at a time".to_owned()),
    }
}

fn confused(what: &str) -> TargetError {
    TargetError {
        kind: TargetErrorKind::Other,
        context: "read items back".to_owned(),
        cause: format!("the answer holds {what}"),
        hint: None,
    }
}

/// Waits between attempts, longer and longer, until nothing was answered for too long.
pub(super) struct Patience {
    pace: Pace,
    attempts: u32,
    ends: Instant,
}

impl Patience {
    pub(super) fn new(pace: Pace) -> Self {
        Self { pace, attempts: 0, ends: Instant::now() + pace.patience }
    }

    /// Gives the trouble back when it has lasted too long.
    pub(super) async fn wait(&mut self, trouble: TargetError) -> Result<(), TargetError> {
        if Instant::now() >= self.ends {
            return Err(trouble);
        }
        tokio::time::sleep(self.pace.delay(self.attempts, fastrand::f64())).await;
        self.attempts = self.attempts.saturating_add(1);
        Ok(())
    }
}

impl Pace {
    /// Exponential backoff with full jitter; `jitter` is between 0 and 1.
    fn delay(&self, attempts: u32, jitter: f64) -> Duration {
        let most = self.first.saturating_mul(2u32.saturating_pow(attempts)).min(self.longest);
        most.mul_f64(jitter.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
pub(super) mod tests;
