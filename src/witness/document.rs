//! JSON documents, parsed by serde_json.

use serde_json::{Map, Value as Json, json};

use crate::mapping::Overflow;

use super::Wrong;
use super::expected::canonical;

/// Maps and lists that a value may sit in (DynamoDB, "Nested Attribute Depth").
const DEPTH: usize = 31;

/// What serde_json takes a number apart with; a document that says it itself cannot be told from one.
const RESERVED: &str = "$serde_json::private";

/// The attribute value of a JSON text that sits in so many lists.
pub(super) fn document(text: &str, around: usize, overflow: Overflow) -> Result<Json, Wrong> {
    if text.contains(RESERVED) {
        return Err(Wrong::Unknown);
    }
    let value: Json = serde_json::from_str(text).map_err(|_| Wrong::Unknown)?;
    if depth(&value) + around > DEPTH {
        return Err(Wrong::Overflow);
    }
    match &value {
        // A number that is the whole document is the attribute's own.
        Json::Number(number) => Ok(json!({"N": canonical(number.as_str())?})),
        _ => member(&value, overflow),
    }
}

/// Maps and lists around the innermost value; an empty one is a value.
fn depth(value: &Json) -> usize {
    let around = |deepest: Option<usize>| deepest.map_or(0, |depth| depth + 1);
    match value {
        Json::Array(members) => around(members.iter().map(depth).max()),
        Json::Object(members) => around(members.values().map(depth).max()),
        _ => 0,
    }
}

fn member(value: &Json, overflow: Overflow) -> Result<Json, Wrong> {
    Ok(match value {
        Json::Null => json!({"NULL": true}),
        Json::Bool(value) => json!({"BOOL": value}),
        Json::String(text) => json!({"S": text}),
        Json::Number(number) => match (canonical(number.as_str()), overflow) {
            (Err(Wrong::Overflow), Overflow::Reject) => return Err(Wrong::Refused),
            (Err(Wrong::Overflow), Overflow::Omit) => return Err(Wrong::Absent),
            (Err(Wrong::Overflow), Overflow::Null) => json!({"NULL": true}),
            // How it is spelled is the document's own affair.
            (Err(Wrong::Overflow), Overflow::String) => return Err(Wrong::Unknown),
            (number, _) => json!({"N": number?}),
        },
        Json::Array(members) => {
            let members = members.iter().map(|value| match member(value, overflow) {
                Err(Wrong::Absent) => Ok(json!({"NULL": true})),
                member => member,
            });
            json!({"L": members.collect::<Result<Vec<Json>, Wrong>>()?})
        }
        Json::Object(members) => {
            let mut map = Map::new();
            for (name, value) in members {
                match member(value, overflow) {
                    _ if name.is_empty() => return Err(Wrong::Refused),
                    Err(Wrong::Absent) => {}
                    member => drop(map.insert(name.clone(), member?)),
                }
            }
            json!({"M": map})
        }
    })
}
