//! Runs tasks one at a time. Which of the ready ones goes on is drawn by the caller; time stands still while any can, and
//! then jumps to the next timer. Tasks belong to a *group*, a process: it dies as a whole between two polls, that is at
//! any await, or stands still and is continued.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Group(pub(crate) u64);

/// What is outside all hosts: people, platforms, the store's server.
pub(crate) const OUTSIDE: Group = Group(0);

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The tasks and the time.
#[derive(Default)]
pub(crate) struct Executor(Mutex<State>);

#[derive(Default)]
struct State {
    now: Duration,
    made: u64,
    tasks: BTreeMap<u64, Task>,
    ready: Vec<u64>,
    /// Tasks of processes that stand still, ready once they are continued.
    held: Vec<u64>,
    still: BTreeSet<Group>,
    timers: BTreeMap<(Duration, u64), Waker>,
}

struct Task {
    group: Group,
    /// None while it is being polled.
    work: Option<Work>,
    queued: bool,
    waker: Waker,
}

struct Wakeup {
    executor: Arc<Executor>,
    task: u64,
}

impl Wake for Wakeup {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut state = self.executor.state();
        let Some(task) = state.tasks.get_mut(&self.task) else {
            return;
        };
        if !std::mem::replace(&mut task.queued, true) {
            state.ready.push(self.task);
        }
    }
}

impl Executor {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Virtual time since the beginning.
    pub(crate) fn now(&self) -> Duration {
        self.state().now
    }

    /// Starts a task.
    pub(crate) fn spawn(self: &Arc<Self>, group: Group, work: impl Future<Output = ()> + Send + 'static) {
        self.spawn_boxed(group, Box::pin(work));
    }

    /// The same for a task that is boxed already.
    pub(crate) fn spawn_boxed(self: &Arc<Self>, group: Group, work: Work) {
        let mut state = self.state();
        state.made += 1;
        let id = state.made;
        let waker = Waker::from(Arc::new(Wakeup {
            executor: Arc::clone(self),
            task: id,
        }));
        let task = Task {
            group,
            work: Some(work),
            queued: true,
            waker,
        };
        state.tasks.insert(id, task);
        state.ready.push(id);
    }

    /// Takes one of the ready tasks: `draw` gets how many there are.
    pub(crate) fn pick(&self, mut draw: impl FnMut(usize) -> usize) -> Option<(u64, Group)> {
        let mut state = self.state();
        while !state.ready.is_empty() {
            let count = state.ready.len();
            let index = if count == 1 { 0 } else { draw(count) };
            let id = state.ready.swap_remove(index);
            let Some(group) = state.tasks.get(&id).map(|task| task.group) else {
                continue;
            };
            if state.still.contains(&group) {
                state.held.push(id);
            } else {
                return Some((id, group));
            }
        }
        None
    }

    /// Lets a task go on that [`Executor::pick`] gave.
    pub(crate) fn poll(&self, id: u64) {
        let (mut work, waker) = {
            let mut state = self.state();
            let Some(task) = state.tasks.get_mut(&id) else {
                return;
            };
            task.queued = false;
            let Some(work) = task.work.take() else { return };
            (work, task.waker.clone())
        };
        let polled = work.as_mut().poll(&mut Context::from_waker(&waker));
        let mut state = self.state();
        let ended = match (polled, state.tasks.get_mut(&id)) {
            (Poll::Pending, Some(task)) => {
                task.work = Some(work);
                return;
            }
            (Poll::Ready(()), Some(_)) => state.tasks.remove(&id),
            (Poll::Pending | Poll::Ready(()), None) => None,
        };
        // What a task owns takes the lock when it is dropped.
        drop(state);
        drop(ended);
        drop(work);
    }

    /// Puts a task back that was picked and not polled.
    pub(crate) fn requeue(&self, id: u64) {
        let mut state = self.state();
        if state.tasks.contains_key(&id) {
            state.ready.push(id);
        }
    }

    /// Jumps to the next timer, if it is not after `end`; says whether there was one.
    pub(crate) fn advance(&self, end: Duration) -> bool {
        let due = {
            let mut state = self.state();
            let Some(((at, _), _)) = state.timers.first_key_value() else {
                return false;
            };
            let at = *at;
            if at > end {
                state.now = state.now.max(end);
                return false;
            }
            state.now = state.now.max(at);
            let later = state.timers.split_off(&(at, u64::MAX));
            std::mem::replace(&mut state.timers, later)
        };
        due.into_values().for_each(Waker::wake);
        true
    }

    /// A process dies: none of its tasks ever goes on.
    pub(crate) fn kill(&self, group: Group) {
        self.remove(|task| task.group == group);
        self.state().still.remove(&group);
    }

    /// The end of everything.
    pub(crate) fn clear(&self) {
        self.remove(|_| true);
    }

    fn remove(&self, which: impl Fn(&Task) -> bool) {
        let mut state = self.state();
        let ids: Vec<u64> = state
            .tasks
            .iter()
            .filter(|(_, task)| which(task))
            .map(|(id, _)| *id)
            .collect();
        let dead: Vec<Task> = ids.iter().filter_map(|id| state.tasks.remove(id)).collect();
        drop(state);
        drop(dead);
    }

    /// A process stands still, as after SIGSTOP; its clock goes on.
    pub(crate) fn stop(&self, group: Group) {
        self.state().still.insert(group);
    }

    /// It goes on.
    pub(crate) fn go_on(&self, group: Group) {
        let mut state = self.state();
        state.still.remove(&group);
        let held = std::mem::take(&mut state.held);
        state.ready.extend(held);
    }

    /// Waits.
    pub(crate) fn sleep(self: &Arc<Self>, length: Duration) -> Sleep {
        Sleep {
            at: self.now() + length,
            executor: Arc::clone(self),
            timer: None,
        }
    }
}

/// A wait.
pub(crate) struct Sleep {
    executor: Arc<Executor>,
    at: Duration,
    timer: Option<u64>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let executor = Arc::clone(&self.executor);
        let mut state = executor.state();
        if state.now >= self.at {
            return Poll::Ready(());
        }
        let timer = *self.timer.get_or_insert_with(|| {
            state.made += 1;
            state.made
        });
        state.timers.insert((self.at, timer), context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            let waker = self.executor.state().timers.remove(&(self.at, timer));
            drop(waker);
        }
    }
}
