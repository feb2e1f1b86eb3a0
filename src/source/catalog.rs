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
    pub transport: Transport,
}

/// How rows travel from the source to here, as it was negotiated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transport {
    /// A file, or a server of this machine: nobody listens in between.
    pub local: bool,
    /// `TLSv1.3`; `None` in clear text.
    pub encryption: Option<String>,
    /// The server's certificate had to be valid.
    pub verified: bool,
    /// Clear text would have done as well, by the URL.
    pub optional: bool,
}

impl Transport {
    /// Within this machine.
    pub fn file() -> Self {
        Self { local: true, encryption: None, verified: false, optional: false }
    }

    /// What a reader should know of it; nothing of clear text within this machine.
    pub fn in_words(&self) -> Option<String> {
        match (&self.encryption, self.verified) {
            (None, _) if self.local => None,
            (None, _) => Some("not encrypted".to_owned()),
            (Some(version), true) => Some(format!("{version}, certificate verified")),
            (Some(version), false) => Some(format!("{version}, certificate not verified")),
        }
    }

    /// A connection that may go in clear text without anybody having meant it.
    pub fn warning(&self) -> Option<String> {
        let outcome = self.in_words().filter(|_| self.optional && !self.local)?;
        Some(format!(
            "sslmode=prefer takes whatever the server offers (now: {outcome}); say sslmode=verify-full, or \
             sslmode=disable where clear text is meant"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transport(local: bool, encryption: Option<&str>, verified: bool, optional: bool) -> Transport {
        Transport { local, encryption: encryption.map(str::to_owned), verified, optional }
    }

    /// C10: only what may go wrong in silence is a warning; all that leaves the machine is told.
    #[test]
    fn c10_an_optional_encryption_to_elsewhere_is_a_warning() {
        let optional = transport(false, None, false, true);
        assert_eq!(optional.in_words().as_deref(), Some("not encrypted"));
        assert!(optional.warning().unwrap().contains("(now: not encrypted)"));
        assert!(transport(false, Some("TLSv1.3"), false, true).warning().is_some());
        assert_eq!(transport(true, None, false, true).warning(), None);
        assert_eq!(transport(true, None, false, true).in_words(), None);
        let verified = transport(false, Some("TLSv1.3"), true, false);
        assert_eq!(verified.in_words().as_deref(), Some("TLSv1.3, certificate verified"));
        assert_eq!(verified.warning(), None);
        assert_eq!(transport(false, None, false, false).warning(), None, "sslmode=disable was meant");
    }
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
    /// What a domain of PostgreSQL, or an array of one, is made of: `numeric(60,2)`.
    pub domain: Option<String>,
    /// How many labels an enum of PostgreSQL has.
    pub labels: Option<u64>,
    pub raw: RawType,
    /// False only when the database guarantees it.
    pub nullable: bool,
    /// Why this column cannot be part of a source key (does not order as it compares), if so.
    pub unordered: Option<&'static str>,
    /// Of a text that equals other bytes too. Unknown of expressions, and of SQLite's views.
    pub collation: Option<Collation>,
    /// Of a type without a documented form, which is read as the text that the server makes of it.
    pub foreign: Option<Foreign>,
}

impl Column {
    /// The type with its digits, widths and members, seen through domains.
    pub fn declared(&self) -> &str {
        self.domain.as_ref().unwrap_or(&self.sql_type)
    }
}

/// How texts compare where the database takes different bytes for equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collation {
    /// As the database calls it: `utf8mb4_general_ci`, `citext`, `NOCASE`.
    pub name: String,
    pub folding: Folding,
    /// Blanks at the end do not count.
    pub pads: bool,
}

/// Which letters are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folding {
    Nothing,
    Case,
    /// Those with and without an accent too, or other forms of a letter.
    Accents,
}

/// Types that nothing is known of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    Composite,
    /// Of an extension or a plugin.
    Extension,
    /// MySQL's geometries, which arrive as WKT.
    Geometry,
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
