//! What the placeholders of an access pattern can mean, as far as it can be told without a database.

use super::section::Section;
use super::walker::{Read, Walker};
use crate::mapping::diagnostic::{Diagnostic, Span, quoted};
use crate::mapping::{AccessPattern, SHARD, Step, Template, TemplatePart};

/// `{shard}` goes with `shards`, every other placeholder with `params`.
pub(super) fn check(walker: &mut Walker<'_>, section: &Section<'_>, pattern: &AccessPattern) -> Read<()> {
    let sort = pattern.sk.iter().flat_map(|sk| sk.parts());
    let templates: Vec<&Template> = pattern.pk.iter().chain(sort).collect();
    let mut found = Ok(());
    let mut sharded = false;
    for (column, steps, span) in templates.into_iter().flat_map(placeholders) {
        let is_shard = column == SHARD && pattern.shards.is_some();
        sharded |= is_shard;
        let mistake = match (is_shard, &pattern.params) {
            (true, _) => only_padded(steps, span),
            (false, None) => Some(no_params(column, span)),
            (false, Some(_)) => None,
        };
        if let Some(mistake) = mistake {
            found = Err(walker.report(mistake));
        }
    }
    match &pattern.shards {
        Some(shards) if !sharded && found.is_ok() => {
            let message = format!("{} has `shards`, and no placeholder {{shard}}", section.name);
            let help = "put it where the partition key has its shard, such as pk = \"OPEN#{shard}\"";
            Err(walker.report(Diagnostic::error("no-shard", shards.span(), message).with_help(help)))
        }
        _ => found,
    }
}

fn placeholders(template: &Template) -> impl Iterator<Item = (&str, &[Step], &Span)> {
    template.parts.iter().filter_map(|part| match part {
        TemplatePart::Placeholder { column, steps, span } => Some((column.as_str(), steps.as_slice(), span)),
        TemplatePart::Literal(_) => None,
    })
}

fn only_padded(steps: &[Step], span: &Span) -> Option<Diagnostic> {
    let fits = matches!(steps, [] | [Step::Pad(_)]);
    (!fits).then(|| {
        Diagnostic::error(
            "wrong-step",
            span.clone(),
            "a shard is a small number: it takes a zero pad at most",
        )
        .with_help("write {shard}, or {shard:02}")
    })
}

fn no_params(column: &str, span: &Span) -> Diagnostic {
    let message = format!("nothing says what {} stands for: the pattern has no `params`", quoted(column));
    let help = match column {
        SHARD => "`shards = n` makes {shard} 0 to n - 1".to_owned(),
        _ => format!("write the SQL that returns it: params = \"SELECT {column} FROM …\""),
    };
    Diagnostic::error("no-params", span.clone(), message).with_help(help)
}
