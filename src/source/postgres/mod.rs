//! PostgreSQL.

mod catalog;
mod error;
mod read;
mod session;
mod sql;
mod types;
mod value;

pub(super) use read::Reader;
pub(super) use session::Session;
