//! Whether the table expires items after a verification that was to switch that on.

use serde::Serialize;

use super::text::{Meaning, Style, printable};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExpiryReport {
    pub attribute: String,
    pub state: ExpiryState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpiryState {
    Enabled,
    AlreadyEnabled,
    /// What was wanted proved nothing or not all, or found something wrong.
    NotEnabled,
    /// Nothing was written.
    WouldBeEnabled,
}

/// One line.
pub(super) fn section(report: &ExpiryReport, style: Style) -> String {
    let attribute = printable(&report.attribute);
    let (meaning, text) = match report.state {
        ExpiryState::Enabled => (
            Meaning::Fine,
            format!(
                "Time to live is switched on: items whose `{attribute}` has passed are deleted from now on."
            ),
        ),
        ExpiryState::AlreadyEnabled => {
            (Meaning::Plain, format!("Time to live by `{attribute}` was on already."))
        }
        ExpiryState::NotEnabled => (
            Meaning::Attention,
            format!(
                "Time to live by `{attribute}` is not switched on: that takes a verification that finds nothing wrong and leaves no access pattern unasked."
            ),
        ),
        ExpiryState::WouldBeEnabled => {
            (Meaning::Plain, format!("Time to live by `{attribute}` would be switched on."))
        }
    };
    style.paint(meaning, &text) + "\n"
}
