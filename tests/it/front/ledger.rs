//! What came through the front: counters, and the rules of BatchWriteItem.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;
use std::time::Instant;

use super::{Write, lock, write_units};

#[derive(Debug, Clone, Default)]
pub struct Counters {
    /// Requests by operation, refused ones included.
    pub requests: BTreeMap<String, u64>,
    /// Items really written, again and again ones included.
    pub written: u64,
    /// Of these: items whose key had been written before.
    pub rewritten: u64,
    /// BatchWriteItem requests at the same time at most.
    pub max_in_flight: usize,
    /// Write units of the table (without indexes) and of its indexes.
    pub table_units: u64,
    pub index_units: u64,
    /// Write units of table and indexes in each second since the first write.
    pub units_per_second: Vec<u64>,
}

impl Counters {
    pub fn requests(&self, operation: &str) -> u64 {
        self.requests.get(operation).copied().unwrap_or(0)
    }

    pub fn batches(&self) -> u64 {
        self.requests("BatchWriteItem")
    }
}

#[derive(Debug, Default)]
pub(super) struct Ledger {
    counters: Counters,
    first_write: Option<Instant>,
    writes_by_key: HashMap<String, u64>,
    keys_in_flight: HashSet<String>,
    requests_in_flight: usize,
    violations: Vec<String>,
}

impl Ledger {
    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(super) fn rewritten(&self) -> BTreeMap<String, u64> {
        let more_than_once = self.writes_by_key.iter().filter(|(_, count)| **count > 1);
        more_than_once.map(|(key, count)| (key.clone(), *count)).collect()
    }

    pub(super) fn violations(&self) -> &[String] {
        &self.violations
    }

    pub(super) fn take_violations(&mut self) -> Vec<String> {
        std::mem::take(&mut self.violations)
    }

    /// Counts a request and tells its number.
    pub(super) fn count(&mut self, operation: &str) -> u64 {
        let count = self.counters.requests.entry(operation.to_owned()).or_default();
        *count += 1;
        *count
    }

    pub(super) fn wrote<'a>(&mut self, writes: impl Iterator<Item = &'a Write>) {
        let second = self.first_write.get_or_insert_with(Instant::now).elapsed().as_secs() as usize;
        self.counters.units_per_second.resize(second + 1, 0);
        for write in writes {
            let units = write_units(write.size);
            let writes_of_key = self.writes_by_key.entry(write.key.clone()).or_default();
            *writes_of_key += 1;
            self.counters.written += 1;
            self.counters.rewritten += u64::from(*writes_of_key > 1);
            self.counters.table_units += units;
            self.counters.index_units += units * write.indexes.len() as u64;
            self.counters.units_per_second[second] += units * (1 + write.indexes.len() as u64);
        }
    }

    fn check(&mut self, writes: &[Write], bytes: usize) {
        if !(1..=25).contains(&writes.len()) {
            self.violations.push(format!("a batch of {} items", writes.len()));
        }
        if bytes >= 16 * 1024 * 1024 {
            self.violations.push(format!("a request of {bytes} bytes"));
        }
        let mut keys = HashSet::new();
        for write in writes {
            if write.size > 400 * 1024 {
                self.violations.push(format!("an item of {} bytes: {}", write.size, write.key));
            }
            if !keys.insert(&write.key) {
                self.violations.push(format!("twice in one batch: {}", write.key));
            } else if self.keys_in_flight.contains(&write.key) {
                self.violations.push(format!("in two requests in flight: {}", write.key));
            }
        }
    }
}

/// A BatchWriteItem between its arrival and its answer.
pub(super) struct InFlight<'a> {
    ledger: &'a Mutex<Ledger>,
    keys: Mutex<Option<Vec<String>>>,
}

impl<'a> InFlight<'a> {
    pub(super) fn enter(ledger: &'a Mutex<Ledger>, writes: &[Write], bytes: usize) -> Self {
        let mut entered = lock(ledger);
        entered.check(writes, bytes);
        let keys: Vec<String> = writes.iter().map(|write| write.key.clone()).collect();
        entered.keys_in_flight.extend(keys.iter().cloned());
        entered.requests_in_flight += 1;
        entered.counters.max_in_flight = entered.counters.max_in_flight.max(entered.requests_in_flight);
        Self { ledger, keys: Mutex::new(Some(keys)) }
    }

    pub(super) fn leave(&self) {
        let Some(keys) = lock(&self.keys).take() else { return };
        let mut left = lock(self.ledger);
        left.requests_in_flight -= 1;
        for key in &keys {
            left.keys_in_flight.remove(key);
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}
