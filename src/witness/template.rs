//! Templates and keys, rendered from what the server says.

use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use crate::mapping::{KeyType, Nulls, Overflow, Step, ValueType};
use crate::plan::{KeyPlan, PartPlan, ReadSettings, TemplatePlan};

use super::Wrong;
use super::expected::{attribute, base64, canonical, hex, instant, meant, null, strftime, text};
use super::number::Decimal;
use super::told::Told;

/// What the server says of each column; `None` where that is not known.
pub(super) type Row = [Option<Told>];

/// The value of a key attribute. `Absent` where a part is NULL or empty.
pub(super) fn key(plan: &KeyPlan, row: &Row) -> Result<Json, Wrong> {
    if let (KeyType::N | KeyType::B, [PartPlan::Value { column, steps, settings }]) =
        (plan.kind, plan.template.parts.as_slice())
        && steps.is_empty()
    {
        let settings = ReadSettings { overflow: Overflow::Reject, nulls: Nulls::Omit, ..settings.clone() };
        return attribute(cell(row, *column)?, &settings);
    }
    let text = render(&plan.template, row, true)?;
    match plan.kind {
        KeyType::S => Ok(json!({"S": text})),
        KeyType::N => Ok(json!({"N": canonical(&text)?})),
        KeyType::B => Ok(json!({"B": base64(text.as_bytes())})),
    }
}

/// The value of an attribute that is a template.
pub(super) fn templated(template: &TemplatePlan, settings: &ReadSettings, row: &Row) -> Result<Json, Wrong> {
    match render(template, row, false) {
        Ok(text) => attribute(&Told::Text(text), settings),
        Err(Wrong::Absent) => null(settings.nulls),
        Err(Wrong::Overflow) => match settings.overflow {
            Overflow::Reject => Err(Wrong::Refused),
            Overflow::Omit => Err(Wrong::Absent),
            Overflow::Null => Ok(json!({"NULL": true})),
            Overflow::String => Err(Wrong::Unknown),
        },
        Err(wrong) => Err(wrong),
    }
}

fn render(template: &TemplatePlan, row: &Row, in_key: bool) -> Result<String, Wrong> {
    let mut rendered = String::new();
    for part in &template.parts {
        match part {
            PartPlan::Literal(literal) => rendered += literal,
            PartPlan::Value { column, steps, settings } => {
                let told = cell(row, *column)?;
                if *told == Told::Null {
                    return Err(Wrong::Absent);
                }
                let text = placeholder(told, steps, settings, in_key)?;
                if text.is_empty() && in_key {
                    return Err(Wrong::Absent);
                }
                rendered += &text;
            }
        }
    }
    Ok(rendered)
}

fn cell(row: &Row, column: usize) -> Result<&Told, Wrong> {
    row.get(column).and_then(Option::as_ref).ok_or(Wrong::Unknown)
}

fn placeholder(told: &Told, steps: &[Step], settings: &ReadSettings, in_key: bool) -> Result<String, Wrong> {
    let (mut rendered, steps) = match (steps, told) {
        ([Step::Strftime(format), rest @ ..], _) => (strftime(told, format, settings)?, rest),
        ([Step::Epoch, rest @ ..], _) => (instant(told, settings)?.epoch(1_000_000_000), rest),
        ([Step::EpochMillis, rest @ ..], _) => (instant(told, settings)?.epoch(1_000_000), rest),
        ([Step::Hex, rest @ ..], Told::Bytes(bytes)) => (hex(bytes), rest),
        ([Step::Sortable, rest @ ..], Told::Float(digits)) => (sortable(&exactly(digits)?)?, rest),
        ([Step::Sortable, ..], Told::Text(_)) if settings.kind != Some(ValueType::N) => {
            return Err(Wrong::Refused);
        }
        _ => (text(&meant(told, settings.kind, settings)?, settings, in_key)?, steps),
    };
    for step in steps {
        rendered = match step {
            _ if rendered.is_empty() && in_key => return Err(Wrong::Absent),
            Step::Lower => rendered.to_lowercase(),
            Step::Upper => rendered.to_uppercase(),
            Step::Trim => rendered.trim().to_owned(),
            Step::Escape => rendered.replace('%', "%25").replace('#', "%23"),
            Step::Hex => hex(rendered.as_bytes()),
            Step::Sortable => sortable(&rendered)?,
            Step::Pad(width) if rendered.len() <= *width && rendered.chars().all(|c| c.is_ascii_digit()) => {
                format!("{rendered:0>width$}")
            }
            Step::Pad(_) | Step::Strftime(_) | Step::Epoch | Step::EpochMillis => return Err(Wrong::Refused),
            Step::Shard(count) => shard(&rendered, *count)?,
        };
    }
    Ok(rendered)
}

/// Where integers of 64 bits may be neighbours, a float counts with all its digits.
fn exactly(shortest: &str) -> Result<String, Wrong> {
    let value: f64 = shortest.parse().map_err(|_| Wrong::Unknown)?;
    let neighbours = (2_f64.powi(53)..2_f64.powi(63)).contains(&value.abs());
    Ok(if neighbours { format!("{value:.0}") } else { shortest.to_owned() })
}

fn sortable(number: &str) -> Result<String, Wrong> {
    canonical(number)?;
    Decimal::read(number).ok_or(Wrong::Refused)?.sortable().ok_or(Wrong::Unknown)
}

fn shard(text: &str, count: u32) -> Result<String, Wrong> {
    let digest = Sha256::digest(text);
    let head = digest.first_chunk::<4>().ok_or(Wrong::Unknown)?;
    Ok((u32::from_be_bytes(*head) % count.max(1)).to_string())
}
