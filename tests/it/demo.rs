//! `migrate demo`: what a new user sees first.

use crate::tool::Folder;

#[tokio::test]
async fn the_demo_tells_the_whole_story_and_leaves_nothing_behind() {
    let (folder, temporary) = (Folder::new(), Folder::new());
    let demo = folder.tool(["demo"]).env("TMPDIR", temporary.path()).run().await.expect_code(0);
    let (said, data) = (&demo.stderr, &demo.stdout);
    for command in [
        "migrate --mapping shop.toml --dry-run",
        "migrate --mapping shop.toml\n",
        "migrate verify --mapping shop.toml",
        "migrate check   --mapping my.toml",
        "migrate         --mapping my.toml --create-table",
        "export DATABASE_URL=",
    ] {
        assert!(said.contains(command), "{command} is not told:\n{said}");
    }
    assert!(data.contains("Dry run: nothing was written"), "{data}");
    assert!(data.contains("Done. `migrate verify` proves it."), "{data}");
    assert!(data.contains("Every item that the source makes is in the target, and equal."), "{data}");
    assert!(data.contains("6 access patterns are answered as the source does."), "{data}");
    assert!(!said.contains("warning"), "the demo warns:\n{said}");
    assert_eq!(temporary.files(), Vec::<String>::new());
    assert_eq!(folder.files(), Vec::<String>::new());
}

/// Three reports are not one document: the demo is for people.
#[tokio::test]
async fn commands_without_a_report_have_no_json() {
    for command in ["demo", "local"] {
        let refused = crate::tool::Tool::new([command, "--json"]).run().await.expect_code(2);
        assert!(refused.stderr.contains("--json"), "{}", refused.stderr);
    }
}

#[tokio::test]
async fn the_demo_without_a_place_for_its_files_says_so() {
    let demo = crate::tool::Tool::new(["demo"]).env("TMPDIR", "/nonexistent").run().await.expect_code(1);
    assert!(demo.stderr.contains("TMPDIR"), "{}", demo.stderr);
}
