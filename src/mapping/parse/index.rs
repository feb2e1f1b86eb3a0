//! `[table.indexes.I]`

use toml::Spanned;
use toml::de::DeValue;

use super::section::{Entry, Keys, Section};
use super::text::Text;
use super::walker::{Read, Value, Walker};
use super::{create, key_attribute, names};
use crate::mapping::diagnostic::{Diagnostic, quoted};
use crate::mapping::{Billing, Index, Projection};

pub(in crate::mapping) const KEYS: Keys =
    Keys { known: &["partition_key", "sort_key", "projection", "local", "create"], later: &[] };
pub(in crate::mapping) const CREATE_KEYS: Keys = Keys { known: &["billing"], later: &[] };

/// DynamoDB's limit of one index.
const MAX_PROJECTED: usize = 20;

/// The index and its own `create.billing`.
pub(super) fn read<'a>(
    walker: &mut Walker<'a>,
    entry: &Entry<'a>,
) -> Read<(Index, Option<Spanned<Billing>>)> {
    let title = format!("[table.indexes.{}]", entry.name);
    let name = Text::plain(entry.name, entry.span.clone());
    let name = names::table_name(walker, "an index's name", name);
    let table = walker.table(entry.name, &format!("a table {title}"), entry.value)?;
    let section = Section::read(walker, title, entry.span.clone(), table, &KEYS);
    let partition_key = section
        .required(walker, "partition_key", "for example partition_key = \"GSI1PK\"")
        .and_then(|value| key_attribute::read_of_index(walker, "partition_key", value));
    let sort_key = section.optional(walker, "sort_key", key_attribute::read_sort_key_of_index);
    let projection = section.optional(walker, "projection", projection);
    let local = section.optional(walker, "local", |walker, key, value| walker.flag(key, value));
    let billing = section.optional(walker, "create", index_billing);
    let index = Index {
        name: name?,
        partition_key: partition_key?,
        sort_key: sort_key?.unwrap_or_default(),
        projection: projection?.unwrap_or(Projection::All),
        local: local?.unwrap_or(false),
    };
    Ok((index, billing?.flatten()))
}

fn projection<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Projection> {
    let DeValue::Array(items) = value.get_ref() else {
        let text = walker.text_or(key, "\"ALL\", \"KEYS_ONLY\" or a list of attributes", value)?;
        return walker.choice(key, &text, &[("ALL", Projection::All), ("KEYS_ONLY", Projection::KeysOnly)]);
    };
    if items.is_empty() {
        let mistake = Diagnostic::error("empty-value", value.span(), "`projection` lists no attribute")
            .with_help("write projection = \"KEYS_ONLY\"");
        return Err(walker.report(mistake));
    }
    let names = walker.texts(key, value)?;
    if names.len() > MAX_PROJECTED {
        let message = format!(
            "{} attributes are too many: an index projects {MAX_PROJECTED} by name at most",
            names.len()
        );
        let mistake = Diagnostic::error("too-many", value.span(), message)
            .with_help("name fewer, or write projection = \"ALL\"");
        return Err(walker.report(mistake));
    }
    names.iter().map(|name| projected(walker, name)).collect::<Read<_>>().map(Projection::Include)
}

fn projected(walker: &mut Walker<'_>, name: &Spanned<String>) -> Read<String> {
    let text = Text::plain(name.get_ref(), name.span());
    names::key_attribute_name(walker, text).map(Spanned::into_inner)
}

fn index_billing<'a>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
) -> Read<Option<Spanned<Billing>>> {
    let table = walker.table(key, "a table", value)?;
    let section =
        Section::read(walker, format!("{} of an index", quoted(key)), value.span(), table, &CREATE_KEYS);
    section.optional(walker, "billing", |walker, key, value| {
        create::billing(walker, key, value).map(|billing| Spanned::new(value.span(), billing))
    })
}
