//! Columns that may mean something else than what they are read as.

use crate::mapping::{Diagnostic, Format, KeyType, Step};
use crate::source::{Class, Column, MysqlType, PgType, RawType};

use super::{Looked, listed};
use crate::plan::fit::step_name;
use crate::plan::uses::{Place, Use};

pub(super) fn remarks(looked: &Looked<'_>) -> Vec<Diagnostic> {
    let remarks = [flags(looked), padding(looked), uuids(looked), local_times(looked), local_keys(looked)];
    remarks.into_iter().flatten().collect()
}

fn named(columns: &[&Column]) -> String {
    listed(columns, |column| format!("`{}`", column.name))
}

/// MySQL's and MariaDB's BOOLEAN is a tinyint(1), and some of those are numbers.
fn flags(looked: &Looked<'_>) -> Option<Diagnostic> {
    let columns = looked.columns(is_flag);
    let first = columns.first()?;
    let message =
        format!("tinyint(1) columns of `{}` are written as numbers: {}", looked.name(), named(&columns));
    let help = format!(
        "where 0 and 1 mean false and true, write `type = \"BOOL\"` in {}; a dry run counts other values",
        looked.column_table(first)
    );
    Some(Diagnostic::note("tinyint1", looked.span(&columns), message).with_help(help))
}

/// Whether an attribute holds a tinyint(1) as its number.
pub(in crate::plan) fn is_flag(used: &Use<'_>) -> bool {
    let tiny = matches!(used.column.raw, RawType::Mysql(MysqlType::TinyInt1 { .. }));
    tiny && used.settings.kind.is_none() && used.place == Place::Attribute
}

/// A char(1) has nothing to fill.
fn padding(looked: &Looked<'_>) -> Option<Diagnostic> {
    let columns = looked.columns(|used| is_padded(used.column) && used.column.sql_type != "character(1)");
    let first = columns.first()?;
    let message = format!(
        "char(n) columns of `{}` lose the blanks that fill them up, which do not count in SQL either: {}",
        looked.name(),
        named(&columns)
    );
    let help = format!(
        "to keep them, fill them up again in {}, for example `padded = \"rpad({}, 10)\"`",
        looked.computed_table(),
        first.name
    );
    Some(Diagnostic::note("char-padding", looked.span(&columns), message).with_help(help))
}

fn is_padded(column: &Column) -> bool {
    match &column.raw {
        RawType::Postgres(PgType::Array(member)) => **member == PgType::Char,
        raw => *raw == RawType::Postgres(PgType::Char),
    }
}

fn uuids(looked: &Looked<'_>) -> Option<Diagnostic> {
    let columns = looked.columns(|used| {
        is_sixteen_bytes(used.column) && used.settings.kind.is_none() && suggests_uuid(looked, used.column)
    });
    let first = columns.first()?;
    let message = format!("binary(16) columns of `{}` are read as bytes: {}", looked.name(), named(&columns));
    let help = format!(
        "where they are UUIDs, write `type = \"uuid\"` in {}, or \"uuid_swapped\" where `UUID_TO_BIN(x, 1)` made them; \
         a dry run tells which fits",
        looked.column_table(first)
    );
    Some(Diagnostic::note("uuid-bytes", looked.span(&columns), message).with_help(help))
}

/// MySQL has no other type for a UUID.
pub(in crate::plan) fn is_sixteen_bytes(column: &Column) -> bool {
    column.raw == RawType::Mysql(MysqlType::Binary) && column.sql_type.eq_ignore_ascii_case("binary(16)")
}

/// By its name, or as part of a key of the source.
fn suggests_uuid(looked: &Looked<'_>, column: &Column) -> bool {
    let name = column.name.to_lowercase();
    let by_name = name == "id" || ["_id", "uuid", "guid"].iter().any(|end| name.ends_with(end));
    let unique = looked.relation.unique_keys.iter().flat_map(|key| &key.columns);
    let foreign = looked.relation.foreign_keys.iter().flat_map(|key| &key.columns);
    by_name || name.starts_with("uuid") || unique.chain(foreign).any(|key| *key == column.name)
}

/// A `Z` of the mapping's own behind a time whose zone nobody knows.
fn local_times(looked: &Looked<'_>) -> Option<Diagnostic> {
    let columns = looked.columns(|used| {
        let formats =
            used.steps.iter().map(step_format).chain([written_format(used.settings.format.as_ref())]);
        let local = used.column.raw.class() == Class::Timestamp && used.settings.zone.is_none();
        local && formats.flatten().any(|format| format.ends_with('Z'))
    });
    let first = columns.first()?;
    let message = format!(
        "timestamps of `{}` without a zone get a `Z` by their format, as if they were UTC: {}",
        looked.name(),
        named(&columns)
    );
    let help = format!(
        "say in {} in which zone they were written, for example `zone = \"UTC\"`, or leave the `Z` out",
        looked.column_table(first)
    );
    let span = looked.key_span(&first.name).unwrap_or_else(|| looked.span(&columns));
    Some(Diagnostic::warning("local-time-with-z", span, message).with_help(help))
}

/// What no zone is known of is found by its local text alone.
fn local_keys(looked: &Looked<'_>) -> Option<Diagnostic> {
    let columns = looked.columns(|used| {
        let local = used.column.raw.class() == Class::Timestamp && used.settings.zone.is_none();
        let formats =
            used.steps.iter().map(step_format).chain([written_format(used.settings.format.as_ref())]);
        let key = used.place.key() == Some(KeyType::S);
        local && key && !formats.flatten().any(|format| format.ends_with('Z'))
    });
    let first = columns.first()?;
    let message = format!(
        "keys of `{}` hold timestamps without a zone as they are, without a `Z`: {}",
        looked.name(),
        named(&columns)
    );
    let help = format!(
        "where the zone is known, write for example `zone = \"UTC\"` in {}: the keys are UTC then, and end in `Z`",
        looked.column_table(first)
    );
    let span = looked.key_span(&first.name).unwrap_or_else(|| looked.span(&columns));
    Some(Diagnostic::note("local-time-in-key", span, message).with_help(help))
}

fn step_format(step: &Step) -> Option<String> {
    matches!(step, Step::Strftime(_)).then(|| step_name(step))
}

fn written_format(format: Option<&Format>) -> Option<String> {
    match format {
        Some(Format::Strftime(text)) => Some(text.clone()),
        _ => None,
    }
}
