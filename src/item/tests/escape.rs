use super::super::escape::{clean_prefix, holds_nul, write_text};

fn escaped(text: &str) -> String {
    let mut out = Vec::new();
    write_text(text.as_bytes(), &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn every_byte_at_every_place_is_found_or_passed_over() {
    for len in 0..40 {
        for at in 0..len {
            for byte in 0..=255_u8 {
                let mut text = vec![b'x'; len];
                text[at] = byte;
                let special = byte < 0x20 || byte == b'"' || byte == b'\\';
                assert_eq!(clean_prefix(&text), if special { at } else { len }, "{byte} at {at} of {len}");
            }
        }
    }
    // A special byte before another, and bytes that the word trick could take for one.
    assert_eq!(clean_prefix(b"ab\"\\!!!!!!!!"), 2);
    assert_eq!(clean_prefix(&[0x21, 0x5D, 0x5B, 0x23, 0x20, 0x80, 0xA2, 0xDC, 0xFF]), 9);
}

#[test]
fn escapes_are_the_shortest_and_read_back() {
    assert_eq!(
        escaped("a\"b\\c/d\n\r\t\u{8}\u{c}\u{1f}\0é😀\u{7f}"),
        "a\\\"b\\\\c/d\\n\\r\\t\\b\\f\\u001f\\u0000é😀\u{7f}"
    );
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..20_000 {
        let text: String = (0..random.usize(0..30))
            .map(|_| if random.bool() { random.char('\0'..='#') } else { random.char(..) })
            .collect();
        let back: String = serde_json::from_str(&format!("\"{}\"", escaped(&text))).unwrap();
        assert_eq!(back, text);
        assert_eq!(holds_nul(escaped(&text).as_bytes()), text.contains('\0'));
    }
}
