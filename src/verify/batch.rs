//! The rows of a page that are to be looked up, collected into requests.

use crate::item::ItemPage;

use super::lookup::KEYS_PER_REQUEST;
use super::sample::{Threshold, place};

/// A source key as text, for people: `[("order_id", "7")]`.
pub(super) type SourceKey = Vec<(String, String)>;

/// Expected bytes of one request at most, beyond one item: keeps the answer well under the service's
/// 16 MB and bounds what is in flight.
const BYTES_PER_REQUEST: usize = 4 << 20;

/// Where a row stands in its entity's order of source keys. Ranges tile that order and pages follow
/// each other, so that comparing places compares rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) range: usize,
    pub(super) page: u64,
    pub(super) row: usize,
}

/// An item that the target should hold.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) place: Place,
    pub(super) key: Vec<u8>,
    pub(super) wire: Vec<u8>,
    pub(super) source_key: SourceKey,
}

/// Rows of one entity to be looked up with one request.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) entity: usize,
    pub(super) rows: Vec<Wanted>,
}

/// Which rows of an entity are verified.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice<'a> {
    pub(super) entity: &'a str,
    pub(super) seed: u64,
    /// `None` takes all rows.
    pub(super) threshold: Option<Threshold>,
}

impl Choice<'_> {
    fn takes(&self, source_key: &[(String, String)]) -> bool {
        self.threshold.is_none_or(|threshold| threshold.takes(place(self.seed, self.entity, source_key)))
    }
}

/// The chosen rows that make an item. `page` is the place of the page's first row.
pub(super) fn wanted<'a>(
    built: &'a ItemPage,
    page: Place,
    choice: Choice<'a>,
    source_key: impl Fn(usize) -> SourceKey + 'a,
) -> impl Iterator<Item = Wanted> + 'a {
    built.items.iter().filter_map(move |item| {
        let source_key = source_key(item.row);
        choice.takes(&source_key).then(|| Wanted {
            place: Place { row: item.row, ..page },
            key: built.key(item).to_vec(),
            wire: built.wire(item).to_vec(),
            source_key,
        })
    })
}

/// The chosen rows that make none.
pub(super) fn rejected(built: &ItemPage, choice: Choice<'_>) -> usize {
    built.rejections.iter().filter(|rejection| choice.takes(&rejection.source_key)).count()
}

/// Collects the rows of one entity until a request is full.
#[derive(Debug)]
pub(super) struct Batcher {
    entity: usize,
    rows: Vec<Wanted>,
    bytes: usize,
}

impl Batcher {
    pub(super) fn new(entity: usize) -> Self {
        Self { entity, rows: Vec::new(), bytes: 0 }
    }

    /// Takes a row; gives back the batch that it completes or no longer fits into.
    pub(super) fn add(&mut self, row: Wanted) -> Option<Batch> {
        let overflows = !self.rows.is_empty() && self.bytes + row.wire.len() > BYTES_PER_REQUEST;
        let full = if overflows { self.rest() } else { None };
        self.bytes += row.wire.len();
        self.rows.push(row);
        if self.rows.len() >= KEYS_PER_REQUEST { self.rest() } else { full }
    }

    pub(super) fn rest(&mut self) -> Option<Batch> {
        self.bytes = 0;
        let rows = std::mem::take(&mut self.rows);
        (!rows.is_empty()).then_some(Batch { entity: self.entity, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::{Item, Rejection, Rule};

    fn row(bytes: usize) -> Wanted {
        Wanted { place: Place::default(), key: Vec::new(), wire: vec![b'x'; bytes], source_key: Vec::new() }
    }

    fn sizes(rows: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut batcher = Batcher::new(0);
        let mut batches: Vec<Batch> = rows.into_iter().filter_map(|bytes| batcher.add(row(bytes))).collect();
        batches.extend(batcher.rest());
        batches.iter().map(|batch| batch.rows.len()).collect()
    }

    #[test]
    fn a_request_holds_at_most_100_keys() {
        assert_eq!(sizes(vec![10; 250]), [100, 100, 50]);
        assert_eq!(sizes(vec![10; 100]), [100]);
        assert_eq!(sizes([]), [0; 0]);
    }

    #[test]
    fn large_items_make_small_requests_and_every_item_fits_one() {
        assert_eq!(sizes([3 << 20, 1 << 20, 1, 5 << 20, 1]), [2, 1, 1, 1]);
    }

    fn built() -> ItemPage {
        let rejection = |row| Rejection {
            row,
            rule: Rule::KeyNull,
            column: None,
            message: String::new(),
            source_key: source_key(row),
        };
        ItemPage {
            bytes: br#"{"PK":{"S":"a"},"n":{"N":"1"}}"#.to_vec(),
            items: (0..500).map(|row| Item { wire: 0..30, key: 1..15, size: 3, row }).collect(),
            rejections: (500..1000).map(rejection).collect(),
            rows: 1000,
            ..ItemPage::default()
        }
    }

    fn source_key(row: usize) -> SourceKey {
        vec![("id".to_owned(), row.to_string())]
    }

    #[test]
    fn without_a_sample_all_rows_are_wanted_with_their_bytes() {
        let (built, page) = (built(), Place { range: 2, page: 9, row: 0 });
        let choice = Choice { entity: "User", seed: 0, threshold: None };
        let rows: Vec<Wanted> = wanted(&built, page, choice, source_key).collect();
        assert_eq!((rows.len(), rejected(&built, choice)), (500, 500));
        assert_eq!(rows[7].key, br#""PK":{"S":"a"}"#);
        assert_eq!(rows[7].wire, br#"{"PK":{"S":"a"},"n":{"N":"1"}}"#);
        assert_eq!(rows[7].place, Place { range: 2, page: 9, row: 7 });
        assert_eq!(rows[7].source_key, source_key(7));
    }

    #[test]
    fn a_sample_chooses_among_items_and_rejections_alike() {
        let built = built();
        let threshold = "20%".parse::<super::super::Sample>().ok().map(super::super::Sample::threshold);
        let choice = Choice { entity: "User", seed: 5, threshold };
        let items = wanted(&built, Place::default(), choice, source_key).count();
        assert!((60..140).contains(&items), "{items}");
        assert!((60..140).contains(&rejected(&built, choice)));
    }
}
