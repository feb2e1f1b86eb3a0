//! The key proof: no two rows, of one entity or of two, render the same item key.
//!
//! One entity: pk and sk together hold all columns of one key that is unique and not NULL, each rendered
//! so that different values stay different, and the text alone tells where each of them begins and ends.
//! Two entities: no text is in both languages of pk, or none in both of sk.
//!
//! A unique key under a coarser equality (case-insensitive, PAD SPACE) still counts: what is unique there
//! is unique in bytes. `lower`, `upper`, `trim`, `shard` and part of a date do not.

use std::collections::BTreeSet;

use crate::mapping::{Diagnostic, Entity, Span, Step};
use crate::source::{Class, Output};

use super::language::meet;
use super::source_key::UniqueSet;
use super::written::{Place, Written, placeholder};
use super::{KeyPlan, KeyProof};

/// One entity as far as the proof needs it.
#[derive(Debug)]
pub(super) struct Candidate<'a> {
    pub(super) entity: &'a Entity,
    pub(super) output: Vec<Output>,
    pub(super) unique: Vec<UniqueSet>,
    pub(super) pk: KeyPlan,
    pub(super) sk: Option<KeyPlan>,
}

/// Why a proof fails, and the smallest change that would make it.
#[derive(Debug, Clone)]
struct Failure {
    /// The key at fault, where it is one: `pk` or `sk`.
    attribute: Option<&'static str>,
    reason: String,
    change: String,
}

/// What was proven of each candidate, in their order, and which of them are to be counted together.
#[derive(Debug)]
pub(super) struct Proofs {
    pub(super) entities: Vec<KeyProof>,
    pub(super) contested: Vec<BTreeSet<usize>>,
}

pub(super) fn prove(candidates: &[Candidate<'_>], findings: &mut Vec<Diagnostic>) -> Proofs {
    let subjects: Vec<Subject<'_>> = candidates.iter().map(Subject::new).collect();
    let mut failures: Vec<Vec<Failure>> = vec![Vec::new(); subjects.len()];
    let mut words = Vec::new();
    let mut contested = Vec::new();
    for (at, (subject, failures)) in subjects.iter().zip(&mut failures).enumerate() {
        words.push(match subject.own_rows() {
            Ok(words) => words,
            Err(failure) => {
                findings.push(finding(subject.span(&failure), &failure));
                contest(&mut contested, BTreeSet::from([at]));
                failures.push(failure);
                String::new()
            }
        });
    }
    for (right_at, right) in subjects.iter().enumerate() {
        for (left_at, left) in subjects.iter().enumerate().take(right_at) {
            let Some(failure) = can_meet(left, right) else { continue };
            findings.push(finding(right.span(&failure), &failure));
            contest(&mut contested, BTreeSet::from([left_at, right_at]));
            for at in [left_at, right_at] {
                if let Some(failures) = failures.get_mut(at) {
                    failures.push(failure.clone());
                }
            }
        }
    }
    let others = subjects.len() > 1;
    let entities =
        words.into_iter().zip(failures).map(|(words, failures)| verdict(words, &failures, others)).collect();
    Proofs { entities, contested }
}

/// Adds a set, joined with those that it has members of.
fn contest(contested: &mut Vec<BTreeSet<usize>>, mut set: BTreeSet<usize>) {
    contested.retain(|other| {
        let apart = other.is_disjoint(&set);
        if !apart {
            set.extend(other);
        }
        apart
    });
    contested.push(set);
}

fn verdict(words: String, failures: &[Failure], others: bool) -> KeyProof {
    if failures.is_empty() {
        let others = if others { "; no other entity renders such keys" } else { "" };
        return KeyProof::Proven { by: words + others };
    }
    let reasons: Vec<String> = failures
        .iter()
        .map(|failure| format!("{}; to prove it, {}", failure.reason, failure.change))
        .collect();
    KeyProof::Unproven { reason: reasons.join(". ") }
}

/// Not a mistake: the rows are counted before the first write.
fn finding(span: Span, failure: &Failure) -> Diagnostic {
    Diagnostic::warning("unproven-keys", span, failure.reason.clone()).with_help(format!(
        "a run counts the keys first, and writes none twice; to prove it, {}",
        failure.change
    ))
}

/// A candidate with the languages of its keys.
struct Subject<'a> {
    candidate: &'a Candidate<'a>,
    pk: Written<'a>,
    sk: Option<Written<'a>>,
}

impl<'a> Subject<'a> {
    fn new(candidate: &'a Candidate<'a>) -> Self {
        let written = |attribute, key: &'a KeyPlan| Written::new(attribute, key, &candidate.output);
        let sk = candidate.sk.as_ref().map(|sk| written("sk", sk));
        Self { candidate, pk: written("pk", &candidate.pk), sk }
    }

    fn keys(&self) -> impl Iterator<Item = &Written<'a>> {
        std::iter::once(&self.pk).chain(&self.sk)
    }

    fn name(&self) -> &str {
        self.candidate.entity.name.get_ref()
    }

    /// Where the mapping writes the key at fault; the last one where it is both.
    fn span(&self, failure: &Failure) -> Span {
        let entity = self.candidate.entity;
        match (&entity.sk, failure.attribute) {
            (Some(sk), Some("sk") | None) => sk.span.clone(),
            _ => entity.pk.span.clone(),
        }
    }

    /// What proves that two rows of this entity cannot meet.
    fn own_rows(&self) -> Result<String, Failure> {
        let recovered: BTreeSet<&str> = self.keys().flat_map(Written::recovered).collect();
        let missing = |set: &'a UniqueSet| -> Vec<&'a str> {
            set.columns.iter().map(String::as_str).filter(|column| !recovered.contains(column)).collect()
        };
        let sets = self.candidate.unique.iter().map(|set| (set, missing(set)));
        let Some((set, missing)) = sets.min_by_key(|(_, missing)| missing.len()) else {
            return Err(Failure {
                attribute: None,
                reason: format!("nothing says that the rows of `{}` are unique", self.name()),
                change: "declare a `key`".to_owned(),
            });
        };
        let keys = if self.sk.is_some() { "pk and sk hold" } else { "pk holds" };
        match missing.first() {
            None => Ok(format!("{keys} {}", set.words)),
            Some(column) => Err(self.explain(column, &set.words)),
        }
    }

    fn explain(&self, column: &str, key: &str) -> Failure {
        let name = self.name();
        let holds = |written: &&Written<'_>| written.places.iter().any(|place| place.column == column);
        let Some(written) = self.keys().find(holds) else {
            let last = self.sk.as_ref().map_or("pk", |sk| sk.attribute);
            return Failure {
                attribute: None,
                reason: format!(
                    "two rows of `{name}` can render the same key: it does not hold `{column}` of {key}"
                ),
                change: format!("add {} to `{last}`", self.suggestion(column)),
            };
        };
        let places = || written.places.iter().filter(|place| place.column == column);
        match (places().find(|place| place.injective), written.blurred()) {
            (Some(_), Some(blurred)) => Failure {
                attribute: Some(written.attribute),
                reason: format!(
                    "two rows of `{name}` can render the same key: in `{}` it cannot be told where {} ends",
                    written.attribute,
                    blurred.text()
                ),
                change: separate(blurred),
            },
            _ => loses(name, column, written.attribute, places().next()),
        }
    }

    fn suggestion(&self, column: &str) -> String {
        let integer = self.candidate.output.iter().any(|output| match output {
            Output::Column(found) => found.name == column && found.raw.class() == Class::Integer,
            Output::Computed { .. } | Output::Condition { .. } => false,
        });
        placeholder(column, if integer { &[Step::Pad(10)] } else { &[] })
    }
}

fn separate(blurred: &Place<'_>) -> String {
    match blurred.class {
        Class::Integer => {
            format!("write {} or put a literal such as `#` behind it", blurred.with(Step::Pad(10)))
        }
        Class::Text | Class::Dynamic => {
            format!("write {} and put a `#` behind it", blurred.with(Step::Escape))
        }
        _ => "put a literal such as `#` behind it".to_owned(),
    }
}

fn loses(name: &str, column: &str, attribute: &'static str, place: Option<&Place<'_>>) -> Failure {
    let text = place.map(Place::text).unwrap_or_default();
    let steps = place.map(|place| place.steps).unwrap_or_default();
    let change = match steps {
        [] => format!(
            "declare `{column}` in the source with a type that has one form of each value, such as INTEGER or TEXT, or add a column that has"
        ),
        _ => format!("use `{column}` without that step, or add {} as well", placeholder(column, &[])),
    };
    let reason = format!(
        "two rows of `{name}` can render the same key: {text} can make different values of `{column}` equal"
    );
    Failure { attribute: Some(attribute), reason, change }
}

/// Why the keys of two entities can be equal; `None` when they cannot.
fn can_meet(left: &Subject<'_>, right: &Subject<'_>) -> Option<Failure> {
    let pk = meet(&left.pk.atoms, &right.pk.atoms)?;
    let sk = match (&left.sk, &right.sk) {
        (Some(left), Some(right)) => Some(meet(&left.atoms, &right.atoms)?),
        _ => None,
    };
    let example = example(&pk, sk.as_deref()).map(|text| format!(", for example {text}")).unwrap_or_default();
    let (left_name, right_name) = (left.name(), right.name());
    Some(Failure {
        attribute: None,
        reason: format!("rows of `{left_name}` and `{right_name}` can render the same key{example}"),
        change: set_apart(left, right),
    })
}

/// The example as the user would write it; `None` where it has no readable text.
fn example(pk: &[u8], sk: Option<&[u8]>) -> Option<String> {
    let readable = |bytes: &[u8]| {
        let text = str::from_utf8(bytes).ok()?;
        (!text.is_empty() && !text.chars().any(char::is_control)).then(|| text.to_owned())
    };
    let pk = readable(pk)?;
    match sk {
        None => Some(format!("pk `{pk}`")),
        Some(sk) => Some(format!("pk `{pk}` with sk `{}`", readable(sk)?)),
    }
}

fn set_apart(left: &Subject<'_>, right: &Subject<'_>) -> String {
    let keys = |subject: &Subject<'_>| subject.keys().map(Written::escaped).collect::<Vec<_>>();
    let (left_keys, right_keys) = (keys(left), keys(right));
    let mut pairs = left_keys.iter().zip(&right_keys);
    let proves = pairs.find(|((left, _), (right, _))| meet(left, right).is_none());
    if let Some(((_, from_left), (_, from_right))) = proves {
        let names: BTreeSet<&String> = from_left.iter().chain(from_right).collect();
        let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
        return format!("write {}, so that values cannot hold `#`", names.join(" and "));
    }
    let key = if left.sk.is_some() { "sk" } else { "pk" };
    let prefix = |subject: &Subject<'_>| format!("`{}#`", subject.name().to_uppercase());
    format!("begin their `{key}` with texts of their own, such as {} and {}", prefix(left), prefix(right))
}
