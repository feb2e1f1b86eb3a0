//! docs/cases.md names, for each fault that happened to others, the tests that keep it away. These
//! tests keep the index true.

use crate::layering::rust_files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A line of the index.
struct Case {
    id: String,
    tests: Vec<String>,
    /// Says what is still missing.
    open: bool,
}

/// A test of the repository: its path as `cargo test` prints it, and the cases that it names.
struct Test {
    path: String,
    cases: BTreeSet<String>,
}

#[test]
fn every_case_has_a_test_or_says_what_is_open() {
    let cases = index();
    assert!(cases.len() > 50, "docs/cases.md was not understood: {} lines", cases.len());
    let bare: Vec<&str> = cases
        .iter()
        .filter(|case| case.tests.is_empty() && !case.open)
        .map(|case| case.id.as_str())
        .collect();
    assert!(bare.is_empty(), "neither a test nor `open:`: {bare:?}");
    let ids: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids.len(), cases.len(), "a case stands twice");
}

#[test]
fn every_test_of_the_index_exists_and_names_its_case() {
    let all = tests().into_iter().chain(folders());
    let tests: BTreeMap<String, BTreeSet<String>> = all.map(|test| (test.path, test.cases)).collect();
    let mut wrong = Vec::new();
    for case in index() {
        for path in case.tests {
            match tests.get(&path) {
                None => wrong.push(format!("{}: there is no test {path}", case.id)),
                Some(named) if !named.contains(&case.id) => {
                    wrong.push(format!("{}: {path} names it neither in its name nor above it", case.id));
                }
                Some(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_case_that_a_test_names_is_in_the_index() {
    let known: BTreeSet<String> = index().into_iter().map(|case| case.id).collect();
    let all = tests().into_iter().chain(folders());
    let strangers: Vec<String> = all
        .flat_map(|test| {
            let strange = test.cases.difference(&known).map(|case| format!("{case} of {}", test.path));
            strange.collect::<Vec<_>>()
        })
        .collect();
    assert!(strangers.is_empty(), "not in docs/cases.md: {strangers:#?}");
}

/// `| W01 | … | `path::of::test` |`
fn index() -> Vec<Case> {
    let text = std::fs::read_to_string(root().join("docs/cases.md")).unwrap();
    let case = |line: &str| {
        let mut cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
        let id = cells.next().filter(|id| is_case(id))?.to_owned();
        let last = cells.last()?;
        let quoted = last.split('`').skip(1).step_by(2);
        let is_test = |word: &&str| word.contains("::") || word.starts_with("tests/cases/");
        let tests = quoted.filter(is_test).map(str::to_owned).collect();
        Some(Case { id, tests, open: last.contains("open:") })
    };
    text.lines().filter_map(case).collect()
}

fn tests() -> Vec<Test> {
    let mut tests = Vec::new();
    for folder in ["src", "tests/it"] {
        let folder = root().join(folder);
        let mut files = Vec::new();
        rust_files(&folder, &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            tests_of(&module_of(file.strip_prefix(&folder).unwrap()), &text, &mut tests);
        }
    }
    assert!(tests.len() > 300, "found {} tests", tests.len());
    tests
}

/// Tests that are a folder of data: `tests/cases/check/r15-inherited-table`.
fn folders() -> Vec<Test> {
    let mut folders = Vec::new();
    for suite in std::fs::read_dir(root().join("tests/cases")).unwrap() {
        let suite = suite.unwrap().path();
        for case in suite.read_dir().into_iter().flatten() {
            let path = case.unwrap().path();
            let words = path.file_name().unwrap().to_str().unwrap().to_uppercase();
            let cases: BTreeSet<String> =
                words.split('-').map_while(|word| is_case(word).then(|| word.to_owned())).collect();
            let path = path.strip_prefix(root()).unwrap().display().to_string();
            folders.push(Test { path, cases });
        }
    }
    folders
}

/// `load/delivery.rs` → `load`, `delivery`
fn module_of(file: &Path) -> Vec<String> {
    let file = file.with_extension("");
    let names = file.iter().map(|name| name.to_str().unwrap().to_owned());
    names.filter(|name| name != "mod").collect()
}

/// Tests with what stands above them, in modules within the file too.
fn tests_of(file: &[String], text: &str, tests: &mut Vec<Test>) {
    let mut modules: Vec<(usize, String)> = Vec::new();
    let mut above = String::new();
    for line in text.lines() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if code.starts_with("///") || code.starts_with("#[") {
            above += code;
            above.push('\n');
            continue;
        }
        if code == "}" {
            modules.retain(|(opened, _)| *opened < indent);
        }
        if let Some(name) = code.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(" {")) {
            modules.push((indent, name.to_owned()));
        }
        let function = code.trim_start_matches("async ").strip_prefix("fn ");
        let is_test = above.contains("#[test]") || above.contains("#[tokio::test");
        if let (true, Some((name, _))) = (is_test, function.and_then(|rest| rest.split_once('('))) {
            let inner = modules.iter().map(|(_, name)| name.as_str());
            let path: Vec<&str> = file.iter().map(String::as_str).chain(inner).chain([name]).collect();
            let comment = above.lines().filter(|line| line.starts_with("///")).collect::<String>();
            let words = name.split('_').map_while(|word| is_case(&word.to_uppercase()).then_some(word));
            let words = words.chain(comment.split(|c: char| !c.is_alphanumeric()));
            let cases = words.map(str::to_uppercase).filter(|word| is_case(word)).collect();
            tests.push(Test { path: path.join("::"), cases });
        }
        above.clear();
    }
}

/// A letter for the area and two digits.
fn is_case(word: &str) -> bool {
    let bytes = word.as_bytes();
    matches!(bytes, [area, tens, ones]
        if b"KNTSZWCRPV".contains(area) && tens.is_ascii_digit() && ones.is_ascii_digit())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
