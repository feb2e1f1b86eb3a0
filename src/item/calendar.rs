//! Dates and times as the databases hold them: checks, days, zones. Integer arithmetic of our own,
//! since no date type of a library holds all that a database can send.

use std::borrow::Cow;

use jiff::tz::{AmbiguousOffset, TimeZone};

use super::rejection::{Rule, Violation};

pub(super) const MICROS_PER_SECOND: i64 = 1_000_000;
pub(super) const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH_SHIFT: i64 = 719_468;
const DAYS_PER_400_YEARS: i64 = 146_097;

/// A date as stored, possible or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Date {
    /// MySQL's zero and impossible dates included.
    Civil(Civil),
    /// The year counts backwards, 1 BC being 1.
    BeforeChrist(Civil),
    Infinite {
        negative: bool,
    },
}

/// Year, month and day; not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Civil {
    pub(super) year: i32,
    pub(super) month: u8,
    pub(super) day: u8,
}

/// Date and time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) date: Date,
    /// Since midnight, less than a day.
    pub(super) micros: i64,
    /// Fraction digits of seconds to show; the others are zero.
    pub(super) precision: u8,
}

/// A time of day, or MySQL's signed TIME.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeOfDay {
    pub(super) negative: bool,
    /// May exceed a day.
    pub(super) micros: i64,
    pub(super) precision: u8,
}

/// A date of the years 1 to 9999 that exists, with a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instant {
    pub(super) civil: Civil,
    pub(super) micros: i64,
    /// Whether this is UTC, and not local time of an unknown zone.
    pub(super) utc: bool,
}

impl Date {
    /// Of days since 1970-01-01, within what PostgreSQL can hold.
    pub(super) fn from_days(days: i64) -> Date {
        let civil = Civil::from_days(days);
        if civil.year > 0 {
            Date::Civil(civil)
        } else {
            Date::BeforeChrist(Civil { year: 1 - civil.year, ..civil })
        }
    }

    /// The date, if DynamoDB can hold it in a text that sorts: it exists, in the years 1 to 9999.
    pub(super) fn check(self) -> Result<Civil, Violation> {
        match self {
            Date::Infinite { .. } => Err(range("an infinite date")),
            Date::BeforeChrist(_) => Err(range("a date before Christ")),
            Date::Civil(civil) => civil.check(),
        }
    }
}

impl Civil {
    pub(super) fn from_days(days: i64) -> Civil {
        let days = days + EPOCH_SHIFT;
        let era = days.div_euclid(DAYS_PER_400_YEARS);
        let day_of_era = days.rem_euclid(DAYS_PER_400_YEARS);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        Civil {
            year: i32::try_from(year).unwrap_or(i32::MAX),
            month: u8::try_from(month).unwrap_or(0),
            day: u8::try_from(day_of_year - (153 * from_march + 2) / 5 + 1).unwrap_or(0),
        }
    }

    /// Days since 1970-01-01.
    pub(super) fn days(self) -> i64 {
        let month = i64::from(self.month);
        let year = i64::from(self.year) - i64::from(month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let from_march = if month > 2 { month - 3 } else { month + 9 };
        let day_of_year = (153 * from_march + 2) / 5 + i64::from(self.day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * DAYS_PER_400_YEARS + day_of_era - EPOCH_SHIFT
    }

    pub(super) fn day_of_year(self) -> i64 {
        self.days() - Civil { month: 1, day: 1, ..self }.days() + 1
    }

    /// ISO week-numbering year and week.
    pub(super) fn iso_week(self) -> (i32, i64) {
        let days = self.days();
        // 1970-01-01 was a Thursday; the week belongs to the year of its Thursday.
        let weekday = (days + 3).rem_euclid(7);
        let thursday = Civil::from_days(days - weekday + 3);
        (thursday.year, (thursday.day_of_year() - 1) / 7 + 1)
    }

    pub(super) fn exists(self) -> bool {
        self.day >= 1 && self.day <= self.days_of_month()
    }

    fn days_of_month(self) -> u8 {
        let leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0);
        match self.month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 => 28 + u8::from(leap),
            _ => 0,
        }
    }

    fn check(self) -> Result<Civil, Violation> {
        if self.month == 0 || self.day == 0 {
            return Err(Violation::new(Rule::DateInvalid, "a zero date, or one with a zero part"));
        }
        if !self.exists() {
            return Err(Violation::new(Rule::DateInvalid, "a date that does not exist"));
        }
        match self.year {
            1..=9999 => Ok(self),
            _ => Err(range("a year outside 1 to 9999")),
        }
    }
}

impl Moment {
    /// Of microseconds since 1970-01-01T00:00:00.
    pub(super) fn from_micros(micros: i64, precision: u8) -> Moment {
        Moment {
            date: Date::from_days(micros.div_euclid(MICROS_PER_DAY)),
            micros: micros.rem_euclid(MICROS_PER_DAY),
            precision,
        }
    }

    /// An instant that the database keeps in UTC.
    pub(super) fn instant(self) -> Result<Instant, Violation> {
        Ok(Instant { civil: self.date.check()?, micros: self.micros, utc: true })
    }

    /// A local time, taken to UTC when its zone is known.
    pub(super) fn local(self, zone: Option<&TimeZone>) -> Result<Instant, Violation> {
        let local = Instant { civil: self.date.check()?, micros: self.micros, utc: false };
        zone.map_or(Ok(local), |zone| local.in_zone(zone))
    }
}

impl Date {
    /// Midnight of the date, in its zone when that is known.
    pub(super) fn midnight(self, zone: Option<&TimeZone>) -> Result<Instant, Violation> {
        Moment { date: self, micros: 0, precision: 0 }.local(zone)
    }
}

impl Instant {
    /// Whole seconds since 1970, floored.
    pub(super) fn epoch(&self) -> i64 {
        self.civil.days() * 86_400 + self.micros / MICROS_PER_SECOND
    }

    /// Milliseconds since 1970, floored.
    pub(super) fn epoch_millis(&self) -> i64 {
        self.civil.days() * 86_400_000 + self.micros / 1_000
    }

    fn in_zone(self, zone: &TimeZone) -> Result<Instant, Violation> {
        let seconds = offset_seconds(zone, self)?;
        if seconds == 0 {
            return Ok(Instant { utc: true, ..self });
        }
        let micros = self.civil.days() * MICROS_PER_DAY + self.micros - seconds * MICROS_PER_SECOND;
        Moment::from_micros(micros, 6).instant()
    }
}

/// The offset of a local time in its zone. jiff finds it; the subtraction is ours, because jiff's
/// instants end a day before 9999-12-31, a date many databases use for "for ever".
fn offset_seconds(zone: &TimeZone, local: Instant) -> Result<i64, Violation> {
    if zone.iana_name() == Some("UTC") {
        return Ok(0);
    }
    match zone.to_ambiguous_timestamp(civil_datetime(local)?).offset() {
        AmbiguousOffset::Unambiguous { offset } => Ok(i64::from(offset.seconds())),
        AmbiguousOffset::Gap { .. } => Err(local_time("a local time that its zone skips")),
        AmbiguousOffset::Fold { .. } => Err(local_time("a local time that its zone has twice")),
    }
}

fn civil_datetime(local: Instant) -> Result<jiff::civil::DateTime, Violation> {
    let part = |value: i64| i8::try_from(value).unwrap_or(-1);
    let seconds = local.micros / MICROS_PER_SECOND;
    let nanos = (local.micros % MICROS_PER_SECOND) * 1_000;
    jiff::civil::DateTime::new(
        i16::try_from(local.civil.year).unwrap_or(i16::MAX),
        part(i64::from(local.civil.month)),
        part(i64::from(local.civil.day)),
        part(seconds / 3_600),
        part(seconds / 60 % 60),
        part(seconds % 60),
        i32::try_from(nanos).unwrap_or(-1),
    )
    .map_err(|_| Violation::malformed("a time of day beyond 24 hours"))
}

fn range(message: &'static str) -> Violation {
    Violation::new(Rule::DateRange, message)
}

fn local_time(message: &'static str) -> Violation {
    Violation::new(Rule::LocalTime, Cow::Borrowed(message))
}
