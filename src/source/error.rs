//! What can go wrong with a source: kind, context, cause, hint.

use std::fmt;

use sqlx::error::DatabaseError;

/// Which piece of a mapping an error of [`super::Source::describe`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// `from`, `query`
    Rows,
    /// `where`
    Filter,
    /// `let`, by position
    Computed(usize),
    /// `when`, by position
    Condition(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceErrorKind {
    /// The URL or a setting is wrong.
    Config,
    /// Host unknown, refused, TLS failed.
    Connect,
    /// Wrong user or password.
    Authentication,
    NoDatabase,
    /// Not allowed to read, or hidden by row-level security.
    Permission,
    /// The SQL of a piece of the mapping does not stand (unknown table, syntax …).
    Sql(Piece),
    /// A value given for a column of the key is not one of its type.
    KeyValue,
    /// The connection broke or the server went away: reading can go on with a new snapshot.
    Lost,
    /// The table's definition changed while it was read.
    SchemaChanged,
    /// Anything else the server said.
    Server,
}

/// Never carries a password or a cell value.
#[derive(Debug)]
pub struct SourceError {
    pub kind: SourceErrorKind,
    /// What was tried, lower case: `connect to app@db:5432/shop`.
    pub context: String,
    /// What the server or the driver said.
    pub cause: String,
    pub hint: Option<String>,
}

impl SourceError {
    pub(super) fn new(kind: SourceErrorKind, context: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { kind, context: context.into(), cause: cause.into(), hint: None }
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.context, self.cause)
    }
}

impl std::error::Error for SourceError {}

/// A column that arrives in another form than the plan was made for: its bytes would be misread.
pub(super) fn changed_type(column: &str, planned: &str, found: &str) -> SourceError {
    let cause = format!("column {column} was {planned} when it was described and arrives as {found}");
    SourceError::new(SourceErrorKind::SchemaChanged, "read a page of rows", cause)
        .with_hint("the table was altered while it was read; see what `migrate check` says, then load the entity again with --restart --only")
}

/// What was being done when the driver failed: the same code means different things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Connect,
    /// Preparing a piece of the mapping.
    Prepare(Piece),
    Read,
    /// Reading a value that a user gave, and nothing else.
    Value,
}

/// What a dialect makes of an error of its server.
pub(super) struct Verdict {
    pub(super) kind: SourceErrorKind,
    pub(super) hint: Option<String>,
    /// The message may quote a value of a row.
    pub(super) quotes_values: bool,
}

impl Verdict {
    pub(super) fn of(kind: SourceErrorKind) -> Self {
        Self { kind, hint: None, quotes_values: false }
    }

    pub(super) fn hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }
}

/// The driver's error as ours; `judge` is the dialect's table of codes.
pub(super) fn from_driver(
    error: &sqlx::Error,
    step: Step,
    context: impl Into<String>,
    judge: impl Fn(&dyn DatabaseError, Step) -> Verdict,
) -> SourceError {
    let context = context.into();
    if let Some(said) = error.as_database_error() {
        let verdict = judge(said, step);
        let cause = if verdict.quotes_values { without_values(said.message()) } else { said.message() };
        return SourceError { kind: verdict.kind, context, cause: cause.to_owned(), hint: verdict.hint };
    }
    let kind = match (error, step) {
        (sqlx::Error::Configuration(_), _) => SourceErrorKind::Config,
        (_, Step::Connect) => SourceErrorKind::Connect,
        (sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed, _) => {
            SourceErrorKind::Lost
        }
        _ => SourceErrorKind::Server,
    };
    let failure = SourceError::new(kind, context, innermost(error));
    match error {
        sqlx::Error::Tls(_) => failure.with_hint(TLS_HINT),
        // The handshake's own errors arrive as invalid data.
        sqlx::Error::Io(cause) if cause.kind() == std::io::ErrorKind::InvalidData => {
            failure.with_hint(TLS_HINT)
        }
        sqlx::Error::Protocol(_) if failure.cause.contains("mysql_cleartext_plugin") => {
            failure.with_hint(CLEARTEXT_HINT)
        }
        sqlx::Error::Configuration(_) if failure.cause.contains("ssl_mode") => {
            failure.with_hint("sslmode is one of disable, prefer, require, verify-ca, verify-full")
        }
        sqlx::Error::Io(_) if step == Step::Connect => failure
            .with_hint("check host and port in the URL, and that the server is up and reachable from here"),
        _ => failure,
    }
}

const TLS_HINT: &str = "the server must offer TLS with a certificate that is valid for its host name: name its \
    authority with `ca_file`, or in a network that you trust add sslmode=require (encrypted, not verified) or \
    sslmode=disable to the URL";

const CLEARTEXT_HINT: &str = "this login sends its password as it is (IAM, PAM, LDAP): that is done only where the \
    server's certificate is verified, with sslmode=verify-full";

/// Where the authorities of Amazon's own servers are: no system has them among its own.
pub(super) fn with_bundle(mut error: SourceError) -> SourceError {
    if let Some(hint) = error.hint.as_mut().filter(|hint| *hint == TLS_HINT)
        && error.context.contains(".rds.amazonaws.com")
    {
        hint.push_str(
            "; Amazon's authorities: https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem",
        );
    }
    error
}

/// What went wrong without the driver's words around it.
pub(super) fn innermost(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Io(cause) => cause.to_string(),
        sqlx::Error::Tls(cause) => cause.to_string(),
        sqlx::Error::Configuration(cause) => match cause.downcast_ref::<sqlx::Error>() {
            Some(inner) => innermost(inner),
            None => cause.to_string(),
        },
        _ => error.to_string(),
    }
}

/// The part of a message before the first quoted thing.
fn without_values(message: &str) -> &str {
    let end = message.find(['"', '\'', '`']).unwrap_or(message.len());
    message.get(..end).unwrap_or_default().trim_end_matches([':', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c11_a_failed_handshake_with_rds_names_its_bundle() {
        let failed = |host: &str| {
            let error = sqlx::Error::Tls("UnknownIssuer".into());
            let context = format!("connect to app@{host}:5432/shop");
            with_bundle(from_driver(&error, Step::Connect, context, |_, _| {
                Verdict::of(SourceErrorKind::Connect)
            }))
        };
        let hint = failed("db.abc.eu-west-1.rds.amazonaws.com").hint.unwrap();
        assert!(hint.contains("`ca_file`") && hint.contains("global-bundle.pem"), "{hint}");
        assert!(!failed("db.example").hint.unwrap().contains("Amazon"));
    }
}
