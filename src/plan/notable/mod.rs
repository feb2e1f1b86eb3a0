//! What of an entity's columns will probably reject rows, or surprise whoever reads the items: told by
//! the catalog alone, before a row is read. What only rows can tell is counted by a dry run.

mod collation;
pub(super) mod digits;
mod foreign;
pub(super) mod near;
pub(super) mod readings;

use crate::mapping::{
    ColumnChoice, Diagnostic, Entity, Origin, Span, Spanned, Template, TemplatePart, column_table,
    computed_table,
};
use crate::source::{Column, Relation, Select};

use super::Layout;
use super::uses::{Use, uses};

/// Warnings and notes about the columns that an entity uses; columns with the same one share it.
pub(super) fn remarks(
    entity: &Entity,
    relation: &Relation,
    select: &Select,
    layout: &Layout,
) -> Vec<Diagnostic> {
    let looked = Looked { entity, relation, uses: uses(select, layout) };
    let mut remarks = Vec::new();
    remarks.extend(digits::remark(&looked));
    remarks.extend(readings::remarks(&looked));
    remarks.extend(collation::remarks(&looked));
    remarks.extend(foreign::remarks(&looked));
    remarks
}

/// An entity with the uses of its columns.
struct Looked<'a> {
    entity: &'a Entity,
    relation: &'a Relation,
    uses: Vec<Use<'a>>,
}

impl<'a> Looked<'a> {
    /// The columns with such a use, each once, in the order of their first.
    fn columns(&self, is_meant: impl Fn(&Use<'a>) -> bool) -> Vec<&'a Column> {
        let mut columns: Vec<&'a Column> = Vec::new();
        for used in self.uses.iter().filter(|used| is_meant(used)) {
            if !columns.iter().any(|column| column.name == used.column.name) {
                columns.push(used.column);
            }
        }
        columns
    }

    fn name(&self) -> &'a str {
        self.entity.name.get_ref()
    }

    fn column_table(&self, column: &Column) -> String {
        column_table(self.name(), &column.name)
    }

    fn computed_table(&self) -> String {
        computed_table(self.name())
    }

    /// Where the mapping speaks of a column, else of the entity.
    fn span(&self, columns: &[&Column]) -> Span {
        let named = columns.first().and_then(|column| {
            self.settings_span(&column.name)
                .or_else(|| self.listed_span(&column.name))
                .or_else(|| self.key_span(&column.name))
        });
        named.unwrap_or_else(|| self.entity.name.span())
    }

    fn settings_span(&self, column: &str) -> Option<Span> {
        let mut names = self.entity.column_settings.iter().map(|(name, _)| name);
        names.find(|name| name.get_ref() == column).map(Spanned::span)
    }

    fn listed_span(&self, column: &str) -> Option<Span> {
        let listed = match &self.entity.columns {
            ColumnChoice::List(names) => names.as_slice(),
            ColumnChoice::All | ColumnChoice::Except(_) => &[],
        };
        let renamed = self.entity.attributes.iter().filter_map(|attribute| match &attribute.origin {
            Origin::Column(name) => Some(name),
            Origin::Template(_) | Origin::Value(_) => None,
        });
        listed.iter().chain(renamed).find(|name| name.get_ref() == column).map(Spanned::span)
    }

    /// The first placeholder of a column in a template, those of keys first.
    fn key_span(&self, column: &str) -> Option<Span> {
        let entries = self.entity.indexes.iter().flat_map(|entry| entry.pk.iter().chain(&entry.sk));
        let attributes = self.entity.attributes.iter().filter_map(|attribute| match &attribute.origin {
            Origin::Template(template) => Some(template),
            Origin::Column(_) | Origin::Value(_) => None,
        });
        let keys = std::iter::once(&self.entity.pk).chain(&self.entity.sk).chain(entries);
        keys.chain(attributes).find_map(|template| mention(template, column))
    }
}

fn mention(template: &Template, wanted: &str) -> Option<Span> {
    template.parts.iter().find_map(|part| match part {
        TemplatePart::Placeholder { column, span, .. } if column == wanted => Some(span.clone()),
        TemplatePart::Placeholder { .. } | TemplatePart::Literal(_) => None,
    })
}

/// `` `total` (numeric(50,2)), `tax` (money: numeric(40,4)) ``
fn typed(columns: &[&Column]) -> String {
    listed(columns, |column| {
        let domain = column.domain.as_ref().map(|domain| format!(": {domain}")).unwrap_or_default();
        format!("`{}` ({}{domain})", column.name, column.sql_type)
    })
}

/// Columns in words, not too many of them.
fn listed(columns: &[&Column], words: impl Fn(&Column) -> String) -> String {
    let words: Vec<String> = columns.iter().map(|column| words(column)).collect();
    super::scope::list(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
