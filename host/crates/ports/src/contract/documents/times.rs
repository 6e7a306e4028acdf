//! Expiry and wake times.

use crate::Documents;
use lifecycle::{Millis, Timestamp};

use super::Fixture;
use super::sentences::{
    commit, commit_in, conflict, deletes, due, due_keys, get, key, keys, keys_of, now, partition, prefix,
    put, puts,
};
use crate::documents::{BATCH_MAX, DUE_MAX, Expect, Order, Partition, Put};

const HOUR: Millis = Millis::hours(1);
const MINUTE: Millis = Millis::minutes(1);

pub async fn an_expired_document_is_not_read<F: Fixture>(fixture: &F) {
    let end = now(fixture).await + HOUR;
    commit(fixture, puts([ending(end, "a"), put("b", "1")])).await;
    fixture.advance(Millis(HOUR.0 - MINUTE.0));
    assert_eq!(keys(fixture, "").await, ["a", "b"]);

    fixture.advance(MINUTE);

    assert_eq!(get(fixture, "a").await, None);
    assert_eq!(keys(fixture, "").await, ["b"]);
}

pub async fn an_expired_document_is_absent_to_a_check<F: Fixture>(fixture: &F) {
    let end = now(fixture).await + HOUR;
    commit(fixture, puts([ending(end, "a"), ending(end, "b")])).await;
    let absent = || {
        puts([Put {
            expect: Expect::Absent,
            ..put("a", "2")
        }])
    };
    conflict(fixture, absent()).await;

    fixture.advance(HOUR);

    commit(fixture, absent()).await;
    commit(fixture, deletes("b", Expect::Absent)).await;
    assert_eq!(keys(fixture, "").await, ["a"]);
}

pub async fn an_expired_document_has_no_version<F: Fixture>(fixture: &F) {
    let end = now(fixture).await + HOUR;
    let version = commit(fixture, puts([ending(end, "a")])).await.versions[0];
    fixture.advance(HOUR);
    let expect = Expect::Version(version);

    let there = conflict(
        fixture,
        puts([Put {
            expect,
            ..put("a", "2")
        }]),
    )
    .await;

    assert_eq!(there, [(key("a"), None)]);
    conflict(fixture, deletes("a", expect)).await;
}

pub async fn an_expired_document_takes_no_place_in_a_limit<F: Fixture>(fixture: &F) {
    let end = now(fixture).await + HOUR;
    commit(
        fixture,
        puts([ending(end, "a"), put("b", "1"), put("c", "1"), ending(end, "d")]),
    )
    .await;
    fixture.advance(HOUR);

    assert_eq!(
        keys_of(fixture, prefix("", Order::Ascending, 2)).await,
        ["b", "c"]
    );
    assert_eq!(keys_of(fixture, prefix("", Order::Descending, 1)).await, ["c"]);
}

pub async fn a_rewrite_replaces_the_expiry<F: Fixture>(fixture: &F) {
    let end = now(fixture).await + HOUR;
    commit(
        fixture,
        puts([ending(end, "longer"), ending(end, "endless"), put("shorter", "1")]),
    )
    .await;
    let rewrites = [
        ending(end + HOUR, "longer"),
        put("endless", "2"),
        ending(end, "shorter"),
    ];
    commit(fixture, puts(rewrites)).await;

    fixture.advance(HOUR);
    assert_eq!(keys(fixture, "").await, ["endless", "longer"]);
    fixture.advance(HOUR);
    assert_eq!(keys(fixture, "").await, ["endless"]);
}

pub async fn a_document_is_due_from_its_wake_time_on<F: Fixture>(fixture: &F) {
    let wake = now(fixture).await + HOUR;
    commit(fixture, puts([waking(wake, "a"), put("b", "1")])).await;
    fixture.advance(Millis(HOUR.0 - MINUTE.0));
    assert_eq!(due_keys(fixture).await, [""; 0]);

    fixture.advance(MINUTE);

    assert_eq!(due_keys(fixture).await, ["a"]);
    fixture.advance(Millis::days(400));
    assert_eq!(due_keys(fixture).await, ["a"]);
}

pub async fn what_is_due_comes_earliest_first_from_all_partitions<F: Fixture>(fixture: &F) {
    let start = now(fixture).await;
    let write = async |place: &Partition, minutes: u64| {
        let wake = start + Millis::minutes(minutes);
        commit_in(fixture, place, puts([waking(wake, &minutes.to_string())])).await;
    };
    let places = ["p", "q", "r"].map(partition);
    for (place, minutes) in places.iter().cycle().zip([5, 1, 7, 3, 2, 6, 4]) {
        write(place, minutes).await;
    }
    fixture.advance(HOUR);

    let awake = due(fixture, usize::MAX).await.awake;

    let found: Vec<_> = awake
        .iter()
        .map(|one| (one.key.0.as_str(), one.partition.0.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("1", "q"),
            ("2", "q"),
            ("3", "p"),
            ("4", "p"),
            ("5", "p"),
            ("6", "r"),
            ("7", "r")
        ]
    );
    assert_eq!(awake[2].wake, start + Millis::minutes(3));
}

pub async fn no_more_is_due_than_asked_for<F: Fixture>(fixture: &F) {
    let start = now(fixture).await;
    let documents = (1..=9_u64)
        .rev()
        .map(|n| waking(start + Millis(n), &n.to_string()));
    commit(fixture, puts(documents)).await;
    fixture.advance(HOUR);

    let found = due(fixture, 3).await.awake;

    assert_eq!(
        found.iter().map(|one| one.key.0.as_str()).collect::<Vec<_>>(),
        ["1", "2", "3"]
    );
    assert_eq!(due(fixture, 0).await.awake, []);
}

pub async fn no_more_is_due_than_the_bound<F: Fixture>(fixture: &F) {
    let start = now(fixture).await;
    commit(
        fixture,
        puts((0..BATCH_MAX).map(|n| waking(start, &n.to_string()))),
    )
    .await;
    commit(fixture, puts([waking(start, "one more")])).await;

    assert_eq!(due(fixture, usize::MAX).await.awake.len(), DUE_MAX);
}

pub async fn the_next_wake_time_is_told<F: Fixture>(fixture: &F) {
    assert_eq!(due(fixture, 10).await.next, None);
    let start = now(fixture).await;
    let (soon, later, last) = (start + HOUR, start + Millis::hours(2), start + Millis::hours(3));
    commit(fixture, puts([waking(later, "b"), waking(soon, "a")])).await;
    commit_in(fixture, &partition("elsewhere"), puts([waking(last, "c")])).await;

    assert_eq!(due(fixture, 10).await.next, Some(soon));
    fixture.advance(HOUR);
    assert_eq!(
        due(fixture, 0).await.next,
        Some(later),
        "what is due already is not next, asked for or not"
    );
    fixture.advance(HOUR);
    assert_eq!(due(fixture, 10).await.next, Some(last));
    fixture.advance(HOUR);
    let end = due(fixture, 10).await;
    assert_eq!((end.awake.len(), end.next), (3, None));
    assert!(end.now >= last, "{end:?}");
}

pub async fn what_will_be_due_is_told_ahead_of_time<F: Fixture>(fixture: &F) {
    let start = now(fixture).await;
    let (within, at, after) = (start + Millis::minutes(1), start + HOUR, start + Millis::hours(3));
    let documents = [waking(after, "after"), waking(at, "at"), waking(within, "within")];
    commit(fixture, puts(documents)).await;

    let found = fixture.store().due(HOUR, 10).await.expect("the store answers");

    let keys: Vec<_> = found.awake.iter().map(|one| one.key.0.as_str()).collect();
    assert!(
        keys.starts_with(&["within", "at"]) && !keys.contains(&"after"),
        "{keys:?}"
    );
    assert_eq!(found.next, Some(after));
    assert_eq!(due(fixture, 10).await.awake, [], "it is not due yet");
}

pub async fn what_ends_before_then_is_not_told_ahead_of_time<F: Fixture>(fixture: &F) {
    let now = now(fixture).await;
    let (wake, end) = (now + MINUTE, now + Millis::minutes(30));
    let put = Put {
        wake: Some(wake),
        ..ending(end, "a")
    };
    commit(fixture, puts([put])).await;

    let ahead = async |length| {
        let due = fixture.store().due(length, 10).await;
        due.expect("the store answers").awake.len()
    };

    assert_eq!(ahead(Millis::minutes(20)).await, 1);
    assert_eq!(ahead(HOUR).await, 0);
}

pub async fn reading_what_is_due_does_not_claim_it<F: Fixture>(fixture: &F) {
    let wake = now(fixture).await;
    commit(fixture, puts([waking(wake, "a")])).await;

    assert_eq!(due(fixture, 10).await.awake, due(fixture, 10).await.awake);
    assert_eq!(due_keys(fixture).await, ["a"]);
}

pub async fn a_rewrite_replaces_the_wake_time<F: Fixture>(fixture: &F) {
    let wake = now(fixture).await + HOUR;
    commit(
        fixture,
        puts([
            waking(wake, "cleared"),
            waking(wake, "later"),
            waking(wake + HOUR, "sooner"),
        ]),
    )
    .await;
    commit(
        fixture,
        puts([
            put("cleared", "2"),
            waking(wake + HOUR, "later"),
            waking(wake, "sooner"),
        ]),
    )
    .await;

    fixture.advance(HOUR);
    assert_eq!(due_keys(fixture).await, ["sooner"]);
    fixture.advance(HOUR);
    assert_eq!(due_keys(fixture).await, ["sooner", "later"]);
}

pub async fn a_deleted_document_is_not_due<F: Fixture>(fixture: &F) {
    let start = now(fixture).await;
    commit(fixture, puts([waking(start, "a"), waking(start + HOUR, "b")])).await;
    commit(fixture, deletes("a", Expect::Anything)).await;
    commit(fixture, deletes("b", Expect::Anything)).await;

    let nothing = due(fixture, 10).await;

    assert_eq!((nothing.awake, nothing.next), (vec![], None));
}

pub async fn an_expired_document_is_not_due<F: Fixture>(fixture: &F) {
    let start = now(fixture).await;
    let (wake, end) = (start + HOUR, start + Millis::hours(2));
    commit(
        fixture,
        puts([Put {
            wake: Some(wake),
            ..ending(end, "a")
        }]),
    )
    .await;
    fixture.advance(HOUR);
    assert_eq!(due_keys(fixture).await, ["a"]);

    fixture.advance(HOUR);

    assert_eq!(due_keys(fixture).await, [""; 0]);
}

pub async fn a_wake_time_after_the_end_is_never_next<F: Fixture>(fixture: &F) {
    let end = now(fixture).await + HOUR;
    let document = |wake, name| Put {
        wake: Some(wake),
        ..ending(end, name)
    };
    commit(
        fixture,
        puts([document(end, "at"), document(end + HOUR, "after")]),
    )
    .await;
    assert_eq!(due(fixture, 10).await.next, None);

    fixture.advance(Millis::hours(2));

    let nothing = due(fixture, 10).await;
    assert_eq!((nothing.awake, nothing.next), (vec![], None));
}

fn ending(at: Timestamp, name: &str) -> Put {
    Put {
        expires: Some(at),
        ..put(name, "1")
    }
}

fn waking(at: Timestamp, name: &str) -> Put {
    Put {
        wake: Some(at),
        ..put(name, "1")
    }
}
