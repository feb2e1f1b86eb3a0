//! What a dry run counted in columns: in how many rows, what it is, and what to write about it.

use indexmap::IndexMap;
use serde::Serialize;

use super::EntityReport;
use super::cost::{counted, thousands};
use super::rejects::advice;
use super::text::{Meaning, Style, printable, width};
use crate::item::{Notice, Noticed};
use crate::mapping::{Overflow, column_table, computed_table, placeholder};

/// Something about the values of one column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnReport {
    pub column: String,
    /// Stable: a rule of rejections, or in kebab-case what rows do that are none.
    pub code: &'static str,
    pub rows: u64,
    pub message: String,
    /// What to do about it, where something can be done.
    pub help: Option<String>,
    /// The rows make no item.
    #[serde(skip)]
    pub rejects: bool,
}

/// Lines of the text at most.
const SHOWN: usize = 30;

impl ColumnReport {
    pub fn new(entity: &str, noticed: &Noticed) -> Self {
        let (code, message, help) = Place { entity, column: &noticed.column }.told(&noticed.what);
        let rejects = matches!(noticed.what, Notice::Rejected(_));
        Self { column: noticed.column.clone(), code, rows: noticed.rows, message, help, rejects }
    }
}

/// Which column is spoken of.
struct Place<'a> {
    entity: &'a str,
    column: &'a str,
}

/// Code, message and help.
type Told = (&'static str, String, Option<String>);

impl Place<'_> {
    fn told(&self, what: &Notice) -> Told {
        let column = self.column;
        let told = |code, message: &str, help: String| (code, message.to_owned(), Some(help));
        match what {
            Notice::Rejected(rule) => {
                (rule.as_str(), "rejected".to_owned(), advice(rule.as_str()).map(str::to_owned))
            }
            Notice::LargeNumber => told(
                "large-number",
                "beyond 2^53: exact here, rounded by readers that take numbers for floats, such as JavaScript",
                self.setting("type = \"S\"", "writes it as text; an array is cast to one of texts in `let`"),
            ),
            Notice::Flags => told(
                "tinyint1",
                "every value is 0 or 1, and written as a number",
                self.setting("type = \"BOOL\"", "fits"),
            ),
            Notice::Numbers => {
                ("tinyint1-number", "neither 0 nor 1: `type = \"BOOL\"` would reject them".to_owned(), None)
            }
            Notice::UuidBytes { straight, swapped } => self.uuid_bytes(*straight, *swapped),
            Notice::UuidOrder { swapped } => self.uuid_order(*swapped),
            Notice::Padding => told(
                "char-padding",
                "written without the blanks that fill them up, which do not count in SQL either",
                self.computed(
                    &format!("rpad({column}, 10)"),
                    "keeps such blanks, with the length that the type declares for 10",
                ),
            ),
            Notice::LowerBound => told(
                "array-bounds",
                "arrays that do not begin at 1, which lists do not tell",
                self.computed(&format!("{column}::text"), "keeps the bounds"),
            ),
            Notice::NoMember => told(
                "enum-invalid",
                "no member of the ENUM, written as an empty text",
                self.computed(&format!("NULLIF({column}, '')"), "makes them NULL"),
            ),
            Notice::EqualNames => told(
                "json-equal-names",
                "documents with equal names in one object: the last is written",
                self.setting("type = \"S\"", "keeps the text"),
            ),
            Notice::Nul => told(
                "nul-character",
                "texts with the character NUL, written as they are",
                format!("where readers do not bear it, replace it in {}", computed_table(self.entity)),
            ),
            Notice::Overflow(overflow) => ("overflow", replaced(*overflow).to_owned(), None),
            Notice::Milliseconds => told(
                "ttl-milliseconds",
                "beyond the year 5138 as seconds, so milliseconds in all likelihood: the items would never expire",
                self.computed(&format!("{column} / 1000"), "makes seconds"),
            ),
            Notice::OtherType => told(
                "other-type",
                "values of another type than the column declares, each read as what it is",
                format!(
                    "`SELECT typeof({column}), count(*) … GROUP BY 1` tells them apart; `let` makes one type of them"
                ),
            ),
            Notice::KeyBlanks => told(
                "key-blanks",
                "texts with blanks around them, in a key",
                format!(
                    "`{}` takes them off there; `check` tells whether the keys still differ",
                    placeholder(column, "trim")
                ),
            ),
        }
    }

    fn uuid_bytes(&self, straight: u64, swapped: u64) -> Told {
        let message = format!(
            "16 bytes that are read as bytes: {} are UUIDs as they stand, {} swapped",
            thousands(straight),
            thousands(swapped)
        );
        let help = match straight.cmp(&swapped) {
            std::cmp::Ordering::Greater => self.setting("type = \"uuid\"", "fits"),
            std::cmp::Ordering::Less => self.setting("type = \"uuid_swapped\"", "fits"),
            std::cmp::Ordering::Equal => {
                self.setting("type = \"uuid\"` or `\"uuid_swapped\"", "fits: the application knows which")
            }
        };
        ("uuid-bytes", message, Some(help))
    }

    fn uuid_order(&self, swapped: bool) -> Told {
        let (other, kind) = match swapped {
            true => ("swapped", "type = \"uuid_swapped\""),
            false => ("as they stand", "type = \"uuid\""),
        };
        let message = format!("no UUID in the order in which they are read; {other} the values are UUIDs");
        ("uuid-order", message, Some(self.setting(kind, "reads them so")))
    }

    fn setting(&self, setting: &str, does: &str) -> String {
        format!("`{setting}` in {} {does}", column_table(self.entity, self.column))
    }

    fn computed(&self, sql: &str, does: &str) -> String {
        format!("`{sql}` in {} {does}", computed_table(self.entity))
    }
}

fn replaced(overflow: Overflow) -> &'static str {
    match overflow {
        Overflow::String => "more than DynamoDB holds: written as text, as `overflow` says",
        Overflow::Omit => "more than DynamoDB holds: left out, as `overflow` says",
        Overflow::Null => "more than DynamoDB holds: written as NULL, as `overflow` says",
        Overflow::Reject => "more than DynamoDB holds",
    }
}

/// Two lines a column; empty without any. What mends rejections is said by rule.
pub(super) fn columns(entities: &IndexMap<String, EntityReport>, style: Style) -> String {
    let all: Vec<(&String, &ColumnReport)> = entities
        .iter()
        .flat_map(|(name, entity)| entity.columns.iter().map(move |column| (name, column)))
        .collect();
    let Some(shown) = all.get(..all.len().min(SHOWN)).filter(|shown| !shown.is_empty()) else {
        return String::new();
    };
    let widest = shown.iter().map(|(name, found)| width(&label(name, found))).max().unwrap_or_default();
    let digits = shown.iter().map(|(_, found)| thousands(found.rows).len()).max().unwrap_or_default();
    let mut text = "Columns to look at\n".to_owned();
    for (name, found) in shown {
        text += &lines(&label(name, found), found, widest, digits, style);
    }
    let more = u64::try_from(all.len() - shown.len()).unwrap_or(u64::MAX);
    if more > 0 {
        text += &format!("  and {} that --json tells\n", counted(more, "more", "more"));
    }
    text
}

fn label(name: &str, found: &ColumnReport) -> String {
    format!("{}.{}", printable(name), printable(&found.column))
}

fn lines(label: &str, found: &ColumnReport, widest: usize, digits: usize, style: Style) -> String {
    let (meaning, what) = match found.rejects {
        true => (Meaning::Wrong, format!("{} ({})", found.message, found.code)),
        false => (Meaning::Attention, found.message.clone()),
    };
    let space = " ".repeat(widest - width(label));
    let count = style.paint(meaning, &format!("{:>digits$}", thousands(found.rows)));
    let mut text = format!("  {label}{space}  {count}  {}\n", printable(&what));
    if let Some(help) = found.help.as_ref().filter(|_| !found.rejects) {
        text += &format!("  {}  {}  {}\n", " ".repeat(widest), " ".repeat(digits), printable(help));
    }
    text
}

#[cfg(test)]
mod tests;
