//! Sums up what was read and checked, range by range.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::VerifyEvent;
use super::batch::Place;
use super::checkpoint::{EntityProgress, RangeProgress};
use super::compare::{Checked, Suspect};
use super::suspects::Suspects;
use crate::report::{Difference, VerifiedEntity};
use crate::source::{Bounds, Position};

/// What the readers and the lookups tell while they work.
#[derive(Debug)]
pub(super) enum News {
    /// The ranges of an entity, before anything is read of it, and how far they are.
    Ranges {
        entity: usize,
        ranges: Vec<RangeProgress>,
    },
    /// A page was read and built; `rejected` counts the rows to be verified that make no item. Told before any
    /// of its `batches` are checked.
    Read {
        entity: usize,
        place: Place,
        rows: usize,
        rejected: usize,
        batches: usize,
        behind: Position,
    },
    /// The range has no more pages.
    End {
        entity: usize,
        range: usize,
    },
    Checked(Checked),
    Slowed(String),
}

/// Rows of a range, each counted once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Counts {
    pub(super) read: u64,
    pub(super) matching: u64,
    pub(super) missing: u64,
    pub(super) different: u64,
    pub(super) rejected: u64,
    pub(super) skipped: u64,
    pub(super) expired: u64,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.read += other.read;
        self.matching += other.matching;
        self.missing += other.missing;
        self.different += other.different;
        self.rejected += other.rejected;
        self.skipped += other.skipped;
        self.expired += other.expired;
    }

    pub(super) fn wrong(&self) -> u64 {
        self.missing + self.different
    }
}

#[derive(Debug)]
pub(super) struct Tally {
    entities: Vec<Counted>,
    differences: usize,
    pub(super) suspects: Suspects,
    pub(super) units: u64,
}

#[derive(Debug, Default)]
struct Counted {
    name: String,
    ranges: Vec<Range>,
    first: BTreeMap<Place, Difference>,
}

/// What is settled up to a position, and the pages behind it.
#[derive(Debug)]
struct Range {
    bounds: Bounds,
    position: Position,
    done: bool,
    settled: Counts,
    pages: VecDeque<Unsettled>,
    /// The number of the first of them.
    first: u64,
}

/// A page of which some batches are not checked yet.
#[derive(Debug)]
struct Unsettled {
    counts: Counts,
    batches: usize,
    behind: Position,
    last: bool,
}

impl Tally {
    /// Keeps at most `differences` of each entity: those of the lowest source keys.
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>, differences: usize) -> Self {
        let counted = |name: &str| Counted { name: name.to_owned(), ..Counted::default() };
        Self { entities: names.map(counted).collect(), differences, suspects: Suspects::default(), units: 0 }
    }

    pub(super) fn note(&mut self, news: News) -> io::Result<Option<VerifyEvent>> {
        Ok(match news {
            News::Slowed(reason) => Some(VerifyEvent::Slowed { reason }),
            News::Ranges { entity, ranges } => {
                let rows = ranges.iter().map(|range| range.counts.read).sum();
                if let Some(counted) = self.entities.get_mut(entity) {
                    counted.ranges = ranges.into_iter().map(Range::from).collect();
                }
                Some(VerifyEvent::Resumed { entity, rows })
            }
            News::Read { entity, place, rows, rejected, batches, behind } => {
                let (rows, rejected) = (count(rows), count(rejected));
                if let Some(range) = self.range(entity, place.range) {
                    let counts = Counts { read: rows, rejected, ..Counts::default() };
                    range.pages.push_back(Unsettled { counts, batches, behind, last: false });
                    range.settle();
                }
                Some(VerifyEvent::Read { entity, rows })
            }
            News::End { entity, range } => {
                if let Some(range) = self.range(entity, range) {
                    let behind =
                        range.pages.back().map_or_else(|| range.position.clone(), |page| page.behind.clone());
                    range.pages.push_back(Unsettled {
                        counts: Counts::default(),
                        batches: 0,
                        behind,
                        last: true,
                    });
                    range.settle();
                }
                None
            }
            News::Checked(checked) => Some(self.checked(checked)?),
        })
    }

    fn checked(&mut self, checked: Checked) -> io::Result<VerifyEvent> {
        let Checked { entity, place, matching, expired, rejected, skipped, suspects, units } = checked;
        self.units += units;
        let missing = suspects.iter().filter(|suspect| suspect.missing).count();
        let counts = Counts {
            read: 0,
            matching: count(matching),
            missing: count(missing),
            different: count(suspects.len() - missing),
            rejected: count(rejected),
            skipped: count(skipped),
            expired: count(expired),
        };
        let wrong = counts.wrong();
        let rows = wrong + counts.matching + counts.rejected + counts.skipped + counts.expired;
        if let Some(range) = self.range(entity, place.range) {
            let page = place.page.checked_sub(range.first).and_then(|at| usize::try_from(at).ok());
            if let Some(page) = page.and_then(|at| range.pages.get_mut(at)) {
                page.counts.add(&counts);
                page.batches = page.batches.saturating_sub(1);
            }
            range.settle();
        }
        for suspect in suspects {
            self.suspects.add(&suspect)?;
            self.keep(suspect);
        }
        Ok(VerifyEvent::Checked { entity, rows, wrong })
    }

    fn keep(&mut self, suspect: Suspect) {
        let Suspect { entity, place, difference: Some(difference), .. } = suspect else { return };
        if let Some(counted) = self.entities.get_mut(entity) {
            counted.first.insert(place, difference);
            while counted.first.len() > self.differences {
                counted.first.pop_last();
            }
        }
    }

    fn range(&mut self, entity: usize, range: usize) -> Option<&mut Range> {
        self.entities.get_mut(entity)?.ranges.get_mut(range)
    }

    /// What is settled, for the checkpoint.
    pub(super) fn progress(&self) -> Vec<EntityProgress> {
        let entity = |counted: &Counted| EntityProgress {
            name: counted.name.clone(),
            ranges: counted.ranges.iter().map(Range::progress).collect(),
        };
        self.entities.iter().map(entity).collect()
    }

    /// What was found so far, of all pages.
    pub(super) fn finish(&self) -> IndexMap<String, VerifiedEntity> {
        self.entities.iter().map(|counted| (counted.name.clone(), counted.finish())).collect()
    }

    /// The rows of an entity that are shown as wrong, by place.
    pub(super) fn shown(&mut self, entity: usize) -> Option<&mut BTreeMap<Place, Difference>> {
        self.entities.get_mut(entity).map(|counted| &mut counted.first)
    }
}

impl Counted {
    fn finish(&self) -> VerifiedEntity {
        let mut sum = Counts::default();
        for range in &self.ranges {
            sum.add(&range.settled);
            range.pages.iter().for_each(|page| sum.add(&page.counts));
        }
        VerifiedEntity {
            read: sum.read,
            checked: sum.matching + sum.wrong() + sum.rejected + sum.skipped + sum.expired,
            matching: sum.matching,
            missing: sum.missing,
            different: sum.different,
            rejected: sum.rejected,
            skipped: sum.skipped,
            expired: sum.expired,
            moved: 0,
            // Come from [`Tally::shown`], once all were looked at again.
            differences: Vec::new(),
        }
    }
}

impl From<RangeProgress> for Range {
    fn from(progress: RangeProgress) -> Self {
        let RangeProgress { bounds, position, pages: first, done, counts: settled } = progress;
        Self { bounds, position, done, settled, pages: VecDeque::new(), first }
    }
}

impl Range {
    /// Moves the position over all pages whose batches are checked.
    fn settle(&mut self) {
        while let Some(page) = self.pages.pop_front_if(|page| page.batches == 0) {
            self.settled.add(&page.counts);
            self.position = page.behind;
            self.done |= page.last;
            self.first += 1;
        }
    }

    fn progress(&self) -> RangeProgress {
        RangeProgress {
            bounds: self.bounds.clone(),
            position: self.position.clone(),
            pages: self.first,
            done: self.done,
            counts: self.settled.clone(),
        }
    }
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::checkpoint::RangeProgress;

    fn difference(id: u32) -> Difference {
        Difference {
            key: id.into(),
            source_key: IndexMap::new(),
            attributes: Vec::new(),
            repair: None,
            why: None,
        }
    }

    fn tally(ranges: usize) -> Tally {
        let mut tally = Tally::new(["User"].into_iter(), 3);
        let ranges = vec![RangeProgress::new(Bounds::default()); ranges];
        tally.note(News::Ranges { entity: 0, ranges }).unwrap();
        tally
    }

    fn read(tally: &mut Tally, range: usize, page: u64, batches: usize, rejected: usize) {
        let place = Place { range, page, row: 0 };
        let key = crate::source::Key(vec![]);
        let behind = Position::At(key);
        tally.note(News::Read { entity: 0, place, rows: 20, rejected, batches, behind }).unwrap();
    }

    fn checked(range: usize, page: u64, rows: &[usize]) -> News {
        let place = Place { range, page, row: 0 };
        let suspect = |row: &usize| Suspect {
            entity: 0,
            place: Place { row: *row, ..place },
            source_key: Vec::new(),
            key: Vec::new(),
            missing: true,
            difference: Some(difference(u32::try_from(range * 100 + row).unwrap())),
        };
        let suspects = rows.iter().map(suspect).collect();
        News::Checked(Checked { place, matching: 5, suspects, ..Checked::default() })
    }

    #[test]
    fn the_differences_kept_are_the_first_in_source_order_whenever_they_arrive() {
        let mut tally = tally(3);
        for (range, rows) in [(1, [4, 5]), (0, [7, 9]), (2, [0, 1])] {
            read(&mut tally, range, 0, 1, 0);
            tally.note(checked(range, 0, &rows)).unwrap();
        }
        let entity = &tally.finish()["User"];
        let shown = tally.shown(0).unwrap();
        let kept: Vec<_> = shown.values().map(|difference| difference.key.to_string()).collect();
        assert_eq!(kept, ["7", "9", "104"]);
        assert_eq!((entity.checked, entity.matching, entity.missing), (21, 15, 6));
    }

    #[test]
    fn every_checked_row_is_counted_once() {
        let mut tally = tally(1);
        read(&mut tally, 0, 0, 1, 3);
        let suspect = |missing| Suspect {
            entity: 0,
            place: Place::default(),
            source_key: Vec::new(),
            key: Vec::new(),
            missing,
            difference: None,
        };
        let suspects = (0..7).map(|at| suspect(at < 4)).collect();
        let all =
            Checked { matching: 6, suspects, rejected: 2, skipped: 1, expired: 1, ..Checked::default() };
        let event = tally.note(News::Checked(all)).unwrap();
        assert!(matches!(event, Some(VerifyEvent::Checked { entity: 0, rows: 17, wrong: 7 })));
        let user = &tally.finish()["User"];
        assert_eq!((user.read, user.checked, user.rejected), (20, 20, 5));
        let parts =
            user.matching + user.missing + user.different + user.rejected + user.skipped + user.expired;
        assert_eq!(user.checked, parts);
    }

    #[test]
    fn the_position_follows_the_first_page_that_is_not_checked() {
        let mut tally = tally(1);
        let pages = |tally: &Tally| {
            let range = &tally.progress()[0].ranges[0];
            (range.pages, range.counts.matching, range.done)
        };
        read(&mut tally, 0, 0, 2, 0);
        read(&mut tally, 0, 1, 1, 0);
        tally.note(checked(0, 1, &[])).unwrap();
        tally.note(checked(0, 0, &[])).unwrap();
        assert_eq!(pages(&tally), (0, 0, false));
        assert_eq!(tally.finish()["User"].matching, 10);
        tally.note(News::End { entity: 0, range: 0 }).unwrap();
        assert_eq!(pages(&tally), (0, 0, false));
        tally.note(checked(0, 0, &[])).unwrap();
        assert_eq!(pages(&tally), (3, 15, true));
    }
}
