//! `src/source` against real servers: TEST_POSTGRES_URL and TEST_MYSQL_URL name them, SQLite is a file.

// clippy.toml allows these in test functions; helpers of tests are none to it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod consistency;
mod cost;
pub(crate) mod database;
mod describe;
mod failures;
mod find;
mod key_kinds;
mod pages;
mod sessions;
