//! Region, endpoint, credentials and timeouts → a client.

use std::sync::Arc;
use std::time::Duration;

use aws_config::environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider};
use aws_config::imds::region::ImdsRegionProvider;
use aws_config::meta::region::RegionProviderChain;
use aws_config::profile::{ProfileFileCredentialsProvider, ProfileFileRegionProvider};
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Builder, SharedHttpClient, StalledStreamProtectionConfig};
use aws_smithy_http_client::proxy::ProxyConfig;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::service_config::ServiceConfigKey;

use super::answer::innermost;
use super::observe::Observed;
use super::renewal::Clients;
use super::{ConnectSettings, DynamoDb, Shared};
use crate::target::endpoint::Endpoint;
use crate::target::{TargetError, TargetErrorKind};

const CONNECT_TIMEOUT: Duration = Duration::from_millis(3100);
/// Below the 20 seconds after which the service closes an idle connection.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);
const DEFAULT_REGION: &str = "us-east-1";

pub(super) async fn connect(settings: ConnectSettings) -> Result<DynamoDb, TargetError> {
    let context = format!("connect to table `{}`", settings.table);
    let chain = aws_chain(settings.region.as_deref()).await;
    let url = settings.endpoint.clone().or_else(|| environment_endpoint(&chain));
    let endpoint = url.as_deref().map(|url| parse_endpoint(&context, url)).transpose()?;
    let region = region(&context, &chain, endpoint.as_ref()).await?;
    check_region(&context, &region, endpoint.as_ref())?;
    let local = endpoint.as_ref().is_some_and(Endpoint::is_local);
    let loopback = endpoint.as_ref().is_some_and(Endpoint::is_loopback);
    let recipe =
        Recipe { context, region, endpoint: url, local, loopback, request_timeout: settings.request_timeout };
    let chain = if chain.region().is_some() || local { chain } else { aws_chain(Some(&recipe.region)).await };
    let identity = recipe.identity(&chain).await?;
    check_account(&recipe.context, &settings, &identity.credentials, local)?;
    let client = recipe.client(&chain, identity.provider);
    let account = account_of(&identity.credentials).filter(|_| !local);
    let (region, endpoint) = (recipe.region.clone(), recipe.endpoint.clone());
    Ok(DynamoDb {
        shared: Arc::new(Shared {
            clients: Clients::new(recipe, settings.table.clone(), client, identity.credentials),
            table: settings.table,
            region,
            endpoint,
            local,
            dummy_credentials: identity.dummy,
            expected_account: settings.account,
            credentials_account: account,
            request_timeout: settings.request_timeout,
            observed: Observed::default(),
        }),
    })
}

/// How to make a client of one region and endpoint, again with other credentials where need be.
#[derive(Debug)]
pub(super) struct Recipe {
    context: String,
    region: String,
    endpoint: Option<String>,
    local: bool,
    loopback: bool,
    request_timeout: Duration,
}

impl Recipe {
    /// A client with the credentials that environment and profile have by now; none with made-up ones.
    pub(super) async fn open(&self) -> Option<(Client, Credentials)> {
        let chain = aws_chain(Some(&self.region)).await;
        let identity = self.identity(&chain).await.ok().filter(|identity| !identity.dummy)?;
        Some((self.client(&chain, identity.provider), identity.credentials))
    }

    async fn identity(&self, chain: &SdkConfig) -> Result<Identity, TargetError> {
        if self.local { Ok(local_credentials().await) } else { aws_credentials(&self.context, chain).await }
    }

    /// One client for everything: the load and the control calls share connections, credentials and what
    /// the SDK learns about the clock. Control calls override its retries.
    fn client(&self, chain: &SdkConfig, credentials: SharedCredentialsProvider) -> Client {
        let mut config = Builder::from(chain)
            .region(Region::new(self.region.clone()))
            .credentials_provider(credentials)
            .retry_config(RetryConfig::disabled())
            .timeout_config(timeouts(self.request_timeout))
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .http_client(http_client(self.loopback));
        config.set_endpoint_url(self.endpoint.clone());
        Client::from_conf(config.build())
    }
}

/// The SDK's own chain, without asking the instance metadata service for a region: that takes seconds
/// where there is none, and a local server needs none.
async fn aws_chain(region: Option<&str>) -> SdkConfig {
    let regions = RegionProviderChain::first_try(region.map(|name| Region::new(name.to_owned())))
        .or_else(EnvironmentVariableRegionProvider::new())
        .or_else(ProfileFileRegionProvider::new());
    aws_config::defaults(BehaviorVersion::latest()).region(regions).load().await
}

fn environment_endpoint(chain: &SdkConfig) -> Option<String> {
    let key = ServiceConfigKey::builder()
        .service_id("DynamoDB")
        .env("AWS_ENDPOINT_URL")
        .profile("endpoint_url")
        .build()
        .ok()?;
    let own = chain.service_config().and_then(|config| config.load_config(key));
    own.or_else(|| chain.endpoint_url().map(str::to_owned))
}

/// A URL with a password is never repeated: it would stand in every message about the endpoint.
fn parse_endpoint(context: &str, url: &str) -> Result<Endpoint, TargetError> {
    let wrong = |cause: String, hint: &str| {
        Err(TargetError::new(TargetErrorKind::Config, context, cause).with_hint(hint))
    };
    if url.contains('@') {
        let cause = "the endpoint's URL holds a user name or a password".to_owned();
        return wrong(cause, "leave them out: requests are signed with the AWS credentials");
    }
    match Endpoint::parse(url) {
        Some(endpoint) => Ok(endpoint),
        None => wrong(
            format!("the endpoint {url} is not a URL"),
            "write `table.endpoint` like \"http://localhost:8000\"",
        ),
    }
}

async fn region(
    context: &str,
    chain: &SdkConfig,
    endpoint: Option<&Endpoint>,
) -> Result<String, TargetError> {
    if let Some(region) = chain.region() {
        return Ok(region.as_ref().to_owned());
    }
    match endpoint {
        Some(endpoint) if endpoint.is_local() => return Ok(DEFAULT_REGION.to_owned()),
        Some(Endpoint { region: Some(region), .. }) => return Ok(region.clone()),
        _ => {}
    }
    match ImdsRegionProvider::builder().build().region().await {
        Some(region) => Ok(region.as_ref().to_owned()),
        None => Err(TargetError::new(TargetErrorKind::Config, context, "no region is set")
            .with_hint("set `table.region` in the mapping, or AWS_REGION, or `region` in your AWS profile")),
    }
}

/// A request signed for one region and sent to another fails with words about credentials.
fn check_region(context: &str, region: &str, endpoint: Option<&Endpoint>) -> Result<(), TargetError> {
    let Some(there) = endpoint.and_then(|endpoint| endpoint.region.as_deref()) else { return Ok(()) };
    if there == region {
        return Ok(());
    }
    let cause = format!("the endpoint is in {there}, the region is {region}");
    Err(TargetError::new(TargetErrorKind::Config, context, cause)
        .with_hint(format!("set `table.region = \"{there}\"` or leave `table.endpoint` out")))
}

struct Identity {
    provider: SharedCredentialsProvider,
    credentials: Credentials,
    dummy: bool,
}

fn account_of(credentials: &Credentials) -> Option<String> {
    credentials.account_id().map(|id| id.as_str().to_owned())
}

/// What the environment or the profile has, else made-up ones: a local server takes any.
async fn local_credentials() -> Identity {
    let environment = SharedCredentialsProvider::new(EnvironmentVariableCredentialsProvider::new());
    let profile = SharedCredentialsProvider::new(ProfileFileCredentialsProvider::builder().build());
    for provider in [environment, profile] {
        if let Ok(credentials) = provider.provide_credentials().await {
            return Identity { provider, credentials, dummy: false };
        }
    }
    let dummy = Credentials::new("local", "local", None, None, "dynamigrate");
    Identity { provider: SharedCredentialsProvider::new(dummy.clone()), credentials: dummy, dummy: true }
}

async fn aws_credentials(context: &str, chain: &SdkConfig) -> Result<Identity, TargetError> {
    let missing = |cause: String| {
        TargetError::new(TargetErrorKind::Credentials, context, cause).with_hint(
            "run `aws configure` or `aws sso login`, or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and \
             AWS_SECRET_ACCESS_KEY",
        )
    };
    let provider = chain.credentials_provider().ok_or_else(|| missing("no credentials found".to_owned()))?;
    let credentials = provider.provide_credentials().await.map_err(|error| {
        missing(format!(
            "no credentials found in the environment, the AWS profile or the instance ({})",
            innermost(&error)
        ))
    })?;
    Ok(Identity { provider, credentials, dummy: false })
}

fn check_account(
    context: &str,
    settings: &ConnectSettings,
    credentials: &Credentials,
    local: bool,
) -> Result<(), TargetError> {
    match (&settings.account, account_of(credentials)) {
        (Some(expected), Some(found)) if !local && *expected != found => {
            Err(other_account(context, expected, &found))
        }
        _ => Ok(()),
    }
}

pub(super) fn other_account(context: &str, expected: &str, found: &str) -> TargetError {
    let cause = format!("this is account {found}, the mapping wants {expected}");
    TargetError::new(TargetErrorKind::Account, context, cause)
        .with_hint("use the credentials of that account (AWS_PROFILE), or change `table.account`")
}

fn timeouts(attempt: Duration) -> TimeoutConfig {
    TimeoutConfig::builder().connect_timeout(CONNECT_TIMEOUT).operation_attempt_timeout(attempt).build()
}

/// The SDK's default client, with idle connections closed in time and no proxy between us and a
/// server on this machine.
fn http_client(loopback: bool) -> SharedHttpClient {
    aws_smithy_http_client::Builder::new().pool_idle_timeout(IDLE_TIMEOUT).build_with_connector_fn(
        move |settings, components| {
            let mut connector = aws_smithy_http_client::Connector::builder()
                .tls_provider(Provider::Rustls(CryptoMode::AwsLc))
                .proxy_config(if loopback { ProxyConfig::disabled() } else { ProxyConfig::from_env() })
                .enable_tcp_nodelay(true);
            connector.set_connector_settings(settings.cloned());
            connector.set_sleep_impl(components.and_then(|components| components.sleep_impl()));
            connector.build()
        },
    )
}
