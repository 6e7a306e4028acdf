//! What shall go wrong, and when.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;

use tokio::time::Instant;

use super::transcript::lock;

/// How a hook fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HookFails {
    /// The platform wants it again.
    Retry,
    /// What it is about is gone.
    Gone,
    /// The platform refuses.
    Refused,
    /// The piece traps.
    Trap,
    /// The piece returns what breaks the contract.
    Garbage,
    /// It takes four seconds, and succeeds.
    Slow,
    /// It never returns.
    Hangs,
    /// It is done, and nobody hears of it.
    ReplyLost,
    /// `render` returns no message.
    NoMessage,
    /// `updated` asks to be called again in three seconds, because the platform limits redraws.
    Limited,
}

impl HookFails {
    /// By the word of the story.
    pub(super) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "retry" => Self::Retry,
            "gone" => Self::Gone,
            "refused" => Self::Refused,
            "trap" => Self::Trap,
            "garbage" => Self::Garbage,
            "slow" => Self::Slow,
            "hangs" => Self::Hangs,
            "reply lost" => Self::ReplyLost,
            "no message" => Self::NoMessage,
            "limited" => Self::Limited,
            _ => return None,
        })
    }

    /// The word of the story.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Gone => "gone",
            Self::Refused => "refused",
            Self::Trap => "trap",
            Self::Garbage => "garbage",
            Self::Slow => "slow",
            Self::Hangs => "hangs",
            Self::ReplyLost => "reply lost",
            Self::NoMessage => "no message",
            Self::Limited => "limited",
        }
    }
}

/// How a commit fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommitFails {
    /// Surely not written.
    Unavailable,
    /// Written, and nobody hears of it.
    UnknownApplied,
    /// Not written, and nobody knows.
    UnknownLost,
    /// Written, six seconds later.
    Slow,
}

impl CommitFails {
    /// By the words of the story.
    pub(super) fn named(words: &str) -> Option<Self> {
        Some(match words {
            "unavailable" => Self::Unavailable,
            "unknown, applied" => Self::UnknownApplied,
            "unknown, lost" => Self::UnknownLost,
            "slow" => Self::Slow,
            _ => return None,
        })
    }
}

/// Before or after something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before it is done.
    Before,
    /// When it is done, and nobody has heard of it.
    After,
}

/// What is planned.
#[derive(Debug, Default)]
pub(super) struct Faults(Mutex<Plan>);

/// Where in a story a host can die: before and after every acting hook and every commit, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Points {
    passed: usize,
    deadly: Option<usize>,
}

impl Points {
    fn pass(&mut self) -> bool {
        let dies = self.deadly == Some(self.passed);
        self.passed += 1;
        dies
    }
}

/// A thread in which the platform refuses everything.
#[derive(Debug)]
struct Limit {
    until: Instant,
    /// The hooks that were refused.
    refused: BTreeSet<&'static str>,
}

/// What the platform says to a hook in a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limited {
    /// Nothing against it.
    No,
    /// Not now; for the first time to this hook.
    First,
    /// Not now.
    Again,
}

#[derive(Debug, Default)]
struct Plan {
    hooks: BTreeMap<String, VecDeque<HookFails>>,
    held: BTreeSet<String>,
    limited: BTreeMap<String, Limit>,
    commits: Vec<(String, CommitFails)>,
    reads: u32,
    crashes: Vec<(Moment, String)>,
    points: Points,
}

impl Faults {
    /// The hook fails so many times.
    pub(super) fn hook(&self, hook: &str, times: usize, how: HookFails) {
        let mut plan = lock(&self.0);
        plan.hooks
            .entry(hook.to_owned())
            .or_default()
            .extend(std::iter::repeat_n(how, times));
    }

    /// How this call of the hook fails, if it does.
    pub(super) fn next_of(&self, hook: &str) -> Option<HookFails> {
        lock(&self.0).hooks.get_mut(hook)?.pop_front()
    }

    /// Whether the next call of the hook will fail like this.
    pub(super) fn will(&self, hook: &str, how: HookFails) -> bool {
        let plan = lock(&self.0);
        plan.hooks.get(hook).and_then(VecDeque::front) == Some(&how)
    }

    /// The platform does not answer this hook until it goes on.
    pub(super) fn hold(&self, hook: &str) {
        lock(&self.0).held.insert(hook.to_owned());
    }

    /// The platform goes on.
    pub(super) fn go_on(&self) {
        lock(&self.0).held.clear();
    }

    /// Whether the platform holds this hook.
    pub(super) fn is_held(&self, hook: &str) -> bool {
        lock(&self.0).held.contains(hook)
    }

    /// The platform refuses everything in a thread until then.
    pub(super) fn limit(&self, thread: &str, until: Instant) {
        let limit = Limit {
            until,
            refused: BTreeSet::new(),
        };
        lock(&self.0).limited.insert(thread.to_owned(), limit);
    }

    /// What the platform says to this hook in a thread.
    pub(super) fn limited(&self, thread: &str, hook: &'static str) -> Limited {
        let mut plan = lock(&self.0);
        match plan.limited.get_mut(thread) {
            Some(limit) if Instant::now() < limit.until => {
                if limit.refused.insert(hook) {
                    Limited::First
                } else {
                    Limited::Again
                }
            }
            Some(_) | None => Limited::No,
        }
    }

    /// The next so many commits fail that write a document whose key begins so.
    pub(super) fn commit(&self, prefix: &str, times: usize, how: CommitFails) {
        let failing = (prefix.to_owned(), how);
        lock(&self.0).commits.extend(std::iter::repeat_n(failing, times));
    }

    /// How a commit of these keys fails, if it does.
    pub(super) fn next_commit<'a>(&self, keys: impl Iterator<Item = &'a str> + Clone) -> Option<CommitFails> {
        let commits = &mut lock(&self.0).commits;
        let at = commits
            .iter()
            .position(|(prefix, _)| keys.clone().any(|key| key.starts_with(prefix)))?;
        Some(commits.remove(at).1)
    }

    /// The store cannot be read so many times.
    pub(super) fn reads(&self, times: u32) {
        lock(&self.0).reads += times;
    }

    /// Whether this read fails.
    pub(super) fn next_read(&self) -> bool {
        let reads = &mut lock(&self.0).reads;
        let fails = *reads > 0;
        *reads = reads.saturating_sub(1);
        fails
    }

    /// The host that does this next dies.
    pub(super) fn crash(&self, moment: Moment, what: &str) {
        lock(&self.0).crashes.push((moment, what.to_owned()));
    }

    /// The host dies at this point, counted from 0.
    pub(super) fn crash_at(&self, point: usize) {
        lock(&self.0).points.deadly = Some(point);
    }

    /// How many points at which a host can die were passed.
    pub(super) fn points(&self) -> usize {
        lock(&self.0).points.passed
    }

    /// Nothing goes wrong any more.
    pub(super) fn heal(&self) {
        let plan = &mut *lock(&self.0);
        let points = Points {
            deadly: None,
            ..plan.points
        };
        *plan = Plan {
            points,
            ..Plan::default()
        };
    }

    /// Whether the host dies at this moment of a hook.
    pub(super) fn dies_at(&self, moment: Moment, hook: &str) -> bool {
        self.takes_crash(|(at, what)| *at == moment && what == hook)
    }

    /// Whether the host dies at this moment of a commit.
    pub(super) fn dies_at_commit<'a>(
        &self,
        moment: Moment,
        keys: impl Iterator<Item = &'a str> + Clone,
    ) -> bool {
        self.takes_crash(|(at, what)| {
            let prefix = what.strip_prefix("commit of ");
            *at == moment && prefix.is_some_and(|prefix| keys.clone().any(|key| key.starts_with(prefix)))
        })
    }

    fn takes_crash(&self, is_it: impl Fn(&(Moment, String)) -> bool) -> bool {
        let plan = &mut *lock(&self.0);
        let dies = plan.points.pass();
        let at = plan.crashes.iter().position(is_it);
        at.map(|at| plan.crashes.remove(at)).is_some() || dies
    }
}
