//! What must hold between the keys of `[table]`.

use toml::Spanned;

use super::table::{IndexRead, Outline};
use super::walker::{Read, Walker};
use crate::mapping::diagnostic::{Diagnostic, quoted};
use crate::mapping::{Billing, CreateSettings, Index, KeyAttribute, KeyType, Projection};

const MAX_INDEXES: usize = 20;
const MAX_LOCAL_INDEXES: usize = 5;
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
    mistakes.extend(local_indexes(outline, indexes));
    mistakes.extend(create.map(|create| billing(create, indexes)).unwrap_or_default());
    match mistakes.into_iter().map(|mistake| walker.report(mistake)).last() {
        Some(reported) => Err(reported),
        None => Ok(()),
    }
}

/// Names that stand for two things at once.
fn same_attribute_twice(outline: &Outline) -> Vec<Diagnostic> {
    let sort_key =
        outline.sort_key.iter().flatten().map(|key| ("the table's sort key".to_owned(), &key.name));
    let uses = (outline.partition_key.iter().map(|key| ("the table's partition key".to_owned(), &key.name)))
        .chain(sort_key)
        .chain(outline.entity_type.iter().map(|name| ("`entity_type`".to_owned(), name)))
        .chain(outline.ttl.iter().map(|name| ("`ttl`".to_owned(), name)))
        .collect::<Vec<_>>();
    let mut mistakes: Vec<Diagnostic> = twice(&uses).into_iter().collect();
    for index in &outline.indexes {
        let name = quoted(index.name.get_ref());
        let partition =
            index.partition_key.iter().map(|key| (format!("the partition key of index {name}"), &key.name));
        let sort = index.sort_key.iter().map(|key| ("its sort key".to_owned(), &key.name));
        let keys = partition.chain(sort).collect::<Vec<_>>();
        mistakes.extend(twice(&keys));
    }
    mistakes
}

fn twice(uses: &[(String, &Spanned<String>)]) -> Vec<Diagnostic> {
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
    of_table.map(|key| ("the table".to_owned(), key)).chain(
        outline.indexes.iter().flat_map(move |index| index.keys().map(move |key| (of_index(index), key))),
    )
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
    let is_local = |read: &&IndexRead<'_>| matches!(&read.index, Ok((index, _)) if index.local);
    let global = || indexes.iter().filter(|read| !is_local(read));
    if let Some(first_beyond) = global().nth(MAX_INDEXES) {
        let message =
            format!("{} indexes are too many: a DynamoDB table has {MAX_INDEXES} at most", global().count());
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

/// A local index is another order of the table's own partitions.
fn local_indexes(outline: &Outline, indexes: &[IndexRead<'_>]) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    let local = || outline.indexes.iter().filter(|index| index.local);
    if let Some(first_beyond) = local().nth(MAX_LOCAL_INDEXES) {
        let message = format!(
            "{} local indexes are too many: a DynamoDB table has {MAX_LOCAL_INDEXES} at most",
            local().count()
        );
        mistakes.push(Diagnostic::error("too-many", first_beyond.name.span(), message));
    }
    for index in local() {
        mistakes.extend(local_keys(outline, index));
        let own = indexes.iter().filter_map(|read| read.index.as_ref().ok()).find_map(|(known, billing)| {
            billing.as_ref().filter(|_| known.name.get_ref() == index.name.get_ref())
        });
        if let Some(billing) = own {
            let message =
                format!("index {} is local: it has no capacity of its own", quoted(index.name.get_ref()));
            let mistake = Diagnostic::error("local-index", billing.span(), message)
                .with_help("take `create.billing` out: its writes count against the table's capacity");
            mistakes.push(mistake);
        }
    }
    mistakes
}

fn local_keys(outline: &Outline, index: &Index) -> Vec<Diagnostic> {
    let name = quoted(index.name.get_ref());
    let refuse =
        |span, message: String, help: String| Diagnostic::error("local-index", span, message).with_help(help);
    let mut mistakes = Vec::new();
    if let Some(table) = &outline.partition_key {
        let same =
            matches!(index.partition_key.as_slice(), [key] if key.name.get_ref() == table.name.get_ref());
        if !same {
            let span = index.partition_key.first().map_or_else(|| index.name.span(), |key| key.name.span());
            let table = table.name.get_ref();
            let message = format!("local index {name} has another partition key than the table");
            let help = format!("write partition_key = \"{table}\", or take `local` out");
            mistakes.push(refuse(span, message, help));
        }
    }
    match index.sort_key.as_slice() {
        [_] => {}
        [] => {
            let help = "write sort_key = \"…\", the attribute that it sorts by".to_owned();
            mistakes.push(refuse(index.name.span(), format!("local index {name} has no sort key"), help));
        }
        [_, second, ..] => {
            let message = format!("local index {name} has several attributes in its sort key");
            let help = "name one attribute: only global indexes have keys of several".to_owned();
            mistakes.push(refuse(second.name.span(), message, help));
        }
    }
    if matches!(outline.sort_key, Some(None)) {
        let message = format!("local index {name} needs a table with a sort key");
        let help = "take `sort_key = false` out of [table], or `local` out of the index".to_owned();
        mistakes.push(refuse(index.name.span(), message, help));
    }
    mistakes
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
