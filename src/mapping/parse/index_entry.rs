//! `[entities.X.index.I]`

use toml::Spanned;

use super::key_template;
use super::section::{Entry, Keys, Section, entries};
use super::table::Outline;
use super::walker::{Read, Value, Walker};
use crate::mapping::diagnostic::{Diagnostic, Span, closest, listed, quoted};
use crate::mapping::{Index, IndexEntry, Template};

pub(in crate::mapping) const KEYS: Keys = Keys { known: &["when", "pk", "sk"], later: &[] };

pub(super) fn read_all<'a>(
    walker: &mut Walker<'a>,
    entity: &Section<'a>,
    key: &str,
    value: &'a Value<'a>,
    outline: &Outline,
) -> Read<Vec<Read<IndexEntry>>> {
    let table = walker.table(key, "tables such as [entities.User.index.GSI1]", value)?;
    let prefix = entity.name.trim_end_matches(']');
    Ok(entries(table).iter().map(|entry| read(walker, prefix, entry, outline)).collect())
}

fn read<'a>(walker: &mut Walker<'a>, prefix: &str, entry: &Entry<'a>, outline: &Outline) -> Read<IndexEntry> {
    let title = format!("{prefix}.index.{}]", entry.name);
    let known = known_index(walker, entry.name, &entry.span, outline);
    let table = walker.table(entry.name, &format!("a table {title}"), entry.value)?;
    let section = Section::read(walker, title, entry.span.clone(), table, &KEYS);
    let index = outline.indexes.iter().find(|index| index.name.get_ref() == entry.name);
    let when = section.optional(walker, "when", |walker, key, value| walker.text(key, value));
    let pk = section.optional(walker, "pk", |walker, key, value| {
        key_template::read_of_index(walker, key, value, index.map(|index| index.partition_key.as_slice()))
    });
    let sk = sort_template(walker, &section, index);
    if section.get("pk").is_none() && section.get("sk").is_none() {
        let help = "write pk and sk; an index over attributes that the items carry anyway needs no block";
        return Err(walker.missing(&section, "pk", help));
    }
    known?;
    Ok(IndexEntry {
        index: Spanned::new(entry.span.clone(), entry.name.to_owned()),
        when: when?.map(super::text::Text::spanned),
        pk: pk?.unwrap_or_default(),
        sk: sk?,
    })
}

fn sort_template<'a>(
    walker: &mut Walker<'a>,
    section: &Section<'a>,
    index: Option<&Index>,
) -> Read<Vec<Template>> {
    let Some(sk) = section.get("sk") else { return Ok(Vec::new()) };
    if let Some(Index { name, sort_key, .. }) = index
        && sort_key.is_empty()
    {
        let message = format!("index {} has no sort key", quoted(name.get_ref()));
        let help = format!("take `sk` out, or add sort_key = \"…\" to [table.indexes.{}]", name.get_ref());
        return Err(
            walker.report(Diagnostic::error("conflicting-keys", sk.span.clone(), message).with_help(help))
        );
    }
    key_template::read_of_index(walker, "sk", sk.value, index.map(|index| index.sort_key.as_slice()))
}

pub(super) fn known_index(walker: &mut Walker<'_>, name: &str, span: &Span, outline: &Outline) -> Read<()> {
    let Some(names) = &outline.index_names else { return Ok(()) };
    if names.iter().any(|known| known == name) {
        return Ok(());
    }
    let known = || names.iter().map(String::as_str);
    let help = match closest(name, known()) {
        Some(close) => format!("did you mean {}?", quoted(close)),
        None if known().next().is_none() => format!("define it: [table.indexes.{name}]"),
        None => format!("define it: [table.indexes.{name}]; defined are {}", listed(known())),
    };
    let message = format!("the table has no index {}", quoted(name));
    Err(walker.report(Diagnostic::error("unknown-index", span.clone(), message).with_help(help)))
}
