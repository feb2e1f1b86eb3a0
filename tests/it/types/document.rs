//! docs/types.md as a test: every example is stored in a real database, previewed and compared, and no type
//! is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use dynamigrate::source::{RawType, Source};
use serde_json::Value;

use crate::servers::{self, Database, Kind};
use crate::source::database::{from, settings};
use crate::stage::Stage;

/// One value in one column.
struct Example {
    /// `numeric(10,2)`
    column: String,
    /// As in VALUES.
    sql: String,
    /// A line of TOML about the column, `c` being its name.
    setting: Option<String>,
    outcome: Outcome,
}

enum Outcome {
    /// `None`: left out.
    Value(Option<Value>),
    /// The rule.
    Rejected(String),
    Key {
        template: String,
        text: String,
    },
}

/// N01, N04, N05, N12, N18, N19, N20, N21, T05, T06, T07, T08, T09, T11, T12, S05, S08, S09, S10, S15, S16, K21, K25, K26.
#[tokio::test]
async fn every_example_for_postgres_is_so() {
    hold(Kind::Postgres).await;
}

/// N01, N09, N13, N15, N17, N18, T01, T02, S02, S11, S12, K24.
#[tokio::test]
async fn every_example_for_mysql_is_so() {
    hold(Kind::MySql).await;
}

/// N04, N05, N13, K25.
#[tokio::test]
async fn every_example_for_sqlite_is_so() {
    hold(Kind::Sqlite).await;
}

/// S05: types that users can make are examples; those of the server itself are all there.
#[tokio::test]
async fn every_type_of_postgres_has_a_row() {
    let (database, _) = stored(Kind::Postgres).await;
    let missing = database
        .texts(
            "SELECT t.typname FROM pg_type t
              WHERE t.typtype IN ('b', 'e', 'r', 'm') AND t.typnamespace = 'pg_catalog'::regnamespace
                AND NOT EXISTS (SELECT FROM pg_type e WHERE e.typarray = t.oid)
                AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = 't'::regclass AND a.atttypid = t.oid)",
        )
        .await;
    assert_eq!(missing, Vec::<Vec<Option<String>>>::new());
}

/// The names in the manuals of MySQL 9 and MariaDB 11, synonyms of integers and CHARACTER aside.
const MYSQL_TYPES: &str = "TINYINT SMALLINT MEDIUMINT INT BIGINT BOOLEAN DECIMAL DEC NUMERIC FIXED FLOAT DOUBLE \
     REAL BIT DATE TIME DATETIME TIMESTAMP YEAR CHAR VARCHAR NCHAR NVARCHAR BINARY VARBINARY TINYBLOB BLOB \
     MEDIUMBLOB LONGBLOB TINYTEXT TEXT MEDIUMTEXT LONGTEXT LONG ENUM SET JSON GEOMETRY POINT LINESTRING POLYGON \
     MULTIPOINT MULTILINESTRING MULTIPOLYGON GEOMETRYCOLLECTION UUID INET4 INET6 VECTOR";

#[test]
fn every_type_of_mysql_and_mariadb_has_a_row() {
    let name = |example: &Example| {
        let word = example.column.split(['(', ' ']).next().unwrap();
        word.to_uppercase()
    };
    let named: BTreeSet<String> = examples(&text(), Kind::MySql, |_| true).iter().map(name).collect();
    let missing: Vec<&str> = MYSQL_TYPES.split_whitespace().filter(|name| !named.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Every form in which a cell can arrive is that of some example.
#[tokio::test]
async fn every_form_of_a_cell_has_an_example() {
    for kind in servers::ALL {
        let (database, _) = stored(kind).await;
        let mut source = Source::connect(&settings(database.url())).await.unwrap();
        let relation = source.describe(&from("t"), None, &[], &[]).await.unwrap();
        let found: BTreeSet<String> = relation.columns.iter().map(|column| variant(&column.raw)).collect();
        assert_eq!(found, variants(kind), "{}", kind.name());
    }
}

/// `Numeric`, `Time`
fn variant(raw: &RawType) -> String {
    let text = match raw {
        RawType::Postgres(kind) => format!("{kind:?}"),
        RawType::Mysql(kind) => format!("{kind:?}"),
        RawType::Sqlite(kind) => format!("{kind:?}"),
    };
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap().to_owned()
}

/// As declared in src/source/raw.rs. MySQL's other types that the server writes as text come with servers
/// that are not tested here.
fn variants(kind: Kind) -> BTreeSet<String> {
    let name = match kind {
        Kind::Postgres => "pub enum PgType {",
        Kind::MySql => "pub enum MysqlType {",
        Kind::Sqlite => "pub enum SqliteType {",
    };
    let code = std::fs::read_to_string(root("src/source/raw.rs")).unwrap();
    let (_, body) = code.split_once(name).unwrap();
    let (body, _) = body.split_once("\n}").unwrap();
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    let lines = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    lines.map(|line| line.split(|c: char| !c.is_alphanumeric()).next().unwrap().to_owned()).collect()
}

/// Previews every example of a database, and fails with all that are not so.
async fn hold(kind: Kind) {
    let (database, examples) = stored(kind).await;
    let stage = Stage::over(database, &mapping(&examples));
    let shown = stage.tool("preview --limit 1000 --json").run().await;
    assert!(matches!(shown.code(), Some(0 | 4)), "{}", shown.stderr);
    let document = shown.json();
    let mut wrong = Vec::new();
    for (at, example) in examples.iter().enumerate() {
        if let Err(found) = check(example, at, &document["entities"]) {
            wrong.push(format!("{} {}: {found}", example.column, example.sql));
        }
    }
    assert!(wrong.is_empty(), "{} of {} examples: {wrong:#?}", wrong.len(), examples.len());
    assert!(examples.len() > 40, "{} examples", examples.len());
}

fn check(example: &Example, at: usize, entities: &Value) -> Result<(), String> {
    let entity = match example.outcome {
        Outcome::Key { .. } => format!("K{at}"),
        _ => "T".to_owned(),
    };
    let rows = entities[&entity]["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["source_key"]["id"] == at.to_string().as_str()).unwrap();
    let attribute = match &example.setting {
        Some(setting) if setting.starts_with("let = ") => format!("x{at}"),
        _ => format!("c{at}"),
    };
    let same = match &example.outcome {
        Outcome::Value(value) => row["item"].get(&attribute) == value.as_ref() && row["item"].is_object(),
        Outcome::Rejected(rule) => {
            row["rejected"]["rule"] == rule.as_str() && row["rejected"]["column"] == attribute.as_str()
        }
        Outcome::Key { text, .. } => row["item"]["SK"]["S"] == format!("={text}").as_str(),
    };
    if same { Ok(()) } else { Err(row.to_string()) }
}

/// Each example in a row and a column of its own.
async fn stored(kind: Kind) -> (Database, Vec<Example>) {
    let database = kind.database().await;
    let is_mariadb = kind == Kind::MySql && database.text("SELECT VERSION()").await.contains("MariaDB");
    let text = text();
    let examples = examples(&text, kind, |remark| {
        !remark.contains("not tested here") && (is_mariadb || !remark.contains("MariaDB"))
    });
    let mut sql = match kind {
        Kind::Postgres => setup(&text),
        Kind::MySql => "SET sql_mode = '';\n".to_owned(),
        Kind::Sqlite => String::new(),
    };
    let columns = examples.iter().enumerate().map(|(at, example)| format!(", c{at} {} NULL", example.column));
    sql += &format!("CREATE TABLE t (id INT NOT NULL PRIMARY KEY{});\n", columns.collect::<String>());
    for (at, example) in examples.iter().enumerate() {
        sql += &format!("INSERT INTO t (id, c{at}) VALUES ({at}, {});\n", example.sql);
    }
    database.execute(&sql).await;
    (database, examples)
}

fn mapping(examples: &[Example]) -> String {
    let mut lets = String::new();
    let mut columns = String::new();
    let mut keys = String::new();
    for (at, example) in examples.iter().enumerate() {
        match &example.setting {
            None => {}
            Some(setting) => match setting.strip_prefix("let = ") {
                Some(sql) => lets += &format!("x{at} = {}\n", about(sql, at)),
                None => columns += &format!("\n[entities.T.column.c{at}]\n{setting}\n"),
            },
        }
        if let Outcome::Key { template, .. } = &example.outcome {
            let template = template.replacen("{c", &format!("{{c{at}"), 1);
            keys += &format!(
                "\n[entities.K{at}]\nfrom = \"t\"\nwhere = \"id = {at}\"\ncolumns = []\n\
                 pk = \"K{at}#{{id:010}}\"\nsk = \"={template}\"\n"
            );
        }
    }
    format!(
        "[source]\nurl = \"${{DATABASE_URL}}\"\n\n[table]\nname = \"types\"\n\n[entities.T]\nfrom = \"t\"\n\
         pk = \"T#{{id:010}}\"\nsk = \"T\"\n\n[entities.T.let]\n{lets}{columns}{keys}"
    )
}

/// SQL with the column's name for the word `c`.
fn about(sql: &str, at: usize) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut replaced = String::new();
    let mut rest = sql;
    while let Some(start) = rest.find(is_word) {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c: char| !is_word(c)).unwrap_or(word.len());
        replaced += before;
        replaced += &if &word[..end] == "c" { format!("c{at}") } else { word[..end].to_owned() };
        rest = &word[end..];
    }
    replaced + rest
}

/// The examples of a database; `tried` is asked with the remarks of a row.
fn examples(document: &str, kind: Kind, tried: impl Fn(&str) -> bool) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut heading = "";
    for line in document.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            heading = title;
        }
        let Some(cells) = cells(line) else { continue };
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        match cells.as_slice() {
            [first, ..] if ["type", "database", "---"].contains(first) => {}
            [database, column, sql, last, outcome] if *database == title(kind).0 => {
                let (column, sql) = (code(column)[0].clone(), code(sql)[0].clone());
                let is_key = heading.contains("in a key");
                let outcome = match is_key {
                    true => Outcome::Key { template: code(last)[0].clone(), text: code(outcome)[0].clone() },
                    false => value(outcome),
                };
                let setting = if is_key { None } else { code(last).into_iter().next() };
                examples.push(Example { column, sql, setting, outcome });
            }
            [types, sql, outcome, rejected, remark] if heading == title(kind).1 && tried(remark) => {
                let types = code(types);
                for column in &types {
                    let (sql, outcome) = (code(sql)[0].clone(), value(outcome));
                    examples.push(Example { column: column.clone(), sql, setting: None, outcome });
                }
                for pair in code(rejected).chunks(2) {
                    let [sql, rule] = pair else { panic!("a rejected value without its rule: {line}") };
                    let (column, outcome) = (types[0].clone(), Outcome::Rejected(rule.clone()));
                    examples.push(Example { column, sql: sql.clone(), setting: None, outcome });
                }
            }
            _ => {}
        }
    }
    examples
}

/// In a row, as a heading.
fn title(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Postgres => ("PostgreSQL", "PostgreSQL"),
        Kind::MySql => ("MySQL", "MySQL and MariaDB"),
        Kind::Sqlite => ("SQLite", "SQLite"),
    }
}

fn value(cell: &str) -> Outcome {
    if cell == "left out" {
        return Outcome::Value(None);
    }
    let json = &code(cell)[0];
    if cell.starts_with("rejected") {
        return Outcome::Rejected(json.clone());
    }
    Outcome::Value(Some(serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))))
}

/// The cells of a row of five; `\|` is no border.
fn cells(line: &str) -> Option<Vec<String>> {
    let line = line.strip_prefix("| ")?.strip_suffix('|')?.replace("\\|", "\u{1}");
    let cells: Vec<String> = line.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect();
    (cells.len() == 5).then_some(cells)
}

/// What stands in backticks.
fn code(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The SQL block of the document.
fn setup(document: &str) -> String {
    let (_, rest) = document.split_once("```sql\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// A setting that is spelled otherwise would not be tried at all.
#[test]
fn every_table_of_examples_is_understood() {
    let text = text();
    let mut counts = BTreeMap::new();
    for kind in servers::ALL {
        counts.insert(kind.name(), examples(&text, kind, |_| true).len());
    }
    let rows = text.lines().filter(|line| cells(line).is_some_and(|cells| cells[1] != "---")).count();
    let tables = text.lines().filter(|line| line.starts_with("| database |") || line.starts_with("| type |"));
    assert!(counts.values().sum::<usize>() >= rows - tables.count(), "{rows} rows, {counts:?}");
}

fn text() -> String {
    std::fs::read_to_string(root("docs/types.md")).unwrap()
}

fn root(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
