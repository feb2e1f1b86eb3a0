//! What a target can answer besides yes.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetErrorKind {
    /// Too fast; with the reasons the service gave, if any.
    Throttled(Vec<ThrottleReason>),
    /// 5xx, timeout, broken connection: try again.
    Transient,
    /// The request is at fault: bisect it.
    Refused,
    NoTable,
    /// The table exists but differs from the mapping.
    TableDiffers,
    Permission,
    /// No credentials, or refused.
    Credentials,
    /// The credentials were good once.
    Expired,
    /// The local clock is too far off to sign.
    Clock,
    /// The endpoint does not answer at all.
    Unreachable,
    /// Another account than the mapping names.
    Account,
    /// A setting is wrong (region missing, bad endpoint URL).
    Config,
    /// A local index's item collection is full (10 GB).
    Collection,
    Other,
}

/// `TableWriteKeyRangeThroughputExceeded` and its resource ARN (AWS API, ThrottlingReason).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThrottleReason {
    pub reason: String,
    pub resource: String,
}

impl ThrottleReason {
    /// What a refusal by the account's quota means where no reasons come with it.
    pub fn account_quota() -> Self {
        Self { reason: "AccountLimitExceeded".to_owned(), resource: String::new() }
    }

    /// The index of `arn:…:table/shop/index/GSI1`; `None` for the table itself.
    pub fn index(&self) -> Option<&str> {
        self.resource.split_once("/index/").map(|(_, index)| index.split('/').next().unwrap_or(index))
    }

    /// One hot key range, whatever the rest of the table can take.
    pub fn is_key_range(&self) -> bool {
        self.reason.contains("KeyRange")
    }

    pub fn is_account_quota(&self) -> bool {
        self.reason.contains("AccountLimit")
    }
}

/// In words: `GSI1 key range`.
impl fmt::Display for ThrottleReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.reason.as_str() {
            _ if self.is_key_range() => "key range",
            _ if self.is_account_quota() && self.resource.is_empty() => return f.write_str("account quota"),
            _ if self.is_account_quota() => "account quota",
            name if name.contains("MaxOnDemand") => "on-demand maximum",
            name if name.contains("Provisioned") => "provisioned capacity",
            _ => "throughput",
        };
        write!(f, "{} {why}", self.index().unwrap_or("table"))
    }
}

/// Never carries an item: service messages are cut before the part that echoes values.
#[derive(Debug, Clone)]
pub struct TargetError {
    pub kind: TargetErrorKind,
    /// What was tried, lower case: `write to table shop`.
    pub context: String,
    /// Error code and message as far as they name no value.
    pub cause: String,
    pub hint: Option<String>,
}

impl TargetError {
    pub fn new(kind: TargetErrorKind, context: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { kind, context: context.into(), cause: cause.into(), hint: None }
    }

    /// Bytes that are no item. The error's own text may quote a value; only its place is kept.
    pub(crate) fn no_item(context: impl Into<String>, error: &serde_json::Error) -> Self {
        Self::new(TargetErrorKind::Other, context, format!("no item at byte {}", error.column()))
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.context, self.cause)
    }
}

impl std::error::Error for TargetError {}
