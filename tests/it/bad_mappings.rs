//! What users read when their mapping is wrong: each `tests/cases/bad-mappings/*.toml` with its whole
//! output beside it. `UPDATE_EXPECT=1` writes the outputs anew.

use std::path::{Path, PathBuf};

use dynamigrate::mapping::{Diagnostic, Mapping, MappingFile, render};
use expect_test::expect_file;

#[test]
fn every_mistake_is_shown_at_its_place_with_help() {
    let cases = cases();
    assert!(cases.len() >= 30, "found only {} cases", cases.len());
    for case in cases {
        let mut file = MappingFile::read(&case).unwrap();
        file.path = case.file_name().unwrap().into();
        let output = render(&file, &mistakes(&file), false);
        assert!(!output.is_empty(), "{} has no mistake", case.display());
        for secret in ["s3cret", "hunter2"] {
            assert!(!output.contains(secret), "{} shows a password:\n{output}", case.display());
        }
        expect_file![case.with_extension("expected")].assert_eq(&output);
    }
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/bad-mappings");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut cases: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    cases.sort();
    cases
}

/// A mapping that can be read may still miss variables.
fn mistakes(file: &MappingFile) -> Vec<Diagnostic> {
    match Mapping::parse(file, &environment) {
        Ok(mapping) => [mapping.source.missing, mapping.table.missing].concat(),
        Err(mistakes) => mistakes,
    }
}

fn environment(name: &str) -> Option<String> {
    match name {
        "DATABASE_URL" => Some("postgres://shop:s3cret@localhost/shop".to_owned()),
        "RAW_PASSWORD" => Some("hunter2#1".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    }
}
