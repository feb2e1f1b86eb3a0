//! Templates → text: literals, and placeholders with their steps.

use sha2::{Digest as _, Sha256};

use crate::mapping::{Overflow, Step};
use crate::plan::{ColumnPlan, PartPlan, ReadSettings, TemplatePlan};
use crate::source::Row;

use super::attribute::{Scratch, Written, write, write_null};
use super::decode::decode;
use super::escape::write_hex;
use super::number::write_integer;
use super::reading::{Purpose, instant, read, write_strftime, write_text};
use super::rejection::{Rule, Violation};
use super::value::Value;

/// A violation and the column it is about, if it is about one.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) violation: Violation,
    pub(super) column: Option<usize>,
}

impl Fault {
    pub(super) fn new(rule: Rule, message: &'static str, column: Option<usize>) -> Self {
        Self { violation: Violation::new(rule, message), column }
    }

    pub(super) fn at(column: usize) -> impl Fn(Violation) -> Self {
        move |violation| Self { violation, column: Some(column) }
    }

    /// NULL or empty: an index entry is left out, a table key rejects.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self.violation.rule, Rule::KeyNull | Rule::KeyEmpty)
    }
}

/// The value of a column of a row. To be looked at where it lies, by [`found`]: moving it costs more
/// than decoding it.
#[inline]
pub(super) fn cell<'a>(
    row: Row<'a>,
    columns: &'a [ColumnPlan],
    column: usize,
) -> Result<Value<'a>, Violation> {
    match columns.get(column).and_then(|plan| plan.raw.as_ref()) {
        Some(raw) => decode(row.cell(column), raw),
        None => Err(Violation::malformed("a column without type")),
    }
}

/// The decoded value, or what is wrong with it and where.
#[inline]
pub(super) fn found<'v, 'a>(
    decoded: &'v Result<Value<'a>, Violation>,
    column: usize,
) -> Result<&'v Value<'a>, Fault> {
    match decoded {
        Ok(value) => Ok(value),
        Err(violation) => Err(Fault { violation: violation.clone(), column: Some(column) }),
    }
}

/// Renders a template of a row. A NULL is `KeyNull` for every purpose; a placeholder without text is
/// `KeyEmpty` in keys.
pub(super) fn render(
    template: &TemplatePlan,
    row: Row<'_>,
    columns: &[ColumnPlan],
    purpose: Purpose,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    for part in &template.parts {
        match part {
            PartPlan::Literal(text) => out.extend_from_slice(text.as_bytes()),
            PartPlan::Value { column, steps, settings } => {
                let decoded = cell(row, columns, *column);
                let value = found(&decoded, *column)?;
                if matches!(value, Value::Null) {
                    return Err(Fault::new(Rule::KeyNull, "NULL, which has no text", Some(*column)));
                }
                write_placeholder(value, steps, settings, purpose, out).map_err(Fault::at(*column))?;
            }
        }
    }
    Ok(())
}

/// Appends an attribute whose value is a template. NULL in a part makes the whole NULL; what
/// overflows in one goes by the attribute's `overflow`.
pub(super) fn write_template(
    template: &TemplatePlan,
    row: Row<'_>,
    columns: &[ColumnPlan],
    settings: &ReadSettings,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<Written, Fault> {
    let mut text = std::mem::take(&mut scratch.template);
    text.clear();
    let mut rendered = render(template, row, columns, Purpose::Attribute, &mut text);
    if let Err(fault) = &rendered
        && fault.violation.rule.is_overflow()
    {
        match settings.overflow {
            Overflow::Reject => {}
            Overflow::Omit => return Ok(Written::Absent),
            Overflow::Null => return Ok(write_null(crate::mapping::Nulls::Null, out)),
            Overflow::String => {
                text.clear();
                rendered = render(template, row, columns, Purpose::Exact, &mut text);
            }
        }
    }
    let written = match rendered {
        Ok(()) => match std::str::from_utf8(&text) {
            Ok(text) => write(&Value::Text(text), settings, scratch, out),
            Err(_) => Err(Violation::malformed("text that is not UTF-8")),
        }
        .map_err(|violation| Fault { violation, column: only_column(template) }),
        Err(fault) if fault.violation.rule == Rule::KeyNull => Ok(write_null(settings.nulls, out)),
        Err(fault) => Err(fault),
    };
    scratch.template = text;
    written
}

/// The column of a template that has no other.
pub(super) fn only_column(template: &TemplatePlan) -> Option<usize> {
    let mut columns = template.parts.iter().filter_map(|part| match part {
        PartPlan::Value { column, .. } => Some(*column),
        PartPlan::Literal(_) => None,
    });
    columns.next().filter(|_| columns.next().is_none())
}

/// Appends the text of a placeholder: the first step may ask for a form of the typed value, the
/// others change text.
fn write_placeholder(
    value: &Value<'_>,
    steps: &[Step],
    settings: &ReadSettings,
    purpose: Purpose,
    out: &mut Vec<u8>,
) -> Result<(), Violation> {
    let start = out.len();
    let typed = match steps.first() {
        Some(step) => write_typed(value, step, settings, out),
        None => Ok(false),
    };
    let steps = match typed {
        // A date without the form that is asked for has its exact text at least.
        Err(violation) if purpose == Purpose::Exact && violation.rule.is_overflow() => {
            return write_text(value, settings, purpose, out);
        }
        Err(violation) => return Err(violation),
        Ok(true) => steps.get(1..).unwrap_or_default(),
        Ok(false) => {
            match (settings.kind, &settings.format, &settings.zone) {
                (None, None, None) => write_text(value, settings, purpose, out)?,
                _ => {
                    let meant = read(*value, settings);
                    write_text(meant.as_ref().map_err(Violation::clone)?, settings, purpose, out)?;
                }
            }
            steps
        }
    };
    for step in steps {
        check_filled(start, purpose, out)?;
        apply(step, start, out)?;
    }
    check_filled(start, purpose, out)
}

fn check_filled(start: usize, purpose: Purpose, out: &[u8]) -> Result<(), Violation> {
    if purpose == Purpose::Key && out.len() == start {
        return Err(Violation::new(Rule::KeyEmpty, "empty, which no part of a key may be"));
    }
    Ok(())
}

/// Steps that look at the value itself; false when the step is one on text.
fn write_typed(
    value: &Value<'_>,
    step: &Step,
    settings: &ReadSettings,
    out: &mut Vec<u8>,
) -> Result<bool, Violation> {
    let number = |number: i64, out: &mut Vec<u8>| write_integer(number < 0, number.unsigned_abs(), out);
    match (step, value) {
        (Step::Strftime(format), _) => write_strftime(value, format, settings, out)?,
        (Step::Epoch, _) => {
            number(instant(value, settings)?.epoch(), out);
        }
        (Step::EpochMillis, _) => {
            number(instant(value, settings)?.epoch_millis(), out);
        }
        (Step::Hex, Value::Bytes(bytes)) => write_hex(bytes, out),
        _ => return Ok(false),
    }
    Ok(true)
}

/// Applies a step to the text from `start` on.
fn apply(step: &Step, start: usize, out: &mut Vec<u8>) -> Result<(), Violation> {
    let text = out.get_mut(start..).unwrap_or_default();
    match step {
        Step::Pad(width) => return pad(*width, start, out),
        Step::Lower if text.is_ascii() => text.make_ascii_lowercase(),
        Step::Upper if text.is_ascii() => text.make_ascii_uppercase(),
        Step::Lower => replace(start, out, |text| text.to_lowercase())?,
        Step::Upper => replace(start, out, |text| text.to_uppercase())?,
        Step::Trim => replace(start, out, |text| text.trim().to_owned())?,
        Step::Escape if text.contains(&b'#') || text.contains(&b'%') => {
            replace(start, out, |text| text.replace('%', "%25").replace('#', "%23"))?;
        }
        Step::Escape => {}
        Step::Hex => {
            let text = text.to_vec();
            out.truncate(start);
            write_hex(&text, out);
        }
        Step::Shard(count) => {
            let shard = shard_of(text, *count);
            out.truncate(start);
            write_integer(false, u64::from(shard), out);
        }
        Step::Strftime(_) | Step::Epoch | Step::EpochMillis => {
            return Err(Violation::mismatch("a date step behind another step; put it first"));
        }
    }
    Ok(())
}

/// The first four bytes of the SHA-256, big endian, modulo `count`: applications compute the same.
fn shard_of(text: &[u8], count: u32) -> u32 {
    let digest: [u8; 32] = Sha256::digest(text).into();
    let [a, b, c, d, ..] = digest;
    u32::from_be_bytes([a, b, c, d]) % count.max(1)
}

fn pad(width: usize, start: usize, out: &mut Vec<u8>) -> Result<(), Violation> {
    let text = out.get(start..).unwrap_or_default();
    if !text.iter().all(u8::is_ascii_digit) {
        return Err(Violation::new(Rule::KeyPad, "negative or not whole, which zeros cannot pad"));
    }
    let Some(missing) = width.checked_sub(text.len()) else {
        let message = format!("{} digits, wider than its padding of {width}; widen it", text.len());
        return Err(Violation::new(Rule::KeyPad, message));
    };
    let end = out.len();
    out.resize(end + missing, b'0');
    out.copy_within(start..end, start + missing);
    if let Some(zeros) = out.get_mut(start..start + missing) {
        zeros.fill(b'0');
    }
    Ok(())
}

fn replace(start: usize, out: &mut Vec<u8>, change: impl Fn(&str) -> String) -> Result<(), Violation> {
    let text = out.get(start..).unwrap_or_default();
    let text = std::str::from_utf8(text).map_err(|_| Violation::malformed("text that is not UTF-8"))?;
    let changed = change(text);
    out.truncate(start);
    out.extend_from_slice(changed.as_bytes());
    Ok(())
}
