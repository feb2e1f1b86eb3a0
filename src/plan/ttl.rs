//! The TTL attribute: DynamoDB reads whole seconds as N and ignores everything else.

use crate::mapping::{Constant, Diagnostic, Entity, Format, Origin, Table, closest};
use crate::source::Class;

use super::{AttributePlan, ColumnPlan, EntityPlan, ValuePlan};

/// Checks the attribute in one entity.
pub(super) fn check(
    entity: &Entity,
    table: &Table,
    attributes: &[AttributePlan],
    columns: &[ColumnPlan],
    findings: &mut Vec<Diagnostic>,
) {
    let Some(ttl) = &table.ttl else { return };
    let Some(attribute) = attributes.iter().find(|attribute| attribute.name == *ttl.get_ref()) else {
        return;
    };
    let Some(reason) = unfit(&attribute.value, columns) else { return };
    let explicit = entity.attributes.iter().find(|attribute| attribute.name.get_ref() == ttl.get_ref());
    let span = explicit.map_or(entity.name.span(), |attribute| match &attribute.origin {
        Origin::Column(column) => column.span(),
        Origin::Template(template) => template.span.clone(),
        Origin::Value(value) => value.span(),
    });
    let name = ttl.get_ref();
    let message = format!("`{name}` is the TTL attribute, which must hold whole seconds as N: {reason}");
    let help = format!("write `{name} = {{ column = \"…\", format = \"epoch\" }}` for a date or timestamp");
    findings.push(Diagnostic::error("ttl-type", span, message).with_help(help));
}

/// Warns when no entity carries the attribute.
pub(super) fn check_use(table: &Table, entities: &[EntityPlan], findings: &mut Vec<Diagnostic>) {
    let Some(ttl) = &table.ttl else { return };
    let names = || {
        let attributes = entities.iter().flat_map(|entity| &entity.layout.attributes);
        attributes.map(|attribute| attribute.name.as_str())
    };
    if names().any(|name| name == ttl.get_ref()) {
        return;
    }
    let message = format!("no entity has the TTL attribute `{}`", ttl.get_ref());
    let finding = Diagnostic::warning("ttl-unused", ttl.span(), message);
    findings.push(match closest(ttl.get_ref(), names()) {
        Some(guess) => finding.with_help(format!("did you mean `{guess}`?")),
        None => finding,
    });
}

fn unfit(value: &ValuePlan, columns: &[ColumnPlan]) -> Option<&'static str> {
    match value {
        ValuePlan::Template { .. } => Some("a template makes text"),
        ValuePlan::Constant { value: Constant::Integer(_), .. } => None,
        ValuePlan::Constant { .. } => Some("this value is no integer"),
        ValuePlan::Column { column, settings } => match settings.format {
            Some(Format::Epoch) => None,
            Some(Format::EpochMillis) => Some("these are milliseconds, the items would never expire"),
            Some(Format::Strftime(_)) => Some("this format makes text"),
            None => {
                let raw = columns.get(*column).and_then(|column| column.raw.as_ref())?;
                match (settings.kind, raw.class()) {
                    (None | Some(crate::mapping::ValueType::N), Class::Integer | Class::Dynamic) => None,
                    _ => Some("its column is no integer"),
                }
            }
        },
    }
}
