//! Rows that share a key, as the source is now: the load has counted them as it was then.
//!
//! A row that was left out because another one had its key is excused only as long as that other one is there.
//! Before wrong rows are mended, entities are found of which rows share a key that the load has not counted: the item of
//! such a key may be another row's, so that mending would overwrite one row by another, again and again.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::sync::Arc;

use super::{Snapshots, VerifyError, VerifyOptions};
use crate::keys::{Counted, Hash, KeyPassError, Losers, Piece, Ranges, count};
use crate::plan::Plan;
use crate::source::{PageLimits, Reader};

/// Ranges to cut an entity into, for each reader.
const RANGES_A_READER: usize = 4;

/// By entity the rows that lose their key to another one, where the load has left out some for that; gives the readers
/// back.
pub async fn losing_now(
    plan: &Plan,
    mut readers: Vec<Reader>,
    limits: PageLimits,
    known: &Losers,
) -> Result<(HashMap<String, HashSet<Hash>>, Vec<Reader>), VerifyError> {
    let has_some = |entity: &usize| -> io::Result<bool> {
        let Some(entity) = plan.entities.get(*entity) else { return Ok(false) };
        Ok(!known.of_all_ranges(&entity.name)?.is_empty())
    };
    let mut sets = Vec::new();
    for set in contested(plan) {
        let found =
            set.iter().map(has_some).collect::<io::Result<Vec<bool>>>().map_err(KeyPassError::from)?;
        if found.contains(&true) {
            sets.push(set);
        }
    }
    let mut losing = HashMap::new();
    if sets.is_empty() {
        return Ok((losing, readers));
    }
    let ranges = ranges(plan, &sets, &mut readers).await?;
    let (counted, readers) = count_again(plan, &ranges, readers, limits, Some(known)).await?;
    for entity in sets.iter().flatten().filter_map(|entity| plan.entities.get(*entity)) {
        let rows = counted.losers.of_all_ranges(&entity.name).map_err(KeyPassError::from)?;
        losing.insert(entity.name.clone(), rows);
    }
    Ok((losing, readers))
}

/// Positions of entities whose keys may meet, set by set.
fn contested(plan: &Plan) -> impl Iterator<Item = Vec<usize>> {
    let position = |name: &String| plan.entities.iter().position(|entity| entity.name == *name);
    plan.contested.iter().map(move |set| set.iter().filter_map(position).collect())
}

/// Positions of the entities among `wrong`, and of those whose keys theirs may meet, which are not to be mended. Where
/// all keys are proven to differ nothing is read.
pub(super) async fn shared(
    plan: &Plan,
    now: &mut Snapshots<'_>,
    options: &VerifyOptions,
    wrong: &BTreeSet<usize>,
) -> Result<HashSet<usize>, VerifyError> {
    let sets = contested(plan).filter(|set| set.iter().any(|entity| wrong.contains(entity)));
    let sets: Vec<_> = sets.collect();
    if sets.is_empty() {
        return Ok(HashSet::new());
    }
    let mut readers = now.open(plan).await?;
    let ranges = ranges(plan, &sets, &mut readers).await?;
    let known = options.losers.as_deref();
    let (counted, _) = count_again(plan, &ranges, readers, options.page_limits, known).await?;
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

/// Rows that the load left out come last among those of their key, as it chose.
async fn count_again(
    plan: &Plan,
    ranges: &[Ranges],
    readers: Vec<Reader>,
    limits: PageLimits,
    known: Option<&Losers>,
) -> Result<(Counted, Vec<Reader>), KeyPassError> {
    let known = known.map(Losers::joined).transpose()?;
    count(plan, ranges, readers, limits, known.map(Arc::new), |_, _| {}).await
}

/// One range in pieces, as [`Losers::joined`] has it.
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
        let pieces = cut.into_iter().map(|bounds| Piece { range: 0, bounds, written: true }).collect();
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
