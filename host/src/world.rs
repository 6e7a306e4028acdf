//! The world as it is: tokio's clock and tasks, the system's random bytes, and what time it is outside.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use engine::World;
use gateway::WallClock;
use models::{ScriptedModels, ScriptedTools};
use ports::{Clock, Documents, Entropy, Tasks};
use runtime::Runtime;
use tokio::sync::watch;
use tokio::time::Instant;

/// The implementations that a host runs on, over a store `D`.
pub struct HostWorld<D>(std::marker::PhantomData<fn() -> D>);

impl<D: Documents> World for HostWorld<D> {
    type Documents = D;
    type Pieces = Runtime;
    type Models = ScriptedModels<HostClock>;
    type Tools = ScriptedTools<HostClock>;
    type Clock = HostClock;
    type Tasks = HostTasks;
    type Entropy = SystemEntropy;
}

/// tokio's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct HostClock(Instant);

impl HostClock {
    /// A clock that begins now.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for HostClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "this is the port that everybody else waits through"
    )]
    async fn sleep(&self, length: Duration) {
        tokio::time::sleep(length).await;
    }
}

/// tokio's tasks, counted, so that shutdown can wait for them. What starts them is bounded: requests in flight, the
/// sweep's look, the queue of a chat.
#[derive(Debug)]
pub struct HostTasks(watch::Sender<()>);

impl HostTasks {
    /// None yet.
    pub fn none() -> Self {
        Self(watch::Sender::new(()))
    }

    /// How many are under way.
    pub fn count(&self) -> usize {
        self.0.receiver_count()
    }

    /// Completes when none is under way.
    pub async fn idle(&self) {
        self.0.closed().await;
    }
}

impl Tasks for HostTasks {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the port that everybody else starts tasks through"
    )]
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        // Dropped with the task, also when it panics.
        let under_way = self.0.subscribe();
        drop(tokio::spawn(async move {
            task.await;
            drop(under_way);
        }));
    }
}

/// The system's random bytes.
#[derive(Clone, Copy, Debug)]
pub struct SystemEntropy;

impl SystemEntropy {
    /// Makes sure that the system gives some.
    ///
    /// # Errors
    /// It does not.
    pub fn check(self) -> Result<(), getrandom::Error> {
        getrandom::fill(&mut [0; 16])
    }
}

impl Entropy for SystemEntropy {
    #[expect(
        clippy::expect_used,
        reason = "the start has checked; predictable ids would be worse than no host"
    )]
    fn bytes(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the system gives random bytes");
        bytes
    }
}

/// What time it is outside, for the replay windows of webhooks.
#[expect(
    clippy::disallowed_methods,
    reason = "a platform signs with its own clock, which no store knows"
)]
pub fn wall_clock() -> WallClock {
    Arc::new(SystemTime::now)
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn idle_waits_for_every_task_also_for_one_that_panics() {
        let tasks = HostTasks::none();
        tasks.idle().await;
        let (go_on, told) = oneshot::channel::<()>();
        tasks.spawn(Box::pin(async { drop(told.await) }));
        tasks.spawn(Box::pin(async { panic!("a task breaks") }));
        let idle = tasks.idle();
        tokio::pin!(idle);
        tokio::select! {
            biased;
            () = &mut idle => panic!("a task is under way"),
            () = tokio::task::yield_now() => {}
        }
        go_on.send(()).unwrap();
        idle.await;
        assert_eq!(tasks.count(), 0);
    }
}
