//! DynamoDB's own equality of two items, from their DynamoDB JSON.
//!
//! Pure. Attributes are compared with their type: S by bytes, N by value at any length, B by decoded
//! bytes, lists in order, maps and sets without order.

use std::collections::BTreeMap;

use super::value::{Attributes, Value};
use crate::report::AttributeDifference;

/// What differs between the item that the source says and the one that the target holds: first the
/// expected attributes in their order, then those that nobody expected. Empty when they are equal.
///
/// Values are not part of the answer.
pub fn differences(expected: &[u8], found: &[u8]) -> Result<Vec<AttributeDifference>, Malformed> {
    Ok(Item::parse(expected)?.differences(&Item::parse(found)?))
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

    /// The values of some attributes, if the item has them all.
    pub(super) fn values(&self, names: &[&str]) -> Option<Vec<Value>> {
        names.iter().map(|name| self.0.0.get(*name).cloned()).collect()
    }

    /// The attributes of these names alone.
    pub(super) fn projected(mut self, names: &[&str]) -> Self {
        self.0.0.retain(|name, _| names.contains(&name.as_str()));
        self
    }

    /// As [`Item::identity`], by the names of the key's attributes.
    pub(super) fn identity_of(&self, names: &[&str]) -> Option<Identity> {
        let attribute = |name: &&str| Some(((*name).to_owned(), self.0.0.get(*name)?.clone()));
        names.iter().map(attribute).collect::<Option<_>>().map(Identity)
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
