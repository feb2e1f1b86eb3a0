//! What the source says about the SQL of patterns: columns of `params`, predicates that do not stand.

use crate::mapping::{AccessPattern, Diagnostic, Entity, Mapping, Spanned};
use crate::plan::prepare::split;
use crate::plan::resolve::rows;
use crate::plan::scope::list;
use crate::source::{
    Column, Piece, Predicate, Relation, RelationKind, Rows, Source, SourceError, SourceErrorKind,
};

/// A pattern's SQL as the source sees it.
#[derive(Debug)]
pub(in crate::plan) struct Described {
    /// The rows of `params`, none without it; `None` where its SQL is wrong.
    pub(super) relation: Option<Relation>,
    /// In the order of `returns`.
    pub(super) predicates: Vec<Predicate>,
    pub(super) mistakes: Vec<Diagnostic>,
}

pub(in crate::plan) async fn describe(
    mapping: &Mapping,
    source: &mut Source,
) -> Result<Vec<Described>, SourceError> {
    let mut described = Vec::with_capacity(mapping.patterns.len());
    for pattern in &mapping.patterns {
        described.push(describe_one(pattern, mapping, source).await?);
    }
    Ok(described)
}

async fn describe_one(
    pattern: &AccessPattern,
    mapping: &Mapping,
    source: &mut Source,
) -> Result<Described, SourceError> {
    let mut mistakes = Vec::new();
    let relation = params(pattern, source, &mut mistakes).await?;
    let dialect = source.dialect();
    let predicates: Vec<Predicate> =
        pattern.returns.iter().map(|(_, sql)| Predicate::parse(sql.get_ref(), dialect)).collect();
    if let Some(relation) = &relation {
        for ((entity, sql), predicate) in pattern.returns.iter().zip(&predicates) {
            let columns = relation.columns.as_slice();
            let entity = mapping.entities.iter().find(|found| found.name.get_ref() == entity.get_ref());
            match (unknown(pattern, sql, predicate, columns), entity) {
                (Some(mistake), _) => mistakes.push(mistake),
                (None, Some(entity)) => {
                    let sql_with_nulls = predicate.with_nulls(columns, dialect);
                    mistakes.extend(stands(entity, sql, sql_with_nulls, source).await?);
                }
                (None, None) => {}
            }
        }
    }
    Ok(Described { relation, predicates, mistakes })
}

async fn params(
    pattern: &AccessPattern,
    source: &mut Source,
    mistakes: &mut Vec<Diagnostic>,
) -> Result<Option<Relation>, SourceError> {
    let Some(sql) = &pattern.params else { return Ok(Some(no_params())) };
    let rows = Rows::Query(sql.get_ref().clone());
    match split(source.describe(&rows, None, &[], &[]).await)? {
        Ok(relation) => Ok(Some(relation)),
        Err(errors) => {
            mistakes.extend(errors.iter().map(|error| mistake(sql, error)));
            Ok(None)
        }
    }
}

fn no_params() -> Relation {
    Relation {
        kind: RelationKind::Query,
        columns: Vec::new(),
        computed: Vec::new(),
        unique_keys: Vec::new(),
        foreign_keys: Vec::new(),
        family: Vec::new(),
        row_estimate: None,
    }
}

/// A value that `params` does not return.
fn unknown(
    pattern: &AccessPattern,
    sql: &Spanned<String>,
    predicate: &Predicate,
    columns: &[Column],
) -> Option<Diagnostic> {
    let unknown = predicate.names().find(|name| !columns.iter().any(|column| column.name == *name))?;
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let help = match (&pattern.params, names.as_slice()) {
        (None, _) => {
            "`params` is the SQL whose columns are such values; a predicate holds for the items of all shards"
                .to_owned()
        }
        (Some(_), names) => format!("`params` returns {}", list(names)),
    };
    let message = format!("nothing says what {{{unknown}}} stands for");
    Some(Diagnostic::error("unknown-parameter", sql.span(), message).with_help(help))
}

/// What is wrong with a predicate; what is wrong with its entity is told there.
async fn stands(
    entity: &Entity,
    sql: &Spanned<String>,
    with_nulls: String,
    source: &mut Source,
) -> Result<Vec<Diagnostic>, SourceError> {
    let described = split(source.describe(&rows(entity), None, &[], &[with_nulls]).await)?;
    let errors = described.err().unwrap_or_default();
    let of_predicate = |error: &&SourceError| error.kind == SourceErrorKind::Sql(Piece::Condition(0));
    Ok(errors.iter().filter(of_predicate).map(|error| mistake(sql, error)).collect())
}

fn mistake(sql: &Spanned<String>, error: &SourceError) -> Diagnostic {
    let code = match error.kind {
        SourceErrorKind::Permission => "no-permission",
        _ => "bad-sql",
    };
    let finding = Diagnostic::error(code, sql.span(), error.cause.clone());
    match &error.hint {
        Some(hint) => finding.with_help(hint.clone()),
        None => finding,
    }
}
