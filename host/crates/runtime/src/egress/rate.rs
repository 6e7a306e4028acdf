//! Which rate keys are waiting out a `429`. A table of waits, no scheduler: whoever comes too early is told how long, and
//! when a wait is over, the most urgent of those that were refused gets a moment before the others.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::limits::{RATE_COURTESY, RATE_KEYS_MAX, RATE_WAIT_DEFAULT, RATE_WAIT_MAX};

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

#[derive(Clone, Copy, Debug)]
struct Wait {
    until: Instant,
    /// The most urgent of those that were refused.
    first: Option<Urgency>,
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
        let free = wait.free_for(urgency);
        if now >= free {
            if wait.is_over(now) {
                waits.remove(key);
            } else {
                // The urgent one is through; who comes next need not wait for it any more.
                wait.first = None;
            }
            return Ok(());
        }
        if now < wait.until {
            wait.first = Some(wait.first.map_or(urgency, |first| first.min(urgency)));
        }
        Err(free.saturating_duration_since(now))
    }

    /// Remembers a `429`. When the table is full of waits that are not over, this one is not kept: the platform has to
    /// say it again.
    pub(crate) fn refused(&self, key: RateKey, retry_after: Option<Duration>, now: Instant) {
        let until = now + retry_after.unwrap_or(RATE_WAIT_DEFAULT).min(RATE_WAIT_MAX);
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waits.len() >= RATE_KEYS_MAX {
            waits.retain(|_, wait| !wait.is_over(now));
        }
        if waits.len() < RATE_KEYS_MAX || waits.contains_key(&key) {
            let first = waits.get(&key).and_then(|wait| wait.first);
            waits.insert(key, Wait { until, first });
        }
    }
}

impl Wait {
    fn free_for(&self, urgency: Urgency) -> Instant {
        match self.first {
            Some(first) if first < urgency => self.until + RATE_COURTESY,
            Some(_) | None => self.until,
        }
    }

    /// Whether nobody has to wait any more.
    fn is_over(&self, now: Instant) -> bool {
        now >= self.free_for(Urgency::Notice)
    }
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

    #[tokio::test]
    async fn a_key_that_was_told_to_wait_is_refused_until_then_and_others_are_not() {
        let (waits, now) = (Waits::default(), Instant::now());
        waits.refused(key("a"), Some(SECOND * 3), now);
        assert_eq!(
            waits.admit(&key("a"), Urgency::Closing, now + SECOND),
            Err(SECOND * 2)
        );
        assert_eq!(waits.admit(&key("b"), Urgency::Notice, now + SECOND), Ok(()));
        assert_eq!(waits.admit(&key("a"), Urgency::Normal, now + SECOND * 4), Ok(()));
    }

    #[tokio::test]
    async fn a_closing_request_that_was_refused_goes_first_when_the_key_is_free() {
        let (waits, now) = (Waits::default(), Instant::now());
        waits.refused(key("a"), Some(SECOND), now);
        assert!(waits.admit(&key("a"), Urgency::Closing, now).is_err());
        assert!(waits.admit(&key("a"), Urgency::Normal, now + SECOND).is_err());
        assert_eq!(waits.admit(&key("a"), Urgency::Closing, now + SECOND), Ok(()));
        assert_eq!(waits.admit(&key("a"), Urgency::Normal, now + SECOND), Ok(()));
    }

    #[tokio::test]
    async fn a_closing_request_that_never_comes_back_holds_nobody_up_for_long() {
        let (waits, now) = (Waits::default(), Instant::now());
        waits.refused(key("a"), Some(SECOND), now);
        assert!(waits.admit(&key("a"), Urgency::Closing, now).is_err());
        assert_eq!(
            waits.admit(&key("a"), Urgency::Notice, now + SECOND + RATE_COURTESY),
            Ok(())
        );
    }

    #[tokio::test]
    async fn the_table_never_grows_beyond_its_limit() {
        let (waits, now) = (Waits::default(), Instant::now());
        for n in 0..=RATE_KEYS_MAX {
            waits.refused(key(&n.to_string()), Some(SECOND), now);
        }
        assert_eq!(waits.0.lock().expect("lock").len(), RATE_KEYS_MAX);
        waits.refused(key("new"), Some(SECOND), now + SECOND * 2);
        assert_eq!(waits.0.lock().expect("lock").len(), 1);
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
