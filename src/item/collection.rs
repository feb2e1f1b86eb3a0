//! Arrays and SETs as lists, nested as deep as they have dimensions, or as sets.

use crate::mapping::{Nulls, Overflow, ValueType};
use crate::plan::ReadSettings;

use super::attribute::{Scratch, Wire, Written, write_digits, write_natural, write_null, write_string};
use super::decode::{PgArray, PgElements};
use super::escape::{write_base64, write_text as write_escaped};
use super::json::{CONTAINER_SIZE, MEMBER_SIZE};
use super::reading::{Purpose, read_as, write_text};
use super::rejection::{Rule, Violation};
use super::value::Value;

/// Appends an array or the members of a SET.
pub(super) fn write(
    value: &Value<'_>,
    settings: &ReadSettings,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<Written, Violation> {
    match (settings.kind, value) {
        (None | Some(ValueType::List), Value::Array(array)) => {
            scratch.json.around = array.lengths().len();
            let size = write_dimension(&mut array.elements(), array.lengths(), settings, scratch, out);
            scratch.json.around = 0;
            Ok(Written::Value(Wire::L, size?))
        }
        (None | Some(ValueType::List), Value::Members(text)) => Ok(write_members(text, out)),
        (Some(ValueType::S), Value::Members(text)) => Ok(write_string(text.as_bytes(), out)),
        (Some(kind @ (ValueType::StringSet | ValueType::NumberSet | ValueType::BinarySet)), _) => {
            write_set(value, kind, settings, scratch, out)
        }
        _ => Err(Violation::mismatch("a list can only become a list or a set; cast it with let")),
    }
}

/// Appends one dimension, and those within it, as a list.
fn write_dimension(
    elements: &mut PgElements<'_>,
    mut lengths: impl ExactSizeIterator<Item = usize> + Clone,
    settings: &ReadSettings,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<usize, Violation> {
    let length = lengths.next().unwrap_or(0);
    out.extend_from_slice(b"{\"L\":[");
    let mut size = CONTAINER_SIZE;
    for at in 0..length {
        if at > 0 {
            out.push(b',');
        }
        size += MEMBER_SIZE;
        size += if lengths.len() == 0 {
            let element = elements.next()?.unwrap_or(Value::Null);
            write_element(element, settings, scratch, out)?
        } else {
            write_dimension(elements, lengths.clone(), settings, scratch, out)?
        };
    }
    out.extend_from_slice(b"]}");
    Ok(size)
}

/// Appends one element of a list. What overflows keeps its place: as text, or as NULL.
fn write_element(
    element: Value<'_>,
    settings: &ReadSettings,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<usize, Violation> {
    let start = out.len();
    let written =
        read_as(element, None, settings).and_then(|value| write_natural(&value, settings, scratch, out));
    let written = match (written, settings.overflow) {
        (Err(violation), Overflow::Omit | Overflow::Null) if violation.rule.is_overflow() => {
            out.truncate(start);
            write_null(Nulls::Null, out)
        }
        (Err(violation), Overflow::String) if violation.rule.is_overflow() => {
            out.truncate(start);
            scratch.text.clear();
            write_text(&element, settings, Purpose::Exact, &mut scratch.text)?;
            write_string(&scratch.text, out)
        }
        (written, _) => written?,
    };
    match written {
        Written::Value(_, size) => Ok(size),
        Written::Absent => Ok(0),
    }
}

fn write_members(text: &str, out: &mut Vec<u8>) -> Written {
    out.extend_from_slice(b"{\"L\":[");
    let mut size = CONTAINER_SIZE;
    for (at, member) in members(text).enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_string(member.as_bytes(), out);
        size += MEMBER_SIZE + member.len();
    }
    out.extend_from_slice(b"]}");
    Written::Value(Wire::L, size)
}

/// The members of a SET; an empty text is an empty set.
fn members(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').filter(move |_| !text.is_empty())
}

/// Appends a set. An empty one is omitted, as DynamoDB has none.
fn write_set(
    value: &Value<'_>,
    kind: ValueType,
    settings: &ReadSettings,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<Written, Violation> {
    let (wire, head): (Wire, &[u8]) = match kind {
        ValueType::StringSet => (Wire::StringSet, b"{\"SS\":["),
        ValueType::NumberSet => (Wire::NumberSet, b"{\"NS\":["),
        _ => (Wire::BinarySet, b"{\"BS\":["),
    };
    let start = out.len();
    out.extend_from_slice(head);
    let mut set = SetWriter { kind, settings, scratch, out, size: 0 };
    set.scratch.members.clear();
    match value {
        Value::Array(array) => set.write_array(array)?,
        Value::Members(text) => {
            for member in members(text) {
                set.write_member(Value::Text(member))?;
            }
        }
        _ => return Err(Violation::mismatch("a set is wanted of a single value")),
    }
    set.check_duplicates()?;
    let size = set.size;
    if scratch.members.is_empty() {
        out.truncate(start);
        return Ok(Written::Absent);
    }
    out.extend_from_slice(b"]}");
    Ok(Written::Value(wire, size))
}

#[derive(Debug)]
struct SetWriter<'a> {
    kind: ValueType,
    settings: &'a ReadSettings,
    scratch: &'a mut Scratch,
    out: &'a mut Vec<u8>,
    size: usize,
}

impl SetWriter<'_> {
    fn write_array(&mut self, array: &PgArray<'_>) -> Result<(), Violation> {
        if array.lengths().len() > 1 {
            return Err(invalid("a set of an array with more than one dimension; leave type away"));
        }
        let mut elements = array.elements();
        while let Some(element) = elements.next()? {
            self.write_member(element)?;
        }
        Ok(())
    }

    fn write_member(&mut self, member: Value<'_>) -> Result<(), Violation> {
        if member == Value::Null {
            return Err(invalid("a NULL in a set; leave type away to get a list"));
        }
        let start = self.out.len();
        if !self.scratch.members.is_empty() {
            self.out.push(b',');
        }
        let quote = self.out.len();
        self.out.push(b'"');
        let size = match self.write_inside(member) {
            Ok(size) => size,
            Err(violation) if violation.rule.is_overflow() && self.settings.overflow == Overflow::Omit => {
                self.out.truncate(start);
                return Ok(());
            }
            Err(violation) if violation.rule.is_overflow() => return Err(in_set(&violation)),
            Err(violation) => return Err(violation),
        };
        self.out.push(b'"');
        self.scratch.members.push(quote..self.out.len());
        self.size += size;
        Ok(())
    }

    /// Appends a member without its quotes and returns its billed size.
    fn write_inside(&mut self, member: Value<'_>) -> Result<usize, Violation> {
        match self.kind {
            ValueType::NumberSet => {
                write_digits(&read_as(member, Some(ValueType::N), self.settings)?, self.out)
            }
            ValueType::StringSet => {
                let member = read_as(member, Some(ValueType::S), self.settings)?;
                self.scratch.text.clear();
                write_text(&member, self.settings, Purpose::Attribute, &mut self.scratch.text)?;
                write_escaped(&self.scratch.text, self.out);
                Ok(self.scratch.text.len())
            }
            _ => match read_as(member, Some(ValueType::B), self.settings)? {
                Value::Bytes(bytes) => {
                    write_base64(bytes, self.out);
                    Ok(bytes.len())
                }
                Value::Uuid(uuid) => {
                    write_base64(&uuid, self.out);
                    Ok(uuid.len())
                }
                _ => Err(Violation::mismatch("a member of a binary set that is not bytes")),
            },
        }
    }

    /// Equal members have equal bytes, since every value has one spelling.
    fn check_duplicates(&mut self) -> Result<(), Violation> {
        let bytes = |range: &std::ops::Range<usize>| self.out.get(range.clone()).unwrap_or_default();
        self.scratch.members.sort_unstable_by(|a, b| bytes(a).cmp(bytes(b)));
        let equal = |pair: &[std::ops::Range<usize>]| match pair {
            [a, b] => bytes(a) == bytes(b),
            _ => false,
        };
        match self.scratch.members.windows(2).any(equal) {
            true => Err(invalid("a member twice in a set; leave type away to get a list")),
            false => Ok(()),
        }
    }
}

fn invalid(message: &'static str) -> Violation {
    Violation::new(Rule::SetInvalid, message)
}

/// A set has room neither for NULL nor for text among numbers: only omitting a member is possible.
fn in_set(violation: &Violation) -> Violation {
    let message = format!("in a set, where only overflow = \"omit\" helps: {}", violation.message);
    Violation::new(Rule::SetInvalid, message)
}
