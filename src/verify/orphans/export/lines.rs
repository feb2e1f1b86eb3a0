//! The data files of an export: gzip, an item a line.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::task::JoinSet;

use super::super::look::Names;
use super::super::sightings::{NoteError, Sightings};
use super::super::{Observe, OrphanError, OrphanEvent, ROOM};
use super::{DataFile, Export, ExportError, file_name};

/// Files read side by side.
const WORKERS: u16 = 4;

/// Items between two signs of life.
const STRIDE: u64 = 1_000;

/// Bytes of a line at most: an item has 400 KB, and JSON writes a byte with six at most.
const LONGEST_LINE: u64 = 4 << 20;

const READ_BUFFER: usize = 256 << 10;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "Item", borrow)]
    item: &'a RawValue,
}

/// What all workers share.
#[derive(Clone)]
struct Shared {
    files: Arc<Mutex<VecDeque<DataFile>>>,
    observe: Observe,
    /// Nobody waits for them any more.
    abandoned: Arc<AtomicBool>,
}

/// Threads that nobody waits for end by themselves.
struct Abandon(Arc<AtomicBool>);

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Export {
    /// What each worker saw. Fails where a file does not hold as many items as the manifest says.
    pub(in super::super) async fn read(
        &self,
        names: &Arc<Names>,
        observe: &Observe,
    ) -> Result<Vec<Sightings>, OrphanError> {
        let shared = Shared {
            files: Arc::new(Mutex::new(self.files.iter().cloned().collect())),
            observe: Arc::clone(observe),
            abandoned: Arc::default(),
        };
        let _abandon = Abandon(Arc::clone(&shared.abandoned));
        let mut tasks = JoinSet::new();
        for number in 0..WORKERS {
            let seen = Sightings::new(number, Arc::clone(names), ROOM / usize::from(WORKERS))?;
            let shared = shared.clone();
            tasks.spawn_blocking(move || work(&shared, seen));
        }
        let mut all = Vec::new();
        while let Some(done) = tasks.join_next().await {
            all.push(done??);
        }
        Ok(all)
    }
}

fn work(shared: &Shared, mut seen: Sightings) -> Result<Sightings, OrphanError> {
    let next = || shared.files.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    while let Some(file) = next() {
        let found = read_file(&file.path, shared, &mut seen)?;
        let expected = file.items.filter(|items| *items != found);
        if let (Some(expected), false) = (expected, shared.abandoned.load(Ordering::Relaxed)) {
            return Err(ExportError::Items { path: file.path, found, expected }.into());
        }
    }
    Ok(seen)
}

/// Returns how many items it holds.
fn read_file(path: &Path, shared: &Shared, seen: &mut Sightings) -> Result<u64, OrphanError> {
    let failed = |error| ExportError::Read { path: path.to_owned(), error };
    let mut lines = open(path).map_err(failed)?;
    let (mut line, mut number, mut items) = (Vec::new(), 0, 0);
    loop {
        line.clear();
        if lines.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(failed)? == 0 {
            break;
        }
        number += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        note(&line, seen).map_err(|error| error.at(path, number))?;
        items += 1;
        if items % STRIDE == 0 {
            (shared.observe)(OrphanEvent::Scanned { items: STRIDE, units: 0.0 });
            if shared.abandoned.load(Ordering::Relaxed) {
                break;
            }
        }
    }
    (shared.observe)(OrphanEvent::Scanned { items: items % STRIDE, units: 0.0 });
    Ok(items)
}

fn open(path: &Path) -> io::Result<BufReader<Box<dyn Read>>> {
    let file = File::open(path)?;
    let bytes: Box<dyn Read> = match file_name(path).ends_with(".gz") {
        true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(READ_BUFFER, file))),
        false => Box::new(file),
    };
    Ok(BufReader::with_capacity(READ_BUFFER, bytes))
}

/// Why a line is none of an export.
enum LineError {
    What(String),
    Disk(io::Error),
}

fn note(line: &[u8], seen: &mut Sightings) -> Result<(), LineError> {
    let Line { item } = serde_json::from_slice(line).map_err(|error| {
        // The error's own text may quote a value; only its place is kept.
        LineError::What(format!("no line of a full export, {{\"Item\":{{…}}}} (at byte {})", error.column()))
    })?;
    seen.note(item.get().as_bytes()).map_err(|error| match error {
        NoteError::Malformed(malformed) => {
            LineError::What(format!("no item with the table's key: {malformed}"))
        }
        NoteError::Disk(error) => LineError::Disk(error),
    })
}

impl LineError {
    fn at(self, path: &Path, line: u64) -> OrphanError {
        match self {
            LineError::What(what) => ExportError::Line { path: path.to_owned(), line, what }.into(),
            LineError::Disk(error) => error.into(),
        }
    }
}
