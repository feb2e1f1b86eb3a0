use super::*;

fn units(table: u64, indexes: &[u64]) -> Units {
    Units { table, indexes: indexes.to_vec() }
}

async fn seconds_for(pacer: &Pacer, takes: usize, each: Units) -> f64 {
    let start = Instant::now();
    for _ in 0..takes {
        pacer.take(&each).await;
    }
    start.elapsed().as_secs_f64()
}

#[tokio::test(start_paused = true)]
async fn w06_a_fixed_rate_holds_for_table_and_indexes_together_within_five_percent() {
    let pacer = Pacer::new(&Pace::Fixed(500));
    let seconds = seconds_for(&pacer, 400, units(25, &[25])).await;
    assert!((38.0..=42.0).contains(&seconds), "{seconds}");
}

#[tokio::test(start_paused = true)]
async fn an_item_larger_than_the_burst_is_written_in_its_time() {
    let pacer = Pacer::new(&Pace::Fixed(5));
    let seconds = seconds_for(&pacer, 1, units(400, &[])).await;
    assert!((78.0..=82.0).contains(&seconds), "{seconds}");
}

#[tokio::test(start_paused = true)]
async fn w11_the_slowest_of_table_and_indexes_decides() {
    let pace = Pace::Auto(AutoPace {
        table: Some(PaceRange { start: 1_000, ceiling: 1_000 }),
        indexes: vec![("GSI1".into(), Some(PaceRange { start: 100, ceiling: 100 }))],
        local: Vec::new(),
    });
    assert_eq!(pace.seconds(&units(2_000, &[2_000])), Some(20));
    let seconds = seconds_for(&Pacer::new(&pace), 80, units(25, &[25])).await;
    assert!((19.0..=21.0).contains(&seconds), "{seconds}");
}

/// Z06: a local index lies in the table's partitions and takes their capacity.
#[tokio::test(start_paused = true)]
async fn z06_a_local_index_takes_the_tables_capacity() {
    let pace = Pace::Auto(AutoPace {
        table: Some(PaceRange { start: 100, ceiling: 100 }),
        indexes: vec![("ByDay".into(), None)],
        local: vec![0],
    });
    assert_eq!(pace.seconds(&units(1_000, &[1_000])), Some(20));
    let pacer = Pacer::new(&pace);
    let seconds = seconds_for(&pacer, 80, units(12, &[13])).await;
    assert!((19.0..=21.0).contains(&seconds), "{seconds}");
    pacer.throttled(&[ThrottleReason {
        reason: "IndexWriteProvisionedThroughputExceeded".into(),
        resource: "arn:aws:dynamodb:eu-west-1:1:table/shop/index/ByDay".into(),
    }]);
    assert_eq!(pacer.table.as_ref().unwrap().state.lock().unwrap().rate, 70);
}

#[tokio::test(start_paused = true)]
async fn throttles_slow_down_once_a_second_and_calm_speeds_up_to_the_ceiling() {
    let bucket = Bucket::adaptive(PaceRange { start: 1_000, ceiling: 1_200 });
    for _ in 0..10 {
        bucket.slow_down();
    }
    assert_eq!(bucket.state.lock().unwrap().rate, 700);
    for _ in 0..30 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        bucket.current();
    }
    assert_eq!(bucket.state.lock().unwrap().rate, 1_200);
}

#[tokio::test(start_paused = true)]
async fn a_hot_key_range_does_not_slow_the_table() {
    let reason = ThrottleReason {
        reason: "IndexWriteKeyRangeThroughputExceeded".into(),
        resource: "arn:aws:dynamodb:eu-west-1:1:table/shop/index/GSI1".into(),
    };
    let pacer = Pacer::new(&Pace::Auto(AutoPace {
        table: Some(PaceRange { start: 100, ceiling: 100 }),
        indexes: vec![("GSI1".into(), Some(PaceRange { start: 100, ceiling: 100 }))],
        local: Vec::new(),
    }));
    pacer.throttled(std::slice::from_ref(&reason));
    let index = pacer.indexes[0].1.as_ref().unwrap();
    assert_eq!(index.state.lock().unwrap().rate, 100);
    assert_eq!(throttle_in_words(&[reason]), "GSI1 key range");
}

#[test]
fn w11_a_throttle_names_everything_that_it_is_about_once() {
    let reason = |reason: &str, resource: &str| ThrottleReason {
        reason: reason.to_owned(),
        resource: format!("arn:aws:dynamodb:eu-west-1:1:table/shop{resource}"),
    };
    let reasons = [
        reason("TableWriteAccountLimitExceeded", ""),
        reason("IndexWriteProvisionedThroughputExceeded", "/index/GSI1"),
        reason("IndexWriteProvisionedThroughputExceeded", "/index/GSI1"),
        reason("IndexWriteMaxOnDemandThroughputExceeded", "/index/GSI2"),
    ];
    let words = "GSI1 provisioned capacity, GSI2 on-demand maximum, table account quota";
    assert_eq!(throttle_in_words(&reasons), words);
    assert_eq!(throttle_in_words(&[ThrottleReason::account_quota()]), "account quota");
    assert_eq!(throttle_in_words(&[]), "the service does not say why");
}
