//! Chinook, on PostgreSQL and MariaDB: a load killed in the middle, resumed, verified.

use std::time::Duration;

use crate::compare::{self, Items};
use crate::examples::patterns_are_answered;
use crate::front::{Fault, Front, When};
use crate::servers::Kind;
use crate::stage::Stage;

const DATABASES: [Kind; 2] = [Kind::Postgres, Kind::MySql];

async fn chinook(kind: Kind) -> Stage {
    let name = kind.name();
    Stage::example(kind, &format!("chinook.{name}.toml"), &format!("chinook.{name}.sql")).await
}

#[tokio::test]
async fn a_load_killed_in_the_middle_goes_on_and_ends_with_the_same_items() {
    let mut found: Vec<Items> = Vec::new();
    for kind in DATABASES {
        let stage = chinook(kind).await;
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        let stage = stage.at(front.url());
        front.script([(When::Always, Fault::Delay(Duration::from_millis(30)))]);
        let mut running = stage.tool("--create-table --concurrency 1").spawn();
        running.until("some batches are written", |_| front.counters().batches() >= 4).await;
        assert_eq!(running.kill().await.signal(), Some(9), "{}", kind.name());
        let half = compare::scan(&stage.client(), "chinook").await;
        front.script([]);
        let resumed = stage.migrate("--json", 0).await.json();
        let rows = resumed["totals"]["read"].as_u64().unwrap();
        assert!(!half.is_empty() && (half.len() as u64) < rows, "{}: killed too late", kind.name());
        assert_eq!(resumed["outcome"], "done");
        assert_eq!(resumed["totals"]["rejected"], 0);
        let verified = stage.migrate("verify --json", 0).await.json();
        patterns_are_answered(&verified, kind);
        let items = compare::scan(&stage.client(), "chinook").await;
        assert_eq!(items.len() as u64, rows, "{}", kind.name());
        found.push(items);
    }
    compare::assert_same(&found[0], &found[1]);
}

#[tokio::test]
async fn the_keys_of_every_entity_are_proven() {
    for kind in DATABASES {
        let stage = chinook(kind).await;
        let check = stage.migrate("check --json", 0).await.json();
        let entities = check["entities"].as_object().unwrap();
        assert_eq!(entities.len(), 11, "{}", kind.name());
        for (name, entity) in entities {
            assert_eq!(entity["key_proof"]["status"], "proven", "{name} on {}", kind.name());
        }
        let warnings: Vec<_> = check["findings"].as_array().unwrap().iter().collect();
        let warnings: Vec<_> = warnings.into_iter().filter(|finding| finding["severity"] != "note").collect();
        assert!(warnings.is_empty(), "{}: {warnings:?}", kind.name());
    }
}
