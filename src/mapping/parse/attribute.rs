//! `[entities.X.attributes]`

use toml::Spanned;
use toml::de::DeValue;

use super::section::{Entry, Keys, Section, entries};
use super::table::Outline;
use super::walker::{Read, Value, Walker};
use super::{constant, key_template, names, settings, template, ttl};
use crate::mapping::diagnostic::{Diagnostic, quoted};
use crate::mapping::{Attribute, Constant, Index, KeyAttribute, KeyType, Origin, ValueSettings, ValueType};

pub(in crate::mapping) const KEYS: Keys = Keys {
    known: &["column", "template", "value", "type", "format", "zone", "overflow", "nulls"],
    later: &[],
};
const ORIGINS: [&str; 3] = ["column", "template", "value"];
const ORIGIN_HELP: &str = "write { column = \"…\" }, { template = \"…\" } or { value = … }";

pub(super) fn read_all<'a>(
    walker: &mut Walker<'a>,
    entity: &Section<'a>,
    key: &str,
    value: &'a Value<'a>,
    outline: &Outline,
) -> Read<Vec<Read<Attribute>>> {
    let table =
        walker.table(key, &format!("a table {}.attributes]", entity.name.trim_end_matches(']')), value)?;
    let read_one = |entry: &Entry<'a>| {
        let attribute = read(walker, entry)?;
        ttl::check(walker, &attribute, outline)?;
        fit_index_keys(walker, &attribute, outline)?;
        Ok(attribute)
    };
    Ok(entries(table).iter().map(read_one).collect())
}

fn read<'a>(walker: &mut Walker<'a>, entry: &Entry<'a>) -> Read<Attribute> {
    let name = names::attribute_name(walker, entry.name, entry.span.clone());
    let (origin, settings) = match entry.value.get_ref() {
        DeValue::String(_) => (plain_column(walker, entry)?, ValueSettings::default()),
        DeValue::Table(table) => {
            let title = format!("attribute {}", quoted(entry.name));
            let section = Section::read(walker, title, entry.span.clone(), table, &KEYS);
            let settings = settings::read(walker, &section);
            let origin = origin(walker, &section);
            let (origin, settings) = (origin?, settings?);
            constant::check(walker, &origin, &settings)?;
            (origin, settings)
        }
        _ => return Err(neither_shape(walker, entry)),
    };
    Ok(Attribute { name: name?, origin, settings })
}

fn neither_shape(walker: &mut Walker<'_>, entry: &Entry<'_>) -> super::walker::Reported {
    if let DeValue::Float(_) = entry.value.get_ref() {
        return constant::refuse_float(walker, entry.value);
    }
    let message = format!("expected a column or a table for {}, found {}", quoted(entry.name), entry.kind());
    let help = match entry.value.get_ref() {
        DeValue::Integer(_) | DeValue::Boolean(_) => {
            format!("write {{ value = {} }}", walker.spelled(entry.value))
        }
        _ => ORIGIN_HELP.to_owned(),
    };
    walker.report(Diagnostic::error("wrong-type", entry.value.span(), message).with_help(help))
}

/// `Name = "column"`. Braces tell of a template that was meant.
fn plain_column<'a>(walker: &mut Walker<'a>, entry: &Entry<'a>) -> Read<Origin> {
    let text = walker.text(entry.name, entry.value)?;
    if text.value.contains('{') && text.value.contains('}') {
        let message = "a plain string is a column's name, and this looks like a template";
        let help = "write { template = \"…\" }, or { column = \"…\" } if the column is really called so";
        return Err(
            walker.report(Diagnostic::error("looks-like-template", text.span, message).with_help(help))
        );
    }
    Ok(Origin::Column(text.spanned()))
}

fn origin<'a>(walker: &mut Walker<'a>, section: &Section<'a>) -> Read<Origin> {
    let mut given: Vec<&Entry<'a>> = ORIGINS.iter().filter_map(|key| section.get(key)).collect();
    given.sort_by_key(|entry| entry.span.start);
    match given.as_slice() {
        [] => {
            let meant = ORIGINS.iter().find(|key| section.is_misspelt(key));
            let meant = meant.copied().unwrap_or("column");
            if section.is_misspelt(meant) {
                return Err(walker.missing(section, meant, ORIGIN_HELP));
            }
            let message = format!("{} has no `column`, `template` or `value`", section.name);
            let mistake = Diagnostic::error("missing-key", section.span.clone(), message);
            Err(walker.report(mistake.with_help(ORIGIN_HELP)))
        }
        [only] => read_origin(walker, only),
        [first, second, ..] => {
            let names = (quoted(first.name), quoted(second.name));
            let message = format!("{} has both {} and {}", section.name, names.0, names.1);
            let mistake = Diagnostic::error("conflicting-keys", second.span.clone(), message)
                .with_help("an attribute has one origin; keep one of them");
            Err(walker.report(mistake))
        }
    }
}

fn read_origin<'a>(walker: &mut Walker<'a>, entry: &Entry<'a>) -> Read<Origin> {
    match entry.name {
        "template" => {
            let text = walker.text(entry.name, entry.value)?;
            template::read(walker, &text).map(Origin::Template)
        }
        "value" => constant::read(walker, entry.value).map(Origin::Value),
        _ => walker.text(entry.name, entry.value).map(|text| Origin::Column(text.spanned())),
    }
}

/// An attribute that is a key of an index has the key's type.
fn fit_index_keys(walker: &mut Walker<'_>, attribute: &Attribute, outline: &Outline) -> Read<()> {
    let mut keys = outline.indexes.iter().flat_map(Index::keys);
    let Some(key) = keys.find(|key| key.name.get_ref() == attribute.name.get_ref()) else {
        return Ok(());
    };
    match &attribute.origin {
        Origin::Column(_) => Ok(()),
        Origin::Template(template) => key_template::fit(walker, template, key),
        Origin::Value(value) => fit_constant(walker, value, attribute, key),
    }
}

fn fit_constant(
    walker: &mut Walker<'_>,
    value: &Spanned<Constant>,
    attribute: &Attribute,
    key: &KeyAttribute,
) -> Read<()> {
    let name = quoted(key.name.get_ref());
    if matches!(value.get_ref(), Constant::Text(text) if text.is_empty()) {
        let message = format!("{name} is a key of an index and cannot be empty");
        return Err(walker.report(Diagnostic::error("empty-value", value.span(), message)));
    }
    let settings = &attribute.settings;
    let kind = settings
        .kind
        .as_ref()
        .map_or_else(|| constant::natural_type(value.get_ref()), |kind| *kind.get_ref());
    let fits = matches!((kind, key.kind), (ValueType::S, KeyType::S) | (ValueType::N, KeyType::N));
    if fits {
        return Ok(());
    }
    let message = format!("{name} is a key of an index, of type {}; this constant is not", key.kind.as_str());
    Err(walker.report(Diagnostic::error("key-type", value.span(), message)))
}

impl Entry<'_> {
    fn kind(&self) -> &'static str {
        super::walker::kind(self.value)
    }
}
