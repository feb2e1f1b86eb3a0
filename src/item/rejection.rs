//! Why a row cannot become an item.

use std::borrow::Cow;
use std::fmt;

use crate::mapping::KeyType;

/// One rejected row. Never carries a cell value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Position of the row in its page.
    pub row: usize,
    pub rule: Rule,
    /// The column or, where there is none, the attribute at fault.
    pub column: Option<String>,
    /// What is wrong, lower case, without the value: `41 significant digits, DynamoDB holds 38`.
    pub message: String,
    /// The row's source key, as [`super::source_key`] gives it.
    pub source_key: Vec<(String, String)>,
}

/// The rules a row can break; names are stable (rejects file, JSON reports).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    KeyNull,
    KeyEmpty,
    KeyTooLong,
    KeyType,
    /// Wider than its zero padding, or negative.
    KeyPad,
    KeyCollision,
    IndexKeyEmpty,
    IndexKeyTooLong,
    IndexKeyType,
    NumberDigits,
    NumberRange,
    NumberNotFinite,
    DateInvalid,
    DateRange,
    LocalTime,
    TextInvalid,
    JsonInvalid,
    BooleanInvalid,
    SetInvalid,
    TypeMismatch,
    Nesting,
    ItemTooLarge,
    /// The bytes do not have the form their type promises.
    Malformed,
    /// The service refused the item although nothing was found wrong here.
    Refused,
}

impl Rule {
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::KeyNull => "key_null",
            Rule::KeyEmpty => "key_empty",
            Rule::KeyTooLong => "key_too_long",
            Rule::KeyType => "key_type",
            Rule::KeyPad => "key_pad",
            Rule::KeyCollision => "key_collision",
            Rule::IndexKeyEmpty => "index_key_empty",
            Rule::IndexKeyTooLong => "index_key_too_long",
            Rule::IndexKeyType => "index_key_type",
            Rule::NumberDigits => "number_digits",
            Rule::NumberRange => "number_range",
            Rule::NumberNotFinite => "number_not_finite",
            Rule::DateInvalid => "date_invalid",
            Rule::DateRange => "date_range",
            Rule::LocalTime => "local_time",
            Rule::TextInvalid => "text_invalid",
            Rule::JsonInvalid => "json_invalid",
            Rule::BooleanInvalid => "boolean_invalid",
            Rule::SetInvalid => "set_invalid",
            Rule::TypeMismatch => "type_mismatch",
            Rule::Nesting => "nesting",
            Rule::ItemTooLarge => "item_too_large",
            Rule::Malformed => "malformed",
            Rule::Refused => "refused",
        }
    }
}

impl Rule {
    /// The value is sound, but DynamoDB cannot hold it: `overflow` decides what becomes of it.
    pub(super) fn is_overflow(self) -> bool {
        matches!(
            self,
            Rule::NumberDigits
                | Rule::NumberRange
                | Rule::NumberNotFinite
                | Rule::DateInvalid
                | Rule::DateRange
                | Rule::Nesting
        )
    }
}

/// Where a value was to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Attribute,
    Key(KeyType),
    IndexKey(KeyType),
    Item,
}

impl Rule {
    /// What helps with a value that DynamoDB cannot hold. In a key nothing takes its place, so `overflow`
    /// does not.
    pub(super) fn remedy(self, place: Place) -> Option<&'static str> {
        let is_number = matches!(self, Rule::NumberDigits | Rule::NumberRange);
        match place {
            _ if !self.is_overflow() => None,
            Place::Item => None,
            Place::Attribute if is_number || self == Rule::Nesting => Some("set overflow, or type = \"S\""),
            Place::Attribute => Some("set overflow"),
            Place::Key(KeyType::S) if is_number => {
                Some("in a key set type = \"S\", or leave such rows out with where")
            }
            Place::Key(_) => Some("no key can hold it: leave such rows out with where"),
            Place::IndexKey(KeyType::S) if is_number => {
                Some("in a key of an index set type = \"S\", or make it NULL with let")
            }
            Place::IndexKey(_) => Some("no key of an index can hold it: make it NULL with let"),
        }
    }
}

/// A rule broken by one value; becomes a [`Rejection`] where row and column are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Violation {
    pub(super) rule: Rule,
    pub(super) message: Cow<'static, str>,
}

impl Violation {
    pub(super) fn new(rule: Rule, message: impl Into<Cow<'static, str>>) -> Self {
        Self { rule, message: message.into() }
    }

    pub(super) fn malformed(message: &'static str) -> Self {
        Self::new(Rule::Malformed, message)
    }

    pub(super) fn mismatch(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Rule::TypeMismatch, message)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
