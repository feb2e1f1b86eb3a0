//! The command line as clap knows it, with help that fits one page a command: what it does and does not do,
//! flags by group, examples. Man pages are made of the same texts.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory as _};

use super::Cli;
use crate::mapping::closest;

/// Headings of flags.
pub(crate) const PACE: &str = "Pace";
pub(crate) const SAFETY: &str = "Safety";
pub(crate) const ORPHANS: &str = "Orphans";
pub(crate) const OUTPUT: &str = "Output";

/// What ends a command, and with which code (design, section 3).
pub(crate) const EXIT_CODES: [(u8, &str); 7] = [
    (0, "done"),
    (1, "failed outside mapping and data, safe to run again"),
    (2, "wrong usage, or --yes is missing"),
    (3, "mistake in mapping or schema, table differs, rows without a key"),
    (4, "finished, but rows were rejected"),
    (5, "verification found differences"),
    (130, "interrupted, checkpoint saved"),
];

/// One page, short and long: clap's own long form takes three lines a flag.
const TEMPLATE: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

const EXAMPLES: &str = "\
Examples:
  migrate demo                             the whole story, nothing to install
  migrate check   --mapping shop.toml      mistakes and key proofs
  migrate preview --mapping shop.toml      the first items of each entity
  migrate --mapping shop.toml --dry-run    every row, nothing written
  migrate --mapping shop.toml              load; run it again to go on
  migrate verify  --mapping shop.toml      prove the result, item by item

Exit codes:
";

/// Columns of the widest help.
const WIDEST: usize = 100;

pub(crate) fn command() -> Command {
    let codes = EXIT_CODES.map(|(code, meaning)| format!("  {code:>3}  {meaning}"));
    Cli::command()
        .max_term_width(WIDEST)
        .help_template(TEMPLATE)
        .override_usage("migrate <COMMAND> [OPTIONS]\n       migrate --mapping <FILE> [OPTIONS]")
        .after_help(format!("{EXAMPLES}{}", codes.join("\n")))
        .mut_subcommands(|command| {
            command.help_template(TEMPLATE).max_term_width(WIDEST).mut_args(with_negative_numbers)
        })
}

/// So that `--limit -5` is told to be no number of rows, and not to be an unknown flag.
fn with_negative_numbers(argument: Arg) -> Arg {
    let takes_values = argument.get_action().takes_values();
    argument.allow_negative_numbers(takes_values)
}

/// What a mistaken command line was probably meant to be, where clap does not know.
pub(crate) fn hint(error: &clap::Error, words: &[String]) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument && error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let unknown = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    let unknown = unknown.into_iter().find_map(|kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    })?;
    let command = command();
    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    if let Some(flag) = unknown.strip_prefix("--") {
        return flag_of_another(&command, flag);
    }
    if names.contains(&unknown) {
        return Some(format!("the command comes first: migrate {unknown} …"));
    }
    if unknown.ends_with(".toml") {
        return Some(format!(
            "a mapping is named with --mapping: migrate {} --mapping {unknown}",
            told(words, &names)
        ));
    }
    if unknown.contains('=') && words.iter().any(|word| word == "--key" || word == "-k") {
        return Some(format!("--key stands before each column: --key {unknown}"));
    }
    None
}

/// The command as typed; `run` where there is none.
fn told<'a>(words: &'a [String], names: &[&str]) -> &'a str {
    words.get(1).map(String::as_str).filter(|word| names.contains(word)).unwrap_or("run")
}

fn flag_of_another(command: &Command, flag: &str) -> Option<String> {
    let flag = flag.split('=').next().unwrap_or_default();
    let has = |command: &&Command| command.get_arguments().any(|argument| argument.get_long() == Some(flag));
    let owners = command.get_subcommands().filter(has).map(|owner| format!("`migrate {}`", owner.get_name()));
    let owners: Vec<String> = owners.collect();
    (!owners.is_empty()).then(|| format!("--{flag} is a flag of {}", owners.join(", ")))
}

/// The command of that name; otherwise what was probably meant.
pub(crate) fn find(command: &Command, name: &str) -> Result<Command, String> {
    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    match (command.find_subcommand(name), closest(name, names.iter().copied())) {
        (Some(found), _) => Ok(found.clone()),
        (None, Some(likely)) => Err(format!("did you mean `{likely}`?")),
        (None, None) => Err(format!("there are {}", names.join(", "))),
    }
}
