//! Mistakes against TOML itself, in the words of a mapping's author.

use toml::de::{DeTable, DeValue, Error};

use super::walker::Value;
use crate::mapping::diagnostic::{Diagnostic, Span, quoted};

/// Mistakes that may only follow from text that TOML could not read.
const FOLLOWERS: [&str; 2] = ["missing-key", "unknown-index"];

/// All syntax errors: what is never closed once, where it opens, and of each line the first one.
pub(super) fn mistakes(text: &str, tree: &DeTable<'_>, errors: &[Error]) -> Vec<Diagnostic> {
    let unclosed: Vec<Span> = errors.iter().filter_map(|error| unclosed_value(tree, error)).collect();
    let mut mistakes: Vec<Diagnostic> = unclosed.iter().map(|span| not_closed(text, span)).collect();
    let mut spans: Vec<(Span, &Error)> = errors
        .iter()
        .filter_map(|error| error.span().map(|span| (span, error)))
        .filter(|(span, _)| {
            !unclosed.iter().any(|value| value.start <= span.start && span.start <= value.end)
        })
        .collect();
    spans.sort_by_key(|(span, _)| span.start);
    let mut line_end = None;
    for (span, error) in spans {
        if line_end.is_none_or(|end| span.start >= end) {
            line_end = Some(lines(text, &span).end);
            mistakes.push(mistake(text, error, span));
        }
    }
    mistakes
}

/// Drops the other mistakes that stand where TOML could not read, or that something is missing.
pub(super) fn without_followers(text: &str, syntax: &[Diagnostic], mistakes: &mut Vec<Diagnostic>) {
    if syntax.is_empty() {
        return;
    }
    let spans = syntax.iter().filter_map(|mistake| mistake.span.as_ref());
    let unread: Vec<Span> = spans.map(|span| lines(text, span)).collect();
    mistakes.retain(|mistake| {
        let span = mistake.span.as_ref();
        let is_unread = span.is_none_or(|span| unread.iter().any(|lines| lines.contains(&span.start)));
        !is_unread && !FOLLOWERS.contains(&mistake.code)
    });
}

/// The lines of a span, whole.
fn lines(text: &str, span: &Span) -> Span {
    let before = text.get(..span.start).unwrap_or_default();
    let after = text.get(span.end..).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline.saturating_add(1));
    let length = after.find('\n').unwrap_or(after.len());
    start..span.end.saturating_add(length).saturating_add(1)
}

/// The value that the error says is never closed; it ends where the error stands.
fn unclosed_value(tree: &DeTable<'_>, error: &Error) -> Option<Span> {
    let message = error.message();
    let span = error.span()?;
    let is_kind: fn(&DeValue<'_>) -> bool = if message.starts_with("unclosed array") {
        |value| matches!(value, DeValue::Array(_))
    } else if message.starts_with("unclosed inline table") {
        |value| matches!(value, DeValue::Table(_))
    } else if message.contains(" string, expected") && span.is_empty() {
        |value| matches!(value, DeValue::String(_))
    } else {
        return None;
    };
    let found = tree.iter().find_map(|(_, value)| ending_at(value, span.start, is_kind));
    found.filter(|span| !span.is_empty())
}

/// The outermost value of a kind that ends at a place.
fn ending_at(value: &Value<'_>, end: usize, is_kind: fn(&DeValue<'_>) -> bool) -> Option<Span> {
    if value.span().end == end && is_kind(value.get_ref()) {
        return Some(value.span());
    }
    match value.get_ref() {
        DeValue::Table(table) => table.iter().find_map(|(_, value)| ending_at(value, end, is_kind)),
        DeValue::Array(items) => items.iter().find_map(|item| ending_at(item, end, is_kind)),
        _ => None,
    }
}

fn not_closed(text: &str, span: &Span) -> Diagnostic {
    let opening = text.get(span.clone()).unwrap_or_default();
    let (what, mark) = match opening.chars().next() {
        Some('[') => ("list", "]"),
        Some('{') => ("table", "}"),
        _ if opening.starts_with("\"\"\"") => ("string", "\"\"\""),
        _ if opening.starts_with("'''") => ("string", "'''"),
        Some('\'') => ("string", "'"),
        _ => ("string", "\""),
    };
    Diagnostic::error("syntax", span.clone(), format!("this {what} is not closed"))
        .with_help(format!("close it with {mark}"))
}

fn mistake(text: &str, error: &Error, span: Span) -> Diagnostic {
    let found = text.get(span.clone()).unwrap_or_default();
    let (message, help) = in_plain_words(error.message(), found);
    let mistake = Diagnostic::error("syntax", span, message);
    match help {
        Some(help) => mistake.with_help(help),
        None => mistake,
    }
}

/// The parser's message and the text it stands at; other messages of the parser stay as they are.
fn in_plain_words(message: &str, found: &str) -> (String, Option<&'static str>) {
    let no_value = message.starts_with("string values must be quoted");
    let no_key = message.starts_with("invalid unquoted key");
    let (plain, help) = match found.chars().next() {
        None if no_value => ("a value is missing here", "write it after the `=`; text stands in quotes"),
        Some('“' | '”' | '‘' | '’' | '„') => {
            ("these are typographic quotes", "write straight ones: \"…\"")
        }
        _ if no_value => ("text stands in quotes", "write \"…\""),
        Some(':') if no_key => ("a key and its value are joined by `=`", "write key = value"),
        _ if no_key => ("a key with such characters stands in quotes", "write \"…\""),
        _ if message.starts_with("unclosed table") => ("this header is not closed", "close it with ]"),
        _ if message.starts_with("missing comma") => {
            ("a comma is missing here", "write one between the values")
        }
        _ if message == "duplicate key" => {
            return (format!("{} is there twice", quoted(found)), Some("keep one of them"));
        }
        _ => return (message.to_owned(), None),
    };
    (plain.to_owned(), Some(help))
}
