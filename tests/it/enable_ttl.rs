//! `migrate verify --enable-ttl`: only after everything is proven, only once, and never another attribute's.

use serde_json::{Value, json};

use crate::front::{Fault, Front, When};
use crate::servers::{self, Kind};
use crate::stage::{Stage, expect_case};

pub const MAPPING: &str = r##"
[source]
url = "${DATABASE_URL}"

[table]
name = "shop"
endpoint = "${DYNAMODB_ENDPOINT:-embedded}"
ttl = "expires"

[entities.Session]
from = "sessions"
pk = "S#{id}"
sk = "S"
columns = ["id", "expires"]
"##;

const SESSIONS: &str = "CREATE TABLE sessions (id INT PRIMARY KEY, expires BIGINT);
    INSERT INTO sessions VALUES (1, 4000000000), (2, 4000000000), (3, NULL)";

async fn loaded(kind: Kind) -> Stage {
    let stage = Stage::new(kind, SESSIONS, MAPPING).await.with_dynamodb().await;
    stage.migrate("--create-table", 0).await;
    stage
}

async fn lose_one(stage: &Stage) {
    let key = json!({"PK": {"S": "S#2"}, "SK": {"S": "S"}});
    stage.client().call("DeleteItem", json!({"TableName": "shop", "Key": key})).await;
}

async fn status(stage: &Stage) -> Value {
    let described = stage.client().call("DescribeTimeToLive", json!({"TableName": "shop"})).await;
    described["TimeToLiveDescription"]["TimeToLiveStatus"].clone()
}

async fn expire_by(stage: &Stage, attribute: &str) {
    let enable = json!({"TableName": "shop", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": attribute}});
    stage.client().call("UpdateTimeToLive", enable).await;
}

#[tokio::test]
async fn a_proven_table_expires_items_from_then_on_and_is_asked_once() {
    for kind in servers::ALL {
        let stage = loaded(kind).await;
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        let stage = stage.at(front.url());
        let would = stage.migrate("verify --enable-ttl --dry-run --json", 0).await.json();
        assert_eq!(would["time_to_live"], json!({"attribute": "expires", "state": "would_be_enabled"}));
        assert_eq!(status(&stage).await, "DISABLED", "{}", kind.name());
        let report = stage.migrate("verify --enable-ttl --json", 0).await.json();
        assert_eq!(report["time_to_live"], json!({"attribute": "expires", "state": "enabled"}));
        assert_eq!(status(&stage).await, "ENABLED", "{}", kind.name());
        let again = stage.migrate("verify --enable-ttl --json", 0).await.json();
        assert_eq!(again["time_to_live"], json!({"attribute": "expires", "state": "already_enabled"}));
        assert_eq!(front.counters().requests("UpdateTimeToLive"), 1);
    }
}

#[tokio::test]
async fn a_table_in_which_something_is_wrong_expires_nothing_until_it_is_mended() {
    let stage = loaded(Kind::Sqlite).await;
    lose_one(&stage).await;
    let shown = stage.migrate("verify --enable-ttl", 5).await;
    expect_case("verify/ttl-not-enabled.expected", &stage.shown(&shown));
    let report = stage.migrate("verify --enable-ttl --repair --dry-run --json", 5).await.json();
    assert_eq!(report["time_to_live"]["state"], "not_enabled");
    assert_eq!(status(&stage).await, "DISABLED");
    let shown = stage.migrate("verify --enable-ttl --repair --yes", 0).await;
    expect_case("verify/ttl-enabled.expected", &stage.shown(&shown));
    assert_eq!(status(&stage).await, "ENABLED");
}

/// Of a pattern whose rows of `params` all make no key the table was asked nothing; one without rows has nothing to ask.
#[tokio::test]
async fn a_pattern_that_is_left_out_whole_is_no_proof() {
    let pattern = |condition: &str| {
        let params = format!("SELECT expires FROM sessions WHERE {condition}");
        format!(
            "{MAPPING}\n[[access_patterns]]\nname = \"by time\"\nparams = \"{params}\"\npk = \"S#{{expires}}\"\nreturns = {{ Session = \"expires = {{expires}} AND 1 = 0\" }}\n"
        )
    };
    for kind in servers::ALL {
        let stage = loaded(kind).await;
        stage.folder.write("mapping.toml", &pattern("expires IS NULL"));
        let report = stage.migrate("verify --enable-ttl --json", 0).await.json();
        let asked = &report["access_patterns"][0];
        assert_eq!((&asked["params"], &asked["skipped_by"]), (&json!(0), &json!({"key_null": 1})));
        assert_eq!(
            (&report["outcome"], &report["time_to_live"]["state"]),
            (&json!("done"), &json!("not_enabled"))
        );
        assert_eq!(status(&stage).await, "DISABLED", "{}", kind.name());
        stage.folder.write("mapping.toml", &pattern("id = 99"));
        let report = stage.migrate("verify --enable-ttl --json", 0).await.json();
        assert_eq!(report["time_to_live"]["state"], "enabled", "{}", kind.name());
    }
}

/// What no look at the rows could mend is told before they are read.
#[tokio::test]
async fn what_cannot_be_switched_on_is_told_before_anything_is_read() {
    let stage = loaded(Kind::Sqlite).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    let sampled = stage.migrate("verify --enable-ttl --sample 1%", 2).await;
    assert!(sampled.stderr.contains("cannot be used with"), "{}", sampled.stderr);
    expire_by(&stage, "other").await;
    let other = stage.migrate("verify --enable-ttl --json", 3).await.json();
    assert_eq!(other["error"]["code"], "ttl-differs");
    let message = other["error"]["message"].as_str().unwrap();
    assert!(message.contains("`other`") && message.contains("`expires`"), "{message}");
    stage.folder.write("mapping.toml", &MAPPING.replace("ttl = \"expires\"\n", ""));
    let none = stage.migrate("verify --enable-ttl --json", 2).await.json();
    assert_eq!(none["error"]["code"], "no-ttl");
    assert_eq!(front.counters().requests("BatchGetItem"), 0);
}

#[tokio::test]
async fn a_refusal_comes_with_what_to_do_by_hand() {
    let stage = loaded(Kind::Sqlite).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    front.on("UpdateTimeToLive", When::Always, Fault::access_denied());
    let failed = stage.migrate("verify --enable-ttl", 1).await;
    assert!(failed.stderr.contains("update-time-to-live --table-name shop"), "{}", failed.stderr);
    assert!(failed.stderr.contains("AttributeName=expires"), "{}", failed.stderr);
}
