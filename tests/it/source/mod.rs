//! `src/source` against real servers: TEST_POSTGRES_URL and TEST_MYSQL_URL name them, SQLite is a file.

mod consistency;
mod cost;
mod database;
mod describe;
mod failures;
mod key_kinds;
mod pages;
mod sessions;
