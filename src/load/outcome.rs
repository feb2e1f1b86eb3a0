//! A load's outcome as a [`RunReport`].

use std::time::Duration;

use indexmap::IndexMap;

use super::checkpoint::Checkpoint;
use super::pacer::Pace;
use super::tally::Tally;
use super::{End, Loaded};
use crate::keys::{Collisions, SourceKey};
use crate::plan::Plan;
use crate::report::{
    CollisionExample, CollisionReport, ColumnReport, Consistent, EntityReport, IndexReport, KeyedRow,
    Outcome, RunReport, Totals,
};

/// What a load found, over all its runs.
pub fn report(loaded: &Loaded, plan: &Plan, pace: &Pace, elapsed: Duration) -> RunReport {
    let tallies: Vec<_> = plan
        .entities
        .iter()
        .map(|entity| {
            loaded.progress.entity(&entity.name).map(|recorded| recorded.tally()).unwrap_or_default()
        })
        .collect();
    let mut all = Tally::default();
    tallies.iter().for_each(|tally| all.merge(tally));
    let entities = plan.entities.iter().zip(&tallies).enumerate().map(|(position, (entity, tally))| {
        let noticed = loaded.noticed.get(position).map(Vec::as_slice).unwrap_or_default();
        let columns = noticed.iter().map(|noticed| ColumnReport::new(&entity.name, noticed)).collect();
        let compared = loaded.compared.compared(position);
        let report = entity_report(tally, loaded.samples.of(position));
        (entity.name.clone(), EntityReport { columns, compared, ..report })
    });
    RunReport {
        command: "run",
        outcome: outcome(loaded, plan, &all),
        dry_run: false,
        resumed: false,
        table: plan.table.name.clone(),
        snapshots: loaded.progress.snapshots,
        consistent: consistent(&loaded.progress),
        entities: entities.collect(),
        indexes: indexes(plan, &all),
        totals: Totals {
            read: all.rows,
            written: all.written,
            items: all.written,
            rejected: all.rejected(),
            skipped: all.skipped(),
            wcu: all.units().total(),
            expected_seconds: pace.seconds(&all.units()),
        },
        collisions: loaded.collisions.as_ref().map(|found| collisions(found, plan)),
        rejects_file: None,
        elapsed_seconds: elapsed.as_secs_f64(),
        error: None,
    }
}

fn outcome(loaded: &Loaded, plan: &Plan, all: &Tally) -> Outcome {
    let unfinished = plan.entities.iter().any(|entity| !loaded.progress.is_done(&entity.name));
    match loaded.end {
        End::Interrupted => Outcome::Interrupted,
        End::Failed(_) => Outcome::Failed,
        End::Complete if unfinished => Outcome::Limited,
        End::Complete if all.rejected() > 0 => Outcome::Rejects,
        End::Complete => Outcome::Done,
    }
}

fn consistent(progress: &Checkpoint) -> Consistent {
    match (progress.snapshots, progress.consistent) {
        (1, Some(true)) => Consistent::Proven,
        _ => Consistent::Unproven,
    }
}

fn entity_report(tally: &Tally, samples: &[Vec<u8>]) -> EntityReport {
    EntityReport {
        read: tally.rows,
        written: tally.written,
        items: tally.written,
        rejected: tally.rejected(),
        skipped: tally.skipped(),
        skipped_by: tally.skipped_by.iter().map(|(reason, count)| (reason.clone(), *count)).collect(),
        rejected_by: tally.rejected_by.iter().map(|(rule, count)| (rule.clone(), *count)).collect(),
        wcu: tally.units().total(),
        size: tally.sizes.summary(),
        samples: samples.iter().filter_map(|wire| serde_json::from_slice(wire).ok()).collect(),
        ..EntityReport::default()
    }
}

fn collisions(found: &Collisions, plan: &Plan) -> CollisionReport {
    let row = |(entity, key): &(usize, SourceKey)| KeyedRow {
        entity: plan.entities.get(*entity).map(|plan| plan.name.clone()).unwrap_or_default(),
        source_key: key.iter().cloned().collect(),
    };
    let examples = found.examples.iter();
    CollisionReport {
        rows: found.rows,
        keys: found.keys,
        examples: examples
            .map(|example| CollisionExample { kept: row(&example.kept), lost: row(&example.lost) })
            .collect(),
    }
}

fn indexes(plan: &Plan, all: &Tally) -> IndexMap<String, IndexReport> {
    let count = |position: usize| {
        let items = all.index_items.get(position).copied().unwrap_or_default();
        IndexReport { items, absent: all.written.saturating_sub(items) }
    };
    plan.table
        .indexes
        .iter()
        .enumerate()
        .map(|(position, index)| (index.name.clone(), count(position)))
        .collect()
}
