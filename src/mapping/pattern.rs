//! `[[access_patterns]]`, read.

use toml::Spanned;

use super::template::Template;

/// The placeholder that `shards` fills.
pub const SHARD: &str = "shard";

/// A question of the application: what it asks of the table, and what the source answers.
#[derive(Debug, Clone)]
pub struct AccessPattern {
    pub name: Spanned<String>,
    /// The table itself when absent.
    pub index: Option<Spanned<String>>,
    /// SQL whose rows are asked for, one call each.
    pub params: Option<Spanned<String>>,
    /// Each question is asked of so many partitions: the values of `{shard}`.
    pub shards: Option<Spanned<u32>>,
    /// One of each attribute of the partition key.
    pub pk: Vec<Template>,
    pub sk: Option<SortKey<Template>>,
    pub order: Order,
    pub limit: Option<u64>,
    /// Rows of `params` that are tried at most.
    pub sample: usize,
    /// Entity → SQL predicate, in which `{x}` is a value of `params`. At least one.
    pub returns: Vec<(Spanned<String>, Spanned<String>)>,
}

/// What is asked of a sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SortKey<T> {
    /// One of each attribute, from the first on; an index may have more of them.
    Equal(Vec<T>),
    Compared(Comparison, T),
    Between(T, T),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    BeginsWith,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    #[default]
    Ascending,
    Descending,
}

impl<T> SortKey<T> {
    pub fn parts(&self) -> Vec<&T> {
        match self {
            SortKey::Equal(parts) => parts.iter().collect(),
            SortKey::Compared(_, part) => vec![part],
            SortKey::Between(low, high) => vec![low, high],
        }
    }

    /// The same question with other parts.
    pub fn map<U>(&self, mut change: impl FnMut(&T) -> U) -> SortKey<U> {
        match self {
            SortKey::Equal(parts) => SortKey::Equal(parts.iter().map(change).collect()),
            SortKey::Compared(comparison, part) => SortKey::Compared(*comparison, change(part)),
            SortKey::Between(low, high) => {
                let low = change(low);
                SortKey::Between(low, change(high))
            }
        }
    }
}

impl<T, E> SortKey<Result<T, E>> {
    /// The question if all of its parts could be made, else what is wrong with the first that could not.
    pub fn transpose(self) -> Result<SortKey<T>, E> {
        Ok(match self {
            SortKey::Equal(parts) => SortKey::Equal(parts.into_iter().collect::<Result<_, E>>()?),
            SortKey::Compared(comparison, part) => SortKey::Compared(comparison, part?),
            SortKey::Between(low, high) => SortKey::Between(low?, high?),
        })
    }
}
