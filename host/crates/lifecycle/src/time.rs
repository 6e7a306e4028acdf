//! Instants and durations, both in milliseconds. The instants come from the store's clock.

use core::ops::{Add, Sub};

/// An instant: milliseconds since 1970-01-01T00:00:00Z, by the store's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

/// A length of time in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

impl Millis {
    /// `n` seconds.
    pub const fn seconds(n: u64) -> Self {
        Self(n * 1_000)
    }

    /// `n` minutes.
    pub const fn minutes(n: u64) -> Self {
        Self::seconds(n * 60)
    }

    /// `n` hours.
    pub const fn hours(n: u64) -> Self {
        Self::minutes(n * 60)
    }

    /// `n` days of 24 hours.
    pub const fn days(n: u64) -> Self {
        Self::hours(n * 24)
    }
}

impl Add<Millis> for Timestamp {
    type Output = Self;

    fn add(self, length: Millis) -> Self {
        Self(self.0.saturating_add(length.0))
    }
}

impl Sub for Timestamp {
    type Output = Millis;

    /// How long after `earlier` this is; zero when it is not after it.
    fn sub(self, earlier: Self) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }
}
