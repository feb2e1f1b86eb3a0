//! The words of JSON: strings, numbers, punctuation. Strict: what RFC 8259 does not allow is an error.

use super::super::escape::{clean_prefix, write_escape};
use super::super::rejection::{Rule, Violation};

/// A place in a JSON text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text: text.as_bytes(), at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Takes the byte that [`Lexer::peek`] saw.
    pub(super) fn skip(&mut self) {
        self.at += 1;
    }

    /// Takes a literal word.
    pub(super) fn word(&mut self, word: &[u8]) -> Result<(), Violation> {
        if !self.rest().starts_with(word) {
            return Err(self.invalid("an unknown word"));
        }
        self.at += word.len();
        Ok(())
    }

    /// Takes a number and returns its text.
    pub(super) fn number(&mut self) -> Result<&'t [u8], Violation> {
        let is_part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let len = self.rest().iter().take_while(is_part).count();
        let text = self.rest().get(..len).unwrap_or_default();
        if !is_json_number(text) {
            return Err(self.invalid("a number that is none in JSON"));
        }
        self.at += len;
        Ok(text)
    }

    /// Writes a string whose opening quote is taken, quotes included; returns its size unescaped.
    pub(super) fn string(&mut self, out: &mut Vec<u8>) -> Result<usize, Violation> {
        out.push(b'"');
        let mut size = 0;
        loop {
            let clean = clean_prefix(self.rest());
            out.extend_from_slice(self.rest().get(..clean).unwrap_or_default());
            self.at += clean;
            size += clean;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    out.push(b'"');
                    return Ok(size);
                }
                Some(b'\\') => {
                    self.at += 1;
                    size += self.escape(out)?;
                }
                Some(_) => return Err(self.invalid("a control character in a string")),
                None => return Err(self.invalid("a string without end")),
            }
        }
    }

    /// Writes the quoted name of a member, with blanks before it; returns its size unescaped.
    pub(super) fn name(&mut self, out: &mut Vec<u8>) -> Result<usize, Violation> {
        self.skip_blanks();
        self.expect(b'"')?;
        match self.string(out)? {
            0 => Err(self.invalid("an empty member name, which DynamoDB does not take")),
            size => Ok(size),
        }
    }

    /// Takes what follows a backslash and writes the character; returns its UTF-8 length.
    fn escape(&mut self, out: &mut Vec<u8>) -> Result<usize, Violation> {
        let escaped = self.peek();
        self.at += 1;
        let byte = match escaped {
            Some(byte @ (b'"' | b'\\')) => byte,
            Some(b'/') => {
                out.push(b'/');
                return Ok(1);
            }
            Some(b'b') => 0x08,
            Some(b'f') => 0x0C,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode(out),
            _ => return Err(self.invalid("an unknown escape")),
        };
        write_escape(byte, out);
        Ok(1)
    }

    fn unicode(&mut self, out: &mut Vec<u8>) -> Result<usize, Violation> {
        let first = self.hex4()?;
        let code = match first {
            0xD800..=0xDBFF => {
                self.expect(b'\\')?;
                self.expect(b'u')?;
                match self.hex4()? {
                    second @ 0xDC00..=0xDFFF => 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00),
                    _ => return Err(self.invalid("half of a surrogate pair")),
                }
            }
            _ => first,
        };
        let character = char::from_u32(code).ok_or_else(|| self.invalid("half of a surrogate pair"))?;
        match u8::try_from(character) {
            Ok(byte) if byte < 0x20 || byte == b'"' || byte == b'\\' => write_escape(byte, out),
            _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        Ok(character.len_utf8())
    }

    fn hex4(&mut self) -> Result<u32, Violation> {
        let digits = self.rest().first_chunk::<4>().copied();
        self.at += 4;
        let mut value = 0;
        for digit in digits.unwrap_or_default() {
            let digit = char::from(digit).to_digit(16).ok_or_else(|| self.invalid("a wrong \\u escape"))?;
            value = value << 4 | digit;
        }
        Ok(value)
    }

    pub(super) fn skip_blanks(&mut self) {
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        self.at += self.rest().iter().take_while(blank).count();
    }

    pub(super) fn expect(&mut self, byte: u8) -> Result<(), Violation> {
        if self.peek() != Some(byte) {
            return Err(self.invalid("a name, a colon or a second half of a surrogate pair is missing"));
        }
        self.at += 1;
        Ok(())
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn rest(&self) -> &'t [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn no_value(&self) -> Violation {
        self.invalid("no value where one must be")
    }

    pub(super) fn not_closed(&self) -> Violation {
        self.invalid("neither a comma nor the end of a map or list")
    }

    pub(super) fn behind(&self) -> Violation {
        self.invalid("text behind the value")
    }

    fn invalid(&self, what: &str) -> Violation {
        let message = format!("not valid JSON at byte {}: {what}; type = \"S\" keeps the text", self.at);
        Violation::new(Rule::JsonInvalid, message)
    }
}

/// JSON's own grammar, which is narrower than DynamoDB's: no `+1`, `01`, `.5` or `5.`.
fn is_json_number(text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, rest) = split_digits(unsigned);
    let whole_ok = !whole.is_empty() && (whole.len() == 1 || whole.first() != Some(&b'0'));
    let rest = match rest.strip_prefix(b".") {
        Some(fraction) => match split_digits(fraction) {
            ([], _) => return false,
            (_, rest) => rest,
        },
        None => rest,
    };
    let exponent_ok = match rest.split_first() {
        None => true,
        Some((b'e' | b'E', rest)) => {
            let digits = rest.strip_prefix(b"-").or_else(|| rest.strip_prefix(b"+")).unwrap_or(rest);
            matches!(split_digits(digits), ([_, ..], []))
        }
        Some(_) => false,
    };
    whole_ok && exponent_ok
}

fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let len = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at_checked(len).unwrap_or((text, &[]))
}
