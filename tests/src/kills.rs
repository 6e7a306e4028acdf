//! The real binary, killed: `kill -9` at random instants and at every named place, over and over, while people talk to it; then the
//! promises are checked from outside, by what a forum was told.
//!
//! A *world* is a forum, an installation and its hosts: one on SQLite, two on one Redis. A *run* is one kill in a world: some
//! conversations begin, one host dies, another process takes its place, everything heals.
//!
//! * `plan`: which host dies where;
//! * `world`: the hosts;
//! * `people`: who asks, who presses, and who presses twice or may not;
//! * `promises`: what must hold of a conversation in the end;
//! * `tally`: what was seen, as a table.

mod people;
mod plan;
mod promises;
mod tally;
mod world;

use storage::servers::RedisServer;

pub use plan::Store;
pub use tally::Tally;
use world::World;

/// How much to play.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Kills on each store, half of them with a forum that recognises repeats.
    pub runs: usize,
    /// What the draws begin with.
    pub seed: u64,
    /// Worlds that are played side by side.
    pub worlds: usize,
}

/// Plays kills on a store.
///
/// # Errors
/// A promise is broken, or a world does not come up: the seed, the kill, and the hosts' logs.
pub async fn play(store: Store, options: Options) -> Result<Vec<Tally>, String> {
    let mut tallies = Vec::new();
    for recognises in [true, false] {
        tallies.push(play_with(store, recognises, options).await?);
    }
    Ok(tallies)
}

async fn play_with(store: Store, recognises: bool, options: Options) -> Result<Tally, String> {
    // One server for all worlds, with a namespace for each.
    let durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""];
    let server = (store == Store::Redis).then(|| RedisServer::start_with(&durable));
    let of_each = (options.runs / 2).div_ceil(options.worlds);
    let worlds = (0..options.worlds).map(|number| {
        let seed = options
            .seed
            .wrapping_add(u64::try_from(number).unwrap_or(0) << 32);
        let place = server
            .as_ref()
            .map(|server| (server.url(), format!("world{number}")));
        async move {
            let mut world = World::start(place, recognises, seed).await?;
            let mut tally = Tally::new(store, recognises);
            for _ in 0..of_each {
                tally.add(world.run().await?);
            }
            Ok::<_, String>(tally)
        }
    });
    let played = futures_util::future::try_join_all(worlds).await?;
    let mut all = Tally::new(store, recognises);
    played.iter().for_each(|tally| all.merge(tally));
    Ok(all)
}
