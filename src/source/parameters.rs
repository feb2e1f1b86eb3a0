//! Access patterns: rows of `params`, drawn from all of them, and predicates in which their values are bound.

use std::collections::BTreeMap;
use std::fmt;

use super::statement::{Comparison, Statement};
use super::{Column, Dialect, KeyPart, Output, Page, PageBuilder, RawCell, Select, sql_text};

/// One row of `params`.
#[derive(Debug)]
pub struct ParameterRow {
    /// The row alone.
    pub page: Page,
    /// The same values in the form in which the database takes them back; `None` for NULL.
    pub values: Vec<Option<KeyPart>>,
}

impl ParameterRow {
    /// What is asked for where there are no `params`.
    pub fn without_values() -> Self {
        let mut page = PageBuilder::new(1);
        page.push(RawCell::Null);
        Self { page: page.finish(), values: Vec::new() }
    }
}

/// Which rows are drawn: those with the lowest ranks, each row once. What decides are the values alone,
/// so that the order in which the database returns them does not matter.
pub struct Draw<'a> {
    most: usize,
    rank: &'a (dyn Fn(&[Option<KeyPart>]) -> u64 + Send + Sync),
    kept: BTreeMap<u64, ParameterRow>,
    /// Rows that were offered.
    seen: u64,
}

impl fmt::Debug for Draw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draw")
            .field("most", &self.most)
            .field("kept", &self.kept.len())
            .finish_non_exhaustive()
    }
}

impl<'a> Draw<'a> {
    pub fn new(most: usize, rank: &'a (dyn Fn(&[Option<KeyPart>]) -> u64 + Send + Sync)) -> Self {
        Self { most, rank, kept: BTreeMap::new(), seen: 0 }
    }

    /// The rank of a row that is to be kept, as far as is known by now.
    pub(super) fn place(&mut self, values: &[Option<KeyPart>]) -> Option<u64> {
        self.seen += 1;
        let rank = (self.rank)(values);
        let full = self.kept.len() >= self.most;
        let beyond = full && self.kept.last_key_value().is_none_or(|(last, _)| rank > *last);
        (!beyond && !self.kept.contains_key(&rank)).then_some(rank)
    }

    pub(super) fn keep(&mut self, rank: u64, row: ParameterRow) {
        self.kept.insert(rank, row);
        if self.kept.len() > self.most {
            self.kept.pop_last();
        }
    }

    pub fn seen(&self) -> u64 {
        self.seen
    }

    pub fn rows(self) -> Vec<ParameterRow> {
        self.kept.into_values().collect()
    }
}

/// An SQL condition with `{x}` where values are bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Sql(String),
    Value(String),
}

impl Predicate {
    /// `{x}` and `{"X y"}` stand for values, but not in quotes and comments. All else is SQL as it is.
    pub fn parse(sql: &str, dialect: Dialect) -> Self {
        let opaque = sql_text::opaque(sql, dialect);
        let mut parts = Vec::new();
        let mut copied = 0;
        let mut at = 0;
        while let Some(found) = sql.get(at..).and_then(|rest| rest.find('{')) {
            let open = at + found;
            if let Some(range) = opaque.iter().find(|range| range.contains(&open)) {
                at = range.end;
            } else if let Some((name, length)) = placeholder(sql.get(open..).unwrap_or_default()) {
                parts.push(Part::Sql(sql.get(copied..open).unwrap_or_default().to_owned()));
                parts.push(Part::Value(name));
                at = open + length;
                copied = at;
            } else {
                at = open + 1;
            }
        }
        parts.push(Part::Sql(sql.get(copied..).unwrap_or_default().to_owned()));
        Self { parts }
    }

    /// The values that it asks for.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Value(name) => Some(name.as_str()),
            Part::Sql(_) => None,
        })
    }

    /// As SQL with NULLs of the values' types, to see whether it stands. `columns` have the values' names.
    pub fn with_nulls(&self, columns: &[Column], dialect: Dialect) -> String {
        let part = |part: &Part| match part {
            Part::Sql(sql) => sql.clone(),
            Part::Value(name) => match columns.iter().find(|column| column.name == *name) {
                Some(column) => null(column, dialect),
                None => "NULL".to_owned(),
            },
        };
        self.parts.iter().map(part).collect()
    }

    /// Appends the condition with its arguments.
    pub(super) fn bind<C: Comparison>(&self, bound: &Bound<'_>, statement: &mut Statement) {
        statement.sql.push('(');
        for part in &self.parts {
            match part {
                Part::Sql(sql) => statement.sql.push_str(sql),
                Part::Value(name) => match bound.value(name) {
                    Some((column, Some(value))) => C::value(column, value, statement),
                    Some((column, None)) => statement.sql.push_str(&null(column, C::DIALECT)),
                    None => statement.sql.push_str("NULL"),
                },
            }
        }
        statement.sql.push_str("\n)");
    }
}

/// PostgreSQL tells by its type which operator is meant.
fn null(column: &Column, dialect: Dialect) -> String {
    match dialect {
        Dialect::Postgres => format!("NULL::{}", column.sql_type),
        Dialect::Mysql | Dialect::Sqlite => "NULL".to_owned(),
    }
}

/// The name of a placeholder that a text begins with, and its length.
fn placeholder(text: &str) -> Option<(String, usize)> {
    let inside = text.strip_prefix('{')?;
    if let Some(quoted) = inside.strip_prefix('"') {
        let end = quoted.find('"')?;
        let name = quoted.get(..end)?;
        return quoted.get(end..)?.starts_with("\"}").then(|| (name.to_owned(), end + 4));
    }
    let end = inside.find('}')?;
    let name = inside.get(..end)?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| (name.to_owned(), end + 2))
}

/// The values of a row of `params`, with their columns.
#[derive(Debug, Clone, Copy)]
pub struct Bound<'a> {
    select: Option<&'a Select>,
    values: &'a [Option<KeyPart>],
}

impl<'a> Bound<'a> {
    /// `select` is that of `params`, if there is one.
    pub fn new(select: Option<&'a Select>, values: &'a [Option<KeyPart>]) -> Self {
        Self { select, values }
    }

    fn value(&self, name: &str) -> Option<(&'a Column, Option<&'a KeyPart>)> {
        let outputs = self.select.map(|select| select.output.as_slice()).unwrap_or_default();
        outputs.iter().zip(self.values).find_map(|(output, value)| match output {
            Output::Column(column) if column.name == name => Some((column, value.as_ref())),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(sql: &str, dialect: Dialect) -> Vec<String> {
        Predicate::parse(sql, dialect).names().map(str::to_owned).collect()
    }

    #[test]
    fn placeholders_stand_outside_quotes_and_comments() {
        let sql = "a = {x} AND tags @> '{y,z}' -- {no}\n AND \"{n}\" < {\"Unit Price\"} /* {c} */";
        assert_eq!(names(sql, Dialect::Postgres), ["x", "Unit Price"]);
        assert_eq!(names("d > {d '2024-01-01'} AND j = '{\\'a}' AND b = {b}", Dialect::Mysql), ["b"]);
        assert_eq!(names("a = $${x}$$ OR b = {x}{y}", Dialect::Postgres), ["x", "y"]);
        assert_eq!(names("true", Dialect::Sqlite), [""; 0]);
    }

    #[test]
    fn nothing_of_the_sql_around_them_is_lost() {
        for sql in ["{a} = b", "é{a}ü{b}", "{", "{a", "a}", "{}", "{a b}", "x = '{a}'"] {
            let predicate = Predicate::parse(sql, Dialect::Sqlite);
            let names: Vec<&str> = predicate.names().collect();
            let expected =
                names.iter().fold(sql.to_owned(), |sql, name| sql.replace(&format!("{{{name}}}"), "NULL"));
            assert_eq!(predicate.with_nulls(&[], Dialect::Sqlite), expected);
        }
    }

    #[test]
    fn the_rows_of_the_lowest_ranks_are_drawn_once_each_in_any_order() {
        let rank = |values: &[Option<KeyPart>]| match values {
            [Some(KeyPart::Integer(value))] => u64::try_from(value * 7 % 101).unwrap(),
            _ => u64::MAX,
        };
        let draw = |rows: &[i64]| {
            let mut draw = Draw::new(5, &rank);
            for row in rows {
                let values = vec![Some(KeyPart::Integer(*row))];
                if let Some(rank) = draw.place(&values) {
                    draw.keep(rank, ParameterRow { page: Page::default(), values });
                }
            }
            draw.rows().into_iter().map(|row| row.values).collect::<Vec<_>>()
        };
        let forwards: Vec<i64> = (0..100).chain(0..100).collect();
        let backwards: Vec<i64> = (0..100).rev().collect();
        assert_eq!(draw(&forwards), draw(&backwards));
        assert_eq!(draw(&forwards).len(), 5);
        assert_eq!(draw(&[3, 3, 3]).len(), 1);
    }
}
