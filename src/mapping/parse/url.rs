//! The source's URL, checked without ever repeating it: it holds a password.

use crate::mapping::diagnostic::{closest, quoted};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Postgres,
    MySql,
    Sqlite,
}

/// What is wrong with a URL, in words that do not contain it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UrlMistake {
    pub(super) message: String,
    pub(super) help: String,
}

const SCHEMES: [(&str, Dialect); 5] = [
    ("postgres", Dialect::Postgres),
    ("postgresql", Dialect::Postgres),
    ("mysql", Dialect::MySql),
    ("mariadb", Dialect::MySql),
    ("sqlite", Dialect::Sqlite),
];
const FORMS: &str = "write postgres://, postgresql://, mysql://, mariadb:// or sqlite://path";

pub(super) fn check(url: &str) -> Result<Dialect, UrlMistake> {
    let (dialect, rest) = check_scheme(url)?;
    match dialect {
        Dialect::Sqlite if rest.trim_start_matches('/').is_empty() => {
            Err(mistake("the sqlite URL names no file", "write sqlite://path/to/file.db"))
        }
        Dialect::Sqlite => Ok(dialect),
        Dialect::Postgres | Dialect::MySql => check_password(rest).map(|()| dialect),
    }
}

/// The dialect and what follows `://`.
pub(super) fn check_scheme(url: &str) -> Result<(Dialect, &str), UrlMistake> {
    let Some((scheme, rest)) = url.split_once(':') else {
        return Err(mistake("the URL names no database system", FORMS));
    };
    if scheme == "jdbc" {
        return Err(mistake(
            "`jdbc:` URLs are for Java",
            "drop `jdbc:`, and write user:password@ before the host",
        ));
    }
    let dialect = SCHEMES.iter().find(|(known, _)| *known == scheme).map(|(_, dialect)| *dialect);
    match (dialect, rest.strip_prefix("//")) {
        (Some(dialect), Some(rest)) => Ok((dialect, rest)),
        (Some(Dialect::Sqlite), None) => Ok((Dialect::Sqlite, rest)),
        (Some(_), None) => Err(UrlMistake {
            message: format!("`//` is missing after `{scheme}:`"),
            help: format!("write {scheme}://user:password@host/database"),
        }),
        (None, Some(_)) => Err(unknown_scheme(scheme)),
        (None, None) => Err(mistake("the URL names no database system", FORMS)),
    }
}

fn unknown_scheme(scheme: &str) -> UrlMistake {
    let help = match closest(scheme, SCHEMES.iter().map(|(known, _)| *known)) {
        Some(close) => format!("did you mean {close}://?"),
        None => FORMS.to_owned(),
    };
    let is_word = scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let shown = if is_word { format!(" {}", quoted(&format!("{scheme}://"))) } else { String::new() };
    UrlMistake { message: format!("unknown database system{shown}"), help }
}

/// A raw `#`, `/` or `?` ends the host part early: the `@` then comes after it.
fn check_password(rest: &str) -> Result<(), UrlMistake> {
    let Some(last_at) = rest.rfind('@') else { return Ok(()) };
    let before = rest.get(..last_at).unwrap_or_default();
    let cut = before.find(['/', '?', '#']).and_then(|cut| before.split_at_checked(cut));
    match cut {
        Some((authority, after)) if after.contains('#') || looks_like_credentials(authority) => Err(mistake(
            "the user name or password of the URL contains a raw `#`, `/` or `?`",
            "percent-encode it: `#` as %23, `/` as %2F, `?` as %3F",
        )),
        _ => Ok(()),
    }
}

/// `user:pass`, but neither `user:pass@host` nor `host:5432`.
fn looks_like_credentials(authority: &str) -> bool {
    let is_port = |port: &str| port.chars().all(|c| c.is_ascii_digit());
    !authority.contains('@') && authority.rsplit_once(':').is_some_and(|(_, port)| !is_port(port))
}

fn mistake(message: &str, help: &str) -> UrlMistake {
    UrlMistake { message: message.to_owned(), help: help.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, check};

    #[test]
    fn accepts_urls_of_the_three_systems() {
        for (url, dialect) in [
            ("postgres://u:p%23w@h/db", Dialect::Postgres),
            ("postgresql:///db?host=/run/postgresql", Dialect::Postgres),
            ("postgres://u:p@w@h:5432/db", Dialect::Postgres),
            ("postgres://h:5432/db?application_name=a@b", Dialect::Postgres),
            ("postgres://u:pw@h/db?user=a@b", Dialect::Postgres),
            ("mysql://root@127.0.0.1:3306/shop", Dialect::MySql),
            ("mariadb://h/db", Dialect::MySql),
            ("sqlite://shop.db", Dialect::Sqlite),
            ("sqlite:shop.db", Dialect::Sqlite),
            ("sqlite::memory:", Dialect::Sqlite),
        ] {
            assert_eq!(check(url), Ok(dialect), "{url}");
        }
    }

    #[test]
    fn refuses_others_without_repeating_them() {
        for url in [
            "postgress://u:s3cret@h/db",
            "postgres:/u:s3cret@h/db",
            "postgres://u:s3cret#w@h/db",
            "postgres://u:s3cret/w@h/db",
            "postgres://u:s3cret?w@h/db",
            "u:s3cret@h/db",
            "s3cret",
            "s3cret u://x",
            "sqlite://",
            "jdbc:mysql://u:s3cret@h/db",
            ":",
        ] {
            let mistake = check(url).unwrap_err();
            assert!(!mistake.message.contains("s3cret") && !mistake.help.contains("s3cret"), "{mistake:?}");
        }
    }
}
