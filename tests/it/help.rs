//! The help of every command, whole, at two widths; and what is said to a mistaken command line.

use crate::stage::expect_case;
use crate::tool::{Finished, Tool};

async fn help(words: &[&str], columns: &str) -> String {
    Tool::new(words.to_vec()).env("COLUMNS", columns).run().await.expect_code(0).stdout
}

/// As `migrate help` lists them, `help` left out.
pub async fn commands() -> Vec<String> {
    let whole = help(&["--help"], "100").await;
    let (_, list) = whole.split_once("Commands:\n").unwrap();
    let names =
        list.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    let names: Vec<String> = names.filter(|name| *name != "help").map(str::to_owned).collect();
    assert!(names.len() > 5, "{whole}");
    names
}

#[tokio::test]
async fn every_help_fits_its_page() {
    let mut commands = commands().await;
    commands.push(String::new());
    for command in commands {
        let mut words: Vec<&str> = command.split_whitespace().collect();
        words.push("--help");
        let mut shown = String::new();
        for columns in ["80", "100"] {
            let help = help(&words, columns).await;
            let width: usize = columns.parse().unwrap();
            let long = help.lines().find(|line| line.chars().count() > width);
            assert!(long.is_none(), "wider than {columns}: {long:?}");
            assert!(help.contains("\nExamples:\n"), "{command} has no examples");
            shown += &format!("--- {columns} columns\n{help}\n");
        }
        let name = if command.is_empty() { "migrate" } else { &command };
        expect_case(&format!("help/{name}.expected"), &shown);
    }
}

#[tokio::test]
async fn all_ways_to_ask_for_help_are_one() {
    let long = help(&["run", "--help"], "80").await;
    assert_eq!(help(&["run", "-h"], "80").await, long);
    assert_eq!(help(&["help", "run"], "80").await, long);
    assert_eq!(help(&["help"], "80").await, help(&["--help"], "80").await);
    let nothing = Tool::new(Vec::<String>::new()).env("COLUMNS", "80").run().await.expect_code(2);
    assert_eq!(nothing.stderr, help(&["-h"], "80").await);
}

#[tokio::test]
async fn a_mistaken_command_line_is_told_what_was_meant() {
    let mut shown = String::new();
    for words in [
        "runn --mapping shop.toml",
        "--mapping shop.toml check",
        "shop.toml",
        "check shop.toml",
        "run --dryrun",
        "verify --mapping shop.toml --create-table",
        "check --mapping shop.toml --rate=5",
        "preview --mapping shop.toml --key order_id=7 line_no=1",
        "run --mapping shop.toml --limit -5",
        "run --rate fast --mapping shop.toml",
        "run",
        "completions bsh",
        "man runn",
        "verify --mapping shop.toml --create-table --json",
    ] {
        let finished: Finished = Tool::new(words.split_whitespace()).run().await.expect_code(2);
        shown += &format!("$ migrate {words}\n{}{}\n", finished.stderr, finished.stdout);
    }
    expect_case("help/mistakes.expected", &shown);
}
