//! Whoever sleeps until the next wake time is woken for an earlier one. A store that says that it does not nudge keeps these
//! rules by doing nothing.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use lifecycle::{Millis, Timestamp};

use super::Fixture;
use super::sentences::{append, appends, commit, conflict, due, put, puts};
use crate::Documents;
use crate::documents::{Append, Expect, LOOK_AGAIN, Put};

pub async fn an_earlier_wake_time_nudges<F: Fixture>(fixture: &F) {
    let now = asleep(fixture).await;
    commit(fixture, puts([waking(now + Millis::seconds(5), "a")])).await;
    assert_eq!(is_nudged(fixture), F::Store::NUDGES, "nothing was to come");
    assert!(!is_nudged(fixture), "once is enough");

    due(fixture, 10).await;
    commit(fixture, puts([waking(now + Millis::seconds(4), "b")])).await;
    assert_eq!(is_nudged(fixture), F::Store::NUDGES, "it is earlier than `a`");
}

pub async fn an_earlier_wake_time_of_an_append_nudges<F: Fixture>(fixture: &F) {
    let wake = Some(asleep(fixture).await);
    let append = Append {
        wake,
        ..append("list/", "1")
    };
    commit(fixture, appends([append])).await;
    assert_eq!(is_nudged(fixture), F::Store::NUDGES);
}

pub async fn a_later_wake_time_does_not_nudge<F: Fixture>(fixture: &F) {
    let now = asleep(fixture).await;
    commit(fixture, puts([waking(now + Millis::seconds(3), "a")])).await;
    is_nudged(fixture);
    due(fixture, 10).await;

    commit(
        fixture,
        puts([waking(now + Millis::seconds(4), "b"), put("c", "1")]),
    )
    .await;

    assert!(!is_nudged(fixture));
}

pub async fn a_wake_time_beyond_the_next_look_does_not_nudge<F: Fixture>(fixture: &F) {
    let now = asleep(fixture).await;
    let beyond = now + LOOK_AGAIN + Millis::minutes(1);
    commit(fixture, puts([waking(beyond, "a")])).await;
    assert!(!is_nudged(fixture));
}

pub async fn what_was_not_written_does_not_nudge<F: Fixture>(fixture: &F) {
    commit(fixture, puts([put("a", "1")])).await;
    let now = asleep(fixture).await;
    let refused = Put {
        expect: Expect::Absent,
        ..waking(now, "a")
    };
    conflict(fixture, puts([refused])).await;
    assert!(!is_nudged(fixture));
}

/// Asks what is due, and forgets what nudged before.
async fn asleep(fixture: &impl Fixture) -> Timestamp {
    is_nudged(fixture);
    due(fixture, 10).await.now
}

/// Whether this host has been nudged: of its own writes a store knows at once.
fn is_nudged(fixture: &impl Fixture) -> bool {
    let nudged = pin!(fixture.store().nudged());
    match nudged.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(()) => true,
        Poll::Pending => false,
    }
}

fn waking(at: Timestamp, name: &str) -> Put {
    Put {
        wake: Some(at),
        ..put(name, "1")
    }
}
