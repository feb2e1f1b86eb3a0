//! Looks a batch up and compares what the target holds with what the source says.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value as Json;

use super::VerifyOptions;
use super::batch::{Batch, Place, SourceKey, Wanted, units_of};
use super::equality::{Malformed, braced, differences, same};
use super::lookup::{LookupError, Pace, fetch};
use super::repair::Mend;
use crate::load::{Pacer, Units};
use crate::report::Difference;
use crate::target::{Lookup, TargetError};

/// Why the load has no item for a row (entity name, source key); `None` where it should have one.
pub type Excuse = Arc<dyn Fn(&str, &[(String, String)]) -> Option<Excused> + Send + Sync>;

/// A row without an item of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excused {
    /// The load has rejected it.
    Rejected,
    /// `on_collision` chose another row.
    Skipped,
}

/// The table deletes items whose time to live has passed.
#[derive(Debug, Clone)]
pub struct Expiry {
    pub attribute: String,
}

/// How rows are looked up, and what decides about them besides their items.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) excuse: Option<Excuse>,
    pub(super) expiry: Option<Expiry>,
    pub(super) show_values: bool,
    /// Differences to describe of one batch.
    pub(super) differences: usize,
    pub(super) pace: Pace,
    pub(super) pacer: Arc<Pacer>,
    pub(super) mend: Option<Arc<dyn Mend>>,
    /// Entities of which nothing is to be mended, see `rivals`.
    pub(super) shared: HashSet<usize>,
}

impl Rules {
    pub(super) fn of(options: &VerifyOptions) -> Self {
        Self {
            excuse: options.excuse.clone(),
            expiry: options.expiry.clone(),
            show_values: options.show_values,
            differences: options.differences_per_entity,
            pace: Pace::default(),
            pacer: Arc::new(Pacer::new(&options.pace)),
            mend: options.mend.clone(),
            shared: HashSet::new(),
        }
    }
}

impl Rules {
    pub(super) fn has_expired(&self, wire: &[u8]) -> bool {
        self.expiry.as_ref().is_some_and(|expiry| expiry.has_passed(wire))
    }
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
    /// Of the page.
    pub(super) place: Place,
    pub(super) matching: usize,
    pub(super) expired: usize,
    /// Rows whose item is missing or another one because the load left them out.
    pub(super) rejected: usize,
    pub(super) skipped: usize,
    pub(super) suspects: Vec<Suspect>,
    /// Read units of the requests.
    pub(super) units: u64,
}

/// A row whose item is missing or differs.
#[derive(Debug, Clone)]
pub(super) struct Suspect {
    pub(super) entity: usize,
    pub(super) place: Place,
    pub(super) source_key: SourceKey,
    /// The members of its item's key.
    pub(super) key: Vec<u8>,
    pub(super) missing: bool,
    /// Of the first ones only.
    pub(super) difference: Option<Difference>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum CheckError {
    #[error(transparent)]
    Lookup(#[from] LookupError),
    #[error("the item built for the row with {source_key}: {malformed}")]
    Built { source_key: String, malformed: Malformed },
}

/// Every wrong row is read a second time before it is suspected.
pub(super) async fn check<L: Lookup>(
    target: &L,
    entity: &str,
    batch: &Batch,
    rules: &Rules,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
) -> Result<Checked, CheckError> {
    let mut checked = Checked { entity: batch.held.entity, place: batch.held.place, ..Checked::default() };
    let all: Vec<Wanted<'_>> = batch.wanted().collect();
    let rows = all.len();
    let mut suspects = Vec::new();
    for wrong in look(target, all, rules, slowed, &mut checked.units).await? {
        let excused = rules.excuse.as_ref().and_then(|excuse| excuse(entity, &wrong.row.source_key()));
        match excused {
            Some(Excused::Rejected) => checked.rejected += 1,
            Some(Excused::Skipped) => checked.skipped += 1,
            None => suspects.push(wrong.row),
        }
    }
    for wrong in look(target, suspects, rules, slowed, &mut checked.units).await? {
        let missing = wrong.found.is_none();
        if missing && rules.has_expired(wrong.row.wire()) {
            checked.expired += 1;
            continue;
        }
        let difference = match checked.suspects.len() < rules.differences {
            true => Some(wrong.describe(rules)?),
            false => None,
        };
        checked.suspects.push(Suspect {
            entity: batch.held.entity,
            place: wrong.row.place(),
            source_key: wrong.row.source_key(),
            key: wrong.row.key().to_vec(),
            missing,
            difference,
        });
    }
    let others = checked.suspects.len() + checked.expired + checked.rejected + checked.skipped;
    checked.matching = rows - others;
    look_for_absent(target, batch, rules, slowed, &mut checked).await?;
    Ok(checked)
}

/// Rows that are rejected should have no item.
async fn look_for_absent<L: Lookup>(
    target: &L,
    batch: &Batch,
    rules: &Rules,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
    checked: &mut Checked,
) -> Result<(), CheckError> {
    if batch.absent.is_empty() {
        return Ok(());
    }
    let keys: Vec<&[u8]> = batch.absent.iter().map(|row| row.key.as_slice()).collect();
    let stored = fetch(target, &keys, rules.pace, slowed).await?;
    let units = units_of(&stored);
    checked.units += units;
    rules.pacer.take(&Units { table: units, indexes: Vec::new() }).await;
    for (row, found) in batch.absent.iter().zip(stored) {
        let Some(found) = found else {
            checked.rejected += 1;
            continue;
        };
        let key = braced(&row.key);
        let difference = describe(&key, Some(&found), &row.key, row.source_key.clone(), rules.show_values)
            .map_err(LookupError::from)?;
        checked.suspects.push(Suspect {
            entity: batch.held.entity,
            place: row.place,
            source_key: row.source_key.clone(),
            key: row.key.clone(),
            missing: false,
            difference: Some(Difference { why: Some(STALE.to_owned()), ..difference }),
        });
    }
    Ok(())
}

const STALE: &str = "the row is rejected, and the table has an item of what it was before";

/// A row whose item is missing or differs.
struct Wrong<'a> {
    row: Wanted<'a>,
    found: Option<Arc<Vec<u8>>>,
}

/// The rows that are wrong, in their order.
async fn look<'a, L: Lookup>(
    target: &L,
    rows: Vec<Wanted<'a>>,
    rules: &Rules,
    slowed: &(dyn Fn(&TargetError) + Send + Sync),
    units: &mut u64,
) -> Result<Vec<Wrong<'a>>, CheckError> {
    let asked: u64 = rows.iter().map(Wanted::units).sum();
    *units += asked;
    rules.pacer.take(&Units { table: asked, indexes: Vec::new() }).await;
    let keys: Vec<&[u8]> = rows.iter().map(Wanted::key).collect();
    let stored = fetch(target, &keys, rules.pace, slowed).await?;
    let mut wrong = Vec::new();
    for (row, found) in rows.into_iter().zip(stored) {
        let is_same = match &found {
            Some(found) => same(row.wire(), found).map_err(|malformed| row.malformed(malformed, found))?,
            None => false,
        };
        if !is_same {
            wrong.push(Wrong { row, found });
        }
    }
    Ok(wrong)
}

impl Wanted<'_> {
    /// Whose fault it is that two items cannot be compared.
    fn malformed(&self, malformed: Malformed, found: &[u8]) -> CheckError {
        match differences(b"{}", found) {
            Err(malformed) => LookupError::from(malformed).into(),
            Ok(_) => CheckError::Built { source_key: self.name(), malformed },
        }
    }

    fn name(&self) -> String {
        let parts: Vec<String> =
            self.source_key().iter().map(|(name, value)| format!("{name}={value}")).collect();
        parts.join(", ")
    }
}

impl Wrong<'_> {
    fn describe(&self, rules: &Rules) -> Result<Difference, CheckError> {
        let found = self.found.as_ref().map(|found| found.as_slice());
        describe(self.row.wire(), found, self.row.key(), self.row.source_key(), rules.show_values)
            .map_err(|malformed| self.row.malformed(malformed, found.unwrap_or(b"{}")))
    }
}

/// What differs, for the report.
pub(super) fn describe(
    expected: &[u8],
    found: Option<&[u8]>,
    key: &[u8],
    source_key: SourceKey,
    show_values: bool,
) -> Result<Difference, Malformed> {
    let mut attributes = match found {
        Some(found) => differences(expected, found)?,
        None => Vec::new(),
    };
    if show_values {
        let (expected, found) = (json(expected), found.map(json));
        for attribute in &mut attributes {
            attribute.expected = expected.get(&attribute.name).cloned();
            attribute.found = found.as_ref().and_then(|item| item.get(&attribute.name)).cloned();
        }
    }
    Ok(Difference {
        key: json(&braced(key)),
        source_key: source_key.into_iter().collect(),
        attributes,
        repair: None,
        why: None,
    })
}

/// For people only; what was compared are the bytes.
fn json(wire: &[u8]) -> Json {
    serde_json::from_slice(wire).unwrap_or_default()
}

/// Items whose time passed longer ago than this are not deleted (developer guide, TTL).
const TOO_OLD: u64 = 5 * 365 * 86_400;

impl Expiry {
    /// Whether the service may have deleted the item by now.
    pub(super) fn has_passed(&self, wire: &[u8]) -> bool {
        let time = json(wire).get(&self.attribute).and_then(|value| value.get("N")?.as_str()?.parse().ok());
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map(|now| now.as_secs()).unwrap_or_default();
        time.is_some_and(|time: u64| time <= now && now - time < TOO_OLD)
    }
}

#[cfg(test)]
mod tests;
