use crate::mapping::{Entity, Format, Origin, Overflow, Severity, ValueSettings, ValueType};
use crate::plan::testing::*;
use crate::source::{Collation, Folding, Foreign, ForeignKey, Relation};

/// `warning wide-numeric`, of what this module says alone.
fn remarked(entity: Entity, relation: &Relation) -> Vec<String> {
    let codes = [
        "wide-numeric",
        "tinyint1",
        "char-padding",
        "collation-key",
        "text-fallback",
        "uuid-bytes",
        "local-time-with-z",
    ];
    let findings = findings_of(entity, relation);
    let ours = findings.into_iter().filter(|finding| codes.contains(&finding.code));
    ours.map(|finding| {
        assert!(finding.help.is_some() && finding.severity != Severity::Error, "{finding:?}");
        lines(&[finding]).remove(0)
    })
    .collect()
}

fn thing() -> Entity {
    entity("T", "T#{id:010}", "P")
}

fn with(column: &str, settings: ValueSettings) -> Entity {
    Entity { column_settings: vec![(text(column), settings)], ..thing() }
}

/// N01: by declaration alone; what the mapping has answered is not asked again.
#[test]
fn n01_columns_wider_than_a_number_are_warned_of_together() {
    let relation = relation("id int8, a numeric(39), b numeric(38,20), c numeric(40,2)[], d numeric", "id");
    let said = remarked(thing(), &relation);
    assert_eq!(
        said,
        [
            "warning wide-numeric: columns of `T` can hold numbers that DynamoDB cannot, of more than 38 digits or out of its \
          range: `a` (numeric(39)), `c` (numeric(40,2)[]); such a value rejects its row"
        ]
    );
    let overflow = ValueSettings { overflow: Some(Overflow::Omit), ..ValueSettings::default() };
    for settings in [overflow.clone(), of_type(ValueType::S)] {
        let wide = super::super::testing::relation("id int8, a my decimal(65,30)", "id");
        assert_eq!(remarked(with("a", settings), &wide), Vec::<String>::new());
        assert_eq!(remarked(thing(), &wide).len(), 1);
    }
    // In a key nothing takes a number's place.
    let mut keyed = with("a", overflow);
    keyed.sk = Some(template("{a}"));
    assert_eq!(remarked(keyed, &relation).len(), 1);
}

#[test]
fn n01_few_digits_far_from_the_point_are_out_of_range_too() {
    for (declared, wide) in [
        ("numeric(5,130)", false),
        ("numeric(5,131)", true),
        ("numeric(5,-121)", false),
        ("numeric(5,-122)", true),
    ] {
        let relation = relation(&format!("id int8, a {declared}"), "id");
        assert_eq!(remarked(thing(), &relation).len(), usize::from(wide), "{declared}");
    }
}

/// N17
#[test]
fn n17_a_tinyint_1_without_a_type_is_noted_where_it_becomes_a_number() {
    let relation = relation("id int8, gift my tinyint(1), paid my tinyint(1)", "id");
    assert_eq!(
        remarked(thing(), &relation),
        ["note tinyint1: tinyint(1) columns of `T` are written as numbers: `gift`, `paid`"]
    );
    let only_paid = remarked(with("gift", of_type(ValueType::Bool)), &relation);
    assert_eq!(only_paid, ["note tinyint1: tinyint(1) columns of `T` are written as numbers: `paid`"]);
    let none = Entity { columns: crate::mapping::ColumnChoice::List(texts(&["id"])), ..thing() };
    assert_eq!(remarked(none, &relation), Vec::<String>::new());
}

/// K21
#[test]
fn k21_forty_padded_columns_are_one_note() {
    let columns: Vec<String> = (0..40).map(|at| format!("c{at} character(10)")).collect();
    let relation = relation(&format!("id int8, flag character(1), {}", columns.join(", ")), "id");
    let said = remarked(thing(), &relation);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("which do not count in SQL either: `c0`, `c1`"), "{said:?}");
    assert!(!said[0].contains("flag") && said[0].ends_with("and 10 more"), "{said:?}");
}

/// K24: where something speaks for UUIDs.
#[test]
fn k24_sixteen_bytes_that_may_be_a_uuid_are_noted() {
    for (column, expected) in [("owner_id", 1), ("uuid", 1), ("digest", 0)] {
        let relation = relation(&format!("id int8, {column} my binary(16)"), "id");
        assert_eq!(remarked(thing(), &relation).len(), expected, "{column}");
        assert_eq!(remarked(with(column, of_type(ValueType::UuidSwapped)), &relation).len(), 0);
    }
}

/// T11
#[test]
fn t11_a_z_behind_a_time_without_zone_is_warned_of() {
    let format = |text: &str| of_format(Format::Strftime(text.to_owned()));
    for (columns, settings, expected) in [
        ("id int8, at timestamp", format("%Y-%m-%dT%H:%M:%SZ"), 1),
        ("id int8, at timestamp", format("%Y-%m-%dT%H:%M:%S"), 0),
        ("id int8, at timestamptz", format("%Y-%m-%dT%H:%M:%SZ"), 0),
        ("id int8, at timestamp", ValueSettings { zone: in_zone("UTC").zone, ..format("%H:%MZ") }, 0),
    ] {
        assert_eq!(remarked(with("at", settings), &relation(columns, "id")).len(), expected, "{columns}");
    }
    let mut keyed = thing();
    keyed.sk = Some(template("{at:%Y-%m-%dT%H:%M:%SZ}"));
    assert_eq!(remarked(keyed, &relation("id int8, at timestamp", "id")).len(), 1);
}

/// S05, S11: each kind with the SQL that helps it.
#[test]
fn s05_s11_unknown_types_are_noted_with_the_sql_that_helps() {
    let mut relation = relation("id int8, attrs hstore, p pair, for interval, geo hstore, mine hstore", "id");
    for (name, sql_type, foreign) in [
        ("attrs", "public.hstore", Foreign::Extension),
        ("p", "pair", Foreign::Composite),
        ("geo", "geometry(Point,4326)", Foreign::Extension),
        ("mine", "isbn", Foreign::Extension),
    ] {
        let column = relation.columns.iter_mut().find(|column| column.name == name).unwrap();
        (column.sql_type, column.foreign) = (sql_type.to_owned(), Some(foreign));
    }
    let findings = findings_of(thing(), &relation);
    let helps: Vec<&str> = findings
        .iter()
        .filter(|finding| finding.code == "text-fallback")
        .map(|finding| finding.help.as_deref().unwrap())
        .collect();
    assert_eq!(
        helps,
        [
            "for a document, write `attrs_json = \"hstore_to_json(attrs)\"` in [entities.T.let] and leave `attrs` out",
            "for a document, write `p_json = \"to_jsonb(p)\"` in [entities.T.let] and leave `p` out",
            "for a document, write `geo_json = \"ST_AsGeoJSON(geo)::json\"` in [entities.T.let] and leave `geo` out",
            "where another form is meant, make a column of it in [entities.T.let] by SQL of its own",
        ]
    );
    // S07: what nothing carries is not told.
    let none = Entity { columns: crate::mapping::ColumnChoice::List(texts(&["for"])), ..thing() };
    assert_eq!(remarked(none, &relation), Vec::<String>::new());
}

fn loose(folding: Folding, pads: bool) -> Relation {
    let mut relation = relation("id int8, code text", "id");
    relation.columns[1].collation = Some(Collation { name: "loose".to_owned(), folding, pads });
    relation
}

fn keyed(pk: &str) -> Entity {
    entity("T", pk, "T#{id:010}")
}

/// K19, K20: steps that take the difference away are the answer.
#[test]
fn k19_k20_keys_of_loose_texts_are_warned_of_unless_canonical() {
    for (folding, pads, key, expected) in [
        (Folding::Case, false, "C#{code}", 1),
        (Folding::Case, false, "C#{code:lower}", 0),
        (Folding::Accents, true, "C#{code:lower}", 1),
        (Folding::Accents, true, "C#{code:trim|upper}", 0),
        (Folding::Nothing, true, "C#{code:trim|shard(8)}", 0),
        (Folding::Nothing, true, "C#{code:shard(8)}", 1),
    ] {
        let said = remarked(keyed(key), &loose(folding, pads));
        assert_eq!(said.len(), expected, "{folding:?} {pads} {key}: {said:?}");
    }
    // An attribute is no key.
    assert_eq!(remarked(thing(), &loose(Folding::Accents, true)), Vec::<String>::new());
}

/// K19: harmless where the text is unique, and what goes wrong where it refers.
#[test]
fn k19_what_a_loose_key_means_goes_by_what_the_column_is() {
    let mut relation = loose(Folding::Accents, true);
    let words = "`code` (loose: case, accents and blanks at the end do not count)";
    assert_eq!(
        remarked(keyed("C#{code}"), &relation),
        [format!(
            "warning collation-key: keys of `T` bring rows together by texts whose spelling SQL does not tell apart: {words}; \
             each spelling gets a key of its own"
        )]
    );
    let mut ordered = thing();
    ordered.attributes = vec![attribute("G", "code")];
    assert_eq!(remarked(ordered, &relation), Vec::<String>::new());
    relation.unique_keys[0].columns.push("code".to_owned());
    assert_eq!(
        remarked(keyed("C#{code}"), &relation),
        [format!(
            "note collation-key: keys of `T` hold unique texts whose spelling SQL does not tell apart: {words}; an item is \
             found by the very bytes of its row alone"
        )]
    );
    let (columns, referenced) = (vec!["code".to_owned()], vec!["name".to_owned()]);
    relation.foreign_keys = vec![ForeignKey { columns, table: "country".to_owned(), referenced }];
    assert_eq!(
        remarked(keyed("C#{code}"), &relation),
        [format!(
            "warning collation-key: keys of `T` refer to other rows by texts whose spelling SQL does not tell apart: {words}; a \
             row that spells its parent otherwise lands under another key"
        )]
    );
    let help = findings_of(keyed("C#{code}"), &relation).remove(0).help.unwrap();
    assert!(help.contains("JOIN country p ON p.name = c.code"), "{help}");
    assert!(help.contains("{code:trim|lower}"), "{help}");
}

#[test]
fn a_remark_stands_where_the_mapping_speaks_of_the_column() {
    let relation = relation("id int8, gift my tinyint(1)", "id");
    let mut named = thing();
    named.columns = crate::mapping::ColumnChoice::List(Vec::new());
    named.attributes = vec![attribute("Gift", "gift")];
    let Origin::Column(origin) = &mut named.attributes[0].origin else { panic!("a column") };
    *origin = crate::mapping::Spanned::new(70..76, "gift".to_owned());
    let finding = findings_of(named, &relation).into_iter().find(|finding| finding.code == "tinyint1");
    assert_eq!(finding.unwrap().span, Some(70..76));
}
