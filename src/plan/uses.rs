//! Where the columns of an entity go, and how they are read there.

use crate::mapping::{KeyType, Step};
use crate::source::{Column, Output, Select};

use super::{AttributePlan, Layout, Membership, PartPlan, ReadSettings, TemplatePlan, ValuePlan};

/// One use of a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use<'a> {
    /// Position among the outputs.
    pub(super) position: usize,
    pub(super) column: &'a Column,
    pub(super) place: Place,
    pub(super) steps: &'a [Step],
    pub(super) settings: &'a ReadSettings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Of the table.
    Key(KeyType),
    IndexKey {
        kind: KeyType,
        sorts: bool,
    },
    Attribute,
    /// An attribute that a template makes.
    Text,
}

impl Place {
    /// The type of the key, of table or index.
    pub(super) fn key(self) -> Option<KeyType> {
        match self {
            Place::Key(kind) | Place::IndexKey { kind, .. } => Some(kind),
            Place::Attribute | Place::Text => None,
        }
    }
}

/// Every use of a column, keys first; conditions are none.
pub(super) fn uses<'a>(select: &'a Select, layout: &'a Layout) -> Vec<Use<'a>> {
    let mut walk = Walk { select, uses: Vec::new() };
    for key in std::iter::once(&layout.partition_key).chain(&layout.sort_key) {
        walk.template(&key.template, Place::Key(key.kind));
    }
    for key in layout.index_entries.iter().flat_map(|entry| &entry.keys) {
        walk.template(&key.template, index_key(key.kind, key.membership));
    }
    for attribute in &layout.attributes {
        walk.attribute(attribute);
    }
    walk.uses
}

struct Walk<'a> {
    select: &'a Select,
    uses: Vec<Use<'a>>,
}

impl<'a> Walk<'a> {
    fn template(&mut self, template: &'a TemplatePlan, place: Place) {
        for part in &template.parts {
            if let PartPlan::Value { column, steps, settings } = part {
                self.add(*column, place, steps, settings);
            }
        }
    }

    fn attribute(&mut self, attribute: &'a AttributePlan) {
        let key = attribute.index_key.map(|kind| index_key(kind, attribute.membership));
        match &attribute.value {
            ValuePlan::Column { column, settings } => {
                self.add(*column, key.unwrap_or(Place::Attribute), &[], settings);
            }
            ValuePlan::Template { template, .. } => self.template(template, key.unwrap_or(Place::Text)),
            ValuePlan::Constant { .. } => {}
        }
    }

    fn add(&mut self, position: usize, place: Place, steps: &'a [Step], settings: &'a ReadSettings) {
        if let Some(Output::Column(column) | Output::Computed { column, .. }) =
            self.select.output.get(position)
        {
            self.uses.push(Use { position, column, place, steps, settings });
        }
    }
}

fn index_key(kind: KeyType, membership: Membership) -> Place {
    Place::IndexKey { kind, sorts: membership.partition_of == 0 }
}
