//! Decimals that are declared wider than a DynamoDB number.

use crate::mapping::{Diagnostic, Overflow, ValueType};
use crate::source::{Class, Column, PgType, RawType};

use super::{Looked, typed};
use crate::plan::uses::{Place, Use};

/// Digits of a DynamoDB number, and the powers of ten between which its first one stands.
const MOST_DIGITS: i32 = 38;
const LARGEST_POWER: i32 = 125;
const SMALLEST_POWER: i32 = -130;

pub(super) fn remark(looked: &Looked<'_>) -> Option<Diagnostic> {
    let columns = looked.columns(|used| is_number(used) && rejects(used) && is_wide(used.column));
    let first = columns.first()?;
    let message = format!(
        "columns of `{}` can hold numbers that DynamoDB cannot, of more than 38 digits or out of its range: {}; \
         such a value rejects its row",
        looked.name(),
        typed(&columns)
    );
    let help = format!(
        "a dry run counts such values; `overflow = \"string\"` in {} keeps just them as text, `type = \"S\"` all, also in a key",
        looked.column_table(first)
    );
    Some(Diagnostic::warning("wide-numeric", looked.span(&columns), message).with_help(help))
}

/// The text of a number in an attribute's template may have any number of digits.
fn is_number(used: &Use<'_>) -> bool {
    used.settings.kind != Some(ValueType::S) && used.place != Place::Text
}

/// Nothing takes the place of a key.
fn rejects(used: &Use<'_>) -> bool {
    used.settings.overflow == Overflow::Reject || used.place.key().is_some()
}

fn is_wide(column: &Column) -> bool {
    let is_decimal = match &column.raw {
        // SQLite keeps what it declares as it likes.
        RawType::Sqlite(_) => false,
        RawType::Postgres(PgType::Array(member)) => **member == PgType::Numeric,
        raw => raw.class() == Class::Decimal,
    };
    let Some((digits, scale)) = declared(column).filter(|_| is_decimal) else { return false };
    digits > MOST_DIGITS || digits - scale > LARGEST_POWER + 1 || -scale < SMALLEST_POWER
}

/// Digits and scale of `numeric(50,2)`, `decimal(40) unsigned` or `numeric(5,-200)[]`.
pub(in crate::plan) fn declared(column: &Column) -> Option<(i32, i32)> {
    let (_, inside) = column.declared().split_once('(')?;
    let (inside, _) = inside.split_once(')')?;
    let (digits, scale) = inside.split_once(',').unwrap_or((inside, "0"));
    Some((digits.trim().parse().ok()?, scale.trim().parse().ok()?))
}
