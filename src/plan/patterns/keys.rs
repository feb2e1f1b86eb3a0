//! What entities write into key attributes, as texts and as languages.

use crate::mapping::{Constant, KeyType};
use crate::plan::fit::step_name;
use crate::plan::language::{Atom, ByteSet};
use crate::plan::written::Written;
use crate::plan::{
    ColumnPlan, EntityPlan, KeyColumn, KeyPlan, Membership, PartPlan, TemplatePlan, ValuePlan,
};
use crate::source::Output;

/// What an entity writes into a key attribute of the table or an index; `None` where nothing does.
pub(super) fn written(entity: &EntityPlan, key: &KeyColumn) -> Option<KeyPlan> {
    let layout = &entity.layout;
    let of_indexes = layout.index_entries.iter().flat_map(|entry| &entry.keys);
    let mut keys = std::iter::once(&layout.partition_key).chain(&layout.sort_key).chain(of_indexes);
    if let Some(plan) = keys.find(|plan| plan.attribute == key.name) {
        return Some(plan.clone());
    }
    let attribute = layout.attributes.iter().find(|attribute| attribute.name == key.name)?;
    let template = match &attribute.value {
        ValuePlan::Template { template, .. } => template.clone(),
        ValuePlan::Column { column, settings } => TemplatePlan {
            parts: vec![PartPlan::Value { column: *column, steps: Vec::new(), settings: settings.clone() }],
        },
        ValuePlan::Constant { value, .. } => TemplatePlan { parts: vec![PartPlan::Literal(constant(value))] },
    };
    let membership = Membership::default();
    Some(KeyPlan { attribute: key.name.clone(), kind: key.kind, template, membership })
}

fn constant(value: &Constant) -> String {
    match value {
        Constant::Text(text) => text.clone(),
        Constant::Integer(number) => number.to_string(),
        Constant::Boolean(flag) => flag.to_string(),
    }
}

/// Numbers and bytes are not told apart.
pub(super) fn language(key: &KeyPlan, output: &[Output]) -> Vec<Atom> {
    match key.kind {
        KeyType::S => Written::new("key", key, output).atoms,
        KeyType::N | KeyType::B => vec![Atom::some(ByteSet::ANY)],
    }
}

/// A template as the mapping writes it.
pub(super) fn spelled(key: &KeyPlan, columns: &[ColumnPlan]) -> String {
    let part = |part: &PartPlan| match part {
        PartPlan::Literal(text) => text.replace('{', "{{").replace('}', "}}"),
        PartPlan::Value { column, steps, .. } => {
            let name = columns.get(*column).map(|plan| plan.name.as_str()).unwrap_or_default();
            placeholder(name, steps)
        }
    };
    key.template.parts.iter().map(part).collect()
}

pub(super) fn placeholder(column: &str, steps: &[crate::mapping::Step]) -> String {
    let plain = column.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let column = if plain { column.to_owned() } else { format!("\"{column}\"") };
    let steps: Vec<String> = steps.iter().map(step_name).collect();
    match steps.as_slice() {
        [] => format!("{{{column}}}"),
        steps => format!("{{{column}:{}}}", steps.join("|")),
    }
}
