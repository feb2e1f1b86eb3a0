//! What a pattern reads, and one question of it with its values.

use indexmap::IndexMap;

use super::super::value::Value;
use crate::item::{self, Rule};
use crate::mapping::{Order, Projection, SortKey};
use crate::plan::{KeyPlan, Operation, PatternPlan, Plan};
use crate::report::BETWEEN_REVERSED;
use crate::source::ParameterRow;

/// The table or index that a pattern reads.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) pattern: &'a PatternPlan,
    pub(super) index: Option<&'a str>,
    /// Attributes of its partition and its sort key.
    pub(super) pk: Vec<&'a str>,
    pub(super) sk: Vec<&'a str>,
    /// Attributes of the table's key.
    pub(super) key: Vec<&'a str>,
    /// All that its entries hold; `None` for whole items.
    pub(super) projected: Option<Vec<&'a str>>,
    /// Columns of `params` that reports may show: those that keys are made of, since item keys are shown.
    pub(super) shown: Vec<usize>,
    /// Strongly consistent reads: of all but global indexes.
    pub(super) consistent: bool,
}

impl<'a> Reading<'a> {
    pub(super) fn of(plan: &'a Plan, pattern: &'a PatternPlan, show_values: bool) -> Self {
        let table = &plan.table;
        let key: Vec<&str> = std::iter::once(&table.partition_key)
            .chain(&table.sort_key)
            .map(|key| key.name.as_str())
            .collect();
        let shown = (0..pattern.columns.len())
            .filter(|column| show_values || pattern.makes_keys_of(*column))
            .collect();
        let Some(index) = pattern.index.and_then(|position| table.indexes.get(position)) else {
            let (pk, sk) = (key.iter().copied().take(1).collect(), key.iter().copied().skip(1).collect());
            return Self { pattern, index: None, pk, sk, key, projected: None, shown, consistent: true };
        };
        let names = |keys: &'a [crate::plan::KeyColumn]| keys.iter().map(|key| key.name.as_str());
        let (pk, sk): (Vec<_>, Vec<_>) =
            (names(&index.partition_key).collect(), names(&index.sort_key).collect());
        let included: Option<&[String]> = match &index.projection {
            Projection::All => None,
            Projection::KeysOnly => Some(&[]),
            Projection::Include(names) => Some(names),
        };
        let projected = included.map(|included| {
            let included = included.iter().map(String::as_str);
            key.iter().chain(&pk).chain(&sk).copied().chain(included).collect()
        });
        Self { pattern, index: Some(&index.name), pk, sk, key, projected, shown, consistent: index.local }
    }

    pub(super) fn descending(&self) -> bool {
        self.pattern.order == Order::Descending
    }

    /// Whether the whole key of one item is given.
    pub(super) fn is_get(&self) -> bool {
        self.pattern.operation == Operation::GetItem
    }
}

/// A pattern with the values of one row of `params`.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) params: IndexMap<String, String>,
    pub(super) calls: Vec<Call>,
}

/// Key values as DynamoDB JSON, each in the order of its attributes.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) pk: Vec<Vec<u8>>,
    pub(super) sk: Option<SortKey<Vec<u8>>>,
}

impl Call {
    /// By DynamoDB's own order: texts and binaries by their bytes, numbers by their value.
    fn is_reversed(&self) -> bool {
        let Some(SortKey::Between(low, high)) = &self.sk else { return false };
        matches!((Value::parse(low), Value::parse(high)), (Ok(low), Ok(high)) if low > high)
    }
}

/// Why a row of `params` is not asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unasked {
    /// It makes no key.
    Key(Rule),
    /// The lower bound of `between` is above the upper one: the service refuses that, and echoes both.
    Reversed,
}

impl Unasked {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Unasked::Key(rule) => rule.as_str(),
            Unasked::Reversed => BETWEEN_REVERSED,
        }
    }
}

/// Makes the keys by the code that makes items' keys.
pub(super) fn render(reading: &Reading<'_>, row: &ParameterRow) -> Result<Question, Unasked> {
    let pattern = reading.pattern;
    let value = |key: &KeyPlan, sorts| item::key_value(key, &pattern.columns, &row.page, 0, sorts);
    let calls = pattern.calls.iter().map(|call| {
        let pk = call.pk.iter().map(|key| value(key, false)).collect::<Result<_, _>>()?;
        let sk = call.sk.as_ref().map(|sk| sk.map(|key| value(key, true)).transpose()).transpose()?;
        Ok(Call { pk, sk })
    });
    let calls: Vec<Call> = calls.collect::<Result<_, Rule>>().map_err(Unasked::Key)?;
    if calls.iter().any(Call::is_reversed) {
        return Err(Unasked::Reversed);
    }
    let params = item::named_texts(&pattern.columns, &reading.shown, &row.page, 0).into_iter().collect();
    Ok(Question { params, calls })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_reversed(low: &str, high: &str) -> bool {
        let sk = Some(SortKey::Between(low.as_bytes().to_vec(), high.as_bytes().to_vec()));
        Call { pk: Vec::new(), sk }.is_reversed()
    }

    #[test]
    fn bounds_are_compared_as_the_service_does() {
        let text = |low: &str, high: &str| {
            is_reversed(&format!(r#"{{"S":"{low}"}}"#), &format!(r#"{{"S":"{high}"}}"#))
        };
        assert_eq!(
            [text("A", "B"), text("A", "A"), text("B", "A"), text("9", "10")],
            [false, false, true, true]
        );
        assert_eq!([text("a", "B"), text("A#", "A"), text("\u{ff5e}", "\u{1f600}")], [true, true, false]);
        let number = |low: &str, high: &str| {
            is_reversed(&format!(r#"{{"N":"{low}"}}"#), &format!(r#"{{"N":"{high}"}}"#))
        };
        assert_eq!([number("9", "10"), number("10", "9"), number("-9", "-10")], [false, true, true]);
        assert_eq!([number("1.0", "1"), number("1.50", "1.5"), number("-0", "0")], [false; 3]);
        // Bytes 0xfb and 0x00: as base64 they sort the other way round.
        assert!(is_reversed(r#"{"B":"+w=="}"#, r#"{"B":"AA=="}"#));
        assert!(!is_reversed(r#"{"B":"AA=="}"#, r#"{"B":"+w=="}"#));
    }

    #[test]
    fn only_between_has_two_bounds() {
        let equal = SortKey::Equal(vec![br#"{"S":"B"}"#.to_vec(), br#"{"S":"A"}"#.to_vec()]);
        assert!(!Call { pk: Vec::new(), sk: Some(equal) }.is_reversed());
        assert!(!Call { pk: Vec::new(), sk: None }.is_reversed());
    }
}
