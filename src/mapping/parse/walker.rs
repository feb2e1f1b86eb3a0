//! Reads single values of the TOML tree and collects what is wrong with them.

use std::fmt;
use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::text::Text;
use crate::mapping::Environment;
use crate::mapping::diagnostic::{Diagnostic, Span, did_you_mean, quoted};
use crate::mapping::environment::{self, Piece};

pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// Proof that a mistake was collected: only [`Walker::report`] makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reported(());

pub(super) type Read<T> = Result<T, Reported>;

/// Walks one part of the file. `${VAR}` is undone where an environment is given.
pub(super) struct Walker<'a> {
    text: &'a str,
    environment: Option<Environment<'a>>,
    mistakes: Vec<Diagnostic>,
    missing: Vec<Diagnostic>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(text: &'a str, environment: Option<Environment<'a>>) -> Self {
        Self { text, environment, mistakes: Vec::new(), missing: Vec::new() }
    }

    pub(super) fn report(&mut self, mistake: Diagnostic) -> Reported {
        self.mistakes.push(mistake);
        Reported(())
    }

    pub(super) fn into_mistakes(self) -> Vec<Diagnostic> {
        self.mistakes
    }

    /// The variables that were asked for since the last call and are not there.
    pub(super) fn take_missing(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.missing)
    }

    pub(super) fn wrong_type(&mut self, key: &str, expected: &str, value: &Value<'_>) -> Reported {
        let message = format!("expected {expected} for {}, found {}", quoted(key), kind(value));
        self.report(Diagnostic::error("wrong-type", value.span(), message))
    }

    /// The value as the file writes it.
    pub(super) fn spelled(&self, value: &Value<'_>) -> &'a str {
        self.text.get(value.span()).unwrap_or_default()
    }

    /// A string that is not empty, with its variables replaced.
    pub(super) fn text(&mut self, key: &str, value: &Value<'_>) -> Read<Text> {
        self.text_or(key, "a string", value)
    }

    /// As [`Walker::text`], for a key that takes other shapes too.
    pub(super) fn text_or(&mut self, key: &str, expected: &str, value: &Value<'_>) -> Read<Text> {
        let DeValue::String(raw) = value.get_ref() else {
            return Err(self.wrong_type(key, expected, value));
        };
        if raw.trim().is_empty() {
            let message = format!("{} is empty", quoted(key));
            return Err(self.report(Diagnostic::error("empty-value", value.span(), message)));
        }
        let text = Text::verbatim(self.text, value.span(), raw);
        match self.environment {
            Some(environment) => self.replace_variables(&text, environment),
            None => Ok(text),
        }
    }

    fn replace_variables(&mut self, text: &Text, environment: Environment<'_>) -> Read<Text> {
        let pieces = match environment::pieces(&text.value) {
            Ok(pieces) => pieces,
            Err(malformed) => {
                let place = text.place(&malformed.range);
                let mistake = Diagnostic::error("invalid-variable", place, malformed.message)
                    .with_help("write ${NAME}, or ${NAME:-default} with a value for when it is not set");
                return Err(self.report(mistake));
            }
        };
        let mut replaced = String::new();
        let mut complete = true;
        for piece in &pieces {
            match resolve(piece, environment) {
                Some(found) => replaced.push_str(&found),
                None => {
                    complete = false;
                    replaced.push_str(&self.note_missing(piece, text));
                }
            }
        }
        Ok(self.replaced(text, replaced, complete, &pieces))
    }

    /// What is left empty by its variables counts as missing too: nothing can use it.
    fn replaced(&mut self, text: &Text, value: String, complete: bool, pieces: &[Piece<'_>]) -> Text {
        if value == text.value {
            return Text { complete, ..text.clone() };
        }
        if value.trim().is_empty() {
            let variables: Vec<String> = pieces.iter().filter_map(name).map(quoted).collect();
            let message = format!("the environment variable {} is set, but empty", variables.join(", "));
            let help = "give it a value, or take it out where the mapping has a default";
            self.missing
                .push(Diagnostic::error("missing-variable", text.span.clone(), message).with_help(help));
            return Text { complete: false, ..text.clone() };
        }
        Text { value, offset: None, complete, from_environment: true, span: text.span.clone() }
    }

    fn note_missing(&mut self, piece: &Piece<'_>, text: &Text) -> String {
        let Piece::Variable { name, range, .. } = piece else { return String::new() };
        let message = format!("the environment variable {} is not set", quoted(name));
        let missing = Diagnostic::error("missing-variable", text.place(range), message)
            .with_help(format!("export {name}=…"));
        self.missing.push(missing);
        format!("${{{name}}}")
    }

    /// A list of strings, none of them empty or given twice.
    pub(super) fn texts(&mut self, key: &str, value: &Value<'_>) -> Read<Vec<Spanned<String>>> {
        let DeValue::Array(items) = value.get_ref() else {
            return Err(self.wrong_type(key, "a list of strings", value));
        };
        let mut texts: Vec<Spanned<String>> = Vec::with_capacity(items.len());
        let mut failed = None;
        for item in items.iter() {
            match self.text(key, item).and_then(|text| self.not_twice(key, text.spanned(), &texts)) {
                Ok(text) => texts.push(text),
                Err(reported) => failed = Some(reported),
            }
        }
        failed.map_or(Ok(texts), Err)
    }

    fn not_twice(
        &mut self,
        key: &str,
        text: Spanned<String>,
        before: &[Spanned<String>],
    ) -> Read<Spanned<String>> {
        if before.contains(&text) {
            let message = format!("{} is in {} twice", quoted(text.get_ref()), quoted(key));
            return Err(self.report(Diagnostic::error("duplicate-name", text.span(), message)));
        }
        Ok(text)
    }

    pub(super) fn flag(&mut self, key: &str, value: &Value<'_>) -> Read<bool> {
        match value.get_ref() {
            DeValue::Boolean(flag) => Ok(*flag),
            _ => Err(self.wrong_type(key, "true or false", value)),
        }
    }

    pub(super) fn integer(&mut self, key: &str, value: &Value<'_>, range: RangeInclusive<u64>) -> Read<u64> {
        let DeValue::Integer(integer) = value.get_ref() else {
            return Err(self.wrong_type(key, "an integer", value));
        };
        match u64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => {
                let shown = quoted(integer.as_str());
                let message = format!("{} must be {}, not {shown}", quoted(key), bounds(&range));
                Err(self.report(Diagnostic::error("out-of-range", value.span(), message)))
            }
        }
    }

    pub(super) fn table(&mut self, key: &str, expected: &str, value: &'a Value<'a>) -> Read<&'a DeTable<'a>> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(table),
            DeValue::Array(_) if self.spelled(value).starts_with("[[") => {
                let message = format!("{} is one table, not a list of them", quoted(key));
                let help = format!("expected {expected}, with single brackets");
                Err(self.report(Diagnostic::error("wrong-type", value.span(), message).with_help(help)))
            }
            _ => Err(self.wrong_type(key, expected, value)),
        }
    }

    /// One of a few words. While a variable is missing it is the first of them.
    pub(super) fn choice<T: Clone>(&mut self, key: &str, text: &Text, choices: &[(&str, T)]) -> Read<T> {
        let found = choices.iter().find(|(word, _)| !text.complete || *word == text.value);
        match found {
            Some((_, choice)) => Ok(choice.clone()),
            None => Err(self.unknown_value(key, text, choices.iter().map(|(word, _)| *word))),
        }
    }

    pub(super) fn unknown_value<'k>(
        &mut self,
        key: &str,
        text: &Text,
        known: impl Iterator<Item = &'k str> + Clone,
    ) -> Reported {
        let message = format!("unknown value {} for {}", text.shown(), quoted(key));
        let help = did_you_mean(&text.value, known);
        self.report(Diagnostic::error("unknown-value", text.span.clone(), message).with_help(help))
    }

    pub(super) fn not_yet(&mut self, span: Span, what: impl fmt::Display) -> Reported {
        let mistake = Diagnostic::error("not-yet", span, format!("{what} does not work yet"))
            .with_help("a later version brings it; take it out for now");
        self.report(mistake)
    }
}

fn resolve(piece: &Piece<'_>, environment: Environment<'_>) -> Option<String> {
    match piece {
        Piece::Literal(literal) => Some((*literal).to_owned()),
        Piece::Variable { name, default: None, .. } => environment(name),
        Piece::Variable { name, default: Some(default), .. } => {
            Some(environment(name).filter(|value| !value.is_empty()).unwrap_or_else(|| (*default).to_owned()))
        }
    }
}

fn name<'t>(piece: &Piece<'t>) -> Option<&'t str> {
    match piece {
        Piece::Literal(_) => None,
        Piece::Variable { name, .. } => Some(name),
    }
}

/// What a value is, in the words of messages.
pub(super) fn kind(value: &Value<'_>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn bounds(range: &RangeInclusive<u64>) -> String {
    match *range.end() {
        u64::MAX => format!("at least {}", range.start()),
        end => format!("between {} and {end}", range.start()),
    }
}
