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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::sightings::Candidates;
    use super::*;
    use crate::keys::Sorter;
    use crate::load;
    use crate::target::{TargetErrorKind, ThrottleReason};
    use crate::verify::lookup::tests::QUICK;

    /// Pages of two items; every third request fails as the script says.
    #[derive(Debug, Default)]
    struct Pages {
        /// Items of each segment.
        segments: BTreeMap<u32, Vec<u64>>,
        fails: Option<TargetErrorKind>,
        requests: Mutex<u64>,
    }

    const ITEMS_A_PAGE: usize = 2;

    impl Scan for Pages {
        async fn scan(&self, request: &ScanRequest<'_>) -> Result<ScanPage, TargetError> {
            let number = {
                let mut requests = self.requests.lock().unwrap();
                *requests += 1;
                *requests
            };
            if let Some(kind) = self.fails.clone().filter(|_| number.is_multiple_of(3)) {
                return Err(TargetError::new(kind, "read", "scripted"));
            }
            assert_eq!((request.segments, request.attributes), (6, ["PK".to_owned()].as_slice()));
            let items = self.segments.get(&request.segment).map(Vec::as_slice).unwrap_or_default();
            let start = request.start.map_or(0, |start| str::from_utf8(start).unwrap().parse().unwrap());
            let end = items.len().min(start + ITEMS_A_PAGE);
            let item = |id: &u64| format!(r#"{{"PK":{{"S":"{id}"}}}}"#).into_bytes();
            Ok(ScanPage {
                items: items[start..end].iter().map(item).collect(),
                next: (end < items.len()).then(|| end.to_string().into_bytes()),
                units: 0.5,
            })
        }
    }

    /// Nothing in one segment, 5 items in the largest.
    fn pages(fails: Option<TargetErrorKind>) -> Arc<Pages> {
        let items = |segment: u32| (0..segment).map(|at| u64::from(segment * 10 + at)).collect();
        let segments = (0..6).map(|segment| (segment, items(segment))).collect();
        Arc::new(Pages { segments, fails, ..Pages::default() })
    }

    async fn read(target: Arc<Pages>, most: u32) -> Result<(Vec<u64>, f64), OrphanError> {
        let names = Names { partition_key: "PK".to_owned(), sort_key: None, entity_type: None };
        let meter = Arc::new(Meter::new(&load::Pace::Unlimited, most));
        let observe: Observe = Arc::new(|_| {});
        let how = Sweep { segments: 6, workers: 4 };
        let seen = sweep(target, &Arc::new(names), how, QUICK, &meter, &observe).await?;
        let mut spots = Sorter::new(1 << 20);
        let mut logs = Vec::new();
        for worker in seen {
            let (sightings, log) = worker.finish().unwrap();
            logs.push(log);
            for sighting in Sorter::join(vec![sightings]).unwrap() {
                spots.push(sighting.unwrap().spot).unwrap();
            }
        }
        let id = |key: &[u8]| str::from_utf8(key).unwrap().replace(|char: char| !char.is_ascii_digit(), "");
        let candidates = Candidates::new(spots, logs).unwrap();
        let mut items: Vec<u64> =
            candidates.map(|candidate| id(&candidate.unwrap().partition_key).parse().unwrap()).collect();
        items.sort_unstable();
        Ok((items, meter.spent()))
    }

    fn all() -> Vec<u64> {
        vec![10, 20, 21, 30, 31, 32, 40, 41, 42, 43, 50, 51, 52, 53, 54]
    }

    #[tokio::test]
    async fn v04_every_item_of_every_segment_is_seen_once() {
        let target = pages(None);
        // Pages of the segments: 1, 1, 1, 2, 2, 3.
        assert_eq!(read(Arc::clone(&target), 5).await.unwrap(), (all(), 5.0));
        assert_eq!(*target.requests.lock().unwrap(), 10);
    }

    #[tokio::test]
    async fn what_passes_is_waited_out() {
        let throttled = TargetErrorKind::Throttled(vec![ThrottleReason::account_quota()]);
        for kind in [throttled, TargetErrorKind::Transient, TargetErrorKind::Unreachable] {
            assert_eq!(read(pages(Some(kind)), 100).await.unwrap(), (all(), 5.0));
        }
    }

    #[tokio::test]
    async fn what_does_not_pass_ends_it() {
        for kind in [TargetErrorKind::Permission, TargetErrorKind::NoTable, TargetErrorKind::Expired] {
            let error = read(pages(Some(kind.clone())), 100).await.unwrap_err();
            assert!(matches!(error, OrphanError::Target(error) if error.kind == kind));
        }
    }

    #[tokio::test]
    async fn it_ends_where_it_would_take_more_than_allowed() {
        let error = read(pages(None), 4).await.unwrap_err();
        assert!(matches!(error, OrphanError::TooExpensive { most: 4 }), "{error}");
    }
}
