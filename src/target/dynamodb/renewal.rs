//! The client, and another one with fresh credentials once the service says that they have expired.
//!
//! The SDK keeps what it read from a file until the process ends, however often the file changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_sdk_dynamodb::Client;
use tokio::sync::Mutex;

use super::connect::Recipe;
use crate::target::{TargetError, TargetErrorKind};

/// Shared by all clones of a [`super::DynamoDb`].
#[derive(Debug)]
pub(super) struct Clients {
    recipe: Recipe,
    table: String,
    place: RwLock<Option<Place>>,
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
    /// There is nothing else to try.
    last: Arc<AtomicBool>,
}

impl Current {
    fn new(client: Client, credentials: Credentials, number: u32) -> Self {
        Self { client, credentials, number, proven: Arc::default(), last: Arc::default() }
    }

    pub(super) fn succeeded(&self) {
        self.proven.store(true, Ordering::Relaxed);
    }
}

impl Clients {
    pub(super) fn new(recipe: Recipe, table: String, client: Client, credentials: Credentials) -> Self {
        let current = RwLock::new(Current::new(client, credentials, 0));
        Self { recipe, table, place: RwLock::default(), current, renewing: Mutex::default() }
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
        let is_useless = current.number > 0 && !current.proven.load(Ordering::Relaxed);
        if is_useless || current.last.load(Ordering::Relaxed) {
            return false;
        }
        let Some((client, credentials)) = self.others_than(&current).await else {
            current.last.store(true, Ordering::Relaxed);
            return false;
        };
        let next = Current::new(client, credentials, current.number.saturating_add(1));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = next;
        true
    }

    async fn others_than(&self, current: &Current) -> Option<(Client, Credentials)> {
        for _ in 0..READINGS {
            if let Some((client, credentials)) = self.recipe.open().await
                && !is_same(&credentials, &current.credentials)
                && self.is_our_table(&client).await
            {
                return Some((client, credentials));
            }
            tokio::time::sleep(BETWEEN_READINGS).await;
        }
        None
    }

    /// Other credentials may be those of another account, which may have a table of the same name.
    async fn is_our_table(&self, client: &Client) -> bool {
        let described = client.describe_table().table_name(&self.table).send().await;
        let table = described.ok().and_then(|answer| answer.table);
        let found = table.map(|table| Place { arn: table.table_arn, id: table.table_id });
        let ours = self.place.read().unwrap_or_else(PoisonError::into_inner).clone();
        found.is_some() && found == ours
    }

    /// The table as the first client found it.
    pub(super) fn remember(&self, arn: Option<&str>, id: Option<&str>) {
        let place = Place { arn: arn.map(str::to_owned), id: id.map(str::to_owned) };
        *self.place.write().unwrap_or_else(PoisonError::into_inner) = Some(place);
    }
}

/// Which table of which account.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    arn: Option<String>,
    id: Option<String>,
}

/// A file that is just being written is read again.
const READINGS: u32 = 3;
const BETWEEN_READINGS: Duration = Duration::from_millis(300);

fn is_same(one: &Credentials, other: &Credentials) -> bool {
    one.access_key_id() == other.access_key_id() && one.session_token() == other.session_token()
}
