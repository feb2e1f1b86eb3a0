//! Which steps and settings fit which values. Pure tables.

use crate::mapping::{Format, Step, ValueType};
use crate::source::{Class, Column, PgType, RawType};

use super::ReadSettings;
use super::strftime::directives;

/// What a value is between two steps of a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Value(Class),
    /// Text that a step or a `format` made.
    Text,
    /// A whole number that a step or a `format` made.
    Whole,
}

/// What DynamoDB type an attribute gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stored {
    S,
    N,
    B,
    /// BOOL, lists, sets, documents: never a key.
    Other(&'static str),
    /// Only the value tells.
    Unknown,
}

impl Form {
    /// How `column` arrives at the first step.
    pub(super) fn of(column: &Column, settings: &ReadSettings) -> Form {
        match settings.format {
            Some(Format::Epoch | Format::EpochMillis) => return Form::Whole,
            Some(Format::Strftime(_)) => return Form::Text,
            None => {}
        }
        match (settings.kind, column.raw.class()) {
            (Some(ValueType::Uuid | ValueType::UuidSwapped), _) => Form::Value(Class::Uuid),
            (Some(ValueType::Bool), _) => Form::Value(Class::Boolean),
            (Some(ValueType::N), Class::Text | Class::Json) => Form::Value(Class::Decimal),
            (Some(ValueType::N), Class::Boolean) => Form::Value(Class::Integer),
            (_, Class::Decimal) if whole_numbers(column) => Form::Value(Class::Integer),
            (_, class) => Form::Value(class),
        }
    }

    /// What a step makes of it; `Err` says why the step does not fit.
    pub(super) fn after(self, step: &Step, zoned: bool) -> Result<Form, String> {
        match step {
            Step::Pad(_) => self.pad(),
            Step::Strftime(format) => self.strftime(format),
            Step::Lower | Step::Upper | Step::Trim | Step::Escape => self.text_step(),
            Step::Hex => match self {
                Form::Value(Class::Bytes | Class::Dynamic) => Ok(Form::Text),
                _ => Err(format!("it takes bytes, not {}", self.words())),
            },
            Step::Epoch | Step::EpochMillis => self.epoch(zoned),
            Step::Sortable => self.sortable(),
            Step::Shard(_) => self.text().map(|()| Form::Whole),
        }
    }

    fn pad(self) -> Result<Form, String> {
        match self {
            Form::Value(Class::Integer | Class::Dynamic) | Form::Whole => Ok(Form::Text),
            _ => Err(format!("it takes an integer, not {}", self.words())),
        }
    }

    fn sortable(self) -> Result<Form, String> {
        match self {
            Form::Value(Class::Integer | Class::Decimal | Class::Dynamic) | Form::Whole => Ok(Form::Text),
            _ => Err(format!("it takes an integer or a decimal, not {}", self.words())),
        }
    }

    fn text_step(self) -> Result<Form, String> {
        match self {
            Form::Value(Class::Text | Class::Uuid | Class::Dynamic) | Form::Text => Ok(Form::Text),
            _ => Err(format!("it takes text, not {}", self.words())),
        }
    }

    fn strftime(self, format: &str) -> Result<Form, String> {
        let directives = directives(format);
        match self {
            Form::Value(Class::Date) if directives.iter().any(|directive| directive.of_time()) => {
                Err("a date has no time of day".to_owned())
            }
            Form::Value(Class::Time) if directives.iter().any(|directive| directive.of_day()) => {
                Err("a time of day has no date".to_owned())
            }
            Form::Value(
                Class::Date | Class::Time | Class::Timestamp | Class::TimestampTz | Class::Dynamic,
            ) => Ok(Form::Text),
            _ => Err(format!("it takes a date, time or timestamp, not {}", self.words())),
        }
    }

    fn epoch(self, zoned: bool) -> Result<Form, String> {
        match self {
            Form::Value(Class::TimestampTz) => Ok(Form::Whole),
            Form::Value(Class::Timestamp | Class::Date | Class::Dynamic) if zoned => Ok(Form::Whole),
            Form::Value(Class::Timestamp | Class::Date | Class::Dynamic) => {
                Err("it needs to know the zone that the value is in".to_owned())
            }
            _ => Err(format!("it takes a timestamp, not {}", self.words())),
        }
    }

    /// Whether this has a text in a key.
    pub(super) fn text(self) -> Result<(), String> {
        match self {
            Form::Value(Class::Float | Class::Json | Class::Array | Class::Bytes) => {
                Err(format!("a key cannot hold {} as text", self.words()))
            }
            _ => Ok(()),
        }
    }

    /// Whether this is a number that a key of type N can hold.
    pub(super) fn number(self) -> bool {
        matches!(self, Form::Value(Class::Integer | Class::Decimal | Class::Dynamic) | Form::Whole)
    }

    pub(super) fn bytes(self) -> bool {
        matches!(self, Form::Value(Class::Bytes | Class::Dynamic))
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Form::Value(class) => words(class),
            Form::Text => "the text of an earlier step or format",
            Form::Whole => "the number of an earlier step or format",
        }
    }
}

/// A class with its article.
pub(super) fn words(class: Class) -> &'static str {
    match class {
        Class::Integer => "an integer",
        Class::Decimal => "a decimal",
        Class::Float => "a float",
        Class::Boolean => "a boolean",
        Class::Text => "text",
        Class::Uuid => "a uuid",
        Class::Bytes => "bytes",
        Class::Date => "a date",
        Class::Time => "a time of day",
        Class::Timestamp => "a timestamp without zone",
        Class::TimestampTz => "a timestamp with zone",
        Class::Json => "json",
        Class::Array => "an array",
        Class::Dynamic => "a value of any type",
    }
}

/// Whether `type = …` can be had from a column. SQLite's values of any type may be anything scalar.
pub(super) fn type_fits(kind: ValueType, column: &Column) -> bool {
    let class = column.raw.class();
    match kind {
        ValueType::S => class != Class::Array,
        ValueType::N => {
            !is_text_of_bits(column)
                && !matches!(
                    class,
                    Class::Uuid
                        | Class::Bytes
                        | Class::Date
                        | Class::Time
                        | Class::Timestamp
                        | Class::TimestampTz
                        | Class::Array
                )
        }
        ValueType::B => matches!(class, Class::Bytes | Class::Uuid | Class::Dynamic),
        ValueType::Bool => {
            matches!(class, Class::Boolean | Class::Integer | Class::Decimal | Class::Text | Class::Dynamic)
        }
        ValueType::List => matches!(class, Class::Array | Class::Json),
        ValueType::StringSet | ValueType::NumberSet | ValueType::BinarySet => set_fits(kind, &column.raw),
        ValueType::Uuid => matches!(class, Class::Bytes | Class::Uuid | Class::Text | Class::Dynamic),
        ValueType::UuidSwapped => matches!(class, Class::Bytes | Class::Dynamic),
    }
}

/// PostgreSQL's bits of no fixed width arrive as the text `101`, which as a number would be a hundred and one.
pub(super) fn is_text_of_bits(column: &Column) -> bool {
    let name = column.declared().split('(').next().unwrap_or_default();
    column.raw == RawType::Postgres(PgType::ServerText) && matches!(name, "\"bit\"" | "bit varying")
}

/// `numeric(10)`, `decimal(10,0) unsigned`: a decimal without places behind the point.
fn whole_numbers(column: &Column) -> bool {
    let inside = column.declared().split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    let Some((inside, _)) = inside else { return false };
    let scale = inside.split_once(',').map_or("0", |(_, scale)| scale.trim());
    !matches!(column.raw, RawType::Sqlite(_)) && scale == "0"
}

fn set_fits(kind: ValueType, raw: &RawType) -> bool {
    let members = match raw {
        RawType::Postgres(PgType::Array(member)) => RawType::Postgres((**member).clone()).class(),
        // MySQL's SET: its members are text.
        _ if raw.class() == Class::Array => Class::Text,
        _ => return false,
    };
    match kind {
        ValueType::NumberSet => matches!(members, Class::Integer | Class::Decimal | Class::Float),
        ValueType::BinarySet => matches!(members, Class::Bytes | Class::Uuid),
        _ => !matches!(members, Class::Bytes | Class::Json | Class::Array),
    }
}

/// The class that zones are about: an array's members instead of the array.
pub(super) fn zoned_class(raw: &RawType) -> Class {
    match raw {
        RawType::Postgres(PgType::Array(member)) => zoned_class(&RawType::Postgres((**member).clone())),
        _ => raw.class(),
    }
}

/// The DynamoDB type of a column as an attribute.
pub(super) fn stored(column: &Column, settings: &ReadSettings) -> Stored {
    match settings.format {
        Some(Format::Epoch | Format::EpochMillis) => return Stored::N,
        Some(Format::Strftime(_)) => return Stored::S,
        None => {}
    }
    match settings.kind {
        Some(ValueType::S | ValueType::Uuid | ValueType::UuidSwapped) => Stored::S,
        Some(ValueType::N) => Stored::N,
        Some(ValueType::B) => Stored::B,
        Some(ValueType::Bool) => Stored::Other("BOOL"),
        Some(ValueType::List) => Stored::Other("a list"),
        Some(ValueType::StringSet | ValueType::NumberSet | ValueType::BinarySet) => Stored::Other("a set"),
        None => stored_class(column.raw.class()),
    }
}

fn stored_class(class: Class) -> Stored {
    match class {
        Class::Integer | Class::Decimal | Class::Float => Stored::N,
        Class::Boolean => Stored::Other("BOOL"),
        Class::Text | Class::Uuid | Class::Date | Class::Time | Class::Timestamp | Class::TimestampTz => {
            Stored::S
        }
        Class::Bytes => Stored::B,
        Class::Json => Stored::Other("a document"),
        Class::Array => Stored::Other("a list"),
        Class::Dynamic => Stored::Unknown,
    }
}

/// A step as it is written in a template.
pub(super) fn step_name(step: &Step) -> String {
    match step {
        Step::Pad(width) => format!("0{width}"),
        Step::Strftime(format) => format.clone(),
        Step::Lower => "lower".to_owned(),
        Step::Upper => "upper".to_owned(),
        Step::Trim => "trim".to_owned(),
        Step::Escape => "escape".to_owned(),
        Step::Hex => "hex".to_owned(),
        Step::Epoch => "epoch".to_owned(),
        Step::EpochMillis => "epoch_ms".to_owned(),
        Step::Sortable => "sortable".to_owned(),
        Step::Shard(count) => format!("shard({count})"),
    }
}
