//! How a value is read and written: the settings of columns and attributes.

use toml::Spanned;

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
