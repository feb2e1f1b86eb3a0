//! An item's billed size, counted from the rules that AWS documents and from nothing else.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Bytes of an item: its attribute names and values.
pub fn billed_size(item: &Value) -> usize {
    members(item).map(|(name, value)| name.len() + value_size(value)).sum()
}

/// Write units of an item or index entry of this size.
pub fn write_units(size: usize) -> u64 {
    size.div_ceil(1024).max(1) as u64
}

fn value_size(value: &Value) -> usize {
    let (kind, value) = members(value).next().expect("a typed value");
    match kind.as_str() {
        "S" => text(value).len(),
        "N" => number_size(text(value)),
        "B" => binary_size(text(value)),
        "BOOL" | "NULL" => 1,
        "SS" => elements(value).map(|e| text(e).len()).sum(),
        "NS" => elements(value).map(|e| number_size(text(e))).sum(),
        "BS" => elements(value).map(|e| binary_size(text(e))).sum(),
        "L" => 3 + elements(value).map(|e| 1 + value_size(e)).sum::<usize>(),
        "M" => 3 + members(value).map(|(name, e)| 1 + name.len() + value_size(e)).sum::<usize>(),
        other => panic!("no DynamoDB type: {other}"),
    }
}

/// One byte for every two significant digits, one more, and one for a sign: at most 21.
fn number_size(number: &str) -> usize {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = digits.trim_matches('0');
    (significant.len().max(1).div_ceil(2) + 1 + usize::from(number.starts_with('-'))).min(21)
}

fn binary_size(base64: &str) -> usize {
    STANDARD.decode(base64).expect("base64").len()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}
