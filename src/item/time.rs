//! Texts of dates and times: ISO 8601, strftime, and the exact text of what has neither.

use super::calendar::{Civil, Date, Instant, MICROS_PER_DAY, MICROS_PER_SECOND, Moment, TimeOfDay};
use super::rejection::{Rule, Violation};

/// `YYYY-MM-DD`.
pub(super) fn write_date(civil: Civil, out: &mut Vec<u8>) {
    let year = i64::from(civil.year);
    let [m0, m1] = two(i64::from(civil.month));
    let [d0, d1] = two(i64::from(civil.day));
    if year < 10_000 {
        let ([y0, y1], [y2, y3]) = (two(year / 100), two(year % 100));
        out.extend_from_slice(&[y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1]);
    } else {
        out.extend_from_slice(itoa::Buffer::new().format(year).as_bytes());
        out.extend_from_slice(&[b'-', m0, m1, b'-', d0, d1]);
    }
}

/// `YYYY-MM-DDTHH:MM:SS[.f][Z]` with exactly `precision` fraction digits.
pub(super) fn write_instant(instant: Instant, precision: u8, out: &mut Vec<u8>) {
    write_date(instant.civil, out);
    out.push(b'T');
    write_clock(instant.micros, precision, out);
    if instant.utc {
        out.push(b'Z');
    }
}

/// `HH:MM:SS[.f]`, signed, with as many digits for the hours as they need.
pub(super) fn write_time(time: TimeOfDay, out: &mut Vec<u8>) {
    if time.negative {
        out.push(b'-');
    }
    write_clock(time.micros, time.precision, out);
}

/// The date whatever it is: `0000-00-00`, `12026-01-01`, `0044-03-15 BC`, `-infinity`.
pub(super) fn write_exact_date(date: Date, out: &mut Vec<u8>) {
    write_exact(date, |_| {}, out);
}

/// As [`write_exact_date`], with the time between date and era: `0044-03-15T12:00:00Z BC`.
pub(super) fn write_exact_moment(moment: Moment, utc: bool, out: &mut Vec<u8>) {
    let clock = |out: &mut Vec<u8>| {
        out.push(b'T');
        write_clock(moment.micros, moment.precision, out);
        if utc {
            out.push(b'Z');
        }
    };
    write_exact(moment.date, clock, out);
}

fn write_exact(date: Date, clock: impl Fn(&mut Vec<u8>), out: &mut Vec<u8>) {
    match date {
        Date::Infinite { negative: true } => out.extend_from_slice(b"-infinity"),
        Date::Infinite { negative: false } => out.extend_from_slice(b"infinity"),
        Date::Civil(civil) => {
            write_date(civil, out);
            clock(out);
        }
        Date::BeforeChrist(civil) => {
            write_date(civil, out);
            clock(out);
            out.extend_from_slice(b" BC");
        }
    }
}

fn write_clock(micros: i64, precision: u8, out: &mut Vec<u8>) {
    let seconds = micros / MICROS_PER_SECOND;
    let minutes = seconds / 60;
    let hours = minutes / 60;
    let ([m0, m1], [s0, s1]) = (two(minutes - hours * 60), two(seconds - minutes * 60));
    if hours < 100 {
        let [h0, h1] = two(hours);
        out.extend_from_slice(&[h0, h1, b':', m0, m1, b':', s0, s1]);
    } else {
        out.extend_from_slice(itoa::Buffer::new().format(hours).as_bytes());
        out.extend_from_slice(&[b':', m0, m1, b':', s0, s1]);
    }
    if precision > 0 {
        out.push(b'.');
        write_fraction(micros - seconds * MICROS_PER_SECOND, precision, out);
    }
}

/// The first `digits` of six fraction digits.
fn write_fraction(micros: i64, digits: u8, out: &mut Vec<u8>) {
    let ([a, b], [c, d], [e, f]) = (two(micros / 10_000), two(micros / 100 % 100), two(micros % 100));
    let all = [a, b, c, d, e, f];
    out.extend_from_slice(all.get(..usize::from(digits)).unwrap_or(&all));
}

fn write_two(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(&two(value));
}

/// Two ASCII digits of a value below 100.
fn two(value: i64) -> [u8; 2] {
    let value = u8::try_from(value).unwrap_or(0);
    let tens = value / 10;
    [b'0' + tens, b'0' + (value - tens * 10)]
}

/// What strftime text can ask for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// Absent for a time of day.
    civil: Option<Civil>,
    micros: i64,
}

impl Fields {
    pub(super) fn of_instant(instant: Instant) -> Self {
        Self { civil: Some(instant.civil), micros: instant.micros }
    }

    pub(super) fn of_time(time: TimeOfDay) -> Result<Self, Violation> {
        if time.negative || time.micros > MICROS_PER_DAY {
            let message = "a time outside one day; leave out the strftime step";
            return Err(Violation::new(Rule::DateRange, message));
        }
        Ok(Self { civil: None, micros: time.micros })
    }

    /// Appends strftime text. `%%` is a percent sign; other letters than the documented ones, and the
    /// date of a mere time, are a mismatch.
    pub(super) fn write(&self, format: &str, out: &mut Vec<u8>) -> Result<(), Violation> {
        let mut rest = format;
        while let Some((literal, directive)) = rest.split_once('%') {
            out.extend_from_slice(literal.as_bytes());
            rest = self.write_directive(directive, out)?;
        }
        out.extend_from_slice(rest.as_bytes());
        Ok(())
    }

    fn write_directive<'f>(&self, text: &'f str, out: &mut Vec<u8>) -> Result<&'f str, Violation> {
        let seconds = self.micros / MICROS_PER_SECOND;
        if let Some(rest) = text.strip_prefix("3f") {
            write_fraction(self.micros % MICROS_PER_SECOND, 3, out);
            return Ok(rest);
        }
        if let Some(rest) = text.strip_prefix("6f") {
            write_fraction(self.micros % MICROS_PER_SECOND, 6, out);
            return Ok(rest);
        }
        let mut rest = text.chars();
        match rest.next() {
            Some('%') => out.push(b'%'),
            Some('H') => write_two(seconds / 3_600, out),
            Some('M') => write_two(seconds / 60 % 60, out),
            Some('S') => write_two(seconds % 60, out),
            Some(letter) => self.write_date_directive(letter, out)?,
            None => return Err(Violation::mismatch("the strftime text ends with %")),
        }
        Ok(rest.as_str())
    }

    fn write_date_directive(&self, letter: char, out: &mut Vec<u8>) -> Result<(), Violation> {
        let civil = self.civil.ok_or_else(|| Violation::mismatch("a time has no date to format"))?;
        match letter {
            'Y' => write_year(civil.year, out),
            'm' => write_two(i64::from(civil.month), out),
            'd' => write_two(i64::from(civil.day), out),
            'j' => {
                let day = civil.day_of_year();
                out.push(b'0' + u8::try_from(day / 100).unwrap_or(0));
                write_two(day % 100, out);
            }
            'G' => write_year(civil.iso_week().0, out),
            'V' => write_two(civil.iso_week().1, out),
            _ => return Err(Violation::mismatch("the strftime text has an unknown letter")),
        }
        Ok(())
    }
}

/// Four digits; the years are 1 to 9999 here.
fn write_year(year: i32, out: &mut Vec<u8>) {
    write_two(i64::from(year / 100), out);
    write_two(i64::from(year % 100), out);
}
