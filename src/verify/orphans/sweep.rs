//! Reads a whole table by parallel segments.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinSet;

use super::super::lookup::{Pace, Patience, worth_retrying};
use super::look::Names;
use super::meter::Meter;
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
}

/// What all workers share.
struct Shared<S> {
    target: Arc<S>,
    sweep: Sweep,
    attributes: Vec<String>,
    pace: Pace,
    segments: Mutex<VecDeque<u32>>,
    meter: Arc<Meter>,
    observe: Observe,
}

/// What each worker saw.
pub(super) async fn sweep<S: Scan>(
    target: Arc<S>,
    names: &Arc<Names>,
    sweep: Sweep,
    pace: Pace,
    meter: &Arc<Meter>,
    observe: &Observe,
) -> Result<Vec<Sightings>, OrphanError> {
    let shared = Arc::new(Shared {
        target,
        sweep,
        attributes: names.attributes(),
        pace,
        segments: Mutex::new((0..sweep.segments).collect()),
        meter: Arc::clone(meter),
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
    Ok(all)
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
            shared.meter.pay(page.units).await?;
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

    async fn page(&self, segment: u32, start: Option<&[u8]>) -> Result<ScanPage, OrphanError> {
        let segments = self.sweep.segments;
        let request = ScanRequest { segment, segments, start, attributes: &self.attributes };
        let mut patience = Patience::new(self.pace);
        loop {
            let trouble = match self.target.scan(&request).await {
                Ok(page) => return Ok(page),
                Err(error) if worth_retrying(&error.kind) => error,
                Err(error) => return Err(error.into()),
            };
            self.meter.slowed(&trouble);
            (self.observe)(OrphanEvent::Slowed { reason: trouble.cause.clone() });
            patience.wait(trouble).await?;
        }
    }
}

impl From<TargetError> for OrphanError {
    fn from(error: TargetError) -> Self {
        OrphanError::Target(error)
    }
}
