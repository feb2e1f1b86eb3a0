//! Access patterns: `verify` asks them of the table and of the source, and sees what is planted between the two.

use std::time::Duration;

use serde_json::{Value, json};

use crate::examples::patterns_are_answered;
use crate::front::{Fault, Front, Throttle, When};
use crate::servers::{self, Kind};
use crate::stage::{Stage, expect_case};

/// Readings of sensors: ten of each of three, two of them at each moment.
const READINGS: &str = "CREATE TABLE readings (id INT PRIMARY KEY, sensor INT NOT NULL, moment INT NOT NULL, level INT, note VARCHAR(200));";

const MAPPING: &str = r##"[source]
url = "${DATABASE_URL}"

[table]
name = "readings"
endpoint = "${DYNAMODB_ENDPOINT:-embedded}"

[table.indexes.Moments]
partition_key = "MomentPK"
sort_key = { name = "moment", type = "N" }

[table.indexes.Keys]
partition_key = "KeysPK"
sort_key = "KeysSK"
projection = "KEYS_ONLY"

[table.indexes.Some]
partition_key = "SomePK"
projection = ["level"]

[entities.Reading]
from = "readings"
pk = "SENSOR#{sensor:04}"
sk = "AT#{moment:04}#{id:06}"
columns = "*"

[entities.Reading.index.Moments]
pk = "SENSOR#{sensor:04}"

[entities.Reading.index.Keys]
when = "level > 5"
pk = "HIGH#{id:shard(3)}"
sk = "{moment:04}"

[entities.Reading.index.Some]
pk = "LEVEL#{level}"
"##;

fn rows() -> String {
    let row = |id: u32| {
        let (sensor, moment) = (id % 3 + 1, id / 6 * 7);
        let level = if id.is_multiple_of(5) { "NULL".to_owned() } else { (id % 10).to_string() };
        format!("({id}, {sensor}, {moment}, {level}, 'note {id}')")
    };
    format!("{READINGS} INSERT INTO readings VALUES {};", (1..=30).map(row).collect::<Vec<_>>().join(", "))
}

/// Loaded, with a pattern for each `(name, keys)`.
async fn loaded(kind: Kind, patterns: &[(&str, &str)]) -> Stage {
    let patterns =
        patterns.iter().map(|(name, keys)| format!("\n[[access_patterns]]\nname = \"{name}\"\n{keys}\n"));
    let mapping = MAPPING.to_owned() + &patterns.collect::<String>();
    let stage = Stage::new(kind, &rows(), &mapping).await.with_dynamodb().await;
    stage.migrate("--create-table", 0).await;
    stage
}

fn pattern<'v>(report: &'v Value, name: &str) -> &'v Value {
    let mut patterns = report["access_patterns"].as_array().unwrap().iter();
    patterns.find(|pattern| pattern["name"] == name).unwrap_or_else(|| panic!("no {name} in {report}"))
}

fn counts(pattern: &Value) -> [u64; 7] {
    ["params", "wrong", "items", "missing", "unexpected", "different", "out_of_order"]
        .map(|name| pattern[name].as_u64().unwrap())
}

const SENSORS: &str = "params = \"SELECT DISTINCT sensor FROM readings\"\npk = \"SENSOR#{sensor:04}\"";

fn of_sensors(more: &str, predicate: &str) -> String {
    format!("{SENSORS}\n{more}\nreturns = {{ Reading = \"sensor = {{sensor}} AND {predicate}\" }}")
}

/// The items of all answers, counted by hand: the readings of each sensor are at 0, 7, 14, 21, 28 and 35.
#[tokio::test]
async fn every_condition_on_a_sort_key_is_asked_as_the_source_understands_it() {
    let on_moments =
        |more: &str, predicate: &str| format!("index = \"Moments\"\n{}", of_sensors(more, predicate));
    let cases: &[(&str, String, u64)] = &[
        ("all", of_sensors("", "1 = 1"), 30),
        ("begins", of_sensors("sk = { begins_with = \"AT#0014\" }", "moment = 14"), 6),
        ("less", of_sensors("sk = { lt = \"AT#0014\" }", "moment < 14"), 11),
        ("less or equal", of_sensors("sk = { lte = \"AT#0014#999999\" }", "moment <= 14"), 17),
        ("greater", of_sensors("sk = { gt = \"AT#0014#999999\" }", "moment > 14"), 13),
        ("greater or equal", of_sensors("sk = { gte = \"AT#0014\" }", "moment >= 14"), 19),
        ("between", of_sensors("sk = { between = [\"AT#0007\", \"AT#0021#999999\"] }", "moment BETWEEN 7 AND 21"), 18),
        (
            "equal",
            "params = \"SELECT sensor, moment, id FROM readings\"\npk = \"SENSOR#{sensor:04}\"\nsk = \"AT#{moment:04}#{id:06}\"\n\
             returns = { Reading = \"id = {id}\" }"
                .to_owned(),
            30,
        ),
        (
            "number",
            "index = \"Moments\"\nparams = \"SELECT DISTINCT sensor, moment FROM readings\"\npk = \"SENSOR#{sensor:04}\"\n\
             sk = \"{moment}\"\nreturns = { Reading = \"sensor = {sensor} AND moment = {moment}\" }"
                .to_owned(),
            30,
        ),
        (
            "numbers between",
            "index = \"Moments\"\nparams = \"SELECT DISTINCT sensor, 8 AS low, 28 AS high FROM readings\"\npk = \"SENSOR#{sensor:04}\"\n\
             sk = { between = [\"{low}\", \"{high}\"] }\nreturns = { Reading = \"sensor = {sensor} AND moment BETWEEN {low} AND {high}\" }"
                .to_owned(),
            18,
        ),
        ("numbers from", on_moments("sk = { gte = \"7\" }", "moment >= 7"), 25),
        ("numbers up to", on_moments("sk = { between = [\"-1\", \"13.5\"] }", "moment <= 13"), 11),
        ("numbers backwards", on_moments("order = \"desc\"", "1 = 1"), 30),
    ];
    let patterns: Vec<(&str, &str)> = cases.iter().map(|(name, keys, _)| (*name, keys.as_str())).collect();
    for kind in servers::ALL {
        let stage = loaded(kind, &patterns).await;
        let report = stage.migrate("verify --json", 0).await.json();
        patterns_are_answered(&report, kind);
        for (name, _, items) in cases {
            assert_eq!(pattern(&report, name)["items"], *items, "{name} on {}", kind.name());
        }
        assert_eq!(pattern(&report, "equal")["operation"], "get_item");
        assert_eq!(pattern(&report, "number")["operation"], "query");
    }
}

/// Each moment has two readings of a sensor, which the index does not tell apart: of a limit's last ones any is right.
#[tokio::test]
async fn the_last_ones_with_ties_at_the_limit() {
    let latest = |limit: u32| {
        format!("index = \"Moments\"\n{}", of_sensors(&format!("order = \"desc\"\nlimit = {limit}"), "1 = 1"))
    };
    let (one, three) = (latest(1), latest(3));
    for kind in servers::ALL {
        let stage = loaded(kind, &[("one", &one), ("three", &three)]).await;
        let report = stage.migrate("verify --json", 0).await.json();
        assert_eq!(counts(pattern(&report, "one")), [3, 0, 3, 0, 0, 0, 0], "{}", kind.name());
        assert_eq!(counts(pattern(&report, "three")), [3, 0, 9, 0, 0, 0, 0], "{}", kind.name());
    }
}

const HIGH: (&str, &str) =
    ("high", "index = \"Keys\"\nshards = 3\npk = \"HIGH#{shard}\"\nreturns = { Reading = \"level > 5\" }");

/// Items that `when` or NULL keeps out of an index are not expected there, and attributes that it leaves out neither.
#[tokio::test]
async fn sparse_indexes_shards_and_projections() {
    let sparse =
        ("sparse", "index = \"Keys\"\nshards = 3\npk = \"HIGH#{shard}\"\nreturns = { Reading = \"1 = 1\" }");
    let level = "index = \"Some\"\nparams = \"SELECT DISTINCT level FROM readings\"\npk = \"LEVEL#{level}\"\nreturns = { Reading = \"level = {level}\" }";
    let everything = (
        "everything",
        "index = \"Some\"\nparams = \"SELECT DISTINCT level FROM readings WHERE level = 7\"\npk = \"LEVEL#{level}\"\nreturns = { Reading = \"level = 7 OR level IS NULL\" }",
    );
    for kind in servers::ALL {
        let stage = loaded(kind, &[HIGH, sparse, ("level", level), everything]).await;
        let report = stage.migrate("verify --json", 0).await.json();
        for name in ["high", "sparse"] {
            assert_eq!(counts(pattern(&report, name)), [1, 0, 12, 0, 0, 0, 0], "{name} {}", kind.name());
            assert_eq!(pattern(&report, name)["requests"], 3.0, "one a shard");
        }
        // NULL makes no key: that row of params is not asked.
        assert_eq!(counts(pattern(&report, "level")), [8, 0, 24, 0, 0, 0, 0], "{}", kind.name());
        assert_eq!(pattern(&report, "level")["skipped_by"], json!({"key_null": 1}));
        let everything = pattern(&report, "everything");
        assert_eq!(counts(everything), [1, 0, 3, 0, 0, 0, 0], "{}", kind.name());
        // What the index lacks is told.
        let without = stage.database.text("SELECT count(*) FROM readings WHERE level IS NULL").await;
        assert_eq!(everything["not_in_index"].to_string(), without, "{}", kind.name());
        let text = stage.migrate("verify", 0).await.stdout;
        assert!(
            text.contains(&format!("everything: {without} rows that `returns` names, not in the index")),
            "{text}"
        );
        assert_eq!(report["outcome"], "done");
    }
}

/// DynamoDB refuses bounds that are the wrong way round, with both in its message: such rows are counted and not asked.
#[tokio::test]
async fn a_range_that_ends_before_it_begins_is_not_asked() {
    let between = |index: &str, bounds: &str, low: u32, high: u32| {
        format!(
            "{index}\nparams = \"SELECT DISTINCT sensor, {low} AS low, CASE WHEN sensor = 2 THEN {high} ELSE 28 END AS high FROM readings\"\n\
             pk = \"SENSOR#{{sensor:04}}\"\nsk = {{ between = {bounds} }}\n\
             returns = {{ Reading = \"sensor = {{sensor}} AND moment BETWEEN {{low}} AND {{high}}\" }}"
        )
    };
    let texts = between("", "[\"AT#{low:04}\", \"AT#{high:04}#999999\"]", 8, 3);
    // As text 8 is above 28.
    let numbers = between("index = \"Moments\"", "[\"{low}\", \"{high}\"]", 8, 3);
    let equal = between("index = \"Moments\"", "[\"{low}\", \"{high}\"]", 7, 7);
    for kind in servers::ALL {
        let stage = loaded(kind, &[("texts", &texts), ("numbers", &numbers), ("equal", &equal)]).await;
        let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
        let stage = stage.at(front.url());
        let report = stage.migrate("verify --json", 0).await.json();
        for name in ["texts", "numbers"] {
            let found = pattern(&report, name);
            assert_eq!(counts(found), [2, 0, 12, 0, 0, 0, 0], "{name} {}", kind.name());
            assert_eq!(found["skipped_by"], json!({"between_reversed": 1}), "{name} {}", kind.name());
        }
        assert!(pattern(&report, "equal")["skipped_by"].is_null());
        assert_eq!(front.counters().requests("Query"), 2 + 2 + 3);
        let text = stage.migrate("verify", 0).await.stdout;
        assert!(
            text.contains("texts: 1 row of `params` was not asked: the lower bound of `between`"),
            "{text}"
        );
    }
}

async fn change(stage: &Stage, sensor: u32, sk: &str, change: impl FnOnce(&mut Value)) {
    let key = json!({"PK": {"S": format!("SENSOR#{sensor:04}")}, "SK": {"S": sk}});
    let got = stage.client().call("GetItem", json!({"TableName": "readings", "Key": key})).await;
    let mut item = got["Item"].clone();
    assert!(item.is_object(), "{sk} of {sensor}");
    change(&mut item);
    stage.client().call("PutItem", json!({"TableName": "readings", "Item": item})).await;
}

#[tokio::test]
async fn what_is_planted_in_the_table_makes_answers_wrong() {
    let (all, latest) = (of_sensors("", "1 = 1"), of_sensors("order = \"desc\"\nlimit = 2", "1 = 1"));
    let levels = "index = \"Some\"\nparams = \"SELECT DISTINCT level FROM readings WHERE level IS NOT NULL\"\npk = \"LEVEL#{level}\"\nreturns = { Reading = \"level = {level}\" }";
    for kind in servers::ALL {
        let stage = loaded(kind, &[("all", &all), ("latest", &latest), ("levels", levels), HIGH]).await;
        // Of sensor 2: 1 is gone, 4 is another one, a copy of 7 has no row.
        let gone = json!({"PK": {"S": "SENSOR#0002"}, "SK": {"S": "AT#0000#000001"}});
        stage.client().call("DeleteItem", json!({"TableName": "readings", "Key": gone})).await;
        change(&stage, 2, "AT#0000#000004", |item| item["note"] = json!({"S": "private"})).await;
        change(&stage, 2, "AT#0007#000007", |item| item["SK"] = json!({"S": "AT#9999#000007"})).await;
        let finished = stage.migrate("verify --json", 5).await;
        finished.assert_hides("private");
        let report = finished.json();
        assert_eq!(report["outcome"], "differences");
        assert_eq!(counts(pattern(&report, "all")), [3, 1, 28, 1, 1, 1, 0], "{}", kind.name());
        // The foreign item takes the place of one of the last two.
        assert_eq!(counts(pattern(&report, "latest")), [3, 1, 5, 1, 1, 0, 0], "{}", kind.name());
        // The note is not in that index: the item that is another one in the table is right there.
        assert_eq!(counts(pattern(&report, "levels")), [8, 2, 23, 1, 1, 0, 0], "{}", kind.name());
        assert_eq!(counts(pattern(&report, "high")), [1, 1, 12, 0, 1, 0, 0], "{}", kind.name());
        let examples = pattern(&report, "all")["examples"].as_array().unwrap();
        let shown: Vec<Value> = examples
            .iter()
            .map(|example| {
                json!([example["what"], example["entity"], example["key"]["SK"]["S"], example["attributes"]])
            })
            .collect();
        let note = json!([{"name": "note", "what": "different"}]);
        assert_eq!(
            shown,
            [
                json!(["missing", "Reading", "AT#0000#000001", null]),
                json!(["unexpected", null, "AT#9999#000007", null]),
                json!(["different", "Reading", "AT#0000#000004", note]),
            ],
            "{}",
            kind.name()
        );
        assert!(examples.iter().all(|example| example["params"] == json!({"sensor": "2"})));
        if kind == Kind::Sqlite {
            let shown = stage.shown(&stage.migrate("verify", 5).await);
            expect_case("verify/patterns.expected", &without_times(&shown));
        }
    }
}

/// What is mended is right for the patterns too; what no row explains is left, and wrong.
#[tokio::test]
async fn patterns_are_asked_after_the_repair() {
    let all = of_sensors("", "1 = 1");
    let stage = loaded(Kind::Sqlite, &[("all", &all)]).await;
    change(&stage, 2, "AT#0000#000004", |item| item["note"] = json!({"S": "another"})).await;
    let before = stage.migrate("verify --repair --dry-run --json", 5).await.json();
    assert_eq!(counts(pattern(&before, "all")), [3, 1, 29, 0, 0, 1, 0]);
    let mended = stage.migrate("verify --repair --yes --json", 0).await.json();
    assert_eq!(mended["outcome"], "repaired");
    assert_eq!(counts(pattern(&mended, "all")), [3, 0, 30, 0, 0, 0, 0]);
    change(&stage, 2, "AT#0000#000004", |item| item["note"] = json!({"S": "another"})).await;
    change(&stage, 2, "AT#0007#000007", |item| item["SK"] = json!({"S": "AT#9999#000007"})).await;
    let finished = stage.migrate("verify --repair --yes --redact --json", 5).await;
    finished.assert_hides("SENSOR#0002");
    let left = finished.json();
    assert_eq!((&left["outcome"], &left["repair"]["replaced"]), (&json!("differences"), &json!(1)));
    assert_eq!(counts(pattern(&left, "all")), [3, 1, 30, 0, 1, 0, 0]);
    let example = &pattern(&left, "all")["examples"][0];
    assert!(example["params"]["sensor"] != "2" && example["key"]["PK"]["S"].is_string(), "{example}");
}

/// In the rows of the patterns' table: milliseconds are others in each run, and so are the widths of their columns.
fn without_times(text: &str) -> String {
    let line = |line: &str| {
        let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let times = match cells.as_slice() {
            ["access pattern", ..] => [].as_slice(),
            ["by SQL", ..] => &[2, 3],
            [_, _, _, _, _, _, _, _] => &[6, 7],
            _ => return format!("{line}\n"),
        };
        let is_time = |column: usize| times.contains(&column);
        let cells =
            cells.iter().enumerate().map(|(column, cell)| if is_time(column) { "TIME" } else { cell });
        cells.collect::<Vec<_>>().join("  ") + "\n"
    };
    text.lines().map(line).collect()
}

#[tokio::test]
async fn an_item_that_no_row_explains_is_found_by_patterns_alone() {
    let all = of_sensors("", "1 = 1");
    let stage = loaded(Kind::Sqlite, &[("all", &all)]).await;
    change(&stage, 3, "AT#0000#000002", |item| item["SK"] = json!({"S": "X"})).await;
    let report = stage.migrate("verify --no-patterns --json", 0).await.json();
    assert!(report["access_patterns"].is_null());
    let report = stage.migrate("verify --json", 5).await.json();
    assert_eq!(counts(pattern(&report, "all")), [3, 1, 30, 0, 1, 0, 0]);
    assert_eq!(report["entities"]["Reading"]["matching"], 30);
    let text = stage.migrate("verify", 5).await.stdout;
    assert!(text.contains("1 access pattern has wrong answers (exit code 5)."), "{text}");
}

/// What keys are not made of is a value: shown only when asked for.
#[tokio::test]
async fn values_of_params_that_are_in_no_key_are_not_shown() {
    let keys = "params = \"SELECT sensor, note FROM readings WHERE id = 1\"\npk = \"SENSOR#{sensor:04}\"\nsk = { begins_with = \"AT#0000#000001\" }\nreturns = { Reading = \"note = {note} AND id = -1\" }";
    let stage = loaded(Kind::Sqlite, &[("by note", keys)]).await;
    for words in ["verify", "verify --json"] {
        stage.migrate(words, 5).await.assert_hides("note 1");
    }
    let shown = stage.migrate("verify --json --show-values", 5).await.json();
    assert_eq!(pattern(&shown, "by note")["examples"][0]["params"], json!({"sensor": "2", "note": "note 1"}));
}

/// More than a page of one megabyte, read to its end.
#[tokio::test]
async fn v04_an_answer_of_many_pages_is_read_whole() {
    let all = "pk = \"SENSOR#0001\"\nreturns = { Reading = \"sensor = 1\" }";
    let (first, last) = (format!("{all}\nlimit = 250"), format!("{all}\nlimit = 250\norder = \"desc\""));
    let patterns = [("all", all), ("first", &first), ("last", &last)];
    let patterns = patterns.map(|(name, keys)| format!("\n[[access_patterns]]\nname = \"{name}\"\n{keys}\n"));
    for kind in servers::ALL {
        let mapping = MAPPING.to_owned() + &patterns.concat();
        let row = |id: u32| format!("({id}, 1, {}, NULL, '{}')", id / 3, "x".repeat(5_000));
        let rows: Vec<String> = (1..=300).map(row).collect();
        let sql = READINGS.replace("VARCHAR(200)", "VARCHAR(5000)")
            + &format!("INSERT INTO readings VALUES {};", rows.join(", "));
        let stage = Stage::new(kind, &sql, &mapping).await.with_dynamodb().await;
        stage.migrate("--create-table", 0).await;
        let report = stage.migrate("verify --json", 0).await.json();
        let requests = |name| pattern(&report, name)["requests"].as_f64().unwrap();
        assert_eq!(counts(pattern(&report, "all")), [1, 0, 300, 0, 0, 0, 0], "{}", kind.name());
        assert!(requests("all") >= 2.0, "{}", requests("all"));
        assert!(requests("first") >= 2.0 && requests("last") >= 2.0, "the limit goes over pages");
        assert_eq!(pattern(&report, "first")["items"], 250);
        // 300 items of about 5,080 bytes in two pages, at half the price of consistent reads.
        let units = pattern(&report, "all")["rcu"].as_f64().unwrap();
        assert!((180.0..=200.0).contains(&units), "{units}");
        let separate = &pattern(&report, "all")["one_table_per_entity"];
        assert_eq!(separate["requests"], 2.0);
        assert!((units - separate["rcu"].as_f64().unwrap()).abs() < 5.0, "{units} and {separate}");
    }
}

/// 38 MB of each of two entities: each alone would do. No item can hold such a text, so that the table is empty.
#[tokio::test]
async fn an_answer_that_is_too_large_to_compare_is_told() {
    let rows = "INSERT INTO readings SELECT value, 1, value, NULL, hex(zeroblob(2000000)) FROM (SELECT 1 AS value UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9 UNION SELECT 10);";
    let other = "\n[entities.Other]\nfrom = \"readings\"\npk = \"OTHER#{sensor:04}\"\nsk = \"AT#{moment:04}#{id:06}\"\ncolumns = \"*\"\n";
    let of_one = |entity: &str, prefix: &str| {
        format!(
            "\n[[access_patterns]]\nname = \"{entity}\"\npk = \"{prefix}#0001\"\nreturns = {{ {entity} = \"sensor = 1\" }}\n"
        )
    };
    let alone = MAPPING.to_owned() + other + &of_one("Reading", "SENSOR") + &of_one("Other", "OTHER");
    let stage = Stage::new(Kind::Sqlite, &(READINGS.to_owned() + rows), &alone).await.with_dynamodb().await;
    stage.migrate("--create-table", 4).await;
    let report = stage.migrate("verify --json", 0).await.json();
    assert_eq!(counts(pattern(&report, "Other")), [1, 0, 0, 0, 0, 0, 0]);
    let both = "\n[[access_patterns]]\nname = \"both\"\nindex = \"Moments\"\npk = \"SENSOR#0001\"\nreturns = { Reading = \"sensor = 1\", Other = \"sensor = 1\" }\n";
    let in_index = "\n[entities.Other.index.Moments]\npk = \"SENSOR#{sensor:04}\"\n";
    stage.folder.write("mapping.toml", &(MAPPING.to_owned() + other + in_index + both));
    let failed = stage.migrate("verify --json", 1).await.json();
    assert_eq!(
        failed["error"]["message"],
        "access pattern `both`: one answer holds more than 64 MB of rows of `Other`"
    );
    assert!(failed["error"]["help"].as_str().unwrap().contains("narrow the pattern"), "{failed}");
}

/// Columns of many types, values that only a bound parameter of the right type finds again.
fn typed(kind: Kind) -> (String, Vec<&'static str>) {
    let (columns, rows) = match kind {
        Kind::Postgres => (
            "id uuid PRIMARY KEY, at timestamptz NOT NULL, local timestamp NOT NULL, day date NOT NULL, price numeric(30,10) NOT NULL, big bigint NOT NULL, flag boolean NOT NULL, name text NOT NULL, code char(5) NOT NULL, ratio double precision NOT NULL, raw bytea NOT NULL",
            vec![
                "'6ba7b810-9dad-11d1-80b4-00c04fd430c8', '2024-02-29 23:59:59.999999+00', '2024-02-29 23:59:59.999999', '2024-02-29', 12345678901234567890.0123456789, 9007199254740993, true, 'O''Brien', 'ab', 0.1, '\\x00ff'",
                "'6ba7b811-9dad-11d1-80b4-00c04fd430c8', '1969-12-31 23:59:59.5+02', '1969-12-31 23:59:59.5', '0001-01-01', -0.5, -9223372036854775808, false, '{id} \"; DROP TABLE things; -- \\', 'abcde', -1e100, '\\x'",
            ],
        ),
        Kind::MySql => (
            "id binary(16) PRIMARY KEY, at timestamp(6) NOT NULL, local datetime(6) NOT NULL, day date NOT NULL, price decimal(30,10) NOT NULL, big bigint unsigned NOT NULL, flag tinyint(1) NOT NULL, name varchar(100) NOT NULL, code char(5) NOT NULL, ratio double NOT NULL, raw varbinary(10) NOT NULL",
            vec![
                "x'6ba7b8109dad11d180b400c04fd430c8', '2024-02-29 23:59:59.999999', '2024-02-29 23:59:59.999999', '2024-02-29', 12345678901234567890.0123456789, 18446744073709551615, 1, 'O''Brien', 'ab', 0.1, x'00ff'",
                "x'6ba7b8119dad11d180b400c04fd430c8', '1971-12-31 23:59:59.5', '1969-12-31 23:59:59.5', '1000-01-01', -0.5, 9007199254740993, 0, '{id} \"; DROP TABLE things; -- \\\\', 'abcde', -1e100, x''",
            ],
        ),
        Kind::Sqlite => (
            "id TEXT PRIMARY KEY, at TIMESTAMP NOT NULL, local TIMESTAMP NOT NULL, day DATE NOT NULL, price DECIMAL(20,10) NOT NULL, big INTEGER NOT NULL, flag BOOLEAN NOT NULL, name TEXT NOT NULL, code TEXT NOT NULL, ratio REAL NOT NULL, raw BLOB NOT NULL",
            vec![
                "'6ba7b810-9dad-11d1-80b4-00c04fd430c8', '2024-02-29 23:59:59.999999', '2024-02-29 23:59:59.999999', '2024-02-29', 12345.5, 9007199254740993, 1, 'O''Brien', 'ab', 0.1, x'00ff'",
                "'6ba7b811-9dad-11d1-80b4-00c04fd430c8', '1969-12-31 23:59:59.5', '1969-12-31 23:59:59.5', '0001-01-01', -0.5, -9223372036854775808, 0, '{id} \"; DROP TABLE things; -- \\', 'abcde', -1e100, x''",
            ],
        ),
    };
    (
        format!("CREATE TABLE things ({columns}); INSERT INTO things VALUES ({}), ({});", rows[0], rows[1]),
        rows,
    )
}

#[tokio::test]
async fn values_of_params_come_back_to_the_database_in_their_types() {
    let columns = ["id", "at", "local", "day", "price", "big", "flag", "name", "code", "ratio", "raw"];
    let head = "[source]\nurl = \"${DATABASE_URL}\"\n\n[table]\nname = \"things\"\nendpoint = \"${DYNAMODB_ENDPOINT:-embedded}\"\n\n\
        [entities.Thing]\nfrom = \"things\"\npk = \"T\"\n";
    for kind in servers::ALL {
        let sk = if kind == Kind::MySql { "sk = \"{id:hex}\"" } else { "sk = \"{id}\"" };
        let mut mapping = format!("{head}{sk}\n");
        for column in columns {
            // Each row is found by its own value alone: the other one is not in the answer.
            mapping += &format!(
                "\n[[access_patterns]]\nname = \"by {column}\"\nparams = \"SELECT id, {column} FROM things\"\npk = \"T\"\n{sk}\n\
                 returns = {{ Thing = \"{column} = {{{column}}}\" }}\n"
            );
        }
        let mapping = mapping.replace("SELECT id, id FROM", "SELECT id FROM");
        let (sql, rows) = typed(kind);
        let stage = Stage::new(kind, &sql, &mapping).await.with_dynamodb().await;
        stage.migrate("--create-table", 0).await;
        let report = stage.migrate("verify --json", 0).await.json();
        patterns_are_answered(&report, kind);
        for column in columns {
            let found = pattern(&report, &format!("by {column}"));
            assert_eq!(found["items"], rows.len(), "{column} on {}: {found}", kind.name());
        }
        assert_eq!(stage.database.text("SELECT count(*) FROM things").await, "2");
    }
}

/// The same seed asks the same, whatever the order of the rows; another one something else.
#[tokio::test]
async fn a_sample_of_params_is_drawn_by_the_seed() {
    let keys = "params = \"SELECT sensor, moment, id FROM readings ORDER BY random()\"\nsample = 4\npk = \"SENSOR#{sensor:04}\"\nsk = \"AT#{moment:04}#{id:06}\"\nreturns = { Reading = \"id = {id} AND 1 = 0\" }";
    let stage = loaded(Kind::Sqlite, &[("some", keys)]).await;
    let mut asked = Vec::new();
    for seed in [0, 0, 1, 2] {
        let report = stage.migrate(&format!("verify --json --seed {seed}"), 5).await.json();
        let some = pattern(&report, "some");
        assert_eq!(counts(some), [4, 4, 0, 0, 4, 0, 0], "{some}");
        let ids = some["examples"].as_array().unwrap().iter().map(|example| example["params"]["id"].clone());
        asked.push(ids.collect::<Vec<_>>());
    }
    assert_eq!(asked[0], asked[1]);
    assert!(asked[1] != asked[2] && asked[2] != asked[3], "{asked:?}");
}

/// Two readings with one key: the load has written the first and skipped or rejected the other.
#[tokio::test]
async fn rows_that_the_load_left_out_are_not_expected() {
    let all = of_sensors("", "1 = 1");
    for (policy, code) in [("on_collision = \"last\"\norder_by = [\"moment\"]\n", 0), ("", 4)] {
        for kind in servers::ALL {
            let mapping = MAPPING
                .replace("sk = \"AT#{moment:04}#{id:06}\"", &format!("sk = \"AT#{{moment:04}}\"\n{policy}"));
            let mapping = format!("{mapping}\n[[access_patterns]]\nname = \"all\"\n{all}\n");
            let stage = Stage::new(kind, &rows(), &mapping).await.with_dynamodb().await;
            // Wider than its pad: rejected by a rule on the row itself.
            stage.database.execute("INSERT INTO readings VALUES (31, 1, 99999, NULL, NULL)").await;
            stage.migrate("--create-table", 4).await;
            let report = stage.migrate("verify --json", 0).await.json();
            let entity = &report["entities"]["Reading"];
            let left_out = entity["skipped"].as_u64().unwrap() + entity["rejected"].as_u64().unwrap();
            assert!(left_out > 10, "{} {policy} {code}: {entity}", kind.name());
            assert_eq!(counts(pattern(&report, "all")), [3, 0, 31 - left_out, 0, 0, 0, 0], "{}", kind.name());
        }
    }
}

#[tokio::test]
async fn a_changed_pattern_leaves_the_checkpoint_as_it_is() {
    let all = of_sensors("", "1 = 1");
    let stage = loaded(Kind::Sqlite, &[("all", &all)]).await;
    let mapping =
        stage.folder.read("mapping.toml").replace("name = \"all\"", "name = \"another\"\nlimit = 3");
    stage.folder.write("mapping.toml", &mapping);
    assert_eq!(stage.migrate("--json", 0).await.json()["outcome"], "already_done");
    let report = stage.migrate("verify --json", 0).await.json();
    assert_eq!(pattern(&report, "another")["items"], 9);
}

async fn behind_a_front(patterns: &[(&str, &str)]) -> (Stage, Front) {
    let stage = loaded(Kind::Sqlite, patterns).await;
    let front = Front::forwarding(stage.endpoint.as_deref().unwrap());
    let stage = stage.at(front.url());
    (stage, front)
}

#[tokio::test]
async fn throttled_and_lost_queries_are_repeated() {
    let all = of_sensors("", "1 = 1");
    let (stage, front) = behind_a_front(&[("all", &all)]).await;
    let throttled =
        Fault::throttled(Throttle::ProvisionedThroughputExceeded, "TableReadProvisionedThroughputExceeded");
    front.on("Query", When::At(1), throttled);
    front.on("Query", When::At(3), Fault::CutBefore);
    front.on("Query", When::At(4), Fault::internal_error());
    let report = stage.migrate("verify --json", 0).await.json();
    assert_eq!(counts(pattern(&report, "all")), [3, 0, 30, 0, 0, 0, 0]);
    assert_eq!(front.counters().requests("Query"), 6);
    assert_eq!(front.counters().requests("Scan"), 0);
}

#[tokio::test]
async fn a_query_that_is_refused_says_which_pattern_it_was() {
    let all = of_sensors("", "1 = 1");
    let (stage, front) = behind_a_front(&[("all of a sensor", &all)]).await;
    front.on("Query", When::Always, Fault::access_denied());
    let failed = stage.migrate("verify --json", 1).await.json();
    let message = failed["error"]["message"].as_str().unwrap();
    assert!(message.contains("access pattern `all of a sensor`"), "{message}");
}

/// A row comes and its item with it, after the snapshot: a second snapshot has both.
#[tokio::test]
async fn a_source_that_moves_on_meanwhile_is_no_wrong_answer() {
    let all = of_sensors("", "1 = 1");
    let (stage, front) = behind_a_front(&[("all", &all)]).await;
    front.on("Query", When::At(1), Fault::Hang(Duration::from_secs(1)));
    let running = stage.tool("verify --json").spawn();
    wait_for_queries(&front, 1).await;
    stage
        .database
        .execute("INSERT INTO readings VALUES (40, 1, 50, NULL, NULL), (41, 2, 50, NULL, NULL)")
        .await;
    for sensor in [1, 2] {
        let item = json!({"PK": {"S": format!("SENSOR#{sensor:04}")}, "SK": {"S": format!("AT#0050#{:06}", 39 + sensor)},
            "id": {"N": (39 + sensor).to_string()}, "sensor": {"N": sensor.to_string()}, "moment": {"N": "50"},
            "MomentPK": {"S": format!("SENSOR#{sensor:04}")}});
        stage.client().call("PutItem", json!({"TableName": "readings", "Item": item})).await;
    }
    let report = running.finish().await.expect_code(0).json();
    assert_eq!(counts(pattern(&report, "all")), [3, 0, 32, 0, 0, 0, 0]);
    assert!(front.counters().requests("Query") > 4, "asked again");
}

/// The index still has what the table has no more, for a moment.
#[tokio::test]
async fn an_index_gets_time_to_follow_its_table() {
    let (stage, front) = behind_a_front(&[HIGH]).await;
    let foreign = json!({"PK": {"S": "X"}, "SK": {"S": "X"}});
    let mut item = foreign.clone();
    item["KeysPK"] = json!({"S": "HIGH#0"});
    item["KeysSK"] = json!({"S": "0000"});
    stage.client().call("PutItem", json!({"TableName": "readings", "Item": item})).await;
    let mut running = stage.tool("verify --json").spawn();
    // Three calls before it is doubted, three with a new snapshot; then it waits.
    running.until("it has asked twice", |_| front.counters().requests("Query") >= 6).await;
    stage.client().call("DeleteItem", json!({"TableName": "readings", "Key": foreign})).await;
    let report = running.finish().await.expect_code(0).json();
    assert_eq!(counts(pattern(&report, "high")), [1, 0, 12, 0, 0, 0, 0]);
}

#[tokio::test]
async fn a_stop_while_patterns_are_asked_leaves_them_out() {
    let all = of_sensors("", "1 = 1");
    let (stage, front) = behind_a_front(&[("all", &all)]).await;
    front.on("Query", When::At(1), Fault::Delay(Duration::from_secs(5)));
    let running = stage.tool("verify --json").spawn();
    wait_for_queries(&front, 1).await;
    running.interrupt();
    let report = running.finish().await.expect_code(130).json();
    assert_eq!((&report["outcome"], &report["access_patterns"]), (&json!("interrupted"), &Value::Null));
    // The rows are checked: only the patterns are left.
    let lookups = front.counters().requests("BatchGetItem");
    let report = stage.migrate("verify --json", 0).await.json();
    assert_eq!(front.counters().requests("BatchGetItem"), lookups);
    assert_eq!((&report["entities"]["Reading"]["matching"], &report["snapshots"]), (&json!(30), &json!(2)));
    assert_eq!(counts(pattern(&report, "all")), [3, 0, 30, 0, 0, 0, 0]);
}

async fn wait_for_queries(front: &Front, queries: u64) {
    for _ in 0..600 {
        if front.counters().requests("Query") >= queries {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no query came");
}
