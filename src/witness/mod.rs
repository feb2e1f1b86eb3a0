//! A second pair of eyes: encoded rows against the database's own text of them.
//!
//! Load and verification share the decoders of [`crate::item`], so one that is wrong would agree with
//! itself. Here the same rows are told by the server as text, turned into what the item must be by slow
//! and plain code, and compared. Of `item/` nothing is used but the finished items. Knows no target and
//! reads nothing itself; a value whose text is of a form that is not known here is passed over.

mod array;
mod document;
mod expected;
mod moment;
mod number;
mod schedule;
mod template;
mod told;

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value as Json;

use crate::item::{ItemPage, source_key};
use crate::mapping::{Nulls, Overflow};
use crate::plan::{EntityPlan, Layout, PartPlan, ReadSettings, TemplatePlan, ValuePlan};
use crate::source::{Output, Page, Sample};

use expected::attribute;
use told::{Told, told};

pub use schedule::Schedule;

/// An attribute that is not what the database says: a bug in this program. Carries no value beside the
/// source key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    pub entity: String,
    /// Position of the row in its sample.
    pub row: usize,
    pub attribute: String,
    /// The columns behind the attribute, each with its type.
    pub columns: Vec<(String, String)>,
    pub source_key: Vec<(String, String)>,
}

/// Why a value has no attribute, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// Left out.
    Absent,
    /// No item can be made of the row.
    Refused,
    /// Nothing in DynamoDB can hold it; `overflow` decides.
    Overflow,
    /// Not known here.
    Unknown,
}

/// Compares the items of a sample's cells with its texts; the first attribute that differs is an error.
/// Rows without item are passed over: they were rejected by name.
pub fn compare(entity: &EntityPlan, sample: &Sample, items: &ItemPage) -> Result<(), Contradiction> {
    for item in &items.items {
        let row: Vec<Option<Told>> = tell(&entity.layout, sample, item.row);
        let conditions = |column: usize| sample.text(item.row, column) == Some(b"1".as_slice());
        let wanted = wanted(&entity.layout, &row, &conditions);
        let made: BTreeMap<String, Json> = serde_json::from_slice(items.wire(item)).unwrap_or_default();
        if let Some(attribute) = difference(&wanted, &made) {
            return Err(contradiction(entity, attribute, sample, item.row));
        }
    }
    Ok(())
}

/// Checks that rows read twice have the same items where they have the same cells: what else differs
/// changed in the source meanwhile. The sample's first row is row `first` of the page.
pub fn agree(
    entity: &EntityPlan,
    (page, items, first): (&Page, &ItemPage, usize),
    (sample, again): (&Sample, &ItemPage),
) -> Result<(), Contradiction> {
    for later in &again.items {
        let row = first + later.row;
        let earlier = items.items.iter().find(|item| item.row == row);
        let wire = earlier.map(|item| items.wire(item));
        if wire == Some(again.wire(later)) || !sample.has_cells_of(later.row, page, row) {
            continue;
        }
        let parsed =
            |wire: &[u8]| -> BTreeMap<String, Json> { serde_json::from_slice(wire).unwrap_or_default() };
        let (made, later_made) = (parsed(wire.unwrap_or_default()), parsed(again.wire(later)));
        let differs = later_made.iter().find(|(name, value)| made.get(*name) != Some(*value));
        let attribute = differs.map(|(name, _)| name.clone()).unwrap_or_default();
        return Err(contradiction(entity, attribute, sample, later.row));
    }
    Ok(())
}

fn contradiction(entity: &EntityPlan, attribute: String, sample: &Sample, row: usize) -> Contradiction {
    Contradiction {
        entity: entity.name.clone(),
        row,
        columns: columns_of(entity, &attribute),
        attribute,
        source_key: source_key(&entity.layout, sample.cells(), row),
    }
}

fn tell(layout: &Layout, sample: &Sample, row: usize) -> Vec<Option<Told>> {
    let cell = |(at, column): (usize, &crate::plan::ColumnPlan)| {
        let raw = column.raw.as_ref()?;
        match sample.text(row, at) {
            None => told(None, raw),
            Some(text) => told(Some(std::str::from_utf8(text).ok()?), raw),
        }
    };
    layout.columns.iter().enumerate().map(cell).collect()
}

type Wanted = BTreeMap<String, Result<Json, Wrong>>;

/// Every attribute that the item must have, or why it must not.
fn wanted(layout: &Layout, row: &template::Row, is_true: &dyn Fn(usize) -> bool) -> Wanted {
    let mut wanted = Wanted::new();
    for key in std::iter::once(&layout.partition_key).chain(&layout.sort_key) {
        // A key of a table is never left out.
        let value = match template::key(key, row) {
            Err(Wrong::Absent | Wrong::Overflow) => Err(Wrong::Refused),
            value => value,
        };
        wanted.insert(key.attribute.clone(), value);
    }
    for entry in &layout.index_entries {
        if entry.when.is_some_and(|column| !is_true(column)) {
            continue;
        }
        let keys: Vec<_> = entry.keys.iter().map(|key| (key, template::key(key, row))).collect();
        if keys.iter().all(|(_, value)| *value != Err(Wrong::Absent)) {
            wanted.extend(keys.into_iter().map(|(key, value)| (key.attribute.clone(), value)));
        }
    }
    for plan in &layout.attributes {
        let strict = |settings: &ReadSettings| match plan.index_key {
            None => settings.clone(),
            Some(_) => ReadSettings { overflow: Overflow::Reject, nulls: Nulls::Omit, ..settings.clone() },
        };
        let value = match &plan.value {
            ValuePlan::Column { column, settings } => match row.get(*column) {
                Some(Some(told)) => attribute(told, &strict(settings)),
                _ => Err(Wrong::Unknown),
            },
            ValuePlan::Template { template, settings } => {
                template::templated(template, &strict(settings), row)
            }
            // The mapping's own value.
            ValuePlan::Constant { .. } => Err(Wrong::Unknown),
        };
        let value = match value {
            Ok(json) if plan.index_key.is_some() && json.get("NULL").is_some() => Err(Wrong::Absent),
            value => value,
        };
        wanted.insert(plan.name.clone(), value);
    }
    wanted
}

/// The first attribute that is not as it must be.
fn difference(wanted: &Wanted, made: &BTreeMap<String, Json>) -> Option<String> {
    let wrong = wanted.iter().find(|(name, value)| match (value, made.get(*name)) {
        (Ok(wanted), Some(made)) => !same(wanted, made),
        (Ok(_), None) | (Err(Wrong::Absent), Some(_)) | (Err(Wrong::Refused | Wrong::Overflow), _) => true,
        (Err(Wrong::Absent), None) | (Err(Wrong::Unknown), _) => false,
    });
    let foreign = || made.keys().find(|name| !wanted.contains_key(*name));
    wrong.map(|(name, _)| name).or_else(foreign).cloned()
}

/// Sets have no order.
fn same(wanted: &Json, made: &Json) -> bool {
    let sorted = |value: &Json| -> Option<(String, Vec<String>)> {
        let (name, members) = value.as_object()?.iter().next()?;
        if !matches!(name.as_str(), "SS" | "NS" | "BS") {
            return None;
        }
        let mut members: Vec<String> =
            members.as_array()?.iter().filter_map(Json::as_str).map(str::to_owned).collect();
        members.sort();
        Some((name.clone(), members))
    };
    wanted == made || sorted(wanted).is_some_and(|wanted| Some(wanted) == sorted(made))
}

/// The columns that an attribute is made of, each with its type.
fn columns_of(entity: &EntityPlan, attribute: &str) -> Vec<(String, String)> {
    let layout = &entity.layout;
    let keys = std::iter::once(&layout.partition_key)
        .chain(&layout.sort_key)
        .chain(layout.index_entries.iter().flat_map(|entry| &entry.keys));
    let of_key = keys.filter(|key| key.attribute == attribute).flat_map(|key| columns(&key.template));
    let of_attribute = layout.attributes.iter().filter(|plan| plan.name == attribute);
    let of_attribute = of_attribute.flat_map(|plan| match &plan.value {
        ValuePlan::Column { column, .. } => vec![*column],
        ValuePlan::Template { template, .. } => columns(template),
        ValuePlan::Constant { .. } => Vec::new(),
    });
    of_key.chain(of_attribute).filter_map(|at| described(entity.select.output.get(at)?)).collect()
}

fn columns(template: &TemplatePlan) -> Vec<usize> {
    let column = |part: &PartPlan| match part {
        PartPlan::Value { column, .. } => Some(*column),
        PartPlan::Literal(_) => None,
    };
    template.parts.iter().filter_map(column).collect()
}

fn described(output: &Output) -> Option<(String, String)> {
    match output {
        Output::Column(column) | Output::Computed { column, .. } => {
            Some((column.name.clone(), column.sql_type.clone()))
        }
        Output::Condition { .. } => None,
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = |pairs: &[(String, String)], between: &str| {
            let pairs: Vec<String> = pairs.iter().map(|(a, b)| format!("{a}{between}{b}")).collect();
            pairs.join(", ")
        };
        write!(f, "attribute `{}` of {}", self.attribute, self.entity)?;
        if !self.columns.is_empty() {
            let columns: Vec<String> =
                self.columns.iter().map(|(name, kind)| format!("`{name}` ({kind})")).collect();
            write!(f, ", made of column {},", columns.join(" and "))?;
        }
        write!(
            f,
            " is not what the database's own text says, in the row with {}",
            pairs(&self.source_key, " = ")
        )
    }
}

#[cfg(test)]
mod tests;
