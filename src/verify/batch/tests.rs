use super::*;
use crate::item::{Rejection, Rule};
use crate::plan::{ColumnPlan, KeyPlan, Membership, TemplatePlan};
use crate::source::{PageBuilder, RawCell, RawType, SqliteType};

/// A source key of one integer, `id`.
pub(in crate::verify) fn layout() -> Layout {
    Layout {
        columns: vec![ColumnPlan { name: "id".to_owned(), raw: Some(RawType::Sqlite(SqliteType::Any)) }],
        source_key: vec![0],
        partition_key: KeyPlan {
            attribute: "PK".to_owned(),
            kind: crate::mapping::KeyType::S,
            template: TemplatePlan { parts: Vec::new() },
            membership: Membership::default(),
        },
        sort_key: None,
        attributes: Vec::new(),
        index_entries: Vec::new(),
        indexes: Vec::new(),
    }
}

/// A page of rows with the given ids, keys and items.
pub(in crate::verify) fn held(entity: usize, rows: &[(usize, Vec<u8>, Vec<u8>)]) -> Arc<Held> {
    let (mut page, mut built) = (PageBuilder::new(1), ItemPage::default());
    for (row, (id, key, wire)) in rows.iter().enumerate() {
        page.push(RawCell::Integer(i64::try_from(*id).unwrap()));
        let start = built.bytes.len();
        built.bytes.extend_from_slice(wire);
        let whole = start..built.bytes.len();
        built.bytes.extend_from_slice(key);
        let key = whole.end..built.bytes.len();
        let size = u32::try_from(wire.len()).unwrap();
        built.items.push(Item { wire: whole, key, size, row });
    }
    built.rows = rows.len();
    let place = Place { range: 2, page: 9, row: 0 };
    Arc::new(Held { entity, place, layout: Arc::new(layout()), page: page.finish(), built })
}

fn sizes(rows: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let rows: Vec<_> =
        rows.into_iter().enumerate().map(|(id, bytes)| (id, Vec::new(), vec![b'x'; bytes])).collect();
    let batches = batches(&held(0, &rows), Choice { entity: "User", seed: 0, threshold: None });
    batches.iter().map(|batch| batch.items.len()).collect()
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

#[test]
fn read_units_are_rounded_up() {
    assert_eq!([0, 1, 4096, 4097, 400 << 10].map(read_units), [1, 1, 1, 2, 100]);
}

fn rejections() -> ItemPage {
    let rejection = |row: usize| Rejection {
        row,
        rule: Rule::KeyNull,
        column: None,
        message: String::new(),
        source_key: vec![("id".to_owned(), row.to_string())],
    };
    ItemPage { rejections: (500..1000).map(rejection).collect(), rows: 500, ..ItemPage::default() }
}

#[test]
fn without_a_sample_all_rows_are_wanted_with_their_bytes() {
    let key = br#""PK":{"S":"a"}"#.to_vec();
    let rows: Vec<_> = (0..500).map(|id| (id, key.clone(), br#"{"PK":{"S":"a"}}"#.to_vec())).collect();
    let choice = Choice { entity: "User", seed: 0, threshold: None };
    let batches = batches(&held(0, &rows), choice);
    let wanted: Vec<Wanted<'_>> = batches.iter().flat_map(Batch::wanted).collect();
    assert_eq!((wanted.len(), rejected(&rejections(), choice)), (500, 500));
    assert_eq!((wanted[7].key(), wanted[7].wire()), (&rows[7].1[..], &rows[7].2[..]));
    assert_eq!(wanted[7].place(), Place { range: 2, page: 9, row: 7 });
    assert_eq!(wanted[7].source_key(), [("id".to_owned(), "7".to_owned())]);
}

#[test]
fn a_sample_chooses_among_items_and_rejections_alike() {
    let rows: Vec<_> = (0..500).map(|id| (id, Vec::new(), Vec::new())).collect();
    let threshold = "20%".parse::<super::super::Sample>().ok().map(super::super::Sample::threshold);
    let choice = Choice { entity: "User", seed: 5, threshold };
    let batches = batches(&held(0, &rows), choice);
    let items: usize = batches.iter().map(|batch| batch.items.len()).sum();
    assert!((60..140).contains(&items), "{items}");
    assert!((60..140).contains(&rejected(&rejections(), choice)));
}
