//! `type`, `format`, `zone`, `overflow`, `nulls`: an attribute's own say more than its column's, those
//! more than `[defaults]`; what is left is rejected and omitted.

use jiff::tz::TimeZone;
use toml::Spanned;

use crate::mapping::{Diagnostic, Format, Nulls, Overflow, Step, ValueSettings, ValueType};
use crate::source::{Class, Column};

use super::ReadSettings;
use super::fit::{Form, is_text_of_bits, type_fits, words, zoned_class};
use super::scope::{Found, Scope};

/// The settings of one use of a column, in a placeholder with its steps. Mistakes of `own` are reported here, those of `column.name`
/// by [`check_columns`].
pub(super) fn read(
    scope: &Scope<'_>,
    found: Found<'_>,
    own: &ValueSettings,
    steps: &[Step],
    findings: &mut Vec<Diagnostic>,
) -> ReadSettings {
    let explicit = layered(own, scope.column_settings(&found.column.name));
    if says_something(own) {
        check(found.column, &explicit, &scope.entity.defaults, findings);
    }
    apply(found.column, &explicit, &scope.entity.defaults, steps)
}

/// Checks every `column.name` table, used or not.
pub(super) fn check_columns(scope: &Scope<'_>, findings: &mut Vec<Diagnostic>) {
    for (name, settings) in &scope.entity.column_settings {
        if let Some(found) = scope.require(name.get_ref(), &name.span(), findings) {
            check(found.column, settings, &scope.entity.defaults, findings);
        }
    }
}

/// Whether a renaming is not plain.
pub(super) fn says_something(settings: &ValueSettings) -> bool {
    settings.kind.is_some()
        || settings.format.is_some()
        || settings.zone.is_some()
        || settings.overflow.is_some()
        || settings.nulls.is_some()
}

fn layered(own: &ValueSettings, column: Option<&ValueSettings>) -> ValueSettings {
    let Some(column) = column else { return own.clone() };
    ValueSettings {
        kind: own.kind.clone().or_else(|| column.kind.clone()),
        format: own.format.clone().or_else(|| column.format.clone()),
        zone: own.zone.clone().or_else(|| column.zone.clone()),
        overflow: own.overflow.or(column.overflow),
        nulls: own.nulls.or(column.nulls),
    }
}

/// A zone is kept only where it matters, so that another default zone changes no other entity's
/// fingerprint.
fn apply(
    column: &Column,
    explicit: &ValueSettings,
    defaults: &ValueSettings,
    steps: &[Step],
) -> ReadSettings {
    let zone = explicit.zone.as_ref().or(defaults.zone.as_ref());
    let is_epoch =
        matches!(steps.first(), Some(Step::Epoch | Step::EpochMillis)) || explicit.format.is_some();
    let zone = zone.filter(|_| match zoned_class(&column.raw) {
        // A date alone is the same everywhere; its midnight is not.
        Class::Date => is_epoch,
        class => takes_zone(class),
    });
    ReadSettings {
        kind: explicit.kind.as_ref().map(|kind| *kind.get_ref()),
        format: explicit.format.as_ref().map(|format| format.get_ref().clone()),
        zone: zone.and_then(|zone| TimeZone::get(zone.get_ref()).ok()),
        overflow: explicit.overflow.or(defaults.overflow).unwrap_or(Overflow::Reject),
        nulls: explicit.nulls.or(defaults.nulls).unwrap_or(Nulls::Omit),
    }
}

fn takes_zone(class: Class) -> bool {
    matches!(class, Class::Date | Class::Timestamp)
}

fn check(
    column: &Column,
    settings: &ValueSettings,
    defaults: &ValueSettings,
    findings: &mut Vec<Diagnostic>,
) {
    // With a format, the format decides; whether both agree is `check_both`.
    if let (Some(kind), None) = (&settings.kind, &settings.format) {
        findings.extend(check_type(column, kind));
    }
    if let Some(format) = &settings.format {
        let zoned = settings.zone.is_some() || defaults.zone.is_some();
        findings.extend(check_format(column, format, zoned));
    }
    if let (Some(kind), Some(format)) = (&settings.kind, &settings.format) {
        findings.extend(check_both(*kind.get_ref(), format));
    }
    if let Some(zone) = &settings.zone {
        findings.extend(check_zone(column, zone));
    }
}

fn check_type(column: &Column, kind: &Spanned<ValueType>) -> Option<Diagnostic> {
    let timely =
        matches!(column.raw.class(), Class::Date | Class::Time | Class::Timestamp | Class::TimestampTz);
    if type_fits(*kind.get_ref(), column) {
        return None;
    }
    let message = format!(
        "type {} does not fit column `{}`, which is {} ({})",
        type_name(*kind.get_ref()),
        column.name,
        words(column.raw.class()),
        column.sql_type
    );
    let finding = Diagnostic::error("type-mismatch", kind.span(), message);
    match kind.get_ref() {
        ValueType::N if timely => {
            Some(finding.with_help("a timestamp becomes a number by `format = \"epoch\"`"))
        }
        ValueType::N if is_text_of_bits(column) => Some(finding.with_help(
            "it would be read as a decimal number of its digits: leave `type` out to keep the text, or make a number \
             of it in `let`, by way of bit(n)",
        )),
        ValueType::Uuid | ValueType::UuidSwapped => {
            Some(finding.with_help("it reads 16 bytes as a uuid; leave it out for other columns"))
        }
        _ => Some(finding.with_help("leave `type` out to store it as its own type")),
    }
}

fn check_format(column: &Column, format: &Spanned<Format>, zoned: bool) -> Option<Diagnostic> {
    let form = Form::Value(column.raw.class());
    let step = match format.get_ref() {
        Format::Epoch => Step::Epoch,
        Format::EpochMillis => Step::EpochMillis,
        Format::Strftime(text) => Step::Strftime(text.clone()),
    };
    let reason = form.after(&step, zoned).err()?;
    let message =
        format!("this format does not fit column `{}` ({}): {reason}", column.name, column.sql_type);
    let finding = Diagnostic::error("format-mismatch", format.span(), message);
    Some(match form {
        Form::Value(class) if takes_zone(class) && !zoned => finding.with_help(ZONE_HELP),
        _ => finding.with_help("a format is for dates, times and timestamps"),
    })
}

pub(super) const ZONE_HELP: &str =
    "set `zone`, for example `zone = \"UTC\"`: for the column, the attribute or in [defaults]";

/// `type` beside `format`: epochs are N, strftime text is S.
fn check_both(kind: ValueType, format: &Spanned<Format>) -> Option<Diagnostic> {
    let (expected, what) = match format.get_ref() {
        Format::Epoch | Format::EpochMillis => (ValueType::N, "an epoch is a number"),
        Format::Strftime(_) => (ValueType::S, "a strftime format makes text"),
    };
    let message = format!("{what}, but the type is {}", type_name(kind));
    let finding = Diagnostic::error("format-mismatch", format.span(), message);
    (kind != expected).then(|| finding.with_help("leave `type` out"))
}

fn check_zone(column: &Column, zone: &Spanned<String>) -> Option<Diagnostic> {
    let class = zoned_class(&column.raw);
    let message = match class {
        _ if TimeZone::get(zone.get_ref()).is_err() => {
            let message = format!("`{}` is not in the time zone database", zone.get_ref());
            return Some(Diagnostic::error("unknown-zone", zone.span(), message));
        }
        class if takes_zone(class) => return None,
        Class::TimestampTz => format!("column `{}` holds instants: they have no other zone", column.name),
        _ => format!("column `{}` is {}: it has no zone", column.name, words(class)),
    };
    let help = "`zone` says in which zone a timestamp without zone was written; leave it out here";
    Some(Diagnostic::error("zone-mismatch", zone.span(), message).with_help(help))
}

pub(super) fn type_name(kind: ValueType) -> &'static str {
    match kind {
        ValueType::S => "S",
        ValueType::N => "N",
        ValueType::B => "B",
        ValueType::Bool => "BOOL",
        ValueType::List => "L",
        ValueType::StringSet => "SS",
        ValueType::NumberSet => "NS",
        ValueType::BinarySet => "BS",
        ValueType::Uuid => "uuid",
        ValueType::UuidSwapped => "uuid_swapped",
    }
}
