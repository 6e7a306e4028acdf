//! One run: people and faults for a while, then everything heals and must close within a bound.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::broken::Rule;
use crate::checker;
use crate::facts::{Choice, LeftOpen, PEOPLE, Place};
use crate::people;
use crate::plan::{OPEN_BRIEFLY, Plan};
use crate::platform::{CHANNELS, Card};
use crate::random::{Random, mix};
use crate::trace::{Trace, TraceStep};
use crate::world::Universe;

/// How long people and faults go on at most.
const SAFETY: Duration = Duration::from_secs(25 * 60);
/// How long everything may take to close once it has healed: longer than a used-up series of every effect in a row.
const HEALING: Duration = Duration::from_secs(6 * 3_600);
/// How often people come back and do what is left for them to do. A model that was asked often asks often: the longest
/// conversation known took 61 rounds to end.
const ROUNDS: u32 = 200;
/// How long a hook takes at most when nothing fails, with its writes.
const REST: Duration = Duration::from_secs(3);
/// After how many messages in a row that bring nothing new everything is over.
const POKES: u32 = 2;
/// How long nobody does anything where open records expire.
const EXPIRED_AFTER: Duration = Duration::from_millis(OPEN_BRIEFLY.0 + 150_000);

/// How to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The rule that does not hold.
    pub broken: Option<Rule>,
    /// How many confirmed writes the store forgets, once.
    pub forget: usize,
    /// Whether the steps are kept.
    pub traced: bool,
}

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    /// Its seed.
    pub seed: u64,
    /// How many steps it had: what people did, and every call through a port.
    pub steps: u64,
    /// The promises that were broken, by name, with what shows it.
    pub breaches: Vec<Breach>,
    /// The steps, if they were kept.
    pub trace: Vec<TraceStep>,
    /// What was drawn.
    pub plan: String,
}

/// A broken promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Which.
    pub promise: &'static str,
    /// What shows it.
    pub what: String,
}

/// Runs a seed.
pub fn run(seed: u64, options: Options) -> Outcome {
    let mut random = Random::new(mix(seed.wrapping_add(1)));
    let mut plan = Plan::drawn(&mut random);
    plan.forget = options.forget;
    let trace = if options.traced {
        Trace::keeping()
    } else {
        Trace::counting()
    };
    let world = Universe::new(seed, plan, options.broken, random, trace);
    world.begin();
    let places: Vec<Place> = (0..world.plan.conversations * CHANNELS.len())
        .map(Place)
        .collect();
    for place in &places {
        people::crowd(&world, *place);
    }
    let quiet = live(&world, SAFETY);
    world.heal();
    let healed = heal(&world, &places);
    let mut breaches = Vec::new();
    if !healed {
        breaches.push(Breach {
            promise: "everything_closes_within_a_bound",
            what: format!(
                "after {:?}, quiet before: {quiet}: {}",
                world.executor.now(),
                left(&world, &places)
            ),
        });
    }
    breaches.extend(checker::breaches(&checker::View {
        facts: &world.facts(),
        messages: &world.platforms.messages(),
        plan: &world.plan,
        policy: world.plan.policy(),
    }));
    let outcome = Outcome {
        seed,
        steps: world.trace.count(),
        breaches,
        trace: world.trace.take(),
        plan: format!("{:?}", world.plan),
    };
    world.end();
    outcome
}

/// Lets everybody live until all errands are done; says whether they are.
fn live(world: &Arc<Universe>, length: Duration) -> bool {
    let end = world.executor.now() + length;
    let forget_at = world.draw(|random| random.millis(5_000, 60_000));
    let mut forgot = world.plan.forget == 0;
    while world.executor.now() < end {
        if !step(world, end) {
            return false;
        }
        if !forgot && world.executor.now() > forget_at {
            forgot = true;
            let count = world.store.forget(world.plan.forget);
            world.note(|| format!("the store forgets {count} writes"));
        }
        if world.errands.load(Ordering::Relaxed) == 0 {
            return true;
        }
    }
    false
}

/// One poll, or a jump to the next timer before `end`; `false` when nothing is left to happen until then.
fn step(world: &Arc<Universe>, end: Duration) -> bool {
    let picked = world
        .executor
        .pick(|count| world.draw(|random| random.index(count)));
    match picked {
        Some((id, group)) => {
            if !world.strikes(group) {
                world.executor.poll(id);
            } else {
                // Its host may only stand still.
                world.executor.requeue(id);
            }
            true
        }
        None => {
            let went = world.executor.advance(end);
            world.store.set_clock(world.executor.now());
            went
        }
    }
}

/// Lets things happen until nothing is owed, and people do what is left for them; says whether everything closed.
fn heal(world: &Arc<Universe>, places: &[Place]) -> bool {
    let end = world.executor.now() + HEALING;
    if !rest(world, end) {
        return false;
    }
    let rested_at = world.executor.now();
    let left = places.iter().flat_map(|place| world.platforms.live(*place));
    let left_open = left
        .map(|card| LeftOpen {
            message: card.message.0,
            ask: card.block.ask,
        })
        .collect();
    {
        let mut facts = world.facts();
        facts.left_open = left_open;
        facts.rested_at = rested_at;
    }
    if world.plan.expiry {
        // Nobody does anything for so long that open records end.
        let expired = world.executor.now() + EXPIRED_AFTER;
        while step(world, expired) {}
    }
    let (mut clean, mut before) = (0, usize::MAX);
    for _ in 0..ROUNDS {
        if !rest(world, end) {
            return false;
        }
        let live: Vec<Vec<Card>> = places.iter().map(|place| world.platforms.live(*place)).collect();
        let most = live.iter().map(Vec::len).max().unwrap_or(0);
        // The newest first: older ones may be those of a record that has expired. One after the other in a conversation, since
        // a press may close other cards.
        for index in 0..most {
            for card in live.iter().filter_map(|cards| cards.iter().rev().nth(index)) {
                people::press(world, PEOPLE[1], card, Choice::Option(0));
            }
            if !rest(world, end) {
                return false;
            }
        }
        let live: usize = places.iter().map(|place| open(world, *place).len()).sum();
        if live == 0 && clean == POKES {
            return true;
        }
        // A used-up series begins anew with the next message, and a card whose record has expired is posted again.
        if live == 0 || live == before {
            for place in places {
                people::poke(world, *place);
            }
        }
        clean = if live == 0 { clean + 1 } else { 0 };
        before = live;
    }
    false
}

/// The cards that must still be closed.
fn open(world: &Universe, place: Place) -> Vec<Card> {
    if world.plan.expiry {
        world.platforms.closable(place)
    } else {
        world.platforms.live(place)
    }
}

/// Until every errand is done and the store owes nothing.
fn rest(world: &Arc<Universe>, end: Duration) -> bool {
    while world.executor.now() < end {
        let idle = world.errands.load(Ordering::Relaxed) == 0 && world.store.next_wake().is_none();
        if idle {
            // What is still under way owes nothing: notices, and results that nobody waits for.
            let soon = world.executor.now() + REST;
            while step(world, soon) {}
            let still = world.errands.load(Ordering::Relaxed) == 0 && world.store.next_wake().is_none();
            if still {
                return true;
            }
        }
        let soon = world.executor.now() + Duration::from_secs(1);
        while step(world, soon) {}
    }
    false
}

fn left(world: &Arc<Universe>, places: &[Place]) -> String {
    let cards: Vec<String> = places
        .iter()
        .flat_map(|place| open(world, *place))
        .map(|card| format!("{} of {}", card.message, card.block.ask))
        .collect();
    format!(
        "errands {}, next wake {:?} at {:?}, live {}",
        world.errands.load(Ordering::Relaxed),
        world.store.next_wake(),
        world.store.now(),
        cards.join(", ")
    )
}
