//! Which attributes count in which index, and the key attributes that `index.I` writes.

use crate::mapping::{
    Diagnostic, Entity, Index, IndexEntry, KeyAttribute, KeyType, Mapping, Projection, Table, Template,
    ValueSettings, closest,
};

use super::attributes::Draft;
use super::fit::Stored;
use super::names::Names;
use super::scope::Scope;
use super::template::{Purpose, resolve as resolve_template};
use super::{
    AttributePlan, IndexEntryPlan, IndexPlan, IndexSizing, KeyColumn, KeyPlan, Membership, TablePlan,
};

/// Indexes that fit the bits of a [`Membership`].
const MOST_INDEXES: usize = 32;

pub(super) fn table_plan(table: &Table) -> TablePlan {
    let index = |index: &Index| IndexPlan {
        name: index.name.get_ref().clone(),
        partition_key: index.partition_key.iter().map(key_column).collect(),
        sort_key: index.sort_key.iter().map(key_column).collect(),
        projection: index.projection.clone(),
        local: index.local,
    };
    TablePlan {
        name: table.name.get_ref().clone(),
        partition_key: key_column(&table.partition_key),
        sort_key: table.sort_key.as_ref().map(key_column),
        indexes: table.indexes.iter().map(index).collect(),
        ttl: table.ttl.as_ref().map(|ttl| ttl.get_ref().clone()),
        create: table.create.clone(),
    }
}

fn key_column(key: &KeyAttribute) -> KeyColumn {
    KeyColumn { name: key.name.get_ref().clone(), kind: key.kind }
}

pub(super) fn sizings(table: &TablePlan) -> Vec<IndexSizing> {
    let sizing = |index: &IndexPlan| IndexSizing {
        name: index.name.clone(),
        partition_keys: index.partition_key.len(),
        sort_keys: index.sort_key.len(),
        all: index.projection == Projection::All,
        local: index.local,
    };
    table.indexes.iter().map(sizing).collect()
}

/// Mistakes of the table alone: one attribute that is two types in two keys, too many indexes.
pub(super) fn check_table(table: &Table, findings: &mut Vec<Diagnostic>) {
    let table_keys = std::iter::once(&table.partition_key).chain(table.sort_key.as_ref());
    let index_keys = table.indexes.iter().flat_map(Index::keys);
    let mut seen: Vec<&KeyAttribute> = Vec::new();
    for key in table_keys.chain(index_keys) {
        let other =
            seen.iter().find(|other| other.name.get_ref() == key.name.get_ref() && other.kind != key.kind);
        if let Some(other) = other {
            let message = format!(
                "attribute `{}` is type {} in one key and type {} in another",
                key.name.get_ref(),
                other.kind.as_str(),
                key.kind.as_str()
            );
            findings.push(Diagnostic::error("key-type", key.name.span(), message));
        }
        seen.push(key);
    }
    if let Some(local) = table.indexes.iter().find(|index| index.local) {
        findings.push(full_collections(local));
    }
    if let Some(index) = table.indexes.get(MOST_INDEXES) {
        let message = format!("more than {MOST_INDEXES} indexes");
        findings.push(Diagnostic::error("too-many-indexes", index.name.span(), message));
    }
}

fn full_collections(local: &Index) -> Diagnostic {
    let message = format!(
        "index `{}` is local: each partition key of the table holds 10 GB at most, items and their entries in local \
         indexes together",
        local.name.get_ref()
    );
    let help = "a global index has no such limit; items beyond it are refused while they are loaded";
    Diagnostic::note("local-index", local.name.span(), message).with_help(help)
}

/// In which indexes an attribute counts.
pub(super) fn membership(table: &TablePlan, attribute: &str) -> Membership {
    let is = |key: &KeyColumn| key.name == attribute;
    let table_key = is(&table.partition_key) || table.sort_key.as_ref().is_some_and(is);
    let mut membership = Membership::default();
    for (position, index) in (0_u32..).zip(&table.indexes) {
        let bit = 1_u32.checked_shl(position).unwrap_or_default();
        let partition = index.partition_key.iter().any(is);
        let sort = index.sort_key.iter().any(is);
        let included = match &index.projection {
            Projection::All => true,
            Projection::KeysOnly => false,
            Projection::Include(names) => names.iter().any(|name| name == attribute),
        };
        let projected = included || partition || sort || table_key;
        membership.partition_of |= if partition { bit } else { 0 };
        membership.sort_of |= if sort { bit } else { 0 };
        membership.projected |= if projected { bit } else { 0 };
    }
    membership
}

/// Whether an attribute is in the partition key of an index.
pub(super) fn is_partition_key(membership: Membership) -> bool {
    membership.partition_of != 0
}

/// The `index.I` blocks of an entity. Their names are taken before those of attributes.
pub(super) fn resolve_entries(
    scope: &mut Scope<'_>,
    mapping: &Mapping,
    table: &TablePlan,
    names: &mut Names,
    findings: &mut Vec<Diagnostic>,
) -> Vec<IndexEntryPlan> {
    let entity = scope.entity;
    let mut plans = Vec::new();
    for entry in &entity.indexes {
        let name = entry.index.get_ref();
        let position = table.indexes.iter().position(|index| index.name == *name);
        let Some((position, index)) = position.and_then(|at| Some((at, mapping.table.indexes.get(at)?)))
        else {
            findings.push(unknown_index(entry, table));
            continue;
        };
        let when = entry.when.as_ref().map(|sql| scope.condition(sql.get_ref()));
        let keys = resolve_keys(scope, entry, index, table, names, findings);
        plans.push(IndexEntryPlan { index: position, when, keys });
    }
    plans
}

fn unknown_index(entry: &IndexEntry, table: &TablePlan) -> Diagnostic {
    let name = entry.index.get_ref();
    let names = || table.indexes.iter().map(|index| index.name.as_str());
    let message = format!("no index `{name}` in [table.indexes]");
    let help = match closest(name, names()) {
        Some(guess) => format!("did you mean `{guess}`?"),
        None => format!("add [table.indexes.{name}]"),
    };
    Diagnostic::error("unknown-index", entry.index.span(), message).with_help(help)
}

fn resolve_keys(
    scope: &mut Scope<'_>,
    entry: &IndexEntry,
    index: &Index,
    table: &TablePlan,
    names: &mut Names,
    findings: &mut Vec<Diagnostic>,
) -> Vec<KeyPlan> {
    if let (Some(sk), None) = (entry.sk.first(), index.sort_key.first()) {
        let message = format!("index `{}` has no sort key", index.name.get_ref());
        let help = "leave `sk` out, or give the index a sort_key in [table.indexes]";
        findings.push(Diagnostic::error("index-without-sort-key", sk.span.clone(), message).with_help(help));
    }
    let pk = entry.pk.iter().zip(&index.partition_key).map(|(pk, key)| (pk, key, false));
    let sk = entry.sk.iter().zip(&index.sort_key).map(|(sk, key)| (sk, key, true));
    let mut plans = Vec::new();
    for (template, key, sorts) in pk.chain(sk) {
        let origin = format!("the block `index.{}`", index.name.get_ref());
        names.take(key.name.get_ref(), origin, &template.span, findings);
        let purpose = Purpose { kind: key.kind, sorts };
        plans.extend(key_plan(scope, template, key, table, purpose, findings));
    }
    plans
}

/// A key attribute that a template renders.
pub(super) fn key_plan(
    scope: &mut Scope<'_>,
    template: &Template,
    key: &KeyAttribute,
    table: &TablePlan,
    purpose: Purpose,
    findings: &mut Vec<Diagnostic>,
) -> Option<KeyPlan> {
    let attribute = key.name.get_ref().clone();
    let membership = membership(table, &attribute);
    let template = resolve_template(scope, template, &ValueSettings::default(), purpose, findings)?;
    Some(KeyPlan { attribute, kind: key.kind, template, membership })
}

/// Attributes with their places in indexes; one that is a key of an index must have the index's type.
pub(super) fn place_attributes(
    drafts: Vec<Draft>,
    table: &TablePlan,
    findings: &mut Vec<Diagnostic>,
) -> Vec<AttributePlan> {
    let plan = |draft: Draft| {
        let index_key = index_key_type(table, &draft.name);
        if let Some((kind, index)) = index_key {
            findings.extend(wrong_index_key(&draft, kind, index));
        }
        let membership = membership(table, &draft.name);
        AttributePlan {
            name: draft.name,
            value: draft.value,
            membership,
            index_key: index_key.map(|(kind, _)| kind),
        }
    };
    drafts.into_iter().map(plan).collect()
}

fn index_key_type<'a>(table: &'a TablePlan, attribute: &str) -> Option<(KeyType, &'a str)> {
    table.indexes.iter().find_map(|index| {
        index.keys().find(|key| key.name == attribute).map(|key| (key.kind, index.name.as_str()))
    })
}

fn wrong_index_key(draft: &Draft, kind: KeyType, index: &str) -> Option<Diagnostic> {
    let found = match (draft.stored, kind) {
        (Stored::Unknown, _)
        | (Stored::S, KeyType::S)
        | (Stored::N, KeyType::N)
        | (Stored::B, KeyType::B) => {
            return None;
        }
        (Stored::S, _) => "S",
        (Stored::N, _) => "N",
        (Stored::B, _) => "B",
        (Stored::Other(what), _) => what,
    };
    let name = &draft.name;
    let message =
        format!("attribute `{name}` is {found}, but a key of index `{index}`, which wants {}", kind.as_str());
    let help = format!(
        "change its `type`, or declare the key as `{{ name = \"{name}\", type = \"…\" }}` in [table.indexes.{index}]"
    );
    Some(Diagnostic::error("index-key-type", draft.span.clone(), message).with_help(help))
}

/// Blocks that never reach their index, and indexes that an entity enters without a block of its own.
pub(super) fn check_entering(
    entity: &Entity,
    mapping: &Mapping,
    names: &Names,
    findings: &mut Vec<Diagnostic>,
) {
    for index in &mapping.table.indexes {
        let missing = index.keys().find(|key| !names.has(key.name.get_ref()));
        let of_index = |entry: &&IndexEntry| entry.index.get_ref() == index.name.get_ref();
        let block = entity.indexes.iter().find(of_index);
        match (block, missing) {
            (Some(block), Some(missing)) => findings.push(never_enters(block, missing)),
            (None, None) => {
                let meant_for_blocks =
                    mapping.entities.iter().any(|other| other.indexes.iter().any(|entry| of_index(&entry)));
                findings.push(enters_without_block(entity, index, meant_for_blocks));
            }
            (Some(_), None) | (None, Some(_)) => {}
        }
    }
}

fn never_enters(block: &IndexEntry, missing: &KeyAttribute) -> Diagnostic {
    let index = block.index.get_ref();
    let missing = missing.name.get_ref();
    let message = format!("no item enters index `{index}`: nothing writes its key attribute `{missing}`");
    let help = "write both `pk` and `sk` in the block, or carry the attribute otherwise";
    Diagnostic::warning("index-incomplete", block.index.span(), message).with_help(help)
}

/// Expected of an index over attributes that all items carry; odd where other entities have blocks.
fn enters_without_block(entity: &Entity, index: &Index, meant_for_blocks: bool) -> Diagnostic {
    let (name, index) = (entity.name.get_ref(), index.name.get_ref());
    let message = format!(
        "`{name}` enters index `{index}` without a block `index.{index}`: its items carry the key attributes anyway"
    );
    let span = entity.name.span();
    match meant_for_blocks {
        true => Diagnostic::warning("enters-index", span, message)
            .with_help("rename the attribute if that is not meant"),
        false => Diagnostic::note("enters-index", span, message),
    }
}
