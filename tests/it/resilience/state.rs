//! The state folder: one process at a time, and disks that are full.

use super::{MILLISECOND, SECOND, Scene, assert_accounted};
use crate::front::{Fault, When};
use crate::servers;
use crate::tool::{Running, Tool};

#[tokio::test]
async fn p12_a_second_process_is_refused_and_the_first_goes_on() {
    let scene = Scene::new(servers::postgres().await, 2_000).await;
    scene.front.script([(When::Always, Fault::Delay(100 * MILLISECOND))]);
    let mut first = scene.load().spawn();
    first.until("it writes", |_| scene.written() > 0).await;
    let second = scene.load().run().await.expect_code(1).json();
    assert_eq!(second["error"]["code"], "locked");
    let message = second["error"]["message"].as_str().unwrap();
    assert!(message.contains(&format!("process {}", first.id())), "{message}");
    let report = first.finish().await.expect_code(0).json();
    assert_accounted(&report, 2_000, 0);
    assert_eq!(scene.front.counters().rewritten, 0);
}

#[tokio::test]
async fn p05_a_disk_that_fills_up_while_the_checkpoint_is_saved_ends_the_load_and_spoils_nothing() {
    let scene = Scene::new(servers::postgres().await, 10_000).await;
    let running = load_until(&scene, 2_000).await;
    limit_files(&running, 1_000);
    assert_disk_full(&scene, running, "checkpoint", 0).await;
}

#[tokio::test]
async fn p01_p05_a_disk_that_fills_up_within_a_line_of_the_rejects_file_loses_no_reject() {
    for cut in [1, 40, 300] {
        // Most pages have none: a checkpoint could be saved after the file of rejects could not.
        let scene = Scene::with_rejects(servers::postgres().await, 10_000, "n % 1000 < 30").await;
        // Few ranges: the checkpoint is smaller than the rejects.
        scene.change_mapping("readers = 4", "readers = 1");
        let running = load_until(&scene, 3_000).await;
        let rejects = std::fs::metadata(scene.state("rejects.jsonl")).unwrap().len();
        let checkpoint = std::fs::metadata(scene.state("checkpoint.json")).unwrap().len();
        assert!(rejects > checkpoint + 1_000, "{rejects} bytes of rejects, {checkpoint} of checkpoint");
        limit_files(&running, rejects + cut);
        assert_disk_full(&scene, running, "rejects", 300).await;
    }
}

/// It says so, what was saved is valid, and with room the same command completes the load.
async fn assert_disk_full(scene: &Scene, running: Running, file: &str, rejected: u64) {
    let failed = running.finish().await.expect_code(1).json();
    assert_eq!(failed["error"]["code"], "state-folder");
    let (message, help) = (&failed["error"]["message"], &failed["error"]["help"]);
    assert!(message.as_str().unwrap().contains(file), "{message}");
    assert!(help.as_str().unwrap().contains("make room"), "{help}");
    assert!(scene.checkpoint()["entities"][0]["ranges"].is_array());
    assert!(!scene.state("checkpoint.tmp").exists(), "half a file takes room");
    scene.front.script([]);
    let code = if rejected > 0 { 4 } else { 0 };
    let report = scene.load().run().await.expect_code(code).json();
    assert_accounted(&report, 10_000, rejected);
    assert_eq!(report["resumed"], true);
    scene.assert_rejects_listed_once().await;
    scene.assert_complete().await;
}

/// A load that outlives a write to a file that is too large, as it outlives one to a full disk.
async fn load_until(scene: &Scene, items: u64) -> Running {
    scene.front.script([(When::Always, Fault::Delay(10 * MILLISECOND))]);
    let words = "trap '' XFSZ; exec \"$0\" run --mapping ledger.toml --json --create-table";
    let tool = Tool::of("sh", ["-c", words, env!("CARGO_BIN_EXE_migrate")]);
    let mut running = scene.equip(tool.in_folder(scene.folder.path()).timeout(60 * SECOND)).spawn();
    running.until("a part is written", |_| scene.written() > items).await;
    running
}

/// No file of the process may grow beyond so many bytes from now on.
fn limit_files(running: &Running, bytes: u64) {
    let pid = running.id().to_string();
    let limit = format!("--fsize={bytes}");
    let limited = std::process::Command::new("prlimit").args(["--pid", &pid, &limit]).status();
    assert!(limited.expect("prlimit (util-linux)").success());
}
