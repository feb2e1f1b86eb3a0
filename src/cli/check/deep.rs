//! `check --deep`: texts in keys that are near to others, counted in the rows.

use indexmap::IndexMap;
use serde::Serialize;

use crate::cli::terminal::Terminal;
use crate::load::redacted;
use crate::mapping::{Diagnostic, Mapping};
use crate::near::{Near, NearQuestions, near, questions};
use crate::plan::Plan;
use crate::report::cost::thousands;
use crate::source::{PageLimits, Source, SourceError};

/// One finding for programs.
#[derive(Debug, Serialize)]
pub(super) struct DeepFinding {
    entity: String,
    code: &'static str,
    column: String,
    /// The table that is referred to.
    parent: Option<String>,
    rows: u64,
    examples: Vec<IndexMap<String, String>>,
}

/// What was found in the rows.
pub(super) struct Deep {
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) findings: Vec<DeepFinding>,
}

const LIMITS: PageLimits = PageLimits { rows: 5000, bytes: 8 * 1024 * 1024 };

/// Says what it costs, then reads.
pub(super) async fn deep(
    mapping: &Mapping,
    plan: &Plan,
    source: &mut Source,
    redact: bool,
    terminal: &Terminal,
) -> Result<Deep, SourceError> {
    let asked = questions(mapping, plan, source).await?;
    asked.iter().flat_map(cost).for_each(|line| terminal.remark(&line));
    if asked.is_empty() {
        terminal.remark("--deep: no key holds a text column, nothing to read");
        return Ok(Deep { diagnostics: Vec::new(), findings: Vec::new() });
    }
    let mut found = near(&asked, source, LIMITS).await?;
    if redact {
        let keys = found.iter_mut().flat_map(|near| &mut near.examples).flatten();
        keys.for_each(|(_, value)| *value = redacted(value));
    }
    Ok(Deep {
        diagnostics: found.iter().map(diagnostic).collect(),
        findings: found.iter().map(finding).collect(),
    })
}

fn cost(asked: &NearQuestions<'_>) -> Vec<String> {
    let rows = match asked.entity.expected_rows() {
        Some(rows) => format!("about {} rows", thousands(rows)),
        None => "all its rows".to_owned(),
    };
    let name = &asked.entity.name;
    let joined = asked.joined().map(|(column, table)| {
        format!("--deep: joins {name} ({rows}) with {table} by {column}, in the database")
    });
    let mut lines: Vec<String> = joined.collect();
    let read: Vec<&str> = asked.read().collect();
    if !read.is_empty() {
        lines.push(format!("--deep: reads {} of {name} ({rows})", read.join(", ")));
    }
    lines
}

fn code(near: &Near) -> &'static str {
    if near.parent.is_some() { "near-parent" } else { "near-twins" }
}

fn finding(near: &Near) -> DeepFinding {
    DeepFinding {
        entity: near.entity.clone(),
        code: code(near),
        column: near.column.clone(),
        parent: near.parent.as_ref().map(|key| key.table.clone()),
        rows: near.rows,
        examples: near.examples.iter().map(|key| key.iter().cloned().collect()).collect(),
    }
}

fn diagnostic(near: &Near) -> Diagnostic {
    let Near { entity, column, .. } = near;
    let rows = match near.rows {
        1 => "1 row".to_owned(),
        rows => format!("{} rows", thousands(rows)),
    };
    let examples = examples(near);
    let (message, help) = match &near.parent {
        Some(parent) => {
            let place = parent.columns.iter().position(|own| own == column);
            let referenced = place.and_then(|place| parent.referenced.get(place)).unwrap_or(column);
            let table = &parent.table;
            let message = format!(
                "{rows} of `{entity}` with another spelling of `{column}` than the parent's in {table} (case, blanks or Unicode \
                 form), and so with another key: {examples}"
            );
            let help = format!(
                "take the parent's own spelling by a join in `query` (`… JOIN {table} p ON p.{referenced} = c.{column}`), or \
                 canonicalise it in the keys of both: `{{{column}:trim|lower}}`"
            );
            (message, help)
        }
        None => {
            let message = format!(
                "{rows} of `{entity}` with a `{column}` that others spell otherwise (case, blanks or Unicode form), each \
                 spelling with a key of its own: {examples}"
            );
            let help = format!(
                "canonicalise it in the key, `{{{column}:trim|lower}}`, and in what is looked up; where it tells rows apart, \
                 mend the rows first, and Unicode forms always there"
            );
            (message, help)
        }
    };
    Diagnostic::warning(code(near), near.span.clone(), message).with_help(help)
}

/// `id=3; id=7; …`
fn examples(near: &Near) -> String {
    let key = |key: &Vec<(String, String)>| {
        let parts: Vec<String> = key.iter().map(|(name, value)| format!("{name}={value}")).collect();
        parts.join(" ")
    };
    let keys: Vec<String> = near.examples.iter().map(key).collect();
    let shown = u64::try_from(keys.len()).unwrap_or(u64::MAX);
    let more = if shown < near.rows { "; …" } else { "" };
    format!("{}{more}", keys.join("; "))
}
