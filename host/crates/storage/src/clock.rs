//! What time it is: the one place of the host that asks the machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use lifecycle::{Millis, Timestamp};

/// Where a store takes the time from.
#[derive(Clone, Debug)]
pub enum WallClock {
    /// The machine.
    System,
    /// A test.
    Manual(ManualClock),
}

impl WallClock {
    fn read(&self) -> Timestamp {
        match self {
            Self::System => system(),
            Self::Manual(clock) => clock.now(),
        }
    }
}

/// A clock that stands still until somebody moves it. Clones are the same clock.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    /// A clock that shows `now`.
    pub fn new(now: Timestamp) -> Self {
        Self(Arc::new(AtomicU64::new(now.0)))
    }

    /// What it shows.
    pub fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }

    /// Moves it on.
    pub fn advance(&self, length: Millis) {
        self.0.fetch_add(length.0, Ordering::SeqCst);
    }

    /// Sets it, backwards too, as an administrator or a time server does.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.0, Ordering::SeqCst);
    }
}

/// The clock of one opened store. It stands still while its source goes backwards, because what has been read as expired
/// or due must not become alive or early again.
#[derive(Debug)]
pub(crate) struct StoreClock {
    source: WallClock,
    latest: AtomicU64,
}

impl StoreClock {
    pub(crate) fn new(source: WallClock) -> Self {
        Self {
            source,
            latest: AtomicU64::new(0),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        let read = self.source.read().0;
        Timestamp(self.latest.fetch_max(read, Ordering::SeqCst).max(read))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time of a store without a server of its own is the machine's"
)]
fn system() -> Timestamp {
    // A machine whose clock is before 1970 shows 1970; one after the year 584 million, that year.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_clock_stands_still_while_the_machine_goes_back() {
        let machine = ManualClock::new(Timestamp(1_000));
        let clock = StoreClock::new(WallClock::Manual(machine.clone()));
        assert_eq!(clock.now(), Timestamp(1_000));
        machine.set(Timestamp(400));
        assert_eq!(clock.now(), Timestamp(1_000));
        machine.set(Timestamp(1_001));
        assert_eq!(clock.now(), Timestamp(1_001));
    }

    #[test]
    fn the_system_clock_shows_milliseconds_since_1970() {
        let (year_2025, year_2200) = (1_735_689_600_000, 7_258_118_400_000);
        let now = StoreClock::new(WallClock::System).now().0;
        assert!((year_2025..year_2200).contains(&now), "{now}");
    }
}
