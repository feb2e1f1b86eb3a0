//! The strftime directives of templates and `format`.

use std::ops::Range;

/// What a text may name of a date or time. Digits only: what sorts and reads the same everywhere.
pub(super) const DIRECTIVES: [&str; 11] =
    ["%Y", "%m", "%d", "%H", "%M", "%S", "%3f", "%6f", "%j", "%G", "%V"];

/// Places in the text that look like directives and are none.
pub(super) fn unknown_directives(text: &str) -> Vec<Range<usize>> {
    text.match_indices('%')
        .filter(|(start, _)| !DIRECTIVES.iter().any(|known| starts_with(text, *start, known)))
        .map(|(start, _)| start..start.saturating_add(length(text.get(start..).unwrap_or_default())))
        .collect()
}

fn starts_with(text: &str, start: usize, directive: &str) -> bool {
    text.get(start..).is_some_and(|rest| rest.starts_with(directive))
}

/// `%`, flags and digits, and the letter that follows them.
fn length(directive: &str) -> usize {
    let rest = directive.get(1..).unwrap_or_default();
    let flags = rest.len().saturating_sub(rest.trim_start_matches(|c: char| c.is_ascii_digit()).len());
    let letter = rest.get(flags..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    1usize.saturating_add(flags).saturating_add(letter)
}

#[cfg(test)]
mod tests {
    use super::unknown_directives;

    #[test]
    fn finds_unknown_directives() {
        assert!(unknown_directives("%Y-%m-%dT%H:%M:%S.%3fZ %G-W%V").is_empty());
        assert_eq!(unknown_directives("%y %9f %"), [0..2, 3..6, 7..8]);
        assert_eq!(unknown_directives("%é%%"), [0..3, 3..5, 4..5]);
    }
}
