//! `sk` of an access pattern: what is asked of the sort key.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key_template;
use super::section::{Keys, Section};
use super::table::Outline;
use super::walker::{Read, Value, Walker};
use crate::mapping::diagnostic::{Diagnostic, quoted};
use crate::mapping::{Comparison, KeyAttribute, KeyType, SortKey, Template, TemplatePart};

pub(in crate::mapping) const KEYS: Keys =
    Keys { known: &["begins_with", "lt", "lte", "gt", "gte", "between"], later: &[] };

const COMPARISONS: [(&str, Comparison); 5] = [
    ("begins_with", Comparison::BeginsWith),
    ("lt", Comparison::Less),
    ("lte", Comparison::LessOrEqual),
    ("gt", Comparison::Greater),
    ("gte", Comparison::GreaterOrEqual),
];

/// The keys of the table or index that a pattern reads, as far as they could be read.
pub(super) struct Reads<'o> {
    /// `the table`, or ``index `GSI1` ``.
    pub(super) name: String,
    pub(super) partition_key: Option<&'o [KeyAttribute]>,
    pub(super) sort_key: Option<&'o [KeyAttribute]>,
}

impl<'o> Reads<'o> {
    pub(super) fn of(index: Option<&Spanned<String>>, outline: &'o Outline) -> Self {
        let Some(name) = index else {
            return Self {
                name: "the table".to_owned(),
                partition_key: outline.partition_key.as_ref().map(std::slice::from_ref),
                sort_key: outline.sort_key.as_ref().map(|key| key.as_slice()),
            };
        };
        let index = outline.indexes.iter().find(|index| index.name.get_ref() == name.get_ref());
        Self {
            name: format!("index {}", quoted(name.get_ref())),
            partition_key: index.map(|index| index.partition_key.as_slice()),
            sort_key: index.map(|index| index.sort_key.as_slice()),
        }
    }
}

/// A template, a list of them, or one comparison.
pub(super) fn read<'a>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
    reads: Option<&Reads<'_>>,
) -> Read<SortKey<Template>> {
    let attributes = reads.and_then(|reads| reads.sort_key);
    if let (Some(reads), Some([])) = (reads, attributes) {
        let message = format!("{} has no sort key", reads.name);
        let mistake = Diagnostic::error("conflicting-keys", value.span(), message).with_help("take `sk` out");
        return Err(walker.report(mistake));
    }
    match value.get_ref() {
        DeValue::Table(table) => compared(walker, key, value, table, attributes.and_then(<[_]>::first)),
        _ => equal(walker, key, value, attributes),
    }
}

/// Attributes of the sort key from the first on.
fn equal<'a>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
    attributes: Option<&[KeyAttribute]>,
) -> Read<SortKey<Template>> {
    let found = match value.get_ref() {
        DeValue::Array(items) => items.len().max(1),
        DeValue::String(_) => 1,
        _ => {
            return Err(walker.wrong_type(
                key,
                "a template, or a table such as { begins_with = \"ORDER#\" }",
                value,
            ));
        }
    };
    let attributes = attributes.map(|all| all.get(..found).unwrap_or(all));
    key_template::read_of_index(walker, key, value, attributes).map(SortKey::Equal)
}

fn compared<'a>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
    table: &'a DeTable<'a>,
    attribute: Option<&KeyAttribute>,
) -> Read<SortKey<Template>> {
    let section = Section::read(walker, quoted(key), value.span(), table, &KEYS);
    let mut read: Vec<Read<SortKey<Template>>> = Vec::new();
    for (word, comparison) in COMPARISONS {
        let Some(value) = section.value(word) else { continue };
        let template = key_template::read(walker, word, value, made_by_template(value, attribute));
        read.push(template.and_then(|template| begins_text(walker, comparison, template, attribute)));
    }
    if let Some(value) = section.value("between") {
        read.push(between(walker, value, attribute));
    }
    match read.len() {
        1 => read.swap_remove(0),
        0 if table.is_empty() => {
            let mistake = Diagnostic::error("empty-value", value.span(), "`sk` compares nothing")
                .with_help("for example sk = { begins_with = \"ORDER#\" }");
            Err(walker.report(mistake))
        }
        // The unknown word is reported.
        0 => Err(walker.missing(&section, "begins_with", "for example sk = { begins_with = \"ORDER#\" }")),
        _ => {
            let message = "a query compares the sort key once";
            let mistake = Diagnostic::error("conflicting-keys", value.span(), message)
                .with_help("for a range write { between = [\"from\", \"to\"] }, both included");
            Err(walker.report(mistake))
        }
    }
}

fn begins_text(
    walker: &mut Walker<'_>,
    comparison: Comparison,
    template: Template,
    attribute: Option<&KeyAttribute>,
) -> Read<SortKey<Template>> {
    if let (Comparison::BeginsWith, Some(KeyAttribute { name, kind: KeyType::N })) = (comparison, attribute) {
        let message = format!("no number begins with another: {} is of type N", quoted(name.get_ref()));
        let mistake = Diagnostic::error("key-type", template.span, message)
            .with_help("ask with `lt`, `lte`, `gt`, `gte` or `between`");
        return Err(walker.report(mistake));
    }
    Ok(SortKey::Compared(comparison, template))
}

fn between<'a>(
    walker: &mut Walker<'a>,
    value: &'a Value<'a>,
    attribute: Option<&KeyAttribute>,
) -> Read<SortKey<Template>> {
    let DeValue::Array(items) = value.get_ref() else {
        return Err(walker.wrong_type("between", "a list of two templates", value));
    };
    let bounds: Vec<&'a Value<'a>> = items.iter().collect();
    let [low, high] = bounds.as_slice() else {
        return Err(walker.wrong_type("between", "a list of two templates", value));
    };
    let low = key_template::read(walker, "between", low, made_by_template(low, attribute));
    let high = key_template::read(walker, "between", high, made_by_template(high, attribute));
    let (low, high) = (low?, high?);
    if are_reversed(&low, &high, attribute) {
        let message = "`between` ends before it begins, which DynamoDB refuses";
        let mistake =
            Diagnostic::error("empty-range", value.span(), message).with_help("write the lower bound first");
        return Err(walker.report(mistake));
    }
    Ok(SortKey::Between(low, high))
}

/// Of bounds without placeholders; others differ from row to row of `params`.
fn are_reversed(low: &Template, high: &Template, attribute: Option<&KeyAttribute>) -> bool {
    let (Some(low), Some(high)) = (fixed(low), fixed(high)) else { return false };
    match attribute.map(|attribute| attribute.kind) {
        Some(KeyType::S) => low > high,
        // Rounding turns no order around: numbers that it makes equal pass.
        Some(KeyType::N) => number(&low).zip(number(&high)).is_some_and(|(low, high)| low > high),
        Some(KeyType::B) | None => false,
    }
}

fn fixed(template: &Template) -> Option<String> {
    let mut text = String::new();
    for part in &template.parts {
        match part {
            TemplatePart::Literal(literal) => text.push_str(literal),
            TemplatePart::Placeholder { .. } => return None,
        }
    }
    Some(text)
}

/// A fixed number makes no item's key, but can bound what is asked for.
fn made_by_template<'k>(value: &Value<'_>, attribute: Option<&'k KeyAttribute>) -> Option<&'k KeyAttribute> {
    let is_fixed = value.get_ref().as_str().is_some_and(|text| number(text).is_some());
    attribute.filter(|attribute| attribute.kind != KeyType::N || !is_fixed)
}

fn number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits.chars().all(|digit| digit.is_ascii_digit() || digit == '.');
    text.parse().ok().filter(|_| is_plain)
}
