//! Before wrong rows are mended: entities of which rows share a key that the load has not counted. The item of
//! such a key may be another row's, so that mending would overwrite one row by another, again and again.

use std::collections::{BTreeSet, HashSet};
use std::io;

use super::{Snapshots, VerifyError, VerifyOptions};
use crate::keys::{Hash, KeyPassError, Losers, Piece, Ranges, count};
use crate::plan::Plan;
use crate::source::Reader;

/// Ranges to cut an entity into, for each reader.
const RANGES_A_READER: usize = 4;

/// Positions of the entities among `wrong`, and of those whose keys theirs may meet, which are not to be mended. By
/// readers of its own; where all keys are proven to differ nothing is opened and nothing read.
pub(super) async fn shared(
    plan: &Plan,
    now: &mut Snapshots<'_>,
    options: &VerifyOptions,
    wrong: &BTreeSet<usize>,
) -> Result<HashSet<usize>, VerifyError> {
    let position = |name: &String| plan.entities.iter().position(|entity| entity.name == *name);
    let sets = plan.contested.iter().map(|set| set.iter().filter_map(position).collect::<Vec<_>>());
    let sets: Vec<_> = sets.filter(|set| set.iter().any(|entity| wrong.contains(entity))).collect();
    if sets.is_empty() {
        return Ok(HashSet::new());
    }
    let mut readers = now.open(plan).await?;
    let ranges = ranges(plan, &sets, &mut readers).await?;
    // What is known goes by the load's own ranges, and is compared below.
    let (counted, _) = count(plan, &ranges, readers, options.page_limits, None, |_, _| {}).await?;
    let mut shared = HashSet::new();
    for set in sets {
        for entity in &set {
            let Some(plan) = plan.entities.get(*entity) else { continue };
            if has_more(&counted.losers, options.losers.as_deref(), &plan.name).map_err(KeyPassError::from)? {
                shared.extend(&set);
            }
        }
    }
    Ok(shared)
}

async fn ranges(
    plan: &Plan,
    sets: &[Vec<usize>],
    readers: &mut [Reader],
) -> Result<Vec<Ranges>, VerifyError> {
    let cuts = u64::try_from(readers.len() * RANGES_A_READER).unwrap_or(1);
    let mut all = Vec::new();
    for entity in sets.iter().flatten() {
        let (Some(plan), Some(reader)) = (plan.entities.get(*entity), readers.first_mut()) else { continue };
        let cut = reader.cut(&plan.select, cuts, plan.row_estimate).await?;
        let pieces = cut.into_iter().enumerate();
        let pieces = pieces.map(|(range, bounds)| Piece { range, bounds, written: true }).collect();
        all.push(Ranges { entity: *entity, pieces });
    }
    Ok(all)
}

/// Whether rows of an entity lose their key to others, and the load does not know them.
fn has_more(now: &Losers, known: Option<&Losers>, entity: &str) -> io::Result<bool> {
    let known: HashSet<Hash> = match known {
        Some(known) => known.of_all_ranges(entity)?,
        None => HashSet::new(),
    };
    Ok(!now.of_all_ranges(entity)?.is_subset(&known))
}
