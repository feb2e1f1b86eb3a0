//! Durations: "90s", "30m", "1h", "1h30m".

use std::time::Duration;

use super::walker::{Read, Value, Walker};
use crate::mapping::diagnostic::{Diagnostic, quoted};

pub(super) fn read<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Duration> {
    let text = walker.text_or(key, "a duration such as \"1h\"", value)?;
    match parse(&text.value) {
        Some(duration) => Ok(duration),
        None if !text.complete => Ok(Duration::from_secs(1)),
        None => {
            let message = format!("{} is no duration: {}", quoted(key), text.shown());
            let mistake = Diagnostic::error("unknown-value", text.span, message)
                .with_help("write for example \"1h\", \"30m\", \"90s\" or \"1h30m\"");
            Err(walker.report(mistake))
        }
    }
}

fn parse(text: &str) -> Option<Duration> {
    let mut seconds: u64 = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (number, after) = rest.split_at_checked(rest.find(|c: char| !c.is_ascii_digit())?)?;
        let mut characters = after.chars();
        let unit = unit(characters.next()?)?;
        seconds = seconds.checked_add(number.parse::<u64>().ok()?.checked_mul(unit)?)?;
        rest = characters.as_str();
    }
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

fn unit(letter: char) -> Option<u64> {
    match letter {
        's' => Some(1),
        'm' => Some(60),
        'h' => Some(60 * 60),
        'd' => Some(24 * 60 * 60),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn reads_durations() {
        let seconds = |text| parse(text).map(|duration| duration.as_secs());
        assert_eq!(seconds("90s"), Some(90));
        assert_eq!(seconds("1h30m"), Some(5400));
        assert_eq!(seconds("2d"), Some(172_800));
        for wrong in
            ["", "0s", "1", "h", "1 h", "1w", "-1s", "1.5h", "99999999999999999999s", "999999999999999999d"]
        {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
