//! Many seeds over the processors of the machine.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::run::{Options, Outcome, run};
use crate::world::lock;

/// What came of many runs.
#[derive(Debug, Default)]
pub struct Campaign {
    /// How many runs there were.
    pub runs: u64,
    /// Steps of all of them.
    pub steps: u64,
    /// Steps of the shortest run.
    pub steps_min: u64,
    /// The runs that broke a promise, without their traces.
    pub failed: Vec<Outcome>,
}

impl Campaign {
    /// In how many runs each promise was broken.
    pub fn by_promise(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for outcome in &self.failed {
            let mut promises: Vec<&str> = outcome.breaches.iter().map(|breach| breach.promise).collect();
            promises.sort_unstable();
            promises.dedup();
            for promise in promises {
                *counts.entry(promise).or_default() += 1;
            }
        }
        counts
    }

    fn add(&mut self, outcome: Outcome) {
        self.steps += outcome.steps;
        self.steps_min = if self.runs == 0 {
            outcome.steps
        } else {
            self.steps_min.min(outcome.steps)
        };
        self.runs += 1;
        if !outcome.breaches.is_empty() {
            self.failed.push(outcome);
        }
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// After so many runs.
    pub runs: u64,
    /// After so many that broke a promise.
    pub failures: usize,
    /// After this long; none: never.
    pub time: Option<Duration>,
}

/// Runs the seeds from `from` on.
pub fn campaign(from: u64, options: Options, until: Until) -> Campaign {
    let (next, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let campaign = Mutex::new(Campaign::default());
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let began = began();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= until.runs || until.time.is_some_and(|time| began.elapsed() >= time) {
                        return;
                    }
                    let outcome = run(from.wrapping_add(index), options);
                    let mut campaign = lock(&campaign);
                    campaign.add(outcome);
                    if campaign.failed.len() >= until.failures {
                        over.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let mut campaign = campaign
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    campaign.failed.sort_by_key(|outcome| outcome.seed);
    campaign
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a command runs is no part of what it simulates"
)]
fn began() -> std::time::Instant {
    std::time::Instant::now()
}

/// A seed that nobody has run: the machine's time.
#[expect(
    clippy::disallowed_methods,
    reason = "a fresh seed is the one thing that must differ from run to run"
)]
pub fn fresh_seed() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    crate::random::mix(since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))) >> 16
}

/// What to say of a run that broke a promise: the seed, the commit it was seen on, and how to step through it.
pub fn report(outcome: &Outcome, options: Options) -> String {
    let rule = options
        .broken
        .map(|rule| format!(" --without {}", rule.name()))
        .unwrap_or_default();
    let forget = if options.forget > 0 {
        format!(" --forget {}", options.forget)
    } else {
        String::new()
    };
    let shown = outcome.breaches.iter().take(SHOWN_MAX);
    let shown = shown.map(|breach| format!("\n  {}: {}", breach.promise, breach.what));
    format!(
        "seed {} at {}: {} promises broken{}\n  cargo run -p simulator --bin replay -- {}{rule}{forget}",
        outcome.seed,
        commit(),
        outcome.breaches.len(),
        shown.collect::<String>(),
        outcome.seed
    )
}

/// How many broken promises of a run are shown.
const SHOWN_MAX: usize = 5;

/// The commit of this repository, as git tells it.
fn commit() -> String {
    let git = std::process::Command::new("git")
        .args(["describe", "--always", "--dirty", "--abbrev=10"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    let told = git.ok().filter(|output| output.status.success());
    told.map_or_else(
        || "an unknown commit".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}
