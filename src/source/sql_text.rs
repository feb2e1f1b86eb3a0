//! Looks at SQL that users wrote, as far as it must be understood to be put into our statements:
//! quotes, comments, parentheses, semicolons. Pure.

use std::ops::Range;

use super::Dialect;

/// A piece of SQL that is not just itself: everything else is plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Quoted(char, Range<usize>),
    Comment(Range<usize>),
    Semicolon(usize),
    Open,
    Close,
    Plain,
}

/// One SELECT without its trailing semicolon, or why it is not one statement.
pub(super) fn one_statement(sql: &str, dialect: Dialect) -> Result<&str, &'static str> {
    let mut end = None;
    for token in tokens(sql, dialect) {
        match token {
            Token::Semicolon(at) => end = end.or(Some(at)),
            Token::Comment(_) => {}
            _ if end.is_some() => return Err("several statements; one SELECT is expected"),
            _ => {}
        }
    }
    Ok(sql.get(..end.unwrap_or(sql.len())).unwrap_or(sql))
}

/// Whether an expression can stand in parentheses without meeting what is around it.
pub(super) fn check_expression(sql: &str, dialect: Dialect) -> Result<(), &'static str> {
    let mut depth = 0_i32;
    let mut empty = true;
    for token in tokens(sql, dialect) {
        match token {
            Token::Semicolon(_) => return Err("a semicolon; one expression is expected"),
            Token::Open => depth += 1,
            Token::Close => depth -= 1,
            Token::Comment(_) => continue,
            Token::Quoted(..) | Token::Plain => {}
        }
        empty = false;
        if depth < 0 {
            break;
        }
    }
    match (depth, empty) {
        (_, true) => Err("nothing; an expression is expected"),
        (0, _) => Ok(()),
        _ => Err("unbalanced parentheses"),
    }
}

/// Where quotes and comments stand.
pub(super) fn opaque(sql: &str, dialect: Dialect) -> Vec<Range<usize>> {
    let ranges = tokens(sql, dialect).into_iter().filter_map(|token| match token {
        Token::Quoted(_, range) | Token::Comment(range) => Some(range),
        Token::Semicolon(_) | Token::Open | Token::Close | Token::Plain => None,
    });
    ranges.collect()
}

/// The parts of `a.b."C d"` without their quotes, or `None` for anything but a name.
/// Unquoted parts are as written.
pub(super) fn name_parts(name: &str, dialect: Dialect) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = name.trim();
    loop {
        let (part, after) = first_part(rest, dialect)?;
        parts.push(part);
        let after = after.trim_start();
        if after.is_empty() {
            return Some(parts);
        }
        rest = after.strip_prefix('.')?.trim_start();
    }
}

/// `sql` with every double-quoted name written as `[name]`: SQLite reads an unknown name in double
/// quotes as a text, in brackets it is an error.
pub(super) fn with_bracketed_names(sql: &str) -> String {
    let mut strict = String::with_capacity(sql.len());
    let mut copied = 0;
    for token in tokens(sql, Dialect::Sqlite) {
        let Token::Quoted('"', range) = token else { continue };
        let inner = sql.get(range.start + 1..range.end.saturating_sub(1)).unwrap_or_default();
        if inner.contains(']') || range.len() < 2 {
            continue;
        }
        strict.push_str(sql.get(copied..range.start).unwrap_or_default());
        strict.push('[');
        strict.push_str(&inner.replace("\"\"", "\""));
        strict.push(']');
        copied = range.end;
    }
    strict.push_str(sql.get(copied..).unwrap_or_default());
    strict
}

/// `name` in the quotes of the dialect.
pub(super) fn quote(name: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Mysql => format!("`{}`", name.replace('`', "``")),
        Dialect::Postgres | Dialect::Sqlite => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

/// A name with other characters than letters, digits and `_`, in quotes.
pub(super) fn quote_where_odd(name: String, dialect: Dialect) -> String {
    let odd = |c: char| !(c.is_alphanumeric() || c == '_');
    if name.contains(odd) || name.starts_with(|c: char| c.is_ascii_digit()) {
        quote(&name, dialect)
    } else {
        name
    }
}

fn first_part(text: &str, dialect: Dialect) -> Option<(String, &str)> {
    let first = text.chars().next()?;
    let close = match first {
        '"' | '`' if is_quote(first, dialect) => first,
        '[' if dialect == Dialect::Sqlite => ']',
        _ => {
            let end =
                text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(text.len());
            let (part, rest) = text.split_at_checked(end)?;
            return (!part.is_empty()).then(|| (part.to_owned(), rest));
        }
    };
    let end = quoted_end(text, 0, close, false)?;
    let inner = text.get(1..end - 1)?;
    let doubled: String = [close, close].iter().collect();
    Some((inner.replace(&doubled, &close.to_string()), text.get(end..)?))
}

fn is_quote(c: char, dialect: Dialect) -> bool {
    match c {
        '\'' | '"' => true,
        '`' => dialect != Dialect::Postgres,
        '[' => dialect == Dialect::Sqlite,
        _ => false,
    }
}

/// All tokens; runs of plain text as one each, blanks as none.
fn tokens(sql: &str, dialect: Dialect) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut previous = ' ';
    while let Some(c) = sql.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = sql.get(at..).unwrap_or_default();
        let (token, end) = if let Some(length) = comment_length(rest, dialect) {
            (Some(Token::Comment(at..at + length)), at + length)
        } else if let Some(length) = dollar_length(rest, previous, dialect) {
            (Some(Token::Quoted('$', at..at + length)), at + length)
        } else if is_quote(c, dialect) {
            let close = if c == '[' { ']' } else { c };
            let escapes = backslash_escapes(c, previous, dialect);
            let end = quoted_end(sql, at, close, escapes).unwrap_or(sql.len());
            (Some(Token::Quoted(c, at..end)), end)
        } else {
            (plain_token(c, at), at + c.len_utf8())
        };
        if token == Some(Token::Plain) && found.last() == Some(&Token::Plain) {
            // One run of text.
        } else {
            found.extend(token);
        }
        previous = c;
        at = end;
    }
    found
}

fn plain_token(c: char, at: usize) -> Option<Token> {
    match c {
        ';' => Some(Token::Semicolon(at)),
        '(' => Some(Token::Open),
        ')' => Some(Token::Close),
        c if c.is_whitespace() => None,
        _ => Some(Token::Plain),
    }
}

fn backslash_escapes(quote: char, previous: char, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Mysql => quote != '`',
        Dialect::Postgres => quote == '\'' && matches!(previous, 'e' | 'E'),
        Dialect::Sqlite => false,
    }
}

/// Where a quoted thing that starts at `start` ends, its closing quote included.
fn quoted_end(sql: &str, start: usize, close: char, escapes: bool) -> Option<usize> {
    let mut characters = sql.get(start..)?.char_indices().skip(1).peekable();
    while let Some((offset, c)) = characters.next() {
        if escapes && c == '\\' {
            characters.next();
        } else if c == close {
            match characters.peek() {
                Some((_, next)) if *next == close && close != ']' => {
                    characters.next();
                }
                _ => return Some(start + offset + close.len_utf8()),
            }
        }
    }
    None
}

fn comment_length(rest: &str, dialect: Dialect) -> Option<usize> {
    let line = rest.starts_with("--") || (dialect == Dialect::Mysql && rest.starts_with('#'));
    if line {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if !rest.starts_with("/*") {
        return None;
    }
    let nested = dialect == Dialect::Postgres;
    let mut depth = 0;
    let mut at = 0;
    while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
        if here.starts_with("/*") && (nested || depth == 0) {
            depth += 1;
            at += 2;
        } else if here.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    Some(rest.len())
}

/// PostgreSQL's `$tag$ … $tag$`.
fn dollar_length(rest: &str, previous: char, dialect: Dialect) -> Option<usize> {
    if dialect != Dialect::Postgres || previous.is_alphanumeric() || previous == '_' {
        return None;
    }
    let tag_end = rest.strip_prefix('$')?.find('$')? + 2;
    let tag = rest.get(..tag_end)?;
    let inner = tag.trim_matches('$');
    let is_tag = inner.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !inner.starts_with(|c: char| c.is_ascii_digit());
    if !is_tag {
        return None;
    }
    let end = rest.get(tag_end..)?.find(tag).map(|at| tag_end + at + tag.len());
    Some(end.unwrap_or(rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailing_semicolon_is_stripped_and_a_second_statement_refused() {
        let ok = |sql| one_statement(sql, Dialect::Postgres);
        assert_eq!(ok("SELECT 1 ; -- done"), Ok("SELECT 1 "));
        assert_eq!(ok("SELECT ';' ;;"), Ok("SELECT ';' "));
        assert_eq!(ok("SELECT $a$;$a$, E'\\';'"), Ok("SELECT $a$;$a$, E'\\';'"));
        assert!(ok("SELECT 1; DELETE FROM t").is_err());
        assert!(one_statement("select 'it\\';' ; drop", Dialect::Mysql).is_err());
    }

    #[test]
    fn an_expression_stays_within_its_parentheses() {
        assert_eq!(check_expression("f(a) = ')' -- )", Dialect::Sqlite), Ok(()));
        for sql in ["a) OR (b", "a; b", "f(a", " -- nothing"] {
            assert!(check_expression(sql, Dialect::Sqlite).is_err(), "{sql}");
        }
    }

    #[test]
    fn names_lose_their_quotes() {
        let parts = |name, dialect| name_parts(name, dialect).unwrap_or_default();
        assert_eq!(parts("sales.\"My \"\"T\"", Dialect::Postgres), ["sales", "My \"T"]);
        assert_eq!(parts("`a.b` . c", Dialect::Mysql), ["a.b", "c"]);
        assert_eq!(parts("[a b]", Dialect::Sqlite), ["a b"]);
        assert_eq!(name_parts("a b", Dialect::Postgres), None);
        assert_eq!(name_parts("f(1)", Dialect::Postgres), None);
    }

    #[test]
    fn names_in_double_quotes_become_brackets_and_texts_stay() {
        assert_eq!(with_bracketed_names("\"a\"\"b\" || '\"x\"'"), "[a\"b] || '\"x\"'");
    }
}
