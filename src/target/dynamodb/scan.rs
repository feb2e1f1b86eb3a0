//! Scan, page by page, items as the service wrote them; and how large the service thinks the table is.

use bytes::Bytes;

use super::DynamoDb;
use super::error::Stage;
use super::read::Page;
use crate::target::{Scan, ScanPage, ScanRequest, TargetError, TargetErrorKind};

/// What DescribeTable says of a table's size: up to six hours old, so that nothing is decided by it but
/// what to tell beforehand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SizeEstimate {
    pub bytes: u64,
    pub items: u64,
}

impl SizeEstimate {
    /// Read units of reading everything once, eventually consistent: half a unit for 4 KB.
    pub fn read_units(&self) -> u64 {
        self.bytes.div_ceil(8 << 10)
    }
}

impl Scan for DynamoDb {
    async fn scan(&self, request: &ScanRequest<'_>) -> Result<ScanPage, TargetError> {
        let body = request_body(self.table(), request);
        let read = self.read();
        let operation = read.used.client.scan().table_name(self.table()).customize();
        let sent = read.request(operation, body).send().await;
        page(&read.body(sent).await?)
            .ok_or_else(|| self.unreadable(TargetErrorKind::Transient, "the answer is no Scan answer"))
    }
}

impl DynamoDb {
    pub async fn size_estimate(&self) -> Result<SizeEstimate, TargetError> {
        let answer = self
            .client()
            .describe_table()
            .table_name(self.table())
            .customize()
            .config_override(self.control())
            .send()
            .await
            .map_err(|error| {
                self.call(Stage::Connect, format!("describe table `{}`", self.table())).failed(error)
            })?;
        let count = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
        let table = answer.table();
        Ok(SizeEstimate {
            bytes: count(table.and_then(|table| table.table_size_bytes())),
            items: count(table.and_then(|table| table.item_count())),
        })
    }
}

/// Names of attributes stand for themselves nowhere: they may be reserved words.
fn request_body(table: &str, request: &ScanRequest<'_>) -> Bytes {
    let named = || request.attributes.iter().enumerate();
    let placeholders: Vec<String> = named().map(|(at, _)| format!("#{at}")).collect();
    let names: serde_json::Map<String, serde_json::Value> =
        named().map(|(at, name)| (format!("#{at}"), name.as_str().into())).collect();
    let body = serde_json::json!({
        "TableName": table,
        "Segment": request.segment,
        "TotalSegments": request.segments,
        "ProjectionExpression": placeholders.join(","),
        "ExpressionAttributeNames": names,
        "ReturnConsumedCapacity": "TOTAL",
    });
    let mut body = body.to_string().into_bytes();
    if let Some(start) = request.start {
        body.pop();
        body.extend_from_slice(b",\"ExclusiveStartKey\":");
        body.extend_from_slice(start);
        body.push(b'}');
    }
    Bytes::from(body)
}

fn page(body: &[u8]) -> Option<ScanPage> {
    let Page { items, last, units } = Page::parse(body)?;
    Some(ScanPage { items, next: last, units: units.unwrap_or(0.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_its_segment_its_attributes_and_where_it_starts() {
        let attributes = ["PK".to_owned(), "a \"b\"".to_owned()];
        let start: &[u8] = br#"{"PK":{"S":"\u00e9"}}"#;
        let request = ScanRequest { segment: 3, segments: 8, start: Some(start), attributes: &attributes };
        let body = request_body("shop", &request);
        assert!(body.ends_with(br#","ExclusiveStartKey":{"PK":{"S":"\u00e9"}}}"#));
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((&body["Segment"], &body["TotalSegments"]), (&3.into(), &8.into()));
        assert_eq!(body["ProjectionExpression"], "#0,#1");
        assert_eq!(body["ExpressionAttributeNames"]["#1"], "a \"b\"");
    }

    #[test]
    fn a_page_keeps_items_and_the_next_start_byte_for_byte() {
        let body = br#"{"Count":1,"Items":[{"PK":{"S":"\u00e9"}}],"LastEvaluatedKey":{"PK":{"S":"\u00e9"}},
            "ConsumedCapacity":{"TableName":"shop","CapacityUnits":128.5}}"#;
        let read = page(body).unwrap();
        assert_eq!(read.items, [br#"{"PK":{"S":"\u00e9"}}"#.to_vec()]);
        assert_eq!(read.next.as_deref(), Some(br#"{"PK":{"S":"\u00e9"}}"#.as_slice()));
        assert_eq!(read.units, 128.5);
        let last = page(br#"{"Items":[]}"#).unwrap();
        assert_eq!((last.next, last.units), (None, 0.0));
        assert!(page(b"{}").is_none());
    }

    #[test]
    fn half_a_unit_reads_four_kilobytes() {
        let units = |bytes| SizeEstimate { bytes, items: 0 }.read_units();
        assert_eq!((units(0), units(1), units(8192), units(8193), units(1 << 30)), (0, 1, 1, 2, 131_072));
    }
}
