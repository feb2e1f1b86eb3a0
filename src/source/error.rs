//! What can go wrong with a source: kind, context, cause, hint.

use std::fmt;

/// Which piece of a mapping an error of [`super::Source::describe`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// `from`, `query`
    Rows,
    /// `where`
    Filter,
    /// `let`, by position
    Computed(usize),
    /// `when`, by position
    Condition(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceErrorKind {
    /// The URL or a setting is wrong.
    Config,
    /// Host unknown, refused, TLS failed.
    Connect,
    /// Wrong user or password.
    Authentication,
    NoDatabase,
    /// Not allowed to read, or hidden by row-level security.
    Permission,
    /// The SQL of a piece of the mapping does not stand (unknown table, syntax …).
    Sql(Piece),
    /// The connection broke or the server went away: reading can go on with a new snapshot.
    Lost,
    /// The table's definition changed while it was read.
    SchemaChanged,
    /// Anything else the server said.
    Server,
}

/// Never carries a password or a cell value.
#[derive(Debug)]
pub struct SourceError {
    pub kind: SourceErrorKind,
    /// What was tried, lower case: `connect to app@db:5432/shop`.
    pub context: String,
    /// What the server or the driver said.
    pub cause: String,
    pub hint: Option<String>,
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.context, self.cause)
    }
}

impl std::error::Error for SourceError {}
