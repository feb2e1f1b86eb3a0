//! The sections of the file.

use super::section::{Keys, Section};
use super::walker::{Read, Walker};
use crate::mapping::diagnostic::Diagnostic;

pub(in crate::mapping) const KEYS: Keys =
    Keys { known: &["source", "defaults", "table", "write", "entities", "access_patterns"], later: &[] };

/// A section that every mapping has.
pub(super) fn required_section<'a>(
    walker: &mut Walker<'a>,
    root: &Section<'a>,
    key: &str,
    keys: &Keys,
    example: &str,
) -> Read<Section<'a>> {
    match optional_section(walker, root, key, keys)? {
        Some(section) => Ok(section),
        None if root.is_misspelt(key) => Err(walker.missing(root, key, example)),
        None => {
            let mistake = Diagnostic::nowhere("missing-key", format!("the mapping has no [{key}]"))
                .with_help(format!("for example:\n{example}"));
            Err(walker.report(mistake))
        }
    }
}

pub(super) fn optional_section<'a>(
    walker: &mut Walker<'a>,
    root: &Section<'a>,
    key: &str,
    keys: &Keys,
) -> Read<Option<Section<'a>>> {
    let Some(entry) = root.get(key) else { return Ok(None) };
    let table = walker.table(key, &format!("a table [{key}]"), entry.value)?;
    Ok(Some(Section::read(walker, format!("[{key}]"), entry.span.clone(), table, keys)))
}
