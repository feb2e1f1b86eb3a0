//! `columns`, and `column.name`: which columns are carried, and how they are read.

use toml::Spanned;
use toml::de::DeValue;

use super::section::{Keys, Section, entries};
use super::settings;
use super::walker::{Read, Value, Walker};
use crate::mapping::diagnostic::{Diagnostic, quoted};
use crate::mapping::{ColumnChoice, ValueSettings};

pub(in crate::mapping) const COLUMN_KEYS: Keys =
    Keys { known: &["type", "format", "zone", "overflow", "nulls"], later: &[] };
pub(in crate::mapping) const EXCEPT_KEYS: Keys = Keys { known: &["except"], later: &[] };

/// All columns, unless attributes are listed: then only those.
pub(super) fn choice<'a>(walker: &mut Walker<'a>, section: &Section<'a>) -> Read<ColumnChoice> {
    let Some(value) = section.value("columns") else {
        let has_attributes = section.get("attributes").is_some();
        return Ok(if has_attributes { ColumnChoice::List(Vec::new()) } else { ColumnChoice::All });
    };
    match value.get_ref() {
        DeValue::Array(_) => walker.texts("columns", value).map(ColumnChoice::List),
        DeValue::Table(table) => {
            let except = Section::read(walker, "`columns`", value.span(), table, &EXCEPT_KEYS);
            let names =
                except.required(walker, "except", "write columns = { except = [\"password_hash\"] }")?;
            walker.texts("except", names).map(ColumnChoice::Except)
        }
        _ => {
            let text = walker.text_or("columns", "\"*\", a list of columns or { except = [..] }", value)?;
            if text.value == "*" {
                return Ok(ColumnChoice::All);
            }
            let message = format!("unknown value {} for `columns`", text.shown());
            let help =
                format!("write [{:?}] for this column, \"*\" for all, or {{ except = [..] }}", text.value);
            Err(walker.report(Diagnostic::error("unknown-value", text.span, message).with_help(help)))
        }
    }
}

pub(super) type ColumnSettings = Vec<(Spanned<String>, ValueSettings)>;

pub(super) fn settings<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<ColumnSettings> {
    let table = walker.table(key, "tables such as column.gift = { type = \"BOOL\" }", value)?;
    let settings: Vec<Read<_>> = entries(table)
        .iter()
        .map(|entry| {
            let table = walker.table(entry.name, "a table such as { type = \"BOOL\" }", entry.value)?;
            let title = format!("column {}", quoted(entry.name));
            let section = Section::read(walker, title, entry.span.clone(), table, &COLUMN_KEYS);
            let settings = settings::read(walker, &section)?;
            Ok((Spanned::new(entry.span.clone(), entry.name.to_owned()), settings))
        })
        .collect();
    settings.into_iter().collect()
}
