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

/// The columns of one entity, each once.
pub fn near_columns(
    entity: &Entity,
    relation: &Relation,
    planned: &EntityPlan,
    plan: &Plan,
) -> Vec<NearColumn> {
    let looked = Looked { entity, relation, uses: uses(&planned.select, &planned.layout) };
    let mut found: Vec<NearColumn> = Vec::new();
    for used in looked.uses.iter().filter(|used| is_text_in_key(used)) {
        let name = &used.column.name;
        let parent = relation.foreign_keys.iter().find(|key| key.columns.contains(name));
        // The sort key of an index only puts rows in order, which neighbours by spelling do not harm.
        let only_sorts = matches!(used.place, Place::IndexKey { sorts: true, .. });
        if found.iter().any(|near| near.column.name == *name) || (parent.is_none() && only_sorts) {
            continue;
        }
        let steps = folding(used.steps);
        let parent = parent.map(|key| (key.clone(), parent_steps(key, name, plan).unwrap_or(steps.clone())));
        found.push(NearColumn {
            column: used.column.clone(),
            position: used.position,
            span: looked.key_span(name).unwrap_or_else(|| looked.span(&[used.column])),
            steps,
            parent,
        });
    }
    found
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
