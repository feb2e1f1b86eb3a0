//! Sums up what was found, entity by entity and type by type.

use indexmap::IndexMap;
use serde_json::Value as Json;

use super::super::equality::braced;
use super::OrphanError;
use super::confirm::Orphan;
use super::look::Names;
use super::sightings::Candidate;
use crate::plan::{Plan, Recognizer};
use crate::report::{OrphanExample, OrphanReport, OrphanedEntity, OtherItems};

/// Types of others' items that are told apart; the items of further ones are counted without.
const TYPES: usize = 50;

#[derive(Debug)]
pub(super) struct Tally<'a> {
    recognizer: &'a Recognizer,
    entities: IndexMap<String, OrphanedEntity>,
    others: IndexMap<Option<String>, OtherItems>,
    gone: u64,
    examples: usize,
}

impl<'a> Tally<'a> {
    pub(super) fn new(plan: &Plan, recognizer: &'a Recognizer, examples: usize) -> Self {
        let entities =
            plan.entities.iter().map(|entity| (entity.name.clone(), OrphanedEntity::default())).collect();
        Self { recognizer, entities, others: IndexMap::new(), gone: 0, examples }
    }

    /// The position of the entity whose item it is.
    pub(super) fn whose(&self, candidate: &Candidate) -> Result<Option<usize>, OrphanError> {
        let (partition_key, sort_key) = candidate.texts()?;
        Ok(self.recognizer.entity(candidate.kind.as_deref(), &partition_key, sort_key.as_deref()))
    }

    pub(super) fn add(&mut self, orphan: &Orphan) {
        if let Some((_, entity)) = self.entities.get_index_mut(orphan.entity) {
            entity.items += 1;
            if entity.examples.len() < self.examples {
                entity.examples.push(example(&orphan.key));
            }
        }
    }

    pub(super) fn add_other(&mut self, candidate: &Candidate, names: &Names) {
        let kind = candidate.kind.clone();
        let kind =
            kind.filter(|kind| self.others.len() < TYPES || self.others.contains_key(&Some(kind.clone())));
        let others = self.others.entry(kind.clone()).or_insert_with(|| OtherItems {
            kind,
            items: 0,
            examples: Vec::new(),
        });
        others.items += 1;
        if others.examples.len() < self.examples {
            others.examples.push(example(&candidate.members(names)));
        }
    }

    pub(super) fn add_gone(&mut self) {
        self.gone += 1;
    }

    /// What was found of the items without a row.
    pub(super) fn report(self) -> OrphanReport {
        let mut others: Vec<OtherItems> = self.others.into_values().collect();
        others.sort_by(|one, other| other.items.cmp(&one.items).then_with(|| one.kind.cmp(&other.kind)));
        OrphanReport {
            known: self.entities.values().map(|entity| entity.items).sum(),
            unknown: others.iter().map(|others| others.items).sum(),
            gone: self.gone,
            entities: self.entities,
            others,
            ..OrphanReport::default()
        }
    }
}

/// For people only; what was compared are the bytes.
fn example(key: &[u8]) -> OrphanExample {
    OrphanExample { key: serde_json::from_slice::<Json>(&braced(key)).unwrap_or_default() }
}
