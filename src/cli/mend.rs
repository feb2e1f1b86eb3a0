//! `verify --repair`: what is said and asked before anything is mended.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::destination::Destination;
use super::failure::{Exit, Failure};
use super::help::SAFETY;
use super::project::Project;
use super::terminal::Terminal;
use super::verify::VerifyArgs;
use crate::load::{Pace, Pacer, StateFolder};
use crate::plan::Plan;
use crate::target::Discard;
use crate::verify::{Mend, Repair, RepairLog};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RepairArgs {
    /// Put what is missing and replace what differs, as long as nobody else changes it
    #[arg(long)]
    pub repair: bool,
    /// Show what --repair, --delete-orphans and --enable-ttl would do, write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Yes, --repair and --delete-orphans may write to the table
    #[arg(long, help_heading = SAFETY)]
    pub yes: bool,
    /// Hash the keys of rows and items in the report, and those of rows in repairs.jsonl
    #[arg(long, help_heading = SAFETY)]
    pub redact: bool,
}

/// Who mends, if anybody; holds the lock of the state folder as long as it lives.
#[derive(Default)]
pub(crate) struct Repairs {
    pub mend: Option<Arc<dyn Mend>>,
    _lock: Option<StateFolder>,
}

impl fmt::Debug for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repairs").field("some", &self.mend.is_some()).finish_non_exhaustive()
    }
}

impl Repairs {
    /// Says what will be written to; fails where that was not asked for with `--yes`.
    pub(crate) fn begin(
        args: &VerifyArgs,
        project: &Project,
        plan: &Plan,
        destination: &Destination,
        folder: &Path,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let RepairArgs { repair, dry_run, yes, redact } = args.repair;
        let delete_orphans = args.orphans.delete_orphans;
        if !repair && !delete_orphans {
            return Ok(Repairs::default());
        }
        let lookup = Arc::new(destination.dynamodb.clone());
        let indexes = plan.table.indexes.len();
        let pace = destination.pace(project.mapping().write.rate, &plan.table);
        let concurrency = usize::from(args.concurrency);
        if dry_run {
            let (log, pacer) = (RepairLog::nowhere(), Pacer::new(&Pace::Unlimited));
            let mend = Repair::new(Arc::new(Discard), lookup, log, pacer, indexes, concurrency);
            return Ok(Repairs { mend: Some(Arc::new(mend)), _lock: None });
        }
        let place = destination.describe();
        if repair {
            terminal.remark(&format!(
                "repair: missing items are put and different ones replaced in {place}, each only as long as what was read of it still holds"
            ));
        }
        if delete_orphans {
            terminal.remark(&format!(
                "orphans: items of the mapping's entities that have no row are deleted from {place}, each only as long as what was read of it still holds"
            ));
        }
        destination.warnings(0).iter().for_each(|warning| terminal.remark(&format!("warning: {warning}")));
        if !yes {
            return Err(not_asked_for(if repair { "--repair" } else { "--delete-orphans" }));
        }
        let lock = StateFolder::open(folder)?;
        let log = RepairLog::in_folder(folder, redact)?;
        let pacer = Pacer::new(&pace);
        let mend = Repair::new(Arc::clone(&lookup), lookup, log, pacer, indexes, concurrency);
        Ok(Repairs { mend: Some(Arc::new(mend)), _lock: Some(lock) })
    }
}

fn not_asked_for(flag: &str) -> Failure {
    Failure::new(Exit::Usage, "repair-not-confirmed", format!("{flag} writes to the table"))
        .with_help("say --yes if that is meant; --dry-run shows what would be done")
}
