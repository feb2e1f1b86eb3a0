//! What must hold between the keys of `[table]`.

use toml::Spanned;

use super::table::{IndexRead, Outline};
use super::walker::{Read, Walker};
use crate::mapping::diagnostic::{Diagnostic, quoted};
use crate::mapping::{Billing, CreateSettings, Index, KeyAttribute, KeyType, Projection};

const MAX_INDEXES: usize = 20;
const MAX_PROJECTED: usize = 100;

pub(super) fn check(
    walker: &mut Walker<'_>,
    outline: &Outline,
    create: Option<&CreateSettings>,
    indexes: &Read<Vec<IndexRead<'_>>>,
) -> Read<()> {
    let indexes = indexes.as_ref().map(Vec::as_slice).unwrap_or_default();
    let mut mistakes = same_attribute_twice(outline);
    mistakes.extend(key_types(outline));
    mistakes.extend(limits(outline, indexes));
    mistakes.extend(create.map(|create| billing(create, indexes)).unwrap_or_default());
    match mistakes.into_iter().map(|mistake| walker.report(mistake)).last() {
        Some(reported) => Err(reported),
        None => Ok(()),
    }
}

/// Names that stand for two things at once.
fn same_attribute_twice(outline: &Outline) -> Vec<Diagnostic> {
    let sort_key = outline.sort_key.iter().flatten().map(|key| ("the table's sort key", &key.name));
    let uses = (outline.partition_key.iter().map(|key| ("the table's partition key", &key.name)))
        .chain(sort_key)
        .chain(outline.entity_type.iter().map(|name| ("`entity_type`", name)))
        .chain(outline.ttl.iter().map(|name| ("`ttl`", name)))
        .collect::<Vec<_>>();
    let mut mistakes: Vec<Diagnostic> = twice(&uses).into_iter().collect();
    for index in &outline.indexes {
        let keys = std::iter::once(("its partition key", &index.partition_key.name))
            .chain(index.sort_key.iter().map(|key| ("its sort key", &key.name)))
            .collect::<Vec<_>>();
        mistakes.extend(twice(&keys));
    }
    mistakes
}

fn twice(uses: &[(&str, &Spanned<String>)]) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    for (position, (what, name)) in uses.iter().enumerate() {
        let earlier = uses.iter().take(position).find(|(_, earlier)| earlier.get_ref() == name.get_ref());
        if let Some((earlier, _)) = earlier {
            let message = format!("attribute {} cannot be both {earlier} and {what}", quoted(name.get_ref()));
            let mistake = Diagnostic::error("duplicate-attribute", name.span(), message)
                .with_help("name another attribute for one of them");
            mistakes.push(mistake);
        }
    }
    mistakes
}

/// An attribute has one type, however many indexes it is a key of.
fn key_types(outline: &Outline) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    let mut seen: Vec<(&str, KeyType, String)> = Vec::new();
    seen.extend(
        outline
            .entity_type
            .iter()
            .map(|name| (name.get_ref().as_str(), KeyType::S, "`entity_type` is text".to_owned())),
    );
    seen.extend(
        outline
            .ttl
            .iter()
            .map(|name| (name.get_ref().as_str(), KeyType::N, "`ttl` is a number of seconds".to_owned())),
    );
    for (owner, key) in all_keys(outline) {
        match seen.iter().find(|(name, _, _)| *name == key.name.get_ref()) {
            Some((_, kind, why)) if *kind != key.kind => mistakes.push(two_types(key, *kind, why)),
            Some(_) => {}
            None => seen.push((key.name.get_ref(), key.kind, format!("it is a key of {owner}"))),
        }
    }
    mistakes
}

fn all_keys(outline: &Outline) -> impl Iterator<Item = (String, &KeyAttribute)> {
    let of_table = outline.partition_key.iter().chain(outline.sort_key.iter().flatten());
    let of_index = |index: &Index| format!("index {}", quoted(index.name.get_ref()));
    of_table.map(|key| ("the table".to_owned(), key)).chain(outline.indexes.iter().flat_map(move |index| {
        std::iter::once(&index.partition_key).chain(&index.sort_key).map(move |key| (of_index(index), key))
    }))
}

fn two_types(key: &KeyAttribute, expected: KeyType, why: &str) -> Diagnostic {
    let name = quoted(key.name.get_ref());
    let (found, expected) = (key.kind.as_str(), expected.as_str());
    let message =
        format!("attribute {name} is of type {found} here, but of type {expected} elsewhere: {why}");
    let help = format!("write {{ name = \"{}\", type = \"{expected}\" }}", key.name.get_ref());
    Diagnostic::error("key-type", key.name.span(), message).with_help(help)
}

fn limits(outline: &Outline, indexes: &[IndexRead<'_>]) -> Option<Diagnostic> {
    if let Some(first_beyond) = indexes.get(MAX_INDEXES) {
        let message = format!("{} indexes; DynamoDB takes {MAX_INDEXES} of a table", indexes.len());
        return Some(Diagnostic::error("too-many", first_beyond.entry.span.clone(), message));
    }
    let mut total: usize = 0;
    for index in &outline.indexes {
        if let Projection::Include(names) = &index.projection {
            total = total.saturating_add(names.len());
        }
        if total > MAX_PROJECTED {
            let message = format!("the indexes project more than {MAX_PROJECTED} attributes together");
            let mistake = Diagnostic::error("too-many", index.name.span(), message)
                .with_help("write projection = \"ALL\" for some of them");
            return Some(mistake);
        }
    }
    None
}

/// DynamoDB bills a table and its indexes in one mode.
fn billing(create: &CreateSettings, indexes: &[IndexRead<'_>]) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    for read in indexes {
        let Ok((index, billing)) = &read.index else { continue };
        let name = quoted(index.name.get_ref());
        let (span, message) = match (create.billing, billing.as_ref().map(Spanned::get_ref)) {
            (Billing::OnDemand, Some(Billing::Provisioned(_))) => {
                (billing, format!("index {name} has provisioned capacity, but the table is on demand"))
            }
            (Billing::Provisioned(_), Some(Billing::OnDemand)) => {
                (billing, format!("index {name} is on demand, but the table has provisioned capacity"))
            }
            _ => continue,
        };
        let span = span.as_ref().map_or_else(|| index.name.span(), Spanned::span);
        let help = "a table and its indexes are billed in one mode; see `billing` of [table.create]";
        mistakes.push(Diagnostic::error("billing", span, message).with_help(help));
    }
    mistakes
}
