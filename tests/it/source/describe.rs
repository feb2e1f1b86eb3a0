//! What the catalog says: types, keys, and which piece of SQL is wrong.

use dynamigrate::source::{Dialect, Piece, Relation, RelationKind, Rows, Source, SourceErrorKind};
use expect_test::{Expect, expect};

use super::database::{ALL, Database, computed, from};

#[tokio::test]
async fn postgres_types() {
    let setup = "
        CREATE TYPE mood AS ENUM ('sad', 'ok');
        CREATE TYPE pair AS (a int, b text);
        CREATE DOMAIN price AS numeric(12,2) NOT NULL;
        CREATE DOMAIN moment AS timestamp(2);
        CREATE TABLE other (id int, part int, PRIMARY KEY (part, id));
        CREATE TABLE wide (
          b boolean, i2 smallint, i4 int UNIQUE, i8 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, o oid,
          f4 real, f8 double precision, n numeric, n2 numeric(10,2) NOT NULL, m money, p price, mo moment,
          t text NOT NULL, v varchar(20) NOT NULL, c char(4), nm name, e mood, x xml, by bytea, u uuid, d date,
          ti time, ti0 time(0), tz timetz, ts timestamp, ts3 timestamp(3), tstz timestamptz, tstz0 timestamptz(0),
          j json, jb jsonb, bi bit(12), vb varbit(7), iv interval, ip inet, cd cidr, mc macaddr, r int4range,
          pt point, tsv tsvector, pr pair, ia int[], na numeric(8,3)[], ea mood[], ipa inet[], ma money[],
          tsa timestamp(3)[], doubled int GENERATED ALWAYS AS (i4 * 2) STORED, vec int2vector,
          \"Odd \"\"name\" int,
          UNIQUE (t, v), FOREIGN KEY (i4, i2) REFERENCES other (part, id));
        ALTER TABLE wide DROP COLUMN o;
        CREATE UNIQUE INDEX partial ON wide (t) WHERE b;
        CREATE UNIQUE INDEX expression ON wide (lower(t));
        CREATE UNIQUE INDEX other_collation ON wide (t COLLATE \"C\");
        CREATE UNIQUE INDEX included ON wide (n2) INCLUDE (t);";
    check(
        Dialect::Postgres,
        setup,
        from("wide"),
        expect![[r#"
            b: boolean → Bool
            i2: smallint → Int2
            i4: integer → Int4
            i8: bigint → Int8 NOT NULL
            f4: real → Float4 -- floats do not order as they compare
            f8: double precision → Float8 -- floats do not order as they compare
            n: numeric → Numeric
            n2: numeric(10,2) → Numeric NOT NULL
            m: money → Numeric
            p: price → Numeric
            mo: moment → Timestamp { precision: 2 }
            t: text → Text NOT NULL
            v: character varying(20) → Text NOT NULL
            c: character(4) → Char
            nm: name → Text
            e: mood → Text
            x: xml → ServerText -- its type has no order that `>` goes by
            by: bytea → Bytea
            u: uuid → Uuid
            d: date → Date
            ti: time without time zone → Time { precision: 6 }
            ti0: time(0) without time zone → Time { precision: 0 }
            tz: time with time zone → ServerText
            ts: timestamp without time zone → Timestamp { precision: 6 }
            ts3: timestamp(3) without time zone → Timestamp { precision: 3 }
            tstz: timestamp with time zone → TimestampTz { precision: 6 }
            tstz0: timestamp(0) with time zone → TimestampTz { precision: 0 }
            j: json → Json -- its type has no order that `>` goes by
            jb: jsonb → Jsonb
            bi: bit(12) → Bit { width: 12 }
            vb: bit varying(7) → ServerText
            iv: interval → ServerText
            ip: inet → Inet
            cd: cidr → ServerText
            mc: macaddr → ServerText
            r: int4range → ServerText
            pt: point → ServerText -- its type has no order that `>` goes by
            tsv: tsvector → ServerText
            pr: pair → ServerText -- its type has no order that `>` goes by
            ia: integer[] → Array(Int4)
            na: numeric(8,3)[] → Array(Numeric)
            ea: mood[] → Array(Text)
            ipa: inet[] → Array(Inet)
            ma: money[] → Array(Numeric)
            tsa: timestamp(3) without time zone[] → Array(Timestamp { precision: 3 })
            doubled: integer → Int4
            vec: int2vector → ServerText -- its type has no order that `>` goes by
            Odd "name: integer → Int4
            key wide_pkey ["i8"] primary not null
            key included ["n2"] not null
            key wide_i4_key ["i4"]
            key wide_t_v_key ["t", "v"] not null
            ["i4", "i2"] → other ["part", "id"]
        "#]],
    )
    .await;
}

#[tokio::test]
async fn postgres_query_types() {
    let setup = "CREATE DOMAIN moment AS timestamp(2);
        CREATE TABLE t (id int PRIMARY KEY, ts timestamp(3), c char(3), n numeric(8,2), mo moment)";
    let query = "SELECT t.*, count(*) OVER () AS total, sum(id) OVER () AS s, ts + interval '1 s' AS later,
                 'x' AS label, NULL AS nothing, m::money FROM t, (VALUES ('1.5')) AS v (m); -- end";
    check(
        Dialect::Postgres,
        setup,
        Rows::Query(query.to_owned()),
        expect![[r#"
            id: integer → Int4
            ts: timestamp(3) without time zone → Timestamp { precision: 3 }
            c: character(3) → Char
            n: numeric(8,2) → Numeric
            mo: moment → Timestamp { precision: 2 }
            total: bigint → Int8
            s: bigint → Int8
            later: timestamp without time zone → Timestamp { precision: 6 }
            label: text → Text
            nothing: text → Text
            m: money → Numeric
        "#]],
    )
    .await;
}

/// R15.
#[tokio::test]
async fn postgres_kinds_of_relations() {
    let setup = "
        CREATE TABLE plain (id int PRIMARY KEY); INSERT INTO plain SELECT generate_series(1, 1000); ANALYZE plain;
        CREATE TABLE never_analyzed (id int PRIMARY KEY);
        CREATE TABLE animals (id int PRIMARY KEY); CREATE TABLE dogs (name text) INHERITS (animals);
        CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY HASH (id);
        CREATE TABLE part0 PARTITION OF parted FOR VALUES WITH (MODULUS 1, REMAINDER 0);
        INSERT INTO parted SELECT generate_series(1, 500); ANALYZE parted;
        CREATE VIEW seen AS SELECT id FROM plain;
        CREATE SCHEMA s; CREATE TABLE s.\"Tab\" (id int PRIMARY KEY)";
    let database = Database::with(Dialect::Postgres, setup).await;
    let mut source = database.source().await;
    let mut found = Vec::new();
    for name in ["plain", "never_analyzed", "animals", "dogs", "parted", "seen", "s.\"Tab\"", "PLAIN"] {
        let relation = source.describe(&from(name), None, &[], &[]).await.unwrap();
        found.push(format!(
            "{name} {:?} {:?} {} {}",
            relation.kind,
            relation.row_estimate,
            relation.unique_keys.len(),
            relation.family.len()
        ));
    }
    expect![[r#"
        plain Table Some(1000) 1 1
        never_analyzed Table None 1 1
        animals Inherited None 0 2
        dogs Table None 0 1
        parted Partitioned Some(500) 1 2
        seen View None 0 1
        s."Tab" Table None 1 1
        PLAIN Table Some(1000) 1 1"#]]
    .assert_eq(&found.join("\n"));
}

#[tokio::test]
async fn mysql_types() {
    let setup = "
        CREATE TABLE other (id int, part int, PRIMARY KEY (part, id));
        CREATE TABLE wide (
          t1 tinyint(1), ti tinyint, tu tinyint unsigned, s smallint, m mediumint, i int UNIQUE, iu int unsigned,
          id bigint unsigned AUTO_INCREMENT PRIMARY KEY, f float, d double, n decimal(10,2) NOT NULL, y year,
          b1 bit, b20 bit(20), da date, dt datetime, dt3 datetime(3), ts timestamp NULL, ts6 timestamp(6) NULL,
          tm time, tm2 time(2), c char(3), v varchar(20) NOT NULL, vb varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
          l1 varchar(9) CHARACTER SET latin1, tx text, e enum('a', 'b'), st set('a', 'b'), j json, bi binary(16),
          vbi varbinary(9), bl blob, lb longblob, u uuid, i6 inet6, i4 inet4, g point, ge geometry,
          doubled int GENERATED ALWAYS AS (i * 2) VIRTUAL, hidden int INVISIBLE DEFAULT 5, `odd ``name` int,
          UNIQUE both_of (v, n), FOREIGN KEY (i, m) REFERENCES other (part, id));";
    check(
        Dialect::Mysql,
        setup.replace(", m mediumint", ", m int").as_str(),
        from("wide"),
        expect![[r#"
        t1: tinyint(1) → TinyInt1 { unsigned: false }
        ti: tinyint(4) → Integer { unsigned: false }
        tu: tinyint(3) unsigned → Integer { unsigned: true }
        s: smallint(6) → Integer { unsigned: false }
        m: int(11) → Integer { unsigned: false }
        i: int(11) → Integer { unsigned: false }
        iu: int(10) unsigned → Integer { unsigned: true }
        id: bigint(20) unsigned → Integer { unsigned: true } NOT NULL
        f: float → Float -- floats do not order as they compare
        d: double → Double -- floats do not order as they compare
        n: decimal(10,2) → Decimal NOT NULL
        y: year(4) → Year
        b1: bit(1) → Bit { width: 1 }
        b20: bit(20) → Bit { width: 20 }
        da: date → Date
        dt: datetime → DateTime { precision: 0 }
        dt3: datetime(3) → DateTime { precision: 3 }
        ts: timestamp → Timestamp { precision: 0 }
        ts6: timestamp(6) → Timestamp { precision: 6 }
        tm: time → Time { precision: 0 }
        tm2: time(2) → Time { precision: 2 }
        c: char(3) → Text
        v: varchar(20) → Text NOT NULL
        vb: varchar(20) → Text
        l1: varchar(9) → Text
        tx: text → Text
        e: enum('a','b') → Text -- ENUM orders by the members' positions and compares as text
        st: set('a','b') → Set -- SET orders by its bits and compares as text
        j: longtext → Json -- JSON has no order of its own
        bi: binary(16) → Binary
        vbi: varbinary(9) → Binary
        bl: blob → Binary
        lb: longblob → Binary
        u: uuid → Text
        i6: inet6 → Text
        i4: inet4 → Text
        g: point → ServerText -- its type has no order
        ge: geometry → ServerText -- its type has no order
        doubled: int(11) → Integer { unsigned: false }
        hidden: int(11) → Integer { unsigned: false }
        odd `name: int(11) → Integer { unsigned: false }
        key PRIMARY ["id"] primary not null
        key both_of ["v", "n"] not null
        key i ["i"]
        ["i", "m"] → other ["part", "id"]
    "#]],
    )
    .await;
}

#[tokio::test]
async fn mysql_query_types() {
    let setup = "CREATE TABLE t (id int unsigned PRIMARY KEY, t1 tinyint(1), b bit(20), dt3 datetime(3), dt datetime,
                   ts6 timestamp(6) NULL, tm2 time(2), c char(3) CHARACTER SET latin1, bi binary(16), j json, e enum('a'),
                   y year, g point, n decimal(10,2), u uuid, da date, st set('a','b'))";
    let query =
        "SELECT t.*, COUNT(*) OVER () AS total, SUM(id) OVER () AS s, dt3 + INTERVAL 1 SECOND AS later,
                 'x' AS label, NULL AS nothing, id = 1 AS truth FROM t";
    check(
        Dialect::Mysql,
        setup,
        Rows::Query(query.to_owned()),
        expect![[r#"
            id: int(10) unsigned → Integer { unsigned: true }
            t1: tinyint(1) → TinyInt1 { unsigned: false }
            b: bit(20) → Bit { width: 20 }
            dt3: datetime(3) → DateTime { precision: 3 }
            dt: datetime → DateTime { precision: 0 }
            ts6: timestamp(6) → Timestamp { precision: 6 }
            tm2: time(2) → Time { precision: 2 }
            c: char(3) → Text
            bi: binary(16) → Binary
            j: longtext → Json -- JSON has no order of its own
            e: enum('a') → Text -- ENUM orders by the members' positions and compares as text
            y: year(4) → Year
            g: point → ServerText -- its type has no order
            n: decimal(10,2) → Decimal
            u: uuid → Text
            da: date → Date
            st: set('a','b') → Set -- SET orders by its bits and compares as text
            total: bigint → Integer { unsigned: false }
            s: decimal → Decimal
            later: datetime → DateTime { precision: 3 }
            label: varchar → Text
            nothing: binary → Binary
            truth: int → Integer { unsigned: false }
        "#]],
    )
    .await;
}

#[tokio::test]
async fn sqlite_types() {
    let setup = "
        CREATE TABLE other (id INT, part INT, PRIMARY KEY (part, id));
        CREATE TABLE wide (
          id INTEGER PRIMARY KEY, i INT UNIQUE, r REAL, f FLOAT, t TEXT NOT NULL, v VARCHAR(20) NOT NULL COLLATE NOCASE,
          b BLOB, n NUMERIC, d DECIMAL(10,2), bo BOOLEAN, da DATE, dt DATETIME, ts TIMESTAMP, ti TIME, j JSON, u UUID,
          untyped, doubled INT GENERATED ALWAYS AS (i * 2) VIRTUAL, \"odd \"\"name\" INT,
          UNIQUE (t, v), FOREIGN KEY (i, n) REFERENCES other (part, id));
        CREATE UNIQUE INDEX partial ON wide (t) WHERE bo; CREATE UNIQUE INDEX expression ON wide (lower(t));
        CREATE UNIQUE INDEX other_collation ON wide (v COLLATE BINARY);";
    check(
        Dialect::Sqlite,
        setup,
        from("wide"),
        expect![[r#"
            id: INTEGER → Any NOT NULL
            i: INT → Any
            r: REAL → Any -- floats do not order as they compare
            f: FLOAT → Any -- floats do not order as they compare
            t: TEXT → Any NOT NULL
            v: VARCHAR(20) → Any NOT NULL
            b: BLOB → Any
            n: NUMERIC → Any
            d: DECIMAL(10,2) → Decimal
            bo: BOOLEAN → Boolean
            da: DATE → Date
            dt: DATETIME → DateTime
            ts: TIMESTAMP → DateTime
            ti: TIME → Time
            j: JSON → Json
            u: UUID → Uuid
            untyped:  → Any
            doubled: INT → Any
            odd "name: INT → Any
            key primary key ["id"] primary not null
            key sqlite_autoindex_wide_1 ["i"]
            key sqlite_autoindex_wide_2 ["t", "v"] not null
            ["i", "n"] → other ["part", "id"]
        "#]],
    )
    .await;
    let setup = "CREATE TABLE wide (id INTEGER PRIMARY KEY, d DECIMAL(10,2), da DATE, bo BOOLEAN)";
    let query = "SELECT w.*, d * 2 AS twice, count(*) AS n FROM (SELECT * FROM wide) AS w GROUP BY id";
    check(
        Dialect::Sqlite,
        setup,
        Rows::Query(query.to_owned()),
        expect![[r#"
        id: INTEGER → Any
        d: DECIMAL(10,2) → Decimal
        da: DATE → Date
        bo: BOOLEAN → Boolean
        twice:  → Any
        n:  → Any
    "#]],
    )
    .await;
}

#[tokio::test]
async fn sqlite_nullable_keys() {
    let setup = "CREATE TABLE a (k TEXT PRIMARY KEY); CREATE TABLE b (k TEXT PRIMARY KEY) WITHOUT ROWID;
                 CREATE TABLE c (k INT PRIMARY KEY, v); INSERT INTO c VALUES (NULL, 1), (NULL, 2);
                 CREATE TABLE d (k INTEGER PRIMARY KEY); INSERT INTO d VALUES (7)";
    let database = Database::with(Dialect::Sqlite, setup).await;
    let mut source = database.source().await;
    let mut found = Vec::new();
    for name in ["a", "b", "c", "d"] {
        let relation = source.describe(&from(name), None, &[], &[]).await.unwrap();
        found.push(format!("{name} {:?} {:?}", relation.row_estimate, relation.unique_keys));
    }
    expect![[r#"
        a None [UniqueKey { name: "sqlite_autoindex_a_1", primary: true, columns: ["k"], not_null: false }]
        b None [UniqueKey { name: "sqlite_autoindex_b_1", primary: true, columns: ["k"], not_null: true }]
        c None [UniqueKey { name: "sqlite_autoindex_c_1", primary: true, columns: ["k"], not_null: false }]
        d Some(7) [UniqueKey { name: "primary key", primary: true, columns: ["k"], not_null: true }]"#]]
    .assert_eq(&found.join("\n"));
}

#[tokio::test]
async fn every_wrong_piece_is_named() {
    for dialect in ALL {
        let database = Database::with(dialect, "CREATE TABLE t (id int PRIMARY KEY, v varchar(9))").await;
        let mut source = database.source().await;
        let lets =
            [computed("good", "id + 1"), computed("bad", "nosuch + 1"), computed("total", "count(id)")];
        let whens = ["id = 1 -- one".to_owned(), "id = ".to_owned(), "id = 1) OR (2 = 2".to_owned()];
        let errors = source.describe(&from("t"), Some("nosuch = 1"), &lets, &whens).await.unwrap_err();
        let kinds: Vec<SourceErrorKind> = errors.iter().map(|error| error.kind).collect();
        let pieces =
            [Piece::Filter, Piece::Computed(1), Piece::Computed(2), Piece::Condition(1), Piece::Condition(2)];
        assert_eq!(kinds, pieces.map(SourceErrorKind::Sql), "{dialect:?} {errors:?}");
        let relation = source.describe(&from("t"), Some("v = '?'"), &lets[..1], &whens[..1]).await.unwrap();
        assert_eq!(relation.computed.len(), 1);
        assert_eq!(relation.computed[0].name, "good");
    }
}

#[tokio::test]
async fn wrong_rows_are_refused() {
    for dialect in ALL {
        let database = Database::with(dialect, "CREATE TABLE t (id int PRIMARY KEY, v varchar(9))").await;
        let mut source = database.source().await;
        let query = |sql: &str| Rows::Query(sql.to_owned());
        for rows in [
            from("nosuch"),
            from("t AS x"),
            from("t; DELETE FROM t"),
            query("SELECT id FROM t; DELETE FROM t"),
            query("SELECT id, v AS ID FROM t"),
            query("SELECT id FROM t WHERE id = ?"),
            query("SELECT nosuch FROM t"),
            query("DELETE FROM t"),
        ] {
            let errors = source.describe(&rows, None, &[], &[]).await.err();
            let kinds: Vec<_> = errors.iter().flatten().map(|error| error.kind).collect();
            assert_eq!(kinds, [SourceErrorKind::Sql(Piece::Rows)], "{dialect:?} {rows:?} {errors:?}");
        }
    }
}

#[tokio::test]
async fn sqlite_unknown_names_in_double_quotes_are_mistakes() {
    let database = Database::with(Dialect::Sqlite, "CREATE TABLE t (id INTEGER PRIMARY KEY, \"a b\")").await;
    let mut source = database.source().await;
    let good = source.describe(&from("t"), Some("\"a b\" = '\"x\"'"), &[], &[]).await;
    assert!(good.is_ok(), "{good:?}");
    let bad = source.describe(&from("t"), Some("\"a c\" = 1"), &[], &[]).await.unwrap_err();
    assert_eq!(bad[0].kind, SourceErrorKind::Sql(Piece::Filter));
}

async fn check(dialect: Dialect, setup: &str, rows: Rows, expected: Expect) {
    let database = Database::with(dialect, setup).await;
    let mut source: Source = database.source().await;
    let relation = source.describe(&rows, None, &[], &[]).await.unwrap();
    assert!(matches!(relation.kind, RelationKind::Table | RelationKind::Query));
    expected.assert_eq(&printed(&relation));
}

fn printed(relation: &Relation) -> String {
    let mut text = String::new();
    for column in &relation.columns {
        let raw = format!("{:?}", column.raw);
        let raw = raw.split_once('(').unwrap().1.trim_end_matches(')').to_owned()
            + &")".repeat(raw.matches('(').count().saturating_sub(1));
        let nullable = if column.nullable { "" } else { " NOT NULL" };
        let unordered = column.unordered.map(|why| format!(" -- {why}")).unwrap_or_default();
        text.push_str(&format!("{}: {} → {raw}{nullable}{unordered}\n", column.name, column.sql_type));
    }
    for key in &relation.unique_keys {
        let (primary, not_null) =
            (if key.primary { " primary" } else { "" }, if key.not_null { " not null" } else { "" });
        text.push_str(&format!("key {} {:?}{primary}{not_null}\n", key.name, key.columns));
    }
    for key in &relation.foreign_keys {
        text.push_str(&format!("{:?} → {} {:?}\n", key.columns, key.table, key.referenced));
    }
    text
}

/// K19, K20: what a column takes for equal beyond equal bytes, of tables and of queries over them.
#[tokio::test]
async fn k19_k20_collations_come_from_each_catalog() {
    let postgres = "CREATE EXTENSION citext;
        CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
        CREATE DOMAIN mail AS citext;
        CREATE TABLE t (id int, plain text, c varchar(9) COLLATE loose, ci citext, d mail, x text COLLATE \"C\")";
    let mysql = "CREATE TABLE t (id int, plain varchar(9) COLLATE utf8mb4_nopad_bin,
        c varchar(9) COLLATE utf8mb4_general_ci, ci char(9) COLLATE utf8mb4_bin,
        e enum('a') COLLATE utf8mb4_general_ci, b varbinary(9), j json)";
    let sqlite = "CREATE TABLE t (id int, plain text, c text COLLATE NOCASE, ci varchar(9) COLLATE RTRIM)";
    for (dialect, setup, expected) in [
        (Dialect::Postgres, postgres, expect!["c: loose Accents, ci: citext Case, d: citext Case"]),
        (Dialect::Mysql, mysql, expect!["c: utf8mb4_general_ci Accents pads, ci: utf8mb4_bin Nothing pads"]),
        (Dialect::Sqlite, sqlite, expect!["c: NOCASE Case, ci: RTRIM Nothing pads"]),
    ] {
        let database = Database::with(dialect, setup).await;
        let mut source = database.source().await;
        for rows in [from("t"), Rows::Query("SELECT * FROM t AS x".to_owned())] {
            let relation = source.describe(&rows, None, &[computed("low", "lower(c)")], &[]).await.unwrap();
            let told = relation.columns.iter().filter_map(|column| {
                let collation = column.collation.as_ref()?;
                let pads = if collation.pads { " pads" } else { "" };
                Some(format!("{}: {} {:?}{pads}", column.name, collation.name, collation.folding))
            });
            expected.assert_eq(&told.collect::<Vec<_>>().join(", "));
            assert_eq!(relation.computed[0].collation, None, "{dialect:?}");
        }
    }
}

/// S05: a type without a documented form is told from those that have one.
#[tokio::test]
async fn s05_types_that_nothing_is_known_of_are_told() {
    let postgres = "CREATE EXTENSION hstore; CREATE EXTENSION ltree; CREATE TYPE pair AS (a int, b text);
        CREATE TYPE spans AS RANGE (subtype = float8);
        CREATE TABLE t (id int, h hstore, p pair, pa pair[], l ltree, r spans, i interval, ip inet, g point,
                        v varbit, tz timetz, c regclass, ts tsvector, x xml, m money, a int[])";
    let mysql = "CREATE TABLE t (id int, g point, j json, u uuid, e enum('a'), s set('a'), b bit(3))";
    for (dialect, setup, expected) in [
        (Dialect::Postgres, postgres, expect!["h: Extension, p: Composite, pa: Composite"]),
        (Dialect::Mysql, mysql, expect!["g: Geometry"]),
    ] {
        let database = Database::with(dialect, setup).await;
        let mut source = database.source().await;
        for rows in [from("t"), Rows::Query("SELECT * FROM t AS x".to_owned())] {
            let relation = source.describe(&rows, None, &[], &[]).await.unwrap();
            let told = relation.columns.iter().filter_map(|column| Some((column, column.foreign?)));
            let told = told.map(|(column, foreign)| format!("{}: {foreign:?}", column.name));
            expected.assert_eq(&told.collect::<Vec<_>>().join(", "));
        }
    }
}
