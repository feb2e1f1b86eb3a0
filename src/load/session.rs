//! One snapshot's worth of loading: readers → desk → pacer → deliveries → watermark → journal, in one
//! loop that owns all state.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::batch::{Batch, MAX_ITEMS};
use super::delivery::{Courier, Landed};
use super::desk::Desk;
use super::journal::Journal;
use super::reading::{Desks, ReadError, Reading, work};
use super::second_look::SecondLook;
use super::spares::Spares;
use super::watermark::{Step, Watermark};
use super::{Event, Load, LoadError, Samples, stopped};
use crate::keys::Losers;
use crate::source::{Reader, SourceError};
use crate::target::{Target, TargetError};
use crate::witness::Schedule;

/// Why a session is over.
#[derive(Debug)]
pub(crate) enum Ending {
    Complete,
    Interrupted,
    Source(SourceError),
    Failed(LoadError),
}

/// What is looked at beside reading and building.
#[derive(Debug)]
pub(crate) struct Checks {
    pub schedule: Arc<Schedule>,
    pub losers: Option<Arc<Losers>>,
}

/// How long an ending load waits for what is in flight.
const DRAIN: Duration = Duration::from_secs(15);

/// Items that the service may refuse of an entity before any is written.
const ALL_REFUSED: u64 = 100;

/// Pages a reader may have open: one being written, one being read.
const PAGES_A_READER: usize = 2;

type Readers = JoinSet<Result<(), ReadError>>;
type Pacing = Pin<Box<dyn Future<Output = ()> + Send>>;

pub(crate) async fn session<T: Target>(
    load: &Load<T>,
    courier: &Courier<T>,
    readers: Vec<Reader>,
    journal: &mut Journal,
    samples: &mut Samples,
    checks: Checks,
    stop: &mut watch::Receiver<bool>,
) -> Ending {
    // Before the first item: a run that is killed must know its own items when it comes again.
    if let Err(error) = journal.save().await {
        return Ending::Failed(LoadError::State(error));
    }
    let spares = Spares::default();
    let (mut reading, mut readings) = start_readers(load, readers, journal, &spares, checks);
    let mut state = State::new(load, courier, journal, samples, spares);
    let mut listening = true;
    loop {
        state.fill_batch();
        state.journal.start_save();
        if state.is_over(listening, &reading) {
            return state.ending.unwrap_or(Ending::Complete);
        }
        let going_on = state.ending.is_none();
        tokio::select! {
            () = stopped(stop), if going_on => state.end(Ending::Interrupted),
            Some(result) = reading.join_next(), if !reading.is_empty() => state.reader_ended(result),
            next = readings.recv(), if listening && going_on => match next {
                Some(next) => state.take_reading(next),
                None => listening = false,
            },
            () = pace(&mut state.next), if going_on => state.send_batch(),
            Some(landed) = state.flights.join_next(), if !state.flights.is_empty() => state.land(landed),
            saved = state.journal.saved(), if state.journal.is_saving() => state.saved(saved),
            () = sleep_until(state.told + load.options.silence), if going_on && listening => state.tell_silence(),
            () = sleep_until(state.drain_until), if !going_on => state.flights.abort_all(),
        }
        if state.ending.is_some() {
            reading.abort_all();
            state.next = None;
        }
    }
}

fn start_readers<T: Target>(
    load: &Load<T>,
    readers: Vec<Reader>,
    journal: &Journal,
    spares: &Spares,
    checks: Checks,
) -> (Readers, mpsc::Receiver<Reading>) {
    let room = readers.len() * PAGES_A_READER;
    let (sender, receiver) = mpsc::channel(room.max(1));
    let queue = work(journal.progress(), &load.plan, &load.options.entities, load.options.limit);
    let desks = Desks {
        plan: Arc::clone(&load.plan),
        queue: Arc::new(Mutex::new(queue)),
        limits: load.options.page,
        room: Arc::new(Semaphore::new(room)),
        spares: spares.clone(),
        readings: sender,
        surveys: load.options.surveys.clone(),
        observe: load.observe.clone(),
        second_look: SecondLook { schedule: checks.schedule, max_bytes: load.options.page.bytes },
        losers: checks.losers,
    };
    let mut tasks = JoinSet::new();
    for reader in readers {
        tasks.spawn(desks.clone().read(reader));
    }
    (tasks, receiver)
}

/// Waits until the next batch may go; for ever when there is none.
async fn pace(next: &mut Option<(Batch, Pacing)>) {
    match next {
        Some((_, pacing)) => pacing.await,
        None => std::future::pending().await,
    }
}

struct State<'a, T> {
    load: &'a Load<T>,
    courier: &'a Courier<T>,
    journal: &'a mut Journal,
    samples: &'a mut Samples,
    desk: Desk,
    watermark: Watermark,
    /// A batch that waits for its write units.
    next: Option<(Batch, Pacing)>,
    flights: JoinSet<Result<Landed, TargetError>>,
    ending: Option<Ending>,
    drain_until: Instant,
    /// When something last came in, and when that was last told of.
    heard: Instant,
    told: Instant,
    rejected: u64,
    /// Per entity: items acknowledged, earlier runs included, and items refused by the service.
    outcomes: BTreeMap<usize, (u64, u64)>,
}

impl<'a, T: Target> State<'a, T> {
    fn new(
        load: &'a Load<T>,
        courier: &'a Courier<T>,
        journal: &'a mut Journal,
        samples: &'a mut Samples,
        spares: Spares,
    ) -> Self {
        let written = |name: &str| journal.progress().entity(name).map_or(0, |entity| entity.tally().written);
        let outcomes =
            load.plan.entities.iter().map(|entity| (written(&entity.name), 0)).enumerate().collect();
        Self {
            load,
            courier,
            journal,
            samples,
            desk: Desk::new(spares),
            watermark: Watermark::default(),
            next: None,
            flights: JoinSet::new(),
            ending: None,
            drain_until: Instant::now(),
            heard: Instant::now(),
            told: Instant::now(),
            rejected: 0,
            outcomes,
        }
    }

    /// Makes the next batch when there is room for one in flight. A batch that is not full waits for
    /// more items while others are under way.
    fn fill_batch(&mut self) {
        let room = self.flights.len() < self.load.options.concurrency;
        if self.ending.is_some() || self.next.is_some() || !room {
            return;
        }
        if self.desk.waiting() < MAX_ITEMS && !self.flights.is_empty() {
            return;
        }
        let batch = self.desk.batch(&self.load.plan);
        self.close_pages();
        if let Some(batch) = batch {
            let (pacer, units) = (Arc::clone(&self.courier.pacer), batch.units.clone());
            self.next = Some((batch, Box::pin(async move { pacer.take(&units).await })));
        }
    }

    fn send_batch(&mut self) {
        if let Some((batch, _)) = self.next.take() {
            self.flights.spawn(self.courier.clone().deliver(batch));
        }
    }

    fn hear(&mut self) {
        (self.heard, self.told) = (Instant::now(), Instant::now());
    }

    /// Waiting for the target, or for the pace, is no silence of the source.
    fn tell_silence(&mut self) {
        if self.next.is_some() || !self.flights.is_empty() {
            return self.hear();
        }
        self.told = Instant::now();
        self.load.observe.emit(Event::SourceSilent { since: self.heard.elapsed() });
    }

    fn take_reading(&mut self, reading: Reading) {
        self.hear();
        match reading {
            Reading::End(range) => {
                let steps = self.watermark.end(range);
                self.advance(steps);
            }
            Reading::Page(page) => {
                self.samples.collect(page.range.entity, &page.items);
                self.count_rejected(page.items.rejections.len());
                let range = page.range;
                let number = self.desk.open(*page);
                self.watermark.expect(range, number);
                self.close_pages();
            }
        }
    }

    fn land(&mut self, landed: Result<Result<Landed, TargetError>, tokio::task::JoinError>) {
        self.hear();
        match landed {
            Ok(Ok(landed)) => {
                self.load.observe.emit(Event::Consumed { write_units: landed.write_units });
                self.count_outcomes(&landed);
                self.count_rejected(landed.refused.len());
                self.desk.land(&landed.slots, landed.refused, &self.load.plan);
                self.close_pages();
            }
            Ok(Err(error)) => self.end(Ending::Failed(LoadError::Target(error))),
            // Aborted at the end of the drain time: not acknowledged, so not in the checkpoint.
            Err(died) if died.is_cancelled() => {}
            Err(died) => self.end(Ending::Failed(LoadError::Bug(died.to_string()))),
        }
    }

    fn close_pages(&mut self) {
        for (number, page) in self.desk.finished() {
            let steps = self.watermark.finish(number, page);
            self.advance(steps);
        }
    }

    fn advance(&mut self, steps: Vec<Step>) {
        for step in steps {
            if let Some(entity) = self.journal.advance(step, &self.load.plan) {
                self.load.observe.emit(Event::EntityDone { entity });
            }
        }
    }

    fn count_outcomes(&mut self, landed: &Landed) {
        let refused: Vec<_> = landed.refused.iter().map(|(slot, _)| *slot).collect();
        let mut written: BTreeMap<usize, u64> = BTreeMap::new();
        for slot in &landed.slots {
            let Some(entity) = self.desk.entity_of(slot.page) else { continue };
            let (acknowledged, declined) = self.outcomes.entry(entity).or_default();
            if refused.contains(slot) {
                *declined += 1;
            } else {
                *acknowledged += 1;
                *written.entry(entity).or_default() += 1;
            }
        }
        for (entity, items) in written {
            self.load.observe.emit(Event::Written { entity, items });
        }
        let all_refused =
            self.outcomes.iter().find(|(_, (written, refused))| *written == 0 && *refused >= ALL_REFUSED);
        if let (Some((entity, _)), Some(_)) = (all_refused, self.load.options.max_rejects) {
            let name = self.load.plan.entities.get(*entity).map(|plan| plan.name.clone()).unwrap_or_default();
            let cause = landed.refused.first().map(|(_, cause)| cause.clone()).unwrap_or_default();
            self.end(Ending::Failed(LoadError::AllRefused { entity: name, cause }));
        }
    }

    fn count_rejected(&mut self, more: usize) {
        self.rejected += u64::try_from(more).unwrap_or(u64::MAX);
        if let Some(limit) = self.load.options.max_rejects.filter(|limit| self.rejected > *limit) {
            self.end(Ending::Failed(LoadError::TooManyRejects { limit }));
        }
    }

    fn reader_ended(&mut self, result: Result<Result<(), ReadError>, tokio::task::JoinError>) {
        match result {
            Ok(Ok(())) => {}
            Ok(Err(ReadError::Source(error))) => self.end(Ending::Source(error)),
            Ok(Err(ReadError::Losers(error))) => self.end(Ending::Failed(LoadError::Keys(error.into()))),
            Ok(Err(ReadError::Contradiction(found))) => {
                self.end(Ending::Failed(LoadError::Contradiction(found)));
            }
            Err(died) if died.is_cancelled() => {}
            Err(died) => self.end(Ending::Failed(LoadError::Bug(died.to_string()))),
        }
    }

    fn saved(&mut self, result: Result<(), super::StateError>) {
        if let Err(error) = result {
            self.end(Ending::Failed(LoadError::State(error)));
        }
    }

    /// Ends the session; the first reason counts, but a failure to save beats an interruption.
    fn end(&mut self, ending: Ending) {
        if self.ending.is_none() {
            self.drain_until = Instant::now() + DRAIN;
            self.ending = Some(ending);
        } else if matches!(ending, Ending::Failed(LoadError::State(_))) {
            self.ending = Some(ending);
        }
    }

    fn is_over(&self, listening: bool, readers: &Readers) -> bool {
        let disk_failed = matches!(self.ending, Some(Ending::Failed(LoadError::State(_))));
        let saved = self.journal.is_clean() || (disk_failed && !self.journal.is_saving());
        let written = self.flights.is_empty() && self.next.is_none();
        let read = self.ending.is_some() || (!listening && self.desk.is_empty() && self.watermark.is_empty());
        readers.is_empty() && written && read && saved
    }
}
