//! Templates: literal text with `{column:step|step}` placeholders.

use super::diagnostic::Span;

/// A parsed template with its place in the mapping file.
#[derive(Debug, Clone)]
pub struct Template {
    pub parts: Vec<TemplatePart>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum TemplatePart {
    /// Never empty; `{{` and `}}` already undone.
    Literal(String),
    Placeholder {
        column: String,
        steps: Vec<Step>,
        span: Span,
    },
}

/// One step of a placeholder, applied in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// `0N`: zero-padded to N digits; wider or negative rejects.
    Pad(usize),
    /// strftime text with at least one `%`.
    Strftime(String),
    Lower,
    Upper,
    Trim,
    /// Percent-escapes `#` and `%`.
    Escape,
    /// Bytes as lower-case hex.
    Hex,
    Epoch,
    EpochMillis,
    /// A number as text that orders by bytes as numbers do (docs/types.md, "The text of a value in a key").
    Sortable,
    /// First four bytes of the SHA-256 of the value's text, big endian, modulo n.
    Shard(u32),
}
