//! The source key: the columns that order an entity's rows, unique and not NULL.

use toml::Spanned;

use crate::mapping::{Diagnostic, Rows};
use crate::source::{Column, RelationKind, UniqueKey};

use super::scope::{Found, Scope};

#[derive(Debug)]
pub(super) struct SourceKey {
    pub(super) columns: Vec<Column>,
    /// Positions among the outputs.
    pub(super) places: Vec<usize>,
    /// No constraint says so: one query must.
    pub(super) claim: bool,
    /// Every set of columns known to be unique and not NULL, the claim included.
    pub(super) unique: Vec<UniqueSet>,
}

/// Columns that are unique and not NULL together, and why, in words.
#[derive(Debug, Clone)]
pub(super) struct UniqueSet {
    pub(super) columns: Vec<String>,
    pub(super) words: String,
}

/// The key of an entity, or `None` with a mistake.
pub(super) fn choose(scope: &mut Scope<'_>, findings: &mut Vec<Diagnostic>) -> Option<SourceKey> {
    let mut unique = backed(scope);
    let columns = match scope.entity.key.as_deref() {
        Some(declared) => declared_key(scope, declared, findings)?,
        None => constraint_key(scope, &unique, findings)?,
    };
    let names: Vec<String> = columns.iter().map(|found| found.column.name.clone()).collect();
    let claim = !unique.iter().any(|set| set.columns.iter().all(|column| names.contains(column)));
    if claim {
        let which = if scope.entity.key.is_some() { "declared" } else { "primary" };
        let words =
            format!("the {which} key ({}), proven by one query before the first write", names.join(", "));
        unique.push(UniqueSet { columns: names, words });
        warn_nullable(scope, findings);
    }
    Some(SourceKey {
        columns: columns.iter().map(|found| found.column.clone()).collect(),
        places: columns.into_iter().map(|found| scope.place(found)).collect(),
        claim,
        unique,
    })
}

/// Keys that a constraint backs. A key over a nullable column is none, and neither is one of a table
/// that others inherit from: PostgreSQL checks each table alone.
fn backed(scope: &Scope<'_>) -> Vec<UniqueSet> {
    if scope.relation.kind == RelationKind::Inherited {
        return Vec::new();
    }
    let certain = |key: &&UniqueKey| {
        let nullable = |name: &String| scope.find(name).is_none_or(|found| found.column.nullable);
        key.not_null && !key.columns.is_empty() && !key.columns.iter().any(nullable)
    };
    scope.relation.unique_keys.iter().filter(certain).map(words).collect()
}

fn words(key: &UniqueKey) -> UniqueSet {
    let columns = key.columns.join(", ");
    let words = match key.primary {
        true => format!("the primary key ({columns})"),
        false => format!("the unique key {} ({columns})", key.name),
    };
    UniqueSet { columns: key.columns.clone(), words }
}

fn declared_key<'a>(
    scope: &Scope<'a>,
    declared: &[Spanned<String>],
    findings: &mut Vec<Diagnostic>,
) -> Option<Vec<Found<'a>>> {
    let found: Vec<Option<Found<'a>>> = declared
        .iter()
        .map(|name| {
            let found = scope.require(name.get_ref(), &name.span(), findings)?;
            let mistake = unfit(found)
                .map(|(code, message, help)| Diagnostic::error(code, name.span(), message).with_help(help));
            findings.extend(mistake.clone());
            mistake.is_none().then_some(found)
        })
        .collect();
    found.into_iter().collect()
}

/// Why a column cannot order rows.
fn unfit(found: Found<'_>) -> Option<(&'static str, String, &'static str)> {
    let name = &found.column.name;
    if name.is_empty() {
        let help = "give it one in a `query`, or declare a `key` of other columns";
        return Some(("nameless-key", "the key is a column without a name".to_owned(), help));
    }
    if found.sql.is_some() {
        let message = format!("`{name}` is a computed column: a key must be columns of the rows themselves");
        let help = "use a `query` whose SELECT has it, or other columns";
        return Some(("computed-key", message, help));
    }
    let reason = found.column.unordered?;
    let message = format!("column `{name}` ({}) cannot be in a key: {reason}", found.column.sql_type);
    let help = "declare a `key` of columns that order as they compare, for example integers, text or dates";
    Some(("unordered-key", message, help))
}

/// The first key that a constraint backs and whose columns order: the primary key before others.
fn constraint_key<'a>(
    scope: &Scope<'a>,
    backed: &[UniqueSet],
    findings: &mut Vec<Diagnostic>,
) -> Option<Vec<Found<'a>>> {
    let mut reason = None;
    for candidate in backed {
        let columns: Option<Vec<Found<'a>>> = candidate.columns.iter().map(|name| scope.find(name)).collect();
        let Some(columns) = columns else { continue };
        match columns.iter().find_map(|found| unfit(*found)) {
            None => return Some(columns),
            Some(unfit) => reason = reason.or(Some(unfit)),
        }
    }
    if let (None, Some(columns)) = (&reason, nullable_primary_key(scope)) {
        return Some(columns);
    }
    let span = scope.entity.name.span();
    findings.push(match reason {
        Some((code, message, help)) => Diagnostic::error(code, span, message).with_help(help),
        None => no_key(scope),
    });
    None
}

/// SQLite lets primary keys hold NULL: as good as a declared key.
fn nullable_primary_key<'a>(scope: &Scope<'a>) -> Option<Vec<Found<'a>>> {
    let mut keys = scope.relation.unique_keys.iter().filter(|_| scope.relation.kind == RelationKind::Table);
    let key = keys.find(|key| key.primary)?;
    let columns: Option<Vec<Found<'a>>> = key.columns.iter().map(|name| scope.find(name)).collect();
    columns.filter(|columns| !columns.is_empty() && columns.iter().all(|found| unfit(*found).is_none()))
}

fn no_key(scope: &Scope<'_>) -> Diagnostic {
    let (span, what) = match &scope.entity.rows {
        Rows::Query(query) => (query.span(), "a query has no primary key".to_owned()),
        Rows::From(from) => {
            let what = match scope.relation.kind {
                RelationKind::View => "is a view: it has no primary key",
                _ => "has no primary key, nor a unique key over columns that are NOT NULL",
            };
            (from.span(), format!("`{}` {what}", from.get_ref()))
        }
    };
    let help = "declare columns that are unique and not NULL, for example `key = [\"id\"]`; \
                one query proves them before the first write";
    Diagnostic::error("no-key", span, what).with_help(help)
}

fn warn_nullable(scope: &Scope<'_>, findings: &mut Vec<Diagnostic>) {
    for name in scope.entity.key.as_deref().unwrap_or_default() {
        if scope.find(name.get_ref()).is_some_and(|found| found.column.nullable) {
            let message = format!("key column `{}` can be NULL as far as the database says", name.get_ref());
            let help = "one query looks for NULLs before the first write";
            findings.push(Diagnostic::warning("nullable-key", name.span(), message).with_help(help));
        }
    }
}
