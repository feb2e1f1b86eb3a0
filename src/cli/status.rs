//! `migrate status`: what the checkpoint says. Needs neither the source nor the table.

use std::path::Path;

use clap::Args;
use indexmap::IndexMap;

use super::OutputArgs;
use super::failure::{Exit, Failure};
use super::project::{MappingArgs, Project, StateArgs};
use super::terminal::Terminal;
use crate::load::{CHECKPOINT_FILE, Checkpoint, EntityCheckpoint, REJECTS_FILE};
use crate::report::{EntityStatus, Progress, StatusReport, status_text};

/// Say how far the load got; asks neither the source nor the table
#[derive(Debug, Args)]
#[command(before_help = WHAT, after_help = EXAMPLES)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    mapping: MappingArgs,
    #[command(flatten)]
    state: StateArgs,
    #[command(flatten)]
    output: OutputArgs,
}

const WHAT: &str = "\
Reads the checkpoint and nothing else, also while a load is running. Connects to neither the source nor the \
table, and changes nothing.";

const EXAMPLES: &str = "\
Examples:
  migrate status -m shop.toml
  migrate status -m shop.toml --json | jq .outcome";

pub(crate) fn run(args: &StatusArgs) -> Exit {
    let terminal = Terminal::new(&args.output);
    let report = match status(args, &terminal) {
        Ok(report) => report,
        Err(failure) => return terminal.fail("status", &failure),
    };
    if terminal.json {
        terminal.document(&report);
    } else {
        terminal.data(&status_text(&report, terminal.style()));
    }
    Exit::Done
}

fn status(args: &StatusArgs, terminal: &Terminal) -> Result<StatusReport, Failure> {
    let project = Project::open(&args.mapping.mapping, terminal)?;
    let table = project.table()?.name.get_ref().clone();
    let folder = project.state_folder(&args.state)?;
    let checkpoint = Checkpoint::read(&folder)?;
    let names = project.mapping().entities.iter().map(|entity| entity.name.get_ref().clone());
    let entities: IndexMap<String, EntityStatus> = names
        .map(|name| {
            let recorded = checkpoint.as_ref().and_then(|checkpoint| checkpoint.entity(&name));
            (name, recorded.map(entity_status).unwrap_or_default())
        })
        .collect();
    let rejected = entities.values().any(|entity| entity.rejected > 0);
    let file = |name: &str| path(&folder, name);
    Ok(StatusReport {
        command: "status",
        outcome: progress(checkpoint.is_some(), &entities),
        table,
        snapshots: checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.snapshots),
        checkpoint: checkpoint.as_ref().map(|_| file(CHECKPOINT_FILE)),
        rejects_file: rejected.then(|| file(REJECTS_FILE)),
        entities,
        error: None,
    })
}

fn progress(begun: bool, entities: &IndexMap<String, EntityStatus>) -> Progress {
    match (begun, entities.values().all(|entity| entity.done)) {
        (false, _) => Progress::NotBegun,
        (true, true) => Progress::Done,
        (true, false) => Progress::Unfinished,
    }
}

fn entity_status(recorded: &EntityCheckpoint) -> EntityStatus {
    let tally = recorded.tally();
    let count = |ranges: usize| u64::try_from(ranges).unwrap_or(u64::MAX);
    EntityStatus {
        done: recorded.is_done(),
        read: tally.rows,
        written: tally.written,
        rejected: tally.rejected(),
        rejected_by: tally.rejected_by.into_iter().collect(),
        skipped: tally.skipped_by.values().sum(),
        skipped_by: tally.skipped_by.into_iter().collect(),
        ranges: count(recorded.ranges.len()),
        ranges_done: count(recorded.ranges.iter().filter(|range| range.done).count()),
    }
}

fn path(folder: &Path, file: &str) -> String {
    folder.join(file).display().to_string()
}
