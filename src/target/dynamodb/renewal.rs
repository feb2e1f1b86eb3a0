//! The client, and another one with fresh credentials once the service says that they have expired.
//!
//! The SDK keeps what it read from a file until the process ends, however often the file changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use aws_credential_types::Credentials;
use aws_sdk_dynamodb::Client;
use tokio::sync::Mutex;

use super::connect::Recipe;
use crate::target::{TargetError, TargetErrorKind};

/// Shared by all clones of a [`super::DynamoDb`].
#[derive(Debug)]
pub(super) struct Clients {
    recipe: Recipe,
    current: RwLock<Current>,
    /// One reads the credentials, the others wait for what it found.
    renewing: Mutex<()>,
}

/// A client and what became of it.
#[derive(Debug, Clone)]
pub(super) struct Current {
    pub(super) client: Client,
    credentials: Credentials,
    number: u32,
    /// The service has said yes to it.
    proven: Arc<AtomicBool>,
}

impl Current {
    fn new(client: Client, credentials: Credentials, number: u32) -> Self {
        Self { client, credentials, number, proven: Arc::default() }
    }

    pub(super) fn succeeded(&self) {
        self.proven.store(true, Ordering::Relaxed);
    }
}

impl Clients {
    pub(super) fn new(recipe: Recipe, client: Client, credentials: Credentials) -> Self {
        let current = RwLock::new(Current::new(client, credentials, 0));
        Self { recipe, current, renewing: Mutex::default() }
    }

    pub(super) fn current(&self) -> Current {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What to make of an error of `used`: where its credentials have expired and others were found, a
    /// passing trouble.
    pub(super) async fn judge(&self, used: &Current, error: TargetError) -> TargetError {
        if error.kind != TargetErrorKind::Expired || !self.renew(used).await {
            return error;
        }
        TargetError { kind: TargetErrorKind::Transient, hint: None, ..error }
    }

    /// Whether there is another client to try. Credentials that were read again and never worked are
    /// not read a third time.
    async fn renew(&self, refused: &Current) -> bool {
        let _alone = self.renewing.lock().await;
        let current = self.current();
        if current.number != refused.number {
            return true;
        }
        if current.number > 0 && !current.proven.load(Ordering::Relaxed) {
            return false;
        }
        let Ok((client, credentials)) = self.recipe.open().await else { return false };
        if is_same(&credentials, &current.credentials) {
            return false;
        }
        let next = Current::new(client, credentials, current.number.saturating_add(1));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = next;
        true
    }
}

fn is_same(one: &Credentials, other: &Credentials) -> bool {
    one.access_key_id() == other.access_key_id() && one.session_token() == other.session_token()
}
