//! Holds mappings against the schema, and finds the place that a mistake points at.

use std::ops::Range;

use boon::{Compiler, ErrorKind, SchemaIndex, Schemas, ValidationError};
use dynamigrate::mapping::Diagnostic;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::form::schema;

pub struct Validator {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Validator {
    /// Compiling checks the schema against its meta-schema.
    pub fn new() -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("schema.json", schema()).unwrap();
        let index = compiler.compile("schema.json", &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
        Self { schemas, index }
    }

    /// The places of all errors, as JSON pointers; an unknown key is at its own place.
    pub fn errors(&self, mapping: &toml::Table) -> Vec<String> {
        let mapping = json(&toml::Value::Table(mapping.clone()));
        let mut places = Vec::new();
        if let Err(error) = self.schemas.validate(&mapping, self.index) {
            collect(&error, &mut places);
        }
        places
    }
}

fn collect(error: &ValidationError<'_, '_>, places: &mut Vec<String>) {
    let place = error.instance_location.to_string();
    match &error.kind {
        ErrorKind::AdditionalProperties { got } => {
            places.extend(got.iter().map(|key| format!("{place}/{key}")))
        }
        _ => places.push(place),
    }
    error.causes.iter().for_each(|cause| collect(cause, places));
}

/// As editors hand a mapping to a schema: a date is a text.
fn json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(flag) => (*flag).into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.iter().map(json).collect(),
        toml::Value::Table(table) => {
            Value::Object(table.iter().map(|(key, value)| (key.clone(), json(value))).collect::<Map<_, _>>())
        }
    }
}

/// The key or value that a mistake points at, as a JSON pointer: the narrowest that holds its span.
pub fn place(text: &str, mistake: &Diagnostic) -> String {
    let span = mistake.span.clone().unwrap();
    let tree = DeTable::parse(text).unwrap();
    let mut places = Vec::new();
    places_of_table("", tree.get_ref(), &mut places);
    places.retain(|(place, _)| place.start <= span.start && span.end <= place.end);
    places.into_iter().min_by_key(|(place, _)| place.len()).unwrap().1
}

type Places = Vec<(Range<usize>, String)>;

fn places_of_table(pointer: &str, table: &DeTable<'_>, places: &mut Places) {
    for (key, value) in table.iter() {
        let pointer = format!("{pointer}/{}", key.get_ref());
        places.push((key.span(), pointer.clone()));
        places_of_value(&pointer, value, places);
    }
}

fn places_of_value(pointer: &str, value: &Spanned<DeValue<'_>>, places: &mut Places) {
    // Before its parts: the outer one counts where both have the same span, as [[table]] has.
    places.push((value.span(), pointer.to_owned()));
    match value.get_ref() {
        DeValue::Table(table) => places_of_table(pointer, table, places),
        DeValue::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                places_of_value(&format!("{pointer}/{at}"), item, places);
            }
        }
        _ => {}
    }
}
