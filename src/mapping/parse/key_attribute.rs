//! `partition_key` and `sort_key`, of the table and of indexes.

use toml::de::DeValue;

use super::names;
use super::section::{Keys, Section};
use super::walker::{Read, Value, Walker};
use crate::mapping::diagnostic::{Diagnostic, quoted};
use crate::mapping::{KeyAttribute, KeyType};

pub(in crate::mapping) const KEYS: Keys = Keys { known: &["name", "type"], later: &[] };

const TYPES: [(&str, KeyType); 3] = [("S", KeyType::S), ("N", KeyType::N), ("B", KeyType::B)];
const SHAPES: &str = "an attribute's name or { name = \"…\", type = \"S\" }";

/// As DynamoDB allows for each of an index's two keys.
const MOST: usize = 4;

/// `"NAME"` or `{ name, type }`.
pub(super) fn read<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<KeyAttribute> {
    match value.get_ref() {
        DeValue::Table(table) => {
            let section = Section::read(walker, quoted(key), value.span(), table, &KEYS);
            named(walker, &section)
        }
        _ => {
            let text = walker.text_or(key, SHAPES, value)?;
            let name = names::key_attribute_name(walker, text)?;
            Ok(KeyAttribute { name, kind: KeyType::S })
        }
    }
}

/// As [`read`], where `false` says that there is none.
pub(super) fn read_sort_key<'a>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
) -> Read<Option<KeyAttribute>> {
    match value.get_ref() {
        DeValue::Boolean(false) => Ok(None),
        DeValue::Boolean(true) => {
            let message = format!("{} names an attribute, or is false", quoted(key));
            Err(walker.report(Diagnostic::error("wrong-type", value.span(), message)))
        }
        _ => read(walker, key, value).map(Some),
    }
}

/// A key of an index: as [`read`], or a list of these.
pub(super) fn read_of_index<'a>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
) -> Read<Vec<KeyAttribute>> {
    let DeValue::Array(items) = value.get_ref() else {
        return read(walker, key, value).map(|attribute| vec![attribute]);
    };
    if items.is_empty() || items.len() > MOST {
        let message = format!("{} lists {} attributes; an index takes 1 to {MOST}", quoted(key), items.len());
        return Err(walker.report(Diagnostic::error("too-many", value.span(), message)));
    }
    let attributes: Vec<Read<KeyAttribute>> = items.iter().map(|item| read(walker, key, item)).collect();
    attributes.into_iter().collect()
}

/// As [`read_of_index`], where `false` says that there is none.
pub(super) fn read_sort_key_of_index<'a>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
) -> Read<Vec<KeyAttribute>> {
    match value.get_ref() {
        DeValue::Array(_) => read_of_index(walker, key, value),
        _ => read_sort_key(walker, key, value).map(|attribute| attribute.into_iter().collect()),
    }
}

fn named<'a>(walker: &mut Walker<'a>, section: &Section<'a>) -> Read<KeyAttribute> {
    let name = section
        .required(walker, "name", SHAPES)
        .and_then(|value| names::key_attribute_text(walker, "name", value));
    let kind = section.optional(walker, "type", |walker, key, value| {
        let text = walker.text(key, value)?;
        walker.choice(key, &text, &TYPES)
    });
    Ok(KeyAttribute { name: name?, kind: kind?.unwrap_or(KeyType::S) })
}
