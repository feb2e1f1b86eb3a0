//! A resolved key template as a language, and what its text alone gives back.

use std::collections::BTreeSet;

use crate::mapping::{KeyType, Step};
use crate::source::{Class, Output, RawType};

use super::fit::step_name;
use super::language::{Atom, ByteSet, literal, told_apart};
use super::rendered::rendered;
use super::{KeyPlan, PartPlan};

/// A template as a language, and which placeholder wrote which atom.
pub(super) struct Written<'a> {
    pub(super) attribute: &'static str,
    pub(super) atoms: Vec<Atom>,
    owners: Vec<Option<usize>>,
    pub(super) places: Vec<Place<'a>>,
    told: Vec<bool>,
}

pub(super) struct Place<'a> {
    pub(super) column: &'a str,
    pub(super) class: Class,
    pub(super) steps: &'a [Step],
    pub(super) injective: bool,
}

impl Place<'_> {
    pub(super) fn text(&self) -> String {
        placeholder(self.column, self.steps)
    }

    /// The same with another step, as a suggestion.
    pub(super) fn with(&self, step: Step) -> String {
        placeholder(self.column, &[self.steps, &[step]].concat())
    }
}

pub(super) fn placeholder(column: &str, steps: &[Step]) -> String {
    let plain = column.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let column = if plain { column.to_owned() } else { format!("\"{column}\"") };
    let steps: Vec<String> = steps.iter().map(step_name).collect();
    match steps.as_slice() {
        [] => format!("`{{{column}}}`"),
        steps => format!("`{{{column}:{}}}`", steps.join("|")),
    }
}

impl<'a> Written<'a> {
    pub(super) fn new(attribute: &'static str, key: &'a KeyPlan, output: &'a [Output]) -> Self {
        let mut written =
            Self { attribute, atoms: Vec::new(), owners: Vec::new(), places: Vec::new(), told: Vec::new() };
        for part in &key.template.parts {
            match part {
                PartPlan::Literal(text) => written.push(literal(text), None),
                PartPlan::Value { column, steps, settings } => {
                    let (Some(Output::Column(column)) | Some(Output::Computed { column, .. })) =
                        output.get(*column)
                    else {
                        continue;
                    };
                    let texts = rendered(column, settings, steps);
                    let injective = texts.injective && exact_key(key.kind, &column.raw, &column.sql_type);
                    written.push(texts.atoms, Some(written.places.len()));
                    let class = column.raw.class();
                    written.places.push(Place { column: &column.name, class, steps, injective });
                }
            }
        }
        written.told = told_apart(&written.atoms);
        written
    }

    fn push(&mut self, atoms: Vec<Atom>, owner: Option<usize>) {
        self.owners.extend(atoms.iter().map(|_| owner));
        self.atoms.extend(atoms);
    }

    /// Whether the key's text alone gives a placeholder's text.
    fn is_told(&self, place: usize) -> bool {
        self.owners.iter().zip(&self.told).all(|(owner, told)| *owner != Some(place) || *told)
    }

    /// Columns whose values the key's text determines.
    pub(super) fn recovered(&self) -> impl Iterator<Item = &str> {
        let places = self.places.iter().enumerate();
        places.filter(|(at, place)| place.injective && self.is_told(*at)).map(|(_, place)| place.column)
    }

    /// The first placeholder whose end cannot be told.
    pub(super) fn blurred(&self) -> Option<&Place<'a>> {
        let blurred = self.told.iter().position(|told| !told)?;
        let owner = self.owners.get(blurred).copied().flatten()?;
        self.places.get(owner)
    }

    /// The language if every text that may hold `#` were escaped, and what would have to be written.
    pub(super) fn escaped(&self) -> (Vec<Atom>, Vec<String>) {
        let hash = ByteSet::of(b"#");
        let open = |atom: &Atom| atom.max.is_none() && atom.set.meets(hash);
        let escape = |atom: &Atom| match open(atom) {
            true => Atom { set: atom.set.without(hash), ..*atom },
            false => *atom,
        };
        let owners: BTreeSet<usize> = self
            .atoms
            .iter()
            .zip(&self.owners)
            .filter(|(atom, _)| open(atom))
            .filter_map(|(_, at)| *at)
            .collect();
        let places = owners.into_iter().filter_map(|owner| self.places.get(owner));
        let suggestions = places.map(|place| place.with(Step::Escape)).collect();
        (self.atoms.iter().map(escape).collect(), suggestions)
    }
}

/// In keys of type N and B, SQLite's values of other types than the declared one may become equal.
fn exact_key(kind: KeyType, raw: &RawType, declared: &str) -> bool {
    match (kind, raw) {
        (KeyType::S, _) | (_, RawType::Postgres(_) | RawType::Mysql(_)) => true,
        (KeyType::N, RawType::Sqlite(_)) => declared.to_ascii_uppercase().contains("INT"),
        (KeyType::B, RawType::Sqlite(_)) => false,
    }
}
