//! `verify --enable-ttl`: the table's expiry, switched on once every item is proven to be there.

use crate::cli::destination::Destination;
use crate::cli::failure::{Exit, Failure};
use crate::plan::Plan;
use crate::report::{ExpiryReport, ExpiryState, Outcome, PatternReport, VerifyReport};

/// What is to be switched on, where the table allows it.
pub(super) struct Expire {
    attribute: String,
    is_on: bool,
}

impl Expire {
    /// Asks the table before anything is read: what cannot be done is told at once.
    pub(super) async fn allowed(plan: &Plan, destination: &Destination) -> Result<Self, Failure> {
        let Some(attribute) = plan.table.ttl.clone() else {
            return Err(Failure::new(
                Exit::Usage,
                "no-ttl",
                "the mapping names no attribute to expire items by",
            )
            .with_help("say which one it is: `ttl` in [table]; or leave out --enable-ttl"));
        };
        let table = &plan.table.name;
        match destination.dynamodb.time_to_live().await? {
            None => Ok(Self { attribute, is_on: false }),
            Some(live) if !live.enabled => {
                let message = format!(
                    "time to live of table `{table}`, by `{}`, is being switched off",
                    live.attribute
                );
                Err(Failure::new(Exit::Failed, "ttl-changing", message)
                    .with_help("try again in an hour: the service takes one change an hour"))
            }
            Some(live) if live.attribute == attribute => Ok(Self { attribute, is_on: true }),
            Some(live) => {
                let message = format!(
                    "table `{table}` expires items by `{}`, and the mapping names `{attribute}`",
                    live.attribute
                );
                Err(Failure::new(Exit::Mapping, "ttl-differs", message).with_help(format!(
                    "a table expires by one attribute: name `{}` as `ttl` in [table], or switch it off first",
                    live.attribute
                )))
            }
        }
    }

    /// Only where every row is proven to be in the target, and no access pattern was left out whole.
    pub(super) async fn conclude(
        self,
        report: &mut VerifyReport,
        destination: &Destination,
        dry_run: bool,
    ) -> Result<(), Failure> {
        let is_proven = matches!(report.outcome, Outcome::Done | Outcome::Repaired);
        let checked = report.entities.values().any(|entity| entity.checked > 0);
        let asked = !report.access_patterns.iter().any(PatternReport::is_unasked);
        let state = match (self.is_on, is_proven && checked && asked) {
            (true, _) => ExpiryState::AlreadyEnabled,
            (false, false) => ExpiryState::NotEnabled,
            (false, true) if dry_run => ExpiryState::WouldBeEnabled,
            (false, true) => {
                let switched = destination.dynamodb.enable_time_to_live(&self.attribute).await;
                switched.map_err(|error| self.refused(&report.table, error.into()))?;
                ExpiryState::Enabled
            }
        };
        report.time_to_live = Some(ExpiryReport { attribute: self.attribute, state });
        Ok(())
    }

    /// The verification need not be made again for it.
    fn refused(&self, table: &str, failure: Failure) -> Failure {
        let by_hand = format!(
            "nothing is wrong in the target, so that it can be switched on by other means: aws dynamodb \
             update-time-to-live --table-name {table} --time-to-live-specification \
             Enabled=true,AttributeName={}",
            self.attribute
        );
        let help = match &failure.help {
            Some(help) => format!("{help}\n{by_hand}"),
            None => by_hand,
        };
        failure.with_help(help)
    }
}
