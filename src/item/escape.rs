//! Texts and bytes as JSON strings.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Appends UTF-8 text as the inside of a JSON string. One text has one spelling: only `"`, `\` and
/// control characters are escaped, each in its shortest form.
pub(super) fn write_text(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    loop {
        let (clean, tail) = rest.split_at_checked(clean_prefix(rest)).unwrap_or((rest, &[]));
        out.extend_from_slice(clean);
        let Some((&byte, tail)) = tail.split_first() else { return };
        write_escape(byte, out);
        rest = tail;
    }
}

/// Appends bytes as base64.
pub(super) fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    if let Some(room) = out.get_mut(start..) {
        // The room is exactly what the encoding needs.
        let _ = STANDARD.encode_slice(bytes, room);
    }
}

/// Length of the longest prefix that needs no escape.
pub(super) fn clean_prefix(text: &[u8]) -> usize {
    let (words, tail) = text.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        if let Some(inside) = first_special(*word) {
            return at * 8 + inside;
        }
    }
    // The last bytes once more as a word, together with clean ones before them.
    if let Some(last) = text.last_chunk::<8>() {
        return first_special(*last).map_or(text.len(), |inside| text.len() - 8 + inside);
    }
    tail.iter().take_while(|byte| !is_special(**byte)).count()
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Position of the first special byte of eight, by the classic "has a byte less than n" on whole
/// words; a false hit can only stand behind a true one.
fn first_special(word: [u8; 8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let word = u64::from_le_bytes(word);
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let hits = below(word, 0x20) | below(word ^ (ONES * 0x22), 1) | below(word ^ (ONES * 0x5C), 1);
    if hits == 0 { None } else { usize::try_from(hits.trailing_zeros() / 8).ok() }
}

/// Whether the inside of a JSON string, as [`write_text`] writes it, holds a NUL character.
pub(super) fn holds_nul(mut written: &[u8]) -> bool {
    while let Some(at) = written.iter().position(|byte| *byte == b'\\') {
        let escape = written.get(at..).unwrap_or_default();
        if escape.starts_with(b"\\u0000") {
            return true;
        }
        written = escape.get(2..).unwrap_or_default();
    }
    false
}

/// Appends the escape of a special byte.
pub(super) fn write_escape(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0x08 => out.extend_from_slice(b"\\b"),
        0x0C => out.extend_from_slice(b"\\f"),
        _ => {
            out.extend_from_slice(b"\\u00");
            write_hex(&[byte], out);
        }
    }
}

/// Appends bytes as lower-case hex.
pub(super) fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() * 2);
    for byte in bytes {
        out.extend_from_slice(&hex_digits(*byte));
    }
}

/// The two lower-case hex digits of a byte.
pub(super) fn hex_digits(byte: u8) -> [u8; 2] {
    let digit = |nibble: u8| nibble + if nibble < 10 { b'0' } else { b'a' - 10 };
    [digit(byte >> 4), digit(byte & 15)]
}
