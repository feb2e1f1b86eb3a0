//! Finds its way in the schema: which forms a place of a mapping may have.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

pub fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("mappings/schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The forms that a value may have: the alternatives of a schema, with references followed.
pub fn forms<'s>(schema: &'s Value, form: &'s Value) -> Vec<&'s Value> {
    if let Some(reference) = form["$ref"].as_str() {
        return forms(schema, schema.pointer(reference.strip_prefix('#').unwrap()).unwrap());
    }
    let alternatives = ["anyOf", "oneOf"].into_iter().filter_map(|word| form[word].as_array()).flatten();
    std::iter::once(form).chain(alternatives.flat_map(|form| forms(schema, form))).collect()
}

fn forms_at<'s>(schema: &'s Value, place: &str) -> Vec<&'s Value> {
    let names = place.split('.').filter(|name| !name.is_empty());
    names.fold(forms(schema, schema), |found, name| {
        let child = |form: &&'s Value| match form["properties"].get(name) {
            Some(property) => Some(property),
            None if name == "*" && form["items"].is_object() => form.get("items"),
            None => form.get("additionalProperties").filter(|others| others.is_object()),
        };
        found.iter().filter_map(child).flat_map(|form| forms(schema, form)).collect()
    })
}

/// The one form of a place that is a table with known keys.
pub fn only_table<'s>(schema: &'s Value, place: &str) -> &'s Value {
    let mut tables = forms_at(schema, place);
    tables.retain(|form| form["properties"].is_object());
    let [table] = tables.as_slice() else { panic!("[{place}] has {} tables in the schema", tables.len()) };
    assert_eq!(table["additionalProperties"], false, "[{place}] takes unknown keys");
    table
}

pub fn words<'s>(schema: &'s Value, key: &str) -> BTreeSet<&'s str> {
    let forms = forms_at(schema, key);
    forms
        .iter()
        .filter_map(|form| form["enum"].as_array())
        .flatten()
        .map(|word| word.as_str().unwrap())
        .collect()
}

/// All parts of the schema that refuse unknown keys, with their places.
pub fn closed_tables(schema: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), schema)];
    while let Some((pointer, value)) = waiting.pop() {
        if value["additionalProperties"] == false {
            found.push((pointer.clone(), value));
        }
        match value {
            Value::Object(map) => {
                waiting.extend(map.iter().map(|(key, value)| (format!("{pointer}/{key}"), value)))
            }
            Value::Array(items) => {
                waiting.extend(items.iter().enumerate().map(|(at, item)| (format!("{pointer}/{at}"), item)))
            }
            _ => {}
        }
    }
    found
}
