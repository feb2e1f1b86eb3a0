//! What to do after the target said no: one table, and the waiting times.

use std::time::Duration;

use crate::target::{TargetErrorKind, ThrottleReason};

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
        | TargetErrorKind::Expired
        | TargetErrorKind::Clock
        | TargetErrorKind::Unreachable
        | TargetErrorKind::Account
        | TargetErrorKind::Config
        | TargetErrorKind::Other => Decision::Stop,
    }
}

const BASE: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(10);

/// Doublings that come first where the account's quota is used up: others share it, and every attempt
/// counts against it.
const QUOTA_STEPS: u32 = 5;

/// The longest pause before attempt number `attempt` (1 is the first retry); the pause itself is drawn
/// evenly between nothing and this (full jitter).
pub(crate) fn longest_pause(attempt: u32, cause: Option<&TargetErrorKind>) -> Duration {
    let first = match cause {
        Some(TargetErrorKind::Throttled(reasons)) if reasons.iter().any(ThrottleReason::is_account_quota) => {
            QUOTA_STEPS
        }
        _ => 0,
    };
    let steps = attempt.saturating_sub(1).saturating_add(first).min(16);
    BASE.saturating_mul(2u32.saturating_pow(steps)).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// W03.
    #[test]
    fn pauses_double_up_to_ten_seconds() {
        let pauses: Vec<_> = [1, 2, 3, 8, 9, 200].map(|n| longest_pause(n, None).as_millis()).to_vec();
        assert_eq!(pauses, [50, 100, 200, 6_400, 10_000, 10_000]);
    }

    #[test]
    fn w05_an_account_quota_is_given_more_time() {
        let quota = TargetErrorKind::Throttled(vec![ThrottleReason::account_quota()]);
        let pauses: Vec<_> = [1, 2, 4, 200].map(|n| longest_pause(n, Some(&quota)).as_millis()).to_vec();
        assert_eq!(pauses, [1_600, 3_200, 10_000, 10_000]);
        let other = TargetErrorKind::Throttled(Vec::new());
        assert_eq!(longest_pause(1, Some(&other)).as_millis(), 50);
    }
}
