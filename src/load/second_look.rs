//! Some rows of each page are asked for once more, as cells and as the server's own text, before anything of
//! the page is written: [`crate::witness`] compares.

use std::sync::Arc;

use super::reading::ReadError;
use crate::item::{self, ItemPage};
use crate::plan::EntityPlan;
use crate::source::{Cursor, Page, Reader, Sample, SourceError, Window};
use crate::witness::{Contradiction, Schedule, agree, compare};

#[derive(Debug, Clone)]
pub(crate) struct SecondLook {
    pub schedule: Arc<Schedule>,
    /// A page of more bytes holds a single row that no item has room for.
    pub max_bytes: usize,
}

/// How often a row is read before what differs counts as wrong and not as SQL that changes by itself,
/// such as `random()`.
const READS: usize = 16;

/// Bytes of cells to be read again at once, beyond one row.
const ROOM: usize = 2 << 20;

impl SecondLook {
    /// Looks at the first rows of the page that the cursor has just read, as many as are due.
    pub(crate) async fn at(
        &self,
        page: (&Page, &ItemPage),
        entity: (usize, &EntityPlan),
        cursor: &Cursor,
        reader: &mut Reader,
    ) -> Result<(), ReadError> {
        let rows = page.0.rows();
        let due = self.schedule.take(entity.0, count(rows));
        if due == 0 || page.0.size() > self.max_bytes {
            return Ok(());
        }
        if due == count(rows) && page.0.size() <= ROOM {
            return self.window(page, entity, (cursor, None), reader).await;
        }
        let fitting = count((ROOM / (page.0.size() / rows).max(1)).max(1));
        let mut first = 0;
        while first < due {
            let window = Window { first, rows: fitting.min(due - first) };
            self.window(page, entity, (cursor, Some(window)), reader).await?;
            first += window.rows;
        }
        Ok(())
    }

    async fn window(
        &self,
        (page, items): (&Page, &ItemPage),
        (number, entity): (usize, &EntityPlan),
        (cursor, window): (&Cursor, Option<Window>),
        reader: &mut Reader,
    ) -> Result<(), ReadError> {
        let sample = cursor.sample(reader, window).await?;
        let again = item::build(&entity.layout, sample.cells());
        if let Err(contradiction) = compare(entity, &sample, &again)
            && !changes_by_itself(&contradiction, &sample, (cursor, window), reader).await?
        {
            return Err(contradiction.into());
        }
        let first = window.map_or(0, |window| usize::try_from(window.first).unwrap_or(usize::MAX));
        agree(entity, (page, items, first), (&sample, &again))?;
        self.schedule.passed(number, count(sample.cells().rows()));
        Ok(())
    }
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}

/// Whether the source gives the row another value every time.
async fn changes_by_itself(
    contradiction: &Contradiction,
    first: &Sample,
    (cursor, window): (&Cursor, Option<Window>),
    reader: &mut Reader,
) -> Result<bool, SourceError> {
    for _ in 1..READS {
        let again = cursor.sample(reader, window).await?;
        if !first.has_cells_of(contradiction.row, again.cells(), contradiction.row) {
            return Ok(true);
        }
    }
    Ok(false)
}
