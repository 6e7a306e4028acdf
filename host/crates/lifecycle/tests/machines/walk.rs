//! Breadth first over everything that can happen to a machine.
//!
//! A machine does not care when it runs or how many attempts there were before. A state is therefore filed under what
//! it *looks like from now*: instants relative to [`NOW`], an instant that has passed as `NOW`, numbers that only ever
//! rise as fixed ones. That closes the space without cutting it off, and makes (state, time) one thing: waiting is a
//! move to the state as it looks later. That machines really do not care is a law of its own.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use lifecycle::Timestamp;
use lifecycle::owed::{Owed, Phase};

/// When every event of the walk happens.
pub(crate) const NOW: Timestamp = Timestamp(1_000_000);
/// The attempt number last given out in every walked state.
pub(crate) const LAST: u32 = 10;
/// More states than any world has: the walk ends even when a machine's space does not close.
const STATES_MAX: usize = 10_000;

/// A machine and what can happen to it.
pub(crate) trait World {
    type State: Clone + Eq + Hash + Debug;
    type Event: Debug;
    type Step: Eq + Debug;

    /// Where the walk begins.
    fn starts() -> Vec<Self::State>;
    /// What can happen in this state.
    fn events(state: &Self::State) -> Vec<Self::Event>;
    /// The machine.
    fn step(state: &Self::State, event: &Self::Event, now: Timestamp) -> Self::Step;
    /// The next state, unless nothing changes.
    fn next(step: &Self::Step) -> Option<&Self::State>;
    /// Everything owed in this state.
    fn owed(state: &mut Self::State) -> Vec<&mut Owed>;
    /// Replaces every other instant and every number that only rises.
    fn renumber(state: &mut Self::State);
    /// Whether the walk goes on from here; where queues can grow, it ends at their limit.
    fn within_bounds(_state: &Self::State) -> bool {
        true
    }
}

/// One move: an event in a state, and what the machine made of it.
pub(crate) struct Seen<'a, W: World> {
    pub(crate) before: &'a W::State,
    pub(crate) event: &'a W::Event,
    pub(crate) step: &'a W::Step,
    pub(crate) after: &'a W::State,
}

/// How many states and moves there are.
#[derive(Debug)]
pub(crate) struct Size {
    pub(crate) states: usize,
    pub(crate) moves: usize,
}

/// Shows every move to `law`, which panics when it is broken; the way to the broken place is printed then.
pub(crate) fn every_move<W: World>(law: impl FnMut(&Seen<'_, W>)) -> Size {
    walk::<W>(|_| {}, law)
}

/// Shows every state to `law`.
pub(crate) fn every_state<W: World>(law: impl FnMut(&W::State)) -> Size {
    walk::<W>(law, |_| {})
}

/// The state as it looks `later`.
pub(crate) fn seen_from<W: World>(mut state: W::State, later: Timestamp) -> W::State {
    let passed = later - NOW;
    for owed in W::owed(&mut state) {
        owed.last = LAST;
        if let Phase::Due(at) | Phase::Running(at) = &mut owed.phase {
            *at = NOW.max(Timestamp(at.0.saturating_sub(passed.0)));
        }
    }
    W::renumber(&mut state);
    state
}

/// The instants at which something may begin to matter: just before, at and just after each wake.
fn waits<W: World>(state: &W::State) -> Vec<Timestamp> {
    let mut state = state.clone();
    let wakes = W::owed(&mut state)
        .into_iter()
        .filter_map(|owed| owed.next_wake());
    let around = wakes.flat_map(|wake| [wake.0 - 1, wake.0, wake.0 + 1]);
    around.map(Timestamp).filter(|at| *at > NOW).collect()
}

/// States found so far, with the way to each.
struct Map<S> {
    states: Vec<(S, usize, String)>,
    known: HashMap<S, usize>,
}

impl<S: Clone + Eq + Hash + Debug> Map<S> {
    fn add(&mut self, state: S, from: usize, by: impl FnOnce() -> String) {
        if self.known.contains_key(&state) {
            return;
        }
        assert!(
            self.states.len() < STATES_MAX,
            "the space does not close: {state:#?}"
        );
        self.known.insert(state.clone(), self.states.len());
        self.states.push((state, from, by()));
    }

    fn way_to(&self, index: usize) -> String {
        let (state, from, by) = &self.states[index];
        if *from == index {
            return format!("start: {state:?}");
        }
        format!("{}\n  {by}", self.way_to(*from))
    }
}

fn walk<W: World>(mut state_law: impl FnMut(&W::State), mut move_law: impl FnMut(&Seen<'_, W>)) -> Size {
    let mut map = Map {
        states: Vec::new(),
        known: HashMap::new(),
    };
    for state in W::starts() {
        let itself = map.states.len();
        map.add(seen_from::<W>(state, NOW), itself, String::new);
    }
    let (mut index, mut moves) = (0, 0);
    while index < map.states.len() {
        let state = map.states[index].0.clone();
        let way = Way(&map, index, None::<&W::Event>);
        state_law(&state);
        way.arrived();
        for event in W::events(&state) {
            let way = Way(&map, index, Some(&event));
            let step = W::step(&state, &event, NOW);
            let next = W::next(&step);
            move_law(&Seen {
                before: &state,
                event: &event,
                step: &step,
                after: next.unwrap_or(&state),
            });
            way.arrived();
            moves += 1;
            if let Some(next) = next.filter(|_| W::within_bounds(&state)) {
                map.add(seen_from::<W>(next.clone(), NOW), index, || format!("{event:?}"));
            }
        }
        for later in waits::<W>(&state) {
            let passed = later - NOW;
            map.add(seen_from::<W>(state.clone(), later), index, || {
                format!("wait {passed:?}")
            });
        }
        index += 1;
    }
    Size { states: index, moves }
}

/// Tells how the walk got where a law was broken: dropped by the panic, forgotten otherwise.
struct Way<'a, S: Clone + Eq + Hash + Debug, E: Debug>(&'a Map<S>, usize, Option<&'a E>);

impl<S: Clone + Eq + Hash + Debug, E: Debug> Way<'_, S, E> {
    fn arrived(self) {
        std::mem::forget(self);
    }
}

impl<S: Clone + Eq + Hash + Debug, E: Debug> Drop for Way<'_, S, E> {
    fn drop(&mut self) {
        let Self(map, index, event) = self;
        eprintln!(
            "{}\nhere: {:#?}\nbroken by: {event:#?}",
            map.way_to(*index),
            map.states[*index].0
        );
    }
}

/// Lets `tick` run at every wake until nothing is owed any more; panics when that does not happen within `wakes_max`.
pub(crate) fn wait_out<S: Clone + Debug>(
    start: &S,
    wakes_max: usize,
    next_wake: impl Fn(&S) -> Option<Timestamp>,
    tick: impl Fn(&S, Timestamp) -> S,
) -> S {
    let mut state = start.clone();
    for _ in 0..wakes_max {
        match next_wake(&state) {
            Some(at) => state = tick(&state, at),
            None => return state,
        }
    }
    panic!("still owes something after {wakes_max} wakes: {state:#?}")
}

/// What `owed` went through in one step, checked: numbers rise, series are limited, and what runs now began now.
pub(crate) fn attempts_are_numbered(before: &Owed, after: &Owed, ordered: Option<u32>, retries: u32) {
    assert!(
        after.in_series <= retries + 1,
        "{} attempts in a series",
        after.in_series
    );
    match ordered {
        Some(number) => {
            assert_eq!(number, before.last + 1, "numbers rise by one");
            assert_eq!(number, after.last);
            assert!(
                matches!(after.phase, Phase::Running(at) if at > NOW),
                "ordered, not on record: {after:?}"
            );
            assert!(after.in_series >= 1);
        }
        None => assert_eq!(after.last, before.last, "an attempt began that nobody makes"),
    }
}
