//! What is looked at of an item: its key, and the type that it says it has.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash as _, Hasher};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::super::equality::Malformed;
use crate::keys::Hash;
use crate::target::Decimal;

/// Names of the attributes that are looked at.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub(super) partition_key: String,
    pub(super) sort_key: Option<String>,
    /// Holds an item's type.
    pub(super) entity_type: Option<String>,
}

/// The attributes of one item, as they stand in its JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) partition_key: &'a RawValue,
    pub(super) sort_key: Option<&'a RawValue>,
    pub(super) kind: Option<&'a RawValue>,
}

/// A key attribute's value; numbers and binaries still as text.
#[derive(Debug, Deserialize)]
enum Wire<'a> {
    S(#[serde(borrow)] Cow<'a, str>),
    N(#[serde(borrow)] Cow<'a, str>),
    B(#[serde(borrow)] Cow<'a, str>),
}

/// What stands for a type that is no text.
const NO_TEXT: &str = "(no text)";

impl Names {
    pub(super) fn attributes(&self) -> Vec<String> {
        let key = std::iter::once(&self.partition_key).chain(&self.sort_key);
        key.chain(&self.entity_type).cloned().collect()
    }

    /// The members of a key without braces, as [`crate::item::Item::key`] has them.
    pub(super) fn members(&self, partition_key: &[u8], sort_key: Option<&[u8]>) -> Vec<u8> {
        let name = |name: &str| serde_json::Value::from(name).to_string().into_bytes();
        let mut members = [&name(&self.partition_key), b":".as_slice(), partition_key].concat();
        if let (Some(attribute), Some(value)) = (&self.sort_key, sort_key) {
            members.extend([b",", name(attribute).as_slice(), b":", value].concat());
        }
        members
    }

    /// Reads `{"PK":{"S":"…"},…}`.
    pub(super) fn look<'a>(&self, item: &'a [u8]) -> Result<Look<'a>, Malformed> {
        let mut json = serde_json::Deserializer::from_slice(item);
        // The error's own text may quote a value; only its place is kept.
        let look = self.deserialize(&mut json).map_err(|error| Malformed { at: error.column() })?;
        json.end().map_err(|error| Malformed { at: error.column() })?;
        Ok(look)
    }
}

impl<'de> DeserializeSeed<'de> for &Names {
    type Value = Look<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Look<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &Names {
    type Value = Look<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an item with the table's key")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Look<'de>, A::Error> {
        let (mut partition_key, mut sort_key, mut kind) = (None, None, None);
        while let Some(Name(name)) = members.next_key()? {
            if name == self.partition_key {
                partition_key = Some(members.next_value()?);
            } else if Some(name.as_ref()) == self.sort_key.as_deref() {
                sort_key = Some(members.next_value()?);
            } else if Some(name.as_ref()) == self.entity_type.as_deref() {
                kind = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        match partition_key {
            Some(partition_key) if sort_key.is_some() == self.sort_key.is_some() => {
                Ok(Look { partition_key, sort_key, kind })
            }
            _ => Err(A::Error::custom("without the table's key")),
        }
    }
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl Look<'_> {
    /// Equal for two keys exactly when DynamoDB takes them for the same, however they are spelled.
    pub(super) fn hash(&self) -> Result<Hash, Malformed> {
        let mut digest = Digest(Sha256::new());
        for value in std::iter::once(self.partition_key).chain(self.sort_key) {
            match wire(value.get().as_bytes())? {
                Wire::S(text) => (0_u8, text).hash(&mut digest),
                Wire::N(text) => {
                    (1_u8, Decimal::parse(&text).ok_or(Malformed { at: 0 })?).hash(&mut digest);
                }
                Wire::B(text) => (2_u8, bytes(&text)?).hash(&mut digest),
            }
        }
        let digest: [u8; 32] = digest.0.finalize().into();
        let mut hash = Hash::default();
        hash.copy_from_slice(digest.first_chunk::<16>().unwrap_or(&[0; 16]));
        Ok(hash)
    }

    /// The type that the item says it has.
    pub(super) fn kind(&self) -> Option<String> {
        let kind = self.kind?;
        Some(match wire(kind.get().as_bytes()) {
            Ok(Wire::S(text)) => text.into_owned(),
            _ => NO_TEXT.to_owned(),
        })
    }
}

/// What a template rendered, from the value of a key attribute as it stands in JSON.
pub(super) fn rendered(value: &[u8]) -> Result<Vec<u8>, Malformed> {
    Ok(match wire(value)? {
        Wire::S(text) | Wire::N(text) => text.into_owned().into_bytes(),
        Wire::B(text) => bytes(&text)?,
    })
}

fn wire(value: &[u8]) -> Result<Wire<'_>, Malformed> {
    serde_json::from_slice(value).map_err(|error| Malformed { at: error.column() })
}

fn bytes(base64: &str) -> Result<Vec<u8>, Malformed> {
    STANDARD.decode(base64).map_err(|_| Malformed { at: 0 })
}

/// SHA-256 of what a value hands to its hasher, which tells values apart by itself.
struct Digest(Sha256);

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names {
            partition_key: "PK".to_owned(),
            sort_key: Some("SK".to_owned()),
            entity_type: Some("kind".to_owned()),
        }
    }

    fn hash(item: &str) -> Hash {
        names().look(item.as_bytes()).unwrap().hash().unwrap()
    }

    #[test]
    fn spellings_of_one_key_have_one_hash_whatever_else_the_item_holds() {
        let ours = hash(r#"{"PK":{"S":"é/\""},"SK":{"N":"1500"}}"#);
        assert_eq!(ours, hash(r#"{"x":{"L":[]},"SK":{"N":"1.5E3"},"PK":{"S":"\u00e9\/\""}}"#));
        for other in [
            r#"{"PK":{"S":"e/\""},"SK":{"N":"1500"}}"#,
            r#"{"PK":{"S":"é/\""},"SK":{"N":"150"}}"#,
            r#"{"PK":{"S":"é/\""},"SK":{"S":"1500"}}"#,
            r#"{"PK":{"S":"é/\"1500"},"SK":{"S":""}}"#,
        ] {
            assert_ne!(ours, hash(other), "{other}");
        }
        assert_eq!(
            hash(r#"{"PK":{"B":"AQI="},"SK":{"N":"1"}}"#),
            hash(r#"{"PK":{"B":"AQI="},"SK":{"N":"1.0"}}"#)
        );
    }

    #[test]
    fn values_do_not_run_into_each_other() {
        assert_ne!(hash(r#"{"PK":{"S":"ab"},"SK":{"S":"c"}}"#), hash(r#"{"PK":{"S":"a"},"SK":{"S":"bc"}}"#));
    }

    #[test]
    fn members_are_those_that_a_lookup_asks_by() {
        let item = br#"{"kind":{"S":"Order"},"SK":{"N":"7"},"PK":{"S":"A"}}"#;
        let look = names().look(item).unwrap();
        let sort_key = look.sort_key.map(|value| value.get().as_bytes());
        let members = names().members(look.partition_key.get().as_bytes(), sort_key);
        assert_eq!(members, br#""PK":{"S":"A"},"SK":{"N":"7"}"#);
        assert_eq!(look.kind().as_deref(), Some("Order"));
        assert_eq!(
            names().look(br#"{"kind":{"N":"1"},"SK":{"N":"7"},"PK":{"S":"A"}}"#).unwrap().kind().as_deref(),
            Some("(no text)")
        );
        assert_eq!(rendered(br#"{"B":"AQI="}"#).unwrap(), [1, 2]);
    }

    #[test]
    fn what_has_no_key_is_no_item() {
        for item in
            ["{}", r#"{"PK":{"S":"A"}}"#, r#"{"SK":{"S":"A"}}"#, "[]", r#"{"PK":{"S":"A"},"SK":{"S":"B"}} x"#]
        {
            assert!(names().look(item.as_bytes()).is_err(), "{item}");
        }
        let look = names().look(br#"{"PK":{"BOOL":true},"SK":{"N":"1"}}"#.as_slice()).unwrap();
        assert!(look.hash().is_err());
    }
}
