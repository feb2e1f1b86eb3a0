//! Tests of the whole: mappings and relations in, plans and findings out.

mod attributes;
mod fingerprints;
mod indexes;
mod keys;
mod lints;
mod mistakes;
mod proofs;
mod recognize;
