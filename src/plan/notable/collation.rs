//! Keys of texts that SQL takes for equal and DynamoDB does not.
//!
//! Within a column that is unique in SQL that harms nobody: no two of its values are equal. It matters
//! where another table refers to the column, and where the column brings rows together.

use crate::mapping::{Diagnostic, KeyType, Step, placeholder};
use crate::source::{Collation, Column, Folding, ForeignKey};

use super::{Looked, listed};
use crate::plan::uses::{Place, Use};

const CODE: &str = "collation-key";

pub(super) fn remarks(looked: &Looked<'_>) -> Vec<Diagnostic> {
    let remarks = [references(looked), gatherings(looked), own_keys(looked)];
    remarks.into_iter().flatten().collect()
}

/// Children land apart from a parent that they spell otherwise.
fn references(looked: &Looked<'_>) -> Option<Diagnostic> {
    let columns = looked.columns(|used| is_loose(used) && parent(looked, used.column).is_some());
    let first = columns.first()?;
    let parent = parent(looked, first)?;
    let message = format!(
        "keys of `{}` refer to other rows by texts whose spelling SQL does not tell apart: {}; a row that spells its parent \
         otherwise lands under another key",
        looked.name(),
        told(&columns)
    );
    let (name, table) = (&first.name, &parent.table);
    let referenced = parent.columns.iter().zip(&parent.referenced).find(|(own, _)| *own == name);
    let referenced = referenced.map_or(name, |(_, referenced)| referenced);
    let help = format!(
        "take the parent's own spelling by a join in `query` (`… JOIN {table} p ON p.{referenced} = c.{name}`), or canonicalise \
         it in the keys of both, for example `{}`",
        canonical(first)
    );
    Some(Diagnostic::warning(CODE, span(looked, &columns), message).with_help(help))
}

/// Rows that SQL groups together get different partitions.
fn gatherings(looked: &Looked<'_>) -> Option<Diagnostic> {
    let columns = looked
        .columns(|used| is_loose(used) && gathers(used) && !refers(looked, used) && !is_unique(looked, used));
    let first = columns.first()?;
    let message = format!(
        "keys of `{}` bring rows together by texts whose spelling SQL does not tell apart: {}; each spelling gets a key of \
         its own",
        looked.name(),
        told(&columns)
    );
    let help = format!("canonicalise it, for example `{}`", canonical(first));
    Some(Diagnostic::warning(CODE, span(looked, &columns), message).with_help(help))
}

/// Nothing is lost, but what finds a row in SQL may not find its item.
fn own_keys(looked: &Looked<'_>) -> Option<Diagnostic> {
    let columns = looked
        .columns(|used| is_loose(used) && gathers(used) && !refers(looked, used) && is_unique(looked, used));
    let first = columns.first()?;
    let message = format!(
        "keys of `{}` hold unique texts whose spelling SQL does not tell apart: {}; an item is found by the very bytes of \
         its row alone",
        looked.name(),
        told(&columns)
    );
    let help = format!(
        "other tables that refer to it need the same spelling in their keys; to find items by any, canonicalise it in a key \
         of an index, for example `{}`, and in what is looked up",
        canonical(first)
    );
    Some(Diagnostic::note(CODE, span(looked, &columns), message).with_help(help))
}

/// A text key whose steps leave more apart than the column's collation does.
fn is_loose(used: &Use<'_>) -> bool {
    let Some(collation) = used.column.collation.as_ref().filter(|_| used.place.key() == Some(KeyType::S))
    else {
        return false;
    };
    let folded = used.steps.iter().any(|step| matches!(step, Step::Lower | Step::Upper));
    let trimmed = used.steps.contains(&Step::Trim);
    (collation.folding != Folding::Nothing && !folded) || (collation.pads && !trimmed)
}

/// The sort key of an index only puts items in order.
fn gathers(used: &Use<'_>) -> bool {
    !matches!(used.place, Place::IndexKey { sorts: true, .. })
}

fn parent<'a>(looked: &Looked<'a>, column: &Column) -> Option<&'a ForeignKey> {
    looked.relation.foreign_keys.iter().find(|key| key.columns.contains(&column.name))
}

fn refers(looked: &Looked<'_>, used: &Use<'_>) -> bool {
    parent(looked, used.column).is_some()
}

/// Part of a key that a constraint backs, or that the mapping declares.
fn is_unique(looked: &Looked<'_>, used: &Use<'_>) -> bool {
    let name = &used.column.name;
    let declared = looked.entity.key.as_deref().unwrap_or_default();
    looked.relation.unique_keys.iter().any(|key| key.columns.contains(name))
        || declared.iter().any(|column| column.get_ref() == name)
}

fn span(looked: &Looked<'_>, columns: &[&Column]) -> crate::mapping::Span {
    let key = columns.first().and_then(|column| looked.key_span(&column.name));
    key.unwrap_or_else(|| looked.span(columns))
}

/// `` `email` (utf8mb4_general_ci: case, accents and blanks at the end do not count) ``
fn told(columns: &[&Column]) -> String {
    listed(columns, |column| {
        let collation = column.collation.as_ref();
        let words = collation.map(|found| format!("{}: {}", found.name, ignored(found)));
        format!("`{}` ({})", column.name, words.unwrap_or_default())
    })
}

fn ignored(collation: &Collation) -> &'static str {
    match (collation.folding, collation.pads) {
        (Folding::Nothing, _) => "blanks at the end do not count",
        (Folding::Case, false) => "case does not count",
        (Folding::Case, true) => "case and blanks at the end do not count",
        (Folding::Accents, false) => "case and accents may not count",
        (Folding::Accents, true) => "case, accents and blanks at the end do not count",
    }
}

/// `{email:trim|lower}`
fn canonical(column: &Column) -> String {
    let collation = column.collation.as_ref();
    let trims = collation.filter(|found| found.pads).map(|_| "trim");
    let folds = collation.filter(|found| found.folding != Folding::Nothing).map(|_| "lower");
    let steps: Vec<&str> = trims.into_iter().chain(folds).collect();
    placeholder(&column.name, &steps.join("|"))
}
