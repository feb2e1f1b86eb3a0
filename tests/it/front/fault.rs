//! Faults as data: what goes wrong, and when.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use crate::http::Message;

/// What goes wrong with one request.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The whole request is refused; nothing is written. Code, reason, resource ARN.
    Throttled(Throttle, &'static str, String),
    /// The last so many items of the batch come back unprocessed, the others are written.
    Unprocessed(usize),
    /// Any other refusal; nothing is written.
    Error { status: u16, code: &'static str, message: String },
    /// The connection ends without an answer; nothing is written.
    CutBefore,
    /// The connection ends without an answer, but everything is written.
    CutAfter,
    /// No answer for so long, then the connection ends; nothing is written.
    Hang(Duration),
    /// The same, but everything is written.
    HangAfter(Duration),
    /// Everything as it should be, but late.
    Delay(Duration),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Throttle {
    ProvisionedThroughputExceeded,
    /// Spells its list `throttlingReasons`; the others `ThrottlingReasons`.
    Throttling,
    RequestLimitExceeded,
}

impl Fault {
    /// `reason` as the service spells it, such as `TableWriteKeyRangeThroughputExceeded`.
    pub fn throttled(code: Throttle, reason: &'static str) -> Self {
        let index = if reason.starts_with("Index") { "/index/GSI1" } else { "" };
        Self::Throttled(code, reason, format!("{TABLE_ARN}/shop{index}"))
    }

    pub fn internal_error() -> Self {
        Self::error(
            500,
            "InternalServerError",
            "The request processing has failed because of an unknown error.",
        )
    }

    pub fn unavailable() -> Self {
        Self::error(503, "ServiceUnavailable", "The service is unavailable.")
    }

    /// With When::Holding: the service does not like an item. The message echoes it, as the service's
    /// own do, and must not be printed.
    pub fn invalid(echoed_value: &str) -> Self {
        let message = format!(
            "One or more parameter values were invalid: Value '{{shop=[WriteRequest(putRequest=PutRequest(\
             item={{note=AttributeValue: {{S:{echoed_value}}}}}))]}}' at 'requestItems' failed to satisfy constraint"
        );
        Self::error(400, "ValidationException", &message)
    }

    pub fn expired_token() -> Self {
        Self::error(400, "ExpiredTokenException", "The security token included in the request is expired")
    }

    pub fn access_denied() -> Self {
        Self::error(
            400,
            "AccessDeniedException",
            "User is not authorized to perform: dynamodb:BatchWriteItem",
        )
    }

    pub fn no_table() -> Self {
        Self::error(400, "ResourceNotFoundException", "Requested resource not found")
    }

    fn error(status: u16, code: &'static str, message: &str) -> Self {
        Self::Error { status, code, message: message.to_owned() }
    }
}

/// Which requests a fault catches. Numbers count the requests of one operation from 1.
pub enum When {
    Always,
    At(u64),
    /// Number and number after: `Between(3, 5)` is 3 and 4.
    Between(u64, u64),
    /// Every so many: `Every(3)` is 3, 6, 9.
    Every(u64),
    /// Requests with an item like this.
    Holding(Box<dyn Fn(&Value) -> bool + Send>),
}

impl When {
    pub fn holding(predicate: impl Fn(&Value) -> bool + Send + 'static) -> Self {
        Self::Holding(Box::new(predicate))
    }

    fn fits(&self, seen: &Seen<'_>) -> bool {
        match self {
            When::Always => true,
            When::At(number) => seen.number == *number,
            When::Between(from, to) => (*from..*to).contains(&seen.number),
            When::Every(count) => seen.number.is_multiple_of(*count),
            When::Holding(predicate) => seen.items.iter().any(|item| predicate(item)),
        }
    }
}

/// A request, before anything is done about it.
pub struct Seen<'a> {
    pub operation: &'a str,
    /// How many of this operation came, this one included.
    pub number: u64,
    /// The items of a BatchWriteItem.
    pub items: &'a [&'a Value],
    pub body: &'a [u8],
    /// Who signed it.
    pub access_key: &'a str,
}

type Decide = Box<dyn FnMut(&Seen<'_>) -> Option<Fault> + Send>;

#[derive(Default)]
pub(super) struct Script {
    rules: Vec<(&'static str, When, Fault)>,
    decide: Option<Decide>,
}

impl Script {
    pub(super) fn replace(&mut self, rules: impl IntoIterator<Item = (When, Fault)>) {
        self.rules = rules.into_iter().map(|(when, fault)| ("BatchWriteItem", when, fault)).collect();
    }

    pub(super) fn add(&mut self, operation: &'static str, when: When, fault: Fault) {
        self.rules.push((operation, when, fault));
    }

    pub(super) fn decide(&mut self, decide: impl FnMut(&Seen<'_>) -> Option<Fault> + Send + 'static) {
        self.decide = Some(Box::new(decide));
    }

    pub(super) fn fault(&mut self, seen: &Seen<'_>) -> Option<Fault> {
        let decided = self.decide.as_mut().and_then(|decide| decide(seen));
        decided.or_else(|| {
            let mut rules = self.rules.iter();
            let rule = rules.find(|(operation, when, _)| *operation == seen.operation && when.fits(seen));
            rule.map(|(_, _, fault)| fault.clone())
        })
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Script({} rules)", self.rules.len())
    }
}

pub(super) const TABLE_ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table";

/// A throttle of the whole request, with (reason, resource) pairs.
pub(super) fn throttled(code: Throttle, reasons: &[(String, String)]) -> Message {
    let reasons: Vec<Value> =
        reasons.iter().map(|(reason, resource)| json!({"reason": reason, "resource": resource})).collect();
    let (code, list) = match code {
        Throttle::ProvisionedThroughputExceeded => {
            ("ProvisionedThroughputExceededException", "ThrottlingReasons")
        }
        Throttle::Throttling => ("ThrottlingException", "throttlingReasons"),
        Throttle::RequestLimitExceeded => ("RequestLimitExceeded", "ThrottlingReasons"),
    };
    let mut body = error_body(code, "Throughput exceeds the current capacity of your table or index.");
    body[list] = reasons.into();
    Message::answer(400, body.to_string().into_bytes())
}

pub(super) fn error(status: u16, code: &str, message: &str) -> Message {
    Message::answer(status, error_body(code, message).to_string().into_bytes())
}

pub(super) fn error_body(code: &str, message: &str) -> Value {
    let namespace = match code {
        "ValidationException" => "com.amazon.coral.validate",
        "ThrottlingException" | "ServiceUnavailable" => "com.amazon.coral.availability",
        "ExpiredTokenException" | "AccessDeniedException" => "com.amazon.coral.service",
        _ => "com.amazonaws.dynamodb.v20120810",
    };
    json!({"__type": format!("{namespace}#{code}"), "message": message})
}
