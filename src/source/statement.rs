//! Puts a [`Select`] and bounds into one SQL statement, as far as the dialects agree.

use super::{Bounds, Dialect, Key, KeyPart, Rows, Select, SourceError, SourceErrorKind, sql_text};

/// SQL with exactly one argument for each placeholder, by construction: the driver for MySQL hangs
/// after a statement with fewer.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) sql: String,
    pub(super) arguments: Vec<KeyPart>,
}

/// What stands behind FROM, and how its columns are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) sql: String,
    qualifier: String,
    dialect: Dialect,
}

impl Table {
    /// A table stands as its user wrote it; a query is wrapped as `q`.
    pub(super) fn new(rows: &Rows, dialect: Dialect) -> Self {
        match rows {
            Rows::From(name) => Self { sql: name.clone(), qualifier: name.trim().to_owned(), dialect },
            Rows::Query(query) => {
                let query = sql_text::one_statement(query, dialect).unwrap_or(query);
                Self { sql: format!("(\n{query}\n) AS q"), qualifier: "q".to_owned(), dialect }
            }
        }
    }

    /// Qualified: a bare name in ORDER BY could mean an output column.
    pub(super) fn column(&self, name: &str) -> String {
        format!("{}.{}", self.qualifier, sql_text::quote(name, self.dialect))
    }
}

/// The dialect's way to compare key columns with a key.
pub(super) trait Comparison {
    const DIALECT: Dialect;

    /// `key > bound` (`key <= bound` for `up_to`), appending an argument for each placeholder.
    fn compare(table: &Table, select: &Select, bound: &Key, side: Side, statement: &mut Statement);

    /// The form in which a key column's value can be read and bound again.
    fn key_output(column: &super::Column, name: &str) -> String;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    After,
    UpTo,
}

/// `SELECT output FROM … WHERE filter AND bounds ORDER BY key`.
pub(super) fn rows_within<C: Comparison>(
    select: &Select,
    outputs: &[String],
    bounds: &Bounds,
) -> Result<Statement, SourceError> {
    let table = Table::new(&select.rows, C::DIALECT);
    let order: Vec<String> = select.key.iter().map(|column| table.column(&column.name)).collect();
    if order.is_empty() {
        return Err(SourceError::new(SourceErrorKind::Config, "read rows in key order", "no key columns"));
    }
    let sql = format!("SELECT {} FROM {}", outputs.join(", "), table.sql);
    let mut statement = Statement { sql, arguments: Vec::new() };
    let mut word = "WHERE";
    if let Some(filter) = &select.filter {
        statement.sql.push_str(&format!(" WHERE ({filter}\n)"));
        word = "AND";
    }
    for (bound, side) in [(&bounds.after, Side::After), (&bounds.up_to, Side::UpTo)] {
        let Some(bound) = bound else { continue };
        if bound.0.len() != select.key.len() {
            let cause = format!("a position of {} columns for a key of {}", bound.0.len(), order.len());
            return Err(SourceError::new(SourceErrorKind::Config, "read rows in key order", cause));
        }
        statement.sql.push_str(&format!(" {word} "));
        C::compare(&table, select, bound, side, &mut statement);
        word = "AND";
    }
    statement.sql.push_str(&format!(" ORDER BY {}", order.join(", ")));
    Ok(statement)
}

/// The key of the `rows`th row within `bounds`.
pub(super) fn key_at<C: Comparison>(
    select: &Select,
    bounds: &Bounds,
    rows: u64,
) -> Result<Statement, SourceError> {
    let table = Table::new(&select.rows, C::DIALECT);
    let outputs: Vec<String> =
        select.key.iter().map(|column| C::key_output(column, &table.column(&column.name))).collect();
    let mut statement = rows_within::<C>(select, &outputs, bounds)?;
    statement.sql.push_str(&format!(" LIMIT 1 OFFSET {}", rows.saturating_sub(1)));
    Ok(statement)
}

/// One row where a key occurs twice, and one where a part of it is NULL.
pub(super) fn key_checks(select: &Select, dialect: Dialect) -> [String; 2] {
    let table = Table::new(&select.rows, dialect);
    let columns: Vec<String> = select.key.iter().map(|column| table.column(&column.name)).collect();
    let filter = select.filter.as_ref().map(|sql| format!("({sql}\n)"));
    let nulls = columns.iter().map(|column| format!("{column} IS NULL")).collect::<Vec<_>>().join(" OR ");
    let also = filter.as_ref().map(|sql| format!(" AND {sql}")).unwrap_or_default();
    let only = filter.map(|sql| format!(" WHERE {sql}")).unwrap_or_default();
    let keys = columns.join(", ");
    [
        format!("SELECT 1 FROM {}{only} GROUP BY {keys} HAVING count(*) > 1 LIMIT 1", table.sql),
        format!("SELECT 1 FROM {} WHERE ({nulls}){also} LIMIT 1", table.sql),
    ]
}

/// Row comparison, which PostgreSQL and SQLite answer from the index: `(a, b) > (x, y)`.
pub(super) fn row_comparison(columns: &[String], placeholders: &[String], side: Side) -> String {
    let operator = match side {
        Side::After => ">",
        Side::UpTo => "<=",
    };
    match (columns, placeholders) {
        ([column], [placeholder]) => format!("{column} {operator} {placeholder}"),
        _ => format!("({}) {operator} ({})", columns.join(", "), placeholders.join(", ")),
    }
}

/// The form that MySQL answers from the index: `(a > x OR (a = x AND b > y))`. `placeholder` is asked
/// for each placeholder in the order in which they stand in the text.
pub(super) fn expanded_comparison(
    columns: &[String],
    side: Side,
    mut placeholder: impl FnMut(usize) -> String,
) -> String {
    let mut alternatives = Vec::with_capacity(columns.len());
    for last in 0..columns.len() {
        let strict = side == Side::After || last + 1 < columns.len();
        let operator = match (side, strict) {
            (Side::After, _) => ">",
            (Side::UpTo, true) => "<",
            (Side::UpTo, false) => "<=",
        };
        let terms: Vec<String> = columns
            .iter()
            .enumerate()
            .take(last + 1)
            .map(|(at, column)| {
                let operator = if at == last { operator } else { "=" };
                format!("{column} {operator} {}", placeholder(at))
            })
            .collect();
        alternatives.push(match terms.as_slice() {
            [one] => one.clone(),
            _ => format!("({})", terms.join(" AND ")),
        });
    }
    format!("({})", alternatives.join(" OR "))
}

/// What a cell of an output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellKind {
    Value,
    Condition,
}

pub(super) fn cell_kinds(select: &Select) -> Vec<CellKind> {
    let kind = |output: &super::Output| match output {
        super::Output::Column(_) | super::Output::Computed { .. } => CellKind::Value,
        super::Output::Condition { .. } => CellKind::Condition,
    };
    select.output.iter().map(kind).collect()
}

/// Every output of a select as SQL; `cast` is the dialect's way to read a column's type.
pub(super) fn outputs(
    select: &Select,
    dialect: Dialect,
    cast: impl Fn(&super::Column, &str) -> String,
) -> Vec<String> {
    let table = Table::new(&select.rows, dialect);
    let output = |output: &super::Output| match output {
        super::Output::Column(column) => cast(column, &table.column(&column.name)),
        super::Output::Computed { column, sql } => cast(column, &format!("({sql}\n)")),
        super::Output::Condition { sql } => condition(sql),
    };
    select.output.iter().map(output).collect()
}

pub(super) fn condition(sql: &str) -> String {
    format!("CASE WHEN ({sql}\n) THEN 1 ELSE 0 END")
}

/// The column behind an output that holds a value.
pub(super) fn value_of(output: &super::Output) -> Option<&super::Column> {
    match output {
        super::Output::Column(column) | super::Output::Computed { column, .. } => Some(column),
        super::Output::Condition { .. } => None,
    }
}
