//! Puts a [`Select`] and bounds into one SQL statement, as far as the dialects agree.

use super::find::Wanted;
use super::parameters::{Bound, Predicate};
use super::sample::Window;
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

    /// `column = value`, with a value of several forms any of them; appends an argument for each placeholder.
    fn equal(table: &Table, wanted: &Wanted<'_>, statement: &mut Statement);

    /// A value in the type of its column, appending an argument for each placeholder.
    fn value(column: &super::Column, value: &KeyPart, statement: &mut Statement);

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
    let mut rows = Found::with_key::<C>(select, outputs)?;
    for (bound, side) in [(&bounds.after, Side::After), (&bounds.up_to, Side::UpTo)] {
        let Some(bound) = bound else { continue };
        if bound.0.len() != select.key.len() {
            let cause = format!("a position of {} columns for a key of {}", bound.0.len(), select.key.len());
            return Err(SourceError::new(SourceErrorKind::Config, IN_KEY_ORDER, cause));
        }
        rows.and(|table, statement| C::compare(table, select, bound, side, statement));
    }
    Ok(rows.ordered(select))
}

/// `SELECT output FROM … WHERE filter AND column = value AND … ORDER BY key LIMIT rows`.
pub(super) fn rows_equal<C: Comparison>(
    select: &Select,
    outputs: &[String],
    wanted: &[Wanted<'_>],
    rows: u64,
) -> Result<Statement, SourceError> {
    let mut found = Found::with_key::<C>(select, outputs)?;
    for wanted in wanted {
        found.and(|table, statement| C::equal(table, wanted, statement));
    }
    let mut statement = found.ordered(select);
    statement.sql.push_str(&format!(" LIMIT {rows}"));
    Ok(statement)
}

/// Of [`rows_within`] a window of rows, if given.
pub(super) fn window_within<C: Comparison>(
    select: &Select,
    outputs: &[String],
    bounds: &Bounds,
    window: Option<Window>,
) -> Result<Statement, SourceError> {
    let mut statement = rows_within::<C>(select, outputs, bounds)?;
    if let Some(Window { first, rows }) = window {
        statement.sql.push_str(&format!(" LIMIT {rows} OFFSET {first}"));
    }
    Ok(statement)
}

/// `SELECT output FROM … WHERE filter AND predicate`.
pub(super) fn rows_matching<C: Comparison>(
    select: &Select,
    outputs: &[String],
    predicate: &Predicate,
    bound: &Bound<'_>,
) -> Statement {
    let mut rows = Found::of::<C>(select, outputs);
    rows.and(|_, statement| predicate.bind::<C>(bound, statement));
    rows.statement
}

/// `SELECT output, values FROM …`: all rows, once as cells and once in the form that can be bound again.
pub(super) fn rows_to_draw<C: Comparison>(
    select: &Select,
    outputs: Vec<String>,
    value: impl Fn(&super::Column, &str) -> String,
) -> Statement {
    let table = Table::new(&select.rows, C::DIALECT);
    let columns = select.output.iter().filter_map(value_of);
    let values = columns.map(|column| value(column, &table.column(&column.name)));
    let outputs: Vec<String> = outputs.into_iter().chain(values).collect();
    all_rows::<C>(select, &outputs)
}

/// `SELECT output FROM … WHERE filter`.
pub(super) fn all_rows<C: Comparison>(select: &Select, outputs: &[String]) -> Statement {
    Found::of::<C>(select, outputs).statement
}

const IN_KEY_ORDER: &str = "read rows in key order";

/// An entity's SELECT up to its last condition.
struct Found {
    table: Table,
    statement: Statement,
    has_condition: bool,
}

impl Found {
    fn with_key<C: Comparison>(select: &Select, outputs: &[String]) -> Result<Self, SourceError> {
        match select.key.is_empty() {
            true => Err(SourceError::new(SourceErrorKind::Config, IN_KEY_ORDER, "no key columns")),
            false => Ok(Self::of::<C>(select, outputs)),
        }
    }

    fn of<C: Comparison>(select: &Select, outputs: &[String]) -> Self {
        let table = Table::new(&select.rows, C::DIALECT);
        let sql = format!("SELECT {} FROM {}", outputs.join(", "), table.sql);
        let mut rows =
            Self { table, statement: Statement { sql, arguments: Vec::new() }, has_condition: false };
        if let Some(filter) = &select.filter {
            rows.and(|_, statement| statement.sql.push_str(&format!("({filter}\n)")));
        }
        rows
    }

    fn and(&mut self, condition: impl FnOnce(&Table, &mut Statement)) {
        self.statement.sql.push_str(if self.has_condition { " AND " } else { " WHERE " });
        condition(&self.table, &mut self.statement);
        self.has_condition = true;
    }

    fn ordered(mut self, select: &Select) -> Statement {
        let order: Vec<String> = select.key.iter().map(|column| self.table.column(&column.name)).collect();
        self.statement.sql.push_str(&format!(" ORDER BY {}", order.join(", ")));
        self.statement
    }
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

pub(super) fn count(select: &Select, dialect: Dialect) -> String {
    let table = Table::new(&select.rows, dialect);
    let filter = select.filter.as_ref().map(|sql| format!(" WHERE ({sql}\n)")).unwrap_or_default();
    format!("SELECT count(*) FROM {}{filter}", table.sql)
}

/// One row where a key occurs twice, and one where a part of it is NULL.
pub(super) fn key_checks(select: &Select, dialect: Dialect) -> [String; 2] {
    let table = Table::new(&select.rows, dialect);
    let columns: Vec<String> = select.key.iter().map(|column| table.column(&column.name)).collect();
    let filter = select.filter.as_ref().map(|sql| format!(" AND ({sql}\n)")).unwrap_or_default();
    // A key with a NULL is the other statement's, however often it occurs.
    let whole =
        columns.iter().map(|column| format!("{column} IS NOT NULL")).collect::<Vec<_>>().join(" AND ");
    let nulls = columns.iter().map(|column| format!("{column} IS NULL")).collect::<Vec<_>>().join(" OR ");
    let keys = columns.join(", ");
    [
        format!(
            "SELECT 1 FROM {} WHERE {whole}{filter} GROUP BY {keys} HAVING count(*) > 1 LIMIT 1",
            table.sql
        ),
        format!("SELECT 1 FROM {} WHERE ({nulls}){filter} LIMIT 1", table.sql),
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

/// `a = x`, or `a IN (x, y)`.
pub(super) fn any_of(column: &str, values: &[String]) -> String {
    match values {
        [value] => format!("{column} = {value}"),
        _ => format!("{column} IN ({})", values.join(", ")),
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

/// As [`cell_kinds`], with the texts behind the cells.
pub(super) fn sample_kinds(select: &Select) -> Vec<CellKind> {
    let mut kinds = cell_kinds(select);
    kinds.resize(kinds.len() * 2, CellKind::Value);
    kinds
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

/// Every output as the server's own text; `text` is the dialect's way to get it of a column, `cast` that
/// of anything.
pub(super) fn texts(
    select: &Select,
    dialect: Dialect,
    text: impl Fn(&super::Column, &str) -> String,
    cast: impl Fn(&str) -> String,
) -> Vec<String> {
    let table = Table::new(&select.rows, dialect);
    let output = |output: &super::Output| match output {
        super::Output::Column(column) => text(column, &table.column(&column.name)),
        super::Output::Computed { column, sql } => text(column, &format!("({sql}\n)")),
        super::Output::Condition { sql } => cast(&condition(sql)),
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
