//! `[entities.X]`

use toml::Spanned;

use super::defaults::Defaults;
use super::origins::{self, Parts};
use super::section::{Entry, Keys, Section, entries};
use super::table::Outline;
use super::walker::{Read, Reported, Value, Walker};
use super::{attribute, columns, computed, index_entry, key_template, settings};
use crate::mapping::diagnostic::{Diagnostic, quoted};
use crate::mapping::{Entity, Keep, Rows, Template};

pub(in crate::mapping) const KEYS: Keys = Keys {
    known: &[
        "from",
        "query",
        "where",
        "key",
        "pk",
        "sk",
        "type",
        "columns",
        "rename_all",
        "let",
        "column",
        "index",
        "attributes",
        "on_collision",
        "order_by",
    ],
    later: &["embed", "items"],
};

const EXAMPLE: &str =
    "for example:\n[entities.User]\nfrom = \"users\"\npk = \"USER#{id:010}\"\nsk = \"PROFILE\"";

pub(super) fn read_all<'a>(
    walker: &mut Walker<'a>,
    root: &Section<'a>,
    outline: &Outline,
    defaults: &Defaults,
) -> Read<Vec<Entity>> {
    let Some(entry) = root.get("entities") else {
        return Err(match root.is_misspelt("entities") {
            true => walker.missing(root, "entities", EXAMPLE),
            false => walker.report(no_entities(Diagnostic::nowhere)),
        });
    };
    let table = walker.table("entities", "tables [entities.Name]", entry.value)?;
    let entities: Vec<Read<Entity>> =
        entries(table).iter().map(|entry| read(walker, entry, outline, defaults)).collect();
    if entities.is_empty() {
        let span = entry.span.clone();
        return Err(walker.report(no_entities(|code, message| Diagnostic::error(code, span, message))));
    }
    entities.into_iter().collect()
}

fn no_entities(diagnostic: impl FnOnce(&'static str, &'static str) -> Diagnostic) -> Diagnostic {
    diagnostic("missing-key", "the mapping has no entities").with_help(EXAMPLE)
}

fn read<'a>(
    walker: &mut Walker<'a>,
    entry: &Entry<'a>,
    outline: &Outline,
    defaults: &Defaults,
) -> Read<Entity> {
    let name = entity_name(walker, entry);
    let title = format!("[entities.{}]", entry.name);
    let table = walker.table(entry.name, &format!("a table {title}"), entry.value)?;
    let section = Section::read(walker, title, entry.span.clone(), table, &KEYS);
    let rows = rows(walker, &section);
    let filter = section.optional(walker, "where", string);
    let key = section.optional(walker, "key", source_key);
    let pk = partition_template(walker, &section, outline);
    let sk = sort_template(walker, &section, outline);
    let type_value = section.optional(walker, "type", string);
    let columns = columns::choice(walker, &section);
    let rename_all = section.optional(walker, "rename_all", settings::case);
    let computed = section.optional(walker, "let", computed::read);
    let column_settings = section.optional(walker, "column", columns::settings);
    let indexes = section.optional(walker, "index", |walker, key, value| {
        index_entry::read_all(walker, &section, key, value, outline)
    });
    let attributes = section.optional(walker, "attributes", |walker, key, value| {
        attribute::read_all(walker, &section, key, value, outline)
    });
    let on_collision = section.optional(walker, "on_collision", on_collision);
    let order_by = section.optional(walker, "order_by", |walker, key, value| walker.texts(key, value));
    if let (Ok(None | Some(_)), Ok(Some(_))) = (&on_collision, &order_by)
        && on_collision
            .as_ref()
            .is_ok_and(|keep| keep.as_ref().is_none_or(|keep| *keep.get_ref() == Keep::Reject))
    {
        walker.report(order_without_choice(&section));
    }
    let parts = Parts {
        columns: columns.as_ref().ok(),
        renames: !matches!(rename_all, Ok(None)) || defaults.rename_all.is_some(),
        indexes: indexes.as_ref().ok().map(|indexes| indexes.as_deref().unwrap_or_default()),
        attributes: attributes.as_ref().ok().map(|attributes| attributes.as_deref().unwrap_or_default()),
    };
    origins::check(walker, &section, &parts, outline)?;
    Ok(Entity {
        name: name?,
        rows: rows?,
        filter: filter?,
        key: key?,
        pk: pk?,
        sk: sk?,
        type_value: type_value?,
        columns: columns?,
        rename_all: rename_all?.or(defaults.rename_all),
        computed: computed?.unwrap_or_default(),
        column_settings: column_settings?.unwrap_or_default(),
        indexes: indexes?.unwrap_or_default().into_iter().collect::<Read<_>>()?,
        attributes: attributes?.unwrap_or_default().into_iter().collect::<Read<_>>()?,
        on_collision: on_collision?.unwrap_or_else(|| Spanned::new(entry.span.clone(), Keep::Reject)),
        order_by: order_by?.unwrap_or_default(),
        defaults: defaults.values.clone(),
    })
}

/// Names stand in reports and in `--only A,B`.
fn entity_name(walker: &mut Walker<'_>, entry: &Entry<'_>) -> Read<Spanned<String>> {
    let odd = |c: char| c == ',' || c.is_control();
    if entry.name.trim().is_empty() || entry.name.contains(odd) {
        let message = format!("{} is no name for an entity", quoted(entry.name));
        let mistake = Diagnostic::error("invalid-name", entry.span.clone(), message)
            .with_help("write a word without commas, such as `OrderItem`");
        return Err(walker.report(mistake));
    }
    Ok(Spanned::new(entry.span.clone(), entry.name.to_owned()))
}

fn rows<'a>(walker: &mut Walker<'a>, section: &Section<'a>) -> Read<Rows> {
    let from = section.optional(walker, "from", string);
    let query = section.optional(walker, "query", string);
    if let (Some(from), Some(query)) = (section.get("from"), section.get("query")) {
        let later = if from.span.start > query.span.start { from } else { query };
        let message = format!("{} has both `from` and `query`", section.name);
        let mistake = Diagnostic::error("conflicting-keys", later.span.clone(), message)
            .with_help("keep `from` for a table or view, or `query` for a SELECT");
        return Err(walker.report(mistake));
    }
    match (from?, query?) {
        (Some(from), _) => Ok(Rows::From(from)),
        (None, Some(query)) => Ok(Rows::Query(query)),
        (None, None) if section.is_misspelt("query") => Err(walker.missing(section, "query", "")),
        (None, None) => Err(no_rows(walker, section)),
    }
}

fn no_rows(walker: &mut Walker<'_>, section: &Section<'_>) -> Reported {
    let help = "name a table or view: from = \"users\", or give a SELECT: query = \"SELECT …\"";
    if section.is_misspelt("from") {
        return walker.missing(section, "from", help);
    }
    let message = format!("{} has neither `from` nor `query`", section.name);
    walker.report(Diagnostic::error("missing-key", section.span.clone(), message).with_help(help))
}

fn string<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Spanned<String>> {
    walker.text(key, value).map(super::text::Text::spanned)
}

const KEEP: [(&str, Keep); 3] = [("reject", Keep::Reject), ("first", Keep::First), ("last", Keep::Last)];

fn on_collision<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Spanned<Keep>> {
    let text = walker.text(key, value)?;
    let keep = walker.choice(key, &text, &KEEP)?;
    Ok(Spanned::new(value.span(), keep))
}

fn order_without_choice(section: &Section<'_>) -> Diagnostic {
    let span = section.get("order_by").map_or(section.span.clone(), |entry| entry.span.clone());
    Diagnostic::error(
        "order-without-choice",
        span,
        "`order_by` says which row `on_collision` keeps, and nothing asks for one",
    )
    .with_help("set `on_collision = \"first\"` or `\"last\"`, or leave `order_by` out")
}

fn source_key<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Vec<Spanned<String>>> {
    let columns = walker.texts(key, value)?;
    if columns.is_empty() {
        let mistake = Diagnostic::error("empty-value", value.span(), "`key` lists no column")
            .with_help("list the columns that tell rows apart, or take `key` out to use the primary key");
        return Err(walker.report(mistake));
    }
    Ok(columns)
}

fn partition_template<'a>(
    walker: &mut Walker<'a>,
    section: &Section<'a>,
    outline: &Outline,
) -> Read<Template> {
    let value = section.required(walker, "pk", "for example pk = \"USER#{id:010}\"")?;
    key_template::read(walker, "pk", value, outline.partition_key.as_ref())
}

/// There is a template exactly when the table has a sort key.
fn sort_template<'a>(
    walker: &mut Walker<'a>,
    section: &Section<'a>,
    outline: &Outline,
) -> Read<Option<Template>> {
    let sort_key = outline.sort_key.as_ref();
    match (section.get("sk"), sort_key) {
        (Some(sk), Some(None)) => {
            let mistake = Diagnostic::error("conflicting-keys", sk.span.clone(), "the table has no sort key")
                .with_help("take `sk` out, or take `sort_key = false` out of [table]");
            Err(walker.report(mistake))
        }
        (Some(sk), _) => {
            let attribute = sort_key.and_then(Option::as_ref);
            key_template::read(walker, "sk", sk.value, attribute).map(Some)
        }
        (None, Some(Some(attribute))) => {
            let name = quoted(attribute.name.get_ref());
            let help = format!(
                "the table's sort key is {name}: write for example sk = \"PROFILE\"; a table without one has \
                 sort_key = false in [table]"
            );
            Err(walker.missing(section, "sk", &help))
        }
        (None, _) => Ok(None),
    }
}
