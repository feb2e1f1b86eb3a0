//! Item sizes of millions of items in a few hundred counters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A histogram of billed sizes. Minimum and maximum are exact; the quantiles between are at most
/// 1/128 too high, since sizes are counted by their eight leading bits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    counts: BTreeMap<u32, u64>,
    min: Option<u32>,
    max: Option<u32>,
}

/// Bytes. All zero when there was no item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SizeSummary {
    pub min: u32,
    pub median: u32,
    pub p99: u32,
    pub max: u32,
}

impl Sizes {
    pub fn add(&mut self, size: u32) {
        *self.counts.entry(bucket(size)).or_default() += 1;
        self.widen(size);
    }

    pub fn merge(&mut self, other: &Sizes) {
        for (bucket, count) in &other.counts {
            *self.counts.entry(*bucket).or_default() += count;
        }
        for size in other.min.into_iter().chain(other.max) {
            self.widen(size);
        }
    }

    pub fn summary(&self) -> SizeSummary {
        let (Some(min), Some(max)) = (self.min, self.max) else { return SizeSummary::default() };
        let quantile = |percent: u64| self.quantile(percent).clamp(min, max);
        SizeSummary { min, median: quantile(50), p99: quantile(99), max }
    }

    fn widen(&mut self, size: u32) {
        self.min = Some(self.min.map_or(size, |min| min.min(size)));
        self.max = Some(self.max.map_or(size, |max| max.max(size)));
    }

    /// Upper end of the bucket that holds the `percent`th of a hundred items.
    fn quantile(&self, percent: u64) -> u32 {
        let total: u64 = self.counts.values().sum();
        let rank = (u128::from(total) * u128::from(percent)).div_ceil(100);
        let mut seen = 0u128;
        for (bucket, count) in &self.counts {
            seen += u128::from(*count);
            if seen >= rank {
                return *bucket;
            }
        }
        0
    }
}

/// The largest size with the same eight leading bits.
fn bucket(size: u32) -> u32 {
    let dropped = (u32::BITS - size.leading_zeros()).saturating_sub(8);
    size | ((1u32 << dropped) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_exact_below_256_and_close_above() {
        let mut sizes = Sizes::default();
        (1..=100).for_each(|size| sizes.add(size));
        assert_eq!(sizes.summary(), SizeSummary { min: 1, median: 50, p99: 99, max: 100 });
        let mut large = Sizes::default();
        large.add(100_000);
        large.add(300_000);
        large.add(300_001);
        let summary = large.summary();
        assert_eq!((summary.min, summary.max), (100_000, 300_001));
        assert!((300_000..=302_400).contains(&summary.median));
    }

    #[test]
    fn merging_is_the_same_as_adding_all() {
        let (mut left, mut right, mut all) = (Sizes::default(), Sizes::default(), Sizes::default());
        for size in [7, 1_000, 409_600] {
            left.add(size);
            all.add(size);
        }
        for size in [3, 90_000] {
            right.add(size);
            all.add(size);
        }
        left.merge(&right);
        assert_eq!(left, all);
    }
}
