//! Reaching the target table: the service, a local server, or the embedded DynamoDB in the state folder.

use std::path::Path;
use std::time::Duration;

use super::failure::{Exit, Failure};
use super::terminal::Terminal;
use crate::load::{AutoPace, CheckpointError, Pace, PaceRange, TableIdentity};
use crate::mapping::{Billing, CreateSettings, Endpoint, Rate, Table};
use crate::plan::TablePlan;
use crate::report::cost::thousands;
use crate::target::{
    ConnectSettings, DynamoDb, Embedded, LiveTable, TableDifference, WriteLimits, compare, extra_indexes,
};

/// Name of the embedded DynamoDB's file in the state folder.
const EMBEDDED_FILE: &str = "dynamodb.db";

/// What an on-demand table takes at most without a raised quota, write units per second (developer
/// guide, service quotas).
const ON_DEMAND_QUOTA: u64 = 40_000;

/// What a new on-demand table takes, write units per second (developer guide, on-demand capacity).
const COLD_ON_DEMAND: u64 = 4_000;

/// The same of read units.
const COLD_ON_DEMAND_READS: u64 = 12_000;

/// How long to wait for a new table and its indexes.
const CREATION: Duration = Duration::from_secs(600);

/// What to do where there is no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Fail,
    Create,
    /// A checkpoint says that there was one: another would be made beside it, or in its place.
    Gone,
}

/// A reached table. The embedded server lives as long as this.
#[derive(Debug)]
pub(crate) struct Destination {
    pub dynamodb: DynamoDb,
    pub live: LiveTable,
    embedded: bool,
    _server: Option<Embedded>,
}

impl Destination {
    /// Connects, creates the table when asked, and compares it with the mapping.
    pub(crate) async fn reach(
        table: &Table,
        plan: &TablePlan,
        folder: &Path,
        missing: Missing,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        if !is_embedded(table) {
            return Self::connect(table, plan, None, missing, terminal).await;
        }
        let file = folder.join(EMBEDDED_FILE);
        if missing == Missing::Gone && !file.exists() {
            return Err(gone(plan));
        }
        if missing == Missing::Fail && !file.exists() {
            let message = format!("the embedded DynamoDB has no table yet: there is no {}", file.display());
            return Err(
                Failure::new(Exit::Mapping, "no-table", message).with_help("load first: `migrate run`")
            );
        }
        Self::connect(table, plan, Some(Embedded::file(&file)?), missing, terminal).await
    }

    /// As [`Destination::reach`], with an embedded server that is already running.
    pub(crate) async fn connect(
        table: &Table,
        plan: &TablePlan,
        server: Option<Embedded>,
        missing: Missing,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let mut settings = ConnectSettings::new(plan.name.clone());
        settings.region = table.region.as_ref().map(|region| region.get_ref().clone());
        settings.account = table.account.as_ref().map(|account| account.get_ref().clone());
        settings.endpoint = match (&server, table.endpoint.as_ref().map(toml::Spanned::get_ref)) {
            (Some(server), _) => Some(server.endpoint()),
            (None, Some(Endpoint::Url(url))) => Some(url.clone()),
            (None, _) => None,
        };
        let dynamodb = DynamoDb::connect(settings).await?;
        let live = match dynamodb.describe().await? {
            Some(live) => live,
            None if missing == Missing::Gone => return Err(gone(plan)),
            None if missing == Missing::Create => {
                terminal.remark(&format!(
                    "creating table `{}` in {} …",
                    plan.name,
                    place(&dynamodb, server.is_some())
                ));
                let created = dynamodb.create(plan, CREATION).await?;
                created.notes.iter().for_each(|note| terminal.remark(&format!("warning: {note}")));
                created.table
            }
            None => return Err(dynamodb.missing_table().await.into()),
        };
        must_fit(plan, &live)?;
        for extra in extra_indexes(plan, &live) {
            terminal.remark(&format!(
                "note: the table has an index `{extra}` that the mapping does not name; it may cost write units that are not counted here"
            ));
        }
        Ok(Self { dynamodb, live, embedded: server.is_some(), _server: server })
    }

    pub(crate) fn identity(&self) -> TableIdentity {
        TableIdentity { name: self.live.name.clone(), id: self.live.id.clone() }
    }

    /// How fast to write: what the user said, else what the table takes.
    pub(crate) fn pace(&self, rate: Rate, plan: &TablePlan) -> Pace {
        match rate {
            Rate::Fixed(rate) => Pace::Fixed(rate),
            Rate::Auto if self.embedded || self.dynamodb.is_local() => Pace::Unlimited,
            Rate::Auto => Pace::Auto(auto_pace(&self.dynamodb.starting_rate(&self.live), &self.live, plan)),
        }
    }

    /// How fast to read, in read units a second.
    pub(crate) fn read_pace(&self, rate: Rate) -> Pace {
        let start = match (rate, self.live.billing) {
            (Rate::Fixed(rate), _) => return Pace::Fixed(rate),
            (Rate::Auto, _) if self.embedded || self.dynamodb.is_local() => return Pace::Unlimited,
            (Rate::Auto, Billing::Provisioned(units)) => PaceRange { start: units.read, ceiling: units.read },
            (Rate::Auto, Billing::OnDemand) => {
                let warm = self.live.warm_throughput.map_or(0, |warm| warm.read);
                let start = warm.max(COLD_ON_DEMAND_READS);
                PaceRange { start, ceiling: start.max(ON_DEMAND_QUOTA) }
            }
        };
        Pace::Auto(AutoPace { table: Some(start), ..AutoPace::default() })
    }

    /// What is written to, for people: account or endpoint, region, table, billing.
    pub(crate) fn describe(&self) -> String {
        let billing = match self.live.billing {
            Billing::OnDemand => "on demand".to_owned(),
            Billing::Provisioned(units) => format!("provisioned, {} write units a second", units.write),
        };
        let place = place(&self.dynamodb, self.embedded);
        format!("table `{}` ({billing}) in {place}", self.dynamodb.table())
    }

    /// `items` are expected to be written; 0 where nobody knows.
    pub(crate) fn warnings(&self, items: u64) -> Vec<String> {
        let address = self.dynamodb.address();
        let mut warnings = Vec::new();
        if self.live.stream_enabled {
            warnings.push(format!("the table has a stream: {}", stream_records(items)));
        }
        if let Some(ahead) = address.clock_ahead.filter(|ahead| ahead.abs() > 60) {
            warnings.push(format!("this machine's clock is {} s off the service's", ahead.abs()));
        }
        warnings
    }
}

fn gone(plan: &TablePlan) -> Failure {
    CheckpointError::TableGone { table: plan.name.clone() }.into()
}

/// What a load means to the consumers of a stream.
pub(crate) fn stream_records(items: u64) -> String {
    let about = if items > 0 { format!(", about {} in all", thousands(items)) } else { String::new() };
    format!("its consumers get a record for each item that is written{about}")
}

/// Account or endpoint, and region, as far as they are known.
fn place(dynamodb: &DynamoDb, embedded: bool) -> String {
    let address = dynamodb.address();
    match (embedded, address.local, &address.account, &address.endpoint) {
        (true, ..) => "the embedded DynamoDB".to_owned(),
        (false, true, _, Some(endpoint)) => format!("local server {endpoint}"),
        (false, _, Some(account), _) => format!("AWS account {account}, {}", address.region),
        (false, _, None, Some(endpoint)) => format!("{endpoint}, {}", address.region),
        (false, _, None, None) => address.region.clone(),
    }
}

/// Whether the mapping's table is the embedded DynamoDB's.
pub(crate) fn is_embedded(table: &Table) -> bool {
    matches!(table.endpoint.as_ref().map(toml::Spanned::get_ref), Some(Endpoint::Embedded))
}

/// The pace of a dry run, which asks no table: the given rate, else what `[table.create]` would get.
pub(crate) fn expected_pace(rate: Rate, plan: &TablePlan) -> Pace {
    let Rate::Auto = rate else {
        return match rate {
            Rate::Fixed(rate) => Pace::Fixed(rate),
            Rate::Auto => Pace::Unlimited,
        };
    };
    let of = |billing: Billing| match billing {
        Billing::Provisioned(units) => units.write,
        Billing::OnDemand => {
            plan.create.warm_throughput.map_or(COLD_ON_DEMAND, |warm| warm.write.max(COLD_ON_DEMAND))
        }
    };
    let range = |billing| Some(PaceRange { start: of(billing), ceiling: of(billing) });
    let index = |name: &str| index_billing(&plan.create, name);
    Pace::Auto(AutoPace {
        table: range(plan.create.billing),
        indexes: plan
            .indexes
            .iter()
            .map(|i| (i.name.clone(), range(index(&i.name)).filter(|_| !i.local)))
            .collect(),
        local: local_indexes(plan),
    })
}

fn index_billing(create: &CreateSettings, name: &str) -> Billing {
    let own = create.index_billing.iter().find(|(index, _)| index.get_ref() == name);
    own.map_or(create.billing, |(_, billing)| *billing)
}

fn auto_pace(limits: &WriteLimits, live: &LiveTable, plan: &TablePlan) -> AutoPace {
    let on_demand = live.billing == Billing::OnDemand;
    let range = |start: u64, maximum: Option<u64>| PaceRange {
        start,
        ceiling: if on_demand { maximum.unwrap_or(ON_DEMAND_QUOTA).max(start) } else { start },
    };
    let index = |name: &str| {
        let start = limits.indexes.iter().find(|(index, _)| index == name).and_then(|(_, start)| *start)?;
        let maximum =
            live.indexes.iter().find(|index| index.name == name).and_then(|index| index.maximum_write);
        Some(range(start, maximum))
    };
    AutoPace {
        table: limits.table.map(|start| range(start, live.maximum_write)),
        indexes: plan.indexes.iter().map(|planned| (planned.name.clone(), index(&planned.name))).collect(),
        local: local_indexes(plan),
    }
}

fn local_indexes(plan: &TablePlan) -> Vec<usize> {
    let local = plan.indexes.iter().enumerate().filter(|(_, index)| index.local);
    local.map(|(position, _)| position).collect()
}

fn must_fit(plan: &TablePlan, live: &LiveTable) -> Result<(), Failure> {
    let differences = compare(plan, live);
    let Some(first) = differences.first() else { return Ok(()) };
    let failure = |message| Failure::new(Exit::Mapping, "table-differs", message);
    let table = format!("table `{}` differs from the mapping", live.name);
    if differences.len() == 1 {
        return Err(failure(format!("{table}: {}", first.message)).with_help(first.help.clone()));
    }
    let each =
        |difference: &TableDifference| format!("\n  - {}\n    {}", difference.message, difference.help);
    Err(failure(table + &differences.iter().map(each).collect::<String>()))
}
