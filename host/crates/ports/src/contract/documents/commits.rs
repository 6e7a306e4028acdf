//! Expectations, conflicts, versions.

use std::collections::BTreeSet;

use bytes::Bytes;
use lifecycle::Millis;

use super::Fixture;
use super::sentences::{
    append, commit, commit_in, conflict, deletes, get, get_in, here, key, keys, now, partition, put, puts,
    read, together,
};
use crate::Documents as _;
use crate::documents::{Batch, CommitFault, Document, Expect, Put, Version};

/// How many commits race in a rule about races.
const RACERS: usize = 40;

pub async fn a_put_is_read_back_with_its_version_and_commit<F: Fixture>(fixture: &F) {
    let soon = now(fixture).await + Millis::hours(1);
    let late = soon + Millis::hours(1);
    let bytes = Bytes::from_static(b"\0\xff any bytes");
    let whole = Put {
        value: bytes.clone(),
        expires: Some(late),
        wake: Some(soon),
        ..put("whole", "")
    };
    let batch = puts([whole, put("empty", "")]);
    let id = batch.id;

    let written = commit(fixture, batch).await;

    let [version, empty_version] = written.versions[..] else {
        panic!("one version for each put")
    };
    assert!(written.numbers.is_empty());
    let expected = Document {
        key: key("whole"),
        version,
        commit: id,
        value: bytes,
        expires: Some(late),
        wake: Some(soon),
    };
    assert_eq!(get(fixture, "whole").await, Some(expected));
    let empty = get(fixture, "empty").await.expect("it was written");
    assert_eq!(
        (empty.version, empty.value, empty.expires, empty.wake),
        (empty_version, Bytes::new(), None, None)
    );
}

pub async fn an_absent_document_is_expected_once<F: Fixture>(fixture: &F) {
    let absent = |value| {
        puts([Put {
            expect: Expect::Absent,
            ..put("a", value)
        }])
    };
    commit(fixture, absent("first")).await;

    let there = conflict(fixture, absent("second")).await;

    assert_eq!(value(there[0].1.as_ref()), Some("first"));
    assert_eq!(value(get(fixture, "a").await.as_ref()), Some("first"));
}

pub async fn a_version_is_expected_of_one_write<F: Fixture>(fixture: &F) {
    let first = commit(fixture, puts([put("a", "first")])).await.versions[0];
    let second = commit(fixture, puts([expecting(first, "a", "second")]))
        .await
        .versions[0];
    assert_ne!(first, second);

    conflict(fixture, puts([expecting(first, "a", "third")])).await;
    let there = conflict(fixture, puts([expecting(first, "absent", "third")])).await;

    assert_eq!(there, [(key("absent"), None)]);
    assert_eq!(value(get(fixture, "a").await.as_ref()), Some("second"));
}

pub async fn anything_expects_nothing<F: Fixture>(fixture: &F) {
    let first = commit(fixture, puts([put("a", "same")])).await;
    let second = commit(fixture, puts([put("a", "same")])).await;

    assert_ne!(first.versions, second.versions, "every write changes the version");
}

pub async fn a_conflict_tells_what_is_there_and_writes_nothing<F: Fixture>(fixture: &F) {
    commit(fixture, puts([put("kept", "1"), put("changed", "1")])).await;
    let there = get(fixture, "changed").await;

    let found = conflict(
        fixture,
        Batch {
            deletes: vec![(key("kept"), Expect::Anything)],
            appends: vec![append("list/", "1")],
            ..puts([
                put("new", "1"),
                Put {
                    expect: Expect::Absent,
                    ..put("changed", "2")
                },
            ])
        },
    )
    .await;

    assert_eq!(found, [(key("changed"), there.clone())]);
    assert_eq!(get(fixture, "changed").await, there);
    assert_eq!(keys(fixture, "").await, ["changed", "kept"]);
}

pub async fn a_conflict_tells_every_key_that_did_not_match<F: Fixture>(fixture: &F) {
    let version = commit(fixture, puts([put("a", "1"), put("b", "1"), put("c", "1")]))
        .await
        .versions[0];
    let wrong = Expect::Version(Version(version.0 + 1_000));

    let found = conflict(
        fixture,
        Batch {
            checks: vec![(key("a"), Expect::Absent), (key("b"), Expect::Anything)],
            deletes: vec![(key("c"), wrong)],
            ..puts([Put {
                expect: wrong,
                ..put("d", "1")
            }])
        },
    )
    .await;

    let found: BTreeSet<_> = found
        .iter()
        .map(|(key, there)| (key.0.as_str(), there.is_some()))
        .collect();
    assert_eq!(found, BTreeSet::from([("a", true), ("c", true), ("d", false)]));
}

pub async fn a_check_writes_nothing<F: Fixture>(fixture: &F) {
    let version = commit(fixture, puts([put("a", "1")])).await.versions[0];
    let before = get(fixture, "a").await;
    let checks = vec![(key("a"), Expect::Version(version)), (key("b"), Expect::Absent)];

    commit(
        fixture,
        Batch {
            checks,
            ..puts([put("c", "1")])
        },
    )
    .await;

    assert_eq!(get(fixture, "a").await, before);
    assert_eq!(keys(fixture, "").await, ["a", "c"]);
}

pub async fn a_failed_check_stops_the_writes<F: Fixture>(fixture: &F) {
    commit(fixture, puts([put("a", "1")])).await;
    let checks = vec![(key("a"), Expect::Absent)];

    conflict(
        fixture,
        Batch {
            checks,
            ..puts([put("b", "1")])
        },
    )
    .await;

    assert_eq!(get(fixture, "b").await, None);
}

pub async fn a_deleted_document_is_absent<F: Fixture>(fixture: &F) {
    let version = commit(fixture, puts([put("a", "1"), put("b", "1")]))
        .await
        .versions[0];

    commit(fixture, deletes("a", Expect::Version(version))).await;

    assert_eq!(get(fixture, "a").await, None);
    assert_eq!(keys(fixture, "").await, ["b"]);
    commit(
        fixture,
        puts([Put {
            expect: Expect::Absent,
            ..put("a", "2")
        }]),
    )
    .await;
}

pub async fn deleting_what_is_absent_is_no_error<F: Fixture>(fixture: &F) {
    commit(fixture, deletes("a", Expect::Anything)).await;
    commit(fixture, deletes("a", Expect::Absent)).await;
    assert_eq!(keys(fixture, "").await, [""; 0]);
}

pub async fn a_delete_keeps_its_expectation<F: Fixture>(fixture: &F) {
    let first = commit(fixture, puts([put("a", "1")])).await.versions[0];
    commit(fixture, puts([put("a", "2")])).await;

    conflict(fixture, deletes("a", Expect::Version(first))).await;
    conflict(fixture, deletes("a", Expect::Absent)).await;

    assert_eq!(value(get(fixture, "a").await.as_ref()), Some("2"));
}

pub async fn a_version_never_comes_twice<F: Fixture>(fixture: &F) {
    let soon = now(fixture).await + Millis::hours(1);
    let mut versions = Vec::new();
    for round in ["1", "2", "3"] {
        versions.extend(commit(fixture, puts([put("a", round)])).await.versions);
        commit(fixture, deletes("a", Expect::Anything)).await;
    }
    versions.extend(
        commit(
            fixture,
            puts([Put {
                expires: Some(soon),
                ..put("a", "4")
            }]),
        )
        .await
        .versions,
    );
    fixture.advance(Millis::hours(1));
    versions.extend(
        commit(
            fixture,
            puts([Put {
                expect: Expect::Absent,
                ..put("a", "5")
            }]),
        )
        .await
        .versions,
    );

    assert_eq!(versions.iter().collect::<BTreeSet<_>>().len(), 5, "{versions:?}");
    conflict(fixture, puts([expecting(versions[0], "a", "6")])).await;
}

pub async fn a_lost_reply_is_settled_by_the_commit_id<F: Fixture>(fixture: &F) {
    let (mine, other) = (puts([put("a", "mine")]), puts([put("b", "other")]));
    let ids = [mine.id, other.id];
    commit(fixture, mine).await;
    commit(fixture, other).await;

    let read = [get(fixture, "a").await, get(fixture, "b").await];

    assert_eq!(
        read.map(|document| document.map(|document| document.commit)),
        ids.map(Some)
    );
}

pub async fn partitions_are_independent<F: Fixture>(fixture: &F) {
    // Names whose concatenation with a key is the same must not meet.
    let (one, other) = (partition("p"), partition("pa"));
    let absent = |name, value| Batch {
        appends: vec![append("list/", value)],
        ..puts([Put {
            expect: Expect::Absent,
            ..put(name, value)
        }])
    };
    let first = commit_in(fixture, &one, absent("ab", "one")).await;
    let second = commit_in(fixture, &other, absent("b", "other")).await;
    commit_in(fixture, &other, absent("ab", "other")).await;

    assert_eq!((first.numbers, second.numbers), (vec![1], vec![1]));
    commit_in(fixture, &other, deletes("ab", Expect::Anything)).await;
    assert_eq!(value(get_in(fixture, &one, "ab").await.as_ref()), Some("one"));
    assert_eq!(get_in(fixture, &one, "b").await, None);
}

pub async fn one_of_many_equal_expectations_wins<F: Fixture>(fixture: &F) {
    let version = commit(fixture, puts([put("a", "0")])).await.versions[0];
    let names: Vec<String> = (0..RACERS).map(|racer| racer.to_string()).collect();
    let place = here();
    let race = |name: &String| {
        fixture
            .store()
            .commit(&place, puts([expecting(version, "a", name)]))
    };

    let outcomes = together(names.iter().map(race)).await;

    let winners: Vec<&String> = names
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| outcome.is_ok())
        .map(|(name, _)| name)
        .collect();
    let [winner] = winners[..] else {
        panic!("expected one winner, found {winners:?}")
    };
    assert!(
        outcomes
            .iter()
            .filter_map(|outcome| outcome.as_ref().err())
            .all(|fault| matches!(fault, CommitFault::Conflict(_)))
    );
    assert_eq!(value(get(fixture, "a").await.as_ref()), Some(winner.as_str()));
}

pub async fn the_time_of_a_commit_is_not_after_a_later_read<F: Fixture>(fixture: &F) {
    let written = commit(fixture, puts([put("a", "1")])).await.now;
    let then = read(fixture, vec![]).await.now;
    fixture.advance(Millis::minutes(1));
    let later = commit(fixture, puts([put("a", "2")])).await.now;

    assert!(written <= then, "{written:?} {then:?}");
    assert!(later >= then + Millis::minutes(1), "{then:?} {later:?}");
}

fn expecting(version: Version, name: &str, value: &str) -> Put {
    Put {
        expect: Expect::Version(version),
        ..put(name, value)
    }
}

fn value(document: Option<&Document>) -> Option<&str> {
    document.map(|document| std::str::from_utf8(&document.value).expect("the rules write text"))
}
