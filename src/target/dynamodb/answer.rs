//! The SDK's errors boiled down to what classification looks at.

use std::error::Error;

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;
use jiff::Timestamp;
use serde::Deserialize;

use crate::target::ThrottleReason;

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// No connection, or it broke before an answer; in words.
    NoAnswer(String),
    /// Nothing came in time.
    Timeout,
    /// There are no credentials; in words.
    NoCredentials(String),
    /// Whoever gives the credentials did not answer in time.
    CredentialsTimeout,
    /// The request could not be made; in words.
    NoRequest(String),
    /// The service said no.
    Answer(Answer),
    /// A success that is none of the service's.
    Unreadable { status: u16 },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) code: Option<String>,
    /// Cut before values.
    pub(super) message: Option<String>,
    pub(super) reasons: Vec<ThrottleReason>,
    pub(super) clocks: Option<Clocks>,
}

/// Both clocks at the moment of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clocks {
    pub(super) local: Timestamp,
    pub(super) service: Timestamp,
}

impl Clocks {
    /// Seconds by which the service's clock is ahead of ours.
    pub(super) fn ahead(&self) -> i64 {
        self.service.as_second() - self.local.as_second()
    }
}

/// Our time and the answer's `Date`, if it has one.
pub(super) fn clocks(response: &HttpResponse) -> Option<Clocks> {
    let date = response.headers().get("date")?;
    let service = DateTime::from_str(date, Format::HttpDate).ok()?;
    Some(Clocks { local: Timestamp::now(), service: Timestamp::from_second(service.secs()).ok()? })
}

/// Whatever operation it was: the SDK's error types differ, what they say does not.
pub(super) fn failure<E>(error: &SdkError<E, HttpResponse>) -> Failure
where
    E: ProvideErrorMetadata + Error + Send + Sync + 'static,
{
    match error {
        SdkError::ConstructionFailure(_) => Failure::NoRequest(innermost(error)),
        SdkError::TimeoutError(_) => Failure::Timeout,
        SdkError::DispatchFailure(dispatch) if dispatch.is_timeout() => Failure::Timeout,
        SdkError::DispatchFailure(dispatch) if dispatch.is_user() => Failure::NoRequest(innermost(error)),
        SdkError::DispatchFailure(_) => match credentials_error(error) {
            Some(CredentialsError::ProviderTimedOut(_)) => Failure::CredentialsTimeout,
            Some(missing) => Failure::NoCredentials(innermost(missing)),
            None => Failure::NoAnswer(innermost(error)),
        },
        SdkError::ResponseError(response) => unreadable(response.raw()),
        // What the SDK cannot read of a success also comes as the operation's error.
        SdkError::ServiceError(service) if service.raw().status().is_success() => unreadable(service.raw()),
        SdkError::ServiceError(service) => Failure::Answer(answer(service.err(), service.raw())),
        _ => Failure::NoAnswer(innermost(error)),
    }
}

/// A body that is not what its status promises: an error of the service keeps its meaning.
fn unreadable(response: &HttpResponse) -> Failure {
    let status = response.status().as_u16();
    if status < 400 {
        return Failure::Unreadable { status };
    }
    Failure::Answer(Answer { status, clocks: clocks(response), ..Answer::default() })
}

fn answer(error: &impl ProvideErrorMetadata, response: &HttpResponse) -> Answer {
    Answer {
        status: response.status().as_u16(),
        code: error.code().map(str::to_owned),
        message: error.message().and_then(without_values),
        reasons: response.body().bytes().map(throttle_reasons).unwrap_or_default(),
        clocks: clocks(response),
    }
}

fn credentials_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a CredentialsError> {
    let mut next = Some(error);
    while let Some(current) = next {
        if let Some(found) = current.downcast_ref() {
            return Some(found);
        }
        next = current.source();
    }
    None
}

/// An error's two innermost sources: the outer ones name layers of the SDK. Only for errors without an
/// answer; these hold no item.
pub(super) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(current) = next {
        let text = current.to_string();
        if words.last() != Some(&text) {
            words.push(text);
        }
        next = current.source();
    }
    words.get(words.len().saturating_sub(2)..).unwrap_or_default().join(": ")
}

/// Where the service's messages begin to repeat what was sent: whole requests, numbers, set members, operands
/// (facts/dynamodb.md, section 3).
const ECHOES: [&str; 5] = ["Value '", "numeric value:", "Input collection [", "AttributeValue:", "near line"];

/// A message's longest useful part, characters.
const LONGEST: usize = 400;

/// The part of a service's message that names no value; `None` if nothing is left.
pub(super) fn without_values(message: &str) -> Option<String> {
    let end = ECHOES.iter().filter_map(|echo| message.find(echo)).min().unwrap_or(message.len());
    let plain: String = message.get(..end)?.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    let plain = plain.trim_end_matches([' ', ':', ';']);
    (!plain.is_empty()).then(|| plain.to_owned())
}

/// The service spells the member in two ways, depending on the exception.
#[derive(Deserialize)]
struct Reasons {
    #[serde(rename = "ThrottlingReasons", alias = "throttlingReasons", default)]
    reasons: Vec<Reason>,
}

#[derive(Deserialize)]
struct Reason {
    #[serde(alias = "Reason", default)]
    reason: String,
    #[serde(alias = "Resource", default)]
    resource: String,
}

fn throttle_reasons(body: &[u8]) -> Vec<ThrottleReason> {
    let parsed = serde_json::from_slice::<Reasons>(body).map(|parsed| parsed.reasons).unwrap_or_default();
    parsed.into_iter().map(|Reason { reason, resource }| ThrottleReason { reason, resource }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cut_before_values() {
        let echo =
            "1 validation error detected: Value '{shop=[WriteRequest(item={name=Ann})]}' at 'requestItems'";
        assert_eq!(without_values(echo).as_deref(), Some("1 validation error detected"));
        let number = "The parameter cannot be converted to a numeric value: 4111-1111";
        assert_eq!(without_values(number).as_deref(), Some("The parameter cannot be converted to a"));
        let set = "One or more parameter values were invalid: Input collection [a, a] contains duplicates.";
        assert_eq!(without_values(set).as_deref(), Some("One or more parameter values were invalid"));
        let bounds = "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {S:ann@example.com}, upper bound operand: AttributeValue: {S:ann}";
        let plain = without_values(bounds).unwrap();
        assert!(plain.ends_with("greater than or equal to lower bound; lower bound operand"), "{plain}");
        assert_eq!(without_values("Value 'x'"), None);
        for plain in [
            "Provided list of item keys contains duplicates",
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: PK",
        ] {
            assert_eq!(without_values(plain).as_deref(), Some(plain));
        }
    }

    #[test]
    fn throttle_reasons_are_read_in_both_spellings() {
        let list = r#"[{"reason":"TableWriteKeyRangeThroughputExceeded","resource":"arn:t"}]"#;
        for member in ["ThrottlingReasons", "throttlingReasons"] {
            let found =
                throttle_reasons(format!(r#"{{"message":"slow down","{member}":{list}}}"#).as_bytes());
            assert_eq!(found.len(), 1, "{member}");
            assert_eq!(found[0].reason, "TableWriteKeyRangeThroughputExceeded");
        }
        assert!(throttle_reasons(b"<html>").is_empty());
        assert!(throttle_reasons(br#"{"message":"slow down"}"#).is_empty());
    }
}
