//! The dry run's target.

use super::guard::Guard;
use super::{Amend, Amended, Amendment, Put, PutBatch, Target, TargetError};

/// Accepts everything and keeps nothing. Knows no table, no network and no credentials.
#[derive(Debug, Clone, Copy, Default)]
pub struct Discard;

impl Target for Discard {
    async fn put(&self, _batch: &PutBatch) -> Result<Put, TargetError> {
        Ok(Put::All)
    }
}

impl Amend for Discard {
    async fn amend(&self, amendment: &Amendment<'_>) -> Result<Amended, TargetError> {
        let key = amendment.key();
        let fits = serde_json::from_slice(&key).and_then(|key| Guard::of(amendment, &key));
        match fits {
            Ok(Some(_)) => Ok(Amended::Done { before: None }),
            Ok(None) => Ok(Amended::TooWide),
            Err(error) => Err(TargetError::no_item("change an item", &error)),
        }
    }
}
