//! The manual pages: each is well-formed roff with all sections, and says what the help says.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::help::commands;
use crate::tool::{Folder, Tool};

const SECTIONS: [&str; 8] = [
    ".SH NAME",
    ".SH SYNOPSIS",
    ".SH DESCRIPTION",
    ".SH OPTIONS",
    ".SH EXAMPLES",
    ".SH \"EXIT STATUS\"",
    ".SH ENVIRONMENT",
    ".SH \"SEE ALSO\"",
];

async fn page(words: &[&str]) -> String {
    Tool::new([&["man"], words].concat()).run().await.expect_code(0).stdout
}

#[tokio::test]
async fn every_command_has_a_page_that_renders_without_warnings() {
    let commands = commands().await;
    for command in commands.iter().map(|command| vec![command.as_str()]).chain([Vec::new()]) {
        let page = page(&command).await;
        for section in SECTIONS {
            assert!(page.lines().any(|line| line == section), "{command:?} has no {section}:\n{page}");
        }
        if let Some(warnings) = warnings(&page) {
            assert_eq!(warnings, "", "{command:?}");
        }
    }
}

/// What `mandoc`, `man` or `groff` has to say against a page; `None` on a machine that has none of them.
fn warnings(page: &str) -> Option<String> {
    let readers: [&[&str]; 3] = [
        &["mandoc", "-T", "lint", "-W", "warning"],
        &["man", "--warnings", "-E", "UTF-8", "-l", "-"],
        &["groff", "-man", "-ww", "-z"],
    ];
    let reader = readers.into_iter().find(|words| is_there(words[0]))?;
    let mut reading = Command::new(reader[0])
        .args(&reader[1..])
        .env("MANWIDTH", "80")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    reading.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    let said = reading.wait_with_output().unwrap();
    let lint = if reader[0] == "mandoc" { said.stdout } else { said.stderr };
    Some(String::from_utf8_lossy(&lint).into_owned())
}

fn is_there(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", "command -v \"$0\"", program]).output().unwrap();
    found.status.success()
}

#[tokio::test]
async fn a_page_says_what_the_help_says() {
    let run = page(&["run"]).await;
    for said in
        [".TH migrate-run 1", "\\-\\-max\\-rejects", ".SS PACE", ".SH FILES", "rejects.jsonl", "NO_COLOR"]
    {
        assert!(run.contains(said), "{said}\n{run}");
    }
    assert!(page(&[]).await.contains("migrate\\-preview(1)"));
    assert!(!page(&["local"]).await.contains("AWS_PROFILE"));
}

#[tokio::test]
async fn all_pages_go_into_a_folder() {
    let folder = Folder::new();
    folder.tool(["man", "--dir", "."]).run().await.expect_code(0);
    let mut expected: Vec<String> =
        commands().await.iter().map(|command| format!("migrate-{command}.1")).collect();
    expected.push("migrate.1".to_owned());
    expected.sort();
    assert_eq!(folder.files(), expected);
    assert_eq!(folder.read("migrate-run.1"), page(&["run"]).await);
    let nowhere = folder.tool(["man", "--dir", "missing"]).run().await.expect_code(1);
    assert!(nowhere.stderr.contains("name a folder that exists"), "{}", nowhere.stderr);
}
