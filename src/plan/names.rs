//! Attribute names of one entity's items: each has one origin.

use indexmap::IndexMap;

use crate::mapping::{Diagnostic, Span};

/// Which names are taken, and by what.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: IndexMap<String, String>,
}

impl Names {
    /// Takes a name. `origin` says what writes it, in words: "the table's partition key".
    pub(super) fn take(
        &mut self,
        name: &str,
        origin: String,
        span: &Span,
        findings: &mut Vec<Diagnostic>,
    ) -> bool {
        let Some(first) = self.taken.get(name) else {
            self.taken.insert(name.to_owned(), origin);
            return true;
        };
        let message = format!("attribute `{name}` has two origins: {first} and {origin}");
        let help = "rename one of them, or leave the column out with `columns = { except = [\"…\"] }`";
        findings.push(Diagnostic::error("duplicate-attribute", span.clone(), message).with_help(help));
        false
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.taken.contains_key(name)
    }
}
