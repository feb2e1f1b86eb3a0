//! Templates of key attributes: their shape follows the attribute's type.

use toml::de::DeValue;

use super::template;
use super::walker::{Read, Reported, Value, Walker};
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

/// As [`read`], for a key of an index: a template for each of its attributes, a list where there are several.
pub(super) fn read_of_index<'a>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
    attributes: Option<&[KeyAttribute]>,
) -> Read<Vec<Template>> {
    let items: Vec<&Value<'a>> = match value.get_ref() {
        DeValue::Array(items) => items.iter().collect(),
        _ => vec![value],
    };
    if let Some(attributes) = attributes
        && attributes.len() != items.len()
    {
        return Err(wrong_count(walker, key, value, attributes, items.len()));
    }
    let attribute = |at: usize| attributes.and_then(|attributes| attributes.get(at));
    let templates: Vec<Read<Template>> =
        items.into_iter().enumerate().map(|(at, item)| read(walker, key, item, attribute(at))).collect();
    templates.into_iter().collect()
}

fn wrong_count(
    walker: &mut Walker<'_>,
    key: &str,
    value: &Value<'_>,
    attributes: &[KeyAttribute],
    found: usize,
) -> Reported {
    let names: Vec<String> = attributes.iter().map(|attribute| quoted(attribute.name.get_ref())).collect();
    let names = names.join(", ");
    let templates = if found == 1 { "1 template".to_owned() } else { format!("{found} templates") };
    let message = format!("{} has {templates} for the attributes {names}", quoted(key));
    let help = match attributes {
        [_] => "write one template".to_owned(),
        _ => format!("write a list of {} templates, in that order", attributes.len()),
    };
    walker.report(Diagnostic::error("key-count", value.span(), message).with_help(help))
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
