//! Templates of key attributes: their shape follows the attribute's type.

use toml::de::DeValue;

use super::template;
use super::walker::{Read, Value, Walker};
use crate::mapping::diagnostic::{Diagnostic, quoted};
use crate::mapping::{KeyAttribute, KeyType, Template, TemplatePart};

/// Reads the template of `attribute`, which is unknown when the table could not be read.
pub(super) fn read<'a>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
    attribute: Option<&KeyAttribute>,
) -> Read<Template> {
    let text = walker.text_or(key, "a template such as \"USER#{id:010}\"", value)?;
    let template = template::read(walker, &text)?;
    match attribute {
        Some(attribute) => fit(walker, &template, attribute).map(|()| template),
        None => Ok(template),
    }
}

/// As [`read`], for the keys of indexes, where a list is a later work's.
pub(super) fn read_of_index<'a>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
    attribute: Option<&KeyAttribute>,
) -> Read<Template> {
    match value.get_ref() {
        DeValue::Array(_) => {
            Err(walker.not_yet(value.span(), format!("a list of templates for {}", quoted(key))))
        }
        _ => read(walker, key, value, attribute),
    }
}

/// Numbers and bytes are not put together from parts.
pub(super) fn fit(walker: &mut Walker<'_>, template: &Template, attribute: &KeyAttribute) -> Read<()> {
    let is_one_placeholder = matches!(template.parts.as_slice(), [TemplatePart::Placeholder { .. }]);
    if attribute.kind == KeyType::S || is_one_placeholder {
        return Ok(());
    }
    let name = quoted(attribute.name.get_ref());
    let message = format!(
        "key attribute {name} is of type {}: its template is one placeholder and nothing else",
        attribute.kind.as_str()
    );
    let help = "write for example \"{id}\", or make the attribute's type \"S\"";
    Err(walker.report(Diagnostic::error("key-type", template.span.clone(), message).with_help(help)))
}
