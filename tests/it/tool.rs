//! The built binary, run as a user runs it: arguments, environment, a folder of its own; and ended in
//! every way a process can end.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::dynamodb::PATIENCE;
use crate::servers;

/// A folder with a mapping and whatever else a run leaves there.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A copy of a file of the repository, under its own name.
    pub fn copy(&self, path: &str) -> PathBuf {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let text = std::fs::read_to_string(&from).unwrap_or_else(|e| panic!("{}: {e}", from.display()));
        self.write(from.file_name().unwrap().to_str().unwrap(), &text)
    }

    pub fn read(&self, name: &str) -> String {
        let path = self.path().join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// All files under it, as paths relative to it, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        collect_files(self.path(), self.path(), &mut files);
        files.sort();
        files
    }

    /// `migrate ARGS` in this folder.
    pub fn tool<A: Into<OsString>>(&self, args: impl IntoIterator<Item = A>) -> Tool {
        Tool::new(args).in_folder(self.path())
    }
}

/// A call of `migrate`, not started yet.
pub struct Tool {
    command: Command,
    timeout: Duration,
    /// Lives as long as the call; without `in_folder` it is also where the call runs.
    home: TempDir,
    secrets: Vec<String>,
}

impl Tool {
    pub fn new<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> Self {
        Self::of(env!("CARGO_BIN_EXE_migrate"), args)
    }

    /// Another program under the same care.
    pub fn of<A: Into<OsString>>(program: &str, args: impl IntoIterator<Item = A>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(program);
        command.args(args.into_iter().map(Into::into)).current_dir(home.path());
        // Nothing of the developer's: no profile, no proxy, no real account.
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home.path());
        command.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", AWS_SECRET);
        command.env("AWS_REGION", "us-east-1").env("AWS_EC2_METADATA_DISABLED", "true");
        let mut secrets = servers::passwords();
        secrets.push(AWS_SECRET.to_owned());
        Self { command, timeout: PATIENCE, home, secrets }
    }

    pub fn in_folder(mut self, path: &Path) -> Self {
        self.command.current_dir(path);
        self
    }

    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// After which it is killed and the test fails; a minute without this.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// A further text that no output may contain. The servers' passwords are always looked for.
    pub fn secret(mut self, secret: &str) -> Self {
        self.secrets.push(secret.to_owned());
        self
    }

    pub async fn run(self) -> Finished {
        self.spawn().finish().await
    }

    pub fn spawn(mut self) -> Running {
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = self.command.spawn().expect("the migrate binary starts");
        let stdout = Output::of(process.stdout.take().unwrap());
        let stderr = Output::of(process.stderr.take().unwrap());
        let deadline = Instant::now() + self.timeout;
        Running { process, stdout, stderr, deadline, secrets: self.secrets, _home: self.home }
    }
}

const AWS_SECRET: &str = "aws-secret-that-nobody-prints";

/// A call under way; killed when dropped.
pub struct Running {
    process: Child,
    stdout: Output,
    stderr: Output,
    deadline: Instant,
    secrets: Vec<String>,
    _home: TempDir,
}

impl Running {
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// What it has written so far.
    pub fn stdout(&self) -> String {
        self.stdout.text()
    }

    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    pub fn has_ended(&mut self) -> bool {
        self.process.try_wait().unwrap().is_some()
    }

    /// Waits for a condition: on its output, on files, on a front's counters. Panics when the call
    /// ends or times out before.
    pub async fn until(&mut self, what: &str, mut condition: impl FnMut(&Running) -> bool) {
        while !condition(self) {
            if self.has_ended() && !condition(self) {
                panic!("it ended before {what}\n{}", self.output());
            }
            if Instant::now() > self.deadline {
                panic!("it timed out before {what}\n{}", self.output());
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// SIGKILL: no chance to say goodbye.
    pub async fn kill(mut self) -> Finished {
        self.process.kill().unwrap();
        self.finish().await
    }

    /// SIGINT, as Ctrl-C sends it.
    pub fn interrupt(&self) {
        self.signal("INT");
    }

    /// SIGTERM, as a scheduler sends it.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    /// Any signal: `STOP` and `CONT` make a process that hangs.
    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args(["-s", signal, &self.id().to_string()]).status().unwrap();
        assert!(sent.success(), "kill -s {signal}");
    }

    /// Waits for the end. Panics when it takes longer than allowed, or has printed a secret.
    pub async fn finish(mut self) -> Finished {
        while !self.has_ended() {
            if Instant::now() > self.deadline {
                panic!("it timed out\n{}", self.output());
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let status = self.process.wait().unwrap();
        let finished = Finished { status, stdout: self.stdout.all(), stderr: self.stderr.all() };
        for secret in &self.secrets {
            finished.assert_hides(secret);
        }
        finished
    }

    fn output(&self) -> String {
        format!("--- stdout\n{}\n--- stderr\n{}", self.stdout(), self.stderr())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.kill().unwrap_or_default();
        self.process.wait().map(drop).unwrap_or_default();
    }
}

/// A call that has ended.
#[derive(Debug, Clone)]
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    /// The exit code; `None` after a deadly signal.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub fn signal(&self) -> Option<i32> {
        self.status.signal()
    }

    #[track_caller]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(
            self.code(),
            Some(code),
            "exit code ({})\n--- stdout\n{}\n--- stderr\n{}",
            self.status,
            self.stdout,
            self.stderr
        );
        self
    }

    /// The one JSON document on stdout.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| {
            panic!("not one JSON document: {e}\n--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr)
        })
    }

    /// Neither stream contains the text.
    #[track_caller]
    pub fn assert_hides(&self, secret: &str) {
        for (name, stream) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            assert!(!stream.contains(secret), "a secret in {name}:\n{}", stream.replace(secret, "<SECRET>"));
        }
    }
}

/// A stream, read as it comes by a thread of its own.
struct Output {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Output {
    fn of(mut stream: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&bytes);
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                into.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        Self { bytes, reader: Some(reader) }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }

    /// After the process has ended.
    fn all(&mut self) -> String {
        self.reader.take().unwrap().join().unwrap();
        self.text()
    }
}

fn collect_files(root: &Path, folder: &Path, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_files(root, &path, files);
        } else {
            files.push(path.strip_prefix(root).unwrap().display().to_string());
        }
    }
}
