//! The mapping file: TOML text → [`Mapping`].
//!
//! Works like a small compiler: raw TOML with spans → checked values; every mistake is collected as a
//! [`Diagnostic`] with a code, its place and help. Knows no database: what needs the catalog is
//! checked by [`crate::plan`], which points into the same file through the spans kept here.

mod address;
mod diagnostic;
mod entity;
mod environment;
mod file;
mod mask;
mod parse;
mod pattern;
mod render;
mod strftime;
mod table;
mod template;
mod value;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

pub use address::{column_table, computed_table, placeholder};
pub use diagnostic::{Diagnostic, Severity, Span, closest};
pub use entity::{Attribute, Case, ColumnChoice, Computed, Constant, Entity, IndexEntry, Keep, Origin, Rows};
pub use file::{MappingFile, ReadError};
pub use parse::{SectionKeys, sections};
pub use pattern::{AccessPattern, Comparison, Order, SHARD, SortKey};
pub use render::render;
pub use table::{
    Billing, CreateSettings, Encryption, Endpoint, Index, KeyAttribute, KeyType, Projection, StreamView,
    Table, Throughput,
};
pub use template::{Step, Template, TemplatePart};
pub use toml::Spanned;
pub use value::{Format, Nulls, Overflow, ValueSettings, ValueType};

#[cfg(test)]
mod tests;

/// A whole mapping file, valid as far as it can be told without a database.
#[derive(Debug, Clone)]
pub struct Mapping {
    pub source: SourceSettings,
    pub table: Table,
    pub write: WriteSettings,
    /// In the order of the file. `[defaults]` is already applied to them.
    pub entities: Vec<Entity>,
    /// In the order of the file.
    pub patterns: Vec<AccessPattern>,
}

/// `[source]`: where the rows come from and how they are read.
#[derive(Debug, Clone)]
pub struct SourceSettings {
    pub url: Spanned<Secret>,
    pub snapshot: SnapshotMode,
    pub snapshot_limit: Duration,
    /// Connections that read side by side, 1 to 64.
    pub readers: usize,
    /// Rows of a page at most, 1 to 1,000,000.
    pub page_rows: u64,
    /// A PEM bundle of certificate authorities; the system's roots without it.
    pub ca_file: Option<Spanned<PathBuf>>,
    /// `${VAR}`s of `[source]` that the environment does not have. A command that reads the source
    /// reports them; the others do not care.
    pub missing: Vec<Diagnostic>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotMode {
    /// `snapshot = true`
    Shared,
    /// `snapshot = false`: every statement sees what is committed at that moment.
    None,
    /// `snapshot = "lock"`: LOCK TABLES … READ while the readers' snapshots open (MySQL).
    Lock,
}

/// A text that must never be printed: a URL with its password.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one place that connects with it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// `[write]`: how fast and how strictly.
#[derive(Debug, Clone)]
pub struct WriteSettings {
    pub rate: Rate,
    /// Requests in flight at most; chosen from the rate when absent.
    pub concurrency: Option<usize>,
    /// Rejected rows after which the run stops.
    pub max_rejects: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    Auto,
    /// Write capacity units per second, at least 1.
    Fixed(u64),
}

/// What stands for the environment: looks a variable up by name.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Mapping {
    /// Reads a mapping. On failure all mistakes of the file, in its order; none of them needs a database.
    pub fn parse(file: &MappingFile, environment: Environment<'_>) -> Result<Mapping, Vec<Diagnostic>> {
        parse::mapping(file, environment)
    }
}
