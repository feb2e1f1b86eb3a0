//! Looks a batch up and compares what the target holds with what the source says.

use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;

use super::batch::{Batch, Place, Wanted};
use super::equality::{Item, Malformed, braced};
use super::lookup::{LookupError, Pace, Stored, fetch};
use super::repair::{Became, Mend, MendError, WrongRow};
use crate::report::{AttributeDifference, Difference, RepairReport};
use crate::target::{Lookup, TargetError};

/// Tells whether the load has rejected a row at run time (entity name, source key).
pub type Excused = Arc<dyn Fn(&str, &[(String, String)]) -> bool + Send + Sync>;

/// How rows are looked up, and what decides about them besides their items.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) excused: Option<Excused>,
    pub(super) mend: Option<Arc<dyn Mend>>,
    pub(super) show_values: bool,
    /// Differences to keep of one batch.
    pub(super) differences: usize,
    pub(super) pace: Pace,
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules").field("show_values", &self.show_values).finish_non_exhaustive()
    }
}

/// What was found about the rows of a batch, each counted once.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) entity: usize,
    pub(super) matching: usize,
    pub(super) missing: usize,
    pub(super) different: usize,
    /// Rows that are wrong in the target because the load had rejected them.
    pub(super) excused: usize,
    /// What became of the wrong rows, where they are repaired.
    pub(super) repair: RepairReport,
    /// The first wrong rows.
    pub(super) differences: Vec<(Place, Difference)>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum CheckError {
    #[error(transparent)]
    Lookup(#[from] LookupError),
    #[error(transparent)]
    Mend(#[from] MendError),
    #[error("the item built for the row with {source_key}: {malformed}")]
    Built { source_key: String, malformed: Malformed },
}

/// Every wrong row is read a second time before it counts as missing or different.
pub(super) async fn check<L: Lookup>(
    target: &L,
    entity: &str,
    batch: &Batch,
    rules: &Rules,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
) -> Result<Checked, CheckError> {
    let all: Vec<&Wanted> = batch.rows.iter().collect();
    let suspects = look(target, all, rules.pace, slowed).await?;
    let is_excused = |row: &Wanted| rules.excused.as_ref().is_some_and(|rule| rule(entity, &row.source_key));
    let (excused, suspects): (Vec<_>, Vec<_>) =
        suspects.into_iter().map(|wrong| wrong.row).partition(|row| is_excused(row));
    let wrong = look(target, suspects, rules.pace, slowed).await?;
    let became = mended(entity, &wrong, rules, slowed).await?;
    let repair = RepairReport::of(became.iter().flatten());
    let wrong: Vec<_> = wrong.iter().zip(became).filter(|(_, one)| *one != Some(Became::Right)).collect();
    let missing = wrong.iter().filter(|(wrong, _)| wrong.found.is_none()).count();
    Ok(Checked {
        entity: batch.entity,
        matching: batch.rows.len() - excused.len() - wrong.len(),
        missing,
        different: wrong.len() - missing,
        excused: excused.len(),
        repair,
        differences: wrong
            .iter()
            .take(rules.differences)
            .map(|(wrong, became)| wrong.describe(became.as_ref(), rules))
            .collect(),
    })
}

/// What became of each wrong row; of none where nothing is to be repaired.
async fn mended(
    entity: &str,
    wrong: &[Wrong<'_>],
    rules: &Rules,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
) -> Result<Vec<Option<Became>>, MendError> {
    let Some(mend) = rules.mend.as_ref().filter(|_| !wrong.is_empty()) else {
        return Ok(vec![None; wrong.len()]);
    };
    let row = |wrong| {
        let Wrong { row, found, .. }: &Wrong<'_> = wrong;
        let found = found.as_ref().map(|found| found.wire.as_slice());
        WrongRow { source_key: &row.source_key, key: &row.key, expected: &row.wire, found }
    };
    let rows: Vec<WrongRow<'_>> = wrong.iter().map(row).collect();
    Ok(mend.mend(entity, &rows, slowed).await?.into_iter().map(Some).collect())
}

/// A row whose item is missing or differs.
struct Wrong<'a> {
    row: &'a Wanted,
    found: Option<Arc<Stored>>,
    attributes: Vec<AttributeDifference>,
}

/// The rows that are wrong, in their order.
async fn look<'a, L: Lookup>(
    target: &L,
    rows: Vec<&'a Wanted>,
    pace: Pace,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
) -> Result<Vec<Wrong<'a>>, CheckError> {
    let keys: Vec<&[u8]> = rows.iter().map(|row| row.key.as_slice()).collect();
    let stored = fetch(target, &keys, pace, slowed).await?;
    let mut wrong = Vec::new();
    for (row, found) in rows.into_iter().zip(stored) {
        let expected = Item::parse(&row.wire)
            .map_err(|malformed| CheckError::Built { source_key: name(row), malformed })?;
        let attributes = found.as_ref().map(|found| expected.differences(&found.item));
        if attributes.as_ref().is_none_or(|attributes| !attributes.is_empty()) {
            wrong.push(Wrong { row, found, attributes: attributes.unwrap_or_default() });
        }
    }
    Ok(wrong)
}

fn name(row: &Wanted) -> String {
    let parts: Vec<String> = row.source_key.iter().map(|(name, value)| format!("{name}={value}")).collect();
    parts.join(", ")
}

impl Wrong<'_> {
    fn describe(&self, became: Option<&Became>, rules: &Rules) -> (Place, Difference) {
        let mut attributes = self.attributes.clone();
        if rules.show_values {
            let (expected, found) =
                (json(&self.row.wire), self.found.as_ref().map(|found| json(&found.wire)));
            for attribute in &mut attributes {
                attribute.expected = expected.get(&attribute.name).cloned();
                attribute.found = found.as_ref().and_then(|item| item.get(&attribute.name)).cloned();
            }
        }
        let source_key = self.row.source_key.iter().cloned().collect();
        let key = json(&braced(&self.row.key));
        let repair = became.map(Became::outcome);
        let why = became.and_then(Became::why).map(str::to_owned);
        (self.row.place, Difference { key, source_key, attributes, repair, why })
    }
}

/// For people only; what was compared are the bytes.
fn json(wire: &[u8]) -> Json {
    serde_json::from_slice(wire).unwrap_or_default()
}

#[cfg(test)]
mod tests;
