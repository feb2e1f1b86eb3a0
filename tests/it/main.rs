//! The one integration binary.
//!
//! What the tests stand on: [`servers`] (databases of their own on real servers), [`tool`] (the built
//! binary), [`dynamodb`] (the embedded DynamoDB and a plain client), [`front`] (a DynamoDB that
//! misbehaves on demand), [`compare`] (the independent comparison), [`stage`] (a database, a mapping and an
//! endpoint together). Run it through `./test`, which
//! starts the servers.

// A test fails by panicking, and counts in whatever number is at hand.
#![allow(
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    missing_debug_implementations,
    unreachable_pub
)]

mod bad_input;
mod bad_mappings;
mod cases;
mod check;
mod chinook;
mod collisions;
mod command_line;
mod compare;
mod completions;
mod demo;
mod documents;
mod dry_run;
mod dynamodb;
mod enable_ttl;
mod examples;
mod front;
mod ground;
mod help;
mod http;
mod identifiers;
mod json;
mod keys;
mod layering;
mod load;
mod man;
mod messages;
mod mutations;
mod near;
mod oracle;
mod orphans;
mod preview;
mod repair;
mod resilience;
mod schema;
mod servers;
mod sharding;
mod shop;
mod source;
mod stage;
mod status;
mod table;
mod target;
mod tool;
mod types;
mod verify;
mod witness;
