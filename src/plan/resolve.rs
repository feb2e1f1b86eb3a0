//! Mapping × described entities → plan, with all mistakes of all entities at once. Pure.

use std::sync::Arc;

use crate::mapping::{Diagnostic, Entity, KeyAttribute, Mapping, Rows, Severity, Span, Template};
use crate::source::{Class, Piece, Relation, RelationKind, Select, SourceError, SourceErrorKind};

use super::names::Names;
use super::proof::{self, Candidate};
use super::scope::{Scope, list};
use super::source_key::{self, SourceKey};
use super::template::Purpose;
use super::{
    CollisionPlan, EntityPlan, FingerprintParts, KeyPlan, KeyProof, Layout, Plan, TablePlan, attributes,
    changing, indexes, notable, nullable, partitions, prefixes, settings, ttl,
};

/// What [`crate::source::Source::describe`] says about one entity.
pub type Described = Result<Relation, Vec<SourceError>>;

/// Resolves a mapping; `described` has one entry per entity, in the mapping's order.
///
/// Findings come in the order of the file. Any mistake among them makes it `Err`; an unproven key is none:
/// its rows are counted before they are written.
pub fn resolve(
    mapping: &Mapping,
    described: &[Described],
) -> Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>> {
    let table = indexes::table_plan(&mapping.table);
    let mut findings = Vec::new();
    indexes::check_table(&mapping.table, &mut findings);
    attributes::check_types(mapping, &mut findings);
    let mut drafts = Vec::new();
    for (entity, described) in mapping.entities.iter().zip(described) {
        warn_changing(entity, &mut findings);
        match described {
            Ok(relation) => drafts.extend(resolve_entity(mapping, &table, entity, relation, &mut findings)),
            Err(errors) => findings.extend(errors.iter().map(|error| source_mistake(entity, error))),
        }
    }
    check_families(mapping, described, &mut findings);
    let (entities, contested) = prove(drafts, &mut findings);
    if entities.len() == mapping.entities.len() {
        ttl::check_use(&mapping.table, &entities, &mut findings);
    }
    in_file_order(&mut findings);
    match mistakes(&findings) {
        0 => Ok((Plan { table, entities, contested }, findings)),
        _ => Err(findings),
    }
}

pub(super) fn in_file_order(findings: &mut [Diagnostic]) {
    findings.sort_by_key(|finding| finding.span.as_ref().map_or(usize::MAX, |span| span.start));
}

/// An entity without its proof, and what the proof needs.
struct Draft<'a> {
    plan: EntityPlan,
    candidate: Candidate<'a>,
}

fn resolve_entity<'a>(
    mapping: &Mapping,
    table: &TablePlan,
    entity: &'a Entity,
    relation: &Relation,
    findings: &mut Vec<Diagnostic>,
) -> Option<Draft<'a>> {
    let mut scope = Scope::new(entity, relation);
    let mut names = Names::default();
    check_relation(&scope, findings);
    settings::check_columns(&scope, findings);
    let source_key = source_key::choose(&mut scope, findings);
    let partition_key =
        base_key(&mut scope, &entity.pk, &mapping.table.partition_key, table, false, &mut names, findings);
    let sort_key = entity.sk.as_ref().zip(mapping.table.sort_key.as_ref());
    let sort_key = sort_key.map(|(sk, key)| base_key(&mut scope, sk, key, table, true, &mut names, findings));
    findings.extend(nullable::remark(&scope));
    let index_entries = indexes::resolve_entries(&mut scope, mapping, table, &mut names, findings);
    let collision = collision(&mut scope, findings);
    let drafts = attributes::resolve(&mut scope, &mapping.table, &mut names, findings);
    let attributes = indexes::place_attributes(drafts, table, findings);
    indexes::check_entering(entity, mapping, &names, findings);
    note_unused(&scope, findings);
    let (output, columns) = scope.finish();
    ttl::check(entity, &mapping.table, &attributes, &columns, findings);
    let source_key = source_key?;
    let layout = Layout {
        columns,
        source_key: source_key.places.clone(),
        partition_key: partition_key?,
        sort_key: match sort_key {
            Some(key) => Some(key?),
            None => None,
        },
        attributes,
        index_entries,
        indexes: indexes::sizings(table),
    };
    let filter = entity.filter.as_ref().map(|filter| filter.get_ref().clone());
    let select = Select { rows: rows(entity), filter, output, key: source_key.columns.clone() };
    findings.extend(notable::remarks(entity, relation, &select, &layout));
    findings.extend(partitions::remarks(entity, table, &select, &layout));
    Some(draft(table, entity, relation, source_key, select, (layout, collision?)))
}

fn draft<'a>(
    table: &TablePlan,
    entity: &'a Entity,
    relation: &Relation,
    source_key: SourceKey,
    select: Select,
    (layout, collision): (Layout, CollisionPlan),
) -> Draft<'a> {
    let parts = FingerprintParts::of(table, &select, &layout, &collision);
    let candidate = Candidate {
        entity,
        output: select.output.clone(),
        unique: source_key.unique,
        pk: layout.partition_key.clone(),
        sk: layout.sort_key.clone(),
    };
    let plan = EntityPlan {
        name: entity.name.get_ref().clone(),
        select: Arc::new(select),
        row_estimate: relation.row_estimate,
        fingerprint: parts.overall(),
        fingerprint_parts: parts,
        key_is_claim: source_key.claim,
        key_proof: KeyProof::Unproven { reason: String::new() },
        collision,
        layout,
    };
    Draft { plan, candidate }
}

fn base_key(
    scope: &mut Scope<'_>,
    template: &Template,
    key: &KeyAttribute,
    table: &TablePlan,
    sorts: bool,
    names: &mut Names,
    findings: &mut Vec<Diagnostic>,
) -> Option<KeyPlan> {
    let origin = if sorts { "the table's sort key" } else { "the table's partition key" };
    names.take(key.name.get_ref(), origin.to_owned(), &template.span, findings);
    let purpose = Purpose { kind: key.kind, sorts };
    let before = mistakes(findings);
    let plan = indexes::key_plan(scope, template, key, table, purpose, findings);
    // A proof over a wrong template would only add noise.
    plan.filter(|_| mistakes(findings) == before)
}

/// `on_collision` with the columns of `order_by`, which must order here as they do in the source.
fn collision(scope: &mut Scope<'_>, findings: &mut Vec<Diagnostic>) -> Option<CollisionPlan> {
    let before = mistakes(findings);
    let mut order_by = Vec::new();
    for name in &scope.entity.order_by {
        let Some(found) = scope.require(name.get_ref(), &name.span(), findings) else { continue };
        match found.column.raw.class() {
            Class::Text | Class::Bytes | Class::Json | Class::Array => {
                let message = format!(
                    "`order_by` cannot use column `{}` ({})",
                    found.column.name, found.column.sql_type
                );
                let help = "numbers, dates, times and booleans order here as in the source; make one of it with `let`";
                findings.push(Diagnostic::error("unordered-column", name.span(), message).with_help(help));
            }
            _ => order_by.push(scope.place(found)),
        }
    }
    (mistakes(findings) == before)
        .then(|| CollisionPlan { keep: *scope.entity.on_collision.get_ref(), order_by })
}

fn mistakes(findings: &[Diagnostic]) -> usize {
    findings.iter().filter(|finding| finding.severity == Severity::Error).count()
}

/// The entities with their proofs, and the names of those that are to be counted together.
fn prove(drafts: Vec<Draft<'_>>, findings: &mut Vec<Diagnostic>) -> (Vec<EntityPlan>, Vec<Vec<String>>) {
    let (mut plans, candidates): (Vec<_>, Vec<_>) =
        drafts.into_iter().map(|draft| (draft.plan, draft.candidate)).unzip();
    let proofs = proof::prove(&candidates, findings);
    findings.extend(prefixes::remarks(&candidates));
    let name = |at: &usize| candidates.get(*at).map(|candidate| candidate.entity.name.get_ref().clone());
    let contested = proofs.contested.iter().map(|set| set.iter().filter_map(name).collect()).collect();
    for (plan, proof) in plans.iter_mut().zip(proofs.entities) {
        plan.key_proof = proof;
    }
    (plans, contested)
}

pub(super) fn rows(entity: &Entity) -> crate::source::Rows {
    match &entity.rows {
        Rows::From(from) => crate::source::Rows::From(from.get_ref().clone()),
        Rows::Query(query) => crate::source::Rows::Query(query.get_ref().clone()),
    }
}

fn rows_span(entity: &Entity) -> Span {
    match &entity.rows {
        Rows::From(rows) | Rows::Query(rows) => rows.span(),
    }
}

fn check_relation(scope: &Scope<'_>, findings: &mut Vec<Diagnostic>) {
    for computed in &scope.entity.computed {
        let name = computed.name.get_ref();
        if scope.relation.columns.iter().any(|column| column.name == *name) {
            let message = format!("`{name}` is a column already: a computed column needs a name of its own");
            findings.push(Diagnostic::error("computed-clash", computed.name.span(), message));
        }
    }
    if scope.relation.kind == RelationKind::Inherited {
        let message =
            format!("other tables inherit from the table of `{}`: their rows are read too", scope.name());
        let help = "write `ONLY` before the table's name in a `query` to leave them out, or \
                    `tableoid = 'its_table'::regclass` into `where`";
        findings
            .push(Diagnostic::warning("inherited-table", rows_span(scope.entity), message).with_help(help));
    }
}

/// A table and a child of it, or a partition: the child's rows would be read twice. A `where` of the
/// parent may say which rows are meant.
fn check_families(mapping: &Mapping, described: &[Described], findings: &mut Vec<Diagnostic>) {
    let known: Vec<(&Entity, &[u32])> = mapping
        .entities
        .iter()
        .zip(described)
        .filter_map(|(entity, described)| Some((entity, described.as_ref().ok()?.family.as_slice())))
        .collect();
    for (child, family) in &known {
        let Some(own) = family.first() else { continue };
        let is_parent = |(parent, family): &&(&Entity, &[u32])| {
            parent.filter.is_none() && family.iter().skip(1).any(|member| member == own)
        };
        let Some((parent, _)) = known.iter().find(is_parent) else { continue };
        let (parent, rows) = (parent.name.get_ref(), rows_span(child));
        let message =
            format!("the rows of `{}` are read twice: `{parent}` reads them too", child.name.get_ref());
        let help = format!(
            "leave one of the two out, or say in a `where` of `{parent}` which rows are meant, for example \
             `tableoid = 'its_table'::regclass`"
        );
        findings.push(Diagnostic::error("read-twice", rows, message).with_help(help));
    }
}

fn note_unused(scope: &Scope<'_>, findings: &mut Vec<Diagnostic>) {
    let unused = scope.unused();
    let except = match &scope.entity.columns {
        crate::mapping::ColumnChoice::Except(names) => names.as_slice(),
        _ => &[],
    };
    let unused: Vec<&str> =
        unused.into_iter().filter(|name| !except.iter().any(|except| except.get_ref() == name)).collect();
    let unused: Vec<&str> =
        unused.into_iter().map(|name| if name.is_empty() { "\"\"" } else { name }).collect();
    if !unused.is_empty() {
        let message = format!("columns of `{}` that nothing carries: {}", scope.name(), list(&unused));
        findings.push(Diagnostic::note("unused-columns", scope.entity.name.span(), message));
    }
}

/// SQL that says something else tomorrow; also told without a database.
pub(super) fn warn_changing(entity: &Entity, findings: &mut Vec<Diagnostic>) {
    let query = match &entity.rows {
        Rows::Query(query) => Some((query, "query")),
        Rows::From(_) => None,
    };
    let filter = entity.filter.as_ref().map(|sql| (sql, "where"));
    let computed = entity.computed.iter().map(|computed| (&computed.sql, "let"));
    let when = entity.indexes.iter().filter_map(|entry| entry.when.as_ref()).map(|sql| (sql, "when"));
    for (sql, place) in query.into_iter().chain(filter).chain(computed).chain(when) {
        if let Some(what) = changing::changing(sql.get_ref()) {
            let message = format!(
                "`{what}` in `{place}` changes by itself: a resumed run or a verification reads other rows or values"
            );
            let help = "write a fixed value instead";
            findings.push(Diagnostic::warning("changing-sql", sql.span(), message).with_help(help));
        }
    }
}

/// A wrong piece of SQL, at its place in the mapping.
pub(super) fn source_mistake(entity: &Entity, error: &SourceError) -> Diagnostic {
    let (code, span) = match error.kind {
        SourceErrorKind::Sql(Piece::Rows) => match &entity.rows {
            Rows::From(from) => ("unknown-table", from.span()),
            Rows::Query(query) => ("bad-sql", query.span()),
        },
        SourceErrorKind::Sql(piece) => ("bad-sql", piece_span(entity, piece)),
        SourceErrorKind::Permission => ("no-permission", rows_span(entity)),
        _ => ("source-error", rows_span(entity)),
    };
    let finding = Diagnostic::error(code, span, error.cause.clone());
    match &error.hint {
        Some(hint) => finding.with_help(hint.clone()),
        None => finding,
    }
}

fn piece_span(entity: &Entity, piece: Piece) -> Span {
    let span = match piece {
        Piece::Rows => None,
        Piece::Filter => entity.filter.as_ref().map(toml::Spanned::span),
        Piece::Computed(position) => entity.computed.get(position).map(|computed| computed.sql.span()),
        Piece::Condition(position) => {
            let mut conditions = entity.indexes.iter().filter_map(|entry| entry.when.as_ref());
            conditions.nth(position).map(toml::Spanned::span)
        }
    };
    span.unwrap_or_else(|| rows_span(entity))
}
