//! Names as databases allow them, in every place of a mapping that can name a column; and rows that are not
//! those of a plain table: views, partitions, children, generated and hidden columns.

use serde_json::{Value, json};

use crate::compare;
use crate::servers::{self, Kind};
use crate::stage::{MAPPING, Stage};

/// Reserved, with capitals, blanks, points, braces, every kind of quote, and letters beyond ASCII.
const NAMES: [&str; 9] =
    ["select", "Unit Price", "Größe", "say \"hi\"", "it's", "back`tick", "a.b{c}", "UPPER", "ж-1"];

/// Two rows of nine numbers under those names.
fn table(kind: Kind, table: &str) -> String {
    let columns = NAMES.map(|name| format!(", {} INT", quoted(kind, name)));
    format!(
        "CREATE TABLE {table} ({} INT NOT NULL PRIMARY KEY{});
         INSERT INTO {table} VALUES (1, 11, 12, 13, 14, 15, 16, 17, 18, 19), (2, 0, 22, 23, 24, 25, 26, 27, 28, 29);",
        quoted(kind, "Order Id"),
        columns.concat()
    )
}

fn quoted(kind: Kind, name: &str) -> String {
    match kind {
        Kind::MySql => format!("`{}`", name.replace('`', "``")),
        _ => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

/// A TOML string of one line.
fn toml(text: &str) -> String {
    json!(text).to_string()
}

/// `{"say ""hi"""}`
fn placeholder(name: &str) -> String {
    format!("{{\"{}\"}}", name.replace('"', "\"\""))
}

#[tokio::test]
async fn names_of_all_kinds_stand_wherever_a_mapping_names_a_column() {
    for kind in servers::ALL {
        let name = |name: &str| quoted(kind, name);
        let all: String = NAMES.iter().map(|name| format!("/{}", placeholder(name))).collect();
        let entity = format!(
            "[entities.Order]\nfrom = {from}\nwhere = {filter}\ncolumns = {columns}\npk = {pk}\nsk = {sk}\n\n\
             [entities.Order.let]\n\"twice as much\" = {computed}\n\n\
             [entities.Order.column.\"Größe\"]\ntype = \"S\"\n\n\
             [entities.Order.index.GSI1]\nwhen = {when}\npk = {index}\nsk = \"x\"\n\n\
             [entities.Order.attributes]\nRenamed = {renamed}\nTwice = \"twice as much\"\nAll = {{ template = {all} }}\n",
            from = toml(&name("order")),
            filter = toml(&format!("{} > 0 AND {} = 16", name("select"), name("back`tick"))),
            columns = toml_list(&NAMES),
            pk = toml("ORDER#{\"Order Id\":05}"),
            sk = toml(&placeholder("say \"hi\"")),
            computed = toml(&format!("{} * 2", name("it's"))),
            when = toml(&format!("{} = 19", name("ж-1"))),
            index = toml(&placeholder("a.b{c}")),
            renamed = toml("UPPER"),
            all = toml(&all),
        );
        let index = "[table.indexes.GSI1]\npartition_key = \"GSI1PK\"\nsort_key = \"GSI1SK\"\n\n";
        let stage = loaded(kind, &table(kind, &name("order")), &format!("{index}{entity}")).await;
        let written = compare::scan(&stage.client(), "shop").await;
        let item: Vec<&Value> = written.values().collect();
        let expected = json!({
            "PK": {"S": "ORDER#00001"}, "SK": {"S": "14"}, "GSI1PK": {"S": "17"}, "GSI1SK": {"S": "x"},
            "select": {"N": "11"}, "Unit Price": {"N": "12"}, "Größe": {"S": "13"}, "say \"hi\"": {"N": "14"},
            "it's": {"N": "15"}, "back`tick": {"N": "16"}, "a.b{c}": {"N": "17"}, "ж-1": {"N": "19"},
            "Renamed": {"N": "18"}, "Twice": {"N": "30"}, "All": {"S": "/11/12/13/14/15/16/17/18/19"},
        });
        assert_eq!(item, [&expected], "{}", kind.name());
    }
}

fn toml_list(names: &[&str]) -> String {
    format!("[{}]", names.iter().map(|name| toml(name)).collect::<Vec<_>>().join(", "))
}

#[tokio::test]
async fn a_table_is_named_with_its_schema() {
    for kind in servers::ALL {
        let database = kind.database().await;
        let (setup, schema) = match kind {
            Kind::Postgres => ("CREATE SCHEMA \"My Schema\";", "\"My Schema\"".to_owned()),
            Kind::MySql => ("", quoted(kind, database.name())),
            Kind::Sqlite => ("", "main".to_owned()),
        };
        let name = format!("{schema}.{}", quoted(kind, "Group"));
        database.execute(&format!("{setup} {}", table(kind, &name))).await;
        let stage =
            Stage::over(database, &head(&entity(&name, "columns = [\"select\"]"))).with_dynamodb().await;
        load(&stage).await;
        assert_eq!(numbers(&stage, "select").await, [0, 11], "{}", kind.name());
    }
}

/// Keys that are declared, and positions within them: by a name in quotes too.
#[tokio::test]
async fn views_have_declared_keys_of_any_name() {
    for kind in servers::ALL {
        let view = quoted(kind, "The View");
        let sql = format!(
            "{} CREATE VIEW {view} AS SELECT {}, {} + 1 AS {} FROM t;",
            table(kind, "t"),
            quoted(kind, "Order Id"),
            quoted(kind, "select"),
            quoted(kind, "group by")
        );
        let rows = entity(&view, "key = [\"Order Id\"]");
        let stage = loaded(kind, &sql, &rows).await;
        assert_eq!(numbers(&stage, "group by").await, [1, 12], "{}", kind.name());
        let one = stage.tool("preview --json").run().await.json();
        assert_eq!(one["entities"]["Order"]["rows"][0]["source_key"], json!({"Order Id": "1"}));
        let found =
            stage.folder.tool(["preview", "--mapping", "mapping.toml", "--key", "Order Id=2", "--json"]);
        let found = found.env("DATABASE_URL", stage.database.url()).run().await.json();
        assert_eq!(found["entities"]["Order"]["rows"].as_array().unwrap().len(), 1, "{}", kind.name());
    }
}

#[tokio::test]
async fn materialized_views_are_read() {
    let sql = format!(
        "{} CREATE MATERIALIZED VIEW seen AS SELECT * FROM t; CREATE UNIQUE INDEX ON seen (\"Order Id\");",
        table(Kind::Postgres, "t")
    );
    let stage = loaded(Kind::Postgres, &sql, &entity("seen", "key = [\"Order Id\"]")).await;
    assert_eq!(numbers(&stage, "select").await, [0, 11]);
}

#[tokio::test]
async fn partitions_are_read_through_their_parent() {
    let columns = "(id INT NOT NULL, day DATE NOT NULL, n INT, PRIMARY KEY (id, day))";
    let rows = "INSERT INTO parted VALUES (1, '2024-01-15', 1), (2, '2024-02-15', 2), (3, '2025-01-01', 3);";
    let postgres = format!(
        "CREATE TABLE parted {columns} PARTITION BY RANGE (day);
         CREATE TABLE \"parted 2024\" PARTITION OF parted FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')
           PARTITION BY LIST (id);
         CREATE TABLE one PARTITION OF \"parted 2024\" FOR VALUES IN (1);
         CREATE TABLE others PARTITION OF \"parted 2024\" DEFAULT;
         CREATE TABLE rest PARTITION OF parted DEFAULT; {rows}"
    );
    let mysql = format!("CREATE TABLE parted {columns} PARTITION BY HASH (id) PARTITIONS 3; {rows}");
    for (kind, sql) in [(Kind::Postgres, postgres), (Kind::MySql, mysql)] {
        let rows = "[entities.Order]\nfrom = \"parted\"\npk = \"P#{id:05}\"\nsk = \"{day}\"\n";
        let stage = loaded(kind, &sql, rows).await;
        assert_eq!(numbers(&stage, "n").await, [1, 2, 3], "{}", kind.name());
    }
}

/// R15: the rows of its children are rows of a parent, and no key of its own says that they differ.
#[tokio::test]
async fn a_parent_is_read_with_its_children() {
    let sql = "CREATE TABLE animals (id INT PRIMARY KEY, n INT); INSERT INTO animals VALUES (1, 1);
               CREATE TABLE \"Dogs\" (name text) INHERITS (animals); INSERT INTO \"Dogs\" VALUES (2, 2, 'Rex');";
    let rows = "[entities.Order]\nfrom = \"animals\"\nkey = [\"id\"]\npk = \"A#{id:05}\"\nsk = \"A\"\n";
    let stage = loaded(Kind::Postgres, sql, rows).await;
    assert_eq!(numbers(&stage, "n").await, [1, 2]);
}

/// S20: `SELECT *` would not have them.
#[tokio::test]
async fn s20_generated_and_invisible_columns_are_columns() {
    let generated = "n INT, twice INT GENERATED ALWAYS AS (n * 2)";
    let tables = [
        (Kind::Postgres, format!("CREATE TABLE g (id INT PRIMARY KEY, {generated} STORED)")),
        (Kind::MySql, format!("CREATE TABLE g (id INT PRIMARY KEY, {generated} VIRTUAL)")),
        (Kind::MySql, format!("CREATE TABLE g (id INT PRIMARY KEY, {generated} STORED)")),
        (
            Kind::MySql,
            "CREATE TABLE g (id INT PRIMARY KEY, n INT, twice INT DEFAULT 14 INVISIBLE)".to_owned(),
        ),
        (Kind::Sqlite, format!("CREATE TABLE g (id INT NOT NULL PRIMARY KEY, {generated} VIRTUAL)")),
        (Kind::Sqlite, format!("CREATE TABLE g (id INT NOT NULL PRIMARY KEY, {generated} STORED)")),
    ];
    for (kind, create) in tables {
        let sql = format!("{create}; INSERT INTO g (id, n) VALUES (1, 7);");
        let rows = "[entities.Order]\nfrom = \"g\"\npk = \"G#{id:05}\"\nsk = \"{twice}\"\n";
        let stage = loaded(kind, &sql, rows).await;
        assert_eq!(numbers(&stage, "twice").await, [14], "{create}");
    }
}

/// A virtual table takes commands through its hidden columns; they hold no data.
#[tokio::test]
async fn hidden_columns_of_virtual_tables_are_none() {
    let sql = "CREATE VIRTUAL TABLE notes USING fts5(title, body); INSERT INTO notes VALUES ('a', 'one'), ('b', 'two');";
    let rows = "[entities.Order]\nfrom = \"notes\"\nkey = [\"title\"]\npk = \"N#{title}\"\nsk = \"N\"\n";
    let stage = Stage::new(Kind::Sqlite, sql, &head(rows)).await.with_dynamodb().await;
    stage.migrate("run --create-table", 0).await;
    let written = compare::scan(&stage.client(), "shop").await;
    let first = json!({"PK": {"S": "N#a"}, "SK": {"S": "N"}, "title": {"S": "a"}, "body": {"S": "one"}});
    assert_eq!(written.values().next(), Some(&first));
}

/// S18: refused before anything is read, whatever the case of the names.
#[tokio::test]
async fn s18_two_columns_of_one_name_are_a_mistake() {
    let sql =
        "CREATE TABLE item (id INT PRIMARY KEY, quantity INT); CREATE TABLE sku (item INT, quantity INT);";
    for kind in servers::ALL {
        for query in [
            "SELECT i.*, s.quantity FROM item i JOIN sku s ON s.item = i.id",
            "SELECT id, quantity, id AS QUANTITY FROM item",
        ] {
            let rows = format!(
                "[entities.Order]\nquery = {}\nkey = [\"id\"]\npk = \"I#{{id:05}}\"\nsk = \"I\"\n",
                toml(query)
            );
            let stage = Stage::new(kind, sql, &head(&rows)).await;
            let refused = stage.migrate("check --json", 3).await.json();
            let message = refused["error"]["message"].as_str().unwrap().to_lowercase();
            assert!(message.contains("two columns are named `quantity`"), "{}: {message}", kind.name());
        }
    }
}

/// S07: what nobody asks for is not read, whatever it is.
#[tokio::test]
async fn s07_a_column_that_is_left_out_may_be_of_any_type() {
    let sql = "CREATE EXTENSION ltree; CREATE TABLE orders (id BIGINT PRIMARY KEY, path ltree, x pg_node_tree, name text);
               INSERT INTO orders VALUES (1, 'a.b', NULL, 'x');";
    let stage =
        Stage::new(Kind::Postgres, sql, &MAPPING.replace("sk = ", "columns = [\"name\"]\nsk = ")).await;
    let shown = stage.migrate("preview --json", 0).await.json();
    let item = &shown["entities"]["Order"]["rows"][0]["item"];
    assert_eq!(item, &json!({"PK": {"S": "ORDER#0000000001"}, "SK": {"S": "ORDER"}, "name": {"S": "x"}}));
}

/// An entity over the odd names, keyed by `Order Id`.
fn entity(from: &str, more: &str) -> String {
    format!(
        "[entities.Order]\nfrom = {}\n{more}\npk = 'ORDER#{{\"Order Id\":05}}'\nsk = \"ORDER\"\n",
        toml(from)
    )
}

fn head(entities: &str) -> String {
    let (head, _) = MAPPING.split_once("[entities.Order]").unwrap();
    format!("{head}{entities}")
}

async fn loaded(kind: Kind, sql: &str, entities: &str) -> Stage {
    let stage = Stage::new(kind, sql, &head(entities)).await.with_dynamodb().await;
    load(&stage).await;
    stage
}

async fn load(stage: &Stage) {
    stage.migrate("run --create-table", 0).await;
    stage.migrate("verify", 0).await;
}

/// One attribute of all items, sorted.
async fn numbers(stage: &Stage, attribute: &str) -> Vec<i64> {
    let written = compare::scan(&stage.client(), "shop").await;
    let number = |item: &Value| item[attribute]["N"].as_str().unwrap().parse().unwrap();
    let mut numbers: Vec<i64> = written.values().map(number).collect();
    numbers.sort_unstable();
    numbers
}
