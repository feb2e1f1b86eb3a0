//! The one place here that asks the database: describe all entities, resolve, prove declared keys.

use std::fmt;

use crate::mapping::{Diagnostic, Entity, Mapping, Severity};
use crate::source::{Computed, Piece, Relation, Source, SourceError, SourceErrorKind};

use super::resolve::{Described, in_file_order, resolve, rows, source_mistake};
use super::{EntityPlan, Plan, patterns};

#[derive(Debug, Clone, Default)]
pub struct PlanOptions {
    /// Take declared keys at their word: for a look at a few rows, which writes nothing.
    pub trust_keys: bool,
    /// `--only`: the entities that the plan keeps, known to exist. The whole mapping must be right all
    /// the same: the proof that keys cannot meet needs every entity.
    pub only: Option<Vec<String>>,
}

/// A plan, and the warnings and notes that came up.
#[derive(Debug)]
pub struct Prepared {
    pub plan: Plan,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Debug)]
pub enum PlanError {
    /// The source failed, whatever the mapping says.
    Source(SourceError),
    /// Mistakes of the mapping, all of them, with warnings and notes between; in the file's order.
    Mapping(Vec<Diagnostic>),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Source(error) => error.fmt(f),
            PlanError::Mapping(_) => f.write_str("the mapping has mistakes"),
        }
    }
}

impl std::error::Error for PlanError {}

impl From<SourceError> for PlanError {
    fn from(error: SourceError) -> Self {
        PlanError::Source(error)
    }
}

/// Makes the plan of a mapping: reads the catalog, and asks one query for each declared key that no
/// constraint backs.
pub async fn prepare(
    mapping: &Mapping,
    source: &mut Source,
    options: PlanOptions,
) -> Result<Prepared, PlanError> {
    let mut described = Vec::new();
    let mut found = Vec::new();
    for entity in &mapping.entities {
        let (relation, errors) = describe(entity, source).await?;
        described.push(relation);
        found.extend(errors.iter().map(|error| source_mistake(entity, error)));
    }
    let patterns = match options.trust_keys {
        true => Vec::new(),
        false => patterns::draft(mapping, patterns::describe(mapping, source).await?, &mut found),
    };
    let resolved = with_findings(resolve(mapping, &described), found);
    let resolved = resolved.and_then(|(plan, found)| with_patterns(plan, found, patterns));
    let (mut plan, mut diagnostics) = resolved.map_err(PlanError::Mapping)?;
    if let Some(only) = &options.only {
        plan.entities.retain(|entity| only.contains(&entity.name));
    }
    let mistakes = match options.trust_keys {
        true => Vec::new(),
        false => check_claims(mapping, &plan, source, &mut diagnostics).await?,
    };
    if mistakes.is_empty() {
        return Ok(Prepared { plan, diagnostics });
    }
    diagnostics.extend(mistakes);
    in_file_order(&mut diagnostics);
    Err(PlanError::Mapping(diagnostics))
}

type Resolved = Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>>;

/// What was resolved, with further findings among its own; nothing where one of them is a mistake.
fn with_findings(resolved: Resolved, more: Vec<Diagnostic>) -> Resolved {
    let wrong = more.iter().any(|finding| finding.severity == Severity::Error);
    let (plan, mut findings) = match resolved {
        Ok((plan, findings)) if !wrong => (Some(plan), findings),
        Ok((_, findings)) | Err(findings) => (None, findings),
    };
    findings.extend(more);
    in_file_order(&mut findings);
    match plan {
        Some(plan) => Ok((plan, findings)),
        None => Err(findings),
    }
}

fn with_patterns(mut plan: Plan, found: Vec<Diagnostic>, drafts: Vec<patterns::Draft<'_>>) -> Resolved {
    let mut more = Vec::new();
    plan.patterns = patterns::finish(drafts, &plan.table, &plan.entities, &mut more);
    with_findings(Ok((plan, found)), more)
}

/// An entity's rows, and what is wrong with pieces of its SQL that its columns do not depend on: a wrong
/// `where` must not hide what else is wrong.
async fn describe(
    entity: &Entity,
    source: &mut Source,
) -> Result<(Described, Vec<SourceError>), SourceError> {
    let filter = entity.filter.as_ref().map(|filter| filter.get_ref().as_str());
    let computed: Vec<Computed> = entity
        .computed
        .iter()
        .map(|computed| Computed {
            name: computed.name.get_ref().clone(),
            sql: computed.sql.get_ref().clone(),
        })
        .collect();
    let conditions: Vec<String> = entity
        .indexes
        .iter()
        .filter_map(|entry| entry.when.as_ref())
        .map(|sql| sql.get_ref().clone())
        .collect();
    match split(source.describe(&rows(entity), filter, &computed, &conditions).await)? {
        Err(errors) if errors.iter().all(is_beside_columns) => {
            let described = split(source.describe(&rows(entity), None, &computed, &[]).await)?;
            Ok((described, errors))
        }
        described => Ok((described, Vec::new())),
    }
}

fn is_beside_columns(error: &SourceError) -> bool {
    matches!(error.kind, SourceErrorKind::Sql(Piece::Filter | Piece::Condition(_)))
}

/// Failures of the connection are no mistakes of the mapping.
pub(super) fn split(described: Result<Relation, Vec<SourceError>>) -> Result<Described, SourceError> {
    let Err(mut errors) = described else { return Ok(described) };
    match errors.iter().position(|error| !of_mapping(error.kind)) {
        Some(position) => Err(errors.swap_remove(position)),
        None => Ok(Err(errors)),
    }
}

fn of_mapping(kind: SourceErrorKind) -> bool {
    match kind {
        SourceErrorKind::Sql(_) | SourceErrorKind::Permission => true,
        SourceErrorKind::Config
        | SourceErrorKind::Connect
        | SourceErrorKind::Authentication
        | SourceErrorKind::NoDatabase
        | SourceErrorKind::KeyValue
        | SourceErrorKind::Lost
        | SourceErrorKind::SchemaChanged
        | SourceErrorKind::Server => false,
    }
}

/// Asks about every claimed key. A key that holds takes its `nullable-key` warnings away.
async fn check_claims(
    mapping: &Mapping,
    plan: &Plan,
    source: &mut Source,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<Diagnostic>, SourceError> {
    let mut mistakes = Vec::new();
    for claimed in plan.entities.iter().filter(|entity| entity.key_is_claim) {
        let Some(entity) = mapping.entities.iter().find(|entity| *entity.name.get_ref() == claimed.name)
        else {
            continue;
        };
        let check = source.check_key(&claimed.select).await?;
        forget_nullable(entity, diagnostics);
        if check.nulls {
            mistakes.push(has_nulls(entity, claimed));
        }
        if check.duplicates {
            mistakes.push(not_unique(entity, claimed));
        }
    }
    Ok(mistakes)
}

/// The query has answered what these warnings asked.
fn forget_nullable(entity: &Entity, diagnostics: &mut Vec<Diagnostic>) {
    let key = entity.key.as_deref().unwrap_or_default();
    let about_key = |finding: &Diagnostic| {
        finding.code == "nullable-key" && key.iter().any(|column| finding.span == Some(column.span()))
    };
    diagnostics.retain(|finding| !about_key(finding));
}

fn has_nulls(entity: &Entity, claimed: &EntityPlan) -> Diagnostic {
    let message = format!("the key {} holds NULL in some rows", key_text(claimed));
    let help = "leave such rows out with `where`, or declare a `key` of other columns";
    Diagnostic::error("key-has-nulls", key_span(entity), message).with_help(help)
}

fn not_unique(entity: &Entity, claimed: &EntityPlan) -> Diagnostic {
    let key = key_text(claimed);
    let message = format!("the key {key} is not unique: several rows share one");
    let columns: Vec<&str> = claimed.select.key.iter().map(|column| column.name.as_str()).collect();
    let columns = columns.join(", ");
    let help = format!(
        "add the column that tells them apart; `SELECT {columns}, count(*) … GROUP BY {columns} HAVING count(*) > 1` \
         lists them"
    );
    Diagnostic::error("key-not-unique", key_span(entity), message).with_help(help)
}

fn key_text(claimed: &EntityPlan) -> String {
    let columns: Vec<&str> = claimed.select.key.iter().map(|column| column.name.as_str()).collect();
    format!("({})", columns.join(", "))
}

fn key_span(entity: &Entity) -> crate::mapping::Span {
    let key = entity.key.as_deref().unwrap_or_default();
    match (key.first(), key.last()) {
        (Some(first), Some(last)) => first.span().start..last.span().end,
        _ => entity.name.span(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(kind: SourceErrorKind) -> SourceError {
        SourceError { kind, context: String::new(), cause: String::new(), hint: None }
    }

    #[test]
    fn failures_of_the_connection_are_no_mistakes_of_the_mapping() {
        let sql = SourceErrorKind::Sql(Piece::Filter);
        let permission = SourceErrorKind::Permission;
        assert_eq!(split(Err(vec![error(sql), error(permission)])).unwrap().unwrap_err().len(), 2);
        let lost = split(Err(vec![error(sql), error(SourceErrorKind::Lost)])).unwrap_err();
        assert_eq!(lost.kind, SourceErrorKind::Lost);
    }
}
