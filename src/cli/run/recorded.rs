//! What the checkpoint says about the load that is to begin. Changes no file.

use super::RunArgs;
use crate::cli::destination::Destination;
use crate::cli::failure::Failure;
use crate::load::{Checkpoint, StateFolder, Units};
use crate::plan::{EntityPlan, PartPlan, Plan};
use crate::source::Output;

/// Where a load goes on from.
pub(super) struct Recorded {
    pub(super) progress: Checkpoint,
    /// A checkpoint says that the items in the table come from this mapping.
    pub(super) ours: bool,
}

/// The checkpoint to go on from; a new one where there is none or `--restart` forgets it. Changes no
/// file: the old checkpoint stays until the load begins.
pub(super) fn recorded(
    args: &RunArgs,
    state: &StateFolder,
    plan: &Plan,
    entities: &[usize],
    destination: &Destination,
    database: &str,
) -> Result<Recorded, Failure> {
    let table = destination.identity();
    let whole = args.restart && args.only.is_empty();
    // What is forgotten as a whole need not be readable.
    let found = if whole {
        Checkpoint::read(state.path()).unwrap_or_default()
    } else {
        Checkpoint::read(state.path())?
    };
    let ours = found.as_ref().is_some_and(|old| old.table == table && old.is_begun());
    let Some(mut checkpoint) = found.filter(|_| !whole) else {
        return Ok(Recorded { progress: Checkpoint::new(table, database.to_owned()), ours });
    };
    if args.restart {
        let again = |name: &str| {
            entities.iter().filter_map(|entity| plan.entities.get(*entity)).any(|plan| plan.name == name)
        };
        checkpoint.entities.retain(|entity| !again(&entity.name));
        if !checkpoint.is_begun() {
            // Nothing is left that an earlier snapshot has seen.
            (checkpoint.snapshots, checkpoint.consistent) = (0, None);
        }
    }
    checkpoint.must_match(plan, &table, database)?;
    Ok(Recorded { progress: checkpoint, ours })
}

/// What is still to be written, as far as estimates of rows go.
#[derive(Debug, Default)]
pub(in crate::cli) struct Ahead {
    pub(in crate::cli) rows: u64,
    /// As if every item were of one write unit.
    pub(in crate::cli) units: Units,
    /// Entities that nobody has counted: a query, a view, or what a `where` leaves of a table.
    pub(in crate::cli) uncounted: Vec<String>,
}

pub(super) fn ahead(progress: &Checkpoint, plan: &Plan, entities: &[usize]) -> Ahead {
    let mut ahead = Ahead::default();
    let chosen = entities.iter().filter_map(|entity| plan.entities.get(*entity));
    for entity in chosen.filter(|entity| !progress.is_done(&entity.name)) {
        let Some(estimate) = entity.expected_rows() else {
            ahead.uncounted.push(entity.name.clone());
            continue;
        };
        let read = progress.entity(&entity.name).map(|recorded| recorded.tally().rows).unwrap_or_default();
        let rows = estimate.saturating_sub(read);
        ahead.rows += rows;
        ahead.units.add(&Units { table: rows, indexes: entries(entity, rows) });
    }
    ahead
}

/// Rows in each index, where each row is in it: without a condition, and of columns that are never NULL.
fn entries(entity: &EntityPlan, rows: u64) -> Vec<u64> {
    let mut entries = vec![0; entity.layout.indexes.len()];
    for entry in entity.layout.index_entries.iter().filter(|entry| entry.when.is_none()) {
        let mut parts = entry.keys.iter().flat_map(|key| &key.template.parts);
        if let (true, Some(count)) = (parts.all(|part| is_filled(part, entity)), entries.get_mut(entry.index))
        {
            *count = rows;
        }
    }
    entries
}

fn is_filled(part: &PartPlan, entity: &EntityPlan) -> bool {
    match part {
        PartPlan::Literal(_) => true,
        PartPlan::Value { column, .. } => {
            matches!(entity.select.output.get(*column), Some(Output::Column(column)) if !column.nullable)
        }
    }
}

pub(super) fn is_done(progress: &Checkpoint, plan: &Plan, entities: &[usize]) -> bool {
    let mut chosen = entities.iter().filter_map(|entity| plan.entities.get(*entity));
    chosen.all(|entity| progress.is_done(&entity.name))
}
