//! Mistakes against TOML itself, in the words of a mapping's author.

use toml::de::{DeTable, DeValue, Error};

use super::walker::Value;
use crate::mapping::diagnostic::{Diagnostic, Span};

/// Mistakes that may only follow from text that TOML could not read.
const FOLLOWERS: [&str; 2] = ["missing-key", "unknown-index"];

/// All syntax errors. What is never closed is told once, where it opens.
pub(super) fn mistakes(text: &str, tree: &DeTable<'_>, errors: &[Error]) -> Vec<Diagnostic> {
    let unclosed: Vec<Span> = errors
        .iter()
        .filter(|error| error.message().starts_with("unclosed ") || is_unclosed_string(error))
        .filter_map(|error| opened_before(tree, error.span()?.start, text))
        .collect();
    let mut mistakes: Vec<Diagnostic> = unclosed.iter().map(|span| unclosed_value(text, span)).collect();
    let spans = errors.iter().filter_map(|error| Some((error, error.span()?)));
    mistakes.extend(
        spans
            .filter(|(_, span)| {
                !unclosed.iter().any(|value| value.start <= span.start && span.start <= value.end)
            })
            .map(|(error, span)| mistake(text, error, span)),
    );
    mistakes
}

/// Drops the other mistakes that stand where TOML could not read, or that something is missing.
pub(super) fn without_followers(text: &str, syntax: &[Diagnostic], mistakes: &mut Vec<Diagnostic>) {
    if syntax.is_empty() {
        return;
    }
    let unread: Vec<Span> =
        syntax.iter().filter_map(|mistake| mistake.span.as_ref()).map(|s| lines(text, s)).collect();
    mistakes.retain(|mistake| {
        let in_unread =
            mistake.span.as_ref().is_none_or(|span| unread.iter().any(|lines| lines.contains(&span.start)));
        !in_unread && !FOLLOWERS.contains(&mistake.code)
    });
}

/// The lines of a span, whole.
fn lines(text: &str, span: &Span) -> Span {
    let start =
        text.get(..span.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at.saturating_add(1));
    let after = text.get(span.end..).and_then(|after| after.find('\n'));
    start..after.map_or(text.len(), |length| span.end.saturating_add(length)).saturating_add(1)
}

fn is_unclosed_string(error: &Error) -> bool {
    let message = error.message();
    message.starts_with("invalid ")
        && message.contains(" string, expected")
        && error.span().is_some_and(|s| s.is_empty())
}

fn unclosed_value(text: &str, span: &Span) -> Diagnostic {
    let opening = text.get(span.clone()).unwrap_or_default();
    let (mark, close) = match opening.chars().next() {
        Some('[') => ("list", "]"),
        Some('{') => ("table", "}"),
        _ if opening.starts_with("\"\"\"") => ("string", "\"\"\""),
        _ if opening.starts_with("'''") => ("string", "'''"),
        _ if opening.starts_with('\'') => ("string", "'"),
        _ => ("string", "\""),
    };
    Diagnostic::error("syntax", span.clone(), format!("this {mark} is not closed"))
        .with_help(format!("close it with {close}"))
}

/// The innermost value that ends at `end` without its closing mark.
fn opened_before(table: &DeTable<'_>, end: usize, text: &str) -> Option<Span> {
    table.iter().find_map(|(_, value)| opened_in(value, end, text))
}

fn opened_in(value: &Value<'_>, end: usize, text: &str) -> Option<Span> {
    let inner = match value.get_ref() {
        DeValue::Table(table) => opened_before(table, end, text),
        DeValue::Array(items) => items.iter().find_map(|item| opened_in(item, end, text)),
        _ => None,
    };
    let opens =
        |span: &Span| text.get(span.start..).is_some_and(|rest| rest.starts_with(['[', '{', '"', '\'']));
    let is_header = matches!(value.get_ref(), DeValue::Table(_))
        && text.get(value.span().start..).is_some_and(|rest| rest.starts_with('['));
    inner.or_else(|| {
        Some(value.span()).filter(|span| span.end == end && !span.is_empty() && opens(span) && !is_header)
    })
}

fn mistake(text: &str, error: &Error, span: Span) -> Diagnostic {
    let found = text.get(span.clone()).unwrap_or_default();
    let value_expected = error.message().starts_with("string values must be quoted");
    let (message, help) = if value_expected && found.is_empty() {
        ("a value is missing here".to_owned(), Some("write it after the `=`; text stands in quotes"))
    } else if value_expected && found.starts_with(['“', '”', '‘', '’', '„']) {
        ("these are typographic quotes".to_owned(), Some("write straight ones: \"…\""))
    } else if value_expected {
        ("text stands in quotes".to_owned(), Some("write \"…\""))
    } else if error.message() == "duplicate key" {
        (format!("{} is there twice", crate::mapping::diagnostic::quoted(found)), Some("keep one of them"))
    } else {
        (error.message().to_owned(), None)
    };
    let mistake = Diagnostic::error("syntax", span, message);
    match help {
        Some(help) => mistake.with_help(help),
        None => mistake,
    }
}
