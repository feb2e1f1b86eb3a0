//! A position in the order of an entity's source key: bounds of ranges and pages, kept in checkpoints.

use serde::{Deserialize, Serialize};

/// The key columns' values of one row, in the order of the key. Compared only by the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key(pub Vec<KeyPart>);

/// One value in a form that can be bound again exactly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyPart {
    /// PostgreSQL: the server's own text of any type. MySQL: text, decimals, dates.
    Text(String),
    /// PostgreSQL without an encoding, SQLite: the bytes of a text that is not UTF-8.
    RawText(Vec<u8>),
    Integer(i64),
    Unsigned(u64),
    Bytes(Vec<u8>),
    /// SQLite: the bits of a float.
    Real(u64),
}

impl KeyPart {
    /// Of a text as it arrived.
    pub(super) fn text(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::RawText(bytes.to_vec()),
        }
    }
}
