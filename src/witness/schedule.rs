//! Which rows are looked at twice.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// All of an entity's first rows, one in 250 of those that follow, one in a thousand of the rest.
const ALL: u64 = 1_000;
const MANY: u64 = 100_000;

/// Rows that are worth a statement of their own. Always as many, so that it is always the same statement.
const RUN: u64 = 50;

/// Decides over all readers; they take distant ranges, so that what they read first is spread already.
#[derive(Debug, Default)]
pub struct Schedule(Mutex<BTreeMap<usize, Seen>>);

#[derive(Debug, Default, Clone, Copy)]
struct Seen {
    rows: u64,
    /// Rows that were asked for.
    due: u64,
    compared: u64,
}

impl Schedule {
    /// How many of the first rows of a page of `rows` rows are to be compared: none, some or all.
    pub fn take(&self, entity: usize, rows: u64) -> u64 {
        let mut entities = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = entities.entry(entity).or_default();
        seen.rows += rows;
        let owed = wanted(seen.rows).saturating_sub(seen.due);
        let due = match owed {
            0 => 0,
            _ if seen.due < ALL || rows <= RUN && owed >= RUN => rows,
            _ if owed >= RUN => RUN,
            _ => 0,
        };
        seen.due += due;
        due
    }

    /// Notes rows that were compared and found right.
    pub fn passed(&self, entity: usize, rows: u64) {
        let mut entities = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entities.entry(entity).or_default().compared += rows;
    }

    /// Rows of an entity compared so far.
    pub fn compared(&self, entity: usize) -> u64 {
        let entities = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entities.get(&entity).map_or(0, |seen| seen.compared)
    }
}

/// Of so many rows.
fn wanted(rows: u64) -> u64 {
    let first = rows.min(ALL);
    let many = rows.clamp(ALL, MANY) - ALL;
    let rest = rows.max(MANY) - MANY;
    first + many / 250 + rest / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows compared of so many, read in pages of so many.
    fn compared(rows: u64, page: u64) -> u64 {
        let schedule = Schedule::default();
        let mut left = rows;
        while left > 0 {
            let due = schedule.take(0, left.min(page));
            assert!(due <= left.min(page));
            schedule.passed(0, due);
            left -= left.min(page);
        }
        schedule.compared(0)
    }

    #[test]
    fn at_least_a_thousand_rows_and_one_in_a_thousand_are_compared() {
        for page in [1, 7, 500, 730, 5_000] {
            for rows in [1, 999, 1_000, 1_001, 4_000, 99_000, 1_000_000] {
                let compared = compared(rows, page);
                assert!(compared >= rows.min(1_000), "{compared} of {rows} in pages of {page}");
                assert!(compared + RUN > rows / 1_000, "{compared} of {rows} in pages of {page}");
                assert!(compared <= 1_000 + page + rows / 250, "{compared} of {rows} in pages of {page}");
            }
        }
    }

    #[test]
    fn entities_are_counted_each_for_itself() {
        let schedule = Schedule::default();
        assert_eq!((schedule.take(0, 900), schedule.take(1, 900), schedule.take(0, 900)), (900, 900, 900));
    }
}
