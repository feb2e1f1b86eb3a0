//! Where each attribute of an entity's items comes from: one place each.

use crate::mapping::diagnostic::{Diagnostic, Span, quoted};
use crate::mapping::{ColumnChoice, Entity, Index, IndexEntry, KeyAttribute};

use super::table::Outline;
use super::walker::{Read, Walker};

/// Finds attributes with two origins, and index blocks whose index the items cannot enter.
pub(super) fn check(walker: &mut Walker<'_>, entity: &Entity, outline: &Outline) -> Read<()> {
    let origins = all(entity, outline);
    let mut mistakes = with_two_origins(&origins);
    mistakes.extend(without_origin(entity, outline, &origins));
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
    Key(&'static str),
    EntityType,
    Index(&'a str, &'static str),
    Attributes,
}

fn all<'a>(entity: &'a Entity, outline: &'a Outline) -> Vec<Origin<'a>> {
    let of_key = |key: Option<&'a KeyAttribute>, word, span: &Span| {
        key.map(|key| Origin { attribute: key.name.get_ref(), writer: Writer::Key(word), span: span.clone() })
    };
    let sort_key = outline.sort_key.iter().flatten().next();
    let mut origins = Vec::new();
    origins.extend(of_key(outline.partition_key.as_ref(), "pk", &entity.pk.span));
    origins.extend(entity.sk.iter().filter_map(|sk| of_key(sort_key, "sk", &sk.span)));
    origins.extend(outline.entity_type.iter().map(|name| Origin {
        attribute: name.get_ref(),
        writer: Writer::EntityType,
        span: name.span(),
    }));
    origins.extend(entity.indexes.iter().flat_map(|entry| of_index(entry, outline)));
    origins.extend(entity.attributes.iter().map(|attribute| Origin {
        attribute: attribute.name.get_ref(),
        writer: Writer::Attributes,
        span: attribute.name.span(),
    }));
    origins
}

fn of_index<'a>(entry: &'a IndexEntry, outline: &'a Outline) -> Vec<Origin<'a>> {
    let Some(index) = index_of(entry, outline) else { return Vec::new() };
    let pk = entry.pk.as_ref().map(|template| (&index.partition_key, "pk", template));
    let sk = entry.sk.as_ref().zip(index.sort_key.as_ref()).map(|(template, key)| (key, "sk", template));
    pk.into_iter()
        .chain(sk)
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
        if let Some(first) = first {
            let name = quoted(origin.attribute);
            let message = format!("attribute {name} has two origins: {} and {}", first.writer, origin.writer);
            let mistake = Diagnostic::error("duplicate-attribute", origin.span.clone(), message);
            mistakes.push(mistake.with_help(help(first, origin)));
        }
    }
    mistakes
}

fn help(first: &Origin<'_>, second: &Origin<'_>) -> String {
    match (&first.writer, &second.writer) {
        (Writer::Key(_) | Writer::EntityType, Writer::Index(index, word)) => {
            format!("take `{word}` out: the items are in index {} by the attributes they have", quoted(index))
        }
        _ => "take one of them out, or name the attribute otherwise".to_owned(),
    }
}

/// Keys of an index block's index that nothing writes. Columns are known only where they are listed.
fn without_origin(entity: &Entity, outline: &Outline, origins: &[Origin<'_>]) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    for entry in &entity.indexes {
        let Some(index) = index_of(entry, outline) else { continue };
        let keys =
            std::iter::once((&index.partition_key, "pk")).chain(index.sort_key.iter().map(|key| (key, "sk")));
        for (key, word) in keys {
            let name = key.name.get_ref();
            let written = origins.iter().any(|origin| origin.attribute == name);
            if !written && !may_be_a_column(entity, name) {
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

fn may_be_a_column(entity: &Entity, attribute: &str) -> bool {
    match &entity.columns {
        ColumnChoice::All | ColumnChoice::Except(_) => true,
        ColumnChoice::List(columns) if columns.is_empty() => false,
        ColumnChoice::List(columns) => {
            entity.rename_all.is_some() || columns.iter().any(|column| column.get_ref() == attribute)
        }
    }
}

impl std::fmt::Display for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Writer::Key(word) => write!(f, "`{word}`"),
            Writer::EntityType => f.write_str("`entity_type` of [table]"),
            Writer::Index(index, word) => write!(f, "`{word}` of index {}", quoted(index)),
            Writer::Attributes => f.write_str("`attributes`"),
        }
    }
}
