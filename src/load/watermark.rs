//! How far each range is contiguously finished. Pages finish out of order; only what has no gap before
//! it may enter the checkpoint.

use std::collections::{BTreeMap, VecDeque};

use super::desk::{FinishedPage, RangeId};

/// One step of a range, in reading order.
#[derive(Debug)]
pub(crate) enum Step {
    Page(Box<FinishedPage>),
    /// The range's rows ended cleanly.
    End(RangeId),
}

#[derive(Debug)]
enum Entry {
    Pending(u64),
    Ready(Step),
}

#[derive(Debug, Default)]
pub(crate) struct Watermark {
    ranges: BTreeMap<RangeId, VecDeque<Entry>>,
}

impl Watermark {
    /// A page was read; pages of a range must be announced in reading order.
    pub(crate) fn expect(&mut self, range: RangeId, page: u64) {
        self.ranges.entry(range).or_default().push_back(Entry::Pending(page));
    }

    /// The last page of a range was announced.
    pub(crate) fn end(&mut self, range: RangeId) -> Vec<Step> {
        self.ranges.entry(range).or_default().push_back(Entry::Ready(Step::End(range)));
        self.advance(range)
    }

    /// A page is finished. Returns the steps that now have no gap before them.
    pub(crate) fn finish(&mut self, number: u64, page: FinishedPage) -> Vec<Step> {
        let range = page.range;
        let entries = self.ranges.entry(range).or_default();
        let place = entries.iter_mut().find(|entry| matches!(entry, Entry::Pending(n) if *n == number));
        if let Some(place) = place {
            *place = Entry::Ready(Step::Page(Box::new(page)));
        }
        self.advance(range)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.values().all(VecDeque::is_empty)
    }

    fn advance(&mut self, range: RangeId) -> Vec<Step> {
        let Some(entries) = self.ranges.get_mut(&range) else { return Vec::new() };
        let mut steps = Vec::new();
        while matches!(entries.front(), Some(Entry::Ready(_))) {
            if let Some(Entry::Ready(step)) = entries.pop_front() {
                steps.push(step);
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;

    use super::*;
    use crate::item::Seen;
    use crate::load::tally::Tally;
    use crate::source::{Key, KeyPart, Position};

    fn page(range: usize, upto: i64) -> FinishedPage {
        FinishedPage {
            range: RangeId { entity: 0, range },
            position: Position::At(Key(vec![KeyPart::Integer(upto)])),
            tally: Tally::default(),
            rejections: Vec::new(),
            seen: Seen::default(),
            permit: Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap(),
        }
    }

    fn reached(steps: &[Step]) -> Vec<String> {
        let name = |step: &Step| match step {
            Step::Page(page) => match &page.position {
                Position::At(Key(parts)) => format!("{parts:?}"),
                other => format!("{other:?}"),
            },
            Step::End(_) => "end".to_owned(),
        };
        steps.iter().map(name).collect()
    }

    #[test]
    fn p01_a_later_page_waits_for_the_one_before_it() {
        let range = RangeId { entity: 0, range: 0 };
        let mut watermark = Watermark::default();
        (1..=3).for_each(|number| watermark.expect(range, number));
        assert!(watermark.end(range).is_empty());
        assert!(watermark.finish(3, page(0, 30)).is_empty());
        assert!(watermark.finish(2, page(0, 20)).is_empty());
        let steps = watermark.finish(1, page(0, 10));
        assert_eq!(reached(&steps), ["[Integer(10)]", "[Integer(20)]", "[Integer(30)]", "end"]);
        assert!(watermark.is_empty());
    }

    #[test]
    fn ranges_do_not_wait_for_each_other() {
        let mut watermark = Watermark::default();
        watermark.expect(RangeId { entity: 0, range: 0 }, 1);
        watermark.expect(RangeId { entity: 0, range: 1 }, 2);
        assert_eq!(watermark.finish(2, page(1, 5)).len(), 1);
        assert!(!watermark.is_empty());
    }
}
