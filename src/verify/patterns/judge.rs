//! Compares an answer with what was expected: items, their attributes, their order. Pure.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::super::equality::Identity;
use super::super::value::Value;
use super::ask::{Found, Stored};
use super::expected::Expected;
use super::question::Reading;
use crate::report::AttributeDifference;

/// What is wrong with an answer; positions among the expected items, and of found ones (call, item).
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) missing: Vec<usize>,
    pub(super) unexpected: Vec<(usize, usize)>,
    pub(super) different: Vec<Different>,
    pub(super) out_of_order: Vec<usize>,
    /// Items that are as they should be.
    pub(super) right: usize,
}

/// An item that is there, with other attributes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Different {
    pub(super) expected: usize,
    /// Call and item.
    pub(super) found: (usize, usize),
    pub(super) attributes: Vec<AttributeDifference>,
}

impl Verdict {
    pub(super) fn is_wrong(&self) -> bool {
        !(self.missing.is_empty()
            && self.unexpected.is_empty()
            && self.different.is_empty()
            && self.out_of_order.is_empty())
    }
}

/// How the order and the limit of a pattern choose.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    descending: bool,
    limit: Option<usize>,
}

pub(super) fn judge(reading: &Reading<'_>, expected: &[Expected], calls: &[Found]) -> Verdict {
    let limit = reading.pattern.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    // One item has no order, and no second one.
    let limit = limit.filter(|_| !reading.is_get());
    let choice = Choice { descending: reading.descending(), limit };
    Judge::new(choice, expected).judge(&reading.key, calls)
}

struct Judge<'a> {
    choice: Choice,
    expected: &'a [Expected],
    by_identity: HashMap<&'a Identity, usize>,
    /// Positions of those that must be there, in the order of the answer.
    sorted: Vec<usize>,
}

impl<'a> Judge<'a> {
    fn new(choice: Choice, expected: &'a [Expected]) -> Self {
        // Of rows that share a key, the one that the load has written counts: it comes last.
        let of = |excused: bool| expected.iter().enumerate().filter(move |(_, item)| item.excused == excused);
        let by_identity = of(true).chain(of(false)).map(|(at, item)| (&item.identity, at)).collect();
        let mut judge = Self { choice, expected, by_identity, sorted: Vec::new() };
        let wanted = expected.iter().enumerate().filter(|(_, item)| !item.excused);
        let mut sorted: Vec<usize> = wanted.map(|(at, _)| at).collect();
        sorted.sort_by(|left, right| judge.order(*left, *right));
        judge.sorted = sorted;
        judge
    }

    fn order(&self, left: usize, right: usize) -> Ordering {
        let sk = |at: usize| self.expected.get(at).map(|item| item.sk.as_slice());
        let order = sk(left).cmp(&sk(right));
        if self.choice.descending { order.reverse() } else { order }
    }

    fn judge(&self, key: &[&str], calls: &[Found]) -> Verdict {
        let mut verdict = Verdict::default();
        let mut found = vec![false; self.expected.len()];
        for (call_at, call) in calls.iter().enumerate() {
            let mut before = None;
            for (item_at, stored) in call.items.iter().enumerate() {
                let place = (call_at, item_at);
                let position = stored.item.identity_of(key).and_then(|id| self.by_identity.get(&id).copied());
                let Some((position, expected)) = position.and_then(|at| Some((at, self.expected.get(at)?)))
                else {
                    verdict.unexpected.push(place);
                    continue;
                };
                if let Some(found) = found.get_mut(position) {
                    *found = true;
                }
                if expected.excused {
                    continue;
                }
                if before.is_some_and(|before| self.order(before, position) == Ordering::Greater) {
                    verdict.out_of_order.push(position);
                }
                before = Some(position);
                let attributes = expected.item.differences(&stored.item);
                match attributes.is_empty() {
                    true => verdict.right += 1,
                    false => {
                        verdict.different.push(Different { expected: position, found: place, attributes })
                    }
                }
            }
        }
        verdict.missing = self.missing(key, calls, &found);
        verdict
    }

    /// Those that no call found and that the limit does not leave out.
    fn missing(&self, key: &[&str], calls: &[Found], found: &[bool]) -> Vec<usize> {
        let mut missing = Vec::new();
        for call in calls {
            let in_partition = |at: &&usize| self.pk(**at).is_some_and(|pk| pk == call.pk.as_slice());
            let mine: Vec<usize> = self.sorted.iter().filter(in_partition).copied().collect();
            missing.extend(self.missing_of(&mine, found, self.excused(call, key)));
        }
        let elsewhere = |at: &&usize| {
            let pk = self.pk(**at);
            !calls.iter().any(|call| pk == Some(call.pk.as_slice()))
        };
        // Of another partition than any that is asked: missing unless enough others come first.
        let lost = self.sorted.iter().enumerate().filter(|(_, at)| elsewhere(at));
        let lost = lost.filter(|(rank, _)| self.choice.limit.is_none_or(|limit| *rank < limit));
        missing.extend(lost.map(|(_, at)| *at).filter(|at| !is(found, *at)));
        missing
    }

    /// Items of a call that may be there or not, and take a place of its limit.
    fn excused(&self, call: &Found, key: &[&str]) -> usize {
        let position = |stored: &Stored| self.by_identity.get(&stored.item.identity_of(key)?).copied();
        let positions = call.items.iter().filter_map(position);
        positions.filter(|at| self.expected.get(*at).is_some_and(|item| item.excused)).count()
    }

    /// Of one partition's items, in their order. Where the limit cuts between items of one sort key, any of
    /// these is right.
    fn missing_of(&self, mine: &[usize], found: &[bool], taken: usize) -> Vec<usize> {
        let limit = self.choice.limit.map_or(usize::MAX, |limit| limit.saturating_sub(taken)).min(mine.len());
        let last = limit.checked_sub(1).and_then(|last| mine.get(last));
        let Some(last) = last else { return Vec::new() };
        let before = mine.iter().take_while(|at| self.order(**at, *last) == Ordering::Less);
        let sure: Vec<usize> = before.copied().collect();
        let tied: Vec<usize> = mine
            .iter()
            .skip(sure.len())
            .take_while(|at| self.order(**at, *last) == Ordering::Equal)
            .copied()
            .collect();
        let places = limit - sure.len();
        let filled = tied.iter().filter(|at| is(found, **at)).count();
        let unfilled = tied.into_iter().filter(|at| !is(found, *at)).take(places.saturating_sub(filled));
        sure.into_iter().filter(|at| !is(found, *at)).chain(unfilled).collect()
    }

    fn pk(&self, at: usize) -> Option<&[Value]> {
        self.expected.get(at).map(|item| item.pk.as_slice())
    }
}

fn is(found: &[bool], at: usize) -> bool {
    found.get(at).copied().unwrap_or(false)
}

#[cfg(test)]
mod tests;
