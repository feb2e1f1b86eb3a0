//! How far a verification is, so that one that was stopped goes on.
//!
//! Nothing is lost without it: a file that is missing, unreadable or of another verification is a new beginning.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::{Timestamp, Unit};
use serde::{Deserialize, Serialize};

use super::VerifyOptions;
use super::tally::Counts;
use crate::load::{StateError, TableIdentity, remove, replace};
use crate::plan::Plan;
use crate::source::{Bounds, Position};

/// Raised when an older tool could misread the file.
const FORMAT: u32 = 1;

/// Its name in the state folder.
const NOTEBOOK: &str = "verify.json";

/// Where a verification notes how far it is, and of what.
#[derive(Debug, Clone)]
pub struct Notebook {
    pub folder: PathBuf,
    /// What it is for, such as `repair`: only the same is gone on with, since what is checked may have changed.
    pub purpose: String,
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
    purpose: String,
    /// When its first part began.
    pub(super) since: String,
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

    fn is_begun(&self) -> bool {
        self.done || self.pages > 0
    }

    /// Which rows are wrong is not noted: where there are some, the range is read again.
    fn resumed(self) -> Self {
        if self.counts.wrong() == 0 { self } else { Self::new(self.bounds) }
    }
}

impl Notebook {
    /// When the verification began that would be gone on with.
    pub fn since(&self, plan: &Plan, options: &VerifyOptions) -> Option<String> {
        self.read(plan, options).map(|found| found.since)
    }

    /// An earlier verification of the same rows of the same table that has not ended.
    pub(super) fn read(&self, plan: &Plan, options: &VerifyOptions) -> Option<VerifyCheckpoint> {
        let content = fs::read(self.path()).ok()?;
        let found: VerifyCheckpoint = serde_json::from_slice(&content).ok()?;
        let expected = self.page(plan, options);
        let begun = |page: &VerifyCheckpoint| VerifyCheckpoint {
            since: String::new(),
            snapshots: 0,
            units: 0,
            entities: Vec::new(),
            ..page.clone()
        };
        let same = begun(&found) == begun(&expected);
        let resumed = same.then(|| VerifyCheckpoint {
            entities: found.entities.into_iter().map(EntityProgress::resumed).collect(),
            ..found
        });
        // Where nothing is left of it there is nothing to go on with.
        resumed.filter(|page| {
            page.entities.iter().flat_map(|entity| &entity.ranges).any(RangeProgress::is_begun)
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
            purpose: self.purpose.clone(),
            since: Timestamp::now().round(Unit::Second).unwrap_or_default().to_string(),
            snapshots: 0,
            units: 0,
            entities: Vec::new(),
        }
    }

    pub(super) fn write(&self, checkpoint: &VerifyCheckpoint) -> Result<(), StateError> {
        let content = serde_json::to_vec(checkpoint)
            .map_err(|error| StateError::disk("write", &self.path(), error.into()))?;
        create(&self.folder)?;
        replace(&self.path(), &content)
    }

    /// The next verification begins with the first row.
    pub fn forget(&self) -> Result<(), StateError> {
        Notebook::forget_in(&self.folder)
    }

    /// What was checked is not what is there any more.
    pub fn forget_in(folder: &Path) -> Result<(), StateError> {
        remove(&folder.join(NOTEBOOK))
    }

    fn path(&self) -> PathBuf {
        self.folder.join(NOTEBOOK)
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
