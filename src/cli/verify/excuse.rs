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

/// Rows that the load left out for reasons that no rule on the row itself can see.
pub(super) fn excuse(folder: &Path, plan: &Plan, losers: Option<&Losers>) -> Result<Option<Excuse>, Failure> {
    let at_run_time = [Rule::KeyCollision, Rule::Refused].map(Rule::as_str);
    let rejected: HashSet<(String, Vec<(String, String)>)> = read_rejects(&folder.join(REJECTS_FILE))?
        .into_iter()
        .filter(|reject| at_run_time.contains(&reject.rule.as_str()))
        .map(|reject| (reject.entity, reject.source_key.into_iter().collect()))
        .collect();
    let losers = match losers {
        Some(losers) => by_entity(losers, folder, plan)?,
        None => HashMap::new(),
    };
    if rejected.is_empty() && losers.is_empty() {
        return Ok(None);
    }
    Ok(Some(Arc::new(move |entity: &str, key: &[(String, String)]| {
        if let Some((excused, losers)) = losers.get(entity)
            && losers.contains(&row_hash(key))
        {
            return Some(*excused);
        }
        let hashed = || key.iter().map(|(name, value)| (name.clone(), redacted(value))).collect();
        let is_rejected = rejected.contains(&(entity.to_owned(), key.to_vec()))
            || rejected.contains(&(entity.to_owned(), hashed()));
        is_rejected.then_some(Excused::Rejected)
    })))
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
