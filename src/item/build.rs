//! The row loop: keys, index entries, attributes, sizes.

use crate::mapping::{Constant, Nulls, Overflow};
use crate::plan::{AttributePlan, IndexEntryPlan, KeyPlan, Layout, ReadSettings, ValuePlan};
use crate::source::{Page, RawCell, Row};

use super::attribute::{Scratch, Wire, Written, write};
use super::escape::{holds_nul, write_text as write_escaped};
use super::key::{
    MAX_PARTITION_KEY, MAX_SORT_KEY, check_index_limits, index_fault, index_type, key_settings, nul,
    remedied, too_long, wire_of, write_key,
};
use super::rejection::{Place, Rejection, Rule, Violation};
use super::sizes::Sizes;
use super::template::{Fault, cell, found, only_column, write_template};
use super::value::Value;
use super::{Item, ItemPage, source_key};

/// 400 KB (facts/dynamodb.md 1.2).
const MAX_ITEM: usize = 409_600;

/// A layout with everything that is the same for all rows done once.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    layout: &'a Layout,
    partition_key: Key<'a>,
    sort_key: Option<Key<'a>>,
    entries: Vec<Entry<'a>>,
    attributes: Vec<Attribute<'a>>,
    sizes: Sizes,
    /// An item up to this size is not too large, whatever its entries in local indexes are.
    roomy: usize,
    scratch: Scratch,
    /// Billed bytes of the keys of an index entry that is not complete yet.
    staged: Vec<usize>,
}

#[derive(Debug)]
struct Key<'a> {
    /// `"PK":`
    head: Vec<u8>,
    plan: &'a KeyPlan,
    place: Place,
}

#[derive(Debug)]
struct Entry<'a> {
    plan: &'a IndexEntryPlan,
    keys: Vec<Key<'a>>,
}

#[derive(Debug)]
struct Attribute<'a> {
    /// `,"Name":`
    head: Vec<u8>,
    plan: &'a AttributePlan,
    /// Of the plan; strict when the attribute is the key of an index.
    settings: ReadSettings,
    constant: Option<Result<(Vec<u8>, Written), Violation>>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(layout: &'a Layout) -> Self {
        let entries = layout.index_entries.iter().map(|plan| Entry {
            plan,
            keys: plan.keys.iter().map(|key| Key::new(b",", key, Place::IndexKey(remedied(key)))).collect(),
        });
        let sizes = Sizes::new(&layout.indexes);
        Self {
            layout,
            partition_key: Key::new(b"", &layout.partition_key, Place::Key(remedied(&layout.partition_key))),
            sort_key: layout.sort_key.as_ref().map(|key| Key::new(b",", key, Place::Key(remedied(key)))),
            entries: entries.collect(),
            attributes: layout.attributes.iter().map(Attribute::new).collect(),
            roomy: MAX_ITEM / (1 + sizes.local_indexes()),
            sizes,
            scratch: Scratch::default(),
            staged: Vec::new(),
        }
    }

    pub(super) fn build(&mut self, page: &Page, spare: ItemPage) -> ItemPage {
        let rows = page.rows();
        let mut out = ItemPage { rows, ..spare.cleared() };
        out.items.reserve(rows);
        out.index_bytes.reserve(rows * self.layout.indexes.len());
        for (index, row) in page.iter().enumerate() {
            let start = out.bytes.len();
            match self.build_row(row, &mut out.bytes) {
                Ok((key_end, size)) => {
                    let wire = start..out.bytes.len();
                    out.items.push(Item { wire, key: start + 1..key_end, size, row: index });
                    self.sizes.push_entries(&mut out.index_bytes);
                }
                Err(fault) => {
                    out.bytes.truncate(start);
                    out.rejections.push(self.rejection(fault, page, index));
                }
            }
        }
        out.equal_names = std::mem::take(&mut self.scratch.json.equal_names);
        out
    }

    /// Appends an item; returns where its key ends and its billed size.
    fn build_row(&mut self, row: Row<'_>, out: &mut Vec<u8>) -> Result<(usize, u32), RowFault> {
        self.sizes.clear();
        out.push(b'{');
        self.write_table_keys(row, out)?;
        let key_end = out.len();
        self.write_entries(row, out)?;
        self.write_attributes(row, out)?;
        out.push(b'}');
        let size = self.sizes.total();
        match u32::try_from(size) {
            Ok(billed) if size <= self.roomy => Ok((key_end, billed)),
            _ => self.large(size).map(|billed| (key_end, billed)),
        }
    }

    /// The billed size of an item that is large by itself or together with its entries in local indexes.
    #[cold]
    fn large(&self, size: usize) -> Result<u32, RowFault> {
        let all = self.sizes.total_with_local();
        match u32::try_from(size) {
            Ok(billed) if all <= MAX_ITEM => Ok(billed),
            _ => {
                let entries = if all > size { " with its entries in local indexes" } else { "" };
                let message =
                    format!("an item of {all} bytes{entries}, the limit is {MAX_ITEM}; leave columns out");
                Err(RowFault::of_item(Violation::new(Rule::ItemTooLarge, message)))
            }
        }
    }

    fn write_table_keys(&mut self, row: Row<'_>, out: &mut Vec<u8>) -> Result<(), RowFault> {
        let keys = [(Some(&self.partition_key), MAX_PARTITION_KEY), (self.sort_key.as_ref(), MAX_SORT_KEY)];
        for (key, limit) in keys {
            let Some(key) = key else { continue };
            out.extend_from_slice(&key.head);
            let size = write_key(key.plan, row, &self.layout.columns, &mut self.scratch, out)
                .map_err(|fault| key.fault(fault))?;
            if size > limit {
                return Err(key.broken(too_long(Rule::KeyTooLong, size, limit)));
            }
            check_index_limits(key.plan.membership, size).map_err(|violation| key.broken(violation))?;
            self.sizes.add(key.name_len() + size, key.plan.membership);
        }
        Ok(())
    }

    /// Writes the key attributes of each index, all of them or none.
    fn write_entries(&mut self, row: Row<'_>, out: &mut Vec<u8>) -> Result<(), RowFault> {
        for entry in &self.entries {
            if entry.plan.when.is_some_and(|column| !is_true(row.cell(column))) {
                continue;
            }
            let start = out.len();
            self.staged.clear();
            let mut complete = true;
            for key in &entry.keys {
                out.extend_from_slice(&key.head);
                match write_key(key.plan, row, &self.layout.columns, &mut self.scratch, out) {
                    Ok(size) => {
                        check_index_limits(key.plan.membership, size)
                            .map_err(|violation| key.broken(violation))?;
                        self.staged.push(key.name_len() + size);
                    }
                    Err(fault) if fault.is_missing() => {
                        complete = false;
                        break;
                    }
                    Err(fault) => return Err(key.fault(index_fault(key.plan, fault))),
                }
            }
            if complete {
                for (key, bytes) in entry.keys.iter().zip(&self.staged) {
                    self.sizes.add(*bytes, key.plan.membership);
                }
            } else {
                out.truncate(start);
            }
        }
        Ok(())
    }

    fn write_attributes(&mut self, row: Row<'_>, out: &mut Vec<u8>) -> Result<(), RowFault> {
        for attribute in &self.attributes {
            let start = out.len();
            out.extend_from_slice(&attribute.head);
            let written = attribute
                .write(row, self.layout, &mut self.scratch, out)
                .map_err(|fault| attribute.fault(fault))?;
            match written {
                // A JSON null is no key either.
                Written::Value(Wire::Null, _) if attribute.plan.index_key.is_some() => out.truncate(start),
                Written::Value(wire, size) => {
                    let written = out.get(start + attribute.head.len()..).unwrap_or_default();
                    attribute
                        .check_index_key(wire, size, written)
                        .map_err(|violation| attribute.broken(violation))?;
                    self.sizes.add(attribute.plan.name.len() + size, attribute.plan.membership);
                }
                Written::Absent => out.truncate(start),
            }
        }
        Ok(())
    }

    #[cold]
    fn rejection(&self, fault: RowFault, page: &Page, row: usize) -> Rejection {
        let RowFault { fault: Fault { violation, column }, attribute, place } = fault;
        let message = match violation.rule.remedy(place) {
            Some(remedy) => format!("{}; {remedy}", violation.message),
            None => violation.message.into_owned(),
        };
        let column = column.and_then(|column| self.layout.columns.get(column)).map(|plan| plan.name.clone());
        Rejection {
            row,
            rule: violation.rule,
            column: column.or(attribute),
            message,
            source_key: source_key(self.layout, page, row),
        }
    }
}

/// A fault and the attribute in which it showed.
#[derive(Debug)]
struct RowFault {
    fault: Fault,
    attribute: Option<String>,
    place: Place,
}

impl RowFault {
    fn of_item(violation: Violation) -> Self {
        Self { fault: Fault { violation, column: None }, attribute: None, place: Place::Item }
    }
}

impl<'a> Key<'a> {
    fn new(comma: &[u8], plan: &'a KeyPlan, place: Place) -> Self {
        Self { head: member_head(comma, &plan.attribute), plan, place }
    }

    fn name_len(&self) -> usize {
        self.plan.attribute.len()
    }

    #[cold]
    fn fault(&self, fault: Fault) -> RowFault {
        RowFault { fault, attribute: Some(self.plan.attribute.clone()), place: self.place }
    }

    #[cold]
    fn broken(&self, violation: Violation) -> RowFault {
        self.fault(Fault { violation, column: only_column(&self.plan.template) })
    }
}

impl<'a> Attribute<'a> {
    fn new(plan: &'a AttributePlan) -> Self {
        let settings = match &plan.value {
            ValuePlan::Column { settings, .. } | ValuePlan::Template { settings, .. } => settings.clone(),
            ValuePlan::Constant { kind, .. } => ReadSettings {
                kind: *kind,
                format: None,
                zone: None,
                overflow: Overflow::Reject,
                nulls: Nulls::Omit,
            },
        };
        let settings = if plan.index_key.is_some() { key_settings(&settings) } else { settings };
        Self { head: member_head(b",", &plan.name), plan, constant: constant(plan, &settings), settings }
    }

    fn write(
        &self,
        row: Row<'_>,
        layout: &Layout,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<Written, Fault> {
        match (&self.plan.value, &self.constant) {
            (ValuePlan::Column { column, .. }, _) => {
                let decoded = cell(row, &layout.columns, *column);
                let value = found(&decoded, *column)?;
                write(value, &self.settings, scratch, out).map_err(Fault::at(*column))
            }
            (ValuePlan::Template { template, .. }, _) => {
                write_template(template, row, &layout.columns, &self.settings, scratch, out)
            }
            (ValuePlan::Constant { .. }, Some(Ok((wire, written)))) => {
                out.extend_from_slice(wire);
                Ok(*written)
            }
            (ValuePlan::Constant { .. }, Some(Err(violation))) => {
                Err(Fault { violation: violation.clone(), column: None })
            }
            (ValuePlan::Constant { .. }, None) => Ok(Written::Absent),
        }
    }

    fn check_index_key(&self, wire: Wire, size: usize, written: &[u8]) -> Result<(), Violation> {
        let Some(kind) = self.plan.index_key else { return Ok(()) };
        if wire != wire_of(kind) {
            return Err(index_type(&self.plan.name, kind));
        }
        if size == 0 {
            let message = "empty, which no key of an index may be; make it NULL with let";
            return Err(Violation::new(Rule::IndexKeyEmpty, message));
        }
        if wire == Wire::S && holds_nul(written) {
            return Err(nul());
        }
        check_index_limits(self.plan.membership, size)
    }

    #[cold]
    fn broken(&self, violation: Violation) -> RowFault {
        let column = match &self.plan.value {
            ValuePlan::Column { column, .. } => Some(*column),
            ValuePlan::Template { template, .. } => only_column(template),
            ValuePlan::Constant { .. } => None,
        };
        self.fault(Fault { violation, column })
    }

    #[cold]
    fn fault(&self, fault: Fault) -> RowFault {
        let place = self.plan.index_key.map_or(Place::Attribute, Place::IndexKey);
        RowFault { fault, attribute: Some(self.plan.name.clone()), place }
    }
}

/// The wire form of a constant, which is the same for all rows.
fn constant(plan: &AttributePlan, settings: &ReadSettings) -> Option<Result<(Vec<u8>, Written), Violation>> {
    let ValuePlan::Constant { value, .. } = &plan.value else { return None };
    let value = match value {
        Constant::Text(text) => Value::Text(text),
        Constant::Integer(value) => Value::Int(*value),
        Constant::Boolean(value) => Value::Bool(*value),
    };
    let mut out = Vec::new();
    let written = write(&value, settings, &mut Scratch::default(), &mut out);
    Some(written.map(|written| (out, written)))
}

fn member_head(comma: &[u8], name: &str) -> Vec<u8> {
    let mut head = comma.to_vec();
    head.push(b'"');
    write_escaped(name.as_bytes(), &mut head);
    head.extend_from_slice(b"\":");
    head
}

/// A condition arrives as 1 where it is true.
fn is_true(cell: RawCell<'_>) -> bool {
    matches!(cell, RawCell::Integer(1))
}
