use std::path::Path;

use super::file;
use crate::mapping::{Diagnostic, MappingFile, ReadError, Span, render};

#[test]
fn counts_lines_and_columns_as_editors_do() {
    let file = file("é = 1\r\n\tb = '日本'\n");
    assert_eq!(file.line_column(0), (1, 1));
    assert_eq!(file.line_column(3), (1, 3));
    assert_eq!(file.line_column(1), (1, 1));
    assert_eq!(file.line_column(8), (2, 1));
    assert_eq!(file.line_column(9), (2, 2));
    assert_eq!(file.line_column(17), (2, 8));
    assert_eq!(file.line_column(usize::MAX), (3, 1));
}

#[test]
fn a_byte_order_mark_is_no_column() {
    assert_eq!(file("\u{feff}a = 1").line_column(3), (1, 1));
    let output = render(&file("\u{feff}a = 1"), &[Diagnostic::error("code", 3..4, "here")], false);
    assert!(output.contains("--> shop.toml:1:1\n"), "{output}");
}

#[test]
fn odd_spans_are_shown_with_one_caret_at_least() {
    for (text, span) in [
        ("", 0..0),
        ("", 5..9),
        ("a\n", 2..2),
        ("é", 1..1),
        ("a = 1", Span { start: 3, end: 1 }),
        ("a\r\nb\r\n", 1..3),
    ] {
        let output = render(&file(text), &[Diagnostic::error("code", span.clone(), "here")], false);
        assert!(output.contains('^'), "{text:?} {span:?}:\n{output}");
    }
}

#[test]
fn severities_and_diagnostics_without_place() {
    let diagnostics = [
        Diagnostic::nowhere("a", "first").with_help("do this"),
        Diagnostic::warning("b", 0..1, "second"),
        Diagnostic::note("c", 4..5, "third"),
    ];
    expect_test::expect![[r#"
        error[a]: first
        --> shop.toml
         = help: do this

        warning[b]: second
         --> shop.toml:1:1
          |
        1 | x = 1
          | ^

        note[c]: third
         --> shop.toml:1:5
          |
        1 | x = 1
          |     ^
    "#]]
    .assert_eq(&render(&file("x = 1\n"), &diagnostics, false));
    assert_eq!(render(&file("x = 1\n"), &[], false), "");
    assert!(render(&file("x = 1\n"), &diagnostics, true).contains("\u{1b}["));
}

fn read(bytes: &[u8]) -> Result<MappingFile, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.toml");
    std::fs::write(&path, bytes).unwrap();
    MappingFile::read(&path)
}

#[test]
fn files_are_read_without_their_byte_order_mark() {
    assert_eq!(read("\u{feff}a = 'é'\r\n".as_bytes()).unwrap().text, "a = 'é'\r\n");
    assert_eq!(read(b"").unwrap().text, "");
}

#[test]
fn unreadable_files_say_why() {
    let missing = MappingFile::read(Path::new("/no/such/file.toml")).unwrap_err();
    assert_eq!(missing.to_string(), "there is no mapping file /no/such/file.toml");
    let folder = MappingFile::read(Path::new("/")).unwrap_err();
    assert_eq!(folder.to_string(), "the mapping / is a folder, not a file");
    let bytes = read(b"a = 1\nb = '\xff'\n").unwrap_err();
    assert!(matches!(bytes, ReadError::NotUtf8 { line: 2, offset: 11, .. }), "{bytes:?}");
    let large = read(&vec![b'#'; 16 * 1024 * 1024 + 1]).unwrap_err();
    assert!(matches!(large, ReadError::TooLarge { .. }), "{large:?}");
    assert!(read(&vec![b'#'; 16 * 1024 * 1024]).is_ok());
}

#[test]
fn a_file_does_not_print_its_text() {
    let file = file("url = 'postgres://u:s3cret@h/db'");
    assert!(!format!("{file:?}").contains("s3cret"));
}
