//! `[entities.X]`, read.

use toml::Spanned;

use super::template::Template;
use super::value::ValueSettings;

/// `[entities.X]`: which rows become which items.
#[derive(Debug, Clone)]
pub struct Entity {
    pub name: Spanned<String>,
    pub rows: Rows,
    pub filter: Option<Spanned<String>>,
    /// The declared source key; the primary key when absent.
    pub key: Option<Vec<Spanned<String>>>,
    pub on_collision: Spanned<Keep>,
    /// Columns that say which of several rows with one item key is the first or the last.
    pub order_by: Vec<Spanned<String>>,
    pub pk: Template,
    /// `None` only when the table has no sort key.
    pub sk: Option<Template>,
    /// Value of the entity_type attribute; the entity's name when absent.
    pub type_value: Option<Spanned<String>>,
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

impl Entity {
    /// What the entity_type attribute of its items holds.
    pub fn type_value(&self) -> &str {
        self.type_value.as_ref().unwrap_or(&self.name).get_ref()
    }
}

/// `on_collision`: which of several rows with one item key is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The first by source key; the others are rejected.
    Reject,
    First,
    Last,
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
    /// One of each attribute of the index's partition key, in its order; or none.
    pub pk: Vec<Template>,
    /// As `pk`, of its sort key.
    pub sk: Vec<Template>,
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
