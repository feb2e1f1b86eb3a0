//! What is said before the first write: from where, to where, how fast, and how long the source's
//! snapshot is held.

use super::destination::Destination;
use super::failure::{Exit, Failure};
use super::run::Ahead;
use super::terminal::Terminal;
use crate::load::Pace;
use crate::mapping::{SnapshotMode, SourceSettings};
use crate::report::cost::{about, duration, thousands};
use crate::source::Source;

/// A load that is about to begin.
pub(crate) struct Announcement<'a> {
    pub settings: &'a SourceSettings,
    pub source: &'a Source,
    pub destination: &'a Destination,
    pub pace: &'a Pace,
    pub ahead: &'a Ahead,
}

/// Tells of the load; fails where the snapshot would be held longer than `snapshot_limit` without `--yes`.
pub(crate) fn announce(load: &Announcement<'_>, yes: bool, terminal: &Terminal) -> Result<(), Failure> {
    let identity = load.source.identity();
    let transport = identity.transport.in_words().map(|words| format!(", {words}")).unwrap_or_default();
    terminal.remark(&format!("from {} ({}{transport})", identity.address, identity.server));
    terminal.remark(&format!("into {}", load.destination.describe()));
    let warnings = load.destination.warnings(load.ahead.rows);
    warnings.iter().for_each(|warning| terminal.remark(&format!("warning: {warning}")));
    let has_snapshot = load.settings.snapshot != SnapshotMode::None;
    let held = if has_snapshot {
        "the source's snapshot is held until the end"
    } else {
        "the source is read without a snapshot"
    };
    let expected = load.pace.seconds(&load.ahead.units);
    let least = expected.map(|seconds| least(seconds, &load.ahead.uncounted)).unwrap_or_default();
    terminal.remark(&format!("rate: {}{least}; {held}", rate_in_words(load.pace)));
    let limit = load.settings.snapshot_limit.as_secs();
    if has_snapshot && !yes && expected.is_some_and(|seconds| seconds > limit) {
        return Err(held_too_long(limit));
    }
    Ok(())
}

/// `, about 25 s at least, not counting the rows of Item, which are not known`
fn least(seconds: u64, uncounted: &[String]) -> String {
    let least = if seconds > 0 { format!(", {} at least", about(seconds)) } else { String::new() };
    match uncounted {
        [] => least,
        _ => format!("{least}, not counting the rows of {}, which are not known", uncounted.join(", ")),
    }
}

fn held_too_long(limit: u64) -> Failure {
    let message =
        format!("the source's snapshot would be held longer than snapshot_limit ({})", duration(limit));
    Failure::new(Exit::Usage, "snapshot-limit", message).with_help(
        "say --yes if the source can bear it, raise --rate or source.snapshot_limit, or set snapshot = false",
    )
}

fn rate_in_words(pace: &Pace) -> String {
    match pace {
        Pace::Unlimited => "as fast as the table takes it".to_owned(),
        Pace::Fixed(rate) => format!("{} write units a second", thousands(*rate)),
        Pace::Auto(auto) => match auto.table {
            Some(range) => format!("auto, from {} write units a second", thousands(range.start)),
            None => "auto".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::least;

    #[test]
    fn what_nobody_has_counted_is_named_beside_the_least_time() {
        assert_eq!(least(0, &[]), "");
        assert_eq!(least(25, &[]), ", about 25 s at least");
        let uncounted = ["Item".to_owned(), "Note".to_owned()];
        assert_eq!(
            least(25, &uncounted),
            ", about 25 s at least, not counting the rows of Item, Note, which are not known"
        );
    }
}
