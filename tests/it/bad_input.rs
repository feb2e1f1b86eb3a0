//! What users do wrong, and what they read then: one clear message (what, where, what to do) and the
//! exit code of the design. Each whole output is a file of `tests/cases/bad-input/`.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::dynamodb::embedded_in_process;
use crate::front::{Fault, Front, When};
use crate::servers::{self, Kind};
use crate::stage::{MAPPING, ORDERS, Stage, create_table, expect_case};
use crate::tool::{Finished, Folder};

/// Exit code and output are as the file says.
#[track_caller]
fn expect(stage: &Stage, name: &str, code: i32, finished: &Finished) {
    let shown = stage.shown(finished);
    expect_case(&format!("bad-input/{name}.expected"), &shown);
    assert_eq!(finished.code(), Some(code), "{name}\n{shown}");
}

const SECRET: &str = "hunter2-correct-horse";

mod source {
    use super::*;

    /// c12, c13: no form of a wrong URL prints its password, whatever the command.
    #[tokio::test]
    async fn c12_c13_a_wrong_url_is_explained_and_its_password_never_printed() {
        let stage = Stage::orders().await;
        let mut shown = String::new();
        for url in [
            "PASSWORD",
            "oracle://u:PASSWORD@127.0.0.1/db",
            "postgress://u:PASSWORD@127.0.0.1/db",
            "postgres:/u:PASSWORD@127.0.0.1/db",
            "postgres://u:PASSWORD",
            "postgres://u:PASSWORD#x@127.0.0.1:1/db",
            "postgres://u:PASSWORD/x@127.0.0.1:1/db",
            "mysql://u:PASSWORD?x@127.0.0.1:1/db",
            "mysql://u:x#PASSWORD@127.0.0.1:1/db",
            "postgres://u:x/PASSWORD@127.0.0.1:1/db",
            "postgres://u:x?PASSWORD@127.0.0.1:1/db",
            "postgres://u:x@PASSWORD@127.0.0.1:1/db",
            "postgres://u:PASSWORD@127.0.0.1:99999/db",
            "postgres://u@127.0.0.1:1/db?password=PASSWORD",
            "postgres://u:PASSWORD@127.0.0.1:1/db?sslmode=sometimes",
            "mysql://u:PASSWORD@127.0.0.1:1/db?ssl-mode=sometimes",
        ] {
            let with_secret = url.replace("PASSWORD", SECRET);
            for command in ["--dry-run", "check", "verify --json"] {
                let call = stage.tool(command).env("DATABASE_URL", &with_secret).secret(SECRET);
                let finished = call.run().await;
                assert!(matches!(finished.code(), Some(1 | 3)), "{url}: {}", finished.stderr);
                if command == "--dry-run" {
                    shown += &format!("=== {url}\n{}\n", stage.shown(&finished));
                }
            }
        }
        expect_case("bad-input/url.expected", &shown);
    }

    #[tokio::test]
    async fn c13_a_password_in_the_mapping_is_never_printed() {
        let stage = Stage::orders().await;
        for url in
            ["postgres://u:PASSWORD@127.0.0.1:1/db", "postgres://u:PASSWORD#x@h/db", "mysql://u:PASSWORD"]
        {
            let url = url.replace("PASSWORD", SECRET);
            let mapping = MAPPING.replace("${DATABASE_URL}", &url).replace("pk =", "pkk =");
            stage.folder.write("mapping.toml", &mapping);
            for command in
                ["--dry-run", "--dry-run --json", "check", "check --offline", "check --json", "verify"]
            {
                let finished = stage.tool(command).secret(SECRET).run().await;
                assert!(matches!(finished.code(), Some(1 | 3)), "{}", finished.stderr);
            }
        }
    }

    /// c13: nor is it kept in any file.
    #[tokio::test]
    async fn c13_passwords_stay_out_of_the_state_folder() {
        for kind in [Kind::Postgres, Kind::MySql] {
            let sql = format!("{ORDERS} INSERT INTO orders VALUES (-1, 7, 'rejected')");
            let stage = Stage::new(kind, &sql, MAPPING).await;
            stage.migrate("run", 4).await;
            let files = stage.folder.files();
            assert!(files.iter().any(|file| file.ends_with("rejects.jsonl")), "{files:?}");
            for file in files {
                let content = std::fs::read(stage.folder.path().join(&file)).unwrap();
                for password in servers::passwords() {
                    let found = content.windows(password.len()).any(|window| window == password.as_bytes());
                    assert!(!found, "{file} holds the password of {}", kind.name());
                }
            }
        }
    }

    #[tokio::test]
    async fn a_wrong_password_is_told() {
        for (kind, user) in [(Kind::Postgres, "postgres"), (Kind::MySql, "root")] {
            let stage = Stage::new(kind, ORDERS, MAPPING).await;
            let url = stage.database.url_as(user, SECRET);
            let call = stage.tool("run").env("DATABASE_URL", url).secret(SECRET);
            expect(&stage, &format!("wrong-password.{}", kind.name()), 1, &call.run().await);
        }
    }

    #[tokio::test]
    async fn a_database_that_is_not_there_is_told() {
        for kind in [Kind::Postgres, Kind::MySql] {
            let stage = Stage::new(kind, ORDERS, MAPPING).await;
            let url = format!("{}_not", stage.database.url());
            let finished = stage.tool("run").env("DATABASE_URL", url).run().await;
            expect(&stage, &format!("no-database.{}", kind.name()), 1, &finished);
        }
        let stage = Stage::orders().await;
        let finished = stage.tool("run").env("DATABASE_URL", "sqlite://not.db").run().await;
        expect(&stage, "no-database.sqlite", 1, &finished);
        assert!(!stage.folder.files().contains(&"not.db".to_owned()), "an empty database was made");
    }

    #[tokio::test]
    async fn a_closed_port_is_told() {
        let stage = Stage::orders().await;
        for url in ["postgres://u@127.0.0.1:1/db", "mysql://u@127.0.0.1:1/db"] {
            let finished = stage.tool("run").env("DATABASE_URL", url).run().await;
            let name = url.split(':').next().unwrap();
            expect(&stage, &format!("source-closed-port.{name}"), 1, &finished);
        }
    }

    #[tokio::test]
    async fn a_missing_or_empty_variable_is_told() {
        let stage = Stage::orders().await;
        let finished = stage.tool("run").without_env("DATABASE_URL").run().await;
        expect(&stage, "variable-missing", 3, &finished);
        let finished = stage.tool("run").env("DATABASE_URL", "").run().await;
        expect(&stage, "variable-empty", 3, &finished);
        stage.tool("check --offline").without_env("DATABASE_URL").run().await.expect_code(0);
    }

    #[tokio::test]
    async fn a_table_that_is_not_there_is_told_with_the_likely_one() {
        for kind in servers::ALL {
            let mut shown = String::new();
            let sql =
                "CREATE TABLE orders (id BIGINT PRIMARY KEY); CREATE TABLE customers (id BIGINT PRIMARY KEY)";
            let stage = Stage::new(kind, sql, MAPPING).await;
            for from in ["ordrs", "nowhere", "other.orders", "orders o"] {
                let mapping = MAPPING.replace("from = \"orders\"", &format!("from = \"{from}\""));
                stage.folder.write("mapping.toml", &mapping);
                let finished = stage.migrate("--dry-run", 3).await;
                shown += &format!("=== {from}\n{}\n", stage.shown(&finished));
            }
            expect_case(&format!("bad-input/no-table.{}.expected", kind.name()), &shown);
        }
    }

    #[tokio::test]
    async fn a_table_named_by_a_word_of_sql_is_to_be_quoted() {
        for kind in servers::ALL {
            let quote = if kind == Kind::MySql { '`' } else { '"' };
            let quoted = format!("{quote}order{quote}");
            let mapping = MAPPING.replace("from = \"orders\"", "from = \"order\"");
            let sql = format!("CREATE TABLE {quoted} (id BIGINT PRIMARY KEY)");
            let stage = Stage::new(kind, &sql, &mapping).await;
            let finished = stage.migrate("--dry-run", 3).await;
            let advice = format!("from = '{quoted}'");
            assert!(finished.stderr.contains(&advice), "{}: {}", kind.name(), finished.stderr);
            stage.folder.write("mapping.toml", &MAPPING.replace("from = \"orders\"", &advice));
            stage.migrate("--dry-run", 0).await;
        }
    }

    #[tokio::test]
    async fn an_empty_table_is_loaded_as_such() {
        for kind in servers::ALL {
            let sql = "CREATE TABLE orders (id BIGINT PRIMARY KEY)";
            let stage = Stage::new(kind, sql, MAPPING).await;
            expect(&stage, "empty-table.dry-run", 0, &stage.migrate("--dry-run", 0).await);
            let run = stage.migrate("--json", 0).await.json();
            assert_eq!((&run["outcome"], &run["totals"]["read"]), (&json!("done"), &json!(0)));
            stage.migrate("verify", 0).await;
            assert_eq!(stage.migrate("--json", 0).await.json()["outcome"], "already_done");
        }
    }

    #[tokio::test]
    async fn a_user_without_the_right_to_one_table_is_told_which() {
        for kind in [Kind::Postgres, Kind::MySql] {
            let sql = format!("{ORDERS} CREATE TABLE secrets (id BIGINT PRIMARY KEY)");
            let mapping = format!(
                "{MAPPING}\n[entities.Secret]\nfrom = \"secrets\"\npk = \"SECRET#{{id:010}}\"\nsk = \"SECRET\"\n"
            );
            let stage = Stage::new(kind, &sql, &mapping).await;
            let user = limited_user(&stage, "orders").await;
            let call =
                stage.tool("run").env("DATABASE_URL", stage.database.url_as(&user, SECRET)).secret(SECRET);
            let finished = call.run().await;
            let shown = Finished { stderr: finished.stderr.replace(&user, "USER"), ..finished };
            expect(&stage, &format!("no-select.{}", kind.name()), 3, &shown);
        }
    }

    /// A user of its own who may read one table.
    async fn limited_user(stage: &Stage, table: &str) -> String {
        let name = stage.database.url().rsplit_once('/').unwrap().1.to_owned();
        // MySQL's names end at 32 characters.
        let user = format!("u{}", &name[name.len().saturating_sub(20)..]);
        stage.database.execute(&match stage.database.kind() {
            Kind::MySql => format!(
                "CREATE USER '{user}'@'%' IDENTIFIED BY '{SECRET}'; GRANT SELECT ON {name}.{table} TO '{user}'@'%'"
            ),
            _ => format!("CREATE ROLE {user} LOGIN PASSWORD '{SECRET}'; GRANT SELECT ON {table} TO {user}"),
        })
        .await;
        user
    }

    /// A policy that hides rows is an error, not a loss.
    #[tokio::test]
    async fn rows_hidden_by_a_policy_are_an_error() {
        let sql = format!(
            "{ORDERS} ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
             CREATE POLICY own ON orders USING (customer = 7)"
        );
        let stage = Stage::new(Kind::Postgres, &sql, MAPPING).await;
        let user = limited_user(&stage, "orders").await;
        for command in ["run", "--dry-run"] {
            let call = stage.tool(command).env("DATABASE_URL", stage.database.url_as(&user, SECRET));
            let finished = call.secret(SECRET).run().await;
            let shown = Finished { stderr: finished.stderr.replace(&user, "USER"), ..finished };
            let name = format!("row-level-security.{}", command.trim_start_matches('-'));
            assert_ne!(shown.code(), Some(0), "rows were lost silently");
            expect(&stage, &name, 3, &shown);
        }
        stage.migrate("run", 0).await;
    }

    /// sqlx would switch PIPES_AS_CONCAT on.
    #[tokio::test]
    async fn a_users_double_bar_on_mysql_stays_or() {
        let mapping = format!("{MAPPING}where = \"customer = 8 || id = 1\"\nlet.any = \"id = 1 || id = 7\"\n\n[entities.Order.index.GSI1]\nwhen = \"id = 9 || id = 2\"\npk = \"A\"\nsk = \"B\"\n")
            .replace("[entities.Order]", "[table.indexes.GSI1]\npartition_key = \"GSI1PK\"\nsort_key = \"GSI1SK\"\n\n[entities.Order]\ncolumns = [\"any\"]");
        let sql = format!("{ORDERS} INSERT INTO orders VALUES (3, 9, NULL)");
        let stage = Stage::new(Kind::MySql, &sql, &mapping).await;
        let dry = stage.migrate("--dry-run --json", 0).await.json();
        assert_eq!(dry["totals"]["items"], 2);
        assert_eq!(dry["indexes"]["GSI1"]["items"], 1);
        let any: Vec<_> = dry["entities"]["Order"]["samples"].as_array().unwrap().iter().collect();
        let any: Vec<_> = any.into_iter().map(|item| item["any"].clone()).collect();
        assert_eq!(any, [json!({"N": "1"}), json!({"N": "0"})]);
    }
}

mod keys {
    use super::*;

    async fn refused(kind: Kind, name: &str, sql: &str, entity: &str) {
        let mapping = MAPPING.replace("from = \"orders\"\n", &format!("{entity}\n"));
        let stage = Stage::new(kind, sql, &mapping).await;
        for command in ["run", "check", "--dry-run"] {
            let finished = stage.migrate(command, 3).await;
            if command == "run" {
                expect(&stage, &format!("{name}.{}", kind.name()), 3, &finished);
            }
        }
    }

    #[tokio::test]
    async fn r16_a_table_without_a_key_needs_one_declared() {
        for kind in servers::ALL {
            let sql = "CREATE TABLE orders (id BIGINT, note VARCHAR(10)); INSERT INTO orders VALUES (1, 'x'), (1, 'x')";
            refused(kind, "no-key", sql, "from = \"orders\"").await;
            refused(kind, "key-not-unique", sql, "from = \"orders\"\nkey = [\"id\"]").await;
        }
    }

    #[tokio::test]
    async fn a_key_with_nulls_is_refused() {
        for kind in servers::ALL {
            let sql = "CREATE TABLE orders (id BIGINT); INSERT INTO orders VALUES (1), (NULL)";
            refused(kind, "key-has-nulls", sql, "from = \"orders\"\nkey = [\"id\"]").await;
        }
    }

    /// SQLite lets a primary key that is not INTEGER hold NULL: one query tells whether it does.
    #[tokio::test]
    async fn a_primary_key_that_may_hold_null_is_proven_by_one_query() {
        let stage = Stage::orders().await;
        let check = stage.migrate("check --json", 0).await.json();
        assert_eq!(
            (&check["findings"], &check["entities"]["Order"]["key_proof"]["status"]),
            (&json!([]), &json!("proven"))
        );
        stage.database.execute("INSERT INTO orders VALUES (NULL, 7, NULL)").await;
        expect(&stage, "primary-key-with-null", 3, &stage.migrate("run", 3).await);
    }

    #[tokio::test]
    async fn a_query_and_a_view_need_a_key() {
        for kind in servers::ALL {
            refused(kind, "query-without-key", ORDERS, "query = \"SELECT id FROM orders\"").await;
            let sql = format!("{ORDERS} CREATE VIEW seen AS SELECT * FROM orders");
            refused(kind, "view-without-key", &sql, "from = \"seen\"").await;
        }
    }

    #[tokio::test]
    async fn a_declared_key_that_holds_is_proven_by_one_query() {
        for kind in servers::ALL {
            let mapping = MAPPING.replace("from = \"orders\"", "from = \"seen\"\nkey = [\"id\"]");
            let sql = format!("{ORDERS} CREATE VIEW seen AS SELECT * FROM orders");
            let stage = Stage::new(kind, &sql, &mapping).await;
            let check = stage.migrate("check --json", 0).await.json();
            assert_eq!(check["findings"], json!([]), "{}", kind.name());
            assert_eq!(check["entities"]["Order"]["key_proof"]["status"], "proven");
            stage.migrate("run", 0).await;
            stage.migrate("verify", 0).await;
        }
    }
}

mod target {
    use super::*;

    const AWS: &str = "http://dynamodb.us-east-1.amazonaws.com";

    #[tokio::test]
    async fn an_endpoint_that_is_down_is_told() {
        let stage = Stage::orders().await.at("http://127.0.0.1:1");
        expect(&stage, "endpoint-down.run", 1, &stage.migrate("run", 1).await);
        expect(&stage, "endpoint-down.verify", 1, &stage.migrate("verify", 1).await);
        let stage = Stage::orders().await.at("http://no-such-host.invalid:8000");
        expect(&stage, "endpoint-unknown-host", 1, &stage.migrate("run", 1).await);
        let stage = Stage::orders().await.at("localhost:8000");
        expect(&stage, "endpoint-no-url", 3, &stage.migrate("run", 3).await);
    }

    #[tokio::test]
    async fn an_endpoint_that_does_not_speak_dynamodb_is_told() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stage = Stage::orders().await.at(&format!("http://{}", listener.local_addr().unwrap()));
        let serving = tokio::spawn(async move {
            use tokio::io::{AsyncReadExt, AsyncWriteExt};
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let page =
                    "HTTP/1.1 200 OK\r\ncontent-length: 15\r\nconnection: close\r\n\r\n<html>hi</html>";
                let _ = stream.write_all(page.as_bytes()).await;
            }
        });
        expect(&stage, "endpoint-not-dynamodb", 1, &stage.migrate("run", 1).await);
        serving.abort();
    }

    /// The instance metadata service, where nothing answers, must not hold a user up.
    #[tokio::test]
    async fn without_credentials_it_fails_fast() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let silent_url = format!("http://{}", silent.local_addr().unwrap());
        let stage = Stage::orders().await.at("https://dynamodb.us-east-1.amazonaws.com");
        for metadata in [None, Some(silent_url.as_str())] {
            let call =
                stage.tool("run").without_env("AWS_ACCESS_KEY_ID").without_env("AWS_SECRET_ACCESS_KEY");
            let call = match metadata {
                None => call,
                Some(url) => call
                    .without_env("AWS_EC2_METADATA_DISABLED")
                    .env("AWS_EC2_METADATA_SERVICE_ENDPOINT", url),
            };
            let started = Instant::now();
            let finished = call.run().await;
            assert!(started.elapsed() < Duration::from_secs(15), "it took {:?}", started.elapsed());
            let stderr = without_parentheses(&finished.stderr);
            expect(&stage, "no-credentials", 1, &Finished { stderr, ..finished });
        }
    }

    /// The SDK's own words differ with what it tried.
    fn without_parentheses(text: &str) -> String {
        match (text.find(" ("), text.rfind(')')) {
            (Some(start), Some(end)) if start < end => format!("{}{}", &text[..start], &text[end + 1..]),
            _ => text.to_owned(),
        }
    }

    #[tokio::test]
    async fn without_a_region_it_says_so() {
        let stage = Stage::new(Kind::Sqlite, ORDERS, &MAPPING.replace("endpoint =", "# endpoint =")).await;
        let finished = stage.tool("run").without_env("AWS_REGION").run().await;
        expect(&stage, "no-region", 1, &finished);
    }

    /// c04: by the table's ARN, and by what the credentials say.
    #[tokio::test]
    async fn c04_another_account_than_the_mapping_names_is_refused() {
        let mapping = MAPPING.replace("[entities.Order]", "account = \"123456789012\"\n\n[entities.Order]");
        let mapping = mapping.replace("\n\naccount", "\naccount");
        let front = Front::acknowledging();
        create_table(&front.client(), |_| {}).await;
        let stage = Stage::new(Kind::Sqlite, ORDERS, &mapping).await.at(AWS);
        let by_arn = stage.tool("run").env("HTTP_PROXY", front.url()).env("http_proxy", front.url());
        expect(&stage, "other-account", 3, &by_arn.run().await);
        assert_eq!(front.counters().batches(), 0);
        assert!(front.counters().requests("DescribeTable") > 0, "the front was never asked");
        let by_credentials = stage.tool("run").env("AWS_ACCOUNT_ID", "000000000000");
        expect(&stage, "other-account.credentials", 3, &by_credentials.run().await);
    }

    /// c04: what is written to is told before the first write.
    #[tokio::test]
    async fn c04_the_account_is_told_before_the_first_write() {
        let front = Front::acknowledging();
        create_table(&front.client(), |_| {}).await;
        let stage = Stage::orders().await.at(AWS);
        let call = stage.tool("run").env("HTTP_PROXY", front.url()).env("http_proxy", front.url());
        expect(&stage, "told-account", 0, &call.run().await);
    }

    /// C06.
    #[tokio::test]
    async fn a_missing_table_is_told_with_those_there_are() {
        let stage = Stage::orders().await.with_dynamodb().await;
        expect(&stage, "table-missing.none", 3, &stage.migrate("run", 3).await);
        stage.client().create_table("shop-test").await;
        expect(&stage, "table-missing.run", 3, &stage.migrate("run", 3).await);
        expect(&stage, "table-missing.verify", 3, &stage.migrate("verify", 3).await);
    }

    /// k28 and its kin: each difference is refused before the first write.
    #[tokio::test]
    async fn k28_a_table_with_other_keys_is_refused() {
        let mapping = MAPPING.replace(
            "[entities.Order]",
            "[table.indexes.GSI1]\npartition_key = \"GSI1PK\"\nsort_key = \"GSI1SK\"\n\n[entities.Order]",
        );
        let mut shown = String::new();
        for (what, keys, index) in [
            ("names in lower case", [("pk", "HASH", "S"), ("sk", "RANGE", "S")].as_slice(), true),
            ("no sort key", &[("PK", "HASH", "S")], true),
            ("a number", &[("PK", "HASH", "N"), ("SK", "RANGE", "S")], true),
            ("other names", &[("id", "HASH", "S"), ("SK", "RANGE", "B")], true),
            ("no index", &[("PK", "HASH", "S"), ("SK", "RANGE", "S")], false),
        ] {
            let stage = Stage::new(Kind::Sqlite, ORDERS, &mapping).await.with_dynamodb().await;
            create_table(&stage.client(), |request| {
                request["KeySchema"] =
                    keys.iter().map(|(name, role, _)| json!({"AttributeName": name, "KeyType": role})).collect();
                let mut attributes: Vec<_> =
                    keys.iter().map(|(name, _, kind)| json!({"AttributeName": name, "AttributeType": kind})).collect();
                if index {
                    attributes.push(json!({"AttributeName": "GSI1PK", "AttributeType": "S"}));
                    attributes.push(json!({"AttributeName": "GSI1SK", "AttributeType": "S"}));
                    request["GlobalSecondaryIndexes"] = json!([{
                        "IndexName": "GSI1", "Projection": {"ProjectionType": "ALL"},
                        "KeySchema": [{"AttributeName": "GSI1PK", "KeyType": "HASH"}, {"AttributeName": "GSI1SK", "KeyType": "RANGE"}],
                    }]);
                }
                request["AttributeDefinitions"] = attributes.into();
            })
            .await;
            let finished = stage.migrate("run", 3).await;
            shown += &format!("=== {what}\n{}\n", stage.shown(&finished));
            assert!(stage.client().scan("shop", None).await.is_empty());
        }
        expect_case("bad-input/other-keys.expected", &shown);
    }

    #[tokio::test]
    async fn an_index_with_other_keys_or_less_in_it_is_refused() {
        let mapping = MAPPING.replace(
            "[entities.Order]",
            "[table.indexes.GSI1]\npartition_key = \"GSI1PK\"\nsort_key = \"GSI1SK\"\n\n[entities.Order]",
        );
        let stage = Stage::new(Kind::Sqlite, ORDERS, &mapping).await.with_dynamodb().await;
        create_table(&stage.client(), |request| {
            let attributes =
                ["PK", "SK", "gsi1pk"].map(|name| json!({"AttributeName": name, "AttributeType": "S"}));
            request["AttributeDefinitions"] = attributes.as_slice().into();
            request["GlobalSecondaryIndexes"] = json!([{
                "IndexName": "GSI1", "Projection": {"ProjectionType": "KEYS_ONLY"},
                "KeySchema": [{"AttributeName": "gsi1pk", "KeyType": "HASH"}],
            }]);
        })
        .await;
        expect(&stage, "other-index", 3, &stage.migrate("run", 3).await);
    }

    /// A table whose items are not of this load is not overwritten without being told to.
    #[tokio::test]
    async fn a_table_that_holds_items_needs_yes() {
        let stage = Stage::orders().await.with_dynamodb().await;
        stage.migrate("--create-table --only Order --limit 1", 0).await;
        std::fs::remove_dir_all(stage.folder.path().join(".migrate")).unwrap();
        let refused = stage.migrate("run", 2).await;
        expect(&stage, "table-not-empty", 2, &refused);
        stage.migrate("--yes", 0).await;
        stage.migrate("verify", 0).await;
    }
}

mod state {
    use super::*;

    #[tokio::test]
    async fn an_unreadable_checkpoint_is_no_new_start() {
        let stage = Stage::orders().await.with_dynamodb().await;
        let checkpoint = stage.folder.path().join(".migrate/mapping/shop/checkpoint.json");
        std::fs::create_dir_all(&checkpoint).unwrap();
        expect(&stage, "checkpoint-a-folder", 1, &stage.migrate("--create-table", 1).await);
        let tables = stage.client().call("ListTables", json!({})).await;
        assert_eq!(tables["TableNames"], json!([]), "a table was made");
        std::fs::remove_dir(&checkpoint).unwrap();
        stage.migrate("--create-table", 0).await;
        let whole = std::fs::read(&checkpoint).unwrap();
        std::fs::write(&checkpoint, &whole[..whole.len() / 2]).unwrap();
        expect(&stage, "checkpoint-cut", 1, &stage.migrate("run", 1).await);
        assert_eq!(std::fs::read(&checkpoint).unwrap(), &whole[..whole.len() / 2], "it was touched");
        std::fs::remove_file(checkpoint.with_file_name("checkpoint.previous.json")).unwrap();
        expect(&stage, "checkpoint-cut-without-copy", 1, &stage.migrate("run", 1).await);
        stage.migrate("--restart --yes", 0).await;
    }

    #[tokio::test]
    async fn a_checkpoint_of_another_source_or_table_is_refused() {
        let stage = Stage::new(Kind::Postgres, ORDERS, MAPPING).await.with_dynamodb().await;
        stage.migrate("--create-table", 0).await;
        let other = servers::postgres().await;
        other.execute(ORDERS).await;
        let finished = stage.tool("run").env("DATABASE_URL", other.url()).run().await;
        let other_name = other.url().rsplit_once('/').unwrap().1;
        let shown = Finished { stderr: finished.stderr.replace(other_name, "OTHER"), ..finished };
        expect(&stage, "checkpoint-foreign-source", 3, &shown);
        let other = embedded_in_process().await;
        create_table(&other.client(), |_| {}).await;
        let finished = stage.tool("run").env("DYNAMODB_ENDPOINT", other.url()).run().await;
        assert_eq!(finished.code(), Some(3), "{}", finished.stderr);
        assert!(finished.stderr.contains("error[checkpoint-foreign]"), "{}", finished.stderr);
        assert!(other.client().scan("shop", None).await.is_empty());
    }

    #[tokio::test]
    async fn p06_a_changed_mapping_is_refused_with_what_changed() {
        let stage = Stage::orders().await.with_dynamodb().await;
        stage.migrate("--create-table", 0).await;
        stage.folder.write("mapping.toml", &MAPPING.replace("sk = \"ORDER\"", "sk = \"ORDERS\""));
        expect(&stage, "mapping-changed", 3, &stage.migrate("run", 3).await);
    }

    #[tokio::test]
    async fn p12_two_processes_on_one_state_folder_are_one_too_many() {
        let front = Front::acknowledging();
        create_table(&front.client(), |_| {}).await;
        front.script([(When::Always, Fault::Delay(Duration::from_secs(30)))]);
        let stage = Stage::orders().await.at(front.url());
        let mut first = stage.tool("run").spawn();
        first.until("it writes", |_| front.counters().batches() > 0).await;
        let second = stage.migrate("run", 1).await;
        let shown = Finished { stderr: second.stderr.replace(&first.id().to_string(), "PID"), ..second };
        expect(&stage, "two-processes", 1, &shown);
        stage.migrate("--dry-run", 0).await;
        drop(first);
        front.script([]);
        stage.migrate("run", 0).await;
    }

    #[tokio::test]
    async fn a_state_folder_that_cannot_be_made_is_told() {
        let stage = Stage::orders().await;
        stage.folder.write("taken", "a file");
        expect(&stage, "state-folder", 1, &stage.migrate("--state taken", 1).await);
    }
}

mod mapping_file {
    use super::*;

    #[tokio::test]
    async fn what_is_no_mapping_is_told() {
        let folder = Folder::new();
        let stage = Stage::orders().await;
        std::fs::create_dir(folder.path().join("folder.toml")).unwrap();
        folder.write("empty.toml", "");
        folder.write("prose.toml", "Dear migrate,\nplease move my tables.\n");
        folder.write("json.toml", "{\"source\": {\"url\": \"sqlite://x\"}}\n");
        folder.write("twice.toml", "[source]\nurl = \"sqlite://a\"\n[source]\nurl = \"sqlite://b\"\n");
        std::fs::write(folder.path().join("latin1.toml"), b"[source]\n# B\xfccher\n").unwrap();
        let mut shown = String::new();
        for (name, code) in [
            ("missing.toml", 2),
            ("folder.toml", 2),
            ("empty.toml", 3),
            ("prose.toml", 3),
            ("json.toml", 3),
            ("twice.toml", 3),
            ("latin1.toml", 3),
        ] {
            for command in ["run", "check", "verify"] {
                let finished = folder.tool([command, "--mapping", name]).run().await;
                assert_eq!(finished.code(), Some(code), "{command} {name}: {}", finished.stderr);
                if command == "run" {
                    shown += &format!("=== {name}\n{}\n", stage.shown(&finished));
                }
            }
        }
        expect_case("bad-input/no-mapping.expected", &shown);
        assert!(!folder.files().iter().any(|file| file.starts_with(".migrate")), "{:?}", folder.files());
    }
}

mod flags {
    use super::*;

    #[tokio::test]
    async fn wrong_flags_are_told_one_by_one() {
        let stage = Stage::orders().await;
        let mut shown = String::new();
        for words in [
            "--limit abc",
            "--limit 0",
            "--rate 0",
            "--rate fast",
            "--concurrency 0",
            "--max-rejects -1",
            "--dry-runn",
            "--only Ordr",
            "--only Zebra",
            "--dry-run --restart",
            "run --quiet --verbose",
            "verify --sample 0",
            "verify --sample 101%",
            "verify --sample many",
            "verify --seed x",
            "verify --create-table",
            "chek",
            "frobnicate",
        ] {
            let finished = stage.migrate(words, 2).await;
            shown += &format!("=== migrate {words}\n{}\n", stage.shown(&finished));
        }
        for words in [vec!["run"], vec!["mapping.toml"], vec!["local", "--port", "http"]] {
            let finished = stage.folder.tool(words.clone()).run().await.expect_code(2);
            shown += &format!("=== migrate {}\n{}\n", words.join(" "), stage.shown(&finished));
        }
        expect_case("bad-input/flags.expected", &shown);
        assert_eq!(stage.folder.files(), ["mapping.toml"], "a wrong flag left something behind");
    }

    #[tokio::test]
    async fn help_and_version_are_data() {
        let folder = Folder::new();
        for words in
            [vec!["--help"], vec!["-h"], vec!["help", "run"], vec!["run", "--help"], vec!["--version"]]
        {
            let finished = folder.tool(words.clone()).run().await.expect_code(0);
            assert!(!finished.stdout.is_empty() && finished.stderr.is_empty(), "{words:?}");
        }
        let bare = folder.tool(Vec::<&str>::new()).run().await.expect_code(2);
        assert!(bare.stderr.contains("migrate demo") && bare.stdout.is_empty());
    }

    #[tokio::test]
    async fn a_port_that_is_taken_is_told() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port().to_string();
        let finished = Folder::new().tool(["local", "--port", &port]).run().await.expect_code(1);
        let shown = finished.stderr.replace(&port, "PORT");
        expect_case("bad-input/port-taken.expected", &shown);
    }
}
