//! The simulator: the real engine, several hosts on one store, in a world whose every fault and every order is drawn from a
//! seed. The same seed gives the same run.
//!
//! * `executor`, `random`: tasks one at a time, virtual time, and everything that is drawn;
//! * `world`: the hosts, how they die, stand still and come back;
//! * `store`, `piece`, `model`: the engine's ports, with what can go wrong at each;
//! * `plan`: what goes wrong in one run;
//! * `platform`, `cards`, `people`: where people meet the agent, and what they do;
//! * `facts`, `checker`: what can be seen from outside, and what it promises;
//! * `broken`, `rewrite`: worlds in which a rule does not hold;
//! * `run`, `trace`: one run, and its steps;
//! * `campaign`, `arguments`: many runs, and the commands.
//!
//! A run has two phases: people and faults for a while, and then everything heals and must close within a bound.

mod arguments;
mod broken;
mod campaign;
mod cards;
mod checker;
mod executor;
mod facts;
mod model;
mod people;
mod piece;
mod plan;
mod platform;
mod random;
mod rewrite;
mod run;
mod store;
mod trace;
mod world;

pub use arguments::{Arguments, arguments};
pub use broken::Rule;
pub use campaign::{Campaign, Until, campaign, fresh_seed, report};
pub use run::{Breach, Options, Outcome, run};
pub use trace::TraceStep;
