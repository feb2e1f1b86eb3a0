//! `[write]`

use toml::de::DeValue;

use super::root;
use super::section::{Keys, Section};
use super::walker::{Read, Value, Walker};
use crate::mapping::{Rate, WriteSettings};

pub(in crate::mapping) const KEYS: Keys =
    Keys { known: &["rate", "concurrency", "max_rejects"], later: &["on_existing", "mode", "oversize"] };

const DEFAULTS: WriteSettings = WriteSettings { rate: Rate::Auto, concurrency: None, max_rejects: 1000 };

pub(super) fn read<'a>(walker: &mut Walker<'a>, root: &Section<'a>) -> Read<WriteSettings> {
    let Some(section) = root::optional_section(walker, root, "write", &KEYS)? else { return Ok(DEFAULTS) };
    let rate = section.optional(walker, "rate", rate);
    let concurrency =
        section.optional(walker, "concurrency", |walker, key, value| walker.integer(key, value, 1..=1024));
    let max_rejects = section
        .optional(walker, "max_rejects", |walker, key, value| walker.integer(key, value, 0..=u64::MAX));
    Ok(WriteSettings {
        rate: rate?.unwrap_or(DEFAULTS.rate),
        concurrency: concurrency?.map(|number| usize::try_from(number).unwrap_or(usize::MAX)),
        max_rejects: max_rejects?.unwrap_or(DEFAULTS.max_rejects),
    })
}

fn rate<'a>(walker: &mut Walker<'a>, key: &str, value: &'a Value<'a>) -> Read<Rate> {
    if let DeValue::Integer(_) = value.get_ref() {
        return walker.integer(key, value, 1..=u64::MAX).map(Rate::Fixed);
    }
    let text = walker.text_or(key, "\"auto\" or write capacity units per second", value)?;
    if text.value.ends_with('%') {
        return Err(walker.not_yet(text.span, "a rate in percent"));
    }
    walker.choice(key, &text, &[("auto", Rate::Auto)])
}
