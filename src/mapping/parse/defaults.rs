//! `[defaults]`: what holds in every entity that says nothing else.

use super::root;
use super::section::{Keys, Section};
use super::settings;
use super::walker::{Read, Walker};
use crate::mapping::{Case, ValueSettings};

pub(in crate::mapping) const KEYS: Keys =
    Keys { known: &["zone", "nulls", "overflow", "rename_all"], later: &[] };

#[derive(Debug, Clone, Default)]
pub(super) struct Defaults {
    pub(super) values: ValueSettings,
    pub(super) rename_all: Option<Case>,
}

pub(super) fn read<'a>(walker: &mut Walker<'a>, root: &Section<'a>) -> Read<Defaults> {
    let Some(section) = root::optional_section(walker, root, "defaults", &KEYS)? else {
        return Ok(Defaults::default());
    };
    let values = settings::read(walker, &section);
    let rename_all = section.optional(walker, "rename_all", settings::case);
    Ok(Defaults { values: values?, rename_all: rename_all? })
}
