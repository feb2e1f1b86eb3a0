//! What looking for orphans costs: paced, and no more than allowed.

use std::sync::{Mutex, PoisonError};

use super::OrphanError;
use crate::load::{Pace, Pacer, Units};
use crate::target::TargetError;

/// Read units of all requests of a search.
#[derive(Debug)]
pub(super) struct Meter {
    pacer: Pacer,
    spent: Mutex<f64>,
    most: u32,
}

impl Meter {
    pub(super) fn new(pace: &Pace, most: u32) -> Self {
        Self { pacer: Pacer::new(pace), spent: Mutex::default(), most }
    }

    /// Notes what a request took, which nobody knows before, and waits for as long as the pace says.
    pub(super) async fn pay(&self, units: f64) -> Result<(), OrphanError> {
        let spent = {
            let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
            *spent += units;
            *spent
        };
        if spent > f64::from(self.most) {
            return Err(OrphanError::TooExpensive { most: self.most });
        }
        self.pacer.take(&Units { table: whole(units), indexes: Vec::new() }).await;
        Ok(())
    }

    /// A request was not answered and will be sent again.
    pub(super) fn slowed(&self, error: &TargetError) {
        self.pacer.slowed_by(error);
    }

    pub(super) fn spent(&self) -> f64 {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rounded up: the service counts in halves.
fn whole(units: f64) -> u64 {
    format!("{:.0}", units.ceil()).parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_was_taken_is_waited_for() {
        let meter = Meter::new(&Pace::Fixed(100), 10_000);
        let started = Instant::now();
        for _ in 0..10 {
            meter.pay(128.5).await.unwrap();
        }
        let seconds = started.elapsed().as_secs_f64();
        assert!((12.0..14.0).contains(&seconds), "{seconds}");
        assert_eq!(meter.spent(), 1_285.0);
    }

    #[tokio::test]
    async fn no_more_than_allowed() {
        let meter = Meter::new(&Pace::Unlimited, 3);
        meter.pay(0.5).await.unwrap();
        meter.pay(2.5).await.unwrap();
        assert!(matches!(meter.pay(0.5).await, Err(OrphanError::TooExpensive { most: 3 })));
    }

    #[test]
    fn halves_are_rounded_up() {
        assert_eq!([0.0, 0.5, 1.0, 128.5].map(whole), [0, 1, 1, 129]);
    }
}
