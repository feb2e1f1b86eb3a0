//! The key pass: where no proof says that item keys differ, all of them are counted before the first write.
//!
//! Reads only the columns that keys are made of, in the load's own snapshot, and renders them with the
//! load's own code. Hashes of the keys are sorted on disk, 24 bytes a row; rows whose hashes are equal are
//! read once more and compared by the key itself. Of rows with one key the mapping says which is kept;
//! the others are [`Losers`], which no run writes and no verification misses.

mod leave_out;
mod losers;
mod place;
mod record;
mod sorter;
mod view;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::{JoinError, JoinSet};

use crate::item::{self, ItemPage};
use crate::plan::Plan;
use crate::source::{Bounds, Cursor, Page, PageLimits, Position, Reader, SourceError};

use place::Place;
use record::{HashedKey, Loser, Rival};
use sorter::Sorter;
use view::{KeyView, key_hash};

pub use leave_out::leave_out;
pub use losers::Losers;
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
const ROOM: usize = 32 << 20;

#[derive(Debug, thiserror::Error)]
pub enum KeyPassError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("sort the keys: {0}")]
    Disk(#[from] io::Error),
    #[error("count the keys: more ranges or rows than can be numbered")]
    TooMany,
    #[error("count the keys: a reader ended early")]
    Task(#[from] JoinError),
}

/// Ranges of an entity, as its load reads them.
#[derive(Debug, Clone)]
pub struct Ranges {
    pub entity: usize,
    pub bounds: Vec<Bounds>,
    /// Its items may be in the table already: its rows come before those of other entities.
    pub written: bool,
}

/// Counts the keys of some entities, which may meet; gives the readers back.
pub async fn count(
    plan: &Plan,
    ranges: &[Ranges],
    readers: Vec<Reader>,
    limits: PageLimits,
    observe: impl Fn(usize, u64) + Clone + Send + 'static,
) -> Result<(Counted, Vec<Reader>), KeyPassError> {
    let views: Vec<Option<KeyView>> = plan
        .entities
        .iter()
        .enumerate()
        .map(|(at, entity)| ranges.iter().any(|ranges| ranges.entity == at).then(|| KeyView::new(entity)))
        .collect();
    let pass = Pass { views: Arc::new(views), limits };
    let room = ROOM / readers.len().max(1);
    let (sorters, readers) = pass
        .over(ranges, readers, move || HashSorter { sorter: Sorter::new(room), observe: observe.clone() })
        .await?;
    let mut collisions = Collisions::default();
    let suspects = suspects(sorters.into_iter().map(|sorter| sorter.sorter).collect(), &mut collisions)?;
    if suspects.is_empty() {
        let losers = Losers::collect(std::iter::empty(), &|_| String::new())?;
        return Ok((Counted { losers, collisions }, readers));
    }
    let suspects = Arc::new(suspects);
    let written: Vec<usize> =
        ranges.iter().filter(|ranges| ranges.written).map(|ranges| ranges.entity).collect();
    let again: Vec<Ranges> = ranges.iter().filter(|ranges| suspects.touch(ranges.entity)).cloned().collect();
    let (sorters, readers) = pass
        .over(&again, readers, move || RivalSorter {
            sorter: Sorter::new(room),
            suspects: Arc::clone(&suspects),
            written: written.clone(),
        })
        .await?;
    let sorters = sorters.into_iter().map(|sorter| sorter.sorter).collect();
    let losers = lose(sorters, &mut collisions)?;
    let name = |entity: usize| plan.entities.get(entity).map(|plan| plan.name.clone()).unwrap_or_default();
    let losers = Losers::collect(Sorter::join(vec![losers])?, &name)?;
    Ok((Counted { losers, collisions }, readers))
}

/// Takes the rows of a pass, range by range in reading order.
trait Take: Send + 'static {
    fn take(
        &mut self,
        view: &KeyView,
        page: &Page,
        items: &ItemPage,
        first: FirstRow,
    ) -> Result<(), KeyPassError>;
}

/// Where a page stands.
#[derive(Debug, Clone, Copy)]
struct FirstRow {
    entity: usize,
    range: usize,
    row: u64,
}

impl FirstRow {
    fn place(self, row: usize) -> Result<Place, KeyPassError> {
        let row = u64::try_from(row).ok().and_then(|row| self.row.checked_add(row));
        row.and_then(|row| Place::new(self.entity, self.range, row)).ok_or(KeyPassError::TooMany)
    }
}

struct Pass {
    /// By the entity's position in the plan.
    views: Arc<Vec<Option<KeyView>>>,
    limits: PageLimits,
}

type Queue = Arc<Mutex<VecDeque<(usize, usize, Bounds)>>>;

impl Pass {
    /// Reads all ranges with all readers, each with a taker of its own.
    async fn over<T: Take>(
        &self,
        ranges: &[Ranges],
        readers: Vec<Reader>,
        taker: impl Fn() -> T,
    ) -> Result<(Vec<T>, Vec<Reader>), KeyPassError> {
        let all = ranges.iter().flat_map(|ranges| {
            ranges.bounds.iter().enumerate().map(|(at, bounds)| (ranges.entity, at, bounds.clone()))
        });
        let queue: Queue = Arc::new(Mutex::new(all.collect()));
        let mut tasks = JoinSet::new();
        for reader in readers {
            let (views, queue, limits) = (Arc::clone(&self.views), Arc::clone(&queue), self.limits);
            tasks.spawn(read(views, queue, limits, reader, taker()));
        }
        let (mut takers, mut readers) = (Vec::new(), Vec::new());
        while let Some(done) = tasks.join_next().await {
            let (taker, reader) = done??;
            takers.push(taker);
            readers.push(reader);
        }
        Ok((takers, readers))
    }
}

async fn read<T: Take>(
    views: Arc<Vec<Option<KeyView>>>,
    queue: Queue,
    limits: PageLimits,
    mut reader: Reader,
    mut taker: T,
) -> Result<(T, Reader), KeyPassError> {
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    while let Some((entity, range, bounds)) = next() {
        let Some(Some(view)) = views.get(entity) else { continue };
        let mut cursor = Cursor::new(Arc::clone(&view.select), bounds, Position::Start, limits);
        let mut first = FirstRow { entity, range, row: 0 };
        let mut items = ItemPage::default();
        while let Some((page, _)) = cursor.next(&mut reader).await? {
            items = item::rebuild(&view.layout, &page, items);
            taker.take(view, &page, &items, first)?;
            first.row += u64::try_from(page.rows()).unwrap_or(u64::MAX);
            cursor.reuse(page);
        }
    }
    Ok((taker, reader))
}

struct HashSorter<O> {
    sorter: Sorter<HashedKey>,
    observe: O,
}

impl<O: Fn(usize, u64) + Send + 'static> Take for HashSorter<O> {
    fn take(
        &mut self,
        _: &KeyView,
        page: &Page,
        items: &ItemPage,
        first: FirstRow,
    ) -> Result<(), KeyPassError> {
        for item in &items.items {
            let (hash, place) = (key_hash(items, item), first.place(item.row)?);
            self.sorter.push(HashedKey { hash, place })?;
        }
        (self.observe)(first.entity, u64::try_from(page.rows()).unwrap_or(u64::MAX));
        Ok(())
    }
}

struct RivalSorter {
    sorter: Sorter<Rival>,
    suspects: Arc<Suspects>,
    written: Vec<usize>,
}

impl Take for RivalSorter {
    fn take(
        &mut self,
        view: &KeyView,
        page: &Page,
        items: &ItemPage,
        first: FirstRow,
    ) -> Result<(), KeyPassError> {
        for item in &items.items {
            let place = first.place(item.row)?;
            if !self.suspects.hold(place) {
                continue;
            }
            let shown = item::source_key(&view.layout, page, item.row);
            self.sorter.push(Rival {
                key: items.key(item).to_vec(),
                later: !self.written.contains(&place.entity()),
                entity: place.entity(),
                rank: view.rank(page, item.row, place.to_bytes()),
                place,
                row: row_hash(&shown),
                shown: serde_json::to_vec(&shown).map_err(io::Error::other)?,
            })?;
        }
        Ok(())
    }
}

/// Rows whose hashes are not alone: a bit a row.
#[derive(Debug, Default)]
struct Suspects(BTreeMap<(usize, usize), Vec<u64>>);

impl Suspects {
    fn add(&mut self, place: Place) {
        let bits = self.0.entry((place.entity(), place.range())).or_default();
        let (word, bit) = Self::bit(place);
        if bits.len() <= word {
            bits.resize(word + 1, 0);
        }
        if let Some(word) = bits.get_mut(word) {
            *word |= bit;
        }
    }

    fn hold(&self, place: Place) -> bool {
        let (word, bit) = Self::bit(place);
        let bits = self.0.get(&(place.entity(), place.range()));
        bits.and_then(|bits| bits.get(word)).is_some_and(|word| word & bit != 0)
    }

    fn bit(place: Place) -> (usize, u64) {
        (usize::try_from(place.row() / 64).unwrap_or(usize::MAX), 1 << (place.row() % 64))
    }

    fn touch(&self, entity: usize) -> bool {
        self.0.keys().any(|(touched, _)| *touched == entity)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn suspects(sorters: Vec<Sorter<HashedKey>>, collisions: &mut Collisions) -> Result<Suspects, KeyPassError> {
    let mut suspects = Suspects::default();
    let mut before: Option<HashedKey> = None;
    for key in Sorter::join(sorters)? {
        let key = key?;
        collisions.rows += 1;
        if let Some(before) = before.filter(|before| before.hash == key.hash) {
            suspects.add(before.place);
            suspects.add(key.place);
        }
        before = Some(key);
    }
    Ok(suspects)
}

/// All but the first of each key.
fn lose(sorters: Vec<Sorter<Rival>>, collisions: &mut Collisions) -> Result<Sorter<Loser>, KeyPassError> {
    let mut losers = Sorter::new(ROOM);
    let mut kept: Option<(Rival, bool)> = None;
    for rival in Sorter::join(sorters)? {
        let rival = rival?;
        match &mut kept {
            Some((first, shared)) if first.key == rival.key => {
                collisions.keys += u64::from(!*shared);
                *shared = true;
                *collisions.lost.entry(rival.entity).or_default() += 1;
                if collisions.examples.len() < EXAMPLES {
                    collisions.examples.push(Example { kept: shown(first), lost: shown(&rival) });
                }
                losers.push(Loser { place: rival.place, row: rival.row })?;
            }
            _ => kept = Some((rival, false)),
        }
    }
    Ok(losers)
}

fn shown(rival: &Rival) -> (usize, SourceKey) {
    (rival.entity, serde_json::from_slice(&rival.shown).unwrap_or_default())
}
