//! The rejects file: one JSON line per row that did not become an item.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::checkpoint::Checkpoint;
use super::state::{StateError, remove, replace};
use crate::item::Rejection;

/// One line of `rejects.jsonl`. Holds the source key, never another value of the row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    pub entity: String,
    pub source_key: IndexMap<String, String>,
    pub rule: String,
    pub column: Option<String>,
    pub message: String,
    /// Range of the entity's key space, from 0.
    pub range: usize,
    /// Page of the range, from 1. Lines beyond the checkpoint's pages are dropped on resume.
    pub position: u64,
}

impl Reject {
    pub(crate) fn new(
        entity: &str,
        rejection: &Rejection,
        range: usize,
        position: u64,
        redact: bool,
    ) -> Self {
        let value = |text: &String| if redact { redacted(text) } else { text.clone() };
        Self {
            entity: entity.to_owned(),
            source_key: rejection.source_key.iter().map(|(name, text)| (name.clone(), value(text))).collect(),
            rule: rejection.rule.as_str().to_owned(),
            column: rejection.column.clone(),
            message: rejection.message.clone(),
            range,
            position,
        }
    }
}

/// What `--redact` shows in place of a key's value: enough to tell rows apart, nothing to read.
pub fn redacted(text: &str) -> String {
    let hash: String = Sha256::digest(text).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hash}")
}

/// All lines of a rejects file; none when there is no file.
pub fn read(path: &Path) -> Result<Vec<Reject>, StateError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(StateError::disk("read", path, e)),
    };
    // The last line may be cut by a crash while it was appended, even within a character; then it is
    // beyond the checkpoint.
    let mut lines: Vec<_> = bytes.split(|byte| *byte == b'\n').collect();
    lines.pop();
    lines
        .into_iter()
        .map(|line| {
            serde_json::from_slice(line).map_err(|e| StateError::disk("read", path, io::Error::other(e)))
        })
        .collect()
}

/// Drops the lines beyond the checkpoint: their rows will be read again.
pub(crate) fn trim(path: &Path, checkpoint: &Checkpoint) -> Result<(), StateError> {
    if !path.exists() {
        return Ok(());
    }
    if checkpoint.entities.is_empty() {
        return remove(path);
    }
    let pages: HashMap<_, _> = checkpoint
        .entities
        .iter()
        .flat_map(|entity| {
            let range = |(position, range): (usize, &super::checkpoint::RangeCheckpoint)| {
                ((entity.name.as_str(), position), range.pages)
            };
            entity.ranges.iter().enumerate().map(range)
        })
        .collect();
    let kept: Vec<_> = read(path)?
        .into_iter()
        .filter(|line| {
            pages.get(&(line.entity.as_str(), line.range)).is_some_and(|pages| line.position <= *pages)
        })
        .collect();
    replace(path, &to_lines(&kept).map_err(|e| StateError::disk("write", path, e))?)
}

pub(crate) fn to_lines(rejects: &[Reject]) -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    for reject in rejects {
        serde_json::to_writer(&mut lines, reject)?;
        lines.push(b'\n');
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p05_a_last_line_cut_anywhere_is_left_out_and_the_lines_before_it_stay() {
        let reject = Reject {
            entity: "Entry".into(),
            source_key: IndexMap::from([("name".to_owned(), "grün".to_owned())]),
            rule: "key_null".into(),
            column: None,
            message: "äöü".into(),
            range: 0,
            position: 1,
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rejects.jsonl");
        let line = to_lines(std::slice::from_ref(&reject)).unwrap();
        for cut in 0..line.len() {
            fs::write(&path, [&line, &line[..cut]].concat()).unwrap();
            assert_eq!(read(&path).unwrap(), std::slice::from_ref(&reject), "cut at {cut}");
        }
    }
}
