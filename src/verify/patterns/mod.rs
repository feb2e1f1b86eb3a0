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

use super::compare::Rules;
use super::{VerifyError, VerifyEvent, VerifyOptions};
use crate::load::Units;
use crate::plan::{PatternPlan, Plan};
use crate::report::PatternReport;
use crate::source::{Draw, KeyPart, ParameterRow, Reader, Select, Source, SourceError};
use crate::target::{Lookup, Query, TargetError};

use ask::{Answer, ask};
use expected::{Expected, Wanted, expected};
use judge::{Verdict, judge};
use question::{Question, Reading, render};
use tally::Tally;

/// Between two looks at an index that is behind, first and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));

/// Bytes of one answer at most, the source's cells and the table's items each: answers are compared in memory.
const MOST_BYTES: usize = 64 << 20;

/// What all patterns came to.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) reports: Vec<PatternReport>,
    /// Read units of the requests.
    pub(super) units: u64,
}

/// Asks every pattern of the plan, one question after the other, so that their times are their own.
///
/// The source may move on meanwhile, and an index may be behind its table: what is wrong is asked once more with
/// what a new snapshot expects, and with patience.
pub(super) async fn ask_all<T: Lookup + Query>(
    plan: &Plan,
    source: &mut Source,
    target: &T,
    options: &VerifyOptions,
    observe: &(dyn Fn(VerifyEvent) + Send + Sync),
) -> Result<Asked, VerifyError> {
    let reading = |pattern| Reading::of(plan, pattern, options.show_values);
    let readings: Vec<Reading<'_>> = plan.patterns.iter().map(reading).collect();
    let mut asking = Asking { plan, target, options, observe, rules: Rules::of(options), half_units: 0 };
    let mut tallies = Vec::with_capacity(readings.len());
    let mut doubtful = Vec::with_capacity(readings.len());
    let mut reader = open(plan, source).await?;
    for reading in &readings {
        let mut tally = Tally::new(reading, options.differences_per_entity, options.show_values);
        doubtful.push(asking.all(reading, &mut reader, &mut tally).await?);
        tallies.push(tally);
    }
    drop(reader);
    if doubtful.iter().any(|rows| !rows.is_empty()) {
        let mut reader = open(plan, source).await?;
        for ((reading, tally), rows) in readings.iter().zip(&mut tallies).zip(&doubtful) {
            asking.again(reading, &mut reader, rows, tally).await?;
        }
    }
    Ok(Asked {
        reports: tallies.into_iter().map(Tally::finish).collect(),
        units: asking.half_units.div_ceil(2),
    })
}

async fn open(plan: &Plan, source: &mut Source) -> Result<Reader, VerifyError> {
    let of_entities = plan.entities.iter().map(|entity| entity.select.as_ref());
    let of_params = plan.patterns.iter().filter_map(|pattern| pattern.params.as_deref());
    let selects: Vec<Select> = of_entities.chain(of_params).cloned().collect();
    source.open(1, &selects).await?.readers.pop().ok_or(VerifyError::NoReader)
}

/// Who asks, and how.
struct Asking<'a, T> {
    plan: &'a Plan,
    target: &'a T,
    options: &'a VerifyOptions,
    observe: &'a (dyn Fn(VerifyEvent) + Send + Sync),
    rules: Rules,
    half_units: u64,
}

/// A question with what belongs to its answer, what came, and what is wrong with it.
struct Heard {
    question: Question,
    wanted: Wanted,
    answer: Answer,
    verdict: Verdict,
}

impl<T: Lookup + Query> Asking<'_, T> {
    /// Asks for each row of `params` that is drawn; those whose answers seem wrong come back.
    async fn all(
        &mut self,
        reading: &Reading<'_>,
        reader: &mut Reader,
        tally: &mut Tally<'_>,
    ) -> Result<Vec<ParameterRow>, VerifyError> {
        (self.observe)(VerifyEvent::Pattern { name: reading.pattern.name.clone() });
        let mut doubtful = Vec::new();
        let (rows, all) = drawn(reader, reading.pattern, self.options.seed).await?;
        tally.of_rows(all);
        for row in rows {
            let question = match render(reading, &row) {
                Ok(question) => question,
                Err(unasked) => {
                    tally.skip(unasked);
                    continue;
                }
            };
            let wanted = expected(self.plan, reading, &row, reader, &self.rules).await?;
            tally.source_took(wanted.elapsed);
            let answer = self.ask(reading, &question, &wanted.items).await?;
            tally.asked(&answer);
            let verdict = judge(reading, &wanted.items, &answer.calls);
            match verdict.is_wrong() {
                true => doubtful.push(row),
                false => tally.judged(&Heard { question, wanted, answer, verdict }),
            }
        }
        Ok(doubtful)
    }

    /// Asks until an answer is right, or an index has had its time to follow.
    async fn again(
        &mut self,
        reading: &Reading<'_>,
        reader: &mut Reader,
        rows: &[ParameterRow],
        tally: &mut Tally<'_>,
    ) -> Result<(), VerifyError> {
        let mut settling = Settling::new(reading, self.options.settle);
        for row in rows {
            // It was rendered before.
            let Ok(question) = render(reading, row) else { continue };
            let wanted = expected(self.plan, reading, row, reader, &self.rules).await?;
            let (answer, verdict) = loop {
                let answer = self.ask(reading, &question, &wanted.items).await?;
                let verdict = judge(reading, &wanted.items, &answer.calls);
                if !verdict.is_wrong() || !settling.wait().await {
                    break (answer, verdict);
                }
            };
            tally.judged(&Heard { question, wanted, answer, verdict });
        }
        Ok(())
    }

    async fn ask(
        &mut self,
        reading: &Reading<'_>,
        question: &Question,
        expected: &[Expected],
    ) -> Result<Answer, VerifyError> {
        let slowed = |error: &TargetError| {
            self.rules.pacer.slowed_by(error);
            (self.observe)(VerifyEvent::Slowed { reason: error.cause.clone() });
        };
        let answer = ask(self.target, reading, question, expected, self.options.concurrency, &slowed).await?;
        // A request that says nothing of it takes a unit at least.
        let half_units = answer.half_units.unwrap_or(2 * answer.requests);
        self.half_units += half_units;
        // Afterwards, so that waiting is not in its time.
        self.rules.pacer.take(&Units { table: half_units.div_ceil(2), indexes: Vec::new() }).await;
        Ok(answer)
    }
}

/// The rows of `params` to ask for, and how many it has; without it one without values.
async fn drawn(
    reader: &mut Reader,
    pattern: &PatternPlan,
    seed: u64,
) -> Result<(Vec<ParameterRow>, u64), VerifyError> {
    let Some(params) = &pattern.params else { return Ok((vec![ParameterRow::without_values()], 1)) };
    let rank = |values: &[Option<KeyPart>]| rank(seed, &pattern.name, values);
    let mut draw = Draw::new(pattern.sample, &rank);
    reader.draw(params, &mut draw).await.map_err(|error| of_pattern(pattern, error))?;
    let seen = draw.seen();
    Ok((draw.rows(), seen))
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

fn large(pattern: &PatternPlan, holds: String) -> VerifyError {
    VerifyError::LargeAnswer { pattern: pattern.name.clone(), most: MOST_BYTES >> 20, holds }
}

/// A global index follows its table: a wrong answer counts when it stays wrong. The time is one for all
/// questions of a pattern, since the load has long ended.
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
