//! The time: an instant for a pure hook, the system's for an acting one.

use super::{Mode, State};
use crate::bindings::frogbot::piece::clock::Host;
use crate::guard::{Guard, stands};
use crate::moment::wall_clock;

impl State {
    /// What time the guest is told.
    pub(super) fn now(&self) -> lifecycle::Timestamp {
        match &self.mode {
            Mode::Pure { now, .. } if stands(Guard::PureClock) => *now,
            Mode::Pure { .. } | Mode::Acting(_) => wall_clock(),
        }
    }
}

impl Host for State {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(State::now(self).0)
    }
}
