//! TOML tree → [`Mapping`], every mistake collected.
//!
//! A value that could not be read is a [`walker::Reported`], which only a collected mistake makes: where
//! there is no mistake, there is a mapping.

mod attribute;
mod columns;
mod computed;
mod constant;
mod create;
mod defaults;
mod duration;
mod entity;
mod index;
mod index_entry;
mod key_attribute;
mod key_template;
mod names;
mod origins;
mod pattern;
mod pattern_placeholders;
mod pattern_sort_key;
mod root;
mod section;
mod sections;
mod settings;
mod source;
mod step;
mod syntax;
mod table;
mod table_rules;
mod template;
mod text;
mod ttl;
mod url;
mod walker;
mod write;

use toml::de::DeTable;

use self::section::Section;
pub use self::sections::{SectionKeys, sections};
use self::walker::Walker;
use super::diagnostic::Diagnostic;
use super::file::MappingFile;
use super::{Environment, Mapping};

pub(super) fn mapping(file: &MappingFile, environment: Environment<'_>) -> Result<Mapping, Vec<Diagnostic>> {
    let (tree, errors) = DeTable::parse_recoverable(&file.text);
    let syntax = syntax::mistakes(&file.text, tree.get_ref(), &errors);
    let mut walker = Walker::new(&file.text, None);
    let mut with_variables = Walker::new(&file.text, Some(environment));

    let root = Section::read(&mut walker, "the mapping", tree.span(), tree.get_ref(), &root::KEYS);
    let source = source::read(&mut with_variables, &root);
    let (table, outline) = table::read(&mut with_variables, &root);
    let write = write::read(&mut walker, &root);
    let defaults = defaults::read(&mut walker, &root);
    let entities = entity::read_all(&mut walker, &root, &outline, &defaults.clone().unwrap_or_default());
    let patterns = pattern::read_all(&mut walker, &root, &outline);

    let mut mistakes = with_variables.into_mistakes();
    mistakes.extend(walker.into_mistakes());
    syntax::without_followers(&file.text, &syntax, &mut mistakes);
    mistakes.extend(syntax);
    match (source, table, write, defaults, entities, patterns) {
        (Ok(source), Ok(table), Ok(write), Ok(_), Ok(entities), Ok(patterns)) if mistakes.is_empty() => {
            Ok(Mapping { source, table, write, entities, patterns })
        }
        _ => Err(in_order(mistakes)),
    }
}

/// By place; what has none comes first.
fn in_order(mut mistakes: Vec<Diagnostic>) -> Vec<Diagnostic> {
    mistakes.sort_by_key(|mistake| mistake.span.as_ref().map(|span| (span.start, span.end)));
    mistakes.dedup_by(|a, b| a.span == b.span && a.code == b.code && a.message == b.message);
    mistakes
}
