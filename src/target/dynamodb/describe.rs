//! What exists: DescribeTable, DescribeTimeToLive, and whether the table is empty.

use aws_sdk_dynamodb::config::Config;
use aws_sdk_dynamodb::types::{
    self as sdk, BillingMode, KeyType as Role, ProjectionType, ScalarAttributeType, Select,
};
use aws_smithy_types::retry::RetryConfig;

use super::DynamoDb;
use super::connect::other_account;
use super::error::Stage;
use crate::mapping::{Billing, KeyType, Projection, Throughput};
use crate::plan::KeyColumn;
use crate::target::{LiveIndex, LiveTable, TargetError, TargetErrorKind, WriteLimits, write_limits};

impl DynamoDb {
    /// The table, `None` where there is none. The first call that reaches the service: everything
    /// that is wrong with endpoint, credentials, clock or account comes to light here.
    pub async fn describe(&self) -> Result<Option<LiveTable>, TargetError> {
        let context = format!("describe table `{}`", self.table());
        let answer = self
            .client()
            .describe_table()
            .table_name(self.table())
            .customize()
            .config_override(self.control())
            .send()
            .await;
        let description = match answer {
            Ok(output) => output.table,
            Err(error) => {
                let error = self.call(Stage::Connect, &context).failed(error);
                return if error.kind == TargetErrorKind::NoTable { Ok(None) } else { Err(error) };
            }
        };
        let live = description.as_ref().and_then(live_table).ok_or_else(|| {
            TargetError::new(TargetErrorKind::Config, &context, "the answer describes no table")
                .with_hint("check `table.endpoint`: what answers there does not speak DynamoDB")
        })?;
        self.check_account(&context, live.arn.as_deref())?;
        self.shared.clients.remember(live.arn.as_deref(), live.id.as_deref());
        Ok(Some(live))
    }

    /// The error for a command that needs the table. On a local server it lists the tables there are.
    pub async fn missing_table(&self) -> TargetError {
        let call = self.call(Stage::Connect, format!("describe table `{}`", self.table()));
        let error = TargetError::new(
            TargetErrorKind::NoTable,
            call.context.clone(),
            format!("table `{}` does not exist in {}", self.table(), self.shared.region),
        );
        let hint = call.no_table();
        match self.tables().await {
            Some(tables) if self.is_local() => error.with_hint(format!("{hint}. Tables there: {tables}")),
            _ => error.with_hint(hint),
        }
    }

    /// Whether the table holds no item, by one Scan of one item.
    pub async fn is_empty(&self) -> Result<bool, TargetError> {
        let answer = self
            .client()
            .scan()
            .table_name(self.table())
            .limit(1)
            .select(Select::Count)
            .consistent_read(true)
            .customize()
            .config_override(self.control())
            .send()
            .await
            .map_err(|error| {
                self.call(Stage::Connect, format!("look into table `{}`", self.table())).failed(error)
            })?;
        Ok(answer.count() == 0 && answer.last_evaluated_key().is_none())
    }

    /// Write units per second to start with, per table and index; none on a local server.
    pub fn starting_rate(&self, table: &LiveTable) -> WriteLimits {
        if self.is_local() { WriteLimits::none(table) } else { write_limits(table) }
    }

    /// Settings of everything beside the load: the SDK's retries, and an eye on what passes.
    pub(super) fn control(&self) -> aws_sdk_dynamodb::config::Builder {
        Config::builder().retry_config(RetryConfig::standard()).interceptor(self.shared.observed.clone())
    }

    /// Remembers the account of a table's ARN and refuses another than the mapping names.
    pub(super) fn check_account(&self, context: &str, arn: Option<&str>) -> Result<(), TargetError> {
        let Some(found) = arn.and_then(arn_account) else { return Ok(()) };
        self.shared.observed.set_account(found);
        match &self.shared.expected_account {
            Some(expected) if !self.is_local() && expected != found => {
                Err(other_account(context, expected, found))
            }
            _ => Ok(()),
        }
    }

    async fn tables(&self) -> Option<String> {
        let answer = self
            .client()
            .list_tables()
            .limit(20)
            .customize()
            .config_override(self.control())
            .send()
            .await
            .ok()?;
        let names = answer.table_names();
        Some(if names.is_empty() { "none".to_owned() } else { names.join(", ") })
    }
}

/// `arn:aws:dynamodb:eu-west-1:123456789012:table/shop` → `123456789012`
fn arn_account(arn: &str) -> Option<&str> {
    arn.split(':').nth(4).filter(|account| !account.is_empty())
}

/// `None` for what is no complete description.
pub(super) fn live_table(table: &sdk::TableDescription) -> Option<LiveTable> {
    let types = table.attribute_definitions();
    let (partition_key, sort_key) = keys(types, table.key_schema())?;
    let on_demand = table.billing_mode_summary().and_then(|summary| summary.billing_mode());
    let on_demand = on_demand == Some(&BillingMode::PayPerRequest);
    let throughput = table.provisioned_throughput().map(provisioned).filter(|_| !on_demand);
    let global = table.global_secondary_indexes().iter().map(|index| global_index(types, index, on_demand));
    let local = table.local_secondary_indexes().iter().map(|index| local_index(types, index));
    Some(LiveTable {
        name: table.table_name()?.to_owned(),
        arn: table.table_arn().map(str::to_owned),
        id: table.table_id().map(str::to_owned),
        status: table.table_status()?.as_str().to_owned(),
        partition_key: partition_key.into_iter().next()?,
        sort_key: sort_key.into_iter().next(),
        indexes: global.chain(local).collect::<Option<Vec<_>>>()?,
        billing: throughput.map_or(Billing::OnDemand, Billing::Provisioned),
        maximum_write: table.on_demand_throughput().and_then(maximum_write),
        warm_throughput: table
            .warm_throughput()
            .and_then(|warm| pair(warm.read_units_per_second(), warm.write_units_per_second())),
        stream_enabled: table.stream_specification().is_some_and(|stream| stream.stream_enabled()),
        deletion_protection: table.deletion_protection_enabled().unwrap_or(false),
    })
}

fn global_index(
    types: &[sdk::AttributeDefinition],
    index: &sdk::GlobalSecondaryIndexDescription,
    on_demand: bool,
) -> Option<LiveIndex> {
    let (partition_key, sort_key) = keys(types, index.key_schema())?;
    Some(LiveIndex {
        name: index.index_name()?.to_owned(),
        local: false,
        partition_key,
        sort_key,
        projection: projection(index.projection()?)?,
        status: index.index_status().map_or("ACTIVE", |status| status.as_str()).to_owned(),
        throughput: index.provisioned_throughput().map(provisioned).filter(|_| !on_demand),
        maximum_write: index.on_demand_throughput().and_then(maximum_write),
        warm_throughput: index
            .warm_throughput()
            .and_then(|warm| pair(warm.read_units_per_second(), warm.write_units_per_second())),
    })
}

fn local_index(
    types: &[sdk::AttributeDefinition],
    index: &sdk::LocalSecondaryIndexDescription,
) -> Option<LiveIndex> {
    let (partition_key, sort_key) = keys(types, index.key_schema())?;
    Some(LiveIndex {
        name: index.index_name()?.to_owned(),
        local: true,
        partition_key,
        sort_key,
        projection: projection(index.projection()?)?,
        status: "ACTIVE".to_owned(),
        throughput: None,
        maximum_write: None,
        warm_throughput: None,
    })
}

/// Partition key attributes and sort key attributes, with their types.
fn keys(
    types: &[sdk::AttributeDefinition],
    schema: &[sdk::KeySchemaElement],
) -> Option<(Vec<KeyColumn>, Vec<KeyColumn>)> {
    let column = |element: &sdk::KeySchemaElement| {
        let name = element.attribute_name();
        let definition = types.iter().find(|definition| definition.attribute_name() == name)?;
        let kind = match definition.attribute_type() {
            ScalarAttributeType::S => KeyType::S,
            ScalarAttributeType::N => KeyType::N,
            ScalarAttributeType::B => KeyType::B,
            _ => return None,
        };
        Some(KeyColumn { name: name.to_owned(), kind })
    };
    let of = |role: Role| {
        schema.iter().filter(|element| *element.key_type() == role).map(column).collect::<Option<Vec<_>>>()
    };
    Some((of(Role::Hash)?, of(Role::Range)?))
}

fn projection(projection: &sdk::Projection) -> Option<Projection> {
    Some(match projection.projection_type()? {
        ProjectionType::All => Projection::All,
        ProjectionType::KeysOnly => Projection::KeysOnly,
        ProjectionType::Include => Projection::Include(projection.non_key_attributes().to_vec()),
        _ => return None,
    })
}

fn provisioned(throughput: &sdk::ProvisionedThroughputDescription) -> Throughput {
    let units = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
    Throughput {
        read: units(throughput.read_capacity_units()),
        write: units(throughput.write_capacity_units()),
    }
}

fn pair(read: Option<i64>, write: Option<i64>) -> Option<Throughput> {
    Some(Throughput { read: u64::try_from(read?).ok()?, write: u64::try_from(write?).ok()? })
}

/// -1 stands for no maximum.
fn maximum_write(throughput: &sdk::OnDemandThroughput) -> Option<u64> {
    u64::try_from(throughput.max_write_request_units()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arn_names_its_account() {
        assert_eq!(arn_account("arn:aws:dynamodb:eu-west-1:123456789012:table/shop"), Some("123456789012"));
        assert_eq!(arn_account("arn:aws:dynamodb:ddblocal::table/shop"), None);
        assert_eq!(arn_account("shop"), None);
    }
}
