//! What a source says about itself: relations, columns, keys, estimates. Plain data.

use super::raw::RawType;

/// Which database this is, without any secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// `PostgreSQL 15.8`, `MariaDB 10.11.19`, `SQLite 3.50.2`.
    pub server: String,
    /// Database name; the file's name for SQLite.
    pub database: String,
    /// `user@host:port/database`, or the path of the file; never a password.
    pub address: String,
}

/// The rows of one entity as the database describes them.
#[derive(Debug, Clone)]
pub struct Relation {
    pub kind: RelationKind,
    /// In the database's order; invisible and generated columns included.
    pub columns: Vec<Column>,
    /// One per [`super::Computed`], in its order.
    pub computed: Vec<Column>,
    /// Primary key first. Empty for queries and views.
    pub unique_keys: Vec<UniqueKey>,
    pub foreign_keys: Vec<ForeignKey>,
    /// PostgreSQL: this table's number first, then those of all tables whose rows are read with its own,
    /// its children and partitions. Empty for anything else.
    pub family: Vec<u32>,
    /// An estimate, never a proof; `None` where the database has none.
    pub row_estimate: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationKind {
    Table,
    Partitioned,
    /// PostgreSQL: other tables inherit from it, so reading it returns their rows too.
    Inherited,
    View,
    Query,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    /// As the database writes it: `character varying(20)`, `bigint unsigned`.
    pub sql_type: String,
    pub raw: RawType,
    /// False only when the database guarantees it.
    pub nullable: bool,
    /// Why this column cannot be part of a source key (does not order as it compares), if so.
    pub unordered: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniqueKey {
    pub name: String,
    pub primary: bool,
    pub columns: Vec<String>,
    /// Every column is NOT NULL.
    pub not_null: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignKey {
    pub columns: Vec<String>,
    pub table: String,
    pub referenced: Vec<String>,
}
