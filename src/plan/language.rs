//! The set of texts that a template can render, as a sequence of repeated byte classes, and the two
//! questions a key proof asks: can two such sets meet, and which parts of a text can be told apart?
//!
//! A language here may hold more texts than the template really renders, never fewer.

use std::collections::VecDeque;

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByteSet {
    low: u128,
    high: u128,
}

/// `min` to `max` bytes of one set; without `max` any number of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Atom {
    pub(super) set: ByteSet,
    pub(super) min: usize,
    pub(super) max: Option<usize>,
}

/// Beyond so many bytes an atom counts as open: DynamoDB's keys end at 2048 bytes anyway.
const UNROLLED: usize = 256;

impl ByteSet {
    pub(super) const EMPTY: Self = Self { low: 0, high: 0 };
    pub(super) const ANY: Self = Self { low: u128::MAX, high: u128::MAX };
    pub(super) const ASCII: Self = Self { low: u128::MAX, high: 0 };

    pub(super) fn of(bytes: &[u8]) -> Self {
        bytes.iter().fold(Self::EMPTY, |set, byte| {
            let bit = 1_u128 << (byte & 0x7f);
            match byte {
                0..=0x7f => Self { low: set.low | bit, ..set },
                0x80.. => Self { high: set.high | bit, ..set },
            }
        })
    }

    pub(super) fn digits() -> Self {
        Self::of(b"0123456789")
    }

    pub(super) fn upper_case() -> Self {
        Self::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    }

    pub(super) fn lower_case() -> Self {
        Self::of(b"abcdefghijklmnopqrstuvwxyz")
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self { low: self.low | other.low, high: self.high | other.high }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self { low: self.low & other.low, high: self.high & other.high }
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self { low: self.low & !other.low, high: self.high & !other.high }
    }

    pub(super) fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    pub(super) fn meets(self, other: Self) -> bool {
        !self.and(other).is_empty()
    }

    pub(super) fn bytes(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |byte| self.meets(Self::of(&[*byte])))
    }

    /// One of its bytes, easy to read if there is such a one.
    fn example(self) -> Option<u8> {
        let readable = |byte: &u8| byte.is_ascii_alphanumeric();
        let printable = |byte: &u8| byte.is_ascii_graphic();
        // '1' before '0': an example key with id 1 looks like one.
        let one = self.meets(Self::of(b"1")).then_some(b'1');
        one.or_else(|| self.bytes().find(readable))
            .or_else(|| self.bytes().find(printable))
            .or_else(|| self.bytes().next())
    }
}

impl Atom {
    pub(super) fn exactly(set: ByteSet, count: usize) -> Self {
        Self { set, min: count, max: Some(count) }
    }

    pub(super) fn some(set: ByteSet) -> Self {
        Self { set, min: 1, max: None }
    }

    pub(super) fn optional(set: ByteSet) -> Self {
        Self { set, min: 0, max: Some(1) }
    }

    fn fixed(&self) -> bool {
        self.max == Some(self.min)
    }
}

pub(super) fn literal(text: &str) -> Vec<Atom> {
    text.bytes().map(|byte| Atom::exactly(ByteSet::of(&[byte]), 1)).collect()
}

/// A text that both languages hold, if there is one: decided exactly.
pub(super) fn meet(left: &[Atom], right: &[Atom]) -> Option<Vec<u8>> {
    let (left, right) = (unroll(left), unroll(right));
    let width = right.len() + 1;
    let mut reached: Vec<Option<Arrival>> = vec![None; (left.len() + 1) * width];
    let mut queue = VecDeque::new();
    let mut arrivals = vec![(0, Arrival { from: 0, byte: None })];
    loop {
        for (state, arrival) in arrivals.drain(..) {
            if let Some(place @ None) = reached.get_mut(state) {
                *place = Some(arrival);
                queue.push_back(state);
            }
        }
        let state = queue.pop_front()?;
        let (at_left, at_right) = (state / width, state % width);
        if at_left == left.len() && at_right == right.len() {
            return Some(path(&reached, state));
        }
        let next = moves(left.get(at_left), right.get(at_right), state, width);
        arrivals.extend(next.map(|(next, byte)| (next, Arrival { from: state, byte })));
    }
}

#[derive(Debug, Clone, Copy)]
struct Arrival {
    from: usize,
    byte: Option<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeat {
    Once,
    AtMostOnce,
    Any,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    set: ByteSet,
    repeat: Repeat,
}

fn unroll(atoms: &[Atom]) -> Vec<Node> {
    let mut nodes = Vec::new();
    for atom in atoms {
        let node = |repeat| Node { set: atom.set, repeat };
        nodes.extend(std::iter::repeat_n(node(Repeat::Once), atom.min.min(UNROLLED)));
        match atom.max {
            Some(max) if max <= UNROLLED => {
                nodes.extend(std::iter::repeat_n(node(Repeat::AtMostOnce), max.saturating_sub(atom.min)));
            }
            _ => nodes.push(node(Repeat::Any)),
        }
    }
    nodes
}

/// A language made ready for many questions whether it holds a text.
#[derive(Debug)]
pub(super) struct Matcher(Vec<Node>);

impl Matcher {
    pub(super) fn new(atoms: &[Atom]) -> Self {
        Self(unroll(atoms))
    }

    pub(super) fn accepts(&self, text: &[u8]) -> bool {
        let mut reached = self.with_skips(std::iter::once(0));
        for byte in text {
            let byte = ByteSet::of(&[*byte]);
            let next = reached.iter().filter_map(|at| {
                let node = self.0.get(*at).filter(|node| node.set.meets(byte))?;
                Some(if node.repeat == Repeat::Any { *at } else { at + 1 })
            });
            reached = self.with_skips(next);
            if reached.is_empty() {
                return false;
            }
        }
        reached.last() == Some(&self.0.len())
    }

    /// Each position once, in order, and those behind nodes that may be absent.
    fn with_skips(&self, positions: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut all: Vec<usize> = Vec::new();
        for position in positions {
            let mut at = position;
            while all.last().is_none_or(|last| at > *last) {
                all.push(at);
                match self.0.get(at) {
                    Some(node) if node.repeat != Repeat::Once => at += 1,
                    _ => break,
                }
            }
        }
        all
    }
}

/// Where a state of the product leads: past a node that may be absent, or over a byte of both.
fn moves(
    left: Option<&Node>,
    right: Option<&Node>,
    state: usize,
    width: usize,
) -> impl Iterator<Item = (usize, Option<u8>)> {
    let skips = |node: Option<&Node>| node.is_some_and(|node| node.repeat != Repeat::Once);
    let both = left.zip(right).and_then(|(left, right)| {
        let byte = left.set.and(right.set).example()?;
        let stays = |node: &Node| node.repeat == Repeat::Any;
        let next = state + if stays(left) { 0 } else { width } + usize::from(!stays(right));
        Some((next, Some(byte)))
    });
    let past_left = skips(left).then_some((state + width, None));
    let past_right = skips(right).then_some((state + 1, None));
    both.into_iter().chain(past_left).chain(past_right)
}

fn path(reached: &[Option<Arrival>], mut state: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(Some(arrival)) = reached.get(state).copied() {
        bytes.extend(arrival.byte);
        if arrival.from == state {
            break;
        }
        state = arrival.from;
    }
    bytes.reverse();
    bytes
}

/// For each atom, whether the text alone tells where it begins and ends.
///
/// From the left, an atom of fixed width is told, and so is one of variable width when what can follow
/// it starts with none of its bytes (then it ends where they end). The same from the right. When both
/// walks stop at the same atom, it is what remains between them.
pub(super) fn told_apart(atoms: &[Atom]) -> Vec<bool> {
    let from_left = walk(atoms);
    let reversed: Vec<Atom> = atoms.iter().rev().copied().collect();
    let from_right = walk(&reversed);
    let end = atoms.len().saturating_sub(from_right);
    let one_remains = from_left + 1 == end;
    (0..atoms.len()).map(|at| at < from_left || at >= end || one_remains).collect()
}

/// How many leading atoms are told apart.
fn walk(atoms: &[Atom]) -> usize {
    let told = |at: &usize| {
        let rest = atoms.get(at + 1..).unwrap_or_default();
        atoms.get(*at).is_some_and(|atom| atom.fixed() || !atom.set.meets(first(rest)))
    };
    (0..atoms.len()).take_while(told).count()
}

/// The bytes that a text of `atoms` can start with.
fn first(atoms: &[Atom]) -> ByteSet {
    let mut set = ByteSet::EMPTY;
    for atom in atoms {
        set = set.or(atom.set);
        if atom.min > 0 {
            break;
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    /// All texts of at most `limit` bytes over a, b, c.
    fn enumerate(atoms: &[Atom], limit: usize) -> HashSet<Vec<u8>> {
        let mut texts = HashSet::from([Vec::new()]);
        for atom in atoms {
            let mut longer = HashSet::new();
            for text in &texts {
                extend(text.clone(), atom, 0, limit, &mut longer);
            }
            texts = longer;
        }
        texts
    }

    fn extend(text: Vec<u8>, atom: &Atom, count: usize, limit: usize, out: &mut HashSet<Vec<u8>>) {
        if count < atom.max.unwrap_or(usize::MAX) && text.len() < limit {
            for byte in atom.set.bytes() {
                let mut longer = text.clone();
                longer.push(byte);
                extend(longer, atom, count + 1, limit, out);
            }
        }
        if count >= atom.min {
            out.insert(text);
        }
    }

    fn random_atoms(random: &mut fastrand::Rng) -> Vec<Atom> {
        let sets: [&[u8]; 5] = [b"a", b"b", b"ab", b"bc", b"c"];
        (0..random.usize(0..4))
            .map(|_| {
                let min = random.usize(0..2);
                let max = random.bool().then(|| min + random.usize(0..2));
                Atom { set: ByteSet::of(sets[random.usize(0..sets.len())]), min, max }
            })
            .collect()
    }

    #[test]
    fn languages_meet_exactly_when_enumeration_finds_a_common_text() {
        let mut random = fastrand::Rng::with_seed(14);
        // No byte of a shortest common text is optional in both: 3 + 3 demanded bytes at most.
        for _ in 0..1500 {
            let (left, right) = (random_atoms(&mut random), random_atoms(&mut random));
            let (all_left, all_right) = (enumerate(&left, 6), enumerate(&right, 6));
            let common = all_left.intersection(&all_right).next();
            let witness = meet(&left, &right);
            assert_eq!(witness.is_some(), common.is_some(), "{left:?} {right:?}");
            if let Some(text) = witness {
                assert!(all_left.contains(&text) && all_right.contains(&text), "{text:?}");
            }
        }
    }

    #[test]
    fn a_matcher_holds_exactly_the_texts_of_its_language() {
        let mut random = fastrand::Rng::with_seed(5);
        let all = enumerate(&[Atom { set: ByteSet::of(b"abc"), min: 0, max: None }], 5);
        for _ in 0..300 {
            let atoms = random_atoms(&mut random);
            let (matcher, texts) = (Matcher::new(&atoms), enumerate(&atoms, 5));
            for text in &all {
                assert_eq!(matcher.accepts(text), texts.contains(text), "{atoms:?} {text:?}");
            }
        }
    }

    #[test]
    fn atoms_that_are_told_apart_have_one_place_in_every_text() {
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..400 {
            let atoms = random_atoms(&mut random);
            let told = told_apart(&atoms);
            let mut seen: HashMap<Vec<u8>, Vec<Vec<u8>>> = HashMap::new();
            for split in splits(&atoms, 6) {
                let text: Vec<u8> = split.concat();
                let first = seen.entry(text).or_insert_with(|| split.clone());
                for (at, told) in told.iter().enumerate() {
                    assert!(!told || first[at] == split[at], "{atoms:?} {first:?} {split:?}");
                }
            }
        }
    }

    fn splits(atoms: &[Atom], limit: usize) -> Vec<Vec<Vec<u8>>> {
        let mut splits = vec![Vec::new()];
        for atom in atoms {
            let parts = enumerate(std::slice::from_ref(atom), limit / 2);
            splits = splits
                .iter()
                .flat_map(|split| parts.iter().map(move |part| [split.clone(), vec![part.clone()]].concat()))
                .collect();
        }
        splits
    }
}
