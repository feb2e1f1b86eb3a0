//! `[table]`, read.

use toml::Spanned;

use super::Diagnostic;

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
    /// As [`super::SourceSettings::missing`], for `[table]`.
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

/// `[table.indexes.I]`: a secondary index, global unless it is `local`.
#[derive(Debug, Clone)]
pub struct Index {
    pub name: Spanned<String>,
    /// One to four attributes; of a local index the table's partition key.
    pub partition_key: Vec<KeyAttribute>,
    /// None to four attributes; of a local index one.
    pub sort_key: Vec<KeyAttribute>,
    pub projection: Projection,
    pub local: bool,
}

impl Index {
    /// All key attributes, those of the partition key first.
    pub fn keys(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition_key.iter().chain(&self.sort_key)
    }
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
