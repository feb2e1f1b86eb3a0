//! `migrate completions`: what a shell needs to complete commands and flags.

use clap::Args;
use clap_complete::Shell;

use super::OutputArgs;
use super::failure::Exit;
use super::help;
use super::terminal::Terminal;

/// Print a script that completes commands and flags in a shell
#[derive(Debug, Args)]
#[command(before_help = WHAT, after_help = EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// bash, zsh, fish, powershell or elvish
    #[arg(value_enum, value_name = "SHELL", hide_possible_values = true)]
    shell: Shell,
}

const WHAT: &str = "\
Prints the script to stdout and changes no file of the shell: put it where the shell looks for completions. \
Make it anew after an update of migrate.";

const EXAMPLES: &str = "\
Examples:
  migrate completions bash > ~/.local/share/bash-completion/completions/migrate
  migrate completions zsh  > ~/.zfunc/_migrate     (a folder of $fpath)
  migrate completions fish > ~/.config/fish/completions/migrate.fish
  migrate completions powershell >> $PROFILE
  migrate completions elvish > ~/.config/elvish/lib/migrate.elv";

pub(crate) fn run(args: &CompletionsArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut help::command(), "migrate", &mut script);
    Terminal::new(&OutputArgs::default()).data(&String::from_utf8_lossy(&script));
    Exit::Done
}
