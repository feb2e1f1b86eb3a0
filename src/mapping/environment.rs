//! `${NAME}` and `${NAME:-default}` in the strings of a mapping.

use std::ops::Range;

/// A stretch of a text: as it is, or to be looked up.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Literal(&'t str),
    Variable { name: &'t str, default: Option<&'t str>, range: Range<usize> },
}

/// A `${` that is no reference, with its place in the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) range: Range<usize>,
    pub(super) message: &'static str,
}

const OPENING: &str = "${";

/// Cuts a text at its references; the first malformed one is a mistake.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, Malformed> {
    let mut pieces = Vec::new();
    let mut position: usize = 0;
    let mut rest = text;
    while let Some((literal, reference)) = rest.split_once(OPENING) {
        let start = position.saturating_add(literal.len());
        let inside_start = start.saturating_add(OPENING.len());
        let Some((inside, after)) = reference.split_once('}') else {
            return Err(Malformed { range: start..text.len(), message: "`${` is not closed by `}`" });
        };
        position = inside_start.saturating_add(inside.len()).saturating_add(1);
        pieces.push(Piece::Literal(literal));
        pieces.push(variable(inside, start..position)?);
        rest = after;
    }
    pieces.push(Piece::Literal(rest));
    pieces.retain(|piece| *piece != Piece::Literal(""));
    Ok(pieces)
}

fn variable(inside: &str, range: Range<usize>) -> Result<Piece<'_>, Malformed> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    if name.is_empty() {
        return Err(Malformed { range, message: "`${` names no variable" });
    }
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(Malformed { range, message: "a variable's name has only letters, digits and `_`" });
    }
    Ok(Piece::Variable { name, default, range })
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};

    #[test]
    fn cuts_at_references() {
        assert_eq!(
            pieces("a${B}c${D:-e:-f}$g").unwrap(),
            [
                Piece::Literal("a"),
                Piece::Variable { name: "B", default: None, range: 1..5 },
                Piece::Literal("c"),
                Piece::Variable { name: "D", default: Some("e:-f"), range: 6..16 },
                Piece::Literal("$g"),
            ]
        );
        assert_eq!(pieces("").unwrap(), []);
        assert_eq!(pieces("é$").unwrap(), [Piece::Literal("é$")]);
    }

    #[test]
    fn refuses_malformed_references() {
        for (text, range) in
            [("x${A", 1..4), ("${}", 0..3), ("${1A}", 0..5), ("${A-b}", 0..6), ("${:-b}", 0..6)]
        {
            assert_eq!(pieces(text).unwrap_err().range, range, "{text}");
        }
    }
}
