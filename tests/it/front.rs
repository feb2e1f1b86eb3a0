//! A DynamoDB that misbehaves on demand. It forwards to another endpoint or acknowledges by itself,
//! answers with the faults it is told, can enforce write capacity, counts, and watches the rules that
//! every loader must keep:
//!
//! - 1 to 25 items in a BatchWriteItem, less than 16 MB on the wire, each item within 400 KB;
//! - no key twice in a batch, no key in two requests in flight.
//!
//! A broken rule fails the test when the front is dropped.

mod capacity;
mod fault;
mod ledger;
mod size;
mod store;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

pub use capacity::Capacity;
pub use fault::{Fault, Seen, Throttle, When};
pub use ledger::Counters;
pub use size::{billed_size, write_units};

use crate::dynamodb::Client;
use crate::http::Message;
use capacity::Buckets;
use fault::{Script, error, throttled};
use ledger::{InFlight, Ledger};
use store::{Schema, Store};

pub struct Front {
    url: String,
    state: Arc<State>,
    thread: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

struct State {
    /// Acknowledges by itself without one.
    upstream: Option<String>,
    script: Mutex<Script>,
    buckets: Mutex<Buckets>,
    ledger: Mutex<Ledger>,
    store: Mutex<Store>,
}

impl Front {
    /// Every request that no fault catches goes on to another DynamoDB endpoint.
    pub fn forwarding(url: &str) -> Self {
        Self::start(Some(url.strip_prefix("http://").expect("http://ip:port").to_owned()))
    }

    /// Answers by itself, from memory: fast. Knows what a loader needs (CreateTable, DescribeTable,
    /// BatchWriteItem, BatchGetItem, Scan), with string keys compared by bytes.
    pub fn acknowledging() -> Self {
        Self::start(None)
    }

    fn start(upstream: Option<String>) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(State {
            upstream,
            script: Mutex::default(),
            buckets: Mutex::default(),
            ledger: Mutex::default(),
            store: Mutex::default(),
        });
        let (stop, stopped) = oneshot::channel();
        let accepting = Arc::clone(&state);
        // A runtime of its own: it answers while the test's own runtime is busy.
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                tokio::select! {
                    () = accept(listener, accepting) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { url, state, thread: Some((stop, thread)) }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// A plain client that comes through the front like anybody else.
    pub fn client(&self) -> Client {
        Client::new(&self.url)
    }

    /// Faults of BatchWriteItem, from now on; the first entry that fits a request decides.
    pub fn script(&self, rules: impl IntoIterator<Item = (When, Fault)>) {
        lock(&self.state.script).replace(rules);
    }

    /// A fault of another operation, in addition.
    pub fn on(&self, operation: &'static str, when: When, fault: Fault) {
        lock(&self.state.script).add(operation, when, fault);
    }

    /// Asked for every request of every operation, before the script.
    pub fn decide(&self, decide: impl FnMut(&Seen<'_>) -> Option<Fault> + Send + 'static) {
        lock(&self.state.script).decide(decide);
    }

    /// From now on writes beyond the capacity are throttled, as the service does it: what does not fit
    /// comes back unprocessed, and a request of which nothing fits is refused with its reasons.
    pub fn enforce(&self, capacity: Capacity) {
        *lock(&self.state.buckets) = Buckets::new(capacity);
    }

    pub fn counters(&self) -> Counters {
        lock(&self.state.ledger).counters().clone()
    }

    /// Keys that were written more than once, with how often.
    pub fn rewritten(&self) -> BTreeMap<String, u64> {
        lock(&self.state.ledger).rewritten()
    }

    /// All items of a table; only of an acknowledging front.
    pub fn items(&self, table: &str) -> Vec<Value> {
        assert!(self.state.upstream.is_none(), "a forwarding front stores nothing: scan its upstream");
        lock(&self.state.store).items(table)
    }

    /// The rules that the client broke, in words.
    pub fn violations(&self) -> Vec<String> {
        lock(&self.state.ledger).violations().to_vec()
    }

    /// Takes the violations away, for a test that breaks the rules on purpose.
    pub fn take_violations(&self) -> Vec<String> {
        lock(&self.state.ledger).take_violations()
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        let (stop, thread) = self.thread.take().unwrap();
        stop.send(()).unwrap_or_default();
        thread.join().unwrap_or_default();
        if !std::thread::panicking() {
            assert_eq!(self.violations(), Vec::<String>::new(), "the client broke rules");
        }
    }
}

async fn accept(listener: std::net::TcpListener, state: Arc<State>) {
    let listener = TcpListener::from_std(listener).unwrap();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        tokio::spawn(Connection { stream, upstream: None, state: Arc::clone(&state) }.serve());
    }
}

struct Connection {
    stream: TcpStream,
    upstream: Option<TcpStream>,
    state: Arc<State>,
}

impl Connection {
    /// An error or `None` anywhere cuts the connection.
    async fn serve(mut self) -> Option<()> {
        loop {
            let request = Message::read(&mut self.stream).await.ok()??;
            let answer = match request.operation() {
                "BatchWriteItem" => self.batch_write(request).await?,
                _ => self.other(request).await?,
            };
            answer.write(&mut self.stream).await.ok()?;
        }
    }

    async fn other(&mut self, request: Message) -> Option<Message> {
        let operation = request.operation().to_owned();
        let number = lock(&self.state.ledger).count(&operation);
        let seen = Seen {
            operation: &operation,
            number,
            items: &[],
            body: &request.body,
            access_key: request.access_key(),
        };
        let fault = lock(&self.state.script).fault(&seen);
        match fault {
            Some(Fault::CutAfter | Fault::HangAfter(_)) => {
                self.pass_on(&request).await?;
                self.wait_out(fault.as_ref()).await
            }
            Some(fault) => match self.before(&fault).await? {
                Some(answer) => Some(answer),
                None => self.pass_on(&request).await,
            },
            None => self.pass_on(&request).await,
        }
    }

    async fn batch_write(&mut self, request: Message) -> Option<Message> {
        let state = Arc::clone(&self.state);
        let mut body: Value = serde_json::from_slice(&request.body).ok()?;
        let writes = Write::all_of(body["RequestItems"].take(), &lock(&self.state.store));
        let items: Vec<&Value> = writes.iter().map(Write::item).collect();
        let number = lock(&self.state.ledger).count("BatchWriteItem");
        let in_flight = InFlight::enter(&state.ledger, &writes, request.body.len());
        let seen = Seen {
            operation: "BatchWriteItem",
            number,
            items: &items,
            body: &request.body,
            access_key: request.access_key(),
        };
        let fault = lock(&self.state.script).fault(&seen);
        if let Some(fault) = &fault {
            if matches!(fault, Fault::Hang(_)) {
                // Nobody waits for it any longer: a client that gives up may send the same keys again.
                in_flight.leave();
            }
            if let Some(answer) = self.before(fault).await? {
                return Some(answer);
            }
        }
        let unprocessed = match fault {
            Some(Fault::Unprocessed(count)) => (writes.len().saturating_sub(count)..writes.len()).collect(),
            _ => {
                let (unprocessed, reasons) = lock(&self.state.buckets).take(&writes);
                if !writes.is_empty() && unprocessed.len() == writes.len() {
                    return Some(throttled(Throttle::ProvisionedThroughputExceeded, &reasons));
                }
                unprocessed
            }
        };
        let answer = self.write(request, body, &writes, &unprocessed).await?;
        if matches!(fault, Some(Fault::CutAfter | Fault::HangAfter(_))) {
            in_flight.leave();
            return self.wait_out(fault.as_ref()).await;
        }
        Some(answer)
    }

    /// What a fault does before the request has any effect: `Some(answer)` ends the matter.
    async fn before(&mut self, fault: &Fault) -> Option<Option<Message>> {
        match fault {
            Fault::Throttled(code, reason, resource) => {
                let reasons = vec![((*reason).to_owned(), resource.clone())];
                Some(Some(throttled(*code, &reasons)))
            }
            Fault::Error { status, code, message } => Some(Some(error(*status, code, message))),
            Fault::CutBefore => None,
            Fault::Hang(_) => self.wait_out(Some(fault)).await.map(Some),
            Fault::Delay(time) => {
                self.sleep(*time).await?;
                Some(None)
            }
            Fault::Unprocessed(_) | Fault::CutAfter | Fault::HangAfter(_) => Some(None),
        }
    }

    /// Says nothing for as long as the fault wants, then cuts.
    async fn wait_out(&mut self, fault: Option<&Fault>) -> Option<Message> {
        if let Some(Fault::Hang(time) | Fault::HangAfter(time)) = fault {
            self.sleep(*time).await?;
        }
        None
    }

    /// `None` when the client goes away meanwhile.
    async fn sleep(&self, time: Duration) -> Option<()> {
        let mut nothing = [0];
        tokio::select! {
            () = tokio::time::sleep(time) => Some(()),
            _ = self.stream.peek(&mut nothing) => None,
        }
    }

    /// Writes all but the unprocessed ones.
    async fn write(
        &mut self,
        request: Message,
        body: Value,
        writes: &[Write],
        unprocessed: &[usize],
    ) -> Option<Message> {
        let mut answer = if self.state.upstream.is_none() {
            let written = writes.iter().enumerate().filter(|(i, _)| !unprocessed.contains(i));
            store::told(lock(&self.state.store).batch_write(written.map(|(_, write)| write)))
        } else {
            self.pass_on(&Self::without(request, body, writes, unprocessed)).await?
        };
        if answer.status() != 200 {
            return Some(answer);
        }
        let mut told: Value = serde_json::from_slice(&answer.body).ok()?;
        let mut left = Write::request_items(writes, |i| unprocessed.contains(&i));
        for (table, upstream) in told["UnprocessedItems"].as_object().into_iter().flatten() {
            left[table] = [list(&left[table]), list(upstream)].concat().into();
        }
        let is_left =
            |write: &&Write| left[&write.table].as_array().is_some_and(|left| left.contains(&write.request));
        lock(&self.state.ledger).wrote(writes.iter().filter(|write| !is_left(write)));
        told["UnprocessedItems"] = left;
        answer.body = told.to_string().into_bytes();
        Some(answer)
    }

    fn without(request: Message, mut body: Value, writes: &[Write], unprocessed: &[usize]) -> Message {
        if unprocessed.is_empty() {
            return request;
        }
        body["RequestItems"] = Write::request_items(writes, |i| !unprocessed.contains(&i));
        Message { body: body.to_string().into_bytes(), ..request }
    }

    /// Where the request really takes effect.
    async fn pass_on(&mut self, request: &Message) -> Option<Message> {
        let operation = request.operation().to_owned();
        let Some(upstream) = self.state.upstream.clone() else {
            return Some(store::told(lock(&self.state.store).answer(&operation, &request.body)));
        };
        let answer = self.forward(&upstream, request).await.ok()??;
        if operation == "DescribeTable" && answer.status() == 200 {
            lock(&self.state.store).learn(&serde_json::from_slice::<Value>(&answer.body).ok()?["Table"]);
        }
        Some(answer)
    }

    async fn forward(&mut self, upstream: &str, request: &Message) -> io::Result<Option<Message>> {
        if self.upstream.is_none() {
            let stream = TcpStream::connect(upstream).await?;
            stream.set_nodelay(true)?;
            self.upstream = Some(stream);
        }
        let stream = self.upstream.as_mut().unwrap();
        request.write(stream).await?;
        Message::read(stream).await
    }
}

/// One request of a BatchWriteItem, with what the front must know about it.
struct Write {
    table: String,
    /// `{"PutRequest":{"Item":…}}` or `{"DeleteRequest":{"Key":…}}`.
    request: Value,
    /// Key attributes as JSON, after the table's name.
    key: String,
    size: usize,
    /// Index name and its partition key value, for each index that the item is in.
    indexes: Vec<(String, String)>,
    /// The partition key's value as JSON.
    partition: String,
}

impl Write {
    fn all_of(request_items: Value, store: &Store) -> Vec<Self> {
        let Value::Object(tables) = request_items else { return Vec::new() };
        let mut writes = Vec::new();
        for (table, requests) in tables {
            let schema = store.schema(&table);
            let Value::Array(requests) = requests else { continue };
            writes.extend(requests.into_iter().map(|request| Self::new(&table, request, &schema)));
        }
        writes
    }

    fn new(table: &str, request: Value, schema: &Schema) -> Self {
        let item = item_of(&request);
        let indexes =
            schema.indexes.iter().filter(|(_, keys)| keys.iter().all(|name| item.get(name).is_some()));
        Self {
            table: table.to_owned(),
            key: format!("{table} {}", store::key_text(&schema.keys, item)),
            size: billed_size(item),
            indexes: indexes.map(|(name, keys)| (name.clone(), item[&keys[0]].to_string())).collect(),
            partition: item[&schema.keys[0]].to_string(),
            request,
        }
    }

    /// The item, or the key alone of a delete.
    fn item(&self) -> &Value {
        item_of(&self.request)
    }

    fn request_items(writes: &[Self], wanted: impl Fn(usize) -> bool) -> Value {
        let mut tables: Map<String, Value> = Map::new();
        for (_, write) in writes.iter().enumerate().filter(|(i, _)| wanted(*i)) {
            let requests = tables.entry(&write.table).or_insert_with(|| json!([]));
            requests.as_array_mut().unwrap().push(write.request.clone());
        }
        tables.into()
    }
}

fn item_of(request: &Value) -> &Value {
    let put = &request["PutRequest"]["Item"];
    if put.is_null() { &request["DeleteRequest"]["Key"] } else { put }
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}
