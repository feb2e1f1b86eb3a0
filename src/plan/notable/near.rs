//! Texts in keys of which only the rows can tell whether others differ by their spelling alone: what `check --deep`
//! asks about.

use crate::mapping::{Entity, KeyType, Span, Step, ValueType};
use crate::plan::uses::{Place, Use, uses};
use crate::plan::{EntityPlan, Plan};
use crate::source::{Column, ForeignKey, MysqlType, PgType, RawType, Relation, Rows};

use super::Looked;

/// A text column in keys of an entity.
#[derive(Debug, Clone)]
pub struct NearColumn {
    pub column: Column,
    /// Among the outputs of the select.
    pub position: usize,
    /// Where a key names it.
    pub span: Span,
    /// Those of the key that make spellings equal: `lower`, `upper`, `trim`.
    pub steps: Vec<Step>,
    /// What it refers to, and the steps there; else it is compared with itself.
    pub parent: Option<(ForeignKey, Vec<Step>)>,
}

/// The columns of one entity: each once for every foreign key that it is part of, or once. Where several keys write it, the
/// one that folds the least counts.
pub fn near_columns(
    entity: &Entity,
    relation: &Relation,
    planned: &EntityPlan,
    plan: &Plan,
) -> Vec<NearColumn> {
    let looked = Looked { entity, relation, uses: uses(&planned.select, &planned.layout) };
    let mut found = Vec::new();
    for column in looked.columns(is_text_in_key) {
        let name = &column.name;
        let uses = || looked.uses.iter().filter(|used| used.column.name == *name && is_text_in_key(used));
        let parents: Vec<&ForeignKey> =
            relation.foreign_keys.iter().filter(|key| key.columns.contains(name)).collect();
        // The sort key of an index only puts rows in order, which neighbours by spelling do not harm.
        let counts = |used: &&Use<'_>| !parents.is_empty() || gathers(used);
        let least = uses().filter(counts).min_by_key(|used| folding(used.steps).len());
        let Some(used) = least else { continue };
        let steps = folding(used.steps);
        let near = |parent| NearColumn {
            column: column.clone(),
            position: used.position,
            span: looked.key_span(name).unwrap_or_else(|| looked.span(&[column])),
            steps: steps.clone(),
            parent,
        };
        let of_parent = |key: &&ForeignKey| {
            let there = parent_steps(key, name, plan).unwrap_or_else(|| steps.clone());
            near(Some(((*key).clone(), there)))
        };
        found.extend(parents.iter().map(of_parent));
        found.extend(parents.is_empty().then(|| near(None)));
    }
    found
}

fn gathers(used: &Use<'_>) -> bool {
    !matches!(used.place, Place::IndexKey { sorts: true, .. })
}

fn is_text_in_key(used: &Use<'_>) -> bool {
    let as_text = matches!(used.settings.kind, None | Some(ValueType::S)) && used.settings.format.is_none();
    used.place.key() == Some(KeyType::S) && as_text && holds_text(used.column)
}

fn holds_text(column: &Column) -> bool {
    match &column.raw {
        RawType::Postgres(raw) => matches!(raw, PgType::Text | PgType::Char),
        RawType::Mysql(raw) => *raw == MysqlType::Text,
        // Where another class is stored, its cells are passed over.
        RawType::Sqlite(raw) => {
            let declared = column.sql_type.to_ascii_uppercase();
            *raw == crate::source::SqliteType::Any && !declared.contains("INT") && declared != "BLOB"
        }
    }
}

fn folding(steps: &[Step]) -> Vec<Step> {
    let folds = |step: &&Step| matches!(step, Step::Lower | Step::Upper | Step::Trim);
    steps.iter().filter(folds).cloned().collect()
}

/// How the entity of the parent's table writes the column that is referred to, if its keys have it.
fn parent_steps(key: &ForeignKey, column: &str, plan: &Plan) -> Option<Vec<Step>> {
    let place = key.columns.iter().position(|own| own == column)?;
    let referenced = key.referenced.get(place)?;
    let of_parent = |entity: &&EntityPlan| match &entity.select.rows {
        Rows::From(name) => last_part(name) == last_part(&key.table),
        Rows::Query(_) => false,
    };
    plan.entities.iter().filter(of_parent).find_map(|entity| {
        let uses = uses(&entity.select, &entity.layout);
        let used = uses.iter().find(|used| used.place.key().is_some() && used.column.name == *referenced);
        used.map(|used| folding(used.steps))
    })
}

fn last_part(name: &str) -> String {
    let quotes: &[char] = &['"', '`', '[', ']'];
    name.rsplit('.').next().unwrap_or(name).trim().trim_matches(quotes).to_lowercase()
}
