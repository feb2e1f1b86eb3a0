//! Cuts an entity into ranges of its key. All comparisons are the server's.

use super::{Bounds, Key, Reader, Select, SourceError};

pub(super) async fn cut(
    reader: &mut Reader,
    select: &Select,
    pieces: u64,
    estimate: Option<u64>,
) -> Result<Vec<Bounds>, SourceError> {
    let page = reader.page_rows.max(1);
    let whole = Bounds::default();
    if pieces <= 1 || reader.key_at(select, &whole, page.saturating_mul(2)).await?.is_none() {
        return Ok(vec![whole]);
    }
    let mut cuts = Cuts { keys: Vec::new(), step: (estimate.unwrap_or(0) / pieces).max(page), pieces };
    let mut after = None;
    while let Some(key) = reader.key_at(select, &Bounds { after, up_to: None }, cuts.step).await? {
        after = Some(key.clone());
        cuts.push(key);
    }
    Ok(tiles(cuts.keys))
}

/// Keys at equal distances; when there are too many, every other one is dropped.
struct Cuts {
    keys: Vec<Key>,
    step: u64,
    pieces: u64,
}

impl Cuts {
    fn push(&mut self, key: Key) {
        self.keys.push(key);
        let most = self.pieces.saturating_mul(2);
        if u64::try_from(self.keys.len()).is_ok_and(|count| count < most) {
            return;
        }
        let mut number = 0_u64;
        self.keys.retain(|_| {
            number += 1;
            number.is_multiple_of(2)
        });
        self.step = self.step.saturating_mul(2);
    }
}

fn tiles(cuts: Vec<Key>) -> Vec<Bounds> {
    let mut after = None;
    let mut ranges = Vec::with_capacity(cuts.len() + 1);
    for key in cuts {
        ranges.push(Bounds { after: after.replace(key.clone()), up_to: Some(key) });
    }
    ranges.push(Bounds { after, up_to: None });
    ranges
}
