//! The real binary, killed: `kill -9` at random instants and at every named place, over and over, while people talk to it; then the
//! promises are checked from outside, by what a forum was told. Likewise with hosts that stand still, and with stores that die,
//! cannot be reached, or are full.
//!
//! A *world* is a forum, an installation and its hosts: one on SQLite, two on one Redis. A *run* is one thing that goes wrong in a
//! world: some conversations begin, one host dies, another process takes its place, everything heals.
//!
//! * `plan`: what goes wrong, and when;
//! * `world`: the hosts; `configuration`: what they are told;
//! * `store`, `network`: the Redis, and the way to it;
//! * `people`: who asks, who presses, and who presses twice or may not;
//! * `promises`: what must hold of a conversation in the end;
//! * `tally`: what was seen, as a table;
//! * `load`: three hosts and many conversations, once.

mod configuration;
mod load;
mod network;
mod people;
mod plan;
mod promises;
mod store;
mod tally;
mod world;

pub use load::{Load, Loaded, load};
pub use plan::{Store, Trouble};
pub use tally::Tally;
use world::World;

/// How much to play.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Runs on each store, half of them with a forum that recognises repeats.
    pub runs: usize,
    /// What the draws begin with.
    pub seed: u64,
    /// Worlds that are played side by side.
    pub worlds: usize,
}

/// Lets something go wrong on a store, over and over.
///
/// # Errors
/// A promise is broken, or a world does not come up: the seed, what went wrong, and the hosts' logs.
pub async fn play(store: Store, trouble: Trouble, options: Options) -> Result<Vec<Tally>, String> {
    let mut tallies = Vec::new();
    for recognises in [true, false] {
        tallies.push(play_with(store, trouble, recognises, options).await?);
    }
    Ok(tallies)
}

async fn play_with(
    store: Store,
    trouble: Trouble,
    recognises: bool,
    options: Options,
) -> Result<Tally, String> {
    let of_each = (options.runs / 2).div_ceil(options.worlds);
    let worlds = (0..options.worlds).map(|number| {
        let seed = options
            .seed
            .wrapping_add(u64::try_from(number).unwrap_or(0) << 32);
        async move {
            let mut world = World::start(store, recognises, seed).await?;
            let mut tally = Tally::new(store, trouble, recognises);
            for _ in 0..of_each {
                tally.add(world.run(trouble).await?);
            }
            Ok::<_, String>(tally)
        }
    });
    let played = futures_util::future::try_join_all(worlds).await?;
    let mut all = Tally::new(store, trouble, recognises);
    played.iter().for_each(|tally| all.merge(tally));
    Ok(all)
}
