//! The items that belong to an answer, by the entities' own SELECTs.

use std::time::{Duration, Instant};

use crate::item::{self, ItemPage};
use crate::plan::{EntityPlan, Plan, ReturnPlan};
use crate::source::{Bound, Page, PageRead, ParameterRow, Reader};

use super::super::VerifyError;
use super::super::compare::Rules;
use super::super::equality::{Identity, Item, Malformed};
use super::super::value::Value;
use super::question::Reading;
use super::{MOST_BYTES, large, of_pattern};

/// An item of an answer.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    /// Position in `returns`.
    pub(super) returned: usize,
    pub(super) identity: Identity,
    /// As the table or the index holds it.
    pub(super) item: Item,
    /// Its values of the keys that are read.
    pub(super) pk: Vec<Value>,
    pub(super) sk: Vec<Value>,
    /// Billed bytes of the item, or of its entry in the index.
    pub(super) size: u32,
    /// DynamoDB JSON, for people.
    pub(super) wire: Vec<u8>,
    /// The load has left it out for a reason of its own, or its time has passed: it may be there or not.
    pub(super) excused: bool,
}

/// What the source says to one question.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) items: Vec<Expected>,
    /// Rows whose item is not in the index: NULL, empty, or `when` does not hold.
    pub(super) not_in_index: usize,
    /// Rows that make no item.
    pub(super) rejected: usize,
    /// Of the statements.
    pub(super) elapsed: Duration,
}

/// The items of one question, of all entities that `returns` names.
pub(super) async fn expected(
    plan: &Plan,
    reading: &Reading<'_>,
    row: &ParameterRow,
    reader: &mut Reader,
    rules: &Rules,
) -> Result<Wanted, VerifyError> {
    let mut wanted = Wanted::default();
    let mut room = MOST_BYTES;
    for (position, returned) in reading.pattern.returns.iter().enumerate() {
        let Some(entity) = plan.entities.iter().find(|entity| entity.name == returned.entity) else {
            continue;
        };
        let started = Instant::now();
        let page = rows(reading, entity, returned, row, reader, room).await?;
        wanted.elapsed += started.elapsed();
        room = room.saturating_sub(page.size());
        let built = item::rebuild(&entity.layout, &page, ItemPage::default());
        wanted.rejected += built.rejections.len();
        let found = items(reading, position, entity, &page, &built, rules)?;
        wanted.not_in_index += built.items.len() - found.len();
        wanted.items.extend(found);
    }
    Ok(wanted)
}

async fn rows(
    reading: &Reading<'_>,
    entity: &EntityPlan,
    returned: &ReturnPlan,
    row: &ParameterRow,
    reader: &mut Reader,
    room: usize,
) -> Result<Page, VerifyError> {
    let bound = Bound::new(reading.pattern.params.as_deref(), &row.values);
    let read = reader.matching(&entity.select, &returned.predicate, bound, room).await;
    match read.map_err(|error| of_pattern(reading.pattern, error))? {
        PageRead::Page(page) => Ok(page),
        PageRead::TooLarge { .. } => Err(large(reading.pattern, format!("rows of `{}`", entity.name))),
    }
}

fn items(
    reading: &Reading<'_>,
    returned: usize,
    entity: &EntityPlan,
    page: &Page,
    built: &ItemPage,
    rules: &Rules,
) -> Result<Vec<Expected>, VerifyError> {
    let malformed = |malformed: Malformed| VerifyError::Malformed {
        entity: entity.name.clone(),
        what: format!("an item built for access pattern `{}`: {malformed}", reading.pattern.name),
    };
    let mut found = Vec::with_capacity(built.items.len());
    for (position, item) in built.items.iter().enumerate() {
        let entry = reading.pattern.index.and_then(|index| built.index_entries(position).get(index).copied());
        let size = match (reading.index, entry) {
            (None, _) => item.size,
            // It is not in the index: NULL, empty, or `when` does not hold.
            (Some(_), None | Some(0)) => continue,
            (Some(_), Some(size)) => size,
        };
        let whole = Item::parse(built.wire(item)).map_err(malformed)?;
        let (Some(pk), Some(sk)) = (whole.values(&reading.pk), whole.values(&reading.sk)) else { continue };
        let source_key = || item::source_key(&entity.layout, page, item.row);
        let left_out =
            || rules.excuse.as_ref().is_some_and(|rule| rule(&entity.name, &source_key()).is_some());
        let expired = rules.expiry.as_ref().is_some_and(|expiry| expiry.has_passed(built.wire(item)));
        found.push(Expected {
            returned,
            identity: Identity::parse(built.key(item)).map_err(malformed)?,
            item: match &reading.projected {
                Some(names) => whole.projected(names),
                None => whole,
            },
            pk,
            sk,
            size,
            wire: built.wire(item).to_vec(),
            excused: expired || left_out(),
        });
    }
    Ok(found)
}
