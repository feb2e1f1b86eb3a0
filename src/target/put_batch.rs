//! What one BatchWriteItem puts: items in their wire form, one behind the other.

use std::ops::Range;

/// Bytes around an item in a request, comma included.
pub const FRAME: usize = OPEN.len() + CLOSE.len() + 1;

const OPEN: &[u8] = br#"{"PutRequest":{"Item":"#;
const CLOSE: &[u8] = b"}}";

/// Items of one batch are mostly alike: memory for 25 of them at once, unless they are large.
const LARGEST_GUESS: usize = 64 << 10;

/// A request of 1 to 25 items with different keys.
#[derive(Debug, Clone, Default)]
pub struct PutBatch {
    requests: Vec<u8>,
    places: Vec<Place>,
}

/// Where an item stands in the requests.
#[derive(Debug, Clone)]
struct Place {
    request: Range<usize>,
    key: Range<usize>,
}

impl PutBatch {
    /// Appends an item; `key` is the place of its key in `wire`, as [`crate::item::Item::key`] has it.
    pub fn push(&mut self, wire: &[u8], key: Range<usize>) {
        match self.is_empty() {
            true => self.requests.reserve((wire.len() + FRAME).saturating_mul(25).min(LARGEST_GUESS)),
            false => self.requests.push(b','),
        }
        let start = self.requests.len();
        let item = start + OPEN.len();
        self.requests.extend_from_slice(OPEN);
        self.requests.extend_from_slice(wire);
        self.requests.extend_from_slice(CLOSE);
        let key = item + key.start..item + key.end;
        self.places.push(Place { request: start..self.requests.len(), key });
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// `{"PutRequest":{"Item":{…}}}` of each item, comma-separated: what stands between the brackets of
    /// `RequestItems`.
    pub fn requests(&self) -> &[u8] {
        &self.requests
    }

    /// Each item's key.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.places.iter().map(|place| self.requests.get(place.key.clone()).unwrap_or_default())
    }

    /// The items at `positions`, for another attempt.
    pub fn subset(&self, positions: impl IntoIterator<Item = usize>) -> PutBatch {
        let mut rest = PutBatch::default();
        for Place { request, key } in positions.into_iter().filter_map(|position| self.places.get(position)) {
            let item = request.start + OPEN.len();
            let wire = self.requests.get(item..request.end - CLOSE.len()).unwrap_or_default();
            rest.push(wire, key.start - item..key.end - item);
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(items: u8) -> PutBatch {
        let mut batch = PutBatch::default();
        for item in 0..items {
            let wire = format!(r#"{{"n":{item},"more":true}}"#);
            batch.push(wire.as_bytes(), 1..wire.find(',').unwrap());
        }
        batch
    }

    #[test]
    fn requests_are_valid_json_between_brackets() {
        for items in 0..=25 {
            let text = format!("[{}]", str::from_utf8(batch(items).requests()).unwrap());
            let parsed: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
            assert_eq!(parsed.len(), usize::from(items));
        }
    }

    #[test]
    fn a_frame_is_what_stands_around_an_item() {
        let (one, two) = (batch(1), batch(2));
        assert_eq!(two.requests().len() - one.requests().len(), FRAME + r#"{"n":1,"more":true}"#.len());
    }

    #[test]
    fn a_subset_keeps_items_and_keys_together() {
        let rest = batch(5).subset([4, 1]);
        assert_eq!(
            str::from_utf8(rest.requests()).unwrap(),
            r#"{"PutRequest":{"Item":{"n":4,"more":true}}},{"PutRequest":{"Item":{"n":1,"more":true}}}"#
        );
        assert_eq!(rest.keys().collect::<Vec<_>>(), [br#""n":4"#, br#""n":1"#]);
        assert!(batch(2).subset([7]).is_empty());
    }
}
