//! `[table]`

use toml::Spanned;

use super::section::{Entry, Keys, Section, entries};
use super::walker::{Read, Value, Walker};
use super::{create, index, key_attribute, names, root, table_rules};
use crate::mapping::diagnostic::Diagnostic;
use crate::mapping::{Billing, CreateSettings, Endpoint, Index, KeyAttribute, KeyType, Table};

pub(in crate::mapping) const KEYS: Keys = Keys {
    known: &[
        "name",
        "partition_key",
        "sort_key",
        "entity_type",
        "region",
        "endpoint",
        "account",
        "ttl",
        "indexes",
        "create",
    ],
    later: &[],
};

/// What entities need to know of the table, as far as it could be read.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) partition_key: Option<KeyAttribute>,
    /// The outer `None`: not known.
    pub(super) sort_key: Option<Option<KeyAttribute>>,
    pub(super) entity_type: Option<Spanned<String>>,
    pub(super) ttl: Option<Spanned<String>>,
    pub(super) indexes: Vec<Index>,
    /// Also of indexes that could not be read; `None` when the section could not.
    pub(super) index_names: Option<Vec<String>>,
}

/// The table if all of it is right, and its outline in any case.
pub(super) fn read<'a>(walker: &mut Walker<'a>, root: &Section<'a>) -> (Read<Table>, Outline) {
    match root::required_section(walker, root, "table", &KEYS, "[table]\nname = \"shop\"") {
        Ok(section) => read_section(walker, &section),
        Err(reported) => (Err(reported), Outline::default()),
    }
}

fn read_section<'a>(walker: &mut Walker<'a>, section: &Section<'a>) -> (Read<Table>, Outline) {
    let keys = read_keys(walker, section);
    let name = read_name(walker, section);
    let entity_type = section.optional(walker, "entity_type", names::key_attribute_text);
    let region = section.optional(walker, "region", region);
    let endpoint = section.optional(walker, "endpoint", endpoint);
    let account = section.optional(walker, "account", account);
    let ttl = section.optional(walker, "ttl", names::key_attribute_text);
    let indexes = read_indexes(walker, section);
    let create = create::read(walker, section);
    let outline = outline(&keys, &entity_type, &ttl, &indexes);
    let rules = table_rules::check(walker, &outline, create.as_ref().ok(), &indexes);
    let table = (|| {
        let (partition_key, sort_key) = keys;
        let (indexes, index_billing) = finish_indexes(indexes)?;
        rules?;
        Ok(Table {
            name: name?,
            partition_key: partition_key?,
            sort_key: sort_key?,
            entity_type: entity_type?,
            region: region?,
            endpoint: endpoint?,
            account: account?,
            ttl: ttl?,
            indexes,
            create: CreateSettings { index_billing, ..create? },
            missing: walker.take_missing(),
        })
    })();
    (table, outline)
}

type TableKeys = (Read<KeyAttribute>, Read<Option<KeyAttribute>>);

fn read_keys<'a>(walker: &mut Walker<'a>, section: &Section<'a>) -> TableKeys {
    let default = |name: &str| KeyAttribute {
        name: Spanned::new(section.span.clone(), name.to_owned()),
        kind: KeyType::S,
    };
    let partition_key = section
        .optional(walker, "partition_key", key_attribute::read)
        .map(|key| key.unwrap_or_else(|| default("PK")));
    let sort_key = section
        .optional(walker, "sort_key", key_attribute::read_sort_key)
        .map(|key| key.unwrap_or_else(|| Some(default("SK"))));
    (partition_key, sort_key)
}

fn read_name<'a>(walker: &mut Walker<'a>, section: &Section<'a>) -> Read<Spanned<String>> {
    let value = section.required(walker, "name", "for example name = \"shop\"")?;
    let text = walker.text("name", value)?;
    names::table_name(walker, "the table's name", text)
}

fn region<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Spanned<String>> {
    let text = walker.text(key, value)?;
    let is_region =
        |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if text.complete && !is_region(&text.value) {
        let mistake = Diagnostic::error("invalid-name", text.span, "this is no region's name")
            .with_help("write for example \"eu-west-1\"");
        return Err(walker.report(mistake));
    }
    Ok(text.spanned())
}

fn endpoint<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Spanned<Endpoint>> {
    let text = walker.text(key, value)?;
    if text.value == "embedded" {
        return Ok(Spanned::new(text.span, Endpoint::Embedded));
    }
    let host = text.value.strip_prefix("http://").or_else(|| text.value.strip_prefix("https://"));
    if text.complete && host.is_none_or(str::is_empty) {
        let mistake =
            Diagnostic::error("invalid-url", text.span, "the endpoint is no http:// or https:// URL")
                .with_help(
                    "write for example \"http://localhost:8000\", or \"embedded\" for the bundled DynamoDB",
                );
        return Err(walker.report(mistake));
    }
    Ok(Spanned::new(text.span, Endpoint::Url(text.value)))
}

fn account<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Spanned<String>> {
    let text = walker.text_or(key, "a string of twelve digits", value)?;
    let is_account = text.value.len() == 12 && text.value.chars().all(|c| c.is_ascii_digit());
    if text.complete && !is_account {
        let mistake = Diagnostic::error("invalid-name", text.span, "an account has twelve digits")
            .with_help("write for example \"123456789012\"");
        return Err(walker.report(mistake));
    }
    Ok(text.spanned())
}

/// An index as far as it could be read.
pub(super) struct IndexRead<'a> {
    pub(super) entry: Entry<'a>,
    pub(super) index: Read<(Index, Option<Spanned<Billing>>)>,
}

fn read_indexes<'a>(walker: &mut Walker<'a>, section: &Section<'a>) -> Read<Vec<IndexRead<'a>>> {
    let Some(value) = section.value("indexes") else { return Ok(Vec::new()) };
    let table = walker.table("indexes", "tables [table.indexes.Name]", value)?;
    let indexes = entries(table);
    Ok(indexes.into_iter().map(|entry| IndexRead { index: index::read(walker, &entry), entry }).collect())
}

type FinishedIndexes = (Vec<Index>, Vec<(Spanned<String>, Billing)>);

fn finish_indexes(indexes: Read<Vec<IndexRead<'_>>>) -> Read<FinishedIndexes> {
    let mut finished = FinishedIndexes::default();
    for read in indexes? {
        let (index, billing) = read.index?;
        finished.1.extend(billing.map(|billing| (index.name.clone(), billing.into_inner())));
        finished.0.push(index);
    }
    Ok(finished)
}

fn outline(
    keys: &TableKeys,
    entity_type: &Read<Option<Spanned<String>>>,
    ttl: &Read<Option<Spanned<String>>>,
    indexes: &Read<Vec<IndexRead<'_>>>,
) -> Outline {
    let read_indexes = indexes.as_ref().map(Vec::as_slice).unwrap_or_default();
    Outline {
        partition_key: keys.0.as_ref().ok().cloned(),
        sort_key: keys.1.as_ref().ok().cloned(),
        entity_type: entity_type.as_ref().ok().cloned().flatten(),
        ttl: ttl.as_ref().ok().cloned().flatten(),
        indexes: read_indexes
            .iter()
            .filter_map(|read| read.index.as_ref().ok())
            .map(|(index, _)| index.clone())
            .collect(),
        index_names: indexes
            .is_ok()
            .then(|| read_indexes.iter().map(|read| read.entry.name.to_owned()).collect()),
    }
}
