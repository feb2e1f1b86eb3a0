//! What a dry run counts beside what becomes of the rows. Of a load that writes it is nothing: which of
//! the two is chosen where the load is made.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::item::{ItemPage, Noticed, Seen, Survey};
use crate::plan::{Layout, Plan};
use crate::source::Page;

/// The surveys of all entities, by their position in the plan.
#[derive(Debug, Clone, Default)]
pub struct Surveys(Arc<Vec<Survey>>);

impl Surveys {
    /// Looks at nothing.
    pub fn none() -> Self {
        Self::default()
    }

    pub fn of(plan: &Plan) -> Self {
        Self(Arc::new(
            plan.entities
                .iter()
                .map(|entity| Survey::new(entity.watches(plan.table.ttl.as_deref())))
                .collect(),
        ))
    }

    pub(crate) fn look(&self, entity: usize, layout: &Layout, page: &Page, items: &ItemPage) -> Seen {
        self.0.get(entity).map(|survey| survey.look(layout, page, items)).unwrap_or_default()
    }

    /// What is worth telling of each entity, in the order of the plan.
    pub(crate) fn noticed(&self, plan: &Plan, seen: &BTreeMap<usize, Seen>) -> Vec<Vec<Noticed>> {
        let surveyed = plan.entities.iter().zip(self.0.iter()).enumerate();
        let noticed = surveyed.map(|(at, (entity, survey))| {
            seen.get(&at).map(|seen| survey.noticed(&entity.layout, seen)).unwrap_or_default()
        });
        noticed.collect()
    }
}
