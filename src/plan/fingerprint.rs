//! What a checkpoint must agree with: a hash of all that decides what an entity writes and in which
//! order it is read. Not part of it: rates, readers, page sizes, comments, hosts, passwords, other
//! entities, and the order of attributes in the file.
//!
//! The text that is hashed is written out here, field by field, so that renaming a type of ours never
//! changes a fingerprint.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::mapping::{Constant, Format, Nulls, Overflow, Step};
use crate::source::{Column, MysqlType, Output, PgType, RawType, Rows, Select, SqliteType};

use super::fit::step_name;
use super::settings::type_name;
use super::{
    AttributePlan, CollisionPlan, IndexEntryPlan, Keep, KeyColumn, KeyPlan, Layout, PartPlan, ReadSettings,
    TablePlan,
};
use super::{TemplatePlan, ValuePlan};

/// Part → SHA-256 in hex. Kept in the checkpoint, so that a refused resume can say what changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FingerprintParts(pub BTreeMap<String, String>);

impl FingerprintParts {
    pub(super) fn of(table: &TablePlan, select: &Select, layout: &Layout, collision: &CollisionPlan) -> Self {
        let names = Columns(&select.output);
        let parts = [
            ("rows", rows(&select.rows)),
            ("where", optional(select.filter.as_deref())),
            ("key", many(select.key.iter().map(|column| text(&column.name)))),
            ("columns", columns(&select.output)),
            ("pk", names.key(&layout.partition_key)),
            ("sk", layout.sort_key.as_ref().map(|key| names.key(key)).unwrap_or_default()),
            ("attributes", sorted(layout.attributes.iter().map(|attribute| names.attribute(attribute)))),
            ("indexes", sorted(layout.index_entries.iter().map(|entry| names.entry(entry, layout)))),
            ("table keys", table_keys(table)),
        ];
        let mut parts: BTreeMap<String, String> =
            parts.into_iter().map(|(part, text)| (part.to_owned(), hash(&text))).collect();
        // Only where it says something: checkpoints of earlier versions stay valid.
        if collision.keep != Keep::Reject {
            parts.insert("collision".to_owned(), hash(&names.collision(collision)));
        }
        Self(parts)
    }

    /// The hash over all parts.
    pub(super) fn overall(&self) -> String {
        hash(&many(self.0.iter().map(|(part, hash)| text(part) + &text(hash))))
    }
}

/// What changed between a checkpoint's fingerprint and today's, in words; `None` when nothing did.
pub fn describe_difference(old: &FingerprintParts, new: &FingerprintParts) -> Option<String> {
    let parts = old.0.keys().chain(new.0.keys().filter(|part| !old.0.contains_key(*part)));
    let changed = parts.filter(|part| old.0.get(*part) != new.0.get(*part));
    let words: Vec<&str> = changed.map(|part| part_in_words(part)).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn part_in_words(part: &str) -> &str {
    match part {
        "rows" => "`from` or `query`",
        "where" => "`where`",
        "key" => "the source key",
        "columns" => "the source's columns (names, types or `let`)",
        "pk" => "`pk`",
        "sk" => "`sk`",
        "attributes" => "the attributes",
        "indexes" => "the `index` blocks",
        "collision" => "`on_collision` or `order_by`",
        "table keys" => "the table's key attributes",
        other => other,
    }
}

/// Columns by name: positions may change while nothing else does.
struct Columns<'a>(&'a [Output]);

impl Columns<'_> {
    fn collision(&self, collision: &CollisionPlan) -> String {
        let keep = if collision.keep == Keep::Last { "last" } else { "first" };
        text(keep) + &many(collision.order_by.iter().map(|column| text(&self.name(*column))))
    }

    fn name(&self, position: usize) -> String {
        match self.0.get(position) {
            Some(Output::Column(column) | Output::Computed { column, .. }) => text(&column.name),
            Some(Output::Condition { sql }) => text(sql),
            None => text(""),
        }
    }

    fn key(&self, key: &KeyPlan) -> String {
        text(&key.attribute) + &text(key.kind.as_str()) + &self.template(&key.template)
    }

    fn template(&self, template: &TemplatePlan) -> String {
        many(template.parts.iter().map(|part| match part {
            PartPlan::Literal(literal) => text("literal") + &text(literal),
            PartPlan::Value { column, steps, settings: read } => {
                text("value") + &self.name(*column) + &many(steps.iter().map(step)) + &settings(read)
            }
        }))
    }

    fn attribute(&self, attribute: &AttributePlan) -> String {
        let value = match &attribute.value {
            ValuePlan::Column { column, settings: read } => {
                text("column") + &self.name(*column) + &settings(read)
            }
            ValuePlan::Template { template, settings: read } => {
                text("template") + &self.template(template) + &settings(read)
            }
            ValuePlan::Constant { value, kind } => {
                text("constant") + &constant(value) + &optional(kind.map(type_name))
            }
        };
        let index_key = optional(attribute.index_key.map(|kind| kind.as_str()));
        text(&attribute.name) + &value + &index_key
    }

    fn entry(&self, entry: &IndexEntryPlan, layout: &Layout) -> String {
        let index = layout.indexes.get(entry.index).map(|index| index.name.as_str());
        let when = entry.when.map(|position| self.name(position));
        optional(index) + &optional(when.as_deref()) + &many(entry.keys.iter().map(|key| self.key(key)))
    }
}

fn rows(rows: &Rows) -> String {
    match rows {
        Rows::From(from) => text("from") + &text(from),
        Rows::Query(query) => text("query") + &text(query),
    }
}

fn columns(output: &[Output]) -> String {
    sorted(output.iter().filter_map(|output| match output {
        Output::Column(column) => Some(column_text(column)),
        Output::Computed { column, sql } => Some(column_text(column) + &text(sql)),
        // Conditions are part of their index blocks.
        Output::Condition { .. } => None,
    }))
}

fn column_text(column: &Column) -> String {
    text(&column.name) + &raw(&column.raw)
}

fn table_keys(table: &TablePlan) -> String {
    let key = |key: &KeyColumn| text(&key.name) + text(key.kind.as_str()).as_str();
    many(std::iter::once(&table.partition_key).chain(table.sort_key.as_ref()).map(key))
}

fn settings(settings: &ReadSettings) -> String {
    let format = settings.format.as_ref().map(|format| match format {
        Format::Epoch => text("epoch"),
        Format::EpochMillis => text("epoch_ms"),
        Format::Strftime(format) => text("strftime") + &text(format),
    });
    let zone = settings.zone.as_ref().map(|zone| zone.iana_name().unwrap_or("UTC"));
    let overflow = match settings.overflow {
        Overflow::Reject => "reject",
        Overflow::String => "string",
        Overflow::Omit => "omit",
        Overflow::Null => "null",
    };
    let nulls = match settings.nulls {
        Nulls::Omit => "omit",
        Nulls::Null => "null",
    };
    let kind = optional(settings.kind.map(type_name));
    kind + &optional(format.as_deref()) + &optional(zone) + &text(overflow) + &text(nulls)
}

/// Strftime texts always hold a `%`, so that no name of a step is taken for one.
fn step(step: &Step) -> String {
    text(&step_name(step))
}

fn constant(constant: &Constant) -> String {
    match constant {
        Constant::Text(value) => text("text") + &text(value),
        Constant::Integer(value) => text("integer") + &text(&value.to_string()),
        Constant::Boolean(value) => text("boolean") + &text(&value.to_string()),
    }
}

fn raw(raw: &RawType) -> String {
    match raw {
        RawType::Postgres(kind) => text("postgres") + &text(&postgres(kind)),
        RawType::Mysql(kind) => text("mysql") + &text(&mysql(kind)),
        RawType::Sqlite(kind) => text("sqlite") + &text(sqlite(*kind)),
    }
}

fn postgres(kind: &PgType) -> String {
    match kind {
        PgType::Bool => "bool".to_owned(),
        PgType::Int2 => "int2".to_owned(),
        PgType::Int4 => "int4".to_owned(),
        PgType::Int8 => "int8".to_owned(),
        PgType::Oid => "oid".to_owned(),
        PgType::Xid8 => "xid8".to_owned(),
        PgType::Float4 => "float4".to_owned(),
        PgType::Float8 => "float8".to_owned(),
        PgType::Numeric => "numeric".to_owned(),
        PgType::Text => "text".to_owned(),
        PgType::Char => "char".to_owned(),
        PgType::Bytea => "bytea".to_owned(),
        PgType::Uuid => "uuid".to_owned(),
        PgType::Date => "date".to_owned(),
        PgType::Time { precision } => format!("time {precision}"),
        PgType::Timestamp { precision } => format!("timestamp {precision}"),
        PgType::TimestampTz { precision } => format!("timestamptz {precision}"),
        PgType::Json => "json".to_owned(),
        PgType::Jsonb => "jsonb".to_owned(),
        PgType::Bit { width } => format!("bit {width}"),
        PgType::Inet => "inet".to_owned(),
        PgType::Array(member) => format!("array of {}", postgres(member)),
        PgType::ServerText => "server text".to_owned(),
    }
}

fn mysql(kind: &MysqlType) -> String {
    let sign = |unsigned: bool| if unsigned { "unsigned" } else { "signed" };
    match kind {
        MysqlType::Integer { unsigned } => format!("integer {}", sign(*unsigned)),
        MysqlType::TinyInt1 { unsigned } => format!("tinyint(1) {}", sign(*unsigned)),
        MysqlType::Float => "float".to_owned(),
        MysqlType::Double => "double".to_owned(),
        MysqlType::Decimal => "decimal".to_owned(),
        MysqlType::Year => "year".to_owned(),
        MysqlType::Bit { width } => format!("bit {width}"),
        MysqlType::Date => "date".to_owned(),
        MysqlType::DateTime { precision } => format!("datetime {precision}"),
        MysqlType::Timestamp { precision } => format!("timestamp {precision}"),
        MysqlType::Time { precision } => format!("time {precision}"),
        MysqlType::Text | MysqlType::Recoded { .. } => "text".to_owned(),
        MysqlType::Set => "set".to_owned(),
        MysqlType::Json => "json".to_owned(),
        MysqlType::Binary => "binary".to_owned(),
        MysqlType::ServerText => "server text".to_owned(),
    }
}

fn sqlite(kind: SqliteType) -> &'static str {
    match kind {
        SqliteType::Any => "any",
        SqliteType::Boolean => "boolean",
        SqliteType::Decimal => "decimal",
        SqliteType::Date => "date",
        SqliteType::DateTime => "datetime",
        SqliteType::Time => "time",
        SqliteType::Json => "json",
        SqliteType::Uuid => "uuid",
    }
}

/// A text with its length before it: no two lists of texts are written alike.
fn text(text: &str) -> String {
    format!("{}:{text}", text.len())
}

fn optional(value: Option<&str>) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}

fn many(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().map(|item| text(&item)).collect()
}

fn sorted(items: impl IntoIterator<Item = String>) -> String {
    let mut items: Vec<String> = items.into_iter().collect();
    items.sort();
    many(items)
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
