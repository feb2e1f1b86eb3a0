//! Ctrl-C and SIGTERM: the first one asks for an orderly stop, the second one exits at once.

use std::sync::OnceLock;

use tokio::sync::watch;

use super::terminal::Terminal;

/// Turns true at the first signal. One for the process: a command of several steps stops as a whole.
pub(crate) fn stop_on_signal(terminal: &Terminal) -> watch::Receiver<bool> {
    static STOPPED: OnceLock<watch::Receiver<bool>> = OnceLock::new();
    STOPPED.get_or_init(|| listen(terminal)).clone()
}

fn listen(terminal: &Terminal) -> watch::Receiver<bool> {
    let (stop, stopped) = watch::channel(false);
    let terminal = terminal.clone();
    let mut signals = Signals::listen();
    tokio::spawn(async move {
        signals.next().await;
        terminal.remark("stopping: finishing what is in flight (a second Ctrl-C exits at once)");
        // Without a listener there is nothing left to stop.
        let _ = stop.send(true);
        signals.next().await;
        std::process::exit(130);
    });
    stopped
}

/// Ctrl-C and SIGTERM from one moment on; none is missed between two questions.
#[cfg(unix)]
struct Signals {
    interrupt: Option<tokio::signal::unix::Signal>,
    terminate: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self {
            interrupt: signal(SignalKind::interrupt()).ok(),
            terminate: signal(SignalKind::terminate()).ok(),
        }
    }

    /// The next one; never, where signals cannot be had.
    async fn next(&mut self) {
        tokio::select! {
            () = received(&mut self.interrupt) => {}
            () = received(&mut self.terminate) => {}
        }
    }
}

#[cfg(unix)]
async fn received(signal: &mut Option<tokio::signal::unix::Signal>) {
    let received = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if received.is_none() {
        std::future::pending::<()>().await;
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> Self {
        Self
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
