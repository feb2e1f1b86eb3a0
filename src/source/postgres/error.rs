//! What PostgreSQL's error codes mean to a migration.

use sqlx::error::DatabaseError;
use sqlx::postgres::PgDatabaseError;

use crate::source::error::{self, Step, Verdict};
use crate::source::{SourceError, SourceErrorKind};

/// The driver's error as ours.
pub(super) fn failure(error: &sqlx::Error, step: Step, context: impl Into<String>) -> SourceError {
    error::from_driver(error, step, context, judge)
}

fn judge(said: &dyn DatabaseError, step: Step) -> Verdict {
    let code = said.code();
    let code = code.as_deref().unwrap_or_default();
    let mut verdict = by_code(code, step);
    // One code for both: only the words tell, and only the hint goes by them.
    if code == "42501" && said.message().contains("row-level security") {
        verdict = verdict.hint("connect as the table's owner or as a role with BYPASSRLS: rows that a policy hides would be lost");
    }
    let theirs = said.try_downcast_ref::<PgDatabaseError>().and_then(PgDatabaseError::hint);
    verdict.hint = verdict.hint.or_else(|| theirs.map(str::to_owned));
    // Class 22: a value did not fit; 23 and 21 likewise.
    let reads = matches!(step, Step::Read | Step::Value);
    verdict.quotes_values = reads && matches!(code.get(..2), Some("21" | "22" | "23"));
    verdict
}

fn by_code(code: &str, step: Step) -> Verdict {
    use SourceErrorKind::{
        Authentication, Connect, KeyValue, Lost, NoDatabase, Permission, SchemaChanged, Server, Sql,
    };
    let class = code.get(..2).unwrap_or_default();
    match (code, class, step) {
        ("28P01", ..) => Verdict::of(Authentication).hint("check user and password in the URL, where a % is written %25"),
        (_, "28", _) => Verdict::of(Authentication)
            .hint("the server's pg_hba.conf must let this user in from here, perhaps only with sslmode=require"),
        ("3D000", ..) => Verdict::of(NoDatabase).hint("check the database name at the end of the URL"),
        ("42501", ..) => Verdict::of(Permission).hint(
            "GRANT SELECT on the table to this user; where row-level security hides rows, connect as the table's \
             owner or as a role with BYPASSRLS",
        ),
        ("42P05" | "26000", ..) => Verdict::of(if step == Step::Connect { Connect } else { Server })
            .hint("connect to the server itself, not through a pooler such as pgbouncer"),
        ("08P01", _, Step::Connect) => Verdict::of(Connect)
            .hint("connect to the server itself: a pooler such as pgbouncer refuses session settings"),
        // Whatever was being done: what it was done to is fine.
        ("40001", ..) => Verdict::of(Lost)
            .hint("a replica cancelled the read: set hot_standby_feedback = on, or read from the primary"),
        (_, _, Step::Connect) => Verdict::of(Connect),
        (_, "08", _) | ("57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "25P04" | "72000", ..) => {
            Verdict::of(Lost)
        }
        (_, _, Step::Prepare(piece)) => Verdict::of(Sql(piece)),
        (_, "22" | "23", Step::Value) => Verdict::of(KeyValue),
        ("42703" | "42P01" | "0A000", ..) => {
            Verdict::of(SchemaChanged).hint("the table was altered while it was read; run again")
        }
        ("22021" | "22P05", _, Step::Read) => Verdict::of(Server)
            .hint("a text that has no form in UTF-8: leave its row out with `where`, or make another of it with `let`"),
        _ => Verdict::of(Server),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R11: as pgbouncer 1.18 says it, with and without ignore_startup_parameters.
    #[test]
    fn r11_a_pooler_is_told_from_a_server_in_trouble() {
        for code in ["08P01", "42P05", "26000"] {
            let verdict = by_code(code, Step::Connect);
            assert_eq!(verdict.kind, SourceErrorKind::Connect, "{code}");
            assert!(verdict.hint.unwrap().contains("pgbouncer"), "{code}");
        }
    }

    #[test]
    fn r07_a_cancelled_read_is_lost_whatever_was_done() {
        for step in [Step::Connect, Step::Read, Step::Prepare(crate::source::Piece::Rows)] {
            assert_eq!(by_code("40001", step).kind, SourceErrorKind::Lost);
        }
    }
}
