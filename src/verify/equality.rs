//! DynamoDB's own equality of two items, from their DynamoDB JSON.
//!
//! Pure. Attributes are compared with their type: S by bytes, N by value at any length, B by decoded
//! bytes, lists in order, maps and sets without order.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::value::{Attributes, Value};
use crate::report::AttributeDifference;

/// What differs between the item that the source says and the one that the target holds: first the
/// expected attributes in their order, then those that nobody expected. Empty when they are equal.
///
/// Values are not part of the answer.
pub fn differences(expected: &[u8], found: &[u8]) -> Result<Vec<AttributeDifference>, Malformed> {
    Ok(Item::parse(expected)?.differences(&Item::parse(found)?))
}

/// Whether the items are equal. Of most values the bytes decide already; only those that are spelled otherwise
/// are read. What is equal by its bytes is not looked at for being well formed: one side is ours.
pub(super) fn same(expected: &[u8], found: &[u8]) -> Result<bool, Malformed> {
    let (expected, found) = (Members::parse(expected)?.0, Members::parse(found)?.0);
    if expected.len() != found.len() {
        return Ok(false);
    }
    for (at, (name, value)) in expected.iter().enumerate() {
        // Mostly in the same order.
        let beside = found.get(at).filter(|(other, _)| other == name);
        let Some((_, other)) = beside.or_else(|| found.iter().find(|(other, _)| other == name)) else {
            return Ok(false);
        };
        if value.get() != other.get() && read(value)? != read(other)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn read(value: &RawValue) -> Result<Value, Malformed> {
    serde_json::from_str(value.get()).map_err(|error| Malformed { at: error.column() })
}

/// The attributes of an item with their values as they are written; names may come twice.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    fn parse(wire: &'a [u8]) -> Result<Self, Malformed> {
        serde_json::from_slice(wire).map_err(|error| Malformed { at: error.column() })
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("attributes by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(24);
        while let Some((Name(name), value)) = map.next_entry()? {
            members.push((name, value));
        }
        Ok(Members(members))
    }
}

#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The names of a key's attributes, to find the key in an item without reading the rest of it.
#[derive(Debug)]
pub(super) struct KeyNames {
    names: Vec<String>,
    /// `"PK":`, as [`crate::item::Item::key`] writes them.
    written: Vec<String>,
}

impl KeyNames {
    /// From the members of a key without braces.
    pub(super) fn of(key: &[u8]) -> Result<Self, Malformed> {
        let key = braced(key);
        let names: Vec<String> =
            Members::parse(&key)?.0.into_iter().map(|(name, _)| name.into_owned()).collect();
        let written = names.iter().map(|name| format!("{}:", Json::from(name.as_str()))).collect();
        Ok(Self { names, written })
    }

    /// The key of an item, spelled as the item spells it; `None` where it lacks an attribute of it.
    pub(super) fn key_of(&self, wire: &[u8]) -> Result<Option<Vec<u8>>, Malformed> {
        let Members(members) = Members::parse(wire)?;
        let mut key = Vec::with_capacity(64);
        for (at, (name, written)) in self.names.iter().zip(&self.written).enumerate() {
            let Some((_, value)) = members.iter().find(|(member, _)| member == name) else { return Ok(None) };
            if at > 0 {
                key.push(b',');
            }
            key.extend_from_slice(written.as_bytes());
            key.extend_from_slice(value.get().as_bytes());
        }
        Ok(Some(key))
    }
}

/// Bytes that are no item as DynamoDB writes them. Never carries a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an item in DynamoDB JSON (at byte {at})")]
pub struct Malformed {
    pub at: usize,
}

/// A parsed item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item(Attributes);

/// Key attributes by name: equal exactly when DynamoDB calls the keys equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Identity(BTreeMap<String, Value>);

impl Item {
    pub(super) fn parse(wire: &[u8]) -> Result<Self, Malformed> {
        // The error's own text may quote a value; only its place is kept.
        serde_json::from_slice(wire).map(Item).map_err(|error| Malformed { at: error.column() })
    }

    pub(super) fn differences(&self, found: &Item) -> Vec<AttributeDifference> {
        let (Attributes(expected), Attributes(found)) = (&self.0, &found.0);
        let wrong = expected.iter().filter_map(|(name, value)| match found.get(name) {
            None => Some(difference(name, "missing")),
            Some(other) if other != value => Some(difference(name, "different")),
            Some(_) => None,
        });
        let extra = found.keys().filter(|name| !expected.contains_key(*name));
        wrong.chain(extra.map(|name| difference(name, "unexpected"))).collect()
    }

    /// The attributes that `like` names, if the item has them all.
    pub(super) fn identity(&self, like: &Identity) -> Option<Identity> {
        let attribute = |name: &String| Some((name.clone(), self.0.0.get(name)?.clone()));
        like.0.keys().map(attribute).collect::<Option<_>>().map(Identity)
    }
}

impl Identity {
    /// From the members of a key without braces, as [`crate::item::Item::key`] has them.
    pub(super) fn parse(key: &[u8]) -> Result<Self, Malformed> {
        let Item(Attributes(members)) = Item::parse(&braced(key))?;
        if members.is_empty() {
            return Err(Malformed { at: 0 });
        }
        Ok(Self(members.into_iter().collect()))
    }
}

/// `{…}` around the members of a key.
pub(super) fn braced(members: &[u8]) -> Vec<u8> {
    [b"{", members, b"}"].concat()
}

fn difference(name: &str, what: &'static str) -> AttributeDifference {
    AttributeDifference { name: name.to_owned(), what, expected: None, found: None }
}

#[cfg(test)]
mod tests;
