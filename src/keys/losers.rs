//! Rows that share their item key with another one that is kept: which ones they are, range by range.
//!
//! In a file, since they may be as many as the rows: one line of JSON, then sixteen bytes a row in the
//! order in which rows are read. Written before the first item, read by every later run of the load and
//! by the verification.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::place::Place;
use super::record::Loser;
use super::view::Hash;

const FORMAT: u32 = 1;
const ROW: u64 = 16;

/// The losers of a load, by entity and range.
#[derive(Debug)]
pub struct Losers {
    /// Behind the header.
    body: u64,
    places: BTreeMap<(String, usize), Slice>,
    file: Mutex<File>,
}

/// Losers, and of which entities they are wanted.
pub type Part<'a> = (&'a Losers, &'a dyn Fn(&str) -> bool);

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Slice {
    first: u64,
    rows: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    dynamigrate_losers: u32,
    /// Of the body.
    sha256: String,
    /// (entity, range) and where its rows stand.
    ranges: Vec<(String, usize, Slice)>,
}

impl Losers {
    /// Collects rows in reading order into a temporary file; `home` tells entity and range of a place.
    pub(super) fn collect(
        sorted: impl Iterator<Item = io::Result<Loser>>,
        home: &dyn Fn(Place) -> (String, usize),
    ) -> io::Result<Losers> {
        let mut file = BufWriter::new(tempfile::tempfile()?);
        let mut places: BTreeMap<(String, usize), Slice> = BTreeMap::new();
        for (at, loser) in (0_u64..).zip(sorted) {
            let loser = loser?;
            file.write_all(&loser.row)?;
            let place = home(loser.place);
            places.entry(place).or_insert(Slice { first: at, rows: 0 }).rows += 1;
        }
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Losers { body: 0, places, file: Mutex::new(file) })
    }

    /// Those of several, each of the entities that it is asked for.
    pub fn merge<'a>(parts: impl IntoIterator<Item = Part<'a>>) -> io::Result<Losers> {
        let mut file = BufWriter::new(tempfile::tempfile()?);
        let mut places = BTreeMap::new();
        let mut first = 0;
        for (losers, wanted) in parts {
            for ((name, range), slice) in losers.places.iter().filter(|((name, _), _)| wanted(name)) {
                let mut source = losers.lock();
                source.seek(SeekFrom::Start(losers.body + slice.first * ROW))?;
                io::copy(&mut io::Read::by_ref(&mut *source).take(slice.rows * ROW), &mut file)?;
                places.insert((name.clone(), *range), Slice { first, rows: slice.rows });
                first += slice.rows;
            }
        }
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Losers { body: 0, places, file: Mutex::new(file) })
    }

    /// The same rows with one range an entity, number 0: for whoever cuts entities otherwise.
    pub fn joined(&self) -> io::Result<Losers> {
        let mut file = BufWriter::new(tempfile::tempfile()?);
        let mut places: BTreeMap<(String, usize), Slice> = BTreeMap::new();
        let mut first = 0;
        let mut source = self.lock();
        // In order of their names: an entity's rows stay together.
        for ((name, _), slice) in &self.places {
            source.seek(SeekFrom::Start(self.body + slice.first * ROW))?;
            io::copy(&mut io::Read::by_ref(&mut *source).take(slice.rows * ROW), &mut file)?;
            places.entry((name.clone(), 0)).or_insert(Slice { first, rows: 0 }).rows += slice.rows;
            first += slice.rows;
        }
        drop(source);
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Losers { body: 0, places, file: Mutex::new(file) })
    }

    /// Writes them for later runs; durable when it returns, though not yet under its name's folder.
    pub fn write(&self, to: &mut File) -> io::Result<()> {
        let mut file = self.lock();
        file.seek(SeekFrom::Start(self.body))?;
        let mut digest = Sha256::new();
        io::copy(&mut *file, &mut digest)?;
        let header = Header {
            dynamigrate_losers: FORMAT,
            sha256: format!("{:x}", digest.finalize()),
            ranges: self.places.iter().map(|((name, range), slice)| (name.clone(), *range, *slice)).collect(),
        };
        file.seek(SeekFrom::Start(self.body))?;
        let mut out = BufWriter::new(to);
        serde_json::to_writer(&mut out, &header)?;
        out.write_all(b"\n")?;
        io::copy(&mut *file, &mut out)?;
        out.flush()?;
        out.get_ref().sync_all()
    }

    /// Of an earlier run. `Err` for a file that is not whole; its absence is the caller's.
    pub fn read(path: &Path) -> io::Result<Losers> {
        let mut file = BufReader::new(File::open(path)?);
        let mut line = Vec::new();
        file.read_until(b'\n', &mut line)?;
        let header: Header = serde_json::from_slice(&line)?;
        if header.dynamigrate_losers > FORMAT {
            return Err(io::Error::other("it was written by a newer migrate"));
        }
        let mut digest = Sha256::new();
        io::copy(&mut file, &mut digest)?;
        if format!("{:x}", digest.finalize()) != header.sha256 {
            return Err(io::Error::other("its checksum does not match"));
        }
        let places = header.ranges.into_iter().map(|(name, range, slice)| ((name, range), slice)).collect();
        let body = u64::try_from(line.len()).map_err(io::Error::other)?;
        Ok(Losers { body, places, file: Mutex::new(file.into_inner()) })
    }

    /// Whether an entity has any.
    pub fn has(&self, entity: &str) -> bool {
        self.places.keys().any(|(name, _)| name == entity)
    }

    /// The rows of one range, by the hashes of their source keys.
    pub fn of(&self, entity: &str, range: usize) -> io::Result<HashSet<Hash>> {
        match self.places.get(&(entity.to_owned(), range)) {
            Some(slice) => self.rows(*slice),
            None => Ok(HashSet::new()),
        }
    }

    /// The rows of an entity, whatever range they were in.
    pub fn of_all_ranges(&self, entity: &str) -> io::Result<HashSet<Hash>> {
        let mut rows = HashSet::new();
        for ((_, _), slice) in self.places.iter().filter(|((name, _), _)| name == entity) {
            rows.extend(self.rows(*slice)?);
        }
        Ok(rows)
    }

    fn rows(&self, slice: Slice) -> io::Result<HashSet<Hash>> {
        let mut file = self.lock();
        file.seek(SeekFrom::Start(self.body + slice.first * ROW))?;
        let mut reader = BufReader::new(io::Read::by_ref(&mut *file).take(slice.rows * ROW));
        let mut rows = HashSet::new();
        while let Some(row) = super::sorter::read_chunk(&mut reader)? {
            rows.insert(row);
        }
        Ok(rows)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losers() -> Losers {
        let loser = |entity, range, row| {
            Ok(Loser { place: Place::new(entity, range, u64::from(row)).unwrap(), row: [row; 16] })
        };
        let sorted = [loser(0, 0, 1), loser(0, 0, 7), loser(0, 3, 2), loser(2, 1, 9)];
        Losers::collect(sorted.into_iter(), &|place| (format!("E{}", place.entity()), place.piece())).unwrap()
    }

    fn holds(losers: &Losers) {
        assert_eq!(losers.of("E0", 0).unwrap(), HashSet::from([[1; 16], [7; 16]]));
        assert_eq!(losers.of("E0", 3).unwrap(), HashSet::from([[2; 16]]));
        assert_eq!(losers.of("E2", 1).unwrap(), HashSet::from([[9; 16]]));
        assert!(losers.of("E2", 0).unwrap().is_empty() && losers.of("E1", 0).unwrap().is_empty());
        assert_eq!(losers.of_all_ranges("E0").unwrap().len(), 3);
        assert!(losers.has("E0") && !losers.has("E1"));
    }

    #[test]
    fn losers_are_found_by_range_before_and_after_they_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("losers");
        let collected = losers();
        holds(&collected);
        collected.write(&mut File::create(&path).unwrap()).unwrap();
        let read = Losers::read(&path).unwrap();
        holds(&read);
        // What was read can be written again.
        let copy = folder.path().join("copy");
        read.write(&mut File::create(&copy).unwrap()).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&copy).unwrap());
    }

    #[test]
    fn a_file_that_is_not_whole_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("losers");
        losers().write(&mut File::create(&path).unwrap()).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(Losers::read(&path).is_err(), "{length}");
        }
    }
}
