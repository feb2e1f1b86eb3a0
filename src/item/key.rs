//! Key attributes: their value from a template, their type, their limits.

use crate::mapping::{KeyType, Nulls, Overflow, Step};
use crate::plan::{ColumnPlan, KeyPlan, Membership, PartPlan, ReadSettings};
use crate::source::Row;

use super::attribute::{Scratch, Wire, Written, write, write_binary, write_string};
use super::number::Number;
use super::reading::Purpose;
use super::rejection::{Rule, Violation};
use super::template::{Fault, cell, found, only_column, render};
use super::value::Value;

/// Longest partition and sort key in UTF-8 bytes (facts/dynamodb.md 3.1).
pub(super) const MAX_PARTITION_KEY: usize = 2_048;
pub(super) const MAX_SORT_KEY: usize = 1_024;

/// Appends one key attribute's value (`{"S":"…"}`) and returns its billed size.
pub(super) fn write_key(
    plan: &KeyPlan,
    row: Row<'_>,
    columns: &[ColumnPlan],
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<usize, Fault> {
    let (written, column) = match (plan.kind, plan.template.parts.as_slice()) {
        (KeyType::N | KeyType::B, [PartPlan::Value { column, steps, settings }]) if steps.is_empty() => {
            let decoded = cell(row, columns, *column);
            let value = found(&decoded, *column)?;
            if matches!(value, Value::Null) {
                return Err(Fault::new(Rule::KeyNull, "NULL, which no key can hold", Some(*column)));
            }
            let settings = key_settings(settings);
            (write(value, &settings, scratch, out).map_err(Fault::at(*column))?, Some(*column))
        }
        _ => {
            scratch.text.clear();
            render(&plan.template, row, columns, Purpose::Key, &mut scratch.text)?;
            let column = only_column(&plan.template);
            let typed = |violation| Fault { violation, column };
            (write_rendered(plan.kind, &scratch.text, out).map_err(typed)?, column)
        }
    };
    match written {
        Written::Value(_, 0) => Err(Fault::new(Rule::KeyEmpty, "empty, which no key may be", column)),
        Written::Value(wire, size) if wire == wire_of(plan.kind) => Ok(size),
        _ => {
            let message = format!("key attribute {} is of type {}", plan.attribute, plan.kind.as_str());
            Err(Fault { violation: Violation::new(Rule::KeyType, message), column })
        }
    }
}

pub(super) fn wire_of(kind: KeyType) -> Wire {
    match kind {
        KeyType::S => Wire::S,
        KeyType::N => Wire::N,
        KeyType::B => Wire::B,
    }
}

/// In a key nothing is omitted, and nothing is replaced.
pub(super) fn key_settings(settings: &ReadSettings) -> ReadSettings {
    ReadSettings { overflow: Overflow::Reject, nulls: Nulls::Omit, ..settings.clone() }
}

fn write_rendered(kind: KeyType, text: &[u8], out: &mut Vec<u8>) -> Result<Written, Violation> {
    match kind {
        KeyType::S if text.contains(&0) => Err(nul()),
        KeyType::S => Ok(write_string(text, out)),
        KeyType::N => {
            let number = Number::parse(text)?;
            out.extend_from_slice(b"{\"N\":\"");
            number.write(out);
            out.extend_from_slice(b"\"}");
            Ok(Written::Value(Wire::N, number.size()))
        }
        KeyType::B => Ok(write_binary(text, out)),
    }
}

/// Until it is known what the service makes of it.
pub(super) fn nul() -> Violation {
    Violation::new(Rule::TextInvalid, "a NUL character in a key; take it out with let")
}

/// What is said of a key longer than its limit.
pub(super) fn too_long(rule: Rule, size: usize, limit: usize) -> Violation {
    Violation::new(rule, format!("a key of {size} bytes, the limit is {limit}; shorten the template"))
}

/// Checks the length of an attribute that is a key of indexes.
pub(super) fn check_index_limits(membership: Membership, size: usize) -> Result<(), Violation> {
    let limits = [(membership.partition_of, MAX_PARTITION_KEY), (membership.sort_of, MAX_SORT_KEY)];
    for (indexes, limit) in limits {
        if indexes != 0 && size > limit {
            return Err(too_long(Rule::IndexKeyTooLong, size, limit));
        }
    }
    Ok(())
}

/// What of a key of the table is one of an index here.
#[cold]
pub(super) fn index_fault(key: &KeyPlan, fault: Fault) -> Fault {
    match fault.violation.rule {
        Rule::KeyType => Fault { violation: index_type(&key.attribute, key.kind), ..fault },
        _ => fault,
    }
}

pub(super) fn index_type(attribute: &str, kind: KeyType) -> Violation {
    let message = format!("{attribute} is a key of an index and must be of type {}; set type", kind.as_str());
    Violation::new(Rule::IndexKeyType, message)
}

/// The type by which a key's remedies go: a number that is to sort must be one of DynamoDB's, also in a text.
pub(super) fn remedied(key: &KeyPlan) -> KeyType {
    let sorts = |part: &PartPlan| match part {
        PartPlan::Value { steps, .. } => steps.contains(&Step::Sortable),
        PartPlan::Literal(_) => false,
    };
    if key.template.parts.iter().any(sorts) { KeyType::N } else { key.kind }
}
