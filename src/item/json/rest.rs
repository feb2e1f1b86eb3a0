//! The rest of a document behind something in it that DynamoDB cannot hold: a text that is no JSON is
//! rejected as that, whatever stands before its fault.

use super::super::rejection::Violation;
use super::lexer::Lexer;

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Value,
    /// What may stand behind a value.
    End,
}

/// Walks to the end of the document. `open` are the maps (true) and lists (false) around the place, the
/// outermost first; one byte a level, so that no depth can hurt.
pub(super) fn check(mut lexer: Lexer<'_>, mut open: Vec<bool>, mut next: Next) -> Result<(), Violation> {
    let mut text = Vec::new();
    loop {
        lexer.skip_blanks();
        if next == Next::Value {
            next = value(&mut lexer, &mut open, &mut text)?;
            continue;
        }
        match (lexer.peek(), open.last()) {
            (None, None) => return Ok(()),
            (Some(_), None) => return Err(lexer.behind()),
            (Some(b','), Some(map)) => {
                lexer.skip();
                if *map {
                    name(&mut lexer, &mut text)?;
                }
                next = Next::Value;
            }
            (Some(b'}'), Some(true)) | (Some(b']'), Some(false)) => {
                lexer.skip();
                open.pop();
            }
            (_, Some(_)) => return Err(lexer.not_closed()),
        }
    }
}

fn value(lexer: &mut Lexer<'_>, open: &mut Vec<bool>, text: &mut Vec<u8>) -> Result<Next, Violation> {
    match lexer.peek() {
        Some(bracket @ (b'{' | b'[')) => {
            let map = bracket == b'{';
            lexer.skip();
            open.push(map);
            lexer.skip_blanks();
            if lexer.peek() == Some(if map { b'}' } else { b']' }) {
                return Ok(Next::End);
            }
            if map {
                name(lexer, text)?;
            }
            return Ok(Next::Value);
        }
        Some(b'"') => {
            lexer.skip();
            text.clear();
            lexer.string(text)?;
        }
        Some(b'-' | b'0'..=b'9') => {
            lexer.number()?;
        }
        Some(b't') => lexer.word(b"true")?,
        Some(b'f') => lexer.word(b"false")?,
        Some(b'n') => lexer.word(b"null")?,
        _ => return Err(lexer.no_value()),
    }
    Ok(Next::End)
}

fn name(lexer: &mut Lexer<'_>, text: &mut Vec<u8>) -> Result<(), Violation> {
    text.clear();
    lexer.name(text)?;
    lexer.skip_blanks();
    lexer.expect(b':')
}
