//! What to do after the target said no: one table, and the waiting times.

use std::time::Duration;

use crate::target::TargetErrorKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Put the same items again after a pause.
    Retry,
    /// One of the items is at fault: halve the batch until it is found.
    Bisect,
    /// No retry helps: end the load, keep what is written.
    Stop,
}

pub(crate) fn decide(kind: &TargetErrorKind) -> Decision {
    match kind {
        TargetErrorKind::Throttled(_) | TargetErrorKind::Transient => Decision::Retry,
        TargetErrorKind::Refused | TargetErrorKind::Collection => Decision::Bisect,
        TargetErrorKind::NoTable
        | TargetErrorKind::TableDiffers
        | TargetErrorKind::Permission
        | TargetErrorKind::Credentials
        | TargetErrorKind::Clock
        | TargetErrorKind::Unreachable
        | TargetErrorKind::Account
        | TargetErrorKind::Config
        | TargetErrorKind::Other => Decision::Stop,
    }
}

const BASE: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(10);

/// The longest pause before attempt number `attempt` (1 is the first retry); the pause itself is drawn
/// evenly between nothing and this (full jitter).
pub(crate) fn longest_pause(attempt: u32) -> Duration {
    BASE.saturating_mul(2u32.saturating_pow(attempt.saturating_sub(1).min(16))).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// W03.
    #[test]
    fn pauses_double_up_to_ten_seconds() {
        let pauses: Vec<_> = [1, 2, 3, 8, 9, 200].map(|n| longest_pause(n).as_millis()).to_vec();
        assert_eq!(pauses, [50, 100, 200, 6_400, 10_000, 10_000]);
    }
}
