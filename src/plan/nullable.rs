//! Columns of the table's key that can be NULL: their rows will be rejected.

use crate::mapping::{Diagnostic, Span, TemplatePart};

use super::scope::{Scope, list};

/// One warning for the whole key of an entity's items, at the first such column.
pub(super) fn remark(scope: &Scope<'_>) -> Option<Diagnostic> {
    let entity = scope.entity;
    let parts = std::iter::once(&entity.pk).chain(&entity.sk).flat_map(|template| &template.parts);
    let mut columns: Vec<&str> = Vec::new();
    let mut first: Option<&Span> = None;
    for part in parts {
        let TemplatePart::Placeholder { column, span, .. } = part else { continue };
        if !columns.contains(&column.as_str()) && may_be_null(scope, column) {
            columns.push(column);
            first = first.or(Some(span));
        }
    }
    let first = first?.clone();
    let names: Vec<String> = columns.iter().map(|column| format!("`{column}`")).collect();
    let names = list(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let columns = if columns.len() == 1 { "column" } else { "columns" };
    let message = format!("{columns} {names} can be NULL: such rows are rejected, since a key has no NULL");
    let help = "leave such rows out with `where`, or give them a value in `let`";
    Some(Diagnostic::warning("nullable-in-key", first, message).with_help(help))
}

/// The source key is proven free of NULL by a constraint or by a query.
fn may_be_null(scope: &Scope<'_>, name: &str) -> bool {
    let declared = scope.entity.key.as_deref().unwrap_or_default();
    let mut primary = scope.relation.unique_keys.iter().filter(|key| key.primary);
    let in_key = declared.iter().any(|column| column.get_ref() == name)
        || primary.any(|key| key.columns.iter().any(|column| column == name));
    !in_key && scope.find(name).is_some_and(|found| scope.may_be_null(found))
}
