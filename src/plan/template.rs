//! Mapping templates → [`TemplatePlan`], with every mistake that needs the columns' types.

use crate::mapping::{Diagnostic, KeyType, Span, Step, Template, TemplatePart, ValueSettings};
use crate::source::{Class, MysqlType, RawType};

use super::fit::{Form, step_name};
use super::scope::{Found, Scope};
use super::settings::{ZONE_HELP, read};
use super::{PartPlan, ReadSettings, TemplatePlan};

/// What a template is for: decides what it may hold and which warnings make sense.
#[derive(Debug, Clone, Copy)]
pub(super) struct Purpose {
    pub(super) kind: KeyType,
    /// A sort key: numbers in it should sort as numbers.
    pub(super) sorts: bool,
}

impl Purpose {
    /// An attribute that is no key.
    pub(super) fn attribute(kind: KeyType) -> Self {
        Self { kind, sorts: false }
    }
}

/// One placeholder with its column found.
#[derive(Debug)]
struct Place<'a> {
    found: Found<'a>,
    steps: &'a [Step],
    span: &'a Span,
    settings: ReadSettings,
    /// After the last step; `None` when a step was wrong.
    form: Option<Form>,
}

/// Resolves a template; `own` are the settings of the attribute that it is for. `None` when a column
/// is unknown.
pub(super) fn resolve(
    scope: &mut Scope<'_>,
    template: &Template,
    own: &ValueSettings,
    purpose: Purpose,
    findings: &mut Vec<Diagnostic>,
) -> Option<TemplatePlan> {
    check_shape(template, purpose.kind, findings);
    let parts: Vec<Option<PartPlan>> =
        template.parts.iter().map(|part| resolve_part(scope, part, own, purpose, findings)).collect();
    Some(TemplatePlan { parts: parts.into_iter().collect::<Option<_>>()? })
}

fn resolve_part(
    scope: &mut Scope<'_>,
    part: &TemplatePart,
    own: &ValueSettings,
    purpose: Purpose,
    findings: &mut Vec<Diagnostic>,
) -> Option<PartPlan> {
    let (column, steps, span) = match part {
        TemplatePart::Literal(text) => return Some(PartPlan::Literal(text.clone())),
        TemplatePart::Placeholder { column, steps, span } => (column, steps, span),
    };
    let found = scope.require(column, span, findings)?;
    // The type of a template attribute is about its text, not about the placeholders.
    let own = ValueSettings { kind: None, format: None, ..own.clone() };
    let settings = read(scope, found, &own, steps, findings);
    let form = run_steps(found, &settings, steps, span, findings);
    let place = Place { found, steps, span, settings, form };
    check_form(&place, purpose.kind, findings);
    if purpose.sorts && purpose.kind == KeyType::S {
        findings.extend(sorts_as_text(&place));
    }
    let column = scope.carry(found);
    Some(PartPlan::Value { column, steps: steps.clone(), settings: place.settings })
}

/// A key of type N or B is one value, nothing else.
fn check_shape(template: &Template, kind: KeyType, findings: &mut Vec<Diagnostic>) {
    let single = matches!(template.parts.as_slice(), [TemplatePart::Placeholder { .. }]);
    if kind != KeyType::S && !single {
        let message =
            format!("a key of type {} takes exactly one placeholder and no other text", kind.as_str());
        let help = "write `{column}` alone, or declare the key attribute as type S";
        findings.push(Diagnostic::error("key-type", template.span.clone(), message).with_help(help));
    }
}

fn run_steps(
    found: Found<'_>,
    settings: &ReadSettings,
    steps: &[Step],
    span: &Span,
    findings: &mut Vec<Diagnostic>,
) -> Option<Form> {
    let mut form = Form::of(found.column, settings);
    for step in steps {
        match form.after(step, settings.zone.is_some()) {
            Ok(next) => form = next,
            Err(reason) => {
                findings.push(wrong_step(found, form, step, &reason, span));
                return None;
            }
        }
    }
    Some(form)
}

fn wrong_step(found: Found<'_>, form: Form, step: &Step, reason: &str, span: &Span) -> Diagnostic {
    let column = found.column;
    let message = format!(
        "step `{}` does not fit column `{}` ({}): {reason}",
        step_name(step),
        column.name,
        column.sql_type
    );
    let help = match (step, form) {
        (Step::Epoch | Step::EpochMillis, Form::Value(Class::Timestamp | Class::Date | Class::Dynamic)) => {
            ZONE_HELP
        }
        (Step::Lower | Step::Upper | Step::Trim | Step::Escape, Form::Value(Class::Bytes)) => {
            "turn bytes into text with `hex` first"
        }
        (Step::Hex, Form::Value(Class::Uuid)) => "a uuid has a text already: leave the step out",
        (Step::Sortable, Form::Value(Class::Text)) => {
            "numbers that are stored as text: `type = \"N\"` in `column.…`, or a cast in `let`"
        }
        (Step::Pad(_), Form::Value(Class::Text)) => {
            "padding is for integers; text that holds numbers can be cast in `let`"
        }
        _ => "leave the step out, or make a fitting column in `let`",
    };
    Diagnostic::error("wrong-step", span.clone(), message).with_help(help)
}

fn check_form(place: &Place<'_>, kind: KeyType, findings: &mut Vec<Diagnostic>) {
    let Some(form) = place.form else { return };
    let column = place.found.column;
    match kind {
        KeyType::S => {
            let Err(reason) = form.text() else { return };
            let message = format!("column `{}` ({}): {reason}", column.name, column.sql_type);
            let help = match form {
                Form::Value(Class::Bytes) => "use `hex`, or `type = \"uuid\"` in `column.…` for 16 bytes",
                _ => "use another column, or make a text of it in `let`",
            };
            findings.push(Diagnostic::error("no-text", place.span.clone(), message).with_help(help));
        }
        KeyType::N if !form.number() => findings.push(wrong_key_type(place, form, "a number")),
        KeyType::B if !form.bytes() => findings.push(wrong_key_type(place, form, "bytes")),
        KeyType::N | KeyType::B => {}
    }
}

fn wrong_key_type(place: &Place<'_>, form: Form, expected: &str) -> Diagnostic {
    let column = place.found.column;
    let message = format!(
        "this key must be {expected}, but `{}` ({}) gives {}",
        column.name,
        column.sql_type,
        form.words()
    );
    let help = match place.steps {
        [] => "use a column of that type, or declare the key attribute as type S",
        _ => "leave the steps out, or declare the key attribute as type S",
    };
    Diagnostic::error("key-type", place.span.clone(), message).with_help(help)
}

/// Numbers in a text sort key sort as text: 900 behind 2800.
fn sorts_as_text(place: &Place<'_>) -> Option<Diagnostic> {
    let column = place.found.column;
    let name = &column.name;
    let integer_affinity = || column.sql_type.to_ascii_lowercase().contains("int");
    match place.form? {
        Form::Value(Class::Dynamic) if !integer_affinity() => None,
        // Four digits, all of them.
        Form::Value(Class::Integer) if column.raw == RawType::Mysql(MysqlType::Year) => None,
        Form::Value(Class::Integer | Class::Dynamic) => {
            let message = format!("column `{name}` sorts as text here: 900 comes behind 2800");
            let help = format!(
                "pad it, for example `{{{name}:010}}`; `sortable` orders negative ones too; or make the sort key type N"
            );
            Some(Diagnostic::warning("unpadded-integer", place.span.clone(), message).with_help(help))
        }
        Form::Value(Class::Decimal) => {
            let message = format!("column `{name}` sorts as text here, not by its value");
            let help = format!("write `{{{name}:sortable}}`, or make the sort key type N");
            Some(Diagnostic::warning("unpadded-decimal", place.span.clone(), message).with_help(help))
        }
        _ => None,
    }
}
