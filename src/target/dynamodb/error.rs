//! Error → kind, one table, on codes alone: what a message says is for people.

use std::error::Error;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

use super::answer::{Answer, Clocks, Failure, failure};
use crate::target::TargetError;
use crate::target::{TargetErrorKind as Kind, ThrottleReason};

/// When it happened decides what silence means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Before the load: an endpoint that does not answer is a wrong endpoint.
    Connect,
    /// During the load: it did answer, so it will again.
    Load,
}

/// One call, for the words around its error.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) stage: Stage,
    /// `write to table shop`
    pub(super) context: String,
    pub(super) table: &'a str,
    pub(super) region: &'a str,
    pub(super) local: bool,
}

impl Call<'_> {
    #[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
    pub(super) fn failed<E>(&self, error: SdkError<E, HttpResponse>) -> TargetError
    where
        E: ProvideErrorMetadata + Error + Send + Sync + 'static,
    {
        self.error(&failure(&error))
    }

    pub(super) fn error(&self, failure: &Failure) -> TargetError {
        let kind = classify(self.stage, failure);
        let hint = self.hint(&kind, failure);
        TargetError { cause: cause(&kind, failure), context: self.context.clone(), hint, kind }
    }
}

/// Skew from which a refused signature is the clock's fault; the service allows five minutes.
const TOLERATED_SKEW: i64 = 4 * 60;

pub(super) fn classify(stage: Stage, failure: &Failure) -> Kind {
    match failure {
        Failure::NoAnswer(_) | Failure::Timeout => match stage {
            Stage::Connect => Kind::Unreachable,
            Stage::Load => Kind::Transient,
        },
        Failure::Unreadable { .. } => match stage {
            Stage::Connect => Kind::Config,
            Stage::Load => Kind::Transient,
        },
        Failure::NoCredentials(_) => Kind::Credentials,
        Failure::CredentialsTimeout => Kind::Transient,
        Failure::NoRequest(_) => Kind::Config,
        Failure::Answer(answer) => match answer.code.as_deref() {
            Some(code) => by_code(code, answer).unwrap_or_else(|| by_status(answer.status)),
            None => by_status(answer.status),
        },
    }
}

fn by_code(code: &str, answer: &Answer) -> Option<Kind> {
    Some(match code {
        "ProvisionedThroughputExceededException"
        | "ProvisionedThroughputExceeded"
        | "ThrottlingException"
        | "Throttling"
        | "ThrottledException"
        | "RequestThrottled"
        | "RequestThrottledException"
        | "TooManyRequestsException"
        | "SlowDown" => Kind::Throttled(answer.reasons.clone()),
        "RequestLimitExceeded" if answer.reasons.is_empty() => {
            Kind::Throttled(vec![ThrottleReason::account_quota()])
        }
        "RequestLimitExceeded" => Kind::Throttled(answer.reasons.clone()),
        "InternalServerError"
        | "InternalServerErrorException"
        | "InternalFailure"
        | "ServiceUnavailable"
        | "ServiceUnavailableException"
        | "RequestTimeout"
        | "RequestTimeoutException"
        | "ReplicatedWriteConflictException"
        | "TransactionConflictException"
        | "TransactionInProgressException" => Kind::Transient,
        "ValidationException" | "SerializationException" | "RequestEntityTooLarge" => Kind::Refused,
        "ItemCollectionSizeLimitExceededException" => Kind::Collection,
        "ResourceNotFoundException" | "TableNotFoundException" => Kind::NoTable,
        "AccessDeniedException" | "AccessDenied" | "UnauthorizedOperation" | "OptInRequired" => {
            Kind::Permission
        }
        "UnrecognizedClientException"
        | "InvalidClientTokenId"
        | "InvalidAccessKeyId"
        | "IncompleteSignature"
        | "IncompleteSignatureException"
        | "MissingAuthenticationToken"
        | "MissingAuthenticationTokenException" => Kind::Credentials,
        "ExpiredToken" | "ExpiredTokenException" | "TokenRefreshRequired" => Kind::Expired,
        // Said of the request's own time as well as of the credentials'.
        "RequestExpired" if answer.clocks.is_some() && !is_skewed(answer) => Kind::Expired,
        "InvalidSignatureException" | "AuthFailure" if !is_skewed(answer) => Kind::Credentials,
        "SignatureDoesNotMatch" if answer.clocks.is_some() && !is_skewed(answer) => Kind::Credentials,
        "InvalidSignatureException"
        | "AuthFailure"
        | "SignatureDoesNotMatch"
        | "RequestExpired"
        | "RequestTimeTooSkewed"
        | "RequestInTheFuture" => Kind::Clock,
        "UnknownOperationException" => Kind::Config,
        _ => return None,
    })
}

fn by_status(status: u16) -> Kind {
    match status {
        408 => Kind::Transient,
        429 => Kind::Throttled(Vec::new()),
        413 => Kind::Refused,
        401 | 403 => Kind::Permission,
        404 | 405 => Kind::Config,
        500.. => Kind::Transient,
        _ => Kind::Other,
    }
}

fn is_skewed(answer: &Answer) -> bool {
    answer.clocks.as_ref().is_some_and(|clocks| clocks.ahead().abs() >= TOLERATED_SKEW)
}

fn cause(kind: &Kind, failure: &Failure) -> String {
    match failure {
        Failure::NoAnswer(words) | Failure::NoRequest(words) | Failure::NoCredentials(words) => words.clone(),
        Failure::Timeout => "no answer in time".to_owned(),
        Failure::CredentialsTimeout => "the credentials provider did not answer in time".to_owned(),
        Failure::Unreadable { status } => format!("HTTP {status} whose body is not DynamoDB's"),
        Failure::Answer(answer) => answered(kind, answer),
    }
}

fn answered(kind: &Kind, answer: &Answer) -> String {
    let mut words = match (&answer.code, &answer.message) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code.clone(),
        (None, _) => format!("HTTP {} without an error code", answer.status),
    };
    if let (Kind::Clock, Some(clocks)) = (kind, &answer.clocks) {
        words.push_str(&told(clocks));
    }
    if let Kind::Throttled(reasons) = kind {
        let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        if !reasons.is_empty() {
            words.push_str(&format!(" ({})", reasons.join(", ")));
        }
    }
    words
}

fn told(clocks: &Clocks) -> String {
    let service = clocks.service;
    format!(" (local time {:.0}, the service's {service:.0})", clocks.local)
}

impl Call<'_> {
    fn hint(&self, kind: &Kind, failure: &Failure) -> Option<String> {
        let code = match failure {
            Failure::Answer(answer) => answer.code.as_deref(),
            _ => None,
        };
        Some(match kind {
            Kind::NoTable => self.no_table(),
            Kind::Permission => format!(
                "the role needs dynamodb:DescribeTable, BatchWriteItem and Scan on table `{}`; BatchGetItem, \
                 DescribeTimeToLive, and Query on the table and its indexes to verify; PutItem, UpdateItem and DeleteItem \
                 to repair; CreateTable, UpdateContinuousBackups and TagResource for --create-table; UpdateTimeToLive for \
                 --enable-ttl (a policy to copy is in the README, under Security)",
                self.table
            ),
            Kind::Expired => {
                "log in again (`aws sso login`) and run the same command: it goes on where it stopped".to_owned()
            }
            Kind::Credentials if code == Some("InvalidSignatureException") => format!(
                "check the secret key, and whether `table.region` (here: {}) is the endpoint's own region",
                self.region
            ),
            Kind::Credentials => {
                "run `aws configure`, or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY".to_owned()
            }
            Kind::Clock => "set this machine's clock (NTP): requests are signed with the time".to_owned(),
            Kind::Unreachable => self.unreachable(),
            Kind::Config if matches!(failure, Failure::NoRequest(_)) => {
                "check `table.endpoint` and `table.region`".to_owned()
            }
            Kind::Config => "check `table.endpoint`: what answers there does not speak DynamoDB".to_owned(),
            Kind::Throttled(reasons) if reasons.iter().any(ThrottleReason::is_account_quota) => {
                "the account's quota for this region is used up: lower `write.rate`, or have the quota raised".to_owned()
            }
            Kind::Other if code == Some("ResourceInUseException") => {
                "the table exists already: leave `--create-table` out".to_owned()
            }
            Kind::Other if code == Some("LimitExceededException") => {
                "a quota of the account: wait for other tables to be made, or have it raised".to_owned()
            }
            Kind::Collection => {
                "a table with local indexes holds at most 10 GB under one partition key: spread it, for example with `shard(n)`".to_owned()
            }
            _ => return None,
        })
    }

    pub(super) fn no_table(&self) -> String {
        if self.local {
            return format!(
                "`migrate run --create-table` makes it; DynamoDB Local keeps one database per access key and region \
                 (here: {}) unless it runs with -sharedDb",
                self.region
            );
        }
        format!(
            "check `table.name` and `table.region` (here: {}); `migrate run --create-table` makes the table",
            self.region
        )
    }

    fn unreachable(&self) -> String {
        if self.local {
            return "is the server running? `migrate local` starts one; check `table.endpoint` or AWS_ENDPOINT_URL".to_owned();
        }
        format!("check the network, and `table.region` (here: {}) or `table.endpoint`", self.region)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    fn answer(code: &str) -> Answer {
        Answer { status: 400, code: Some(code.to_owned()), ..Answer::default() }
    }

    fn kind(answer: Answer) -> Kind {
        classify(Stage::Load, &Failure::Answer(answer))
    }

    fn call() -> Call<'static> {
        Call {
            stage: Stage::Connect,
            context: "describe table shop".to_owned(),
            table: "shop",
            region: "us-east-1",
            local: false,
        }
    }

    /// Whatever the README's policy allows is what somebody may lack.
    #[test]
    fn a_refused_permission_names_every_action_of_the_policy() {
        let hint = call().error(&Failure::Answer(answer("AccessDeniedException"))).hint.unwrap();
        let named: Vec<&str> = hint.split(|c: char| !c.is_alphanumeric()).collect();
        let readme = include_str!("../../../README.md");
        let actions = readme.split("\"dynamodb:").skip(1).filter_map(|rest| rest.split('"').next());
        let actions: Vec<&str> = actions.collect();
        assert!(actions.len() > 10, "{actions:?}");
        for action in actions {
            assert!(named.contains(&action), "{action}: {hint}");
        }
    }

    fn clocks(ahead: i64) -> Option<Clocks> {
        let local = Timestamp::from_second(1_800_000_000).unwrap();
        let service = Timestamp::from_second(1_800_000_000 + ahead).unwrap();
        Some(Clocks { local, service })
    }

    #[test]
    fn codes_decide() {
        let table = [
            ("ValidationException", Kind::Refused),
            ("SerializationException", Kind::Refused),
            ("ItemCollectionSizeLimitExceededException", Kind::Collection),
            ("ResourceNotFoundException", Kind::NoTable),
            ("AccessDeniedException", Kind::Permission),
            ("UnrecognizedClientException", Kind::Credentials),
            ("InvalidSignatureException", Kind::Credentials),
            ("ExpiredToken", Kind::Expired),
            ("ExpiredTokenException", Kind::Expired),
            ("RequestExpired", Kind::Clock),
            ("SignatureDoesNotMatch", Kind::Clock),
            ("InternalServerError", Kind::Transient),
            ("ReplicatedWriteConflictException", Kind::Transient),
            ("SomethingNew", Kind::Other),
        ];
        for (code, expected) in table {
            assert_eq!(kind(answer(code)), expected, "{code}");
        }
    }

    #[test]
    fn throttles_keep_their_reasons() {
        let reason = ThrottleReason {
            reason: "IndexWriteProvisionedThroughputExceeded".to_owned(),
            resource: "arn:aws:dynamodb:us-east-1:1:table/shop/index/GSI1".to_owned(),
        };
        for code in ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"]
        {
            let throttled = Answer { reasons: vec![reason.clone()], ..answer(code) };
            assert_eq!(kind(throttled), Kind::Throttled(vec![reason.clone()]), "{code}");
        }
    }

    #[test]
    fn w05_a_used_up_account_quota_is_named_with_and_without_reasons() {
        let told = |answer: Answer| {
            let error = call().error(&Failure::Answer(answer));
            (error.to_string(), error.hint.unwrap_or_default())
        };
        let (words, hint) = told(answer("RequestLimitExceeded"));
        assert_eq!(words, "describe table shop: RequestLimitExceeded (account quota)");
        assert!(hint.contains("the account's quota"), "{hint}");
        let reason = ThrottleReason {
            reason: "TableWriteAccountLimitExceeded".to_owned(),
            resource: "arn:aws:dynamodb:us-east-1:1:table/shop".to_owned(),
        };
        let (words, hint) = told(Answer { reasons: vec![reason], ..answer("ThrottlingException") });
        assert_eq!(words, "describe table shop: ThrottlingException (table account quota)");
        assert!(hint.contains("the account's quota"), "{hint}");
    }

    #[test]
    fn the_status_decides_where_no_code_does() {
        for (status, expected) in [
            (500, Kind::Transient),
            (503, Kind::Transient),
            (408, Kind::Transient),
            (429, Kind::Throttled(Vec::new())),
            (413, Kind::Refused),
            (403, Kind::Permission),
            (404, Kind::Config),
            (418, Kind::Other),
        ] {
            assert_eq!(kind(Answer { status, ..Answer::default() }), expected, "{status}");
            let unknown = Answer { status, ..answer("SomethingNew") };
            assert_eq!(kind(unknown), expected, "{status} with an unknown code");
        }
    }

    /// C03.
    #[test]
    fn a_refused_signature_is_the_clocks_fault_only_when_the_clocks_differ() {
        for code in ["InvalidSignatureException", "SignatureDoesNotMatch"] {
            assert_eq!(kind(Answer { clocks: clocks(3), ..answer(code) }), Kind::Credentials, "{code}");
            assert_eq!(kind(Answer { clocks: clocks(-1200), ..answer(code) }), Kind::Clock, "{code}");
        }
    }

    #[test]
    fn silence_is_a_wrong_endpoint_first_and_a_passing_trouble_later() {
        for failure in [Failure::Timeout, Failure::NoAnswer("connection refused".to_owned())] {
            assert_eq!(classify(Stage::Connect, &failure), Kind::Unreachable);
            assert_eq!(classify(Stage::Load, &failure), Kind::Transient);
        }
    }

    /// C02: the third code for it also stands for a wrong clock.
    #[test]
    fn c02_an_expired_request_is_the_credentials_fault_unless_the_clocks_differ() {
        let expired = |ahead| kind(Answer { clocks: clocks(ahead), ..answer("RequestExpired") });
        assert_eq!(expired(3), Kind::Expired);
        assert_eq!(expired(-1200), Kind::Clock);
    }

    /// C05: the service's own words are about credentials.
    #[test]
    fn c05_a_refused_signature_asks_about_the_region() {
        let refused = Answer { clocks: clocks(1), ..answer("InvalidSignatureException") };
        let hint = call().error(&Failure::Answer(refused)).hint.unwrap();
        assert!(hint.contains("`table.region` (here: us-east-1)"), "{hint}");
    }

    /// C03.
    #[test]
    fn both_clocks_are_told() {
        let answer = Answer {
            message: Some("Signature expired".to_owned()),
            clocks: clocks(1200),
            ..answer("InvalidSignatureException")
        };
        assert_eq!(
            call().error(&Failure::Answer(answer)).to_string(),
            "describe table shop: InvalidSignatureException: Signature expired \
             (local time 2027-01-15T08:00:00Z, the service's 2027-01-15T08:20:00Z)"
        );
    }
}
