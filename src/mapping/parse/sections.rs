//! The tables of the mapping language and their keys, for whoever describes the language elsewhere: the
//! JSON Schema of `mappings/schema.json` is held against this list.

use super::section::Keys;
use super::{
    attribute, columns, create, defaults, entity, index, index_entry, key_attribute, pattern,
    pattern_sort_key, root, source, table, write,
};

/// The keys that one table of a mapping takes.
#[derive(Debug, Clone, Copy)]
pub struct SectionKeys {
    /// Where the table stands: `table.indexes.*`, with `*` for names that the user gives; empty for the file.
    pub place: &'static str,
    pub keys: &'static [&'static str],
    /// Words of the language that do not work yet.
    pub later: &'static [&'static str],
}

/// All tables of a mapping, those in braces too.
pub fn sections() -> Vec<SectionKeys> {
    let places: [(&'static str, &Keys); 22] = [
        ("", &root::KEYS),
        ("source", &source::KEYS),
        ("defaults", &defaults::KEYS),
        ("table", &table::KEYS),
        ("table.partition_key", &key_attribute::KEYS),
        ("table.sort_key", &key_attribute::KEYS),
        ("table.indexes.*", &index::KEYS),
        ("table.indexes.*.partition_key", &key_attribute::KEYS),
        ("table.indexes.*.sort_key", &key_attribute::KEYS),
        ("table.indexes.*.create", &index::CREATE_KEYS),
        ("table.indexes.*.create.billing", &create::THROUGHPUT_KEYS),
        ("table.create", &create::KEYS),
        ("table.create.billing", &create::THROUGHPUT_KEYS),
        ("table.create.warm_throughput", &create::THROUGHPUT_KEYS),
        ("write", &write::KEYS),
        ("entities.*", &entity::KEYS),
        ("entities.*.columns", &columns::EXCEPT_KEYS),
        ("entities.*.column.*", &columns::COLUMN_KEYS),
        ("entities.*.index.*", &index_entry::KEYS),
        ("entities.*.attributes.*", &attribute::KEYS),
        ("access_patterns.*", &pattern::KEYS),
        ("access_patterns.*.sk", &pattern_sort_key::KEYS),
    ];
    places
        .into_iter()
        .map(|(place, keys)| SectionKeys { place, keys: keys.known, later: keys.later })
        .collect()
}
