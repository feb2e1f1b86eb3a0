//! The ground the other tests stand on does what it says.

use std::time::{Duration, Instant};

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use serde_json::{Value, json};

use crate::compare;
use crate::dynamodb::{Client, embedded, embedded_in_process};
use crate::front::{Capacity, Fault, Front, Throttle, When, billed_size};
use crate::servers::{self, Kind, PrivateServer};
use crate::tool::{Folder, Tool};

mod databases {
    use super::*;

    #[tokio::test]
    async fn a_script_of_many_statements_runs_on_each() {
        for kind in servers::ALL {
            let database = kind.database().await;
            database
                .execute("CREATE TABLE t (n INT, s VARCHAR(20)); INSERT INTO t VALUES (1, 'ä''b'), (2, NULL)")
                .await;
            let rows = database.texts("SELECT n, s FROM t ORDER BY n").await;
            let text = |s: &str| Some(s.to_owned());
            assert_eq!(rows, [vec![text("1"), text("ä'b")], vec![text("2"), None]], "{}", kind.name());
        }
    }

    #[tokio::test]
    async fn two_of_a_kind_do_not_meet() {
        for kind in servers::ALL {
            let (one, other) = (kind.database().await, kind.database().await);
            one.execute("CREATE TABLE t (n INT)").await;
            other.execute("CREATE TABLE t (n INT)").await;
            one.execute("INSERT INTO t VALUES (1)").await;
            assert_eq!(other.text("SELECT count(*) FROM t").await, "0", "{}", kind.name());
        }
    }

    #[tokio::test]
    async fn mysql_keeps_its_own_sql_mode() {
        assert_eq!(servers::mysql().await.text("SELECT 1 || 0").await, "1");
    }

    #[tokio::test]
    async fn a_wrong_password_is_refused() {
        for kind in [Kind::Postgres, Kind::MySql] {
            let database = kind.database().await;
            let user = if kind == Kind::Postgres { "postgres" } else { "root" };
            let url = database.url_as(user, "wrong");
            assert!(servers::connects(kind, database.url()).await, "{}", kind.name());
            assert!(!servers::connects(kind, &url).await, "{}", kind.name());
        }
    }

    #[tokio::test]
    async fn a_private_server_comes_back_with_its_rows() {
        for mut server in [PrivateServer::postgres().await, PrivateServer::mysql().await] {
            let database = server.database().await;
            database.execute("CREATE TABLE t (n INT); INSERT INTO t VALUES (7)").await;
            server.kill();
            assert!(!servers::connects(database.kind(), database.url()).await);
            server.start().await;
            assert_eq!(database.text("SELECT n FROM t").await, "7");
            server.stop();
            server.start().await;
            assert_eq!(database.text("SELECT n FROM t").await, "7");
        }
    }
}

mod tool {
    use super::*;

    fn shell(script: &str) -> Tool {
        Tool::of("sh", ["-c", script])
    }

    #[tokio::test]
    async fn tells_output_and_exit_code() {
        let finished = shell("echo '{\"a\": 1}'; echo oh >&2; exit 4").run().await.expect_code(4);
        assert_eq!((finished.json(), finished.stderr.as_str()), (json!({"a": 1}), "oh\n"));
    }

    #[tokio::test]
    async fn runs_in_a_folder_with_nothing_of_the_developers() {
        let folder = Folder::new();
        folder.write("sub/a.txt", "x");
        folder.copy("mappings/shop.toml");
        let script = "cat sub/a.txt; touch b; echo $CARGO_MANIFEST_DIR$MINE$AWS_REGION";
        let tool = shell(script).in_folder(folder.path()).env("MINE", "mine").without_env("AWS_REGION");
        assert_eq!(tool.run().await.stdout, "xmine\n");
        assert_eq!(folder.files(), ["b", "shop.toml", "sub/a.txt"]);
        assert!(folder.read("shop.toml").contains("[entities.Order]"));
        assert_eq!(folder.tool(["--help"]).timeout(Duration::from_secs(10)).run().await.signal(), None);
    }

    #[tokio::test]
    async fn is_interrupted_at_a_chosen_point() {
        let script = "trap 'echo interrupted; exit 130' INT; echo ready; while :; do sleep 0.05; done";
        let mut running = shell(script).spawn();
        running.until("it is ready", |r| r.stdout().contains("ready")).await;
        running.interrupt();
        assert_eq!(running.finish().await.expect_code(130).stdout, "ready\ninterrupted\n");
    }

    #[tokio::test]
    async fn is_terminated() {
        let mut running = shell("trap 'exit 130' TERM; echo ready; while :; do sleep 0.05; done").spawn();
        running.until("it is ready", |r| r.stdout().contains("ready")).await;
        running.terminate();
        running.finish().await.expect_code(130);
    }

    #[tokio::test]
    async fn is_killed() {
        let mut running = shell("echo ready; exec sleep 60").spawn();
        running.until("it is ready", |r| r.stdout().contains("ready")).await;
        assert_eq!(running.kill().await.signal(), Some(9));
    }

    #[tokio::test]
    #[should_panic(expected = "timed out")]
    async fn does_not_wait_for_ever() {
        shell("exec sleep 60").timeout(Duration::from_millis(50)).run().await;
    }

    #[tokio::test]
    #[should_panic(expected = "a secret in stderr")]
    async fn notices_a_printed_secret() {
        shell("echo password is hunter2 >&2").secret("hunter2").run().await;
    }

    #[tokio::test]
    async fn the_embedded_dynamodb_is_a_process_of_its_own() {
        let embedded = embedded().await;
        embedded.client().create_table("t-1").await;
        assert_eq!(embedded.client().scan("t-1", None).await.len(), 0);
    }
}

mod examples {
    use super::*;

    /// The same rows, that is; each database has its own way to write zeros at the end.
    #[tokio::test]
    async fn the_shop_is_the_same_on_each_database() {
        let mut shops = Vec::new();
        for kind in servers::ALL {
            let database = kind.database().await;
            database.execute_file(format!("mappings/shop.{}.sql", kind.name())).await;
            let avatar = if kind == Kind::Postgres {
                "encode(avatar, 'hex')"
            } else {
                "CASE WHEN avatar IS NOT NULL THEN lower(hex(avatar)) END"
            };
            let mut cells = Vec::new();
            for (sql, rows) in SHOP {
                let texts = database.texts(&sql.replace("avatar", avatar)).await;
                assert_eq!(texts.len(), rows, "{}: {sql}", kind.name());
                cells.extend(
                    texts
                        .into_iter()
                        .flatten()
                        .map(|text| text.map(|text| compare::canonical_decimal(&text))),
                );
            }
            shops.push(cells);
        }
        for (i, cell) in shops[0].iter().enumerate() {
            assert_eq!((cell, cell), (&shops[1][i], &shops[2][i]), "cell {i}");
        }
    }

    const SHOP: [(&str, usize); 4] = [
        (
            "SELECT id, email, name, password_hash, bio, avatar, birthday, created_at FROM users ORDER BY id",
            20,
        ),
        ("SELECT id, sku, name, category, price, weight FROM products ORDER BY id", 12),
        (
            "SELECT id, user_id, order_date, status, shipped_status, total, note, purge_after, deleted_at
             FROM orders ORDER BY id",
            40,
        ),
        (
            "SELECT order_id, line_no, product_id, sku, quantity, price, discount
             FROM order_items ORDER BY order_id, line_no",
            100,
        ),
    ];

    /// Loads what the fixture says by hand, and finds it with the comparison.
    #[tokio::test]
    async fn the_expected_items_are_items() {
        let expected: Value = serde_json::from_str(include_str!("../fixtures/shop.expected.json")).unwrap();
        let items = compare::by_key(expected["items"].as_array().unwrap().clone());
        let front = Front::acknowledging();
        let client = front.client();
        client.create_table("shop").await;
        let requests: Vec<Value> = items.values().map(|item| json!({"PutRequest": {"Item": item}})).collect();
        client.call("BatchWriteItem", json!({"RequestItems": {"shop": requests}})).await;
        compare::assert_same(&items, &compare::scan(&client, "shop").await);
    }

    #[tokio::test]
    async fn chinook_keeps_its_foreign_keys() {
        for (kind, sql) in [
            (Kind::Postgres, "SELECT count(*) FROM invoice_line l JOIN track t ON t.track_id = l.track_id"),
            (Kind::MySql, "SELECT count(*) FROM InvoiceLine l JOIN Track t ON t.TrackId = l.TrackId"),
        ] {
            let database = kind.database().await;
            database.execute_file(format!("mappings/chinook.{}.sql", kind.name())).await;
            assert_eq!(database.text(sql).await, "39", "{}", kind.name());
        }
    }
}

mod comparison {
    use super::*;
    use crate::compare::{assert_same, by_key, expect, item};

    #[tokio::test]
    async fn rows_become_what_a_test_expects() {
        let database = servers::postgres().await;
        database
            .execute("CREATE TABLE t (n INT, ok BOOLEAN, s TEXT); INSERT INTO t VALUES (7, true, NULL)")
            .await;
        let expected = expect(&database, "SELECT lpad(n::text, 3, '0'), ok, s FROM t", |row| {
            let pk = row[0].as_ref().map(|n| format!("N#{n}"));
            item([
                ("PK", "S", pk),
                ("SK", "S", Some("-".to_owned())),
                ("ok", "BOOL", row[1].clone()),
                ("s", "S", row[2].clone()),
            ])
        });
        let found = by_key([json!({"SK": {"S": "-"}, "PK": {"S": "N#007"}, "ok": {"BOOL": true}})]);
        assert_same(&expected.await, &found);
    }

    #[test]
    fn sets_have_no_order() {
        let sets =
            |numbers: Value| by_key([json!({"PK": {"S": "a"}, "SK": {"S": "b"}, "s": {"NS": numbers}})]);
        assert_same(&sets(json!(["1", "2"])), &sets(json!(["2", "1"])));
    }

    #[test]
    #[should_panic(
        expected = "2 differences among 2 items\nmissing: {\"S\":\"a\"} {\"S\":\"2\"}\ndifferent: {\"S\":\"a\"} {\"S\":\"1\"}"
    )]
    fn differences_are_told() {
        let one = |sk: &str, n: &str| json!({"PK": {"S": "a"}, "SK": {"S": sk}, "n": {"N": n}});
        assert_same(&by_key([one("1", "1"), one("2", "2")]), &by_key([one("1", "3")]));
    }
}

mod front {
    use super::*;

    fn puts(table: &str, numbers: impl IntoIterator<Item = u32>) -> Value {
        let items = numbers.into_iter().map(|n| {
            let item = json!({"PK": {"S": format!("P#{}", n % 3)}, "SK": {"S": format!("{n:05}")}, "n": {"N": n.to_string()}});
            json!({"PutRequest": {"Item": item}})
        });
        json!({ "RequestItems": { table: items.collect::<Vec<_>>() } })
    }

    async fn put(client: &Client, numbers: impl IntoIterator<Item = u32>) -> std::io::Result<(u16, Value)> {
        client.try_call("BatchWriteItem", &puts("t-1", numbers)).await
    }

    async fn acknowledging() -> (Front, Client) {
        let front = Front::acknowledging();
        let client = front.client();
        client.create_table("t-1").await;
        (front, client)
    }

    #[tokio::test]
    async fn forwards_and_counts() {
        let embedded = embedded_in_process().await;
        let front = Front::forwarding(embedded.url());
        let client = front.client();
        client.create_table("t-1").await;
        assert_eq!(put(&client, 0..25).await.unwrap(), (200, json!({"UnprocessedItems": {}})));
        assert_eq!(put(&client, 24..26).await.unwrap().0, 200);
        let items = compare::scan(&embedded.client(), "t-1").await;
        assert_eq!(items.len(), 26);
        let counters = front.counters();
        assert_eq!((counters.batches(), counters.written, counters.rewritten), (2, 27, 1));
        assert_eq!((counters.table_units, counters.units_per_second.iter().sum()), (27, 27));
        assert_eq!(front.rewritten().into_values().collect::<Vec<_>>(), [2]);
    }

    #[tokio::test]
    async fn gives_back_what_it_does_not_write() {
        let embedded = embedded_in_process().await;
        let front = Front::forwarding(embedded.url());
        let client = front.client();
        client.create_table("t-1").await;
        front.script([(When::At(1), Fault::Unprocessed(3))]);
        let (status, answer) = put(&client, 0..10).await.unwrap();
        assert_eq!((status, &answer["UnprocessedItems"]), (200, &puts("t-1", 7..10)["RequestItems"]));
        assert_eq!(embedded.client().scan("t-1", None).await.len(), 7);
        let resent = json!({"RequestItems": answer["UnprocessedItems"]});
        client.call("BatchWriteItem", resent).await;
        assert_eq!(embedded.client().scan("t-1", None).await.len(), 10);
        assert_eq!(front.counters().written, 10);
    }

    #[tokio::test]
    async fn acknowledges_by_itself_and_pages_its_scan() {
        let (front, client) = acknowledging().await;
        put(&client, 0..25).await.unwrap();
        put(&client, 25..40).await.unwrap();
        let page = client.call("Scan", json!({"TableName": "t-1", "Limit": 1})).await;
        assert_eq!(page["Count"], 1);
        let rest = client
            .call("Scan", json!({"TableName": "t-1", "ExclusiveStartKey": page["LastEvaluatedKey"]}))
            .await;
        assert_eq!(rest["Count"], 39);
        assert_eq!(compare::scan(&client, "t-1").await, compare::by_key(front.items("t-1")));
        let keys =
            json!([{"SK": {"S": "00007"}, "PK": {"S": "P#1"}}, {"PK": {"S": "P#1"}, "SK": {"S": "nothing"}}]);
        let got = client.call("BatchGetItem", json!({"RequestItems": {"t-1": {"Keys": keys}}})).await;
        assert_eq!(
            got["Responses"]["t-1"],
            json!([{"PK": {"S": "P#1"}, "SK": {"S": "00007"}, "n": {"N": "7"}}])
        );
        let (status, answer) = client.try_call("BatchWriteItem", &puts("other", 0..1)).await.unwrap();
        assert_eq!(
            (status, answer["__type"].as_str().unwrap().ends_with("ResourceNotFoundException")),
            (400, true)
        );
    }

    #[tokio::test]
    async fn the_sdk_reads_its_errors() {
        let (front, _) = acknowledging().await;
        front.script([
            (
                When::At(1),
                Fault::throttled(
                    Throttle::ProvisionedThroughputExceeded,
                    "TableWriteKeyRangeThroughputExceeded",
                ),
            ),
            (When::At(2), Fault::throttled(Throttle::Throttling, "IndexWriteAccountLimitExceeded")),
            (When::At(3), Fault::invalid("private")),
            (When::At(4), Fault::internal_error()),
            (When::At(5), Fault::expired_token()),
        ]);
        let mut codes = Vec::new();
        let mut reasons = Vec::new();
        for _ in 0..5 {
            let error = write_with_sdk(front.url()).await.unwrap_err().into_service_error();
            codes.push(error.code().unwrap().to_owned());
            reasons.extend(throttling_reason(&error));
        }
        assert_eq!(
            codes,
            [
                "ProvisionedThroughputExceededException",
                "ThrottlingException",
                "ValidationException",
                "InternalServerError",
                "ExpiredTokenException",
            ]
        );
        assert_eq!(reasons, ["TableWriteKeyRangeThroughputExceeded", "IndexWriteAccountLimitExceeded"]);
        assert!(write_with_sdk(front.url()).await.is_ok());
    }

    type SdkError = aws_sdk_dynamodb::error::SdkError<BatchWriteItemError>;
    use aws_sdk_dynamodb::operation::batch_write_item::BatchWriteItemError;

    async fn write_with_sdk(url: &str) -> Result<(), SdkError> {
        use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, retry::RetryConfig};
        use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::for_tests())
            .retry_config(RetryConfig::disabled())
            .endpoint_url(url)
            .build();
        let key = |name, value: &str| (name, AttributeValue::S(value.to_owned()));
        let (pk, sk) = (key("PK", "P#1"), key("SK", "1"));
        let put = PutRequest::builder().item(pk.0, pk.1).item(sk.0, sk.1).build().unwrap();
        let request = WriteRequest::builder().put_request(put).build();
        let client = aws_sdk_dynamodb::Client::from_conf(config);
        client.batch_write_item().request_items("t-1", vec![request]).send().await.map(drop)
    }

    fn throttling_reason(error: &BatchWriteItemError) -> Option<String> {
        let reasons = match error {
            BatchWriteItemError::ProvisionedThroughputExceededException(e) => e.throttling_reasons(),
            BatchWriteItemError::ThrottlingException(e) => e.throttling_reasons(),
            _ => return None,
        };
        reasons[0].reason().map(str::to_owned)
    }

    #[tokio::test]
    async fn cuts_and_hangs() {
        let (front, client) = acknowledging().await;
        front.script([
            (When::At(1), Fault::CutBefore),
            (When::At(2), Fault::CutAfter),
            (When::At(3), Fault::Hang(Duration::from_millis(50))),
            (When::At(4), Fault::HangAfter(Duration::from_millis(50))),
            (When::At(5), Fault::Delay(Duration::from_millis(50))),
        ]);
        let mut stored = Vec::new();
        for n in 0..5 {
            let started = Instant::now();
            let answer = put(&client, [n]).await;
            assert_eq!(answer.is_ok(), n == 4, "request {}", n + 1);
            assert_eq!(started.elapsed() >= Duration::from_millis(50), n >= 2, "request {}", n + 1);
            stored.push(front.items("t-1").len());
        }
        assert_eq!(stored, [0, 1, 1, 2, 3]);
    }

    #[tokio::test]
    async fn other_operations_fail_on_demand() {
        let (front, client) = acknowledging().await;
        front.on("DescribeTable", When::Between(1, 3), Fault::unavailable());
        let mut statuses = Vec::new();
        for _ in 0..3 {
            statuses.push(client.try_call("DescribeTable", &json!({"TableName": "t-1"})).await.unwrap().0);
        }
        assert_eq!(statuses, [503, 503, 200]);
        front.decide(|seen| (seen.operation == "Scan").then(Fault::access_denied));
        assert_eq!(client.try_call("Scan", &json!({"TableName": "t-1"})).await.unwrap().0, 400);
    }

    #[tokio::test]
    async fn every_third_request_meets_a_quota() {
        let (front, client) = acknowledging().await;
        let quota = Fault::throttled(Throttle::RequestLimitExceeded, "TableWriteAccountLimitExceeded");
        front.script([(When::At(1), Fault::no_table()), (When::Every(3), quota)]);
        let mut answers = Vec::new();
        for n in 0..6 {
            let (status, answer) = put(&client, [n]).await.unwrap();
            answers.push((
                status,
                answer["__type"].as_str().map(|code| code.rsplit('#').next().unwrap().to_owned()),
            ));
        }
        let refused = |code: &str| (400, Some(code.to_owned()));
        let limit = || refused("RequestLimitExceeded");
        assert_eq!(
            answers,
            [refused("ResourceNotFoundException"), (200, None), limit(), (200, None), (200, None), limit()]
        );
    }

    #[tokio::test]
    async fn a_request_may_be_judged_by_its_bytes() {
        let (front, client) = acknowledging().await;
        front.decide(|seen| seen.body.windows(5).any(|window| window == b"00007").then(Fault::unavailable));
        assert_eq!(put(&client, [7]).await.unwrap().0, 503);
        assert_eq!(put(&client, [8]).await.unwrap().0, 200);
    }

    #[tokio::test]
    async fn a_slow_index_holds_back_the_items_in_it() {
        let front = Front::acknowledging();
        let client = front.client();
        let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
        let attribute = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
        let table = json!({
            "TableName": "t-1", "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [key("PK", "HASH"), key("SK", "RANGE")],
            "AttributeDefinitions": [attribute("PK"), attribute("SK"), attribute("G")],
            "GlobalSecondaryIndexes":
                [{"IndexName": "ByG", "KeySchema": [key("G", "HASH")], "Projection": {"ProjectionType": "ALL"}}],
        });
        client.call("CreateTable", table).await;
        front.enforce(Capacity::unlimited().index("ByG", 1.0).burst_seconds(2.0));
        let item = |sk: &str| json!({"PutRequest": {"Item": {"PK": {"S": "p"}, "SK": {"S": sk}}}});
        let indexed =
            |sk: &str| json!({"PutRequest": {"Item": {"PK": {"S": "p"}, "SK": {"S": sk}, "G": {"S": "g"}}}});
        let requests = json!({"t-1": [indexed("1"), item("2"), indexed("3"), indexed("4"), item("5")]});
        let answer = client.call("BatchWriteItem", json!({ "RequestItems": requests })).await;
        assert_eq!(answer["UnprocessedItems"], json!({"t-1": [indexed("4")]}));
        let (_, answer) = client
            .try_call("BatchWriteItem", &json!({"RequestItems": {"t-1": [indexed("4")]}}))
            .await
            .unwrap();
        let reason = &answer["ThrottlingReasons"][0];
        assert_eq!(reason["reason"], "IndexWriteProvisionedThroughputExceeded");
        assert!(reason["resource"].as_str().unwrap().ends_with(":table/t-1/index/ByG"), "{reason}");
        assert_eq!(front.counters().index_units, 2);
    }

    #[tokio::test]
    async fn refuses_batches_with_a_certain_item() {
        let (front, client) = acknowledging().await;
        front.script([(When::holding(|item| item["n"]["N"] == "3"), Fault::invalid("x"))]);
        assert_eq!(put(&client, 0..5).await.unwrap().0, 400);
        assert_eq!(put(&client, 4..9).await.unwrap().0, 200);
        assert_eq!(front.items("t-1").len(), 5);
    }

    #[tokio::test]
    async fn enforces_capacity_and_tells_the_reason() {
        let (front, client) = acknowledging().await;
        front.enforce(Capacity::table(20.0));
        let (_, answer) = put(&client, 0..25).await.unwrap();
        assert_eq!(answer["UnprocessedItems"]["t-1"].as_array().unwrap().len(), 5);
        let (status, answer) = put(&client, 30..31).await.unwrap();
        let reason = answer["ThrottlingReasons"][0]["reason"].as_str();
        assert_eq!((status, reason), (400, Some("TableWriteProvisionedThroughputExceeded")));
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(put(&client, 30..31).await.unwrap().0, 200);
    }

    #[tokio::test]
    async fn a_hot_partition_key_slows_only_itself() {
        let (front, client) = acknowledging().await;
        front.enforce(Capacity::unlimited().partition(2.0));
        let (_, answer) = put(&client, [0, 3, 6, 9, 1, 2]).await.unwrap();
        assert_eq!(answer["UnprocessedItems"], puts("t-1", [6, 9])["RequestItems"]);
    }

    /// C07.
    #[tokio::test]
    async fn notices_broken_rules() {
        let (front, client) = acknowledging().await;
        put(&client, 0..26).await.unwrap();
        put(&client, [1, 1]).await.unwrap();
        front.script([(When::Always, Fault::Delay(Duration::from_millis(100)))]);
        let (one, other) = tokio::join!(put(&client, [1, 2]), put(&client, [2, 3]));
        assert_eq!((one.unwrap().0, other.unwrap().0), (200, 200));
        assert_eq!(front.counters().max_in_flight, 2);
        assert_eq!(
            front.take_violations(),
            [
                "a batch of 26 items",
                r#"twice in one batch: t-1 {"S":"P#1"} {"S":"00001"}"#,
                r#"in two requests in flight: t-1 {"S":"P#2"} {"S":"00002"}"#,
            ]
        );
    }

    #[test]
    fn counts_billed_bytes() {
        let item = json!({
            "id": {"N": "-19.90"},          // 2 + (3 digits → 2) + 1 + sign
            "zero": {"N": "0"},             // 4 + 1 + 1
            "big": {"N": "12300000"},       // 3 + (3 digits → 2) + 1
            "ä": {"S": "é"},                // 2 + 2
            "b": {"B": "AAEC"},             // 1 + 3
            "t": {"BOOL": true},            // 1 + 1
            "l": {"L": [{"S": "a"}, {"NULL": true}]},   // 1 + 3 + 2 + 2
            "m": {"M": {"k": {"S": "v"}}},  // 1 + 3 + 1 + 1 + 1
        });
        assert_eq!(billed_size(&item), 6 + 6 + 6 + 4 + 4 + 2 + 8 + 7);
    }
}
