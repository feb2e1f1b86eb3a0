//! What an engineer writes with the same crates and no tool: rows through the driver's types, one map of
//! `AttributeValue` per row, `batch_write_item` of 25, sixteen requests in flight, leftovers sent again.
//! No checkpoint, no checks, no pacing. The yardstick of `benches/end_to_end.py`.
//!
//! `plain_sdk DATABASE_URL ENDPOINT`

use std::collections::HashMap;
use std::error::Error;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use futures::{StreamExt as _, TryStreamExt as _};
use sqlx::mysql::MySqlPool;
use sqlx::postgres::PgPool;
use sqlx::{ColumnIndex, Database, Decode, Row, Type};

// The same as in `migrate`: the difference is not to be the allocator's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failure = Box<dyn Error + Send + Sync>;
type Item = HashMap<String, AttributeValue>;

const IN_FLIGHT: usize = 16;

// Types that need no further crate; the servers write the others as text.
const POSTGRES: &str = "SELECT id, reference::text, customer_id, status, customer_name, total::text, \
    tax::text, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), \
    to_char(shipped_at, 'YYYY-MM-DD\"T\"HH24:MI:SS.US'), paid, details::text, quantity, note \
    FROM orders ORDER BY id";
const MYSQL: &str = "SELECT id, LOWER(INSERT(INSERT(INSERT(INSERT(HEX(reference), 9, 0, '-'), 14, 0, '-'), \
    19, 0, '-'), 24, 0, '-')), customer_id, status, customer_name, \
    CAST(total AS CHAR), CAST(tax AS CHAR), DATE_FORMAT(created_at, '%Y-%m-%dT%H:%i:%s.%fZ'), \
    DATE_FORMAT(shipped_at, '%Y-%m-%dT%H:%i:%s.%f'), paid, CAST(details AS CHAR), quantity, note \
    FROM orders ORDER BY id";

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let [url, endpoint] = std::env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "usage")?;
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "benchmark"))
        .endpoint_url(endpoint)
        .build();
    let client = Client::from_conf(config);
    if url.starts_with("postgres") {
        let pool = PgPool::connect(&url).await?;
        let rows = sqlx::query(POSTGRES).fetch(&pool).map_err(Failure::from);
        write(&client, rows.map(|row| item(&row?, false))).await
    } else {
        let pool = MySqlPool::connect(&url).await?;
        let rows = sqlx::query(MYSQL).fetch(&pool).map_err(Failure::from);
        write(&client, rows.map(|row| item(&row?, true))).await
    }
}

async fn write(
    client: &Client,
    items: impl futures::Stream<Item = Result<Item, Failure>>,
) -> Result<(), Failure> {
    items
        .chunks(25)
        .map(async |batch| put(client, batch.into_iter().collect::<Result<Vec<_>, _>>()?).await)
        .buffer_unordered(IN_FLIGHT)
        .try_collect()
        .await
}

async fn put(client: &Client, items: Vec<Item>) -> Result<(), Failure> {
    let request = |item| {
        let put = PutRequest::builder().set_item(Some(item)).build()?;
        Ok(WriteRequest::builder().put_request(put).build())
    };
    let mut left: Vec<WriteRequest> = items.into_iter().map(request).collect::<Result<_, Failure>>()?;
    while !left.is_empty() {
        let answer = client.batch_write_item().request_items("orders", left).send().await?;
        left = answer.unprocessed_items.unwrap_or_default().remove("orders").unwrap_or_default();
    }
    Ok(())
}

/// The item that the benchmark's mappings make of a row.
fn item<R>(row: &R, integer_booleans: bool) -> Result<Item, Failure>
where
    R: Row,
    usize: ColumnIndex<R>,
    i64: for<'r> Decode<'r, R::Database> + Type<R::Database>,
    i32: for<'r> Decode<'r, R::Database> + Type<R::Database>,
    i8: for<'r> Decode<'r, R::Database> + Type<R::Database>,
    bool: for<'r> Decode<'r, R::Database> + Type<R::Database>,
    String: for<'r> Decode<'r, R::Database> + Type<R::Database>,
    R::Database: Database,
{
    let s = AttributeValue::S;
    let text = |at: usize| row.try_get_unchecked::<Option<String>, _>(at);
    let (id, customer): (i64, i64) = (row.try_get(0)?, row.try_get(2)?);
    let created = text(7)?.unwrap_or_default();
    let status = text(3)?.unwrap_or_default();
    let paid = if integer_booleans { row.try_get_unchecked::<i8, _>(9)? != 0 } else { row.try_get(9)? };
    let mut item = Item::new();
    item.insert("PK".into(), s(format!("CUSTOMER#{customer:010}")));
    item.insert("SK".into(), s(format!("ORDER#{id:012}")));
    item.insert("GSI1PK".into(), s(format!("STATUS#{status}")));
    item.insert("GSI1SK".into(), s(format!("{created}#{id:012}")));
    item.insert("GSI2PK".into(), s(format!("ORDER#{}", text(1)?.unwrap_or_default())));
    item.insert("GSI2SK".into(), s("ORDER".into()));
    item.insert("entity_type".into(), s("Order".into()));
    item.insert("id".into(), AttributeValue::N(id.to_string()));
    item.insert("customer_id".into(), AttributeValue::N(customer.to_string()));
    item.insert("paid".into(), AttributeValue::Bool(paid));
    item.insert("quantity".into(), AttributeValue::N(row.try_get::<i32, _>(11)?.to_string()));
    item.insert("status".into(), s(status));
    item.insert("created_at".into(), s(created));
    for (at, name) in [(1, "reference"), (4, "customer_name"), (8, "shipped_at"), (12, "note")] {
        if let Some(value) = text(at)? {
            item.insert(name.into(), s(value));
        }
    }
    for (at, name) in [(5, "total"), (6, "tax")] {
        if let Some(value) = text(at)? {
            item.insert(name.into(), AttributeValue::N(value));
        }
    }
    if let Some(value) = text(10)? {
        item.insert("details".into(), attribute(serde_json::from_str(&value)?));
    }
    Ok(item)
}

fn attribute(value: serde_json::Value) -> AttributeValue {
    match value {
        serde_json::Value::Null => AttributeValue::Null(true),
        serde_json::Value::Bool(value) => AttributeValue::Bool(value),
        serde_json::Value::Number(value) => AttributeValue::N(value.to_string()),
        serde_json::Value::String(value) => AttributeValue::S(value),
        serde_json::Value::Array(values) => AttributeValue::L(values.into_iter().map(attribute).collect()),
        serde_json::Value::Object(members) => {
            AttributeValue::M(members.into_iter().map(|(name, value)| (name, attribute(value))).collect())
        }
    }
}
