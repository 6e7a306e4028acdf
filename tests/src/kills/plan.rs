//! What goes wrong in a run, drawn from a seed: which host dies where, or what stands still, breaks or is full for how long.

use std::time::Duration;

use super::network::Away;

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

/// A kind of thing that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A host dies.
    Kill,
    /// A host stands still (`SIGSTOP`) for longer than every deadline and lease, and goes on.
    Pause,
    /// Redis is killed and started again on what it kept.
    Restart,
    /// Redis cannot be reached for a while: connections break, or bytes are held back and arrive late.
    Cut,
    /// SQLite has no room to write for a while.
    DiskFull,
}

impl Trouble {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Kill, Self::Pause, Self::Restart, Self::Cut, Self::DiskFull];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Pause => "pause",
            Self::Restart => "restart",
            Self::Cut => "cut",
            Self::DiskFull => "disk-full",
        }
    }

    /// Whether it is the store that something is wrong with.
    pub(super) fn is_of_a_store(self) -> bool {
        match self {
            Self::Kill | Self::Pause => false,
            Self::Restart | Self::Cut | Self::DiskFull => true,
        }
    }

    /// Whether it can happen to this store.
    pub fn befalls(self, store: Store) -> bool {
        match self {
            Self::Kill | Self::Pause => true,
            Self::Restart | Self::Cut => store == Store::Redis,
            Self::DiskFull => store == Store::Sqlite,
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

/// How long a host stands still: more than the three seconds after which the others count its attempts and leases as lost.
const PAUSE_MS: (u64, u64) = (3_500, 6_000);
/// How long a store is away: less than an attempt may take, or more.
const AWAY_MS: (u64, u64) = (1_500, 7_500);
/// How long a network holds bytes back: longer than the five seconds that a host waits for an answer of the server.
const HELD_MS: (u64, u64) = (5_500, 9_000);
/// Posts of the bot in a run, at least: a card and a reply in each conversation.
const POSTS: usize = 2 * super::world::TALKS;

/// What goes wrong in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// `kill -9` of a host, so long after the beginning.
    Dies(Duration),
    /// A host dies at a named place, which it passes so many times.
    DiesAt(String),
    /// A host stands still.
    Stands(Moment, For),
    /// The server is killed, and starts again.
    StoreDies(Moment, For),
    /// The network to the server.
    StoreAway(Moment, Away, For),
    /// No room for a single page.
    DiskFull(Moment, For),
}

/// Begins when there are so many posts of the bot: something is still to be done then, however fast the machine.
pub(super) type Moment = usize;

/// How long it lasts.
pub(super) type For = Duration;

/// A small generator (splitmix64): a run is the same again with the same seed, as far as processes are.
#[derive(Clone, Debug)]
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
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
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// One of these; none when there are none.
    pub(super) fn one_of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.place_in(all.len()))
    }

    /// A place in a list of this length.
    pub(super) fn place_in(&mut self, length: usize) -> usize {
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        usize::try_from(self.below(length)).unwrap_or(0)
    }

    /// What goes wrong next. A host dies as often at an instant as at a place.
    pub(super) fn event(&mut self, trouble: Trouble) -> Event {
        let moment = self.place_in(POSTS);
        match trouble {
            Trouble::Kill if self.below(2) == 0 => Event::Dies(Duration::from_millis(self.below(RUN_MS))),
            Trouble::Kill => {
                let (name, passed) = self.one_of(&PLACES).copied().unwrap_or(("commit.after", 1));
                Event::DiesAt(format!("{name}:{}", 1 + self.below(passed)))
            }
            Trouble::Pause => Event::Stands(moment, self.length(PAUSE_MS)),
            Trouble::Restart => Event::StoreDies(moment, self.length(AWAY_MS)),
            Trouble::Cut if self.below(2) == 0 => {
                Event::StoreAway(moment, Away::Broken, self.length(AWAY_MS))
            }
            Trouble::Cut => Event::StoreAway(moment, Away::Held, self.length(HELD_MS)),
            Trouble::DiskFull => Event::DiskFull(moment, self.length(AWAY_MS)),
        }
    }

    fn length(&mut self, (from, to): (u64, u64)) -> For {
        Duration::from_millis(from + self.below(to - from))
    }
}
