use std::time::Duration;

use super::{EXAMPLE, parse};
use crate::mapping::{
    Billing, Case, ColumnChoice, Constant, Encryption, Endpoint, Entity, Format, KeyType, Mapping,
    MappingFile, Nulls, Origin, Overflow, Projection, Rate, Rows, SnapshotMode, Spanned, Step, StreamView,
    Template, TemplatePart, Throughput, ValueType,
};

fn example() -> Mapping {
    parse(EXAMPLE).unwrap()
}

/// A template written again, with its steps as they are held.
fn written(template: &Template) -> String {
    template
        .parts
        .iter()
        .map(|part| match part {
            TemplatePart::Literal(literal) => literal.clone(),
            TemplatePart::Placeholder { column, steps, .. } => format!("{{{column}:{steps:?}}}"),
        })
        .collect()
}

fn words(names: &[Spanned<String>]) -> Vec<&str> {
    names.iter().map(|name| name.get_ref().as_str()).collect()
}

#[test]
fn reads_source_and_write() {
    let mapping = example();
    let source = mapping.source;
    assert_eq!(source.url.get_ref().expose(), "postgres://shop:s3cret@localhost/shop");
    assert_eq!(&EXAMPLE[source.url.span()], "\"${DATABASE_URL}\"");
    assert_eq!(source.snapshot, SnapshotMode::Shared);
    assert_eq!(source.snapshot_limit, Duration::from_secs(5400));
    assert_eq!((source.readers, source.page_rows), (8, 5000));
    assert_eq!(source.ca_file.unwrap().get_ref().to_str(), Some("certs/ca.pem"));
    assert!(source.missing.is_empty());
    assert_eq!(mapping.write.rate, Rate::Fixed(500));
    assert_eq!((mapping.write.concurrency, mapping.write.max_rejects), (Some(16), 0));
}

#[test]
fn reads_the_table() {
    let table = example().table;
    assert_eq!(table.name.get_ref(), "shop");
    assert_eq!((table.partition_key.name.get_ref().as_str(), table.partition_key.kind), ("PK", KeyType::S));
    assert_eq!(table.sort_key.unwrap().name.get_ref(), "SK");
    assert_eq!(table.entity_type.unwrap().get_ref(), "entity_type");
    assert_eq!(table.account.unwrap().get_ref(), "123456789012");
    assert_eq!(*table.endpoint.unwrap().get_ref(), Endpoint::Embedded);
    assert_eq!(table.ttl.unwrap().get_ref(), "expires_at");
    assert!(table.region.is_none());
    let create = table.create;
    assert_eq!(create.billing, Billing::OnDemand);
    assert!(create.point_in_time_recovery && !create.deletion_protection);
    assert_eq!(create.encryption, Encryption::Key("alias/shop".into()));
    assert_eq!(create.tags, [("team".into(), "shop".into()), ("stage".into(), String::new())]);
    assert_eq!(create.stream, Some(StreamView::NewImage));
    assert_eq!(create.warm_throughput, Some(Throughput { read: 12_000, write: 4_000 }));
}

#[test]
fn reads_indexes_in_the_order_of_the_file() {
    let indexes = example().table.indexes;
    let keys: Vec<_> = indexes
        .iter()
        .map(|index| {
            let sort_key = index.sort_key.first().map(|key| key.name.get_ref().as_str());
            (index.name.get_ref().as_str(), index.partition_key[0].name.get_ref().as_str(), sort_key)
        })
        .collect();
    assert_eq!(
        keys,
        [
            ("GSI1", "GSI1PK", Some("GSI1SK")),
            ("Inverted", "SK", Some("PK")),
            ("ByAmount", "TotalAmount", None)
        ]
    );
    assert_eq!(indexes[0].projection, Projection::All);
    assert_eq!(indexes[1].projection, Projection::KeysOnly);
    assert_eq!(indexes[2].projection, Projection::Include(vec!["OrderDate".into(), "Label".into()]));
    assert_eq!(indexes[2].partition_key[0].kind, KeyType::N);
}

#[test]
fn reads_entities_in_the_order_of_the_file() {
    let entities = example().entities;
    let names: Vec<_> = entities.iter().map(|entity| entity.name.get_ref().as_str()).collect();
    assert_eq!(names, ["User", "Order", "OrderItem"]);
    let [user, order, item] = entities.try_into().unwrap();
    check_user(&user);
    check_order(&order);
    check_item(&item);
}

fn check_user(user: &Entity) {
    assert!(matches!(&user.rows, Rows::From(from) if from.get_ref() == "users"));
    assert_eq!(written(&user.pk), "USER#{id:[Pad(10)]}");
    assert_eq!(written(user.sk.as_ref().unwrap()), "PROFILE");
    assert_eq!(user.type_value(), "User");
    assert_eq!(user.rename_all, Some(Case::Camel));
    assert!(matches!(&user.columns, ColumnChoice::Except(names) if words(names) == ["password_hash"]));
    assert_eq!(user.defaults.zone.as_ref().unwrap().get_ref(), "UTC");
    assert_eq!((user.defaults.nulls, user.defaults.overflow), (Some(Nulls::Null), None));
    let index = &user.indexes[0];
    assert_eq!(index.index.get_ref(), "GSI1");
    assert_eq!(written(&index.pk[0]), "EMAIL#{email:[Trim, Lower]}");
}

fn check_order(order: &Entity) {
    assert_eq!(order.filter.as_ref().unwrap().get_ref(), "deleted_at IS NULL");
    assert_eq!((order.type_value(), order.rename_all), ("ORDER", Some(Case::Snake)));
    assert!(matches!(&order.columns, ColumnChoice::List(names) if names.is_empty()));
    assert_eq!(order.computed[0].name.get_ref(), "placed_day");
    assert_eq!(order.computed[0].sql.get_ref(), "date(order_date)");
    let (gift, settings) = &order.column_settings[0];
    assert_eq!(
        (gift.get_ref().as_str(), *settings.kind.as_ref().unwrap().get_ref()),
        ("gift", ValueType::Bool)
    );
    let index = &order.indexes[0];
    assert_eq!(index.when.as_ref().unwrap().get_ref(), "shipped_status = 'UNSHIPPED'");
    assert_eq!(written(&index.pk[0]), format!("UNSHIPPED#{{id:[{:?}]}}", Step::Shard(8)));
    assert_eq!(written(&index.sk[0]), "{order_date:[]}#{id:[Pad(10)]}");
    check_attributes(order);
}

fn check_attributes(order: &Entity) {
    let names: Vec<_> = order.attributes.iter().map(|attribute| attribute.name.get_ref().as_str()).collect();
    assert_eq!(names, ["OrderDate", "TotalAmount", "PlacedOn", "Label", "Source", "expires_at"]);
    let [date, _, _, label, source, expires] = order.attributes.as_slice() else { panic!() };
    assert!(matches!(&date.origin, Origin::Column(column) if column.get_ref() == "order_date"));
    assert!(
        matches!(&label.origin, Origin::Template(template) if written(template) == "{id:[]}-{status:[]}")
    );
    assert!(
        matches!(&source.origin, Origin::Value(value) if *value.get_ref() == Constant::Text("legacy".into()))
    );
    assert_eq!(*expires.settings.format.as_ref().unwrap().get_ref(), Format::Epoch);
    assert_eq!(expires.settings.overflow, Some(Overflow::Omit));
}

fn check_item(item: &Entity) {
    assert!(matches!(&item.rows, Rows::Query(query) if query.get_ref().starts_with("SELECT i.*")));
    assert_eq!(words(item.key.as_ref().unwrap()), ["order_id", "line_no"]);
    assert!(matches!(item.columns, ColumnChoice::All));
    let placeholder = &item.sk.as_ref().unwrap().parts[1];
    assert!(
        matches!(placeholder, TemplatePart::Placeholder { span, .. } if &EXAMPLE[span.clone()] == "{order_id:010}")
    );
}

#[test]
fn a_missing_variable_waits_for_who_needs_it() {
    let file = MappingFile { path: "shop.toml".into(), text: EXAMPLE.to_owned() };
    let mapping = Mapping::parse(&file, &|_| None).unwrap();
    assert_eq!(mapping.source.url.get_ref().expose(), "${DATABASE_URL}");
    let [missing] = mapping.source.missing.as_slice() else { panic!() };
    assert_eq!(missing.code, "missing-variable");
    assert_eq!(missing.help.as_deref(), Some("export DATABASE_URL=…"));
    assert_eq!(&EXAMPLE[missing.span.clone().unwrap()], "${DATABASE_URL}");
    assert!(mapping.table.missing.is_empty());
}

#[test]
fn tables_without_sort_key_need_no_sk() {
    let text = "[source]\nurl = 'sqlite://a.db'\n[table]\nname = 'sessions'\nsort_key = false\n\
                partition_key = { name = 'id', type = 'N' }\n[entities.Session]\nfrom = 's'\npk = '{id}'\n";
    let mapping = parse(text).unwrap();
    assert!(mapping.table.sort_key.is_none());
    assert!(mapping.entities[0].sk.is_none());
    assert!(matches!(mapping.entities[0].columns, ColumnChoice::All));
}
