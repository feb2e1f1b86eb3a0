//! docs/sharding.md: its lines compute the shard that we write, and merge what the shards hold, in each language that
//! this machine has.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::documents::{Piece, pieces, text_of};
use crate::servers::Kind;
use crate::stage::Stage;
use crate::tool::{Folder, Tool};

const COUNTS: [u32; 3] = [4, 7, 1000];

/// How a language runs the document's lines: on stdin a line per question, `shard HEX COUNT` or `newest COUNT LIMIT`, which is
/// about all texts before.
struct Language {
    /// Of the block in the document.
    name: &'static str,
    program: &'static str,
    /// Files to write, with `SNIPPET` where the document's lines stand.
    files: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
}

const LANGUAGES: [Language; 4] = [
    Language {
        name: "python",
        program: "python3",
        files: &[("main.py", include_str!("sharding/driver.py"))],
        arguments: &["main.py"],
    },
    Language {
        name: "js",
        program: "node",
        files: &[("sharding.mjs", "SNIPPET"), ("main.mjs", include_str!("sharding/driver.mjs"))],
        arguments: &["main.mjs"],
    },
    Language {
        name: "go",
        program: "go",
        files: &[("sharding.go", "SNIPPET"), ("main.go", include_str!("sharding/driver.go"))],
        arguments: &["run", "sharding.go", "main.go"],
    },
    Language { name: "java", program: "java", files: &[("Main.java", "SNIPPET")], arguments: &["Main.java"] },
];

const JAVA: &str = include_str!("sharding/Driver.java");

/// Python must be there; which others ran is told past the capture of outputs.
#[tokio::test]
async fn the_lines_of_each_language_find_the_shard_that_we_write() {
    let texts = texts();
    let ours = ours(&texts).await;
    let questions = questions(&texts);
    let expected = answers(&texts, &ours);
    let (mut ran, mut missing) = (Vec::new(), Vec::new());
    for language in LANGUAGES {
        if !is_there(language.program) {
            missing.push(language.name);
            continue;
        }
        let answered = language.answers(&questions);
        for ((question, expected), answer) in questions.lines().zip(&expected).zip(answered.lines()) {
            assert_eq!(answer, expected, "{}: {question}", language.name);
        }
        assert_eq!(answered.lines().count(), expected.len(), "{}", language.name);
        ran.push(language.name);
    }
    let told = format!("sharding: ran {}; not installed: {}\n", ran.join(", "), missing.join(", "));
    std::io::stderr().write_all(told.as_bytes()).unwrap();
    assert!(ran.contains(&"python"), "python3 is needed");
}

/// What the document shows with boto3, where that is installed: the newest events of the example.
#[tokio::test]
async fn the_query_of_the_document_finds_the_newest_events() {
    let with_boto3 = Command::new("python3").args(["-c", "import boto3"]).stderr(Stdio::null()).status();
    if !with_boto3.is_ok_and(|status| status.success()) {
        std::io::stderr().write_all(b"sharding: boto3 is not installed\n").unwrap();
        return;
    }
    let stage = Stage::example(Kind::Sqlite, "events.toml", "events.sqlite.sql").await;
    stage.migrate("--create-table", 0).await;
    let folder = Folder::new();
    folder.write("newest.py", &blocks("python").join("\n\n"));
    let home = std::env::var("HOME").unwrap();
    let python = Tool::of("python3", ["newest.py"]).in_folder(folder.path()).env("HOME", home);
    let python = python.env("AWS_DEFAULT_REGION", "us-east-1");
    let python = python.env("AWS_ENDPOINT_URL_DYNAMODB", stage.endpoint.as_deref().unwrap());
    let shown = python.run().await.expect_code(0).stdout;
    let items = stage.client().scan("events", None).await;
    let mut newest: Vec<&str> = items.iter().filter_map(|item| item["LatestSK"]["S"].as_str()).collect();
    newest.sort_unstable_by(|left, right| right.cmp(left));
    let shown: Vec<&str> = shown.lines().map(|line| line.split_once(' ').unwrap().0).collect();
    assert_eq!(shown, newest[..20]);
}

impl Language {
    fn answers(&self, questions: &str) -> String {
        let snippet = blocks(self.name).into_iter().next().unwrap_or_else(|| panic!("no {}", self.name));
        // A program needs another name for its package, and its first class before all others.
        let snippet = snippet.replace("package sharding", "package main");
        let snippet = snippet.replace("final class", &format!("{JAVA}\nfinal class"));
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in self.files {
            std::fs::write(folder.path().join(name), text.replace("SNIPPET", &snippet)).unwrap();
        }
        std::fs::write(folder.path().join("questions"), questions).unwrap();
        let stdin = std::fs::File::open(folder.path().join("questions")).unwrap();
        let finished = Command::new(self.program)
            .args(self.arguments)
            .current_dir(folder.path())
            .stdin(stdin)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&finished.stderr);
        assert!(finished.status.success(), "{}: {stderr}", self.name);
        String::from_utf8(finished.stdout).unwrap()
    }
}

fn is_there(program: &str) -> bool {
    let version = if program == "go" { "version" } else { "--version" };
    let asked = Command::new(program).arg(version).stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

fn blocks(wanted: &str) -> Vec<String> {
    let text = text_of("docs/sharding.md");
    let blocks = pieces(&text).into_iter().filter_map(|piece| match piece {
        Piece::Block { language, text } if language == wanted => Some(text),
        _ => None,
    });
    blocks.collect()
}

/// Numbers, uuids, words of many scripts, and characters from everywhere; none is there twice.
fn texts() -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(20_251_129);
    let mut texts: Vec<String> = [
        "0",
        "42",
        "18446744073709551615",
        "ä",
        "a\u{308}",
        "李明",
        "🦀",
        "\u{ffff}",
        "\u{10ffff}",
        " ",
        "a b",
        "A#B%",
    ]
    .map(str::to_owned)
    .to_vec();
    while texts.len() < 3000 {
        let length = random.usize(1..40);
        let text = match texts.len() % 4 {
            0 => random.u64(..).to_string(),
            1 => std::iter::repeat_with(|| random.alphanumeric()).take(length).collect(),
            2 => std::iter::repeat_with(|| random.char('\u{a1}'..='\u{2fff}')).take(length).collect(),
            _ => std::iter::repeat_with(|| random.char('\u{20}'..='\u{10ffff}')).take(length).collect(),
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// The shards that `migrate` writes, by text and count.
async fn ours(texts: &[String]) -> Vec<[u32; 3]> {
    let rows = texts.iter().enumerate().map(|(id, text)| format!("({id}, CAST(x'{}' AS TEXT))", hex(text)));
    let rows: Vec<String> = rows.collect();
    let sql = format!(
        "CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL); INSERT INTO words VALUES {}",
        rows.join(", ")
    );
    let mut mapping =
        "[source]\nurl = \"${DATABASE_URL}\"\n\n[table]\nname = \"shop\"\nendpoint = \"embedded\"\n"
            .to_owned();
    // A preview shows a thousand rows of an entity.
    for part in 0..texts.len().div_ceil(1000) {
        let (from, below) = (part * 1000, (part + 1) * 1000);
        write!(mapping, "\n[entities.Words{part}]\nfrom = \"words\"\nwhere = \"id >= {from} AND id < {below}\"\npk = \"W{part}#{{id}}\"\nsk = \"W\"\n").unwrap();
        write!(mapping, "\n[entities.Words{part}.attributes]\n").unwrap();
        for count in COUNTS {
            writeln!(mapping, "shard_{count} = {{ template = \"{{word:shard({count})}}\" }}").unwrap();
        }
    }
    let stage = Stage::new(Kind::Sqlite, &sql, &mapping).await;
    let document = stage.migrate("preview --limit 1000 --json", 0).await.json();
    let entities = document["entities"].as_object().unwrap().values();
    let items = entities.flat_map(|entity| entity["rows"].as_array().unwrap()).map(|row| &row["item"]);
    let shard = |item: &Value, count| item[format!("shard_{count}")]["S"].as_str().unwrap().parse().unwrap();
    let shards: Vec<[u32; 3]> = items.map(|item| COUNTS.map(|count| shard(item, count))).collect();
    assert_eq!(shards.len(), texts.len());
    shards
}

fn questions(texts: &[String]) -> String {
    let mut questions = String::new();
    for text in texts {
        for count in COUNTS {
            writeln!(questions, "shard {} {count}", hex(text)).unwrap();
        }
    }
    questions + "newest 7 100\nnewest 4 1\nnewest 1000 5000\n"
}

fn answers(texts: &[String], ours: &[[u32; 3]]) -> Vec<String> {
    let mut answers: Vec<String> = ours.iter().flatten().map(u32::to_string).collect();
    let mut newest: Vec<&String> = texts.iter().collect();
    newest.sort_unstable_by(|left, right| right.as_bytes().cmp(left.as_bytes()));
    for limit in [100, 1, 5000] {
        let texts: Vec<String> = newest.iter().take(limit).map(|text| hex(text)).collect();
        answers.push(texts.join(","));
    }
    answers
}

fn hex(text: &str) -> String {
    text.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}
