//! Dates and times as the servers write them, read by jiff's calendar.

use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::Wrong;

/// `YYYY-MM-DD[ HH:MM:SS[.f][+00]][ BC]`, or an infinity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    date: String,
    /// `HH:MM:SS[.f]`; empty for a date.
    clock: String,
    before_christ: bool,
    /// Fraction digits to show.
    pub(super) precision: usize,
    /// Whether it is UTC.
    zoned: bool,
}

/// A moment that can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instant {
    pub(super) at: DateTime,
    pub(super) utc: bool,
}

impl Moment {
    pub(super) fn read(text: &str, precision: u8, zoned: bool) -> Moment {
        let (text, before_christ) = match text.strip_suffix(" BC") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (date, clock) = text.split_once([' ', 'T']).unwrap_or((text, ""));
        let clock = clock.strip_suffix("+00").unwrap_or(clock);
        Moment {
            date: date.to_owned(),
            clock: clock.to_owned(),
            before_christ,
            precision: usize::from(precision.min(6)),
            zoned,
        }
    }

    /// The date, where it exists in the years 1 to 9999.
    pub(super) fn date(&self) -> Result<Date, Wrong> {
        let parts: Vec<&str> = self.date.split('-').collect();
        let [year, month, day] = parts.as_slice() else { return Err(Wrong::Overflow) };
        let (Ok(year), Ok(month), Ok(day)) = (year.parse::<i16>(), month.parse(), day.parse()) else {
            return Err(Wrong::Overflow);
        };
        match Date::new(year, month, day) {
            Ok(date) if year > 0 && !self.before_christ => Ok(date),
            _ => Err(Wrong::Overflow),
        }
    }

    /// The moment in UTC, or local where no zone is known.
    pub(super) fn instant(&self, zone: Option<&TimeZone>) -> Result<Instant, Wrong> {
        let local = self.date()?.to_datetime(self.time()?);
        match zone {
            _ if self.zoned => Ok(Instant { at: local, utc: true }),
            None => Ok(Instant { at: local, utc: false }),
            Some(zone) => in_utc(local, zone),
        }
    }

    fn time(&self) -> Result<jiff::civil::Time, Wrong> {
        if self.clock.is_empty() {
            return Ok(jiff::civil::Time::midnight());
        }
        self.clock.parse().map_err(|_| Wrong::Unknown)
    }

    /// The text of what no instant can be: `infinity`, `0044-03-15T00:00:00Z BC`, `0000-00-00`.
    pub(super) fn exact(&self) -> String {
        if self.date.ends_with("infinity") {
            return self.date.clone();
        }
        let zone = if self.zoned { "Z" } else { "" };
        let clock = match self.clock.as_str() {
            "" => String::new(),
            clock => format!("T{}{zone}", padded(clock, self.precision)),
        };
        let era = if self.before_christ { " BC" } else { "" };
        format!("{}{clock}{era}", self.date)
    }
}

fn in_utc(local: DateTime, zone: &TimeZone) -> Result<Instant, Wrong> {
    let AmbiguousOffset::Unambiguous { offset } = zone.to_ambiguous_timestamp(local).offset() else {
        return Err(Wrong::Refused);
    };
    let shift = jiff::SignedDuration::from_secs(i64::from(offset.seconds()));
    match local.checked_sub(shift) {
        Ok(at) if at.year() > 0 => Ok(Instant { at, utc: true }),
        _ => Err(Wrong::Overflow),
    }
}

impl Instant {
    /// `YYYY-MM-DDTHH:MM:SS[.f][Z]`.
    pub(super) fn iso(&self, precision: usize) -> String {
        let zone = if self.utc { "Z" } else { "" };
        let clock = self.at.time().to_string();
        format!("{}T{}{zone}", self.at.date(), padded(&clock, precision))
    }

    /// Since 1970, in nanoseconds.
    fn nanos(&self) -> i128 {
        DateTime::constant(1970, 1, 1, 0, 0, 0, 0).duration_until(self.at).as_nanos()
    }

    /// Whole units of so many nanoseconds since 1970, floored.
    pub(super) fn epoch(&self, unit: i128) -> String {
        self.nanos().div_euclid(unit).to_string()
    }

    pub(super) fn strftime(&self, format: &str) -> Result<String, Wrong> {
        jiff::fmt::strtime::format(format, self.at).map_err(|_| Wrong::Unknown)
    }
}

/// A clock with exactly so many fraction digits.
pub(super) fn padded(clock: &str, precision: usize) -> String {
    let (seconds, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    match precision {
        0 => seconds.to_owned(),
        _ => format!("{seconds}.{fraction:0<precision$}"),
    }
}
