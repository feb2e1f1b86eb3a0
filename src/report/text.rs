//! What the text reports share: colour with a meaning, aligned columns, safe names, cut values.

use serde_json::Value as Json;

use super::cost::thousands;

/// How a text is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours, for a terminal.
    pub color: bool,
}

/// What a colour says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Plain,
    Fine,
    Attention,
    Wrong,
}

impl Style {
    pub(super) fn paint(self, meaning: Meaning, text: &str) -> String {
        let code = match meaning {
            Meaning::Fine => "32",
            Meaning::Attention => "33",
            Meaning::Wrong => "31",
            Meaning::Plain => return text.to_owned(),
        };
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Columns that line up: the first to the left, numbers to the right.
#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<Vec<Cell>>,
}

#[derive(Debug)]
struct Cell {
    text: String,
    meaning: Meaning,
}

/// One number of a table; `meaning` holds unless it is 0.
pub(super) type Number = (u64, Meaning);

impl Table {
    pub(super) fn new(header: &[&str]) -> Self {
        let cell = |text: &&str| Cell { text: (*text).to_owned(), meaning: Meaning::Plain };
        Self { rows: vec![header.iter().map(cell).collect()] }
    }

    pub(super) fn row(&mut self, name: &str, numbers: impl IntoIterator<Item = Number>) {
        let cell = |(number, meaning)| Cell {
            text: thousands(number),
            meaning: if number == 0 { Meaning::Plain } else { meaning },
        };
        let name = Cell { text: printable(name), meaning: Meaning::Plain };
        self.rows.push(std::iter::once(name).chain(numbers.into_iter().map(cell)).collect());
    }

    /// A row of texts behind its name; `None` is what is not known.
    pub(super) fn texts(&mut self, name: &str, texts: impl IntoIterator<Item = (Option<String>, Meaning)>) {
        let cell = |(text, meaning): (Option<String>, Meaning)| Cell {
            text: text.unwrap_or_else(|| "–".to_owned()),
            meaning,
        };
        let name = Cell { text: printable(name), meaning: Meaning::Plain };
        self.rows.push(std::iter::once(name).chain(texts.into_iter().map(cell)).collect());
    }

    pub(super) fn text(&self, style: Style) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column| self.rows.iter().filter_map(|row| row.get(column)).map(Cell::width).max();
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
        self.rows.iter().map(|row| line(row, &widths, style)).collect()
    }
}

fn line(row: &[Cell], widths: &[usize], style: Style) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
        let (text, space) = (style.paint(cell.meaning, &cell.text), " ".repeat(width - cell.width()));
        match column {
            0 => line.extend([text, space]),
            _ => line.extend(["  ".to_owned(), space, text]),
        }
    }
    line.truncate(line.trim_end().len());
    line + "\n"
}

impl Cell {
    fn width(&self) -> usize {
        width(&self.text)
    }
}

/// Columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// Lines of at most 80 columns, broken between words.
pub(super) fn wrapped(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    let mut column = 0;
    for word in text.split(' ') {
        let wide = width(word);
        if column > 0 && column + 1 + wide > LINE {
            lines.push('\n');
            column = 0;
        } else if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += wide;
    }
    lines
}

/// Columns of the narrowest terminal that texts are written for.
const LINE: usize = 80;

/// A name or key of somebody else's as it may reach a terminal: without control or direction characters.
pub(super) fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character.is_control() || turns_direction(character) {
            true => safe.extend(character.escape_unicode()),
            false => safe.push(character),
        }
    }
    safe
}

fn turns_direction(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Characters of a text value to show, and of a line of JSON.
const LONGEST_TEXT: usize = 60;
const LONGEST_LINE: usize = 160;

/// DynamoDB JSON on one line; long texts cut with their length, a long line cut at its end.
pub(super) fn compact(value: &Json) -> String {
    cut(&printable(&shortened(value, LONGEST_TEXT).to_string()), LONGEST_LINE)
}

/// The same with texts of more than `longest` characters cut.
pub(super) fn shortened(value: &Json, longest: usize) -> Json {
    match value {
        Json::String(text) if width(text) > longest => {
            let length = u64::try_from(width(text)).unwrap_or(u64::MAX);
            format!("{} ({} characters)", cut(text, longest / 2), thousands(length)).into()
        }
        Json::Array(members) => members.iter().map(|member| shortened(member, longest)).collect(),
        Json::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), shortened(value, longest))).collect()
        }
        other => other.clone(),
    }
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// `key_null 1, number_digits 12`
pub(super) fn by_name<'a>(counts: impl IntoIterator<Item = (&'a String, &'a u64)>) -> String {
    let counts = counts.into_iter().map(|(name, count)| format!("{} {}", printable(name), thousands(*count)));
    counts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    #[test]
    fn columns_line_up_with_and_without_colour() {
        let mut table = Table::new(&["entity", "read", "wrong"]);
        table.row("Ünïcödé", [(1_234, Meaning::Plain), (0, Meaning::Wrong)]);
        table.row("A\u{1b}[31m", [(5, Meaning::Plain), (12, Meaning::Wrong)]);
        expect![[r#"
            entity        read  wrong
            Ünïcödé      1,234      0
            A\u{1b}[31m      5     12
        "#]]
        .assert_eq(&table.text(Style { color: false }));
        let colored = table.text(Style { color: true });
        assert!(colored.contains("     \u{1b}[31m12\u{1b}[0m\n"), "{colored:?}");
        assert_eq!(colored.matches('\u{1b}').count(), 2);
    }

    #[test]
    fn long_values_are_cut_and_say_how_long_they_are() {
        let text = compact(&json!({"S": "x".repeat(1_000)}));
        assert_eq!(text, format!(r#"{{"S":"{}… (1,000 characters)"}}"#, "x".repeat(30)));
        let list = compact(&json!({"L": vec![json!({"N": "1"}); 1_000]}));
        assert_eq!((width(&list), list.ends_with('…')), (161, true));
        assert_eq!(compact(&json!({"S": "short"})), r#"{"S":"short"}"#);
    }

    #[test]
    fn nothing_foreign_steers_the_terminal() {
        assert_eq!(printable("a\u{9b}b\u{202e}c\nd漢"), "a\\u{9b}b\\u{202e}c\\u{a}d漢");
    }
}
