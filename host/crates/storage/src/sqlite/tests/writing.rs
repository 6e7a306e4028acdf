//! Groups, full disks, full queues, and callers who go away.

use std::future::Future as _;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use lifecycle::{Millis, Timestamp};
use ports::Documents as _;
use ports::documents::{Batch, CommitFault, Committed, Expect, Put};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::sync::oneshot::{self, Receiver};

use super::super::open;
use super::super::writer::{Commits, GROUP_MAX, Order, PURGE_AFTER, PURGE_MAX, QUEUE_MAX, Writer};
use super::{appends, here, keys, put, puts, stopped};
use crate::clock::{StoreClock, WallClock};
use crate::{ManualClock, SqliteDocuments};

type Outcome = Result<Committed, CommitFault>;

/// What the writer's thread does, without the thread.
struct Desk {
    commits: Commits,
    clock: ManualClock,
    path: PathBuf,
    _folder: TempDir,
}

impl Desk {
    fn new(prepare: impl FnOnce(&Connection)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let connection = open::writing(&path).unwrap();
        prepare(&connection);
        let clock = stopped();
        let commits = Commits::new(connection, store_clock(&clock)).unwrap();
        Self {
            commits,
            clock,
            path,
            _folder: folder,
        }
    }

    fn commit(&mut self, batches: impl IntoIterator<Item = Batch>) -> Vec<Outcome> {
        let (group, outcomes): (Vec<_>, Vec<_>) = batches.into_iter().map(order).unzip();
        self.commits.commit(group);
        outcomes.into_iter().map(answer).collect()
    }

    fn count(&self) -> usize {
        let count = "SELECT count(*) FROM documents";
        usize::try_from(
            beside(&self.path)
                .query_row(count, [], |row| row.get::<_, i64>(0))
                .unwrap(),
        )
        .unwrap()
    }
}

fn store_clock(clock: &ManualClock) -> Arc<StoreClock> {
    Arc::new(StoreClock::new(WallClock::Manual(clock.clone())))
}

fn order(batch: Batch) -> (Order, Receiver<Outcome>) {
    let (reply, outcome) = oneshot::channel();
    (
        Order {
            partition: here(),
            batch,
            reply,
        },
        outcome,
    )
}

fn answer(mut outcome: Receiver<Outcome>) -> Outcome {
    outcome.try_recv().expect("every order is answered")
}

/// Another program with the file open.
fn beside(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

#[test]
fn one_conflict_among_ten_leaves_nine_written() {
    let mut desk = Desk::new(|_| {});
    let batch = |n| match n {
        4 => puts([
            put("lost", "1"),
            Put {
                expect: Expect::Absent,
                ..put("3", "again")
            },
        ]),
        _ => puts([put(&format!("{n}"), "1")]),
    };

    let outcomes = desk.commit((0..10).map(batch));

    for (n, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Ok(_) => assert_ne!(n, 4),
            Err(CommitFault::Conflict(there)) => assert_eq!((n, there[0].0.0.as_str()), (4, "3")),
            Err(other) => panic!("{n}: {other}"),
        }
    }
    assert_eq!(desk.count(), 9);
}

#[test]
fn a_group_is_one_transaction() {
    let mut desk = Desk::new(|_| {});
    // Each transaction ends in the log with at least one page of its own: ten alone write the same pages ten times.
    let log = desk.path.with_extension("db-wal");
    let length = || std::fs::metadata(&log).unwrap().len();
    let mut grown = |groups: Vec<Vec<Batch>>| {
        let before = length();
        groups
            .into_iter()
            .for_each(|group| assert!(desk.commit(group).iter().all(Result::is_ok)));
        length() - before
    };
    let ten = || (0..10).map(|n| puts([put(&format!("{n}"), "1")]));

    let together = grown(vec![ten().collect()]);
    let apart = grown(ten().map(|batch| vec![batch]).collect());

    assert!(apart >= 5 * together, "{together} bytes together, {apart} apart");
}

#[test]
fn a_full_disk_refuses_only_what_does_not_fit_and_the_store_goes_on() {
    let mut desk = Desk::new(|connection| {
        connection
            .pragma_update_and_check(None, "max_page_count", 40, |_| Ok(()))
            .unwrap();
    });

    let outcomes = desk.commit([
        puts([put("a", "1")]),
        puts([put("large", vec![1; 400_000])]),
        appends("list/"),
    ]);

    assert!(
        matches!(&outcomes[..], [Ok(_), Err(CommitFault::Unavailable(_)), Ok(_)]),
        "{outcomes:?}"
    );
    assert_eq!(desk.count(), 2);
    let later = desk.commit([appends("list/")]);
    assert!(
        matches!(&later[..], [Ok(committed)] if committed.numbers == [2]),
        "{later:?}"
    );
}

#[test]
fn a_full_disk_in_the_middle_of_a_batch_leaves_nothing_of_it() {
    let mut desk = Desk::new(|connection| {
        connection
            .pragma_update_and_check(None, "max_page_count", 40, |_| Ok(()))
            .unwrap();
    });

    let outcomes = desk.commit([puts([
        put("a", "1"),
        put("large", vec![1; 400_000]),
        put("b", "1"),
    ])]);

    assert!(
        matches!(&outcomes[..], [Err(CommitFault::Unavailable(_))]),
        "{outcomes:?}"
    );
    assert_eq!(desk.count(), 0);
}

#[test]
fn a_lock_of_somebody_else_is_surely_not_written() {
    let mut desk = Desk::new(|connection| connection.busy_timeout(Duration::ZERO).unwrap());
    let other = beside(&desk.path);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    let outcomes = desk.commit([puts([put("a", "1")]), puts([put("b", "1")])]);

    let unavailable = |outcome: &Outcome| matches!(outcome, Err(CommitFault::Unavailable(_)));
    assert!(outcomes.iter().all(unavailable), "{outcomes:?}");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(desk.count(), 0);
    assert!(desk.commit([puts([put("a", "2")])])[0].is_ok());
}

#[tokio::test]
async fn a_full_queue_is_unavailable_and_what_it_took_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let connection = open::writing(&path).unwrap();
    // As long as it takes: the other program lets go below.
    connection.busy_timeout(Duration::from_secs(3_600)).unwrap();
    let writer = Writer::start(connection, store_clock(&stopped())).unwrap();
    let other = beside(&path);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    // The writer holds one group and waits; behind it the queue fills.
    let mut taken = Vec::new();
    let refused = (0..=QUEUE_MAX + GROUP_MAX).find_map(|n| {
        let (order, outcome) = order(puts([put(&n.to_string(), "1")]));
        let refused = writer.order(order).err();
        taken.extend(refused.is_none().then_some(outcome));
        refused
    });

    assert!(
        matches!(refused, Some(CommitFault::Unavailable(_))),
        "{refused:?}"
    );
    assert!(taken.len() >= QUEUE_MAX, "{}", taken.len());
    other.execute_batch("ROLLBACK").unwrap();
    for outcome in taken {
        assert!(outcome.await.unwrap().is_ok());
    }
}

#[tokio::test]
async fn a_commit_whose_caller_has_gone_is_applied_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let documents = super::open(&path);
    {
        let partition = here();
        let commit = pin!(documents.commit(&partition, appends("list/")));
        let polled = commit.poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending() || polled.is_ready());
    }
    // Closing waits for the writer.
    drop(documents);

    assert_eq!(keys(&super::open(&path)).await, ["list/00000000000000000001"]);
}

#[test]
fn expired_documents_are_deleted_a_few_at_a_time() {
    let mut desk = Desk::new(|_| {});
    let end = Some(desk.clock.now() + Millis::hours(1));
    let ending = (0..PURGE_MAX + 10).map(|n| Put {
        expires: end,
        wake: end,
        ..put(&n.to_string(), "1")
    });
    let later = end.map(|end| end + Millis::hours(9));
    let staying = [
        put("endless", "1"),
        Put {
            expires: later,
            ..put("later", "1")
        },
    ];
    assert!(desk.commit([puts(ending.chain(staying))])[0].is_ok());

    desk.clock.advance(Millis::hours(1));
    assert_eq!(desk.commits.purge(), 0, "a reader may have taken the time before");
    desk.clock.advance(PURGE_AFTER);

    let purged = [desk.commits.purge(), desk.commits.purge(), desk.commits.purge()];
    assert_eq!((purged, desk.count()), ([PURGE_MAX, 10, 0], 2));
}

#[tokio::test]
async fn the_time_of_the_store_never_goes_back() {
    let folder = tempfile::tempdir().unwrap();
    let machine = stopped();
    let clock = WallClock::Manual(machine.clone());
    let documents = SqliteDocuments::open(&folder.path().join("store.db"), clock).unwrap();
    let before = documents.read(&here(), vec![]).await.unwrap().now;
    machine.set(Timestamp(5));

    assert_eq!(documents.commit(&here(), puts([])).await.unwrap().now, before);
    assert_eq!(documents.due(Millis(0), 1).await.unwrap().now, before);
}
