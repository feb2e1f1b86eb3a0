//! What can be said about a valid mapping without its databases.

use crate::mapping::{Diagnostic, Entity, Mapping, Template, TemplatePart};

use super::attributes;
use super::language::{Atom, literal, meet};
use super::rendered::unknown;
use super::resolve::{in_file_order, warn_changing};

/// Findings of `check --offline` beyond the parser's: SQL that changes by itself, keys that are the
/// same for every row, entities whose keys are written alike, types that nothing carries. All of them are
/// warnings: what they mean depends on columns that nobody has looked at.
pub fn offline(mapping: &Mapping) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    attributes::check_types(mapping, &mut findings);
    for (at, entity) in mapping.entities.iter().enumerate() {
        warn_changing(entity, &mut findings);
        findings.extend(constant_key(entity));
        let others = mapping.entities.iter().take(at);
        findings.extend(others.filter(|other| alike(other, entity)).map(|other| meets(other, entity)));
    }
    in_file_order(&mut findings);
    findings
}

fn constant_key(entity: &Entity) -> Option<Diagnostic> {
    let mut parts = keys(entity).flat_map(|template| &template.parts);
    if parts.any(|part| matches!(part, TemplatePart::Placeholder { .. })) {
        return None;
    }
    let message = format!("every row of `{}` has the same key", entity.name.get_ref());
    let help = "put the columns of a unique key into `pk` and `sk`, such as `{id:010}`";
    Some(Diagnostic::warning("constant-key", entity.pk.span.clone(), message).with_help(help))
}

fn keys(entity: &Entity) -> impl Iterator<Item = &Template> {
    std::iter::once(&entity.pk).chain(&entity.sk)
}

/// Whether pk and sk are the same but for the columns' names, and nothing keeps them apart.
fn alike(left: &Entity, right: &Entity) -> bool {
    let same_shape = keys(left).count() == keys(right).count()
        && keys(left).zip(keys(right)).all(|(left, right)| shape(left) == shape(right));
    same_shape && keys(left).zip(keys(right)).all(|(left, right)| meet(&atoms(left), &atoms(right)).is_some())
}

/// A template without the names of its columns.
fn shape(template: &Template) -> Vec<Result<&str, &[crate::mapping::Step]>> {
    let parts = template.parts.iter().map(|part| match part {
        TemplatePart::Literal(text) => Ok(text.as_str()),
        TemplatePart::Placeholder { steps, .. } => Err(steps.as_slice()),
    });
    parts.collect()
}

fn atoms(template: &Template) -> Vec<Atom> {
    let part = |part: &TemplatePart| match part {
        TemplatePart::Literal(text) => literal(text),
        TemplatePart::Placeholder { steps, .. } => unknown(steps).atoms,
    };
    template.parts.iter().flat_map(part).collect()
}

fn meets(left: &Entity, right: &Entity) -> Diagnostic {
    let (left_name, right_name) = (left.name.get_ref(), right.name.get_ref());
    let message = format!(
        "keys of `{left_name}` and `{right_name}` are written alike: their rows can render the same key"
    );
    let span = right.sk.as_ref().unwrap_or(&right.pk).span.clone();
    let help = format!(
        "begin their `{}` with texts of their own, such as `{}#` and `{}#`",
        if right.sk.is_some() { "sk" } else { "pk" },
        left_name.to_uppercase(),
        right_name.to_uppercase()
    );
    Diagnostic::warning("keys-alike", span, message).with_help(help)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{codes, entity, mapping, text};
    use super::*;

    #[test]
    fn k14_keys_that_are_written_alike_are_told_without_a_database() {
        for (left, right, expected) in [
            (("ENT#{id}", "META"), ("ENT#{org_id}", "META"), Some("keys-alike")),
            (("ENT#{id:010}", "META"), ("ENT#{id:012}", "META"), None),
            (("USER#{id}", "META"), ("ORG#{id}", "META"), None),
            (("P#{id}", "ORDER#{a}"), ("P#{id}", "ORDER#{a}#ITEM#{b}"), None),
        ] {
            let entities = vec![entity("User", left.0, left.1), entity("Org", right.0, right.1)];
            assert_eq!(codes(&offline(&mapping(entities))), Vec::from_iter(expected), "{left:?} {right:?}");
        }
    }

    #[test]
    fn constant_keys_and_changing_sql_are_told_without_a_database() {
        let mut user = entity("User", "USER", "META");
        user.filter = Some(text("seen < now()"));
        assert_eq!(codes(&offline(&mapping(vec![user]))), ["changing-sql", "constant-key"]);
    }

    #[test]
    fn types_that_no_attribute_takes_are_told_once() {
        let typed = |name: &str| {
            let prefix = name.to_uppercase();
            Entity { type_value: Some(text("T")), ..entity(name, &format!("{prefix}#{{id}}"), "META") }
        };
        let mut mapping = mapping(vec![typed("User"), entity("Plain", "PLAIN#{id}", "META"), typed("Org")]);
        let findings = offline(&mapping);
        assert_eq!(codes(&findings), ["type-without-attribute"]);
        assert!(findings[0].message.ends_with("(entities: User, Org)"), "{}", findings[0].message);
        mapping.table.entity_type = Some(text("kind"));
        assert_eq!(codes(&offline(&mapping)), Vec::<&str>::new());
    }
}
