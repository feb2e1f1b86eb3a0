//! The table as planned against the table as it exists. Pure.

use super::live::{LiveIndex, LiveTable};
use crate::mapping::{KeyType, Projection, closest};
use crate::plan::{IndexPlan, KeyColumn, TablePlan};

/// Something about the table that makes the mapping's writes fail or its reads lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableDifference {
    pub message: String,
    /// The smallest change that mends it.
    pub help: String,
}

/// All differences at once; none means that the table fits. Indexes that only the table has are no
/// difference: see [`extra_indexes`].
pub fn compare(plan: &TablePlan, live: &LiveTable) -> Vec<TableDifference> {
    let mut differences = Vec::new();
    differences.extend(table_status(live));
    differences.extend(key(&Place::Table, "partition_key", &plan.partition_key, Some(&live.partition_key)));
    differences.extend(sort_key(&Place::Table, plan.sort_key.as_ref(), live.sort_key.as_ref()));
    for index in &plan.indexes {
        match live.indexes.iter().find(|known| known.name == index.name) {
            Some(known) => differences.extend(index_differences(plan, index, known)),
            None => differences.push(missing_index(index, live)),
        }
    }
    differences
}

/// Names of indexes that the table has and the mapping does not name. They cost write units that the
/// estimate does not see wherever an item happens to carry their key attributes.
pub fn extra_indexes<'a>(plan: &TablePlan, live: &'a LiveTable) -> Vec<&'a str> {
    let planned = |name: &str| plan.indexes.iter().any(|index| index.name == name);
    live.indexes.iter().map(|index| index.name.as_str()).filter(|name| !planned(name)).collect()
}

/// Where a key belongs, for messages.
enum Place<'a> {
    Table,
    Index(&'a str),
}

impl Place<'_> {
    fn owner(&self) -> String {
        match self {
            Place::Table => "the table's".to_owned(),
            Place::Index(name) => format!("index `{name}`'s"),
        }
    }

    fn setting(&self, key: &str) -> String {
        match self {
            Place::Table => format!("table.{key}"),
            Place::Index(name) => format!("table.indexes.{name}.{key}"),
        }
    }
}

fn table_status(live: &LiveTable) -> Option<TableDifference> {
    let usable = matches!(live.status.as_str(), "ACTIVE" | "UPDATING");
    (!usable).then(|| TableDifference {
        message: format!("the table is {}, not ACTIVE", live.status),
        help: "wait until it is ACTIVE and run again".to_owned(),
    })
}

/// Compares one planned key with what the table has in its place.
fn key(place: &Place<'_>, role: &str, plan: &KeyColumn, live: Option<&KeyColumn>) -> Option<TableDifference> {
    let words = role.replace('_', " ");
    let Some(live) = live else {
        return Some(TableDifference {
            message: format!(
                "{} has no {words}, the mapping names `{}`",
                place.owner().trim_end_matches("'s"),
                plan.name
            ),
            help: format!("set `{} = false`, or make the table anew", place.setting(role)),
        });
    };
    if plan.name != live.name {
        return Some(other_name(place, role, plan, live));
    }
    (plan.kind != live.kind).then(|| TableDifference {
        message: format!(
            "{} {words} `{}` has type {}, the mapping says {}",
            place.owner(),
            live.name,
            live.kind.as_str(),
            plan.kind.as_str()
        ),
        help: format!(
            "set `{} = {{ name = \"{}\", type = \"{}\" }}`",
            place.setting(role),
            live.name,
            live.kind.as_str()
        ),
    })
}

fn other_name(place: &Place<'_>, role: &str, plan: &KeyColumn, live: &KeyColumn) -> TableDifference {
    let near = closest(&plan.name, [live.name.as_str()]).is_some();
    let note = if near { "; names are compared with their case" } else { "" };
    TableDifference {
        message: format!(
            "{} {} is `{}`, the mapping says `{}`{note}",
            place.owner(),
            role.replace('_', " "),
            live.name,
            plan.name
        ),
        help: format!("set `{} = \"{}\"`, or name another table", place.setting(role), live.name),
    }
}

fn sort_key(
    place: &Place<'_>,
    plan: Option<&KeyColumn>,
    live: Option<&KeyColumn>,
) -> Option<TableDifference> {
    match (plan, live) {
        (Some(plan), live) => key(place, "sort_key", plan, live),
        (None, Some(live)) => Some(TableDifference {
            message: format!("{} sort key is `{}`, the mapping names none", place.owner(), live.name),
            help: format!("set `{} = \"{}\"`", place.setting("sort_key"), live.name),
        }),
        (None, None) => None,
    }
}

fn missing_index(index: &IndexPlan, live: &LiveTable) -> TableDifference {
    let near = closest(&index.name, live.indexes.iter().map(|known| known.name.as_str()));
    TableDifference {
        message: format!("the table has no index `{}`", index.name),
        help: match near {
            Some(name) => format!("the table has an index `{name}`: did you mean that one?"),
            None if index.local => format!(
                "make the table anew: a local index is made together with its table; or take `[table.indexes.{}]` out",
                index.name
            ),
            None => format!("add the index to the table, or take `[table.indexes.{}]` out", index.name),
        },
    }
}

fn index_differences(plan: &TablePlan, index: &IndexPlan, live: &LiveIndex) -> Vec<TableDifference> {
    let place = Place::Index(&index.name);
    let mut differences: Vec<TableDifference> = Vec::new();
    differences.extend(wrong_kind(index, live));
    differences.extend(match (index.partition_key.as_slice(), live.partition_key.as_slice()) {
        ([plan], [live]) => key(&place, "partition_key", plan, Some(live)),
        (plan, live) => many_keys(&place, "partition_key", plan, live),
    });
    differences.extend(match (index.sort_key.as_slice(), live.sort_key.as_slice()) {
        (plan @ ([] | [_]), live @ ([] | [_])) => sort_key(&place, plan.first(), live.first()),
        (plan, live) => many_keys(&place, "sort_key", plan, live),
    });
    differences.extend(projection(plan, index, live));
    differences.extend(index_status(live));
    differences
}

/// A key of several attributes, in the mapping or in the table: names, types and order count.
fn many_keys(
    place: &Place<'_>,
    role: &str,
    plan: &[KeyColumn],
    live: &[KeyColumn],
) -> Option<TableDifference> {
    let names = |keys: &[KeyColumn]| match keys {
        [] => "none".to_owned(),
        keys => {
            let each = keys.iter().map(|key| format!("`{}` ({})", key.name, key.kind.as_str()));
            each.collect::<Vec<_>>().join(", ")
        }
    };
    let setting = |key: &KeyColumn| match key.kind {
        KeyType::S => format!("\"{}\"", key.name),
        kind => format!("{{ name = \"{}\", type = \"{}\" }}", key.name, kind.as_str()),
    };
    let wanted = live.iter().map(setting).collect::<Vec<_>>().join(", ");
    let wanted = if live.is_empty() { "false".to_owned() } else { format!("[{wanted}]") };
    (plan != live).then(|| TableDifference {
        message: format!(
            "{} {} is {}, the mapping says {}",
            place.owner(),
            role.replace('_', " "),
            names(live),
            names(plan)
        ),
        help: format!("set `{} = {wanted}`, or make the index anew", place.setting(role)),
    })
}

fn wrong_kind(index: &IndexPlan, live: &LiveIndex) -> Option<TableDifference> {
    let words = |local| if local { "local" } else { "global" };
    (index.local != live.local).then(|| TableDifference {
        message: format!(
            "index `{}` is {}, the mapping says {}",
            live.name,
            words(live.local),
            words(index.local)
        ),
        help: format!("set `table.indexes.{}.local = {}`, or make the table anew", live.name, live.local),
    })
}

fn index_status(live: &LiveIndex) -> Option<TableDifference> {
    let usable = matches!(live.status.as_str(), "ACTIVE" | "UPDATING");
    (!usable).then(|| TableDifference {
        message: format!("index `{}` is {}, not ACTIVE", live.name, live.status),
        help: "wait until it is ACTIVE and run again".to_owned(),
    })
}

/// A wider projection than planned does no harm; a narrower one lacks what the mapping counts on.
fn projection(plan: &TablePlan, index: &IndexPlan, live: &LiveIndex) -> Option<TableDifference> {
    let lacking = match (&index.projection, &live.projection) {
        (_, Projection::All) | (Projection::KeysOnly, _) => return None,
        (Projection::All, _) => "all attributes".to_owned(),
        (Projection::Include(names), carried) => {
            let lacking = lacking_names(plan, index, names, carried);
            (!lacking.is_empty()).then(|| lacking.join(", "))?
        }
    };
    let (message, setting) = match &live.projection {
        Projection::Include(names) => (format!("only {}", names.join(", ")), format!("{names:?}")),
        _ => ("only keys".to_owned(), "\"KEYS_ONLY\"".to_owned()),
    };
    Some(TableDifference {
        message: format!("index `{}` carries {message}; the mapping wants {lacking}", index.name),
        help: format!("set `table.indexes.{}.projection = {setting}`, or make the index anew", index.name),
    })
}

fn lacking_names<'a>(
    plan: &TablePlan,
    index: &IndexPlan,
    names: &'a [String],
    carried: &Projection,
) -> Vec<&'a str> {
    let included: &[String] = match carried {
        Projection::Include(names) => names,
        _ => &[],
    };
    let table = std::iter::once(&plan.partition_key).chain(&plan.sort_key);
    let keys: Vec<&str> = table.chain(index.keys()).map(|key| key.name.as_str()).collect();
    let carries = |name: &str| included.iter().any(|known| known == name) || keys.contains(&name);
    names.iter().map(String::as_str).filter(|name| !carries(name)).collect()
}

#[cfg(test)]
mod tests;
