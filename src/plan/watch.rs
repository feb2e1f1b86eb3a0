//! What of an entity's columns only rows can tell: each column is watched for what its type and use leave
//! possible, and for nothing else.

use crate::mapping::{Overflow, Step, ValueType};
use crate::source::{Class, Column, MysqlType, PgType, RawType, Select, SqliteType};

use super::affinity::declared_class;
use super::notable::digits::declared;
use super::notable::readings::{is_flag, is_sixteen_bytes};
use super::uses::{Place, Use, uses};
use super::{Layout, ReadSettings, ValuePlan};
use crate::mapping::KeyType;

/// A column and what to count in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Watch {
    /// Position in [`Layout::columns`].
    pub column: usize,
    pub what: Watched,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Watched {
    /// Numbers whose whole part a float of 64 bits cannot tell from its neighbours.
    LargeNumber,
    /// A tinyint(1) that is written as a number: whether it is one.
    Flag,
    /// 16 bytes, read as they stand (`Some(false)`), swapped (`Some(true)`), or as bytes: which order
    /// makes UUIDs of them.
    UuidOrder { swapped: Option<bool> },
    /// A char(n) with blanks that fill it up.
    Padding,
    /// An array that does not begin at 1.
    LowerBound,
    /// The empty text of an ENUM that has no such member.
    NoMember,
    /// A JSON document with equal names in one object.
    EqualNames,
    /// A text or document with the character NUL.
    Nul,
    /// A value that `overflow` replaces; `strict` are the settings with nothing in its place.
    Overflow { overflow: Overflow, strict: ReadSettings },
    /// A text with blanks around it, in a key.
    KeyBlanks,
    /// A number in the TTL attribute that is too large for seconds.
    Milliseconds,
    /// A value of SQLite of another class than its column declares.
    OtherType { declared: Class },
}

/// Each watch once, in the order of first use; that of the TTL attribute last.
pub(super) fn watches(select: &Select, layout: &Layout, ttl: Option<&str>) -> Vec<Watch> {
    let mut watches: Vec<Watch> = Vec::new();
    for used in uses(select, layout) {
        for what in watched(&used) {
            let watch = Watch { column: used.position, what };
            if !watches.contains(&watch) {
                watches.push(watch);
            }
        }
    }
    watches.extend(seconds(layout, ttl));
    watches
}

/// The column that the TTL attribute takes its number from, as it stands.
fn seconds(layout: &Layout, ttl: Option<&str>) -> Option<Watch> {
    let attribute = layout.attributes.iter().find(|attribute| Some(attribute.name.as_str()) == ttl)?;
    match &attribute.value {
        ValuePlan::Column { column, settings } if settings.format.is_none() => {
            Some(Watch { column: *column, what: Watched::Milliseconds })
        }
        _ => None,
    }
}

fn watched(used: &Use<'_>) -> Vec<Watched> {
    let column = used.column;
    let as_number = matches!(used.settings.kind, None | Some(ValueType::N)) && used.settings.format.is_none();
    let is_number = used.place == Place::Attribute || used.place.key() == Some(KeyType::N);
    let candidates = [
        (is_number && as_number && may_be_large(column), Watched::LargeNumber),
        (is_flag(used), Watched::Flag),
        (column.raw == RawType::Postgres(PgType::Char), Watched::Padding),
        (matches!(column.raw, RawType::Postgres(PgType::Array(_))), Watched::LowerBound),
        (lacks_empty_member(column), Watched::NoMember),
        (is_document(used) && keeps_equal_names(column), Watched::EqualNames),
        (used.place.key().is_none() && may_hold_nul(column), Watched::Nul),
        (is_blank_key(used), Watched::KeyBlanks),
    ];
    let chosen = candidates.into_iter().filter_map(|(chosen, what)| chosen.then_some(what));
    chosen.chain(replaced(used)).chain(uuid_order(used)).chain(other_type(used)).collect()
}

fn may_be_large(column: &Column) -> bool {
    // 15 digits are always within 2^53.
    let wide = || declared(column).is_none_or(|(digits, scale)| digits - scale > 15);
    match &column.raw {
        RawType::Postgres(PgType::Array(member)) => is_large(member) && wide(),
        RawType::Postgres(kind) => is_large(kind) && wide(),
        RawType::Mysql(MysqlType::Integer { .. }) => {
            column.sql_type.to_ascii_lowercase().starts_with("bigint")
        }
        RawType::Mysql(MysqlType::Decimal) => wide(),
        RawType::Mysql(MysqlType::Bit { width }) => *width > 53,
        RawType::Mysql(_) => false,
        RawType::Sqlite(kind) => matches!(kind, SqliteType::Any | SqliteType::Decimal),
    }
}

fn is_large(kind: &PgType) -> bool {
    matches!(kind, PgType::Int8 | PgType::Xid8 | PgType::Numeric | PgType::Bit { width: 54..=64 })
}

/// `enum('a','b')`; of one without its members nothing is known.
fn lacks_empty_member(column: &Column) -> bool {
    let is_text = column.raw == RawType::Mysql(MysqlType::Text);
    let declared = column.sql_type.to_ascii_lowercase();
    let members = declared.strip_prefix("enum(").and_then(|rest| rest.strip_suffix(')'));
    is_text && members.is_some_and(|members| !has_empty_member(members))
}

/// Among `'a','it''s',''`.
fn has_empty_member(mut members: &str) -> bool {
    while let Some(rest) = members.strip_prefix('\'') {
        if rest == "'" || rest.starts_with("',") {
            return true;
        }
        let Some(end) = member_end(rest) else { return false };
        members = rest.get(end + 1..).unwrap_or_default().trim_start_matches(',');
    }
    false
}

/// Where the quote that closes a member stands; two quotes are one of its characters.
fn member_end(text: &str) -> Option<usize> {
    let mut quotes = text.match_indices('\'').map(|(at, _)| at);
    while let Some(at) = quotes.next() {
        if !text.get(at + 1..).is_some_and(|rest| rest.starts_with('\'')) {
            return Some(at);
        }
        quotes.next();
    }
    None
}

fn is_document(used: &Use<'_>) -> bool {
    used.place == Place::Attribute && used.settings.kind != Some(ValueType::S)
}

/// jsonb and MySQL's JSON keep the last of equal names; MariaDB's is a text.
fn keeps_equal_names(column: &Column) -> bool {
    match &column.raw {
        RawType::Postgres(kind) => *kind == PgType::Json,
        RawType::Mysql(kind) => *kind == MysqlType::Json && !column.sql_type.eq_ignore_ascii_case("json"),
        RawType::Sqlite(kind) => *kind == SqliteType::Json,
    }
}

/// PostgreSQL's texts and jsonb hold none.
fn may_hold_nul(column: &Column) -> bool {
    match &column.raw {
        RawType::Postgres(kind) => *kind == PgType::Json,
        RawType::Mysql(kind) => {
            matches!(kind, MysqlType::Text | MysqlType::Recoded { .. } | MysqlType::Json)
        }
        RawType::Sqlite(kind) => matches!(kind, SqliteType::Any | SqliteType::Json),
    }
}

fn replaced(used: &Use<'_>) -> Option<Watched> {
    let class = used.column.raw.class();
    let may_overflow = matches!(
        class,
        Class::Decimal
            | Class::Float
            | Class::Date
            | Class::Timestamp
            | Class::TimestampTz
            | Class::Json
            | Class::Array
            | Class::Dynamic
    );
    let as_number = class == Class::Text && used.settings.kind == Some(ValueType::N);
    let overflow = used.settings.overflow;
    let replaces = used.place == Place::Attribute && overflow != Overflow::Reject;
    let strict = || ReadSettings { overflow: Overflow::Reject, ..used.settings.clone() };
    (replaces && (may_overflow || as_number)).then(|| Watched::Overflow { overflow, strict: strict() })
}

fn is_blank_key(used: &Use<'_>) -> bool {
    let is_text = matches!(used.column.raw.class(), Class::Text | Class::Dynamic);
    is_text && used.place.key() == Some(KeyType::S) && !used.steps.contains(&Step::Trim)
}

fn uuid_order(used: &Use<'_>) -> Option<Watched> {
    let swapped = match used.settings.kind {
        None if is_sixteen_bytes(used.column) => None,
        Some(ValueType::Uuid) if used.column.raw.class() == Class::Bytes => Some(false),
        Some(ValueType::UuidSwapped) => Some(true),
        _ => return None,
    };
    Some(Watched::UuidOrder { swapped })
}

/// What `type` or `format` reads as something else is rejected by name where it does not fit.
fn other_type(used: &Use<'_>) -> Option<Watched> {
    let as_it_is = used.settings.kind.is_none() && used.settings.format.is_none();
    let declared = declared_class(used.column).filter(|_| as_it_is)?;
    Some(Watched::OtherType { declared })
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::mapping::{Entity, ValueSettings};

    /// `id: LargeNumber`, of all columns but the key's.
    fn watched(entity: Entity, columns: &str) -> Vec<String> {
        let (plan, _) = plan_of(entity, &relation(&format!("id int4, {columns}"), "id"));
        let entity = &plan.entities[0];
        let line = |watch: &Watch| {
            let what = format!("{:?}", watch.what);
            let what = what.split(['(', ' ']).next().unwrap().to_owned();
            format!("{}: {what}", entity.layout.columns[watch.column].name)
        };
        entity.watches(Some("expires_at")).iter().map(line).collect()
    }

    fn thing() -> Entity {
        entity("T", "T#{id:010}", "P")
    }

    #[test]
    fn ordinary_columns_are_not_watched() {
        let ordinary = "a int4, b numeric(12,2), c text, d timestamptz, e bool, f uuid, g float8, h my int unsigned, \
                        i my decimal(10,2), j my set, k my datetime, l date";
        assert_eq!(watched(thing(), ordinary), Vec::<String>::new());
    }

    /// N13, N17, K21, K24, S09, S12, S15, S16
    #[test]
    fn columns_are_watched_for_what_their_type_leaves_possible() {
        let columns = "a int8, b numeric, c numeric(18,2), d my bigint(20) unsigned, e my tinyint(1), f my binary(16), \
                       g character(4), h int4[], i json, j my longtext, k my json, l my varchar(9), m lite TEXT";
        assert_eq!(
            watched(thing(), columns),
            [
                "a: LargeNumber",
                "b: LargeNumber",
                "c: LargeNumber",
                "d: LargeNumber",
                "e: Flag",
                "f: UuidOrder",
                "g: Padding",
                "h: LowerBound",
                "i: EqualNames",
                "i: Nul",
                "j: EqualNames",
                "j: Nul",
                "k: Nul",
                "l: Nul",
                "m: LargeNumber",
                "m: Nul",
                "m: OtherType",
            ]
        );
    }

    #[test]
    fn columns_of_sqlite_are_watched_for_what_they_do_not_declare() {
        let declared = |sql_type: &str| declared_class(&column(&format!("x lite {sql_type}")));
        for (sql_type, expected) in [
            ("INTEGER", Some(Class::Integer)),
            ("VARCHAR(9)", Some(Class::Text)),
            ("DOUBLE PRECISION", Some(Class::Float)),
            ("BLOB", Some(Class::Bytes)),
            ("numeric", Some(Class::Decimal)),
            ("UUID", Some(Class::Uuid)),
            ("DATETIME", Some(Class::Timestamp)),
            ("ANY", None),
            ("STRING", None),
            ("", None),
        ] {
            assert_eq!(declared(sql_type), expected, "{sql_type}");
        }
        assert_eq!(declared_class(&column("x int4")), None);
        let keyed = Entity { sk: Some(template("{x}")), ..thing() };
        assert_eq!(watched(keyed, "x lite UUID"), ["x: OtherType"]);
        let typed = Entity { column_settings: vec![(text("x"), of_type(ValueType::Bool))], ..thing() };
        assert_eq!(watched(typed, "x lite BOOLEAN"), Vec::<String>::new());
    }

    /// T13
    #[test]
    fn t13_the_ttl_attribute_is_watched_where_a_number_is_taken_as_it_stands() {
        assert_eq!(watched(thing(), "expires_at int4"), ["expires_at: Milliseconds"]);
        assert_eq!(watched(thing(), "expires int4"), Vec::<String>::new());
    }

    #[test]
    fn a_use_decides_what_is_watched() {
        let with =
            |settings: ValueSettings| Entity { column_settings: vec![(text("x"), settings)], ..thing() };
        let keep = ValueSettings { overflow: Some(Overflow::String), ..ValueSettings::default() };
        for (column, settings, expected) in [
            ("x numeric(5,2)", keep.clone(), vec!["x: Overflow"]),
            ("x text", keep, vec![]),
            ("x int8", of_type(ValueType::S), vec![]),
            ("x json", of_type(ValueType::S), vec!["x: Nul"]),
            ("x bytea", of_type(ValueType::UuidSwapped), vec!["x: UuidOrder"]),
            ("x my tinyint(1)", of_type(ValueType::Bool), vec![]),
        ] {
            assert_eq!(watched(with(settings), column), expected, "{column}");
        }
        let mut keyed = thing();
        keyed.sk = Some(template("{x}#{y:trim}"));
        assert_eq!(watched(keyed, "x text, y text"), ["x: KeyBlanks"]);
    }

    /// S12
    #[test]
    fn s12_an_enum_with_an_empty_member_is_not_watched() {
        for (members, expected) in [
            ("'a','b'", true),
            ("'a',''", false),
            ("''", false),
            ("'it''s',''", false),
            ("'a'',','''''", true),
        ] {
            let found = lacks_empty_member(&column(&format!("x my enum({members})")));
            assert_eq!(found, expected, "{members}");
        }
    }
}
