//! The TTL attribute holds whole seconds since 1970 as a number; DynamoDB ignores anything else.

use super::constant;
use super::table::Outline;
use super::walker::{Read, Walker};
use crate::mapping::diagnostic::{Diagnostic, Span, quoted};
use crate::mapping::{Attribute, Constant, Format, Origin, ValueType};

/// Later than the year 5000: milliseconds taken for seconds.
const TOO_LATE: i64 = 100_000_000_000;
const HELP: &str = "a TTL attribute holds seconds: { column = \"…\", format = \"epoch\" }";

pub(super) fn check(walker: &mut Walker<'_>, attribute: &Attribute, outline: &Outline) -> Read<()> {
    let is_ttl = outline.ttl.as_ref().is_some_and(|ttl| ttl.get_ref() == attribute.name.get_ref());
    let problem = if is_ttl { of_settings(attribute).or_else(|| of_origin(attribute)) } else { None };
    match problem {
        Some((span, problem)) => {
            let message = format!("{} is the TTL attribute, and {problem}", quoted(attribute.name.get_ref()));
            Err(walker.report(Diagnostic::error("ttl", span, message).with_help(HELP)))
        }
        None => Ok(()),
    }
}

fn of_settings(attribute: &Attribute) -> Option<(Span, &'static str)> {
    let format = attribute.settings.format.as_ref();
    let of_format = format.and_then(|format| match format.get_ref() {
        Format::Epoch => None,
        Format::EpochMillis => Some((format.span(), "milliseconds would never expire")),
        Format::Strftime(_) => Some((format.span(), "DynamoDB ignores dates written as text")),
    });
    let kind = attribute.settings.kind.as_ref().filter(|kind| *kind.get_ref() != ValueType::N);
    of_format.or_else(|| kind.map(|kind| (kind.span(), "DynamoDB ignores all types but N")))
}

fn of_origin(attribute: &Attribute) -> Option<(Span, &'static str)> {
    let is_number = attribute.settings.kind.is_some();
    match &attribute.origin {
        Origin::Column(_) => None,
        Origin::Template(_) if is_number => None,
        Origin::Template(template) => {
            Some((template.span.clone(), "a template writes text, which DynamoDB ignores"))
        }
        Origin::Value(value) => match value.get_ref() {
            Constant::Integer(seconds) if *seconds > TOO_LATE => {
                Some((value.span(), "this is thousands of years ahead: milliseconds?"))
            }
            Constant::Text(_) if is_number => None,
            constant if constant::natural_type(constant) == ValueType::N => None,
            _ => Some((value.span(), "DynamoDB ignores all types but N")),
        },
    }
}
