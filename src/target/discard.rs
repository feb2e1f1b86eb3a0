//! The dry run's target.

use super::{Put, PutBatch, Target, TargetError};

/// Accepts every batch and keeps nothing. Knows no table, no network and no credentials.
#[derive(Debug, Clone, Copy, Default)]
pub struct Discard;

impl Target for Discard {
    async fn put(&self, _batch: &PutBatch) -> Result<Put, TargetError> {
        Ok(Put::All)
    }
}
