//! `migrate man`: manual pages, made of the texts of the help.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command, ValueHint};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::OutputArgs;
use super::failure::{Exit, Failure};
use super::help::{self, EXIT_CODES};
use super::terminal::Terminal;

/// Print the manual page of migrate or of one of its commands
#[derive(Debug, Args)]
#[command(before_help = WHAT, after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// The command; without it the page of migrate itself
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
    /// Write all pages into this folder, as migrate.1, migrate-run.1 …
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "command")]
    dir: Option<PathBuf>,
}

const WHAT: &str = "\
Prints the page to stdout, as roff for `man`, or writes all pages into a folder that exists. Installs nothing.";

const EXAMPLES: &str = "\
Examples:
  migrate man run | man -l -                       read a page
  migrate man --dir /usr/local/share/man/man1      for `man migrate-run`";

pub(crate) fn run(args: &ManArgs) -> Exit {
    let terminal = Terminal::new(&OutputArgs::default());
    match execute(args, &terminal) {
        Ok(()) => Exit::Done,
        Err(failure) => terminal.fail("man", &failure),
    }
}

fn execute(args: &ManArgs, terminal: &Terminal) -> Result<(), Failure> {
    let mut whole = help::command().disable_help_subcommand(true);
    whole.build();
    if let Some(folder) = &args.dir {
        return write_all(&whole, folder);
    }
    let command = match &args.command {
        None => whole,
        Some(name) => help::find(&whole, name).map_err(|help| unknown(name, help))?,
    };
    terminal.data(&page(&command).map_err(|error| failed("make the page", &error))?);
    Ok(())
}

fn unknown(name: &str, help: String) -> Failure {
    Failure::new(Exit::Usage, "unknown-command", format!("migrate has no command `{name}`")).with_help(help)
}

fn failed(doing: &str, error: &io::Error) -> Failure {
    Failure::new(Exit::Failed, "man", format!("{doing}: {error}"))
}

fn write_all(whole: &Command, folder: &Path) -> Result<(), Failure> {
    for command in std::iter::once(whole).chain(whole.get_subcommands()) {
        let path = folder.join(format!("{}.1", page_name(command)));
        let written = page(command).and_then(|page| std::fs::write(&path, page));
        written.map_err(|error| {
            let failure = failed(&format!("write {}", path.display()), &error);
            failure.with_help("name a folder that exists and that you may write to")
        })?;
    }
    Ok(())
}

/// `migrate-run`
fn page_name(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

const VERSION: &str = concat!("migrate ", env!("CARGO_PKG_VERSION"));

/// A whole page as roff.
fn page(command: &Command) -> io::Result<String> {
    let man = Man::new(command.clone()).title(page_name(command)).source(VERSION).manual("dynamigrate");
    let mut head = Vec::new();
    man.render_title(&mut head)?;
    man.render_name_section(&mut head)?;
    let mut options = Vec::new();
    man.render_options_section(&mut options)?;
    let mut page = String::from_utf8_lossy(&head).into_owned();
    page += &description(command).render();
    page += &options_by_group(&String::from_utf8_lossy(&options));
    page += &last_sections(command).render();
    Ok(with_one_preamble(&page))
}

/// Each part comes with the definition of its apostrophe.
fn with_one_preamble(page: &str) -> String {
    let is_preamble = |line: &str| line.starts_with(".ie ") || line.starts_with(".el ");
    let (preamble, rest): (Vec<&str>, Vec<&str>) = page.lines().partition(|line| is_preamble(line));
    preamble.into_iter().take(2).chain(rest).map(|line| format!("{line}\n")).collect()
}

fn description(command: &Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    let usage = command.clone().render_usage().to_string();
    for line in usage.trim_start_matches("Usage:").lines() {
        let line = line.trim();
        let (name, rest) = line.split_at(line.find([' ', '[', '<']).unwrap_or(line.len()));
        roff.text([bold(name), roman(rest)]).control("br", []);
    }
    roff.control("SH", ["DESCRIPTION"]);
    let what = command.get_before_help().or_else(|| command.get_about());
    roff.text([roman(what.map(ToString::to_string).unwrap_or_default())]);
    roff
}

/// Groups of flags as parts of one section.
fn options_by_group(options: &str) -> String {
    let line = |line: &str| match line.strip_prefix(".SH ") {
        Some("OPTIONS") | None => format!("{line}\n"),
        Some(group) => format!(".SS {group}\n"),
    };
    options.lines().map(line).collect()
}

fn last_sections(command: &Command) -> Roff {
    let mut roff = Roff::new();
    commands(command, &mut roff);
    examples(command, &mut roff);
    roff.control("SH", ["EXIT STATUS"]);
    EXIT_CODES.iter().for_each(|(code, meaning)| item(&mut roff, &code.to_string(), meaning));
    let takes_mapping = command.get_arguments().any(|argument| argument.get_id() == "mapping");
    let is_whole = command.has_subcommands();
    roff.control("SH", ["ENVIRONMENT"]);
    if takes_mapping || is_whole {
        OF_THE_MAPPING.iter().for_each(|(name, what)| item(&mut roff, name, what));
    }
    OF_THE_TERMINAL.iter().for_each(|(name, what)| item(&mut roff, name, what));
    if takes_mapping || is_whole {
        roff.control("SH", ["FILES"]);
        FILES.iter().for_each(|(name, what)| item(&mut roff, name, what));
    }
    see_also(command, &mut roff);
    roff
}

fn commands(command: &Command, roff: &mut Roff) {
    if !command.has_subcommands() {
        return;
    }
    roff.control("SH", ["COMMANDS"]);
    for command in command.get_subcommands() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        item(roff, &format!("{}(1)", page_name(command)), &about);
    }
}

/// As they stand in the help; the lists behind them have sections of their own.
fn examples(command: &Command, roff: &mut Roff) {
    let Some(text) = command.get_after_help().map(ToString::to_string) else { return };
    roff.control("SH", ["EXAMPLES"]).control("nf", []);
    let lines = text.lines().skip_while(|line| *line != "Examples:").skip(1);
    for line in lines.take_while(|line| !line.is_empty()) {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
}

fn item(roff: &mut Roff, name: &str, what: &str) {
    roff.control("TP", []).text([bold(name)]).text([roman(what)]);
}

fn see_also(command: &Command, roff: &mut Roff) {
    let others = if command.has_subcommands() {
        "`migrate man COMMAND` prints the page of a command. README.md describes the mapping file."
    } else {
        "migrate(1), whose page lists all commands."
    };
    roff.control("SH", ["SEE ALSO"]).text([roman(others)]);
}

const OF_THE_MAPPING: [(&str, &str); 3] = [
    ("${NAME} in the mapping", "Any variable that [source] and [table] name, such as DATABASE_URL."),
    (
        "AWS_PROFILE, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_ENDPOINT_URL …",
        "Credentials, region and endpoint, read as the AWS SDK does, where the mapping does not say otherwise.",
    ),
    ("PGUSER, PGPASSWORD, PGPASSFILE, PGSSLMODE …", "What a postgres:// URL leaves out, read as libpq does."),
];

const OF_THE_TERMINAL: [(&str, &str); 4] = [
    ("NO_COLOR", "Set and not empty: no colours."),
    ("TERM", "dumb: no colours, no progress bars."),
    ("CI", "Set: no progress bars."),
    ("COLUMNS", "Width of the help where there is no terminal, 100 without it."),
];

const FILES: [(&str, &str); 4] = [
    (
        ".migrate/<mapping>/<table>/",
        "Beside the mapping; the state of one load. --state takes the place of .migrate.",
    ),
    ("checkpoint.json", "There: how far the load got. The copy before it is checkpoint.previous.json."),
    (
        "rejects.jsonl",
        "There: rows that made no item, one JSON document a line, readable by their owner only.",
    ),
    (
        "dynamodb.db",
        "There: the tables of the embedded DynamoDB, where the mapping has endpoint = \"embedded\".",
    ),
];
