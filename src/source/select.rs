//! What is read of an entity: one SELECT defines load, resume, verify and preview.

use super::catalog::Column;

/// Where rows come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rows {
    /// Table or view, written as in SQL; not aliased in the statements.
    From(String),
    /// One SELECT; wrapped as `( … ) AS q`.
    Query(String),
}

/// A further column: `let`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Computed {
    pub name: String,
    pub sql: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Select {
    pub rows: Rows,
    /// `where`, in SQL.
    pub filter: Option<String>,
    /// What a row's cells hold, in this order.
    pub output: Vec<Output>,
    /// The source key, in order; unique and not NULL.
    pub key: Vec<Column>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    Column(Column),
    Computed {
        column: Column,
        sql: String,
    },
    /// `when`: arrives as [`super::RawCell::Integer`] 1 where the SQL is true, else 0.
    Condition {
        sql: String,
    },
}
