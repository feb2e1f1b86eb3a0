//! What passing requests and answers tell: the address really used, the service's clock.

use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::interceptors::{
    BeforeDeserializationInterceptorContextRef, BeforeTransmitInterceptorContextRef,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;

use super::answer::{Clocks, clocks};

/// Shared between the client and whoever asks. Observes control requests only: the load path stays
/// free of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Observed(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    endpoint: Option<String>,
    clocks: Option<Clocks>,
    account: Option<String>,
}

impl Observed {
    pub(super) fn endpoint(&self) -> Option<String> {
        self.with(|seen| seen.endpoint.clone())
    }

    pub(super) fn account(&self) -> Option<String> {
        self.with(|seen| seen.account.clone())
    }

    pub(super) fn clock_ahead(&self) -> Option<i64> {
        self.with(|seen| seen.clocks.as_ref().map(Clocks::ahead))
    }

    pub(super) fn set_account(&self, account: &str) {
        self.with(|seen| seen.account = Some(account.to_owned()));
    }

    fn with<T>(&self, act: impl FnOnce(&mut Seen) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Intercept for Observed {
    fn name(&self) -> &'static str {
        "Observed"
    }

    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let uri = context.request().uri();
        let endpoint = uri.strip_suffix('/').unwrap_or(uri).to_owned();
        self.with(|seen| seen.endpoint = Some(endpoint));
        Ok(())
    }

    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if let Some(clocks) = clocks(context.response()) {
            self.with(|seen| seen.clocks = Some(clocks));
        }
        Ok(())
    }
}
