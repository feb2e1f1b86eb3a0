//! Which rows a sampled verification looks up.
//!
//! Every row has a fixed place between 0 and 2⁶⁴ that only the seed, the entity's name and the row's
//! source key decide. A sample is the rows below a threshold, so that the same seed takes the same
//! rows whatever the number of readers, ranges and pages.

use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// How much is verified: `1%`, `0.5%`, or a number of rows of each entity.
///
/// A share takes each row with that chance. A number takes exactly so many rows of each entity, or all
/// where it has no more; that costs a first pass over the source's keys. Either way every row is read
/// from the source; what a sample saves is reads of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Of [`WHOLE`].
    Share(u64),
    Rows(usize),
}

/// 100 % in millionths of a percent.
const WHOLE: u64 = 100 * MILLION;
const MILLION: u64 = 1_000_000;
/// The first pass remembers eight bytes for each.
const MOST_ROWS: usize = 10_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    #[error("not a sample; write a share like 1% or 0.5%, or a number of rows like 1000")]
    Form,
    #[error("a sample of nothing proves nothing; leave --sample away to verify every row")]
    Nothing,
    #[error("more than 100%; leave --sample away to verify every row")]
    TooMuch,
    #[error("a share has at most six digits behind the point")]
    TooFine,
    #[error("more than 10000000 rows; write a share like 10%")]
    TooMany,
}

impl FromStr for Sample {
    type Err = SampleError;

    fn from_str(text: &str) -> Result<Self, SampleError> {
        match text.trim().strip_suffix('%') {
            Some(percent) => share(percent.trim_end()),
            None => rows(text.trim()),
        }
    }
}

fn share(percent: &str) -> Result<Sample, SampleError> {
    let (whole, fraction) = percent.split_once('.').unwrap_or((percent, "0"));
    if fraction.is_empty() || !is_digits(fraction) {
        return Err(SampleError::Form);
    }
    if fraction.trim_end_matches('0').len() > 6 {
        return Err(SampleError::TooFine);
    }
    let fraction: String = fraction.chars().chain("000000".chars()).take(6).collect();
    let (Some(whole), Some(fraction)) = (digits(whole)?, digits(&fraction)?) else {
        return Err(SampleError::TooMuch);
    };
    match whole.checked_mul(MILLION).and_then(|millionths| millionths.checked_add(fraction)) {
        Some(0) => Err(SampleError::Nothing),
        Some(share) if share <= WHOLE => Ok(Sample(Kind::Share(share))),
        _ => Err(SampleError::TooMuch),
    }
}

fn rows(text: &str) -> Result<Sample, SampleError> {
    match digits(text)?.map(usize::try_from) {
        Some(Ok(0)) => Err(SampleError::Nothing),
        Some(Ok(rows)) if rows <= MOST_ROWS => Ok(Sample(Kind::Rows(rows))),
        _ => Err(SampleError::TooMany),
    }
}

/// `None` for what is beyond 64 bits.
fn digits(text: &str) -> Result<Option<u64>, SampleError> {
    if text.is_empty() || !is_digits(text) {
        return Err(SampleError::Form);
    }
    Ok(text.parse().ok())
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::Rows(rows) => write!(f, "{rows}"),
            Kind::Share(share) => {
                let fraction = format!("{:06}", share % MILLION);
                let fraction = fraction.trim_end_matches('0');
                let point = if fraction.is_empty() { "" } else { "." };
                write!(f, "{}{point}{fraction}%", share / MILLION)
            }
        }
    }
}

impl Sample {
    /// How many of so many rows it takes, about.
    pub fn of(self, rows: u64) -> u64 {
        match self.0 {
            Kind::Rows(most) => rows.min(u64::try_from(most).unwrap_or(u64::MAX)),
            Kind::Share(share) => {
                u64::try_from(u128::from(rows) * u128::from(share) / u128::from(WHOLE)).unwrap_or(rows)
            }
        }
    }

    /// The number of rows asked for, when the threshold has to be found by a pass over the keys.
    pub(super) fn rows(self) -> Option<usize> {
        match self.0 {
            Kind::Rows(rows) => Some(rows),
            Kind::Share(_) => None,
        }
    }

    /// The threshold of a share; everything for a number of rows.
    pub(super) fn threshold(self) -> Threshold {
        match self.0 {
            Kind::Rows(_) => Threshold::ALL,
            Kind::Share(share) => Threshold((u128::from(share) << 64) / u128::from(WHOLE)),
        }
    }
}

/// Rows whose place is below are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Threshold(u128);

impl Threshold {
    pub(super) const ALL: Threshold = Threshold(1 << 64);

    pub(super) fn takes(self, place: u64) -> bool {
        u128::from(place) < self.0
    }
}

/// A row's place, the same for all time: SHA-256 of seed, entity and source key, its first 64 bits.
pub(super) fn place(seed: u64, entity: &str, source_key: &[(String, String)]) -> u64 {
    let mut hash = Sha256::new();
    hash.update(seed.to_be_bytes());
    let texts = source_key.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
    for text in std::iter::once(entity).chain(texts) {
        hash.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(text);
    }
    hash.finalize().iter().take(8).fold(0, |place, byte| (place << 8) | u64::from(*byte))
}

/// Keeps the lowest places seen, to find the threshold that takes a number of rows.
#[derive(Debug)]
pub(super) struct Lowest {
    wanted: usize,
    places: BinaryHeap<u64>,
}

impl Lowest {
    pub(super) fn new(wanted: usize) -> Self {
        Self { wanted, places: BinaryHeap::new() }
    }

    pub(super) fn add(&mut self, place: u64) {
        self.places.push(place);
        if self.places.len() > self.wanted {
            self.places.pop();
        }
    }

    /// Takes the wanted number of rows (more only where places are equal), or all of fewer.
    pub(super) fn threshold(&self) -> Threshold {
        match self.places.peek() {
            Some(highest) if self.places.len() >= self.wanted => Threshold(u128::from(*highest) + 1),
            _ => Threshold::ALL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: usize) -> Vec<(String, String)> {
        vec![("id".to_owned(), id.to_string())]
    }

    #[test]
    fn samples_are_read_as_they_are_shown() {
        for text in ["1%", "0.5%", "100%", "0.000001%", "1000", "1"] {
            assert_eq!(text.parse::<Sample>().map(|sample| sample.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("1.50 %".parse::<Sample>().map(|sample| sample.to_string()).as_deref(), Ok("1.5%"));
    }

    #[test]
    fn what_is_no_sample_says_what_is_wrong() {
        let cases = [
            ("", SampleError::Form),
            ("%", SampleError::Form),
            ("-1%", SampleError::Form),
            ("1e3", SampleError::Form),
            ("1,000", SampleError::Form),
            (".5%", SampleError::Form),
            ("1.%", SampleError::Form),
            ("1.x%", SampleError::Form),
            ("half", SampleError::Form),
            ("0", SampleError::Nothing),
            ("0.0%", SampleError::Nothing),
            ("100.1%", SampleError::TooMuch),
            ("99999999999999999999%", SampleError::TooMuch),
            ("0.0000001%", SampleError::TooFine),
            ("10000001", SampleError::TooMany),
            ("99999999999999999999", SampleError::TooMany),
        ];
        for (text, error) in cases {
            assert_eq!(text.parse::<Sample>(), Err(error), "{text}");
        }
    }

    #[test]
    fn a_share_takes_about_its_share_and_the_same_rows_again() {
        let threshold = "10%".parse::<Sample>().unwrap().threshold();
        let taken = |seed| {
            (0..10_000).filter(|id| threshold.takes(place(seed, "User", &key(*id)))).collect::<Vec<_>>()
        };
        assert!((850..1150).contains(&taken(1).len()), "{}", taken(1).len());
        assert_eq!(taken(1), taken(1));
        assert_ne!(taken(1), taken(2));
    }

    #[test]
    fn the_whole_is_every_row() {
        let threshold = "100%".parse::<Sample>().unwrap().threshold();
        assert!(threshold.takes(0) && threshold.takes(u64::MAX));
        assert_eq!(threshold, Threshold::ALL);
    }

    #[test]
    fn places_stay_the_same_for_all_time() {
        assert_eq!(place(7, "User", &key(1)), 14_287_812_941_356_023_792);
    }

    #[test]
    fn a_number_of_rows_takes_exactly_so_many() {
        for (rows, wanted, taken) in [(1000, 10, 10), (1000, 1000, 1000), (5, 10, 5), (0, 10, 0)] {
            let places: Vec<u64> = (0..rows).map(|id| place(3, "User", &key(id))).collect();
            let mut lowest = Lowest::new(wanted);
            places.iter().for_each(|place| lowest.add(*place));
            let threshold = lowest.threshold();
            assert_eq!(places.iter().filter(|place| threshold.takes(**place)).count(), taken);
        }
    }
}
