//! The table of indexes that load and dry run end with.

use indexmap::IndexMap;

use super::IndexReport;
use super::text::{Meaning, Style, Table};

/// How many items are in each index, and how many are not; nothing where there is no index.
pub(super) fn indexes(indexes: &IndexMap<String, IndexReport>, style: Style) -> String {
    if indexes.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["index", "items", "absent"]);
    for (name, index) in indexes {
        table.row(name, [(index.items, Meaning::Plain), (index.absent, Meaning::Plain)]);
    }
    table.text(style)
}
