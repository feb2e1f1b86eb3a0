//! What a pattern reads, and one question of it with its values.

use indexmap::IndexMap;

use crate::item::{self, Rule};
use crate::mapping::{Order, Projection, SortKey};
use crate::plan::{KeyPlan, Operation, PatternPlan, Plan};
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

/// Makes the keys by the code that makes items' keys, or says by which rule there are none.
pub(super) fn render(reading: &Reading<'_>, row: &ParameterRow) -> Result<Question, Rule> {
    let pattern = reading.pattern;
    let value = |key: &KeyPlan, sorts| item::key_value(key, &pattern.columns, &row.page, 0, sorts);
    let calls = pattern.calls.iter().map(|call| {
        let pk = call.pk.iter().map(|key| value(key, false)).collect::<Result<_, _>>()?;
        let sk = call.sk.as_ref().map(|sk| sk.map(|key| value(key, true)).transpose()).transpose()?;
        Ok(Call { pk, sk })
    });
    let params = item::named_texts(&pattern.columns, &reading.shown, &row.page, 0).into_iter().collect();
    Ok(Question { params, calls: calls.collect::<Result<_, Rule>>()? })
}
