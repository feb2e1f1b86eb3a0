//! Rows that the load left out, as its state folder says.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use crate::cli::failure::{Exit, Failure};
use crate::item::Rule;
use crate::keys::{Hash, Losers, row_hash};
use crate::load::{Checkpoint, LOSERS_FILE, REJECTS_FILE, read_rejects, redacted};
use crate::plan::{EntityPlan, Keep, Plan};
use crate::verify::{Excuse, Excused};

/// Rows that the load left out for reasons that no rule on the row itself can see. Those whose key another row had are
/// excused as long as it still has it: `losing` are the rows of now that lose theirs, by entity.
pub(super) fn excuse(
    folder: &Path,
    plan: &Plan,
    losers: Option<&Losers>,
    losing: HashMap<String, HashSet<Hash>>,
) -> Result<Option<Excuse>, Failure> {
    let rejects = read_rejects(&folder.join(REJECTS_FILE))?;
    let by = |rule: Rule| -> HashSet<Row> {
        let rejects = rejects.iter().filter(|reject| reject.rule == rule.as_str());
        rejects
            .map(|reject| (reject.entity.clone(), reject.source_key.clone().into_iter().collect()))
            .collect()
    };
    let (refused, collided) = (by(Rule::Refused), by(Rule::KeyCollision));
    let losers = match losers {
        Some(losers) => by_entity(losers, folder, plan)?,
        None => HashMap::new(),
    };
    if refused.is_empty() && collided.is_empty() && losers.is_empty() {
        return Ok(None);
    }
    Ok(Some(Arc::new(move |entity: &str, key: &[(String, String)]| {
        let row = row_hash(key);
        if losing.get(entity).is_none_or(|losing| losing.contains(&row)) {
            match losers.get(entity).filter(|(_, losers)| losers.contains(&row)) {
                Some((excused, _)) => return Some(*excused),
                None if has(&collided, entity, key) => return Some(Excused::Rejected),
                None => {}
            }
        }
        has(&refused, entity, key).then_some(Excused::Rejected)
    })))
}

/// Entity and source key.
type Row = (String, Vec<(String, String)>);

/// The load may have hashed the values.
fn has(rows: &HashSet<Row>, entity: &str, key: &[(String, String)]) -> bool {
    let hashed = || key.iter().map(|(name, value)| (name.clone(), redacted(value))).collect();
    rows.contains(&(entity.to_owned(), key.to_vec())) || rows.contains(&(entity.to_owned(), hashed()))
}

/// Rows whose key another row has, by the load's key pass; `None` where it made none.
pub(super) fn losers(folder: &Path, plan: &Plan) -> Result<Option<Arc<Losers>>, Failure> {
    if counted(folder, plan)?.is_empty() {
        return Ok(None);
    }
    let losers = Losers::read(&folder.join(LOSERS_FILE)).map_err(|error| unreadable(folder, &error))?;
    Ok(Some(Arc::new(losers)))
}

fn counted<'a>(folder: &Path, plan: &'a Plan) -> Result<Vec<&'a EntityPlan>, Failure> {
    let checkpoint = Checkpoint::read(folder)?;
    let counted = |entity: &&EntityPlan| {
        let recorded = checkpoint.as_ref().and_then(|checkpoint| checkpoint.entity(&entity.name));
        recorded.is_some_and(|recorded| recorded.counted)
    };
    Ok(plan.entities.iter().filter(counted).collect())
}

fn unreadable(folder: &Path, error: &std::io::Error) -> Failure {
    let path = folder.join(LOSERS_FILE);
    Failure::new(Exit::Failed, "losers-unreadable", format!("read {}: {error}", path.display()))
        .with_help("load again with --restart: it counts the keys anew")
}

fn by_entity(
    losers: &Losers,
    folder: &Path,
    plan: &Plan,
) -> Result<HashMap<String, (Excused, HashSet<Hash>)>, Failure> {
    let of = |entity: &EntityPlan| {
        let excused = match entity.collision.keep {
            Keep::Reject => Excused::Rejected,
            Keep::First | Keep::Last => Excused::Skipped,
        };
        let rows = losers.of_all_ranges(&entity.name).map_err(|error| unreadable(folder, &error))?;
        Ok((entity.name.clone(), (excused, rows)))
    };
    counted(folder, plan)?.into_iter().map(of).collect()
}
