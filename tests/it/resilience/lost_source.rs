//! The source goes away in the middle of a load.

use std::time::Instant;

use serde_json::Value;

use super::{MILLISECOND, SECOND, Scene, assert_accounted};
use crate::front::{Fault, When};
use crate::servers::{self, Kind, PrivateServer};
use crate::tool::Running;

#[tokio::test]
async fn p03_a_postgres_server_that_is_restarted_is_found_again() {
    let mut server = PrivateServer::postgres().await;
    let scene = slow_scene(server.database().await).await;
    let mut running = begin(&scene).await;
    server.stop();
    running.until("it misses the source", |r| r.stderr().contains("the source is gone")).await;
    server.start().await;
    assert_went_on(&scene, running).await;
}

#[tokio::test]
async fn p03_a_postgres_server_that_crashed_is_found_again() {
    let mut server = PrivateServer::postgres().await;
    let scene = slow_scene(server.database().await).await;
    let mut running = begin(&scene).await;
    server.kill();
    running.until("it misses the source", |r| r.stderr().contains("the source is gone")).await;
    server.start().await;
    assert_went_on(&scene, running).await;
}

#[tokio::test]
async fn p03_a_mariadb_server_that_is_restarted_is_found_again() {
    let mut server = PrivateServer::mysql().await;
    let scene = slow_scene(server.database().await).await;
    let mut running = begin(&scene).await;
    server.stop();
    running.until("it misses the source", |r| r.stderr().contains("the source is gone")).await;
    server.start().await;
    assert_went_on(&scene, running).await;
}

#[tokio::test]
async fn p03_a_source_that_stays_away_ends_the_load_which_a_later_run_completes() {
    let mut server = PrivateServer::postgres().await;
    let scene = slow_scene(server.database().await).await;
    let running = begin(&scene).await;
    server.stop();
    let failed = running.finish().await.expect_code(1);
    let error = &failed.json()["error"];
    assert_eq!(error["code"], "source-connect", "{error}");
    assert!(error["help"].as_str().unwrap().contains("that the server is up"), "{error}");
    let ranges = scene.checkpoint()["entities"][0]["ranges"].as_array().unwrap().clone();
    assert!(ranges.iter().any(|range| range["done"] == false), "P03: what was not read is not done");
    server.start().await;
    let report = scene.load().run().await.expect_code(0).json();
    assert_accounted(&report, ROWS, 0);
    scene.assert_complete().await;
}

#[tokio::test]
async fn p10_ctrl_c_ends_the_search_for_a_lost_source() {
    let mut server = PrivateServer::postgres().await;
    let scene = slow_scene(server.database().await).await;
    let mut running = begin(&scene).await;
    server.stop();
    running.until("it misses the source", |r| r.stderr().contains("the source is gone")).await;
    let signalled = Instant::now();
    running.interrupt();
    running.finish().await.expect_code(130);
    assert!(signalled.elapsed() < 5 * SECOND, "{:?}", signalled.elapsed());
    server.start().await;
    scene.load().run().await.expect_code(0);
    scene.assert_complete().await;
}

/// R08.
#[tokio::test]
async fn one_reader_that_is_terminated_does_not_end_the_load() {
    for kind in [Kind::Postgres, Kind::MySql] {
        let scene = slow_scene(kind.database().await).await;
        let running = begin(&scene).await;
        terminate_a_reader(&scene).await;
        assert_went_on(&scene, running).await;
    }
}

/// R07: row 5,000 is what the replica does not show, until somebody has mended it.
#[tokio::test]
async fn r07_a_read_that_a_replica_cancelled_goes_on_with_another_snapshot() {
    let scene = slow_scene(servers::postgres().await).await;
    let setup = "CREATE TABLE trouble AS SELECT true AS lasts;
        CREATE FUNCTION shown(id int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
          IF id = 5000 AND (SELECT lasts FROM trouble) THEN
            RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001';
          END IF;
          RETURN true; END $$";
    scene.database.execute(setup).await;
    scene.change_mapping("from = \"ledger\"", "from = \"ledger\"\nwhere = \"shown(id)\"");
    let mut running = scene.load().spawn();
    running.until("the read is cancelled", |r| r.stderr().contains("conflict with recovery")).await;
    scene.database.execute("UPDATE trouble SET lasts = false").await;
    let report = running.finish().await.expect_code(0).json();
    assert_accounted(&report, ROWS, 0);
    assert!(report["snapshots"].as_u64().unwrap() >= 2 && report["consistent"] == "unproven", "{report:#}");
    scene.assert_complete().await;
}

/// R09, R14: neither a kill nor Ctrl-C leaves a session, not even one in the middle of a long query.
#[tokio::test]
async fn r09_r14_a_session_ends_with_its_process() {
    let scene = Scene::new(servers::postgres().await, 100).await;
    scene.change_mapping("from = \"ledger\"", "from = \"ledger\"\nwhere = \"pg_sleep(60) IS NOT NULL\"");
    let count = |condition: &'static str| {
        let sql = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND application_name = 'dynamigrate' AND {condition}"
        );
        let database = &scene.database;
        async move { database.text(&sql).await.parse::<u64>().unwrap() }
    };
    for killed in [true, false] {
        let mut running = scene.migrate("run", &["--dry-run"]).spawn();
        while count("wait_event = 'PgSleep'").await == 0 {
            assert!(!running.has_ended(), "{}", running.stderr());
        }
        let stopped = Instant::now();
        if killed {
            running.kill().await;
        } else {
            running.interrupt();
            running.finish().await.expect_code(130);
            assert!(stopped.elapsed() < 5 * SECOND, "{:?}", stopped.elapsed());
        }
        while count("true").await > 0 {
            assert!(stopped.elapsed() < 10 * SECOND, "its sessions are still there");
        }
    }
}

const ROWS: u64 = 8_000;

async fn slow_scene(database: servers::Database) -> Scene {
    let scene = Scene::new(database, ROWS).await;
    scene.front.script([(When::Always, Fault::Delay(30 * MILLISECOND))]);
    scene
}

async fn begin(scene: &Scene) -> Running {
    let mut running = scene.load().spawn();
    running.until("some of it is written", |_| scene.written() > 1_500).await;
    running
}

async fn assert_went_on(scene: &Scene, running: Running) {
    let report = running.finish().await.expect_code(0).json();
    assert_accounted(&report, ROWS, 0);
    assert_eq!((&report["snapshots"], &report["consistent"]), (&Value::from(2), &"unproven".into()));
    scene.assert_complete().await;
}

/// Readers are the ones with a transaction that has read the table.
async fn terminate_a_reader(scene: &Scene) {
    match scene.database.kind() {
        Kind::Postgres => {
            let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() \
                       AND xact_start IS NOT NULL AND query LIKE '%ledger%' AND pid <> pg_backend_pid() LIMIT 1";
            assert_eq!(scene.database.texts(sql).await.len(), 1);
        }
        Kind::MySql => {
            let sql = "SELECT max(id) FROM information_schema.processlist WHERE db = database() AND id <> connection_id()";
            let reader = scene.database.text(sql).await;
            scene.database.execute(&format!("KILL {reader}")).await;
        }
        Kind::Sqlite => panic!("SQLite has no server"),
    }
}
