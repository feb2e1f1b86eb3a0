//! The rows whose text refers to a parent that is spelled otherwise. The database itself finds and counts them.

use super::statement::Table;
use super::{Dialect, ForeignKey, Rows, Select, sql_text};
use crate::mapping::Step;

/// A text column that refers to another table, and the steps by which keys write it on either side.
#[derive(Debug, Clone, Copy)]
pub struct Kinship<'a> {
    pub column: &'a str,
    pub key: &'a ForeignKey,
    pub child: &'a [Step],
    pub parent: &'a [Step],
}

/// What of a server the SQL depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Speech {
    pub(super) dialect: Dialect,
    /// PostgreSQL from version 13 on has `normalize`.
    pub(super) normalizes: bool,
}

const PARENT: &str = "near_parent";

/// Of a select's rows those whose parent, by the database's own `=` or but for case, blanks and Unicode normal form,
/// is written otherwise in keys.
pub(super) fn spelled_otherwise(select: &Select, kin: Kinship<'_>, speech: Speech) -> Select {
    let table = Table::new(&select.rows, speech.dialect);
    let parent = parent_table(&select.rows, &kin.key.table, speech.dialect);
    let pairs = kin.key.columns.iter().zip(&kin.key.referenced).map(|(own, referenced)| {
        let referenced = format!("{PARENT}.{}", sql_text::quote(referenced, speech.dialect));
        (own == kin.column, table.column(own), referenced)
    });
    let pairs: Vec<(bool, String, String)> = pairs.collect();
    // The parent first: SQLite compares in the collation of what stands left, foreign keys in the parent's.
    let equal: Vec<String> = pairs.iter().map(|(_, own, its)| format!("{its} = {own}")).collect();
    let near: Vec<String> = pairs
        .iter()
        .map(|(is_text, own, its)| match is_text {
            true => format!("{} = {}", speech.canonical(its), speech.canonical(own)),
            false => format!("{its} = {own}"),
        })
        .collect();
    let differ: Vec<String> = pairs
        .iter()
        .filter(|(is_text, ..)| *is_text)
        .map(|(_, own, its)| {
            format!("{} <> {}", speech.written(its, kin.parent), speech.written(own, kin.child))
        })
        .collect();
    let (equal, near, differ) = (equal.join(" AND "), near.join(" AND "), differ.join(" AND "));
    let from = format!("SELECT 1 FROM {parent} AS {PARENT} WHERE");
    let condition = format!(
        "(EXISTS ({from} {equal} AND {differ}) OR (NOT EXISTS ({from} {equal}) AND EXISTS ({from} {near} AND {differ})))"
    );
    let filter = match &select.filter {
        Some(filter) => format!("({filter}\n) AND {condition}"),
        None => condition,
    };
    Select { filter: Some(filter), ..select.clone() }
}

/// A name of the catalog as SQL: PostgreSQL's is one already. A bare one is of the child's schema.
fn parent_table(child: &Rows, parent: &str, dialect: Dialect) -> String {
    if dialect == Dialect::Postgres {
        return parent.to_owned();
    }
    let quote = |part: &str| sql_text::quote(part, dialect);
    if let (Dialect::Mysql, Some((schema, name))) = (dialect, parent.split_once('.')) {
        return format!("{}.{}", quote(schema), quote(name));
    }
    let parts = match child {
        Rows::From(name) => sql_text::name_parts(name, dialect).unwrap_or_default(),
        Rows::Query(_) => Vec::new(),
    };
    match parts.as_slice() {
        [schema, _] => format!("{}.{}", quote(schema), quote(parent)),
        _ => quote(parent),
    }
}

impl Speech {
    /// Bytes of the text that a key has.
    fn written(self, column: &str, steps: &[Step]) -> String {
        let text = steps.iter().fold(self.text(column), |text, step| match step {
            Step::Lower => format!("lower({text})"),
            Step::Upper => format!("upper({text})"),
            Step::Trim => format!("trim({text})"),
            _ => text,
        });
        self.bytes(&text)
    }

    fn canonical(self, column: &str) -> String {
        let text = format!("lower(trim({}))", self.text(column));
        if !self.normalizes {
            return self.bytes(&text);
        }
        // Only a database in UTF-8 normalizes.
        self.bytes(&format!(
            "CASE WHEN current_setting('server_encoding') = 'UTF8' THEN normalize({text}, NFC) ELSE {text} END"
        ))
    }

    fn text(self, column: &str) -> String {
        match self.dialect {
            Dialect::Postgres => format!("{column}::text"),
            Dialect::Mysql => format!("CONVERT({column} USING utf8mb4)"),
            Dialect::Sqlite => column.to_owned(),
        }
    }

    fn bytes(self, text: &str) -> String {
        match self.dialect {
            Dialect::Postgres => format!("({text}) COLLATE \"C\""),
            Dialect::Mysql => format!("CAST({text} AS BINARY)"),
            Dialect::Sqlite => format!("CAST({text} AS BLOB)"),
        }
    }
}
