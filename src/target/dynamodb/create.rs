//! CreateTable, the wait until it can be written to, and what can only be set afterwards.

use std::time::Duration;

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::operation::create_table::builders::CreateTableFluentBuilder;
use aws_sdk_dynamodb::types as sdk;
use tokio::time::Instant;

use super::DynamoDb;
use super::error::Stage;
use crate::mapping::{Billing, Encryption, KeyType, Projection, StreamView, Throughput};
use crate::plan::TablePlan;
use crate::schema::{IndexDefinition, KeyElement, KeyRole, TableDefinition, table_definition};
use crate::target::{LiveTable, TargetError, TargetErrorKind};

/// A table that was made and is ready.
#[derive(Debug, Clone)]
pub struct Created {
    pub table: LiveTable,
    /// What was asked for and could not be done, in words; the table works without.
    pub notes: Vec<String>,
}

impl DynamoDb {
    /// Makes the table of the plan and waits, at most for `patience`, until it and its indexes are
    /// ACTIVE. TTL is not switched on: expired rows would vanish before they are verified.
    pub async fn create(&self, plan: &TablePlan, patience: Duration) -> Result<Created, TargetError> {
        let definition = table_definition(plan);
        let context = format!("create table `{}`", self.table());
        self.check_creating_account(&context)?;
        let request = self
            .request(&definition)
            .map_err(|error| TargetError::new(TargetErrorKind::Config, &context, error.to_string()))?;
        let answer = request.customize().config_override(self.control()).send().await.map_err(|error| {
            refused_is_config(self.call(Stage::Connect, &context).failed(error), &definition)
        })?;
        self.check_account(&context, answer.table_description().and_then(|table| table.table_arn()))?;
        let deadline = Instant::now() + patience;
        let table = self.wait_until_ready(&context, deadline).await?;
        // Servers for trying out have no backups.
        let notes = if definition.point_in_time_recovery && !self.is_local() {
            self.switch_recovery_on(deadline).await.err().map(|error| error.to_string())
        } else {
            None
        };
        Ok(Created { table, notes: notes.into_iter().collect() })
    }

    /// An account that the mapping names must be known before a table is made in it.
    fn check_creating_account(&self, context: &str) -> Result<(), TargetError> {
        let Some(expected) = &self.shared.expected_account else { return Ok(()) };
        if self.is_local() || self.account().is_some() {
            return Ok(());
        }
        let cause = format!("cannot tell whether these credentials belong to account {expected}");
        Err(TargetError::new(TargetErrorKind::Account, context, cause).with_hint(
            "set AWS_ACCOUNT_ID beside the keys, or make the table yourself and run without --create-table",
        ))
    }

    fn request(&self, definition: &TableDefinition) -> Result<CreateTableFluentBuilder, BuildError> {
        let attributes = definition.attributes.iter().map(|key| {
            let kind = match key.kind {
                KeyType::S => sdk::ScalarAttributeType::S,
                KeyType::N => sdk::ScalarAttributeType::N,
                KeyType::B => sdk::ScalarAttributeType::B,
            };
            sdk::AttributeDefinition::builder().attribute_name(&key.name).attribute_type(kind).build()
        });
        let warm = definition.warm_throughput;
        let (local, global): (Vec<_>, Vec<_>) = definition.indexes.iter().partition(|index| index.local);
        let global = global.into_iter().map(|index| global_index(index, warm));
        let global = Some(global.collect::<Result<Vec<_>, _>>()?).filter(|list| !list.is_empty());
        let local = local.into_iter().map(local_index);
        let local = Some(local.collect::<Result<Vec<_>, _>>()?).filter(|list| !list.is_empty());
        let tags =
            definition.tags.iter().map(|(key, value)| sdk::Tag::builder().key(key).value(value).build());
        let tags = Some(tags.collect::<Result<Vec<_>, _>>()?).filter(|list| !list.is_empty());
        let (mode, throughput) = match definition.billing {
            Billing::OnDemand => (sdk::BillingMode::PayPerRequest, None),
            Billing::Provisioned(throughput) => {
                (sdk::BillingMode::Provisioned, Some(provisioned(throughput)?))
            }
        };
        Ok(self
            .client()
            .create_table()
            .table_name(self.table())
            .set_attribute_definitions(Some(attributes.collect::<Result<Vec<_>, _>>()?))
            .set_key_schema(Some(key_schema(&definition.keys)?))
            .set_global_secondary_indexes(global)
            .set_local_secondary_indexes(local)
            .billing_mode(mode)
            .set_provisioned_throughput(throughput)
            .set_tags(tags)
            .set_sse_specification(encryption(&definition.encryption))
            .set_stream_specification(definition.stream.map(stream).transpose()?)
            .set_warm_throughput(warm.map(warm_throughput))
            .set_deletion_protection_enabled(definition.deletion_protection.then_some(true)))
    }

    async fn wait_until_ready(&self, context: &str, deadline: Instant) -> Result<LiveTable, TargetError> {
        let mut pause = Duration::from_millis(50);
        loop {
            // DescribeTable may not know the table yet right after it was made.
            let live = self.describe().await?;
            let status = match live {
                Some(table) if table.is_ready() => return Ok(table),
                Some(table) => table.status,
                None => "not visible".to_owned(),
            };
            if Instant::now() + pause > deadline {
                let cause = format!("the table is still {status}");
                return Err(TargetError::new(TargetErrorKind::Other, context, cause)
                    .with_hint("it goes on by itself: wait until it is ACTIVE, then run again"));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(3));
        }
    }

    /// The service refuses this for a while after a table was made.
    async fn switch_recovery_on(&self, deadline: Instant) -> Result<(), TargetError> {
        let context = format!("switch point-in-time recovery of table `{}` on", self.table());
        let wanted = sdk::PointInTimeRecoverySpecification::builder()
            .point_in_time_recovery_enabled(true)
            .build()
            .map_err(|error| TargetError::new(TargetErrorKind::Config, &context, error.to_string()))?;
        loop {
            let answer = self
                .client()
                .update_continuous_backups()
                .table_name(self.table())
                .point_in_time_recovery_specification(wanted.clone())
                .customize()
                .config_override(self.control())
                .send()
                .await;
            let Err(error) = answer else { return Ok(()) };
            let early = error
                .as_service_error()
                .is_some_and(|error| error.is_continuous_backups_unavailable_exception());
            let pause = Duration::from_secs(5);
            if !early || Instant::now() + pause > deadline {
                return Err(self.call(Stage::Connect, &context).failed(error));
            }
            tokio::time::sleep(pause).await;
        }
    }
}

/// A refused CreateTable is a mistake in the mapping, not in an item.
fn refused_is_config(error: TargetError, definition: &TableDefinition) -> TargetError {
    let many =
        |index: &&IndexDefinition| [KeyRole::Hash, KeyRole::Range].iter().any(|role| several(index, *role));
    let hint = match definition.indexes.iter().find(many) {
        Some(index) => format!(
            "check `[table]`, `[table.indexes]` and `[table.create]`; keys of several attributes (index `{}`) are not known to \
             every server beside the service",
            index.name
        ),
        None => "check `[table]`, `[table.indexes]` and `[table.create]`".to_owned(),
    };
    match error.kind {
        TargetErrorKind::Refused => TargetError { kind: TargetErrorKind::Config, ..error }.with_hint(hint),
        _ => error,
    }
}

fn several(index: &IndexDefinition, role: KeyRole) -> bool {
    index.keys.iter().filter(|key| key.role == role).count() > 1
}

fn global_index(
    index: &IndexDefinition,
    warm: Option<Throughput>,
) -> Result<sdk::GlobalSecondaryIndex, BuildError> {
    sdk::GlobalSecondaryIndex::builder()
        .index_name(&index.name)
        .set_key_schema(Some(key_schema(&index.keys)?))
        .projection(projection(&index.projection))
        .set_provisioned_throughput(index.throughput.map(provisioned).transpose()?)
        .set_warm_throughput(warm.map(warm_throughput))
        .build()
}

fn local_index(index: &IndexDefinition) -> Result<sdk::LocalSecondaryIndex, BuildError> {
    sdk::LocalSecondaryIndex::builder()
        .index_name(&index.name)
        .set_key_schema(Some(key_schema(&index.keys)?))
        .projection(projection(&index.projection))
        .build()
}

fn key_schema(keys: &[KeyElement]) -> Result<Vec<sdk::KeySchemaElement>, BuildError> {
    let element = |key: &KeyElement| {
        let role = match key.role {
            KeyRole::Hash => sdk::KeyType::Hash,
            KeyRole::Range => sdk::KeyType::Range,
        };
        sdk::KeySchemaElement::builder().attribute_name(&key.attribute).key_type(role).build()
    };
    keys.iter().map(element).collect()
}

fn projection(projection: &Projection) -> sdk::Projection {
    let builder = sdk::Projection::builder();
    match projection {
        Projection::All => builder.projection_type(sdk::ProjectionType::All).build(),
        Projection::KeysOnly => builder.projection_type(sdk::ProjectionType::KeysOnly).build(),
        Projection::Include(names) => builder
            .projection_type(sdk::ProjectionType::Include)
            .set_non_key_attributes(Some(names.clone()))
            .build(),
    }
}

/// More than the API's own type holds is more than the service has.
fn units(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn provisioned(throughput: Throughput) -> Result<sdk::ProvisionedThroughput, BuildError> {
    sdk::ProvisionedThroughput::builder()
        .read_capacity_units(units(throughput.read))
        .write_capacity_units(units(throughput.write))
        .build()
}

fn warm_throughput(throughput: Throughput) -> sdk::WarmThroughput {
    sdk::WarmThroughput::builder()
        .read_units_per_second(units(throughput.read))
        .write_units_per_second(units(throughput.write))
        .build()
}

fn encryption(encryption: &Encryption) -> Option<sdk::SseSpecification> {
    let key = match encryption {
        Encryption::AwsOwned => return None,
        Encryption::AwsManaged => None,
        Encryption::Key(key) => Some(key.clone()),
    };
    let builder = sdk::SseSpecification::builder().enabled(true).sse_type(sdk::SseType::Kms);
    Some(builder.set_kms_master_key_id(key).build())
}

fn stream(view: StreamView) -> Result<sdk::StreamSpecification, BuildError> {
    let view = match view {
        StreamView::KeysOnly => sdk::StreamViewType::KeysOnly,
        StreamView::NewImage => sdk::StreamViewType::NewImage,
        StreamView::OldImage => sdk::StreamViewType::OldImage,
        StreamView::NewAndOldImages => sdk::StreamViewType::NewAndOldImages,
    };
    sdk::StreamSpecification::builder().stream_enabled(true).stream_view_type(view).build()
}
