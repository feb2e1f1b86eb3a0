//! The one integration binary.

mod target;
