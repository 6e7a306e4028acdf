//! Three hosts on one Redis and many conversations at once; one host is killed and one stands still in the middle.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use tokio::time::timeout;

use super::plan::{Draw, Event, Store};
use super::promises::Seen;
use super::world::{Host, World, wait};

/// Hosts on the server.
const HOSTS: usize = 3;
/// How long one of them stands still: more than the three seconds after which its attempts and leases count as lost.
const PAUSE: Duration = Duration::from_secs(6);
/// How often somebody looks how far the conversations are.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long one conversation may take, with everything that goes wrong and many beside it.
const TALK_WITHIN: Duration = Duration::from_secs(180);

/// How much to play.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Conversations.
    pub conversations: usize,
    /// Of these, so many at once.
    pub at_once: usize,
    /// Whether the forum recognises what was posted twice.
    pub recognises: bool,
    /// What the draws begin with.
    pub seed: u64,
}

/// What was seen.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    /// Conversations that were begun and that every promise was kept in.
    pub conversations: usize,
    /// Mentions and presses that people made and that were acknowledged.
    pub events: usize,
    /// From the first mention to the last closed card.
    pub took: Duration,
    /// Cards posted twice.
    pub twin_cards: usize,
    /// Replies posted twice.
    pub twin_replies: usize,
}

/// Plays it.
///
/// # Errors
/// A promise is broken, or the world does not come up.
pub async fn load(load: Load) -> Result<Loaded, String> {
    let mut world = World::start_with(Store::Redis, HOSTS, load.recognises, load.seed).await?;
    let (Some(dies), Some(stands)) = (world.take_host(), world.take_host()) else {
        return Err("there are too few hosts".to_owned());
    };
    let done = AtomicUsize::new(0);
    let mut draw = Draw::new(load.seed);
    let draws: Vec<u64> = (0..load.conversations).map(|_| draw.below(u64::MAX)).collect();
    #[expect(clippy::disallowed_methods, reason = "what a person is told of a measurement")]
    let began = Instant::now();
    let talking = stream::iter(draws.into_iter().enumerate())
        .map(|(number, draw)| {
            let (world, done) = (&world, &done);
            async move {
                let thread = format!("talk{number}");
                let talked = timeout(TALK_WITHIN, world.talk(&thread, draw)).await;
                done.fetch_add(1, Ordering::Relaxed);
                talked.map_err(|_| format!("{thread} is not at its end within {TALK_WITHIN:?}"))?
            }
        })
        .buffer_unordered(load.at_once)
        .collect::<Vec<_>>();
    let suffering = async {
        let third = load.conversations / 3;
        reached(&done, third).await;
        let killed = world.suffer(dies, &Event::Dies(Duration::ZERO), &[]).await?.0;
        reached(&done, third + third / 2).await;
        let paused = world.suffer(stands, &Event::Stands(0, PAUSE), &[]).await?.0;
        Ok::<[Host; 2], String>([killed, paused])
    };
    let (talks, hosts) = tokio::join!(talking, suffering);
    let took = began.elapsed();
    let what = format!(
        "seed {}, {HOSTS} hosts, {} conversations",
        load.seed, load.conversations
    );
    let _hosts = hosts.map_err(|problem| world.broken(&what, &problem))?;
    let talks: Result<Vec<_>, String> = talks.into_iter().collect();
    let talks = talks.map_err(|problem| world.broken(&what, &problem))?;
    let seen: Vec<Seen> = world
        .check(&talks)
        .map_err(|problem| world.broken(&what, &problem))?;
    Ok(Loaded {
        conversations: seen.len(),
        events: talks.iter().map(|talk| 1 + talk.presses).sum(),
        took,
        twin_cards: seen.iter().map(|seen| seen.twin_cards).sum(),
        twin_replies: seen.iter().map(|seen| seen.twin_replies).sum(),
    })
}

async fn reached(done: &AtomicUsize, count: usize) {
    while done.load(Ordering::Relaxed) < count {
        wait(LOOK_EVERY).await;
    }
}
