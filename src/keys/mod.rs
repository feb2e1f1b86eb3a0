//! The key pass: where no proof says that item keys differ, all of them are counted before the first write.
//!
//! Reads only the columns that keys are made of, in the load's own snapshot, and renders them with the
//! load's own code. Hashes of the keys are sorted on disk, 24 bytes a row; rows whose hashes are equal are
//! read once more and compared by the key itself. Of rows with one key the mapping says which is kept;
//! the others are [`Losers`], which no run writes and no verification misses.

mod choose;
mod every;
mod gather;
mod leave_out;
mod losers;
mod pass;
mod place;
mod record;
mod sorter;
mod suspects;
mod view;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use tokio::task::JoinError;

use crate::plan::Plan;
use crate::source::{Bounds, PageLimits, Reader, SourceError};

use choose::lose;
use gather::{HashSorter, RivalSorter};
use pass::Pass;
use place::Place;
use suspects::suspects;
use view::KeyView;

pub use every::{EveryKey, every_key};
pub use leave_out::leave_out;
pub use losers::{Losers, Part};
pub(crate) use sorter::{Merge, Record, Sorter, read_bytes, read_chunk, write_bytes};
pub use view::{Hash, row_hash};

/// What a pass found.
#[derive(Debug)]
pub struct Counted {
    pub losers: Losers,
    pub collisions: Collisions,
}

/// Rows that share their keys, in numbers and examples.
#[derive(Debug, Default, Clone)]
pub struct Collisions {
    /// Rows read, and how many keys they have.
    pub rows: u64,
    /// Keys that more than one row has.
    pub keys: u64,
    /// Rows that are not kept, by entity.
    pub lost: BTreeMap<usize, u64>,
    pub examples: Vec<Example>,
}

/// Two rows with one key.
#[derive(Debug, Clone)]
pub struct Example {
    /// (entity, source key).
    pub kept: (usize, SourceKey),
    pub lost: (usize, SourceKey),
}

pub type SourceKey = Vec<(String, String)>;

/// Examples of a pass at most.
const EXAMPLES: usize = 10;

/// Bytes of records in memory, over all readers.
const ROOM: usize = 24 << 20;

#[derive(Debug, thiserror::Error)]
pub enum KeyPassError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("sort the keys: {0}")]
    Disk(#[from] io::Error),
    #[error("count the keys: more ranges or rows than can be numbered")]
    TooMany,
    /// Only SQLite has such: values that differ and read alike.
    #[error("count the keys: several rows with {key} share an item key, and their source keys read alike")]
    Alike { key: String },
    #[error("count the keys: a reader ended early")]
    Task(#[from] JoinError),
}

/// The rows of an entity, in the order in which its load reads them.
#[derive(Debug, Clone)]
pub struct Ranges {
    pub entity: usize,
    pub pieces: Vec<Piece>,
}

/// A range, or the part of it before or behind a watermark.
#[derive(Debug, Clone)]
pub struct Piece {
    pub range: usize,
    pub bounds: Bounds,
    /// Its items are in the table, but for those of rows that lost when they were read.
    pub written: bool,
}

/// Counts the keys of some entities, which may meet; gives the readers back. What is written already comes before
/// what is not, and rows that earlier counts left out (`known`) come last.
pub async fn count(
    plan: &Plan,
    ranges: &[Ranges],
    readers: Vec<Reader>,
    limits: PageLimits,
    known: Option<Arc<Losers>>,
    observe: impl Fn(usize, u64) + Clone + Send + 'static,
) -> Result<(Counted, Vec<Reader>), KeyPassError> {
    let views: Vec<Option<KeyView>> = plan
        .entities
        .iter()
        .enumerate()
        .map(|(at, entity)| ranges.iter().any(|ranges| ranges.entity == at).then(|| KeyView::new(entity)))
        .collect();
    let names = plan.entities.iter().map(|entity| entity.name.clone()).collect();
    let pass = Pass { views: Arc::new(views), names: Arc::new(names), known, limits };
    let room = ROOM / readers.len().max(1);
    let (sorters, readers) = pass
        .over(ranges, readers, move || HashSorter { sorter: Sorter::new(room), observe: observe.clone() })
        .await?;
    let mut collisions = Collisions::default();
    let suspects = suspects(sorters.into_iter().map(|sorter| sorter.sorter).collect(), &mut collisions)?;
    if suspects.is_empty() {
        let losers = Losers::collect(std::iter::empty(), &|_| (String::new(), 0))?;
        return Ok((Counted { losers, collisions }, readers));
    }
    let suspects = Arc::new(suspects);
    let again: Vec<Ranges> = ranges.iter().filter(|ranges| suspects.touch(ranges.entity)).cloned().collect();
    let (sorters, readers) = pass
        .over(&again, readers, move || RivalSorter {
            sorter: Sorter::new(room),
            suspects: Arc::clone(&suspects),
        })
        .await?;
    let sorters = sorters.into_iter().map(|sorter| sorter.sorter).collect();
    let losers = lose(sorters, &mut collisions)?;
    let home = |place: Place| {
        let name = plan.entities.get(place.entity()).map(|plan| plan.name.clone()).unwrap_or_default();
        let ranges = ranges.iter().find(|ranges| ranges.entity == place.entity());
        let piece = ranges.and_then(|ranges| ranges.pieces.get(place.piece()));
        (name, piece.map_or(0, |piece| piece.range))
    };
    let losers = Losers::collect(Sorter::join(vec![losers])?, &home)?;
    Ok((Counted { losers, collisions }, readers))
}
