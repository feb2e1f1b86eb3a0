//! The keys of all items that the source makes, for whoever asks what else a table holds.
//!
//! A row whose item is rejected for another reason than its key has one as well; rows that share a key have
//! it several times.

use std::sync::Arc;

use super::pass::{Part, Pass, Take};
use super::view::KeyView;
use super::{KeyPassError, Piece, Ranges};
use crate::item::ItemPage;
use crate::plan::Plan;
use crate::source::{Page, PageLimits, Reader, SourceError};

/// Takes the keys page by page, in no order.
pub trait EveryKey: Send + 'static {
    /// Items that are nothing but keys, of `rows` rows of an entity.
    fn take(&mut self, entity: usize, rows: u64, keys: &ItemPage) -> Result<(), KeyPassError>;
}

/// Ranges to cut an entity into, for each reader.
const RANGES_A_READER: u64 = 4;

/// Reads the key columns of all rows, each reader with a taker of its own.
pub async fn every_key<T: EveryKey>(
    plan: &Plan,
    mut readers: Vec<Reader>,
    limits: PageLimits,
    taker: impl Fn() -> T,
) -> Result<Vec<T>, KeyPassError> {
    let ranges = cut(plan, &mut readers).await?;
    let views = plan.entities.iter().map(|entity| Some(KeyView::new(entity))).collect();
    let names = plan.entities.iter().map(|entity| entity.name.clone()).collect();
    let pass = Pass { views: Arc::new(views), names: Arc::new(names), known: None, limits };
    let (takers, _) = pass.over(&ranges, readers, || Each(taker())).await?;
    Ok(takers.into_iter().map(|Each(taker)| taker).collect())
}

async fn cut(plan: &Plan, readers: &mut [Reader]) -> Result<Vec<Ranges>, SourceError> {
    let pieces = RANGES_A_READER.saturating_mul(u64::try_from(readers.len()).unwrap_or(u64::MAX));
    let Some(reader) = readers.first_mut() else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for (entity, plan) in plan.entities.iter().enumerate() {
        let cut = reader.cut(&plan.select, pieces, plan.row_estimate).await?;
        let piece = |(range, bounds)| Piece { range, bounds, written: false };
        all.push(Ranges { entity, pieces: cut.into_iter().enumerate().map(piece).collect() });
    }
    Ok(all)
}

struct Each<T>(T);

impl<T: EveryKey> Take for Each<T> {
    fn take(
        &mut self,
        _: &KeyView,
        page: &Page,
        items: &ItemPage,
        part: &Part<'_>,
    ) -> Result<(), KeyPassError> {
        let rows = u64::try_from(page.rows()).unwrap_or(u64::MAX);
        self.0.take(part.first.entity, rows, items)
    }
}
