//! Time, tasks and random bytes: what a simulator replaces.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// The host's own monotonic clock. It measures lengths; what time it *is* the store says.
pub trait Clock: Send + Sync + 'static {
    /// Since some fixed instant of this process.
    fn elapsed(&self) -> Duration;

    /// Waits.
    fn sleep(&self, length: Duration) -> impl Future<Output = ()> + Send;
}

/// Work that goes on without its caller.
pub trait Tasks: Send + Sync + 'static {
    /// Runs `task` to its end beside the caller. On shutdown the host waits for it within a limit.
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>);
}

/// Random bytes that nobody can guess.
pub trait Entropy: Send + Sync + 'static {
    /// 16 of them.
    fn bytes(&self) -> [u8; 16];
}
