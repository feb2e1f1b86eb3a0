//! `let`: further columns, in SQL of the source.

use toml::Spanned;

use super::section::{Entry, entries};
use super::walker::{Read, Value, Walker};
use crate::mapping::Computed;
use crate::mapping::diagnostic::{Diagnostic, quoted};

pub(super) fn read<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Vec<Computed>> {
    let table = walker.table(key, "a table of names and SQL", value)?;
    let mut seen: Vec<String> = Vec::new();
    let computed: Vec<Read<Computed>> = entries(table)
        .iter()
        .map(|entry| {
            let sql = walker.text(entry.name, entry.value);
            let name = column_name(walker, entry, &mut seen);
            Ok(Computed { name: name?, sql: sql?.spanned() })
        })
        .collect();
    computed.into_iter().collect()
}

/// SQL tells column names apart without regard to case.
fn column_name(walker: &mut Walker<'_>, entry: &Entry<'_>, seen: &mut Vec<String>) -> Read<Spanned<String>> {
    let folded = entry.name.to_lowercase();
    let problem = if entry.name.trim().is_empty() {
        Some(("empty-value", "a computed column has an empty name".to_owned()))
    } else if seen.contains(&folded) {
        let message = format!("{} differs from another name of `let` by case alone", quoted(entry.name));
        Some(("duplicate-name", message))
    } else {
        None
    };
    seen.push(folded);
    match problem {
        Some((code, message)) => {
            let mistake = Diagnostic::error(code, entry.span.clone(), message)
                .with_help("take another name: SQL does not tell upper from lower case");
            Err(walker.report(mistake))
        }
        None => Ok(Spanned::new(entry.span.clone(), entry.name.to_owned())),
    }
}
