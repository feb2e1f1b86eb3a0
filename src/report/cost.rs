//! Numbers, sizes and times as people read them, without floats on the way.

use std::time::Duration;

/// Whole seconds that `units` take at `rate` units per second.
pub fn seconds_at(units: u64, rate: u64) -> u64 {
    units.div_ceil(rate.max(1))
}

/// `under 1 s`, `45 s`, `3 min 20 s`, `1 h 12 min`, `2 d 3 h`: the two largest units.
pub fn duration(seconds: u64) -> String {
    let parts = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let mut left = seconds;
    let mut shown = Vec::new();
    for (size, unit) in parts {
        let count = left / size;
        left %= size;
        match (count, shown.is_empty()) {
            (0, true) => {}
            (0, false) => break,
            _ => shown.push(format!("{} {unit}", thousands(count))),
        }
        if shown.len() == 2 {
            break;
        }
    }
    if shown.is_empty() { "under 1 s".to_owned() } else { shown.join(" ") }
}

/// `about 45 s`, `under 1 s`: a time that was computed.
pub fn about(seconds: u64) -> String {
    if seconds == 0 { duration(0) } else { format!("about {}", duration(seconds)) }
}

/// Time that has passed: with a tenth below ten seconds.
pub fn elapsed(seconds: f64) -> String {
    match Duration::try_from_secs_f64(seconds) {
        Ok(short) if short < Duration::from_secs(10) => format!("{seconds:.1} s"),
        Ok(long) => duration(long.as_secs()),
        Err(_) => "an unknown time".to_owned(),
    }
}

/// `96 B`, `1.2 KB`, `3.4 MB`: units of 1024 as DynamoDB counts them, rounded down to a tenth.
pub fn bytes(bytes: u64) -> String {
    let units = [(1u64 << 40, "TB"), (1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    match units.into_iter().find(|(size, _)| bytes >= *size) {
        None => format!("{bytes} B"),
        Some((size, unit)) => {
            let tenth = u128::from(bytes % size) * 10 / u128::from(size);
            format!("{}.{tenth} {unit}", thousands(bytes / size))
        }
    }
}

/// `1,234,567`
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 row`, `2 rows`
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_take_whole_seconds() {
        assert_eq!(seconds_at(0, 100), 0);
        assert_eq!(seconds_at(1, 100), 1);
        assert_eq!(seconds_at(100, 100), 1);
        assert_eq!(seconds_at(101, 100), 2);
        assert_eq!(seconds_at(5, 0), 5);
    }

    #[test]
    fn durations_show_their_two_largest_units() {
        let shown = [
            (0, "under 1 s"),
            (45, "45 s"),
            (60, "1 min"),
            (200, "3 min 20 s"),
            (3_600, "1 h"),
            (3_605, "1 h"),
            (4_325, "1 h 12 min"),
            (183_600, "2 d 3 h"),
            (86_400 * 1_234, "1,234 d"),
        ];
        for (seconds, text) in shown {
            assert_eq!(duration(seconds), text);
        }
        assert_eq!(elapsed(3.449), "3.4 s");
        assert_eq!(elapsed(75.2), "1 min 15 s");
        assert_eq!(elapsed(f64::NAN), "an unknown time");
    }

    #[test]
    fn sizes_are_in_units_of_1024() {
        let shown = [
            (0, "0 B"),
            (1_023, "1023 B"),
            (1_024, "1.0 KB"),
            (1_300, "1.2 KB"),
            (409_600, "400.0 KB"),
            (5 << 20, "5.0 MB"),
            (1_536 << 20, "1.5 GB"),
            (u64::MAX, "16,777,215.9 TB"),
        ];
        for (size, text) in shown {
            assert_eq!(bytes(size), text);
        }
    }

    #[test]
    fn thousands_are_separated() {
        let shown =
            [(0, "0"), (999, "999"), (1_000, "1,000"), (123_456, "123,456"), (1_234_567, "1,234,567")];
        for (number, text) in shown {
            assert_eq!(thousands(number), text);
        }
    }
}
