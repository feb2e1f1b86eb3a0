//! The keys that a pattern asks for, rendered of the rows of `params` by the rules of items.

use std::sync::Arc;

use crate::mapping::{
    AccessPattern, ColumnChoice, Diagnostic, Entity, Keep, KeyAttribute, Mapping, SHARD, SortKey, Spanned,
    Step, Template, TemplatePart, ValueSettings,
};
use crate::plan::changing::changing;
use crate::plan::scope::Scope;
use crate::plan::settings;
use crate::plan::template::{Purpose, resolve};
use crate::plan::{KeyPlan, Membership, PartPlan, TemplatePlan};
use crate::source::{Output, Relation, Rows, Select};

use super::describe::Described;
use super::{CallPlan, Operation, PatternPlan, ReturnPlan};

/// A pattern whose keys are known.
#[derive(Debug)]
pub(in crate::plan) struct Draft<'a> {
    pub(super) pattern: &'a AccessPattern,
    pub(super) plan: PatternPlan,
    /// What `plan.columns` are.
    pub(super) output: Vec<Output>,
}

/// The patterns whose SQL and templates stand; what is wrong with the others.
pub(in crate::plan) fn draft<'a>(
    mapping: &'a Mapping,
    described: Vec<Described>,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Draft<'a>> {
    let mut drafts = Vec::new();
    for (pattern, described) in mapping.patterns.iter().zip(described) {
        warn_changing(pattern, findings);
        let stands = described.mistakes.is_empty();
        findings.extend(described.mistakes);
        let Some(relation) = &described.relation else { continue };
        let named = pattern.returns.iter().map(|(entity, _)| entity.get_ref().clone());
        let returns = named.zip(described.predicates);
        let returns = returns.map(|(entity, predicate)| ReturnPlan { entity, predicate }).collect();
        drafts.extend(draft_one(mapping, pattern, relation, returns, findings).filter(|_| stands));
    }
    drafts
}

fn draft_one<'a>(
    mapping: &'a Mapping,
    pattern: &'a AccessPattern,
    relation: &Relation,
    returns: Vec<ReturnPlan>,
    findings: &mut Vec<Diagnostic>,
) -> Option<Draft<'a>> {
    let keys = Keys::of(mapping, pattern);
    let entity = stand_in(mapping, pattern, relation);
    let mut scope = Scope::new(&entity, relation);
    for found in scope.all() {
        scope.carry(found);
    }
    let shards: Vec<Option<u32>> = match &pattern.shards {
        Some(shards) => (0..*shards.get_ref()).map(Some).collect(),
        None => vec![None],
    };
    let mut calls = Vec::with_capacity(shards.len());
    for (at, shard) in shards.into_iter().enumerate() {
        let mut found = Vec::new();
        calls.push(call(&mut scope, pattern, &keys, shard, &mut found));
        // The other shards repeat what the first one said.
        if at == 0 {
            findings.extend(found);
        }
    }
    let (output, columns) = scope.finish();
    let params = pattern.params.as_ref().map(|sql| {
        let rows = Rows::Query(sql.get_ref().clone());
        Arc::new(Select { rows, filter: None, output: output.clone(), key: Vec::new() })
    });
    let plan = PatternPlan {
        name: pattern.name.get_ref().clone(),
        operation: keys.operation(pattern),
        index: keys.index,
        params,
        columns,
        calls: calls.into_iter().collect::<Option<_>>()?,
        order: pattern.order,
        limit: pattern.limit,
        sample: pattern.sample,
        returns,
    };
    Some(Draft { pattern, plan, output })
}

/// The key attributes of what a pattern reads.
struct Keys<'a> {
    index: Option<usize>,
    partition: &'a [KeyAttribute],
    sort: &'a [KeyAttribute],
}

impl<'a> Keys<'a> {
    fn of(mapping: &'a Mapping, pattern: &AccessPattern) -> Self {
        let table = &mapping.table;
        let named = pattern.index.as_ref();
        let index = named.and_then(|name| table.indexes.iter().position(|index| index.name == *name));
        match index.and_then(|position| table.indexes.get(position)) {
            Some(read) => Self { index, partition: &read.partition_key, sort: &read.sort_key },
            None => Self {
                index: None,
                partition: std::slice::from_ref(&table.partition_key),
                sort: table.sort_key.as_slice(),
            },
        }
    }

    fn operation(&self, pattern: &AccessPattern) -> Operation {
        let whole = match &pattern.sk {
            None => self.sort.is_empty(),
            Some(SortKey::Equal(_)) => true,
            Some(SortKey::Compared(..) | SortKey::Between(..)) => false,
        };
        if whole && self.index.is_none() { Operation::GetItem } else { Operation::Query }
    }
}

/// The rows of `params` in the place of an entity's: with the settings that the entities of the answer have
/// for columns of these names, where they fit.
fn stand_in(mapping: &Mapping, pattern: &AccessPattern, relation: &Relation) -> Entity {
    let returned: Vec<&Entity> = pattern
        .returns
        .iter()
        .filter_map(|(name, _)| mapping.entities.iter().find(|entity| entity.name == *name))
        .collect();
    let defaults = returned.first().map(|entity| entity.defaults.clone()).unwrap_or_default();
    let mut column_settings: Vec<(Spanned<String>, ValueSettings)> = Vec::new();
    for (name, own) in returned.iter().flat_map(|entity| &entity.column_settings) {
        let column = relation.columns.iter().find(|column| column.name == *name.get_ref());
        let fits = column.is_some_and(|column| settings::fit(column, own, &defaults));
        if fits && !column_settings.iter().any(|(known, _)| known == name) {
            column_settings.push((name.clone(), own.clone()));
        }
    }
    Entity {
        name: Spanned::new(pattern.name.span(), "params".to_owned()),
        rows: crate::mapping::Rows::Query(pattern.params.clone().unwrap_or_else(|| pattern.name.clone())),
        filter: None,
        key: None,
        on_collision: Spanned::new(pattern.name.span(), Keep::Reject),
        order_by: Vec::new(),
        pk: Template { parts: Vec::new(), span: pattern.name.span() },
        sk: None,
        type_value: None,
        columns: ColumnChoice::All,
        rename_all: None,
        computed: Vec::new(),
        column_settings,
        indexes: Vec::new(),
        attributes: Vec::new(),
        defaults,
    }
}

fn call(
    scope: &mut Scope<'_>,
    pattern: &AccessPattern,
    keys: &Keys<'_>,
    shard: Option<u32>,
    findings: &mut Vec<Diagnostic>,
) -> Option<CallPlan> {
    let pk = pattern.pk.iter().zip(keys.partition);
    let pk: Vec<Option<KeyPlan>> =
        pk.map(|(template, key)| key_plan(scope, template, key, shard, findings)).collect();
    let sk = pattern.sk.as_ref().map(|sk| sort_key(scope, sk, keys, shard, findings));
    let sk = match sk {
        Some(sk) => Some(sk?),
        None => None,
    };
    Some(CallPlan { pk: pk.into_iter().collect::<Option<_>>()?, sk })
}

/// All templates are looked at, also behind a wrong one.
fn sort_key(
    scope: &mut Scope<'_>,
    sk: &SortKey<Template>,
    keys: &Keys<'_>,
    shard: Option<u32>,
    findings: &mut Vec<Diagnostic>,
) -> Option<SortKey<KeyPlan>> {
    let mut attributes = keys.sort.iter();
    let all_of_one = !matches!(sk, SortKey::Equal(_));
    let mut key = || if all_of_one { keys.sort.first() } else { attributes.next() };
    let resolved = sk.map(|template| {
        let plan = key().and_then(|key| key_plan(scope, template, key, shard, findings));
        plan.ok_or(())
    });
    resolved.transpose().ok()
}

fn key_plan(
    scope: &mut Scope<'_>,
    template: &Template,
    key: &KeyAttribute,
    shard: Option<u32>,
    findings: &mut Vec<Diagnostic>,
) -> Option<KeyPlan> {
    let template = with_shard(template, shard);
    let resolved = match literals(&template) {
        Some(literals) => TemplatePlan { parts: literals },
        None => {
            let purpose = Purpose::attribute(key.kind);
            let before = findings.len();
            let resolved = resolve(scope, &template, &ValueSettings::default(), purpose, findings)?;
            if findings.len() > before {
                return None;
            }
            resolved
        }
    };
    let attribute = key.name.get_ref().clone();
    Some(KeyPlan { attribute, kind: key.kind, template: resolved, membership: Membership::default() })
}

/// The template with its shard written out.
fn with_shard(template: &Template, shard: Option<u32>) -> Template {
    let part = |part: &TemplatePart| match (part, shard) {
        (TemplatePart::Placeholder { column, steps, .. }, Some(shard)) if column == SHARD => {
            TemplatePart::Literal(match steps.as_slice() {
                [Step::Pad(width)] => format!("{shard:0width$}"),
                _ => shard.to_string(),
            })
        }
        (part, _) => part.clone(),
    };
    Template { parts: template.parts.iter().map(part).collect(), span: template.span.clone() }
}

/// The parts of a template without placeholders.
fn literals(template: &Template) -> Option<Vec<PartPlan>> {
    let literal = |part: &TemplatePart| match part {
        TemplatePart::Literal(text) => Some(PartPlan::Literal(text.clone())),
        TemplatePart::Placeholder { .. } => None,
    };
    template.parts.iter().map(literal).collect()
}

/// Another answer each time is no answer to compare with.
fn warn_changing(pattern: &AccessPattern, findings: &mut Vec<Diagnostic>) {
    let params = pattern.params.iter().map(|sql| (sql, "params"));
    for (sql, place) in params.chain(pattern.returns.iter().map(|(_, sql)| (sql, "returns"))) {
        if let Some(what) = changing(sql.get_ref()) {
            let message =
                format!("`{what}` in `{place}` changes by itself: each verification asks something else");
            let finding = Diagnostic::warning("changing-sql", sql.span(), message);
            findings.push(finding.with_help("write a fixed value instead"));
        }
    }
}
