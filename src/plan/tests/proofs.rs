use std::collections::{BTreeMap, HashMap};

use expect_test::expect;
use sha2::{Digest, Sha256};

use super::super::testing::*;
use super::super::{KeyProof, resolve};
use crate::mapping::{Entity, Mapping, Rows, Severity, Step, TemplatePart, ValueType};
use crate::source::{Relation, UniqueKey};

/// `proven by …` or `unproven: …`, one line an entity.
fn proofs(mapping: &Mapping, relations: &[Relation]) -> String {
    let described: Vec<_> = relations.iter().map(|relation| Ok(relation.clone())).collect();
    let (plan, _) = match resolve(mapping, &described) {
        Ok(resolved) => resolved,
        Err(findings) => panic!("{:#?}", lines(&findings)),
    };
    let line = |proof: &KeyProof| match proof {
        KeyProof::Proven { by } => format!("proven by: {by}"),
        KeyProof::Unproven { reason } => format!("unproven: {reason}"),
    };
    plan.entities.iter().map(|entity| format!("{} {}\n", entity.name, line(&entity.key_proof))).collect()
}

fn proof(pk: &str, sk: &str, columns: &str, primary: &str) -> String {
    proofs(&mapping(vec![entity("E", pk, sk)]), &[relation(columns, primary)])
}

#[test]
fn the_example_of_the_contract_proves() {
    let mut item = entity("OrderItem", "USER#{user_id:010}", "ORDER#{order_id:010}#ITEM#{line_no:04}");
    item.rows =
        Rows::Query(text("SELECT i.*, o.user_id FROM order_items i JOIN orders o ON o.id = i.order_id"));
    item.key = Some(texts(&["order_id", "line_no"]));
    let entities = vec![
        entity("User", "USER#{id:010}", "PROFILE"),
        entity("Order", "USER#{user_id:010}", "ORDER#{id:010}"),
        item,
    ];
    let relations = [
        relation("id int8, email text", "id"),
        relation("id int8, user_id int8", "id"),
        relation("order_id int8, line_no int4, user_id int8", ""),
    ];
    expect![[r#"
        User proven by: pk and sk hold the primary key (id); no other entity renders such keys
        Order proven by: pk and sk hold the primary key (id); no other entity renders such keys
        OrderItem proven by: pk and sk hold the declared key (order_id, line_no), proven by one query before the first write; no other entity renders such keys
    "#]]
    .assert_eq(&proofs(&mapping(entities), &relations));
}

#[test]
fn k07_a_key_that_leaves_a_column_of_the_unique_key_out_is_unproven() {
    expect!["E unproven: two rows of `E` can render the same key: it does not hold `id` of the primary key (id); to prove it, add `{id:010}` to `sk`\n"]
        .assert_eq(&proof("U#{user_id:010}", "D#{day}", "id int8, user_id int8, day date", "id"));
}

#[test]
fn k11_a_delimiter_inside_values_is_unproven_until_it_is_escaped() {
    let columns = "a text, b text";
    expect!["E unproven: two rows of `E` can render the same key: in `sk` it cannot be told where `{a}` ends; to prove it, write `{a:escape}` and put a `#` behind it\n"]
        .assert_eq(&proof("P", "{a}#{b}", columns, "a b"));
    expect!["E proven by: pk and sk hold the primary key (a, b)\n"].assert_eq(&proof(
        "P",
        "{a:escape}#{b}",
        columns,
        "a b",
    ));
    expect!["E proven by: pk and sk hold the primary key (a, b)\n"]
        .assert_eq(&proof("{a}", "{b}", columns, "a b"));
}

#[test]
fn k12_two_values_without_anything_between_are_unproven() {
    for (sk, columns, proven) in [
        ("{a}{b}", "a text, b text", false),
        ("{a:010}{b}", "a int8, b text", true),
        ("{b}{a:010}", "a int8, b text", true),
        ("{a}{b}", "a int8, b int8", false),
        ("{a}-{b}", "a int8, b int8", true),
        ("{a}_{b}", "a int8, b int8", true),
        ("{a}{b}", "a uuid, b uuid", true),
        ("{a}{b}", "a uuid, b text", true),
        ("{a}{b}", "a timestamptz, b date", true),
        ("{a}{b}", "a my time, b text", true),
        ("{a}#{b}", "a my time, b text", true),
        ("{a}{b}", "a bool, b int8", true),
        ("{a}#{b:hex}", "a text, b bytea", true),
        ("{a:escape}#{b}#{n:04}", "a text, b text, n int8", true),
    ] {
        let key: Vec<&str> =
            columns.split(',').map(|column| column.trim().split(' ').next().unwrap()).collect();
        let found = proof("P", sk, columns, &key.join(" "));
        assert_eq!(found.contains(" proven by"), proven, "{sk} {columns}: {found}");
    }
}

#[test]
fn k20_steps_that_make_different_values_equal_prove_nothing() {
    for (pk, columns, proven) in [
        ("{id}", "id text", true),
        ("{id:lower}", "id text", false),
        ("{id:upper}", "id text", false),
        ("{id:trim}", "id text", false),
        ("{id:shard(8)}", "id int8", false),
        ("{id:shard(8)}#{id:010}", "id int8", true),
        ("{id:lower}#{id}", "id text", false),
        ("{id:lower}", "id uuid", true),
        ("{id:upper}", "id uuid", true),
        ("{id:hex}", "id bytea", true),
        ("{id:%Y-%m-%d}", "id date", true),
        ("{id:%Y%j}", "id date", true),
        ("{id:%Y-%m}", "id date", false),
        ("{id:%G-W%V}", "id date", false),
        ("{id:%Y%m%d%H%M%S%6f}", "id timestamptz", true),
        ("{id:%Y%m%d%H%M%S%3f}", "id timestamptz", false),
        ("{id:%Y%m%d%H%M%S%3f}", "id timestamptz(3)", true),
        ("{id:epoch}", "id timestamptz(0)", true),
        ("{id:epoch}", "id timestamptz", false),
        ("{id:epoch_ms}", "id timestamptz(3)", true),
        ("{id}", "id numeric(10,2)", true),
    ] {
        let found = proof(pk, "P", columns, "id");
        assert_eq!(found.contains(" proven by"), proven, "{pk} {columns}: {found}");
    }
}

#[test]
fn k24_readings_of_columns_count_as_well() {
    for (columns, kind, proven) in [
        ("id my binary(16)", ValueType::Uuid, true),
        ("id my binary(16)", ValueType::UuidSwapped, true),
        ("id text", ValueType::Uuid, false),
        ("id my tinyint(1)", ValueType::Bool, false),
        ("id text", ValueType::N, false),
        ("id text", ValueType::S, true),
    ] {
        let mut read = entity("E", "{id}", "P");
        read.column_settings = vec![(text("id"), of_type(kind))];
        let found = proofs(&mapping(vec![read]), &[relation(columns, "id")]);
        assert_eq!(found.contains(" proven by"), proven, "{columns} {kind:?}: {found}");
    }
}

#[test]
fn sqlite_keeps_values_of_any_type_so_that_only_its_affinity_tells_them_apart() {
    for (declared, pk, proven) in [
        ("id lite INTEGER", "{id}", true),
        ("id lite INTEGER", "{id:010}", true),
        ("id lite VARCHAR(20)", "{id}", true),
        ("id lite VARCHAR(20)", "{id:010}", false),
        ("id lite BLOB", "{id}", false),
        ("id lite TEXT", "{id:hex}", false),
        ("id lite UUID", "{id}", false),
        ("id lite DATETIME", "{id}", false),
        ("id lite DATE", "{id}", true),
        ("id lite DECIMAL(10,2)", "{id}", false),
    ] {
        let found = proof(pk, "P", declared, "id");
        assert_eq!(found.contains(" proven by"), proven, "{declared} {pk}: {found}");
    }
}

#[test]
fn k14_entities_that_render_the_same_keys_are_unproven_together() {
    let entities = vec![entity("User", "ENT#{id:010}", "META"), entity("Org", "ENT#{id:010}", "META")];
    let relations = [relation("id int8", "id"), relation("id int8", "id")];
    let mapping = mapping(entities);
    let reason = "unproven: rows of `User` and `Org` can render the same key, for example pk `ENT#1111111111` with sk `META`; \
                  to prove it, begin their `sk` with texts of their own, such as `USER#` and `ORG#`";
    assert_eq!(proofs(&mapping, &relations), format!("User {reason}\nOrg {reason}\n"));

    let (plan, findings) = resolved(&mapping, &relations).unwrap();
    assert_eq!(codes(&findings), ["unproven-keys"]);
    assert_eq!(findings[0].severity, Severity::Warning);
    assert_eq!(plan.contested, [["User", "Org"]]);
}

#[test]
fn entities_are_kept_apart_by_what_their_keys_can_hold() {
    for (left, right, columns, apart) in [
        (("A#{id}", "X"), ("B#{id}", "X"), "id text", true),
        (("{id}", "X"), ("B#{id}", "X"), "id text", false),
        (("{id}", "X"), ("B#{id}", "X"), "id int8", true),
        (("{id}", "X"), ("{id}", "XY"), "id text", true),
        (("{id:010}", "X"), ("{id:012}", "X"), "id int8", true),
        (("P", "ORDER#{id}"), ("P", "ORDER#{id}#ITEM#{id}"), "id text", false),
        (("P", "ORDER#{id:escape}"), ("P", "ORDER#{id:escape}#ITEM#{id}"), "id text", true),
        (("P", "ORDER#{id}"), ("P", "ORDER#{id}#ITEM#{id}"), "id uuid", true),
        (("P", "{id}"), ("P", "{id:lower}X"), "id text", false),
        (("P", "X{id:lower}"), ("P", "{id:lower}X"), "id text", true),
    ] {
        let entities = vec![entity("Left", left.0, left.1), entity("Right", right.0, right.1)];
        let relations = [relation(columns, "id"), relation(columns, "id")];
        let found = proofs(&mapping(entities), &relations);
        assert_eq!(!found.contains("`Left` and `Right`"), apart, "{left:?} {right:?} {columns}: {found}");
    }
}

#[test]
fn escaping_is_advised_where_it_would_prove() {
    let entities = vec![entity("Order", "P", "ORDER#{id}"), entity("Item", "P", "ORDER#{id}#ITEM#{no:04}")];
    let relations = [relation("id text", "id"), relation("id text, no int8", "id no")];
    let found = proofs(&mapping(entities), &relations);
    assert!(found.contains("to prove it, write `{id:escape}`, so that values cannot hold `#`"), "{found}");
}

#[test]
fn any_unique_not_null_key_will_do_but_none_over_a_nullable_column() {
    let key = |not_null| UniqueKey {
        name: "users_email".to_owned(),
        primary: false,
        columns: vec!["email".to_owned()],
        not_null,
    };
    let users = || mapping(vec![entity("User", "E#{email}", "P")]);
    let mut sure = relation("id int8, email text", "id");
    sure.unique_keys.push(key(true));
    expect!["User proven by: pk and sk hold the unique key users_email (email)\n"]
        .assert_eq(&proofs(&users(), &[sure]));
    let mut unsure = relation("id int8, email text?", "id");
    unsure.unique_keys.push(key(false));
    assert!(proofs(&users(), &[unsure]).contains("unproven"));
}

#[test]
fn a_table_without_sort_key_is_proven_by_its_partition_key() {
    let mut plain = mapping(vec![Entity { sk: None, ..entity("User", "U#{id}", "") }]);
    plain.table.sort_key = None;
    expect!["User proven by: pk holds the primary key (id)\n"]
        .assert_eq(&proofs(&plain, &[relation("id int8", "id")]));
}

// A slow renderer and random rows: what is judged proven must never meet.

type Row = BTreeMap<&'static str, String>;

const COLUMNS: &str = "a text, b text, n int8, u bool, d date";

fn random_value(column: &str, random: &mut fastrand::Rng) -> String {
    let letters = ["a", "A", "#", "%", "2", "3", "5", " ", "ß", "-"];
    match column {
        "a" | "b" => (0..random.usize(1..4)).map(|_| letters[random.usize(0..letters.len())]).collect(),
        "n" => random.i64(-12..120).to_string(),
        "u" => random.bool().to_string(),
        _ => format!("20{:02}-{:02}-{:02}", random.u8(20..22), random.u8(1..3), random.u8(1..4)),
    }
}

fn random_template(random: &mut fastrand::Rng) -> String {
    let text = ["", "", "escape", "lower", "upper", "trim", "shard(3)", "escape|lower"];
    let date = ["", "%Y", "%Y%m%d", "%d/%m/%Y"];
    let mut parts = String::new();
    for _ in 0..random.usize(1..4) {
        let pick =
            |steps: &[&str], random: &mut fastrand::Rng| steps[random.usize(0..steps.len())].to_owned();
        parts += &match random.usize(0..8) {
            0 => "#".to_owned(),
            1 => "A#".to_owned(),
            2 | 3 => format!("{{{}:{}}}", ["a", "b"][random.usize(0..2)], pick(&text, random)),
            4 | 5 => format!("{{n:{}}}", pick(&["", "03", "04"], random)),
            6 => "{u}".to_owned(),
            _ => format!("{{d:{}}}", pick(&date, random)),
        };
    }
    parts
}

/// `None` where the row would be rejected.
fn render(template: &str, row: &Row) -> Option<String> {
    let mut text = String::new();
    for part in self::template(template).parts {
        match part {
            TemplatePart::Literal(literal) => text += &literal,
            TemplatePart::Placeholder { column, steps, .. } => {
                let value =
                    steps.iter().try_fold(row[column.as_str()].clone(), |value, step| apply(&value, step))?;
                text += Some(value).filter(|value| !value.is_empty())?.as_str();
            }
        }
    }
    Some(text)
}

fn apply(value: &str, step: &Step) -> Option<String> {
    Some(match step {
        Step::Pad(width) => {
            let fits = value.bytes().all(|byte| byte.is_ascii_digit()) && value.len() <= *width;
            return fits.then(|| format!("{value:0>width$}"));
        }
        Step::Strftime(format) => {
            format.replace("%Y", &value[..4]).replace("%m", &value[5..7]).replace("%d", &value[8..])
        }
        Step::Lower => value.to_lowercase(),
        Step::Upper => value.to_uppercase(),
        Step::Trim => value.trim().to_owned(),
        Step::Escape => value.replace('%', "%25").replace('#', "%23"),
        Step::Shard(count) => {
            let hash = Sha256::digest(value.as_bytes());
            (u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]) % count).to_string()
        }
        other => panic!("{other:?}"),
    })
}

#[test]
fn k11_k12_k14_rows_of_proven_entities_never_render_the_same_key() {
    let mut random = fastrand::Rng::with_seed(1207);
    let keys = ["a", "n", "a b", "a n", "n d", "b u"];
    let mut proven = 0;
    for _ in 0..1500 {
        let entities: Vec<[String; 2]> =
            (0..2).map(|_| [random_template(&mut random), random_template(&mut random)]).collect();
        let key = keys[random.usize(0..keys.len())];
        let relations = [relation(COLUMNS, key), relation(COLUMNS, key)];
        let named = ["E", "F"].iter().zip(&entities).map(|(name, [pk, sk])| entity(name, pk, sk)).collect();
        if proofs(&mapping(named), &relations).contains("unproven") {
            continue;
        }
        proven += 1;
        let mut seen: HashMap<(String, String), (usize, Vec<String>)> = HashMap::new();
        for _ in 0..300 {
            let row: Row =
                ["a", "b", "n", "u", "d"].map(|name| (name, random_value(name, &mut random))).into();
            for (at, [pk, sk]) in entities.iter().enumerate() {
                let (Some(pk), Some(sk)) = (render(pk, &row), render(sk, &row)) else { continue };
                let source_key = (at, key.split(' ').map(|column| row[column].clone()).collect::<Vec<_>>());
                let first = seen.entry((pk.clone(), sk.clone())).or_insert_with(|| source_key.clone());
                assert_eq!(*first, source_key, "{entities:?} render pk {pk} sk {sk} twice");
            }
        }
    }
    assert!(proven > 40, "only {proven} of the random mappings were proven");
}
