//! A table as it exists, in our own words.

use crate::mapping::{Billing, Projection, Throughput};
use crate::plan::KeyColumn;

/// What DescribeTable says, without its item count (hours old, so no one may use it).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveTable {
    pub name: String,
    pub arn: Option<String>,
    /// Changes when a table is dropped and made again.
    pub id: Option<String>,
    /// `ACTIVE`, `CREATING`, `UPDATING` …, the service's word.
    pub status: String,
    pub partition_key: KeyColumn,
    pub sort_key: Option<KeyColumn>,
    pub indexes: Vec<LiveIndex>,
    pub billing: Billing,
    /// The user's own cap of an on-demand table, write units per second.
    pub maximum_write: Option<u64>,
    /// What the table carries at once, units per second.
    pub warm_throughput: Option<Throughput>,
    pub stream_enabled: bool,
    pub deletion_protection: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveIndex {
    pub name: String,
    /// A local index: shares the table's partition key and capacity.
    pub local: bool,
    /// One to four attributes.
    pub partition_key: Vec<KeyColumn>,
    /// None to four attributes.
    pub sort_key: Vec<KeyColumn>,
    pub projection: Projection,
    /// `ACTIVE`, `CREATING` …; a local index is as active as its table.
    pub status: String,
    /// Of a global index of a provisioned table.
    pub throughput: Option<Throughput>,
    pub maximum_write: Option<u64>,
    pub warm_throughput: Option<Throughput>,
}

impl LiveTable {
    /// Whether the table and all its indexes can be written to and read.
    pub fn is_ready(&self) -> bool {
        self.status == "ACTIVE" && self.indexes.iter().all(|index| index.status == "ACTIVE")
    }
}

/// Write units per second that a load may start with; `None` is without limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteLimits {
    pub table: Option<u64>,
    /// Of each global index, by name.
    pub indexes: Vec<(String, Option<u64>)>,
}

/// What a new on-demand table, and each of its indexes, takes (developer guide, on-demand capacity).
const COLD_ON_DEMAND: u64 = 4_000;

/// The limits of a table of the service itself. Local servers have none: see [`WriteLimits::none`].
pub fn write_limits(table: &LiveTable) -> WriteLimits {
    let on_demand = table.billing == Billing::OnDemand;
    let table_limit = match table.billing {
        Billing::Provisioned(throughput) => throughput.write,
        Billing::OnDemand => on_demand_limit(table.warm_throughput, table.maximum_write),
    };
    let index_limit = |index: &LiveIndex| match index.throughput {
        Some(throughput) if !on_demand => throughput.write,
        _ => on_demand_limit(index.warm_throughput, index.maximum_write),
    };
    let global = table.indexes.iter().filter(|index| !index.local);
    WriteLimits {
        table: Some(table_limit),
        indexes: global.map(|index| (index.name.clone(), Some(index_limit(index)))).collect(),
    }
}

impl WriteLimits {
    /// No limit on the table nor on any index.
    pub fn none(table: &LiveTable) -> Self {
        let global = table.indexes.iter().filter(|index| !index.local);
        Self { table: None, indexes: global.map(|index| (index.name.clone(), None)).collect() }
    }
}

fn on_demand_limit(warm: Option<Throughput>, maximum: Option<u64>) -> u64 {
    let start = warm.map(|throughput| throughput.write).filter(|write| *write > 0).unwrap_or(COLD_ON_DEMAND);
    maximum.map_or(start, |maximum| maximum.min(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::KeyType;

    fn key(name: &str) -> KeyColumn {
        KeyColumn { name: name.to_owned(), kind: KeyType::S }
    }

    fn index(throughput: Option<u64>, warm: Option<u64>, maximum_write: Option<u64>) -> LiveIndex {
        LiveIndex {
            name: "GSI1".to_owned(),
            local: false,
            partition_key: vec![key("GSI1PK")],
            sort_key: Vec::new(),
            projection: Projection::All,
            status: "ACTIVE".to_owned(),
            throughput: throughput.map(|write| Throughput { read: 1, write }),
            maximum_write,
            warm_throughput: warm.map(|write| Throughput { read: 1, write }),
        }
    }

    fn table(billing: Billing, warm: Option<u64>, indexes: Vec<LiveIndex>) -> LiveTable {
        LiveTable {
            name: "shop".to_owned(),
            arn: None,
            id: None,
            status: "ACTIVE".to_owned(),
            partition_key: key("PK"),
            sort_key: None,
            indexes,
            billing,
            maximum_write: None,
            warm_throughput: warm.map(|write| Throughput { read: 1, write }),
            stream_enabled: false,
            deletion_protection: false,
        }
    }

    #[test]
    fn provisioned_capacity_limits_table_and_index_each() {
        let billing = Billing::Provisioned(Throughput { read: 1, write: 1000 });
        let limits = write_limits(&table(billing, Some(9000), vec![index(Some(100), Some(9000), None)]));
        assert_eq!(limits.table, Some(1000));
        assert_eq!(limits.indexes, [("GSI1".to_owned(), Some(100))]);
    }

    #[test]
    fn on_demand_starts_warm_or_cold_and_below_its_own_maximum() {
        let limits =
            write_limits(&table(Billing::OnDemand, None, vec![index(None, Some(12_000), Some(500))]));
        assert_eq!(limits.table, Some(4_000));
        assert_eq!(limits.indexes, [("GSI1".to_owned(), Some(500))]);
        assert_eq!(write_limits(&table(Billing::OnDemand, Some(40_000), Vec::new())).table, Some(40_000));
    }

    #[test]
    fn local_indexes_have_no_limit_of_their_own() {
        let local = LiveIndex { local: true, ..index(None, None, None) };
        assert!(write_limits(&table(Billing::OnDemand, None, vec![local])).indexes.is_empty());
    }
}
