//! Loads without the command line around them: what a display is told.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dynamigrate::load::{
    self, Checkpoint, End, Event, Journal, Load, LoadOptions, Observer, Pace, Surveys, TableIdentity,
};
use dynamigrate::mapping::{Mapping, MappingFile};
use dynamigrate::plan::{PlanOptions, prepare};
use dynamigrate::source::{PageLimits, Source};
use dynamigrate::target::Discard;

use crate::servers;

const MAPPING: &str = r#"
[source]
url = "${SOURCE_URL}"

[table]
name = "shop"

[entities.Slow]
from = "slow"
where = "pg_sleep(0.6) IS NOT NULL"
pk = "S#{id:04}"
sk = "S"
"#;

/// R06: a source that gives nothing is told of, as often as that lasts, and is no end of rows.
#[tokio::test]
async fn r06_a_source_that_falls_silent_is_told_of() {
    let database = servers::postgres().await;
    database.execute("CREATE TABLE slow (id int PRIMARY KEY); INSERT INTO slow VALUES (1)").await;
    let file = MappingFile { path: "shop.toml".into(), text: MAPPING.to_owned() };
    let mapping = Mapping::parse(&file, &|_| Some(database.url().to_owned())).unwrap();
    let mut source = Source::connect(&mapping.source).await.unwrap();
    let plan = prepare(&mapping, &mut source, PlanOptions::default()).await.unwrap().plan;
    let silences: Arc<Mutex<Vec<Duration>>> = Arc::default();
    let told = Arc::clone(&silences);
    let observe = Observer::new(move |event| {
        if let Event::SourceSilent { since } = event {
            told.lock().unwrap().push(since);
        }
    });
    let options = LoadOptions {
        entities: vec![0],
        readers: 1,
        page: PageLimits { rows: 100, bytes: 1 << 20 },
        pace: Pace::Unlimited,
        concurrency: 1,
        limit: None,
        samples: 0,
        surveys: Surveys::none(),
        max_rejects: None,
        patience: Duration::from_secs(1),
        silence: Duration::from_millis(200),
    };
    let table = TableIdentity { name: "shop".to_owned(), id: None };
    let journal = Journal::in_memory(Checkpoint::new(table, source.identity().database.clone()));
    let load = Load {
        plan: Arc::new(plan),
        source: mapping.source.clone(),
        target: Arc::new(Discard),
        options,
        observe,
    };
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    let started = Instant::now();
    let loaded = load::run(&load, source, journal, stopped).await;
    assert!(matches!(loaded.end, End::Complete), "{:?}", loaded.end);
    let silences = silences.lock().unwrap();
    assert!(silences.len() >= 2, "{silences:?} in {:?}", started.elapsed());
    assert!(silences[0] >= Duration::from_millis(190) && silences[1] > silences[0], "{silences:?}");
}
