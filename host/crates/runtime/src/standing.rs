//! How a piece does: its calls, its failures, and whether it is held back.
//!
//! Only what is surely its own fault counts against it: traps, too much memory, garbage, and computing for too long in a hook
//! that waits for nobody. A platform that hangs is not the piece's fault, nor is a host that is busy.
//!
//! A piece that fails several times in a row is slowed, and then held back: after each further failure it is left alone, twice
//! as long as before, up to a minute. Its calls are refused meanwhile, so that what it owes is tried again later; then one
//! call is let through, and a success frees it.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ports::pieces::{FaultKind, HookFault};
use tokio::time::Instant;

use crate::limits::{HELD_BACK_FIRST, HELD_BACK_MAX};
use crate::moment::millis;

/// The standing of one loaded piece.
#[derive(Debug)]
pub(crate) struct Standing {
    began: Instant,
    /// So many failures in a row are nothing yet.
    forgiven: u32,
    calls: AtomicU64,
    failures: AtomicU64,
    in_a_row: AtomicU32,
    /// In milliseconds after `began`; 0: it is not held back.
    held_until: AtomicU64,
    last: Mutex<Option<String>>,
}

/// How a piece does, for its operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Calls that ended.
    pub calls: u64,
    /// Of these, the ones that failed by the piece's own fault.
    pub failures: u64,
    /// Failures of its own since the last call that went well.
    pub in_a_row: u32,
    /// What the last of its own failures was.
    pub last_failure: Option<String>,
    /// Whether its calls are refused at present.
    pub held_back: bool,
}

impl Standing {
    pub(crate) fn new(forgiven: u32) -> Self {
        Self {
            began: Instant::now(),
            forgiven,
            calls: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            in_a_row: AtomicU32::new(0),
            held_until: AtomicU64::new(0),
            last: Mutex::new(None),
        }
    }

    /// Lets a call in, or says why not.
    pub(crate) fn enter(&self, hook: &'static str) -> Result<(), HookFault> {
        let until = self.held_until.load(Ordering::Acquire);
        if until == 0 {
            return Ok(());
        }
        let now = self.now();
        // The time is over: one call is tried. If it never ends, the next one is tried after the same time.
        let again = now.saturating_add(millis(self.pause()));
        let is_trial = now >= until
            && self
                .held_until
                .compare_exchange(until, again, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok();
        if is_trial {
            return Ok(());
        }
        Err(HookFault {
            hook,
            kind: FaultKind::Busy,
            reason: format!(
                "the piece is held back for {} ms: it failed {} times in a row, last: {}",
                until.saturating_sub(now).max(1),
                self.in_a_row.load(Ordering::Relaxed),
                self.last().unwrap_or_default()
            ),
        })
    }

    /// A call ended. `piece` is for the log.
    pub(crate) fn ended(&self, piece: &str, channel: &str, fault: Option<&HookFault>) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        match fault {
            Some(fault) if is_its_own(fault) => self.failed(piece, channel, fault),
            // Neither good nor bad: it never ran, or nobody knows.
            Some(fault)
                if matches!(
                    fault.kind,
                    FaultKind::Busy | FaultKind::NotLoaded | FaultKind::TimedOut
                ) => {}
            Some(_) | None => self.went_well(piece, channel),
        }
    }

    fn failed(&self, piece: &str, channel: &str, fault: &HookFault) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        let in_a_row = self.in_a_row.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let what = format!("{}: {}", fault.hook, fault.reason);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
        if in_a_row < self.forgiven {
            return;
        }
        let pause = self.pause();
        self.held_until
            .store(self.now().saturating_add(millis(pause)).max(1), Ordering::Release);
        tracing::warn!(
            channel,
            piece,
            in_a_row,
            hook = fault.hook,
            reason = fault.reason,
            for_ms = millis(pause),
            "held back: the piece keeps failing; it is tried again, or put another version of it into the folder"
        );
    }

    fn went_well(&self, piece: &str, channel: &str) {
        if self.in_a_row.load(Ordering::Relaxed) == 0 {
            return;
        }
        self.in_a_row.store(0, Ordering::Relaxed);
        if self.held_until.swap(0, Ordering::AcqRel) != 0 {
            tracing::info!(channel, piece, "no longer held back");
        }
    }

    /// How long it is left alone after the failures so far.
    fn pause(&self) -> Duration {
        let beyond = self
            .in_a_row
            .load(Ordering::Relaxed)
            .saturating_sub(self.forgiven);
        HELD_BACK_FIRST
            .saturating_mul(2_u32.saturating_pow(beyond))
            .min(HELD_BACK_MAX)
    }

    fn now(&self) -> u64 {
        millis(self.began.elapsed())
    }

    fn last(&self) -> Option<String> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn health(&self) -> Health {
        let held_until = self.held_until.load(Ordering::Acquire);
        Health {
            calls: self.calls.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
            in_a_row: self.in_a_row.load(Ordering::Relaxed),
            last_failure: self.last(),
            held_back: held_until != 0 && self.now() < held_until,
        }
    }
}

/// Whether nobody but the piece can have caused it.
fn is_its_own(fault: &HookFault) -> bool {
    let waits_for_nobody = matches!(fault.hook, "receive" | "supports" | "parse" | "split");
    match fault.kind {
        FaultKind::Trap | FaultKind::Exhausted | FaultKind::Garbage => true,
        FaultKind::TimedOut => waits_for_nobody,
        FaultKind::StateUnreadable
        | FaultKind::Retry(_)
        | FaultKind::Gone
        | FaultKind::Refused
        | FaultKind::PerhapsSent
        | FaultKind::NotLoaded
        | FaultKind::Busy => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::FAILURES_FORGIVEN;

    fn fault(hook: &'static str, kind: FaultKind) -> HookFault {
        HookFault {
            hook,
            kind,
            reason: "unreachable".to_owned(),
        }
    }

    fn failing(standing: &Standing, times: u32) {
        for _ in 0..times {
            standing.ended("p", "c", Some(&fault("parse", FaultKind::Trap)));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_piece_that_keeps_failing_is_held_back_longer_each_time_and_freed_by_a_success() {
        let standing = Standing::new(FAILURES_FORGIVEN);
        failing(&standing, FAILURES_FORGIVEN - 1);
        standing.enter("parse").unwrap();

        failing(&standing, 1);
        let refused = standing.enter("parse").unwrap_err();
        assert_eq!(refused.kind, FaultKind::Busy);
        assert!(
            refused.reason.contains("parse: unreachable"),
            "{}",
            refused.reason
        );
        assert!(standing.health().held_back);

        tokio::time::advance(HELD_BACK_FIRST).await;
        standing.enter("parse").unwrap();
        standing.enter("parse").expect_err("one call is tried, not two");
        failing(&standing, 1);
        tokio::time::advance(HELD_BACK_FIRST).await;
        standing.enter("parse").expect_err("twice as long");
        tokio::time::advance(HELD_BACK_FIRST).await;
        standing.enter("parse").unwrap();
        standing.ended("p", "c", None);
        standing.enter("parse").unwrap();
        assert_eq!(standing.health().in_a_row, 0);
        assert!(!standing.health().held_back);
    }

    #[tokio::test(start_paused = true)]
    async fn a_trial_that_never_ends_does_not_hold_a_piece_back_for_ever() {
        let standing = Standing::new(FAILURES_FORGIVEN);
        failing(&standing, FAILURES_FORGIVEN);
        for _ in 0..3 {
            tokio::time::advance(HELD_BACK_FIRST).await;
            standing.enter("parse").unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_is_held_back_for_longer_than_the_longest_time() {
        let standing = Standing::new(FAILURES_FORGIVEN);
        failing(&standing, 1_000);
        tokio::time::advance(HELD_BACK_MAX).await;
        standing.enter("parse").unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn what_others_cause_does_not_count() {
        let standing = Standing::new(FAILURES_FORGIVEN);
        for kind in [
            FaultKind::Retry(None),
            FaultKind::Gone,
            FaultKind::Refused,
            FaultKind::PerhapsSent,
            FaultKind::Busy,
            FaultKind::NotLoaded,
            FaultKind::StateUnreadable,
            FaultKind::TimedOut,
        ] {
            for _ in 0..FAILURES_FORGIVEN {
                standing.ended("p", "c", Some(&fault("settled", kind)));
            }
            standing.enter("settled").unwrap();
        }
        assert_eq!(standing.health().failures, 0);
        for _ in 0..FAILURES_FORGIVEN {
            standing.ended("p", "c", Some(&fault("parse", FaultKind::TimedOut)));
        }
        standing.enter("parse").expect_err("a pure hook waits for nobody");
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_host_between_failures_does_not_free_it() {
        let standing = Standing::new(FAILURES_FORGIVEN);
        failing(&standing, FAILURES_FORGIVEN - 1);
        standing.ended("p", "c", Some(&fault("parse", FaultKind::Busy)));
        failing(&standing, 1);
        standing.enter("parse").expect_err("held back");
    }
}
