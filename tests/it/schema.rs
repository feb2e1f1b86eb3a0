//! `mappings/schema.json`, by which editors complete and check mappings, says what the parser does.

mod form;
mod validator;
mod values;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dynamigrate::mapping::{Diagnostic, Mapping, MappingFile, sections};

use self::form::{closed_tables, forms, only_table, schema, words};
use self::validator::{Validator, place};
use self::values::{VALUES, WORDS, with};

/// Mistakes of `tests/cases/` that only the parser sees, of the kinds that a schema could see. JSON has no
/// dates: they are texts.
const ONLY_THE_PARSER_SEES: [&str; 1] =
    ["wrong-types: wrong-type: expected a template such as \"USER#{id:010}\" for `pk`, found a date or time"];

#[test]
fn has_exactly_the_keys_that_the_parser_takes() {
    let schema = schema();
    let mut described = Vec::new();
    for section in sections() {
        let (place, table) = (section.place, only_table(&schema, section.place));
        let known: BTreeSet<&str> = section.keys.iter().copied().collect();
        let keys: BTreeSet<&str> =
            table["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, known, "the keys of [{place}]");
        assert!(
            section.later.iter().all(|word| !keys.contains(word)),
            "[{place}] has what does not work yet"
        );
        described.push(std::ptr::from_ref(table));
    }
    for (pointer, table) in closed_tables(&schema) {
        let known = described.iter().any(|place| std::ptr::eq(*place, table));
        assert!(known, "{pointer} is no table of the language");
    }
}

/// [`sections`] is a list by hand.
#[test]
fn every_list_of_keys_of_the_parser_is_compared() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mapping/parse");
    let listed = std::fs::read_to_string(folder.join("sections.rs")).unwrap();
    let mut found = 0;
    for path in files(&folder, "rs") {
        let text = std::fs::read_to_string(&path).unwrap();
        let module = path.file_stem().unwrap().to_str().unwrap();
        let names = text
            .lines()
            .filter_map(|line| line.split_once("const ")?.1.split_once(": Keys ="))
            .map(|(name, _)| name);
        for name in names {
            found += 1;
            assert!(listed.contains(&format!("&{module}::{name})")), "sections.rs lacks {module}::{name}");
        }
    }
    assert!(found >= 15, "found only {found} lists");
}

#[test]
fn explains_every_key() {
    let schema = schema();
    for section in sections() {
        for (key, value) in only_table(&schema, section.place)["properties"].as_object().unwrap() {
            let explained = forms(&schema, value).iter().any(|form| form["description"].is_string());
            assert!(explained, "{}.{key} has no description", section.place);
        }
    }
}

/// Taplo's completion overflows its stack at an `allOf`, and its hover hides the description beside it.
#[test]
fn has_nothing_that_editors_fail_at() {
    let text = schema().to_string();
    assert!(!text.contains("\"allOf\""), "write anyOf with one form instead");
}

/// The help of an unknown word lists all that are known.
#[test]
fn has_the_words_that_the_parser_knows() {
    let schema = schema();
    for key in WORDS {
        let mistakes = parse(&with(key, "'no-such-word'").to_string()).unwrap_err();
        let [mistake] = mistakes.as_slice() else { panic!("{key}: {mistakes:?}") };
        assert_eq!(mistake.code, "unknown-value", "{key}");
        let (_, known) = mistake.help.as_deref().unwrap().split_once("known: ").unwrap();
        let known: BTreeSet<&str> = known.split('`').skip(1).step_by(2).collect();
        assert_eq!(words(&schema, key), known, "the words of {key}");
    }
}

#[test]
fn takes_and_refuses_values_as_the_parser_does() {
    let validator = Validator::new();
    let mut wrong = Vec::new();
    for (key, taken, refused) in VALUES {
        let cases = taken.iter().map(|value| (value, true)).chain(refused.iter().map(|value| (value, false)));
        for (value, right) in cases {
            let mapping = with(key, value);
            let parser = parse(&mapping.to_string()).is_ok();
            let schema = validator.errors(&mapping).is_empty();
            if (parser, schema) != (right, right) {
                wrong.push(format!("{key} = {value}: parser {parser}, schema {schema}, expected {right}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn takes_every_mapping_that_the_parser_takes() {
    let validator = Validator::new();
    let mut taken = 0;
    for path in mappings() {
        let file = MappingFile::read(&path).unwrap();
        if parse(&file.text).is_ok() {
            taken += 1;
            let errors = validator.errors(&toml::from_str(&file.text).unwrap());
            assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
        }
    }
    assert!(taken >= 20, "found only {taken} mappings");
}

#[test]
fn sees_wrong_keys_types_and_words_where_the_parser_sees_them() {
    let validator = Validator::new();
    let (mut seen, mut unseen) = (0, Vec::new());
    for path in mappings() {
        let file = MappingFile::read(&path).unwrap();
        let (Err(mistakes), Ok(mapping)) = (parse(&file.text), toml::from_str(&file.text)) else { continue };
        let errors = validator.errors(&mapping);
        for mistake in mistakes.iter().filter(|mistake| is_of_shape(mistake)) {
            let place = place(&file.text, mistake);
            if errors.iter().any(|error| error == &place || error.starts_with(&format!("{place}/"))) {
                seen += 1;
            } else {
                let case = path.file_stem().unwrap().to_str().unwrap();
                unseen.push(format!("{case}: {}: {}", mistake.code, mistake.message));
            }
        }
    }
    assert_eq!(unseen, ONLY_THE_PARSER_SEES);
    assert!(seen >= 50, "saw only {seen} mistakes");
}

/// The first line of the examples tells Taplo, and the editors that use it, of the schema.
#[test]
fn the_examples_name_the_schema() {
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("mappings"), "toml") {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("#:schema ./schema.json\n"), "{}", path.display());
    }
}

fn is_of_shape(mistake: &Diagnostic) -> bool {
    ["unknown-key", "not-yet", "wrong-type", "unknown-value", "out-of-range", "float-value"]
        .contains(&mistake.code)
}

fn parse(text: &str) -> Result<Mapping, Vec<Diagnostic>> {
    Mapping::parse(&MappingFile { path: "mapping.toml".into(), text: text.to_owned() }, &|_| None)
}

fn mappings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = files(&root.join("mappings"), "toml");
    paths.extend(files(&root.join("tests/cases"), "toml"));
    paths
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true => found.extend(files(&path, extension)),
            false if path.extension().is_some_and(|found| found == extension) => found.push(path),
            false => {}
        }
    }
    found
}
