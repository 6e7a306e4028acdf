//! What is too much.

use bytes::Bytes;
use lifecycle::Timestamp;

use super::Fixture;
use super::sentences::{
    append, appends, batch, commit, commit_in, deletes, get, here, key, keys, partition, prefix, put, puts,
};
use crate::Documents as _;
use crate::documents::{
    Append, BATCH_MAX, Batch, CommitFault, Expect, NAME_BYTES_MAX, Order, Partition, Put, SELECTIONS_MAX,
    Select, TIME_MAX, VALUE_BYTES_MAX,
};

/// The digits of an append's number.
const NUMBER_DIGITS: usize = 20;

pub async fn a_batch_at_the_bounds_is_written<F: Fixture>(fixture: &F) {
    let name = "n".repeat(NAME_BYTES_MAX);
    let mut batch = puts((3..BATCH_MAX).map(|n| put(&n.to_string(), "1")));
    batch.puts.push(Put {
        expires: Some(TIME_MAX),
        wake: Some(TIME_MAX),
        ..put(&name, "1")
    });
    batch.checks.push((key("checked"), Expect::Absent));
    batch
        .appends
        .push(append(&name[..NAME_BYTES_MAX - NUMBER_DIGITS], "1"));

    commit_in(fixture, &Partition(name.clone()), batch).await;

    let select = vec![Select::Key(key("absent")); SELECTIONS_MAX - 1];
    let select = select.into_iter().chain([Select::Key(key(&name))]).collect();
    let read = fixture
        .store()
        .read(&Partition(name), select)
        .await
        .expect("the read is within the bounds");
    let longest = read
        .selected
        .last()
        .and_then(|found| found.first())
        .expect("it was written");
    assert_eq!((longest.expires, longest.wake), (Some(TIME_MAX), Some(TIME_MAX)));
}

pub async fn a_value_at_the_bound_is_written<F: Fixture>(fixture: &F) {
    let value = Bytes::from(vec![0x5a; VALUE_BYTES_MAX]);
    commit(
        fixture,
        puts([Put {
            value: value.clone(),
            ..put("a", "")
        }]),
    )
    .await;
    commit(
        fixture,
        appends([Append {
            value: value.clone(),
            ..append("list/", "")
        }]),
    )
    .await;

    assert!(
        get(fixture, "a")
            .await
            .is_some_and(|document| document.value == value)
    );
    assert!(
        get(fixture, "list/00000000000000000001")
            .await
            .is_some_and(|document| document.value == value)
    );
}

pub async fn a_batch_above_a_bound_is_refused_whole<F: Fixture>(fixture: &F) {
    let name = "n".repeat(NAME_BYTES_MAX + 1);
    let large = Bytes::from(vec![0; VALUE_BYTES_MAX + 1]);
    let never = Some(Timestamp(TIME_MAX.0 + 1));
    let crowd = puts((0..=BATCH_MAX).map(|n| put(&n.to_string(), "1")));
    let beside = |put: Put| puts([self::put("innocent", "1"), put]);
    let batches = [
        ("a batch with one write too many", crowd),
        ("a long key", beside(put(&name, "1"))),
        (
            "a long key of a check",
            Batch {
                checks: vec![(key(&name), Expect::Absent)],
                ..beside(put("a", "1"))
            },
        ),
        (
            "a long key of a delete",
            Batch {
                deletes: vec![(key(&name), Expect::Anything)],
                ..beside(put("a", "1"))
            },
        ),
        (
            "a long prefix",
            Batch {
                appends: vec![append(&name[NUMBER_DIGITS..], "1")],
                ..beside(put("a", "1"))
            },
        ),
        (
            "a large value",
            beside(Put {
                value: large.clone(),
                ..put("a", "")
            }),
        ),
        (
            "a large appended value",
            appends([Append {
                value: large,
                ..append("list/", "")
            }]),
        ),
        (
            "an expiry out of bounds",
            beside(Put {
                expires: never,
                ..put("a", "1")
            }),
        ),
        (
            "a wake time out of bounds",
            beside(Put {
                wake: never,
                ..put("a", "1")
            }),
        ),
    ];
    for (what, batch) in batches {
        refused(fixture, &here(), batch, what).await;
    }
    refused(fixture, &Partition(name), batch(), "a long partition").await;
    assert_eq!(keys(fixture, "").await, [""; 0]);
}

pub async fn a_key_twice_in_a_batch_is_refused_whole<F: Fixture>(fixture: &F) {
    let checks = vec![(key("a"), Expect::Absent)];
    let twice = [
        puts([put("a", "1"), put("a", "2")]),
        Batch {
            checks: checks.clone(),
            ..puts([put("a", "1")])
        },
        Batch {
            checks,
            ..deletes("a", Expect::Anything)
        },
        Batch {
            deletes: vec![(key("a"), Expect::Anything)],
            ..puts([put("b", "1"), put("a", "1")])
        },
    ];
    for batch in twice {
        refused(fixture, &here(), batch, "a key twice").await;
    }
    assert_eq!(keys(fixture, "").await, [""; 0]);
}

pub async fn a_read_above_a_bound_is_refused<F: Fixture>(fixture: &F) {
    let name = "n".repeat(NAME_BYTES_MAX + 1);
    let reads = [
        (here(), vec![Select::Key(key("a")); SELECTIONS_MAX + 1]),
        (here(), vec![Select::Key(key(&name))]),
        (here(), vec![prefix(&name, Order::Ascending, 1)]),
        (partition(&name), vec![]),
    ];
    for (place, select) in reads {
        assert!(fixture.store().read(&place, select).await.is_err());
    }
}

pub async fn an_empty_batch_is_written<F: Fixture>(fixture: &F) {
    let written = commit(fixture, batch()).await;

    assert!(written.versions.is_empty() && written.numbers.is_empty());
}

async fn refused(fixture: &impl Fixture, place: &Partition, batch: Batch, what: &str) {
    match fixture.store().commit(place, batch).await {
        Err(CommitFault::Unavailable(_)) => {}
        other => panic!("{what}: expected unavailable, found {other:?}"),
    }
}
