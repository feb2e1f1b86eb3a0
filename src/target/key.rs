//! Item keys by value: which of our keys does an answer of the service mean?
//!
//! The service writes a key back in its own spelling (other JSON escapes, numbers in canonical form,
//! another order of members), so keys are compared as values, never as bytes.

use std::collections::{BTreeMap, HashMap};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::number::Decimal;

/// The value of a key attribute. Two are equal exactly when DynamoDB takes them for the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum KeyValue {
    S(String),
    N(Decimal),
    B(Vec<u8>),
}

/// Attribute name → value, ordered by name.
pub(super) type Key = BTreeMap<String, KeyValue>;

/// The keys of one request and where they stand in it.
#[derive(Debug)]
pub(super) struct Keys {
    names: Vec<String>,
    positions: HashMap<Key, usize>,
}

impl Keys {
    /// Reads keys as [`crate::item::Item::key`] has them; `None` if one is not such a key.
    pub(super) fn read<'a>(keys: impl IntoIterator<Item = &'a [u8]>) -> Option<Keys> {
        let mut names = Vec::new();
        let mut positions = HashMap::new();
        for (position, bytes) in keys.into_iter().enumerate() {
            let key = read_key(bytes)?;
            if names.is_empty() {
                names = key.keys().cloned().collect();
            }
            positions.insert(key, position);
        }
        Some(Keys { names, positions })
    }

    /// Where the key stands whose attributes `value` gives by name; `None` if it is none of ours.
    pub(super) fn position(&self, value: impl Fn(&str) -> Option<KeyValue>) -> Option<usize> {
        let key: Option<Key> = self.names.iter().map(|name| Some((name.clone(), value(name)?))).collect();
        self.positions.get(&key?).copied()
    }

    /// As [`Keys::position`], of a key as the service writes it: `{"PK":{"S":"…"}}`.
    pub(super) fn position_of(&self, json: &str) -> Option<usize> {
        self.positions.get(&read_object(json.as_bytes())?).copied()
    }
}

/// A key attribute as it stands on the wire.
#[derive(Debug, Deserialize)]
enum Wire {
    S(String),
    N(String),
    B(String),
}

fn read_key(bytes: &[u8]) -> Option<Key> {
    let mut json = Vec::with_capacity(bytes.len() + 2);
    json.push(b'{');
    json.extend_from_slice(bytes);
    json.push(b'}');
    read_object(&json)
}

fn read_object(json: &[u8]) -> Option<Key> {
    let wire: BTreeMap<String, Wire> = serde_json::from_slice(json).ok()?;
    wire.into_iter().map(|(name, value)| Some((name, read_value(value)?))).collect()
}

fn read_value(value: Wire) -> Option<KeyValue> {
    Some(match value {
        Wire::S(text) => KeyValue::S(text),
        Wire::N(text) => KeyValue::N(Decimal::parse(&text)?),
        Wire::B(text) => KeyValue::B(STANDARD.decode(text).ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Option<KeyValue> {
        Some(KeyValue::S(value.to_owned()))
    }

    #[test]
    fn a_key_is_found_whatever_its_escapes() {
        let keys = Keys::read([
            br#""PK":{"S":"A"},"SK":{"S":"1"}"#.as_slice(),
            br#""PK":{"S":"\u00e9\"\/"},"SK":{"S":"1"}"#,
        ])
        .unwrap();
        let found = keys.position(|name| if name == "PK" { text("é\"/") } else { text("1") });
        assert_eq!(found, Some(1));
    }

    #[test]
    fn numbers_are_found_by_value_and_binaries_by_bytes() {
        let keys = Keys::read([
            br#""id":{"N":"1500"},"h":{"B":"AQI="}"#.as_slice(),
            br#""id":{"N":"1.5"},"h":{"B":"AQI="}"#,
        ])
        .unwrap();
        let at = |number: &str| {
            keys.position(|name| match name {
                "id" => Decimal::parse(number).map(KeyValue::N),
                _ => Some(KeyValue::B(vec![1, 2])),
            })
        };
        assert_eq!(at("1.5E3"), Some(0));
        assert_eq!(at("01.50"), Some(1));
        assert_eq!(at("15"), None);
    }

    #[test]
    fn a_strange_key_is_none_of_ours() {
        let keys = Keys::read([br#""PK":{"S":"A"}"#.as_slice()]).unwrap();
        assert_eq!(keys.position(|_| text("B")), None);
        assert_eq!(keys.position(|_| None), None);
        assert!(Keys::read([b"no json".as_slice()]).is_none());
    }
}
