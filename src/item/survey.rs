//! Counts what will surprise in the values of rows: for a dry run, beside the items, never in their way.
//! Counts only; no value leaves this module.

use std::collections::BTreeMap;

use crate::mapping::Overflow;
use crate::plan::{Layout, ReadSettings, Watch, Watched};
use crate::source::{Class, Page, RawCell, RawType};

use super::attribute::{Scratch, write};
use super::decode::{PgNumeric, decode};
use super::escape::holds_nul;
use super::json;
use super::reading::unswap;
use super::value::{Decimal, Value};
use super::{ItemPage, Rule};

/// Beyond it a float of 64 bits cannot tell a whole number from its neighbours.
const LARGEST_EXACT: u64 = 1 << 53;

/// As seconds the year 5138; as milliseconds it was 1973.
const LATEST_SECONDS: u64 = 100_000_000_000;

/// What is looked at in the rows of one entity.
#[derive(Debug)]
pub struct Survey {
    watches: Vec<Watch>,
}

/// What was counted so far, of one entity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// One per watch; none before the first page.
    counts: Vec<Count>,
    rejected: BTreeMap<(String, Rule), u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    /// That are not NULL.
    values: u64,
    hits: u64,
    /// Of UUIDs, those that swapping makes.
    swapped: u64,
}

/// Something about a column, and of how many rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    pub column: String,
    pub what: Notice,
    pub rows: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    Rejected(Rule),
    LargeNumber,
    /// Every tinyint(1) is 0 or 1.
    Flags,
    /// A tinyint(1) is something else.
    Numbers,
    /// Bytes that are UUIDs: of `rows` values so many as they stand, and so many swapped.
    UuidBytes {
        straight: u64,
        swapped: u64,
    },
    /// UUIDs that are none in the order in which they are read, and all are in the other.
    UuidOrder {
        swapped: bool,
    },
    Padding,
    LowerBound,
    NoMember,
    EqualNames,
    Nul,
    Overflow(Overflow),
    KeyBlanks,
    Milliseconds,
    /// SQLite: neither the class that the column declares nor one that it is as good as.
    OtherType,
}

impl Survey {
    pub fn new(watches: Vec<Watch>) -> Self {
        Self { watches }
    }

    /// Counts in the rows of a page, and by column what they were rejected for.
    pub fn look(&self, layout: &Layout, page: &Page, built: &ItemPage) -> Seen {
        let mut scratch = Scratch::default();
        let counts =
            self.watches.iter().map(|watch| count(watch, layout, page, built, &mut scratch)).collect();
        let mut rejected = BTreeMap::new();
        for rejection in &built.rejections {
            if let Some(column) = &rejection.column {
                *rejected.entry((column.clone(), rejection.rule)).or_default() += 1;
            }
        }
        Seen { counts, rejected }
    }

    /// What is worth telling of the counts: rejections first, then by column.
    pub fn noticed(&self, layout: &Layout, seen: &Seen) -> Vec<Noticed> {
        let rejected = seen.rejected.iter().map(|((column, rule), rows)| Noticed {
            column: column.clone(),
            what: Notice::Rejected(*rule),
            rows: *rows,
        });
        let watched = self.watches.iter().zip(&seen.counts).filter_map(|(watch, count)| {
            let (what, rows) = notice(&watch.what, *count)?;
            let column = layout.columns.get(watch.column)?.name.clone();
            Some(Noticed { column, what, rows })
        });
        rejected.chain(watched).collect()
    }
}

impl Seen {
    pub fn merge(&mut self, other: &Seen) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), Count::default());
        }
        for (sum, more) in self.counts.iter_mut().zip(&other.counts) {
            sum.values += more.values;
            sum.hits += more.hits;
            sum.swapped += more.swapped;
        }
        for (what, rows) in &other.rejected {
            *self.rejected.entry(what.clone()).or_default() += rows;
        }
    }
}

fn count(watch: &Watch, layout: &Layout, page: &Page, built: &ItemPage, scratch: &mut Scratch) -> Count {
    let Some(raw) = layout.columns.get(watch.column).and_then(|column| column.raw.as_ref()) else {
        return Count::default();
    };
    if watch.what == Watched::EqualNames {
        return equal_names(watch.column, raw, page, built, scratch);
    }
    let mut count = Count::default();
    for cell in page.iter().map(|row| row.cell(watch.column)) {
        if !matches!(cell, RawCell::Null) {
            count.values += 1;
            count.hits += u64::from(is_hit(&watch.what, cell, raw, scratch));
            count.swapped += u64::from(is_swapped(&watch.what, cell));
        }
    }
    count
}

/// What the bytes alone tell is not decoded again.
fn is_hit(what: &Watched, cell: RawCell<'_>, raw: &RawType, scratch: &mut Scratch) -> bool {
    match (what, cell) {
        (Watched::Padding, cell) => matches!(cell, RawCell::Bytes([.., b' '])),
        (Watched::NoMember, cell) => matches!(cell, RawCell::Bytes([])),
        (Watched::UuidOrder { .. }, RawCell::Bytes(bytes) | RawCell::Blob(bytes)) => is_uuid(bytes),
        (Watched::Nul, RawCell::Bytes(bytes) | RawCell::Text(bytes)) if raw.class() == Class::Json => {
            bytes.contains(&b'\\') && holds_nul(bytes)
        }
        (Watched::Nul, RawCell::Bytes(bytes) | RawCell::Text(bytes)) => bytes.contains(&0),
        (Watched::Nul, _) => false,
        (Watched::OtherType { declared }, cell) if is_declared(*declared, cell) => false,
        // What cannot be read is rejected by name.
        (what, cell) => decode(cell, raw).is_ok_and(|value| is_noticed(what, &value, scratch)),
    }
}

fn is_noticed(what: &Watched, value: &Value<'_>, scratch: &mut Scratch) -> bool {
    match (what, value) {
        (Watched::LargeNumber, value) => is_large(value),
        (Watched::Flag, value) => !matches!(value, Value::Int(0 | 1) | Value::UInt(0 | 1)),
        (Watched::LowerBound, Value::Array(array)) => !array.begins_at_one(),
        (Watched::Overflow { strict, .. }, value) => overflows(value, strict, scratch),
        (Watched::Milliseconds, Value::Int(value)) => value.unsigned_abs() > LATEST_SECONDS,
        (Watched::Milliseconds, Value::UInt(value)) => *value > LATEST_SECONDS,
        (Watched::Milliseconds, Value::Decimal(decimal)) => decimal.number().is_ok_and(|number| {
            let (_, point) = number.parts();
            // Twelve digits and more are beyond it.
            point > 11
        }),
        (Watched::KeyBlanks, Value::Text(text)) => text.trim().len() != text.len(),
        (Watched::OtherType { declared }, value) => is_other(*declared, value),
        _ => false,
    }
}

/// What the storage class alone tells. A document that is a number is stored as one.
fn is_declared(declared: Class, cell: RawCell<'_>) -> bool {
    match cell {
        RawCell::Integer(_) | RawCell::Real(_) => {
            matches!(declared, Class::Integer | Class::Decimal | Class::Float | Class::Json)
        }
        RawCell::Text(_) => matches!(declared, Class::Text | Class::Json),
        RawCell::Blob(_) => declared == Class::Bytes,
        RawCell::Null | RawCell::Bytes(_) => true,
    }
}

/// Whether a value could not be read as the declared type.
fn is_other(declared: Class, value: &Value<'_>) -> bool {
    !matches!(
        (declared, value),
        (Class::Decimal, Value::Decimal(_))
            | (Class::Boolean, Value::Bool(_))
            | (Class::Date, Value::Date(_))
            | (Class::Time, Value::Time(_))
            | (Class::Timestamp, Value::Timestamp(_))
            | (Class::Uuid, Value::Uuid(_))
    )
}

/// Of the documents that are written. Most pages have none such, which the builder has told.
fn equal_names(column: usize, raw: &RawType, page: &Page, built: &ItemPage, scratch: &mut Scratch) -> Count {
    let mut count = Count::default();
    if built.equal_names > 0 {
        for row in built.items.iter().filter_map(|item| page.row(item.row)) {
            if let Ok(Value::Json(text)) = decode(row.cell(column), raw) {
                count.values += 1;
                count.hits += u64::from(has_equal_names(text, scratch));
            }
        }
    }
    count
}

/// Floats are left out: whoever reads them as floats gets what the source had. So is what is no number
/// of DynamoDB.
fn is_large(value: &Value<'_>) -> bool {
    match value {
        Value::Int(value) => value.unsigned_abs() > LARGEST_EXACT,
        Value::UInt(value) => *value > LARGEST_EXACT,
        Value::Decimal(decimal) => {
            let large = match decimal {
                Decimal::Groups(numeric) => is_large_numeric(numeric),
                Decimal::Text(text) => is_large_text(text),
                Decimal::NaN | Decimal::Infinity { .. } => false,
            };
            large && decimal.number().is_ok()
        }
        Value::Array(array) => {
            let mut elements = array.elements();
            let mut next = || elements.next().ok().flatten();
            std::iter::from_fn(&mut next).any(|element| is_large(&element))
        }
        _ => false,
    }
}

/// Four groups are at most 16 digits.
fn is_large_numeric(numeric: &PgNumeric<'_>) -> bool {
    let Ok(whole @ 3..) = usize::try_from(numeric.weight) else { return false };
    if whole > 5 {
        return true;
    }
    let groups = numeric.groups().chain(std::iter::repeat(0)).take(whole + 1);
    groups.fold(0_u128, |sum, group| sum * 10_000 + u128::from(group)) > u128::from(LARGEST_EXACT)
}

fn is_large_text(text: &str) -> bool {
    let whole = text.trim_start_matches(['-', '+']).split('.').next().unwrap_or_default();
    let whole = whole.trim_start_matches('0');
    match whole.len() {
        0..=15 => false,
        16..=20 => whole.parse::<u128>().is_ok_and(|whole| whole > u128::from(LARGEST_EXACT)),
        _ => whole.bytes().all(|digit| digit.is_ascii_digit()),
    }
}

/// A version that exists and the variant that everybody uses, or the nil UUID.
fn is_uuid(bytes: &[u8]) -> bool {
    let Ok(uuid) = <[u8; 16]>::try_from(bytes) else { return false };
    let [_, _, _, _, _, _, version, _, variant, ..] = uuid;
    uuid == [0; 16] || ((1..=8).contains(&(version >> 4)) && variant & 0xC0 == 0x80)
}

fn is_swapped(what: &Watched, cell: RawCell<'_>) -> bool {
    match (what, cell) {
        (Watched::UuidOrder { .. }, RawCell::Bytes(bytes) | RawCell::Blob(bytes)) => {
            <[u8; 16]>::try_from(bytes).is_ok_and(|uuid| is_uuid(&unswap(uuid)))
        }
        _ => false,
    }
}

fn has_equal_names(text: &str, scratch: &mut Scratch) -> bool {
    let before = scratch.json.equal_names;
    scratch.text.clear();
    // A document that is none is rejected by name.
    let _ = json::write(text, Overflow::String, &mut scratch.json, &mut scratch.text);
    scratch.json.equal_names > before
}

/// As the builder finds it, with nothing to take the value's place.
fn overflows(value: &Value<'_>, strict: &ReadSettings, scratch: &mut Scratch) -> bool {
    let mut out = std::mem::take(&mut scratch.template);
    out.clear();
    let written = write(value, strict, scratch, &mut out);
    scratch.template = out;
    written.is_err_and(|violation| violation.rule.is_overflow())
}

/// How many of ten values speak for a reading, at least.
const CONVINCING: u64 = 9;

/// What a watch's count says, and of how many rows; `None` where there is nothing to tell.
fn notice(what: &Watched, count: Count) -> Option<(Notice, u64)> {
    let Count { values, hits, .. } = count;
    let found = |notice: Notice| (hits > 0).then_some((notice, hits));
    match what {
        Watched::LargeNumber => found(Notice::LargeNumber),
        Watched::Flag if hits == 0 => (values > 0).then_some((Notice::Flags, values)),
        Watched::Flag => found(Notice::Numbers),
        Watched::UuidOrder { swapped: reading } => uuids(*reading, count),
        Watched::Padding => found(Notice::Padding),
        Watched::LowerBound => found(Notice::LowerBound),
        Watched::NoMember => found(Notice::NoMember),
        Watched::EqualNames => found(Notice::EqualNames),
        Watched::Nul => found(Notice::Nul),
        Watched::Overflow { overflow, .. } => found(Notice::Overflow(*overflow)),
        Watched::KeyBlanks => found(Notice::KeyBlanks),
        Watched::Milliseconds => found(Notice::Milliseconds),
        Watched::OtherType { .. } => found(Notice::OtherType),
    }
}

/// Random bytes are a UUID in one of eight cases, a random UUID is one swapped in half of them.
fn uuids(reading: Option<bool>, count: Count) -> Option<(Notice, u64)> {
    let Count { values, hits: straight, swapped } = count;
    let convinces = |fitting: u64| values > 0 && fitting * 10 >= values * CONVINCING;
    match reading {
        None => {
            let notice = Notice::UuidBytes { straight, swapped };
            (convinces(straight) || convinces(swapped)).then_some((notice, values))
        }
        Some(false) => (straight < swapped && convinces(swapped))
            .then_some((Notice::UuidOrder { swapped: true }, values - straight)),
        Some(true) => (swapped < straight && convinces(straight))
            .then_some((Notice::UuidOrder { swapped: false }, values - swapped)),
    }
}
