//! `type`, `format`, `zone`, `overflow`, `nulls`: how a value is read and written.

use jiff::tz::TimeZoneDatabase;
use toml::Spanned;

use super::section::Section;
use super::text::Text;
use super::walker::{Read, Value, Walker};
use crate::mapping::diagnostic::{Diagnostic, closest, listed, quoted};
use crate::mapping::strftime;
use crate::mapping::{Case, Format, Nulls, Overflow, ValueSettings, ValueType};

const TYPES: [(&str, ValueType); 10] = [
    ("S", ValueType::S),
    ("N", ValueType::N),
    ("B", ValueType::B),
    ("BOOL", ValueType::Bool),
    ("L", ValueType::List),
    ("SS", ValueType::StringSet),
    ("NS", ValueType::NumberSet),
    ("BS", ValueType::BinarySet),
    ("uuid", ValueType::Uuid),
    ("uuid_swapped", ValueType::UuidSwapped),
];
const OVERFLOWS: [(&str, Overflow); 4] = [
    ("reject", Overflow::Reject),
    ("string", Overflow::String),
    ("omit", Overflow::Omit),
    ("null", Overflow::Null),
];
const NULLS: [(&str, Nulls); 2] = [("omit", Nulls::Omit), ("null", Nulls::Null)];
const CASES: [(&str, Case); 4] = [
    ("camelCase", Case::Camel),
    ("PascalCase", Case::Pascal),
    ("snake_case", Case::Snake),
    ("kebab-case", Case::Kebab),
];

/// Reads whichever of the five settings the section has.
pub(super) fn read<'a>(walker: &mut Walker<'a>, section: &Section<'a>) -> Read<ValueSettings> {
    let kind = section.optional(walker, "type", value_type);
    let format = section.optional(walker, "format", format);
    let zone = section.optional(walker, "zone", zone);
    let overflow = section.optional(walker, "overflow", |w, key, value| choice(w, key, value, &OVERFLOWS));
    let nulls = section.optional(walker, "nulls", |w, key, value| choice(w, key, value, &NULLS));
    Ok(ValueSettings { kind: kind?, format: format?, zone: zone?, overflow: overflow?, nulls: nulls? })
}

pub(super) fn case<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Case> {
    choice(walker, key, value, &CASES)
}

fn choice<'a, T: Clone>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
    choices: &[(&str, T)],
) -> Read<T> {
    let text = walker.text(key, value)?;
    walker.choice(key, &text, choices)
}

fn value_type<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Spanned<ValueType>> {
    choice(walker, key, value, &TYPES).map(|kind| Spanned::new(value.span(), kind))
}

fn format<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Spanned<Format>> {
    let text = walker.text(key, value)?;
    let format = match text.value.as_str() {
        "epoch" => Format::Epoch,
        "epoch_ms" => Format::EpochMillis,
        _ if text.value.contains('%') => strftime_text(walker, &text)?,
        _ => return Err(unknown_format(walker, &text)),
    };
    Ok(Spanned::new(text.span, format))
}

fn unknown_format(walker: &mut Walker<'_>, text: &Text) -> super::walker::Reported {
    let close = match closest(&text.value, ["epoch", "epoch_ms"]) {
        Some(close) => format!("did you mean {}? ", quoted(close)),
        None => String::new(),
    };
    let help = format!("{close}known: `epoch`, `epoch_ms`, or a strftime text such as \"%Y-%m-%d\"");
    let message = format!("unknown format {}", text.shown());
    walker.report(Diagnostic::error("unknown-value", text.span.clone(), message).with_help(help))
}

fn strftime_text(walker: &mut Walker<'_>, text: &Text) -> Read<Format> {
    let reported = strftime::unknown_directives(&text.value).into_iter().map(|range| {
        let directive = text.value.get(range.clone()).unwrap_or_default();
        let message = format!("unknown directive {}", quoted(directive));
        let help = format!("known: {}", listed(strftime::DIRECTIVES));
        walker.report(Diagnostic::error("unknown-directive", text.place(&range), message).with_help(help))
    });
    match reported.last() {
        Some(reported) => Err(reported),
        None => Ok(Format::Strftime(text.value.clone())),
    }
}

fn zone<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Spanned<String>> {
    let text = walker.text(key, value)?;
    let zones = TimeZoneDatabase::bundled();
    let known = text.value != "Etc/Unknown" && zones.get(&text.value).is_ok();
    if known {
        return Ok(text.spanned());
    }
    let names: Vec<String> = zones.available().map(|name| name.as_str().to_owned()).collect();
    let help = match closest(&text.value, names.iter().map(String::as_str)) {
        Some(close) => format!("did you mean {}?", quoted(close)),
        None => "write a name of the IANA database, such as \"UTC\" or \"Europe/Berlin\"".to_owned(),
    };
    let message = format!("unknown time zone {}", text.shown());
    Err(walker.report(Diagnostic::error("unknown-zone", text.span, message).with_help(help)))
}
