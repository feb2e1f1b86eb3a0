//! Whether what a pattern asks for can be what an entity writes.

use crate::mapping::{Comparison, SortKey};
use crate::plan::language::{Atom, ByteSet, meet};

/// Whether a sort key of these languages, one for each attribute, can be what is asked for.
pub(super) fn can_match(asked: &SortKey<Vec<Atom>>, written: &[Vec<Atom>]) -> bool {
    let Some(first) = written.first() else { return true };
    match asked {
        SortKey::Equal(parts) => {
            parts.iter().zip(written).all(|(part, written)| meet(part, written).is_some())
        }
        SortKey::Compared(Comparison::BeginsWith, part) => {
            let mut beginning = part.clone();
            beginning.push(Atom { set: ByteSet::ANY, min: 0, max: None });
            meet(&beginning, first).is_some()
        }
        SortKey::Compared(Comparison::Greater | Comparison::GreaterOrEqual, low) => !is_below(first, low),
        SortKey::Compared(Comparison::Less | Comparison::LessOrEqual, high) => !is_below(high, first),
        SortKey::Between(low, high) => !is_below(first, low) && !is_below(high, first),
    }
}

/// Every text of the one comes before every text of the other, as far as their beginnings tell.
fn is_below(left: &[Atom], right: &[Atom]) -> bool {
    for (left, right) in beginning(left).zip(beginning(right)) {
        match (range(left), range(right)) {
            (Some((_, highest)), Some((lowest, _))) if highest < lowest => return true,
            (Some((lowest, highest)), other) if lowest == highest && other == Some((lowest, highest)) => {}
            _ => return false,
        }
    }
    false
}

/// What stands at each place from the first on, as far as all texts have that place.
fn beginning(atoms: &[Atom]) -> impl Iterator<Item = ByteSet> {
    let fixed = atoms.iter().take_while(|atom| atom.max == Some(atom.min)).count();
    atoms.iter().take(fixed + 1).flat_map(|atom| std::iter::repeat_n(atom.set, atom.min))
}

/// The lowest byte of a set and the highest.
fn range(set: ByteSet) -> Option<(u8, u8)> {
    Some((set.bytes().next()?, set.bytes().last()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::language::literal;

    fn number(before: &str) -> Vec<Atom> {
        [literal(before), vec![Atom::exactly(ByteSet::digits(), 10)]].concat()
    }

    fn matches(asked: &SortKey<Vec<Atom>>, written: &[&str]) -> Vec<bool> {
        written.iter().map(|text| can_match(asked, &[number(text)])).collect()
    }

    #[test]
    fn a_beginning_is_met_by_what_goes_on_from_it() {
        let asked = SortKey::Compared(Comparison::BeginsWith, literal("ORDER#"));
        assert_eq!(matches(&asked, &["ORDER#", "ORDER#X#", "ORDER", "ITEM#"]), [true, true, false, false]);
        assert!(can_match(&asked, &[literal("ORDER#")]));
    }

    #[test]
    fn a_range_is_left_by_what_begins_outside() {
        let between = SortKey::Between(literal("D#2024"), literal("D#2026"));
        assert_eq!(
            matches(&between, &["D#", "D#2025", "D#2027", "C#", "E#"]),
            [true, true, false, false, false]
        );
        let from = SortKey::Compared(Comparison::GreaterOrEqual, literal("M"));
        assert_eq!(matches(&from, &["ORDER#", "ITEM#", ""]), [true, false, false]);
        let to = SortKey::Compared(Comparison::Less, number("M"));
        assert_eq!(matches(&to, &["ORDER#", "ITEM#"]), [false, true]);
    }

    #[test]
    fn each_attribute_of_a_key_must_be_met() {
        let asked = SortKey::Equal(vec![literal("OPEN"), number("")]);
        assert!(can_match(&asked, &[literal("OPEN"), number(""), literal("X")]));
        assert!(!can_match(&asked, &[literal("OPEN"), literal("A")]));
    }
}
