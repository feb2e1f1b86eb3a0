//! `[[access_patterns]]`

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::pattern_placeholders;
use super::pattern_sort_key::{self, Reads};
use super::section::{Keys, Section, entries};
use super::table::Outline;
use super::text::Text;
use super::walker::{Read, Value, Walker};
use super::{index_entry, key_template};
use crate::mapping::diagnostic::{Diagnostic, did_you_mean, quoted};
use crate::mapping::{AccessPattern, KeyAttribute, Order, Template};

pub(in crate::mapping) const KEYS: Keys = Keys {
    known: &["name", "index", "params", "shards", "pk", "sk", "order", "limit", "sample", "returns"],
    later: &[],
};

const SHAPE: &str = "a list of tables [[access_patterns]]";

/// Values of `{shard}`, and rows of `params`, at most.
const MOST_SHARDS: u64 = 1_000;
const MOST_SAMPLED: u64 = 100_000;

/// DynamoDB's `Limit` has 32 bits.
const MOST_ITEMS: u64 = 2_147_483_647;

const SAMPLE: usize = 100;

pub(super) fn read_all<'a>(
    walker: &mut Walker<'a>,
    root: &Section<'a>,
    outline: &Outline,
) -> Read<Vec<AccessPattern>> {
    let Some(entry) = root.get("access_patterns") else { return Ok(Vec::new()) };
    let DeValue::Array(items) = entry.value.get_ref() else {
        return Err(walker.wrong_type("access_patterns", SHAPE, entry.value));
    };
    let entities = entity_names(root);
    let mut names: Vec<String> = Vec::new();
    let patterns: Vec<Read<AccessPattern>> = items
        .iter()
        .map(|item| {
            let pattern = read(walker, item, outline, entities.as_deref())?;
            not_twice(walker, &pattern.name, &mut names)?;
            Ok(pattern)
        })
        .collect();
    patterns.into_iter().collect()
}

/// Also of entities that could not be read; `None` when there is no telling.
fn entity_names<'a>(root: &Section<'a>) -> Option<Vec<&'a str>> {
    let DeValue::Table(table) = root.value("entities")?.get_ref() else { return None };
    Some(entries(table).iter().map(|entry| entry.name).collect())
}

fn not_twice(walker: &mut Walker<'_>, name: &Spanned<String>, names: &mut Vec<String>) -> Read<()> {
    if names.contains(name.get_ref()) {
        let message = format!("two access patterns are named {}", quoted(name.get_ref()));
        let mistake = Diagnostic::error("duplicate-name", name.span(), message)
            .with_help("reports tell them apart by their names");
        return Err(walker.report(mistake));
    }
    names.push(name.get_ref().clone());
    Ok(())
}

fn read<'a>(
    walker: &mut Walker<'a>,
    item: &'a Value<'a>,
    outline: &Outline,
    entities: Option<&[&str]>,
) -> Read<AccessPattern> {
    let DeValue::Table(table) = item.get_ref() else {
        return Err(walker.wrong_type("access_patterns", SHAPE, item));
    };
    let section = Section::read(walker, "[[access_patterns]]", item.span(), table, &KEYS);
    let name = name(walker, &section);
    let index =
        section.optional(walker, "index", |walker, key, value| known_index(walker, key, value, outline));
    let keys = index.as_ref().ok().map(|index| Reads::of(index.as_ref(), outline));
    let params = section.optional(walker, "params", string);
    let shards = section.optional(walker, "shards", shards);
    let pk = partition_templates(walker, &section, keys.as_ref().and_then(|keys| keys.partition_key));
    let sk = section.optional(walker, "sk", |walker, key, value| {
        pattern_sort_key::read(walker, key, value, keys.as_ref())
    });
    let order = section.optional(walker, "order", order);
    let limit =
        section.optional(walker, "limit", |walker, key, value| walker.integer(key, value, 1..=MOST_ITEMS));
    let sample =
        section.optional(walker, "sample", |walker, key, value| walker.integer(key, value, 1..=MOST_SAMPLED));
    let returns = returns(walker, &section, entities);
    let pattern = AccessPattern {
        name: name?,
        index: index?,
        params: params?,
        shards: shards?,
        pk: pk?,
        sk: sk?,
        order: order?.unwrap_or_default(),
        limit: limit?,
        sample: sample?.map_or(SAMPLE, |rows| usize::try_from(rows).unwrap_or(usize::MAX)),
        returns: returns?,
    };
    pattern_placeholders::check(walker, &section, &pattern)?;
    Ok(pattern)
}

fn name<'a>(walker: &mut Walker<'a>, section: &Section<'a>) -> Read<Spanned<String>> {
    let value =
        section.required(walker, "name", "say what it asks: name = \"a user and all their orders\"")?;
    let text = walker.text("name", value)?;
    if text.value.contains(char::is_control) {
        let mistake = Diagnostic::error("invalid-name", text.span, "a name is one line")
            .with_help("say in a few words what the pattern asks");
        return Err(walker.report(mistake));
    }
    Ok(text.spanned())
}

fn string<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Spanned<String>> {
    walker.text(key, value).map(Text::spanned)
}

fn known_index<'a>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
    outline: &Outline,
) -> Read<Spanned<String>> {
    let name = string(walker, key, value)?;
    index_entry::known_index(walker, name.get_ref(), &name.span(), outline)?;
    Ok(name)
}

fn shards<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Spanned<u32>> {
    let shards = walker.integer(key, value, 1..=MOST_SHARDS)?;
    Ok(Spanned::new(value.span(), u32::try_from(shards).unwrap_or(u32::MAX)))
}

fn partition_templates<'a>(
    walker: &mut Walker<'a>,
    section: &Section<'a>,
    attributes: Option<&[KeyAttribute]>,
) -> Read<Vec<Template>> {
    let value = section.required(walker, "pk", "for example pk = \"USER#{id:010}\"")?;
    key_template::read_of_index(walker, "pk", value, attributes)
}

const ORDERS: [(&str, Order); 2] = [("asc", Order::Ascending), ("desc", Order::Descending)];

fn order<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Order> {
    let text = walker.text(key, value)?;
    walker.choice(key, &text, &ORDERS)
}

const RETURNS: &str = "say what belongs to the answer: returns = { Order = \"user_id = {id}\" }";

fn returns<'a>(
    walker: &mut Walker<'a>,
    section: &Section<'a>,
    entities: Option<&[&str]>,
) -> Read<Vec<(Spanned<String>, Spanned<String>)>> {
    let value = section.required(walker, "returns", RETURNS)?;
    let table: &DeTable<'a> = walker.table("returns", "a table of entities and SQL predicates", value)?;
    if table.is_empty() {
        let mistake =
            Diagnostic::error("empty-value", value.span(), "`returns` names no entity").with_help(RETURNS);
        return Err(walker.report(mistake));
    }
    let returns: Vec<Read<_>> = entries(table)
        .into_iter()
        .map(|entry| {
            let predicate = string(walker, entry.name, entry.value);
            if let Some(known) = entities
                && !known.contains(&entry.name)
            {
                let message = format!("the mapping has no entity {}", quoted(entry.name));
                let help = did_you_mean(entry.name, known.iter().copied());
                let mistake = Diagnostic::error("unknown-entity", entry.span, message).with_help(help);
                return Err(walker.report(mistake));
            }
            Ok((Spanned::new(entry.span, entry.name.to_owned()), predicate?))
        })
        .collect();
    returns.into_iter().collect()
}
