//! The state folder of one mapping and table: checkpoint, rejects, lock. Every write is atomic and
//! durable before it counts.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::keys::Losers;

/// A state folder that this process holds the lock of.
#[derive(Debug)]
pub struct StateFolder {
    path: PathBuf,
    /// Unlocked when dropped, also by the death of the process.
    _lock: File,
}

#[derive(Debug, Error)]
pub enum StateError {
    #[error("the state folder {path} is in use by another migrate (process {owner})")]
    Locked { path: PathBuf, owner: String },
    #[error("{action} {path}: {source}")]
    Disk { action: &'static str, path: PathBuf, source: io::Error },
}

impl StateError {
    pub(crate) fn disk(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Disk { action, path: path.to_owned(), source }
    }
}

impl StateFolder {
    /// Opens or creates the folder and takes its lock; a second process is refused.
    pub fn open(path: &Path) -> Result<Self, StateError> {
        fs::create_dir_all(path).map_err(|e| StateError::disk("create the state folder", path, e))?;
        let lock_path = path.join("lock");
        let mut lock = private(OpenOptions::new().read(true).write(true).create(true).truncate(false))
            .open(&lock_path)
            .map_err(|e| StateError::disk("open", &lock_path, e))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(locked(path, lock)),
            Err(fs::TryLockError::Error(e)) => return Err(StateError::disk("lock", &lock_path, e)),
        }
        lock.set_len(0)
            .and_then(|()| write!(lock, "{}", std::process::id()))
            .map_err(|e| StateError::disk("write", &lock_path, e))?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    pub fn rejects(&self) -> PathBuf {
        self.path.join(REJECTS)
    }

    pub(crate) fn read_losers(&self) -> Result<Losers, StateError> {
        let path = self.path.join(LOSERS);
        Losers::read(&path).map_err(|e| StateError::disk("read the losers of the key pass from", &path, e))
    }

    /// Those of a load that is begun anew.
    pub(crate) fn forget_losers(&self) -> Result<(), StateError> {
        remove(&self.path.join(LOSERS))
    }

    pub(crate) fn write_losers(&self, losers: &Losers) -> Result<(), StateError> {
        let path = self.path.join(LOSERS);
        let temporary = path.with_extension("tmp");
        let written = private(OpenOptions::new().write(true).create(true).truncate(true))
            .open(&temporary)
            .and_then(|mut file| losers.write(&mut file));
        if let Err(e) = written {
            let _ = fs::remove_file(&temporary);
            return Err(StateError::disk("write", &temporary, e));
        }
        fs::rename(&temporary, &path).map_err(|e| StateError::disk("replace", &path, e))?;
        sync_folder(&path)
    }

    /// Replaces the checkpoint: temporary file, fsync, previous copy kept, rename, fsync of the folder.
    pub(crate) fn replace_checkpoint(&self, content: &[u8]) -> Result<(), StateError> {
        let current = self.checkpoint();
        if current.exists() {
            keep_copy(&current, &self.path.join(PREVIOUS))?;
        }
        replace(&current, content)
    }
}

pub const CHECKPOINT: &str = "checkpoint.json";
pub(crate) const PREVIOUS: &str = "checkpoint.previous.json";
pub const REJECTS: &str = "rejects.jsonl";
pub const LOSERS: &str = "losers.bin";

/// Writes a file whole: after a crash it holds the old or the new content, never a mixture.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<(), StateError> {
    let temporary = path.with_extension("tmp");
    let written = private(OpenOptions::new().write(true).create(true).truncate(true))
        .open(&temporary)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()));
    if let Err(e) = written {
        // Half a file only takes room that the next attempt needs.
        let _ = fs::remove_file(&temporary);
        return Err(StateError::disk("write", &temporary, e));
    }
    fs::rename(&temporary, path).map_err(|e| StateError::disk("replace", path, e))?;
    sync_folder(path)
}

/// Appends and makes durable.
pub(crate) fn append(path: &Path, content: &[u8]) -> Result<(), StateError> {
    let is_new = !path.exists();
    private(OpenOptions::new().append(true).create(true))
        .open(path)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .map_err(|e| StateError::disk("append to", path, e))?;
    if is_new { sync_folder(path) } else { Ok(()) }
}

/// A hard link where the file system has them, else a copy.
fn keep_copy(current: &Path, previous: &Path) -> Result<(), StateError> {
    remove(previous)?;
    fs::hard_link(current, previous)
        .or_else(|_| fs::copy(current, previous).map(drop))
        .map_err(|e| StateError::disk("keep a copy as", previous, e))
}

pub(crate) fn remove(path: &Path) -> Result<(), StateError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(StateError::disk("remove", path, e)),
        _ => Ok(()),
    }
}

/// Makes a rename durable. Windows has no handle of a folder to sync and needs none.
fn sync_folder(path: &Path) -> Result<(), StateError> {
    let Some(folder) = path.parent().filter(|_| cfg!(unix)) else { return Ok(()) };
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|e| StateError::disk("sync", folder, e))
}

fn locked(path: &Path, mut lock: File) -> StateError {
    let mut owner = String::new();
    // The owner is only for the message; a lock that cannot be read is a lock all the same.
    if lock.read_to_string(&mut owner).is_err() || owner.is_empty() {
        "unknown".clone_into(&mut owner);
    }
    StateError::Locked { path: path.to_owned(), owner }
}

/// Files of the state folder may hold row data: readable by their owner only.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
