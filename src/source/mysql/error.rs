//! What MySQL's error numbers mean to a migration.

use sqlx::error::DatabaseError;
use sqlx::mysql::MySqlDatabaseError;

use crate::source::error::{self, Step, Verdict};
use crate::source::{SourceError, SourceErrorKind};

/// The driver's error as ours.
pub(super) fn failure(error: &sqlx::Error, step: Step, context: impl Into<String>) -> SourceError {
    error::from_driver(error, step, context, judge)
}

fn judge(said: &dyn DatabaseError, step: Step) -> Verdict {
    let number = said.try_downcast_ref::<MySqlDatabaseError>().map_or(0, MySqlDatabaseError::number);
    let mut verdict = by_number(number, step);
    // Truncated, incorrect, out of range: each quotes the value.
    verdict.quotes_values =
        step == Step::Read && matches!(number, 1264 | 1265 | 1292 | 1366 | 1406 | 1411 | 1690);
    verdict
}

fn by_number(number: u16, step: Step) -> Verdict {
    use SourceErrorKind::{
        Authentication, Connect, Lost, NoDatabase, Permission, SchemaChanged, Server, Sql,
    };
    match (number, step) {
        (1045 | 1698, _) => {
            Verdict::of(Authentication).hint("check user and password in the URL, where a % is written %25")
        }
        (1049 | 1046, _) => Verdict::of(NoDatabase).hint("check the database name at the end of the URL"),
        (1142 | 1143, _) => Verdict::of(Permission).hint("GRANT SELECT on the table to this user"),
        (1044 | 1227 | 1370, _) => Verdict::of(Permission).hint(
            "GRANT SELECT on the tables to this user; snapshot = \"lock\" needs LOCK TABLES too, and RELOAD \
             where the mapping has a query",
        ),
        (_, Step::Connect) => Verdict::of(Connect),
        // Shutdown, gone away, lost, killed.
        (1053 | 1317 | 1927 | 2006 | 2013 | 3169 | 4031, _) => Verdict::of(Lost),
        (_, Step::Prepare(piece)) => Verdict::of(Sql(piece)),
        (1054 | 1146 | 1412, _) => {
            Verdict::of(SchemaChanged).hint("the table was altered while it was read; run again")
        }
        (1205, _) => Verdict::of(Server).hint("another session holds a lock on the table; try again later"),
        _ => Verdict::of(Server),
    }
}
