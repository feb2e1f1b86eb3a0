//! What is sorted: keys by their hash, then the rows whose keys are not alone.

use std::io::{self, Read, Write};

use super::pass::Standing;
use super::place::Place;
use super::sorter::{Record, read_bytes, read_chunk, write_bytes};
use super::view::Hash;

/// One row's item key. 24 bytes on disk.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HashedKey {
    pub(super) hash: Hash,
    pub(super) place: Place,
}

impl Record for HashedKey {
    fn size(&self) -> usize {
        size_of::<Self>()
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.hash)?;
        out.write_all(&self.place.to_bytes())
    }

    fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let Some(hash) = read_chunk(from)? else { return Ok(None) };
        Ok(Some(Self { hash, place: read_place(from)? }))
    }
}

/// A row that shares its key with another, as far as hashes tell. Of equal keys the first in this order is
/// kept: by its standing, then by entity, then by its rank.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rival {
    pub(super) key: Vec<u8>,
    pub(super) standing: Standing,
    pub(super) entity: usize,
    pub(super) rank: Vec<u8>,
    pub(super) place: Place,
    pub(super) row: Hash,
    /// Its source key as JSON, for the report.
    pub(super) shown: Vec<u8>,
}

impl Rival {
    /// Two rows of one entity whose source keys read alike.
    pub(super) fn is_like(&self, other: &Rival) -> bool {
        self.entity == other.entity && self.row == other.row
    }
}

impl Record for Rival {
    fn size(&self) -> usize {
        size_of::<Self>() + self.key.capacity() + self.rank.capacity() + self.shown.capacity()
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.place.to_bytes())?;
        out.write_all(&self.row)?;
        out.write_all(&[match self.standing {
            Standing::Written => 0,
            Standing::Unwritten => 1,
            Standing::Lost => 2,
        }])?;
        write_bytes(&self.key, out)?;
        write_bytes(&self.rank, out)?;
        write_bytes(&self.shown, out)
    }

    fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let Some(place) = read_chunk(from)?.map(Place::from_bytes) else { return Ok(None) };
        let row = read_chunk(from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let standing = match read_chunk(from)?.ok_or(io::ErrorKind::UnexpectedEof)? {
            [0] => Standing::Written,
            [1] => Standing::Unwritten,
            _ => Standing::Lost,
        };
        let (key, rank, shown) = (read_bytes(from)?, read_bytes(from)?, read_bytes(from)?);
        Ok(Some(Self { key, standing, entity: place.entity(), rank, place, row, shown }))
    }
}

/// A row that is not written, in the order in which rows are read.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Loser {
    pub(super) place: Place,
    pub(super) row: Hash,
}

impl Record for Loser {
    fn size(&self) -> usize {
        size_of::<Self>()
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.place.to_bytes())?;
        out.write_all(&self.row)
    }

    fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let Some(place) = read_chunk(from)?.map(Place::from_bytes) else { return Ok(None) };
        Ok(Some(Self { place, row: read_chunk(from)?.ok_or(io::ErrorKind::UnexpectedEof)? }))
    }
}

fn read_place(from: &mut impl Read) -> io::Result<Place> {
    Ok(Place::from_bytes(read_chunk(from)?.ok_or(io::ErrorKind::UnexpectedEof)?))
}
