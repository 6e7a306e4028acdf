//! The times of `DECISIONS.md`: how often, how soon and how long. All configurable; the defaults are the specification's.

use crate::time::Millis;

/// One row of the table of attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Series {
    /// Attempts after the first one of a series.
    pub retries: u32,
    /// Delay before the first retry; doubles with every further one.
    pub first_delay: Millis,
    /// The longest delay.
    pub longest_delay: Millis,
    /// How long an attempt may run before it counts as lost. The hook's own limit ends before it.
    pub deadline: Millis,
}

impl Series {
    /// 10 retries, 5 s doubling to 45 min: the specification's.
    pub const fn standard(deadline: Millis) -> Self {
        Self {
            retries: 10,
            first_delay: Millis::seconds(5),
            longest_delay: Millis::minutes(45),
            deadline,
        }
    }

    /// How long to wait after attempt `n` of a series failed (1 is the first), with up to a tenth more, taken from
    /// `seed`, so that what failed together is not tried again together.
    pub fn delay_after(&self, n: u32, seed: u64) -> Millis {
        let doublings = n.saturating_sub(1).min(32);
        let delay = self
            .first_delay
            .0
            .saturating_mul(1 << doublings)
            .min(self.longest_delay.0);
        let jitter = (delay / 10).saturating_mul(mix(seed ^ u64::from(n)) % 101) / 100;
        Millis(delay.saturating_add(jitter))
    }
}

/// Spreads a seed over all bits (the finalizer of SplitMix64).
const fn mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Every time the two machines know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// `updated` after a partial answer.
    pub advancing: Series,
    /// `render` of a step's questions.
    pub posting: Series,
    /// `settled` after an answer or a dismissal.
    pub closing: Series,
    /// A step of the model, or the server tools it called. The deadline is the turn's lease.
    pub continuing: Series,
    /// `post` of one part of a reply.
    pub replying: Series,
    /// Identity, access and first step of a delivered or promoted message.
    pub handling: Series,
    /// How long an open record lives after its last change.
    pub open_for: Millis,
    /// How long a settled record lives.
    pub settled_for: Millis,
    /// How many messages may wait behind a turn; more are refused.
    pub queue_max: usize,
    /// How many model steps one turn may take; a turn that wants more has failed.
    pub steps_max: u32,
}

impl Policy {
    /// The specification's times, with hook deadlines of 30 s and a lease of 60 s.
    pub const STANDARD: Self = Self {
        advancing: Series::standard(Millis::seconds(30)),
        posting: Series::standard(Millis::seconds(30)),
        closing: Series::standard(Millis::seconds(30)),
        continuing: Series::standard(Millis::seconds(60)),
        replying: Series::standard(Millis::seconds(30)),
        handling: Series::standard(Millis::seconds(30)),
        open_for: Millis::days(30),
        settled_for: Millis::hours(24),
        // A thread in which a hundred people talk past a working agent; its turn document stays below 1 MiB.
        queue_max: 100,
        // An agent that calls tools fifty times for one message is going in circles.
        steps_max: 50,
    };
}
