use super::super::testing::*;
use super::super::{ColumnPlan, PartPlan, ValuePlan};
use crate::mapping::{
    Attribute, Case, ColumnChoice, Computed, Constant, Entity, Format, Nulls, Origin, Overflow, ValueSettings,
};
use crate::source::{Output, Relation};

fn order() -> Entity {
    entity("Order", "O#{id:010}", "O")
}

fn orders() -> Relation {
    relation("id int8, order_date timestamptz, total numeric(10,2)", "id")
}

/// `name = column`, or `name = text` for others.
fn written(entity: Entity, relation: &Relation) -> Vec<String> {
    let (plan, _) = plan_of(entity, relation);
    let layout = &plan.entities[0].layout;
    let name = |columns: &[ColumnPlan], at: usize| columns[at].name.clone();
    let line = |value: &ValuePlan| match value {
        ValuePlan::Column { column, .. } => name(&layout.columns, *column),
        ValuePlan::Template { template, .. } => format!("{} parts", template.parts.len()),
        ValuePlan::Constant { value, .. } => format!("{value:?}"),
    };
    layout
        .attributes
        .iter()
        .map(|attribute| format!("{} = {}", attribute.name, line(&attribute.value)))
        .collect()
}

#[test]
fn all_columns_are_carried_under_their_own_names() {
    assert_eq!(written(order(), &orders()), ["id = id", "order_date = order_date", "total = total"]);
}

#[test]
fn a_plain_rename_replaces_the_column_and_other_attributes_add_to_it() {
    let mut renamed = order();
    renamed.attributes = vec![
        attribute("OrderDate", "order_date"),
        Attribute { settings: of_format(Format::Epoch), ..attribute("placed", "order_date") },
        Attribute { settings: of_format(Format::Epoch), ..attribute("total_at", "order_date") },
        attribute("total", "id"),
        constant("Source", Constant::Text("legacy".to_owned())),
    ];
    assert_eq!(
        written(renamed, &orders()),
        [
            "OrderDate = order_date",
            "placed = order_date",
            "total_at = order_date",
            "total = id",
            "Source = Text(\"legacy\")"
        ]
    );

    let mut formatted = order();
    formatted.attributes =
        vec![Attribute { settings: of_format(Format::Epoch), ..attribute("placed", "order_date") }];
    formatted.columns = ColumnChoice::List(texts(&["order_date"]));
    assert_eq!(written(formatted, &orders()), ["order_date = order_date", "placed = order_date"]);
}

#[test]
fn rename_all_touches_columns_only() {
    let mut renamed = order();
    renamed.rename_all = Some(Case::Camel);
    renamed.attributes = vec![
        constant("some_name", Constant::Integer(1)),
        Attribute { settings: of_format(Format::Epoch), ..attribute("orderDate", "order_date") },
    ];
    assert_eq!(
        written(renamed, &orders()),
        ["id = id", "total = total", "some_name = Integer(1)", "orderDate = order_date"]
    );
}

#[test]
fn columns_can_be_chosen_and_left_out() {
    let mut listed = order();
    listed.columns = ColumnChoice::List(texts(&["total"]));
    assert_eq!(written(listed, &orders()), ["total = total"]);

    let mut except = order();
    except.columns = ColumnChoice::Except(texts(&["total"]));
    assert_eq!(written(except, &orders()), ["id = id", "order_date = order_date"]);
}

#[test]
fn computed_columns_belong_to_all_columns_and_can_be_named() {
    let mut computed = order();
    computed.computed = vec![Computed { name: text("day"), sql: text("date(order_date)") }];
    let mut relation = orders();
    relation.computed = vec![column("day date?")];
    assert_eq!(written(computed.clone(), &relation).last().unwrap(), "day = day");

    computed.columns = ColumnChoice::List(texts(&["day"]));
    let (plan, _) = plan_of(computed, &relation);
    let output = &plan.entities[0].select.output;
    assert!(matches!(&output[1], Output::Computed { sql, .. } if sql == "date(order_date)"), "{output:?}");
}

#[test]
fn s07_only_used_columns_are_read_and_the_others_are_named() {
    let mut listed = order();
    listed.columns = ColumnChoice::List(texts(&["total"]));
    let (plan, findings) = plan_of(listed, &orders());
    let columns: Vec<&str> =
        plan.entities[0].layout.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(columns, ["id", "total"]);
    assert_eq!(
        lines(&findings),
        ["note unused-columns: columns of `Order` that nothing carries: order_date"]
    );
}

#[test]
fn a_name_has_one_origin() {
    let conflict = |change: &dyn Fn(&mut Entity), columns: &str| {
        let mut entity = order();
        change(&mut entity);
        let mut mapping = mapping(vec![entity]);
        mapping.table.entity_type = Some(text("kind"));
        mapping.table.indexes = vec![index("GSI1", "GSI1PK", "GSI1SK")];
        let (Ok((_, findings)) | Err(findings)) = resolved(&mapping, &[relation(columns, "id")]);
        let conflicts = findings.into_iter().filter(|finding| finding.code == "duplicate-attribute");
        conflicts.map(|finding| finding.message).collect::<Vec<_>>().join("\n")
    };
    let nothing: &dyn Fn(&mut Entity) = &|_| {};
    assert_eq!(
        conflict(nothing, "id int8, PK text"),
        "attribute `PK` has two origins: the table's partition key and column `PK`"
    );
    assert_eq!(
        conflict(nothing, "id int8, kind text"),
        "attribute `kind` has two origins: the table's entity_type and column `kind`"
    );
    assert_eq!(
        conflict(&|entity| entity.attributes = vec![constant("SK", Constant::Boolean(true))], "id int8"),
        "attribute `SK` has two origins: the table's sort key and an entry of `attributes`"
    );
    assert_eq!(
        conflict(&|entity| entity.indexes = vec![block("GSI1", "A#{id:010}", "B")], "id int8, GSI1SK text"),
        "attribute `GSI1SK` has two origins: the block `index.GSI1` and column `GSI1SK`"
    );
    assert_eq!(
        conflict(&|entity| entity.rename_all = Some(Case::Camel), "id int8, orderId int8, order_id int8"),
        "attribute `orderId` has two origins: column `orderId` and column `order_id`"
    );
}

#[test]
fn an_attributes_own_settings_say_more_than_its_columns_and_those_more_than_the_defaults() {
    let mut layered = order();
    layered.defaults = ValueSettings {
        overflow: Some(Overflow::Omit),
        nulls: Some(Nulls::Null),
        ..ValueSettings::default()
    };
    layered.column_settings =
        vec![(text("total"), ValueSettings { overflow: Some(Overflow::String), ..ValueSettings::default() })];
    let own = ValueSettings { overflow: Some(Overflow::Null), ..ValueSettings::default() };
    layered.attributes = vec![Attribute { settings: own, ..attribute("Own", "total") }];
    let (plan, _) = plan_of(layered, &orders());
    let settings: Vec<(Overflow, Nulls)> = plan.entities[0]
        .layout
        .attributes
        .iter()
        .map(|attribute| match &attribute.value {
            ValuePlan::Column { settings, .. } => (settings.overflow, settings.nulls),
            _ => panic!(),
        })
        .collect();
    let null = Nulls::Null;
    assert_eq!(
        settings,
        [(Overflow::Omit, null), (Overflow::Omit, null), (Overflow::String, null), (Overflow::Null, null)]
    );
}

#[test]
fn templates_make_text_from_columns_by_position() {
    let mut labelled = order();
    let label = Origin::Template(template("{id}-{total}"));
    labelled.attributes =
        vec![Attribute { name: text("Label"), origin: label, settings: ValueSettings::default() }];
    let (plan, _) = plan_of(labelled, &orders());
    let layout = &plan.entities[0].layout;
    let label = layout.attributes.last().unwrap();
    let ValuePlan::Template { template, .. } = &label.value else { panic!() };
    let names: Vec<&str> = template
        .parts
        .iter()
        .map(|part| match part {
            PartPlan::Literal(text) => text.as_str(),
            PartPlan::Value { column, .. } => &layout.columns[*column].name,
        })
        .collect();
    assert_eq!(names, ["id", "-", "total"]);
}

#[test]
fn constants_must_be_of_their_type() {
    use crate::mapping::ValueType;
    for (value, kind, right) in [
        (Constant::Text("19.90".to_owned()), Some(ValueType::N), true),
        (Constant::Text("1,5".to_owned()), Some(ValueType::N), false),
        (Constant::Text("1".repeat(39)), Some(ValueType::N), false),
        (Constant::Text("x".to_owned()), Some(ValueType::Bool), false),
        (Constant::Integer(5), Some(ValueType::S), true),
        (Constant::Boolean(true), None, true),
        (Constant::Boolean(true), Some(ValueType::N), false),
    ] {
        let mut with = order();
        let settings = kind.map(of_type).unwrap_or_default();
        with.attributes = vec![Attribute { settings, ..constant("X", value.clone()) }];
        let findings = findings_of(with, &orders());
        assert_eq!(findings.is_empty(), right, "{value:?} {kind:?}");
    }
}
