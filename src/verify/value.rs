//! DynamoDB JSON as a tree in which `==` is DynamoDB's own equality.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use indexmap::IndexMap;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::equality::Malformed;
use crate::target::Decimal;

/// One attribute value: numbers by value, binaries by bytes, sets and maps without order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Value {
    S(String),
    N(Decimal),
    B(Vec<u8>),
    Bool(bool),
    Null,
    L(Vec<Value>),
    M(BTreeMap<String, Value>),
    Ss(BTreeSet<String>),
    Ns(BTreeSet<Decimal>),
    Bs(BTreeSet<Vec<u8>>),
}

/// The attributes of an item, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attributes(pub(super) IndexMap<String, Value>);

impl Value {
    /// `{"S":"…"}`
    pub(super) fn parse(wire: &[u8]) -> Result<Self, Malformed> {
        serde_json::from_slice(wire).map_err(|error| Malformed { at: error.column() })
    }
}

impl<'de> Deserialize<'de> for Attributes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NamedVisitor).map(Attributes)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ValueVisitor)
    }
}

/// `{"S":"…"}`: exactly one member, whose name is the type.
struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an attribute value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let Some(tag) = map.next_key::<String>()? else { return Err(A::Error::custom("no type")) };
        let value = match tag.as_str() {
            "S" => Value::S(map.next_value()?),
            "N" => Value::N(map.next_value()?),
            "B" => Value::B(map.next_value::<Binary>()?.0),
            "BOOL" => Value::Bool(map.next_value()?),
            "NULL" => null(map.next_value()?)?,
            "L" => Value::L(map.next_value()?),
            "M" => Value::M(map.next_value::<Attributes>()?.0.into_iter().collect()),
            "SS" => Value::Ss(map.next_value::<Set<String>>()?.0),
            "NS" => Value::Ns(map.next_value::<Set<Decimal>>()?.0),
            "BS" => {
                Value::Bs(map.next_value::<Set<Binary>>()?.0.into_iter().map(|binary| binary.0).collect())
            }
            _ => return Err(A::Error::custom("unknown type")),
        };
        match map.next_key::<IgnoredAny>()? {
            None => Ok(value),
            Some(_) => Err(A::Error::custom("two types")),
        }
    }
}

fn null<E: Error>(set: bool) -> Result<Value, E> {
    if set { Ok(Value::Null) } else { Err(E::custom("NULL is not true")) }
}

/// Names with their values; a name that comes twice is a mistake, not the last one.
struct NamedVisitor;

impl<'de> Visitor<'de> for NamedVisitor {
    type Value = IndexMap<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("attributes by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut named = IndexMap::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            if named.insert(name, value).is_some() {
                return Err(A::Error::custom("a name twice"));
            }
        }
        Ok(named)
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Binary(Vec<u8>);

impl<'de> Deserialize<'de> for Binary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Binary).map_err(|_| D::Error::custom("not base64"))
    }
}

/// A set whose members all differ.
struct Set<T>(BTreeSet<T>);

impl<'de, T: Deserialize<'de> + Ord> Deserialize<'de> for Set<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(SetVisitor(PhantomData)).map(Set)
    }
}

struct SetVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Ord> Visitor<'de> for SetVisitor<T> {
    type Value = BTreeSet<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the members of a set")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut set = BTreeSet::new();
        while let Some(member) = members.next_element()? {
            if !set.insert(member) {
                return Err(A::Error::custom("a member twice"));
            }
        }
        Ok(set)
    }
}
