//! Every way a command can fail: code, words, help, exit code. One table a kind.

use std::process::ExitCode;

use crate::keys::KeyPassError;
use crate::load::{CheckpointError, LoadError, StateError};
use crate::mapping::{Diagnostic, ReadError};
use crate::source::{SourceError, SourceErrorKind};
use crate::target::{TargetError, TargetErrorKind};
use crate::verify::VerifyError;

/// Exit codes (design, section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    /// Outside mapping and data; safe to run again.
    Failed,
    Usage,
    /// Mapping or schema, unproven key, foreign checkpoint.
    Mapping,
    Rejects,
    Differences,
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Mapping => 3,
            Exit::Rejects => 4,
            Exit::Differences => 5,
            Exit::Interrupted => 130,
        })
    }
}

#[derive(Debug)]
pub(crate) struct Failure {
    pub exit: Exit,
    /// Stable, kebab-case: `error.code` of the JSON document.
    pub code: &'static str,
    pub message: String,
    pub help: Option<String>,
    /// Mistakes of the mapping, already rendered with their places.
    pub rendered: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self { exit, code, message: message.into(), help: None, rendered: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Mistakes of a mapping; the first one speaks for all in the JSON document.
    pub(crate) fn mapping(findings: &[Diagnostic], rendered: String) -> Self {
        let first = findings.iter().min_by_key(|finding| finding.severity);
        let code = first.map_or("mapping", |finding| finding.code);
        let message =
            first.map_or_else(|| "the mapping has mistakes".to_owned(), |finding| finding.message.clone());
        let help = first.and_then(|finding| finding.help.clone());
        Self { exit: Exit::Mapping, code, message, help, rendered: Some(rendered) }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        // What is in the file is a mistake of the mapping, the wrong file one of usage.
        let exit = if matches!(error, ReadError::NotUtf8 { .. }) { Exit::Mapping } else { Exit::Usage };
        let failure = Failure::new(exit, "mapping-file", with_causes(&error));
        Failure { help: error.help(), ..failure }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        let (exit, code) = match error.kind {
            SourceErrorKind::Config => (Exit::Mapping, "source-settings"),
            SourceErrorKind::Connect => (Exit::Failed, "source-connect"),
            SourceErrorKind::Authentication => (Exit::Failed, "source-authentication"),
            SourceErrorKind::NoDatabase => (Exit::Failed, "source-no-database"),
            SourceErrorKind::Permission => (Exit::Failed, "source-permission"),
            SourceErrorKind::Sql(_) => (Exit::Mapping, "source-sql"),
            SourceErrorKind::KeyValue => (Exit::Usage, "key-value"),
            SourceErrorKind::Lost => (Exit::Failed, "source-lost"),
            SourceErrorKind::SchemaChanged => (Exit::Mapping, "source-schema-changed"),
            SourceErrorKind::Server => (Exit::Failed, "source-server"),
        };
        let failure = Failure::new(exit, code, error.to_string());
        let lost = (error.kind == SourceErrorKind::Lost)
            .then(|| "see why the server ends the connection; then run again to go on".to_owned());
        Failure { help: error.hint.or(lost), ..failure }
    }
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        let (exit, code) = match error.kind {
            TargetErrorKind::Throttled(_) => (Exit::Failed, "target-throttled"),
            TargetErrorKind::Transient => (Exit::Failed, "target-trouble"),
            TargetErrorKind::Refused => (Exit::Failed, "target-refused"),
            TargetErrorKind::NoTable => (Exit::Mapping, "no-table"),
            TargetErrorKind::TableDiffers => (Exit::Mapping, "table-differs"),
            TargetErrorKind::Permission => (Exit::Failed, "target-permission"),
            TargetErrorKind::Credentials | TargetErrorKind::Expired => (Exit::Failed, "target-credentials"),
            TargetErrorKind::Clock => (Exit::Failed, "target-clock"),
            TargetErrorKind::Unreachable => (Exit::Failed, "target-unreachable"),
            TargetErrorKind::Account => (Exit::Mapping, "target-account"),
            TargetErrorKind::Config => (Exit::Failed, "target-settings"),
            TargetErrorKind::Collection => (Exit::Failed, "target-collection"),
            TargetErrorKind::Other => (Exit::Failed, "target"),
        };
        let failure = Failure::new(exit, code, error.to_string());
        let trouble = (error.kind == TargetErrorKind::Transient).then(|| {
            "see whether the endpoint is up and has room; what it acknowledged is in the checkpoint, so run again to go on"
                .to_owned()
        });
        Failure { help: error.hint.or(trouble), ..failure }
    }
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Self {
        let message = error.to_string();
        match error {
            StateError::Locked { .. } => Failure::new(Exit::Failed, "locked", message)
                .with_help("wait until it is done, or stop it; two runs must not share a checkpoint"),
            StateError::Disk { .. } => Failure::new(Exit::Failed, "state-folder", message).with_help(
                "make room or mend the permissions, or name another folder with --state; what is in the checkpoint stays valid",
            ),
        }
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        let message = error.to_string();
        match error {
            CheckpointError::Read { .. } => Failure::new(Exit::Failed, "checkpoint-unreadable", message)
                .with_help("mend the file or its permissions; nothing was changed"),
            CheckpointError::Damaged { path, previous, .. } => {
                let failure = Failure::new(Exit::Failed, "checkpoint-damaged", message);
                failure.with_help(match previous {
                    Some(previous) => format!(
                        "the copy before it is {}: move it to {} to go on from there, or load again with --restart --yes",
                        previous.display(),
                        path.display()
                    ),
                    None => "load again with --restart --yes; items already written are replaced by the same ones".to_owned(),
                })
            }
            CheckpointError::Newer { .. } => Failure::new(Exit::Failed, "checkpoint-newer", message)
                .with_help("use the newer migrate, or load again with --restart"),
            CheckpointError::Foreign { .. } | CheckpointError::TableGone { .. } => {
                Failure::new(Exit::Mapping, "checkpoint-foreign", message)
                    .with_help("name another folder with --state, or load again with --restart")
            }
            CheckpointError::Changed { entities } => {
                let names: Vec<_> = entities.into_iter().map(|entity| entity.name).collect();
                let (quoted, only) = (names.join("`, `"), names.join(","));
                Failure::new(Exit::Mapping, "mapping-changed", message).with_help(format!(
                    "undo the change to go on, or load `{quoted}` again with --restart --only {only}; items under keys that the new mapping no longer renders stay in the table"
                ))
            }
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        let message = error.to_string();
        match error {
            LoadError::Source(error) => error.into(),
            LoadError::Target(error) => error.into(),
            LoadError::State(error) => error.into(),
            LoadError::TooManyRejects { .. } => Failure::new(Exit::Failed, "max-rejects", message)
                .with_help("look at the rejects file; mend the cause, or allow more with --max-rejects, then run again to go on"),
            LoadError::TooManyCollisions { .. } => Failure::new(Exit::Failed, "collisions", message).with_help(
                "a dry run shows examples: make the keys differ, choose a row by `on_collision`, or allow more rejected rows \
                 with --max-rejects",
            ),
            LoadError::Keys(KeyPassError::Alike { .. }) => Failure::new(Exit::Failed, "collisions", message).with_help(
                "leave all but one of them out with `where`, or give the entity a `key` whose values read differently",
            ),
            LoadError::Keys(_) => Failure::new(Exit::Failed, "key-pass", message)
                .with_help("the keys are sorted in temporary files: is there room on the disk? TMPDIR says where"),
            LoadError::AllRefused { .. } => Failure::new(Exit::Failed, "all-refused", message)
                .with_help("compare the mapping's keys and types with the table: `migrate check`"),
            LoadError::Contradiction(_) => Failure::new(
                Exit::Failed,
                "contradiction",
                format!("a bug in migrate: {message}; nothing of its page was written"),
            )
            .with_help(
                "please report it with the column's type; until it is mended, leave the column out or read it by SQL of \
                 your own in `let`",
            ),
            LoadError::Bug(_) => Failure::new(Exit::Failed, "bug", message)
                .with_help("please report it; the checkpoint is valid, run again to go on"),
        }
    }
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        let help = error.hint().map(str::to_owned);
        match error {
            VerifyError::Source(error) => error.into(),
            VerifyError::Target(error) => error.into(),
            VerifyError::State(error) => error.into(),
            VerifyError::Keys(error) => LoadError::Keys(error).into(),
            other => Failure { help, ..Failure::new(Exit::Failed, "verify", with_causes(&other)) },
        }
    }
}

/// An error and what caused it, in one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
