//! The command line: one file a command. The only place that prints or reads the environment.

/// Runs the `migrate` command and returns its exit code.
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
