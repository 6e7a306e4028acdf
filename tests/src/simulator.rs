//! Seeded stories: what happens to a conversation and what goes wrong is drawn from a seed, played on the stage's engine and
//! healed; then the stage's promises must hold.
//!
//! This is the first part of the simulator of `STYLE.md`, not the whole. One conversation, the points of crash that a story
//! can name, and the promises of `stage::promises`, which reads the store: no checker of its own, no clock skew, no paused
//! hosts, no leases for everybody. It catches a store that forgets wake times (16 of 150 seeds) and does *not* catch one without
//! compare-and-set (0 of 300), so it is no evidence for that rule. A seed is a story, so that one that fails can be kept as such, and cut down by hand.

use crate::stage::{self, Problem};

/// Lines of a story that is drawn: at least, and how many more at most.
const LINES: (u64, u64) = (12, 28);
/// The platform's messages that people aim at, from m1: mostly early ones, since every story has those.
const MESSAGES: u64 = 12;

const SCRIPTS: [&str; 4] = [
    "paint.toml",
    "two_calls.toml",
    "two_questions.toml",
    "one_of_many.toml",
];
const PEOPLE: [&str; 4] = ["ann", "bob", "eve", "ann"];
const LABELS: [&str; 7] = ["Red", "Blue", "Red", "Small", "Dismiss", "Done", "Other…"];
const HOOKS: [&str; 6] = ["render", "updated", "settled", "post", "identity", "stale"];
const HOOK_FAILS: [&str; 6] = ["retry", "trap", "garbage", "hangs", "reply lost", "slow"];
const DOCUMENTS: [&str; 5] = ["turn", "chat", "question", "inbox", "delivery"];
const COMMIT_FAILS: [&str; 4] = ["unavailable", "unknown, applied", "unknown, lost", "slow"];

/// What may go wrong in one run: each seed draws which kinds are on.
#[derive(Clone, Copy, Debug)]
struct Swarm {
    hooks: bool,
    commits: bool,
    reads: bool,
    crashes: bool,
    duplicates: bool,
}

/// Numbers from a seed (SplitMix64): the same on every machine.
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let count = u64::try_from(words.len()).unwrap_or(1);
        let index = usize::try_from(self.below(count)).unwrap_or(0);
        words.get(index).copied().unwrap_or_default()
    }
}

/// The story of a seed, as `tests/stories` has them, without what is seen.
pub fn story_of(seed: u64) -> String {
    let mut dice = Dice(seed);
    let swarm = Swarm {
        hooks: dice.coin(),
        commits: dice.coin(),
        reads: dice.coin(),
        crashes: dice.coin(),
        duplicates: dice.coin(),
    };
    let hosts = 1 + dice.below(4);
    let repeats = if dice.coin() { ", recognises repeats" } else { "" };
    let mut lines = vec![
        "people: ann, bob".to_owned(),
        "strangers: eve".to_owned(),
        format!("hosts: {hosts}"),
        format!("piece: {}{repeats}", dice.of(&["forum", "card"])),
        format!("script: {}", dice.of(&SCRIPTS)),
        String::new(),
        "ann: @bot paint".to_owned(),
    ];
    for _ in 0..LINES.0 + dice.below(LINES.1) {
        let line = if dice.below(3) == 0 {
            fault(&mut dice, swarm, hosts)
        } else {
            Some(deed(&mut dice))
        };
        lines.extend(line);
    }
    lines.join("\n")
}

/// What goes wrong at a seed's story, in words; nothing where every promise holds.
///
/// # Errors
/// The story that was drawn cannot be read: a mistake of this module.
pub fn broken(seed: u64) -> Result<Vec<String>, Problem> {
    stage::broken_by(&story_of(seed))
}

fn deed(dice: &mut Dice) -> String {
    match dice.below(12) {
        0 | 1 => format!("{}: @bot paint", dice.of(&PEOPLE)),
        2 => format!("{}: /answer {}", dice.of(&PEOPLE), 1 + dice.below(3)),
        3 => format!("{} submits \"teal\" in f{}", dice.of(&PEOPLE), 1 + dice.below(3)),
        4 => format!("at once: {}; {}", press(dice), press(dice)),
        5 => format!("wait {} seconds", 1 + dice.below(90)),
        _ => press(dice),
    }
}

fn press(dice: &mut Dice) -> String {
    let among = 1 + dice.below(MESSAGES);
    let message = 1 + dice.below(among);
    format!("{} presses {} on m{message}", dice.of(&PEOPLE), dice.of(&LABELS))
}

/// A fault of a kind that is on; none when the kind that was drawn is off.
fn fault(dice: &mut Dice, swarm: Swarm, hosts: u64) -> Option<String> {
    let moment = if dice.coin() { "before" } else { "after" };
    match dice.below(6) {
        0 => swarm.hooks.then(|| {
            let (hook, times) = (dice.of(&HOOKS), 1 + dice.below(3));
            format!("platform fails {hook} {times} times ({})", dice.of(&HOOK_FAILS))
        }),
        1 => swarm.commits.then(|| {
            let (times, of) = (2 + dice.below(3), dice.of(&DOCUMENTS));
            format!(
                "store fails next {times} commits of {of} ({})",
                dice.of(&COMMIT_FAILS)
            )
        }),
        2 => swarm.reads.then(|| "store cannot be read 2 times".to_owned()),
        3 => swarm.duplicates.then(|| "redeliver 2 times".to_owned()),
        4 => swarm
            .crashes
            .then(|| format!("crash host {}", 1 + dice.below(hosts))),
        _ => swarm.crashes.then(|| {
            if dice.coin() {
                format!("crash {moment} {}", dice.of(&HOOKS))
            } else {
                format!("crash {moment} commit of {}", dice.of(&DOCUMENTS))
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_always_the_same_story() {
        assert_eq!(story_of(7), story_of(7));
        assert_ne!(story_of(7), story_of(8));
    }
}
