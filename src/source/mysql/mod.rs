//! MySQL and MariaDB.

mod catalog;
mod error;
mod read;
mod session;
mod snapshot;
mod sql;
mod types;
mod value;

pub(super) use read::Reader;
pub(super) use session::Session;
