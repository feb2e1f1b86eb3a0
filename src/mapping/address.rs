//! How a mapping addresses its parts, for messages that say what to write where.

/// `[entities.Order.column.gift]`: how a column is read.
pub fn column_table(entity: &str, column: &str) -> String {
    format!("[entities.{}.column.{}]", key(entity), key(column))
}

/// `[entities.Order.let]`
pub fn computed_table(entity: &str) -> String {
    format!("[entities.{}.let]", key(entity))
}

/// `{email:trim|lower}`, `{"E-Mail":trim}`: a placeholder of a template.
pub fn placeholder(column: &str, steps: &str) -> String {
    let plain = column.chars().all(|c| c.is_alphanumeric() || c == '_') && !column.is_empty();
    if plain { format!("{{{column}:{steps}}}") } else { format!("{{\"{column}\":{steps}}}") }
}

/// A name as a key of TOML.
fn key(name: &str) -> String {
    let bare = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)) && !name.is_empty();
    if bare { name.to_owned() } else { toml::Value::from(name).to_string() }
}

#[cfg(test)]
mod tests {
    use super::{column_table, placeholder};

    #[test]
    fn names_are_quoted_where_toml_wants_it() {
        assert_eq!(column_table("Order", "unit_price"), "[entities.Order.column.unit_price]");
        assert_eq!(column_table("Order", "Unit Price"), "[entities.Order.column.\"Unit Price\"]");
        assert_eq!(column_table("Order", "größe"), "[entities.Order.column.\"größe\"]");
    }

    #[test]
    fn a_placeholder_quotes_what_templates_do_not_take_bare() {
        assert_eq!(placeholder("größe", "trim"), "{größe:trim}");
        assert_eq!(placeholder("E-Mail", "trim|lower"), "{\"E-Mail\":trim|lower}");
    }
}
