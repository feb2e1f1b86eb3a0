//! Wrong rows once more, by a snapshot of now: a source that moved on while it was verified is no damage.

mod lines;

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use futures::future::join_all;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Mutex, watch};

use super::batch::{Place, units_of};
use super::compare::{Rules, describe};
use super::equality::same;
use super::lookup::{LookupError, fetch};
use super::repair::{Became, WrongRow};
use super::rivals;
use super::suspects::{Line, Suspects};
use super::{Snapshots, VerifyError, VerifyOptions, stopped};
use crate::item::{self, ItemPage};
use crate::load::Units;
use crate::plan::{EntityPlan, Plan};
use crate::report::Difference;
use crate::source::{KeyValue, Reader, SourceErrorKind};
use crate::target::{Lookup, TargetError};

use lines::Lines;

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

/// Reads the suspects again with all readers, at most so many of each entity. Gives back whether `stop` held true
/// before the end: then no more is read, and what is being mended is finished.
pub(super) async fn confirm<L: Lookup>(
    plan: &Plan,
    mut now: Snapshots<'_>,
    target: &L,
    options: &VerifyOptions,
    suspects: Suspects,
    ear: Ear,
) -> Result<bool, VerifyError> {
    let shared = async {
        match options.mend {
            Some(_) => rivals::shared(plan, &mut now, options, &suspects.entities).await,
            None => Ok(HashSet::new()),
        }
    };
    let Some(shared) = ear.unless_stopped(shared).await else { return Ok(true) };
    // Opened after the count, which may take long: rows are mended by a snapshot of now.
    let rules = Rules { shared: shared?, ..Rules::of(options) };
    let Some(readers) = ear.unless_stopped(now.open(plan)).await else { return Ok(true) };
    let mut taken: HashMap<usize, u64> = HashMap::new();
    let most = options.reconsidered;
    let lines = suspects.lines()?.filter(move |line| {
        let Ok(line) = line else { return true };
        let taken = taken.entry(line.entity).or_default();
        *taken += 1;
        *taken <= most
    });
    let again = Again { plan, target, rules, queue: Mutex::new(Lines::new(lines)), ear };
    let mut readers = readers?;
    let work = readers.iter_mut().map(|reader| again.reconsider(reader));
    // All of them end by themselves, since each may be mending.
    let ended: Vec<bool> = join_all(work).await.into_iter().collect::<Result<_, _>>()?;
    Ok(ended.contains(&true))
}

/// Who wants to hear of it, and when it is to stop.
#[derive(Debug, Clone)]
pub(super) struct Ear {
    pub(super) news: UnboundedSender<Reconsidered>,
    pub(super) stop: watch::Receiver<bool>,
}

impl Ear {
    /// `None` once it is to stop; the work is dropped where it stands then.
    async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut stop = self.stop.clone();
        tokio::select! {
            biased;
            () = stopped(&mut stop) => None,
            done = work => Some(done),
        }
    }

    /// Nobody listens only when the verification has already ended.
    fn tell(&self, news: Reconsidered) {
        let _ = self.news.send(news);
    }

    fn slowed(&self, error: &TargetError) {
        self.tell(Reconsidered::Slowed(error.cause.clone()));
    }
}

/// What all readers have in common.
struct Again<'a, L, I> {
    plan: &'a Plan,
    target: &'a L,
    rules: Rules,
    queue: Mutex<Lines<I>>,
    ear: Ear,
}

/// Rows of one entity, with the items that were found for them.
struct Judged<'a> {
    entity: &'a EntityPlan,
    rows: Vec<(Line, Fresh)>,
    found: Vec<Option<Arc<Vec<u8>>>>,
    confirmed: Vec<Confirmed>,
}

impl<'a, L: Lookup, I: Iterator<Item = io::Result<Line>> + Send> Again<'a, L, I> {
    /// Gives back whether it was stopped. Where it fails the other readers end as well, once they have finished what
    /// they have.
    async fn reconsider(&self, reader: &mut Reader) -> Result<bool, VerifyError> {
        let ended = self.until_stopped(reader).await;
        if ended.is_err() {
            self.queue.lock().await.end();
        }
        ended
    }

    async fn until_stopped(&self, reader: &mut Reader) -> Result<bool, VerifyError> {
        loop {
            let Some(judged) = self.ear.unless_stopped(self.judge_some(reader)).await else {
                return Ok(true);
            };
            let Some(mut judged) = judged? else { return Ok(false) };
            // Never dropped: changes that are under way are made, and known to be.
            self.mend(&mut judged).await?;
            for confirmed in judged.confirmed {
                self.ear.tell(Reconsidered::Row(Box::new(confirmed)));
            }
        }
    }

    /// `None` where no lines are left.
    async fn judge_some(&self, reader: &mut Reader) -> Result<Option<Judged<'a>>, VerifyError> {
        let lines = self.queue.lock().await.some()?;
        let Some(entity) = lines.first().and_then(|line| self.plan.entities.get(line.entity)) else {
            return Ok(None);
        };
        let mut rows = Vec::with_capacity(lines.len());
        for line in lines {
            let fresh = read(reader, entity, &line).await?;
            rows.push((line, fresh));
        }
        self.judge(entity, rows).await.map(Some)
    }

    async fn judge(
        &self,
        entity: &'a EntityPlan,
        rows: Vec<(Line, Fresh)>,
    ) -> Result<Judged<'a>, VerifyError> {
        let key = |(line, fresh): &'_ (Line, Fresh)| match fresh {
            Fresh::Item { key, .. } => key.clone(),
            Fresh::Gone | Fresh::Rejected | Fresh::Unknown => line.key.as_bytes().to_vec(),
        };
        let keys: Vec<Vec<u8>> = rows.iter().map(key).collect();
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let of = |error: LookupError| VerifyError::of(error.into(), entity.name.clone());
        let throttled = |error: &TargetError| {
            self.rules.pacer.slowed_by(error);
            self.ear.slowed(error);
        };
        let found = fetch(self.target, &keys, self.rules.pace, &throttled).await.map_err(of)?;
        let units = units_of(&found);
        self.ear.tell(Reconsidered::Read(units));
        self.rules.pacer.take(&Units { table: units, indexes: Vec::new() }).await;
        let mut confirmed = Vec::with_capacity(rows.len());
        for ((line, fresh), found) in rows.iter().zip(&found) {
            let verdict = verdict(line, fresh, found.as_ref(), &self.rules)
                .map_err(|malformed| of(LookupError::Malformed(malformed)))?;
            confirmed.push(Confirmed {
                entity: line.entity,
                place: line.place,
                was_missing: line.missing,
                verdict,
                became: None,
            });
        }
        Ok(Judged { entity, rows, found, confirmed })
    }

    async fn mend(&self, judged: &mut Judged<'_>) -> Result<(), VerifyError> {
        let Some(mend) = &self.rules.mend else { return Ok(()) };
        let Judged { entity, rows, found, confirmed } = judged;
        let mut wrong: Vec<(&mut Confirmed, WrongRow<'_>)> = confirmed
            .iter_mut()
            .zip(rows.iter().zip(found.iter()))
            .filter_map(|(confirmed, (row, found))| {
                let row = confirmed.verdict.to_mend(row, found.as_ref())?;
                Some((confirmed, row))
            })
            .collect();
        let wrong_rows: Vec<WrongRow<'_>> = wrong.iter().map(|(_, row)| *row).collect();
        let is_shared = wrong.first().is_some_and(|(first, _)| self.rules.shared.contains(&first.entity));
        let became = match is_shared {
            true => vec![Became::Left(RIVALS.to_owned()); wrong.len()],
            false => mend
                .mend(&entity.name, &wrong_rows, &|error| self.ear.slowed(error))
                .await
                .map_err(|error| VerifyError::mending(error, entity.name.clone()))?,
        };
        wrong.iter_mut().zip(became).for_each(|((confirmed, _), became)| confirmed.mended(became));
        Ok(())
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
