//! The attributes of an item beside its keys: columns, renames, templates, constants.
//!
//! `columns = "*"` means all columns of the relation and all of `let`; a `let` column can also be named
//! in a list or left out by `except`. `attributes` add to them: a plain rename (a column without any
//! setting of its own) takes the column's own attribute away, and an attribute with the name that a
//! column's attribute would have replaces it. `rename_all` touches the names of columns only.

use toml::Spanned;

use crate::mapping::{
    Attribute, ColumnChoice, Constant, Diagnostic, Entity, KeyType, Mapping, Origin, Span, Table, Template,
    ValueSettings, ValueType,
};

use super::fit::{Stored, stored};
use super::names::Names;
use super::scope::{Found, Scope, list};
use super::settings::{read, says_something, type_name};
use super::template::{Purpose, resolve as resolve_template};
use super::{ReadSettings, ValuePlan, rename};

/// An attribute before it is known in which indexes it counts.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) value: ValuePlan,
    pub(super) stored: Stored,
    pub(super) span: Span,
}

/// entity_type, then columns in the database's order, then `attributes` in the file's.
pub(super) fn resolve(
    scope: &mut Scope<'_>,
    table: &Table,
    names: &mut Names,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Draft> {
    let mut drafts = Vec::new();
    if let Some(name) = &table.entity_type {
        let span = scope.entity.name.span();
        names.take(name.get_ref(), "the table's entity_type".to_owned(), &span, findings);
        let value =
            ValuePlan::Constant { value: Constant::Text(scope.entity.type_value().to_owned()), kind: None };
        drafts.push(Draft { name: name.get_ref().clone(), value, stored: Stored::S, span });
    }
    let entity = scope.entity;
    for (found, span) in chosen(scope, findings) {
        if let Some(name) = column_name(scope, found) {
            if name.is_empty() {
                findings.push(nameless(scope, span));
                scope.carry(found);
                continue;
            }
            let origin = format!("column `{}`", found.column.name);
            names.take(&name, origin, &span, findings);
            drafts.push(column(scope, found, name, &ValueSettings::default(), span, findings));
        }
    }
    for attribute in &entity.attributes {
        let span = attribute.name.span();
        names.take(attribute.name.get_ref(), "an entry of `attributes`".to_owned(), &span, findings);
        drafts.extend(explicit(scope, attribute, span, findings));
    }
    drafts
}

/// Warns of `type` where no attribute takes it, once for all entities; also told without a database.
pub(super) fn check_types(mapping: &Mapping, findings: &mut Vec<Diagnostic>) {
    let types =
        mapping.entities.iter().filter_map(|entity| Some((entity, entity.type_value.as_ref()?.span())));
    let types: Vec<(&Entity, Span)> = types.collect();
    let Some((_, span)) = types.first().filter(|_| mapping.table.entity_type.is_none()) else { return };
    let names: Vec<&str> = types.iter().map(|(entity, _)| entity.name.get_ref().as_str()).collect();
    let message =
        format!("`type` does nothing: [table] names no attribute that holds it (entities: {})", list(&names));
    let help = "write `entity_type = \"entity_type\"` into [table], or leave `type` out";
    findings.push(Diagnostic::warning("type-without-attribute", span.clone(), message).with_help(help));
}

/// The columns that `columns` asks for, with the place to point at.
fn chosen<'a>(scope: &Scope<'a>, findings: &mut Vec<Diagnostic>) -> Vec<(Found<'a>, Span)> {
    let entity = scope.entity;
    match &entity.columns {
        ColumnChoice::All => scope.all().map(|found| (found, entity.name.span())).collect(),
        ColumnChoice::List(names) => required(scope, names, findings),
        ColumnChoice::Except(names) => {
            let span = names.first().map_or(entity.name.span(), Spanned::span);
            required(scope, names, findings);
            let excepted = |found: &Found<'_>| names.iter().any(|name| *name.get_ref() == found.column.name);
            scope.all().filter(|found| !excepted(found)).map(|found| (found, span.clone())).collect()
        }
    }
}

fn required<'a>(
    scope: &Scope<'a>,
    names: &[Spanned<String>],
    findings: &mut Vec<Diagnostic>,
) -> Vec<(Found<'a>, Span)> {
    let mut found = Vec::new();
    for name in names {
        let column = scope.require(name.get_ref(), &name.span(), findings);
        found.extend(column.map(|column| (column, name.span())));
    }
    found
}

/// The attribute name of a chosen column; `None` when `attributes` replaces it.
fn column_name(scope: &Scope<'_>, found: Found<'_>) -> Option<String> {
    let column = &found.column.name;
    let name = scope.entity.rename_all.map_or_else(|| column.clone(), |case| rename(column, case));
    let replaces = |attribute: &Attribute| {
        let renames = match &attribute.origin {
            Origin::Column(origin) => origin.get_ref() == column && !says_something(&attribute.settings),
            Origin::Template(_) | Origin::Value(_) => false,
        };
        renames || *attribute.name.get_ref() == name
    };
    (!scope.entity.attributes.iter().any(replaces)).then_some(name)
}

/// SQLite takes a column without a name, DynamoDB no such attribute.
fn nameless(scope: &Scope<'_>, span: Span) -> Diagnostic {
    let message = format!("a column of `{}` has no name, and an attribute cannot be without", scope.name());
    let help = "give it one in a `query`, or list the other columns in `columns`";
    Diagnostic::error("nameless-attribute", span, message).with_help(help)
}

fn column(
    scope: &mut Scope<'_>,
    found: Found<'_>,
    name: String,
    own: &ValueSettings,
    span: Span,
    findings: &mut Vec<Diagnostic>,
) -> Draft {
    let settings = read(scope, found, own, &[], findings);
    let stored = stored(found.column, &settings);
    let value = ValuePlan::Column { column: scope.carry(found), settings };
    Draft { name, value, stored, span }
}

fn explicit(
    scope: &mut Scope<'_>,
    attribute: &Attribute,
    span: Span,
    findings: &mut Vec<Diagnostic>,
) -> Option<Draft> {
    let name = attribute.name.get_ref().clone();
    let own = &attribute.settings;
    match &attribute.origin {
        Origin::Column(origin) => {
            let found = scope.require(origin.get_ref(), &origin.span(), findings)?;
            Some(column(scope, found, name, own, span, findings))
        }
        Origin::Template(template) => {
            let (value, stored) = from_template(scope, template, own, findings)?;
            Some(Draft { name, value, stored, span })
        }
        Origin::Value(value) => Some(constant(name, value, own, span, findings)),
    }
}

fn from_template(
    scope: &mut Scope<'_>,
    template: &Template,
    own: &ValueSettings,
    findings: &mut Vec<Diagnostic>,
) -> Option<(ValuePlan, Stored)> {
    let kind = template_type(own, findings);
    if let Some(format) = &own.format {
        let help = "use a step in the template, such as `{column:%Y-%m-%d}`";
        let message = "a template takes no `format`";
        findings.push(Diagnostic::error("format-mismatch", format.span(), message).with_help(help));
    }
    let template = resolve_template(scope, template, own, Purpose::attribute(kind), findings)?;
    let defaults = &scope.entity.defaults;
    let settings = ReadSettings {
        kind: own.kind.as_ref().map(|kind| *kind.get_ref()),
        format: None,
        zone: None,
        overflow: own.overflow.or(defaults.overflow).unwrap_or(crate::mapping::Overflow::Reject),
        nulls: own.nulls.or(defaults.nulls).unwrap_or(crate::mapping::Nulls::Omit),
    };
    let stored = match kind {
        KeyType::S => Stored::S,
        KeyType::N => Stored::N,
        KeyType::B => Stored::B,
    };
    Some((ValuePlan::Template { template, settings }, stored))
}

fn template_type(own: &ValueSettings, findings: &mut Vec<Diagnostic>) -> KeyType {
    let Some(kind) = &own.kind else { return KeyType::S };
    match kind.get_ref() {
        ValueType::S => KeyType::S,
        ValueType::N => KeyType::N,
        ValueType::B => KeyType::B,
        other => {
            let message = format!("a template cannot make type {}", type_name(*other));
            let help = "a template makes text; use `column` for other types";
            findings.push(Diagnostic::error("type-mismatch", kind.span(), message).with_help(help));
            KeyType::S
        }
    }
}

fn constant(
    name: String,
    value: &Spanned<Constant>,
    own: &ValueSettings,
    span: Span,
    findings: &mut Vec<Diagnostic>,
) -> Draft {
    let kind = own.kind.as_ref().map(|kind| *kind.get_ref());
    let stored = match (value.get_ref(), kind) {
        (Constant::Text(_) | Constant::Integer(_), Some(ValueType::S)) | (Constant::Text(_), None) => {
            Some(Stored::S)
        }
        (Constant::Text(text), Some(ValueType::N)) => is_number(text).then_some(Stored::N),
        (Constant::Integer(_), None | Some(ValueType::N)) => Some(Stored::N),
        (Constant::Boolean(_), None | Some(ValueType::Bool)) => Some(Stored::Other("BOOL")),
        _ => None,
    };
    if stored.is_none() {
        let message = format!("this value cannot be type {}", kind.map_or("S", type_name));
        let help =
            "a constant is text (S, or N when it is a number), an integer (N or S) or a boolean (BOOL)";
        findings.push(Diagnostic::error("value-type", value.span(), message).with_help(help));
    }
    let value = ValuePlan::Constant { value: value.get_ref().clone(), kind };
    Draft { name, value, stored: stored.unwrap_or(Stored::Unknown), span }
}

/// A plain decimal with at most 38 significant digits.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let joined = format!("{whole}{fraction}");
    all_digits(whole) && all_digits(fraction) && joined.trim_matches('0').len() <= 38
}
