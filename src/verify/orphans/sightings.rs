//! What was seen of a table: a hash of each key to sort, and the keys themselves in a log, in temporary files.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek as _, Write};
use std::sync::Arc;

use super::super::equality::Malformed;
use super::look::{Look, Names};
use crate::keys::{Hash, Merge, Record, Sorter, read_bytes, read_chunk, write_bytes};

/// Which log, and where in it: sixteen bits and forty-eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot(u64);

const OFFSET_BITS: u32 = 48;

/// An item's key by its hash, and where it stands. 24 bytes on disk.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sighting {
    pub(super) hash: Hash,
    pub(super) spot: Spot,
}

/// An item's key by its hash. 16 bytes on disk.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowKey(pub(super) Hash);

/// What one worker saw.
#[derive(Debug)]
pub(super) struct Sightings {
    names: Arc<Names>,
    number: u16,
    log: BufWriter<File>,
    at: u64,
    sorter: Sorter<Sighting>,
}

/// Why an item cannot be noted.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoteError {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error(transparent)]
    Disk(#[from] io::Error),
}

impl Sightings {
    /// `number` is another one for each worker; about `room` bytes stay in memory.
    pub(super) fn new(number: u16, names: Arc<Names>, room: usize) -> io::Result<Self> {
        let log = BufWriter::new(tempfile::tempfile()?);
        Ok(Self { names, number, log, at: 0, sorter: Sorter::new(room) })
    }

    pub(super) fn note(&mut self, item: &[u8]) -> Result<(), NoteError> {
        let look = self.names.look(item)?;
        let spot = Spot::new(self.number, self.at).ok_or_else(|| io::Error::other("a log is too long"))?;
        self.sorter.push(Sighting { hash: look.hash()?, spot })?;
        self.at += write_look(&look, &mut self.log)?;
        Ok(())
    }

    /// The hashes, and the log that their spots mean, with its number.
    pub(super) fn finish(self) -> io::Result<(Sorter<Sighting>, (u16, File))> {
        let log = self.log.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok((self.sorter, (self.number, log)))
    }
}

/// Returns how many bytes it took.
fn write_look(look: &Look<'_>, log: &mut impl Write) -> io::Result<u64> {
    let kind = look.kind();
    let sort_key = look.sort_key.map(|value| value.get().as_bytes());
    let parts = [Some(look.partition_key.get().as_bytes()), sort_key, kind.as_deref().map(str::as_bytes)];
    let mut bytes = 0;
    for part in parts {
        log.write_all(&[u8::from(part.is_some())])?;
        let part = part.unwrap_or_default();
        write_bytes(part, log)?;
        bytes += length(part)?;
    }
    Ok(bytes)
}

impl Spot {
    fn new(log: u16, offset: u64) -> Option<Self> {
        (offset >> OFFSET_BITS == 0).then_some(Self(u64::from(log) << OFFSET_BITS | offset))
    }

    fn log(self) -> u64 {
        self.0 >> OFFSET_BITS
    }

    fn offset(self) -> u64 {
        self.0 & ((1 << OFFSET_BITS) - 1)
    }
}

/// An item that no row explains, as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Values of the key attributes as they stand in JSON.
    pub(super) partition_key: Vec<u8>,
    pub(super) sort_key: Option<Vec<u8>>,
    /// The type that it says it has.
    pub(super) kind: Option<String>,
}

/// Candidates log by log, in the order in which they were seen.
#[derive(Debug)]
pub(super) struct Candidates {
    spots: Merge<Spot>,
    /// By their numbers.
    logs: HashMap<u64, Log>,
}

/// A log and how far it was read.
#[derive(Debug)]
struct Log {
    file: BufReader<File>,
    at: u64,
}

impl Candidates {
    pub(super) fn new(spots: Sorter<Spot>, logs: Vec<(u16, File)>) -> io::Result<Self> {
        let mut numbered = HashMap::new();
        for (number, mut file) in logs {
            file.rewind()?;
            numbered.insert(u64::from(number), Log { file: BufReader::new(file), at: 0 });
        }
        Ok(Self { spots: Sorter::join(vec![spots])?, logs: numbered })
    }

    fn take(&mut self) -> io::Result<Option<Candidate>> {
        let Some(spot) = self.spots.next().transpose()? else { return Ok(None) };
        let log = self.logs.get_mut(&spot.log()).ok_or(io::ErrorKind::NotFound)?;
        let ahead = spot.offset().checked_sub(log.at).and_then(|bytes| i64::try_from(bytes).ok());
        log.file.seek_relative(ahead.ok_or(io::ErrorKind::InvalidData)?)?;
        log.at = spot.offset();
        let partition_key = log.part()?.ok_or(io::ErrorKind::InvalidData)?;
        let (sort_key, kind) = (log.part()?, log.part()?);
        let kind = kind.map(String::from_utf8).transpose().map_err(io::Error::other)?;
        Ok(Some(Candidate { partition_key, sort_key, kind }))
    }
}

impl Log {
    fn part(&mut self) -> io::Result<Option<Vec<u8>>> {
        let there: [u8; 1] = read_chunk(&mut self.file)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let bytes = read_bytes(&mut self.file)?;
        self.at += length(&bytes)?;
        Ok((there == [1]).then_some(bytes))
    }
}

/// Of a part in a log: whether it is there, how long it is, its bytes.
fn length(part: &[u8]) -> io::Result<u64> {
    Ok(5 + u64::try_from(part.len()).map_err(io::Error::other)?)
}

impl Iterator for Candidates {
    type Item = io::Result<Candidate>;

    fn next(&mut self) -> Option<Self::Item> {
        self.take().transpose()
    }
}

impl Record for Sighting {
    fn size(&self) -> usize {
        size_of::<Self>()
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.hash)?;
        self.spot.write(out)
    }

    fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let Some(hash) = read_chunk(from)? else { return Ok(None) };
        let spot = Spot::read(from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(Some(Self { hash, spot }))
    }
}

impl Record for Spot {
    fn size(&self) -> usize {
        size_of::<Self>()
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.0.to_le_bytes())
    }

    fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        Ok(read_chunk(from)?.map(|bytes| Self(u64::from_le_bytes(bytes))))
    }
}

impl Record for RowKey {
    fn size(&self) -> usize {
        size_of::<Self>()
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.0)
    }

    fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        Ok(read_chunk(from)?.map(Self))
    }
}
