//! How many calls are in flight, and how many may wait for a place.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::WAITING_PER_PLACE;

/// Places for calls. Waiting for one is bounded in number and in time.
#[derive(Debug)]
pub(crate) struct Gate {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    waiting_max: usize,
}

/// The places of one call; free again when dropped.
#[derive(Debug)]
pub(crate) struct Place(#[expect(dead_code, reason = "held until dropped")] OwnedSemaphorePermit);

impl Gate {
    /// A gate with so many places, at least one.
    pub(crate) fn new(places: usize) -> Self {
        let places = places.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(places)),
            waiting: AtomicUsize::new(0),
            waiting_max: places.saturating_mul(WAITING_PER_PLACE),
        }
    }

    /// So many places for one call, after waiting for them at most so long; none when too many wait or not enough became
    /// free. Who asks for more than the gate has gets none: loading a piece sees to that.
    pub(crate) async fn enter(&self, places: u32, wait_max: Duration) -> Option<Place> {
        if let Ok(permits) = Arc::clone(&self.places).try_acquire_many_owned(places) {
            return Some(Place(permits));
        }
        let _waiting = Waiting::join(self)?;
        let free = Arc::clone(&self.places).acquire_many_owned(places);
        tokio::time::timeout(wait_max, free).await.ok()?.ok().map(Place)
    }
}

/// One that waits; counted until dropped, so that a dropped call is not counted for ever.
struct Waiting<'a>(&'a Gate);

impl<'a> Waiting<'a> {
    fn join(gate: &'a Gate) -> Option<Self> {
        let before = gate.waiting.fetch_add(1, Ordering::Relaxed);
        let joined = Self(gate);
        (before < gate.waiting_max).then_some(joined)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOT_AT_ALL: Duration = Duration::ZERO;

    #[tokio::test]
    async fn a_full_gate_lets_nobody_in_until_a_place_is_free() {
        let gate = Gate::new(1);
        let place = gate.enter(1, NOT_AT_ALL).await.expect("the first gets in");
        assert!(gate.enter(1, NOT_AT_ALL).await.is_none());
        drop(place);
        assert!(gate.enter(1, NOT_AT_ALL).await.is_some());
    }

    #[tokio::test]
    async fn a_call_that_needs_several_places_takes_them_all() {
        let gate = Gate::new(4);
        let large = gate.enter(3, NOT_AT_ALL).await.expect("three of four");
        assert!(gate.enter(2, NOT_AT_ALL).await.is_none());
        let small = gate.enter(1, NOT_AT_ALL).await.expect("the fourth");
        drop(large);
        assert!(gate.enter(4, NOT_AT_ALL).await.is_none());
        drop(small);
        assert!(gate.enter(4, NOT_AT_ALL).await.is_some());
    }

    #[tokio::test]
    async fn one_more_than_may_wait_is_turned_away_at_once() {
        let gate = Gate::new(1);
        let _place = gate.enter(1, NOT_AT_ALL).await.expect("the first gets in");
        let waiting: Vec<_> = (0..WAITING_PER_PLACE)
            .map(|_| Waiting::join(&gate).expect("may wait"))
            .collect();
        assert!(gate.enter(1, Duration::from_secs(3600)).await.is_none());
        drop(waiting);
        assert_eq!(gate.waiting.load(Ordering::Relaxed), 0);
    }
}
