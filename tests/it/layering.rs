//! The invariants of ARCHITECTURE.md that a text search can check.

use std::path::{Path, PathBuf};

/// A source file without its tests, comments and doc comments.
struct Source {
    path: String,
    code: String,
}

#[test]
fn each_foreign_library_has_one_home() {
    only_in("sqlx", &["source"]);
    for name in ["aws_sdk", "aws_config", "aws_smithy", "dynoxide"] {
        only_in(name, &["target"]);
    }
    only_in("governor", &["load/pacer"]);
    only_in("anyhow", &["cli"]);
    only_in("indicatif", &["cli"]);
    only_in("clap", &["cli"]);
}

#[test]
fn only_the_command_line_prints_and_reads_the_environment() {
    for name in ["println!", "print!", "eprintln!", "eprint!", "env::", "process::exit"] {
        only_in(name, &["cli", "main.rs"]);
    }
}

#[test]
fn nothing_panics_on_purpose() {
    for name in [".unwrap()", "todo!", "unimplemented!", "dbg!"] {
        only_in(name, &[]);
    }
}

#[test]
fn a_part_knows_only_the_parts_before_it() {
    never_in("mapping", &["source", "plan", "item", "target", "load", "verify", "report", "schema", "cli"]);
    never_in("source", &["plan", "item", "target", "load", "verify", "report", "schema", "cli"]);
    never_in("item", &["target", "load", "verify", "report", "cli"]);
    never_in("plan", &["target", "load", "verify", "cli"]);
    never_in("target", &["source", "load", "verify", "cli"]);
    never_in("witness", &["target", "load", "verify", "report", "cli"]);
    never_in("near", &["target", "load", "verify", "report", "cli"]);
    never_in("load", &["verify", "cli"]);
    never_in("verify", &["cli"]);
}

/// What watches the decoders shares nothing with them.
#[test]
fn the_witness_knows_of_items_only_the_finished_ones() {
    let uses = sources().into_iter().filter(|s| s.is_in("witness") && s.has("crate::item"));
    let uses: Vec<String> = uses
        .flat_map(|s| {
            s.code.lines().filter(|l| l.contains("crate::item")).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(uses, ["use crate::item::{ItemPage, source_key};"]);
}

/// S04: the driver that takes every database knows only the types that all of them have.
#[test]
fn s04_each_database_has_a_driver_of_its_own() {
    for name in ["sqlx::any", "AnyConnection", "AnyPool"] {
        only_in(name, &[]);
    }
}

#[test]
fn items_are_made_without_waiting() {
    for word in ["tokio", "async fn", ".await"] {
        let found: Vec<String> =
            sources().into_iter().filter(|s| s.is_in("item") && s.has(word)).map(|s| s.path).collect();
        assert!(found.is_empty(), "`{word}` in {found:?}");
    }
}

#[track_caller]
fn only_in(word: &str, homes: &[&str]) {
    let strangers = sources().into_iter().filter(|s| s.has(word) && !homes.iter().any(|home| s.is_in(home)));
    let strangers: Vec<String> = strangers.map(|s| s.path).collect();
    assert!(strangers.is_empty(), "`{word}` belongs to {homes:?}, found in {strangers:?}");
}

#[track_caller]
fn never_in(part: &str, others: &[&str]) {
    for source in sources().iter().filter(|source| source.is_in(part)) {
        let uses: Vec<&&str> = others.iter().filter(|other| source.has(&format!("crate::{other}"))).collect();
        assert!(uses.is_empty(), "{} uses {uses:?}", source.path);
    }
}

impl Source {
    /// `item` is `item.rs` or `item/…`; `load/pacer` also `load/pacer.rs`.
    fn is_in(&self, part: &str) -> bool {
        self.path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
    }

    /// As a word: `clap` is not in `clapped`, `print!` not in `eprint!`.
    fn has(&self, word: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        self.code.match_indices(word).any(|(at, _)| {
            let before = self.code[..at].chars().next_back();
            let starts = !word.starts_with(is_word) || !before.is_some_and(is_word);
            let after = self.code[at + word.len()..].chars().next();
            // `aws_sdk` also finds `aws_sdk_dynamodb`.
            starts && (!word.ends_with(is_word) || !after.is_some_and(char::is_alphanumeric))
        })
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    rust_files(&root, &mut paths);
    assert!(paths.len() > 10, "src/ was not found");
    let source = |path: PathBuf| Source {
        code: without_tests_and_comments(&std::fs::read_to_string(&path).unwrap()),
        path: path.strip_prefix(&root).unwrap().display().to_string(),
    };
    let is_test = |path: &Path| {
        path.iter().any(|part| ["tests", "tests.rs", "testing.rs"].iter().any(|test| part == *test))
    };
    paths.into_iter().filter(|path| !is_test(path)).map(source).collect()
}

/// All Rust files below a folder.
pub fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Unit tests stand at the end of a file.
fn without_tests_and_comments(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}
