//! Mapping × catalog → [`Plan`]: everything a load needs to know, decided before the first row.
//!
//! Resolves names to columns, checks what needs the database (unknown tables and columns, steps on
//! wrong types, keys), proves that no two rows render the same item key, and fingerprints each entity
//! for the checkpoint. Reads no rows.

mod affinity;
mod attributes;
mod case;
mod changing;
mod fingerprint;
mod fit;
mod indexes;
mod language;
mod names;
mod notable;
mod nullable;
mod offline;
mod partitions;
mod prefixes;
mod prepare;
mod proof;
mod recognize;
mod rendered;
mod resolve;
mod scope;
mod settings;
mod source_key;
mod strftime;
mod template;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod ttl;
mod uses;
mod watch;
mod written;

use std::sync::Arc;

pub use crate::mapping::Keep;
use crate::mapping::{
    Constant, CreateSettings, Format, KeyType, Nulls, Overflow, Projection, Step, ValueType,
};
use crate::source::{RawType, Select};

pub use case::rename;
pub use fingerprint::{FingerprintParts, describe_difference};
pub use notable::near::{NearColumn, near_columns};
pub use offline::offline;
pub use prepare::{PlanError, PlanOptions, Prepared, prepare};
pub use recognize::Recognizer;
pub use resolve::{Described, resolve};
pub use watch::{Watch, Watched};

/// A checked mapping, resolved against a source's catalog.
#[derive(Debug, Clone)]
pub struct Plan {
    pub table: TablePlan,
    /// In the order of the mapping.
    pub entities: Vec<EntityPlan>,
    /// Entities, by name, whose keys no proof tells apart: each set is to be counted together.
    pub contested: Vec<Vec<String>>,
}

/// The target table as the mapping wants it.
#[derive(Debug, Clone)]
pub struct TablePlan {
    pub name: String,
    pub partition_key: KeyColumn,
    pub sort_key: Option<KeyColumn>,
    /// At most 32.
    pub indexes: Vec<IndexPlan>,
    pub ttl: Option<String>,
    pub create: CreateSettings,
}

/// A key attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyColumn {
    pub name: String,
    pub kind: KeyType,
}

#[derive(Debug, Clone)]
pub struct IndexPlan {
    pub name: String,
    /// One to four attributes.
    pub partition_key: Vec<KeyColumn>,
    /// None to four attributes.
    pub sort_key: Vec<KeyColumn>,
    pub projection: Projection,
    /// Lies in the table's own partitions and takes their capacity.
    pub local: bool,
}

impl IndexPlan {
    /// All key attributes, those of the partition key first.
    pub fn keys(&self) -> impl Iterator<Item = &KeyColumn> {
        self.partition_key.iter().chain(&self.sort_key)
    }
}

/// How the rows of one entity become items.
#[derive(Debug, Clone)]
pub struct EntityPlan {
    pub name: String,
    pub select: Arc<Select>,
    pub row_estimate: Option<u64>,
    /// Hash of all that decides what this entity writes (design, "Checkpoint file").
    pub fingerprint: String,
    /// The same part by part, so that a refused resume can say what changed.
    pub fingerprint_parts: FingerprintParts,
    /// No constraint backs the source key: one query must prove it before the first write, as
    /// [`prepare`] does.
    pub key_is_claim: bool,
    pub key_proof: KeyProof,
    pub collision: CollisionPlan,
    pub layout: Layout,
}

/// Which of several rows with one item key is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollisionPlan {
    pub keep: Keep,
    /// Positions in [`Layout::columns`]; with none the source key decides.
    pub order_by: Vec<usize>,
}

impl EntityPlan {
    /// How many rows there are, where the database's estimate is of just these: not of a query, nor of
    /// what a `where` leaves of a table.
    pub fn expected_rows(&self) -> Option<u64> {
        self.row_estimate.filter(|_| self.select.filter.is_none())
    }

    /// What a dry run counts in this entity's columns.
    pub fn watches(&self, ttl: Option<&str>) -> Vec<Watch> {
        watch::watches(&self.select, &self.layout, ttl)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyProof {
    /// No two rows can render the same key; the reason in words.
    Proven { by: String },
    /// Why not, and the smallest change that would prove it.
    Unproven { reason: String },
}

/// What [`crate::item`] follows to build an item from a row.
#[derive(Debug, Clone)]
pub struct Layout {
    /// One per output of the select, in its order.
    pub columns: Vec<ColumnPlan>,
    /// Positions in `columns` of the source key, in its order.
    pub source_key: Vec<usize>,
    pub partition_key: KeyPlan,
    pub sort_key: Option<KeyPlan>,
    /// Attributes beside pk, sk and those of `index_entries`, entity_type included, in the order to write.
    pub attributes: Vec<AttributePlan>,
    pub index_entries: Vec<IndexEntryPlan>,
    /// The table's indexes as far as sizes and membership need them.
    pub indexes: Vec<IndexSizing>,
}

#[derive(Debug, Clone)]
pub struct ColumnPlan {
    pub name: String,
    /// `None` for a condition.
    pub raw: Option<RawType>,
}

/// One key attribute that a template renders.
#[derive(Debug, Clone)]
pub struct KeyPlan {
    pub attribute: String,
    pub kind: KeyType,
    pub template: TemplatePlan,
    pub membership: Membership,
}

/// A template whose placeholders are positions in [`Layout::columns`].
#[derive(Debug, Clone, PartialEq)]
pub struct TemplatePlan {
    pub parts: Vec<PartPlan>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PartPlan {
    Literal(String),
    Value { column: usize, steps: Vec<Step>, settings: ReadSettings },
}

/// How values are read and written, with every default applied.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadSettings {
    pub kind: Option<ValueType>,
    pub format: Option<Format>,
    /// For timestamps without zone: which zone they are in.
    pub zone: Option<jiff::tz::TimeZone>,
    pub overflow: Overflow,
    pub nulls: Nulls,
}

#[derive(Debug, Clone)]
pub struct AttributePlan {
    pub name: String,
    pub value: ValuePlan,
    pub membership: Membership,
    /// The type this attribute must have, when it is a key attribute of an index (then NULL is
    /// omitted whatever `nulls` says, and an empty value rejects the row).
    pub index_key: Option<KeyType>,
}

/// In which indexes an attribute counts, as bits of positions in [`Layout::indexes`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Membership {
    /// Indexes that carry the attribute (keys included).
    pub projected: u32,
    /// Indexes whose partition key it is.
    pub partition_of: u32,
    /// Indexes whose sort key it is.
    pub sort_of: u32,
}

#[derive(Debug, Clone)]
pub enum ValuePlan {
    Column {
        column: usize,
        settings: ReadSettings,
    },
    Template {
        template: TemplatePlan,
        settings: ReadSettings,
    },
    /// A value of the mapping: entity_type, `value = …`; already checked against `kind`.
    Constant {
        value: Constant,
        kind: Option<ValueType>,
    },
}

/// The key attributes that `index.I` writes, all or none.
#[derive(Debug, Clone)]
pub struct IndexEntryPlan {
    /// Position in [`Layout::indexes`].
    pub index: usize,
    /// Position in [`Layout::columns`] of the condition.
    pub when: Option<usize>,
    pub keys: Vec<KeyPlan>,
}

#[derive(Debug, Clone)]
pub struct IndexSizing {
    pub name: String,
    /// How many attributes each of its keys has; an item must carry all of them to be in the index.
    pub partition_keys: usize,
    pub sort_keys: usize,
    /// Entries hold the whole item.
    pub all: bool,
    pub local: bool,
}
