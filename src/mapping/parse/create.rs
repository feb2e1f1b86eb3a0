//! `[table.create]`: what a new table gets.

use toml::de::DeValue;

use super::section::{Keys, Section, entries};
use super::walker::{Read, Value, Walker};
use crate::mapping::diagnostic::{Diagnostic, quoted};
use crate::mapping::{Billing, CreateSettings, Encryption, StreamView, Throughput};

pub(in crate::mapping) const KEYS: Keys = Keys {
    known: &[
        "billing",
        "point_in_time_recovery",
        "deletion_protection",
        "encryption",
        "tags",
        "stream",
        "warm_throughput",
    ],
    later: &[],
};
pub(in crate::mapping) const THROUGHPUT_KEYS: Keys = Keys { known: &["read", "write"], later: &[] };

const STREAMS: [(&str, StreamView); 4] = [
    ("KEYS_ONLY", StreamView::KeysOnly),
    ("NEW_IMAGE", StreamView::NewImage),
    ("OLD_IMAGE", StreamView::OldImage),
    ("NEW_AND_OLD_IMAGES", StreamView::NewAndOldImages),
];
const ENCRYPTIONS: [&str; 3] = ["aws-owned", "aws-managed", "a KMS key (id, alias/… or ARN)"];
const MAX_TAGS: usize = 50;
const MAX_TAG_NAME: usize = 128;
const MAX_TAG_VALUE: usize = 256;

/// Everything but the indexes' billing, which stands with the indexes.
pub(super) fn read<'a>(walker: &mut Walker<'a>, table: &Section<'a>) -> Read<CreateSettings> {
    let Some(entry) = table.get("create") else { return Ok(CreateSettings::default()) };
    let create = walker.table("create", "a table [table.create]", entry.value)?;
    let section = Section::read(walker, "[table.create]", entry.span.clone(), create, &KEYS);
    let billing = section.optional(walker, "billing", billing);
    let recovery = section.optional(walker, "point_in_time_recovery", flag);
    let protection = section.optional(walker, "deletion_protection", flag);
    let encryption = section.optional(walker, "encryption", encryption);
    let tags = section.optional(walker, "tags", tags);
    let stream = section.optional(walker, "stream", stream);
    let warm_throughput = section.optional(walker, "warm_throughput", throughput);
    Ok(CreateSettings {
        billing: billing?.unwrap_or_default(),
        index_billing: Vec::new(),
        point_in_time_recovery: recovery?.unwrap_or_default(),
        deletion_protection: protection?.unwrap_or_default(),
        encryption: encryption?.unwrap_or_default(),
        tags: tags?.unwrap_or_default(),
        stream: stream?.flatten(),
        warm_throughput: warm_throughput?,
    })
}

pub(super) fn billing<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Billing> {
    if let DeValue::Table(_) = value.get_ref() {
        return throughput(walker, key, value).map(Billing::Provisioned);
    }
    let text = walker.text_or(key, "\"on-demand\" or { read = 5, write = 5 }", value)?;
    walker.choice(key, &text, &[("on-demand", Billing::OnDemand)])
}

fn throughput<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Throughput> {
    let table = walker.table(key, "{ read = 5, write = 5 }", value)?;
    let section = Section::read(walker, quoted(key), value.span(), table, &THROUGHPUT_KEYS);
    let units = |walker: &mut Walker<'a>, key: &str| {
        let value =
            section.required(walker, key, "write { read = 5, write = 5 }: capacity units per second")?;
        walker.integer(key, value, 1..=u64::MAX)
    };
    let read = units(walker, "read");
    let write = units(walker, "write");
    Ok(Throughput { read: read?, write: write? })
}

fn flag<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<bool> {
    walker.flag(key, value)
}

fn encryption<'a>(walker: &mut Walker<'a>, key_word: &str, value: &'a Value<'a>) -> Read<Encryption> {
    let text = walker.text(key_word, value)?;
    Ok(match text.value.as_str() {
        "aws-owned" => Encryption::AwsOwned,
        "aws-managed" => Encryption::AwsManaged,
        key if text.complete && !is_kms_key(key) => {
            return Err(walker.unknown_value(key_word, &text, ENCRYPTIONS.into_iter()));
        }
        _ => Encryption::Key(text.value),
    })
}

/// An ARN, an alias, or an id.
fn is_kms_key(text: &str) -> bool {
    let id = |text: &str| text.starts_with("mrk-") || (text.len() == 36 && text.matches('-').count() == 4);
    text.starts_with("arn:") || text.starts_with("alias/") || id(text)
}

fn stream<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Option<StreamView>> {
    if let DeValue::Boolean(false) = value.get_ref() {
        return Ok(None);
    }
    let text = walker.text_or(key, "a view such as \"NEW_AND_OLD_IMAGES\", or false", value)?;
    walker.choice(key, &text, &STREAMS).map(Some)
}

fn tags<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Vec<(String, String)>> {
    let table = walker.table(key, "a table of strings", value)?;
    let entries = entries(table);
    if entries.len() > MAX_TAGS {
        let message = format!("{} tags; AWS takes {MAX_TAGS}", entries.len());
        return Err(walker.report(Diagnostic::error("too-many", value.span(), message)));
    }
    let tags: Vec<Read<_>> = entries
        .iter()
        .map(|entry| {
            let DeValue::String(raw) = entry.value.get_ref() else {
                return Err(walker.wrong_type(entry.name, "a string", entry.value));
            };
            let text = if raw.is_empty() { String::new() } else { walker.text(entry.name, entry.value)?.value };
            let lengths = (entry.name.chars().count(), text.chars().count());
            let reserved = entry.name.to_lowercase().starts_with("aws:");
            if reserved || !(1..=MAX_TAG_NAME).contains(&lengths.0) || lengths.1 > MAX_TAG_VALUE {
                let help = "a tag's name has 1 to 128 characters and does not begin with `aws:`, its value has up to 256";
                let mistake = Diagnostic::error("invalid-name", entry.span.clone(), "AWS does not take this tag");
                return Err(walker.report(mistake.with_help(help)));
            }
            Ok((entry.name.to_owned(), text))
        })
        .collect();
    tags.into_iter().collect()
}
