//! One server and the connection to it: opened when somebody asks, opened again after it broke, and not more often than the
//! back-off allows.
//!
//! One connection carries everything. Requests of many callers share its system calls, and the server has one thread: two and
//! four connections were tried too (`benches/stores.rs`), and the difference was within the noise of a busy machine.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::admission;
use super::faults::RedisFault;
use super::finding::Finder;
use super::link::Link;
use super::scripts::{self, Digests};
use super::settings::RedisAddress;

/// After the first failed attempt to connect, and at most after many.
const BACKOFF_FIRST: Duration = Duration::from_millis(50);
const BACKOFF_LONGEST: Duration = Duration::from_secs(2);

/// Where a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// There.
    Fixed(RedisAddress),
    /// Where the sentinels say that the master is.
    Sentinel,
}

/// One server.
#[derive(Debug)]
pub(super) struct Node {
    place: Place,
    current: RwLock<Option<Arc<Ready>>>,
    attempts: Mutex<Attempts>,
}

/// A connection that can be used, and the scripts that its server knows.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) link: Link,
    pub(super) digests: Digests,
}

/// What became of the last attempts to connect.
#[derive(Debug, Default)]
struct Attempts {
    failed: u32,
    blocked: Option<(Instant, RedisFault)>,
}

impl Node {
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            current: RwLock::default(),
            attempts: Mutex::default(),
        }
    }

    /// A connection, opened now if there is none. Those who come while it is being opened wait for it.
    pub(super) async fn ready(&self, finder: &Finder) -> Result<Arc<Ready>, RedisFault> {
        if let Some(ready) = self.usable() {
            return Ok(ready);
        }
        let mut attempts = self.attempts.lock().await;
        if let Some(ready) = self.usable() {
            return Ok(ready);
        }
        attempts.allowed()?;
        match self.open(finder).await {
            Ok(ready) => {
                *attempts = Attempts::default();
                let ready = Arc::new(ready);
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&ready));
                tracing::info!(server = %ready.link.address, "connected to the store");
                Ok(ready)
            }
            Err(fault) => {
                attempts.failed(fault.clone());
                tracing::warn!(%fault, attempts = attempts.failed, "no connection to the store");
                Err(fault)
            }
        }
    }

    /// Makes the next request open another connection, and perhaps find another server.
    pub(super) fn retire(&self) {
        if let Some(ready) = self.usable() {
            ready.link.retire();
        }
    }

    async fn open(&self, finder: &Finder) -> Result<Ready, RedisFault> {
        let address = match &self.place {
            Place::Fixed(address) => address.clone(),
            Place::Sentinel => finder.master().await?,
        };
        let opener = finder.opener();
        let opened = async {
            let link = opener.link(&address).await?;
            admission::ask(&link).await?.admit(&link)?;
            let digests = scripts::load(&link).await;
            let digests = digests.map_err(|failure| admission::fault(&link, failure))?;
            Ok(Ready { link, digests })
        };
        opener.within(&address, opened).await
    }

    fn usable(&self) -> Option<Arc<Ready>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current
            .as_ref()
            .filter(|ready| !ready.link.is_broken())
            .map(Arc::clone)
    }
}

impl Attempts {
    /// Whether it is time to try again; if not, what the last attempt said.
    fn allowed(&self) -> Result<(), RedisFault> {
        match &self.blocked {
            Some((until, fault)) if Instant::now() < *until => Err(fault.clone()),
            Some(_) | None => Ok(()),
        }
    }

    fn failed(&mut self, fault: RedisFault) {
        self.blocked = Some((Instant::now() + backoff(self.failed), fault));
        self.failed = self.failed.saturating_add(1);
    }
}

/// How long to wait after so many failures: doubling, and up to half of it at random, so that hosts that lost the same server
/// do not come back at the same moment.
pub(super) fn backoff(failed: u32) -> Duration {
    let longest = BACKOFF_FIRST
        .saturating_mul(2_u32.saturating_pow(failed))
        .min(BACKOFF_LONGEST);
    let random = RandomState::new().build_hasher().finish() % 512;
    let spread = longest.saturating_mul(u32::try_from(random).unwrap_or(0)) / 1_024;
    longest - spread
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_and_has_an_end() {
        for (failed, longest) in [(0, 50), (1, 100), (4, 800), (6, 2_000), (u32::MAX, 2_000)] {
            let longest = Duration::from_millis(longest);
            for _ in 0..50 {
                let wait = backoff(failed);
                assert!(wait <= longest && wait > longest / 2, "{failed}: {wait:?}");
            }
        }
    }
}
