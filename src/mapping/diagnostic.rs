//! A mistake or a warning about a mapping file.

use std::ops::Range;

use super::mask;

/// Longer names are cut in messages, and are nobody's misspelling.
const LONGEST_NAME: usize = 100;

/// Byte offsets into the mapping's text.
pub type Span = Range<usize>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
    /// Worth knowing, for example columns that nothing carries.
    Note,
}

/// One finding about a mapping. `code` is stable and in kebab-case (`unknown-column`).
#[derive(Debug, Clone)]
pub struct Diagnostic {
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    /// Where; `None` for what has no place in the file.
    pub span: Option<Span>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { code, severity: Severity::Error, message: message.into(), span: Some(span), help: None }
    }

    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    pub fn note(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, span, message) }
    }

    /// A mistake that has no place, such as a section that is not there.
    pub fn nowhere(code: &'static str, message: impl Into<String>) -> Self {
        Self { span: None, ..Self::error(code, 0..0, message) }
    }

    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// "Did you mean": the candidate that is written most like `name`, if one is close enough.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.trim().to_lowercase();
    if name.len() > LONGEST_NAME {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&name, &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// A name of the file as messages show it: in backticks, on one line, cut when long, without passwords.
pub(super) fn quoted(name: &str) -> String {
    let one_line: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let masked = mask::line(&one_line);
    match masked.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("`{}…`", masked.get(..end).unwrap_or_default()),
        None => format!("`{masked}`"),
    }
}

/// "`a`, `b` or `c`".
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.into_iter().map(quoted).collect();
    let Some(last) = names.pop() else { return "nothing".into() };
    if names.is_empty() { last } else { format!("{} or {last}", names.join(", ")) }
}

/// The help for a word that is not among the known ones.
pub(super) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match closest(name, known.clone()) {
        Some(close) => format!("did you mean {}? known: {}", quoted(close), listed(known)),
        None => format!("known: {}", listed(known)),
    }
}
