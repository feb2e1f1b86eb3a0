//! Values that users write for columns of a key, as MySQL compares them.

use crate::source::{Column, KeyPart, MysqlType, RawType, find};

/// MySQL would make something of any text; what the type does not hold is found here.
pub(super) fn forms(column: &Column, text: &str) -> Option<Vec<KeyPart>> {
    let RawType::Mysql(raw) = &column.raw else { return None };
    let part = match raw {
        MysqlType::Integer { unsigned: false } | MysqlType::TinyInt1 { unsigned: false } => {
            KeyPart::Integer(text.parse().ok()?)
        }
        MysqlType::Integer { unsigned: true } | MysqlType::TinyInt1 { unsigned: true } | MysqlType::Year => {
            KeyPart::Unsigned(text.parse().ok()?)
        }
        MysqlType::Bit { .. } => KeyPart::Unsigned(bits(text)?),
        MysqlType::Binary => KeyPart::Bytes(find::hex(text)?),
        MysqlType::Decimal => KeyPart::Text(decimal(text, digits(&column.sql_type))?),
        MysqlType::Date => KeyPart::Text(date(text)?.to_owned()),
        MysqlType::DateTime { .. } | MysqlType::Timestamp { .. } => KeyPart::Text(moment(text)?),
        MysqlType::Time { .. } => KeyPart::Text(clock(text)?.to_owned()),
        _ if column.sql_type.eq_ignore_ascii_case("uuid") => KeyPart::Text(uuid(text)?.to_owned()),
        _ => KeyPart::Text(text.to_owned()),
    };
    Some(vec![part])
}

/// MariaDB's own type, which only warns of what it cannot read.
fn uuid(text: &str) -> Option<&str> {
    let digits = text.replace('-', "");
    (digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(text)
}

fn bits(text: &str) -> Option<u64> {
    match text {
        "false" => Some(0),
        "true" => Some(1),
        number => number.parse().ok(),
    }
}

/// Digits before and behind the point of `decimal(10,2)`; of the widest type where it is not known.
fn digits(sql_type: &str) -> (usize, usize) {
    let inside = sql_type.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    let numbers = inside.and_then(|(inside, _)| inside.split_once(','));
    let (all, behind) = numbers.unwrap_or(("65", "30"));
    let [all, behind] = [all, behind].map(|number| number.trim().parse().unwrap_or(30_usize));
    (all.saturating_sub(behind), behind)
}

/// A cast to the column's type would round it, or take the largest number instead.
fn decimal(text: &str, (before, behind): (usize, usize)) -> Option<String> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let some = !(whole.is_empty() && fraction.is_empty());
    let fits =
        whole.trim_start_matches('0').len() <= before && fraction.trim_end_matches('0').len() <= behind;
    (some && fits && all_digits(whole) && all_digits(fraction)).then(|| text.to_owned())
}

/// `2026-12-31T23:59:59.5Z`, or with a space, or without a time.
fn moment(text: &str) -> Option<String> {
    let Some((day, time)) = text.split_once(['T', ' ']) else {
        return Some(format!("{} 00:00:00", date(text)?));
    };
    let time = time.strip_suffix('Z').unwrap_or(time);
    let within_a_day = !time.starts_with('-') && number(time.split(':').next()?)? <= 23;
    within_a_day.then_some(format!("{} {}", date(day)?, clock(time)?))
}

/// `YYYY-MM-DD`, zero parts included.
fn date(text: &str) -> Option<&str> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let shaped = parts.next().is_none() && [year.len(), month.len(), day.len()] == [4, 2, 2];
    (shaped && number(year).is_some() && number(month)? <= 12 && number(day)? <= 31).then_some(text)
}

/// `[-]HH:MM:SS[.f]`, with as many hours as TIME takes.
fn clock(text: &str) -> Option<&str> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut parts = clock.strip_prefix('-').unwrap_or(clock).split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let shaped = parts.next().is_none() && (2..=3).contains(&hours.len()) && fraction.len() <= 6;
    let in_range = number(hours)? <= 838 && number(minutes)? <= 59 && number(seconds)? <= 59;
    (shaped && in_range && number(fraction).is_some()).then_some(text)
}

/// Digits and nothing else.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(raw: MysqlType, sql_type: &str, text: &str) -> Option<KeyPart> {
        let column = Column {
            name: "k".to_owned(),
            sql_type: sql_type.to_owned(),
            domain: None,
            labels: None,
            raw: RawType::Mysql(raw),
            nullable: false,
            unordered: None,
            collation: None,
            foreign: None,
        };
        forms(&column, text).and_then(|mut forms| forms.pop())
    }

    #[test]
    fn what_the_type_would_round_or_cut_is_refused() {
        let decimal = |text| form(MysqlType::Decimal, "decimal(5,2) unsigned", text).is_some();
        assert!(["1", "-1.5", "999.99", "0999.990", ".5", "5."].into_iter().all(decimal));
        assert!(!["", "-", ".", "1000", "1.999", "1e2", "x"].into_iter().any(decimal));
        assert!(
            form(MysqlType::Integer { unsigned: true }, "bigint unsigned", "18446744073709551615").is_some()
        );
        assert!(form(MysqlType::Integer { unsigned: false }, "bigint", "18446744073709551615").is_none());
        assert!(form(MysqlType::Binary, "binary(2)", "0g").is_none());
    }

    #[test]
    fn moments_are_written_as_mysql_compares_them() {
        let moment = |text| form(MysqlType::DateTime { precision: 6 }, "datetime(6)", text);
        let is = |text: &str| Some(KeyPart::Text(text.to_owned()));
        assert_eq!(moment("2026-12-31T23:59:59.5Z"), is("2026-12-31 23:59:59.5"));
        assert_eq!(moment("2026-12-31"), is("2026-12-31 00:00:00"));
        assert_eq!(moment("0000-00-00 00:00:00"), is("0000-00-00 00:00:00"));
        for wrong in
            ["", "2026-13-01", "2026-1-1", "2026-01-01T24:00:00", "2026-01-01T1:2:3", "noon", "2026-01-01T"]
        {
            assert_eq!(moment(wrong), None, "{wrong}");
        }
        let time = |text| form(MysqlType::Time { precision: 0 }, "time", text);
        assert_eq!(time("-838:59:59"), is("-838:59:59"));
        assert_eq!(time("839:00:00"), None);
    }
}
