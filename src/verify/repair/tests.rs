use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::Value as Json;

use super::*;
use crate::load::Pace;
use crate::target::{Discard, Found, ThrottleReason};
use crate::verify::equality::differences;
use crate::verify::lookup::tests::QUICK;

const KEY: &[u8] = br#""PK":{"S":"A"},"SK":{"S":"1"}"#;
const RIGHT: &[u8] = br#"{"PK":{"S":"A"},"SK":{"S":"1"},"n":{"N":"1"}}"#;
const WRONG: &[u8] = br#"{"PK":{"S":"A"},"SK":{"S":"1"},"n":{"N":"2"}}"#;
/// As [`WRONG`], with an attribute that nobody has read.
const MORE: &[u8] = br#"{"PK":{"S":"A"},"SK":{"S":"1"},"n":{"N":"2"},"seen":{"N":"1"}}"#;
const OTHER: &[u8] = br#"{"PK":{"S":"A"},"SK":{"S":"1"},"n":{"N":"3"}}"#;

/// One place for one item, whose writer keeps the contract of [`Amend`], with trouble first.
#[derive(Debug)]
struct OneItem {
    item: Mutex<Option<Vec<u8>>>,
    script: Mutex<VecDeque<Trouble>>,
    attempts: Mutex<u32>,
}

#[derive(Debug)]
enum Trouble {
    None,
    Fails(TargetErrorKind),
    /// Does it, and the answer is lost.
    AnswerLost,
    /// Somebody else is faster.
    Others(Option<&'static [u8]>),
    TooWide,
}

impl OneItem {
    fn new(item: Option<&[u8]>, script: impl IntoIterator<Item = Trouble>) -> Arc<Self> {
        let (item, script) = (item.map(<[u8]>::to_vec), script.into_iter().collect());
        Arc::new(Self { item: Mutex::new(item), script: Mutex::new(script), attempts: Mutex::default() })
    }

    fn item(&self) -> Option<Vec<u8>> {
        self.item.lock().unwrap().clone()
    }

    fn write(&self, amendment: &Amendment<'_>) -> Amended {
        let mut stored = self.item.lock().unwrap();
        let before = stored.clone();
        let (wanted, item) = match amendment {
            Amendment::Put { item, .. } => (None, Some(item.to_vec())),
            Amendment::Replace { found, item, .. } => (Some(found.to_vec()), Some(item.to_vec())),
            Amendment::Delete { found, .. } => (Some(found.to_vec()), None),
        };
        let is_read = match amendment {
            // No condition can say that there are no other attributes.
            Amendment::Delete { found, .. } => before.as_deref().is_some_and(|item| holds(item, found)),
            Amendment::Put { .. } | Amendment::Replace { .. } => wanted == before,
        };
        if !is_read {
            return Amended::Moved;
        }
        *stored = item;
        Amended::Done { before }
    }
}

fn holds(item: &[u8], found: &[u8]) -> bool {
    let members = |json| serde_json::from_slice::<serde_json::Map<String, Json>>(json).unwrap();
    let item = members(item);
    members(found).iter().all(|(name, value)| item.get(name) == Some(value))
}

impl Amend for OneItem {
    async fn amend(&self, amendment: &Amendment<'_>) -> Result<Amended, TargetError> {
        *self.attempts.lock().unwrap() += 1;
        let trouble = self.script.lock().unwrap().pop_front();
        match trouble {
            None | Some(Trouble::None) => Ok(self.write(amendment)),
            Some(Trouble::TooWide) => Ok(Amended::TooWide),
            Some(Trouble::Fails(kind)) => Err(TargetError::new(kind, "change", "scripted")),
            Some(Trouble::AnswerLost) => {
                self.write(amendment);
                Err(TargetError::new(TargetErrorKind::Transient, "change", "lost"))
            }
            Some(Trouble::Others(item)) => {
                *self.item.lock().unwrap() = item.map(<[u8]>::to_vec);
                Ok(self.write(amendment))
            }
        }
    }
}

impl Lookup for OneItem {
    async fn get(&self, _keys: &[&[u8]]) -> Result<Found, TargetError> {
        Ok(Found { items: self.item().into_iter().collect(), unanswered: Vec::new() })
    }
}

fn source_key() -> Vec<(String, String)> {
    vec![("id".to_owned(), "private".to_owned())]
}

fn repair<A: Amend>(amend: Arc<A>, lookup: &Arc<OneItem>, log: RepairLog) -> Repair<A, OneItem> {
    let pacer = Pacer::new(&Pace::Unlimited);
    Repair { pace: QUICK, ..Repair::new(amend, Arc::clone(lookup), log, pacer, 1, 32) }
}

async fn mend(target: &Arc<OneItem>, found: Option<&[u8]>) -> Result<Became, MendError> {
    let source_key = source_key();
    let row = WrongRow { source_key: &source_key, key: KEY, expected: RIGHT, found };
    let repair = repair(Arc::clone(target), target, RepairLog::nowhere());
    Ok(repair.mend("User", &[row], &|_| {}).await?.remove(0))
}

#[tokio::test]
async fn a_missing_item_is_put_and_a_different_one_replaced() {
    let target = OneItem::new(None, []);
    assert_eq!(mend(&target, None).await.unwrap(), Became::Put);
    assert_eq!(target.item().unwrap(), RIGHT);
    let target = OneItem::new(Some(WRONG), []);
    let before = Some(WRONG.to_vec());
    assert_eq!(mend(&target, Some(WRONG)).await.unwrap(), Became::Replaced { before });
    assert_eq!(target.item().unwrap(), RIGHT);
}

#[tokio::test]
async fn what_others_changed_meanwhile_stays() {
    for (found, theirs) in [(Some(WRONG), Some(OTHER)), (Some(WRONG), None), (None, Some(OTHER))] {
        let target = OneItem::new(found, [Trouble::Others(theirs)]);
        assert_eq!(mend(&target, found).await.unwrap(), Became::Moved);
        assert_eq!(target.item().as_deref(), theirs);
    }
}

#[tokio::test]
async fn what_others_made_right_meanwhile_is_right() {
    for found in [Some(WRONG), None] {
        let target = OneItem::new(found, [Trouble::Others(Some(RIGHT))]);
        assert_eq!(mend(&target, found).await.unwrap(), Became::Right);
    }
}

async fn delete(target: &Arc<OneItem>) -> Became {
    let repair = repair(Arc::clone(target), target, RepairLog::nowhere());
    repair.delete("User", &[OrphanedItem { key: KEY, found: WRONG }], &|_| {}).await.unwrap().remove(0)
}

#[tokio::test]
async fn an_item_without_a_row_is_deleted_as_long_as_it_is_what_was_read() {
    let target = OneItem::new(Some(WRONG), []);
    let deleted = || Became::Deleted { before: Some(WRONG.to_vec()) };
    assert_eq!((delete(&target).await, target.item()), (deleted(), None));
    let target = OneItem::new(Some(WRONG), [Trouble::Others(Some(OTHER))]);
    assert_eq!((delete(&target).await, target.item().as_deref()), (Became::Moved, Some(OTHER)));
    // Somebody else has deleted it.
    let target = OneItem::new(Some(WRONG), [Trouble::Others(None)]);
    assert_eq!(delete(&target).await, Became::Right);
    let target = OneItem::new(Some(WRONG), [Trouble::AnswerLost]);
    assert_eq!((delete(&target).await, target.item()), (deleted(), None));
    let target = OneItem::new(Some(WRONG), [Trouble::TooWide]);
    assert!(matches!(delete(&target).await, Became::Left(_)));
}

fn told(folder: &Path) -> Vec<[String; 2]> {
    let told = |line: &Json| ["what", "outcome"].map(|name| line[name].as_str().unwrap().to_owned());
    lines(folder).iter().map(told).collect()
}

/// The application adds an attribute between the look and the deletion, and perhaps a whole item after it.
#[tokio::test]
async fn an_attribute_that_nobody_has_read_is_put_back_with_its_item() {
    let added = || Trouble::Others(Some(MORE));
    let throttled = Trouble::Fails(TargetErrorKind::Throttled(Vec::new()));
    for (then, stays, put) in [
        (vec![], MORE, "put"),
        (vec![throttled, Trouble::None], MORE, "put"),
        (vec![Trouble::AnswerLost], MORE, "moved"),
        (vec![Trouble::Others(Some(OTHER))], OTHER, "moved"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let target = OneItem::new(Some(WRONG), [added()].into_iter().chain(then));
        let log = RepairLog::in_folder(folder.path(), false).unwrap();
        let repair = repair(Arc::clone(&target), &target, log);
        let items = [OrphanedItem { key: KEY, found: WRONG }];
        assert_eq!(repair.delete("User", &items, &|_| {}).await.unwrap(), [Became::Moved]);
        assert_eq!(target.item().as_deref(), Some(stays));
        assert_eq!(
            told(folder.path()),
            [["delete", "intended"], ["delete", "deleted"], ["put", put], ["delete", "moved"]]
        );
        // Before it is put back the whole item is on disk.
        assert_eq!(lines(folder.path())[1]["before"], serde_json::from_slice::<Json>(MORE).unwrap());
        assert_eq!(repair.deleted(), 0);
    }
}

#[tokio::test]
async fn an_item_that_cannot_be_put_back_is_in_the_log() {
    let then = |kind| [Trouble::Others(Some(MORE)), Trouble::Fails(kind)];
    let items = [OrphanedItem { key: KEY, found: WRONG }];
    let folder = tempfile::tempdir().unwrap();
    let target = OneItem::new(Some(WRONG), then(TargetErrorKind::Permission));
    let log = RepairLog::in_folder(folder.path(), false).unwrap();
    let repair_of_it = repair(Arc::clone(&target), &target, log);
    let error = repair_of_it.delete("User", &items, &|_| {}).await.unwrap_err().to_string();
    assert!(error.contains("put back") && error.contains(REPAIRS), "{error}");
    assert_eq!(told(folder.path()), [["delete", "intended"], ["delete", "deleted"]]);
    assert_eq!(lines(folder.path())[1]["before"], serde_json::from_slice::<Json>(MORE).unwrap());
    let target = OneItem::new(Some(WRONG), then(TargetErrorKind::Refused));
    let before = Some(MORE.to_vec());
    assert_eq!(delete(&target).await, Became::Deleted { before });
}

/// The disk is lost with the first change.
#[derive(Debug)]
struct DiskLost {
    target: Arc<OneItem>,
    folder: std::path::PathBuf,
}

impl Amend for DiskLost {
    async fn amend(&self, amendment: &Amendment<'_>) -> Result<Amended, TargetError> {
        std::fs::remove_dir_all(&self.folder).unwrap_or_default();
        self.target.amend(amendment).await
    }
}

#[tokio::test]
async fn an_item_is_put_back_though_it_cannot_be_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let target = OneItem::new(Some(WRONG), [Trouble::Others(Some(MORE))]);
    let amend = DiskLost { target: Arc::clone(&target), folder: folder.path().to_owned() };
    let log = RepairLog::in_folder(folder.path(), false).unwrap();
    let items = [OrphanedItem { key: KEY, found: WRONG }];
    let error = repair(Arc::new(amend), &target, log).delete("User", &items, &|_| {}).await.unwrap_err();
    assert!(matches!(error, MendError::Log(_)), "{error}");
    assert_eq!(target.item().as_deref(), Some(MORE));
}

/// Counts the writes that are in flight together.
#[derive(Debug, Default)]
struct Busy {
    now: Mutex<(usize, usize)>,
}

impl Amend for Busy {
    async fn amend(&self, _: &Amendment<'_>) -> Result<Amended, TargetError> {
        {
            let (now, most) = &mut *self.now.lock().unwrap();
            *now += 1;
            *most = *now.max(most);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        self.now.lock().unwrap().0 -= 1;
        Ok(Amended::Done { before: None })
    }
}

#[tokio::test(start_paused = true)]
async fn no_more_writes_are_in_flight_than_allowed_whoever_calls() {
    for allowed in [1, 3, 32] {
        let (busy, nothing) = (Arc::new(Busy::default()), OneItem::new(None, []));
        let pacer = Pacer::new(&Pace::Unlimited);
        let repair = Repair::new(Arc::clone(&busy), nothing, RepairLog::nowhere(), pacer, 1, allowed);
        let item = OrphanedItem { key: KEY, found: WRONG };
        let items = [item; 20];
        let ended = join_all((0..4).map(|_| repair.delete("User", &items, &|_| {}))).await;
        assert!(ended.into_iter().all(|became| became.unwrap().len() == 20));
        assert_eq!(busy.now.lock().unwrap().1, allowed);
        assert_eq!(repair.deleted(), 80);
    }
}

#[tokio::test]
async fn throttles_and_lost_connections_are_tried_again() {
    let throttled = TargetErrorKind::Throttled(vec![ThrottleReason::account_quota()]);
    let kinds = [throttled, TargetErrorKind::Transient, TargetErrorKind::Unreachable];
    let target = OneItem::new(None, kinds.map(Trouble::Fails));
    assert_eq!(mend(&target, None).await.unwrap(), Became::Put);
    assert_eq!(*target.attempts.lock().unwrap(), 4);
}

/// The second attempt finds the item that the first one has made.
#[tokio::test]
async fn a_change_whose_answer_was_lost_is_still_ours() {
    let target = OneItem::new(None, [Trouble::AnswerLost]);
    assert_eq!(mend(&target, None).await.unwrap(), Became::Put);
    let target = OneItem::new(Some(WRONG), [Trouble::AnswerLost]);
    assert!(matches!(mend(&target, Some(WRONG)).await.unwrap(), Became::Replaced { .. }));
    assert_eq!(target.item().unwrap(), RIGHT);
}

#[tokio::test]
async fn an_item_that_is_refused_or_too_wide_is_left_with_its_reason() {
    for kind in [TargetErrorKind::Refused, TargetErrorKind::Collection] {
        let target = OneItem::new(None, [Trouble::Fails(kind)]);
        assert_eq!(mend(&target, None).await.unwrap(), Became::Left("scripted".to_owned()));
    }
    let target = OneItem::new(Some(WRONG), [Trouble::TooWide]);
    let Became::Left(why) = mend(&target, Some(WRONG)).await.unwrap() else { panic!("not left") };
    assert!(why.contains("more attributes"), "{why}");
    assert_eq!(target.item().unwrap(), WRONG);
}

#[tokio::test]
async fn whatever_does_not_pass_ends_the_repair() {
    for kind in [TargetErrorKind::Permission, TargetErrorKind::NoTable, TargetErrorKind::Expired] {
        let target = OneItem::new(None, [Trouble::Fails(kind.clone())]);
        let error = mend(&target, None).await.unwrap_err();
        assert!(matches!(error, MendError::Target(error) if error.kind == kind));
        assert_eq!(*target.attempts.lock().unwrap(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn throttles_without_end_end_the_repair() {
    let throttles = (0..10_000).map(|_| Trouble::Fails(TargetErrorKind::Throttled(Vec::new())));
    let target = OneItem::new(None, throttles);
    let row = WrongRow { source_key: &[], key: KEY, expected: RIGHT, found: None };
    let repair = repair(Arc::clone(&target), &target, RepairLog::nowhere());
    let repair = Repair { pace: lookup::Pace::default(), ..repair };
    let started = tokio::time::Instant::now();
    assert!(repair.mend("User", &[row], &|_| {}).await.is_err());
    assert!(started.elapsed() >= Duration::from_secs(300));
    assert!(*target.attempts.lock().unwrap() < 100, "backs off");
}

#[tokio::test]
async fn writes_keep_to_their_pace() {
    let large = format!(r#"{{"PK":{{"S":"A"}},"SK":{{"S":"1"}},"t":{{"S":"{}"}}}}"#, "x".repeat(9 << 10));
    let row = WrongRow { source_key: &[], key: KEY, expected: large.as_bytes(), found: None };
    assert_eq!(Change::of_row(&row).units(2), Units { table: 10, indexes: vec![10, 10] });
    let row = WrongRow { found: Some(large.as_bytes()), expected: RIGHT, ..row };
    assert_eq!(Change::of_row(&row).units(1), Units { table: 10, indexes: vec![11] });
}

fn lines(folder: &Path) -> Vec<Json> {
    let text = std::fs::read_to_string(folder.join(REPAIRS)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or(Json::Null)).collect()
}

#[tokio::test]
async fn every_change_is_written_down_with_the_item_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let log = RepairLog::in_folder(folder.path(), false).unwrap();
    let target = OneItem::new(Some(WRONG), []);
    let source_key = source_key();
    let row = WrongRow { source_key: &source_key, key: KEY, expected: RIGHT, found: Some(WRONG) };
    let second = WrongRow { found: None, ..row };
    let repair = repair(Arc::clone(&target), &target, log);
    assert_eq!(repair.log(), Some(folder.path().join(REPAIRS).as_path()));
    let became = repair.mend("User", &[row, second], &|_| {}).await.unwrap();
    // The second finds what the first has made.
    assert!(matches!(&became[..], [Became::Replaced { .. }, Became::Right]), "{became:?}");
    let lines = lines(folder.path());
    let told: Vec<_> = lines.iter().map(|line| (line["what"].as_str(), line["outcome"].as_str())).collect();
    let told: Vec<_> = told.into_iter().map(|(what, outcome)| (what.unwrap(), outcome.unwrap())).collect();
    assert_eq!(
        told,
        [("replace", "intended"), ("put", "intended"), ("replace", "replaced"), ("put", "right")]
    );
    assert_eq!(lines[0]["before"], serde_json::from_slice::<Json>(WRONG).unwrap());
    assert_eq!(lines[0]["source_key"]["id"], "private");
    assert_eq!(lines[0]["key"], serde_json::json!({"PK": {"S": "A"}, "SK": {"S": "1"}}));
    assert_eq!(lines[0]["entity"], "User");
    assert!(lines[0]["time"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok());
    // Nothing more than what the intent says.
    assert!(lines[2].get("before").is_none() && lines[1].get("before").is_none());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(folder.path().join(REPAIRS)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[tokio::test]
async fn a_deletion_is_written_down_without_a_source_key() {
    let folder = tempfile::tempdir().unwrap();
    let target = OneItem::new(Some(WRONG), []);
    let repair = repair(Arc::clone(&target), &target, RepairLog::in_folder(folder.path(), false).unwrap());
    repair.delete("User", &[OrphanedItem { key: KEY, found: WRONG }], &|_| {}).await.unwrap();
    let lines = lines(folder.path());
    let told = |line: &Json| ["what", "outcome"].map(|name| line[name].as_str().unwrap().to_owned());
    let told: Vec<[String; 2]> = lines.iter().map(told).collect();
    assert_eq!(told, [["delete", "intended"], ["delete", "deleted"]]);
    assert_eq!(lines[0]["before"], serde_json::from_slice::<Json>(WRONG).unwrap());
    assert_eq!((lines[0].get("source_key"), lines[1].get("before")), (None, None));
}

/// The change is made only once the intent is on disk.
#[tokio::test]
async fn without_a_log_nothing_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let log = RepairLog::in_folder(&folder.path().join("gone"), false).unwrap();
    let target = OneItem::new(None, []);
    let row = WrongRow { source_key: &[], key: KEY, expected: RIGHT, found: None };
    let repair = repair(Arc::clone(&target), &target, log);
    let error = repair.mend("User", &[row], &|_| {}).await.unwrap_err();
    assert!(matches!(error, MendError::Log(_)), "{error}");
    assert_eq!(*target.attempts.lock().unwrap(), 0);
}

#[tokio::test]
async fn what_was_done_before_an_end_is_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let log = RepairLog::in_folder(folder.path(), true).unwrap();
    let target = OneItem::new(None, [Trouble::None, Trouble::Fails(TargetErrorKind::Permission)]);
    let source_key = source_key();
    let row = WrongRow { source_key: &source_key, key: KEY, expected: RIGHT, found: None };
    let repair = repair(Arc::clone(&target), &target, log);
    assert!(repair.mend("User", &[row, row, row], &|_| {}).await.is_err());
    let lines = lines(folder.path());
    let outcomes: Vec<_> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
    // The third was under way by then.
    assert_eq!(outcomes, ["intended", "intended", "intended", "put", "right"]);
    let text = lines[0].to_string();
    assert!(text.contains("sha256:") && !text.contains("private"), "{text}");
}

/// A crash may cut a line anywhere; the next repair begins a new one.
#[tokio::test]
async fn a_line_that_a_crash_has_cut_spoils_no_other() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(REPAIRS), r#"{"time":"2026-"#).unwrap();
    let log = RepairLog::in_folder(folder.path(), false).unwrap();
    let target = OneItem::new(None, []);
    let row = WrongRow { source_key: &[], key: KEY, expected: RIGHT, found: None };
    repair(Arc::clone(&target), &target, log).mend("User", &[row], &|_| {}).await.unwrap();
    let lines = lines(folder.path());
    assert_eq!(lines.len(), 3);
    assert!(lines[0].is_null() && lines[1].is_object() && lines[2].is_object());
}

#[tokio::test]
async fn a_rehearsal_says_what_would_become_of_rows_and_changes_nothing() {
    let target = OneItem::new(Some(WRONG), []);
    let row = WrongRow { source_key: &[], key: KEY, expected: RIGHT, found: Some(WRONG) };
    let missing = WrongRow { found: None, ..row };
    let attributes: Vec<String> = (0..200).map(|at| format!(r#""a{at}":{{"N":"1"}}"#)).collect();
    let wide = format!("{{{},{}}}", str::from_utf8(KEY).unwrap(), attributes.join(","));
    let wide = WrongRow { found: Some(wide.as_bytes()), ..row };
    let repair = repair(Arc::new(Discard), &target, RepairLog::nowhere());
    let became = repair.mend("User", &[row, missing, wide], &|_| {}).await.unwrap();
    assert!(matches!(&became[..], [Became::Replaced { .. }, Became::Put, Became::Left(_)]), "{became:?}");
    let became = repair.delete("User", &[OrphanedItem { key: KEY, found: WRONG }], &|_| {}).await.unwrap();
    assert!(matches!(&became[..], [Became::Deleted { .. }]), "{became:?}");
    assert_eq!(repair.log(), None);
    assert!(differences(WRONG, &target.item().unwrap()).unwrap().is_empty());
}
