//! Some rows of each page are asked for once more, as cells and as the server's own text, before anything of
//! the page is written: [`crate::witness`] compares.

use std::sync::Arc;

use super::reading::ReadError;
use crate::item::{self, ItemPage};
use crate::plan::EntityPlan;
use crate::source::{Cursor, Page, Reader, Sample, SourceError};
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

impl SecondLook {
    /// Looks at the first rows of the page that the cursor has just read.
    pub(crate) async fn at(
        &self,
        (page, items): (&Page, &ItemPage),
        (number, entity): (usize, &EntityPlan),
        cursor: &Cursor,
        reader: &mut Reader,
    ) -> Result<(), ReadError> {
        let rows = u64::try_from(page.rows()).unwrap_or(u64::MAX);
        let due = self.schedule.take(number, rows);
        if due == 0 || page.size() > self.max_bytes {
            return Ok(());
        }
        let due = (due < rows).then_some(due);
        let sample = cursor.sample(reader, due).await?;
        let again = item::build(&entity.layout, sample.cells());
        if let Err(contradiction) = compare(entity, &sample, &again)
            && !changes_by_itself(&contradiction, &sample, due, cursor, reader).await?
        {
            return Err(contradiction.into());
        }
        agree(entity, (page, items), (&sample, &again))?;
        self.schedule.passed(number, u64::try_from(sample.cells().rows()).unwrap_or(u64::MAX));
        Ok(())
    }
}

/// Whether the source gives the row another value every time.
async fn changes_by_itself(
    contradiction: &Contradiction,
    first: &Sample,
    rows: Option<u64>,
    cursor: &Cursor,
    reader: &mut Reader,
) -> Result<bool, SourceError> {
    for _ in 1..READS {
        let again = cursor.sample(reader, rows).await?;
        if !first.has_cells_of(again.cells(), contradiction.row) {
            return Ok(true);
        }
    }
    Ok(false)
}
