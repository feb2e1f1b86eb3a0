//! A DynamoDB that says yes at once: what a benchmark writes to, so that it measures the client.
//!
//! `acknowledge PORT` listens on 127.0.0.1, holds one empty table as the benchmark's mapping wants it,
//! acknowledges every BatchWriteItem, and answers `GET /items` with how many items came in. It runs on
//! one thread and looks at a request no more than it must to count its items. `acknowledge PORT --keep`
//! keeps them too, and answers BatchGetItem, so that a verification can be measured behind a load.

#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use memchr::memmem::{self, Finder};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const TABLE: &str = r#"{"Table":{"TableName":"orders","TableStatus":"ACTIVE",
"TableId":"00000000-0000-4000-8000-000000000000","TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/orders",
"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],
"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},
{"AttributeName":"GSI1PK","AttributeType":"S"},{"AttributeName":"GSI1SK","AttributeType":"S"},
{"AttributeName":"GSI2PK","AttributeType":"S"},{"AttributeName":"GSI2SK","AttributeType":"S"}],
"GlobalSecondaryIndexes":[
{"IndexName":"GSI1","IndexStatus":"ACTIVE","Projection":{"ProjectionType":"ALL"},
"KeySchema":[{"AttributeName":"GSI1PK","KeyType":"HASH"},{"AttributeName":"GSI1SK","KeyType":"RANGE"}]},
{"IndexName":"GSI2","IndexStatus":"ACTIVE","Projection":{"ProjectionType":"ALL"},
"KeySchema":[{"AttributeName":"GSI2PK","KeyType":"HASH"},{"AttributeName":"GSI2SK","KeyType":"RANGE"}]}],
"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},"ItemCount":0,"TableSizeBytes":0}}"#;

/// What came in: how many items, and the items themselves by their key where they are kept.
#[derive(Default)]
struct Table {
    written: AtomicUsize,
    items: Option<Mutex<Items>>,
}

/// Items by the text of their partition and sort key.
type Items = HashMap<(String, String), Vec<u8>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let port = std::env::args().nth(1).ok_or("usage: acknowledge PORT")?;
    let listener = TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
    println!("listening on {}", listener.local_addr()?);
    let keeps = std::env::args().nth(2).is_some_and(|word| word == "--keep");
    let items = keeps.then(Mutex::default);
    let table = Arc::new(Table { items, ..Table::default() });
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(serve(stream, Arc::clone(&table)));
    }
}

/// Answers the requests of one connection until it is closed or sends what is no request.
async fn serve(mut stream: TcpStream, table: Arc<Table>) -> Option<()> {
    let put = Finder::new(br#""PutRequest""#);
    let mut buffer = Vec::with_capacity(64 << 10);
    loop {
        let head = loop {
            if let Some(end) = memmem::find(&buffer, b"\r\n\r\n") {
                break end + 4;
            }
            read(&mut stream, &mut buffer).await?;
        };
        let text = String::from_utf8_lossy(buffer.get(..head)?).to_ascii_lowercase();
        let length = header(&text, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        while buffer.len() < head + length {
            read(&mut stream, &mut buffer).await?;
        }
        let body = buffer.get(head..head + length)?;
        let answer = match header(&text, "x-amz-target").and_then(|target| target.rsplit('.').next()) {
            Some("batchwriteitem") => {
                table.written.fetch_add(put.find_iter(body).count(), Ordering::Relaxed);
                table.keep(body);
                r#"{"UnprocessedItems":{}}"#.to_owned()
            }
            Some("describetable") => TABLE.to_owned(),
            Some("describetimetolive") => {
                r#"{"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}}"#.to_owned()
            }
            Some("batchgetitem") => table.find(body)?,
            Some("scan") => r#"{"Items":[],"Count":0,"ScannedCount":0}"#.to_owned(),
            _ => table.written.load(Ordering::Relaxed).to_string(),
        };
        let length = answer.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: {length}\r\n\r\n{answer}"
        );
        stream.write_all(answer.as_bytes()).await.ok()?;
        buffer.drain(..head + body.len());
    }
}

#[derive(Deserialize)]
struct Requests<'a> {
    #[serde(rename = "RequestItems", borrow)]
    tables: HashMap<&'a str, &'a RawValue>,
}

#[derive(Deserialize)]
struct Write<'a> {
    #[serde(rename = "PutRequest", borrow)]
    put: Put<'a>,
}

#[derive(Deserialize)]
struct Put<'a> {
    #[serde(rename = "Item", borrow)]
    item: &'a RawValue,
}

#[derive(Deserialize)]
struct Read<'a> {
    #[serde(rename = "Keys", borrow)]
    keys: Vec<Key<'a>>,
}

#[derive(Deserialize)]
struct Key<'a> {
    #[serde(rename = "PK", borrow)]
    partition: &'a RawValue,
    #[serde(rename = "SK", borrow)]
    sort: &'a RawValue,
}

impl Key<'_> {
    fn text(&self) -> (String, String) {
        (self.partition.get().to_owned(), self.sort.get().to_owned())
    }
}

impl Table {
    fn keep(&self, body: &[u8]) -> Option<()> {
        let mut items = self.items.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let requests: Requests<'_> = serde_json::from_slice(body).ok()?;
        for writes in requests.tables.values() {
            for write in serde_json::from_str::<Vec<Write<'_>>>(writes.get()).ok()? {
                let item = write.put.item.get();
                let key: Key<'_> = serde_json::from_str(item).ok()?;
                items.insert(key.text(), item.as_bytes().to_vec());
            }
        }
        Some(())
    }

    fn find(&self, body: &[u8]) -> Option<String> {
        let items = self.items.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let requests: Requests<'_> = serde_json::from_slice(body).ok()?;
        let read: Read<'_> = serde_json::from_str(requests.tables.values().next()?.get()).ok()?;
        let found: Vec<&str> = read
            .keys
            .iter()
            .filter_map(|key| items.get(&key.text()))
            .filter_map(|item| std::str::from_utf8(item).ok())
            .collect();
        Some(format!(r#"{{"Responses":{{"orders":[{}]}},"UnprocessedKeys":{{}}}}"#, found.join(",")))
    }
}

async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<()> {
    match stream.read_buf(buffer).await {
        Ok(1..) => Some(()),
        _ => None,
    }
}

/// The value of a header; `head` is in lower case.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}
