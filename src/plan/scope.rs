//! The columns that an entity can name, and which of them its SELECT reads.

use std::collections::{BTreeMap, BTreeSet};

use crate::mapping::{Diagnostic, Entity, Span, ValueSettings, closest};
use crate::source::{Column, Output, Relation, RelationKind};

use super::ColumnPlan;

/// Names shown in a list at most.
const LISTED: usize = 30;

/// A column of the relation or a `let`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) column: &'a Column,
    /// The SQL of a `let`.
    pub(super) sql: Option<&'a str>,
    /// Position among the relation's columns, then the computed ones.
    id: usize,
}

/// Looks names up and collects the outputs of the SELECT, each once, in order of first use.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) entity: &'a Entity,
    pub(super) relation: &'a Relation,
    outputs: Vec<Output>,
    places: BTreeMap<usize, usize>,
    carried: BTreeSet<usize>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(entity: &'a Entity, relation: &'a Relation) -> Self {
        Self { entity, relation, outputs: Vec::new(), places: BTreeMap::new(), carried: BTreeSet::new() }
    }

    /// All columns, those of `let` last.
    pub(super) fn all(&self) -> impl Iterator<Item = Found<'a>> + use<'a> {
        let plain = self.relation.columns.iter().map(|column| (column, None));
        let sql = self.entity.computed.iter().map(|computed| Some(computed.sql.get_ref().as_str()));
        let all = plain.chain(self.relation.computed.iter().zip(sql));
        all.enumerate().map(|(id, (column, sql))| Found { column, sql, id })
    }

    pub(super) fn find(&self, name: &str) -> Option<Found<'a>> {
        self.all().find(|found| found.column.name == name)
    }

    /// The column called `name`, or a mistake at `span`.
    pub(super) fn require(
        &self,
        name: &str,
        span: &Span,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Found<'a>> {
        let mut matches = self.all().filter(|found| found.column.name == name);
        let Some(found) = matches.next() else {
            findings.push(self.unknown(name, span));
            return None;
        };
        if matches.next().is_some() {
            let message =
                format!("`{name}` is ambiguous: `{}` has more than one column of that name", self.name());
            let help = "give each column a name of its own in the SELECT or in `let`";
            findings.push(Diagnostic::error("ambiguous-column", span.clone(), message).with_help(help));
            return None;
        }
        Some(found)
    }

    fn unknown(&self, name: &str, span: &Span) -> Diagnostic {
        let names: Vec<&str> = self.all().map(|found| found.column.name.as_str()).collect();
        let guess = closest(name, names.iter().copied());
        let guess = guess.map(|guess| format!("did you mean `{guess}`? ")).unwrap_or_default();
        let help = format!("{guess}columns of `{}`: {}", self.name(), list(&names));
        let message = format!("no column `{name}` in the rows of `{}`", self.name());
        Diagnostic::error("unknown-column", span.clone(), message).with_help(help)
    }

    /// Whether the database says that a column holds NULL. Of a view, a query or an expression it says
    /// nothing: that is no.
    pub(super) fn may_be_null(&self, found: Found<'_>) -> bool {
        let known = match self.relation.kind {
            RelationKind::Table | RelationKind::Partitioned | RelationKind::Inherited => found.sql.is_none(),
            RelationKind::View | RelationKind::Query => false,
        };
        known && found.column.nullable
    }

    /// Position of the column among the outputs, for the source key: read, but not carried.
    pub(super) fn place(&mut self, found: Found<'_>) -> usize {
        if let Some(place) = self.places.get(&found.id) {
            return *place;
        }
        let column = found.column.clone();
        self.places.insert(found.id, self.outputs.len());
        self.output(match found.sql {
            None => Output::Column(column),
            Some(sql) => Output::Computed { column, sql: sql.to_owned() },
        })
    }

    /// As [`Self::place`], for what reaches the item.
    pub(super) fn carry(&mut self, found: Found<'_>) -> usize {
        self.carried.insert(found.id);
        self.place(found)
    }

    pub(super) fn condition(&mut self, sql: &str) -> usize {
        self.output(Output::Condition { sql: sql.to_owned() })
    }

    fn output(&mut self, output: Output) -> usize {
        self.outputs.push(output);
        self.outputs.len() - 1
    }

    pub(super) fn column_settings(&self, name: &str) -> Option<&'a ValueSettings> {
        let mut settings = self.entity.column_settings.iter();
        settings.find(|(column, _)| column.get_ref() == name).map(|(_, settings)| settings)
    }

    /// The columns that no key and no attribute holds.
    pub(super) fn unused(&self) -> Vec<&'a str> {
        let unused = self.all().filter(|found| !self.carried.contains(&found.id));
        unused.map(|found| found.column.name.as_str()).collect()
    }

    pub(super) fn name(&self) -> &'a str {
        self.entity.name.get_ref()
    }

    pub(super) fn finish(self) -> (Vec<Output>, Vec<ColumnPlan>) {
        let plans = self.outputs.iter().map(column_plan).collect();
        (self.outputs, plans)
    }
}

fn column_plan(output: &Output) -> ColumnPlan {
    match output {
        Output::Column(column) | Output::Computed { column, .. } => {
            ColumnPlan { name: column.name.clone(), raw: Some(column.raw.clone()) }
        }
        Output::Condition { sql } => ColumnPlan { name: sql.clone(), raw: None },
    }
}

/// Names with commas between, not too many of them.
pub(super) fn list(names: &[&str]) -> String {
    let shown = names.get(..LISTED).unwrap_or(names).join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
