//! What a verification reads, and what that costs, told before it begins.

use crate::cli::destination::Destination;
use crate::cli::failure::Failure;
use crate::cli::terminal::Terminal;
use crate::load::{Checkpoint, EntityCheckpoint, Pace, Units};
use crate::plan::{PatternPlan, Plan};
use crate::report::cost::{about, counted, thousands};
use crate::verify::{VerifyOptions, read_units};

/// What is read, and what that costs, as far as anyone knows before.
pub(super) fn announce(
    plan: &Plan,
    destination: &Destination,
    checkpoint: Option<&Checkpoint>,
    options: &VerifyOptions,
    questions: &str,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let (mut units, mut how): (u64, _) = (0, "about");
    for entity in &plan.entities {
        let recorded = checkpoint.and_then(|checkpoint| checkpoint.entity(&entity.name));
        let tally = recorded.map(EntityCheckpoint::tally).unwrap_or_default();
        let Some(rows) = recorded.map(|_| tally.written).or(entity.expected_rows()) else {
            how = "at least";
            continue;
        };
        let rows = options.sample.map_or(rows, |sample| sample.of(rows));
        units = units.saturating_add(rows.saturating_mul(read_units(tally.sizes.summary().median)));
    }
    let time = time(&options.pace, units);
    let price = if destination.dynamodb.is_local() { String::new() } else { price(units) };
    terminal.remark(&format!("reads back {}, strongly consistent", destination.describe()));
    terminal.remark(&format!("{how} {} read units{price}{time}{questions}", thousands(units)));
    Ok(())
}

/// How much is asked at most; what it costs depends on the answers.
pub(super) fn questions(patterns: &[PatternPlan]) -> String {
    let calls = |pattern: &PatternPlan| {
        let rows = if pattern.params.is_some() { pattern.sample } else { 1 };
        rows.saturating_mul(pattern.calls.len())
    };
    let calls = patterns.iter().map(calls).fold(0, usize::saturating_add);
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let named = counted(count(patterns.len()), "access pattern", "access patterns");
    format!("; then asks {named}, {} calls at most", thousands(count(calls)))
}

/// How long read units take.
pub(super) fn time(pace: &Pace, units: u64) -> String {
    let seconds = pace.seconds(&Units { table: units, indexes: Vec::new() });
    seconds.map(|seconds| format!(", {}", about(seconds))).unwrap_or_default()
}

/// By the price of on-demand reads in us-east-1, $0.125 a million units (AWS price list, November 2024).
pub(super) fn price(units: u64) -> String {
    let cents = units.saturating_mul(125) / 10_000_000;
    match cents {
        0 => ", less than $0.01 on demand".to_owned(),
        _ => format!(", about ${}.{:02} on demand in us-east-1", thousands(cents / 100), cents % 100),
    }
}
