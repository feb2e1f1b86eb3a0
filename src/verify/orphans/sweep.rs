//! Reads a whole table by parallel segments, no faster than allowed and no more than it may cost.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::super::lookup::{Pace, Patience, worth_retrying};
use super::look::Names;
use super::sightings::Sightings;
use super::{Observe, OrphanError, OrphanEvent, ROOM, count};
use crate::target::{Scan, ScanPage, ScanRequest, TargetError};

/// How a table is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// Pieces that the table is cut into: more than workers, since they are of different sizes.
    pub segments: u32,
    /// Requests in flight.
    pub workers: u16,
    /// Read units a second; `None` is without limit.
    pub rate: Option<u32>,
    /// Read units after which it ends unfinished.
    pub most: u32,
}

/// What all workers share.
struct Shared<S> {
    target: Arc<S>,
    sweep: Sweep,
    attributes: Vec<String>,
    pace: Pace,
    segments: Mutex<VecDeque<u32>>,
    meter: Mutex<Meter>,
    observe: Observe,
}

/// What was consumed, and from when on more may be.
#[derive(Debug)]
struct Meter {
    units: f64,
    free: Instant,
}

/// What each worker saw, and the read units that it took.
pub(super) async fn sweep<S: Scan>(
    target: Arc<S>,
    names: &Arc<Names>,
    sweep: Sweep,
    pace: Pace,
    observe: &Observe,
) -> Result<(Vec<Sightings>, f64), OrphanError> {
    let shared = Arc::new(Shared {
        target,
        sweep,
        attributes: names.attributes(),
        pace,
        segments: Mutex::new((0..sweep.segments).collect()),
        meter: Mutex::new(Meter { units: 0.0, free: Instant::now() }),
        observe: Arc::clone(observe),
    });
    let mut tasks = JoinSet::new();
    let room = ROOM / usize::from(sweep.workers.max(1));
    for number in 0..sweep.workers.max(1) {
        let seen = Sightings::new(number, Arc::clone(names), room)?;
        tasks.spawn(work(Arc::clone(&shared), seen));
    }
    let mut all = Vec::new();
    while let Some(done) = tasks.join_next().await {
        all.push(done??);
    }
    let units = shared.meter().units;
    Ok((all, units))
}

async fn work<S: Scan>(shared: Arc<Shared<S>>, mut seen: Sightings) -> Result<Sightings, OrphanError> {
    while let Some(segment) = shared.next() {
        let mut start = None;
        loop {
            let page = shared.page(segment, start.as_deref()).await?;
            for item in &page.items {
                seen.note(item)?;
            }
            (shared.observe)(OrphanEvent::Scanned { items: count(page.items.len()), units: page.units });
            match page.next {
                Some(next) => start = Some(next),
                None => break,
            }
        }
    }
    Ok(seen)
}

impl<S: Scan> Shared<S> {
    fn next(&self) -> Option<u32> {
        self.segments.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    fn meter(&self) -> std::sync::MutexGuard<'_, Meter> {
        self.meter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn page(&self, segment: u32, start: Option<&[u8]>) -> Result<ScanPage, OrphanError> {
        let segments = self.sweep.segments;
        let request = ScanRequest { segment, segments, start, attributes: &self.attributes };
        let mut patience = Patience::new(self.pace);
        loop {
            let free = self.meter().free;
            tokio::time::sleep_until(free).await;
            let trouble = match self.target.scan(&request).await {
                Ok(page) => return self.pay(page.units).map(|()| page),
                Err(error) if worth_retrying(&error.kind) => error,
                Err(error) => return Err(error.into()),
            };
            (self.observe)(OrphanEvent::Slowed { reason: trouble.cause.clone() });
            patience.wait(trouble).await?;
        }
    }

    /// Notes what a page took: at a given rate the next one waits for as long as that takes.
    fn pay(&self, units: f64) -> Result<(), OrphanError> {
        let mut meter = self.meter();
        meter.units += units;
        if let Some(rate) = self.sweep.rate {
            let wait = Duration::try_from_secs_f64(units / f64::from(rate.max(1))).unwrap_or_default();
            meter.free = meter.free.max(Instant::now()) + wait;
        }
        match meter.units > f64::from(self.sweep.most) {
            true => Err(OrphanError::TooExpensive { most: self.sweep.most }),
            false => Ok(()),
        }
    }
}

impl From<TargetError> for OrphanError {
    fn from(error: TargetError) -> Self {
        OrphanError::Target(error)
    }
}
