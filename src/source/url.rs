//! Reads a source URL as far as messages and TLS need it. Never hands the password on.

use std::path::{Path, PathBuf};

use super::{Dialect, SourceError, SourceErrorKind};
use crate::mapping::SourceSettings;

/// Where a server is, without the password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) user: String,
    /// Without the brackets of an IPv6 address.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) database: String,
    /// How to encrypt, where the URL says it: `sslmode=…`.
    pub(super) tls: Option<String>,
    /// The URL names its own authorities: `sslrootcert=…`.
    names_authorities: bool,
}

impl Location {
    /// `user@host:port/database`.
    pub(super) fn address(&self) -> String {
        let user = if self.user.is_empty() { String::new() } else { format!("{}@", self.user) };
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        format!("{user}{host}:{}/{}", self.port, self.database)
    }

    /// Whether the network cannot be listened to: this machine.
    pub(super) fn is_local(&self) -> bool {
        let host = self.host.as_str();
        let loopback = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        loopback || host == "localhost" || host.is_empty() || host.starts_with('/') || host.starts_with("%2")
    }
}

/// Which database a URL names.
pub(super) fn dialect(url: &str) -> Result<Dialect, SourceError> {
    let scheme = url.split(':').next().unwrap_or_default();
    match scheme {
        "postgres" | "postgresql" => Ok(Dialect::Postgres),
        "mysql" | "mariadb" => Ok(Dialect::Mysql),
        "sqlite" => Ok(Dialect::Sqlite),
        _ => Err(wrong("it does not start with postgres://, mysql://, mariadb:// or sqlite://")),
    }
}

/// The parts of a server's URL.
pub(super) fn location(url: &str, default_port: u16) -> Result<Location, SourceError> {
    let (_, rest) = url.split_once("://").ok_or_else(|| wrong("`://` is missing after the scheme"))?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let (tail, fragment) = tail.split_once('#').unwrap_or((tail, ""));
    let (path, query) = tail.split_once('?').unwrap_or((tail, ""));
    let (user_info, server) = authority.rsplit_once('@').unwrap_or(("", authority));
    if user_info.is_empty() && (path.contains('@') || query.contains('@') || fragment.contains('@')) {
        return Err(unescaped());
    }
    let user = user_info.split(':').next().unwrap_or_default();
    if has_wrong_port(server) {
        return Err(wrong("the port is not a number from 1 to 65535").with_hint("check the URL"));
    }
    let (host, port) = host_and_port(server).ok_or_else(unescaped)?;
    Ok(Location {
        user: decoded(user),
        host: host.to_owned(),
        port: port.unwrap_or(default_port),
        database: decoded(path.trim_start_matches('/')),
        tls: parameters(query).find(|(key, _)| is_tls(key)).map(|(_, mode)| mode.to_owned()),
        names_authorities: parameters(query)
            .any(|(key, _)| matches!(key, "sslrootcert" | "ssl-root-cert" | "ssl-ca" | "sslca")),
    })
}

/// `url` without its `sslmode=…`.
pub(super) fn without_tls(url: &str) -> String {
    let Some((base, query)) = url.split_once('?') else { return url.to_owned() };
    let kept = query.split('&').filter(|pair| !is_tls(pair.split('=').next().unwrap_or_default()));
    format!("{base}?{}", kept.collect::<Vec<_>>().join("&"))
}

fn parameters(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter_map(|pair| pair.split_once('='))
}

fn is_tls(key: &str) -> bool {
    matches!(key, "sslmode" | "ssl-mode")
}

/// The authorities to trust: the mapping's file, else those that the URL names itself (`None`), else
/// the system's bundle where one is known.
pub(super) fn authorities(
    settings: &SourceSettings,
    location: &Location,
) -> Result<Option<PathBuf>, SourceError> {
    if let Some(file) = &settings.ca_file {
        let file = file.get_ref();
        if file.is_file() {
            return Ok(Some(file.clone()));
        }
        let context = format!("read `ca_file` {}", file.display());
        return Err(SourceError::new(SourceErrorKind::Config, context, "no such file"));
    }
    if location.names_authorities {
        return Ok(None);
    }
    Ok(SYSTEM_BUNDLES.iter().map(Path::new).find(|path| path.is_file()).map(Path::to_path_buf))
}

/// Debian and Alpine, Fedora and RHEL, SUSE, macOS and the BSDs, Homebrew.
const SYSTEM_BUNDLES: [&str; 6] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/opt/homebrew/etc/ca-certificates/cert.pem",
];

pub(super) fn wrong(cause: &str) -> SourceError {
    SourceError::new(SourceErrorKind::Config, "read the source's url", cause)
}

fn unescaped() -> SourceError {
    wrong("host and port cannot be told apart from user and password").with_hint(
        "write the characters : / ? # [ ] @ % of a user name or password percent-encoded: # is %23, / is %2F",
    )
}

/// Digits in the place of the port that are none. They may be a password: nobody prints them.
fn has_wrong_port(server: &str) -> bool {
    let Some((_, port)) = server.rsplit_once(':') else { return false };
    let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    digits && !matches!(port.parse::<u16>(), Ok(1..))
}

fn host_and_port(server: &str) -> Option<(&str, Option<u16>)> {
    if let Some(rest) = server.strip_prefix('[') {
        let (host, after) = rest.split_once(']')?;
        return match after.strip_prefix(':') {
            Some(port) => Some((host, Some(port.parse().ok()?))),
            None => after.is_empty().then_some((host, None)),
        };
    }
    match server.split_once(':') {
        Some((host, port)) => Some((host, Some(port.parse().ok()?))),
        None => Some((server, None)),
    }
}

/// Percent-decoded where that gives text, else as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escape = tail.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_everything_but_the_password() {
        let at = |url| location(url, 5432).map(|found| found.address()).unwrap_or_else(|error| error.cause);
        assert_eq!(
            at("postgres://app:p%40ss@db.example:6000/shop?sslmode=require"),
            "app@db.example:6000/shop"
        );
        assert_eq!(at("postgres://[::1]/my%20shop"), "[::1]:5432/my shop");
        assert_eq!(at("mysql://db"), "db:5432/");
    }

    /// C12.
    #[test]
    fn unescaped_passwords_are_explained_not_printed() {
        for url in
            ["postgres://u:p#w@h/db", "postgres://u:p/w@h/db", "postgres://u:p?w@h/db", "postgres:/u:pw@h/db"]
        {
            let error = location(url, 1).err().unwrap();
            assert!(
                !format!("{error} {:?}", error.hint).contains('w') || error.kind == SourceErrorKind::Config
            );
            assert!(!error.to_string().contains("p#w"), "{error}");
        }
        assert!(dialect("postgress://h/db").is_err());
    }

    #[test]
    fn only_this_machine_is_local() {
        let local = |url| location(url, 1).is_ok_and(|found| found.is_local());
        assert!(local("mysql://127.0.0.1/x") && local("mysql://[::1]/x") && local("mysql://localhost/x"));
        assert!(!local("mysql://10.0.0.1/x") && !local("mysql://db/x"));
    }
}
