//! Ctrl-C and SIGTERM: the first one asks for an orderly stop, the second one exits at once.

use tokio::sync::watch;

use super::terminal::Terminal;

/// Turns true at the first signal.
pub(crate) fn stop_on_signal(terminal: &Terminal) -> watch::Receiver<bool> {
    let (stop, stopped) = watch::channel(false);
    let terminal = terminal.clone();
    tokio::spawn(async move {
        signal().await;
        terminal.complain("stopping: finishing what is in flight and saving (a second Ctrl-C exits at once)");
        // Without a listener there is nothing left to stop.
        let _ = stop.send(true);
        signal().await;
        std::process::exit(130);
    });
    stopped
}

/// The next Ctrl-C or SIGTERM; never, where signals cannot be had.
async fn signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupt => {}
        () = terminate() => {}
    }
}

#[cfg(unix)]
async fn terminate() {
    match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminate() {
    std::future::pending().await
}
