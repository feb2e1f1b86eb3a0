//! Reads ranges of entities with all readers side by side.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinSet;

use super::place::Place;
use super::view::KeyView;
use super::{KeyPassError, Ranges};
use crate::item::{self, ItemPage};
use crate::source::{Bounds, Cursor, Page, PageLimits, Position, Reader};

/// Takes the rows of a pass, range by range in reading order.
pub(super) trait Take: Send + 'static {
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
pub(super) struct FirstRow {
    pub(super) entity: usize,
    range: usize,
    row: u64,
}

impl FirstRow {
    pub(super) fn place(self, row: usize) -> Result<Place, KeyPassError> {
        let row = u64::try_from(row).ok().and_then(|row| self.row.checked_add(row));
        row.and_then(|row| Place::new(self.entity, self.range, row)).ok_or(KeyPassError::TooMany)
    }
}

pub(super) struct Pass {
    /// By the entity's position in the plan.
    pub(super) views: Arc<Vec<Option<KeyView>>>,
    pub(super) limits: PageLimits,
}

type Queue = Arc<Mutex<VecDeque<(usize, usize, Bounds)>>>;

impl Pass {
    /// Reads all ranges with all readers, each with a taker of its own.
    pub(super) async fn over<T: Take>(
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
