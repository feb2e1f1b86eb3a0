use expect_test::expect;

use super::super::resolve;
use super::super::testing::*;
use crate::mapping::{
    Attribute, ColumnChoice, Computed, Diagnostic, Format, Origin, Severity, ValueSettings, ValueType,
};
use crate::source::{Piece, Relation, SourceError, SourceErrorKind};

fn error(kind: SourceErrorKind, cause: &str) -> SourceError {
    SourceError { kind, context: "prepare".to_owned(), cause: cause.to_owned(), hint: None }
}

#[test]
fn all_mistakes_of_all_entities_come_at_once_in_the_order_of_the_file() {
    let mut user = entity("User", "USER#{idd:010}", "P");
    user.pk.span = 90..99;
    user.columns = ColumnChoice::Except(vec![toml::Spanned::new(50..60, "pasword".to_owned())]);
    let mut order = entity("Order", "O#{id:lower}", "P");
    order.filter = Some(toml::Spanned::new(10..20, "deleted IS NULL".to_owned()));
    order.computed =
        vec![Computed { name: text("day"), sql: toml::Spanned::new(30..40, "date(x)".to_owned()) }];
    order.indexes = vec![block("GSI1", "X", "Y")];
    order.indexes[0].when = Some(toml::Spanned::new(70..80, "shipped".to_owned()));
    let described = [
        Ok(relation("id int8, password text", "id")),
        Err(vec![
            error(SourceErrorKind::Sql(Piece::Condition(0)), "column shipped does not exist"),
            error(SourceErrorKind::Sql(Piece::Filter), "column deleted does not exist"),
            error(SourceErrorKind::Sql(Piece::Computed(0)), "column x does not exist"),
            error(SourceErrorKind::Sql(Piece::Rows), "relation orders does not exist"),
            error(SourceErrorKind::Permission, "permission denied for orders"),
        ]),
    ];
    let findings = resolve(&mapping(vec![user, order]), &described).unwrap_err();
    let help = |finding: &Diagnostic| finding.help.clone().unwrap_or_default();
    let text: Vec<String> = lines(&findings)
        .into_iter()
        .zip(&findings)
        .map(|(line, finding)| format!("{:?} {line} ({})\n", finding.span.clone().unwrap(), help(finding)))
        .collect();
    expect![[r#"
        0..0 error unknown-column: no column `idd` in the rows of `User` (did you mean `id`? columns of `User`: id, password)
        0..0 error unknown-table: relation orders does not exist ()
        0..0 error no-permission: permission denied for orders ()
        10..20 error bad-sql: column deleted does not exist ()
        30..40 error bad-sql: column x does not exist ()
        50..60 error unknown-column: no column `pasword` in the rows of `User` (did you mean `password`? columns of `User`: id, password)
        70..80 error bad-sql: column shipped does not exist ()
    "#]]
    .assert_eq(&text.concat());
}

#[test]
fn an_unknown_column_is_found_wherever_it_is_named() {
    let base = || entity("User", "U#{id:010}", "P");
    let relation = relation("id int8, name text", "id");
    let with = |change: &dyn Fn(&mut crate::mapping::Entity)| {
        let mut entity = base();
        change(&mut entity);
        entity
    };
    for entity in [
        with(&|entity| entity.sk = Some(template("{nam}"))),
        with(&|entity| entity.key = Some(texts(&["nam"]))),
        with(&|entity| entity.columns = ColumnChoice::List(texts(&["nam"]))),
        with(&|entity| entity.columns = ColumnChoice::Except(texts(&["nam"]))),
        with(&|entity| entity.attributes = vec![attribute("Name", "nam")]),
        with(&|entity| entity.column_settings = vec![(text("nam"), ValueSettings::default())]),
        with(&|entity| {
            let origin = Origin::Template(template("x{nam}"));
            entity.attributes =
                vec![Attribute { name: text("A"), origin, settings: ValueSettings::default() }];
        }),
    ] {
        let findings = findings_of(entity, &relation);
        let unknown = findings.iter().filter(|finding| finding.code == "unknown-column");
        let help: Vec<&str> = unknown.filter_map(|finding| finding.help.as_deref()).collect();
        assert_eq!(help, ["did you mean `name`? columns of `User`: id, name"]);
    }
}

fn relation_with(columns: &str) -> Relation {
    relation(&format!("id int8, {columns}"), "id")
}

#[test]
fn settings_that_do_not_fit_their_column_are_mistakes() {
    let epoch = || of_format(Format::Epoch);
    let both = |kind, format| ValueSettings { kind: Some(spanned(kind)), ..of_format(format) };
    let strftime = || Format::Strftime("%Y".to_owned());
    for (columns, settings, expected) in [
        ("x int8", of_type(ValueType::S), None),
        ("x my tinyint(1)", of_type(ValueType::Bool), None),
        ("x text", of_type(ValueType::N), None),
        ("x date", of_type(ValueType::N), Some("type-mismatch")),
        ("x int8", of_type(ValueType::B), Some("type-mismatch")),
        ("x my binary(16)", of_type(ValueType::UuidSwapped), None),
        ("x int8", of_type(ValueType::Uuid), Some("type-mismatch")),
        ("x int4[]", of_type(ValueType::NumberSet), None),
        ("x int4[]", of_type(ValueType::BinarySet), Some("type-mismatch")),
        ("x bytea[]", of_type(ValueType::BinarySet), None),
        ("x uuid[]", of_type(ValueType::BinarySet), None),
        ("x my set", of_type(ValueType::StringSet), None),
        ("x my set", of_type(ValueType::NumberSet), Some("type-mismatch")),
        ("x text", of_type(ValueType::StringSet), Some("type-mismatch")),
        ("x timestamptz", epoch(), None),
        ("x timestamp", epoch(), Some("format-mismatch")),
        ("x timestamp", ValueSettings { zone: Some(text("UTC")), ..epoch() }, None),
        ("x text", epoch(), Some("format-mismatch")),
        ("x time", epoch(), Some("format-mismatch")),
        ("x timestamptz", both(ValueType::N, Format::Epoch), None),
        ("x timestamptz", both(ValueType::S, Format::Epoch), Some("format-mismatch")),
        ("x date", both(ValueType::S, strftime()), None),
        ("x date", both(ValueType::N, strftime()), Some("format-mismatch")),
        ("x timestamp", in_zone("Europe/Berlin"), None),
        ("x timestamp[]", in_zone("Europe/Berlin"), None),
        ("x timestamptz", in_zone("Europe/Berlin"), Some("zone-mismatch")),
        ("x int8", in_zone("UTC"), Some("zone-mismatch")),
        ("x timestamp", in_zone("Europe/Berlinn"), Some("unknown-zone")),
        ("x lite TEXT", of_type(ValueType::Uuid), None),
        ("x lite TEXT", of_type(ValueType::Bool), None),
    ] {
        let relation = relation_with(columns);
        let mut by_column = entity("T", "T#{id:010}", "P");
        by_column.column_settings = vec![(text("x"), settings.clone())];
        let mut by_attribute = entity("T", "T#{id:010}", "P");
        by_attribute.attributes = vec![Attribute { settings, ..attribute("X", "x") }];
        for entity in [by_column, by_attribute] {
            let findings = findings_of(entity, &relation);
            let mistakes = findings.iter().filter(|finding| finding.severity == Severity::Error);
            let mistakes: Vec<&str> = mistakes.map(|finding| finding.code).collect();
            assert_eq!(mistakes, Vec::from_iter(expected), "{columns} {:?}", lines(&findings));
        }
    }
}

#[test]
fn t11_a_default_zone_serves_columns_without_zone_and_leaves_others_alone() {
    let mut both = entity("T", "T#{id:010}", "{a}");
    both.defaults = in_zone("Europe/Berlin");
    both.column_settings = vec![(text("a"), of_format(Format::Epoch))];
    let (plan, findings) = plan_of(both, &relation_with("a timestamp, b timestamptz"));
    assert!(findings.is_empty(), "{findings:?}");
    let settings: Vec<bool> = plan.entities[0]
        .layout
        .attributes
        .iter()
        .map(|attribute| match &attribute.value {
            super::super::ValuePlan::Column { settings, .. } => settings.zone.is_some(),
            _ => panic!(),
        })
        .collect();
    assert_eq!(settings, [false, true, false]);
}

#[test]
fn two_columns_of_one_name_cannot_be_used_by_it() {
    let findings = findings_of(entity("T", "T#{id:010}", "P"), &relation("id int8, id int8", ""));
    assert!(codes(&findings).contains(&"ambiguous-column"));
}

#[test]
fn sql_that_changes_by_itself_is_warned_of() {
    let mut changing = entity("T", "T#{id:010}", "P");
    changing.filter = Some(text("created < now() - interval '1 day'"));
    let findings = findings_of(changing, &relation("id int8", "id"));
    assert_eq!(codes(&findings), ["changing-sql"]);
}

#[test]
fn t13_t14_the_ttl_attribute_must_be_whole_seconds() {
    for (columns, settings, expected) in [
        ("x int8", ValueSettings::default(), None),
        ("x timestamptz", of_format(Format::Epoch), None),
        ("x timestamptz", of_format(Format::EpochMillis), Some("ttl-type")),
        ("x timestamptz", ValueSettings::default(), Some("ttl-type")),
        ("x text", of_type(ValueType::N), Some("ttl-type")),
        ("x int8", of_type(ValueType::S), Some("ttl-type")),
    ] {
        let mut expiring = entity("T", "T#{id:010}", "P");
        expiring.attributes = vec![Attribute { settings, ..attribute("expires_at", "x") }];
        let mut mapping = mapping(vec![expiring]);
        mapping.table.ttl = Some(text("expires_at"));
        let (Ok((_, findings)) | Err(findings)) = resolved(&mapping, &[relation_with(columns)]);
        assert_eq!(codes(&findings), Vec::from_iter(expected), "{columns}");
    }
}

#[test]
fn a_ttl_attribute_that_no_entity_has_is_warned_of() {
    let mut mapping = mapping(vec![entity("T", "T#{id:010}", "P")]);
    mapping.table.ttl = Some(text("expires"));
    let (_, findings) = resolved(&mapping, &[relation_with("expires_at int8")]).unwrap();
    assert_eq!(codes(&findings), ["ttl-unused"]);
    assert_eq!(findings[0].help.as_deref(), Some("did you mean `expires_at`?"));
}
