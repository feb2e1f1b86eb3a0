//! The bundled DynamoDB: a server on this machine only, in memory or on a file.

use std::fs::{File, OpenOptions, TryLockError};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use dynoxide::Database;
use tokio::sync::oneshot;

use super::{TargetError, TargetErrorKind};

/// How long requests that are being served may take to finish when the server stops.
const LAST_REQUESTS: Duration = Duration::from_secs(5);

/// A running server; stops when dropped. It has a thread and a runtime of its own, so that it serves
/// whatever the caller does.
#[derive(Debug)]
pub struct Embedded {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// Held as long as the file is open.
    _lock: Option<File>,
}

impl Embedded {
    /// Keeps everything in memory, on a free port.
    pub fn memory() -> Result<Embedded, TargetError> {
        Self::serve(0, None)
    }

    /// Keeps everything in a file that only its owner may read, on a free port.
    pub fn file(path: &Path) -> Result<Embedded, TargetError> {
        Self::serve(0, Some(path))
    }

    /// Serves on 127.0.0.1; port 0 is any free one, see [`Embedded::address`].
    pub fn serve(port: u16, file: Option<&Path>) -> Result<Embedded, TargetError> {
        let listener = listen(port)?;
        let (database, lock) = match file {
            Some(path) => open(path)?,
            None => {
                (Database::memory().map_err(|error| failed("start the embedded DynamoDB", &error))?, None)
            }
        };
        let context = "start the embedded DynamoDB";
        let address = listener.local_addr().map_err(|error| failed(context, &error))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("embedded-dynamodb")
            .enable_all()
            .build()
            .map_err(|error| failed(context, &error))?;
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name("embedded-dynamodb".to_owned())
            .spawn(move || run(runtime, listener, database, stopped))
            .map_err(|error| failed(context, &error))?;
        Ok(Embedded { address, stop: Some(stop), thread: Some(thread), _lock: lock })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:8000`
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stops serving; returns when the file is closed.
    pub fn shutdown(mut self) {
        self.stop();
    }

    fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    database: Database,
    stopped: oneshot::Receiver<()>,
) {
    runtime.block_on(async move {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        let (ended, end) = oneshot::channel();
        let until = async move {
            let _ = stopped.await;
            let _ = ended.send(());
        };
        let serving = dynoxide::server::serve_with_shutdown(listener, database, until);
        // A client that never finishes its request must not hold the stop up.
        let overdue = async move {
            let _ = end.await;
            tokio::time::sleep(LAST_REQUESTS).await;
        };
        tokio::select! {
            _ = serving => {}
            () = overdue => {}
        }
    });
    runtime.shutdown_timeout(LAST_REQUESTS);
}

fn listen(port: u16) -> Result<TcpListener, TargetError> {
    let context = format!("listen on 127.0.0.1:{port}");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        let taken = error.kind() == std::io::ErrorKind::AddrInUse;
        let error = failed(&context, &error);
        if taken {
            error.with_hint("another program uses this port: choose one with `--port`, or 0 for any")
        } else {
            error
        }
    })?;
    listener.set_nonblocking(true).map_err(|error| failed(&context, &error))?;
    Ok(listener)
}

fn open(path: &Path) -> Result<(Database, Option<File>), TargetError> {
    let context = format!("open the embedded database {}", path.display());
    let path = std::path::absolute(path).map_err(|error| failed(&context, &error))?;
    let lock = lock(&context, &path)?;
    private().open(&path).map_err(|error| failed(&context, &error))?;
    let name = path.to_str().ok_or_else(|| failed(&context, &"its path is not UTF-8"))?;
    let database = Database::new(name).map_err(|error| failed(&context, &error))?;
    Ok((database, Some(lock)))
}

/// A file beside the database, because SQLite itself would let two processes in.
fn lock(context: &str, path: &Path) -> Result<File, TargetError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let file = private().open(PathBuf::from(name)).map_err(|error| failed(context, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(failed(context, &"another process has it open")
            .with_hint("stop the other `migrate`, or give this one a file of its own")),
        Err(TryLockError::Error(error)) => Err(failed(context, &error)),
    }
}

/// Creates a file for its owner only: it holds row data. SQLite gives its journals the same mode.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn failed(context: &str, cause: &dyn std::fmt::Display) -> TargetError {
    TargetError::new(TargetErrorKind::Config, context, cause.to_string())
}
