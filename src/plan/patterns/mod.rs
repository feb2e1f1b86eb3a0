//! `[[access_patterns]]`: their templates as keys that are rendered as items' keys are, and whether the
//! mapping can serve them at all.
//!
//! What is certain is a mistake: an entity that never is in the index, or whose keys can never be what the
//! pattern asks for. What only may happen, since the languages of keys are larger than the keys, is a warning.

mod describe;
mod draft;
mod fit;
mod keys;
mod serve;

use std::sync::Arc;

use crate::mapping::{Diagnostic, Order, SortKey};
use crate::source::{Predicate, Select};

use super::{ColumnPlan, EntityPlan, KeyPlan, PartPlan, TablePlan};

pub(super) use describe::describe;
pub(super) use draft::{Draft, draft};

/// A pattern as it is asked.
#[derive(Debug, Clone)]
pub struct PatternPlan {
    pub name: String,
    pub operation: Operation,
    /// Position among the table's indexes; the table itself without one.
    pub index: Option<usize>,
    /// Reads the rows of `params`; without it there is one question.
    pub params: Option<Arc<Select>>,
    /// One per output of `params`.
    pub columns: Vec<ColumnPlan>,
    /// What is asked for one row of `params`: a call for each shard.
    pub calls: Vec<CallPlan>,
    pub order: Order,
    pub limit: Option<u64>,
    /// Rows of `params` to try at most.
    pub sample: usize,
    pub returns: Vec<ReturnPlan>,
}

impl PatternPlan {
    /// Whether a key that is asked for has the value of a column of `params`.
    pub fn makes_keys_of(&self, column: usize) -> bool {
        let keys =
            self.calls.iter().flat_map(|call| call.pk.iter().chain(call.sk.iter().flat_map(SortKey::parts)));
        keys.flat_map(|key| &key.template.parts)
            .any(|part| matches!(part, PartPlan::Value { column: used, .. } if *used == column))
    }
}

/// How a pattern is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// The whole key of the table is given.
    GetItem,
    Query,
}

/// One call; its keys are made of a row of `params`.
#[derive(Debug, Clone)]
pub struct CallPlan {
    pub pk: Vec<KeyPlan>,
    pub sk: Option<SortKey<KeyPlan>>,
}

/// Rows of an entity that belong to the answer.
#[derive(Debug, Clone)]
pub struct ReturnPlan {
    pub entity: String,
    pub predicate: Predicate,
}

/// The patterns, held against what the entities write.
pub(super) fn finish(
    drafts: Vec<Draft<'_>>,
    table: &TablePlan,
    entities: &[EntityPlan],
    findings: &mut Vec<Diagnostic>,
) -> Vec<PatternPlan> {
    for draft in &drafts {
        serve::check(draft, table, entities, findings);
    }
    drafts.into_iter().map(|draft| draft.plan).collect()
}
