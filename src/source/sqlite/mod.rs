//! SQLite.

mod catalog;
mod error;
mod read;
mod script;
mod session;
mod sql;
mod types;
mod value;

pub(super) use read::Reader;
pub use script::write_sqlite;
pub(super) use session::Session;
