//! The two clocks of this crate: what time it is, for guests, and how long a call may still take, for the host.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lifecycle::Timestamp;
use tokio::time::Instant;

/// What time it is, as guests are told. Nothing in the host is decided by it.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place: guests want a date for what they show, and the store's clock is a round trip away"
)]
pub(crate) fn wall_clock() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    Timestamp(millis(since))
}

/// A length in whole milliseconds.
pub(crate) fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}

/// An instant of the host's own monotonic clock after which a call is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Deadline(Instant);

/// Far enough to never come, and small enough to be added to any instant.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl Deadline {
    /// So long from now.
    pub(crate) fn after(length: Duration) -> Self {
        Self(Instant::now() + length.min(FOREVER))
    }

    /// This one, or so long from now, whichever comes first.
    pub(crate) fn or_after(self, length: Duration) -> Self {
        self.min(Self::after(length))
    }

    /// Whether it has passed.
    pub(crate) fn passed(self) -> bool {
        self.left().is_zero()
    }

    /// How long until it passes; zero when it has.
    pub(crate) fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// For `tokio::time::timeout_at`.
    pub(crate) fn instant(self) -> Instant {
        self.0
    }
}
