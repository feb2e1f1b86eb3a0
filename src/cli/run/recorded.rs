//! What the checkpoint says about the load that is to begin. Changes no file.

use super::RunArgs;
use crate::cli::destination::Destination;
use crate::cli::failure::Failure;
use crate::load::{Checkpoint, StateFolder};
use crate::plan::{EntityPlan, Plan};

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
    }
    checkpoint.must_match(plan, &table, database)?;
    Ok(Recorded { progress: checkpoint, ours })
}

/// An estimate of what is still to be read of the chosen entities. What a `where` leaves of a table is
/// not known and counts as nothing.
pub(super) fn rows_left(progress: &Checkpoint, plan: &Plan, entities: &[usize]) -> u64 {
    let chosen = entities.iter().filter_map(|entity| plan.entities.get(*entity));
    let left = |entity: &EntityPlan| {
        let read = progress.entity(&entity.name).map(|recorded| recorded.tally().rows).unwrap_or_default();
        entity.row_estimate.unwrap_or_default().saturating_sub(read)
    };
    let whole = chosen.filter(|entity| entity.select.filter.is_none());
    whole.filter(|entity| !progress.is_done(&entity.name)).map(left).sum()
}

pub(super) fn is_done(progress: &Checkpoint, plan: &Plan, entities: &[usize]) -> bool {
    let mut chosen = entities.iter().filter_map(|entity| plan.entities.get(*entity));
    chosen.all(|entity| progress.is_done(&entity.name))
}
