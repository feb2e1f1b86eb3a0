//! The expressions of a conditional write: is an item still what was read, and what makes another of it?
//!
//! A condition names attributes; that there are no others it cannot say.
//!
//! Pure. Names and values stand behind placeholders only, so that any attribute name will do.

use indexmap::IndexMap;
use serde_json::value::RawValue;

use super::Amendment;

/// Attributes of an item, each value as it stands in the item's JSON.
pub(in crate::target) type Members<'a> = IndexMap<String, &'a RawValue>;

/// Bytes of an expression at most.
const LONGEST: usize = 4096;
/// Comparisons, functions and ANDs of an expression at most.
const OPERATORS: usize = 300;

/// Conditions and changes with the names and values that their placeholders stand for.
#[derive(Debug, Default)]
pub(super) struct Guard<'a> {
    conditions: Vec<String>,
    sets: Vec<String>,
    removals: Vec<String>,
    names: IndexMap<String, String>,
    values: IndexMap<String, &'a RawValue>,
}

impl<'a> Guard<'a> {
    /// `None` where the item is too wide for a condition.
    pub(super) fn of(
        amendment: &Amendment<'a>,
        key: &Members<'_>,
    ) -> Result<Option<Self>, serde_json::Error> {
        let guard = match amendment {
            Amendment::Put { .. } => Guard::absent(key.keys().next().map_or("", String::as_str)),
            Amendment::Replace { found, item, .. } => {
                Guard::becomes(&serde_json::from_slice(found)?, &serde_json::from_slice(item)?, key)
            }
            Amendment::Delete { found, .. } => Guard::unchanged(&serde_json::from_slice(found)?),
        };
        Ok(guard.fits().then_some(guard))
    }

    /// No item has the key whose first attribute is `name`.
    fn absent(name: &str) -> Self {
        let mut guard = Guard::default();
        let place = guard.name(name);
        guard.conditions.push(format!("attribute_not_exists({place})"));
        guard
    }

    /// All attributes of `found` are as they were read.
    fn unchanged(found: &Members<'a>) -> Self {
        let mut guard = Guard::default();
        for (name, value) in found {
            let place = guard.name(name);
            let value = guard.value(value);
            guard.conditions.push(format!("{place} = {value}"));
        }
        guard
    }

    /// As [`Guard::unchanged`], with the changes that make `item` of it. Key attributes are equal by value
    /// and cannot be set.
    fn becomes(found: &Members<'a>, item: &Members<'a>, key: &Members<'_>) -> Self {
        let mut guard = Guard::unchanged(found);
        for (name, value) in item.iter().filter(|(name, _)| !key.contains_key(*name)) {
            let old = found.get(name);
            if old.is_some_and(|old| old.get() == value.get()) {
                continue;
            }
            let place = guard.name(name);
            if old.is_none() {
                guard.conditions.push(format!("attribute_not_exists({place})"));
            }
            let value = guard.value(value);
            guard.sets.push(format!("{place} = {value}"));
        }
        for name in found.keys().filter(|name| !item.contains_key(*name)) {
            let place = guard.name(name);
            guard.removals.push(place);
        }
        guard
    }

    /// A name's placeholder, the same one each time.
    fn name(&mut self, name: &str) -> String {
        let next = format!("#a{}", self.names.len());
        self.names.entry(name.to_owned()).or_insert(next).clone()
    }

    fn value(&mut self, value: &'a RawValue) -> String {
        let place = format!(":v{}", self.values.len());
        self.values.insert(place.clone(), value);
        place
    }

    pub(super) fn condition(&self) -> String {
        self.conditions.join(" AND ")
    }

    /// `None` where nothing is to be changed.
    pub(super) fn update(&self) -> Option<String> {
        let clause = |word: &str, parts: &[String]| {
            (!parts.is_empty()).then(|| format!("{word} {}", parts.join(", ")))
        };
        let clauses: Vec<String> =
            [clause("SET", &self.sets), clause("REMOVE", &self.removals)].into_iter().flatten().collect();
        (!clauses.is_empty()).then(|| clauses.join(" "))
    }

    /// Placeholders with their names.
    pub(super) fn names(&self) -> IndexMap<&str, &str> {
        self.names.iter().map(|(name, place)| (place.as_str(), name.as_str())).collect()
    }

    pub(super) fn values(&self) -> &IndexMap<String, &'a RawValue> {
        &self.values
    }

    /// Whether the service takes expressions of this size.
    fn fits(&self) -> bool {
        let terms = self.conditions.len();
        let operators = terms.saturating_add(terms.saturating_sub(1));
        let changes = self.sets.len().saturating_add(self.removals.len());
        let update = self.update().map_or(0, |update| update.len());
        operators <= OPERATORS
            && changes <= OPERATORS
            && self.condition().len() <= LONGEST
            && update <= LONGEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(json: &str) -> Members<'_> {
        serde_json::from_str(json).unwrap()
    }

    fn wide(attributes: usize) -> String {
        let each: Vec<String> = (0..attributes).map(|at| format!(r#""n{at}":{{"N":"{at}"}}"#)).collect();
        format!("{{{}}}", each.join(","))
    }

    #[test]
    fn every_attribute_that_was_read_is_a_condition() {
        let guard = Guard::unchanged(&members(r#"{"PK":{"S":"a"},"size":{"N":"1"}}"#));
        assert_eq!(guard.condition(), "#a0 = :v0 AND #a1 = :v1");
        assert_eq!(guard.update(), None);
        assert_eq!(guard.names().into_iter().collect::<Vec<_>>(), [("#a0", "PK"), ("#a1", "size")]);
        let values: Vec<_> = guard.values().values().map(|value| value.get()).collect();
        assert_eq!(values, [r#"{"S":"a"}"#, r#"{"N":"1"}"#]);
    }

    #[test]
    fn an_absent_item_is_one_without_its_key() {
        let guard = Guard::absent("p.k");
        assert_eq!(guard.condition(), "attribute_not_exists(#a0)");
        assert_eq!(guard.names()["#a0"], "p.k");
        assert!(guard.values().is_empty());
    }

    #[test]
    fn only_what_differs_is_set_and_what_the_item_lacks_is_removed() {
        let found = members(r#"{"PK":{"S":"a"},"same":{"S":"x"},"old":{"S":"x"},"n":{"N":"1"}}"#);
        let item = members(r#"{"PK":{"S":"\u0061"},"same":{"S":"x"},"n":{"N":"2"},"new":{"BOOL":true}}"#);
        let guard = Guard::becomes(&found, &item, &members(r#"{"PK":{"S":"\u0061"}}"#));
        assert_eq!(
            guard.condition(),
            "#a0 = :v0 AND #a1 = :v1 AND #a2 = :v2 AND #a3 = :v3 AND attribute_not_exists(#a4)"
        );
        assert_eq!(guard.update().unwrap(), "SET #a3 = :v4, #a4 = :v5 REMOVE #a2");
        assert_eq!(guard.names()["#a4"], "new");
        assert_eq!(guard.values()[":v5"].get(), r#"{"BOOL":true}"#);
    }

    #[test]
    fn equal_bytes_need_no_change() {
        let found = members(r#"{"PK":{"S":"a"},"n":{"N":"1"}}"#);
        assert_eq!(Guard::becomes(&found, &found, &members(r#"{"PK":{"S":"a"}}"#)).update(), None);
    }

    #[test]
    fn a_condition_of_150_attributes_fits_and_one_of_151_does_not() {
        assert!(Guard::unchanged(&members(&wide(150))).fits());
        assert!(!Guard::unchanged(&members(&wide(151))).fits());
    }

    #[test]
    fn attributes_that_come_and_go_count_too() {
        let (found, none) = (wide(149), members("{}"));
        let found = members(&found);
        let grown = |item: &str| {
            let item = members(item);
            Guard::becomes(&found, &item, &none).fits()
        };
        assert!(grown(r#"{"x":{"S":""}}"#));
        assert!(!grown(r#"{"x":{"S":""},"y":{"S":""}}"#));
    }

    /// Functions are longer than comparisons: their text is the limit before their number is.
    #[test]
    fn a_condition_that_is_too_long_does_not_fit() {
        let found = members(r#"{"PK":{"S":"a"}}"#);
        let many = wide(135);
        let guard = Guard::becomes(&found, &members(&many), &found);
        assert!(guard.condition().len() > LONGEST);
        assert!(!guard.fits());
        let fewer = wide(100);
        assert!(Guard::becomes(&found, &members(&fewer), &found).fits());
    }
}
