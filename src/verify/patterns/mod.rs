//! The application's own questions, asked of the table and of the source.
//!
//! ```text
//! params → a row of them → keys → Query or GetItem → judge ← expected items ← SELECT … WHERE predicate
//! ```
//!
//! What is expected is what the entities' own SELECTs return, built by the load's code. Never a Scan.

mod ask;
mod expected;
mod judge;
mod question;
mod tally;

use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use tokio::time::sleep;

use super::{VerifyError, VerifyEvent, VerifyOptions};
use crate::plan::{PatternPlan, Plan};
use crate::report::PatternReport;
use crate::source::{Draw, KeyPart, ParameterRow, Reader, SourceError};
use crate::target::{Lookup, Query, TargetError};

use ask::ask;
use expected::expected;
use judge::judge;
use question::{Reading, render};
use tally::Tally;

/// Between two looks at an index that is behind, first and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));

/// Asks every pattern of the plan, one question after the other, so that their times are their own.
pub(super) async fn check_all<T: Lookup + Query>(
    plan: &Plan,
    reader: &mut Reader,
    target: &T,
    options: &VerifyOptions,
    observe: &(dyn Fn(VerifyEvent) + Send + Sync),
) -> Result<Vec<PatternReport>, VerifyError> {
    let mut reports = Vec::with_capacity(plan.patterns.len());
    for pattern in &plan.patterns {
        observe(VerifyEvent::Pattern { name: pattern.name.clone() });
        reports.push(check(plan, pattern, reader, target, options, observe).await?);
    }
    Ok(reports)
}

async fn check<T: Lookup + Query>(
    plan: &Plan,
    pattern: &PatternPlan,
    reader: &mut Reader,
    target: &T,
    options: &VerifyOptions,
    observe: &(dyn Fn(VerifyEvent) + Send + Sync),
) -> Result<PatternReport, VerifyError> {
    let reading = Reading::of(plan, pattern);
    let slowed = |error: &TargetError| observe(VerifyEvent::Slowed { reason: error.cause.clone() });
    let mut settling = Settling::new(&reading, options.settle);
    let mut tally = Tally::new(pattern, &reading, options.differences_per_entity, options.show_values);
    for row in drawn(reader, pattern, options.seed).await? {
        let question = match render(pattern, &row) {
            Ok(question) => question,
            Err(rule) => {
                tally.skip(rule);
                continue;
            }
        };
        let started = Instant::now();
        let expected = expected(plan, &reading, &row, reader, options).await?;
        tally.source_took(started.elapsed());
        let mut answer = ask(target, &reading, &question, &expected, &slowed).await?;
        tally.asked(&answer);
        let mut verdict = judge(&reading, &expected, &answer.calls);
        while verdict.is_wrong() && settling.wait().await {
            answer = ask(target, &reading, &question, &expected, &slowed).await?;
            verdict = judge(&reading, &expected, &answer.calls);
        }
        tally.judged(&question, &expected, &answer, &verdict);
    }
    Ok(tally.finish())
}

/// The rows of `params` to ask for; without it one without values.
async fn drawn(
    reader: &mut Reader,
    pattern: &PatternPlan,
    seed: u64,
) -> Result<Vec<ParameterRow>, VerifyError> {
    let Some(params) = &pattern.params else { return Ok(vec![ParameterRow::without_values()]) };
    let rank = |values: &[Option<KeyPart>]| rank(seed, &pattern.name, values);
    let mut draw = Draw::new(pattern.sample, &rank);
    reader.draw(params, &mut draw).await.map_err(|error| of_pattern(pattern, error))?;
    Ok(draw.rows())
}

/// The same seed draws the same rows.
fn rank(seed: u64, pattern: &str, values: &[Option<KeyPart>]) -> u64 {
    let mut hash = Sha256::new();
    hash.update(seed.to_be_bytes());
    hash.update(pattern.as_bytes());
    // Values are plain data: they are always written.
    hash.update(serde_json::to_vec(values).unwrap_or_default());
    let digest: [u8; 32] = hash.finalize().into();
    digest.first_chunk().map_or(0, |first| u64::from_be_bytes(*first))
}

fn of_pattern(pattern: &PatternPlan, error: SourceError) -> VerifyError {
    let context = format!("access pattern `{}`: {}", pattern.name, error.context);
    VerifyError::Source(SourceError { context, ..error })
}

/// A global index follows its table: a wrong answer counts when it stays wrong. The time is one for all
/// questions of a pattern, since nothing was written since the first one.
struct Settling {
    left: Option<Duration>,
    ends: Option<Instant>,
    pause: Duration,
}

impl Settling {
    fn new(reading: &Reading<'_>, patience: Duration) -> Self {
        Self { left: (!reading.consistent).then_some(patience), ends: None, pause: PAUSES.0 }
    }

    /// Whether it is worth another look, a moment later.
    async fn wait(&mut self) -> bool {
        let Some(patience) = self.left else { return false };
        let now = Instant::now();
        let ends = *self.ends.get_or_insert(now + patience);
        if now >= ends {
            return false;
        }
        sleep(self.pause.min(ends - now)).await;
        self.pause = (self.pause * 2).min(PAUSES.1);
        true
    }
}
