//! Reads templates: `USER#{id:010}`, `{"Unit Price"}`, `{{literal}}`.

use std::ops::Range;

use super::step;
use super::text::Text;
use super::walker::{Read, Walker};
use crate::mapping::diagnostic::Diagnostic;
use crate::mapping::{Step, Template, TemplatePart};

/// What is wrong with a part of a template.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TemplateMistake {
    pub(super) code: &'static str,
    pub(super) range: Range<usize>,
    pub(super) message: String,
    pub(super) help: String,
}

/// Parses a template; all its mistakes are reported at their places.
pub(super) fn read(walker: &mut Walker<'_>, text: &Text) -> Read<Template> {
    let mut scanner = Scanner::new(&text.value);
    scanner.scan();
    let mut failed = None;
    for mistake in scanner.mistakes {
        let place = text.place(&mistake.range);
        let mistake = Diagnostic::error(mistake.code, place, mistake.message).with_help(mistake.help);
        failed = Some(walker.report(mistake));
    }
    let parts = scanner.pieces.into_iter().map(|piece| piece.into_part(text)).collect();
    failed.map_or(Ok(Template { parts, span: text.span.clone() }), Err)
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Placeholder { column: String, steps: Vec<Step>, range: Range<usize> },
}

impl Piece {
    fn into_part(self, text: &Text) -> TemplatePart {
        match self {
            Piece::Literal(literal) => TemplatePart::Literal(literal),
            Piece::Placeholder { column, steps, range } => {
                TemplatePart::Placeholder { column, steps, span: text.place(&range) }
            }
        }
    }
}

struct Scanner<'t> {
    text: &'t str,
    position: usize,
    literal: String,
    pieces: Vec<Piece>,
    mistakes: Vec<TemplateMistake>,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, position: 0, literal: String::new(), pieces: Vec::new(), mistakes: Vec::new() }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn scan(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            let doubled = self.rest().starts_with("{{") || self.rest().starts_with("}}");
            match c {
                '{' | '}' if doubled => self.take_literal(c, 2),
                '{' => self.take_placeholder(),
                '}' => self.refuse_stray_brace(),
                _ => self.take_literal(c, c.len_utf8()),
            }
        }
        self.end_literal();
    }

    fn take_literal(&mut self, c: char, length: usize) {
        self.literal.push(c);
        self.position = self.position.saturating_add(length);
    }

    fn end_literal(&mut self) {
        if !self.literal.is_empty() {
            self.pieces.push(Piece::Literal(std::mem::take(&mut self.literal)));
        }
    }

    fn refuse_stray_brace(&mut self) {
        let range = self.position..self.position.saturating_add(1);
        self.refuse(range, "this `}` closes nothing", "write }} for a literal brace");
        self.position = self.position.saturating_add(1);
    }

    fn take_placeholder(&mut self) {
        let start = self.position;
        let inside_start = start.saturating_add(1);
        let inside = self.text.get(inside_start..).unwrap_or_default();
        let Some(length) = inside_length(inside) else {
            let unclosed = inside.find('{').unwrap_or(inside.len());
            let end = inside_start.saturating_add(unclosed);
            self.refuse(
                start..end,
                "this `{` is not closed",
                "close it with }, or write {{ for a literal brace",
            );
            self.position = end;
            return;
        };
        let end = inside_start.saturating_add(length).saturating_add(1);
        self.end_literal();
        self.read_placeholder(inside.get(..length).unwrap_or_default(), start..end);
        self.position = end;
    }

    fn read_placeholder(&mut self, inside: &str, range: Range<usize>) {
        let column_start = range.start.saturating_add(1);
        let (spelled, steps) = split_column(inside);
        let column = match missing_colon(spelled, steps, &range) {
            Some(mistake) => Err(mistake),
            None => column(spelled, &range),
        };
        let steps_start = column_start.saturating_add(spelled.len()).saturating_add(1);
        let steps = steps.map_or(Ok(Vec::new()), |steps| step::parse_all(steps, steps_start));
        match (column, steps) {
            (Ok(column), Ok(steps)) => self.pieces.push(Piece::Placeholder { column, steps, range }),
            (column, steps) => {
                self.mistakes.extend(column.err());
                self.mistakes.extend(steps.err().unwrap_or_default());
            }
        }
    }

    fn refuse(&mut self, range: Range<usize>, message: &str, help: &str) {
        self.mistakes.push(mistake(range, message, help));
    }
}

/// Length up to the closing brace; `None` when another brace opens first, or none closes.
fn inside_length(inside: &str) -> Option<usize> {
    let skipped = if inside.starts_with('"') { quoted_length(inside)? } else { 0 };
    let rest = inside.get(skipped..)?;
    let brace = rest.find(['{', '}'])?;
    rest.get(brace..)?.starts_with('}').then(|| skipped.saturating_add(brace))
}

/// Length of `"…"` with its quotes; a quote inside is doubled.
fn quoted_length(text: &str) -> Option<usize> {
    let mut position: usize = 1;
    loop {
        let rest = text.get(position..)?;
        let quote = position.saturating_add(rest.find('"')?).saturating_add(1);
        match text.get(quote..)?.starts_with('"') {
            true => position = quote.saturating_add(1),
            false => return Some(quote),
        }
    }
}

/// Cuts at the first colon after the column.
fn split_column(inside: &str) -> (&str, Option<&str>) {
    let quoted = if inside.starts_with('"') { quoted_length(inside).unwrap_or(0) } else { 0 };
    let colon = inside.get(quoted..).and_then(|rest| rest.find(':'));
    match colon.and_then(|colon| inside.split_at_checked(quoted.saturating_add(colon))) {
        Some((column, steps)) => (column, steps.get(1..)),
        None => (inside, None),
    }
}

fn column(spelled: &str, range: &Range<usize>) -> Result<String, TemplateMistake> {
    let named = match spelled.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(quoted) => quoted.replace("\"\"", "\""),
        None => spelled.to_owned(),
    };
    if named.trim().is_empty() {
        let help = "write the column between the braces, or {{ and }} for literal braces";
        return Err(mistake(range.clone(), "this placeholder names no column", help));
    }
    let is_quoted = spelled.starts_with('"') && quoted_length(spelled) == Some(spelled.len());
    if is_quoted || spelled.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Ok(named);
    }
    Err(needs_quotes(spelled, range))
}

/// `{name|step}`: a pipe where the colon before the first step belongs.
fn missing_colon(spelled: &str, steps: Option<&str>, range: &Range<usize>) -> Option<TemplateMistake> {
    let (name, first) = spelled.split_once('|')?;
    let (name, first) = (name.trim(), first.trim());
    if first.is_empty() || name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let more = steps.map(|steps| format!("|{}", steps.trim())).unwrap_or_default();
    let help = format!("write {{{name}:{first}{more}}}; a `|` stands between further steps");
    Some(mistake(range.clone(), "the first step follows its column behind a colon", &help))
}

fn needs_quotes(spelled: &str, range: &Range<usize>) -> TemplateMistake {
    let name = spelled.trim().trim_matches('"');
    let bare = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let (message, help) = if bare {
        ("this placeholder has something besides the column's name", format!("write {{{name}}}"))
    } else {
        (
            "a column with other characters than letters, digits and `_` is quoted",
            format!("write {{\"{name}\"}}, in a TOML string with single quotes: '…{{\"{name}\"}}…'"),
        )
    };
    mistake(range.clone(), message, &help)
}

fn mistake(range: Range<usize>, message: &str, help: &str) -> TemplateMistake {
    TemplateMistake { code: "template", range, message: message.to_owned(), help: help.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Piece, Scanner};
    use crate::mapping::Step;

    fn parse(text: &str) -> Result<Vec<Piece>, Vec<(&'static str, std::ops::Range<usize>)>> {
        let mut scanner = Scanner::new(text);
        scanner.scan();
        let mistakes: Vec<_> = scanner.mistakes.into_iter().map(|m| (m.code, m.range)).collect();
        if mistakes.is_empty() { Ok(scanner.pieces) } else { Err(mistakes) }
    }

    fn literal(text: &str) -> Piece {
        Piece::Literal(text.to_owned())
    }

    fn placeholder(column: &str, steps: &[Step], range: std::ops::Range<usize>) -> Piece {
        Piece::Placeholder { column: column.to_owned(), steps: steps.to_vec(), range }
    }

    #[test]
    fn reads_literals_and_placeholders() {
        assert_eq!(parse("").unwrap(), []);
        assert_eq!(
            parse("USER#{id:010}#x").unwrap(),
            [literal("USER#"), placeholder("id", &[Step::Pad(10)], 5..13), literal("#x")]
        );
        assert_eq!(
            parse("{a}{b:trim|lower}").unwrap(),
            [placeholder("a", &[], 0..3), placeholder("b", &[Step::Trim, Step::Lower], 3..17)]
        );
    }

    #[test]
    fn undoes_doubled_braces() {
        assert_eq!(parse("{{id}}").unwrap(), [literal("{id}")]);
        assert_eq!(parse("{{{id}}}").unwrap(), [literal("{"), placeholder("id", &[], 2..6), literal("}")]);
    }

    #[test]
    fn reads_quoted_columns() {
        assert_eq!(
            parse(r#"{"Unit: {Price}":lower}"#).unwrap(),
            [placeholder("Unit: {Price}", &[Step::Lower], 0..23)]
        );
        assert_eq!(parse(r#"{"a""b"}"#).unwrap(), [placeholder("a\"b", &[], 0..8)]);
        assert_eq!(parse("{größe}").unwrap(), [placeholder("größe", &[], 0..9)]);
    }

    #[test]
    fn reads_all_steps() {
        let steps = [
            Step::Strftime("%Y-%m-%dT%H:%M:%S.%3fZ".into()),
            Step::Upper,
            Step::Escape,
            Step::Hex,
            Step::Epoch,
            Step::EpochMillis,
            Step::Sortable,
            Step::Shard(8),
        ];
        let text = "{a:%Y-%m-%dT%H:%M:%S.%3fZ|upper|escape|hex|epoch|epoch_ms|sortable|shard(8)}";
        assert_eq!(parse(text).unwrap(), [placeholder("a", &steps, 0..text.len())]);
    }

    #[test]
    fn a_pipe_in_place_of_the_colon_is_told() {
        for (text, help) in [
            ("{id|upper}", "write {id:upper}; a `|` stands between further steps"),
            ("{ id | trim|lower }", "write {id:trim|lower}; a `|` stands between further steps"),
            ("{id|trim:lower}", "write {id:trim|lower}; a `|` stands between further steps"),
            ("{id|010}", "write {id:010}; a `|` stands between further steps"),
        ] {
            let mut scanner = Scanner::new(text);
            scanner.scan();
            let [mistake] = scanner.mistakes.as_slice() else { panic!("{text}: {:?}", scanner.mistakes) };
            assert_eq!((mistake.help.as_str(), &mistake.range), (help, &(0..text.len())), "{text}");
        }
        assert_eq!(parse(r#"{"id|upper"}"#).unwrap(), [placeholder("id|upper", &[], 0..12)]);
    }

    #[test]
    fn points_at_each_mistake() {
        for (text, mistakes) in [
            ("a{id", vec![("template", 1..4)]),
            ("a{id#{b}", vec![("template", 1..5)]),
            ("a}b", vec![("template", 1..2)]),
            ("{}", vec![("template", 0..2)]),
            ("{:lower}", vec![("template", 0..8)]),
            (r#"{""}"#, vec![("template", 0..4)]),
            (r#"{"a}"#, vec![("template", 0..4)]),
            (r#"{"a"b}"#, vec![("template", 0..6)]),
            ("{Unit Price}", vec![("template", 0..12)]),
            ("{a:}", vec![("template", 3..3)]),
            ("{a:lower|}", vec![("template", 9..9)]),
            ("{a:lowr|uper}", vec![("unknown-step", 3..7), ("unknown-step", 8..12)]),
            ("{a:00}", vec![("out-of-range", 3..5)]),
            ("{a:039}", vec![("out-of-range", 3..6)]),
            ("{a:shard(0)}", vec![("out-of-range", 3..11)]),
            ("{a:shard(99999999999)}", vec![("out-of-range", 3..21)]),
            ("{a:shard}", vec![("unknown-step", 3..8)]),
            ("{a:10}", vec![("unknown-step", 3..5)]),
            ("{a:%y-%m}", vec![("unknown-directive", 3..5)]),
        ] {
            assert_eq!(parse(text).unwrap_err(), mistakes, "{text}");
        }
    }
}
