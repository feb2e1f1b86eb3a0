//! `[entities.X]`

use toml::Spanned;
use toml::de::DeValue;

use super::defaults::Defaults;
use super::section::{Entry, Keys, Section, entries};
use super::table::Outline;
use super::walker::{Read, Reported, Value, Walker};
use super::{attribute, index_entry, key_template, origins, settings};
use crate::mapping::diagnostic::{Diagnostic, quoted};
use crate::mapping::{ColumnChoice, Computed, Entity, Rows, Template, ValueSettings};

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
    ],
    later: &["on_collision", "order_by", "embed", "items"],
};
pub(in crate::mapping) const COLUMN_KEYS: Keys =
    Keys { known: &["type", "format", "zone", "overflow", "nulls"], later: &[] };
pub(in crate::mapping) const EXCEPT_KEYS: Keys = Keys { known: &["except"], later: &[] };

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
    let filter = section.optional(walker, "where", sql);
    let key = section.optional(walker, "key", source_key);
    let pk = partition_template(walker, &section, outline);
    let sk = sort_template(walker, &section, outline);
    let type_value = section.optional(walker, "type", sql);
    let columns = columns(walker, &section);
    let rename_all = section.optional(walker, "rename_all", settings::case);
    let computed = section.optional(walker, "let", computed);
    let column_settings = section.optional(walker, "column", column_settings);
    let indexes = section.optional(walker, "index", |walker, key, value| {
        index_entry::read_all(walker, &section, key, value, outline)
    });
    let attributes = section.optional(walker, "attributes", |walker, key, value| {
        attribute::read_all(walker, &section, key, value, outline)
    });
    let entity = Entity {
        type_value: type_value?.map_or_else(|| entry.name.to_owned(), Spanned::into_inner),
        name: name?,
        rows: rows?,
        filter: filter?,
        key: key?,
        pk: pk?,
        sk: sk?,
        columns: columns?,
        rename_all: rename_all?.or(defaults.rename_all),
        computed: computed?.unwrap_or_default(),
        column_settings: column_settings?.unwrap_or_default(),
        indexes: indexes?.unwrap_or_default(),
        attributes: attributes?.unwrap_or_default(),
        defaults: defaults.values.clone(),
    };
    origins::check(walker, &entity, outline)?;
    Ok(entity)
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
    let from = section.optional(walker, "from", sql);
    let query = section.optional(walker, "query", sql);
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

fn sql<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Spanned<String>> {
    walker.text(key, value).map(super::text::Text::spanned)
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

fn columns<'a>(walker: &mut Walker<'a>, section: &Section<'a>) -> Read<ColumnChoice> {
    let Some(value) = section.value("columns") else {
        let has_attributes = section.get("attributes").is_some();
        return Ok(if has_attributes { ColumnChoice::List(Vec::new()) } else { ColumnChoice::All });
    };
    match value.get_ref() {
        DeValue::Array(_) => walker.texts("columns", value).map(ColumnChoice::List),
        DeValue::Table(table) => {
            let except = Section::read(walker, "`columns`", value.span(), table, &EXCEPT_KEYS);
            let names =
                except.required(walker, "except", "write columns = { except = [\"password_hash\"] }")?;
            walker.texts("except", names).map(ColumnChoice::Except)
        }
        _ => {
            let text = walker.text_or("columns", "\"*\", a list of columns or { except = [..] }", value)?;
            if text.value == "*" {
                return Ok(ColumnChoice::All);
            }
            let message = format!("unknown value {} for `columns`", text.shown());
            let help =
                format!("write [{:?}] for this column, \"*\" for all, or {{ except = [..] }}", text.value);
            Err(walker.report(Diagnostic::error("unknown-value", text.span, message).with_help(help)))
        }
    }
}

fn computed<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Vec<Computed>> {
    let table = walker.table(key, "a table of names and SQL", value)?;
    let mut seen: Vec<String> = Vec::new();
    let computed: Vec<Read<Computed>> = entries(table)
        .iter()
        .map(|entry| {
            let sql = sql(walker, entry.name, entry.value);
            let name = computed_name(walker, entry, &mut seen);
            Ok(Computed { name: name?, sql: sql? })
        })
        .collect();
    computed.into_iter().collect()
}

/// SQL tells column names apart without regard to case.
fn computed_name(
    walker: &mut Walker<'_>,
    entry: &Entry<'_>,
    seen: &mut Vec<String>,
) -> Read<Spanned<String>> {
    let folded = entry.name.to_lowercase();
    let problem = if entry.name.trim().is_empty() {
        Some(("empty-value", "a computed column has an empty name".to_owned()))
    } else if seen.contains(&folded) {
        let message = format!("`let` has {} twice, but for upper and lower case", quoted(entry.name));
        Some(("duplicate-name", message))
    } else {
        None
    };
    seen.push(folded);
    match problem {
        Some((code, message)) => Err(walker.report(Diagnostic::error(code, entry.span.clone(), message))),
        None => Ok(Spanned::new(entry.span.clone(), entry.name.to_owned())),
    }
}

type ColumnSettings = Vec<(Spanned<String>, ValueSettings)>;

fn column_settings<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<ColumnSettings> {
    let table = walker.table(key, "tables such as column.gift = { type = \"BOOL\" }", value)?;
    let settings: Vec<Read<_>> = entries(table)
        .iter()
        .map(|entry| {
            let table = walker.table(entry.name, "a table such as { type = \"BOOL\" }", entry.value)?;
            let title = format!("column {}", quoted(entry.name));
            let section = Section::read(walker, title, entry.span.clone(), table, &COLUMN_KEYS);
            let settings = settings::read(walker, &section)?;
            Ok((Spanned::new(entry.span.clone(), entry.name.to_owned()), settings))
        })
        .collect();
    settings.into_iter().collect()
}
