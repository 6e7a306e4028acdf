//! Which rate keys are waiting out a `429`. A table of waits, no scheduler: whoever comes too early is told how long.
//!
//! When a wait is over, closing requests go first. Each one that was refused meanwhile, by this table or by the platform, has
//! the key kept free for it, for as long as it takes to come back; only then others get their turn, notices last. So
//! whatever the platform lets through after a wait, a card that is to be closed is the first to get it, and no queue of
//! posts can starve it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::limits::{
    RATE_COURTESY, RATE_HOLD, RATE_KEYS_MAX, RATE_WAIT_DEFAULT, RATE_WAIT_GROWN_MAX, RATE_WAIT_MAX,
    RATE_WAIT_MIN,
};

/// How urgent a request is, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Urgency {
    /// Closes a card.
    Closing,
    /// Anything else.
    Normal,
    /// Tells somebody why nothing was recorded.
    Notice,
}

/// What a platform counts a rate by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RateKey {
    /// The slot.
    pub(crate) slot: String,
    /// The account, which stands for its credential.
    pub(crate) account: String,
    /// What the request named, if it did.
    pub(crate) key: Option<String>,
}

/// A key that was told to wait.
#[derive(Clone, Copy, Debug)]
struct Wait {
    until: Instant,
    /// Until when it is kept for the more urgent.
    held: Instant,
    /// How many waits in a row the platform did not measure.
    unmeasured: u32,
    /// Closing requests that were refused and are expected back.
    closing: u32,
    /// The same of ordinary ones.
    normal: u32,
}

/// The waits of one piece.
#[derive(Debug, Default)]
pub(crate) struct Waits(Mutex<HashMap<RateKey, Wait>>);

impl Waits {
    /// Lets a request through, or says how long it has to wait.
    pub(crate) fn admit(&self, key: &RateKey, urgency: Urgency, now: Instant) -> Result<(), Duration> {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(wait) = waits.get_mut(key) else {
            return Ok(());
        };
        if now < wait.until {
            wait.expect(urgency);
            let courtesy = if wait.comes_after(urgency) {
                RATE_COURTESY
            } else {
                Duration::ZERO
            };
            return Err(wait.until - now + courtesy);
        }
        if now >= wait.held {
            wait.closing = 0;
            wait.normal = 0;
        } else if wait.comes_after(urgency) {
            return Err(RATE_COURTESY.min(wait.held - now));
        }
        wait.came(urgency);
        // All were told the same instant: who does not come right behind the first was counted twice, or is gone.
        wait.held = wait.held.min(now + RATE_COURTESY);
        Ok(())
    }

    /// Remembers a `429` and says how long the key has to wait. When the table is full of waits that are not over, this one
    /// is not kept: the platform has to say it again.
    pub(crate) fn refused(
        &self,
        key: RateKey,
        urgency: Urgency,
        retry_after: Option<Duration>,
        now: Instant,
    ) -> Duration {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = waits.get(&key).copied();
        let mut wait = known.unwrap_or(Wait {
            until: now,
            held: now,
            unmeasured: 0,
            closing: 0,
            normal: 0,
        });
        // What was under way together is refused together: that is one wait, not many.
        let is_new = now >= wait.until;
        let length = match retry_after {
            Some(length) => length,
            None => grown(wait.unmeasured.saturating_sub(u32::from(!is_new))),
        };
        wait.unmeasured = match retry_after {
            Some(_) => 0,
            None if is_new => wait.unmeasured.saturating_add(1),
            None => wait.unmeasured,
        };
        wait.until = wait.until.max(now + length.clamp(RATE_WAIT_MIN, RATE_WAIT_MAX));
        wait.held = wait.until + RATE_HOLD;
        wait.expect(urgency);
        if known.is_none() && waits.len() >= RATE_KEYS_MAX {
            waits.retain(|_, wait| now < wait.held);
        }
        if known.is_some() || waits.len() < RATE_KEYS_MAX {
            waits.insert(key, wait);
        }
        wait.until - now
    }

    /// Remembers that the platform took a request: the next wait that it does not measure is a short one again.
    pub(crate) fn accepted(&self, key: &RateKey, now: Instant) {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(wait) = waits.get_mut(key) else {
            return;
        };
        wait.unmeasured = 0;
        if now >= wait.until && wait.closing == 0 && wait.normal == 0 {
            waits.remove(key);
        }
    }
}

impl Wait {
    /// Somebody was refused and will come back. A notice is told once or never.
    fn expect(&mut self, urgency: Urgency) {
        match urgency {
            Urgency::Closing => self.closing = self.closing.saturating_add(1),
            Urgency::Normal => self.normal = self.normal.saturating_add(1),
            Urgency::Notice => {}
        }
    }

    /// Somebody was let through.
    fn came(&mut self, urgency: Urgency) {
        match urgency {
            Urgency::Closing => self.closing = self.closing.saturating_sub(1),
            Urgency::Normal => self.normal = self.normal.saturating_sub(1),
            Urgency::Notice => {}
        }
    }

    /// Whether somebody more urgent is expected back.
    fn comes_after(&self, urgency: Urgency) -> bool {
        match urgency {
            Urgency::Closing => false,
            Urgency::Normal => self.closing > 0,
            Urgency::Notice => self.closing > 0 || self.normal > 0,
        }
    }
}

/// How long a `429` is waited out that does not say how long, after so many of its kind in a row.
fn grown(before: u32) -> Duration {
    RATE_WAIT_DEFAULT
        .saturating_mul(1_u32.checked_shl(before).unwrap_or(u32::MAX))
        .min(RATE_WAIT_GROWN_MAX)
}

/// What `retry-after` says: seconds, with a fraction on some platforms, or a date. None when it is absent or nonsense.
pub(crate) fn retry_after(value: Option<&str>, now: std::time::SystemTime) -> Option<Duration> {
    let value = value?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    fn key(key: &str) -> RateKey {
        RateKey {
            slot: "api".to_owned(),
            account: "T1".to_owned(),
            key: Some(key.to_owned()),
        }
    }

    const SECOND: Duration = Duration::from_secs(1);
    use Urgency::{Closing, Normal, Notice};

    #[tokio::test]
    async fn a_key_that_was_told_to_wait_is_refused_until_then_and_others_are_not() {
        let (waits, now) = (Waits::default(), Instant::now());
        assert_eq!(waits.refused(key("a"), Normal, Some(SECOND * 3), now), SECOND * 3);
        assert_eq!(waits.admit(&key("a"), Closing, now + SECOND), Err(SECOND * 2));
        assert_eq!(waits.admit(&key("b"), Notice, now + SECOND), Ok(()));
        assert_eq!(waits.admit(&key("a"), Closing, now + SECOND * 3), Ok(()));
        assert_eq!(waits.admit(&key("a"), Normal, now + SECOND * 3), Ok(()));
    }

    #[tokio::test]
    async fn the_waits_of_one_account_are_not_those_of_another() {
        let (waits, now) = (Waits::default(), Instant::now());
        waits.refused(key("a"), Normal, Some(SECOND), now);
        let other = RateKey {
            account: "T2".to_owned(),
            ..key("a")
        };
        assert_eq!(waits.admit(&other, Normal, now), Ok(()));
    }

    #[tokio::test]
    async fn closing_requests_go_first_when_the_key_is_free_and_notices_last() {
        let (waits, now) = (Waits::default(), Instant::now());
        waits.refused(key("a"), Normal, Some(SECOND), now);
        assert!(waits.admit(&key("a"), Closing, now).is_err());
        assert!(waits.admit(&key("a"), Closing, now).is_err());
        let free = now + SECOND;
        assert_eq!(waits.admit(&key("a"), Normal, free), Err(RATE_COURTESY));
        assert_eq!(waits.admit(&key("a"), Closing, free), Ok(()));
        assert!(
            waits.admit(&key("a"), Normal, free).is_err(),
            "the second card is not closed yet"
        );
        assert_eq!(waits.admit(&key("a"), Closing, free), Ok(()));
        assert_eq!(waits.admit(&key("a"), Notice, free), Err(RATE_COURTESY));
        assert_eq!(waits.admit(&key("a"), Normal, free), Ok(()));
        assert_eq!(waits.admit(&key("a"), Notice, free), Ok(()));
    }

    #[tokio::test]
    async fn a_closing_request_that_the_platform_itself_refused_goes_first_too() {
        let (waits, now) = (Waits::default(), Instant::now());
        waits.refused(key("a"), Closing, Some(SECOND), now);
        assert!(waits.admit(&key("a"), Normal, now + SECOND).is_err());
        assert_eq!(waits.admit(&key("a"), Closing, now + SECOND), Ok(()));
    }

    #[tokio::test]
    async fn no_queue_of_posts_starves_a_closing_request() {
        // The platform lets one request through and refuses the next, for ever; twenty posts come whenever they may.
        let (waits, mut now) = (Waits::default(), Instant::now());
        waits.refused(key("a"), Normal, Some(SECOND * 2), now);
        let mut back = now + waits.admit(&key("a"), Closing, now).expect_err("too early");
        let mut refusals = 0;
        loop {
            now += Duration::from_millis(50);
            let posts = (0..20)
                .filter(|_| waits.admit(&key("a"), Normal, now).is_ok())
                .count();
            for _ in 1..posts {
                waits.refused(key("a"), Normal, Some(SECOND * 2), now);
            }
            if now < back {
                continue;
            }
            match waits.admit(&key("a"), Closing, now) {
                Ok(()) => break,
                Err(wait) => back = now + wait,
            }
            refusals += 1;
            assert!(refusals < 3, "it waits for ever");
        }
    }

    #[tokio::test]
    async fn a_closing_request_that_never_comes_back_holds_nobody_up_for_long() {
        let (waits, now) = (Waits::default(), Instant::now());
        waits.refused(key("a"), Closing, Some(SECOND), now);
        assert!(waits.admit(&key("a"), Normal, now + SECOND).is_err());
        assert_eq!(waits.admit(&key("a"), Normal, now + SECOND + RATE_HOLD), Ok(()));
        assert_eq!(waits.admit(&key("a"), Notice, now + SECOND + RATE_HOLD), Ok(()));
    }

    #[tokio::test]
    async fn a_closing_request_that_asked_many_times_holds_nobody_up_once_it_came() {
        let (waits, now) = (Waits::default(), Instant::now());
        waits.refused(key("a"), Closing, Some(SECOND), now);
        for _ in 0..100 {
            assert!(waits.admit(&key("a"), Closing, now).is_err());
        }
        let free = now + SECOND;
        assert_eq!(waits.admit(&key("a"), Closing, free), Ok(()));
        assert_eq!(waits.admit(&key("a"), Normal, free), Err(RATE_COURTESY));
        assert_eq!(waits.admit(&key("a"), Normal, free + RATE_COURTESY), Ok(()));
    }

    #[tokio::test]
    async fn a_refusal_that_does_not_say_how_long_is_waited_out_longer_each_time() {
        let (waits, mut now) = (Waits::default(), Instant::now());
        let refused = |now| waits.refused(key("a"), Closing, None, now);
        for seconds in [1, 2, 4, 8] {
            assert_eq!(refused(now), SECOND * seconds);
            assert_eq!(
                refused(now),
                SECOND * seconds,
                "those that were under way together count once"
            );
            now += SECOND * seconds;
        }
        for _ in 0..40 {
            now += refused(now);
        }
        assert_eq!(refused(now), RATE_WAIT_GROWN_MAX);
        waits.accepted(&key("a"), now + RATE_WAIT_GROWN_MAX);
        let now = now + RATE_WAIT_GROWN_MAX;
        assert_eq!(waits.refused(key("a"), Closing, None, now), SECOND);
    }

    #[tokio::test]
    async fn a_wait_is_neither_shortened_nor_longer_than_the_limit() {
        let (waits, now) = (Waits::default(), Instant::now());
        waits.refused(key("a"), Normal, Some(SECOND * 9), now);
        assert_eq!(waits.refused(key("a"), Normal, Some(SECOND), now), SECOND * 9);
        assert_eq!(
            waits.refused(key("b"), Normal, Some(RATE_WAIT_MAX * 2), now),
            RATE_WAIT_MAX
        );
        assert_eq!(
            waits.refused(key("c"), Normal, Some(Duration::ZERO), now),
            RATE_WAIT_MIN
        );
    }

    #[tokio::test]
    async fn the_table_never_grows_beyond_its_limit_and_forgets_what_is_over() {
        let (waits, now) = (Waits::default(), Instant::now());
        let kept = |waits: &Waits| waits.0.lock().expect("lock").len();
        for n in 0..=RATE_KEYS_MAX {
            waits.refused(key(&n.to_string()), Normal, Some(SECOND), now);
        }
        assert_eq!(kept(&waits), RATE_KEYS_MAX);
        waits.refused(key("new"), Notice, Some(SECOND), now + SECOND + RATE_HOLD);
        assert_eq!(kept(&waits), 1);
        waits.accepted(&key("new"), now + SECOND * 2 + RATE_HOLD);
        assert_eq!(kept(&waits), 0);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(retry_after(Some("30"), now), Some(SECOND * 30));
        assert_eq!(retry_after(Some("0.5"), now), Some(SECOND / 2));
        assert_eq!(
            retry_after(Some("Sun, 06 Nov 1994 08:49:47 GMT"), now),
            Some(SECOND * 10)
        );
        for nonsense in ["-1", "soon", "NaN", "inf", "1e400"] {
            assert_eq!(retry_after(Some(nonsense), now), None, "{nonsense}");
        }
        assert_eq!(retry_after(None, now), None);
    }
}
