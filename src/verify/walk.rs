//! Readers share the ranges of all entities; each keeps a few lookups in flight.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::try_join_all;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{JoinError, JoinSet};

use super::batch::{Batch, Choice, Held, Place, absent, batches, keys_alone, rejected};
use super::checkpoint::{EntityProgress, RangeProgress};
use super::compare::{Rules, check};
use super::sample::{Lowest, Sample, Threshold, place};
use super::tally::News;
use super::{VerifyError, VerifyOptions};
use crate::item::{self, ItemPage};
use crate::plan::{EntityPlan, Layout, Plan};
use crate::source::{Cursor, Page, Position, Reader, Select, SourceError};
use crate::target::{Lookup, TargetError};

/// Ranges to cut an entity into, for each reader: enough that no reader is left without work early.
const RANGES_PER_READER: u64 = 4;

/// Pages of a reader that wait for their lookups, at most.
const PAGES_HELD: usize = 3;

/// A range of one entity's keys.
struct Range<'a> {
    entity: usize,
    plan: &'a EntityPlan,
    /// Its position among the ranges of its entity.
    number: usize,
    /// No row's key is another row's: an item under the key of a rejected row is its own.
    alone: bool,
    progress: RangeProgress,
}

/// Reads every row of the plan, once, and checks those that the sample takes. Goes on from `earlier`.
pub(super) async fn check_all<L: Lookup>(
    plan: &Plan,
    mut readers: Vec<Reader>,
    target: Arc<L>,
    options: &VerifyOptions,
    earlier: Vec<EntityProgress>,
    news: UnboundedSender<News>,
) -> Result<(), VerifyError> {
    if readers.is_empty() {
        return Err(VerifyError::NoReader);
    }
    let ranges = cut(plan, &mut readers, &earlier, &news).await?;
    let thresholds = match options.sample {
        None => None,
        Some(sample) => Some(thresholds(plan, &mut readers, &ranges, sample, options).await?),
    };
    let lookups = options.concurrency.div_ceil(readers.len()).max(1);
    let queue = Queue::new(ranges.iter().filter(|range| !range.progress.done));
    let rules = Rules::of(options);
    let walks = readers.iter_mut().map(|reader| {
        let lookups = Lookups::new(&target, &rules, &news, lookups);
        walk(reader, &queue, thresholds.as_deref(), options, lookups)
    });
    try_join_all(walks).await?;
    Ok(())
}

/// The ranges of all entities, cut by all readers where no earlier verification has cut them.
async fn cut<'a>(
    plan: &'a Plan,
    readers: &mut [Reader],
    earlier: &[EntityProgress],
    news: &UnboundedSender<News>,
) -> Result<Vec<Range<'a>>, SourceError> {
    let pieces = RANGES_PER_READER.saturating_mul(u64::try_from(readers.len()).unwrap_or(u64::MAX));
    let known = |plan: &EntityPlan| {
        let found = earlier.iter().find(|entity| entity.name == plan.name);
        found.map(|entity| entity.ranges.clone()).filter(|ranges| !ranges.is_empty())
    };
    let alone = |entity: &EntityPlan| !plan.contested.iter().flatten().any(|name| *name == entity.name);
    let entities = plan.entities.iter().enumerate();
    let uncut = |(entity, plan)| Uncut { entity, plan, known: known(plan), alone: alone(plan) };
    let queue = Queue::new(entities.map(uncut));
    let cuts = try_join_all(readers.iter_mut().map(|reader| cut_some(reader, &queue, pieces, news))).await?;
    let mut ranges: Vec<Range<'_>> = cuts.into_iter().flatten().collect();
    ranges.sort_by_key(|range| (range.entity, range.number));
    Ok(ranges)
}

struct Uncut<'a> {
    entity: usize,
    plan: &'a EntityPlan,
    known: Option<Vec<RangeProgress>>,
    alone: bool,
}

async fn cut_some<'a>(
    reader: &mut Reader,
    queue: &Queue<Uncut<'a>>,
    pieces: u64,
    news: &UnboundedSender<News>,
) -> Result<Vec<Range<'a>>, SourceError> {
    let mut all = Vec::new();
    while let Some(Uncut { entity, plan, known, alone }) = queue.next() {
        let ranges = match known {
            Some(ranges) => ranges,
            None => {
                let cut = reader.cut(&plan.select, pieces, plan.row_estimate).await?;
                cut.into_iter().map(RangeProgress::new).collect()
            }
        };
        // Nobody listens only when the verification has already ended.
        let _ = news.send(News::Ranges { entity, ranges: ranges.clone() });
        let range = |(number, progress)| Range { entity, plan, number, alone, progress };
        all.extend(ranges.into_iter().enumerate().map(range));
    }
    Ok(all)
}

/// Each entity's threshold; for a number of rows found by a pass over the keys.
async fn thresholds(
    plan: &Plan,
    readers: &mut [Reader],
    ranges: &[Range<'_>],
    sample: Sample,
    options: &VerifyOptions,
) -> Result<Vec<Threshold>, SourceError> {
    let Some(rows) = sample.rows() else { return Ok(vec![sample.threshold(); plan.entities.len()]) };
    let lowest: Vec<Mutex<Lowest>> = plan.entities.iter().map(|_| Mutex::new(Lowest::new(rows))).collect();
    let queue = Queue::new(ranges.iter());
    try_join_all(readers.iter_mut().map(|reader| rank(reader, &queue, &lowest, options))).await?;
    Ok(lowest.iter().map(|lowest| locked(lowest).threshold()).collect())
}

/// Notes the place of every row.
async fn rank(
    reader: &mut Reader,
    queue: &Queue<&Range<'_>>,
    lowest: &[Mutex<Lowest>],
    options: &VerifyOptions,
) -> Result<(), SourceError> {
    while let Some(range) = queue.next() {
        let Some(lowest) = lowest.get(range.entity) else { continue };
        let (select, layout) = keys_only(range.plan);
        let bounds = range.progress.bounds.clone();
        let mut cursor = Cursor::new(select, bounds, Position::Start, options.page_limits);
        while let Some((page, _)) = cursor.next(reader).await? {
            let places = (0..page.rows())
                .map(|row| place(options.seed, &range.plan.name, &item::source_key(&layout, &page, row)));
            let mut lowest = locked(lowest);
            places.for_each(|place| lowest.add(place));
            cursor.reuse(page);
        }
    }
    Ok(())
}

/// Reads the source key's columns alone, which an index answers; all columns should one be unknown.
fn keys_only(plan: &EntityPlan) -> (Arc<Select>, Layout) {
    let mut layout = plan.layout.clone();
    let positions = || plan.layout.source_key.iter();
    let output = positions().map(|position| plan.select.output.get(*position).cloned()).collect();
    let columns = positions().map(|position| plan.layout.columns.get(*position).cloned()).collect();
    let (Some(output), Some(columns)) = (output, columns) else { return (plan.select.clone(), layout) };
    layout.columns = columns;
    layout.source_key = (0..layout.source_key.len()).collect();
    (Arc::new(Select { output, ..Select::clone(&plan.select) }), layout)
}

async fn walk<L: Lookup>(
    reader: &mut Reader,
    queue: &Queue<&Range<'_>>,
    thresholds: Option<&[Threshold]>,
    options: &VerifyOptions,
    mut lookups: Lookups<L>,
) -> Result<(), VerifyError> {
    while let Some(range) = queue.next() {
        let threshold = thresholds.and_then(|thresholds| thresholds.get(range.entity)).copied();
        let choice = Choice { entity: &range.plan.name, seed: options.seed, threshold };
        check_range(reader, range, choice, options, &mut lookups).await?;
    }
    lookups.finish().await
}

/// A few pages are in memory at a time: those whose rows are being looked up.
async fn check_range<L: Lookup>(
    reader: &mut Reader,
    range: &Range<'_>,
    choice: Choice<'_>,
    options: &VerifyOptions,
    lookups: &mut Lookups<L>,
) -> Result<(), VerifyError> {
    let RangeProgress { bounds, position, pages, .. } = range.progress.clone();
    let layout = Arc::new(range.plan.layout.clone());
    let keys = range.alone.then(|| keys_alone(&layout));
    let mut cursor = Cursor::new(range.plan.select.clone(), bounds, position, options.page_limits);
    let mut place = Place { range: range.number, page: pages, row: 0 };
    let mut pages = VecDeque::new();
    let mut spare = ItemPage::default();
    while let Some((page, behind)) = cursor.next(reader).await? {
        let built = item::rebuild(&layout, &page, std::mem::take(&mut spare));
        account(&range.plan.name, &page, &built)?;
        let held = Held { entity: range.entity, place, layout: Arc::clone(&layout), page, built };
        let held = Arc::new(held);
        let mut batches = batches(&held, choice);
        batches.extend(keys.iter().flat_map(|keys| absent(&held, keys, choice)));
        let looked_for: usize = batches.iter().map(|batch| batch.absent.len()).sum();
        lookups.tell(News::Read {
            entity: range.entity,
            place,
            rows: held.page.rows(),
            rejected: rejected(&held.built, choice).saturating_sub(looked_for),
            batches: batches.len(),
            behind,
        });
        for batch in batches {
            lookups.start(choice.entity, batch).await?;
        }
        pages.push_back(held);
        while let Some(page) = lookups.give_back(&mut pages).await? {
            cursor.reuse(page.page);
            spare = page.built;
        }
        place.page += 1;
    }
    lookups.tell(News::End { entity: range.entity, range: range.number });
    Ok(())
}

/// Every row of the page is an item or a rejection.
fn account(entity: &str, page: &Page, built: &ItemPage) -> Result<(), VerifyError> {
    let (rows, items, rejections) = (page.rows(), built.items.len(), built.rejections.len());
    if items + rejections == rows {
        return Ok(());
    }
    Err(VerifyError::Unaccounted { entity: entity.to_owned(), rows, items, rejections })
}

/// The lookups that one reader has in flight; dropped, they end.
struct Lookups<L> {
    target: Arc<L>,
    rules: Rules,
    news: UnboundedSender<News>,
    most: usize,
    tasks: JoinSet<Result<(), VerifyError>>,
}

impl<L: Lookup> Lookups<L> {
    fn new(target: &Arc<L>, rules: &Rules, news: &UnboundedSender<News>, most: usize) -> Self {
        Self { target: target.clone(), rules: rules.clone(), news: news.clone(), most, tasks: JoinSet::new() }
    }

    /// The oldest page when all its rows are looked up, which is waited for while there are many.
    async fn give_back(&mut self, pages: &mut VecDeque<Arc<Held>>) -> Result<Option<Held>, VerifyError> {
        while pages.len() > PAGES_HELD && pages.front().is_some_and(|page| Arc::strong_count(page) > 1) {
            self.tasks.join_next().await.map_or(Ok(()), settled)?;
        }
        let page = pages.pop_front_if(|page| Arc::strong_count(page) == 1);
        Ok(page.and_then(Arc::into_inner))
    }

    /// Starts a batch as soon as fewer than `most` are in flight.
    async fn start(&mut self, entity: &str, batch: Batch) -> Result<(), VerifyError> {
        while let Some(done) = self.tasks.try_join_next() {
            settled(done)?;
        }
        while self.tasks.len() >= self.most {
            self.tasks.join_next().await.map_or(Ok(()), settled)?;
        }
        let (target, rules, news) = (self.target.clone(), self.rules.clone(), self.news.clone());
        self.tasks.spawn(check_batch(target, entity.to_owned(), batch, rules, news));
        Ok(())
    }

    async fn finish(&mut self) -> Result<(), VerifyError> {
        while let Some(done) = self.tasks.join_next().await {
            settled(done)?;
        }
        Ok(())
    }

    fn tell(&self, news: News) {
        // Nobody listens only when the verification has already ended.
        let _ = self.news.send(news);
    }
}

fn settled(done: Result<Result<(), VerifyError>, JoinError>) -> Result<(), VerifyError> {
    done.map_err(VerifyError::Task)?
}

async fn check_batch<L: Lookup>(
    target: Arc<L>,
    entity: String,
    batch: Batch,
    rules: Rules,
    news: UnboundedSender<News>,
) -> Result<(), VerifyError> {
    let slowed = |error: &TargetError| {
        rules.pacer.slowed_by(error);
        let _ = news.send(News::Slowed(error.cause.clone()));
    };
    let checked = check(&*target, &entity, &batch, &rules, &slowed).await;
    let checked = checked.map_err(|error| VerifyError::of(error, entity))?;
    let _ = news.send(News::Checked(checked));
    Ok(())
}

/// Work that several readers take from.
struct Queue<T>(Mutex<VecDeque<T>>);

impl<T> Queue<T> {
    fn new(jobs: impl Iterator<Item = T>) -> Self {
        Self(Mutex::new(jobs.collect()))
    }

    fn next(&self) -> Option<T> {
        locked(&self.0).pop_front()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
