//! Reads ranges of entities with all readers side by side.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinSet;

use super::place::Place;
use super::view::{Hash, KeyView};
use super::{KeyPassError, Losers, Piece, Ranges};
use crate::item::{self, ItemPage};
use crate::source::{Cursor, Page, PageLimits, Position, Reader};

/// Takes the rows of a pass, range by range in reading order.
pub(super) trait Take: Send + 'static {
    fn take(
        &mut self,
        view: &KeyView,
        page: &Page,
        items: &ItemPage,
        part: &Part<'_>,
    ) -> Result<(), KeyPassError>;
}

/// Where a page stands, and what is known of its rows.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) first: FirstRow,
    /// Items of these rows are in the table, but for the losers'.
    written: bool,
    losers: &'a HashSet<Hash>,
}

/// Of rows with one key those in the table come first, then those to be written, then those that lost
/// when they were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    Written,
    Unwritten,
    Lost,
}

impl Part<'_> {
    pub(super) fn standing(&self, row: &Hash) -> Standing {
        match (self.written, self.losers.contains(row)) {
            (true, true) => Standing::Lost,
            (true, false) => Standing::Written,
            (false, _) => Standing::Unwritten,
        }
    }
}

/// Where a page stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct FirstRow {
    pub(super) entity: usize,
    piece: usize,
    row: u64,
}

impl FirstRow {
    pub(super) fn place(self, row: usize) -> Result<Place, KeyPassError> {
        let row = u64::try_from(row).ok().and_then(|row| self.row.checked_add(row));
        row.and_then(|row| Place::new(self.entity, self.piece, row)).ok_or(KeyPassError::TooMany)
    }
}

#[derive(Clone)]
pub(super) struct Pass {
    /// By the entity's position in the plan.
    pub(super) views: Arc<Vec<Option<KeyView>>>,
    pub(super) names: Arc<Vec<String>>,
    /// Of earlier counts.
    pub(super) known: Option<Arc<Losers>>,
    pub(super) limits: PageLimits,
}

type Queue = Arc<Mutex<VecDeque<(usize, usize, Piece)>>>;

impl Pass {
    /// Reads all ranges with all readers, each with a taker of its own.
    pub(super) async fn over<T: Take>(
        &self,
        ranges: &[Ranges],
        readers: Vec<Reader>,
        taker: impl Fn() -> T,
    ) -> Result<(Vec<T>, Vec<Reader>), KeyPassError> {
        let all = ranges.iter().flat_map(|ranges| {
            ranges.pieces.iter().enumerate().map(|(at, piece)| (ranges.entity, at, piece.clone()))
        });
        let queue: Queue = Arc::new(Mutex::new(all.collect()));
        let mut tasks = JoinSet::new();
        for reader in readers {
            tasks.spawn(read(self.clone(), Arc::clone(&queue), reader, taker()));
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
    pass: Pass,
    queue: Queue,
    mut reader: Reader,
    mut taker: T,
) -> Result<(T, Reader), KeyPassError> {
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    while let Some((entity, at, piece)) = next() {
        let Some(Some(view)) = pass.views.get(entity) else { continue };
        let losers = match (&pass.known, pass.names.get(entity)) {
            (Some(known), Some(name)) if piece.written => known.of(name, piece.range)?,
            _ => HashSet::new(),
        };
        let first = FirstRow { entity, piece: at, row: 0 };
        let mut part = Part { first, written: piece.written, losers: &losers };
        let mut cursor = Cursor::new(Arc::clone(&view.select), piece.bounds, Position::Start, pass.limits);
        let mut items = ItemPage::default();
        while let Some((page, _)) = cursor.next(&mut reader).await? {
            items = item::rebuild(&view.layout, &page, items);
            taker.take(view, &page, &items, &part)?;
            part.first.row += u64::try_from(page.rows()).unwrap_or(u64::MAX);
            cursor.reuse(page);
        }
    }
    Ok((taker, reader))
}
