//! Whose items those are that no row explains: by their type, else by the texts of their keys.

use crate::mapping::Constant;

use super::language::Matcher;
use super::written::Written;
use super::{EntityPlan, KeyPlan, Plan, ValuePlan};

/// Knows the items of a plan's entities by their looks.
#[derive(Debug)]
pub struct Recognizer {
    /// In the order of the plan.
    entities: Vec<Signature>,
}

#[derive(Debug)]
struct Signature {
    /// Its value of the attribute that holds types.
    kind: Option<String>,
    partition_key: Matcher,
    sort_key: Option<Matcher>,
}

impl Recognizer {
    /// `entity_type` is the attribute that holds types, where the mapping has one.
    pub fn new(plan: &Plan, entity_type: Option<&str>) -> Self {
        Self { entities: plan.entities.iter().map(|entity| Signature::new(entity, entity_type)).collect() }
    }

    /// The position of the entity whose item it is; `kind` is its value of the attribute that holds types. With
    /// one it is of that entity alone, whatever its key: an earlier mapping may have made other keys. Without one it
    /// is of the first entity whose items have none either, and whose templates can render the key.
    pub fn entity(&self, kind: Option<&str>, partition_key: &[u8], sort_key: Option<&[u8]>) -> Option<usize> {
        match kind {
            Some(kind) => self.entities.iter().position(|entity| entity.kind.as_deref() == Some(kind)),
            None => self
                .entities
                .iter()
                .position(|entity| entity.kind.is_none() && entity.renders(partition_key, sort_key)),
        }
    }
}

impl Signature {
    fn new(entity: &EntityPlan, entity_type: Option<&str>) -> Self {
        let matcher = |attribute, key: &KeyPlan| {
            Matcher::new(&Written::new(attribute, key, &entity.select.output).atoms)
        };
        Self {
            kind: entity_type.and_then(|name| type_value(entity, name)),
            partition_key: matcher("pk", &entity.layout.partition_key),
            sort_key: entity.layout.sort_key.as_ref().map(|key| matcher("sk", key)),
        }
    }

    fn renders(&self, partition_key: &[u8], sort_key: Option<&[u8]>) -> bool {
        self.partition_key.accepts(partition_key)
            && match (&self.sort_key, sort_key) {
                (Some(matcher), Some(text)) => matcher.accepts(text),
                (None, None) => true,
                _ => false,
            }
    }
}

fn type_value(entity: &EntityPlan, name: &str) -> Option<String> {
    let attribute = entity.layout.attributes.iter().find(|attribute| attribute.name == name)?;
    match &attribute.value {
        ValuePlan::Constant { value: Constant::Text(text), .. } => Some(text.clone()),
        _ => None,
    }
}
