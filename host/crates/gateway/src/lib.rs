//! HTTP in: what platforms send, bounded and verified before anything else sees it.
//!
//! A request to `POST /channels/<name>` (and below) passes, in this order: the channel exists, its body is within the limit
//! and arrives in time, the channel's [`Verification`] recipe holds over the raw bytes, there is room for one more verified
//! request. Then the engine takes it in, on a task of its own: a platform that hangs up at its deadline interrupts nothing.
//! Whatever fails before that answers a bare status; a request that does not verify learns nothing at all.
//!
//! A route belongs to a configured channel, never to a version of its piece. A channel whose secret is missing is down
//! (503, loudly), never open. No payload, query, header value or secret is logged.
//!
//! The listener speaks plain HTTP/1.1: TLS is the business of the proxy in front of it.
//!
//! [`Verification`]: frogbot_manifest::Verification

mod gate;
mod intake;
pub mod limits;
mod outcome;
mod serve;
mod verification;

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use axum::Router;
use axum::routing::{get, post};
use ports::{Clock, Ingress, Tasks};
use tokio::sync::Semaphore;

pub use gate::{ChannelGate, Gates, SigningSecret};
pub use serve::Served;

/// Tells what time it is outside, for replay windows only: they compare with the platform's clock, not with the store's.
pub type WallClock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// What the gateway runs on.
pub struct Outside<T, C> {
    /// What runs the engine's part of a request to its end, even when the platform hangs up.
    pub tasks: Arc<T>,
    /// Measures how long a request took.
    pub clock: Arc<C>,
    /// For replay windows.
    pub wall: WallClock,
}

/// The HTTP side of the host. Cheap to clone.
pub struct Gateway<I, T, C>(Arc<Inner<I, T, C>>, Router);

struct Inner<I, T, C> {
    gates: Gates,
    ingress: Arc<I>,
    outside: Outside<T, C>,
    /// For requests whose body is being read, whoever sends them.
    reading: Semaphore,
    /// For verified requests.
    places: Arc<Semaphore>,
}

impl<I: Ingress, T: Tasks, C: Clock> Gateway<I, T, C> {
    /// A gateway in front of `ingress` for the channels behind `gates`.
    pub fn new(gates: Gates, ingress: Arc<I>, outside: Outside<T, C>) -> Self {
        let inner = Inner {
            gates,
            ingress,
            outside,
            reading: Semaphore::new(limits::READING_MAX),
            places: Arc::new(Semaphore::new(limits::REQUESTS_MAX)),
        };
        Self(Arc::new(inner), Router::new())
    }

    /// With routes of the host's own beside those of the channels, on the same listener.
    #[must_use]
    pub fn with_routes(self, routes: Router) -> Self {
        Self(self.0, self.1.merge(routes))
    }

    /// Its routes.
    pub fn router(&self) -> Router {
        let channel = post(intake::take_in::<I, T, C>);
        Router::new()
            .route("/channels/{name}", channel.clone())
            .route("/channels/{name}/", channel.clone())
            .route("/channels/{name}/{*rest}", channel)
            .route("/healthz", get(|| async { "ok\n" }))
            .with_state(self.clone())
            .merge(self.1.clone())
    }
}

impl<I, T, C> Clone for Gateway<I, T, C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0), self.1.clone())
    }
}

impl<I, T, C> fmt::Debug for Gateway<I, T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway")
            .field("gates", &self.0.gates)
            .finish_non_exhaustive()
    }
}
