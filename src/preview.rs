//! The items of a few rows, to look at: the load's own SELECT with another predicate, and its own builder.
//! Knows no target.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::{Value as Json, json};

use crate::item::{self, Item, ItemPage, Rejection, write_units};
use crate::load::redacted;
use crate::plan::{EntityPlan, Plan};
use crate::report::{Made, Outcome, PreviewReport, PreviewedEntity, PreviewedRow, RejectedRow};
use crate::source::{KeyValue, Page, Reader, SourceError};

/// Which rows to show, and how.
#[derive(Debug, Clone)]
pub struct PreviewOptions {
    /// Positions in the plan of the entities to show.
    pub entities: Vec<usize>,
    /// What columns of the source key must be; all rows without any.
    pub key: Vec<KeyValue>,
    /// Rows of each entity at most, the first in key order.
    pub rows: u64,
    /// Hash the values of keys, leave out all others.
    pub redact: bool,
}

/// Builds the items of the rows asked for.
pub async fn preview(
    plan: &Plan,
    reader: &mut Reader,
    options: &PreviewOptions,
) -> Result<PreviewReport, SourceError> {
    let mut entities = IndexMap::new();
    for entity in options.entities.iter().filter_map(|position| plan.entities.get(*position)) {
        let page = reader.find(&entity.select, &options.key, options.rows).await?;
        let rows = Shown { plan, entity, page: &page, redact: options.redact }.rows();
        entities.insert(entity.name.clone(), PreviewedEntity { rows });
    }
    let rejected = entities.values().any(PreviewedEntity::has_rejected);
    Ok(PreviewReport {
        command: "preview",
        outcome: if rejected { Outcome::Rejects } else { Outcome::Done },
        table: plan.table.name.clone(),
        entities,
        error: None,
    })
}

/// Rows of one entity on their way into the report.
struct Shown<'a> {
    plan: &'a Plan,
    entity: &'a EntityPlan,
    page: &'a Page,
    redact: bool,
}

impl Shown<'_> {
    fn rows(&self) -> Vec<PreviewedRow> {
        let built = item::build(&self.entity.layout, self.page);
        let items = built.items.iter().enumerate().map(|(at, item)| (item.row, self.item(&built, at, item)));
        let rejected = built.rejections.iter().map(|rejection| (rejection.row, self.rejected(rejection)));
        let mut rows: Vec<(usize, PreviewedRow)> = items.chain(rejected).collect();
        rows.sort_by_key(|(row, _)| *row);
        rows.into_iter().map(|(_, row)| row).collect()
    }

    fn item(&self, built: &ItemPage, at: usize, item: &Item) -> PreviewedRow {
        let entries = built.index_entries(at);
        let names = self.plan.table.indexes.iter().map(|index| &index.name);
        let indexes = names.zip(entries).filter(|(_, bytes)| **bytes > 0).map(|(name, _)| name.clone());
        let entries = entries.iter().filter(|bytes| **bytes > 0);
        let made = Made {
            // The builder writes nothing but JSON.
            item: serde_json::from_slice(built.wire(item)).map(|item| self.shown(item)).unwrap_or_default(),
            indexes: indexes.collect(),
            size: item.size,
            wcu: write_units(item.size) + entries.map(|bytes| write_units(*bytes)).sum::<u64>(),
        };
        let source_key = item::source_key(&self.entity.layout, self.page, item.row);
        PreviewedRow { source_key: self.source_key(source_key), made: Some(made), rejected: None }
    }

    fn rejected(&self, rejection: &Rejection) -> PreviewedRow {
        let rejected = RejectedRow {
            rule: rejection.rule.as_str().to_owned(),
            column: rejection.column.clone(),
            message: rejection.message.clone(),
        };
        let source_key = self.source_key(rejection.source_key.clone());
        PreviewedRow { source_key, made: None, rejected: Some(rejected) }
    }

    fn source_key(&self, key: Vec<(String, String)>) -> IndexMap<String, String> {
        let value = |text: String| if self.redact { redacted(&text) } else { text };
        key.into_iter().map(|(name, text)| (name, value(text))).collect()
    }

    fn shown(&self, item: Json) -> Json {
        let Json::Object(attributes) = item else { return item };
        if !self.redact {
            return Json::Object(attributes);
        }
        let table = &self.plan.table;
        let keys = std::iter::once(&table.partition_key).chain(&table.sort_key);
        let keys: HashSet<&str> = keys.map(|key| key.name.as_str()).collect();
        let hidden = attributes.into_iter().map(|(name, value)| {
            let value = hidden(&value, keys.contains(name.as_str()));
            (name, value)
        });
        Json::Object(hidden.collect())
    }
}

/// An attribute value whose type is left: `{"S":"…"}`.
fn hidden(value: &Json, hashed: bool) -> Json {
    let Some((kind, value)) = value.as_object().and_then(|value| value.iter().next()) else {
        return json!({});
    };
    match value.as_str() {
        Some(text) if hashed => json!({kind: redacted(text)}),
        _ => json!({kind: "…"}),
    }
}
