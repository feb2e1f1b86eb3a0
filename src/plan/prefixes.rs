//! Entities that a `begins_with` reads together: the sort key of one begins that of another, in one
//! partition.

use crate::mapping::Diagnostic;

use super::PartPlan;
use super::language::{Atom, ByteSet, meet};
use super::proof::Candidate;
use super::written::Written;

/// One note for each pair of entities at most.
pub(super) fn remarks(candidates: &[Candidate<'_>]) -> Vec<Diagnostic> {
    let subjects: Vec<Subject<'_>> = candidates.iter().filter_map(Subject::new).collect();
    let mut notes = Vec::new();
    for (at, later) in subjects.iter().enumerate() {
        for earlier in subjects.iter().take(at) {
            notes.extend(together(earlier, later));
        }
    }
    notes
}

/// An entity whose sort key begins with a text of its own.
struct Subject<'a> {
    candidate: &'a Candidate<'a>,
    /// What its sort keys begin with.
    prefix: &'a str,
    pk: Vec<Atom>,
    sk: Vec<Atom>,
}

impl<'a> Subject<'a> {
    fn new(candidate: &'a Candidate<'a>) -> Option<Self> {
        let sk = candidate.sk.as_ref()?;
        let Some(PartPlan::Literal(prefix)) = sk.template.parts.first() else { return None };
        let atoms = |attribute, key| Written::new(attribute, key, &candidate.output).atoms;
        Some(Self { candidate, prefix, pk: atoms("pk", &candidate.pk), sk: atoms("sk", sk) })
    }

    fn name(&self) -> &str {
        self.candidate.entity.name.get_ref()
    }

    /// Whether a sort key of `other` goes on where one of these ends.
    fn begins(&self, other: &Subject<'_>) -> bool {
        let mut begun = self.sk.clone();
        begun.push(Atom::some(ByteSet::ANY));
        meet(&begun, &other.sk).is_some()
    }
}

/// Whether their keys meet is the key proof's business.
fn together(earlier: &Subject<'_>, later: &Subject<'_>) -> Option<Diagnostic> {
    if meet(&earlier.pk, &later.pk).is_none() || meet(&earlier.sk, &later.sk).is_some() {
        return None;
    }
    let (short, long) = match (earlier.begins(later), later.begins(earlier)) {
        (true, _) => (earlier, later),
        (false, true) => (later, earlier),
        (false, false) => return None,
    };
    let span = later.candidate.entity.sk.as_ref()?.span.clone();
    let message = format!(
        "begins_with `{}` reads `{}` and `{}`: sort keys of `{}` begin those of `{}` in one partition",
        short.prefix,
        short.name(),
        long.name(),
        short.name(),
        long.name()
    );
    let help = format!(
        "right where both are wanted; to read `{}` alone, let the sk of `{}` begin with a text of its own, such as `{}#`",
        short.name(),
        long.name(),
        long.name().to_uppercase()
    );
    Some(Diagnostic::note("shared-prefix", span, message).with_help(help))
}
