//! One owed effect and the attempts at it.
//!
//! An attempt is on record, with a number and a deadline, before it is made. Numbers rise for the life of the record
//! and never repeat, so that a result carries proof of which attempt it belongs to; the place in the current *series*
//! decides when the next attempt is due and when the series is used up.

use crate::policy::Series;
use crate::time::{Millis, Timestamp};

/// The longest wait a platform can ask for. Beyond it the attempt is made anyway: a wait without a limit would be a series
/// that neither goes on nor ends.
const RETRY_AFTER_MAX: Millis = Millis::hours(24);

/// The shortest wait, as a part of the series' first delay: what a platform that always asks for an instant can cost is
/// then bounded, with the standard times by some six thousand attempts in two hours.
const RETRY_AFTER_MIN_PART: u64 = 4;

/// The number of an attempt: 1 for the first, never used twice for the same owed thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attempt(pub u32);

/// How an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// Worth trying again: after this long where the platform said so, else after the delay of the series.
    Transient(Option<Millis>),
    /// Trying again is useless: the series ends.
    Permanent,
}

/// Where one owed effect stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Owed {
    /// The number given out last; 0 when there was none.
    pub last: u32,
    /// How many attempts of the current series were begun, without those that only waited for the platform.
    pub in_series: u32,
    /// How much of the delay that belongs to this place in the series was spent on waits that the platform asked for.
    pub waited: Millis,
    /// What happens next.
    pub phase: Phase,
}

/// What happens next with an owed effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing is owed.
    Nothing,
    /// The next attempt begins at this instant.
    Due(Timestamp),
    /// An attempt is under way and counts as lost at this instant.
    Running(Timestamp),
    /// The series is used up; only an interaction or a message opens the next.
    Spent,
}

impl Owed {
    /// Nothing owed, nothing ever tried.
    pub const NOTHING: Self = Self {
        last: 0,
        in_series: 0,
        waited: Millis(0),
        phase: Phase::Nothing,
    };

    /// Begins the first attempt of a new series.
    pub fn begin_series(&mut self, now: Timestamp, series: &Series) -> Attempt {
        self.restart();
        self.begin(now, series)
    }

    /// Back to the beginning of a series.
    fn restart(&mut self) {
        self.in_series = 0;
        self.waited = Millis(0);
    }

    fn begin(&mut self, now: Timestamp, series: &Series) -> Attempt {
        self.last = self.last.saturating_add(1);
        self.in_series = self.in_series.saturating_add(1);
        self.phase = Phase::Running(now + series.deadline);
        Attempt(self.last)
    }

    /// Whether `attempt` is the one under way.
    pub fn is_current(&self, attempt: Attempt) -> bool {
        self.is_running() && attempt.0 == self.last
    }

    /// Whether an attempt is under way, or was when its process died.
    pub fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running(_))
    }

    /// Whether the attempt under way counts as lost.
    pub fn is_lost(&self, now: Timestamp) -> bool {
        matches!(self.phase, Phase::Running(deadline) if deadline <= now)
    }

    /// Whether anything is owed now or later without somebody's doing.
    pub fn is_pending(&self) -> bool {
        matches!(self.phase, Phase::Due(_) | Phase::Running(_))
    }

    /// The effect happened, or nobody wants it any more. Numbers go on.
    pub fn clear(&mut self) {
        self.phase = Phase::Nothing;
        self.restart();
    }

    /// Owes the effect from `at`, in a new series.
    pub fn due_at(&mut self, at: Timestamp) {
        self.restart();
        self.phase = Phase::Due(at);
    }

    /// The attempt under way did its part and asks to be made again at `at`. It counts in its series, so that it cannot ask
    /// for ever: a used-up series is enough.
    pub fn put_off(&mut self, at: Timestamp, series: &Series) {
        if self.in_series > series.retries {
            self.clear();
        } else {
            self.phase = Phase::Due(at);
        }
    }

    /// The attempt under way failed. Says whether the series is used up.
    pub fn failed(&mut self, failure: Failure, now: Timestamp, series: &Series, seed: u64) -> bool {
        let delay = series.delay_after(self.in_series, seed);
        let wait = match failure {
            Failure::Transient(None) => Some(delay),
            Failure::Transient(Some(asked)) => {
                let wait = asked.min(RETRY_AFTER_MAX).max(shortest_wait(series));
                if self.waits_in_place(wait, delay) {
                    self.phase = Phase::Due(now + wait);
                    return false;
                }
                Some(wait)
            }
            Failure::Permanent => None,
        };
        self.waited = Millis(0);
        self.phase = match wait {
            Some(wait) if self.in_series <= series.retries => Phase::Due(now + wait),
            Some(_) | None => Phase::Spent,
        };
        self.phase == Phase::Spent
    }

    /// A platform that says when to come back is obeyed, and its waits use up the series only as time does: an attempt
    /// keeps its place as long as the delay that belongs to it lasts. So a storm of such answers neither ends a series in
    /// seconds nor, once it is over, leaves the effect waiting for a delay that has grown meanwhile.
    fn waits_in_place(&mut self, wait: Millis, delay: Millis) -> bool {
        let waited = Millis(self.waited.0.saturating_add(wait.0));
        let in_place = waited < delay;
        if in_place {
            self.waited = waited;
            self.in_series = self.in_series.saturating_sub(1);
        }
        in_place
    }

    /// Begins the next attempt if its time has come: it was due, or the one under way is lost.
    pub fn tick(&mut self, now: Timestamp, series: &Series) -> Ticked {
        match self.phase {
            Phase::Due(at) if at <= now => Ticked::Begun(self.begin(now, series)),
            Phase::Running(deadline) if deadline <= now && self.in_series > series.retries => {
                self.phase = Phase::Spent;
                Ticked::Spent
            }
            Phase::Running(deadline) if deadline <= now => Ticked::Begun(self.begin(now, series)),
            Phase::Due(_) | Phase::Running(_) | Phase::Nothing | Phase::Spent => Ticked::Early,
        }
    }

    /// Somebody is waiting: a new series begins now, in place of a delayed attempt or a used-up series; a few impatient
    /// clicks must not use up what is left of the old one. An attempt under way is left alone.
    pub fn hurry(&mut self, now: Timestamp, series: &Series) -> Option<Attempt> {
        match self.phase {
            Phase::Due(_) | Phase::Spent => Some(self.begin_series(now, series)),
            Phase::Running(_) | Phase::Nothing => None,
        }
    }

    /// The process that ran the attempt under way is gone: it counts as lost now, not only at its deadline.
    pub fn orphaned(&mut self, now: Timestamp) {
        if let Phase::Running(deadline) = &mut self.phase {
            *deadline = (*deadline).min(now);
        }
    }

    /// When `tick` has something to do.
    pub fn next_wake(&self) -> Option<Timestamp> {
        match self.phase {
            Phase::Due(at) | Phase::Running(at) => Some(at),
            Phase::Nothing | Phase::Spent => None,
        }
    }
}

/// The shortest wait between two attempts that a platform asks for.
fn shortest_wait(series: &Series) -> Millis {
    Millis((series.first_delay.0 / RETRY_AFTER_MIN_PART).max(1))
}

/// What a tick did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ticked {
    /// Nothing was due.
    Early,
    /// This attempt began.
    Begun(Attempt),
    /// The last attempt of the series was lost.
    Spent,
}
