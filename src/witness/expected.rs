//! What an attribute must be, given what the server says: the rules of docs/types.md once more, slowly.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jiff::civil::Date;
use serde_json::{Value as Json, json};

use crate::mapping::{Format, Nulls, Overflow, ValueType};
use crate::plan::ReadSettings;

use super::Wrong;
use super::document::document;
use super::moment::Instant;
use super::number::Decimal;
use super::told::Told;

/// The attribute value that a told value becomes.
pub(super) fn attribute(told: &Told, settings: &ReadSettings) -> Result<Json, Wrong> {
    if *told == Told::Null {
        return null(settings.nulls);
    }
    match strict(told, settings) {
        Err(Wrong::Overflow) => match settings.overflow {
            Overflow::Reject => Err(Wrong::Refused),
            Overflow::Omit => Err(Wrong::Absent),
            Overflow::Null => Ok(json!({"NULL": true})),
            Overflow::String => Ok(json!({"S": exact(told)?})),
        },
        result => result,
    }
}

pub(super) fn null(nulls: Nulls) -> Result<Json, Wrong> {
    match nulls {
        Nulls::Omit => Err(Wrong::Absent),
        Nulls::Null => Ok(json!({"NULL": true})),
    }
}

fn strict(told: &Told, settings: &ReadSettings) -> Result<Json, Wrong> {
    match (told, settings.kind) {
        (Told::List(_) | Told::Members(_), kind) => list(told, kind, settings),
        (_, Some(ValueType::List)) => match natural(&meant(told, None, settings)?, 0, settings)? {
            list if list.get("L").is_some() => Ok(list),
            _ => Err(Wrong::Refused),
        },
        (_, Some(ValueType::StringSet | ValueType::NumberSet | ValueType::BinarySet)) => Err(Wrong::Refused),
        (_, kind) => {
            let meant = meant(told, kind, settings)?;
            match kind {
                Some(ValueType::S) => Ok(json!({"S": text(&meant, settings, false)?})),
                Some(ValueType::B) => Ok(json!({"B": base64(&bytes(&meant)?)})),
                _ => natural(&meant, 0, settings),
            }
        }
    }
}

/// The value that `format` and `type` mean.
pub(super) fn meant(told: &Told, kind: Option<ValueType>, settings: &ReadSettings) -> Result<Told, Wrong> {
    let told = match &settings.format {
        _ if *told == Told::Null => return Ok(Told::Null),
        // A text where a moment must be: its zone cannot be applied.
        _ if settings.zone.is_some() && matches!(told, Told::Text(_)) => return Err(Wrong::Refused),
        None => told.clone(),
        Some(Format::Epoch) => Told::Number(instant(told, settings)?.epoch(1_000_000_000)),
        Some(Format::EpochMillis) => Told::Number(instant(told, settings)?.epoch(1_000_000)),
        Some(Format::Strftime(format)) => return strftime(told, format, settings).map(Told::Text),
    };
    match kind {
        Some(ValueType::N) => number(told),
        Some(ValueType::Bool) => boolean(&told).map(Told::Bool),
        Some(ValueType::Uuid) => uuid(told),
        Some(ValueType::UuidSwapped) => match told {
            Told::Bytes(bytes) => uuid(Told::Bytes(unswapped(&bytes)?)),
            _ => Err(Wrong::Refused),
        },
        _ => Ok(told),
    }
}

/// The form of a value's own type, within so many lists.
fn natural(told: &Told, around: usize, settings: &ReadSettings) -> Result<Json, Wrong> {
    match told {
        Told::Null => Ok(json!({"NULL": true})),
        Told::Bool(value) => Ok(json!({"BOOL": value})),
        Told::Number(digits) | Told::Float(digits) => Ok(json!({"N": canonical(digits)?})),
        Told::Bytes(bytes) => Ok(json!({"B": base64(bytes)})),
        Told::Json(text) => document(text, around, settings.overflow),
        Told::List(_) | Told::Members(_) => list(told, None, settings),
        _ => Ok(json!({"S": text(told, settings, false)?})),
    }
}

fn list(told: &Told, kind: Option<ValueType>, settings: &ReadSettings) -> Result<Json, Wrong> {
    match (kind, told) {
        (None | Some(ValueType::List), Told::List(members)) => {
            let members: Result<Vec<Json>, Wrong> =
                members.iter().map(|member| element(member, 1, settings)).collect();
            Ok(json!({"L": members?}))
        }
        (None | Some(ValueType::List), Told::Members(members)) => {
            Ok(json!({"L": members.iter().map(|member| json!({"S": member})).collect::<Vec<_>>()}))
        }
        (Some(ValueType::S), Told::Members(members)) => Ok(json!({"S": members.join(",")})),
        (Some(ValueType::StringSet), _) => set("SS", told, settings),
        (Some(ValueType::NumberSet), _) => set("NS", told, settings),
        (Some(ValueType::BinarySet), _) => set("BS", told, settings),
        _ => Err(Wrong::Refused),
    }
}

/// What overflows in a list keeps its place.
fn element(told: &Told, around: usize, settings: &ReadSettings) -> Result<Json, Wrong> {
    if let Told::List(members) = told {
        let members = members.iter().map(|member| element(member, around + 1, settings));
        return Ok(json!({"L": members.collect::<Result<Vec<Json>, Wrong>>()?}));
    }
    match meant(told, None, settings).and_then(|meant| natural(&meant, around, settings)) {
        Err(Wrong::Overflow) => match settings.overflow {
            Overflow::Reject => Err(Wrong::Overflow),
            Overflow::Omit | Overflow::Null => Ok(json!({"NULL": true})),
            Overflow::String => Ok(json!({"S": exact(told)?})),
        },
        result => result,
    }
}

fn set(name: &str, told: &Told, settings: &ReadSettings) -> Result<Json, Wrong> {
    let members: Vec<Told> = match told {
        Told::List(members) => members.clone(),
        Told::Members(members) => members.iter().cloned().map(Told::Text).collect(),
        _ => return Err(Wrong::Refused),
    };
    let mut written: Vec<String> = Vec::new();
    for told in members {
        if matches!(told, Told::Null | Told::List(_)) {
            return Err(Wrong::Refused);
        }
        match member(name, &told, settings) {
            Ok(text) if written.contains(&text) => return Err(Wrong::Refused),
            Ok(text) => written.push(text),
            Err(Wrong::Overflow) if settings.overflow == Overflow::Omit => {}
            Err(Wrong::Overflow) => return Err(Wrong::Refused),
            Err(wrong) => return Err(wrong),
        }
    }
    if written.is_empty() {
        return Err(Wrong::Absent);
    }
    Ok(json!({name: written}))
}

fn member(set: &str, told: &Told, settings: &ReadSettings) -> Result<String, Wrong> {
    let kind = match set {
        "NS" => ValueType::N,
        "SS" => ValueType::S,
        _ => ValueType::B,
    };
    let meant = meant(told, Some(kind), settings)?;
    match (kind, &meant) {
        (ValueType::N, Told::Number(digits) | Told::Float(digits)) => canonical(digits),
        (ValueType::S, _) => text(&meant, settings, false),
        (ValueType::B, _) => bytes(&meant).map(|bytes| base64(&bytes)),
        _ => Err(Wrong::Refused),
    }
}

fn number(told: Told) -> Result<Told, Wrong> {
    match told {
        Told::Number(_) | Told::Float(_) => Ok(told),
        Told::Bool(value) => Ok(Told::Number(if value { "1" } else { "0" }.to_owned())),
        Told::Text(text) => Ok(Told::Number(text)),
        Told::Json(text) => Ok(Told::Number(text.trim_ascii().to_owned())),
        _ => Err(Wrong::Refused),
    }
}

fn boolean(told: &Told) -> Result<bool, Wrong> {
    let digits = match told {
        Told::Bool(value) => return Ok(*value),
        Told::Text(text) => match text.as_str() {
            "0" | "false" => return Ok(false),
            "1" | "true" => return Ok(true),
            _ => return Err(Wrong::Refused),
        },
        Told::Number(digits) => canonical(digits)?,
        _ => return Err(Wrong::Refused),
    };
    match digits.as_str() {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(Wrong::Refused),
    }
}

fn uuid(told: Told) -> Result<Told, Wrong> {
    match told {
        Told::Uuid(_) => Ok(told),
        Told::Bytes(bytes) if bytes.len() == 16 => {
            let digits = hex(&bytes);
            let groups = [0..8, 8..12, 12..16, 16..20, 20..32].map(|group| digits.get(group).unwrap_or(""));
            Ok(Told::Uuid(groups.join("-")))
        }
        Told::Text(text) if text.len() == 36 => Ok(Told::Uuid(text.to_ascii_lowercase())),
        _ => Err(Wrong::Refused),
    }
}

/// MySQL's `BIN_TO_UUID(x, 1)`: the time's high part stands first in the stored bytes.
fn unswapped(stored: &[u8]) -> Result<Vec<u8>, Wrong> {
    let part = |from: usize, to: usize| stored.get(from..to).ok_or(Wrong::Refused);
    Ok([part(4, 8)?, part(2, 4)?, part(0, 2)?, part(8, 16)?].concat())
}

/// The text of a value; in a key only of types that have one there.
pub(super) fn text(told: &Told, settings: &ReadSettings, in_key: bool) -> Result<String, Wrong> {
    Ok(match told {
        Told::Null => String::new(),
        Told::Bool(value) => value.to_string(),
        Told::Text(text) | Told::Uuid(text) | Told::Time(text) => text.clone(),
        Told::Number(digits) => match canonical(digits) {
            Err(Wrong::Overflow) if !in_key || settings.kind == Some(ValueType::S) => exact(told)?,
            canonical => canonical?,
        },
        Told::Float(_) | Told::Json(_) | Told::Bytes(_) | Told::Members(_) if in_key => {
            return Err(Wrong::Refused);
        }
        Told::Float(digits) => match canonical(digits) {
            Err(Wrong::Overflow) => exact(told)?,
            canonical => canonical?,
        },
        Told::Json(text) => text.clone(),
        Told::Members(members) => members.join(","),
        Told::Date(moment) => moment.date()?.to_string(),
        Told::Timestamp(moment) => moment.instant(settings.zone.as_ref())?.iso(moment.precision),
        Told::Bytes(bytes) => String::from_utf8(bytes.clone()).map_err(|_| Wrong::Refused)?,
        Told::List(_) => return Err(Wrong::Refused),
    })
}

/// The text of a value that DynamoDB has no type for.
fn exact(told: &Told) -> Result<String, Wrong> {
    match told {
        Told::Number(digits) => match Decimal::read(digits) {
            Some(decimal) if !digits.contains(['e', 'E']) => Ok(decimal.plain()),
            _ => Ok(digits.clone()),
        },
        // How small and large floats are spelled is not checked.
        Told::Float(digits) if digits.contains(|c: char| c.is_ascii_digit()) => Err(Wrong::Unknown),
        Told::Float(word) => Ok(word.clone()),
        Told::Date(moment) | Told::Timestamp(moment) => Ok(moment.exact()),
        Told::Json(text) => Ok(text.clone()),
        _ => Err(Wrong::Unknown),
    }
}

/// A number's only spelling.
pub(super) fn canonical(digits: &str) -> Result<String, Wrong> {
    if matches!(digits, "NaN" | "Infinity" | "-Infinity") {
        return Err(Wrong::Overflow);
    }
    let decimal = Decimal::read(digits).ok_or(Wrong::Refused)?;
    if decimal.fits() { Ok(decimal.plain()) } else { Err(Wrong::Overflow) }
}

pub(super) fn instant(told: &Told, settings: &ReadSettings) -> Result<Instant, Wrong> {
    match told {
        Told::Date(moment) | Told::Timestamp(moment) => moment.instant(settings.zone.as_ref()),
        _ => Err(Wrong::Refused),
    }
}

/// A date is itself wherever it was; a time has no date.
pub(super) fn strftime(told: &Told, format: &str, settings: &ReadSettings) -> Result<String, Wrong> {
    let instant = match told {
        Told::Date(moment) => moment.instant(None)?,
        Told::Time(clock) => {
            let time = clock.parse().map_err(|_| Wrong::Unknown)?;
            Instant { at: Date::constant(1970, 1, 1).to_datetime(time), utc: false }
        }
        told => instant(told, settings)?,
    };
    instant.strftime(format)
}

fn bytes(told: &Told) -> Result<Vec<u8>, Wrong> {
    match told {
        Told::Bytes(bytes) => Ok(bytes.clone()),
        Told::Uuid(text) => {
            let digits: Vec<char> = text.chars().filter(|c| *c != '-').collect();
            let pairs = digits.chunks(2).map(|pair| {
                u8::from_str_radix(&pair.iter().collect::<String>(), 16).map_err(|_| Wrong::Unknown)
            });
            pairs.collect()
        }
        _ => Err(Wrong::Refused),
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}
