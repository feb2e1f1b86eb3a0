//! Wrong rows once more, by a snapshot of now: a source that moved on while it was verified is no damage.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use futures::future::try_join_all;
use tokio::sync::Mutex;
use tokio::sync::mpsc::UnboundedSender;

use super::batch::{Place, units_of};
use super::compare::{Rules, describe};
use super::equality::same;
use super::lookup::{LookupError, fetch};
use super::repair::{Became, WrongRow};
use super::rivals;
use super::suspects::{Line, Suspects};
use super::{VerifyError, VerifyOptions};
use crate::item::{self, ItemPage};
use crate::load::Units;
use crate::plan::{EntityPlan, Plan};
use crate::report::Difference;
use crate::source::{KeyValue, Reader, SourceErrorKind};
use crate::target::{Lookup, TargetError};

/// Rows looked up with one request.
const ROWS: usize = 100;

/// What became of a suspect.
#[derive(Debug)]
pub(super) struct Confirmed {
    pub(super) entity: usize,
    pub(super) place: Place,
    pub(super) was_missing: bool,
    pub(super) verdict: Verdict,
    /// Where it was to be repaired.
    pub(super) became: Option<Became>,
}

#[derive(Debug)]
pub(super) enum Verdict {
    /// The source's row is another one now, and the target is right about it.
    Moved,
    /// The row makes no item any more.
    Rejected,
    /// The item's time to live has passed.
    Expired,
    Missing(Option<Difference>),
    Different(Option<Difference>),
}

#[derive(Debug)]
pub(super) enum Reconsidered {
    Row(Box<Confirmed>),
    /// So many read units were taken.
    Read(u64),
    Slowed(String),
}

/// The row as it is now.
enum Fresh {
    Gone,
    Rejected,
    /// Its source key is not one that can be looked for.
    Unknown,
    Item {
        key: Vec<u8>,
        wire: Vec<u8>,
    },
}

/// Reads the suspects again with all readers, at most so many of each entity.
pub(super) async fn confirm<L: Lookup>(
    plan: &Plan,
    readers: Vec<Reader>,
    target: &L,
    options: &VerifyOptions,
    suspects: Suspects,
    news: UnboundedSender<Reconsidered>,
) -> Result<(), VerifyError> {
    let (shared, mut readers) = match options.mend {
        Some(_) => rivals::shared(plan, readers, options, &suspects.entities).await?,
        None => (HashSet::new(), readers),
    };
    let mut taken: HashMap<usize, u64> = HashMap::new();
    let most = options.reconsidered;
    let lines = suspects.lines()?.filter(move |line| {
        let Ok(line) = line else { return true };
        let taken = taken.entry(line.entity).or_default();
        *taken += 1;
        *taken <= most
    });
    let queue = Mutex::new(Lines { lines, next: None });
    let rules = Rules { shared, ..Rules::of(options) };
    let work = readers.iter_mut().map(|reader| reconsider(plan, reader, target, &rules, &queue, &news));
    try_join_all(work).await?;
    Ok(())
}

/// Hands out lines of one entity at a time.
struct Lines<I> {
    lines: I,
    next: Option<Line>,
}

impl<I: Iterator<Item = io::Result<Line>>> Lines<I> {
    fn some(&mut self) -> io::Result<Vec<Line>> {
        let mut some: Vec<Line> = self.next.take().into_iter().collect();
        while some.len() < ROWS {
            let Some(line) = self.lines.next().transpose()? else { break };
            if some.first().is_some_and(|first| first.entity != line.entity) {
                self.next = Some(line);
                break;
            }
            some.push(line);
        }
        Ok(some)
    }
}

async fn reconsider<L: Lookup, I: Iterator<Item = io::Result<Line>>>(
    plan: &Plan,
    reader: &mut Reader,
    target: &L,
    rules: &Rules,
    queue: &Mutex<Lines<I>>,
    news: &UnboundedSender<Reconsidered>,
) -> Result<(), VerifyError> {
    loop {
        let lines = queue.lock().await.some()?;
        let Some(entity) = lines.first().and_then(|line| plan.entities.get(line.entity)) else {
            return Ok(());
        };
        let mut rows = Vec::with_capacity(lines.len());
        for line in lines {
            let fresh = read(reader, entity, &line).await?;
            rows.push((line, fresh));
        }
        for confirmed in judge(target, entity, rows, rules, news).await? {
            // Nobody listens only when the verification has already ended.
            let _ = news.send(Reconsidered::Row(Box::new(confirmed)));
        }
    }
}

async fn read(reader: &mut Reader, entity: &EntityPlan, line: &Line) -> Result<Fresh, VerifyError> {
    let value = |(column, text): &(String, String)| KeyValue { column: column.clone(), text: text.clone() };
    let values: Vec<KeyValue> = line.source_key.iter().map(value).collect();
    let page = match reader.find(&entity.select, &values, 2).await {
        Ok(page) => page,
        Err(error) if error.kind == SourceErrorKind::KeyValue => return Ok(Fresh::Unknown),
        Err(error) => return Err(error.into()),
    };
    let built = item::rebuild(&entity.layout, &page, ItemPage::default());
    Ok(match (page.rows(), built.items.first()) {
        (0, _) => Fresh::Gone,
        (1, Some(item)) => Fresh::Item { key: built.key(item).to_vec(), wire: built.wire(item).to_vec() },
        (1, None) => Fresh::Rejected,
        _ => Fresh::Unknown,
    })
}

async fn judge<L: Lookup>(
    target: &L,
    entity: &EntityPlan,
    rows: Vec<(Line, Fresh)>,
    rules: &Rules,
    news: &UnboundedSender<Reconsidered>,
) -> Result<Vec<Confirmed>, VerifyError> {
    let keys: Vec<&[u8]> = rows
        .iter()
        .map(|(line, fresh)| match fresh {
            Fresh::Item { key, .. } => key.as_slice(),
            Fresh::Gone | Fresh::Rejected | Fresh::Unknown => line.key.as_bytes(),
        })
        .collect();
    let slowed = |error: &TargetError| {
        let _ = news.send(Reconsidered::Slowed(error.cause.clone()));
    };
    let of = |error: LookupError| VerifyError::of(error.into(), entity.name.clone());
    let throttled = |error: &TargetError| {
        rules.pacer.slowed_by(error);
        slowed(error);
    };
    let found = fetch(target, &keys, rules.pace, &throttled).await.map_err(of)?;
    let units = units_of(&found);
    let _ = news.send(Reconsidered::Read(units));
    rules.pacer.take(&Units { table: units, indexes: Vec::new() }).await;
    let mut confirmed = Vec::with_capacity(rows.len());
    for ((line, fresh), found) in rows.iter().zip(&found) {
        let verdict = verdict(line, fresh, found.as_ref(), rules)
            .map_err(|malformed| of(LookupError::Malformed(malformed)))?;
        confirmed.push(Confirmed {
            entity: line.entity,
            place: line.place,
            was_missing: line.missing,
            verdict,
            became: None,
        });
    }
    if let Some(mend) = &rules.mend {
        let mut wrong: Vec<(&mut Confirmed, WrongRow<'_>)> = confirmed
            .iter_mut()
            .zip(rows.iter().zip(&found))
            .filter_map(|(confirmed, (row, found))| {
                let row = confirmed.verdict.to_mend(row, found.as_ref())?;
                Some((confirmed, row))
            })
            .collect();
        let wrong_rows: Vec<WrongRow<'_>> = wrong.iter().map(|(_, row)| *row).collect();
        let became = match wrong.first().is_some_and(|(first, _)| rules.shared.contains(&first.entity)) {
            true => vec![Became::Left(RIVALS.to_owned()); wrong.len()],
            false => mend
                .mend(&entity.name, &wrong_rows, &slowed)
                .await
                .map_err(|error| VerifyError::mending(error, entity.name.clone()))?,
        };
        wrong.iter_mut().zip(became).for_each(|((confirmed, _), became)| confirmed.mended(became));
    }
    Ok(confirmed)
}

const RIVALS: &str = "rows that the load has not counted share keys, so that the item may be another row's; load again \
                      with --restart";

impl Verdict {
    /// Only what the row as it is now makes is ever written.
    fn to_mend<'a>(
        &self,
        (line, fresh): &'a (Line, Fresh),
        found: Option<&'a Arc<Vec<u8>>>,
    ) -> Option<WrongRow<'a>> {
        match (self, fresh) {
            (Verdict::Missing(_) | Verdict::Different(_), Fresh::Item { key, wire }) => Some(WrongRow {
                source_key: &line.source_key,
                key,
                expected: wire,
                found: found.map(|found| found.as_slice()),
            }),
            _ => None,
        }
    }
}

impl Confirmed {
    fn mended(&mut self, became: Became) {
        if let Verdict::Missing(Some(difference)) | Verdict::Different(Some(difference)) = &mut self.verdict {
            difference.repair = Some(became.outcome());
            difference.why = became.why().map(str::to_owned);
        }
        if became == Became::Right {
            self.verdict = Verdict::Moved;
        }
        self.became = Some(became);
    }
}

fn verdict(
    line: &Line,
    fresh: &Fresh,
    found: Option<&Arc<Vec<u8>>>,
    rules: &Rules,
) -> Result<Verdict, super::Malformed> {
    let as_it_was = || match line.missing {
        true => Verdict::Missing(None),
        false => Verdict::Different(None),
    };
    Ok(match (fresh, found) {
        (Fresh::Gone, None) => Verdict::Moved,
        (Fresh::Rejected, None) => Verdict::Rejected,
        (Fresh::Gone | Fresh::Rejected | Fresh::Unknown, _) => as_it_was(),
        (Fresh::Item { wire, .. }, Some(found)) if same(wire, found)? => Verdict::Moved,
        (Fresh::Item { wire, .. }, None) if rules.has_expired(wire) => Verdict::Expired,
        (Fresh::Item { key, wire }, found) => {
            let found = found.map(|found| found.as_slice());
            let difference = describe(wire, found, key, line.source_key.clone(), rules.show_values)?;
            match found {
                None => Verdict::Missing(Some(difference)),
                Some(_) => Verdict::Different(Some(difference)),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(entity: usize, row: usize) -> io::Result<Line> {
        let place = Place { row, ..Place::default() };
        Ok(Line { entity, place, missing: true, source_key: Vec::new(), key: String::new() })
    }

    #[test]
    fn lines_are_handed_out_by_entity_and_a_hundred_at_a_time() {
        let lines = (0..250).map(|row| line(0, row)).chain((0..3).map(|row| line(1, row)));
        let mut lines = Lines { lines, next: None };
        let mut sizes = Vec::new();
        loop {
            let some = lines.some().unwrap();
            let Some(first) = some.first() else { break };
            assert!(some.iter().all(|line| line.entity == first.entity));
            sizes.push((first.entity, some.len()));
        }
        assert_eq!(sizes, [(0, 100), (0, 100), (0, 50), (1, 3)]);
    }
}
