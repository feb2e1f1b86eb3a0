//! Diagnostics as text for people: code, place, the line with carets, help.

use std::borrow::Cow;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use toml::de::DeTable;

use super::diagnostic::{Diagnostic, Severity, Span};
use super::file::{BYTE_ORDER_MARK, MappingFile};
use super::mask;

/// Renders diagnostics one after the other, in the order given. Passwords of URLs are masked.
/// Ends with a line break, unless there are none.
pub fn render(file: &MappingFile, diagnostics: &[Diagnostic], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let path = file.path.display().to_string();
    let lines = Lines::of(file);
    let mut reports: Vec<String> = diagnostics
        .iter()
        .map(|diagnostic| renderer.render(&[report(diagnostic, &path, &lines)]).trim_end().to_owned())
        .collect();
    reports.push(String::new());
    reports.join("\n\n").trim_end().to_owned() + if diagnostics.is_empty() { "" } else { "\n" }
}

fn report<'a>(diagnostic: &'a Diagnostic, path: &'a str, lines: &'a Lines<'a>) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let place: Element<'a> = match &diagnostic.span {
        Some(span) => snippet(&lines.at(span), path).into(),
        None => Origin::path(path).into(),
    };
    let help = diagnostic.help.iter().map(|help| Level::HELP.message(help.as_str()));
    level.primary_title(diagnostic.message.as_str()).id(diagnostic.code).element(place).elements(help)
}

fn snippet<'a>(line: &Line<'_>, path: &'a str) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    Snippet::source(line.text.clone().into_owned())
        .path(path)
        .line_start(line.number)
        .annotation(AnnotationKind::Primary.span(line.span.clone()))
}

/// Lines that a URL broken by line breaks is looked for in.
const LONGEST_URL: usize = 4;

/// One line to show, with what to mark in it.
struct Line<'a> {
    number: usize,
    text: Cow<'a, str>,
    span: Span,
}

/// The file's lines by offset.
struct Lines<'a> {
    file: &'a MappingFile,
    starts: Vec<usize>,
    /// A URL that spans several lines: none of them is shown.
    secret: Option<Span>,
}

impl<'a> Lines<'a> {
    fn of(file: &'a MappingFile) -> Self {
        let breaks = file.text.match_indices('\n').map(|(offset, _)| offset.saturating_add(1));
        let starts = std::iter::once(0).chain(breaks).collect();
        Self { file, starts, secret: multiline_url(&file.text) }
    }

    /// The line where the span starts. The mark ends with the line and is one character at least.
    fn at(&self, span: &Span) -> Line<'a> {
        let offset = self.file.boundary(span.start);
        let number = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts.get(number.saturating_sub(1)).copied().unwrap_or_default();
        let text = self.line(number).unwrap_or_default();
        let shown = text.trim_start_matches(BYTE_ORDER_MARK);
        let start = start.saturating_add(text.len().saturating_sub(shown.len()));
        let mark = offset.saturating_sub(start).min(shown.len());
        let end = self.file.boundary(span.end).saturating_sub(start).min(shown.len());
        Line {
            number,
            text: self.masked(shown, start, number),
            span: at_least_one_character(shown, mark..end),
        }
    }

    fn masked(&self, line: &'a str, start: usize, number: usize) -> Cow<'a, str> {
        let end = start.saturating_add(line.len());
        match &self.secret {
            Some(secret) if secret.start <= end && start <= secret.end => {
                Cow::Owned(mask::from(line, secret.start.saturating_add(1).saturating_sub(start)))
            }
            _ if self.continues_url(number) => Cow::Owned(mask::from(line, 0)),
            _ => mask::line(line),
        }
    }

    /// Whether a URL that was broken by a line break may go on in this line.
    fn continues_url(&self, number: usize) -> bool {
        let first = number.saturating_sub(LONGEST_URL);
        let before: Vec<&str> = (first..number).filter_map(|before| self.line(before)).collect();
        let quoted = before.iter().rev().find(|line| line.contains(['"', '\'']));
        quoted.is_some_and(|line| mask::runs_on(line))
    }

    fn line(&self, number: usize) -> Option<&'a str> {
        let start = *self.starts.get(number.checked_sub(1)?)?;
        self.file.text.get(start..)?.lines().next()
    }
}

fn at_least_one_character(line: &str, span: Span) -> Span {
    let next = line.get(span.start..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    span.start..span.end.max(span.start.saturating_add(next))
}

fn multiline_url(text: &str) -> Option<Span> {
    let (tree, _) = DeTable::parse_recoverable(text);
    let span = tree.get_ref().get("source")?.get_ref().get("url")?.span();
    text.get(span.clone())?.contains('\n').then_some(span)
}
