//! What a load remembers: progress in memory and, for a real load, in the state folder. Rejects are
//! durable before the checkpoint that covers them; a page's room is given back only after that, so
//! that a killed load rewrites no more pages than there is room for.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;

use super::checkpoint::{Checkpoint, EntityCheckpoint, RangeCheckpoint};
use super::rejects::{self, Reject};
use super::state::{StateError, StateFolder, append};
use super::watermark::Step;
use crate::item::Seen;
use crate::keys::Losers;
use crate::plan::{EntityPlan, Plan};
use crate::source::Bounds;

#[derive(Debug)]
pub struct Journal {
    progress: Checkpoint,
    folder: Option<Arc<StateFolder>>,
    redact: bool,
    /// Rejects of finished pages, not yet on disk.
    rejects: Vec<Reject>,
    /// Room of pages that are finished but not yet in the checkpoint.
    permits: Vec<OwnedSemaphorePermit>,
    /// What surveys saw of the rows in `progress`, by the entity's position in the plan.
    seen: BTreeMap<usize, Seen>,
    dirty: bool,
    /// Nothing was saved yet: rejects of another load, or beyond the watermarks, may be in the folder.
    fresh: bool,
    /// A save has failed: what it took along is on disk in part or not at all, so that a later one
    /// would cover rejects that are not there.
    broken: bool,
    /// At most one save at a time.
    saves: JoinSet<Result<(), StateError>>,
}

impl Journal {
    /// Remembers nothing beyond this process: the dry run.
    pub fn in_memory(progress: Checkpoint) -> Self {
        Self {
            progress,
            folder: None,
            redact: false,
            rejects: Vec::new(),
            permits: Vec::new(),
            seen: BTreeMap::new(),
            dirty: false,
            fresh: false,
            broken: false,
            saves: JoinSet::new(),
        }
    }

    /// Goes on from `progress`. Nothing is changed before the first save, which also drops the rejects
    /// beyond `progress`: a load that never begins leaves the folder as it was.
    pub fn in_folder(folder: Arc<StateFolder>, progress: Checkpoint, redact: bool) -> Self {
        Self { folder: Some(folder), redact, dirty: true, fresh: true, ..Self::in_memory(progress) }
    }

    pub fn progress(&self) -> &Checkpoint {
        &self.progress
    }

    /// Rows that are dealt with, of all entities.
    pub(crate) fn rows(&self) -> u64 {
        self.progress.entities.iter().map(|entity| entity.tally().rows).sum()
    }

    pub(crate) fn seen(&self) -> &BTreeMap<usize, Seen> {
        &self.seen
    }

    pub fn into_progress(self) -> Checkpoint {
        self.progress
    }

    /// Another snapshot of the source is in use.
    pub(crate) fn begin_snapshot(&mut self, consistent: bool) {
        self.progress.snapshots += 1;
        self.progress.consistent = Some(consistent && self.progress.consistent.unwrap_or(true));
        self.dirty = true;
    }

    /// Records the ranges of an entity's key space.
    pub(crate) fn cut(&mut self, entity: &EntityPlan, ranges: Vec<Bounds>) {
        self.progress.entities.retain(|recorded| recorded.name != entity.name);
        self.progress.entities.push(EntityCheckpoint {
            name: entity.name.clone(),
            fingerprint: entity.fingerprint.clone(),
            parts: entity.fingerprint_parts.clone(),
            ranges: ranges.into_iter().map(RangeCheckpoint::new).collect(),
            counted: false,
        });
        self.dirty = true;
    }

    /// The losers of entities whose keys earlier runs have counted.
    pub(crate) fn losers(&self) -> Result<Option<Losers>, StateError> {
        let counted = self.progress.entities.iter().any(|entity| entity.counted);
        match &self.folder {
            Some(folder) if counted => folder.read_losers().map(Some),
            _ => Ok(None),
        }
    }

    /// Remembers what a key pass found of some entities, before the first of their items is written.
    pub(crate) fn count(&mut self, entities: &[String], losers: &Losers) -> Result<(), StateError> {
        if let Some(folder) = &self.folder {
            folder.write_losers(losers)?;
        }
        for recorded in self.progress.entities.iter_mut().filter(|entity| entities.contains(&entity.name)) {
            recorded.counted = true;
        }
        self.dirty = true;
        Ok(())
    }

    /// Moves a range's watermark. Returns the entity if this was its last step.
    pub(crate) fn advance(&mut self, step: Step, plan: &Plan) -> Option<usize> {
        let id = match &step {
            Step::Page(page) => page.range,
            Step::End(range) => *range,
        };
        let name = &plan.entities.get(id.entity)?.name;
        let recorded = self.progress.entities.iter_mut().find(|entity| entity.name == *name)?;
        let range = recorded.ranges.get_mut(id.range)?;
        self.dirty = true;
        match step {
            Step::End(_) => range.done = true,
            Step::Page(page) => {
                range.position = page.position;
                range.pages += 1;
                range.tally.merge(&page.tally);
                self.seen.entry(id.entity).or_default().merge(&page.seen);
                let line = |r| Reject::new(name, r, id.range, range.pages, self.redact);
                self.rejects.extend(page.rejections.iter().map(line));
                self.permits.push(page.permit);
            }
        }
        recorded.is_done().then_some(id.entity)
    }

    /// Starts writing down what has changed, unless a save is under way.
    pub(crate) fn start_save(&mut self) {
        if !self.dirty || self.broken || self.is_saving() {
            return;
        }
        self.dirty = false;
        let permits = std::mem::take(&mut self.permits);
        let rejects = std::mem::take(&mut self.rejects);
        let Some((folder, content)) = self.content() else { return };
        let trimmed = std::mem::take(&mut self.fresh).then(|| self.progress.clone());
        self.saves.spawn_blocking(move || {
            if !rejects.is_empty() {
                let path = folder.rejects();
                let lines = rejects::to_lines(&rejects).map_err(|e| StateError::disk("write", &path, e))?;
                append(&path, &lines)?;
            }
            folder.replace_checkpoint(&content)?;
            if let Some(progress) = trimmed {
                // In this order: killed in between, the next run finds rejects that it drops.
                rejects::trim(&folder.rejects(), &progress)?;
                if !progress.entities.iter().any(|entity| entity.counted) {
                    folder.forget_losers()?;
                }
            }
            drop(permits);
            Ok(())
        });
    }

    pub(crate) fn is_saving(&self) -> bool {
        !self.saves.is_empty()
    }

    pub(crate) fn is_clean(&self) -> bool {
        !self.dirty && !self.is_saving()
    }

    /// Waits for the save under way; pending for ever when there is none.
    pub(crate) async fn saved(&mut self) -> Result<(), StateError> {
        let result = match self.saves.join_next().await {
            None => std::future::pending().await,
            Some(Ok(result)) => result,
            Some(Err(died)) => Err(StateError::disk(
                "save the checkpoint in",
                self.folder.as_ref().map_or_else(|| std::path::Path::new("memory"), |folder| folder.path()),
                std::io::Error::other(died),
            )),
        };
        self.broken |= result.is_err();
        result
    }

    /// Writes down what has changed and waits for it.
    pub(crate) async fn save(&mut self) -> Result<(), StateError> {
        self.start_save();
        while self.is_saving() {
            self.saved().await?;
        }
        Ok(())
    }

    /// The folder and the bytes to write there; `None` in memory.
    fn content(&self) -> Option<(Arc<StateFolder>, Vec<u8>)> {
        let folder = self.folder.as_ref()?;
        // A checkpoint is plain data with text keys: it always serializes.
        self.progress.to_bytes().ok().map(|content| (Arc::clone(folder), content))
    }
}
