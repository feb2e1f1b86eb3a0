use super::*;
use crate::mapping::{Billing, CreateSettings, KeyType};
use expect_test::{Expect, expect};

fn column(name: &str) -> KeyColumn {
    KeyColumn { name: name.to_owned(), kind: KeyType::S }
}

fn number(name: &str) -> KeyColumn {
    KeyColumn { name: name.to_owned(), kind: KeyType::N }
}

fn plan() -> TablePlan {
    TablePlan {
        name: "shop".to_owned(),
        partition_key: column("PK"),
        sort_key: Some(column("SK")),
        indexes: vec![IndexPlan {
            name: "GSI1".to_owned(),
            partition_key: vec![column("GSI1PK")],
            sort_key: vec![column("GSI1SK")],
            projection: Projection::All,
            local: false,
        }],
        ttl: None,
        create: CreateSettings::default(),
    }
}

fn live() -> LiveTable {
    LiveTable {
        name: "shop".to_owned(),
        arn: None,
        id: None,
        status: "ACTIVE".to_owned(),
        partition_key: column("PK"),
        sort_key: Some(column("SK")),
        indexes: vec![live_index("GSI1")],
        billing: Billing::OnDemand,
        maximum_write: None,
        warm_throughput: None,
        stream_enabled: false,
        deletion_protection: false,
    }
}

fn live_index(name: &str) -> LiveIndex {
    LiveIndex {
        name: name.to_owned(),
        local: false,
        partition_key: vec![column("GSI1PK")],
        sort_key: vec![column("GSI1SK")],
        projection: Projection::All,
        status: "ACTIVE".to_owned(),
        throughput: None,
        maximum_write: None,
        warm_throughput: None,
    }
}

fn check(plan: &TablePlan, live: &LiveTable, expected: &Expect) {
    let lines: Vec<String> = compare(plan, live)
        .iter()
        .map(|difference| format!("{}\n    {}\n", difference.message, difference.help))
        .collect();
    expected.assert_eq(&lines.concat());
}

#[test]
fn a_table_as_planned_has_no_differences() {
    check(&plan(), &live(), &expect![""]);
}

#[test]
fn names_are_compared_with_their_case() {
    let live = LiveTable { partition_key: column("pk"), sort_key: Some(column("sort")), ..live() };
    check(
        &plan(),
        &live,
        &expect![[r#"
            the table's partition key is `pk`, the mapping says `PK`; names are compared with their case
                set `table.partition_key = "pk"`, or name another table
            the table's sort key is `sort`, the mapping says `SK`
                set `table.sort_key = "sort"`, or name another table
        "#]],
    );
}

#[test]
fn types_and_missing_sort_keys_are_told() {
    let live = LiveTable { partition_key: number("PK"), sort_key: None, ..live() };
    check(
        &plan(),
        &live,
        &expect![[r#"
            the table's partition key `PK` has type N, the mapping says S
                set `table.partition_key = { name = "PK", type = "N" }`
            the table has no sort key, the mapping names `SK`
                set `table.sort_key = false`, or make the table anew
        "#]],
    );
}

#[test]
fn a_sort_key_that_the_mapping_does_not_name_is_told() {
    let mut plan = plan();
    plan.sort_key = None;
    check(
        &plan,
        &live(),
        &expect![[r#"
            the table's sort key is `SK`, the mapping names none
                set `table.sort_key = "SK"`
        "#]],
    );
}

#[test]
fn a_missing_index_suggests_the_near_one() {
    let near = LiveTable { indexes: vec![live_index("gsi1")], ..live() };
    check(
        &plan(),
        &near,
        &expect![[r#"
            the table has no index `GSI1`
                the table has an index `gsi1`: did you mean that one?
        "#]],
    );
    assert_eq!(extra_indexes(&plan(), &near), ["gsi1"]);
    check(
        &plan(),
        &LiveTable { indexes: Vec::new(), ..live() },
        &expect![[r#"
            the table has no index `GSI1`
                add the index to the table, or take `[table.indexes.GSI1]` out
        "#]],
    );
}

#[test]
fn index_keys_types_projection_and_status_are_compared() {
    let index = LiveIndex {
        partition_key: vec![number("GSI1PK")],
        sort_key: Vec::new(),
        projection: Projection::KeysOnly,
        status: "CREATING".to_owned(),
        ..live_index("GSI1")
    };
    check(
        &plan(),
        &LiveTable { indexes: vec![index], ..live() },
        &expect![[r#"
            index `GSI1`'s partition key `GSI1PK` has type N, the mapping says S
                set `table.indexes.GSI1.partition_key = { name = "GSI1PK", type = "N" }`
            index `GSI1` has no sort key, the mapping names `GSI1SK`
                set `table.indexes.GSI1.sort_key = false`, or make the table anew
            index `GSI1` carries only keys; the mapping wants all attributes
                set `table.indexes.GSI1.projection = "KEYS_ONLY"`, or make the index anew
            index `GSI1` is CREATING, not ACTIVE
                wait until it is ACTIVE and run again
        "#]],
    );
}

#[test]
fn k03_keys_of_several_attributes_are_compared_in_their_order() {
    let mut wide = plan();
    wide.indexes[0].partition_key = vec![column("tenant"), column("region")];
    wide.indexes[0].sort_key = vec![column("day"), number("rank")];
    let index = LiveIndex {
        partition_key: vec![column("tenant"), column("region")],
        sort_key: vec![column("day"), number("rank")],
        ..live_index("GSI1")
    };
    check(&wide, &LiveTable { indexes: vec![index.clone()], ..live() }, &expect![""]);
    let other = LiveIndex {
        partition_key: vec![column("region"), column("tenant")],
        sort_key: vec![column("day"), column("rank")],
        ..index.clone()
    };
    check(
        &wide,
        &LiveTable { indexes: vec![other], ..live() },
        &expect![[r#"
        index `GSI1`'s partition key is `region` (S), `tenant` (S), the mapping says `tenant` (S), `region` (S)
            set `table.indexes.GSI1.partition_key = ["region", "tenant"]`, or make the index anew
        index `GSI1`'s sort key is `day` (S), `rank` (S), the mapping says `day` (S), `rank` (N)
            set `table.indexes.GSI1.sort_key = ["day", "rank"]`, or make the index anew
    "#]],
    );
    check(
        &plan(),
        &LiveTable { indexes: vec![index], ..live() },
        &expect![[r#"
        index `GSI1`'s partition key is `tenant` (S), `region` (S), the mapping says `GSI1PK` (S)
            set `table.indexes.GSI1.partition_key = ["tenant", "region"]`, or make the index anew
        index `GSI1`'s sort key is `day` (S), `rank` (N), the mapping says `GSI1SK` (S)
            set `table.indexes.GSI1.sort_key = ["day", { name = "rank", type = "N" }]`, or make the index anew
    "#]],
    );
    check(
        &wide,
        &live(),
        &expect![[r#"
        index `GSI1`'s partition key is `GSI1PK` (S), the mapping says `tenant` (S), `region` (S)
            set `table.indexes.GSI1.partition_key = ["GSI1PK"]`, or make the index anew
        index `GSI1`'s sort key is `GSI1SK` (S), the mapping says `day` (S), `rank` (N)
            set `table.indexes.GSI1.sort_key = ["GSI1SK"]`, or make the index anew
    "#]],
    );
}

#[test]
fn z06_local_and_global_indexes_are_told_apart() {
    let mut local = plan();
    local.indexes[0].local = true;
    check(
        &local,
        &live(),
        &expect![[r#"
        index `GSI1` is global, the mapping says local
            set `table.indexes.GSI1.local = false`, or make the table anew
    "#]],
    );
    check(
        &local,
        &LiveTable { indexes: Vec::new(), ..live() },
        &expect![[r#"
        the table has no index `GSI1`
            make the table anew: a local index is made together with its table; or take `[table.indexes.GSI1]` out
    "#]],
    );
    let index = LiveIndex { local: true, ..live_index("GSI1") };
    check(&local, &LiveTable { indexes: vec![index.clone()], ..live() }, &expect![""]);
    check(
        &plan(),
        &LiveTable { indexes: vec![index], ..live() },
        &expect![[r#"
        index `GSI1` is local, the mapping says global
            set `table.indexes.GSI1.local = true`, or make the table anew
    "#]],
    );
}

#[test]
fn a_wider_projection_fits_and_keys_are_always_carried() {
    let mut plan = plan();
    plan.indexes[0].projection = Projection::Include(vec!["total".to_owned(), "SK".to_owned()]);
    check(&plan, &live(), &expect![""]);
    let narrow = LiveIndex { projection: Projection::Include(vec!["name".to_owned()]), ..live_index("GSI1") };
    check(
        &plan,
        &LiveTable { indexes: vec![narrow], ..live() },
        &expect![[r#"
            index `GSI1` carries only name; the mapping wants total
                set `table.indexes.GSI1.projection = ["name"]`, or make the index anew
        "#]],
    );
}
