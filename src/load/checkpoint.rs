//! The checkpoint: how far every range of every entity is written, and of which mapping.
//!
//! Two lines: a header with format version and checksum, then the body as JSON. A missing file is a
//! new load; an unreadable or foreign one stops the run and is left as it is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::state::{CHECKPOINT, PREVIOUS};
use super::tally::Tally;
use crate::plan::{FingerprintParts, Plan, describe_difference};
use crate::source::{Bounds, Position};

/// Version of the body's shape; raised when an older tool could misread it.
const FORMAT: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    pub table: TableIdentity,
    /// Name of the source database.
    pub database: String,
    /// Snapshots of the source used so far.
    pub snapshots: u32,
    /// Whether every snapshot was one state of the whole source; `None` before the first.
    pub consistent: Option<bool>,
    pub entities: Vec<EntityCheckpoint>,
}

/// Which table the items went to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableIdentity {
    pub name: String,
    /// TableId of DescribeTable: another table of the same name has another.
    pub id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityCheckpoint {
    pub name: String,
    pub fingerprint: String,
    /// Hashes of what the fingerprint is made of, to say what changed.
    pub parts: FingerprintParts,
    /// Empty until the key space has been cut.
    pub ranges: Vec<RangeCheckpoint>,
    /// The keys were counted: rows that share theirs are in the losers' file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counted: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RangeCheckpoint {
    pub bounds: Bounds,
    /// Everything up to here is acknowledged or in the rejects file.
    pub position: Position,
    /// Pages up to the position.
    pub pages: u64,
    /// Set only by a clean end of the range's rows.
    pub done: bool,
    pub tally: Tally,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    dynamigrate_checkpoint: u32,
    sha256: String,
}

#[derive(Debug, Error)]
pub enum CheckpointError {
    #[error("read the checkpoint {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("the checkpoint {path} is damaged: {why}")]
    Damaged { path: PathBuf, why: String, previous: Option<PathBuf> },
    #[error("the checkpoint {path} was written by a newer migrate (format {format})")]
    Newer { path: PathBuf, format: u32 },
    #[error("the checkpoint is of another {what}: it says {recorded}, this run has {now}")]
    Foreign { what: &'static str, recorded: String, now: String },
    #[error("the checkpoint is of a table `{table}` that is not there")]
    TableGone { table: String },
    #[error(
        "the mapping of {} has changed since the checkpoint was written: {}",
        names(entities),
        parts(entities)
    )]
    Changed { entities: Vec<ChangedEntity> },
}

/// An entity that is not what it was, and what of it.
#[derive(Debug)]
pub struct ChangedEntity {
    pub name: String,
    pub parts: String,
}

/// `` `Supplier`, `Shipper` ``
fn names(entities: &[ChangedEntity]) -> String {
    entities.iter().map(|entity| format!("`{}`", entity.name)).collect::<Vec<_>>().join(", ")
}

/// `Supplier: where; Shipper: pk`, and of one entity alone its parts.
fn parts(entities: &[ChangedEntity]) -> String {
    match entities {
        [only] => only.parts.clone(),
        _ => {
            let each = entities.iter().map(|entity| format!("{}: {}", entity.name, entity.parts));
            each.collect::<Vec<_>>().join("; ")
        }
    }
}

impl Checkpoint {
    pub fn new(table: TableIdentity, database: String) -> Self {
        Self { table, database, snapshots: 0, consistent: None, entities: Vec::new() }
    }

    /// The checkpoint of a state folder; `None` when there is none.
    pub fn read(folder: &Path) -> Result<Option<Self>, CheckpointError> {
        let path = folder.join(CHECKPOINT);
        match fs::read(&path) {
            Ok(content) => Self::parse(&content, &path).map(Some),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(CheckpointError::Read { path, source }),
        }
    }

    fn parse(content: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        let damaged = |why: String| CheckpointError::Damaged {
            path: path.to_owned(),
            why,
            previous: Some(path.with_file_name(PREVIOUS)).filter(|previous| previous.exists()),
        };
        let mut lines = content.splitn(2, |byte| *byte == b'\n');
        let (header, body) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let header: Header =
            serde_json::from_slice(header).map_err(|_| damaged("its first line is no header".into()))?;
        if header.dynamigrate_checkpoint > FORMAT {
            return Err(CheckpointError::Newer {
                path: path.to_owned(),
                format: header.dynamigrate_checkpoint,
            });
        }
        if header.sha256 != sha256(body) {
            return Err(damaged("its checksum does not match".into()));
        }
        serde_json::from_slice(body).map_err(|e| damaged(e.to_string()))
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let body = serde_json::to_vec(self)?;
        let mut content =
            serde_json::to_vec(&Header { dynamigrate_checkpoint: FORMAT, sha256: sha256(&body) })?;
        content.push(b'\n');
        content.extend_from_slice(&body);
        Ok(content)
    }

    /// Refuses a checkpoint of another table, database or mapping. Entities that only the plan has
    /// are fine: they are new.
    pub fn must_match(
        &self,
        plan: &Plan,
        table: &TableIdentity,
        database: &str,
    ) -> Result<(), CheckpointError> {
        let foreign = |what, recorded: &str, now: &str| {
            Err(CheckpointError::Foreign { what, recorded: recorded.to_owned(), now: now.to_owned() })
        };
        if self.table.name != table.name {
            return foreign("table", &self.table.name, &table.name);
        }
        if let (Some(recorded), Some(now)) = (&self.table.id, &table.id)
            && recorded != now
        {
            return foreign("table of the same name (TableId)", recorded, now);
        }
        if self.database != database {
            return foreign("source database", &self.database, database);
        }
        let changed = plan.entities.iter().filter_map(|entity| {
            let recorded = self.entity(&entity.name)?;
            (recorded.fingerprint != entity.fingerprint).then(|| ChangedEntity {
                name: entity.name.clone(),
                parts: describe_difference(&recorded.parts, &entity.fingerprint_parts)
                    .unwrap_or_else(|| "its fingerprint".to_owned()),
            })
        });
        let entities: Vec<_> = changed.collect();
        if entities.is_empty() { Ok(()) } else { Err(CheckpointError::Changed { entities }) }
    }

    pub fn entity(&self, name: &str) -> Option<&EntityCheckpoint> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// Whether items may have been written.
    pub fn is_begun(&self) -> bool {
        self.entities.iter().any(|entity| !entity.ranges.is_empty())
    }

    pub fn is_done(&self, name: &str) -> bool {
        self.entity(name).is_some_and(EntityCheckpoint::is_done)
    }
}

impl EntityCheckpoint {
    pub fn is_done(&self) -> bool {
        !self.ranges.is_empty() && self.ranges.iter().all(|range| range.done)
    }

    /// Also of what is written beyond the watermarks.
    pub fn may_have_items(&self) -> bool {
        let has_none = self.ranges.is_empty() || (self.is_done() && self.tally().written == 0);
        !has_none
    }

    /// The sum over its ranges.
    pub fn tally(&self) -> Tally {
        let mut sum = Tally::default();
        self.ranges.iter().for_each(|range| sum.merge(&range.tally));
        sum
    }
}

impl RangeCheckpoint {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self { bounds, position: Position::Start, pages: 0, done: false, tally: Tally::default() }
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let table = TableIdentity { name: "shop".into(), id: Some("7".into()) };
        Checkpoint { snapshots: 1, consistent: Some(true), ..Checkpoint::new(table, "shop".into()) }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Checkpoint::read(folder.path()).unwrap().is_none());
        fs::write(folder.path().join(CHECKPOINT), checkpoint().to_bytes().unwrap()).unwrap();
        assert_eq!(Checkpoint::read(folder.path()).unwrap(), Some(checkpoint()));
    }

    #[test]
    fn p04_a_cut_or_changed_file_is_damaged_at_every_length_and_never_a_new_start() {
        let folder = tempfile::tempdir().unwrap();
        let whole = checkpoint().to_bytes().unwrap();
        for length in 0..whole.len() {
            fs::write(folder.path().join(CHECKPOINT), &whole[..length]).unwrap();
            let read = Checkpoint::read(folder.path());
            assert!(matches!(read, Err(CheckpointError::Damaged { .. })), "cut at {length}: {read:?}");
        }
        let mut flipped = whole;
        *flipped.last_mut().unwrap() = b' ';
        fs::write(folder.path().join(CHECKPOINT), flipped).unwrap();
        assert!(matches!(Checkpoint::read(folder.path()), Err(CheckpointError::Damaged { .. })));
    }

    #[test]
    fn a_newer_format_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(CHECKPOINT), "{\"dynamigrate_checkpoint\":9,\"sha256\":\"\"}\n{}")
            .unwrap();
        assert!(matches!(Checkpoint::read(folder.path()), Err(CheckpointError::Newer { format: 9, .. })));
    }
}
