//! Speaking: data to stdout, everything else to stderr.

use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;

use super::OutputArgs;
use super::failure::{Exit, Failure};
use crate::report::{ErrorReport, Style};

#[derive(Debug, Clone)]
pub(crate) struct Terminal {
    pub json: bool,
    pub quiet: bool,
    pub verbose: bool,
    /// Whether progress may be drawn over itself.
    pub interactive: bool,
    color_out: bool,
    color_err: bool,
}

/// What a command that failed before it had anything to report prints with `--json`.
#[derive(Debug, Serialize)]
struct FailureDocument<'a> {
    command: &'a str,
    outcome: &'static str,
    error: ErrorReport,
}

impl Terminal {
    pub(crate) fn new(args: &OutputArgs) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let ci = std::env::var_os("CI").is_some();
        let (out, err) = (io::stdout().is_terminal() && !dumb, io::stderr().is_terminal() && !dumb);
        Self {
            json: args.json,
            quiet: args.quiet,
            verbose: args.verbose,
            interactive: err && !ci && !args.quiet,
            color_out: out && !plain,
            color_err: err && !plain,
        }
    }

    /// The same without remarks.
    pub(crate) fn silenced(&self) -> Self {
        Self { quiet: true, interactive: false, ..self.clone() }
    }

    pub(crate) fn style(&self) -> Style {
        Style { color: self.color_out }
    }

    pub(crate) fn color_of_remarks(&self) -> bool {
        self.color_err
    }

    /// Data. A reader that has gone away is no reason to fail.
    pub(crate) fn data(&self, text: &str) {
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        if let Err(error) = written
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            self.complain(&format!("warning: the report could not be written to stdout: {error}"));
        }
    }

    pub(crate) fn document(&self, document: &impl Serialize) {
        // The documents are plain data with text keys: they always serialize.
        let text = serde_json::to_string_pretty(document).unwrap_or_default();
        self.data(&format!("{text}\n"));
    }

    /// A remark, unless `--quiet`.
    pub(crate) fn remark(&self, text: &str) {
        if !self.quiet {
            self.complain(text);
        }
    }

    pub(crate) fn complain(&self, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{}", text.trim_end());
    }

    /// Tells of a failure on both channels and returns its exit code.
    pub(crate) fn fail(&self, command: &str, failure: &Failure) -> Exit {
        self.explain(failure);
        self.fail_in_document(command, failure);
        failure.exit
    }

    /// Tells of a failure that was explained already, where a document is asked for.
    pub(crate) fn fail_in_document(&self, command: &str, failure: &Failure) {
        if self.json {
            self.document(&FailureDocument { command, outcome: "failed", error: failure.report() });
        }
    }

    /// Tells of a failure on stderr.
    pub(crate) fn explain(&self, failure: &Failure) {
        if let Some(rendered) = &failure.rendered {
            self.complain(rendered);
            return;
        }
        let (red, end) = if self.color_err { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
        self.complain(&format!("{red}error[{}]{end}: {}", failure.code, failure.message));
        if let Some(help) = &failure.help {
            self.complain(&format!("  help: {help}"));
        }
    }
}

impl Failure {
    pub(crate) fn report(&self) -> ErrorReport {
        ErrorReport { code: self.code.to_owned(), message: self.message.clone(), help: self.help.clone() }
    }
}
