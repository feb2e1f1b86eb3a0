//! Looks for a source that has gone away.

use std::time::Duration;

use tokio::sync::watch;

use super::{End, Event, Load, LoadError, stopped};
use crate::source::{Source, SourceError, SourceErrorKind};

/// How often and how long a lost source is looked for.
const RECONNECTS: u32 = 8;

/// The search for a lost source, with growing pauses, about a minute in all; it begins anew whenever the
/// load got further in between. A source that is lost at the same row every time is given up.
#[derive(Debug, Default)]
pub(super) struct Search {
    attempts: u32,
    lost: bool,
}

impl Search {
    /// The load got further.
    pub(super) fn begin_anew(&mut self) {
        self.attempts = 0;
    }

    /// A source that has been lost may refuse connections for a while after it is back.
    pub(super) fn is_worth_it(&self, error: &SourceError) -> bool {
        error.kind == SourceErrorKind::Lost || (self.lost && error.kind == SourceErrorKind::Connect)
    }

    pub(super) async fn reconnect<T>(
        &mut self,
        load: &Load<T>,
        lost: SourceError,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<Source, End> {
        self.lost = true;
        let mut last = lost;
        while self.attempts < RECONNECTS {
            load.observe.emit(Event::SourceLost { cause: last.to_string() });
            let pause = Duration::from_millis(250)
                .saturating_mul(2u32.saturating_pow(self.attempts))
                .min(Duration::from_secs(15));
            self.attempts += 1;
            tokio::select! {
                () = stopped(stop) => return Err(End::Interrupted),
                () = tokio::time::sleep(pause) => {}
            }
            match Source::connect(&load.source).await {
                Ok(source) => return Ok(source),
                Err(error) => last = error,
            }
        }
        Err(End::Failed(LoadError::Source(last)))
    }
}
