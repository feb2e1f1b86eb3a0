//! MySQL's types as [`MysqlType`]s, from the catalog and from result sets.

use sqlx::mysql::MySqlTypeInfo;
use sqlx::{Type, TypeInfo};

use super::sql::is_geometry;
use crate::source::{Collation, Column, Folding, Foreign, MysqlType, RawType};

/// A row of information_schema.columns; every value as text.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub(super) name: String,
    /// `bigint(20) unsigned`
    pub(super) column_type: String,
    /// `bigint`
    pub(super) data_type: String,
    pub(super) charset: Option<String>,
    pub(super) collation: Option<String>,
    pub(super) fraction_digits: Option<u8>,
    /// Width of BIT.
    pub(super) bits: Option<u32>,
    pub(super) nullable: bool,
    /// MariaDB: JSON is a text with a check.
    pub(super) is_json: bool,
}

impl Declared {
    pub(super) fn column(self) -> Column {
        let raw = if self.is_json { MysqlType::Json } else { self.raw() };
        Column {
            unordered: unordered(&raw, &self.data_type),
            collation: self.collation.as_deref().filter(|_| self.holds_any_text(&raw)).and_then(collation),
            foreign: foreign(&raw, &self.data_type),
            name: self.name,
            sql_type: self.column_type,
            domain: None,
            labels: None,
            raw: RawType::Mysql(raw),
            nullable: self.nullable,
        }
    }

    /// An ENUM has each member in one spelling.
    fn holds_any_text(&self, raw: &MysqlType) -> bool {
        matches!(raw, MysqlType::Text | MysqlType::Recoded { .. })
            && !self.data_type.eq_ignore_ascii_case("enum")
    }

    fn raw(&self) -> MysqlType {
        let declared = self.column_type.to_ascii_lowercase();
        let unsigned = declared.contains("unsigned") || declared.contains("zerofill");
        let precision = self.fraction_digits.unwrap_or(0);
        match self.data_type.to_ascii_lowercase().as_str() {
            "tinyint" if declared.starts_with("tinyint(1)") => MysqlType::TinyInt1 { unsigned },
            "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" => {
                MysqlType::Integer { unsigned }
            }
            "float" => MysqlType::Float,
            "double" | "real" => MysqlType::Double,
            "decimal" | "numeric" => MysqlType::Decimal,
            "year" => MysqlType::Year,
            "bit" => MysqlType::Bit { width: self.bits.unwrap_or(64) },
            "date" => MysqlType::Date,
            "datetime" => MysqlType::DateTime { precision },
            "timestamp" => MysqlType::Timestamp { precision },
            "time" => MysqlType::Time { precision },
            "set" => MysqlType::Set,
            "json" => MysqlType::Json,
            "enum" | "uuid" | "inet4" | "inet6" => MysqlType::Text,
            "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" | "vector" => {
                MysqlType::Binary
            }
            _ => self.text(),
        }
    }

    fn text(&self) -> MysqlType {
        match (&self.charset, &self.collation) {
            (None, _) => MysqlType::ServerText,
            (Some(charset), Some(collation)) if !is_unicode(charset) => {
                MysqlType::Recoded { charset: charset.clone(), collation: collation.clone() }
            }
            (Some(_), _) => MysqlType::Text,
        }
    }
}

/// Whether every text of a character set has its own UTF-8. MySQL's latin1 is windows-1252 with the bytes
/// that this leaves free; half surrogates are what ucs2 and utf16 hold beyond it.
fn is_unicode(charset: &str) -> bool {
    matches!(charset, "utf8mb4" | "utf8mb3" | "utf8" | "ascii" | "latin1" | "utf32")
}

/// A column of a result set, whose catalog entry is out of reach.
pub(super) fn result_column(name: &str, info: &MySqlTypeInfo) -> Column {
    let type_name = info.name();
    let unsigned = type_name.ends_with(" UNSIGNED") || is_unsigned(info);
    let length = max_size(info);
    let raw = match type_name.trim_end_matches(" UNSIGNED") {
        "BOOLEAN" => MysqlType::TinyInt1 { unsigned },
        "TINYINT" | "SMALLINT" | "MEDIUMINT" | "INT" | "BIGINT" => MysqlType::Integer { unsigned },
        "FLOAT" => MysqlType::Float,
        "DOUBLE" => MysqlType::Double,
        "DECIMAL" => MysqlType::Decimal,
        "YEAR" => MysqlType::Year,
        "BIT" => MysqlType::Bit { width: length.filter(|bits| (1..=64).contains(bits)).unwrap_or(64) },
        "DATE" => MysqlType::Date,
        "DATETIME" => MysqlType::DateTime { precision: precision(length, 19) },
        "TIMESTAMP" => MysqlType::Timestamp { precision: precision(length, 19) },
        "TIME" => MysqlType::Time { precision: precision(length, 10) },
        "SET" => MysqlType::Set,
        "JSON" => MysqlType::Json,
        "ENUM" => MysqlType::Text,
        "GEOMETRY" => MysqlType::ServerText,
        "NULL" => MysqlType::Text,
        _ if <str as Type<sqlx::MySql>>::compatible(info) => MysqlType::Text,
        _ => MysqlType::Binary,
    };
    Column {
        name: name.to_owned(),
        sql_type: type_name.to_ascii_lowercase(),
        domain: None,
        labels: None,
        unordered: unordered(&raw, type_name),
        collation: None,
        foreign: foreign(&raw, type_name),
        raw: RawType::Mysql(raw),
        nullable: true,
    }
}

fn foreign(raw: &MysqlType, name: &str) -> Option<Foreign> {
    match raw {
        MysqlType::ServerText if is_geometry(name) => Some(Foreign::Geometry),
        MysqlType::ServerText => Some(Foreign::Extension),
        _ => None,
    }
}

/// What a collation's name says; `None` where only equal bytes are equal.
fn collation(name: &str) -> Option<Collation> {
    let lower = name.to_ascii_lowercase();
    let folding = match lower.as_str() {
        name if name.ends_with("_as_ci") => Folding::Case,
        name if name.ends_with("_ci") || name.contains("_ai_") => Folding::Accents,
        _ => Folding::Nothing,
    };
    // The catalog of MariaDB does not say it otherwise.
    let pads = lower != "binary" && !lower.contains("nopad") && !lower.contains("_0900_");
    (folding != Folding::Nothing || pads).then(|| Collation { name: name.to_owned(), folding, pads })
}

/// Whether `declared` says more of a column that arrives as `read`: the same form, or JSON or a SET, which
/// a result set calls texts.
pub(super) fn refines(declared: &Column, read: &Column) -> bool {
    let is_text =
        matches!(declared.raw, RawType::Mysql(MysqlType::Json | MysqlType::Set | MysqlType::Recoded { .. }));
    declared.raw == read.raw || (is_text && read.raw == RawType::Mysql(MysqlType::Text))
}

/// Whether a result's column of this type arrives in the form that `planned` promises.
pub(super) fn arrives_as(planned: &MysqlType, info: &MySqlTypeInfo) -> bool {
    let RawType::Mysql(found) = result_column("", info).raw else { return false };
    form(planned) == form(&found)
}

/// How the binary protocol writes a type, as far as a reader must know it.
#[derive(PartialEq, Eq)]
enum Form {
    Integer {
        unsigned: bool,
    },
    Float,
    Double,
    Moment,
    Time,
    /// Texts, decimals, bytes: each with its length before it.
    Bytes,
}

fn form(raw: &MysqlType) -> Form {
    match raw {
        MysqlType::Integer { unsigned } | MysqlType::TinyInt1 { unsigned } => {
            Form::Integer { unsigned: *unsigned }
        }
        MysqlType::Year | MysqlType::Bit { .. } => Form::Integer { unsigned: true },
        MysqlType::Float => Form::Float,
        MysqlType::Double => Form::Double,
        MysqlType::Date | MysqlType::DateTime { .. } | MysqlType::Timestamp { .. } => Form::Moment,
        MysqlType::Time { .. } => Form::Time,
        MysqlType::Decimal
        | MysqlType::Text
        | MysqlType::Recoded { .. }
        | MysqlType::Binary
        | MysqlType::Set
        | MysqlType::Json
        | MysqlType::ServerText => Form::Bytes,
    }
}

fn unordered(raw: &MysqlType, name: &str) -> Option<&'static str> {
    match raw {
        MysqlType::Float | MysqlType::Double => Some("floats do not order as they compare"),
        MysqlType::Set => Some("SET orders by its bits and compares as text"),
        MysqlType::Json => Some("JSON has no order of its own"),
        MysqlType::Text if name.eq_ignore_ascii_case("enum") => {
            Some("ENUM orders by the members' positions and compares as text")
        }
        MysqlType::ServerText if is_geometry(name) => Some("its type has no order"),
        _ => None,
    }
}

/// The digits behind the point of a text of `length` characters, `whole` of them before it.
fn precision(length: Option<u32>, whole: u32) -> u8 {
    match length.and_then(|length| length.checked_sub(whole)) {
        Some(0) => 0,
        Some(more @ 2..=7) => u8::try_from(more - 1).unwrap_or(6),
        _ => 6,
    }
}

/// The driver keeps the display length of a column to itself, except in its Debug form.
fn max_size(info: &MySqlTypeInfo) -> Option<u32> {
    let text = format!("{info:?}");
    let (_, rest) = text.split_once("max_size: Some(")?;
    rest.split(')').next()?.parse().ok()
}

fn is_unsigned(info: &MySqlTypeInfo) -> bool {
    format!("{info:?}").contains("UNSIGNED")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K19, K20: by the names that MySQL 8 and MariaDB give their collations.
    #[test]
    fn k19_k20_a_collation_is_known_by_its_name() {
        for (name, expected) in [
            ("utf8mb4_general_ci", Some((Folding::Accents, true))),
            ("utf8mb4_0900_ai_ci", Some((Folding::Accents, false))),
            ("utf8mb4_0900_as_ci", Some((Folding::Case, false))),
            ("utf8mb4_0900_as_cs", None),
            ("utf8mb4_0900_bin", None),
            ("utf8mb4_uca1400_nopad_ai_cs", Some((Folding::Accents, false))),
            ("utf8mb4_bin", Some((Folding::Nothing, true))),
            ("utf8mb4_nopad_bin", None),
            ("latin1_general_cs", Some((Folding::Nothing, true))),
            ("binary", None),
        ] {
            let found = collation(name).map(|found| (found.folding, found.pads));
            assert_eq!(found, expected, "{name}");
        }
    }
}
