//! `repairs.jsonl`: what is about to be changed, with the item as it was, and what became of it.
//!
//! A line of intent is durable before the change is made. One without a later line of outcome means that
//! the process ended in between: the change may have been made.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::Mutex;

use super::{Became, Change};
use crate::load::{StateError, append, redacted};
use crate::verify::equality::{braced, same};

/// Name of the log in the state folder.
pub const REPAIRS: &str = "repairs.jsonl";

/// Grows from repair to repair; holds row data, readable by its owner only.
#[derive(Debug)]
pub struct RepairLog {
    /// Nowhere for a dry run.
    path: Option<PathBuf>,
    redact: bool,
    /// Whole lines, one writer at a time.
    turn: Mutex<()>,
}

#[derive(Serialize)]
struct Line<'a> {
    time: String,
    entity: &'a str,
    /// Empty where there is no row.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    source_key: IndexMap<&'a str, String>,
    key: Box<RawValue>,
    what: &'static str,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    /// The item as it was read, or as it was the moment before it was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Box<RawValue>>,
}

impl RepairLog {
    pub fn nowhere() -> Self {
        Self { path: None, redact: false, turn: Mutex::default() }
    }

    /// In a state folder whose lock is held. What a crash has cut off stays a line of its own.
    pub fn in_folder(folder: &Path, redact: bool) -> Result<Self, StateError> {
        let path = folder.join(REPAIRS);
        if is_cut(&path).map_err(|error| StateError::disk("read", &path, error))? {
            append(&path, b"\n")?;
        }
        Ok(Self { path: Some(path), redact, turn: Mutex::default() })
    }

    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Before items of an entity are changed.
    pub(super) async fn intend(&self, entity: &str, changes: &[Change<'_>]) -> Result<(), StateError> {
        let lines = changes.iter().map(|change| self.line(entity, change, "intended", None, change.found()));
        self.write(lines).await
    }

    /// After they were dealt with.
    pub(super) async fn settle<'a>(
        &self,
        entity: &'a str,
        done: impl Iterator<Item = (&'a Change<'a>, &'a Became)>,
    ) -> Result<(), StateError> {
        let lines = done.map(|(change, became)| {
            // What was read stands in the line of intent.
            let is_told = |before: &[u8]| change.found().is_some_and(|found| same(found, before) == Ok(true));
            let more = became.before().filter(|before| !is_told(before));
            self.line(entity, change, became.outcome(), became.why(), more)
        });
        self.write(lines).await
    }

    fn line<'a>(
        &self,
        entity: &'a str,
        change: &Change<'a>,
        outcome: &'static str,
        why: Option<&'a str>,
        before: Option<&[u8]>,
    ) -> Line<'a> {
        let value = |text: &String| if self.redact { redacted(text) } else { text.clone() };
        Line {
            time: Timestamp::now().to_string(),
            entity,
            source_key: change.source_key.iter().map(|(name, text)| (name.as_str(), value(text))).collect(),
            key: raw(braced(change.key())),
            what: change.what(),
            outcome,
            why,
            before: before.map(|item| raw(item.to_vec())),
        }
    }

    async fn write<'a>(&self, lines: impl Iterator<Item = Line<'a>>) -> Result<(), StateError> {
        let Some(path) = self.path.clone() else { return Ok(()) };
        let mut text = Vec::new();
        for line in lines {
            let written = serde_json::to_writer(&mut text, &line);
            written.map_err(|error| StateError::disk("write", &path, error.into()))?;
            text.push(b'\n');
        }
        if text.is_empty() {
            return Ok(());
        }
        let _turn = self.turn.lock().await;
        let file = path.clone();
        let appended = tokio::task::spawn_blocking(move || append(&file, &text)).await;
        appended.map_err(|error| StateError::disk("append to", &path, error.into()))?
    }
}

/// What is no JSON was neither found nor built; it would be logged as null.
fn raw(json: Vec<u8>) -> Box<RawValue> {
    let text = String::from_utf8(json).ok().and_then(|text| RawValue::from_string(text).ok());
    text.unwrap_or_else(|| RawValue::NULL.to_owned())
}

/// Whether the last line of a file lacks its end.
fn is_cut(path: &Path) -> std::io::Result<bool> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != [b'\n'])
}
