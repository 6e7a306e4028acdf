//! Which host dies where, drawn from a seed.

use std::time::Duration;

/// Where documents are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// One host.
    Sqlite,
    /// Two.
    Redis,
}

impl Store {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Redis => "Redis",
        }
    }
}

/// The places of a conversation, and how often each is passed in one run, at least.
const PLACES: [(&str, u64); 10] = [
    ("commit.before", 40),
    ("commit.after", 40),
    ("hook.before.identity", 3),
    ("hook.after.identity", 3),
    ("hook.before.render", 6),
    ("hook.after.render", 6),
    ("hook.before.settled", 6),
    ("hook.after.settled", 6),
    ("hook.before.post", 6),
    ("hook.after.post", 6),
];
/// How long a run lasts when nobody dies.
const RUN_MS: u64 = 1_200;

/// How a host dies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// `kill -9` so long after the run began.
    At(Duration),
    /// At a named place, which it passes so many times.
    Place(String),
}

/// A small generator (splitmix64): a run is the same again with the same seed, as far as processes are.
#[derive(Clone, Debug)]
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// One of these; none when there are none.
    pub(crate) fn one_of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.place_in(all.len()))
    }

    /// A place in a list of this length.
    pub(crate) fn place_in(&mut self, length: usize) -> usize {
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        usize::try_from(self.below(length)).unwrap_or(0)
    }

    /// The next death: as often at an instant as at a place.
    pub(crate) fn death(&mut self) -> Death {
        if self.below(2) == 0 {
            return Death::At(Duration::from_millis(self.below(RUN_MS)));
        }
        let (name, passed) = self.one_of(&PLACES).copied().unwrap_or(("commit.after", 1));
        Death::Place(format!("{name}:{}", 1 + self.below(passed)))
    }
}
