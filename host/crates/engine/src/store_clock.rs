//! The store's clock between two trips to the store.

use std::sync::Mutex;
use std::time::Duration;

use lifecycle::{Millis, Timestamp};

use crate::lock;

/// The store's clock as it was told last, and when that was by the host's.
#[derive(Debug, Default)]
pub(crate) struct StoreClock(Mutex<Option<(Timestamp, Duration)>>);

impl StoreClock {
    /// The store has told the time; `elapsed` is the host's clock now that its reply is here.
    pub(crate) fn told(&self, now: Timestamp, elapsed: Duration) {
        *lock(&self.0) = Some((now, elapsed));
    }

    /// What the store would tell now, or a little less: the way of the reply is not in it. None before it was asked.
    pub(crate) fn now(&self, elapsed: Duration) -> Option<Timestamp> {
        let (told, at) = (*lock(&self.0))?;
        Some(told + since(at, elapsed))
    }
}

/// How much the host's clock has gone on, in whole milliseconds.
pub(crate) fn since(at: Duration, elapsed: Duration) -> Millis {
    let passed = elapsed.saturating_sub(at).as_millis();
    Millis(u64::try_from(passed).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_s_clock_goes_on_with_the_host_s() {
        let clock = StoreClock::default();
        let second = Duration::from_secs;
        assert_eq!(clock.now(second(5)), None);
        clock.told(Timestamp(1_000_000), second(5));
        assert_eq!(clock.now(second(7)), Some(Timestamp(1_002_000)));
        // Somebody looked at the host's clock before the reply came.
        assert_eq!(clock.now(second(4)), Some(Timestamp(1_000_000)));
    }
}
