//! The pieces of SQL that an entity's description is made of, and how each is checked alone.

use super::statement::{self, Table};
use super::{Column, Computed, Dialect, Piece, Relation, Rows, SourceError, SourceErrorKind, sql_text};
use crate::mapping::closest;

/// Tables named in a hint at most.
const LISTED: usize = 10;

/// What is to be described.
pub(super) struct Pieces<'a> {
    pub(super) rows: &'a Rows,
    pub(super) filter: Option<&'a str>,
    pub(super) computed: &'a [Computed],
    pub(super) conditions: &'a [String],
}

impl Pieces<'_> {
    /// A statement for each piece beside the rows, to prepare and not to run; its columns are those
    /// of the piece.
    pub(super) fn checks(&self, dialect: Dialect) -> Vec<(Piece, Result<String, SourceError>)> {
        let table = Table::new(self.rows, dialect).sql;
        let filters = self.filter.iter().map(|sql| (Piece::Filter, *sql));
        let computed = self.computed.iter().enumerate();
        let computed = computed.map(|(at, computed)| (Piece::Computed(at), computed.sql.as_str()));
        let conditions = self.conditions.iter().enumerate();
        let conditions = conditions.map(|(at, sql)| (Piece::Condition(at), sql.as_str()));
        let check = |(piece, sql): (Piece, &str)| {
            let checked = sql_text::check_expression(sql, dialect).map_err(|cause| error(piece, cause));
            (piece, checked.map(|()| check(&table, piece, sql)))
        };
        filters.chain(computed).chain(conditions).map(check).collect()
    }
}

/// In WHERE as well, where aggregates, window functions and sets are refused: each would depend on
/// the rows of a page.
fn check(table: &str, piece: Piece, sql: &str) -> String {
    match piece {
        Piece::Rows | Piece::Filter => format!("SELECT 1 FROM {table} WHERE ({sql}\n)"),
        Piece::Computed(_) => format!("SELECT ({sql}\n) FROM {table} WHERE ({sql}\n) IS NOT NULL"),
        Piece::Condition(_) => format!("SELECT 1 FROM {table} WHERE {} = 1", statement::condition(sql)),
    }
}

/// A query as it is, to find its columns' names, and as it will be read. Only a SELECT can be both.
pub(super) fn query(query: &str, dialect: Dialect) -> Result<[String; 2], SourceError> {
    let bare = sql_text::one_statement(query, dialect).map_err(|cause| error(Piece::Rows, cause))?;
    let wrapped = Table::new(&Rows::Query(query.to_owned()), dialect).sql;
    Ok([bare.to_owned(), format!("SELECT q.* FROM {wrapped}")])
}

/// Names that differ in case only are one name to two of the three databases.
pub(super) fn no_duplicates(columns: &[Column]) -> Result<(), SourceError> {
    for (at, column) in columns.iter().enumerate() {
        let name = column.name.to_lowercase();
        if columns.iter().take(at).any(|other| other.name.to_lowercase() == name) {
            let cause = format!("two columns are named `{}`", column.name);
            return Err(
                error(Piece::Rows, &cause).with_hint("give each column of the query its own name with AS")
            );
        }
    }
    Ok(())
}

/// Computed columns carry the names of the mapping.
pub(super) fn name_computed(relation: &mut Relation, computed: &[Computed]) {
    for (column, computed) in relation.computed.iter_mut().zip(computed) {
        column.name.clone_from(&computed.name);
        column.nullable = true;
    }
}

pub(super) fn error(piece: Piece, cause: &str) -> SourceError {
    SourceError::new(SourceErrorKind::Sql(piece), prepare_context(piece), cause)
}

pub(super) fn parameters(piece: Piece) -> SourceError {
    error(piece, "it has parameters, which nothing fills")
        .with_hint("write ? and $1 as SQL without placeholders, or inside quotes")
}

pub(super) fn not_a_name(name: &str, dialect: Dialect) -> SourceError {
    let quoted = sql_text::quote("Order Details", dialect);
    error(Piece::Rows, &format!("`{name}` is no table or view")).with_hint(format!(
        "`from` is one name, schema-qualified and quoted where the database needs it, as in `from = '{quoted}'`; use `query` for more"
    ))
}

/// What to write instead of a table's name that does not stand; `tables` as SQL writes them.
pub(super) fn likely_table(name: &str, tables: &[String], dialect: Dialect) -> String {
    let bare = |name: &str| name.rsplit('.').next().unwrap_or_default().trim_matches(['"', '`']).to_owned();
    let same = tables.iter().find(|table| bare(table) == bare(name));
    let likely = || {
        let names: Vec<String> = tables.iter().map(|table| bare(table)).collect();
        let found = closest(&bare(name), names.iter().map(String::as_str))?;
        tables.iter().find(|table| bare(table) == found)
    };
    match (same.filter(|_| !name.contains(['.', '"', '`'])), same.or_else(likely), tables) {
        // There, but a word of SQL, or with capitals.
        (Some(_), ..) => format!("quote it: `from = '{}'`", sql_text::quote(name, dialect)),
        (_, Some(likely), _) => format!("did you mean `{likely}`?"),
        (.., []) => "the database has no table that this user may see".to_owned(),
        (.., tables) => {
            let listed: Vec<String> = tables.iter().take(LISTED).map(|table| format!("`{table}`")).collect();
            let listed = listed.join(", ");
            let more = tables.len().saturating_sub(LISTED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("the database has {listed}{more}")
        }
    }
}

pub(super) fn prepare_context(piece: Piece) -> String {
    let name = match piece {
        Piece::Rows => "rows",
        Piece::Filter => "where",
        Piece::Computed(_) => "let",
        Piece::Condition(_) => "when",
    };
    format!("prepare the SQL of `{name}`")
}
