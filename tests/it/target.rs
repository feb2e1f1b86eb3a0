//! The target against the embedded server, over HTTP, and against scripted answers.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics has failed, as it should"
)]

mod amend;
mod scripted;

use std::time::Duration;

use dynamigrate::mapping::{CreateSettings, KeyType, Projection};
use dynamigrate::plan::{IndexPlan, KeyColumn, TablePlan};
use dynamigrate::target::{
    ConnectSettings, DynamoDb, Embedded, Lookup, Put, PutBatch, Target, TargetErrorKind, TimeToLive, compare,
};

const PATIENCE: Duration = Duration::from_secs(20);

fn column(name: &str, kind: KeyType) -> KeyColumn {
    KeyColumn { name: name.to_owned(), kind }
}

fn plan() -> TablePlan {
    TablePlan {
        name: "shop".to_owned(),
        partition_key: column("PK", KeyType::S),
        sort_key: Some(column("SK", KeyType::S)),
        indexes: vec![
            IndexPlan {
                name: "GSI1".to_owned(),
                partition_key: vec![column("GSI1PK", KeyType::S)],
                sort_key: vec![column("rank", KeyType::N)],
                projection: Projection::Include(vec!["total".to_owned()]),
                local: false,
            },
            IndexPlan {
                name: "Inverted".to_owned(),
                partition_key: vec![column("SK", KeyType::S)],
                sort_key: vec![column("PK", KeyType::S)],
                projection: Projection::KeysOnly,
                local: false,
            },
        ],
        ttl: None,
        create: CreateSettings::default(),
    }
}

/// One plain table with a text key, enough for most tests.
fn plain() -> TablePlan {
    TablePlan { indexes: Vec::new(), ..plan() }
}

async fn connect(endpoint: String) -> DynamoDb {
    let settings = ConnectSettings {
        endpoint: Some(endpoint),
        region: Some("us-east-1".to_owned()),
        ..ConnectSettings::new("shop")
    };
    DynamoDb::connect(settings).await.unwrap()
}

/// A JSON string; every escape that serde_json knows.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn key(pk: &str, sk: &str) -> Vec<u8> {
    format!(r#""PK":{{"S":{}}},"SK":{{"S":{}}}"#, json(pk), json(sk)).into_bytes()
}

/// Puts of items that hold their key and `more`, members of the item's JSON.
fn batch(items: &[(&str, &str, &str)]) -> PutBatch {
    let mut batch = PutBatch::default();
    for (pk, sk, more) in items {
        let key = String::from_utf8(key(pk, sk)).unwrap();
        let comma = if more.is_empty() { "" } else { "," };
        batch.push(format!("{{{key}{comma}{more}}}").as_bytes(), 1..1 + key.len());
    }
    batch
}

#[tokio::test]
async fn a_table_is_made_as_planned() {
    let server = Embedded::memory().unwrap();
    let target = connect(server.endpoint()).await;
    assert_eq!(target.describe().await.unwrap(), None);
    let made = target.create(&plan(), PATIENCE).await.unwrap();
    assert!(made.notes.is_empty(), "{:?}", made.notes);
    assert!(made.table.is_ready());
    assert!(made.table.id.is_some());
    assert_eq!(compare(&plan(), &made.table), []);
    assert_eq!(target.describe().await.unwrap(), Some(made.table.clone()));
    assert_eq!(target.time_to_live().await.unwrap(), None);
    let limits = target.starting_rate(&made.table);
    assert_eq!(limits.table, None);
    assert_eq!(limits.indexes.len(), 2);

    let address = target.address();
    assert_eq!(address.endpoint, Some(server.endpoint()));
    assert_eq!(address.region, "us-east-1");
    assert!(address.local);
    assert!(address.account.is_some());
    assert!(address.clock_ahead.unwrap_or(0).abs() < 60);
}

#[tokio::test]
async fn a_table_is_made_with_all_that_create_can_ask_for() {
    let server = Embedded::memory().unwrap();
    let target = connect(server.endpoint()).await;
    let throughput = dynamigrate::mapping::Throughput { read: 5, write: 7 };
    let create = CreateSettings {
        billing: dynamigrate::mapping::Billing::Provisioned(throughput),
        point_in_time_recovery: true,
        deletion_protection: true,
        encryption: dynamigrate::mapping::Encryption::AwsManaged,
        tags: vec![("team".to_owned(), "shop".to_owned())],
        stream: Some(dynamigrate::mapping::StreamView::NewAndOldImages),
        warm_throughput: Some(dynamigrate::mapping::Throughput { read: 12_000, write: 4_000 }),
        ..CreateSettings::default()
    };
    let plan = TablePlan { create, ..plan() };
    let made = target.create(&plan, PATIENCE).await.unwrap();
    assert_eq!(made.table.billing, dynamigrate::mapping::Billing::Provisioned(throughput));
    assert_eq!(made.table.indexes[0].throughput, Some(throughput));
    assert!(made.table.stream_enabled);
    assert!(made.table.deletion_protection);
    // Local servers know no backups: nobody asks, nobody is told.
    assert_eq!(made.notes, Vec::<String>::new());
}

#[tokio::test]
async fn expiry_is_switched_on_and_told() {
    let server = Embedded::memory().unwrap();
    let target = connect(server.endpoint()).await;
    target.create(&plain(), PATIENCE).await.unwrap();
    target.enable_time_to_live("expires_at").await.unwrap();
    let expected = TimeToLive { attribute: "expires_at".to_owned(), enabled: true };
    assert_eq!(target.time_to_live().await.unwrap(), Some(expected));
}

#[tokio::test]
async fn a_second_create_says_that_the_table_exists() {
    let server = Embedded::memory().unwrap();
    let target = connect(server.endpoint()).await;
    target.create(&plain(), PATIENCE).await.unwrap();
    let error = target.create(&plain(), PATIENCE).await.unwrap_err();
    assert!(error.cause.starts_with("ResourceInUseException"), "{error}");
}

#[tokio::test]
async fn twenty_five_items_are_put_and_the_table_is_not_empty() {
    let server = Embedded::memory().unwrap();
    let target = connect(server.endpoint()).await;
    target.create(&plain(), PATIENCE).await.unwrap();
    assert!(target.is_empty().await.unwrap());
    let names: Vec<String> = (0..25).map(|number| format!("A#{number}")).collect();
    let items: Vec<_> = names.iter().map(|name| (name.as_str(), "X", r#""total":{"N":"1.5"}"#)).collect();
    assert_eq!(target.put(&batch(&items)).await.unwrap(), Put::All);
    assert!(!target.is_empty().await.unwrap());
}

/// C07.
#[tokio::test]
async fn a_batch_with_a_bad_item_is_refused_whole() {
    let server = Embedded::memory().unwrap();
    let target = connect(server.endpoint()).await;
    target.create(&plan(), PATIENCE).await.unwrap();
    let twice = batch(&[("A", "1", ""), ("A", "1", "")]);
    let mut wrong_type = PutBatch::default();
    wrong_type.push(br#"{"PK":{"N":"1"},"SK":{"S":"1"}}"#, 1..30);
    let wrong_index = batch(&[("A", "1", r#""GSI1PK":{"S":"x"},"rank":{"S":"secret"}"#)]);
    let no_number = batch(&[("A", "1", r#""n":{"N":"4111-1111"}"#)]);
    for bad in [twice, wrong_type, wrong_index, no_number] {
        let error = target.put(&bad).await.unwrap_err();
        assert_eq!(error.kind, TargetErrorKind::Refused, "{error}");
        assert!(error.cause.starts_with("ValidationException"), "{error}");
        assert!(!error.to_string().contains("4111"), "{error}");
    }
    assert!(target.is_empty().await.unwrap());
}

#[tokio::test]
async fn a_hundred_items_with_strange_keys_come_back_as_written() {
    let server = Embedded::memory().unwrap();
    let target = connect(server.endpoint()).await;
    target.create(&plain(), PATIENCE).await.unwrap();
    let strange = [
        "\"",
        "\\",
        "/",
        "é",
        "\u{1f980}",
        "\n\t\r",
        "\u{1}\u{1f}",
        "\u{2028}",
        "{}[],:",
        " ",
        "日本語",
        "\u{7f}",
    ];
    let names: Vec<String> =
        (0..100).map(|number| format!("{}{number}", strange[number % strange.len()])).collect();
    for chunk in names.chunks(25) {
        let items: Vec<_> = chunk
            .iter()
            .map(|name| (name.as_str(), "\u{0}\"", r#""n":{"N":"12345678901234567890.5"}"#))
            .collect();
        assert_eq!(target.put(&batch(&items)).await.unwrap(), Put::All);
    }
    let keys: Vec<Vec<u8>> = names.iter().map(|name| key(name, "\u{0}\"")).collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let found = target.get(&keys).await.unwrap();
    assert!(found.unanswered.is_empty());
    let mut back: Vec<String> = found
        .items
        .iter()
        .map(|item| {
            assert!(str::from_utf8(item).unwrap().contains(r#"{"N":"12345678901234567890.5"}"#));
            let item: serde_json::Value = serde_json::from_slice(item).unwrap();
            item["PK"]["S"].as_str().unwrap().to_owned()
        })
        .collect();
    back.sort();
    let mut names = names;
    names.sort();
    assert_eq!(back, names);
}

#[tokio::test]
async fn keys_that_are_not_there_are_answered_for_by_silence() {
    let server = Embedded::memory().unwrap();
    let target = connect(server.endpoint()).await;
    target.create(&plain(), PATIENCE).await.unwrap();
    target.put(&batch(&[("A", "1", "")])).await.unwrap();
    let found = target.get(&[&key("A", "1"), &key("A", "2")]).await.unwrap();
    assert_eq!(found.items.len(), 1);
    assert!(found.unanswered.is_empty());
}

#[tokio::test]
async fn without_a_table_every_call_says_so() {
    let server = Embedded::memory().unwrap();
    let other = ConnectSettings { endpoint: Some(server.endpoint()), ..ConnectSettings::new("orders") };
    let other = DynamoDb::connect(other).await.unwrap();
    let mut plan = plain();
    plan.name = "orders".to_owned();
    other.create(&plan, PATIENCE).await.unwrap();

    let target = connect(server.endpoint()).await;
    let error = target.put(&batch(&[("A", "1", "")])).await.unwrap_err();
    assert_eq!(error.kind, TargetErrorKind::NoTable, "{error}");
    assert_eq!(target.get(&[&key("A", "1")]).await.unwrap_err().kind, TargetErrorKind::NoTable);
    assert_eq!(target.is_empty().await.unwrap_err().kind, TargetErrorKind::NoTable);
    let missing = target.missing_table().await;
    assert_eq!(missing.kind, TargetErrorKind::NoTable);
    let hint = missing.hint.unwrap();
    for words in ["--create-table", "-sharedDb", "Tables there: orders"] {
        assert!(hint.contains(words), "{hint}");
    }
}

#[tokio::test]
async fn a_closed_port_is_unreachable_before_the_load_and_a_passing_trouble_in_it() {
    let server = Embedded::memory().unwrap();
    let endpoint = server.endpoint();
    server.shutdown();
    let target = connect(endpoint).await;
    let error = target.describe().await.unwrap_err();
    assert_eq!(error.kind, TargetErrorKind::Unreachable, "{error}");
    assert!(error.cause.to_lowercase().contains("refused"), "{error}");
    assert!(error.hint.unwrap().contains("migrate local"));
    let error = target.put(&batch(&[("A", "1", "")])).await.unwrap_err();
    assert_eq!(error.kind, TargetErrorKind::Transient, "{error}");
}

/// P12.
#[tokio::test]
async fn a_file_keeps_its_items_and_belongs_to_one_process_and_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let server = Embedded::file(&path).unwrap();
    let target = connect(server.endpoint()).await;
    target.create(&plan(), PATIENCE).await.unwrap();
    target.put(&batch(&[("A", "1", "")])).await.unwrap();
    let error = Embedded::file(&path).unwrap_err();
    assert_eq!(error.kind, TargetErrorKind::Config);
    assert!(error.to_string().contains("another process"), "{error}");
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = file.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", file.path().display());
        }
    }
    server.shutdown();

    let server = Embedded::file(&path).unwrap();
    let target = connect(server.endpoint()).await;
    let live = target.describe().await.unwrap().unwrap();
    assert_eq!(compare(&plan(), &live), []);
    assert_eq!(target.get(&[&key("A", "1")]).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn a_port_in_use_is_told() {
    let server = Embedded::memory().unwrap();
    let error = Embedded::serve(server.address().port(), None).unwrap_err();
    assert_eq!(error.kind, TargetErrorKind::Config);
    assert!(error.hint.unwrap().contains("--port"));
}

/// C13.
#[tokio::test]
async fn c13_an_endpoint_with_a_password_is_refused_and_not_repeated() {
    for url in ["http://u:hidden@127.0.0.1:1", "u:hidden@127.0.0.1", "https://hidden@dynamodb.corp.example"] {
        let settings = ConnectSettings { endpoint: Some(url.to_owned()), ..ConnectSettings::new("shop") };
        let error = DynamoDb::connect(settings).await.unwrap_err();
        assert_eq!(error.kind, TargetErrorKind::Config);
        assert!(!format!("{error} {error:?}").contains("hidden"), "{error}");
    }
}

/// C05: said before the first request.
#[tokio::test]
async fn a_bad_endpoint_is_a_mistake_in_the_mapping() {
    let settings =
        ConnectSettings { endpoint: Some("localhost:8000".to_owned()), ..ConnectSettings::new("shop") };
    assert_eq!(DynamoDb::connect(settings).await.unwrap_err().kind, TargetErrorKind::Config);
    let settings = ConnectSettings {
        endpoint: Some("https://dynamodb.eu-west-1.amazonaws.com".to_owned()),
        region: Some("us-east-2".to_owned()),
        ..ConnectSettings::new("shop")
    };
    let error = DynamoDb::connect(settings).await.unwrap_err();
    assert_eq!(error.kind, TargetErrorKind::Config);
    assert!(error.cause.contains("eu-west-1") && error.cause.contains("us-east-2"), "{error}");
}
