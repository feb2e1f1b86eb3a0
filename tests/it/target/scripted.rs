//! Answers that no server at hand gives: one scripted answer a connection.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, SystemTime};

use dynamigrate::target::{
    ConnectSettings, DynamoDb, Lookup, Put, PutBatch, Target, TargetError, TargetErrorKind, ThrottleReason,
};

use super::{batch, key};

#[derive(Clone)]
enum Reply {
    /// Status, body.
    Http(u16, String),
    /// As `Http`, with a `Date` so many seconds from now.
    Dated(u16, String, i64),
    /// A service whose clock is so many seconds ahead of ours: refuses what is signed for another time,
    /// else knows no table and writes everything.
    Clock(i64),
    Hang,
    /// Closes after reading the request.
    Cut,
    /// Closes in the middle of its answer.
    CutShort,
}

/// Gives every connection this answer; returns its address.
fn serve(reply: Reply) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let reply = reply.clone();
            thread::spawn(move || answer(&mut stream.unwrap(), &reply));
        }
    });
    endpoint
}

fn answer(stream: &mut TcpStream, reply: &Reply) {
    let request = read_request(stream);
    let by_clock;
    let (status, body, date) = match reply {
        Reply::Clock(ahead) => {
            by_clock = clocked(&request, *ahead);
            (&by_clock.0, &by_clock.1, date(*ahead))
        }
        Reply::Hang => return thread::sleep(Duration::from_secs(60)),
        Reply::Cut => return,
        Reply::CutShort => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"Unproc");
            return;
        }
        Reply::Http(status, body) => (status, body, String::new()),
        Reply::Dated(status, body, ahead) => (status, body, date(*ahead)),
    };
    let head =
        format!("HTTP/1.1 {status} X\r\n{date}connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

/// Reads one request; returns it in lower case.
fn read_request(stream: &mut TcpStream) -> String {
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).unwrap();
        seen.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&seen).to_lowercase();
        let Some(end) = text.find("\r\n\r\n") else { continue };
        let length = text.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
        if seen.len() >= end + 4 + length.map_or(0, |length| length.parse().unwrap()) {
            return text;
        }
    }
}

fn clocked(request: &str, ahead: i64) -> (u16, String) {
    let signed = header(request, "x-amz-date").to_uppercase();
    let signed = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", signed).unwrap();
    let signed = signed.to_zoned(jiff::tz::TimeZone::UTC).unwrap().timestamp().as_second();
    if (signed - jiff::Timestamp::now().as_second() - ahead).abs() > 300 {
        return (400, r#"{"__type":"com.amazon.coral.service#InvalidSignatureException"}"#.to_owned());
    }
    match header(request, "x-amz-target") {
        "dynamodb_20120810.batchwriteitem" => (200, r#"{"UnprocessedItems":{}}"#.to_owned()),
        _ => (400, r#"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}"#.to_owned()),
    }
}

fn header<'a>(request: &'a str, name: &str) -> &'a str {
    request.split(&format!("{name}: ")).nth(1).unwrap().split("\r\n").next().unwrap()
}

fn date(ahead: i64) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let then = jiff::Timestamp::from_second(i64::try_from(now).unwrap() + ahead).unwrap();
    format!("date: {}\r\n", then.strftime("%a, %d %b %Y %H:%M:%S GMT"))
}

async fn target(reply: Reply) -> DynamoDb {
    let settings = ConnectSettings {
        endpoint: Some(serve(reply)),
        request_timeout: Duration::from_millis(300),
        ..ConnectSettings::new("shop")
    };
    DynamoDb::connect(settings).await.unwrap()
}

fn three() -> PutBatch {
    batch(&[("A/é", "1", ""), ("B\u{1}", "\"2\"", ""), ("C", "3", "")])
}

async fn put(status: u16, body: &str) -> Result<Put, TargetError> {
    target(Reply::Http(status, body.to_owned())).await.put(&three()).await
}

async fn refused(status: u16, body: &str) -> TargetErrorKind {
    put(status, body).await.unwrap_err().kind
}

#[tokio::test]
async fn everything_is_written_when_nothing_is_left_over() {
    for body in [
        r#"{"UnprocessedItems":{}}"#,
        r#"{"ConsumedCapacity":[{"TableName":"shop","CapacityUnits":3}],"UnprocessedItems":{}}"#,
        r#"{"UnprocessedItems":{"shop":[]}}"#,
    ] {
        assert_eq!(put(200, body).await.unwrap(), Put::All, "{body}");
    }
}

#[tokio::test]
async fn what_is_left_over_is_found_whatever_its_spelling() {
    let left = r#"{"UnprocessedItems":{"shop":[
        {"PutRequest":{"Item":{"SK":{"S":"\u00222\u0022"},"more":{"L":[]},"PK":{"S":"B\u0001"}}}},
        {"PutRequest":{"Item":{"PK":{"S":"A\/\u00e9"},"SK":{"S":"1"}}}}]}}"#;
    assert_eq!(put(200, left).await.unwrap(), Put::Some(vec![0, 1]));
}

#[tokio::test]
async fn an_item_that_was_not_sent_is_an_error_and_no_silence() {
    let left = r#"{"UnprocessedItems":{"shop":[{"PutRequest":{"Item":{"PK":{"S":"Z"},"SK":{"S":"1"}}}}]}}"#;
    assert_eq!(refused(200, left).await, TargetErrorKind::Other);
}

#[tokio::test]
async fn an_answer_that_does_not_say_is_no_yes() {
    for body in ["{}", "", "<html>hello</html>", "null", "[]"] {
        assert_eq!(refused(200, body).await, TargetErrorKind::Transient, "{body}");
    }
}

#[tokio::test]
async fn throttles_carry_their_reasons_in_both_spellings() {
    let reason =
        r#"[{"reason":"TableWriteKeyRangeThroughputExceeded","resource":"arn:aws:dynamodb:x:1:table/shop"}]"#;
    let expected = ThrottleReason {
        reason: "TableWriteKeyRangeThroughputExceeded".to_owned(),
        resource: "arn:aws:dynamodb:x:1:table/shop".to_owned(),
    };
    for (code, member) in [
        ("ProvisionedThroughputExceededException", "ThrottlingReasons"),
        ("ThrottlingException", "throttlingReasons"),
        ("RequestLimitExceeded", "ThrottlingReasons"),
    ] {
        let body = format!(
            r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{code}","message":"slow down","{member}":{reason}}}"#
        );
        assert_eq!(refused(400, &body).await, TargetErrorKind::Throttled(vec![expected.clone()]), "{code}");
    }
}

#[tokio::test]
async fn server_errors_and_broken_connections_are_passing() {
    assert_eq!(
        refused(500, r#"{"__type":"InternalServerError","message":"x"}"#).await,
        TargetErrorKind::Transient
    );
    assert_eq!(refused(503, "Service Unavailable").await, TargetErrorKind::Transient);
    for reply in [Reply::Hang, Reply::Cut, Reply::CutShort] {
        let target = target(reply).await;
        assert_eq!(target.put(&three()).await.unwrap_err().kind, TargetErrorKind::Transient);
        assert_eq!(target.get(&[&key("A", "1")]).await.unwrap_err().kind, TargetErrorKind::Transient);
    }
}

#[tokio::test]
async fn c02_expired_credentials_stop_with_a_hint() {
    for code in ["ExpiredTokenException", "ExpiredToken"] {
        let body = format!(r#"{{"__type":"com.amazon.coral.service#{code}","message":"expired"}}"#);
        let error = put(400, &body).await.unwrap_err();
        assert_eq!(error.kind, TargetErrorKind::Expired, "{code}");
        assert!(error.hint.unwrap().contains("aws sso login"));
    }
}

/// C03.
#[tokio::test]
async fn a_wrong_clock_is_told_with_both_times() {
    let body =
        r#"{"__type":"com.amazon.coral.service#InvalidSignatureException","message":"Signature expired"}"#;
    let wrong = target(Reply::Dated(400, body.to_owned(), 1200)).await;
    let error = wrong.put(&three()).await.unwrap_err();
    assert_eq!(error.kind, TargetErrorKind::Clock);
    assert!(error.cause.contains("local time"), "{error}");
    let right = target(Reply::Dated(400, body.to_owned(), 0)).await;
    assert_eq!(right.put(&three()).await.unwrap_err().kind, TargetErrorKind::Credentials);
}

/// C03.
#[tokio::test]
async fn a_clock_that_is_off_is_learned_before_the_load() {
    let target = target(Reply::Clock(1200)).await;
    assert_eq!(target.describe().await.unwrap(), None);
    assert!((1190..1210).contains(&target.address().clock_ahead.unwrap()));
    assert_eq!(target.put(&three()).await.unwrap(), Put::All);
}

/// C13.
#[tokio::test]
async fn no_error_repeats_an_item() {
    let message =
        "1 validation error detected: Value '{shop=[WriteRequest(putRequest=PutRequest(item={card=4111}))]}'";
    let body =
        format!(r#"{{"__type":"com.amazon.coral.validate#ValidationException","message":"{message}"}}"#);
    let error = put(400, &body).await.unwrap_err();
    assert_eq!(error.kind, TargetErrorKind::Refused);
    assert_eq!(error.to_string(), "write to table `shop`: ValidationException: 1 validation error detected");
    assert!(!format!("{error:?}").contains("4111"));
}

#[tokio::test]
async fn keys_that_the_service_did_not_get_to_are_named() {
    let body = r#"{"Responses":{"shop":[{"PK":{"S":"A"},"SK":{"S":"1"},"n":{"N":"1.0"}}]},
        "UnprocessedKeys":{"shop":{"ConsistentRead":true,"Keys":[{"SK":{"S":"\u0032"},"PK":{"S":"A"}}]}}}"#;
    let target = target(Reply::Http(200, body.to_owned())).await;
    let found = target.get(&[&key("A", "1"), &key("A", "2")]).await.unwrap();
    assert_eq!(found.unanswered, [1]);
    assert_eq!(found.items, [br#"{"PK":{"S":"A"},"SK":{"S":"1"},"n":{"N":"1.0"}}"#.to_vec()]);
}

#[tokio::test]
async fn what_does_not_speak_dynamodb_is_a_wrong_endpoint() {
    for (status, body) in [(200, "<html>hello</html>"), (404, "not found"), (200, "{}")] {
        let target = target(Reply::Http(status, body.to_owned())).await;
        let error = target.describe().await.unwrap_err();
        assert_eq!(error.kind, TargetErrorKind::Config, "{error}");
        assert!(error.hint.unwrap().contains("table.endpoint"));
    }
}
