//! The tables of a front that acknowledges by itself; and what a front knows of any table's keys.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;

use serde_json::{Map, Value, json};

use super::fault::error_body;
use super::{Write, list};
use crate::http::Message;

/// Names of key attributes, of the table and of its indexes.
#[derive(Debug, Clone)]
pub(super) struct Schema {
    pub(super) keys: Vec<String>,
    pub(super) indexes: Vec<(String, Vec<String>)>,
}

#[derive(Debug, Default)]
pub(super) struct Store {
    schemas: HashMap<String, Schema>,
    /// What CreateTable was given, by table.
    created: BTreeMap<String, Value>,
    items: HashMap<String, BTreeMap<String, Box<str>>>,
}

/// Bytes of items in a page of Scan.
const PAGE: usize = 1024 * 1024;

/// What is told, or the error that refuses it.
pub(super) type Answer = Result<Value, Value>;

impl Store {
    /// PK and SK unless the table was seen created or described.
    pub(super) fn schema(&self, table: &str) -> Schema {
        let default = || Schema { keys: vec!["PK".to_owned(), "SK".to_owned()], indexes: Vec::new() };
        self.schemas.get(table).cloned().unwrap_or_else(default)
    }

    /// From a CreateTable request or a table's description.
    pub(super) fn learn(&mut self, table: &Value) {
        let Some(name) = table["TableName"].as_str() else { return };
        let indexes = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"]
            .into_iter()
            .flat_map(|kind| list(&table[kind]));
        let indexes = indexes.map(|index| (text(&index["IndexName"]), key_names(&index))).collect();
        self.schemas.insert(name.to_owned(), Schema { keys: key_names(table), indexes });
    }

    pub(super) fn items(&self, table: &str) -> Vec<Value> {
        let items = self.items.get(table).into_iter().flat_map(BTreeMap::values);
        items.map(|item| serde_json::from_str(item).unwrap()).collect()
    }

    pub(super) fn answer(&mut self, operation: &str, body: &[u8]) -> Answer {
        let request: Value = serde_json::from_slice(body).unwrap_or_default();
        match operation {
            "CreateTable" => self.create(&request),
            "DescribeTable" => self.describe(&request).map(|table| json!({ "Table": table })),
            "ListTables" => Ok(json!({ "TableNames": self.created.keys().collect::<Vec<_>>() })),
            "DescribeTimeToLive" => Ok(json!({"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}})),
            "BatchGetItem" => self.batch_get(&request),
            "Scan" => self.scan(&request),
            _ => Err(error_body("UnknownOperationException", operation)),
        }
    }

    fn create(&mut self, request: &Value) -> Answer {
        let name = text(&request["TableName"]);
        if self.created.contains_key(&name) {
            return Err(error_body("ResourceInUseException", &format!("Table already exists: {name}")));
        }
        self.learn(request);
        self.created.insert(name, request.clone());
        Ok(json!({ "TableDescription": self.describe(request)? }))
    }

    fn describe(&self, request: &Value) -> Answer {
        let name = self.existing(&request["TableName"])?;
        let created = &self.created[&name];
        let arn = format!("{}/{name}", super::fault::TABLE_ARN);
        let billing = created["BillingMode"].as_str().unwrap_or("PROVISIONED");
        let units = created.get("ProvisionedThroughput").cloned();
        let units = units.unwrap_or_else(|| json!({"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}));
        let mut table = json!({
            "TableName": name, "TableStatus": "ACTIVE", "TableArn": arn, "TableId": "00000000-0000-4000-8000-000000000000",
            "KeySchema": created["KeySchema"], "AttributeDefinitions": created["AttributeDefinitions"],
            "ItemCount": 0, "TableSizeBytes": 0, "CreationDateTime": 1.7e9,
            "BillingModeSummary": {"BillingMode": billing}, "ProvisionedThroughput": units,
        });
        if let Some(stream) = created.get("StreamSpecification") {
            table["StreamSpecification"] = stream.clone();
        }
        let indexes = list(&created["GlobalSecondaryIndexes"]).into_iter().map(|mut index| {
            index["IndexStatus"] = json!("ACTIVE");
            index["IndexArn"] = json!(format!("{arn}/index/{}", text(&index["IndexName"])));
            index
        });
        let indexes: Vec<Value> = indexes.collect();
        if !indexes.is_empty() {
            table["GlobalSecondaryIndexes"] = indexes.into();
        }
        Ok(table)
    }

    /// Checks what the service checks for the whole request.
    pub(super) fn batch_write<'a>(&mut self, writes: impl Iterator<Item = &'a Write>) -> Answer {
        let writes: Vec<&Write> = writes.collect();
        let mut seen = HashSet::new();
        for write in &writes {
            let table = self.existing(&json!(write.table))?;
            if self.schema(&table).keys.iter().any(|key| write.item().get(key).is_none()) {
                return Err(error_body(
                    "ValidationException",
                    "The provided key element does not match the schema",
                ));
            }
            if !seen.insert(&write.key) {
                return Err(error_body(
                    "ValidationException",
                    "Provided list of item keys contains duplicates",
                ));
            }
        }
        for write in writes {
            let key = write.key[write.table.len() + 1..].to_owned();
            let items = self.items.entry(write.table.clone()).or_default();
            match write.request.get("PutRequest") {
                Some(_) => items.insert(key, write.item().to_string().into()),
                None => items.remove(&key),
            };
        }
        Ok(json!({"UnprocessedItems": {}}))
    }

    fn batch_get(&self, request: &Value) -> Answer {
        let mut responses = Map::new();
        for (table, wanted) in request["RequestItems"].as_object().into_iter().flatten() {
            self.existing(&json!(table))?;
            let keys = self.schema(table).keys;
            let found = list(&wanted["Keys"]).into_iter().filter_map(|key| {
                let item = self.items.get(table)?.get(&key_text(&keys, &key))?;
                serde_json::from_str::<Value>(item).ok()
            });
            responses.insert(table.clone(), found.collect::<Vec<_>>().into());
        }
        Ok(json!({"Responses": responses, "UnprocessedKeys": {}}))
    }

    fn scan(&self, request: &Value) -> Answer {
        let table = self.existing(&request["TableName"])?;
        let keys = self.schema(&table).keys;
        let after = match request.get("ExclusiveStartKey") {
            Some(key) if !key.is_null() => Bound::Excluded(key_text(&keys, key)),
            _ => Bound::Unbounded,
        };
        let limit = request["Limit"].as_u64().unwrap_or(u64::MAX);
        let mut items: Vec<Value> = Vec::new();
        let mut bytes = 0;
        let mut left = self
            .items
            .get(&table)
            .into_iter()
            .flat_map(|items| items.range((after.clone(), Bound::Unbounded)));
        let mut more = false;
        for (_, item) in left.by_ref() {
            items.push(serde_json::from_str(item).unwrap());
            bytes += item.len();
            if bytes >= PAGE || items.len() as u64 >= limit {
                more = true;
                break;
            }
        }
        let mut answer = json!({"Count": items.len(), "ScannedCount": items.len()});
        if let (true, Some(last)) = (more, items.last()) {
            let key: Map<String, Value> = keys.iter().map(|key| (key.clone(), last[key].clone())).collect();
            answer["LastEvaluatedKey"] = key.into();
        }
        answer["Items"] = items.into();
        Ok(answer)
    }

    fn existing(&self, table: &Value) -> Result<String, Value> {
        let name = text(table);
        // Operations on data may name the table by its ARN, too.
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        match self.created.contains_key(&name) {
            true => Ok(name),
            false => Err(error_body(
                "ResourceNotFoundException",
                &format!("Requested resource not found: Table: {name} not found"),
            )),
        }
    }
}

pub(super) fn told(answer: Answer) -> Message {
    let (status, body) = answer.map_or_else(|refused| (400, refused), |told| (200, told));
    Message::answer(status, body.to_string().into_bytes())
}

/// The key attributes of an item as JSON, in the order of the key.
pub(super) fn key_text(keys: &[String], item: &Value) -> String {
    keys.iter().map(|key| item[key].to_string()).collect::<Vec<_>>().join(" ")
}

fn key_names(table: &Value) -> Vec<String> {
    let mut schema = list(&table["KeySchema"]);
    schema.sort_by_key(|key| key["KeyType"] != "HASH");
    schema.iter().map(|key| text(&key["AttributeName"])).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
