//! Hides the passwords of URLs in text that is about to be shown.
//!
//! Works on one line of a file that may be broken in any way, so it hides too much rather than too
//! little. The masked line has as many bytes and characters as the line: spans stay right.

use std::borrow::Cow;
use std::ops::Range;

/// The line without what looks like the credentials of a URL. `${VARIABLES}` stay readable.
pub(super) fn line(line: &str) -> Cow<'_, str> {
    let secrets = [credentials(line), parameters(line), password_parameter(line)];
    let mut masked = Cow::Borrowed(line);
    for secret in secrets.into_iter().flatten() {
        masked = Cow::Owned(hide(&masked, &secret));
    }
    masked
}

/// The line without anything from a place on.
pub(super) fn from(line: &str, start: usize) -> String {
    hide(line, &(start..line.len()))
}

/// Whether a URL begins in the line and its string does not end there.
pub(super) fn runs_on(line: &str) -> bool {
    let opening = line.chars().find(|c| matches!(c, '"' | '\''));
    let is_open = opening.is_some_and(|quote| line.matches(quote).count() == 1);
    is_open && (line.contains("://") || names_a_url(line))
}

/// From `://` (or the `:` of a mistyped scheme) to the last `@`.
fn credentials(line: &str) -> Option<Range<usize>> {
    let start = start_of_url(line)?;
    let rest = line.get(start..)?;
    match rest.rfind('@') {
        Some(at) => Some(start..start.saturating_add(at)),
        None if !names_a_url(line) => None,
        None => unfinished_credentials(rest).map(|length| start..start.saturating_add(length)),
    }
}

/// After `?`: some systems take the password there.
fn parameters(line: &str) -> Option<Range<usize>> {
    let start = start_of_url(line)?;
    let (before, parameters) = line.get(start..)?.split_once('?')?;
    let start = start.saturating_add(before.len()).saturating_add(1);
    Some(start..start.saturating_add(up_to_quote(parameters)))
}

fn start_of_url(line: &str) -> Option<usize> {
    let starts = [after(line, "://"), after_mistyped_scheme(line)];
    starts.into_iter().flatten().min()
}

/// `postgres:/user:password@host` and other URLs that lack `//`.
fn after_mistyped_scheme(line: &str) -> Option<usize> {
    let colon = line.find([':', '/']).filter(|_| names_a_url(line))?;
    let after = colon.saturating_add(1);
    let slashes = line.get(after..)?.chars().take_while(|c| *c == '/').count();
    Some(after.saturating_add(slashes))
}

fn names_a_url(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    ["url", "postgres", "mysql", "mariadb"].iter().any(|word| lower.contains(word))
}

/// `user:password` without an `@` after it: nothing but a port may follow a colon.
fn unfinished_credentials(rest: &str) -> Option<usize> {
    rest.split(':').skip(1).any(|after| !is_port(after)).then_some(rest.len())
}

fn is_port(text: &str) -> bool {
    let port = text.split(['/', '?', '#', '"', '\'', ']']).next().unwrap_or_default();
    port.starts_with("${") || port.chars().all(|c| c.is_ascii_digit())
}

fn up_to_quote(text: &str) -> usize {
    text.find(['"', '\'']).unwrap_or(text.len())
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
            (r#"url = "postgres:/u:pw@h/db""#, r#"url = "postgres:/****@h/db""#),
            (r#"url = "postgres://u:p#w""#, r#"url = "postgres://******"#),
            (r#"url = "postgres://u:p@w#x@h/db"#, r#"url = "postgres://*******@h/db"#),
            (
                r#"url = "postgres://h/db?user=u&password=pw&a=b""#,
                r#"url = "postgres://h/db?**********************""#,
            ),
            ("host=h password=pw\" # x", "host=h password=**\" # x"),
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
