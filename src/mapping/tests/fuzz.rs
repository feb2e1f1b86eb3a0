//! Damaged mappings: whatever a file holds, mistakes come out, never a panic.

use super::{EXAMPLE, environment, file};
use crate::mapping::{Mapping, render};

/// What damages a mapping in ways that bytes alone seldom hit.
const PIECES: [&str; 24] = [
    "{", "}", "{{", "\"", "'", "\"\"\"", "'''", "[", "]", "[[", "\n", "\r\n", "\r", "\t", "=", "${", "é",
    "日本", "\u{feff}", "\u{0}", "|", ":%", "://u:p@", "𐄁",
];

fn survives(text: &str) {
    let file = file(text);
    if let Err(mistakes) = Mapping::parse(&file, &environment) {
        assert!(!mistakes.is_empty(), "no mistake and no mapping: {text:?}");
        let output = render(&file, &mistakes, false);
        assert!(!output.contains("s3cret"), "{output}");
        for span in mistakes.iter().filter_map(|mistake| mistake.span.as_ref()) {
            assert!(span.start <= span.end && span.end <= text.len(), "{span:?} in {text:?}");
            file.line_column(span.start);
        }
    }
}

/// Keeps a cut on a character; files that are not UTF-8 are refused before.
fn boundary(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}

#[test]
fn truncations() {
    for end in 0..EXAMPLE.len() {
        survives(&EXAMPLE[..boundary(EXAMPLE, end)]);
    }
}

#[test]
fn deleted_and_doubled_lines() {
    let lines: Vec<&str> = EXAMPLE.lines().collect();
    for number in 0..lines.len() {
        let mut fewer = lines.clone();
        fewer.remove(number);
        survives(&fewer.join("\n"));
        let mut more = lines.clone();
        more.insert(number, lines[number]);
        survives(&more.join("\r\n"));
    }
}

#[test]
fn random_edits() {
    let example = EXAMPLE.replace("${DATABASE_URL}", "postgres://shop:s3cret@localhost/shop");
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..10_000 {
        let mut text = example.clone();
        for _ in 0..random.usize(1..4) {
            let start = boundary(&text, random.usize(0..text.len()));
            let end = boundary(&text, start + random.usize(0..4)).max(start);
            match random.u8(0..3) {
                0 => text.replace_range(start..end, ""),
                1 => text.replace_range(start..end, random.choice(PIECES).unwrap()),
                _ => text.insert(start, char::from(random.u8(..128))),
            }
        }
        survives(&text);
    }
}

#[test]
fn deep_and_long_files() {
    survives(&format!("a = {}", "[".repeat(100_000)));
    survives(&format!("a = {}", "{a=".repeat(100_000)));
    survives(&format!("{}b = 1", "a.".repeat(50_000)));
    survives(&format!("[entities.{}]\npk = '{}'", "x".repeat(100_000), "{".repeat(2_000)));
    survives(&"x = 1\n".repeat(5_000));
    survives(&"}\n".repeat(5_000));
}

/// The line with the password, damaged once or twice: the password stays hidden.
#[test]
fn damaged_urls() {
    let mut random = fastrand::Rng::with_seed(11);
    let line = "url = \"postgres://shop:s3cret@localhost/shop?sslmode=require\"";
    for _ in 0..10_000 {
        let mut damaged = line.to_owned();
        for _ in 0..random.usize(1..3) {
            let start = boundary(&damaged, random.usize(0..damaged.len()));
            match random.bool() {
                true => damaged.insert_str(start, random.choice(PIECES).unwrap()),
                false => drop(damaged.remove(start)),
            }
        }
        survives(&format!("[source]\n{damaged}\n[table]\nname = 'shop'\n"));
    }
}
