//! What the load has recorded: rows that it left out, and how large its items are.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use crate::cli::failure::{Exit, Failure};
use crate::cli::terminal::Terminal;
use crate::item::Rule;
use crate::keys::{Hash, Losers, row_hash};
use crate::load::{Checkpoint, LOSERS_FILE, REJECTS_FILE, TableIdentity, read_rejects, redacted};
use crate::plan::{EntityPlan, Keep, Plan};
use crate::verify::{Excuse, Excused};

/// The load whose items are verified, as its state folder tells it.
pub(super) struct Recorded<'a> {
    folder: &'a Path,
    plan: &'a Plan,
    /// Only of this mapping, from this database into this table.
    pub(super) checkpoint: Option<Checkpoint>,
}

impl<'a> Recorded<'a> {
    /// What another mapping or database left out says nothing about these rows. Where the table is to be changed
    /// (`writes`), its items are not those of this mapping: that is an error.
    pub(super) fn read(
        folder: &'a Path,
        plan: &'a Plan,
        table: &TableIdentity,
        database: &str,
        writes: bool,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let found = Checkpoint::read(folder)?;
        let checkpoint = match found {
            None => {
                let place = folder.display();
                terminal.remark(&format!(
                    "no load is recorded in {place}: what it may have left out counts as wrong"
                ));
                None
            }
            Some(found) => match found.must_match(plan, table, database) {
                Ok(()) => Some(found),
                Err(error) if writes => return Err(another_load(error.into())),
                Err(error) => {
                    terminal.remark(&format!("warning: {error}; what that load left out counts as wrong"));
                    None
                }
            },
        };
        Ok(Self { folder, plan, checkpoint })
    }

    /// Rows that the load left out for reasons that no rule on the row itself can see. Those whose key another row had
    /// are excused as long as it still has it: `losing` are the rows of now that lose theirs, by entity.
    pub(super) fn excuse(
        &self,
        losers: Option<&Losers>,
        losing: HashMap<String, HashSet<Hash>>,
    ) -> Result<Option<Excuse>, Failure> {
        let rejects = match &self.checkpoint {
            Some(_) => read_rejects(&self.folder.join(REJECTS_FILE))?,
            None => Vec::new(),
        };
        let by = |rule: Rule| -> HashSet<Row> {
            let rejects = rejects.iter().filter(|reject| reject.rule == rule.as_str());
            rejects
                .map(|reject| (reject.entity.clone(), reject.source_key.clone().into_iter().collect()))
                .collect()
        };
        let (refused, collided) = (by(Rule::Refused), by(Rule::KeyCollision));
        let losers = match losers {
            Some(losers) => self.by_entity(losers)?,
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

    /// Rows whose key another row has, by the load's key pass; `None` where it made none.
    pub(super) fn losers(&self) -> Result<Option<Arc<Losers>>, Failure> {
        if self.counted().next().is_none() {
            return Ok(None);
        }
        let losers = Losers::read(&self.folder.join(LOSERS_FILE)).map_err(|error| self.unreadable(&error))?;
        Ok(Some(Arc::new(losers)))
    }

    /// Entities whose keys the load has counted.
    fn counted(&self) -> impl Iterator<Item = &'a EntityPlan> {
        let counted = |entity: &&EntityPlan| {
            let recorded = self.checkpoint.as_ref().and_then(|checkpoint| checkpoint.entity(&entity.name));
            recorded.is_some_and(|recorded| recorded.counted)
        };
        self.plan.entities.iter().filter(counted)
    }

    fn by_entity(&self, losers: &Losers) -> Result<HashMap<String, (Excused, HashSet<Hash>)>, Failure> {
        let of = |entity: &EntityPlan| {
            let excused = match entity.collision.keep {
                Keep::Reject => Excused::Rejected,
                Keep::First | Keep::Last => Excused::Skipped,
            };
            let rows = losers.of_all_ranges(&entity.name).map_err(|error| self.unreadable(&error))?;
            Ok((entity.name.clone(), (excused, rows)))
        };
        self.counted().map(of).collect()
    }

    fn unreadable(&self, error: &std::io::Error) -> Failure {
        let path = self.folder.join(LOSERS_FILE);
        Failure::new(Exit::Failed, "losers-unreadable", format!("read {}: {error}", path.display()))
            .with_help("load again with --restart: it counts the keys anew")
    }
}

fn another_load(failure: Failure) -> Failure {
    failure.with_help(
        "load this mapping first (--restart), so that the table holds its items; or verify with the mapping and the database \
         of the load",
    )
}

/// Entity and source key.
type Row = (String, Vec<(String, String)>);

/// The load may have hashed the values.
fn has(rows: &HashSet<Row>, entity: &str, key: &[(String, String)]) -> bool {
    let hashed = || key.iter().map(|(name, value)| (name.clone(), redacted(value))).collect();
    rows.contains(&(entity.to_owned(), key.to_vec())) || rows.contains(&(entity.to_owned(), hashed()))
}
