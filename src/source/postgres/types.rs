//! PostgreSQL's types as [`PgType`]s, from pg_catalog.

use std::collections::HashMap;

use sqlx::{PgConnection, Row};

use crate::source::{Collation, Folding, Foreign, PgType};

/// What the catalog says of one type, domains resolved to what they are made of.
#[derive(Debug, Clone)]
struct Entry {
    base: u32,
    name: String,
    /// `b`ase, `e`num, `c`omposite, `r`ange …
    kind: String,
    /// A domain's own modifier, -1 without.
    modifier: i32,
    /// Of a true array, else 0.
    element: u32,
    /// Whether `>` of this session goes by the order of ORDER BY; `None` without such an order.
    compares: Option<bool>,
    /// As SQL writes it, without a modifier.
    sql: String,
    /// As SQL writes `base`, with the modifier of the domain, if it is one.
    base_sql: String,
    /// Of an enum, else 0.
    labels: u64,
}

/// The types of some columns.
#[derive(Debug, Default)]
pub(super) struct Types(HashMap<u32, Entry>);

/// A column's type as it is read, why it cannot be in a source key, and what its texts are equal to by
/// the type itself.
pub(super) struct Known {
    pub(super) raw: PgType,
    pub(super) domain: Option<String>,
    pub(super) labels: Option<u64>,
    pub(super) unordered: Option<&'static str>,
    pub(super) collation: Option<Collation>,
    pub(super) foreign: Option<Foreign>,
}

const LOOKUP: &str = "\
    WITH RECURSIVE chain (origin, type, modifier) AS (
      SELECT oid, oid, -1 FROM pg_catalog.pg_type WHERE oid = ANY ($1::text::oid[])
      UNION ALL
      SELECT chain.origin, t.typbasetype,
             CASE WHEN t.typtypmod >= 0 THEN t.typtypmod ELSE chain.modifier END
        FROM chain JOIN pg_catalog.pg_type t ON t.oid = chain.type WHERE t.typtype = 'd'),
    orders (type, family) AS (
      SELECT o.opcintype, o.opcfamily FROM pg_catalog.pg_opclass o JOIN pg_catalog.pg_am a ON a.oid = o.opcmethod
       WHERE a.amname = 'btree' AND o.opcdefault)
    SELECT chain.origin::int8, t.oid::int8, t.typname::text, t.typtype::text, chain.modifier,
           CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_type e WHERE e.typarray = t.oid)
                THEN t.typelem ELSE 0 END::int8,
           CASE WHEN t.typtype IN ('e', 'r', 'm') THEN true ELSE (
             SELECT bool_or(pg_catalog.pg_operator_is_visible(p.oid))
               FROM orders o
               JOIN pg_catalog.pg_amop g ON g.amopfamily = o.family AND g.amopstrategy = 5
                                        AND g.amoplefttype = o.type AND g.amoprighttype = o.type
               JOIN pg_catalog.pg_operator p ON p.oid = g.amopopr AND p.oprname = '>'
              WHERE o.type = t.oid OR (NOT EXISTS (SELECT FROM orders WHERE type = t.oid) AND o.type IN (
                SELECT c.casttarget FROM pg_catalog.pg_cast c
                 WHERE c.castsource = t.oid AND c.castmethod = 'b' AND c.castcontext = 'i'))) END,
           pg_catalog.format_type(chain.origin, -1), pg_catalog.format_type(t.oid, chain.modifier),
           (SELECT count(*) FROM pg_catalog.pg_enum l WHERE l.enumtypid = t.oid)
      FROM chain JOIN pg_catalog.pg_type t ON t.oid = chain.type WHERE t.typtype <> 'd'";

impl Types {
    /// Looks up types and the elements of arrays among them.
    pub(super) async fn load(connection: &mut PgConnection, oids: &[u32]) -> Result<Types, sqlx::Error> {
        let mut types = Types::default();
        let mut wanted = oids.to_vec();
        while !wanted.is_empty() {
            let list: Vec<String> = wanted.iter().map(u32::to_string).collect();
            let rows = sqlx::query(LOOKUP).bind(format!("{{{}}}", list.join(",")));
            for row in rows.fetch_all(&mut *connection).await? {
                types.0.insert(
                    oid(row.try_get(0)?),
                    Entry {
                        base: oid(row.try_get(1)?),
                        name: row.try_get(2)?,
                        kind: row.try_get(3)?,
                        modifier: row.try_get(4)?,
                        element: oid(row.try_get(5)?),
                        compares: row.try_get(6)?,
                        sql: row.try_get(7)?,
                        base_sql: row.try_get(8)?,
                        labels: u64::try_from(row.try_get::<i64, _>(9)?).unwrap_or_default(),
                    },
                );
            }
            let elements = types.0.values().map(|entry| entry.element);
            wanted = elements.filter(|oid| *oid != 0 && !types.0.contains_key(oid)).collect();
        }
        Ok(types)
    }

    /// The name of a type that can be cast to.
    pub(super) fn sql_name(&self, oid: u32) -> String {
        self.0.get(&oid).map_or_else(|| "text".to_owned(), |entry| entry.sql.clone())
    }

    /// `modifier` is the column's, -1 without.
    pub(super) fn of(&self, oid: u32, modifier: i32) -> Known {
        let Some(entry) = self.0.get(&oid) else {
            let (unordered, foreign) = (Some("its type is unknown"), Some(Foreign::Extension));
            let raw = PgType::ServerText;
            return Known { raw, domain: None, labels: None, unordered, collation: None, foreign };
        };
        let modifier = if modifier >= 0 { modifier } else { entry.modifier };
        let domain = (entry.base != oid).then(|| entry.base_sql.clone());
        if entry.element != 0 {
            let element = self.of(entry.element, modifier);
            let raw = match &element.raw {
                // An array inside an array, which only a domain can make, has no form of its own.
                PgType::Array(_) => PgType::ServerText,
                member => member.clone(),
            };
            let domain = domain.or_else(|| element.domain.clone());
            return Known { raw: PgType::Array(Box::new(raw)), domain, labels: None, ..element };
        }
        let raw = raw(entry, modifier);
        let unordered = match (&raw, entry.compares) {
            (PgType::Float4 | PgType::Float8, _) => Some("floats do not order as they compare"),
            (_, Some(true)) => None,
            (_, Some(false)) => Some("the `>` of its type stands in a schema that is not on the search path"),
            (_, None) => Some("its type has no order that `>` goes by"),
        };
        let labels = (entry.labels > 0).then_some(entry.labels);
        let (collation, foreign) = (collation(entry), foreign(entry, &raw));
        Known { raw, domain, labels, unordered, collation, foreign }
    }
}

fn collation(entry: &Entry) -> Option<Collation> {
    let citext = || Collation { name: "citext".to_owned(), folding: Folding::Case, pads: false };
    (entry.name == "citext").then(citext)
}

/// PostgreSQL's own types, ranges whoever made them, and label trees have a text that is documented.
fn foreign(entry: &Entry, raw: &PgType) -> Option<Foreign> {
    let documented = entry.base < FIRST_OF_USERS
        || matches!(entry.kind.as_str(), "r" | "m")
        || matches!(entry.name.as_str(), "ltree" | "lquery" | "ltxtquery");
    match raw {
        PgType::ServerText if entry.kind == "c" => Some(Foreign::Composite),
        PgType::ServerText if !documented => Some(Foreign::Extension),
        _ => None,
    }
}

pub(super) fn oid(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

/// Types by their fixed numbers in pg_type.dat.
fn raw(entry: &Entry, modifier: i32) -> PgType {
    let precision = u8::try_from(modifier).ok().filter(|digits| *digits <= 6).unwrap_or(6);
    match entry.base {
        16 => PgType::Bool,
        17 => PgType::Bytea,
        20 => PgType::Int8,
        21 => PgType::Int2,
        23 => PgType::Int4,
        // oid, xid, cid
        26 | 28 | 29 => PgType::Oid,
        // name, text, varchar
        19 | 25 | 1043 => PgType::Text,
        114 => PgType::Json,
        700 => PgType::Float4,
        701 => PgType::Float8,
        869 => PgType::Inet,
        // money, numeric
        790 | 1700 => PgType::Numeric,
        1042 => PgType::Char,
        1082 => PgType::Date,
        1083 => PgType::Time { precision },
        1114 => PgType::Timestamp { precision },
        1184 => PgType::TimestampTz { precision },
        // varbit, and bit of an unknown width: how many bits there are is part of the value, which bytes
        // alone would lose.
        1560 => u32::try_from(modifier).map_or(PgType::ServerText, |width| PgType::Bit { width }),
        1562 => PgType::ServerText,
        2950 => PgType::Uuid,
        3802 => PgType::Jsonb,
        5069 => PgType::Xid8,
        _ if entry.kind == "e" || (entry.kind == "b" && entry.name == "citext") => PgType::Text,
        _ => PgType::ServerText,
    }
}

/// Types made by users and extensions have numbers from here on.
const FIRST_OF_USERS: u32 = 16_384;

/// Whether a result's column of type `oid` arrives in the form that `planned` promises. A result tells
/// a domain's own type.
pub(super) fn arrives_as(planned: &PgType, oid: u32) -> bool {
    match planned {
        PgType::Bool => oid == 16,
        PgType::Bytea => oid == 17,
        PgType::Int8 => oid == 20,
        PgType::Int2 => oid == 21,
        PgType::Int4 => oid == 23,
        PgType::Oid => matches!(oid, 26 | 28 | 29),
        PgType::Xid8 => oid == 5069,
        PgType::Text => matches!(oid, 19 | 25 | 1043) || oid >= FIRST_OF_USERS,
        PgType::Json => oid == 114,
        PgType::Float4 => oid == 700,
        PgType::Float8 => oid == 701,
        PgType::Numeric => oid == 1700,
        PgType::Char => oid == 1042,
        PgType::Date => oid == 1082,
        PgType::Time { .. } => oid == 1083,
        PgType::Timestamp { .. } => oid == 1114,
        PgType::TimestampTz { .. } => oid == 1184,
        PgType::Bit { .. } => oid == 1560,
        PgType::Uuid => oid == 2950,
        PgType::Jsonb => oid == 3802,
        PgType::Inet | PgType::ServerText => oid == 25,
        PgType::Array(element) => {
            let member = ARRAYS.iter().find(|(array, _)| *array == oid).map(|(_, member)| *member);
            member.is_some_and(|member| arrives_as(element, member))
        }
    }
}

/// Arrays of the types above, as casts make them, each with its members' type.
const ARRAYS: [(u32, u32); 20] = [
    (199, 114),
    (271, 5069),
    (1000, 16),
    (1001, 17),
    (1005, 21),
    (1007, 23),
    (1009, 25),
    (1014, 1042),
    (1016, 20),
    (1021, 700),
    (1022, 701),
    (1028, 26),
    (1115, 1114),
    (1182, 1082),
    (1183, 1083),
    (1185, 1184),
    (1231, 1700),
    (1561, 1560),
    (2951, 2950),
    (3807, 3802),
];
