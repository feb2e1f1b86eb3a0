//! `migrate check`: mistakes of mapping and schema, key proofs, warnings. Reads no rows without `--deep`.

mod deep;

use clap::Args;
use indexmap::IndexMap;
use serde::Serialize;

use self::deep::{Deep, DeepFinding, deep};
use super::OutputArgs;
use super::failure::{Exit, Failure};
use super::project::{MappingArgs, Project};
use super::terminal::Terminal;
use crate::mapping::{Diagnostic, Mapping, MappingFile, Severity};
use crate::plan::{KeyProof, Plan, PlanError, PlanOptions, offline, prepare};
use crate::report::ErrorReport;

/// Find mistakes in mapping and schema, prove the keys
#[derive(Debug, Args)]
#[command(before_help = WHAT, after_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    mapping: MappingArgs,
    /// Check the mapping alone, without connecting to the source
    #[arg(long)]
    offline: bool,
    /// Read the rows too: texts in keys that differ from others only by case, blanks or Unicode form
    #[arg(long, conflicts_with = "offline")]
    deep: bool,
    /// Hash the source keys that --deep shows
    #[arg(long, help_heading = super::help::OUTPUT)]
    redact: bool,
    #[command(flatten)]
    output: OutputArgs,
}

const WHAT: &str = "\
Finds all mistakes at once, each with its place and how to mend it, and says whether two rows could get \
the same key. Reads the mapping and the catalog of the source; no rows, but for one query about each key that \
the mapping declares and no constraint backs. --deep also counts, in the rows, texts in keys that are near to \
others: children that spell their parent otherwise, and twins; it says first what it reads. Knows no target and writes \
nothing.";

const EXAMPLES: &str = "\
Examples:
  migrate check -m shop.toml
  migrate check -m shop.toml --offline     without the source: the mapping alone
  migrate check -m shop.toml --deep        and count near texts in the rows
  migrate check -m shop.toml --json        findings with line and column";

#[derive(Debug, Serialize)]
struct CheckDocument {
    command: &'static str,
    outcome: &'static str,
    findings: Vec<Finding>,
    entities: IndexMap<String, EntityFindings>,
    /// With `--deep`.
    #[serde(skip_serializing_if = "Option::is_none")]
    deep: Option<Vec<DeepFinding>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorReport>,
}

#[derive(Debug, Serialize)]
struct Finding {
    code: &'static str,
    severity: &'static str,
    message: String,
    line: Option<usize>,
    column: Option<usize>,
    help: Option<String>,
}

#[derive(Debug, Serialize)]
struct EntityFindings {
    key_proof: Proof,
}

#[derive(Debug, Serialize)]
struct Proof {
    status: &'static str,
    by: String,
}

/// What a check found, however far it got.
struct Checked {
    findings: Vec<Diagnostic>,
    plan: Option<Plan>,
    deep: Option<Vec<DeepFinding>>,
}

impl Checked {
    fn shallow(findings: Vec<Diagnostic>, plan: Option<Plan>) -> Self {
        Self { findings, plan, deep: None }
    }
}

pub(crate) async fn run(args: &CheckArgs) -> Exit {
    let terminal = Terminal::new(&args.output);
    let file = match MappingFile::read(&args.mapping.mapping) {
        Ok(file) => file,
        Err(error) => return terminal.fail("check", &error.into()),
    };
    match check(&file, args, &terminal).await {
        Ok(checked) => tell(&file, checked, args.offline, &terminal),
        Err(failure) => terminal.fail("check", &failure),
    }
}

async fn check(file: &MappingFile, args: &CheckArgs, terminal: &Terminal) -> Result<Checked, Failure> {
    let environment = |name: &str| std::env::var(name).ok();
    let mapping = match Mapping::parse(file, &environment) {
        Ok(mapping) => mapping,
        Err(findings) => return Ok(Checked::shallow(findings, None)),
    };
    if args.offline {
        return Ok(Checked::shallow(offline(&mapping), None));
    }
    let project = Project::parse(file.clone(), &environment, terminal)?;
    project.table()?;
    let mut source = project.connect(terminal).await?;
    let options = PlanOptions::default();
    match prepare(&mapping, &mut source, options).await {
        Ok(prepared) if args.deep => {
            let Deep { diagnostics, findings } =
                deep(&mapping, &prepared.plan, &mut source, args.redact, terminal).await?;
            let mut all: Vec<Diagnostic> = prepared.diagnostics.into_iter().chain(diagnostics).collect();
            all.sort_by_key(|finding| finding.span.as_ref().map_or(usize::MAX, |span| span.start));
            Ok(Checked { findings: all, plan: Some(prepared.plan), deep: Some(findings) })
        }
        Ok(prepared) => Ok(Checked::shallow(prepared.diagnostics, Some(prepared.plan))),
        Err(PlanError::Mapping(findings)) => {
            if args.deep {
                terminal.remark("--deep: no rows are read before the mistakes are mended");
            }
            Ok(Checked::shallow(findings, None))
        }
        Err(PlanError::Source(error)) => Err(error.into()),
    }
}

fn tell(file: &MappingFile, checked: Checked, offline: bool, terminal: &Terminal) -> Exit {
    let wrong = checked.findings.iter().any(|finding| finding.severity == Severity::Error);
    if terminal.json {
        terminal.document(&document(file, checked, wrong));
    } else {
        let worst = if terminal.quiet { Severity::Error } else { Severity::Note };
        let told: Vec<_> =
            checked.findings.iter().filter(|finding| finding.severity <= worst).cloned().collect();
        if !told.is_empty() {
            terminal.complain(&crate::mapping::render(file, &told, terminal.color_of_remarks()));
        }
        terminal.data(&summary(&checked, wrong, offline));
    }
    if wrong { Exit::Mapping } else { Exit::Done }
}

fn summary(checked: &Checked, wrong: bool, offline: bool) -> String {
    let mut text = String::new();
    for entity in checked.plan.iter().flat_map(|plan| &plan.entities) {
        text += &match &entity.key_proof {
            KeyProof::Proven { by } => format!("{}: keys proven: {by}\n", entity.name),
            KeyProof::Unproven { reason } => format!("{}: keys NOT proven: {reason}\n", entity.name),
        };
    }
    let count = |severity| checked.findings.iter().filter(|finding| finding.severity == severity).count();
    let (mistakes, warnings) = (count(Severity::Error), count(Severity::Warning));
    text += &match (wrong, offline) {
        (true, _) => format!("{} to mend, {}\n", plural(mistakes, "mistake"), plural(warnings, "warning")),
        (false, true) => format!(
            "the mapping is well-formed, {}; without --offline it is checked against the source\n",
            plural(warnings, "warning")
        ),
        (false, false) => format!("the mapping fits the source, {}\n", plural(warnings, "warning")),
    };
    text
}

fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn document(file: &MappingFile, checked: Checked, wrong: bool) -> CheckDocument {
    let entities = checked.plan.iter().flat_map(|plan| &plan.entities);
    CheckDocument {
        command: "check",
        outcome: if wrong { "failed" } else { "done" },
        findings: checked.findings.iter().map(|finding| to_finding(file, finding)).collect(),
        entities: entities.map(|entity| (entity.name.clone(), proof(&entity.key_proof))).collect(),
        deep: checked.deep,
        error: checked.findings.iter().find(|finding| finding.severity == Severity::Error).map(|finding| {
            ErrorReport {
                code: finding.code.to_owned(),
                message: finding.message.clone(),
                help: finding.help.clone(),
            }
        }),
    }
}

fn proof(proof: &KeyProof) -> EntityFindings {
    let (status, by) = match proof {
        KeyProof::Proven { by } => ("proven", by),
        KeyProof::Unproven { reason } => ("unproven", reason),
    };
    EntityFindings { key_proof: Proof { status, by: by.clone() } }
}

fn to_finding(file: &MappingFile, finding: &Diagnostic) -> Finding {
    let place = finding.span.as_ref().map(|span| file.line_column(span.start));
    Finding {
        code: finding.code,
        severity: match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        message: finding.message.clone(),
        line: place.map(|(line, _)| line),
        column: place.map(|(_, column)| column),
        help: finding.help.clone(),
    }
}
