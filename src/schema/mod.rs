//! The target table as a definition: what CreateTable, Terraform, CloudFormation and the others say,
//! each in its own words. Pure; knows no SDK.

mod table;

pub use table::{IndexDefinition, KeyElement, KeyRole, TableDefinition, table_definition};
