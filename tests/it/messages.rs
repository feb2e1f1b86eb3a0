//! What is said, to whom, and how names stand in it.

use serde_json::Value;

use crate::servers::{self, Kind};
use crate::stage::{MAPPING, ORDERS, Stage};
use crate::tool::Tool;

fn codes(document: &Value) -> Vec<String> {
    let findings = document["findings"].as_array().unwrap().iter();
    findings.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

/// `migrate WORDS` on a terminal.
async fn on_terminal(stage: &Stage, words: &str, term: &str) -> String {
    let call = format!("{} {words} --mapping mapping.toml", env!("CARGO_BIN_EXE_migrate"));
    let tool = Tool::of("script", ["-qec", &call, "/dev/null"]).in_folder(stage.folder.path());
    tool.env("TERM", term).env("DATABASE_URL", stage.database.url()).run().await.stdout
}

#[tokio::test]
async fn a_dumb_terminal_gets_no_colours_and_no_bars() {
    let mistaken = MAPPING.replace("{id:010}", "{idd:010}");
    for (mapping, words) in
        [(MAPPING, "run --restart"), (mistaken.as_str(), "check"), (MAPPING, "--only Zebra")]
    {
        let stage = Stage::orders().await;
        stage.folder.write("mapping.toml", mapping);
        let colored = on_terminal(&stage, words, "xterm").await;
        assert!(colored.contains('\u{1b}'), "{words}: {colored:?}");
        let dumb = on_terminal(&stage, words, "dumb").await;
        assert!(!dumb.contains('\u{1b}'), "{words}: {dumb:?}");
    }
}

/// A column that nothing carries is a note, a changing `where` a warning, an unknown column a mistake.
#[tokio::test]
async fn quiet_leaves_mistakes_and_verbose_adds_notes() {
    let mapping = MAPPING
        .replace("from = \"orders\"", "from = \"orders\"\nwhere = \"note < current_date\"\ncolumns = []");
    let mistaken = mapping.replace("{id:010}", "{idd:010}");
    let stage = Stage::new(Kind::Sqlite, ORDERS, &mapping).await;
    let told = |text: &str| ["error[", "warning[", "note["].map(|level| text.contains(level));
    for command in ["run --dry-run", "run", "run --restart"] {
        assert_eq!(stage.migrate(&format!("{command} -q"), 0).await.stderr, "", "{command}");
    }
    assert_eq!(told(&stage.migrate("run --dry-run", 0).await.stderr), [false, true, false]);
    assert_eq!(told(&stage.migrate("run --dry-run -v", 0).await.stderr), [false, true, true]);
    stage.folder.write("mapping.toml", &mistaken);
    assert_eq!(told(&stage.migrate("run -q", 3).await.stderr), [true, false, false]);
    assert_eq!(told(&stage.migrate("run", 3).await.stderr), [true, true, false]);
    assert_eq!(told(&stage.migrate("run -v", 3).await.stderr), [true, true, true]);
}

#[tokio::test]
async fn names_with_blanks_are_quoted() {
    for kind in servers::ALL {
        let quoted = if kind == Kind::MySql { "`empty table`" } else { "\\\"empty table\\\"" };
        let stage = Stage::new(kind, ORDERS, MAPPING).await;
        for from in ["empty table", quoted] {
            stage.folder.write("mapping.toml", &MAPPING.replace("\"orders\"", &format!("\"{from}\"")));
            let document = stage.migrate("check --json", 3).await.json();
            let message = document["error"]["message"].as_str().unwrap();
            let at = message.find("empty table").unwrap_or_else(|| panic!("{}: {message}", kind.name()));
            let before = message[..at].chars().next_back();
            assert!(before.is_some_and(|c| "`\"'.".contains(c)), "{}: {message}", kind.name());
        }
    }
    let stage = Stage::orders().await;
    let refused = stage.migrate("run --only Zebra", 2).await;
    assert!(refused.stderr.contains("the mapping has no entity `Zebra`"), "{}", refused.stderr);
}

/// `--mapping <(…)`: a shell's pipe has no folder, and another name each time.
#[tokio::test]
async fn a_mapping_from_a_pipe_needs_a_state_folder() {
    let stage = Stage::orders().await;
    let piped = |words: &str| {
        let call = format!("{} {words} --mapping <(cat mapping.toml)", env!("CARGO_BIN_EXE_migrate"));
        let tool = Tool::of("bash", ["-c", &call]).in_folder(stage.folder.path());
        tool.env("DATABASE_URL", stage.database.url()).run()
    };
    for words in ["check", "preview", "run --dry-run"] {
        piped(words).await.expect_code(0);
    }
    let refused = piped("run").await.expect_code(2);
    assert!(refused.stderr.contains("name a folder with --state DIR"), "{}", refused.stderr);
    let call = format!("{} run --mapping /dev/stdin < mapping.toml", env!("CARGO_BIN_EXE_migrate"));
    let redirected = Tool::of("bash", ["-c", &call]).in_folder(stage.folder.path());
    redirected.env("DATABASE_URL", stage.database.url()).run().await.expect_code(2);
    assert_eq!(stage.folder.files(), ["mapping.toml"]);
    piped("run --state there").await.expect_code(0);
    let again = piped("run --state there --json").await.expect_code(0).json();
    assert_eq!(again["outcome"], "already_done");
    assert!(stage.folder.path().join("there/mapping/shop/checkpoint.json").exists());
    piped("verify --state there").await.expect_code(0);
}

/// SQLite lets them in, several of them too.
#[tokio::test]
async fn rows_without_a_key_are_told_once() {
    let sql = "CREATE TABLE orders (id TEXT PRIMARY KEY, note TEXT); INSERT INTO orders VALUES (NULL, 'a'), (NULL, 'b'), ('x', 'c')";
    let mapping = MAPPING.replace("{id:010}", "{id}");
    let stage = Stage::new(Kind::Sqlite, sql, &mapping).await;
    assert_eq!(codes(&stage.migrate("check --json", 3).await.json()), ["key-has-nulls"]);
    // Both mistakes, where there are both.
    let sql = "CREATE TABLE orders (id TEXT, note TEXT); INSERT INTO orders VALUES (NULL, 'a'), ('x', 'b'), ('x', 'c')";
    for kind in servers::ALL {
        let mapping = mapping
            .replace("from = \"orders\"", "from = \"orders\"\nwhere = \"note IS NOT NULL\"\nkey = [\"id\"]");
        let sql = sql.replace("TEXT", "VARCHAR(9)");
        let stage = Stage::new(kind, &sql, &mapping).await;
        let mut document = stage.migrate("check --json", 3).await.json();
        let findings = document["findings"].as_array_mut().unwrap();
        findings.retain(|finding| finding["severity"] == "error");
        assert_eq!(codes(&document), ["key-has-nulls", "key-not-unique"], "{}", kind.name());
    }
}

#[tokio::test]
async fn a_wrong_where_hides_no_other_mistake() {
    for kind in servers::ALL {
        let mapping = MAPPING.replace("from = \"orders\"", "from = \"orders\"\nwhere = \"nothing = 1\"");
        let mapping = mapping.replace("{id:010}", "{idd:010}")
            + "\n[table.indexes.GSI1]\npartition_key = \"IPK\"\n\n[entities.Order.index.GSI1]\nwhen = \"nowhere = 1\"\npk = \"{cust}\"\n";
        let stage = Stage::new(kind, ORDERS, &mapping).await;
        let document = stage.migrate("check --json", 3).await.json();
        let expected = ["bad-sql", "unknown-column", "bad-sql", "unknown-column"];
        assert_eq!(codes(&document), expected, "{}: {document}", kind.name());
    }
}

#[tokio::test]
async fn a_value_that_no_key_can_hold_is_not_told_to_overflow() {
    let sql = format!(
        "CREATE TABLE orders (id NUMERIC(50) PRIMARY KEY, note TEXT); INSERT INTO orders VALUES ({}, 'a')",
        "9".repeat(50)
    );
    let stage = Stage::new(Kind::Postgres, &sql, &MAPPING.replace("{id:010}", "{id}")).await;
    let shown = stage.migrate("preview", 4).await.stdout;
    assert!(shown.contains("in a key set type = \"S\", or leave such rows out with where"), "{shown}");
    assert!(!shown.contains("overflow"), "{shown}");
}
