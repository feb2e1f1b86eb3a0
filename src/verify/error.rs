//! Why a verification ends early.

use std::io;

use tokio::task::JoinError;

use super::compare::CheckError;
use super::equality::Malformed;
use super::lookup::LookupError;
use super::repair::MendError;
use crate::keys::KeyPassError;
use crate::load::StateError;
use crate::source::SourceError;
use crate::target::TargetError;

/// Why a verification proves nothing.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Target(TargetError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error("keep what is wrong in a temporary file: {0}")]
    Disk(#[from] io::Error),
    /// The target's answer, or the item built from a row, is no item.
    #[error("verify `{entity}`: {what}")]
    Malformed { entity: String, what: String },
    #[error("verify `{entity}`: {rows} rows made {items} items and {rejections} rejections")]
    Unaccounted { entity: String, rows: usize, items: usize, rejections: usize },
    #[error(transparent)]
    Keys(#[from] KeyPassError),
    #[error("access pattern `{pattern}`: the target's answer: {malformed}")]
    MalformedAnswer { pattern: String, malformed: Malformed },
    /// `holds` too much, in megabytes.
    #[error("access pattern `{pattern}`: one answer holds more than {most} MB of {holds}")]
    LargeAnswer { pattern: String, most: usize, holds: String },
    #[error("verify: the source opened no reader")]
    NoReader,
    #[error("verify: a lookup ended early")]
    Task(#[source] JoinError),
}

impl VerifyError {
    pub(super) fn of(error: CheckError, entity: String) -> Self {
        match error {
            CheckError::Lookup(LookupError::Target(error)) => VerifyError::Target(error),
            CheckError::Lookup(LookupError::Malformed(malformed)) => {
                VerifyError::Malformed { entity, what: format!("the target's answer: {malformed}") }
            }
            error @ CheckError::Built { .. } => VerifyError::Malformed { entity, what: error.to_string() },
        }
    }

    pub(super) fn mending(error: MendError, entity: String) -> Self {
        match error {
            MendError::Target(error) => VerifyError::Target(error),
            MendError::Log(error) => VerifyError::State(error),
            error @ MendError::Malformed(_) => VerifyError::Malformed { entity, what: error.to_string() },
        }
    }

    pub fn hint(&self) -> Option<&str> {
        match self {
            VerifyError::Source(error) => error.hint.as_deref(),
            VerifyError::Target(error) => error.hint.as_deref(),
            VerifyError::LargeAnswer { .. } => {
                Some("no application reads so much at once: narrow the pattern by `params` or `sk`")
            }
            _ => None,
        }
    }
}
