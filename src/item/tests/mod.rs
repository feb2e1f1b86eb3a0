//! Shared by the tests of this folder: layouts, cells and items in few words.

mod attribute;
pub(crate) mod broken;
mod build;
mod decode;
mod escape;
mod fuzz;
mod json;
mod key;
mod number;
mod order;
mod random;
mod survey;
mod time;

use super::ItemPage;
use super::rejection::Rule;
use crate::mapping::{Format, KeyType, Nulls, Overflow, Step, ValueType};
use crate::plan::{
    AttributePlan, ColumnPlan, IndexSizing, KeyPlan, Layout, Membership, PartPlan, ReadSettings,
    TemplatePlan, ValuePlan,
};
use crate::source::{MysqlType, Page, PageBuilder, PgType, RawCell, RawType, SqliteType};

pub(super) fn settings() -> ReadSettings {
    ReadSettings { kind: None, format: None, zone: None, overflow: Overflow::Reject, nulls: Nulls::Omit }
}

pub(super) fn typed(kind: ValueType) -> ReadSettings {
    ReadSettings { kind: Some(kind), ..settings() }
}

pub(super) fn formatted(format: Format) -> ReadSettings {
    ReadSettings { format: Some(format), ..settings() }
}

pub(super) fn zoned(zone: &str) -> ReadSettings {
    ReadSettings { zone: Some(jiff::tz::TimeZone::get(zone).unwrap()), ..settings() }
}

pub(super) fn overflowing(overflow: Overflow) -> ReadSettings {
    ReadSettings { overflow, ..settings() }
}

pub(super) fn pg(kind: PgType) -> RawType {
    RawType::Postgres(kind)
}

pub(super) fn mysql(kind: MysqlType) -> RawType {
    RawType::Mysql(kind)
}

pub(super) fn sqlite(kind: SqliteType) -> RawType {
    RawType::Sqlite(kind)
}

pub(super) fn literal(text: &str) -> PartPlan {
    PartPlan::Literal(text.to_owned())
}

pub(super) fn column(column: usize, steps: &[Step]) -> PartPlan {
    column_with(column, steps, settings())
}

pub(super) fn column_with(column: usize, steps: &[Step], settings: ReadSettings) -> PartPlan {
    PartPlan::Value { column, steps: steps.to_vec(), settings }
}

pub(super) fn key(attribute: &str, parts: Vec<PartPlan>) -> KeyPlan {
    KeyPlan {
        attribute: attribute.to_owned(),
        kind: KeyType::S,
        template: TemplatePlan { parts },
        membership: Membership::default(),
    }
}

pub(super) fn attribute(name: &str, column: usize, settings: ReadSettings) -> AttributePlan {
    AttributePlan {
        name: name.to_owned(),
        value: ValuePlan::Column { column, settings },
        membership: Membership::default(),
        index_key: None,
    }
}

pub(super) fn index(name: &str, has_sort_key: bool, all: bool) -> IndexSizing {
    IndexSizing { name: name.to_owned(), has_sort_key, all }
}

/// Columns a, b, c … of these types; the key is the literal `K`, and there are no attributes.
pub(super) fn layout(types: &[RawType]) -> Layout {
    let columns = types
        .iter()
        .zip('a'..)
        .map(|(raw, name)| ColumnPlan { name: name.to_string(), raw: Some(raw.clone()) });
    Layout {
        columns: columns.collect(),
        source_key: vec![0],
        partition_key: key("PK", vec![literal("K")]),
        sort_key: None,
        attributes: Vec::new(),
        index_entries: Vec::new(),
        indexes: Vec::new(),
    }
}

pub(super) fn page(rows: &[&[RawCell<'_>]]) -> Page {
    let mut page = PageBuilder::new(rows.first().map_or(0, |row| row.len()));
    for cell in rows.iter().flat_map(|row| row.iter()) {
        page.push(*cell);
    }
    page.finish()
}

/// The wire of the only item, or the rule that rejected it.
pub(super) fn one(built: &ItemPage) -> Result<&str, Rule> {
    assert_eq!((built.rows, built.items.len() + built.rejections.len()), (1, 1), "{built:?}");
    match built.items.first() {
        Some(item) => Ok(std::str::from_utf8(built.wire(item)).unwrap()),
        None => {
            assert!(built.bytes.is_empty());
            Err(built.rejections[0].rule)
        }
    }
}

/// The attribute `v` of one cell: its wire form and billed size; `-` when it is left out.
pub(super) fn value(
    raw: &RawType,
    cell: RawCell<'_>,
    settings: &ReadSettings,
) -> Result<(String, usize), Rule> {
    let mut layout = layout(std::slice::from_ref(raw));
    layout.attributes.push(attribute("v", 0, settings.clone()));
    let built = super::build(&layout, &page(&[&[cell]]));
    let wire = one(&built)?;
    serde_json::from_str::<serde_json::Value>(wire).unwrap();
    let size = usize::try_from(built.items[0].size).unwrap() - "PKK".len();
    match wire.strip_prefix(r#"{"PK":{"S":"K"},"v":"#) {
        Some(rest) => Ok((rest[..rest.len() - 1].to_owned(), size - 1)),
        None => {
            assert_eq!((wire, size), (r#"{"PK":{"S":"K"}}"#, 0));
            Ok(("-".to_owned(), 0))
        }
    }
}

/// As [`value`], without the size.
pub(super) fn wire(raw: &RawType, cell: RawCell<'_>, settings: &ReadSettings) -> Result<String, Rule> {
    value(raw, cell, settings).map(|(wire, _)| wire)
}

pub(super) fn s(text: &str) -> Result<String, Rule> {
    Ok(format!(r#"{{"S":"{text}"}}"#))
}

pub(super) fn n(text: &str) -> Result<String, Rule> {
    Ok(format!(r#"{{"N":"{text}"}}"#))
}

/// PostgreSQL's binary numeric of plain decimal text.
pub(crate) fn pg_numeric(text: &str) -> Vec<u8> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole_groups = whole.len().div_ceil(4);
    let fraction_groups = fraction.len().div_ceil(4);
    let digits = format!("{whole:0>w$}{fraction:0<f$}", w = whole_groups * 4, f = fraction_groups * 4);
    let groups: Vec<u16> = digits
        .as_bytes()
        .chunks(4)
        .map(|g| std::str::from_utf8(g).unwrap().parse::<u16>().unwrap())
        .collect();
    let leading = groups.iter().take_while(|group| **group == 0).count();
    let trailing = groups[leading..].iter().rev().take_while(|group| **group == 0).count();
    let kept = &groups[leading..groups.len() - trailing];
    let weight = i16::try_from(whole_groups).unwrap() - 1 - i16::try_from(leading).unwrap();
    let mut bytes = u16::try_from(kept.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend(if kept.is_empty() { 0 } else { weight }.to_be_bytes());
    bytes.extend(if negative { 0x4000_u16 } else { 0 }.to_be_bytes());
    bytes.extend(u16::try_from(fraction.len()).unwrap().to_be_bytes());
    bytes.extend(kept.iter().flat_map(|group| group.to_be_bytes()));
    bytes
}

/// PostgreSQL's binary array.
pub(crate) fn pg_array(dimensions: &[(u32, i32)], elements: &[Option<&[u8]>]) -> Vec<u8> {
    let mut bytes = u32::try_from(dimensions.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend([0; 8]);
    for (length, bound) in dimensions {
        bytes.extend(length.to_be_bytes());
        bytes.extend(bound.to_be_bytes());
    }
    for element in elements {
        match element {
            None => bytes.extend((-1_i32).to_be_bytes()),
            Some(element) => {
                bytes.extend(u32::try_from(element.len()).unwrap().to_be_bytes());
                bytes.extend(*element);
            }
        }
    }
    bytes
}
