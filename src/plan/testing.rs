//! Builders for tests: mappings, relations and templates in a line each.

use std::time::Duration;

use toml::Spanned;

use crate::mapping::{
    Attribute, ColumnChoice, Constant, CreateSettings, Diagnostic, Entity, Format, Index, IndexEntry,
    KeyAttribute, KeyType, Mapping, Origin, Projection, Rate, Rows, Secret, SnapshotMode, SourceSettings,
    Step, Table, Template, TemplatePart, ValueSettings, ValueType, WriteSettings,
};
use crate::source::{Column, MysqlType, PgType, RawType, Relation, RelationKind, SqliteType, UniqueKey};

use super::{Plan, resolve};

pub(super) fn spanned<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

pub(super) fn text(value: &str) -> Spanned<String> {
    spanned(value.to_owned())
}

pub(super) fn texts(values: &[&str]) -> Vec<Spanned<String>> {
    values.iter().map(|value| text(value)).collect()
}

/// `ORDER#{id:010}#{"Unit Price":lower|escape}`
pub(super) fn template(source: &str) -> Template {
    let mut parts = Vec::new();
    let mut rest = source;
    while let Some((literal, behind)) = rest.split_once('{') {
        if !literal.is_empty() {
            parts.push(TemplatePart::Literal(literal.to_owned()));
        }
        let (inside, behind) = behind.split_once('}').unwrap();
        let (column, steps) = inside.split_once(':').unwrap_or((inside, ""));
        let steps = steps.split('|').filter(|step| !step.is_empty()).map(step).collect();
        let column = column.trim_matches('"').to_owned();
        parts.push(TemplatePart::Placeholder { column, steps, span: 0..0 });
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(TemplatePart::Literal(rest.to_owned()));
    }
    Template { parts, span: 0..0 }
}

pub(super) fn step(source: &str) -> Step {
    match source {
        "lower" => Step::Lower,
        "upper" => Step::Upper,
        "trim" => Step::Trim,
        "escape" => Step::Escape,
        "hex" => Step::Hex,
        "epoch" => Step::Epoch,
        "epoch_ms" => Step::EpochMillis,
        "sortable" => Step::Sortable,
        _ if source.contains('%') => Step::Strftime(source.to_owned()),
        _ => match source.strip_prefix("shard(") {
            Some(count) => Step::Shard(count.trim_end_matches(')').parse().unwrap()),
            None => Step::Pad(source.parse().unwrap()),
        },
    }
}

pub(super) fn entity(name: &str, pk: &str, sk: &str) -> Entity {
    Entity {
        name: text(name),
        rows: Rows::From(text(&format!("{}s", name.to_lowercase()))),
        filter: None,
        on_collision: Spanned::new(0..0, crate::mapping::Keep::Reject),
        order_by: Vec::new(),
        key: None,
        pk: template(pk),
        sk: Some(template(sk)),
        type_value: None,
        columns: ColumnChoice::All,
        rename_all: None,
        computed: Vec::new(),
        column_settings: Vec::new(),
        indexes: Vec::new(),
        attributes: Vec::new(),
        defaults: ValueSettings::default(),
    }
}

pub(super) fn mapping(entities: Vec<Entity>) -> Mapping {
    Mapping {
        source: SourceSettings {
            url: spanned(Secret::new("postgres://db/shop")),
            snapshot: SnapshotMode::Shared,
            snapshot_limit: Duration::from_secs(3600),
            readers: 4,
            page_rows: 5000,
            ca_file: None,
            missing: Vec::new(),
        },
        table: Table {
            name: text("shop"),
            partition_key: key_attribute("PK", KeyType::S),
            sort_key: Some(key_attribute("SK", KeyType::S)),
            entity_type: None,
            region: None,
            endpoint: None,
            account: None,
            ttl: None,
            indexes: Vec::new(),
            create: CreateSettings::default(),
            missing: Vec::new(),
        },
        write: WriteSettings { rate: Rate::Auto, concurrency: None, max_rejects: 1000 },
        entities,
    }
}

pub(super) fn key_attribute(name: &str, kind: KeyType) -> KeyAttribute {
    KeyAttribute { name: text(name), kind }
}

pub(super) fn index(name: &str, pk: &str, sk: &str) -> Index {
    Index {
        name: text(name),
        partition_key: vec![key_attribute(pk, KeyType::S)],
        sort_key: vec![key_attribute(sk, KeyType::S)],
        local: false,
        projection: Projection::All,
    }
}

pub(super) fn block(index: &str, pk: &str, sk: &str) -> IndexEntry {
    IndexEntry { index: text(index), when: None, pk: vec![template(pk)], sk: vec![template(sk)] }
}

pub(super) fn attribute(name: &str, column: &str) -> Attribute {
    Attribute { name: text(name), origin: Origin::Column(text(column)), settings: ValueSettings::default() }
}

pub(super) fn constant(name: &str, value: Constant) -> Attribute {
    Attribute { name: text(name), origin: Origin::Value(spanned(value)), settings: ValueSettings::default() }
}

pub(super) fn of_type(kind: ValueType) -> ValueSettings {
    ValueSettings { kind: Some(spanned(kind)), ..ValueSettings::default() }
}

pub(super) fn of_format(format: Format) -> ValueSettings {
    ValueSettings { format: Some(spanned(format)), ..ValueSettings::default() }
}

pub(super) fn in_zone(zone: &str) -> ValueSettings {
    ValueSettings { zone: Some(text(zone)), ..ValueSettings::default() }
}

/// `id int8`, `name text?` (nullable), `day date`; the first columns named in `primary` are the key.
pub(super) fn relation(columns: &str, primary: &str) -> Relation {
    let columns: Vec<Column> = columns.split(", ").map(|declared| column(declared.trim())).collect();
    let names: Vec<String> = primary.split_whitespace().map(str::to_owned).collect();
    let key = UniqueKey { name: "t_pkey".to_owned(), primary: true, columns: names, not_null: true };
    Relation {
        kind: RelationKind::Table,
        columns,
        computed: Vec::new(),
        unique_keys: if primary.is_empty() { Vec::new() } else { vec![key] },
        foreign_keys: Vec::new(),
        family: Vec::new(),
        row_estimate: Some(7),
    }
}

pub(super) fn column(declared: &str) -> Column {
    let (name, sql_type) = declared.split_once(' ').unwrap();
    let nullable = sql_type.ends_with('?');
    let sql_type = sql_type.trim_end_matches('?');
    Column {
        name: name.trim_matches('"').replace('_', if declared.starts_with('"') { " " } else { "_" }),
        sql_type: sql_type.trim_start_matches("my ").trim_start_matches("lite ").to_owned(),
        domain: None,
        labels: None,
        raw: raw(sql_type),
        nullable,
        unordered: matches!(sql_type, "float8" | "my enum").then_some("it does not order as it compares"),
        collation: None,
        foreign: None,
    }
}

/// PostgreSQL's types by name; `my` and `lite` before others.
pub(super) fn raw(sql_type: &str) -> RawType {
    if let Some(lite) = sql_type.strip_prefix("lite ") {
        return RawType::Sqlite(match lite {
            "UUID" => SqliteType::Uuid,
            "BOOLEAN" => SqliteType::Boolean,
            "DATE" => SqliteType::Date,
            "DATETIME" => SqliteType::DateTime,
            "DECIMAL(10,2)" => SqliteType::Decimal,
            _ => SqliteType::Any,
        });
    }
    if let Some(my) = sql_type.strip_prefix("my ") {
        return RawType::Mysql(match my {
            "int unsigned" => MysqlType::Integer { unsigned: true },
            "tinyint(1)" => MysqlType::TinyInt1 { unsigned: false },
            "year" => MysqlType::Year,
            "binary(16)" => MysqlType::Binary,
            "set" => MysqlType::Set,
            "time" => MysqlType::Time { precision: 0 },
            "datetime" => MysqlType::DateTime { precision: 0 },
            "json" | "longtext" => MysqlType::Json,
            other if other.starts_with("decimal") => MysqlType::Decimal,
            other if other.starts_with("bigint") => {
                MysqlType::Integer { unsigned: other.ends_with("unsigned") }
            }
            other if other.starts_with("enum") || other.starts_with("varchar") => MysqlType::Text,
            other => panic!("no type {other}"),
        });
    }
    RawType::Postgres(match sql_type {
        "int4" => PgType::Int4,
        "int8" => PgType::Int8,
        "bool" => PgType::Bool,
        "text" => PgType::Text,
        "hstore" | "pair" | "interval" => PgType::ServerText,
        "uuid" => PgType::Uuid,
        "bytea" => PgType::Bytea,
        "float8" => PgType::Float8,
        "json" => PgType::Json,
        "date" => PgType::Date,
        "time" => PgType::Time { precision: 6 },
        "timestamp" => PgType::Timestamp { precision: 6 },
        "timestamptz" => PgType::TimestampTz { precision: 6 },
        "timestamptz(3)" => PgType::TimestampTz { precision: 3 },
        "timestamptz(0)" => PgType::TimestampTz { precision: 0 },
        "int4[]" => PgType::Array(Box::new(PgType::Int4)),
        "numeric(40,2)[]" => PgType::Array(Box::new(PgType::Numeric)),
        "bytea[]" => PgType::Array(Box::new(PgType::Bytea)),
        "uuid[]" => PgType::Array(Box::new(PgType::Uuid)),
        "timestamp[]" => PgType::Array(Box::new(PgType::Timestamp { precision: 6 })),
        other if other.starts_with("numeric") => PgType::Numeric,
        other if other.starts_with("character(") => PgType::Char,
        other => panic!("no type {other}"),
    })
}

/// `error unknown-column: message` a finding.
pub(super) fn lines(findings: &[Diagnostic]) -> Vec<String> {
    let line = |finding: &Diagnostic| {
        let severity = format!("{:?}", finding.severity).to_lowercase();
        format!("{severity} {}: {}", finding.code, finding.message)
    };
    findings.iter().map(line).collect()
}

pub(super) fn codes(findings: &[Diagnostic]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code).collect()
}

/// Resolves with each entity over its relation.
pub(super) fn resolved(
    mapping: &Mapping,
    relations: &[Relation],
) -> Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>> {
    let described: Vec<_> = relations.iter().map(|relation| Ok(relation.clone())).collect();
    resolve(mapping, &described)
}

/// The plan of one entity, which must be right; the findings beside it.
pub(super) fn plan_of(entity: Entity, relation: &Relation) -> (Plan, Vec<Diagnostic>) {
    match resolved(&mapping(vec![entity]), std::slice::from_ref(relation)) {
        Ok(resolved) => resolved,
        Err(findings) => panic!("{:#?}", lines(&findings)),
    }
}

/// All findings of one entity, mistakes or not.
pub(super) fn findings_of(entity: Entity, relation: &Relation) -> Vec<Diagnostic> {
    match resolved(&mapping(vec![entity]), std::slice::from_ref(relation)) {
        Ok((_, findings)) | Err(findings) => findings,
    }
}
