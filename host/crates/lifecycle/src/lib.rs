//! What happens to a question and to a turn: two pure machines.
//!
//! This crate decides and never acts. A machine is a value and a function `step(state, input, now, policy)` that answers
//! with the next state and the effects it orders, or says why nothing happens. It has no IO, clock, randomness,
//! async or logging; the same arguments give the same answer on every machine. The shell (`engine`) loads the state,
//! gathers evidence, steps, commits, and only then performs the effects.
//!
//! * [`tool`]: the input and output of the `question` tool and what makes them valid;
//! * [`owed`]: a series of attempts at one owed effect, the building block of both machines;
//! * [`question`]: one question call: open, advancing, settled, closed;
//! * [`turn`]: one chat's turn: its queue, its model steps, its pending calls, its replies.

#![no_std]
extern crate alloc;

pub mod actor;
pub mod ids;
pub mod owed;
pub mod policy;
pub mod question;
pub mod time;
pub mod tool;
pub mod turn;

pub use actor::Actor;
pub use ids::{CallId, MessageId};
pub use policy::{Policy, Series};
pub use time::{Millis, Timestamp};
