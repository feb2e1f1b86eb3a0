//! One batch until its last item is written or refused: retries what is left, halves what is refused.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::batch::{Batch, Slot};
use super::pacer::{Pacer, throttle_in_words};
use super::retry::{Decision, decide, longest_pause};
use super::{Event, Observer};
use crate::target::{Put, Target, TargetError, TargetErrorKind};

/// What a delivery needs besides the batch.
#[derive(Debug)]
pub(crate) struct Courier<T> {
    pub target: Arc<T>,
    pub pacer: Arc<Pacer>,
    pub observe: Observer,
    /// How long to go on retrying without a single item written.
    pub patience: Duration,
}

impl<T> Clone for Courier<T> {
    fn clone(&self) -> Self {
        Self {
            target: Arc::clone(&self.target),
            pacer: Arc::clone(&self.pacer),
            observe: self.observe.clone(),
            patience: self.patience,
        }
    }
}

/// Whose items a batch had, and what the service refused, each with its words.
#[derive(Debug)]
pub(crate) struct Landed {
    pub slots: Vec<Slot>,
    pub write_units: u64,
    pub refused: Vec<(Slot, String)>,
}

impl<T: Target> Courier<T> {
    pub(crate) async fn deliver(self, batch: Batch) -> Result<Landed, TargetError> {
        let mut refused = Vec::new();
        let (slots, write_units) = (batch.slots().to_vec(), batch.units.total());
        let mut work = vec![batch];
        while let Some(part) = work.pop() {
            let Some((rest, error)) = self.put_until_refused(part).await? else { continue };
            if rest.len() > 1 {
                let (left, right) = rest.halves();
                work.extend([right, left]);
            } else {
                refused.extend(rest.slots().iter().map(|slot| (*slot, in_words(&error))));
            }
        }
        Ok(Landed { slots, write_units, refused })
    }

    /// Puts until all is written (`None`) or the service refuses what is left.
    async fn put_until_refused(&self, mut batch: Batch) -> Result<Option<(Batch, TargetError)>, TargetError> {
        let mut attempt = 0;
        let mut progress = Instant::now();
        loop {
            let error = match self.target.put(&batch.put).await {
                Ok(Put::All) => return Ok(None),
                Ok(Put::Some(left)) => {
                    if left.len() < batch.len() {
                        (attempt, progress) = (0, Instant::now());
                        batch = batch.subset(left);
                    }
                    None
                }
                Err(error) => match decide(&error.kind) {
                    Decision::Retry => Some(error),
                    Decision::Bisect => return Ok(Some((batch, error))),
                    Decision::Stop => return Err(error),
                },
            };
            self.report(error.as_ref());
            if progress.elapsed() >= self.patience {
                return Err(error.unwrap_or_else(|| gave_up(self.patience)));
            }
            attempt += 1;
            let longest = longest_pause(attempt, error.as_ref().map(|error| &error.kind));
            tokio::time::sleep(longest.mul_f64(fastrand::f64())).await;
        }
    }

    /// Slows down and says so. Items left over without an error are a throttle without reasons.
    fn report(&self, error: Option<&TargetError>) {
        match error.map(|error| &error.kind) {
            Some(TargetErrorKind::Throttled(reasons)) => {
                self.pacer.throttled(reasons);
                self.observe.emit(Event::Throttled { reason: throttle_in_words(reasons) });
            }
            None => {
                self.pacer.throttled(&[]);
                self.observe.emit(Event::Throttled { reason: throttle_in_words(&[]) });
            }
            Some(_) => self
                .observe
                .emit(Event::TargetTrouble { cause: error.map(|e| e.cause.clone()).unwrap_or_default() }),
        }
    }
}

fn gave_up(patience: Duration) -> TargetError {
    TargetError {
        kind: TargetErrorKind::Throttled(Vec::new()),
        context: "write a batch".to_owned(),
        cause: format!("the service left the same items unprocessed for {} s", patience.as_secs()),
        hint: Some("lower --rate, or raise the table's capacity; then run again to go on".to_owned()),
    }
}

/// Why an item is refused; where its neighbours are at fault, what to do about them.
fn in_words(refusal: &TargetError) -> String {
    match (&refusal.kind, &refusal.hint) {
        (TargetErrorKind::Collection, Some(hint)) => format!("{}; {hint}", refusal.cause),
        _ => refusal.cause.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::load::pacer::{Pace, Units};
    use crate::target::PutBatch;

    /// Answers from a script, then `Put::All`; remembers how many items each call had.
    struct Scripted {
        answers: Mutex<Vec<Result<Put, TargetError>>>,
        refuse: Option<u8>,
        calls: Mutex<Vec<usize>>,
        times: Mutex<Vec<Instant>>,
    }

    impl Target for Scripted {
        async fn put(&self, batch: &PutBatch) -> Result<Put, TargetError> {
            self.calls.lock().unwrap().push(batch.len());
            self.times.lock().unwrap().push(Instant::now());
            if self.refuse.is_some_and(|bad| batch.keys().any(|key| key == [bad])) {
                return Err(error(TargetErrorKind::Refused));
            }
            let mut answers = self.answers.lock().unwrap();
            if answers.is_empty() { Ok(Put::All) } else { answers.remove(0) }
        }
    }

    fn error(kind: TargetErrorKind) -> TargetError {
        TargetError { kind, context: "write".into(), cause: "no".into(), hint: None }
    }

    fn courier(answers: Vec<Result<Put, TargetError>>, refuse: Option<u8>) -> Courier<Scripted> {
        let target = Scripted {
            answers: Mutex::new(answers),
            refuse,
            calls: Mutex::default(),
            times: Mutex::default(),
        };
        Courier {
            target: Arc::new(target),
            pacer: Arc::new(Pacer::new(&Pace::Unlimited)),
            observe: Observer::silent(),
            patience: Duration::from_secs(60),
        }
    }

    fn batch(items: u8) -> Batch {
        let mut batch = Batch::default();
        for item in 0..items {
            batch.push(Slot { page: 1, item: item.into() }, &[item], 0..1, &Units::default());
        }
        batch
    }

    fn calls(courier: &Courier<Scripted>) -> Vec<usize> {
        courier.target.calls.lock().unwrap().clone()
    }

    #[tokio::test(start_paused = true)]
    async fn w01_w02_only_what_is_left_is_put_again_until_nothing_is() {
        let courier = courier(vec![Ok(Put::Some((1..25).collect())), Ok(Put::Some(vec![3, 7]))], None);
        let landed = courier.clone().deliver(batch(25)).await.unwrap();
        assert!(landed.refused.is_empty());
        assert_eq!(calls(&courier), [25, 24, 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn w03_items_that_stay_unprocessed_end_the_delivery_after_its_patience() {
        let answers = (0..200).map(|_| Ok(Put::Some(vec![0]))).collect();
        let courier = courier(answers, None);
        let start = Instant::now();
        assert!(courier.clone().deliver(batch(1)).await.is_err());
        assert!(start.elapsed() >= Duration::from_secs(60));
        assert!(calls(&courier).len() < 60, "backs off");
    }

    #[tokio::test(start_paused = true)]
    async fn w03_every_pause_is_drawn_anew_below_its_bound() {
        let answers = (0..40).map(|_| Ok(Put::Some(vec![0]))).collect();
        let courier = Courier { patience: Duration::from_secs(3600), ..courier(answers, None) };
        courier.clone().deliver(batch(1)).await.unwrap();
        let times = courier.target.times.lock().unwrap().clone();
        let pauses: Vec<Duration> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        for (attempt, pause) in (1..).zip(&pauses) {
            // Timers are precise to a millisecond.
            let bound = longest_pause(attempt, None) + Duration::from_millis(1);
            assert!(*pause <= bound, "{pause:?} before attempt {attempt}");
        }
        let (short, long): (Vec<Duration>, Vec<Duration>) =
            pauses[8..].iter().partition(|pause| **pause < Duration::from_secs(5));
        assert!(short.len() > 3 && long.len() > 3, "{pauses:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn w04_w05_throttles_and_broken_connections_are_retried() {
        let kinds = [TargetErrorKind::Throttled(Vec::new()), TargetErrorKind::Transient];
        let courier = courier(kinds.map(|kind| Err(error(kind))).to_vec(), None);
        assert!(courier.clone().deliver(batch(3)).await.is_ok());
        assert_eq!(calls(&courier), [3, 3, 3]);
    }

    /// W04.
    #[tokio::test(start_paused = true)]
    async fn fatal_errors_are_not_retried() {
        for kind in [TargetErrorKind::NoTable, TargetErrorKind::Permission, TargetErrorKind::Credentials] {
            let courier = courier(vec![Err(error(kind.clone()))], None);
            assert_eq!(courier.clone().deliver(batch(3)).await.unwrap_err().kind, kind);
            assert_eq!(calls(&courier), [3]);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn k05_w12_one_bad_item_is_found_and_the_other_24_are_written() {
        let courier = courier(Vec::new(), Some(17));
        let landed = courier.clone().deliver(batch(25)).await.unwrap();
        assert_eq!(landed.refused, [(Slot { page: 1, item: 17 }, "no".to_owned())]);
        assert!(calls(&courier).len() <= 11);
    }
}
