//! How far a verification is, so that one that was stopped goes on.
//!
//! Nothing is lost without it: a file that is missing, unreadable or of another verification is a new beginning.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::VerifyOptions;
use super::tally::Counts;
use crate::load::{StateError, TableIdentity, remove, replace};
use crate::plan::Plan;
use crate::source::{Bounds, Position};

/// Raised when an older tool could misread the file.
const FORMAT: u32 = 1;

/// Where a verification notes how far it is, and of what.
#[derive(Debug, Clone)]
pub struct Notebook {
    pub path: PathBuf,
    pub table: TableIdentity,
    /// Name of the source database.
    pub database: String,
}

/// What is noted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VerifyCheckpoint {
    format: u32,
    table: Option<TableIdentity>,
    database: String,
    /// Of the entities, in their order.
    fingerprints: Vec<String>,
    sample: Option<String>,
    seed: u64,
    pub(super) snapshots: u32,
    pub(super) units: u64,
    pub(super) entities: Vec<EntityProgress>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntityProgress {
    pub(super) name: String,
    pub(super) ranges: Vec<RangeProgress>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RangeProgress {
    pub(super) bounds: Bounds,
    /// Everything up to here is checked.
    pub(super) position: Position,
    /// Pages up to the position.
    pub(super) pages: u64,
    pub(super) done: bool,
    pub(super) counts: Counts,
}

impl RangeProgress {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, position: Position::Start, pages: 0, done: false, counts: Counts::default() }
    }

    /// Which rows are wrong is not noted: where there are some, the range is read again.
    fn resumed(self) -> Self {
        if self.counts.wrong() == 0 { self } else { Self::new(self.bounds) }
    }
}

impl Notebook {
    /// An earlier verification of the same rows of the same table that has not ended.
    pub(super) fn read(&self, plan: &Plan, options: &VerifyOptions) -> Option<VerifyCheckpoint> {
        let content = fs::read(&self.path).ok()?;
        let found: VerifyCheckpoint = serde_json::from_slice(&content).ok()?;
        let expected = self.page(plan, options);
        let same =
            VerifyCheckpoint { snapshots: 0, units: 0, entities: Vec::new(), ..found.clone() } == expected;
        same.then(|| VerifyCheckpoint {
            entities: found.entities.into_iter().map(EntityProgress::resumed).collect(),
            ..found
        })
    }

    /// A new page of the notebook.
    pub(super) fn page(&self, plan: &Plan, options: &VerifyOptions) -> VerifyCheckpoint {
        VerifyCheckpoint {
            format: FORMAT,
            table: Some(self.table.clone()),
            database: self.database.clone(),
            fingerprints: plan.entities.iter().map(|entity| entity.fingerprint.clone()).collect(),
            sample: options.sample.map(|sample| sample.to_string()),
            seed: options.seed,
            snapshots: 0,
            units: 0,
            entities: Vec::new(),
        }
    }

    pub(super) fn write(&self, checkpoint: &VerifyCheckpoint) -> Result<(), StateError> {
        let content = serde_json::to_vec(checkpoint)
            .map_err(|error| StateError::disk("write", &self.path, error.into()))?;
        if let Some(folder) = self.path.parent() {
            create(folder)?;
        }
        replace(&self.path, &content)
    }

    /// The next verification begins with the first row.
    pub fn forget(&self) -> Result<(), StateError> {
        remove(&self.path)
    }
}

fn create(folder: &Path) -> Result<(), StateError> {
    fs::create_dir_all(folder).map_err(|error| StateError::disk("create the state folder", folder, error))
}

impl EntityProgress {
    fn resumed(self) -> Self {
        let ranges = self.ranges.into_iter().map(RangeProgress::resumed).collect();
        Self { name: self.name, ranges }
    }
}
