//! A DynamoDB to load into, and a plain client that shares nothing with the tool: raw JSON over HTTP.

use std::net::SocketAddr;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::http::Message;
use crate::tool::{Running, Tool};

/// The embedded DynamoDB, empty, in memory; gone when dropped.
pub struct Embedded {
    url: String,
    _server: Server,
}

enum Server {
    /// Killed when dropped.
    Process(#[expect(dead_code, reason = "held for its drop")] Running),
    Thread(Option<(oneshot::Sender<()>, JoinHandle<()>)>),
}

/// `migrate local` as a process of its own: survives whatever happens to the tool.
pub async fn embedded() -> Embedded {
    let mut running = Tool::new(["local", "--port", "0"]).spawn();
    running.until("it tells its address", |r| r.stdout().contains('\n')).await;
    let line = running.stdout().lines().next().unwrap().to_owned();
    let url = line
        .strip_prefix("DynamoDB is listening on ")
        .unwrap_or_else(|| panic!("unexpected: {line}"))
        .to_owned();
    Embedded { url, _server: Server::Process(running) }
}

/// The same on a thread of the test.
pub async fn embedded_in_process() -> Embedded {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (stop, stopped) = oneshot::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).unwrap();
            let database = dynoxide::Database::memory().unwrap();
            let stopped = async move { stopped.await.unwrap_or_default() };
            dynoxide::server::serve_with_shutdown(listener, database, stopped).await.unwrap();
        });
    });
    Embedded { url, _server: Server::Thread(Some((stop, thread))) }
}

impl Embedded {
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn client(&self) -> Client {
        Client::new(&self.url)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Server::Thread(thread) = self {
            let (stop, thread) = thread.take().unwrap();
            stop.send(()).unwrap_or_default();
            thread.join().unwrap_or_default();
        }
    }
}

/// Talks to any DynamoDB endpoint without TLS. A connection a call: nothing to go stale.
#[derive(Debug, Clone)]
pub struct Client {
    address: SocketAddr,
}

impl Client {
    pub fn new(url: &str) -> Self {
        let address = url.strip_prefix("http://").and_then(|address| address.parse().ok());
        Self { address: address.unwrap_or_else(|| panic!("not http://ip:port: {url}")) }
    }

    /// One request and its answer, whatever that is.
    pub async fn try_call(&self, operation: &str, body: &Value) -> std::io::Result<(u16, Value)> {
        let mut stream = TcpStream::connect(self.address).await?;
        self.request(operation, body).write(&mut stream).await?;
        let answer = Message::read(&mut stream).await?.ok_or(std::io::ErrorKind::UnexpectedEof)?;
        Ok((answer.status(), serde_json::from_slice(&answer.body).unwrap_or(Value::Null)))
    }

    /// Panics when it is refused.
    pub async fn call(&self, operation: &str, body: Value) -> Value {
        let (status, answer) = self.try_call(operation, &body).await.unwrap();
        assert_eq!(status, 200, "{operation}: {answer}");
        answer
    }

    /// A table with string keys PK and SK.
    pub async fn create_table(&self, name: &str) {
        let body = json!({
            "TableName": name,
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            "AttributeDefinitions": [
                {"AttributeName": "PK", "AttributeType": "S"},
                {"AttributeName": "SK", "AttributeType": "S"},
            ],
        });
        self.call("CreateTable", body).await;
    }

    /// Every item of a table or of one of its indexes.
    pub async fn scan(&self, table: &str, index: Option<&str>) -> Vec<Value> {
        let mut request = json!({ "TableName": table });
        if let Some(index) = index {
            request["IndexName"] = json!(index);
        }
        let mut items = Vec::new();
        loop {
            let mut page = self.call("Scan", request.clone()).await;
            items.append(page["Items"].as_array_mut().unwrap());
            match page.get("LastEvaluatedKey") {
                Some(key) if !key.is_null() => request["ExclusiveStartKey"] = key.clone(),
                _ => return items,
            }
        }
    }

    fn request(&self, operation: &str, body: &Value) -> Message {
        let headers = [
            ("host", self.address.to_string()),
            ("content-type", "application/x-amz-json-1.0".to_owned()),
            ("x-amz-target", format!("DynamoDB_20120810.{operation}")),
            ("x-amz-date", "20260101T000000Z".to_owned()),
            ("authorization", AUTHORIZATION.to_owned()),
        ];
        let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Message { first_line: "POST / HTTP/1.1".to_owned(), headers, body: body.to_string().into_bytes() }
    }
}

/// Complete in form, which is all that an embedded DynamoDB looks at.
const AUTHORIZATION: &str = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, \
                             SignedHeaders=host;x-amz-date, Signature=0";

/// How long a test waits for anything before it calls it broken.
pub const PATIENCE: Duration = Duration::from_secs(60);
