//! The one integration binary.

mod bad_mappings;
