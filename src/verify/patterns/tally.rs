//! Sums up the questions of one pattern.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value as Json;

use super::Heard;
use super::ask::{Answer, half_units};
use super::expected::Expected;
use super::question::{Question, Reading, Unasked};
use crate::plan::Operation;
use crate::report::{AttributeDifference, PatternExample, PatternReport, SeparateCost, SourceCost};

/// A page of a Query ends after so many bytes.
const PAGE: u64 = 1 << 20;

pub(super) struct Tally<'a> {
    reading: &'a Reading<'a>,
    report: PatternReport,
    /// Examples to keep.
    most: usize,
    show_values: bool,
    requests: u64,
    half_units: Option<u64>,
    times: Vec<Duration>,
    source_times: Vec<Duration>,
    /// Requests and halves of read units.
    separate: (u64, u64),
}

impl<'a> Tally<'a> {
    pub(super) fn new(reading: &'a Reading<'a>, most: usize, show_values: bool) -> Self {
        let pattern = reading.pattern;
        let report = PatternReport {
            name: pattern.name.clone(),
            index: reading.index.map(str::to_owned),
            operation: match pattern.operation {
                Operation::GetItem => "get_item",
                Operation::Query => "query",
            },
            ..PatternReport::default()
        };
        let (times, source_times) = (Vec::new(), Vec::new());
        Self {
            reading,
            report,
            most,
            show_values,
            requests: 0,
            half_units: Some(0),
            times,
            source_times,
            separate: (0, 0),
        }
    }

    pub(super) fn skip(&mut self, unasked: Unasked) {
        *self.report.skipped_by.entry(unasked.as_str().to_owned()).or_default() += 1;
    }

    /// How many rows `params` has.
    pub(super) fn of_rows(&mut self, rows: u64) {
        self.report.rows = rows;
    }

    /// The statements know no limit: with one their time is that of more than the answer.
    pub(super) fn source_took(&mut self, elapsed: Duration) {
        if self.reading.pattern.limit.is_none() {
            self.source_times.push(elapsed);
        }
    }

    /// The first answer to a question: what it took.
    pub(super) fn asked(&mut self, answer: &Answer) {
        self.requests += answer.requests;
        self.half_units = self.half_units.zip(answer.half_units).map(|(sum, more)| sum + more);
        self.times.push(answer.elapsed);
    }

    /// The last answer to it.
    pub(super) fn judged(&mut self, heard: &Heard) {
        let Heard { wanted, verdict, .. } = heard;
        let expected = &wanted.items;
        let report = &mut self.report;
        report.params += 1;
        report.wrong += u64::from(verdict.is_wrong());
        report.items += count(verdict.right);
        report.missing += count(verdict.missing.len());
        report.unexpected += count(verdict.unexpected.len());
        report.different += count(verdict.different.len());
        report.out_of_order += count(verdict.out_of_order.len());
        report.not_in_index += count(wanted.not_in_index);
        report.rejected += count(wanted.rejected);
        let (requests, half_units) = separate(self.reading, expected);
        self.separate.0 += requests;
        self.separate.1 += half_units;
        self.example(heard);
    }

    fn example(&mut self, heard: &Heard) {
        let Heard { question, wanted, answer, verdict } = heard;
        let expected = &wanted.items;
        let stored = |(call, item): (usize, usize)| answer.calls.get(call)?.items.get(item);
        let of_item = |what, at: usize| {
            let item = expected.get(at)?;
            let entity =
                self.reading.pattern.returns.get(item.returned).map(|returned| returned.entity.clone());
            Some(self.make(what, question, entity, &item.wire, Vec::new()))
        };
        let missing = verdict.missing.iter().filter_map(|at| of_item("missing", *at));
        let unexpected = verdict
            .unexpected
            .iter()
            .filter_map(|at| Some(self.make("unexpected", question, None, &stored(*at)?.wire, Vec::new())));
        let different = verdict.different.iter().filter_map(|different| {
            let mut example = of_item("different", different.expected)?;
            example.attributes = different.attributes.clone();
            if self.show_values {
                let (expected, found) =
                    (json(&expected.get(different.expected)?.wire), json(&stored(different.found)?.wire));
                example.attributes.iter_mut().for_each(|attribute| show(attribute, &expected, &found));
            }
            Some(example)
        });
        let out_of_order = verdict.out_of_order.iter().filter_map(|at| of_item("out_of_order", *at));
        let room = self.most.saturating_sub(self.report.examples.len());
        let examples: Vec<PatternExample> =
            missing.chain(unexpected).chain(different).chain(out_of_order).take(room).collect();
        self.report.examples.extend(examples);
    }

    fn make(
        &self,
        what: &'static str,
        question: &Question,
        entity: Option<String>,
        wire: &[u8],
        attributes: Vec<AttributeDifference>,
    ) -> PatternExample {
        let item = json(wire);
        let attribute = |name: &&str| Some(((*name).to_owned(), item.get(*name)?.clone()));
        let key = Json::Object(self.reading.key.iter().filter_map(attribute).collect());
        PatternExample { what, params: question.params.clone(), entity, key, attributes }
    }

    pub(super) fn finish(self) -> PatternReport {
        let asked = self.report.params;
        // A strongly consistent read takes twice the units of another.
        let strength = if self.reading.consistent { 4.0 } else { 2.0 };
        let each = |sum: f64| (asked > 0).then(|| rounded(sum / number(asked)));
        PatternReport {
            requests: each(number(self.requests)),
            rcu: self.half_units.and_then(|half_units| each(number(half_units) / strength)),
            p50_ms: percentile(&self.times, 50),
            p99_ms: percentile(&self.times, 99),
            source: SourceCost {
                statements: count(self.reading.pattern.returns.len()),
                p50_ms: percentile(&self.source_times, 50),
                p99_ms: percentile(&self.source_times, 99),
            },
            one_table_per_entity: SeparateCost {
                requests: each(number(self.separate.0)),
                rcu: each(number(self.separate.1) / 2.0),
            },
            ..self.report
        }
    }
}

/// Requests and halves of read units where each entity has a table of its own, read by one Query, or GetItem.
fn separate(reading: &Reading<'_>, expected: &[Expected]) -> (u64, u64) {
    let mut sizes: BTreeMap<usize, Vec<u64>> =
        (0..reading.pattern.returns.len()).map(|returned| (returned, Vec::new())).collect();
    for item in expected.iter().filter(|item| !item.excused) {
        sizes.entry(item.returned).or_default().push(u64::from(item.size));
    }
    let limit =
        reading.pattern.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let pages = sizes.into_values().flat_map(|sizes| pages(sizes.into_iter().take(limit)));
    pages.fold((0, 0), |(requests, units), bytes| (requests + 1, units + half_units(bytes)))
}

/// The bytes of each page of one Query; there is one at least.
fn pages(sizes: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut pages = vec![0];
    for size in sizes {
        match pages.last_mut() {
            Some(page) if *page + size <= PAGE || *page == 0 => *page += size,
            _ => pages.push(size),
        }
    }
    pages
}

fn show(attribute: &mut AttributeDifference, expected: &Json, found: &Json) {
    attribute.expected = expected.get(&attribute.name).cloned();
    attribute.found = found.get(&attribute.name).cloned();
}

/// For people only; what was compared are the bytes.
fn json(wire: &[u8]) -> Json {
    serde_json::from_slice(wire).unwrap_or_default()
}

fn count(items: usize) -> u64 {
    u64::try_from(items).unwrap_or(u64::MAX)
}

/// Counts beyond 2³² are not met in reports on samples.
fn number(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Two digits behind the point.
fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// In milliseconds: the smallest time that so many of a hundred do not exceed.
fn percentile(times: &[Duration], percent: usize) -> Option<f64> {
    let mut times = times.to_vec();
    times.sort_unstable();
    let rank = (times.len() * percent).div_ceil(100);
    times.get(rank.checked_sub(1)?).map(|time| rounded(time.as_secs_f64() * 1000.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let times: Vec<Duration> = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!((percentile(&times, 50), percentile(&times, 99)), (Some(50.0), Some(99.0)));
        let few = [Duration::from_micros(1_234), Duration::from_micros(9_876)];
        assert_eq!((percentile(&few, 50), percentile(&few, 99)), (Some(1.23), Some(9.88)));
        assert_eq!(percentile(&[], 50), None);
    }

    #[test]
    fn a_page_ends_before_it_holds_more_than_a_megabyte() {
        assert_eq!(pages(std::iter::empty()), [0]);
        assert_eq!(pages([400 << 10, 400 << 10, 400 << 10].into_iter()), [800 << 10, 400 << 10]);
        assert_eq!(pages([PAGE, 1].into_iter()), [PAGE, 1]);
    }
}
