//! Flags and help of `migrate run`.

use clap::Args;

use crate::cli::OutputArgs;
use crate::cli::help::{PACE, SAFETY};
use crate::cli::project::{MappingArgs, StateArgs};
use crate::mapping::Rate;

/// Load the source into the table, or show what would be loaded
#[derive(Debug, Clone, Args)]
#[command(before_help = WHAT, after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub mapping: MappingArgs,
    /// Make the item of every row, show what would be written, write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Forget the checkpoint and load again from the first row
    #[arg(long, conflicts_with = "dry_run")]
    pub restart: bool,
    /// Only these entities, separated by commas
    #[arg(long, value_name = "ENTITY", value_delimiter = ',')]
    pub only: Vec<String>,
    /// At most this many more rows of each entity; marks none as done
    #[arg(long, value_name = "ROWS", value_parser = parse_rows)]
    pub limit: Option<u64>,
    /// Write capacity units (WCU) a second, indexes included, or "auto" for what the table takes [default:
    /// write.rate of the mapping, else auto]
    #[arg(long, help_heading = PACE, value_name = "WCU", value_parser = parse_rate)]
    pub rate: Option<Rate>,
    /// Requests in flight at most, 1 to 1024 [default: write.concurrency of the mapping, else 16]
    #[arg(long, help_heading = PACE, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub concurrency: Option<u16>,
    #[command(flatten)]
    pub state: StateArgs,
    /// Create the table when it does not exist, as [table.create] says
    #[arg(long)]
    pub create_table: bool,
    /// Stop after more rejected rows than this [default: write.max_rejects of the mapping, else 1000]
    #[arg(long, help_heading = SAFETY, value_name = "ROWS", value_parser = parse_count)]
    pub max_rejects: Option<u64>,
    /// Write although the table holds items that no checkpoint or no entity of the mapping knows, or although
    /// the source's snapshot is held longer than source.snapshot_limit
    #[arg(long, help_heading = SAFETY)]
    pub yes: bool,
    /// Hash the source keys in rejects.jsonl, and show no items in a dry run
    #[arg(long, help_heading = SAFETY)]
    pub redact: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

const WHAT: &str = "\
Reads the mapped tables in one snapshot, makes an item of each row and writes the items in batches, no faster \
than the table takes them. After a stop of any kind the same command goes on where the checkpoint says; a finished \
load is not written again. Never changes the source, deletes no item, and writes into a table with other items only \
with --yes. With --dry-run it writes nothing and says what a load would do and cost.";

const EXAMPLES: &str = "\
Examples:
  migrate run -m shop.toml --dry-run           every row, nothing written
  migrate run -m shop.toml --create-table      make the table and load it
  migrate run -m shop.toml                     go on after a stop
  migrate run -m shop.toml --only User,Order --limit 100
  migrate run -m shop.toml --rate 500          500 WCU a second
  migrate -m shop.toml                         the same as `migrate run`";

fn parse_rows(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(rows @ 1..) => Ok(rows),
        _ => Err("expected a number of rows, at least 1".to_owned()),
    }
}

fn parse_count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a number of rows, 0 for none".to_owned())
}

fn parse_rate(text: &str) -> Result<Rate, String> {
    match (text, text.parse::<u64>()) {
        ("auto", _) => Ok(Rate::Auto),
        (_, Ok(rate)) if rate >= 1 => Ok(Rate::Fixed(rate)),
        _ => Err("expected \"auto\" or whole write capacity units per second, at least 1".to_owned()),
    }
}
