//! Reads the steps of a placeholder: `trim|lower`, `010`, `%Y-%m`.

use std::ops::Range;

use super::template::TemplateMistake;
use crate::mapping::Step;
use crate::mapping::diagnostic::{closest, listed, quoted};
use crate::mapping::strftime;

const WORDS: [(&str, Step); 8] = [
    ("lower", Step::Lower),
    ("upper", Step::Upper),
    ("trim", Step::Trim),
    ("escape", Step::Escape),
    ("hex", Step::Hex),
    ("epoch", Step::Epoch),
    ("epoch_ms", Step::EpochMillis),
    ("sortable", Step::Sortable),
];
/// No number of DynamoDB has more digits.
const MAX_DIGITS: usize = 38;

/// Parses all steps; `start` is the place of the first one in the template.
pub(super) fn parse_all(text: &str, start: usize) -> Result<Vec<Step>, Vec<TemplateMistake>> {
    let mut steps = Vec::new();
    let mut mistakes = Vec::new();
    let mut position = start;
    for spelled in text.split('|') {
        let end = position.saturating_add(spelled.len());
        match parse(spelled, position..end) {
            Ok(step) => steps.push(step),
            Err(found) => mistakes.extend(found),
        }
        position = end.saturating_add(1);
    }
    if mistakes.is_empty() { Ok(steps) } else { Err(mistakes) }
}

fn parse(spelled: &str, range: Range<usize>) -> Result<Step, Vec<TemplateMistake>> {
    if let Some((_, step)) = WORDS.iter().find(|(word, _)| *word == spelled) {
        return Ok(step.clone());
    }
    if spelled.contains('%') {
        return strftime_step(spelled, range.start);
    }
    let step = match spelled {
        "" => Err(empty(range)),
        _ => match (pad(spelled), shard(spelled)) {
            (Some(digits), _) => in_range(digits.map(Step::Pad), range, "a zero pad", MAX_DIGITS),
            (_, Some(count)) => in_range(count.map(Step::Shard), range, "the number of shards", u32::MAX),
            (None, None) => Err(unknown(spelled, range)),
        },
    };
    step.map_err(|mistake| vec![mistake])
}

/// `0N`; the inner `None` for an N that cannot be.
fn pad(spelled: &str) -> Option<Option<usize>> {
    let digits = spelled.strip_prefix('0').filter(|digits| !digits.is_empty())?;
    let all_digits = digits.chars().all(|c| c.is_ascii_digit());
    all_digits.then(|| digits.parse().ok().filter(|width| (1..=MAX_DIGITS).contains(width)))
}

/// `shard(n)`; the inner `None` for an n that cannot be.
fn shard(spelled: &str) -> Option<Option<u32>> {
    let count = spelled.strip_prefix("shard(")?.strip_suffix(')').filter(|count| !count.is_empty())?;
    let all_digits = count.chars().all(|c| c.is_ascii_digit());
    all_digits.then(|| count.parse().ok().filter(|count| *count > 0))
}

fn in_range(
    step: Option<Step>,
    range: Range<usize>,
    what: &str,
    most: impl std::fmt::Display,
) -> Result<Step, TemplateMistake> {
    step.ok_or_else(|| TemplateMistake {
        code: "out-of-range",
        range,
        message: format!("{what} must be between 1 and {most}"),
        help: "write for example {id:010} or {id:shard(8)}".into(),
    })
}

fn strftime_step(spelled: &str, start: usize) -> Result<Step, Vec<TemplateMistake>> {
    let unknown = strftime::unknown_directives(spelled);
    if unknown.is_empty() {
        return Ok(Step::Strftime(spelled.to_owned()));
    }
    let mistake = |range: Range<usize>| TemplateMistake {
        code: "unknown-directive",
        message: format!("unknown directive {}", quoted(spelled.get(range.clone()).unwrap_or_default())),
        range: start.saturating_add(range.start)..start.saturating_add(range.end),
        help: format!("known: {}", listed(strftime::DIRECTIVES)),
    };
    Err(unknown.into_iter().map(mistake).collect())
}

fn unknown(spelled: &str, range: Range<usize>) -> TemplateMistake {
    let words = WORDS.iter().map(|(word, _)| *word);
    let known = "`0N` (zero pad), strftime such as `%Y-%m-%d`, `lower`, `upper`, `trim`, `escape`, `hex`, \
                 `epoch`, `epoch_ms`, `sortable`, `shard(n)`";
    let is_number = spelled.chars().all(|c| c.is_ascii_digit());
    let word = spelled.split('(').next().unwrap_or_default();
    let is_like_shard = closest(word, ["shard"]).is_some();
    let meant = match closest(spelled, words) {
        _ if is_number => Some(format!("0{spelled}")),
        _ if is_like_shard => Some("shard(8)".to_owned()),
        close => close.map(str::to_owned),
    };
    let meant = meant.map(|meant| format!("did you mean `{meant}`? ")).unwrap_or_default();
    TemplateMistake {
        code: "unknown-step",
        range,
        message: format!("unknown step {}", quoted(spelled)),
        help: format!("{meant}known: {known}"),
    }
}

fn empty(range: Range<usize>) -> TemplateMistake {
    TemplateMistake {
        code: "template",
        range,
        message: "a step is missing here".into(),
        help: "write a step, or take the separator out".into(),
    }
}
