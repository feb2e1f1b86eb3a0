//! Sorts more records than memory may hold: sorted runs on disk, merged as they are read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek as _, Write};

/// What is sorted; written and read back as it was.
pub(crate) trait Record: Ord + Sized {
    /// Bytes that it takes in memory, about.
    fn size(&self) -> usize;

    fn write(&self, out: &mut impl Write) -> io::Result<()>;

    /// `None` at a clean end.
    fn read(from: &mut impl Read) -> io::Result<Option<Self>>;
}

/// Collects records, then gives them back in order.
#[derive(Debug)]
pub(crate) struct Sorter<R> {
    pending: Vec<R>,
    pending_bytes: usize,
    /// Bytes of records kept in memory.
    room: usize,
    runs: Vec<File>,
}

/// Buffers of the runs being merged take this much each.
const READ_BUFFER: usize = 64 << 10;

/// Runs merged at once: their buffers take two megabytes.
const FAN_IN: usize = 32;

impl<R: Record> Sorter<R> {
    /// Keeps about `room` bytes of records in memory; the rest goes to unnamed temporary files, which end
    /// with the process.
    pub(crate) fn new(room: usize) -> Self {
        Self { pending: Vec::new(), pending_bytes: 0, room, runs: Vec::new() }
    }

    pub(crate) fn push(&mut self, record: R) -> io::Result<()> {
        self.pending_bytes += record.size();
        self.pending.push(record);
        if self.pending_bytes >= self.room {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        self.pending.sort_unstable();
        let mut run = BufWriter::new(tempfile::tempfile()?);
        for record in self.pending.drain(..) {
            record.write(&mut run)?;
        }
        self.pending_bytes = 0;
        self.runs.push(run.into_inner().map_err(io::IntoInnerError::into_error)?);
        if self.runs.len() >= FAN_IN {
            let runs = std::mem::take(&mut self.runs);
            let mut merged = BufWriter::new(tempfile::tempfile()?);
            for record in Merge::<R>::of(runs, Vec::new())? {
                record?.write(&mut merged)?;
            }
            self.runs.push(merged.into_inner().map_err(io::IntoInnerError::into_error)?);
        }
        Ok(())
    }

    /// The records of several sorters in order.
    pub(crate) fn join(sorters: Vec<Self>) -> io::Result<Merge<R>> {
        let mut files = Vec::new();
        let mut memories = Vec::new();
        for mut sorter in sorters {
            sorter.pending.sort_unstable();
            files.append(&mut sorter.runs);
            memories.push(sorter.pending);
        }
        Merge::of(files, memories)
    }
}

/// The records of sorted runs, smallest first.
#[derive(Debug)]
pub(crate) struct Merge<R> {
    next: BinaryHeap<Reverse<(R, usize)>>,
    runs: Vec<Run<R>>,
}

#[derive(Debug)]
enum Run<R> {
    File(BufReader<File>),
    Memory(std::vec::IntoIter<R>),
}

impl<R: Record> Merge<R> {
    fn of(files: Vec<File>, memories: Vec<Vec<R>>) -> io::Result<Self> {
        let mut runs: Vec<Run<R>> = memories.into_iter().map(|run| Run::Memory(run.into_iter())).collect();
        for mut file in files {
            file.rewind()?;
            runs.push(Run::File(BufReader::with_capacity(READ_BUFFER, file)));
        }
        let mut merge = Self { next: BinaryHeap::new(), runs };
        for run in 0..merge.runs.len() {
            merge.refill(run)?;
        }
        Ok(merge)
    }

    fn refill(&mut self, run: usize) -> io::Result<()> {
        let record = match self.runs.get_mut(run) {
            Some(Run::File(file)) => R::read(file)?,
            Some(Run::Memory(records)) => records.next(),
            None => None,
        };
        self.next.extend(record.map(|record| Reverse((record, run))));
        Ok(())
    }

    fn take(&mut self) -> io::Result<Option<R>> {
        let Some(Reverse((record, run))) = self.next.pop() else { return Ok(None) };
        self.refill(run)?;
        Ok(Some(record))
    }
}

impl<R: Record> Iterator for Merge<R> {
    type Item = io::Result<R>;

    fn next(&mut self) -> Option<Self::Item> {
        self.take().transpose()
    }
}

/// Reads `N` bytes; `None` where the file ends before the first.
pub(crate) fn read_chunk<const N: usize>(from: &mut impl Read) -> io::Result<Option<[u8; N]>> {
    let mut bytes = [0; N];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match from.read(rest)? {
            0 if filled == 0 => return Ok(None),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => filled += read,
        }
    }
    Ok(Some(bytes))
}

/// Reads bytes behind their length.
pub(crate) fn read_bytes(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let length: [u8; 4] = read_chunk(from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let length = usize::try_from(u32::from_le_bytes(length)).map_err(io::Error::other)?;
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

pub(crate) fn write_bytes(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Record for u64 {
        fn size(&self) -> usize {
            8
        }

        fn write(&self, out: &mut impl Write) -> io::Result<()> {
            out.write_all(&self.to_le_bytes())
        }

        fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
            Ok(read_chunk(from)?.map(u64::from_le_bytes))
        }
    }

    #[test]
    fn records_come_back_in_order_however_little_memory_there_is() {
        let mut random = fastrand::Rng::with_seed(3);
        for (room, count) in [(1 << 20, 0), (1 << 20, 5_000), (800, 20_000), (80, 5_000)] {
            let mut sorters = vec![Sorter::new(room), Sorter::new(room), Sorter::new(room)];
            let mut pushed: Vec<u64> = (0..count).map(|_| random.u64(0..1_000)).collect();
            for (at, record) in pushed.iter().enumerate() {
                sorters[at % 3].push(*record).unwrap();
            }
            pushed.sort_unstable();
            let sorted: Vec<u64> = Sorter::join(sorters).unwrap().map(Result::unwrap).collect();
            assert!(sorted == pushed, "{count} records, {room} bytes");
        }
    }
}
