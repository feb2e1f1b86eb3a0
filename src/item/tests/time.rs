use super::super::calendar::Civil;
use super::super::rejection::Rule;
use super::{formatted, mysql, n, overflowing, pg, s, settings, wire, zoned};
use crate::mapping::{Format, Overflow};
use crate::plan::ReadSettings;
use crate::source::{MysqlType, PgType, RawCell, RawType};

const MICROS: i64 = 1_000_000;

/// Microseconds of PostgreSQL (since 2000) of a moment that jiff can read.
fn pg_micros(text: &str) -> i64 {
    let moment: jiff::civil::DateTime = text.parse().unwrap();
    let timestamp = moment.to_zoned(jiff::tz::TimeZone::UTC).unwrap().timestamp();
    timestamp.as_microsecond() - 946_684_800 * MICROS
}

fn timestamp(text: &str, precision: u8, settings: &ReadSettings) -> Result<String, Rule> {
    let bytes = pg_micros(text).to_be_bytes();
    wire(&pg(PgType::Timestamp { precision }), RawCell::Bytes(&bytes), settings)
}

fn timestamptz(text: &str, precision: u8, settings: &ReadSettings) -> Result<String, Rule> {
    let bytes = pg_micros(text).to_be_bytes();
    wire(&pg(PgType::TimestampTz { precision }), RawCell::Bytes(&bytes), settings)
}

fn raw_micros(raw: &RawType, micros: i64, settings: &ReadSettings) -> Result<String, Rule> {
    wire(raw, RawCell::Bytes(&micros.to_be_bytes()), settings)
}

fn pg_date(days: i32, settings: &ReadSettings) -> Result<String, Rule> {
    wire(&pg(PgType::Date), RawCell::Bytes(&days.to_be_bytes()), settings)
}

#[test]
fn days_and_dates_agree_with_jiff() {
    let mut days = -719_162_i64;
    while days < 2_932_896 {
        let civil = Civil::from_days(days);
        assert_eq!(civil.days(), days);
        let jiff = jiff::civil::date(1970, 1, 1) + jiff::Span::new().days(days);
        let parts = (i16::try_from(civil.year).unwrap(), civil.month, civil.day);
        assert_eq!(parts, (jiff.year(), jiff.month().unsigned_abs(), jiff.day().unsigned_abs()));
        let week = jiff.iso_week_date();
        assert_eq!(civil.iso_week(), (i32::from(week.year()), i64::from(week.week())), "{jiff}");
        assert_eq!(civil.day_of_year(), i64::from(jiff.day_of_year()));
        assert!(civil.exists());
        days += 13;
    }
}

#[test]
fn k17_instants_have_all_fraction_digits_of_the_column_and_z() {
    let base = settings();
    for (text, precision, expected) in [
        ("2024-05-06T07:05:28.991", 3, "2024-05-06T07:05:28.991Z"),
        ("2024-05-06T07:05:29", 3, "2024-05-06T07:05:29.000Z"),
        ("2024-05-06T07:05:29.017", 6, "2024-05-06T07:05:29.017000Z"),
        ("2024-05-06T07:05:29", 0, "2024-05-06T07:05:29Z"),
        ("0001-01-01T00:00:00", 0, "0001-01-01T00:00:00Z"),
    ] {
        assert_eq!(timestamptz(text, precision, &base), s(expected));
    }
    let last = "9999-12-31T23:59:59.999999";
    let raw = pg(PgType::TimestampTz { precision: 6 });
    let micros = (2_932_896 - 10_957 + 1) * 86_400 * MICROS - 1;
    assert_eq!(raw_micros(&raw, micros, &base), s(&format!("{last}Z")));
    assert_eq!(raw_micros(&raw, micros + 1, &base), Err(Rule::DateRange));
}

#[test]
fn a_fraction_finer_than_the_precision_is_never_cut() {
    assert_eq!(timestamptz("2024-05-06T07:05:28.991", 0, &settings()), Err(Rule::Malformed));
}

#[test]
fn t11_local_times_stay_local_unless_their_zone_is_known() {
    let text = "2024-07-01T12:00:00.5";
    assert_eq!(timestamp(text, 3, &settings()), s("2024-07-01T12:00:00.500"));
    assert_eq!(timestamp(text, 3, &zoned("UTC")), s("2024-07-01T12:00:00.500Z"));
    assert_eq!(timestamp(text, 3, &zoned("Europe/Berlin")), s("2024-07-01T10:00:00.500Z"));
    assert_eq!(timestamp("2024-01-01T00:30:00", 0, &zoned("Europe/Berlin")), s("2023-12-31T23:30:00Z"));
    // Twice in autumn, never in spring.
    assert_eq!(timestamp("2024-10-27T02:30:00", 0, &zoned("Europe/Berlin")), Err(Rule::LocalTime));
    assert_eq!(timestamp("2024-03-31T02:30:00", 0, &zoned("Europe/Berlin")), Err(Rule::LocalTime));
    let string = ReadSettings { overflow: Overflow::String, ..zoned("Europe/Berlin") };
    assert_eq!(timestamp("2024-03-31T02:30:00", 0, &string), Err(Rule::LocalTime));
    let ever = ((2_932_896 - 10_957) * 86_400 + 86_399) * MICROS;
    let raw = pg(PgType::Timestamp { precision: 0 });
    assert_eq!(raw_micros(&raw, ever, &zoned("Europe/Berlin")), s("9999-12-31T22:59:59Z"));
    assert_eq!(raw_micros(&raw, ever, &zoned("America/New_York")), Err(Rule::DateRange));
    assert_eq!(timestamp("0001-01-01T00:00:00", 0, &zoned("Asia/Tokyo")), Err(Rule::DateRange));
}

#[test]
fn t05_t07_t08_t09_dates_no_text_can_hold_go_by_policy() {
    let string = overflowing(Overflow::String);
    let raw = pg(PgType::TimestampTz { precision: 6 });
    // 294276-12-31 23:59:59+00 and 4713-01-01 BC.
    let late = 9_223_371_331_199_000_000;
    let early = -211_813_488_000_000_000 + 38 * 86_400 * MICROS;
    for (micros, text) in [
        (i64::MAX, "infinity"),
        (i64::MIN, "-infinity"),
        (late, "294276-12-31T23:59:59.000000Z"),
        (early, "4713-01-01T00:00:00.000000Z BC"),
    ] {
        assert_eq!(raw_micros(&raw, micros, &settings()), Err(Rule::DateRange), "{text}");
        assert_eq!(raw_micros(&raw, micros, &string), s(text));
        assert_eq!(raw_micros(&raw, micros, &overflowing(Overflow::Omit)), Ok("-".to_owned()));
        let epoch = ReadSettings { format: Some(Format::Epoch), ..string.clone() };
        assert_eq!(raw_micros(&raw, micros, &epoch), s(text));
    }
    for (days, text) in [
        (i32::MAX, "infinity"),
        (i32::MIN, "-infinity"),
        (16_842_752, "48113-11-21"),
        (-746_117, "0044-03-15 BC"),
    ] {
        assert_eq!(pg_date(days, &settings()), Err(Rule::DateRange), "{text}");
        assert_eq!(pg_date(days, &string), s(text));
    }
    assert_eq!(pg_date(0, &settings()), s("2000-01-01"));
    assert_eq!(pg_date(i32::MAX - 1, &settings()), Err(Rule::DateRange));
    assert_eq!(pg_date(i32::MIN + 1, &settings()), Err(Rule::DateRange));
}

#[test]
fn t01_t02_zero_and_impossible_dates_are_no_null() {
    let date = mysql(MysqlType::Date);
    let datetime = mysql(MysqlType::DateTime { precision: 0 });
    let string = overflowing(Overflow::String);
    let cases: [(&RawType, &[u8], &str); 5] = [
        (&date, &[0], "0000-00-00"),
        (&date, &[4, 0xE9, 7, 0, 15], "2025-00-15"),
        (&date, &[4, 0xE9, 7, 2, 30], "2025-02-30"),
        (&datetime, &[0], "0000-00-00T00:00:00"),
        (&datetime, &[7, 0xE9, 7, 6, 0, 1, 2, 3], "2025-06-00T01:02:03"),
    ];
    for (raw, bytes, text) in cases {
        assert_eq!(wire(raw, RawCell::Bytes(bytes), &settings()), Err(Rule::DateInvalid), "{text}");
        assert_eq!(wire(raw, RawCell::Bytes(bytes), &string), s(text));
        assert_eq!(
            wire(raw, RawCell::Bytes(bytes), &overflowing(Overflow::Null)).unwrap(),
            r#"{"NULL":true}"#
        );
    }
    let timestamp = mysql(MysqlType::Timestamp { precision: 0 });
    assert_eq!(wire(&timestamp, RawCell::Bytes(&[0]), &settings()), Err(Rule::DateInvalid));
    assert_eq!(wire(&date, RawCell::Bytes(&[4, 0, 0, 5, 1]), &settings()), Err(Rule::DateRange));
}

#[test]
fn mysql_times_keep_sign_and_hours() {
    let time = |precision| mysql(MysqlType::Time { precision });
    let cases: [(u8, &[u8], &str); 5] = [
        (0, &[0], "00:00:00"),
        (0, &[8, 0, 1, 0, 0, 0, 1, 30, 0], "25:30:00"),
        (0, &[8, 1, 34, 0, 0, 0, 22, 59, 59], "-838:59:59"),
        (3, &[12, 1, 0, 0, 0, 0, 0, 0, 0, 0x78, 0xE0, 1, 0], "-00:00:00.123"),
        (2, &[0], "00:00:00.00"),
    ];
    for (precision, bytes, text) in cases {
        assert_eq!(wire(&time(precision), RawCell::Bytes(bytes), &settings()), s(text));
    }
}

#[test]
fn shortened_mysql_moments_are_whole() {
    let datetime = |precision| mysql(MysqlType::DateTime { precision });
    let cases: [(u8, &[u8], &str); 3] = [
        (0, &[4, 0xE8, 7, 1, 1], "2024-01-01T00:00:00"),
        (6, &[7, 0xE8, 7, 1, 1, 13, 14, 15], "2024-01-01T13:14:15.000000"),
        (6, &[11, 0xE8, 7, 12, 31, 23, 59, 59, 0x3F, 0x42, 0x0F, 0], "2024-12-31T23:59:59.999999"),
    ];
    for (precision, bytes, text) in cases {
        assert_eq!(wire(&datetime(precision), RawCell::Bytes(bytes), &settings()), s(text));
    }
    let timestamp = mysql(MysqlType::Timestamp { precision: 0 });
    assert_eq!(wire(&timestamp, RawCell::Bytes(&[4, 0xE8, 7, 1, 1]), &settings()), s("2024-01-01T00:00:00Z"));
}

#[test]
fn t13_epochs_are_floored() {
    let epoch = formatted(Format::Epoch);
    let millis = formatted(Format::EpochMillis);
    for (text, seconds, milliseconds) in [
        ("1970-01-01T00:00:00", "0", "0"),
        ("1969-12-31T23:59:59.999999", "-1", "-1"),
        ("1969-12-31T23:59:58.5", "-2", "-1500"),
        ("2024-02-29T12:34:56.789999", "1709210096", "1709210096789"),
    ] {
        assert_eq!(timestamptz(text, 6, &epoch), n(seconds), "{text}");
        assert_eq!(timestamptz(text, 6, &millis), n(milliseconds), "{text}");
    }
    let berlin = ReadSettings { format: Some(Format::Epoch), ..zoned("Europe/Berlin") };
    assert_eq!(timestamp("1970-01-01T01:00:00", 6, &berlin), n("0"));
    assert_eq!(pg_date(-10_957, &epoch), n("0"));
    assert_eq!(wire(&pg(PgType::Int4), RawCell::Bytes(&[0, 0, 0, 1]), &epoch), Err(Rule::TypeMismatch));
}

#[test]
fn strftime_writes_the_documented_letters() {
    let format = |text: &str| formatted(Format::Strftime(text.to_owned()));
    let at = "2024-12-30T01:02:03.045678";
    for (text, expected) in [
        ("%Y-%m-%d %H:%M:%S", "2024-12-30 01:02:03"),
        ("%3f|%6f", "045|045678"),
        ("%j", "365"),
        ("%G-W%V", "2025-W01"),
        ("100%% %Y", "100% 2024"),
        ("\"%d\"", r#"\"30\""#),
    ] {
        assert_eq!(timestamptz(at, 6, &format(text)), s(expected));
    }
    assert_eq!(timestamptz(at, 6, &format("%Q")), Err(Rule::TypeMismatch));
    assert_eq!(timestamptz(at, 6, &format("%")), Err(Rule::TypeMismatch));
    assert_eq!(pg_date(1, &format("%Y%m%d")), s("20000102"));
    let time = pg(PgType::Time { precision: 0 });
    assert_eq!(raw_micros(&time, 3_661 * MICROS, &format("%H%M")), s("0101"));
    assert_eq!(raw_micros(&time, 3_661 * MICROS, &format("%Y")), Err(Rule::TypeMismatch));
    let evening =
        ReadSettings { format: Some(Format::Strftime("%Y-%m-%d".to_owned())), ..zoned("America/New_York") };
    assert_eq!(timestamp("2024-12-31T23:00:00", 6, &evening), s("2025-01-01"));
}

#[test]
fn postgres_times_end_at_midnight() {
    let time = |precision| pg(PgType::Time { precision });
    assert_eq!(raw_micros(&time(0), 86_400 * MICROS, &settings()), s("24:00:00"));
    assert_eq!(raw_micros(&time(6), 1, &settings()), s("00:00:00.000001"));
    assert_eq!(raw_micros(&time(6), -1, &settings()), Err(Rule::Malformed));
    assert_eq!(raw_micros(&time(6), 86_400 * MICROS + 1, &settings()), Err(Rule::Malformed));
}
