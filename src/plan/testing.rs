//! Builders for tests.
