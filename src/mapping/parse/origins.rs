//! Where each attribute of an entity's items comes from: one place each.

use std::fmt;

use super::section::Section;
use super::table::Outline;
use super::walker::{Read, Walker};
use crate::mapping::diagnostic::{Diagnostic, Span, quoted};
use crate::mapping::{Attribute, ColumnChoice, Index, IndexEntry, KeyAttribute};

/// The parts of an entity that write attributes, as far as they could be read.
pub(super) struct Parts<'p> {
    pub(super) columns: Option<&'p ColumnChoice>,
    /// Whether the names of columns may change on their way.
    pub(super) renames: bool,
    pub(super) indexes: Option<&'p [Read<IndexEntry>]>,
    pub(super) attributes: Option<&'p [Read<Attribute>]>,
}

/// Finds attributes with two origins, and index blocks whose index the items cannot enter.
pub(super) fn check(
    walker: &mut Walker<'_>,
    entity: &Section<'_>,
    parts: &Parts<'_>,
    outline: &Outline,
) -> Read<()> {
    let origins = all(entity, parts, outline);
    let mut mistakes = with_two_origins(&origins);
    if parts.knows_attributes() {
        mistakes.extend(without_origin(parts, outline, &origins));
    }
    match mistakes.into_iter().map(|mistake| walker.report(mistake)).last() {
        Some(reported) => Err(reported),
        None => Ok(()),
    }
}

/// An attribute, and the key of the mapping that writes it.
struct Origin<'a> {
    attribute: &'a str,
    writer: Writer<'a>,
    span: Span,
}

enum Writer<'a> {
    /// `pk`, `sk` or `entity_type`: clashes among these are the table's.
    Table(&'static str),
    Index(&'a str, &'static str),
    Attributes,
}

impl Parts<'_> {
    fn knows_attributes(&self) -> bool {
        self.attributes.is_some_and(|attributes| attributes.iter().all(Result::is_ok))
    }

    fn index_entries(&self) -> impl Iterator<Item = &IndexEntry> {
        self.indexes.into_iter().flatten().filter_map(|index| index.as_ref().ok())
    }

    fn read_attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.into_iter().flatten().filter_map(|attribute| attribute.as_ref().ok())
    }

    /// Columns are known only where they are listed.
    fn may_have_column(&self, attribute: &str) -> bool {
        match self.columns {
            Some(ColumnChoice::List(columns)) if columns.is_empty() => false,
            Some(ColumnChoice::List(columns)) => {
                self.renames || columns.iter().any(|column| column.get_ref() == attribute)
            }
            _ => true,
        }
    }
}

fn all<'a>(entity: &Section<'_>, parts: &'a Parts<'_>, outline: &'a Outline) -> Vec<Origin<'a>> {
    let of_key = |key: Option<&'a KeyAttribute>, word: &'static str| {
        let span = entity.value(word)?.span();
        Some(Origin { attribute: key?.name.get_ref(), writer: Writer::Table(word), span })
    };
    let sort_key = outline.sort_key.iter().flatten().next();
    let mut origins = Vec::new();
    origins.extend(of_key(outline.partition_key.as_ref(), "pk"));
    origins.extend(of_key(sort_key, "sk"));
    origins.extend(outline.entity_type.iter().map(|name| Origin {
        attribute: name.get_ref(),
        writer: Writer::Table("entity_type"),
        span: name.span(),
    }));
    origins.extend(parts.index_entries().flat_map(|entry| of_index(entry, outline)));
    origins.extend(parts.read_attributes().map(|attribute| Origin {
        attribute: attribute.name.get_ref(),
        writer: Writer::Attributes,
        span: attribute.name.span(),
    }));
    origins
}

fn of_index<'a>(entry: &'a IndexEntry, outline: &'a Outline) -> Vec<Origin<'a>> {
    let Some(index) = index_of(entry, outline) else { return Vec::new() };
    let pk = index.partition_key.iter().zip(&entry.pk).map(|(key, template)| (key, "pk", template));
    let sk = index.sort_key.iter().zip(&entry.sk).map(|(key, template)| (key, "sk", template));
    pk.chain(sk)
        .map(|(key, word, template)| Origin {
            attribute: key.name.get_ref(),
            writer: Writer::Index(entry.index.get_ref(), word),
            span: template.span.clone(),
        })
        .collect()
}

fn index_of<'a>(entry: &IndexEntry, outline: &'a Outline) -> Option<&'a Index> {
    outline.indexes.iter().find(|index| index.name.get_ref() == entry.index.get_ref())
}

fn with_two_origins(origins: &[Origin<'_>]) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    for (position, origin) in origins.iter().enumerate() {
        let first = origins.iter().take(position).find(|earlier| earlier.attribute == origin.attribute);
        let Some(first) = first.filter(|_| !matches!(origin.writer, Writer::Table(_))) else { continue };
        let name = quoted(origin.attribute);
        let message = format!("attribute {name} has two origins: {} and {}", first.writer, origin.writer);
        let mistake = Diagnostic::error("duplicate-attribute", origin.span.clone(), message);
        mistakes.push(mistake.with_help(help(first, origin)));
    }
    mistakes
}

fn help(first: &Origin<'_>, second: &Origin<'_>) -> String {
    match (&first.writer, &second.writer) {
        (Writer::Table(_), Writer::Index(index, word)) => {
            format!("take `{word}` out: the items are in index {} by the attributes they have", quoted(index))
        }
        _ => "take one of them out, or name the attribute otherwise".to_owned(),
    }
}

/// Keys of an index block's index that nothing writes.
fn without_origin(parts: &Parts<'_>, outline: &Outline, origins: &[Origin<'_>]) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    for entry in parts.index_entries() {
        let Some(index) = index_of(entry, outline) else { continue };
        let partition_key = index.partition_key.iter().map(|key| (key, "pk"));
        for (key, word) in partition_key.chain(index.sort_key.iter().map(|key| (key, "sk"))) {
            let name = key.name.get_ref();
            let is_written = origins.iter().any(|origin| origin.attribute == name);
            if !is_written && !parts.may_have_column(name) {
                mistakes.push(missing(entry, name, word));
            }
        }
    }
    mistakes
}

fn missing(entry: &IndexEntry, attribute: &str, word: &str) -> Diagnostic {
    let (index, attribute) = (quoted(entry.index.get_ref()), quoted(attribute));
    let message = format!("no item gets into index {index}: nothing writes its key attribute {attribute}");
    Diagnostic::error("missing-key", entry.index.span(), message)
        .with_help(format!("add `{word}` to this block, or {attribute} to the attributes"))
}

impl fmt::Display for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Writer::Table(word) => write!(f, "`{word}`"),
            Writer::Index(index, word) => write!(f, "`{word}` of index {}", quoted(index)),
            Writer::Attributes => f.write_str("`attributes`"),
        }
    }
}
