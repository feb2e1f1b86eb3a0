//! Partition keys that gather too much, or that applications may spell otherwise: told by mapping and
//! catalog alone.

use crate::mapping::{Diagnostic, Entity, KeyType, Span, Step, ValueType, placeholder};
use crate::source::{Class, Column, MysqlType, Output, RawType, Select, SqliteType};

use super::fit::Form;
use super::indexes::is_partition_key;
use super::{IndexPlan, Layout, PartPlan, ReadSettings, TablePlan, TemplatePlan, ValuePlan};

/// Warnings and notes about the partition keys of one entity's items.
pub(super) fn remarks(
    entity: &Entity,
    table: &TablePlan,
    select: &Select,
    layout: &Layout,
) -> Vec<Diagnostic> {
    let looked = Looked { entity, select, layout };
    let mut remarks: Vec<Diagnostic> =
        table.indexes.iter().filter_map(|index| looked.gathered(index)).collect();
    remarks.extend(looked.decimals());
    remarks
}

struct Looked<'a> {
    entity: &'a Entity,
    select: &'a Select,
    layout: &'a Layout,
}

/// How many partition keys there can be.
enum Spread {
    One,
    /// As many as this column has values.
    Few(String),
    Many,
}

impl Looked<'_> {
    /// A global index in which the entity's items share few partitions. The table's own keys are not looked
    /// at: an index over them is another view of what is spread already.
    fn gathered(&self, index: &IndexPlan) -> Option<Diagnostic> {
        if index.local {
            return None;
        }
        let spreads: Vec<Spread> =
            index.partition_key.iter().map(|key| self.spread(&key.name)).collect::<Option<_>>()?;
        let few: Vec<&str> = spreads
            .iter()
            .filter_map(|spread| match spread {
                Spread::Few(column) => Some(column.as_str()),
                Spread::One | Spread::Many => None,
            })
            .collect();
        if spreads.iter().any(|spread| matches!(spread, Spread::Many)) {
            return None;
        }
        let (entity, name) = (self.entity.name.get_ref(), &index.name);
        let block = self.entity.indexes.iter().find(|entry| entry.index.get_ref() == name);
        let sparse = block.is_some_and(|block| block.when.is_some());
        let span = self.span(index);
        let key = self.select.key.first().map_or("id", |column| column.name.as_str());
        let help = format!(
            "a partition takes 1,000 write units a second: spread the items, for example with `#{}` behind it, and read \
             all its partitions",
            placeholder(key, "shard(8)")
        );
        let diagnostic = match few.as_slice() {
            [] if sparse => {
                let message =
                    format!("all items of `{entity}` that are in index `{name}` share one partition of it");
                Diagnostic::note("one-partition", span, message)
            }
            [] => {
                let message = format!("all items of `{entity}` share one partition of index `{name}`");
                Diagnostic::warning("one-partition", span, message)
            }
            columns => {
                let have = if columns.len() == 1 { "has values" } else { "have values together" };
                let columns = columns.join("`, `");
                let message = format!(
                    "the items of `{entity}` have no more partitions of index `{name}` than `{columns}` {have}"
                );
                Diagnostic::note("few-partitions", span, message)
            }
        };
        Some(diagnostic.with_help(help))
    }

    /// `None` for an attribute that nothing but the table's keys writes, if anything.
    fn spread(&self, attribute: &str) -> Option<Spread> {
        let mut keys = self.layout.index_entries.iter().flat_map(|entry| &entry.keys);
        if let Some(key) = keys.find(|key| key.attribute == attribute) {
            return Some(self.of_template(&key.template));
        }
        let attribute = self.layout.attributes.iter().find(|plan| plan.name == attribute)?;
        Some(match &attribute.value {
            ValuePlan::Column { column, settings } => self.of_column(*column, settings, &[]),
            ValuePlan::Template { template, .. } => self.of_template(template),
            ValuePlan::Constant { .. } => Spread::One,
        })
    }

    fn of_template(&self, template: &TemplatePlan) -> Spread {
        template.parts.iter().fold(Spread::One, |spread, part| match (spread, part) {
            (spread, PartPlan::Literal(_)) => spread,
            (Spread::One, PartPlan::Value { column, steps, settings }) => {
                self.of_column(*column, settings, steps)
            }
            _ => Spread::Many,
        })
    }

    fn of_column(&self, position: usize, settings: &ReadSettings, steps: &[Step]) -> Spread {
        let shards = steps.iter().any(|step| matches!(step, Step::Shard(_)));
        match self.column(position) {
            Some(column) if !shards && has_few_values(column, settings) => Spread::Few(column.name.clone()),
            _ => Spread::Many,
        }
    }

    fn column(&self, position: usize) -> Option<&Column> {
        match self.select.output.get(position)? {
            Output::Column(column) | Output::Computed { column, .. } => Some(column),
            Output::Condition { .. } => None,
        }
    }

    fn span(&self, index: &IndexPlan) -> Span {
        let block = self.entity.indexes.iter().find(|entry| entry.index.get_ref() == &index.name);
        let named = |attribute: &&crate::mapping::Attribute| {
            index.partition_key.iter().any(|key| key.name == *attribute.name.get_ref())
        };
        let template = block.and_then(|block| block.pk.first()).map(|template| template.span.clone());
        let attribute = || self.entity.attributes.iter().find(named).map(|attribute| attribute.name.span());
        template.or_else(attribute).unwrap_or_else(|| self.entity.name.span())
    }

    /// K27: 1.50 and 1.5 are one number and one text, which whoever looks the item up must know.
    fn decimals(&self) -> Option<Diagnostic> {
        let index_keys = self.layout.index_entries.iter().flat_map(|entry| &entry.keys);
        let keys = std::iter::once(&self.layout.partition_key)
            .chain(index_keys.filter(|key| is_partition_key(key.membership)))
            .filter(|key| key.kind == KeyType::S);
        let column = keys.flat_map(|key| &key.template.parts).find_map(|part| match part {
            PartPlan::Value { column, steps, settings } if steps.is_empty() => {
                let column = self.column(*column)?;
                (Form::of(column, settings) == Form::Value(Class::Decimal)).then_some(column)
            }
            PartPlan::Value { .. } | PartPlan::Literal(_) => None,
        })?;
        let message = format!(
            "column `{}` ({}) stands in a partition key without needless zeros: 1.50 is `1.5`",
            column.name, column.sql_type
        );
        let help = "look items up by that text, or make a text with fixed places in `let`";
        Some(Diagnostic::note("decimal-in-key", self.entity.pk.span.clone(), message).with_help(help))
    }
}

/// Labels of an enum that are few to spread items by.
const FEW_LABELS: u64 = 100;

/// By the type alone.
fn has_few_values(column: &Column, settings: &ReadSettings) -> bool {
    let flag = matches!(
        column.raw,
        RawType::Mysql(MysqlType::TinyInt1 { .. }) | RawType::Sqlite(SqliteType::Boolean)
    );
    let few_labels = column.labels.is_some_and(|labels| labels <= FEW_LABELS);
    let is_enum =
        matches!(column.raw, RawType::Mysql(_)) && column.sql_type.to_ascii_lowercase().starts_with("enum");
    let is_flag = flag || column.raw.class() == Class::Boolean || settings.kind == Some(ValueType::Bool);
    is_flag || few_labels || is_enum
}
