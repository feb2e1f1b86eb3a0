//! Whether the entities of a mapping can give the answers that a pattern wants, and what else comes with them.

use crate::mapping::{
    Comparison, Diagnostic, Projection, SHARD, SortKey, Span, Spanned, Step, Template, TemplatePart,
};
use crate::plan::language::{Atom, meet};
use crate::plan::scope::list;
use crate::plan::{EntityPlan, KeyColumn, KeyPlan, PartPlan, TablePlan};
use crate::source::{Class, RawType};

use super::draft::Draft;
use super::fit::can_match;
use super::keys::{language, placeholder, spelled, written};

pub(super) fn check(
    draft: &Draft<'_>,
    table: &TablePlan,
    entities: &[EntityPlan],
    findings: &mut Vec<Diagnostic>,
) {
    let read = Read::of(draft, table);
    let mut shards: Vec<(&str, u32)> = Vec::new();
    for (name, _) in &draft.pattern.returns {
        let Some(entity) = entities.iter().find(|entity| entity.name == *name.get_ref()) else { continue };
        let wanted = Wanted { read: &read, entity, span: name.span() };
        match wanted.keys() {
            Err(never) => findings.push(never),
            Ok(keys) => {
                shards.extend(wanted.shards(&keys).map(|count| (entity.name.as_str(), count)));
                findings.extend(wanted.remarks(&keys));
            }
        }
    }
    findings.extend(read.shards(&shards));
    findings.extend(entities.iter().filter_map(|entity| read.comes_too(entity)));
}

/// What a pattern reads, and what it asks there.
struct Read<'a> {
    draft: &'a Draft<'a>,
    /// `the table`, or ``index `GSI1` ``.
    name: String,
    partition_key: &'a [KeyColumn],
    sort_key: &'a [KeyColumn],
    projection: Option<&'a Projection>,
    /// The languages of what each call asks for.
    calls: Vec<Languages>,
}

struct Languages {
    pk: Vec<Vec<Atom>>,
    sk: Option<SortKey<Vec<Atom>>>,
}

/// The keys of one entity's items there.
struct Keys {
    pk: Vec<KeyPlan>,
    sk: Vec<KeyPlan>,
}

impl<'a> Read<'a> {
    fn of(draft: &'a Draft<'a>, table: &'a TablePlan) -> Self {
        let index = draft.plan.index.and_then(|position| table.indexes.get(position));
        let calls = draft.plan.calls.iter().map(|call| {
            let of = |key: &KeyPlan| language(key, &draft.output);
            Languages { pk: call.pk.iter().map(of).collect(), sk: call.sk.as_ref().map(|sk| sk.map(of)) }
        });
        Self {
            draft,
            name: index.map_or("the table".to_owned(), |index| format!("index `{}`", index.name)),
            partition_key: index
                .map_or(std::slice::from_ref(&table.partition_key), |index| &index.partition_key),
            sort_key: index.map_or(table.sort_key.as_slice(), |index| &index.sort_key),
            projection: index.map(|index| &index.projection),
            calls: calls.collect(),
        }
    }

    fn pattern(&self) -> &str {
        &self.draft.plan.name
    }

    /// What an entity writes into the key attributes, or the names of those that it does not write.
    fn keys(&self, entity: &EntityPlan) -> Result<Keys, Vec<&'a str>> {
        let all = || self.partition_key.iter().chain(self.sort_key);
        let missing: Vec<&str> =
            all().filter(|key| written(entity, key).is_none()).map(|key| key.name.as_str()).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let plans = |keys: &[KeyColumn]| keys.iter().filter_map(|key| written(entity, key)).collect();
        Ok(Keys { pk: plans(self.partition_key), sk: plans(self.sort_key) })
    }

    fn pk_can_match(&self, entity: &EntityPlan, keys: &Keys) -> bool {
        let written: Vec<_> = keys.pk.iter().map(|key| language(key, &entity.select.output)).collect();
        self.calls
            .iter()
            .any(|call| call.pk.iter().zip(&written).all(|(asked, written)| meet(asked, written).is_some()))
    }

    fn sk_can_match(&self, entity: &EntityPlan, keys: &Keys) -> bool {
        let written: Vec<_> = keys.sk.iter().map(|key| language(key, &entity.select.output)).collect();
        self.calls.iter().any(|call| call.sk.as_ref().is_none_or(|asked| can_match(asked, &written)))
    }

    /// Fewer calls than shards miss items, more find nothing.
    fn shards(&self, written: &[(&str, u32)]) -> Option<Diagnostic> {
        let asked = self.draft.pattern.shards.as_ref()?;
        let (entity, most) = written.iter().max_by_key(|(_, count)| *count)?;
        let pattern = self.pattern();
        let message =
            format!("`{pattern}` asks {} shards, and `{entity}` is spread over {most}", asked.get_ref());
        let finding = match asked.get_ref().cmp(most) {
            std::cmp::Ordering::Equal => return None,
            std::cmp::Ordering::Less => Diagnostic::error("pattern-shards", asked.span(), message),
            std::cmp::Ordering::Greater => Diagnostic::warning("pattern-shards", asked.span(), message),
        };
        Some(finding.with_help(format!("write shards = {most}")))
    }

    /// An entity that the answer does not want and that can be in it.
    fn comes_too(&self, entity: &EntityPlan) -> Option<Diagnostic> {
        let pattern = self.draft.pattern;
        if pattern.returns.iter().any(|(name, _)| *name.get_ref() == entity.name) {
            return None;
        }
        let keys = self.keys(entity).ok()?;
        if !self.pk_can_match(entity, &keys) || !self.sk_can_match(entity, &keys) {
            return None;
        }
        let span = sort_span(pattern.sk.as_ref()).unwrap_or_else(|| pattern.name.span());
        let (name, read, other) = (self.pattern(), &self.name, &entity.name);
        let message = format!(
            "`{name}` can read items of `{other}` too, which `returns` does not name: {read} has them under the same keys"
        );
        let help = match &pattern.sk {
            None => format!(
                "narrow it with `sk`, such as {{ begins_with = \"…\" }}, or name `{other}` in `returns`"
            ),
            Some(SortKey::Compared(Comparison::BeginsWith, _)) => {
                format!("give the sk of `{other}` a beginning of its own, or name `{other}` in `returns`")
            }
            Some(_) => format!(
                "end the range where the sk of `{other}` begins, by begins_with or between, or name `{other}` in `returns`"
            ),
        };
        Some(Diagnostic::warning("pattern-reads-more", span, message).with_help(help))
    }
}

fn sort_span(sk: Option<&SortKey<Template>>) -> Option<Span> {
    let parts = sk?.parts();
    Some(parts.first()?.span.start..parts.last()?.span.end)
}

/// An entity that belongs to the answer.
struct Wanted<'a> {
    read: &'a Read<'a>,
    entity: &'a EntityPlan,
    span: Span,
}

impl Wanted<'_> {
    /// Its keys, or why it never is in the answer.
    fn keys(&self) -> Result<Keys, Diagnostic> {
        let keys = self.read.keys(self.entity).map_err(|missing| self.not_there(&missing))?;
        if !self.read.pk_can_match(self.entity, &keys) {
            return Err(self.never(&keys.pk, "pk"));
        }
        if !self.read.sk_can_match(self.entity, &keys) {
            return Err(self.never(&keys.sk, "sk"));
        }
        Ok(keys)
    }

    fn not_there(&self, missing: &[&str]) -> Diagnostic {
        let (name, pattern, read) = (&self.entity.name, self.read.pattern(), &self.read.name);
        let message = format!(
            "`{pattern}` never returns `{name}`: no item of it is in {read}, since nothing writes {}",
            list(missing)
        );
        let help = match self.read.draft.pattern.index.as_ref().map(Spanned::get_ref) {
            Some(index) => format!(
                "write the keys in [entities.{name}.index.{index}], ask the table or another index, or take `{name}` out of `returns`"
            ),
            None => format!("take `{name}` out of `returns`"),
        };
        Diagnostic::error("pattern-not-in-index", self.span.clone(), message).with_help(help)
    }

    fn never(&self, keys: &[KeyPlan], which: &str) -> Diagnostic {
        let (name, pattern) = (&self.entity.name, self.read.pattern());
        let texts: Vec<String> = keys
            .iter()
            .map(|key| format!("{} is `{}`", key.attribute, spelled(key, &self.entity.layout.columns)))
            .collect();
        let message = format!(
            "`{pattern}` never returns `{name}`: its {}, which the pattern's `{which}` never asks for",
            texts.join(" and its ")
        );
        let help = format!("ask for what `{name}` writes, or take `{name}` out of `returns`");
        Diagnostic::error("pattern-never-matches", self.span.clone(), message).with_help(help)
    }

    fn remarks(&self, keys: &Keys) -> Vec<Diagnostic> {
        let mut remarks: Vec<Diagnostic> = self.open_beginning(keys).into_iter().collect();
        let pattern = self.read.draft.pattern;
        let sort: &[Template] = match &pattern.sk {
            Some(SortKey::Equal(parts)) => parts,
            Some(SortKey::Compared(_, part)) => std::slice::from_ref(part),
            Some(SortKey::Between(low, _)) => std::slice::from_ref(low),
            None => &[],
        };
        let asked = pattern.pk.iter().zip(&keys.pk).chain(sort.iter().zip(&keys.sk));
        remarks.extend(asked.filter_map(|(template, key)| self.otherwise(template, key)));
        remarks.extend(self.not_projected());
        remarks
    }

    /// How many shards its items are spread over.
    fn shards(&self, keys: &Keys) -> Option<u32> {
        keys.pk.iter().flat_map(|key| &key.template.parts).find_map(|part| match part {
            PartPlan::Value { steps, .. } => steps.iter().find_map(|step| match step {
                Step::Shard(count) => Some(*count),
                _ => None,
            }),
            PartPlan::Literal(_) => None,
        })
    }

    /// What begins with a value of no fixed length reads the longer ones, too: `ALBUM#1` is how `ALBUM#12` begins.
    fn open_beginning(&self, keys: &Keys) -> Option<Diagnostic> {
        let Some(SortKey::Compared(Comparison::BeginsWith, asked)) = &self.read.draft.pattern.sk else {
            return None;
        };
        let TemplatePart::Placeholder { column, steps, span } = asked.parts.last()? else { return None };
        let beginnings = self.read.calls.iter().filter_map(|call| match &call.sk {
            Some(SortKey::Compared(_, atoms)) => atoms.last(),
            _ => None,
        });
        if !beginnings.into_iter().any(|atom| atom.max != Some(atom.min)) {
            return None;
        }
        let value = placeholder(column, steps);
        let message = format!(
            "the begins_with of `{}` ends in `{value}`, whose length varies: it reads what has a longer value there, too",
            self.read.pattern()
        );
        let help = match keys.sk.first()?.template.parts.get(asked.parts.len()) {
            Some(PartPlan::Literal(text)) => {
                let end: String = text.chars().take(1).collect();
                format!("write what `{}` has behind it: `{value}{end}`", self.entity.name)
            }
            Some(PartPlan::Value { .. }) => "give it a fixed length, such as a pad".to_owned(),
            None => format!("ask for the whole key: sk = \"…{value}\""),
        };
        Some(Diagnostic::warning("pattern-open-beginning", span.clone(), message).with_help(help))
    }

    /// A placeholder with other steps than the entity has there: the same value makes another text.
    fn otherwise(&self, asked: &Template, key: &KeyPlan) -> Option<Diagnostic> {
        for (asked, written) in asked.parts.iter().zip(&key.template.parts) {
            match (asked, written) {
                (TemplatePart::Literal(asked), PartPlan::Literal(written)) if asked == written => {}
                (TemplatePart::Placeholder { column, .. }, _) if column == SHARD => {}
                (
                    TemplatePart::Placeholder { column, steps, span },
                    PartPlan::Value { column: at, steps: own, .. },
                ) => {
                    let written = self.entity.layout.columns.get(*at);
                    if steps == own || self.is_text_by_sql(column, own) {
                        continue;
                    }
                    let written = written.map(|plan| plan.name.as_str());
                    let message = format!(
                        "`{}` stands where `{}` writes `{}`: the same value may make another text",
                        placeholder(column, steps),
                        self.entity.name,
                        placeholder(written.unwrap_or_default(), own)
                    );
                    let help = format!(
                        "write `{}`, unless `params` itself makes that text",
                        placeholder(column, own)
                    );
                    return Some(
                        Diagnostic::warning("pattern-other-steps", span.clone(), message).with_help(help),
                    );
                }
                // Parts that do not lie side by side: the languages have decided.
                _ => return None,
            }
        }
        None
    }

    /// The SQL of `params` has made the text of a date that the entity makes by a step.
    fn is_text_by_sql(&self, column: &str, own: &[Step]) -> bool {
        let asked = self.read.draft.plan.columns.iter().find(|plan| plan.name == column);
        let class = asked.and_then(|plan| plan.raw.as_ref()).map(RawType::class);
        let is_text = matches!(class, Some(Class::Text | Class::Dynamic));
        is_text && own.iter().any(|step| matches!(step, Step::Strftime(_)))
    }

    /// Attributes that the application has to read elsewhere.
    fn not_projected(&self) -> Option<Diagnostic> {
        let index = self.read.draft.plan.index?;
        if self.read.projection? == &Projection::All {
            return None;
        }
        let bit = u32::try_from(index).ok().and_then(|at| 1_u32.checked_shl(at)).unwrap_or_default();
        let attributes = self.entity.layout.attributes.iter();
        let left_out: Vec<&str> = attributes
            .filter(|attribute| attribute.membership.projected & bit == 0)
            .map(|attribute| attribute.name.as_str())
            .collect();
        if left_out.is_empty() {
            return None;
        }
        let message = format!(
            "`{}` finds items of `{}` without what {} leaves out: {}",
            self.read.pattern(),
            self.entity.name,
            self.read.name,
            list(&left_out)
        );
        let help = "read them by key where they are needed, or add them to the index's projection";
        Some(Diagnostic::note("pattern-projection", self.span.clone(), message).with_help(help))
    }
}
