//! `[source]`

use std::path::PathBuf;

use toml::Spanned;
use toml::de::DeValue;

use super::section::{Keys, Section};
use super::url::{self, Dialect};
use super::walker::{Read, Value, Walker};
use super::{duration, root};
use crate::mapping::diagnostic::Diagnostic;
use crate::mapping::{Secret, SnapshotMode, SourceSettings};

pub(in crate::mapping) const KEYS: Keys =
    Keys { known: &["url", "snapshot", "snapshot_limit", "readers", "page_rows", "ca_file"], later: &[] };

const DEFAULT_SNAPSHOT_LIMIT: std::time::Duration = std::time::Duration::from_secs(60 * 60);

pub(super) fn read<'a>(walker: &mut Walker<'a>, root: &Section<'a>) -> Read<SourceSettings> {
    let section =
        root::required_section(walker, root, "source", &KEYS, "[source]\nurl = \"${DATABASE_URL}\"")?;
    let url = read_url(walker, &section);
    let snapshot = section.optional(walker, "snapshot", snapshot_mode);
    let snapshot_limit = section.optional(walker, "snapshot_limit", duration::read);
    let readers =
        section.optional(walker, "readers", |walker, key, value| walker.integer(key, value, 1..=64));
    let page_rows =
        section.optional(walker, "page_rows", |walker, key, value| walker.integer(key, value, 1..=1_000_000));
    let ca_file = section.optional(walker, "ca_file", path);
    let (url, dialect) = url?;
    let snapshot = snapshot?.unwrap_or(SnapshotMode::Shared);
    if snapshot == SnapshotMode::Lock {
        lock_needs_mysql(walker, &section, dialect)?;
    }
    Ok(SourceSettings {
        url,
        snapshot,
        snapshot_limit: snapshot_limit?.unwrap_or(DEFAULT_SNAPSHOT_LIMIT),
        readers: readers?.map_or(4, |readers| usize::try_from(readers).unwrap_or(usize::MAX)),
        page_rows: page_rows?.unwrap_or(5000),
        ca_file: ca_file?,
        missing: walker.take_missing(),
    })
}

/// The dialect is not known while a variable of the scheme is missing.
fn read_url<'a>(walker: &mut Walker<'a>, section: &Section<'a>) -> Read<(Spanned<Secret>, Option<Dialect>)> {
    let help = "for example url = \"${DATABASE_URL}\"";
    let value = section.required(walker, "url", help)?;
    let text = walker.text("url", value)?;
    let scheme_is_known = text.value.split_once("${").is_none_or(|(before, _)| before.contains("://"));
    let dialect = if text.complete {
        Some(url::check(&text.value))
    } else if scheme_is_known {
        Some(url::check_scheme(&text.value).map(|(dialect, _)| dialect))
    } else {
        None
    };
    let dialect = dialect.transpose().map_err(|mistake| {
        let from = if text.from_environment { " (it comes from the environment)" } else { "" };
        let message = format!("{}{from}", mistake.message);
        walker.report(Diagnostic::error("invalid-url", value.span(), message).with_help(mistake.help))
    })?;
    Ok((Spanned::new(value.span(), Secret::new(text.value)), dialect))
}

fn snapshot_mode<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<SnapshotMode> {
    if let DeValue::Boolean(flag) = value.get_ref() {
        return Ok(if *flag { SnapshotMode::Shared } else { SnapshotMode::None });
    }
    let text = walker.text_or(key, "true, false or \"lock\"", value)?;
    walker.choice(key, &text, &[("lock", SnapshotMode::Lock)])
}

fn lock_needs_mysql(walker: &mut Walker<'_>, section: &Section<'_>, dialect: Option<Dialect>) -> Read<()> {
    let Some(entry) = section.get("snapshot").filter(|_| dialect.is_some_and(|d| d != Dialect::MySql)) else {
        return Ok(());
    };
    let mistake = Diagnostic::error(
        "wrong-source",
        entry.value.span(),
        "`snapshot = \"lock\"` is for MySQL and MariaDB only",
    )
    .with_help("take it out: PostgreSQL and SQLite share a snapshot without locks");
    Err(walker.report(mistake))
}

fn path<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Spanned<PathBuf>> {
    let text = walker.text(key, value)?;
    Ok(Spanned::new(text.span, PathBuf::from(text.value)))
}
