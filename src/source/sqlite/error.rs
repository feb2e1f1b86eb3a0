//! What SQLite's result codes mean to a migration.

use sqlx::error::DatabaseError;

use crate::source::error::{self, Step, Verdict};
use crate::source::{SourceError, SourceErrorKind};

/// The driver's error as ours.
pub(super) fn failure(error: &sqlx::Error, step: Step, context: impl Into<String>) -> SourceError {
    let mut failure = error::from_driver(error, step, context, judge);
    failure.cause = with_quoted_name(failure.cause);
    failure
}

/// SQLite writes names as they are, blanks included.
fn with_quoted_name(cause: String) -> String {
    let heads = ["no such table: ", "no such column: ", "no such function: ", "no such collation sequence: "];
    match heads.into_iter().find_map(|head| Some((head, cause.strip_prefix(head)?))) {
        Some((head, name)) => format!("{head}`{name}`"),
        None => cause,
    }
}

fn judge(said: &dyn DatabaseError, step: Step) -> Verdict {
    let extended: i32 = said.code().and_then(|code| code.parse().ok()).unwrap_or(0);
    match (extended & 0xff, step) {
        (5 | 6, _) => Verdict::of(SourceErrorKind::Server)
            .hint("another process holds the database: end its transaction, or use journal_mode = WAL"),
        (3 | 23, _) => {
            Verdict::of(SourceErrorKind::Permission).hint("this user must be able to read the file")
        }
        (14, _) => Verdict::of(SourceErrorKind::Connect).hint(
            "this user must be able to read the file, and where it is in WAL mode to write into its folder",
        ),
        (26, _) => Verdict::of(SourceErrorKind::Config).hint("the url must name a SQLite database"),
        (11, _) => Verdict::of(SourceErrorKind::Server).hint("the file is damaged: see sqlite3's .recover"),
        (10, Step::Read) => Verdict::of(SourceErrorKind::Lost),
        (17, Step::Read) => Verdict::of(SourceErrorKind::SchemaChanged)
            .hint("the table was altered while it was read; run again"),
        (_, Step::Prepare(piece)) => Verdict::of(SourceErrorKind::Sql(piece)),
        (_, Step::Connect) => Verdict::of(SourceErrorKind::Connect),
        _ => Verdict::of(SourceErrorKind::Server),
    }
}
