//! What README and docs/ show, run as it stands there: mappings with their items, JSON documents, commands.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::dynamodb::{Client, embedded_in_process};
use crate::servers::{Database, Kind};
use crate::tool::{Finished, Folder, Tool};

/// `UPDATE_EXPECT=1` writes the documents anew.
#[tokio::test]
async fn every_document_of_docs_json_is_what_the_command_prints() {
    let mut session = Session::shop(Kind::Sqlite, &first_mapping()).await;
    let mut printed = String::new();
    let mut shown = String::new();
    for piece in pieces(&text_of("docs/json.md")) {
        match piece {
            Piece::Block { language: "sh", text } => {
                printed = session.run_all(&text).await;
                shown += &fenced("sh", &text);
            }
            Piece::Block { language: "json", .. } => {
                let mut document: Value = serde_json::from_str(&printed).unwrap();
                fix_times(&mut document);
                shown += &fenced("json", &(pretty(&document, 0) + "\n"));
            }
            Piece::Block { language, text } => shown += &fenced(language, &text),
            Piece::Text(line) => shown += &format!("{line}\n"),
        }
    }
    expect_test::expect_file![root().join("docs/json.md")].assert_eq(&shown);
}

/// Times are others in each run.
fn fix_times(document: &mut Value) {
    match document {
        Value::Object(members) => members.iter_mut().for_each(|(name, value)| match name.as_str() {
            "elapsed_seconds" => *value = json!(0.25),
            "p50_ms" => *value = json!(0.9),
            "p99_ms" => *value = json!(1.8),
            _ => fix_times(value),
        }),
        Value::Array(values) => values.iter_mut().for_each(fix_times),
        _ => {}
    }
}

#[test]
fn every_member_of_a_document_is_explained() {
    let text = text_of("docs/json.md");
    let explained: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" | ").next())
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    // `rows` and the like in the text of a row count as well.
    let named: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let mut members = Vec::new();
    for piece in pieces(&text) {
        if let Piece::Block { language: "json", text } = piece {
            collect_members(&serde_json::from_str(&text).unwrap(), &mut members);
        }
    }
    assert!(members.len() > 40, "{members:?}");
    members.retain(|name| !explained.contains(&name.as_str()) && !named.contains(&name.as_str()));
    assert_eq!(members, Vec::<String>::new(), "in no table");
}

#[tokio::test]
async fn the_first_mapping_makes_the_items_beside_it() {
    let session = Session::shop(Kind::Sqlite, &first_mapping()).await;
    let readme = text_of("README.md");
    let items = block(section(&readme, "A mapping and its items"), "json").expect("items");
    let items = serde_json::Deserializer::from_str(&items).into_iter::<Value>();
    let items: Vec<Value> = items.map(Result::unwrap).collect();
    let mut made = Vec::new();
    for (entity, key) in [("User", "id=1"), ("Order", "id=2")] {
        let words = format!("preview --mapping shop.toml --entity {entity} --key {key} --json");
        let document = session.migrate(&words, 0).await.json();
        made.push(document["entities"][entity]["rows"][0]["item"].clone());
    }
    assert_eq!(items, made);
}

/// A role of its own that may only read, and every command up to the proof; then once more as for AWS, into
/// a DynamoDB with an address.
#[tokio::test]
async fn the_quick_start_works_as_written() {
    let readme = text_of("README.md");
    let (start, into_aws) = section(&readme, "Quick start").split_once("\n### ").unwrap();
    let mapping = block(start, "toml").expect("a mapping");
    let mut session = Session::shop(Kind::Postgres, &mapping).await;
    let role = format!("quick_start_{}", std::process::id());
    let database = session.database.url().rsplit('/').next().unwrap().to_owned();
    let grants = block(start, "sql").expect("a role");
    let grants = grants
        .replace("migrate_reader", &role)
        .replace("ON DATABASE shop", &format!("ON DATABASE {database}"));
    session.database.execute(&grants).await;
    session.url = session.database.url_as(&role, grants.split('\'').nth(1).expect("a password"));
    session.run_each(start).await;
    let service = embedded_in_process().await;
    session.folder.write("shop.toml", &mapping.replace("\"embedded\"", &format!("\"{}\"", service.url())));
    session.run_each(into_aws).await;
    assert_eq!(Client::new(service.url()).scan("shop", None).await.len(), 20);
    session.database.execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
}

/// Reading needs SELECT alone; `snapshot = "lock"` what is granted after it.
#[tokio::test]
async fn the_rights_for_mysql_are_enough() {
    let readme = text_of("README.md");
    let mapping = text_of("mappings/shop.toml");
    let mut session = Session::shop(Kind::MySql, &mapping).await;
    let role = format!("rights_{}", std::process::id());
    let database = session.database.url().rsplit('/').next().unwrap().to_owned();
    let grants = block(section(&readme, "Security"), "sql").expect("grants");
    let grants = grants.replace("migrate_reader", &role).replace("shop.*", &format!("{database}.*"));
    let (to_read, to_lock) = grants.split_once("-- only").expect("two parts");
    session.database.execute(to_read).await;
    session.url = session.database.url_as(&role, grants.split('\'').nth(5).expect("a password"));
    session.migrate("--mapping shop.toml", 0).await;
    session.migrate("verify --mapping shop.toml", 0).await;
    let locked = mapping.replace("[defaults]", "snapshot = \"lock\"\n\n[defaults]");
    session.folder.write("shop.toml", &locked);
    session.migrate("--mapping shop.toml --dry-run", 1).await;
    session.database.execute(&format!("-- only{to_lock}")).await;
    session.migrate("--mapping shop.toml --restart", 0).await;
    session.database.execute(&format!("DROP USER '{role}'@'%'")).await;
}

/// The parser goes from left to right: what it does not know comes before `--help`.
#[tokio::test]
async fn every_command_in_the_documents_exists() {
    let mut seen = 0;
    for file in ["README.md", "docs/container.md", "docs/cutover.md", "docs/json.md"] {
        for command in commands_of(&text_of(file)) {
            let Some(words) = words_of_migrate(&command) else { continue };
            let finished = Tool::new(words.into_iter().chain(["--help".to_owned()])).run().await;
            assert_eq!(finished.code(), Some(0), "{file}: {command}\n{}", finished.stderr);
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen} commands");
}

/// The policy allows what `src/target/dynamodb` calls, and nothing else.
#[test]
fn the_policy_has_the_actions_that_are_used() {
    let readme = text_of("README.md");
    let policy: Value = serde_json::from_str(&block(section(&readme, "Security"), "json").unwrap()).unwrap();
    let statements = policy["Statement"].as_array().unwrap();
    let actions = statements.iter().flat_map(|statement| statement["Action"].as_array().unwrap());
    let allowed: BTreeSet<String> = actions.map(|action| action.as_str().unwrap().to_owned()).collect();
    let mut used: BTreeSet<String> = operations().iter().map(|name| action(name)).collect();
    // Tells which tables there are where one is missing; does without.
    assert!(used.remove("dynamodb:ListTables"));
    // Comes with the `tags` of CreateTable.
    used.insert("dynamodb:TagResource".to_owned());
    assert_eq!(allowed, used);
}

/// `batch_write_item`, wherever a client is asked for a request.
fn operations() -> BTreeSet<String> {
    let files = std::fs::read_dir(root().join("src/target/dynamodb")).unwrap();
    let code = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect::<String>();
    let code: String = code.split_whitespace().collect();
    let called = code.split("client().").chain(code.split("client.")).skip(1);
    let name = |rest: &str| rest.split_once("()").map(|(name, _)| name.to_owned());
    let is_name = |name: &String| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    called
        .filter_map(name)
        .filter(is_name)
        .filter(|name| !["config", "clone"].contains(&name.as_str()))
        .collect()
}

/// `batch_write_item` → `dynamodb:BatchWriteItem`
fn action(operation: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    format!("dynamodb:{}", operation.split('_').map(word).collect::<String>())
}

#[test]
fn every_key_of_a_mapping_is_in_the_reference() {
    let readme = text_of("README.md");
    let reference = section(&readme, "Mapping reference");
    let words: Vec<&str> = reference.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    for section in dynamigrate::mapping::sections() {
        for key in section.keys {
            assert!(words.contains(key), "`{key}` of [{}]", section.place);
        }
    }
}

/// The shop in a database of its own, and a folder with a mapping called shop.toml.
struct Session {
    database: Database,
    folder: Folder,
    url: String,
}

impl Session {
    async fn shop(kind: Kind, mapping: &str) -> Self {
        let database = kind.database().await;
        database.execute_file(format!("mappings/shop.{}.sql", kind.name())).await;
        let folder = Folder::new();
        folder.write("shop.toml", mapping);
        let url = database.url().to_owned();
        Self { database, folder, url }
    }

    /// Runs the lines of a block; what the last of them prints.
    async fn run_all(&mut self, block: &str) -> String {
        let mut printed = String::new();
        for line in block.lines() {
            let code = line.split_once("# exit code ").map_or(0, |(_, code)| code.trim().parse().unwrap());
            let line = line.split_once(" #").map_or(line, |(command, _)| command).trim();
            let (program, rest) = line.split_once(' ').unwrap();
            printed = match program {
                "migrate" => self.migrate(rest, code).await.stdout,
                "sqlite3" => {
                    self.database.execute(rest.split('"').nth(1).expect("quoted SQL")).await;
                    String::new()
                }
                "cat" => self.folder.read(rest),
                _ => panic!("who runs `{line}`?"),
            };
        }
        printed
    }

    /// All `migrate` commands of a part of a document.
    async fn run_each(&mut self, document: &str) {
        let commands = commands_of(document).into_iter().filter(|line| line.starts_with("migrate "));
        let commands: Vec<String> = commands.collect();
        assert!(commands.len() >= 3, "{commands:?}");
        for command in commands {
            self.run_all(&command).await;
        }
    }

    async fn migrate(&self, words: &str, code: i32) -> Finished {
        let tool = self.folder.tool(words.split_whitespace()).env("DATABASE_URL", &self.url);
        tool.run().await.expect_code(code)
    }
}

/// A line of a document, or a whole block between fences.
pub enum Piece<'t> {
    Text(&'t str),
    Block { language: &'t str, text: String },
}

pub fn pieces(document: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        pieces.push(match line.strip_prefix("```") {
            None => Piece::Text(line),
            Some(language) => {
                let text = lines.by_ref().take_while(|line| *line != "```");
                Piece::Block { language, text: text.map(|line| format!("{line}\n")).collect() }
            }
        });
    }
    pieces
}

fn fenced(language: &str, text: &str) -> String {
    format!("```{language}\n{text}```\n")
}

/// The first block of a language.
fn block(document: &str, wanted: &str) -> Option<String> {
    pieces(document).into_iter().find_map(|piece| match piece {
        Piece::Block { language, text } if language == wanted => Some(text),
        _ => None,
    })
}

/// What stands under a heading of the second level.
#[track_caller]
fn section<'t>(document: &'t str, heading: &str) -> &'t str {
    let (_, rest) =
        document.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    rest.split_once("\n## ").map_or(rest, |(section, _)| section)
}

/// The lines of all `sh` blocks, those that go on (`\`) as one.
fn commands_of(document: &str) -> Vec<String> {
    let blocks = pieces(document).into_iter().filter_map(|piece| match piece {
        Piece::Block { language: "sh", text } => Some(text.replace("\\\n", " ")),
        _ => None,
    });
    blocks.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// What comes after `migrate` in a command of a shell, also through cargo or a container.
fn words_of_migrate(command: &str) -> Option<Vec<String>> {
    let command = command.split([';', '|', '>', '#']).next()?;
    let mut words =
        command.split_whitespace().skip_while(|word| !["migrate", "cargo", "docker"].contains(word));
    match words.next()? {
        "migrate" => {}
        "cargo" if words.next()? == "run" => {
            words.find(|word| *word == "--")?;
        }
        "docker" if words.next()? == "run" => {
            words.find(|word| *word == "dynamigrate")?;
        }
        _ => return None,
    }
    Some(words.map(|word| word.trim_matches(['"', '\'']).to_owned()).collect())
}

/// Names of members, but for those that a mapping gives.
fn collect_members(value: &Value, names: &mut Vec<String>) {
    let given = ["entities", "indexes"];
    let foreign = [
        "item",
        "samples",
        "source_key",
        "params",
        "key",
        "expected",
        "found",
        "rejected_by",
        "range",
        "position",
    ];
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                names.push(name.clone());
                match member {
                    Value::Object(inner) if given.contains(&name.as_str()) => {
                        inner.values().for_each(|value| collect_members(value, names));
                    }
                    _ if foreign.contains(&name.as_str()) => {}
                    _ => collect_members(member, names),
                }
            }
        }
        Value::Array(members) => members.iter().for_each(|value| collect_members(value, names)),
        _ => {}
    }
}

/// JSON with as much on one line as fits.
fn pretty(value: &Value, depth: usize) -> String {
    let line = spaced(value);
    if depth > 0 && depth * 2 + line.chars().count() <= 96 {
        return line;
    }
    let indent = "  ".repeat(depth + 1);
    let (open, close, members): (_, _, Vec<String>) = match value {
        Value::Object(members) => {
            let member =
                |(name, value): (&String, &Value)| format!("{}: {}", json!(name), pretty(value, depth + 1));
            ('{', '}', members.iter().map(member).collect())
        }
        Value::Array(members) => ('[', ']', members.iter().map(|value| pretty(value, depth + 1)).collect()),
        other => return other.to_string(),
    };
    let members = members.join(&format!(",\n{indent}"));
    format!("{open}\n{indent}{members}\n{}{close}", "  ".repeat(depth))
}

fn spaced(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| format!("{}: {}", json!(name), spaced(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Value::Array(members) => format!("[{}]", members.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

fn first_mapping() -> String {
    let readme = text_of("README.md");
    block(section(&readme, "A mapping and its items"), "toml").expect("a mapping")
}

pub fn text_of(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}
