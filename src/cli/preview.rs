//! `migrate preview`: the items of a few rows. Needs no target and writes nothing.

use clap::Args;

use super::OutputArgs;
use super::failure::{Exit, Failure};
use super::project::{MappingArgs, Project, choose, listed};
use super::terminal::Terminal;
use crate::mapping::{SnapshotMode, SourceSettings, closest};
use crate::plan::{EntityPlan, Plan, PlanOptions};
use crate::preview::{PreviewOptions, preview};
use crate::report::{Outcome, PreviewReport, preview_text};
use crate::source::KeyValue;

/// Show the items of a few rows; needs no target, writes nothing
#[derive(Debug, Args)]
#[command(before_help = WHAT, after_help = EXAMPLES)]
pub(crate) struct PreviewArgs {
    #[command(flatten)]
    mapping: MappingArgs,
    /// Only this entity [default: all of them]
    #[arg(long, short, value_name = "ENTITY")]
    entity: Option<String>,
    /// Only rows with this value in a column of their key, as rejects.jsonl writes it; repeat it for more
    /// columns
    #[arg(long, short, value_name = "COLUMN=VALUE", value_parser = parse_key)]
    key: Vec<KeyValue>,
    /// Rows of each entity at most, 1 to 1000, in the order of their key
    #[arg(long, default_value_t = 3, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..=1000))]
    limit: u64,
    /// Hash the values of keys, and show of all others their type only
    #[arg(long, help_heading = super::help::OUTPUT)]
    redact: bool,
    #[command(flatten)]
    output: OutputArgs,
}

const WHAT: &str = "\
Builds the items of a few rows as a load would and prints them as DynamoDB JSON, with their billed size, \
their write capacity units (WCU) and the indexes they enter. A row that makes no item says why (exit code 4); a \
key that no row has is exit code 1. Needs no target, writes nothing and knows no checkpoint. Long texts are cut; \
--json has them whole.";

const EXAMPLES: &str = "\
Examples:
  migrate preview -m shop.toml                         3 rows of each entity
  migrate preview -m shop.toml -e Order -k id=7        one row by its key
  migrate preview -m shop.toml -e OrderItem -k order_id=7 -k line_no=1
  migrate preview -m shop.toml -e OrderItem -k order_id=7 --limit 100";

fn parse_key(text: &str) -> Result<KeyValue, String> {
    match text.split_once('=') {
        Some((column, value)) if !column.is_empty() => {
            Ok(KeyValue { column: column.to_owned(), text: value.to_owned() })
        }
        _ => Err("expected COLUMN=VALUE, such as id=7".to_owned()),
    }
}

pub(crate) async fn run(args: &PreviewArgs) -> Exit {
    let terminal = Terminal::new(&args.output);
    match execute(args, &terminal).await {
        Ok(report) => tell(&report, &terminal),
        Err(failure) => terminal.fail("preview", &failure),
    }
}

fn tell(report: &PreviewReport, terminal: &Terminal) -> Exit {
    if terminal.json {
        terminal.document(report);
    } else {
        terminal.data(&preview_text(report, terminal.style()));
    }
    if report.outcome == Outcome::Rejects { Exit::Rejects } else { Exit::Done }
}

async fn execute(args: &PreviewArgs, terminal: &Terminal) -> Result<PreviewReport, Failure> {
    let project = Project::open(&args.mapping.mapping, terminal)?;
    let only: Vec<String> = args.entity.iter().cloned().collect();
    project.must_know(&only)?;
    let options = PlanOptions { trust_keys: true, ..PlanOptions::default() };
    // `check` and a dry run tell its warnings.
    let told = if terminal.verbose { terminal.clone() } else { terminal.silenced() };
    let settings = look(project.source()?);
    let (mut source, prepared) = project.prepare_from(&settings, options, &told).await?;
    let entities = choose(&prepared.plan, &only)?;
    let keyed = keyed(&prepared.plan, &entities, &args.key)?;
    let selects: Vec<_> =
        prepared.plan.entities.iter().map(|entity| entity.select.as_ref().clone()).collect();
    let mut snapshot = source.open(settings.readers, &selects).await?;
    let reader = snapshot.readers.first_mut();
    let reader = reader.ok_or_else(|| Failure::new(Exit::Failed, "bug", "the source gave no reader"))?;
    let options = PreviewOptions { entities, key: args.key.clone(), rows: args.limit, redact: args.redact };
    let report = preview(&prepared.plan, reader, &options).await?;
    match keyed {
        Some(entity) if report.entities.values().all(|shown| shown.rows.is_empty()) => {
            Err(no_row(entity, &args.key))
        }
        _ => Ok(report),
    }
}

/// One reader, and nothing locked: a look is no load.
fn look(settings: &SourceSettings) -> SourceSettings {
    let snapshot = match settings.snapshot {
        SnapshotMode::Lock | SnapshotMode::Shared => SnapshotMode::Shared,
        SnapshotMode::None => SnapshotMode::None,
    };
    SourceSettings { snapshot, readers: 1, ..settings.clone() }
}

/// The entity whose row is looked for, when `--key` names columns of its key.
fn keyed<'a>(
    plan: &'a Plan,
    entities: &[usize],
    key: &[KeyValue],
) -> Result<Option<&'a EntityPlan>, Failure> {
    if key.is_empty() {
        return Ok(None);
    }
    let [entity] = entities else {
        let names: Vec<_> = plan.entities.iter().map(|entity| entity.name.as_str()).collect();
        let failure = Failure::new(
            Exit::Usage,
            "key-without-entity",
            "--key needs --entity: each entity has a key of its own",
        );
        return Err(failure.with_help(format!("the mapping has {}", listed(&names))));
    };
    let Some(entity) = plan.entities.get(*entity) else { return Ok(None) };
    for (at, value) in key.iter().enumerate() {
        must_be_key_column(entity, &value.column)?;
        if key.iter().take(at).any(|before| before.column == value.column) {
            let message = format!("--key gives `{}` twice", value.column);
            return Err(Failure::new(Exit::Usage, "key-twice", message).with_help("give each column once"));
        }
    }
    Ok(Some(entity))
}

fn must_be_key_column(entity: &EntityPlan, name: &str) -> Result<(), Failure> {
    let columns: Vec<&str> = entity.select.key.iter().map(|column| column.name.as_str()).collect();
    if columns.contains(&name) {
        return Ok(());
    }
    let message = format!("`{name}` is no column of the key of `{}`", entity.name);
    let failure = Failure::new(Exit::Usage, "unknown-key-column", message);
    Err(failure.with_help(match closest(name, columns.iter().copied()) {
        Some(likely) => format!("did you mean `{likely}`?"),
        None => format!("its key is {}", listed(&columns)),
    }))
}

fn no_row(entity: &EntityPlan, key: &[KeyValue]) -> Failure {
    let columns: Vec<&str> = key.iter().map(|value| value.column.as_str()).collect();
    let message = format!("`{}` has no row with the given {}", entity.name, listed(&columns));
    let failure = Failure::new(Exit::Failed, "no-row", message);
    failure.with_help(match entity.select.filter {
        Some(_) => "the entity's `where` may leave it out; without --key the first rows are shown",
        None => "without --key the first rows are shown",
    })
}
