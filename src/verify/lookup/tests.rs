use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use super::*;
use crate::target::ThrottleReason;

/// A table in memory whose answers follow a script; behind its end it answers for everything.
#[derive(Default)]
pub(in crate::verify) struct Scripted {
    /// Items by their key members.
    pub(in crate::verify) items: BTreeMap<Vec<u8>, Vec<u8>>,
    pub(in crate::verify) script: Mutex<VecDeque<Answer>>,
    /// Keys of each request.
    pub(in crate::verify) asked: Mutex<Vec<usize>>,
}

pub(in crate::verify) enum Answer {
    All,
    /// All but these positions.
    But(Vec<usize>),
    /// All but these positions, after a while.
    Late(Duration, Vec<usize>),
    /// All but this share of the keys, at random.
    Share(f64),
    Fails(TargetErrorKind),
    /// As if the table were empty.
    Nothing,
    /// Items as they are, whatever was asked.
    Items(Vec<Vec<u8>>),
}

impl Scripted {
    pub(in crate::verify) fn new(items: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>) -> Self {
        Self { items: items.into_iter().collect(), ..Self::default() }
    }

    pub(in crate::verify) fn then(self, answers: impl IntoIterator<Item = Answer>) -> Self {
        self.script.lock().unwrap().extend(answers);
        self
    }

    pub(in crate::verify) fn asked(&self) -> Vec<usize> {
        self.asked.lock().unwrap().clone()
    }

    fn answer(&self, keys: &[&[u8]], unanswered: Vec<usize>) -> Found {
        let answered = keys.iter().enumerate().filter(|(position, _)| !unanswered.contains(position));
        let mut items: Vec<_> = answered.filter_map(|(_, key)| self.items.get(*key).cloned()).collect();
        items.reverse();
        Found { items, unanswered }
    }
}

impl Lookup for Scripted {
    async fn get(&self, keys: &[&[u8]]) -> Result<Found, TargetError> {
        assert!((1..=KEYS_PER_REQUEST).contains(&keys.len()), "{} keys", keys.len());
        let different: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(different.len(), keys.len(), "Provided list of item keys contains duplicates");
        self.asked.lock().unwrap().push(keys.len());
        let next = self.script.lock().unwrap().pop_front();
        match next.unwrap_or(Answer::All) {
            Answer::All => Ok(self.answer(keys, Vec::new())),
            Answer::But(unanswered) => Ok(self.answer(keys, unanswered)),
            Answer::Late(after, unanswered) => {
                tokio::time::sleep(after).await;
                Ok(self.answer(keys, unanswered))
            }
            Answer::Share(share) => {
                let unanswered = (0..keys.len()).filter(|_| fastrand::f64() < share).collect();
                Ok(self.answer(keys, unanswered))
            }
            Answer::Nothing => Ok(Found::default()),
            Answer::Items(items) => Ok(Found { items, unanswered: Vec::new() }),
            Answer::Fails(kind) => Err(TargetError {
                kind,
                context: "read".to_owned(),
                cause: "scripted".to_owned(),
                hint: None,
            }),
        }
    }
}

/// Waits too short to notice.
pub(in crate::verify) const QUICK: Pace = Pace {
    first: Duration::from_micros(10),
    longest: Duration::from_millis(1),
    patience: Duration::from_secs(30),
};

pub(in crate::verify) fn key(id: usize) -> Vec<u8> {
    format!(r#""PK":{{"S":"U#{id}"}},"SK":{{"N":"{id}"}}"#).into_bytes()
}

/// As a service would write it: other order, other spelling.
pub(in crate::verify) fn stored(id: usize) -> (Vec<u8>, Vec<u8>) {
    (key(id), format!(r#"{{"n":{{"N":"7"}},"SK":{{"N":"{id}"}},"PK":{{"S":"U#{id}"}}}}"#).into_bytes())
}

async fn found(target: &Scripted, ids: &[usize]) -> Result<Vec<bool>, LookupError> {
    found_at(target, ids, QUICK).await
}

async fn found_at(target: &Scripted, ids: &[usize], pace: Pace) -> Result<Vec<bool>, LookupError> {
    let keys: Vec<Vec<u8>> = ids.iter().map(|id| key(*id)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let answers = fetch(target, &keys, pace, &|_| {}).await?;
    for (answer, key) in answers.iter().zip(&keys) {
        let identity = Identity::parse(key).unwrap();
        let found = answer.as_ref().map(|wire| Item::parse(wire).unwrap().identity(&identity));
        assert!(found.is_none_or(|found| found == Some(identity)));
    }
    Ok(answers.iter().map(Option::is_some).collect())
}

#[tokio::test]
async fn items_are_matched_by_their_keys_not_by_position() {
    let target = Scripted::new([stored(1), stored(2), stored(4)]);
    assert_eq!(found(&target, &[1, 2, 3, 4]).await.unwrap(), [true, true, false, true]);
    assert_eq!(target.asked(), [4]);
}

/// As a service may spell what we wrote: by another escape, a number otherwise.
#[tokio::test]
async fn keys_that_are_spelled_otherwise_are_found_by_value() {
    let respelled = |id: usize| {
        (key(id), format!(r#"{{"SK":{{"N":"{id}.0"}},"PK":{{"S":"U\u0023{id}"}}}}"#).into_bytes())
    };
    let target = Scripted::new([respelled(1), stored(2), respelled(4)]);
    assert_eq!(found(&target, &[1, 2, 3, 4]).await.unwrap(), [true, true, false, true]);
}

#[tokio::test]
async fn no_keys_need_no_request() {
    let target = Scripted::default();
    assert!(found(&target, &[]).await.unwrap().is_empty());
    assert!(target.asked().is_empty());
}

#[tokio::test]
async fn a_key_that_repeats_is_asked_once_and_answered_everywhere() {
    let target = Scripted::new([stored(1)]);
    assert_eq!(found(&target, &[1, 2, 1, 2, 1]).await.unwrap(), [true, false, true, false, true]);
    assert_eq!(target.asked(), [2]);
}

#[tokio::test]
async fn more_than_100_keys_are_asked_in_several_requests() {
    let target = Scripted::new((0..250).map(stored));
    let ids: Vec<usize> = (0..250).collect();
    assert!(found(&target, &ids).await.unwrap().into_iter().all(|found| found));
    assert_eq!(target.asked(), [100, 100, 50]);
}

#[tokio::test]
async fn keys_that_were_not_answered_for_are_asked_again() {
    let target = Scripted::new([stored(1), stored(2), stored(3)]).then([
        Answer::But(vec![0, 2]),
        Answer::But(vec![1]),
        Answer::But(vec![0]),
    ]);
    assert_eq!(found(&target, &[1, 2, 3]).await.unwrap(), [true, true, true]);
    assert_eq!(target.asked(), [3, 2, 1, 1]);
}

/// Case V03: 30 % of the keys come back unprocessed in every answer.
#[tokio::test]
async fn v03_nothing_goes_missing_when_a_third_of_every_answer_does() {
    let target = Scripted::new((0..1000).map(stored)).then((0..200).map(|_| Answer::Share(0.3)));
    let ids: Vec<usize> = (0..1000).collect();
    assert!(found(&target, &ids).await.unwrap().into_iter().all(|found| found));
}

#[tokio::test]
async fn throttles_and_broken_connections_are_retried_and_told() {
    let reason =
        ThrottleReason { reason: "TableReadAccountLimitExceeded".to_owned(), resource: String::new() };
    let target = Scripted::new([stored(1)]).then([
        Answer::Fails(TargetErrorKind::Throttled(vec![reason])),
        Answer::Fails(TargetErrorKind::Transient),
        Answer::But(vec![0]),
    ]);
    let told = Mutex::new(Vec::new());
    let slowed = |error: &TargetError| told.lock().unwrap().push(error.cause.clone());
    let key = key(1);
    let answers = fetch(&target, &[&key], QUICK, &slowed).await.unwrap();
    assert!(answers[0].is_some());
    let told = told.into_inner().unwrap();
    assert_eq!(told, ["scripted", "scripted", "keys of a request not answered for: 1"]);
}

#[tokio::test]
async fn a_fatal_error_ends_it_at_once() {
    for kind in [TargetErrorKind::NoTable, TargetErrorKind::Permission, TargetErrorKind::Refused] {
        let target = Scripted::new([stored(1)]).then([Answer::Fails(kind.clone())]);
        let error = found(&target, &[1]).await.unwrap_err();
        assert!(matches!(error, LookupError::Target(error) if error.kind == kind));
        assert_eq!(target.asked().len(), 1);
    }
}

#[tokio::test]
async fn a_target_that_never_answers_is_given_up() {
    let started = Instant::now();
    let pace = Pace { patience: Duration::from_millis(40), ..QUICK };
    let silent = Scripted::default().then((0..10_000).map(|_| Answer::But(vec![0])));
    let error = found_at(&silent, &[1], pace).await.unwrap_err();
    assert!(
        matches!(error, LookupError::Target(error) if matches!(error.kind, TargetErrorKind::Throttled(_)))
    );
    assert!(started.elapsed() >= pace.patience);
}

#[tokio::test]
async fn slow_progress_goes_on_for_as_long_as_it_takes() {
    let pace = Pace { patience: Duration::from_millis(500), ..QUICK };
    let one_more = |round: usize| Answer::Late(Duration::from_millis(80), (1..8 - round).collect());
    let target = Scripted::new((0..8).map(stored)).then((0..8).map(one_more));
    let (started, ids) = (Instant::now(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(found_at(&target, &ids, pace).await.unwrap().into_iter().all(|found| found));
    assert!(started.elapsed() > pace.patience);
}

#[tokio::test]
async fn an_answer_that_makes_no_sense_is_an_error() {
    let strangers = [stored(9).1, br#"{"n":{"N":"7"}}"#.to_vec()];
    for item in strangers {
        let target = Scripted::default().then([Answer::Items(vec![item])]);
        assert!(matches!(found(&target, &[1]).await, Err(LookupError::Target(_))));
    }
    let target = Scripted::default().then([Answer::Items(vec![b"{\"PK\":".to_vec()])]);
    assert!(matches!(found(&target, &[1]).await, Err(LookupError::Malformed(_))));
    let target = Scripted::default().then([Answer::But(vec![5])]);
    assert!(matches!(found(&target, &[1]).await, Err(LookupError::Target(_))));
}

#[test]
fn delays_grow_and_stay_bounded() {
    let pace = Pace::default();
    assert_eq!(pace.delay(0, 1.0), pace.first);
    assert_eq!(pace.delay(3, 1.0), pace.first * 8);
    assert_eq!(pace.delay(3, 0.5), pace.first * 4);
    assert_eq!(pace.delay(9, 0.0), Duration::ZERO);
    assert_eq!(pace.delay(u32::MAX, 1.0), pace.longest);
}
