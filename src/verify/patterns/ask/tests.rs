use std::sync::atomic::AtomicU64;

use super::*;
use crate::mapping::Order;
use crate::plan::{Operation, PatternPlan};
use crate::target::Found as Fetched;

/// Answers each Query with one page, and says whether there is another one.
struct Partitions {
    page: Vec<Vec<u8>>,
    endless: bool,
    queries: AtomicU64,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
}

impl Partitions {
    fn of(page: Vec<Vec<u8>>) -> Self {
        let count = AtomicUsize::default;
        Self {
            page,
            endless: false,
            queries: AtomicU64::default(),
            in_flight: count(),
            most_in_flight: count(),
        }
    }

    fn queries(&self) -> u64 {
        self.queries.load(Ordering::Relaxed)
    }
}

impl Query for Partitions {
    async fn query(&self, request: &QueryRequest<'_>) -> Result<QueryAnswer, TargetError> {
        let in_flight = self.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        self.most_in_flight.fetch_max(in_flight, Ordering::Relaxed);
        // The first calls take the longest.
        let number = self.queries.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(100_u64.saturating_sub(number))).await;
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        assert!(!request.pk.is_empty());
        let last = self.endless.then(|| br#"{"PK":{"S":"next"}}"#.to_vec());
        Ok(QueryAnswer { items: self.page.clone(), last, half_units: Some(1) })
    }
}

impl Lookup for Partitions {
    async fn get(&self, _: &[&[u8]]) -> Result<Fetched, TargetError> {
        Ok(Fetched { items: self.page.clone(), unanswered: Vec::new() })
    }
}

fn pattern(operation: Operation) -> PatternPlan {
    PatternPlan {
        name: "all of a user".to_owned(),
        operation,
        index: None,
        params: None,
        columns: Vec::new(),
        calls: Vec::new(),
        order: Order::Ascending,
        limit: None,
        sample: 1,
        returns: Vec::new(),
    }
}

fn reading(pattern: &PatternPlan) -> Reading<'_> {
    Reading {
        pattern,
        index: None,
        pk: vec!["PK"],
        sk: Vec::new(),
        key: vec!["PK"],
        projected: None,
        shown: Vec::new(),
        consistent: true,
    }
}

async fn answer(
    target: &Partitions,
    operation: Operation,
    shards: usize,
    concurrency: usize,
) -> Result<Answer, VerifyError> {
    let call = |shard: usize| Call { pk: vec![format!(r#"{{"S":"{shard}"}}"#).into_bytes()], sk: None };
    let question = Question { params: Default::default(), calls: (0..shards).map(call).collect() };
    ask(target, &reading(&pattern(operation)), &question, &[], concurrency, &|_| {}).await
}

/// `{"PK":{"S":"0"},"x":{"S":"…"}}`
fn item(bytes: usize) -> Vec<u8> {
    format!(r#"{{"PK":{{"S":"0"}},"x":{{"S":"{}"}}}}"#, "x".repeat(bytes)).into_bytes()
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_are_in_flight_than_may_be_and_answers_stay_in_their_order() {
    let target = Partitions::of(vec![item(1)]);
    let answer = answer(&target, Operation::Query, 40, 4).await.unwrap();
    assert_eq!((target.queries(), target.most_in_flight.load(Ordering::Relaxed)), (40, 4));
    let asked: Vec<&Value> = answer.calls.iter().flat_map(|found| &found.pk).collect();
    let shards: Vec<Value> = (0..40).map(|shard| Value::S(shard.to_string())).collect();
    assert_eq!(asked, shards.iter().collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_end_is_given_up() {
    let target = Partitions { endless: true, ..Partitions::of(vec![item(1 << 22)]) };
    let error = answer(&target, Operation::Query, 2, 2).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "access pattern `all of a user`: one answer holds more than 64 MB of items of the table"
    );
    assert!(error.hint().is_some());
    // 64 MB of both calls together.
    assert!((16..=18).contains(&target.queries()), "{}", target.queries());
}

#[tokio::test]
async fn items_that_are_read_by_key_are_counted_too() {
    let target = Partitions::of(vec![item(MOST_BYTES)]);
    let error = answer(&target, Operation::GetItem, 1, 1).await.unwrap_err();
    assert!(matches!(error, VerifyError::LargeAnswer { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_no_item_names_the_pattern() {
    let target = Partitions::of(vec![b"{\"PK\":7}".to_vec()]);
    let error = answer(&target, Operation::Query, 1, 1).await.unwrap_err().to_string();
    assert!(error.starts_with("access pattern `all of a user`: the target's answer: not an item"), "{error}");
}
