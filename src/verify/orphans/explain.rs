//! Which items have a row: two sorted streams of hashes, side by side.

use std::io;

use super::sightings::{RowKey, Sighting, Spot};
use crate::keys::{Hash, Sorter};

/// What the comparison found.
#[derive(Debug)]
pub(super) struct Explained {
    /// Items, each counted once however often it was seen.
    pub(super) items: u64,
    /// All of what was seen.
    pub(super) sightings: u64,
    /// Items with a row's key.
    pub(super) explained: u64,
    /// Where the others stand.
    pub(super) others: Sorter<Spot>,
}

/// Bytes of places in memory.
const ROOM: usize = 8 << 20;

pub(super) fn explain(seen: Vec<Sorter<Sighting>>, rows: Vec<Sorter<RowKey>>) -> io::Result<Explained> {
    let mut found = Explained { items: 0, sightings: 0, explained: 0, others: Sorter::new(ROOM) };
    let mut rows = Sorter::join(rows)?;
    let mut row = rows.next().transpose()?;
    let mut before: Option<Hash> = None;
    for sighting in Sorter::join(seen)? {
        let Sighting { hash, spot } = sighting?;
        found.sightings += 1;
        if before.replace(hash) == Some(hash) {
            continue;
        }
        found.items += 1;
        while row.as_ref().is_some_and(|RowKey(row)| *row < hash) {
            row = rows.next().transpose()?;
        }
        match &row {
            Some(RowKey(row)) if *row == hash => found.explained += 1,
            _ => found.others.push(spot)?,
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::super::look::Names;
    use super::super::sightings::{Candidates, Sightings};
    use super::*;

    fn names() -> Arc<Names> {
        Arc::new(Names {
            partition_key: "PK".to_owned(),
            sort_key: Some("SK".to_owned()),
            entity_type: Some("kind".to_owned()),
        })
    }

    fn item(id: u64) -> Vec<u8> {
        let kind = if id.is_multiple_of(2) { format!(r#","kind":{{"S":"T{id}"}}"#) } else { String::new() };
        format!(r#"{{"PK":{{"S":"U#{id}"}},"SK":{{"N":"{id}"}}{kind}}}"#).into_bytes()
    }

    /// Items of `seen` without one of `rows`, by the three workers that saw them; with how many there are and
    /// how many are explained.
    fn others(seen: &[u64], rows: &[u64], room: usize) -> (u64, u64, Vec<u64>) {
        let mut workers: Vec<Sightings> =
            (0..3).map(|number| Sightings::new(number, names(), room).unwrap()).collect();
        for (at, id) in seen.iter().enumerate() {
            workers[at % 3].note(&item(*id)).unwrap();
        }
        let mut keys = vec![Sorter::new(room), Sorter::new(room)];
        for (at, id) in rows.iter().enumerate() {
            let item = item(*id);
            keys[at % 2].push(RowKey(names().look(&item).unwrap().hash().unwrap())).unwrap();
        }
        // Workers end in any order.
        let (sorters, logs) = workers.into_iter().rev().map(|worker| worker.finish().unwrap()).unzip();
        let found = explain(sorters, keys).unwrap();
        let candidates = Candidates::new(found.others, logs).unwrap().map(|candidate| {
            let candidate = candidate.unwrap();
            let text = String::from_utf8(candidate.partition_key).unwrap();
            let id: u64 = text.trim_start_matches("{\"S\":\"U#").trim_end_matches("\"}").parse().unwrap();
            assert_eq!(candidate.sort_key, Some(format!("{{\"N\":\"{id}\"}}").into_bytes()));
            assert_eq!(candidate.kind, id.is_multiple_of(2).then(|| format!("T{id}")));
            id
        });
        let mut candidates: Vec<u64> = candidates.collect();
        candidates.sort_unstable();
        (found.items, found.explained, candidates)
    }

    #[test]
    fn nothing_is_explained_by_nothing() {
        assert_eq!(others(&[], &[], 1 << 20), (0, 0, vec![]));
        assert_eq!(others(&[], &[1, 2], 1 << 20), (0, 0, vec![]));
        assert_eq!(others(&[2, 1], &[], 1 << 20), (2, 0, vec![1, 2]));
    }

    #[test]
    fn an_item_is_counted_once_and_a_row_may_come_twice() {
        assert_eq!(others(&[1, 2, 2, 3, 3], &[1, 1, 2], 1 << 20), (3, 2, vec![3]));
    }

    #[test]
    fn others_come_back_whole_however_little_memory_there_is() {
        let mut random = fastrand::Rng::with_seed(8);
        for room in [1 << 20, 2_000, 300] {
            let mut seen: Vec<u64> = (0..5_000).filter(|_| random.f64() < 0.6).collect();
            let rows: Vec<u64> = (0..5_000).filter(|_| random.f64() < 0.9).collect();
            random.shuffle(&mut seen);
            let (known, all): (BTreeSet<u64>, BTreeSet<u64>) =
                (rows.iter().copied().collect(), seen.iter().copied().collect());
            let missing: Vec<u64> = all.difference(&known).copied().collect();
            let (items, explained, found) = others(&seen, &rows, room);
            assert_eq!(found, missing);
            let all = usize::try_from(items).unwrap();
            assert_eq!((all, usize::try_from(explained).unwrap()), (seen.len(), all - missing.len()));
        }
    }
}
