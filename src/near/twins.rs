//! Counts the texts of a column that are equal but for case, blanks at either end and Unicode normal form.
//!
//! A text is remembered as two hashes. Where there are too many, those of half of the hashes are left for another reading of
//! the rows, as often as it takes: memory is bounded, whatever the table holds.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;

use super::{EXAMPLES, SourceKey};
use crate::mapping::Step;

/// Texts that are remembered at a time: some forty megabytes a column.
const ROOM: usize = 250_000;

#[derive(Debug)]
pub(super) struct Twins {
    /// By which the column's key writes its texts.
    steps: Vec<Step>,
    room: usize,
    /// What this reading counts; `None` when nothing is left.
    class: Option<Class>,
    /// For readings to come.
    left: Vec<Class>,
    spellings: HashMap<u128, Spellings>,
    /// Of this reading, with the hash that they belong to.
    shown: Vec<(u128, SourceKey)>,
    rows: u64,
    examples: Vec<SourceKey>,
}

/// The hashes that leave a remainder.
#[derive(Debug, Clone, Copy)]
struct Class {
    modulus: u128,
    remainder: u128,
}

/// Texts with one canonical form.
#[derive(Debug)]
struct Spellings {
    first: u128,
    rows: u64,
    differ: bool,
}

impl Class {
    fn holds(self, hash: u128) -> bool {
        hash % self.modulus == self.remainder
    }
}

impl Twins {
    pub(super) fn new(steps: &[Step]) -> Self {
        Self {
            steps: steps.to_vec(),
            room: ROOM,
            class: Some(Class { modulus: 1, remainder: 0 }),
            left: Vec::new(),
            spellings: HashMap::new(),
            shown: Vec::new(),
            rows: 0,
            examples: Vec::new(),
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.class.is_none()
    }

    pub(super) fn add(&mut self, text: &str, key: impl FnOnce() -> SourceKey) {
        let Some(class) = self.class else { return };
        let canonical = hash(&canonical(text));
        if !class.holds(canonical) {
            return;
        }
        let written = hash(&written(text, &self.steps));
        let spellings =
            self.spellings.entry(canonical).or_insert(Spellings { first: written, rows: 0, differ: false });
        spellings.rows += 1;
        if spellings.first != written {
            spellings.differ = true;
            if self.examples.len() + self.shown.len() < EXAMPLES {
                self.shown.push((canonical, key()));
            }
        }
        if self.spellings.len() > self.room {
            self.halve(class);
        }
    }

    /// Leaves half of the hashes for another reading.
    fn halve(&mut self, class: Class) {
        let half = Class { modulus: class.modulus * 2, remainder: class.remainder };
        self.left.push(Class { remainder: class.remainder + class.modulus, ..half });
        self.class = Some(half);
        self.spellings.retain(|hash, _| half.holds(*hash));
        self.shown.retain(|(hash, _)| half.holds(*hash));
    }

    /// All rows were added.
    pub(super) fn end_of_rows(&mut self) {
        let near = self.spellings.values().filter(|spellings| spellings.differ);
        self.rows += near.map(|spellings| spellings.rows).sum::<u64>();
        self.examples.extend(self.shown.drain(..).map(|(_, key)| key));
        self.spellings.clear();
        self.class = self.left.pop();
    }

    /// Rows whose text has another spelling in other rows, and keys of some whose is not the first.
    pub(super) fn found(self) -> (u64, Vec<SourceKey>) {
        (self.rows, self.examples)
    }
}

fn canonical(text: &str) -> String {
    match text.is_ascii() {
        true => text.trim().to_ascii_lowercase(),
        false => text.trim().to_lowercase().nfc().collect(),
    }
}

/// The text that the key has of it.
fn written(text: &str, steps: &[Step]) -> String {
    steps.iter().fold(text.to_owned(), |text, step| match step {
        Step::Lower => text.to_lowercase(),
        Step::Upper => text.to_uppercase(),
        Step::Trim => text.trim().to_owned(),
        _ => text,
    })
}

/// Half of a SHA-256: no two texts of any table have the same one.
fn hash(text: &str) -> u128 {
    let digest: [u8; 32] = Sha256::digest(text).into();
    let (half, _) = digest.as_chunks::<16>();
    half.first().map_or(0, |half| u128::from_be_bytes(*half))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(twins: &mut Twins, texts: &[&str]) -> (u64, usize) {
        let mut readings = 0;
        while !twins.is_done() {
            for text in texts {
                twins.add(text, || vec![("id".to_owned(), (*text).to_owned())]);
            }
            twins.end_of_rows();
            readings += 1;
        }
        (twins.rows, readings)
    }

    /// K19, K20: what differs by case, by blanks, by normal form; and what does not.
    #[test]
    fn k19_k20_spellings_of_one_text_are_counted_together() {
        let texts = ["a", "A", " a ", "b", "b", "\u{e4}", "a\u{308}", "c", "\u{df}", "ss"];
        let mut twins = Twins::new(&[]);
        assert_eq!(counted(&mut twins, &texts), (5, 1));
        let shown: Vec<&str> = twins.examples.iter().map(|key| key[0].1.as_str()).collect();
        assert_eq!(shown, ["A", " a ", "a\u{308}"]);
    }

    /// K20: a key that folds has no other spelling of them left, but the normal form.
    #[test]
    fn k20_what_a_key_makes_equal_is_no_twin() {
        let mut twins = Twins::new(&[Step::Trim, Step::Lower]);
        assert_eq!(counted(&mut twins, &["a", "A", " a ", "\u{e4}", "A\u{308}"]), (2, 1));
    }

    #[test]
    fn with_little_room_the_rows_are_read_again_and_the_count_is_the_same() {
        let texts: Vec<String> = (0..200).flat_map(|n| [format!("x{n}"), format!("X{n}")]).collect();
        let alone: Vec<String> = (0..300).map(|n| format!("y{n}")).collect();
        let texts: Vec<&str> = texts.iter().chain(&alone).map(String::as_str).collect();
        let mut twins = Twins { room: 20, ..Twins::new(&[]) };
        let (rows, readings) = counted(&mut twins, &texts);
        assert_eq!(rows, 400);
        assert!(readings > 20, "{readings} readings");
        assert_eq!(twins.examples.len(), EXAMPLES);
        let mut keys = twins.examples.clone();
        keys.dedup();
        assert_eq!(keys.len(), EXAMPLES, "each once");
    }
}
