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

/// `"NAME"` or `{ name, type }`. Lists are a later work's.
pub(super) fn read<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<KeyAttribute> {
    match value.get_ref() {
        DeValue::Array(_) => {
            Err(walker.not_yet(value.span(), format!("a list of attributes for {}", quoted(key))))
        }
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
