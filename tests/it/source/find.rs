//! The source key that reports show finds its row again, whatever the type of the key.

use dynamigrate::mapping::{Mapping, MappingFile};
use dynamigrate::plan::{Plan, PlanOptions, prepare};
use dynamigrate::preview::{PreviewOptions, preview};
use dynamigrate::source::{Dialect, KeyValue, Reader, Source, SourceErrorKind};
use indexmap::IndexMap;

use super::database::{Database, settings};
use super::key_kinds::{Kind, MYSQL, POSTGRES, SQLITE, clean};

type SourceKey = IndexMap<String, String>;

#[tokio::test]
async fn postgres_finds_rows_by_the_keys_that_reports_show() {
    find_all(Dialect::Postgres, POSTGRES).await;
}

#[tokio::test]
async fn mysql_finds_rows_by_the_keys_that_reports_show() {
    find_all(Dialect::Mysql, MYSQL).await;
}

#[tokio::test]
async fn sqlite_finds_rows_by_the_keys_that_reports_show() {
    find_all(Dialect::Sqlite, SQLITE).await;
}

async fn find_all(dialect: Dialect, kinds: &[Kind]) {
    let mut database = Database::create(dialect).await;
    for (setup, key) in kinds {
        if dialect == Dialect::Sqlite {
            database = Database::create(dialect).await;
        }
        database.run(setup).await;
        find_each(&database, setup, key).await;
        database.run(clean(dialect)).await;
    }
}

async fn find_each(database: &Database, setup: &str, key: &[&str]) {
    let (plan, mut reader) = opened(database, key).await;
    let all = keys(&plan, &mut reader, &SourceKey::new()).await;
    assert!(all.len() >= 10, "{setup}");
    for wanted in &all {
        let found = keys(&plan, &mut reader, wanted).await;
        let same = all.iter().filter(|key| *key == wanted).count();
        assert_eq!(found, vec![wanted.clone(); same], "{wanted:?} of {setup}");
        // Any column of it finds it among others.
        for (name, text) in wanted.iter().filter(|_| wanted.len() > 1) {
            let part = SourceKey::from([(name.clone(), text.clone())]);
            assert!(
                keys(&plan, &mut reader, &part).await.contains(wanted),
                "{name} of {wanted:?} of {setup}"
            );
        }
    }
}

/// A plan whose items are the same for all rows, and a reader.
async fn opened(database: &Database, key: &[&str]) -> (Plan, Reader) {
    let mapping = format!(
        "[source]\nurl = 'sqlite://x'\n[table]\nname = 'table'\n[entities.T]\nfrom = 't'\nkey = [{}]\npk = 'P'\nsk = 'S'\ncolumns = []\n",
        key.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
    );
    let file = MappingFile { path: "mapping.toml".into(), text: mapping };
    let mapping = Mapping::parse(&file, &|_| None).unwrap();
    let mut source = Source::connect(&settings(&database.url)).await.unwrap();
    let options = PlanOptions { trust_keys: true, ..PlanOptions::default() };
    let plan = prepare(&mapping, &mut source, options).await.unwrap().plan;
    let selects = [(*plan.entities[0].select).clone()];
    let reader = source.open(1, &selects).await.unwrap().readers.pop().unwrap();
    (plan, reader)
}

async fn keys(plan: &Plan, reader: &mut Reader, wanted: &SourceKey) -> Vec<SourceKey> {
    let report = preview(plan, reader, &options(wanted)).await.unwrap_or_else(|e| panic!("{wanted:?}: {e}"));
    report.entities["T"].rows.iter().map(|row| row.source_key.clone()).collect()
}

fn options(wanted: &SourceKey) -> PreviewOptions {
    let value = |(column, text): (&String, &String)| KeyValue { column: column.clone(), text: text.clone() };
    PreviewOptions { entities: vec![0], key: wanted.iter().map(value).collect(), rows: 1000, redact: false }
}

/// Type of the key, values that are none of its.
type Unfit = (&'static str, &'static [&'static str]);

const UNFIT: [(Dialect, &[Unfit]); 2] = [
    (
        Dialect::Postgres,
        &[
            ("int", &["", "x", "1.5", "99999999999"]),
            ("varchar(3)", &["abcd"]),
            ("char(3)", &["abcd"]),
            ("numeric(5,2)", &["1.999", "1000", "1,5"]),
            ("date", &["2024-02-30", "2024-01-01 10:00", "31.12.2024"]),
            ("timestamp(0)", &["2024-01-01 10:00:00.5", "2024-01-01T25:00:00"]),
            ("uuid", &["1234"]),
            ("bytea", &["0", "xyz"]),
            ("boolean", &["perhaps"]),
            ("bit(3)", &["10", "1010"]),
            ("inet", &["host"]),
        ],
    ),
    (
        Dialect::Mysql,
        &[
            ("int", &["", "x", "1.5", "99999999999999999999"]),
            ("bigint unsigned", &["-1"]),
            ("decimal(5,2)", &["1.999", "1000", "1,5"]),
            ("date", &["2024-13-01", "31.12.2024"]),
            ("datetime", &["2024-01-01T25:00:00", "noon"]),
            ("binary(2)", &["0", "xyz"]),
            ("bit(3)", &["x"]),
            ("uuid", &["1234", "nonsense"]),
        ],
    ),
];

/// None of them finds a row that merely looks like it, and none is quoted in the message.
#[tokio::test]
async fn what_the_type_of_the_key_does_not_take_is_said() {
    for (dialect, types) in UNFIT {
        let database = Database::create(dialect).await;
        for (sql_type, texts) in types {
            database.run(&format!("CREATE TABLE t (k {sql_type} PRIMARY KEY)")).await;
            for text in *texts {
                let (plan, mut reader) = opened(&database, &["k"]).await;
                let wanted = SourceKey::from([("k".to_owned(), (*text).to_owned())]);
                let Err(error) = preview(&plan, &mut reader, &options(&wanted)).await else {
                    panic!("{text:?} was taken for {sql_type} by {dialect:?}");
                };
                assert_eq!(error.kind, SourceErrorKind::KeyValue, "{sql_type} {text:?}: {error}");
                let said = error.to_string();
                assert!(said.contains("does not take the value given"), "{said}");
                assert!(text.len() < 4 || !said.contains(text), "{said}");
            }
            database.run("DROP TABLE t").await;
        }
    }
}
