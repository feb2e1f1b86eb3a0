//! Progress on stderr: bars on a terminal, else a line every few seconds.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::terminal::Terminal;
use crate::load::{Event, Observer};
use crate::plan::Plan;
use crate::report::cost::{duration, thousands};
use crate::verify::VerifyEvent;

/// Between two lines where there is no terminal.
const PAUSE: Duration = Duration::from_secs(5);

/// What was last said about slowness holds no longer when nobody says it again.
const OVER: Duration = Duration::from_secs(5);

/// Between two lines that say the same about slowness.
const REPEAT: Duration = Duration::from_secs(30);

/// One bar an entity, and a last line that says how fast it goes and why it is slow.
#[derive(Debug)]
pub(crate) struct Progress {
    terminal: Terminal,
    bars: MultiProgress,
    entities: Vec<Entity>,
    /// Its position counts write units.
    last: ProgressBar,
    wrong: Wrong,
    /// Rows whose keys were counted.
    counted: Mutex<u64>,
    last_line: Mutex<Instant>,
    /// When it was last said why it is slow.
    noticed: Mutex<Option<Instant>>,
    /// What got a line of its own about slowness, and when.
    last_notice: Mutex<Option<(String, Instant)>>,
}

#[derive(Debug)]
struct Entity {
    name: String,
    bar: ProgressBar,
    wrong: Mutex<u64>,
}

/// What rows are called that are not as they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    Rejected,
    Different,
}

impl Wrong {
    fn as_str(self) -> &'static str {
        match self {
            Wrong::Rejected => "rejected",
            Wrong::Different => "different",
        }
    }
}

impl Progress {
    /// `done`: rows that earlier runs have dealt with, by entity of the plan; `None` where nothing is
    /// to be done.
    pub(crate) fn new(plan: &Plan, done: &[Option<u64>], wrong: Wrong, terminal: &Terminal) -> Self {
        let target =
            if terminal.interactive { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bars = MultiProgress::with_draw_target(target);
        let entities = plan.entities.iter().enumerate().map(|(position, entity)| {
            let bar = match done.get(position).copied().flatten() {
                Some(rows) => {
                    let bar = bars.add(entity_bar(&entity.name, entity.expected_rows()));
                    bar.set_position(rows);
                    bar.reset_eta();
                    bar
                }
                None => ProgressBar::hidden(),
            };
            Entity { name: entity.name.clone(), bar, wrong: Mutex::new(0) }
        });
        let entities = entities.collect();
        let last = bars.add(last_line());
        Self {
            terminal: terminal.clone(),
            bars,
            entities,
            last,
            wrong,
            counted: Mutex::new(0),
            last_line: Mutex::new(Instant::now()),
            noticed: Mutex::new(None),
            last_notice: Mutex::new(None),
        }
    }

    pub(crate) fn observer(self: &std::sync::Arc<Self>) -> Observer {
        let progress = std::sync::Arc::clone(self);
        Observer::new(move |event| progress.load_event(&event))
    }

    fn load_event(&self, event: &Event) {
        match event {
            Event::Read { entity, rejected, .. } => self.wrong(*entity, *rejected),
            Event::Counting { rows, .. } => self.counting(*rows),
            Event::Counted { rows, shared } => self.counted(*rows, *shared),
            Event::Written { entity, items } => self.advance(*entity, *items),
            Event::Consumed { write_units } => self.last.inc(*write_units),
            Event::EntityDone { entity } => self.done(*entity),
            Event::SnapshotOpened { number } if *number > 1 => {
                self.say(&format!("snapshot {number} of the source is open"));
            }
            Event::SnapshotOpened { .. } => {}
            Event::Throttled { reason } => self.notice(&format!("throttled: {reason}")),
            Event::TargetTrouble { cause } => self.notice(&format!("retrying: {cause}")),
            Event::SourceSilent { since } => self.notice(&format!(
                "nothing from the source for {}: a long query, or a dead connection",
                duration(since.as_secs())
            )),
            Event::SourceLost { cause } => self.say(&format!("the source is gone, trying again: {cause}")),
        }
    }

    /// The pass over the keys, before any bar moves.
    fn counting(&self, rows: u64) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        *counted += rows;
        let text = format!("counting keys: {} rows", thousands(*counted));
        if self.terminal.interactive {
            self.last.set_message(text);
        } else if !self.terminal.quiet && self.is_time_for_a_line() {
            self.terminal.remark(&text);
        }
    }

    fn counted(&self, rows: u64, shared: u64) {
        self.last.set_message("");
        let rows = thousands(rows);
        self.say(&match shared {
            0 => format!("keys counted: {rows} rows, each with a key of its own"),
            1 => format!("keys counted: {rows} rows, 1 key that several rows have"),
            _ => format!("keys counted: {rows} rows, {} keys that several rows have", thousands(shared)),
        });
    }

    pub(crate) fn verify_event(&self, event: &VerifyEvent) {
        match event {
            VerifyEvent::Read { .. } => {}
            VerifyEvent::Resumed { rows: 0, .. } => {}
            VerifyEvent::Resumed { entity, rows } => self.advance(*entity, *rows),
            VerifyEvent::Checked { entity, rows, wrong } => {
                self.wrong(*entity, *wrong);
                self.advance(*entity, *rows);
            }
            VerifyEvent::Slowed { reason } => self.notice(&format!("slowed: {reason}")),
        }
    }

    /// Removes the bars, so that the report stands alone.
    pub(crate) fn finish(&self) {
        // A terminal that has gone away needs no clearing.
        let _ = self.bars.clear();
    }

    fn advance(&self, entity: usize, rows: u64) {
        let Some(entity) = self.entities.get(entity) else { return };
        entity.bar.inc(rows);
        if entity.bar.length().is_some_and(|length| length < entity.bar.position()) {
            // The length was the database's estimate.
            entity.bar.set_length(entity.bar.position());
        }
        self.forget_notice();
        self.line();
    }

    fn forget_notice(&self) {
        let mut noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        if noticed.is_some_and(|at| at.elapsed() >= OVER) {
            *noticed = None;
            self.last.set_message("");
        }
    }

    fn wrong(&self, entity: usize, rows: u64) {
        let Some(entity) = self.entities.get(entity).filter(|_| rows > 0) else { return };
        let mut wrong = entity.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        *wrong += rows;
        entity.bar.set_message(format!("{} {}", thousands(*wrong), self.wrong.as_str()));
    }

    fn done(&self, entity: usize) {
        if let Some(entity) = self.entities.get(entity) {
            entity.bar.set_length(entity.bar.position());
            entity.bar.finish();
        }
    }

    /// Why it is slow, in the last line of the bars.
    fn notice(&self, text: &str) {
        self.last.set_message(text.to_owned());
        *self.noticed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        if !self.terminal.interactive && self.is_news(text) {
            self.terminal.remark(text);
        }
    }

    /// Whether a notice is worth a line of its own: the same one again only after half a minute.
    fn is_news(&self, text: &str) -> bool {
        let mut last = self.last_notice.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((old, at)) = last.as_ref() {
            let pause = if old == text { REPEAT } else { PAUSE };
            if at.elapsed() < pause {
                return false;
            }
        }
        *last = Some((text.to_owned(), Instant::now()));
        true
    }

    fn say(&self, text: &str) {
        self.bars.suspend(|| self.terminal.remark(text));
    }

    fn is_time_for_a_line(&self) -> bool {
        let mut last = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
        let is_time = last.elapsed() >= PAUSE;
        if is_time {
            *last = Instant::now();
        }
        is_time
    }

    /// Without a terminal: one line every few seconds.
    fn line(&self) {
        if self.terminal.interactive || self.terminal.quiet {
            return;
        }
        if !self.is_time_for_a_line() {
            return;
        }
        let begun = self.entities.iter().filter(|entity| entity.bar.position() > 0);
        let mut parts: Vec<_> = begun.map(Entity::line).collect();
        parts.extend(write_units_a_second(self.last.per_sec()));
        parts.extend(Some(self.last.message()).filter(|notice| !notice.is_empty()));
        self.terminal.remark(&parts.join(" · "));
    }
}

impl Entity {
    /// `Order 260,000 of ~1,000,000 rows`
    fn line(&self) -> String {
        let (position, length) = (self.bar.position(), self.bar.length().unwrap_or_default());
        let of = if length > position { format!(" of ~{}", thousands(length)) } else { String::new() };
        format!("{} {}{of} rows", self.name, thousands(position))
    }
}

fn write_units_a_second(rate: f64) -> Option<String> {
    format!("{rate:.0}")
        .parse()
        .ok()
        .filter(|rate| *rate > 0)
        .map(|rate| format!("{} WCU/s", thousands(rate)))
}

fn last_line() -> ProgressBar {
    let style = plain_style("{elapsed:>14!} {wcu} {msg:.yellow}").with_key(
        "wcu",
        |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // A display has nobody to tell of a failure.
            let _ = out.write_str(&write_units_a_second(state.per_sec()).unwrap_or_default());
        },
    );
    ProgressBar::new_spinner().with_style(style)
}

/// Without an estimate of its rows an entity has no bar and no end in sight.
fn entity_bar(name: &str, estimate: Option<u64>) -> ProgressBar {
    // 80 columns, or a bar wraps and is drawn again and again.
    let (bar, template) = match estimate {
        Some(rows) => (
            ProgressBar::new(rows.max(1)),
            "{prefix:14!} {bar:16} {human_pos:>11}/~{human_len:<11} {rate:>7}/s ETA {eta:>4} {wide_msg:.red}",
        ),
        None => (ProgressBar::no_length(), "{prefix:14!} {human_pos:>28} {rate:>20}/s {wide_msg:.red}"),
    };
    bar.set_style(plain_style(template).with_key("rate", rate));
    bar.with_prefix(name.to_owned())
}

/// Whole rows a second; the crate's own form has a dozen decimals.
fn rate(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    let rounded = format!("{:.0}", state.per_sec());
    // A display has nobody to tell of a failure.
    let _ = out.write_str(&rounded.parse().map_or(rounded, thousands));
}

/// A wrong template is a bug that the default style hides well enough.
fn plain_style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(bar: ProgressBar, rows: u64) -> Entity {
        bar.set_position(rows);
        Entity { name: "Order".to_owned(), bar, wrong: Mutex::new(0) }
    }

    #[test]
    fn a_line_says_how_many_rows_there_are_where_that_is_known() {
        let line = |bar, rows| entity(bar, rows).line();
        assert_eq!(line(ProgressBar::new(1_000_000), 260_000), "Order 260,000 of ~1,000,000 rows");
        assert_eq!(line(ProgressBar::new(100), 260), "Order 260 rows");
        assert_eq!(line(ProgressBar::no_length(), 1_234), "Order 1,234 rows");
    }

    #[test]
    fn write_units_are_told_once_there_are_any() {
        assert_eq!(write_units_a_second(0.2), None);
        assert_eq!(write_units_a_second(f64::NAN), None);
        assert_eq!(write_units_a_second(81_233.4).as_deref(), Some("81,233 WCU/s"));
    }
}
