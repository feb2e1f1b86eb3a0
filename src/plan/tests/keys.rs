use expect_test::expect;

use super::super::resolve;
use super::super::testing::*;
use crate::mapping::{KeyType, Rows};
use crate::source::{RelationKind, UniqueKey};

#[test]
fn the_primary_key_orders_the_rows_and_needs_no_query() {
    let (plan, _) = plan_of(
        entity("Line", "O#{order_id:010}", "L#{line_no:04}"),
        &relation("note text, order_id int8, line_no int4", "order_id line_no"),
    );
    let entity = &plan.entities[0];
    let key: Vec<&str> = entity.select.key.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(key, ["order_id", "line_no"]);
    assert_eq!(entity.layout.source_key, [0, 1]);
    assert!(!entity.key_is_claim);
    assert_eq!(entity.row_estimate, Some(7));
}

#[test]
fn a_unique_not_null_key_stands_in_for_a_primary_key() {
    let mut relation = relation("email text, code text?", "");
    let key = |name: &str, column: &str, not_null| UniqueKey {
        name: name.to_owned(),
        primary: false,
        columns: vec![column.to_owned()],
        not_null,
    };
    relation.unique_keys = vec![key("t_code", "code", false), key("t_email", "email", true)];
    let (plan, _) = plan_of(entity("User", "U#{email}", "P"), &relation);
    assert_eq!(plan.entities[0].select.key[0].name, "email");
}

#[test]
fn rows_without_a_key_are_a_mistake_with_help() {
    let table = entity("User", "U#{id:010}", "P");
    let mut query = entity("User", "U#{id:010}", "P");
    query.rows = Rows::Query(text("SELECT 1 AS id"));
    let mut view = relation("id int8", "");
    view.kind = RelationKind::View;
    let found: Vec<String> =
        [(table.clone(), relation("id int8", "")), (table, view), (query, relation("id int8", ""))]
            .into_iter()
            .flat_map(|(entity, relation)| lines(&findings_of(entity, &relation)))
            .collect();
    expect![[r#"
        error no-key: `users` has no primary key, nor a unique key over columns that are NOT NULL
        error no-key: `users` is a view: it has no primary key
        error no-key: a query has no primary key"#]]
    .assert_eq(&found.join("\n"));
}

#[test]
fn a_declared_key_that_no_constraint_backs_is_a_claim() {
    let mut claimed = entity("User", "U#{id:010}", "P");
    claimed.key = Some(texts(&["id"]));
    let (plan, findings) = plan_of(claimed.clone(), &relation("id int8?", ""));
    assert!(plan.entities[0].key_is_claim);
    assert_eq!(codes(&findings), ["nullable-key"]);

    let (plan, findings) = plan_of(claimed, &relation("id int8", "id"));
    assert!(!plan.entities[0].key_is_claim);
    assert!(findings.is_empty());
}

#[test]
fn a_declared_key_that_holds_a_unique_key_is_backed() {
    let mut wider = entity("User", "U#{id:010}", "P");
    wider.key = Some(texts(&["name", "id"]));
    let (plan, _) = plan_of(wider, &relation("id int8, name text", "id"));
    assert!(!plan.entities[0].key_is_claim);
    assert_eq!(plan.entities[0].select.key.len(), 2);
}

#[test]
fn columns_that_do_not_order_as_they_compare_are_refused_as_key() {
    let findings = findings_of(entity("User", "U", "P#{id}"), &relation("id my enum", "id"));
    assert_eq!(
        lines(&findings)[0],
        "error unordered-key: column `id` (enum) cannot be in a key: it does not order as it compares"
    );

    let mut other = entity("User", "U#{n:04}", "P");
    other.key = Some(texts(&["score"]));
    let findings = findings_of(other, &relation("n int8, score float8", "n"));
    assert!(codes(&findings).contains(&"unordered-key"));
}

#[test]
fn a_computed_column_is_no_source_key() {
    let mut computed = entity("User", "U#{n:04}", "P");
    computed.computed = vec![crate::mapping::Computed { name: text("day"), sql: text("date(x)") }];
    computed.key = Some(texts(&["day"]));
    let mut relation = relation("n int8", "n");
    relation.computed = vec![column("day date?")];
    assert!(codes(&findings_of(computed, &relation)).contains(&"computed-key"));
}

/// R15.
#[test]
fn a_table_that_others_inherit_from_has_no_key_of_its_own() {
    let mut inherited = relation("id int8", "id");
    inherited.kind = RelationKind::Inherited;
    let findings = findings_of(entity("User", "U#{id:010}", "P"), &inherited);
    assert_eq!(codes(&findings), ["inherited-table", "no-key"]);

    let mut claimed = entity("User", "U#{id:010}", "P");
    claimed.key = Some(texts(&["id"]));
    let (plan, _) = plan_of(claimed, &inherited);
    assert!(plan.entities[0].key_is_claim);
}

/// R15: in either order, and not where the parent says which of its rows are meant.
#[test]
fn r15_a_parent_and_its_child_are_not_both_read() {
    let of =
        |family: &[u32]| crate::source::Relation { family: family.to_vec(), ..relation("id int8", "id") };
    let (animal, dog) = (entity("Animal", "A#{id:010}", "P"), entity("Dog", "D#{id:010}", "P"));
    let (parent, child) = (of(&[10, 11, 12]), of(&[12]));
    let both = mapping(vec![animal.clone(), dog.clone()]);
    let found = resolve(&both, &[Ok(parent.clone()), Ok(child.clone())]).unwrap_err();
    assert_eq!(
        lines(&found),
        ["error read-twice: the rows of `Dog` are read twice: `Animal` reads them too"]
    );
    let turned = mapping(vec![dog.clone(), animal.clone()]);
    assert!(resolve(&turned, &[Ok(child.clone()), Ok(parent.clone())]).is_err());
    let mut filtered = animal;
    filtered.filter = Some(text("tableoid = 'animals'::regclass"));
    let chosen = mapping(vec![filtered, dog.clone()]);
    assert!(resolve(&chosen, &[Ok(parent), Ok(child.clone())]).is_ok());
    // The same table twice is somebody's plan.
    let twice = mapping(vec![dog, entity("Other", "O#{id:010}", "P")]);
    assert!(resolve(&twice, &[Ok(child.clone()), Ok(child)]).is_ok());
}

#[test]
fn k01_a_nullable_column_in_a_key_is_warned_of() {
    let mut nullable = entity("Order", "C#{customer_id:010}", "O#{id:010}");
    let relation = relation("id int8, customer_id int8?", "id");
    let (_, findings) = plan_of(nullable.clone(), &relation);
    expect!["warning nullable-in-key: column `customer_id` can be NULL: such rows are rejected, since a key has no NULL"]
        .assert_eq(&lines(&findings).join("\n"));

    // One warning for a key, however many of its columns and however often.
    let mut all = nullable.clone();
    all.sk = Some(template("{shop}#{customer_id}#{id:010}"));
    let two = crate::plan::testing::relation("id int8, customer_id int8?, shop text?", "id");
    let (_, findings) = plan_of(all, &two);
    let found = lines(&findings);
    let found: Vec<&String> = found.iter().filter(|line| line.contains("nullable-in-key")).collect();
    assert_eq!(
        found,
        [
            "warning nullable-in-key: columns `customer_id`, `shop` can be NULL: such rows are rejected, since a key has no NULL"
        ]
    );

    // An index entry is left out instead, on purpose.
    nullable.pk = template("O#{id:010}");
    nullable.indexes = vec![block("GSI1", "C#{customer_id:010}", "O")];
    let mut mapping = mapping(vec![nullable]);
    mapping.table.indexes = vec![index("GSI1", "GSI1PK", "GSI1SK")];
    let (_, findings) = resolved(&mapping, &[relation]).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn k15_k16_k27_numbers_that_sort_as_text_are_warned_of() {
    for (columns, sk, expected) in [
        ("id int8", "P#{id}", Some("unpadded-integer")),
        ("id int8", "P#{id:010}", None),
        ("id numeric(10,0)", "P#{id}", Some("unpadded-integer")),
        ("id numeric(10,0)", "P#{id:010}", None),
        ("id numeric(10,2)", "P#{id}", Some("unpadded-decimal")),
        ("id lite INTEGER", "P#{id}", Some("unpadded-integer")),
        ("id int8", "P#{id:sortable}", None),
        ("id numeric(10,2)", "P#{id:sortable}", None),
        ("id my year", "P#{id}", None),
        ("id lite TEXT", "P#{id}", None),
        ("id uuid", "P#{id}", None),
    ] {
        let (_, findings) = plan_of(entity("P", "P", sk), &relation(columns, "id"));
        assert_eq!(codes(&findings), Vec::from_iter(expected), "{columns} {sk}");
    }
    let (_, findings) = plan_of(entity("P", "P#{id}", "P"), &relation("id int8", "id"));
    assert!(findings.is_empty(), "only sort keys sort");
}

#[test]
fn only_values_with_one_text_stand_in_a_key() {
    for (columns, pk, expected) in [
        ("id bytea", "{id:hex}", None),
        ("id bytea", "{id}", Some("no-text")),
        ("id int8, f float8", "{id}#{f}", Some("no-text")),
        ("id int8, j json", "{id}#{j}", Some("no-text")),
        ("id int8, a int4[]", "{id}#{a}", Some("no-text")),
        ("id int8, a int4[]", "{id}#{a:shard(4)}", Some("wrong-step")),
        ("id bool", "{id}", None),
        ("id text", "{id:010}", Some("wrong-step")),
        ("id int8", "{id:sortable}", None),
        ("id numeric(9,2)", "{id:sortable}", None),
        ("id my decimal(9,2)", "{id:sortable}", None),
        ("id lite INTEGER", "{id:sortable}", None),
        ("id lite REAL", "{id:sortable}", None),
        ("id timestamptz(0)", "{id:epoch|sortable}", None),
        ("id text", "{id:sortable}", Some("wrong-step")),
        ("id date", "{id:sortable}", Some("wrong-step")),
        ("id bool", "{id:sortable}", Some("wrong-step")),
        ("id int8, f float8", "{id}#{f:sortable}", Some("wrong-step")),
        ("id int8", "{id:sortable|010}", Some("wrong-step")),
        ("id int8", "{id:sortable|escape|shard(4)}", None),
        ("id int8", "{id:lower}", Some("wrong-step")),
        ("id int8", "{id:hex}", Some("wrong-step")),
        ("id int8", "{id:%Y}", Some("wrong-step")),
        ("id date", "{id:%Y%m%d}", None),
        ("id date", "{id:%Y%m%dT%H}", Some("wrong-step")),
        ("id int8, t time", "{id}{t:%H}", None),
        ("id int8, t time", "{id}{t:%Y}", Some("wrong-step")),
        ("id timestamptz(0)", "{id:epoch}", None),
        ("id timestamp", "{id:epoch}", Some("wrong-step")),
        ("id text", "{id:shard(8)}{id:escape}", None),
        ("id lite INTEGER", "{id:010}", None),
    ] {
        let findings = findings_of(entity("P", pk, "P"), &relation(columns, "id"));
        let found = codes(&findings).into_iter().find(|code| ["no-text", "wrong-step"].contains(code));
        assert_eq!(found, expected, "{columns} {pk}");
    }
}

#[test]
fn k23_keys_of_type_n_and_b_are_one_value_of_that_type() {
    for (kind, columns, pk, right) in [
        (KeyType::N, "id int8", "{id}", true),
        (KeyType::N, "id numeric(10,2)", "{id}", true),
        (KeyType::N, "id timestamptz(0)", "{id:epoch}", true),
        (KeyType::N, "id lite INTEGER", "{id}", true),
        (KeyType::N, "id int8", "U#{id}", false),
        (KeyType::N, "id int8, x int8", "{id}{x}", false),
        (KeyType::N, "id int8", "{id:010}", false),
        (KeyType::N, "id text", "{id}", false),
        (KeyType::N, "id float8, n int8", "{id}", false),
        (KeyType::B, "id bytea", "{id}", true),
        (KeyType::B, "id my binary(16)", "{id}", true),
        (KeyType::B, "id text", "{id}", false),
        (KeyType::B, "id bytea", "{id:hex}", false),
    ] {
        let mut mapping = mapping(vec![entity("P", pk, "P")]);
        mapping.table.partition_key = key_attribute("PK", kind);
        let result = resolved(&mapping, &[relation(columns, columns.split(' ').next().unwrap())]);
        let wrong = result.as_ref().is_err_and(|findings| codes(findings).contains(&"key-type"));
        assert_eq!(!wrong, right, "{kind:?} {columns} {pk} {result:?}");
    }
}
