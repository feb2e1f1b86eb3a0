//! Pages of rows → batches → pacer → target → watermark → checkpoint, and the way back on resume.

use crate::source::SourceError;
use crate::target::TargetError;

/// What happens during a load, for progress displays. The library prints nothing itself.
#[derive(Debug, Clone)]
pub enum Event {
    /// A snapshot is open; `number` counts those of the whole load.
    SnapshotOpened {
        number: u32,
    },
    /// A page of rows was read and built.
    Read {
        entity: usize,
        rows: u64,
        rejected: u64,
    },
    /// Items were acknowledged.
    Written {
        entity: usize,
        items: u64,
        units: u64,
    },
    /// The target slowed the load down: `GSI1 key range`, in words.
    Throttled {
        reason: String,
    },
    /// The source is gone; trying again.
    SourceLost {
        attempt: u32,
    },
    EntityDone {
        entity: usize,
    },
}

/// Why a load ended early. What was acknowledged is in the checkpoint.
#[derive(Debug)]
pub enum LoadError {
    Source(SourceError),
    Target(TargetError),
}
