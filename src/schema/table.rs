//! [`TablePlan`] → the parts of a CreateTable request.

use crate::mapping::{Billing, Encryption, Projection, StreamView, Throughput};
use crate::plan::{IndexPlan, KeyColumn, TablePlan};

/// A table as CreateTable describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableDefinition {
    pub name: String,
    /// Exactly the attributes that some key uses, in order of first use. Of an attribute that two keys
    /// declare with different types the first counts; the mapping refuses that earlier.
    pub attributes: Vec<KeyColumn>,
    pub keys: Vec<KeyElement>,
    pub indexes: Vec<IndexDefinition>,
    pub billing: Billing,
    pub deletion_protection: bool,
    pub encryption: Encryption,
    pub tags: Vec<(String, String)>,
    pub stream: Option<StreamView>,
    /// Holds for the table and, as the service sets it one by one, for each global index.
    pub warm_throughput: Option<Throughput>,
    pub point_in_time_recovery: bool,
    pub ttl: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDefinition {
    pub name: String,
    /// A local secondary index, without throughput of its own.
    pub local: bool,
    pub keys: Vec<KeyElement>,
    pub projection: Projection,
    /// `None` exactly when the table is on demand, or the index local.
    pub throughput: Option<Throughput>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyElement {
    pub attribute: String,
    pub role: KeyRole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRole {
    Hash,
    Range,
}

impl KeyRole {
    /// The word of the AWS API.
    pub fn as_str(self) -> &'static str {
        match self {
            KeyRole::Hash => "HASH",
            KeyRole::Range => "RANGE",
        }
    }
}

/// The definition that makes a table as the plan wants it.
pub fn table_definition(plan: &TablePlan) -> TableDefinition {
    let create = &plan.create;
    TableDefinition {
        name: plan.name.clone(),
        attributes: attributes(plan),
        keys: key_elements(std::slice::from_ref(&plan.partition_key), plan.sort_key.as_slice()),
        indexes: plan.indexes.iter().map(|index| index_definition(plan, index)).collect(),
        billing: create.billing,
        deletion_protection: create.deletion_protection,
        encryption: create.encryption.clone(),
        tags: create.tags.clone(),
        stream: create.stream,
        warm_throughput: create.warm_throughput,
        point_in_time_recovery: create.point_in_time_recovery,
        ttl: plan.ttl.clone(),
    }
}

fn attributes(plan: &TablePlan) -> Vec<KeyColumn> {
    let table = std::iter::once(&plan.partition_key).chain(&plan.sort_key);
    let indexes = plan.indexes.iter().flat_map(IndexPlan::keys);
    let mut used: Vec<KeyColumn> = Vec::new();
    for key in table.chain(indexes) {
        if used.iter().all(|known| known.name != key.name) {
            used.push(key.clone());
        }
    }
    used
}

fn key_elements(partition_key: &[KeyColumn], sort_key: &[KeyColumn]) -> Vec<KeyElement> {
    let element = |role| move |key: &KeyColumn| KeyElement { attribute: key.name.clone(), role };
    let hash = partition_key.iter().map(element(KeyRole::Hash));
    hash.chain(sort_key.iter().map(element(KeyRole::Range))).collect()
}

fn index_definition(plan: &TablePlan, index: &IndexPlan) -> IndexDefinition {
    IndexDefinition {
        name: index.name.clone(),
        local: index.local,
        keys: key_elements(&index.partition_key, &index.sort_key),
        projection: index.projection.clone(),
        throughput: index_throughput(plan, &index.name).filter(|_| !index.local),
    }
}

/// An index of a provisioned table has capacity of its own: its own setting, else the table's.
fn index_throughput(plan: &TablePlan, index: &str) -> Option<Throughput> {
    let Billing::Provisioned(table) = plan.create.billing else { return None };
    let own = plan.create.index_billing.iter().find(|(name, _)| name.get_ref() == index);
    match own {
        Some((_, Billing::Provisioned(throughput))) => Some(*throughput),
        _ => Some(table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::{CreateSettings, KeyType, Spanned};

    fn key(name: &str) -> KeyColumn {
        KeyColumn { name: name.to_owned(), kind: KeyType::S }
    }

    fn index(name: &str, partition_key: KeyColumn, sort_key: Option<KeyColumn>) -> IndexPlan {
        let (partition_key, sort_key) = (vec![partition_key], sort_key.into_iter().collect());
        IndexPlan {
            name: name.to_owned(),
            partition_key,
            sort_key,
            projection: Projection::All,
            local: false,
        }
    }

    fn plan(billing: Billing) -> TablePlan {
        let number = KeyColumn { name: "rank".to_owned(), kind: KeyType::N };
        TablePlan {
            name: "shop".to_owned(),
            partition_key: key("PK"),
            sort_key: Some(key("SK")),
            indexes: vec![
                index("GSI1", key("GSI1PK"), Some(number)),
                index("Inverted", key("SK"), Some(key("PK"))),
                index("ByOwner", key("owner"), None),
            ],
            ttl: None,
            create: CreateSettings { billing, ..CreateSettings::default() },
        }
    }

    #[test]
    fn attributes_are_those_of_keys_once_in_order_of_first_use() {
        let definition = table_definition(&plan(Billing::OnDemand));
        let names: Vec<_> =
            definition.attributes.iter().map(|key| (key.name.as_str(), key.kind.as_str())).collect();
        assert_eq!(names, [("PK", "S"), ("SK", "S"), ("GSI1PK", "S"), ("rank", "N"), ("owner", "S")]);
    }

    #[test]
    fn keys_of_several_attributes_keep_their_order() {
        let mut plan = plan(Billing::OnDemand);
        plan.indexes[0].partition_key = vec![key("tenant"), key("region")];
        plan.indexes[0].sort_key.push(key("day"));
        let definition = table_definition(&plan);
        let keys: Vec<_> = definition.indexes[0]
            .keys
            .iter()
            .map(|key| format!("{} {}", key.attribute, key.role.as_str()))
            .collect();
        assert_eq!(keys, ["tenant HASH", "region HASH", "rank RANGE", "day RANGE"]);
        assert!(["tenant", "region", "day"].iter().all(|name| definition.attributes.contains(&key(name))));
    }

    #[test]
    fn z06_a_local_index_has_no_throughput_of_its_own() {
        let mut plan = plan(Billing::Provisioned(Throughput { read: 5, write: 10 }));
        plan.indexes[1].local = true;
        let throughput: Vec<_> = table_definition(&plan)
            .indexes
            .iter()
            .map(|index| (index.local, index.throughput.is_some()))
            .collect();
        assert_eq!(throughput, [(false, true), (true, false), (false, true)]);
    }

    #[test]
    fn keys_come_hash_first_and_a_missing_sort_key_stays_missing() {
        let definition = table_definition(&plan(Billing::OnDemand));
        let words = |keys: &[KeyElement]| {
            keys.iter().map(|key| format!("{} {}", key.attribute, key.role.as_str())).collect::<Vec<_>>()
        };
        assert_eq!(words(&definition.keys), ["PK HASH", "SK RANGE"]);
        assert_eq!(words(&definition.indexes[1].keys), ["SK HASH", "PK RANGE"]);
        assert_eq!(words(&definition.indexes[2].keys), ["owner HASH"]);
    }

    #[test]
    fn indexes_of_a_provisioned_table_have_throughput_of_their_own_or_the_tables() {
        let table = Throughput { read: 5, write: 10 };
        let own = Throughput { read: 1, write: 2 };
        let mut plan = plan(Billing::Provisioned(table));
        plan.create.index_billing = vec![(Spanned::new(0..0, "GSI1".to_owned()), Billing::Provisioned(own))];
        let throughput: Vec<_> =
            table_definition(&plan).indexes.iter().map(|index| index.throughput).collect();
        assert_eq!(throughput, [Some(own), Some(table), Some(table)]);
    }

    #[test]
    fn indexes_of_a_table_on_demand_have_no_throughput() {
        let definition = table_definition(&plan(Billing::OnDemand));
        assert!(definition.indexes.iter().all(|index| index.throughput.is_none()));
    }
}
