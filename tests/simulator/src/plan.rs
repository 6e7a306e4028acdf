//! What can go wrong in one run. Every class of faults is switched on or off by the seed (swarm testing): a run with
//! everything on hides what only shows where some of it is off.

use lifecycle::{Millis, Policy, Series};

use crate::random::Random;

/// The faults and the size of one run. Chances are per thousand.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// How many hosts share the store.
    pub(crate) hosts: usize,
    /// How many conversations each platform has.
    pub(crate) conversations: usize,
    /// How often somebody does something in each conversation.
    pub(crate) acts: u64,
    /// The longest pause between two acts, in milliseconds.
    pub(crate) pause_ms: u64,
    /// How many crashes at most, and one of how many polls is one.
    pub(crate) crashes: u64,
    pub(crate) crash_one_of: u64,
    /// How many times a host stands still at most.
    pub(crate) stops: u64,
    pub(crate) store_unavailable: u64,
    pub(crate) store_lost: u64,
    pub(crate) store_unsaid: u64,
    pub(crate) store_slow: u64,
    pub(crate) nudges_lost: u64,
    pub(crate) hook_fails: u64,
    pub(crate) hook_hangs: u64,
    pub(crate) hook_reply_lost: u64,
    pub(crate) hook_limited: u64,
    pub(crate) identity_fails: u64,
    pub(crate) model_fails: u64,
    pub(crate) model_slow: u64,
    pub(crate) duplicates: u64,
    pub(crate) reordered: bool,
    /// Nobody's lease is seen by anybody.
    pub(crate) leases_for_all: bool,
    /// How far the hosts' clocks run apart, in thousandths of their speed, and the platform's, in milliseconds.
    pub(crate) drift: u64,
    pub(crate) skew_ms: u64,
    /// Open records live for minutes.
    pub(crate) expiry: bool,
    /// Series are short, so that they are used up.
    pub(crate) hasty: bool,
    /// The store forgets this many of the newest confirmed writes, once.
    pub(crate) forget: usize,
}

impl Plan {
    /// Draws one.
    pub(crate) fn drawn(random: &mut Random) -> Self {
        let mut some = |per_mille: u64| {
            let on = random.chance(500);
            let strength = 1 + random.below(3);
            if on { per_mille * strength } else { 0 }
        };
        let mut plan = Self {
            hosts: 3,
            conversations: 1,
            acts: 0,
            pause_ms: 0,
            crashes: some(4),
            crash_one_of: 0,
            stops: some(1),
            store_unavailable: some(10),
            store_lost: some(10),
            store_unsaid: some(10),
            store_slow: some(15),
            nudges_lost: some(250),
            hook_fails: some(60),
            hook_hangs: some(25),
            hook_reply_lost: some(60),
            hook_limited: some(60),
            identity_fails: some(40),
            model_fails: some(80),
            model_slow: some(80),
            duplicates: some(120),
            reordered: false,
            leases_for_all: false,
            drift: some(10),
            skew_ms: some(1_500),
            expiry: false,
            hasty: false,
            forget: 0,
        };
        plan.hosts = 1 + random.index(3);
        plan.conversations = 1 + random.index(2);
        plan.acts = 7 + random.below(8);
        plan.pause_ms = *random.one_of(&[500, 4_000, 20_000]).unwrap_or(&500);
        plan.crash_one_of = *random.one_of(&[60, 300, 900]).unwrap_or(&300);
        plan.reordered = random.chance(500);
        plan.leases_for_all = random.chance(300);
        plan.expiry = random.chance(150);
        plan.hasty = random.chance(200);
        plan
    }

    /// The times of the machines. A patient series lasts longer than the faults, so that none is ever used up.
    pub(crate) fn policy(&self) -> Policy {
        let series = |deadline| {
            let mut series = Series::standard(deadline);
            series.longest_delay = Millis::minutes(5);
            if self.hasty {
                series.retries = 2;
                series.first_delay = Millis::seconds(1);
                series.longest_delay = Millis::seconds(4);
            }
            series
        };
        Policy {
            advancing: series(Millis::seconds(30)),
            posting: series(Millis::seconds(30)),
            closing: series(Millis::seconds(30)),
            continuing: series(Millis::seconds(60)),
            replying: series(Millis::seconds(30)),
            handling: series(Millis::seconds(30)),
            open_for: if self.expiry {
                OPEN_BRIEFLY
            } else {
                Policy::STANDARD.open_for
            },
            ..Policy::STANDARD
        }
    }
}

/// How long an open record lives where it is to expire.
pub(crate) const OPEN_BRIEFLY: Millis = Millis::minutes(4);
