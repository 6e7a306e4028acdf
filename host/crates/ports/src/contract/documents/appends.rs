//! Numbers that the store gives.

use std::collections::BTreeSet;

use lifecycle::Millis;

use super::Fixture;
use super::sentences::{append, appends, commit, deletes, due_keys, get, here, keys, now, together};
use crate::Documents as _;
use crate::documents::{Append, Expect};

/// How many appends race.
const RACERS: usize = 40;
/// The keys that the first two numbers make.
const FIRST: &str = "list/00000000000000000001";
const SECOND: &str = "list/00000000000000000002";

pub async fn numbers_begin_at_one_and_rise<F: Fixture>(fixture: &F) {
    let one = commit(fixture, appends([append("list/", "a")])).await;
    let two = commit(fixture, appends([append("list/", "b")])).await;

    assert_eq!((one.numbers, two.numbers), (vec![1], vec![2]));
    assert_eq!(keys(fixture, "list/").await, [FIRST, SECOND]);
    let second = get(fixture, SECOND).await.expect("it was written");
    assert_eq!(second.value, "b");
}

pub async fn numbers_of_one_batch_follow_its_order<F: Fixture>(fixture: &F) {
    let batch = appends([append("list/", "a"), append("other/", "b"), append("list/", "c")]);

    let written = commit(fixture, batch).await;

    assert_eq!(written.numbers, [1, 1, 2]);
    assert_eq!(get(fixture, SECOND).await.expect("it was written").value, "c");
}

pub async fn a_number_of_a_deleted_document_is_not_used_again<F: Fixture>(fixture: &F) {
    commit(fixture, appends([append("list/", "a")])).await;
    commit(fixture, deletes(FIRST, Expect::Anything)).await;

    assert_eq!(
        commit(fixture, appends([append("list/", "b")])).await.numbers,
        [2]
    );
    assert_eq!(keys(fixture, "list/").await, [SECOND]);
}

pub async fn a_number_of_an_expired_document_is_not_used_again<F: Fixture>(fixture: &F) {
    let expires = Some(now(fixture).await + Millis::hours(1));
    commit(
        fixture,
        appends([Append {
            expires,
            ..append("list/", "a")
        }]),
    )
    .await;
    fixture.advance(Millis::days(2));

    assert_eq!(
        commit(fixture, appends([append("list/", "b")])).await.numbers,
        [2]
    );
}

pub async fn prefixes_count_for_themselves<F: Fixture>(fixture: &F) {
    for prefix in ["", "list", "list/", "list/a"] {
        assert_eq!(
            commit(fixture, appends([append(prefix, "a")])).await.numbers,
            [1],
            "{prefix}"
        );
    }
}

pub async fn concurrent_appends_never_conflict<F: Fixture>(fixture: &F) {
    let place = here();
    let race = |_| {
        fixture
            .store()
            .commit(&place, appends([append("list/", "a"), append("list/", "b")]))
    };

    let outcomes = together((0..RACERS).map(race)).await;

    let numbers = outcomes
        .into_iter()
        .flat_map(|outcome| outcome.expect("an append does not conflict").numbers);
    let numbers: BTreeSet<u64> = numbers.collect();
    assert_eq!(numbers.len(), 2 * RACERS);
    assert_eq!(keys(fixture, "list/").await.len(), 2 * RACERS);
}

pub async fn an_appended_document_expires_and_wakes<F: Fixture>(fixture: &F) {
    let wake = now(fixture).await + Millis::hours(1);
    let expires = wake + Millis::hours(1);
    commit(
        fixture,
        appends([Append {
            expires: Some(expires),
            wake: Some(wake),
            ..append("list/", "a")
        }]),
    )
    .await;

    fixture.advance(Millis::hours(1));
    assert_eq!(due_keys(fixture).await, [FIRST]);
    fixture.advance(Millis::hours(1));
    assert_eq!(keys(fixture, "list/").await, [""; 0]);
}
