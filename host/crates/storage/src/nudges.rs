//! Waking whoever sleeps until the next wake time, when an earlier one is written.
//!
//! One number says until when the sleeper sleeps. A write brings it forward, and whoever brings it forward wakes; so a burst
//! of writes wakes once, and writes that are due later than the sleeper wakes anyhow cost nothing.

use std::sync::atomic::{AtomicU64, Ordering};

use lifecycle::Timestamp;
use ports::documents::{Batch, LOOK_AGAIN};
use tokio::sync::Notify;

/// Later than every time.
const NEVER: u64 = u64::MAX;

/// The sleeper's alarm.
#[derive(Debug)]
pub(crate) struct Nudges {
    until: AtomicU64,
    notify: Notify,
}

impl Nudges {
    /// Nobody has asked yet, so nobody sleeps.
    pub(crate) fn new() -> Self {
        Self {
            until: AtomicU64::new(0),
            notify: Notify::new(),
        }
    }

    /// Somebody asks what is due. What is written from now on may be missing in the answer, so it nudges whatever its time.
    pub(crate) fn asked(&self) {
        self.until.store(NEVER, Ordering::SeqCst);
    }

    /// The answer: whoever asked sleeps until `next`, and not longer than the port says.
    pub(crate) fn told(&self, now: Timestamp, next: Option<Timestamp>) {
        let again = now + LOOK_AGAIN;
        let until = next.map_or(again, |next| next.min(again));
        self.until.fetch_min(until.0, Ordering::SeqCst);
    }

    /// A wake time was written, or may have been.
    pub(crate) fn wrote(&self, wake: Option<Timestamp>) {
        if let Some(wake) = wake
            && wake.0 < self.until.fetch_min(wake.0, Ordering::SeqCst)
        {
            self.notify.notify_one();
        }
    }

    /// Something may have been missed.
    pub(crate) fn missed(&self) {
        self.wrote(Some(Timestamp(0)));
    }

    /// Completes once there is a reason to ask again.
    pub(crate) async fn nudged(&self) {
        self.notify.notified().await;
    }
}

/// The earliest wake time that a batch writes.
pub(crate) fn soonest(batch: &Batch) -> Option<Timestamp> {
    let puts = batch.puts.iter().filter_map(|put| put.wake);
    puts.chain(batch.appends.iter().filter_map(|append| append.wake))
        .min()
}
