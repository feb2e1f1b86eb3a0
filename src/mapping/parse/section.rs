//! A table of the file whose keys are known beforehand.

use toml::de::DeTable;

use super::walker::{Read, Reported, Value, Walker};
use crate::mapping::diagnostic::{Diagnostic, Span, closest, listed, quoted};

/// The keys that a table may have.
#[derive(Debug)]
pub(in crate::mapping) struct Keys {
    pub(in crate::mapping) known: &'static [&'static str],
    /// Words of the language that do not work yet.
    pub(in crate::mapping) later: &'static [&'static str],
}

/// A key with its value.
#[derive(Debug, Clone)]
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
    pub(super) value: &'a Value<'a>,
}

/// All keys of a table, in the order of the file.
pub(super) fn entries<'a>(table: &'a DeTable<'a>) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'a>> =
        table.iter().map(|(key, value)| Entry { name: key.get_ref(), span: key.span(), value }).collect();
    entries.sort_by_key(|entry| entry.span.start);
    entries
}

/// A table whose unknown keys are already reported.
pub(super) struct Section<'a> {
    /// As messages name it: `[entities.User]`.
    pub(super) name: String,
    pub(super) span: Span,
    entries: Vec<Entry<'a>>,
    /// Keys that an unknown word was probably meant to be; they are not reported as missing too.
    misspelt: Vec<(&'static str, Reported)>,
}

impl<'a> Section<'a> {
    pub(super) fn read(
        walker: &mut Walker<'a>,
        name: impl Into<String>,
        span: Span,
        table: &'a DeTable<'a>,
        keys: &Keys,
    ) -> Self {
        let mut section = Self { name: name.into(), span, entries: entries(table), misspelt: Vec::new() };
        for entry in section.entries.clone() {
            if keys.later.contains(&entry.name) {
                walker.not_yet(entry.span, quoted(entry.name));
            } else if !keys.known.contains(&entry.name) {
                section.misspelt.extend(report_unknown(walker, &section.name, &entry, keys));
            }
        }
        section
    }

    pub(super) fn get(&self, key: &str) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.name == key)
    }

    pub(super) fn value(&self, key: &str) -> Option<&'a Value<'a>> {
        self.get(key).map(|entry| entry.value)
    }

    pub(super) fn is_misspelt(&self, key: &str) -> bool {
        self.misspelt.iter().any(|(meant, _)| *meant == key)
    }

    /// A key that must be there.
    pub(super) fn required(&self, walker: &mut Walker<'a>, key: &str, help: &str) -> Read<&'a Value<'a>> {
        match self.value(key) {
            Some(value) => Ok(value),
            None => Err(walker.missing(self, key, help)),
        }
    }

    /// A key that may be absent: `None` then.
    pub(super) fn optional<T>(
        &self,
        walker: &mut Walker<'a>,
        key: &str,
        read: impl FnOnce(&mut Walker<'a>, &str, &'a Value<'a>) -> Read<T>,
    ) -> Read<Option<T>> {
        self.value(key).map(|value| read(walker, key, value)).transpose()
    }
}

impl Walker<'_> {
    /// Reports a key that must be there and is not, unless a misspelt one was reported in its place.
    pub(super) fn missing(&mut self, section: &Section<'_>, key: &str, help: &str) -> Reported {
        if let Some((_, reported)) = section.misspelt.iter().find(|(meant, _)| *meant == key) {
            return *reported;
        }
        let message = format!("{} has no {}", section.name, quoted(key));
        self.report(Diagnostic::error("missing-key", section.span.clone(), message).with_help(help))
    }
}

/// Returns the known key that the unknown one was probably meant to be.
fn report_unknown(
    walker: &mut Walker<'_>,
    section: &str,
    entry: &Entry<'_>,
    keys: &Keys,
) -> Option<(&'static str, Reported)> {
    let close = closest(entry.name, keys.known.iter().copied())
        .and_then(|close| keys.known.iter().find(|known| **known == close).copied());
    let known = format!("{section} takes {}", listed(keys.known.iter().copied()));
    let help = match close {
        Some(close) => format!("did you mean {}? {known}", quoted(close)),
        None => known,
    };
    let message = format!("unknown key {} in {section}", quoted(entry.name));
    let reported =
        walker.report(Diagnostic::error("unknown-key", entry.span.clone(), message).with_help(help));
    close.map(|close| (close, reported))
}
