//! Rejections by rule, each with the change that would mend it.

use indexmap::IndexMap;

use super::EntityReport;
use super::cost::thousands;
use super::text::{Meaning, Style, printable, width};

/// One line an entity and rule, in the report's order; empty without rejections.
pub(super) fn by_rule(entities: &IndexMap<String, EntityReport>, style: Style) -> String {
    let rules =
        || entities.iter().flat_map(|(name, entity)| entity.rejected_by.iter().map(move |by| (name, by)));
    let label = |name: &str, rule: &str| format!("{} {}", printable(name), printable(rule));
    let widest = rules().map(|(name, (rule, _))| width(&label(name, rule))).max().unwrap_or_default();
    let digits = rules().map(|(_, (_, count))| thousands(*count).len()).max().unwrap_or_default();
    let mut lines = String::new();
    for (name, (rule, count)) in rules() {
        let label = label(name, rule);
        let space = " ".repeat(widest - width(&label));
        let count = format!("{:>digits$}", thousands(*count));
        let line = format!("rejected {label}{space}  {}", style.paint(Meaning::Wrong, &count));
        lines += &advice(rule).map_or(line.clone(), |advice| format!("{line}  {advice}"));
        lines.push('\n');
    }
    lines
}

/// What usually mends rows that break a rule; by [`crate::item::Rule::as_str`].
pub(super) fn advice(rule: &str) -> Option<&'static str> {
    let advice = match rule {
        "key_null" | "key_empty" => "a key needs every value: leave such rows out with `where`",
        "key_too_long" => "pk holds 2048 bytes, sk 1024: use a shorter column",
        "key_pad" => "wider than the padding, or negative: pad to more digits",
        "key_type" | "index_key_type" => "the key attribute has another type: see `type`",
        "key_collision" => "two rows make the same key: add a column that tells them apart",
        "index_key_empty" => "an index key cannot be empty: leave such rows out of the index with `when`",
        "index_key_too_long" => "an index's pk holds 2048 bytes, its sk 1024: use a shorter column",
        "number_digits" | "number_range" | "number_not_finite" => {
            "DynamoDB cannot hold it as a number: `overflow = \"string\"` keeps it as text, but not in a key"
        }
        "date_invalid" | "date_range" => {
            "no such date, or out of range: `overflow` says what becomes of it, but not in a key"
        }
        "local_time" => "the time does not exist, or exists twice, in its `zone`",
        "boolean_invalid" => "only 0 and 1 can be BOOL: choose another `type`",
        "json_invalid" => "no JSON, or a form that DynamoDB has not: `type = \"S\"` keeps the text",
        "text_invalid" => {
            "not UTF-8, or NUL in a key: convert it with `let`, or carry the bytes with `type = \"B\"`"
        }
        "type_mismatch" => {
            "not what `type`, `format` or `zone` expects; each row's line in the rejects file says what"
        }
        "set_invalid" => "a set has no NULL and nothing twice: leave `type` away to get a list",
        "nesting" => "deeper than DynamoDB goes: `type = \"S\"` keeps JSON as text",
        "item_too_large" => "an item holds 400 KB: leave out large columns with `columns`",
        _ => return None,
    };
    Some(advice)
}

#[cfg(test)]
mod tests {
    use super::advice;
    use crate::item::Rule;

    #[test]
    fn advice_goes_by_the_names_that_rules_have() {
        for rule in
            [Rule::KeyNull, Rule::KeyCollision, Rule::NumberDigits, Rule::LocalTime, Rule::ItemTooLarge]
        {
            assert!(advice(rule.as_str()).is_some(), "{rule}");
        }
        assert_eq!(advice("unheard_of"), None);
    }
}
