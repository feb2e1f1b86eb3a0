//! What DynamoDB allows as names.

use toml::Spanned;

use super::text::Text;
use super::walker::{Read, Value, Walker};
use crate::mapping::diagnostic::{Diagnostic, Span, quoted};

const MAX_ATTRIBUTE_BYTES: usize = 65_535;
const MAX_KEY_ATTRIBUTE_BYTES: usize = 255;

/// The name of an attribute that may be as long as DynamoDB allows.
pub(super) fn attribute_name(walker: &mut Walker<'_>, name: &str, span: Span) -> Read<Spanned<String>> {
    if name.is_empty() {
        let message = "an attribute has an empty name";
        return Err(walker.report(Diagnostic::error("invalid-name", span, message)));
    }
    if name.len() > MAX_ATTRIBUTE_BYTES {
        return Err(too_long(walker, span, "an attribute's name", MAX_ATTRIBUTE_BYTES));
    }
    Ok(Spanned::new(span, name.to_owned()))
}

/// The name of an attribute that DynamoDB itself is told of: keys, TTL, projections.
pub(super) fn key_attribute_name(walker: &mut Walker<'_>, text: Text) -> Read<Spanned<String>> {
    if text.complete && text.value.len() > MAX_KEY_ATTRIBUTE_BYTES {
        return Err(too_long(walker, text.span, "the name of such an attribute", MAX_KEY_ATTRIBUTE_BYTES));
    }
    Ok(text.spanned())
}

pub(super) fn key_attribute_text<'a>(
    walker: &mut Walker<'a>,
    key: &str,
    value: &'a Value<'a>,
) -> Read<Spanned<String>> {
    let text = walker.text(key, value)?;
    key_attribute_name(walker, text)
}

/// 3 to 255 letters, digits, `_`, `.` and `-`.
pub(super) fn table_name(walker: &mut Walker<'_>, what: &str, text: Text) -> Read<Spanned<String>> {
    if !text.complete {
        return Ok(text.spanned());
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let (message, help) = if text.value.starts_with("arn:") {
        (format!("{what} is an ARN"), "write the name alone; `region` and `account` tell the rest")
    } else if let Some(wrong) = text.value.chars().find(|c| !allowed(*c)) {
        let shown = quoted(&wrong.to_string());
        (format!("{what} may not contain {shown}"), "letters, digits, `_`, `.` and `-` are allowed")
    } else if !(3..=255).contains(&text.value.len()) {
        (format!("{what} has {} characters", text.value.len()), "3 to 255 are allowed")
    } else {
        return Ok(text.spanned());
    };
    Err(walker.report(Diagnostic::error("invalid-name", text.span, message).with_help(help)))
}

fn too_long(walker: &mut Walker<'_>, span: Span, what: &str, most: usize) -> super::walker::Reported {
    let message = format!("{what} may have {most} bytes at most");
    walker.report(Diagnostic::error("invalid-name", span, message))
}
