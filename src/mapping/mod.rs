//! The mapping file: TOML text → [`Mapping`].
//!
//! Works like a small compiler: raw TOML with spans → checked values; every mistake is collected as a
//! [`Diagnostic`] with a code, its place and help. Knows no database: what needs the catalog is
//! checked by [`crate::plan`], which points into the same file through the spans kept here.

mod diagnostic;
mod environment;
mod file;
mod mask;
mod parse;
mod render;
mod strftime;
mod template;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

pub use diagnostic::{Diagnostic, Severity, Span, closest};
pub use file::{MappingFile, ReadError};
pub use render::render;
pub use template::{Step, Template, TemplatePart};
pub use toml::Spanned;

/// A whole mapping file, valid as far as it can be told without a database.
#[derive(Debug, Clone)]
pub struct Mapping {
    pub source: SourceSettings,
    pub table: Table,
    pub write: WriteSettings,
    /// In the order of the file. `[defaults]` is already applied to them.
    pub entities: Vec<Entity>,
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

/// `[table]`: the DynamoDB table that receives the items.
#[derive(Debug, Clone)]
pub struct Table {
    pub name: Spanned<String>,
    pub partition_key: KeyAttribute,
    /// `None` for `sort_key = false`.
    pub sort_key: Option<KeyAttribute>,
    /// The attribute that holds an entity's `type`.
    pub entity_type: Option<Spanned<String>>,
    pub region: Option<Spanned<String>>,
    pub endpoint: Option<Spanned<Endpoint>>,
    /// Twelve digits; another account is refused before the first write.
    pub account: Option<Spanned<String>>,
    pub ttl: Option<Spanned<String>>,
    /// In the order of the file.
    pub indexes: Vec<Index>,
    pub create: CreateSettings,
    /// As [`SourceSettings::missing`], for `[table]`.
    pub missing: Vec<Diagnostic>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    Url(String),
    /// The bundled DynamoDB, on a file in the state folder.
    Embedded,
}

/// A key attribute of the table or of an index.
#[derive(Debug, Clone)]
pub struct KeyAttribute {
    pub name: Spanned<String>,
    pub kind: KeyType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyType {
    S,
    N,
    B,
}

impl KeyType {
    pub fn as_str(self) -> &'static str {
        match self {
            KeyType::S => "S",
            KeyType::N => "N",
            KeyType::B => "B",
        }
    }
}

/// `[table.indexes.I]`: a global secondary index.
#[derive(Debug, Clone)]
pub struct Index {
    pub name: Spanned<String>,
    pub partition_key: KeyAttribute,
    pub sort_key: Option<KeyAttribute>,
    pub projection: Projection,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projection {
    All,
    KeysOnly,
    /// The attributes named besides the keys.
    Include(Vec<String>),
}

/// `[table.create]`: what `--create-table` asks for beyond the keys.
#[derive(Debug, Clone, Default)]
pub struct CreateSettings {
    pub billing: Billing,
    /// `create.billing` of an index, by its name; the table's without an entry.
    pub index_billing: Vec<(Spanned<String>, Billing)>,
    pub point_in_time_recovery: bool,
    pub deletion_protection: bool,
    pub encryption: Encryption,
    pub tags: Vec<(String, String)>,
    pub stream: Option<StreamView>,
    pub warm_throughput: Option<Throughput>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Billing {
    #[default]
    OnDemand,
    Provisioned(Throughput),
}

/// Capacity units per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throughput {
    pub read: u64,
    pub write: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Encryption {
    #[default]
    AwsOwned,
    AwsManaged,
    /// A KMS key: id, alias or ARN.
    Key(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamView {
    KeysOnly,
    NewImage,
    OldImage,
    NewAndOldImages,
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

/// `[entities.X]`: which rows become which items.
#[derive(Debug, Clone)]
pub struct Entity {
    pub name: Spanned<String>,
    pub rows: Rows,
    pub filter: Option<Spanned<String>>,
    /// The declared source key; the primary key when absent.
    pub key: Option<Vec<Spanned<String>>>,
    pub pk: Template,
    /// `None` only when the table has no sort key.
    pub sk: Option<Template>,
    /// Value of the entity_type attribute.
    pub type_value: String,
    pub columns: ColumnChoice,
    pub rename_all: Option<Case>,
    /// `let`: further columns, in SQL of the source.
    pub computed: Vec<Computed>,
    /// `column.name`: how a column is read, everywhere it is used.
    pub column_settings: Vec<(Spanned<String>, ValueSettings)>,
    pub indexes: Vec<IndexEntry>,
    pub attributes: Vec<Attribute>,
    /// `[defaults]` that hold where a column or attribute says nothing.
    pub defaults: ValueSettings,
}

#[derive(Debug, Clone)]
pub enum Rows {
    /// Table or view, written as in SQL.
    From(Spanned<String>),
    /// One SELECT.
    Query(Spanned<String>),
}

#[derive(Debug, Clone)]
pub enum ColumnChoice {
    All,
    List(Vec<Spanned<String>>),
    Except(Vec<Spanned<String>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Camel,
    Pascal,
    Snake,
    Kebab,
}

#[derive(Debug, Clone)]
pub struct Computed {
    pub name: Spanned<String>,
    pub sql: Spanned<String>,
}

/// `[entities.X.index.I]`.
#[derive(Debug, Clone)]
pub struct IndexEntry {
    pub index: Spanned<String>,
    /// SQL; the attributes are written only where it is true.
    pub when: Option<Spanned<String>>,
    pub pk: Option<Template>,
    pub sk: Option<Template>,
}

/// One entry of `[entities.X.attributes]`.
#[derive(Debug, Clone)]
pub struct Attribute {
    pub name: Spanned<String>,
    pub origin: Origin,
    pub settings: ValueSettings,
}

#[derive(Debug, Clone)]
pub enum Origin {
    Column(Spanned<String>),
    Template(Template),
    Value(Spanned<Constant>),
}

/// A constant of the mapping. Floats are refused by the parser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constant {
    Text(String),
    Integer(i64),
    Boolean(bool),
}

/// How a value is read and written; `None` means "as its type says".
#[derive(Debug, Clone, Default)]
pub struct ValueSettings {
    pub kind: Option<Spanned<ValueType>>,
    pub format: Option<Spanned<Format>>,
    /// A zone of the IANA time zone database, known to the parser.
    pub zone: Option<Spanned<String>>,
    pub overflow: Option<Overflow>,
    pub nulls: Option<Nulls>,
}

/// `type = …`: the DynamoDB type to write, or a reading of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    S,
    N,
    B,
    Bool,
    List,
    StringSet,
    NumberSet,
    BinarySet,
    /// 16 bytes as a UUID.
    Uuid,
    /// 16 bytes as MySQL's `UUID_TO_BIN(x, 1)` stores them.
    UuidSwapped,
}

/// `format = …` of a date or timestamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Whole seconds since 1970, floored; N.
    Epoch,
    /// Milliseconds since 1970, floored; N.
    EpochMillis,
    /// strftime text; S.
    Strftime(String),
}

/// `overflow = …`: what happens to a value that DynamoDB cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    Reject,
    String,
    Omit,
    Null,
}

/// `nulls = …`: what a NULL becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    Omit,
    Null,
}

/// What stands for the environment: looks a variable up by name.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Mapping {
    /// Reads a mapping. On failure all mistakes of the file, in its order; none of them needs a database.
    pub fn parse(file: &MappingFile, environment: Environment<'_>) -> Result<Mapping, Vec<Diagnostic>> {
        parse::mapping(file, environment)
    }
}
