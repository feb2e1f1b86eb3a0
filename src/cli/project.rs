//! A mapping opened for a command: read, parsed, resolved against its source.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use super::failure::{Exit, Failure};
use super::terminal::Terminal;
use crate::mapping::{
    Diagnostic, Environment, Mapping, MappingFile, Severity, SourceSettings, Table, closest, render,
};
use crate::plan::{Plan, PlanError, PlanOptions, Prepared, prepare};
use crate::source::Source;

#[derive(Debug, Clone, Args)]
pub(crate) struct MappingArgs {
    /// The mapping file, TOML
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub mapping: PathBuf,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct StateArgs {
    /// Folder of checkpoints and rejects [default: .migrate beside the mapping]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub state: Option<PathBuf>,
}

#[derive(Debug)]
pub(crate) struct Project {
    file: MappingFile,
    mapping: Mapping,
    colors: bool,
}

impl Project {
    pub(crate) fn open(path: &Path, terminal: &Terminal) -> Result<Self, Failure> {
        Self::parse(MappingFile::read(path)?, &|name| std::env::var(name).ok(), terminal)
    }

    pub(crate) fn parse(
        file: MappingFile,
        environment: Environment<'_>,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let colors = terminal.color_of_remarks();
        match Mapping::parse(&file, environment) {
            Ok(mapping) => Ok(Self { file, mapping, colors }),
            Err(findings) => Err(Failure::mapping(&findings, render(&file, &findings, colors))),
        }
    }

    pub(crate) fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// `[source]`, when the environment has all its variables.
    pub(crate) fn source(&self) -> Result<&SourceSettings, Failure> {
        self.complete(&self.mapping.source.missing).map(|()| &self.mapping.source)
    }

    /// `[table]`, when the environment has all its variables.
    pub(crate) fn table(&self) -> Result<&Table, Failure> {
        self.complete(&self.mapping.table.missing).map(|()| &self.mapping.table)
    }

    fn complete(&self, missing: &[Diagnostic]) -> Result<(), Failure> {
        if missing.is_empty() { Ok(()) } else { Err(self.mistakes(missing)) }
    }

    pub(crate) fn mistakes(&self, findings: &[Diagnostic]) -> Failure {
        Failure::mapping(findings, self.render(findings))
    }

    pub(crate) fn render(&self, findings: &[Diagnostic]) -> String {
        render(&self.file, findings, self.colors)
    }

    /// `.migrate/<mapping>/<table>/` beside the mapping; `--state` takes the place of `.migrate`.
    pub(crate) fn state_folder(&self, args: &StateArgs) -> Result<PathBuf, Failure> {
        let path = &self.file.path;
        let name = match (is_pipe(path), &args.state) {
            (true, None) => return Err(no_folder(path)),
            // Its own name, such as 63 of /dev/fd/63, is another one each time.
            (true, Some(_)) => OsStr::new("mapping"),
            (false, _) => path.file_stem().unwrap_or_default(),
        };
        let beside = || path.parent().unwrap_or(Path::new("")).join(".migrate");
        let base = args.state.clone().unwrap_or_else(beside);
        Ok(base.join(name).join(self.table()?.name.get_ref()))
    }

    /// The source; what is doubtful about the connection is told.
    pub(crate) async fn connect(&self, terminal: &Terminal) -> Result<Source, Failure> {
        connect(self.source()?, terminal).await
    }

    /// Connects to the source and resolves the mapping against its catalog. Warnings are told.
    pub(crate) async fn prepare(
        &self,
        options: PlanOptions,
        terminal: &Terminal,
    ) -> Result<(Source, Prepared), Failure> {
        self.prepare_from(self.source()?, options, terminal).await
    }

    /// As [`Project::prepare`], with settings of the source that are not the mapping's.
    pub(crate) async fn prepare_from(
        &self,
        settings: &SourceSettings,
        options: PlanOptions,
        terminal: &Terminal,
    ) -> Result<(Source, Prepared), Failure> {
        self.table()?;
        let mut source = connect(settings, terminal).await?;
        let prepared = match prepare(&self.mapping, &mut source, options).await {
            Ok(prepared) => prepared,
            Err(PlanError::Mapping(findings)) => return Err(self.mistakes(&told(&findings, terminal))),
            Err(PlanError::Source(error)) => return Err(error.into()),
        };
        let told = told(&prepared.diagnostics, terminal);
        if !told.is_empty() {
            terminal.remark(&self.render(&told));
        }
        Ok((source, prepared))
    }
}

impl Project {
    /// Before anything is connected or made: `--only` names entities of the mapping.
    pub(crate) fn must_know(&self, only: &[String]) -> Result<(), Failure> {
        let names: Vec<&str> =
            self.mapping.entities.iter().map(|entity| entity.name.get_ref().as_str()).collect();
        match only.iter().find(|name| !names.contains(&name.as_str())) {
            Some(unknown) => Err(unknown_entity(&names, unknown)),
            None => Ok(()),
        }
    }
}

/// A mapping that comes through a pipe or an open file without a place, such as `--mapping <(…)` and
/// /dev/stdin.
fn is_pipe(path: &Path) -> bool {
    let open = path == Path::new("/dev/stdin") || path.starts_with("/dev/fd") || path.starts_with("/proc");
    open || std::fs::metadata(path).is_ok_and(|found| !found.is_file())
}

fn no_folder(path: &Path) -> Failure {
    let message = format!("the mapping {} is no file with a folder for the checkpoint", path.display());
    Failure::new(Exit::Usage, "no-state-folder", message)
        .with_help("name a folder with --state DIR, the same one each time")
}

async fn connect(settings: &SourceSettings, terminal: &Terminal) -> Result<Source, Failure> {
    let source = Source::connect(settings).await?;
    if let Some(warning) = source.identity().transport.warning() {
        terminal.remark(&format!("warning: {warning}"));
    }
    Ok(source)
}

/// Mistakes always, warnings unless `--quiet`, notes with `--verbose`.
fn told(findings: &[Diagnostic], terminal: &Terminal) -> Vec<Diagnostic> {
    let least = match (terminal.quiet, terminal.verbose) {
        (true, _) => Severity::Error,
        (false, true) => Severity::Note,
        (false, false) => Severity::Warning,
    };
    findings.iter().filter(|finding| finding.severity <= least).cloned().collect()
}

/// Positions in the plan of the entities named by `--only`; all without it.
pub(crate) fn choose(plan: &Plan, only: &[String]) -> Result<Vec<usize>, Failure> {
    if only.is_empty() {
        return Ok((0..plan.entities.len()).collect());
    }
    let mut chosen = Vec::new();
    for name in only {
        match plan.entities.iter().position(|entity| entity.name == *name) {
            Some(position) => chosen.push(position),
            None => {
                let names: Vec<_> = plan.entities.iter().map(|entity| entity.name.as_str()).collect();
                return Err(unknown_entity(&names, name));
            }
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

/// "`a`, `b`"
pub(crate) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn unknown_entity(names: &[&str], name: &str) -> Failure {
    let failure = Failure::new(Exit::Usage, "unknown-entity", format!("the mapping has no entity `{name}`"));
    failure.with_help(match closest(name, names.iter().copied()) {
        Some(likely) => format!("did you mean `{likely}`?"),
        None => format!("it has {}", listed(names)),
    })
}
