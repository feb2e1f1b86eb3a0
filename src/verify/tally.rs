//! Sums up what was read and checked, entity by entity.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::VerifyEvent;
use super::batch::Place;
use super::compare::Checked;
use crate::report::{Difference, RepairReport, VerifiedEntity};

/// What the readers and the lookups tell while they work.
#[derive(Debug)]
pub(super) enum News {
    /// A page was read and built; `rejected` counts the rows to be verified that make no item.
    Read {
        entity: usize,
        rows: usize,
        rejected: usize,
    },
    Checked(Checked),
    Slowed(String),
}

#[derive(Debug)]
pub(super) struct Tally {
    entities: Vec<Counted>,
    repair: RepairReport,
    differences: usize,
}

#[derive(Debug, Default)]
struct Counted {
    name: String,
    entity: VerifiedEntity,
    first: BTreeMap<Place, Difference>,
}

impl Tally {
    /// Keeps at most `differences` of each entity: those of the lowest source keys.
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>, differences: usize) -> Self {
        let counted = |name: &str| Counted { name: name.to_owned(), ..Counted::default() };
        Self { entities: names.map(counted).collect(), repair: RepairReport::default(), differences }
    }

    pub(super) fn note(&mut self, news: News) -> VerifyEvent {
        match news {
            News::Slowed(reason) => VerifyEvent::Slowed { reason },
            News::Read { entity, rows, rejected } => {
                let rows = count(rows);
                if let Some(counted) = self.entities.get_mut(entity) {
                    counted.entity.read += rows;
                    counted.reject(count(rejected));
                }
                VerifyEvent::Read { entity, rows }
            }
            News::Checked(checked) => {
                let (rows, wrong) = (checked.rows(), count(checked.missing + checked.different));
                let entity = checked.entity;
                self.repair.add(&checked.repair);
                if let Some(counted) = self.entities.get_mut(entity) {
                    counted.add(checked, self.differences);
                }
                VerifyEvent::Checked { entity, rows, wrong }
            }
        }
    }

    /// What became of wrong rows.
    pub(super) fn repair(&self) -> &RepairReport {
        &self.repair
    }

    pub(super) fn finish(self) -> IndexMap<String, VerifiedEntity> {
        let finished = self.entities.into_iter().map(|mut counted| {
            counted.entity.differences = counted.first.into_values().collect();
            (counted.name, counted.entity)
        });
        finished.collect()
    }
}

impl Counted {
    fn reject(&mut self, rows: u64) {
        self.entity.checked += rows;
        self.entity.rejected += rows;
    }

    fn add(&mut self, checked: Checked, most: usize) {
        self.entity.checked += count(checked.matching + checked.missing + checked.different);
        self.entity.matching += count(checked.matching);
        self.entity.missing += count(checked.missing);
        self.entity.different += count(checked.different);
        self.reject(count(checked.excused));
        self.first.extend(checked.differences);
        while self.first.len() > most {
            self.first.pop_last();
        }
    }
}

impl Checked {
    fn rows(&self) -> u64 {
        count(self.matching + self.missing + self.different + self.excused)
    }
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(id: u32) -> Difference {
        Difference {
            key: id.into(),
            source_key: IndexMap::new(),
            attributes: Vec::new(),
            repair: None,
            why: None,
        }
    }

    fn checked(range: usize, rows: &[usize]) -> News {
        let difference = |row: &usize| (Place { range, page: 0, row: *row }, difference(row_id(range, *row)));
        News::Checked(Checked {
            matching: 5,
            missing: rows.len(),
            differences: rows.iter().map(difference).collect(),
            ..Checked::default()
        })
    }

    fn row_id(range: usize, row: usize) -> u32 {
        u32::try_from(range * 100 + row).unwrap()
    }

    #[test]
    fn the_differences_kept_are_the_first_in_source_order_whenever_they_arrive() {
        let mut tally = Tally::new(["User"].into_iter(), 3);
        for (range, rows) in [(1, [4, 5]), (0, [7, 9]), (2, [0, 1])] {
            tally.note(checked(range, &rows));
        }
        let entity = &tally.finish()["User"];
        let kept: Vec<_> = entity.differences.iter().map(|difference| difference.key.to_string()).collect();
        assert_eq!(kept, ["7", "9", "104"]);
        assert_eq!((entity.checked, entity.matching, entity.missing), (21, 15, 6));
    }

    #[test]
    fn every_checked_row_is_counted_once() {
        let mut tally = Tally::new(["User", "Order"].into_iter(), 10);
        tally.note(News::Read { entity: 1, rows: 20, rejected: 3 });
        let all =
            Checked { entity: 1, matching: 8, missing: 4, different: 3, excused: 2, ..Checked::default() };
        let event = tally.note(News::Checked(all));
        assert!(matches!(event, VerifyEvent::Checked { entity: 1, rows: 17, wrong: 7 }));
        let order = &tally.finish()["Order"];
        assert_eq!((order.read, order.checked, order.rejected), (20, 20, 5));
        assert_eq!(order.checked, order.matching + order.missing + order.different + order.rejected);
    }
}
