//! dynamigrate moves relational data (PostgreSQL, MySQL/MariaDB, SQLite) into Amazon DynamoDB.
//!
//! How a row travels, one hop and one named type each:
//!
//! ```text
//! mapping.toml → Mapping ─┐
//! source catalog ─────────┴→ Plan → ranges of keys → page of rows → item (wire bytes, key, size)
//!    → batch → pacer → target → acknowledged → watermark → checkpoint      Events → progress, report
//! ```
//!
//! The library is silent: it returns values and emits [`load::Event`]s. Only [`cli`] prints, reads
//! the environment and decides on exit codes. ARCHITECTURE.md tells where everything lives and the
//! invariants that hold it together.

pub mod cli;
pub mod item;
pub mod keys;
pub mod load;
pub mod mapping;
pub mod near;
pub mod plan;
pub mod preview;
pub mod report;
pub mod schema;
pub mod source;
pub mod target;
pub mod verify;
pub mod witness;
