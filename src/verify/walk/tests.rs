use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::*;
use crate::load::{AutoPace, Pace, PaceRange};
use crate::mapping::{CreateSettings, KeyType};
use crate::plan::{
    CollisionPlan, ColumnPlan, Keep, KeyColumn, KeyPlan, KeyProof, Membership, TablePlan, TemplatePlan,
};
use crate::source::{Column, Output, PageLimits, RawType, Rows, SqliteType};
use crate::target::{Found, TargetErrorKind};
use crate::verify::batch::tests::held;
use crate::verify::lookup::tests::{Answer, Scripted, key, stored};
use crate::verify::{Verified, VerifyOptions, verify};

fn options() -> VerifyOptions {
    VerifyOptions::new(PageLimits { rows: 1_000, bytes: 1 << 20 })
}

fn batch(entity: usize, ids: std::ops::Range<usize>) -> Batch {
    let rows: Vec<_> = ids.map(|id| (id, key(id), stored(id).1)).collect();
    Batch { held: held(entity, &rows), items: (0..rows.len()).collect(), absent: Vec::new() }
}

fn column(name: &str) -> Column {
    let raw = RawType::Sqlite(SqliteType::Any);
    Column {
        name: name.to_owned(),
        sql_type: String::new(),
        domain: None,
        labels: None,
        raw,
        nullable: false,
        unordered: None,
        collation: None,
        foreign: None,
    }
}

fn entity() -> EntityPlan {
    let names = ["a", "id", "b", "line"];
    let column_plan = |name: &&str| ColumnPlan { name: (*name).to_owned(), raw: None };
    EntityPlan {
        name: "Line".to_owned(),
        select: Arc::new(Select {
            rows: Rows::From("lines".to_owned()),
            filter: Some("b = 1".to_owned()),
            output: names.iter().map(|name| Output::Column(column(name))).collect(),
            key: vec![column("line"), column("id")],
        }),
        row_estimate: None,
        fingerprint: String::new(),
        fingerprint_parts: Default::default(),
        key_is_claim: false,
        collision: CollisionPlan { keep: Keep::Reject, order_by: Vec::new() },
        key_proof: KeyProof::Proven { by: String::new() },
        layout: Layout {
            columns: names.iter().map(column_plan).collect(),
            source_key: vec![3, 1],
            partition_key: KeyPlan {
                attribute: "PK".to_owned(),
                kind: KeyType::S,
                template: TemplatePlan { parts: Vec::new() },
                membership: Membership::default(),
            },
            sort_key: None,
            attributes: Vec::new(),
            index_entries: Vec::new(),
            indexes: Vec::new(),
        },
    }
}

fn plan() -> Plan {
    let table = TablePlan {
        name: "shop".to_owned(),
        partition_key: KeyColumn { name: "PK".to_owned(), kind: KeyType::S },
        sort_key: None,
        indexes: Vec::new(),
        ttl: None,
        create: CreateSettings::default(),
    };
    Plan { table, entities: vec![entity()], contested: Vec::new(), patterns: Vec::new() }
}

#[tokio::test]
async fn every_batch_is_checked_and_told() {
    let target = Arc::new(Scripted::new((0..90).map(stored)));
    let (news, mut inbox) = mpsc::unbounded_channel();
    let mut lookups = Lookups::new(&target, &Rules::of(&options()), &news, 3);
    for start in (0..100).step_by(10) {
        lookups.start("User", batch(2, start..start + 10)).await.unwrap();
    }
    lookups.finish().await.unwrap();
    let mut counts = (0, 0);
    while let Ok(told) = inbox.try_recv() {
        let News::Checked(checked) = told else { panic!("{told:?}") };
        assert_eq!(checked.entity, 2);
        counts = (counts.0 + checked.matching, counts.1 + checked.suspects.len());
    }
    assert_eq!(counts, (90, 10));
}

#[tokio::test]
async fn a_fatal_error_of_one_lookup_ends_the_reader() {
    let fails = [Answer::All, Answer::Fails(TargetErrorKind::NoTable)];
    let target = Arc::new(Scripted::new((0..90).map(stored)).then(fails));
    let (news, _inbox) = mpsc::unbounded_channel();
    let mut lookups = Lookups::new(&target, &Rules::of(&options()), &news, 1);
    let mut result = Ok(());
    for start in 0..5 {
        result = lookups.start("User", batch(0, start..start + 1)).await;
        if result.is_err() {
            break;
        }
    }
    assert!(matches!(result, Err(VerifyError::Target(error)) if error.kind == TargetErrorKind::NoTable));
    assert_eq!(target.asked().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_throttle_slows_down_what_follows() {
    let mut times = Vec::new();
    for answers in [vec![], vec![Answer::Fails(TargetErrorKind::Throttled(Vec::new()))]] {
        let target = Arc::new(Scripted::new((0..90).map(stored)).then(answers));
        let table = Some(PaceRange { start: 20, ceiling: 20 });
        let pace = Pace::Auto(AutoPace { table, ..AutoPace::default() });
        let rules = Rules::of(&VerifyOptions { pace, ..options() });
        let (news, _inbox) = mpsc::unbounded_channel();
        let mut lookups = Lookups::new(&target, &rules, &news, 1);
        let started = Instant::now();
        for start in (0..90).step_by(10) {
            lookups.start("User", batch(0, start..start + 10)).await.unwrap();
        }
        lookups.finish().await.unwrap();
        times.push(started.elapsed().as_secs_f64());
    }
    assert!(times[1] > 1.2 * times[0], "{times:?}");
}

/// Remembers how many requests were in flight at once.
#[derive(Default)]
struct Busy {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Lookup for Busy {
    async fn get(&self, _: &[&[u8]]) -> Result<Found, TargetError> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(2)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        Ok(Found::default())
    }
}

#[tokio::test]
async fn no_more_lookups_are_in_flight_than_allowed() {
    let target = Arc::new(Busy::default());
    let (news, _inbox) = mpsc::unbounded_channel();
    let mut lookups = Lookups::new(&target, &Rules::of(&options()), &news, 4);
    for id in 0..40 {
        lookups.start("User", batch(0, id..id + 1)).await.unwrap();
    }
    lookups.finish().await.unwrap();
    assert_eq!(target.most.load(Ordering::SeqCst), 4);
}

#[test]
fn the_pass_over_the_keys_reads_only_them() {
    let entity = entity();
    let (select, layout) = keys_only(&entity);
    assert_eq!(select.output, [Output::Column(column("line")), Output::Column(column("id"))]);
    assert_eq!((&select.filter, &select.key), (&entity.select.filter, &entity.select.key));
    let names: Vec<&str> = layout.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!((names, layout.source_key), (vec!["line", "id"], vec![0, 1]));
}

#[test]
fn a_row_that_is_neither_item_nor_rejection_is_an_error() {
    let mut page = crate::source::PageBuilder::new(1);
    page.push(crate::source::RawCell::Integer(1));
    let error = account("User", &page.finish(), &ItemPage::default()).unwrap_err();
    assert_eq!(error.to_string(), "verify `User`: 1 rows made 0 items and 0 rejections");
    assert!(account("User", &Page::default(), &ItemPage::default()).is_ok());
}

async fn verified(readers: Vec<Reader>, stop: bool) -> Result<Verified, VerifyError> {
    let (_stopper, stop) = watch::channel(stop);
    let (plan, options) = (plan(), options());
    let future = verify(&plan, readers, Arc::new(Scripted::default()), &options, None, &|_| {}, stop);
    is_send(future).await
}

/// A command may run the verification beside other work.
fn is_send<T: Send>(future: T) -> T {
    future
}

#[tokio::test]
async fn without_a_reader_nothing_is_proven() {
    assert!(matches!(verified(Vec::new(), false).await, Err(VerifyError::NoReader)));
}

#[tokio::test]
async fn who_says_stop_gets_what_was_counted() {
    let verified = verified(Vec::new(), true).await.unwrap();
    assert!(verified.interrupted);
    assert_eq!(verified.entities["Line"].checked, 0);
    let report = serde_json::to_value(verified.report("shop")).unwrap();
    assert_eq!((&report["command"], &report["outcome"]), (&"verify".into(), &"interrupted".into()));
}
