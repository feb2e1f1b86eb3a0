//! The table's expiry of items. Switched on only after a load is verified: expired rows would vanish
//! before, and the service takes one change an hour.

use aws_sdk_dynamodb::types::{TimeToLiveSpecification, TimeToLiveStatus};

use super::DynamoDb;
use super::error::Stage;
use crate::target::{TargetError, TargetErrorKind};

/// The table's expiry attribute, as far as one is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeToLive {
    pub attribute: String,
    /// False while it is being switched off.
    pub enabled: bool,
}

impl DynamoDb {
    /// The table's expiry, `None` where it is off.
    pub async fn time_to_live(&self) -> Result<Option<TimeToLive>, TargetError> {
        let answer = self
            .client()
            .describe_time_to_live()
            .table_name(self.table())
            .customize()
            .config_override(self.control())
            .send()
            .await
            .map_err(|error| {
                self.call(Stage::Connect, format!("describe the TTL of table `{}`", self.table()))
                    .failed(error)
            })?;
        let described = answer.time_to_live_description();
        let attribute = described.and_then(|found| found.attribute_name());
        let status = described.and_then(|found| found.time_to_live_status());
        Ok(match (attribute, status) {
            (_, Some(TimeToLiveStatus::Disabled)) | (None, _) | (_, None) => None,
            (Some(attribute), Some(status)) => Some(TimeToLive {
                attribute: attribute.to_owned(),
                enabled: matches!(status, TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling),
            }),
        })
    }

    /// Switches expiry on. The service refuses it where it is on already.
    pub async fn enable_time_to_live(&self, attribute: &str) -> Result<(), TargetError> {
        let context = format!("enable TTL of table `{}`", self.table());
        let wanted = TimeToLiveSpecification::builder()
            .attribute_name(attribute)
            .enabled(true)
            .build()
            .map_err(|error| TargetError::new(TargetErrorKind::Config, &context, error.to_string()))?;
        self.client()
            .update_time_to_live()
            .table_name(self.table())
            .time_to_live_specification(wanted)
            .customize()
            .config_override(self.control())
            .send()
            .await
            .map_err(|error| self.call(Stage::Connect, &context).failed(error))?;
        Ok(())
    }
}
