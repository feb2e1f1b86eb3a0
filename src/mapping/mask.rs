//! Hides the passwords of URLs in text that is about to be shown.
//!
//! Works on one line of a file that may be broken in any way, so it hides too much rather than too
//! little. The masked line has as many bytes and characters as the line: spans stay right.

use std::borrow::Cow;
use std::ops::Range;

/// The line without what looks like the credentials of a URL. `${VARIABLES}` stay readable.
pub(super) fn line(line: &str) -> Cow<'_, str> {
    let secrets = [credentials(line), password_parameter(line)];
    let mut masked = Cow::Borrowed(line);
    for secret in secrets.into_iter().flatten() {
        masked = Cow::Owned(hide(&masked, &secret));
    }
    masked
}

/// The line without anything after its first quote, or without anything at all.
pub(super) fn after_quote(line: &str, whole: bool) -> String {
    let start = if whole { 0 } else { line.find(['"', '\'']).map_or(0, |quote| quote.saturating_add(1)) };
    hide(line, &(start..line.len()))
}

/// From `://` (or the `:` of a mistyped scheme) to the last `@`.
fn credentials(line: &str) -> Option<Range<usize>> {
    let start = after(line, "://").or_else(|| after_mistyped_scheme(line))?;
    let rest = line.get(start..)?;
    match rest.rfind('@') {
        Some(at) => Some(start..start.saturating_add(at)),
        None => unfinished_credentials(rest).map(|length| start..start.saturating_add(length)),
    }
}

/// `postgres:/user:password@host` and other URLs that lack `//`.
fn after_mistyped_scheme(line: &str) -> Option<usize> {
    let lower = line.to_ascii_lowercase();
    ["postgres", "postgresql", "mysql", "mariadb", "url"].iter().find(|word| lower.contains(*word))?;
    let quote = line.find(['"', '\'']).unwrap_or(0);
    let colon = line.get(quote..)?.find(':')?;
    Some(quote.saturating_add(colon).saturating_add(1))
}

/// `user:password` without an `@` after it: nothing but a port may follow the colon.
fn unfinished_credentials(rest: &str) -> Option<usize> {
    let authority = rest.split(['/', '?', '#', '"', '\'']).next()?;
    let (_, port) = authority.rsplit_once(':')?;
    if port.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    Some(rest.find(['"', '\'']).unwrap_or(rest.len()))
}

fn password_parameter(line: &str) -> Option<Range<usize>> {
    let start = after(&line.to_ascii_lowercase(), "password=")?;
    let rest = line.get(start..)?;
    let length = rest.find(['&', '"', '\'']).unwrap_or(rest.len());
    Some(start..start.saturating_add(length))
}

fn after(line: &str, word: &str) -> Option<usize> {
    line.find(word).map(|found| found.saturating_add(word.len()))
}

fn hide(line: &str, secret: &Range<usize>) -> String {
    let variables = variables(line);
    line.char_indices()
        .map(|(offset, c)| {
            let hidden = secret.contains(&offset) && !variables.iter().any(|known| known.contains(&offset));
            if hidden { star(c) } else { c }
        })
        .collect()
}

/// Where `${NAME}` stands; a default (`${NAME:-text}`) may be the password itself.
fn variables(line: &str) -> Vec<Range<usize>> {
    line.match_indices("${")
        .filter_map(|(start, opening)| {
            let name = line.get(start..)?.get(opening.len()..)?;
            let length = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
            let end = start.saturating_add(opening.len()).saturating_add(length);
            name.get(length..)?.starts_with('}').then_some(start..end.saturating_add(1))
        })
        .collect()
}

/// A mark that takes as many bytes as the character it hides.
fn star(c: char) -> char {
    match c.len_utf8() {
        1 => '*',
        2 => '·',
        3 => '•',
        _ => '𐄁',
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn hides_what_stands_between_the_scheme_and_the_host() {
        let masked = line(r#"url = "postgres://shop:s3cret@db.example:5432/shop""#);
        assert_eq!(masked, r#"url = "postgres://***********@db.example:5432/shop""#);
    }

    #[test]
    fn hides_passwords_of_broken_urls() {
        for (text, masked) in [
            (r#"url = "postgres:/u:pw@h/db""#, r#"url = "postgres:*****@h/db""#),
            (r#"url = "postgres://u:p#w""#, r#"url = "postgres://*****""#),
            (r#"url = "postgres://u:p@w#x@h/db"#, r#"url = "postgres://*******@h/db"#),
            (
                r#"url = "postgres://h/db?user=u&password=pw&a=b""#,
                r#"url = "postgres://h/db?user=u&password=**&a=b""#,
            ),
            (r#"url = "mysql://ü:€𐄁@h""#, r#"url = "mysql://·*•𐄁@h""#),
        ] {
            assert_eq!(line(text), masked);
            assert_eq!(line(text).len(), text.len());
        }
    }

    #[test]
    fn leaves_variables_and_plain_hosts_readable() {
        for text in [
            r#"url = "${DATABASE_URL}""#,
            r#"url = "postgres://localhost:5432/shop""#,
            r#"endpoint = "http://[::1]:8000""#,
            r#"pk = "USER#{id:010}""#,
        ] {
            assert_eq!(line(text), text);
        }
        assert_eq!(line("postgres://${USER}:${PW:-pw}@h"), "postgres://${USER}**********@h");
    }
}
