//! The one integration binary.

mod source;
