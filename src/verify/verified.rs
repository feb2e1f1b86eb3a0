//! What a verification has found, and what became of it when it was looked at once more.

use std::collections::BTreeMap;
use std::time::Duration;

use indexmap::IndexMap;

use super::VerifyEvent;
use super::batch::Place;
use super::confirm::{Confirmed, Reconsidered, Verdict};
use super::suspects::Suspects;
use crate::report::{
    Difference, Outcome, PatternReport, RepairReport, SampleReport, VerifiedEntity, VerifyReport,
};

/// What was found, in the order of the plan's entities.
#[derive(Debug)]
pub struct Verified {
    pub entities: IndexMap<String, VerifiedEntity>,
    /// What [`super::ask_patterns`] found.
    pub patterns: Vec<PatternReport>,
    pub elapsed: Duration,
    /// Stopped before the end.
    pub interrupted: bool,
    /// Every row was checked, even where it was stopped later.
    pub checked_all: bool,
    pub sample: Option<SampleReport>,
    /// Of the source, those of the verification that this one went on from included.
    pub snapshots: u32,
    /// Read units of the requests.
    pub units: u64,
    /// Where wrong rows were to be repaired.
    pub repair: Option<RepairReport>,
    /// Rows to be read once more.
    pub(super) suspects: Suspects,
    /// By entity, the rows that are shown as wrong.
    pub(super) shown: Vec<BTreeMap<Place, Difference>>,
    pub(super) shows: usize,
}

impl Verified {
    /// Rows that are wrong, and are to be read once more before that is said.
    pub fn suspects(&self) -> u64 {
        self.suspects.rows
    }

    /// Rows that were found wrong, whatever became of them.
    fn wrong(&self) -> u64 {
        self.entities.values().map(|entity| entity.missing + entity.different).sum()
    }

    pub(super) fn reconsidered(&mut self, news: Reconsidered, observe: &(dyn Fn(VerifyEvent) + Send + Sync)) {
        let Confirmed { entity, place, was_missing, verdict, became } = match news {
            Reconsidered::Slowed(reason) => return observe(VerifyEvent::Slowed { reason }),
            Reconsidered::Read(units) => return self.units += units,
            Reconsidered::Row(confirmed) => *confirmed,
        };
        let (Some((_, counts)), Some(shown)) =
            (self.entities.get_index_mut(entity), self.shown.get_mut(entity))
        else {
            return;
        };
        if let (Some(became), Some(report)) = (&became, &mut self.repair) {
            report.count(became);
        }
        let was = if was_missing { &mut counts.missing } else { &mut counts.different };
        *was = was.saturating_sub(1);
        let difference = match verdict {
            Verdict::Moved => {
                counts.moved += 1;
                shown.remove(&place);
                None
            }
            Verdict::Rejected => {
                counts.rejected += 1;
                shown.remove(&place);
                None
            }
            Verdict::Expired => {
                counts.expired += 1;
                shown.remove(&place);
                None
            }
            Verdict::Missing(difference) => {
                counts.missing += 1;
                difference
            }
            Verdict::Different(difference) => {
                counts.different += 1;
                difference
            }
        };
        if let Some(difference) = difference {
            shown.insert(place, difference);
            while shown.len() > self.shows {
                // What is mended can do without being named.
                let mended = |(_, difference): &(&Place, &Difference)| {
                    matches!(difference.repair, Some("put" | "replaced"))
                };
                match shown.iter().rev().find(mended).map(|(place, _)| *place) {
                    Some(place) => shown.remove(&place),
                    None => shown.pop_last().map(|(_, last)| last),
                };
            }
        }
    }

    pub fn outcome(&self) -> Outcome {
        if self.interrupted {
            return Outcome::Interrupted;
        }
        if self.patterns.iter().any(PatternReport::is_wrong) {
            return Outcome::Differences;
        }
        match self.entities.values().any(VerifiedEntity::is_wrong) {
            true if self.repair.as_ref().is_some_and(|repair| repair.is_all(self.wrong())) => {
                Outcome::Repaired
            }
            true => Outcome::Differences,
            false => Outcome::Done,
        }
    }

    /// The document of `migrate verify --json`.
    pub fn report(self, table: &str) -> VerifyReport {
        let outcome = self.outcome();
        let entities = self.entities.into_iter().zip(self.shown).map(|((name, mut entity), shown)| {
            entity.differences = shown.into_values().collect();
            (name, entity)
        });
        VerifyReport {
            command: "verify",
            outcome,
            table: table.to_owned(),
            sample: self.sample,
            snapshots: self.snapshots,
            checked_all: self.checked_all,
            entities: entities.collect(),
            orphans: None,
            repair: self.repair.map(RepairReport::ended),
            time_to_live: None,
            access_patterns: self.patterns,
            rcu: self.units,
            elapsed_seconds: self.elapsed.as_secs_f64(),
            error: None,
        }
    }
}
