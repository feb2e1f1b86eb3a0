//! Values of every type, from real databases: what they become, what is rejected, and that a load of them
//! is proven by `migrate verify`. docs/types.md is held against the databases in [`document`].

mod document;
mod fixtures;
mod values;
