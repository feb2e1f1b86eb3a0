//! Write capacity, enforced as the service does it: per table, per partition key, per index and per
//! partition key of an index.

use std::collections::HashMap;
use std::time::Instant;

use super::fault::TABLE_ARN;
use super::{Write, write_units};

/// Write units per second; no limit where nothing is said.
#[derive(Debug, Clone, Default)]
pub struct Capacity {
    table: Option<f64>,
    partition: Option<f64>,
    indexes: HashMap<String, f64>,
    burst_seconds: f64,
}

impl Capacity {
    /// One second's worth may be saved up; see [`Capacity::burst_seconds`].
    pub fn unlimited() -> Self {
        Self { burst_seconds: 1.0, ..Self::default() }
    }

    pub fn table(units: f64) -> Self {
        Self { table: Some(units), ..Self::unlimited() }
    }

    /// Of each partition key's value, in the table and in every index: the hot keys.
    pub fn partition(mut self, units: f64) -> Self {
        self.partition = Some(units);
        self
    }

    pub fn index(mut self, name: &str, units: f64) -> Self {
        self.indexes.insert(name.to_owned(), units);
        self
    }

    pub fn burst_seconds(mut self, seconds: f64) -> Self {
        self.burst_seconds = seconds;
        self
    }
}

#[derive(Debug, Default)]
pub(super) struct Buckets {
    capacity: Capacity,
    buckets: HashMap<String, Bucket>,
}

#[derive(Debug)]
struct Bucket {
    units: f64,
    filled: Instant,
}

/// One limit that a write meets: the bucket's name, its rate, and what to say when it is empty.
struct Limit {
    bucket: String,
    rate: f64,
    reason: &'static str,
    resource: String,
}

impl Buckets {
    pub(super) fn new(capacity: Capacity) -> Self {
        Self { capacity, buckets: HashMap::new() }
    }

    /// Positions of the writes that do not fit, and (reason, resource) of every limit that was met.
    pub(super) fn take(&mut self, writes: &[Write]) -> (Vec<usize>, Vec<(String, String)>) {
        let mut unprocessed = Vec::new();
        let mut reasons = Vec::new();
        for (position, write) in writes.iter().enumerate() {
            let limits = self.limits(write);
            let units = write_units(write.size) as f64;
            if let Some(empty) = limits.iter().find(|limit| !self.has(limit, units)) {
                unprocessed.push(position);
                let reason = (empty.reason.to_owned(), empty.resource.clone());
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
                continue;
            }
            for limit in limits {
                self.buckets.get_mut(&limit.bucket).unwrap().units -= units;
            }
        }
        (unprocessed, reasons)
    }

    /// A write larger than a full bucket goes through and leaves a debt: otherwise a 400 KB item could
    /// never be written at a low rate.
    fn has(&mut self, limit: &Limit, units: f64) -> bool {
        let full = limit.rate * self.capacity.burst_seconds;
        let bucket = self.buckets.entry(limit.bucket.clone());
        let bucket = bucket.or_insert_with(|| Bucket { units: full, filled: Instant::now() });
        let filled = Instant::now();
        bucket.units = full.min(bucket.units + limit.rate * (filled - bucket.filled).as_secs_f64());
        bucket.filled = filled;
        bucket.units >= units.min(full)
    }

    fn limits(&self, write: &Write) -> Vec<Limit> {
        let table = format!("{TABLE_ARN}/{}", write.table);
        let limit = |bucket: String, rate: Option<f64>, reason, resource: &str| {
            rate.map(|rate| Limit { bucket, rate, reason, resource: resource.to_owned() })
        };
        let Capacity { partition, .. } = self.capacity;
        let mut limits = vec![
            limit(table.clone(), self.capacity.table, "TableWriteProvisionedThroughputExceeded", &table),
            limit(
                format!("{table} {}", write.partition),
                partition,
                "TableWriteKeyRangeThroughputExceeded",
                &table,
            ),
        ];
        for (name, value) in &write.indexes {
            let index = format!("{table}/index/{name}");
            let rate = self.capacity.indexes.get(name).copied();
            limits.push(limit(index.clone(), rate, "IndexWriteProvisionedThroughputExceeded", &index));
            let key_range = format!("{index} {value}");
            limits.push(limit(key_range, partition, "IndexWriteKeyRangeThroughputExceeded", &index));
        }
        limits.into_iter().flatten().collect()
    }
}
