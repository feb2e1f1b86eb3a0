//! Sums up what was found, entity by entity and type by type.

use std::collections::BTreeMap;
use std::path::Path;

use indexmap::IndexMap;
use serde_json::Value as Json;

use super::super::equality::braced;
use super::super::repair::Became;
use super::OrphanError;
use super::confirm::Orphan;
use super::look::Names;
use super::sightings::Candidate;
use crate::plan::{Plan, Recognizer};
use crate::report::{DeletionReport, OrphanExample, OrphanReport, OrphanedEntity, OtherItems};

/// Types of others' items that are told apart; the items of further ones are counted without.
const TYPES: usize = 50;

#[derive(Debug)]
pub(super) struct Tally<'a> {
    recognizer: &'a Recognizer,
    entities: IndexMap<String, Group>,
    others: IndexMap<Option<String>, Group>,
    gone: u64,
    deletion: DeletionReport,
    /// Examples to keep of each group.
    examples: usize,
}

/// Items that are reported together.
#[derive(Debug, Default)]
struct Group {
    items: u64,
    /// By key, the lowest ones, so that they are the same ones each time; with what became of them.
    examples: BTreeMap<Vec<u8>, Option<Became>>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(plan: &Plan, recognizer: &'a Recognizer, examples: usize) -> Self {
        let entities = plan.entities.iter().map(|entity| (entity.name.clone(), Group::default())).collect();
        Self {
            recognizer,
            entities,
            others: IndexMap::new(),
            gone: 0,
            deletion: DeletionReport::default(),
            examples,
        }
    }

    /// The position of the entity whose item it is.
    pub(super) fn whose(&self, candidate: &Candidate) -> Result<Option<usize>, OrphanError> {
        let (partition_key, sort_key) = candidate.texts()?;
        Ok(self.recognizer.entity(candidate.kind.as_deref(), &partition_key, sort_key.as_deref()))
    }

    pub(super) fn add(&mut self, orphan: Orphan) {
        match &orphan.became {
            Some(Became::Deleted { .. }) => self.deletion.deleted += 1,
            Some(Became::Moved) => self.deletion.moved += 1,
            Some(Became::Left(_)) => self.deletion.left += 1,
            // Nothing else becomes of what is to be deleted, or nothing was to be.
            Some(Became::Put | Became::Replaced { .. } | Became::Right) | None => {}
        }
        if let Some((_, entity)) = self.entities.get_index_mut(orphan.entity) {
            entity.add(orphan.key, orphan.became, self.examples);
        }
    }

    pub(super) fn add_other(&mut self, candidate: &Candidate, names: &Names) {
        let kind = candidate.kind.clone();
        let is_told = self.others.len() < TYPES || self.others.contains_key(&kind);
        let group = self.others.entry(kind.filter(|_| is_told)).or_default();
        group.add(candidate.members(names), None, self.examples);
    }

    pub(super) fn add_gone(&mut self) {
        self.gone += 1;
    }

    /// What was found of the items without a row; with the log of those that were deleted, where that was
    /// asked for.
    pub(super) fn report(self, deleted: Option<Option<&Path>>) -> OrphanReport {
        let deletion = deleted.map(|log| self.deletion.logged(log));
        let sum = |groups: &mut dyn Iterator<Item = &Group>| groups.map(|group| group.items).sum();
        let known = sum(&mut self.entities.values());
        let unknown = sum(&mut self.others.values());
        let entity = |(name, group): (String, Group)| {
            (name, OrphanedEntity { items: group.items, examples: group.examples() })
        };
        let other = |(kind, group): (Option<String>, Group)| OtherItems {
            kind,
            items: group.items,
            examples: group.examples(),
        };
        let mut others: Vec<OtherItems> = self.others.into_iter().map(other).collect();
        others.sort_by(|one, other| other.items.cmp(&one.items).then_with(|| one.kind.cmp(&other.kind)));
        OrphanReport {
            known,
            unknown,
            gone: self.gone,
            deletion,
            entities: self.entities.into_iter().map(entity).collect(),
            others,
            ..OrphanReport::default()
        }
    }
}

impl Group {
    fn add(&mut self, key: Vec<u8>, became: Option<Became>, most: usize) {
        self.items += 1;
        self.examples.insert(key, became);
        if self.examples.len() > most {
            self.examples.pop_last();
        }
    }

    fn examples(&self) -> Vec<OrphanExample> {
        let example = |(key, became): (&Vec<u8>, &Option<Became>)| OrphanExample {
            // For people only; what was compared are the bytes.
            key: serde_json::from_slice::<Json>(&braced(key)).unwrap_or_default(),
            deletion: became.as_ref().map(Became::outcome),
            why: became.as_ref().and_then(Became::why).map(str::to_owned),
        };
        self.examples.iter().map(example).collect()
    }
}
