//! The sentences in which the rules are written. Unless a rule says otherwise everything is in one partition.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use bytes::Bytes;
use lifecycle::{Millis, Timestamp};

use super::Fixture;
use crate::Documents as _;
use crate::documents::{
    Append, Batch, CommitFault, CommitId, Committed, Document, Due, Expect, Key, Order, Partition, Put,
    Select, Snapshot,
};

/// The partition of the rules that need one.
pub(super) fn here() -> Partition {
    partition("channel/account/room/thread")
}

pub(super) fn partition(name: &str) -> Partition {
    Partition(name.to_owned())
}

pub(super) fn key(name: &str) -> Key {
    Key(name.to_owned())
}

/// A batch with an id of its own and nothing in it.
pub(super) fn batch() -> Batch {
    static COMMITS: AtomicU64 = AtomicU64::new(1);
    // Large, as a random one is: a store must keep all 128 bits.
    let id = CommitId((0xf00d_u128 << 112) | u128::from(COMMITS.fetch_add(1, Ordering::Relaxed)));
    Batch {
        id,
        checks: vec![],
        puts: vec![],
        deletes: vec![],
        appends: vec![],
    }
}

pub(super) fn puts(puts: impl IntoIterator<Item = Put>) -> Batch {
    Batch {
        puts: puts.into_iter().collect(),
        ..batch()
    }
}

pub(super) fn deletes(name: &str, expect: Expect) -> Batch {
    Batch {
        deletes: vec![(key(name), expect)],
        ..batch()
    }
}

pub(super) fn appends(appends: impl IntoIterator<Item = Append>) -> Batch {
    Batch {
        appends: appends.into_iter().collect(),
        ..batch()
    }
}

/// A document that does not end, that nothing is due of, and that may be there already.
pub(super) fn put(name: &str, value: &str) -> Put {
    let value = Bytes::copy_from_slice(value.as_bytes());
    Put {
        key: key(name),
        expect: Expect::Anything,
        value,
        expires: None,
        wake: None,
    }
}

pub(super) fn append(prefix: &str, value: &str) -> Append {
    let value = Bytes::copy_from_slice(value.as_bytes());
    Append {
        prefix: prefix.to_owned(),
        value,
        expires: None,
        wake: None,
    }
}

pub(super) async fn commit_in(fixture: &impl Fixture, partition: &Partition, batch: Batch) -> Committed {
    fixture
        .store()
        .commit(partition, batch)
        .await
        .expect("the batch is written")
}

pub(super) async fn commit(fixture: &impl Fixture, batch: Batch) -> Committed {
    commit_in(fixture, &here(), batch).await
}

/// Commits what must conflict, and gives what the store says is there.
pub(super) async fn conflict(fixture: &impl Fixture, batch: Batch) -> Vec<(Key, Option<Document>)> {
    match fixture.store().commit(&here(), batch).await {
        Err(CommitFault::Conflict(there)) => there,
        other => panic!("expected a conflict, found {other:?}"),
    }
}

pub(super) async fn read_in(fixture: &impl Fixture, partition: &Partition, select: Vec<Select>) -> Snapshot {
    fixture
        .store()
        .read(partition, select)
        .await
        .expect("the store answers")
}

pub(super) async fn read(fixture: &impl Fixture, select: Vec<Select>) -> Snapshot {
    read_in(fixture, &here(), select).await
}

pub(super) async fn get_in(fixture: &impl Fixture, partition: &Partition, name: &str) -> Option<Document> {
    let mut snapshot = read_in(fixture, partition, vec![Select::Key(key(name))]).await;
    snapshot.selected.pop().and_then(|mut found| found.pop())
}

pub(super) async fn get(fixture: &impl Fixture, name: &str) -> Option<Document> {
    get_in(fixture, &here(), name).await
}

pub(super) fn prefix(prefix: &str, order: Order, limit: usize) -> Select {
    Select::Prefix {
        prefix: prefix.to_owned(),
        order,
        limit,
    }
}

/// The keys that begin with `beginning`, in ascending order.
pub(super) async fn keys(fixture: &impl Fixture, beginning: &str) -> Vec<String> {
    keys_of(fixture, prefix(beginning, Order::Ascending, usize::MAX)).await
}

pub(super) async fn keys_of(fixture: &impl Fixture, select: Select) -> Vec<String> {
    let snapshot = read(fixture, vec![select]).await;
    snapshot
        .selected
        .into_iter()
        .flatten()
        .map(|document| document.key.0)
        .collect()
}

pub(super) async fn now(fixture: &impl Fixture) -> Timestamp {
    read(fixture, vec![]).await.now
}

pub(super) async fn due(fixture: &impl Fixture, max: usize) -> Due {
    fixture
        .store()
        .due(Millis(0), max)
        .await
        .expect("the store answers")
}

/// The keys of what is due.
pub(super) async fn due_keys(fixture: &impl Fixture) -> Vec<String> {
    due(fixture, usize::MAX)
        .await
        .awake
        .into_iter()
        .map(|awake| awake.key.0)
        .collect()
}

/// Runs all at once, and gives their results in their order.
pub(super) async fn together<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<_> = futures.into_iter().map(Box::pin).map(Running::Yet).collect();
    poll_fn(move |context| {
        for one in &mut running {
            if let Running::Yet(future) = one
                && let Poll::Ready(output) = future.as_mut().poll(context)
            {
                *one = Running::Done(output);
            }
        }
        if running.iter().any(|one| matches!(one, Running::Yet(_))) {
            return Poll::Pending;
        }
        let outputs = running.drain(..).filter_map(|one| match one {
            Running::Done(output) => Some(output),
            Running::Yet(_) => None,
        });
        Poll::Ready(outputs.collect())
    })
    .await
}

enum Running<F: Future> {
    Yet(std::pin::Pin<Box<F>>),
    Done(F::Output),
}

/// Runs both at once.
pub(super) async fn both(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    let (one, other) = (pin!(one), pin!(other));
    let either: [std::pin::Pin<&mut dyn Future<Output = ()>>; 2] = [one, other];
    together(either).await;
}
