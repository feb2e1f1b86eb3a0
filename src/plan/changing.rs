//! Finds SQL that says something else tomorrow: load, resume and verify must read the same rows.

use std::iter::Peekable;
use std::str::CharIndices;

/// Functions that SQL calls without parentheses too.
const WORDS: [&str; 10] = [
    "current_date",
    "current_time",
    "current_timestamp",
    "localtime",
    "localtimestamp",
    "sysdate",
    "systimestamp",
    "utc_date",
    "utc_time",
    "utc_timestamp",
];

const FUNCTIONS: [&str; 27] = [
    "now",
    "clock_timestamp",
    "statement_timestamp",
    "transaction_timestamp",
    "timeofday",
    "curdate",
    "curtime",
    "random",
    "random_normal",
    "rand",
    "random_bytes",
    "randomblob",
    "uuid",
    "uuid_short",
    "sys_guid",
    "uuidv4",
    "uuidv7",
    "gen_random_uuid",
    "gen_random_bytes",
    "uuid_generate_v1",
    "uuid_generate_v1mc",
    "uuid_generate_v4",
    "uuid_v4",
    "uuid_v7",
    "nextval",
    "txid_current",
    "pg_current_xact_id",
];

/// Without arguments, or with `'now'`, they tell the time.
const CLOCKS: [&str; 7] =
    ["date", "time", "datetime", "julianday", "unixepoch", "strftime", "unix_timestamp"];

/// The first part of `sql` that changes by itself, as written. Looks at names only: literals, quoted
/// names and comments say nothing.
pub(super) fn changing(sql: &str) -> Option<String> {
    let tokens = tokens(sql);
    tokens.iter().enumerate().find_map(|(at, token)| {
        let Token::Word(word) = token else { return None };
        let name = word.to_lowercase();
        let qualified = at > 0 && tokens.get(at - 1) == Some(&Token::Other('.'));
        let called = tokens.get(at + 1) == Some(&Token::Other('('));
        if !called {
            return (!qualified && WORDS.contains(&name.as_str())).then(|| (*word).to_owned());
        }
        if WORDS.contains(&name.as_str()) || FUNCTIONS.contains(&name.as_str()) {
            return Some(format!("{word}()"));
        }
        if CLOCKS.contains(&name.as_str()) {
            return reads_clock(tokens.get(at + 2..).unwrap_or_default()).then(|| format!("{word}()"));
        }
        None
    })
}

/// Whether arguments (after their opening parenthesis) are empty or hold `'now'` at their own level.
fn reads_clock(arguments: &[Token<'_>]) -> bool {
    if arguments.first() == Some(&Token::Other(')')) {
        return true;
    }
    let mut depth = 0_usize;
    for token in arguments {
        match token {
            Token::Other('(') => depth += 1,
            Token::Other(')') if depth == 0 => return false,
            Token::Other(')') => depth -= 1,
            Token::Literal(text) if depth == 0 && text.eq_ignore_ascii_case("now") => return true,
            _ => {}
        }
    }
    false
}

#[derive(Debug, PartialEq)]
enum Token<'a> {
    Word(&'a str),
    /// The inside of `'…'`.
    Literal(&'a str),
    QuotedName,
    Other(char),
}

fn tokens(sql: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = sql.char_indices().peekable();
    while let Some((start, character)) = rest.next() {
        let next = rest.peek().map(|(_, next)| *next);
        match (character, next) {
            ('\'', _) => tokens.push(Token::Literal(quoted(sql, start, '\'', &mut rest))),
            ('"' | '`', _) => {
                quoted(sql, start, character, &mut rest);
                tokens.push(Token::QuotedName);
            }
            ('-', Some('-')) => while rest.next_if(|(_, character)| *character != '\n').is_some() {},
            ('/', Some('*')) => skip_past(sql, "*/", start + 2, &mut rest),
            ('$', _) if dollar_tag(sql, start).is_some() => {
                let tag = dollar_tag(sql, start).unwrap_or_default();
                skip_past(sql, tag, start + tag.len(), &mut rest);
                tokens.push(Token::QuotedName);
            }
            (first, _) if first.is_alphanumeric() || first == '_' => {
                let mut end = start + first.len_utf8();
                while let Some((at, letter)) = rest.next_if(|(_, c)| c.is_alphanumeric() || "_$".contains(*c))
                {
                    end = at + letter.len_utf8();
                }
                tokens.push(Token::Word(sql.get(start..end).unwrap_or_default()));
            }
            (space, _) if space.is_whitespace() => {}
            (other, _) => tokens.push(Token::Other(other)),
        }
    }
    tokens
}

/// The inside of a quoted piece that opens at `start`; a doubled quote stays inside.
fn quoted<'a>(sql: &'a str, start: usize, quote: char, rest: &mut Peekable<CharIndices<'_>>) -> &'a str {
    let mut end = sql.len();
    while let Some((at, character)) = rest.next() {
        if character == quote && rest.next_if(|(_, next)| *next == quote).is_none() {
            end = at;
            break;
        }
    }
    sql.get(start + quote.len_utf8()..end).unwrap_or_default()
}

fn skip_past(sql: &str, closing: &str, from: usize, rest: &mut Peekable<CharIndices<'_>>) {
    let found = sql.get(from..).and_then(|text| text.find(closing));
    let end = found.map_or(sql.len(), |at| from + at + closing.len());
    while rest.next_if(|(at, _)| *at < end).is_some() {}
}

/// `$$` or `$tag$` at `start`.
fn dollar_tag(sql: &str, start: usize) -> Option<&str> {
    let inside = sql.get(start + 1..)?;
    let end = inside.find('$')?;
    let tag = inside.get(..end)?;
    let named =
        tag.chars().all(|c| c.is_alphanumeric() || c == '_') && !tag.starts_with(|c: char| c.is_numeric());
    named.then(|| sql.get(start..start + end + 2)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sql_that_changes_by_itself_is_found_by_its_names() {
        for (sql, expected) in [
            ("created < now()", Some("now()")),
            ("created < NOW ( )", Some("NOW()")),
            ("created < pg_catalog.now()", Some("pg_catalog.now()")),
            ("day = current_date", Some("current_date")),
            ("day = CURRENT_TIMESTAMP(3)", Some("CURRENT_TIMESTAMP()")),
            ("random() < 0.1", Some("random()")),
            ("id = gen_random_uuid()", Some("gen_random_uuid()")),
            ("day < date('now', '-1 day')", Some("date()")),
            ("day < date()", Some("date()")),
            ("datetime(coalesce(x, 'now'))", None),
            ("date(order_date)", None),
            ("o.current_date = 1", None),
            ("now = 1", None),
            ("note = 'now()' -- now()\n AND x = 1", None),
            ("note = 'it''s now()' /* now() */", None),
            ("\"now\"() = 1 OR `rand`(1) = 2", None),
            ("body = $$ now() $$ AND x = $1", None),
            ("body = $$ x $$ AND y < now()", Some("now()")),
            ("knownow() = 1 AND now_at = 2", None),
        ] {
            let expected = expected.map(|text| text.rsplit('.').next().unwrap().to_owned());
            assert_eq!(changing(sql), expected, "{sql}");
        }
    }
}
