//! DynamoDB by the official SDK: the service itself, or whatever speaks its language at an endpoint.
//!
//! The only home of the AWS SDK. What the SDK keeps doing: credentials, signing, endpoints, timeouts,
//! connections, the clock's correction. What it must not do: retry on the load path, or read item values into maps there; the
//! bytes of a batch go out as the item builder wrote them.

mod amend;
mod answer;
mod aside;
mod connect;
mod create;
mod describe;
mod error;
mod get;
mod observe;
mod put;
mod query;
mod read;
mod renewal;
mod scan;
mod ttl;

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;

pub use create::Created;
pub use scan::SizeEstimate;
pub use ttl::TimeToLive;

use error::{Call, Stage};
use observe::Observed;
use renewal::Clients;

/// How to reach a table.
#[derive(Debug, Clone)]
pub struct ConnectSettings {
    pub table: String,
    /// Without it: the AWS chain (AWS_REGION, profile, instance).
    pub region: Option<String>,
    /// `http://localhost:8000`; without it: AWS_ENDPOINT_URL(_DYNAMODB) or the service itself.
    pub endpoint: Option<String>,
    /// Twelve digits; a table of another account is refused. Not compared on a local server.
    pub account: Option<String>,
    /// How long one attempt may take, see [`ConnectSettings::new`].
    pub request_timeout: Duration,
}

impl ConnectSettings {
    /// The AWS chain for everything; ten seconds for an attempt (the SDK's own default is for ever).
    pub fn new(table: impl Into<String>) -> Self {
        Self {
            table: table.into(),
            region: None,
            endpoint: None,
            account: None,
            request_timeout: Duration::from_secs(10),
        }
    }
}

/// One table of one account, region and endpoint. Cheap to clone; clones share connections,
/// credentials and what was learned about the clock.
#[derive(Debug, Clone)]
pub struct DynamoDb {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    table: String,
    region: String,
    endpoint: Option<String>,
    local: bool,
    dummy_credentials: bool,
    expected_account: Option<String>,
    /// As the credentials say, if they do.
    credentials_account: Option<String>,
    request_timeout: Duration,
    observed: Observed,
    clients: Clients,
}

/// What a load writes to, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub table: String,
    /// Where requests went, once there was one.
    pub endpoint: Option<String>,
    pub region: String,
    /// From the table's ARN, else from the credentials; `None` where neither says.
    pub account: Option<String>,
    /// A server for trying out (plain HTTP or loopback, not AWS): no capacity limits, no account.
    pub local: bool,
    /// No credentials were found, made-up ones are used. Only ever on a local server.
    pub dummy_credentials: bool,
    /// How far the service's clock is ahead of ours, in seconds, where it was told.
    pub clock_ahead: Option<i64>,
}

impl DynamoDb {
    /// Finds region, endpoint and credentials. Asks the service nothing yet: that does
    /// [`DynamoDb::describe`].
    pub async fn connect(settings: ConnectSettings) -> Result<DynamoDb, super::TargetError> {
        connect::connect(settings).await
    }

    fn client(&self) -> Client {
        self.shared.clients.current().client
    }

    pub fn table(&self) -> &str {
        &self.shared.table
    }

    /// Whether this is a server for trying out, without capacity limits.
    pub fn is_local(&self) -> bool {
        self.shared.local
    }

    /// For the banner before the first write; complete after [`DynamoDb::describe`].
    pub fn address(&self) -> Address {
        let shared = &self.shared;
        Address {
            table: shared.table.clone(),
            endpoint: shared.observed.endpoint().or_else(|| shared.endpoint.clone()),
            region: shared.region.clone(),
            account: self.account(),
            local: shared.local,
            dummy_credentials: shared.dummy_credentials,
            clock_ahead: shared.observed.clock_ahead(),
        }
    }

    /// The account that is written to, as far as it is known.
    pub fn account(&self) -> Option<String> {
        self.shared.observed.account().or_else(|| self.shared.credentials_account.clone())
    }

    fn call(&self, stage: Stage, context: impl Into<String>) -> Call<'_> {
        Call {
            stage,
            context: context.into(),
            table: &self.shared.table,
            region: &self.shared.region,
            local: self.shared.local,
        }
    }
}
