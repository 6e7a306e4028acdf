//! What a running guest finds in its world, one file for each import, and the state behind it.

mod clock;
mod http;
mod locator;
mod log;
mod random;
mod wasi;

use std::fmt;
use std::sync::Arc;

use lifecycle::Timestamp;
use wasmtime::component::{HasSelf, Linker};

use crate::bindings::frogbot::piece;
use crate::egress::{Budget, Used};
use crate::instance::MemoryMeter;
use crate::measure::Measures;
use crate::piece::Piece;

pub(crate) use locator::{Refusal as LocatorRefusal, decode as decode_locator};
use log::LogMeter;
pub(crate) use random::Seeded;
use wasi::Wasi;

/// What kind of hook runs.
pub(crate) enum Mode {
    /// No way out, one instant, the same random bytes for the same call.
    Pure {
        /// The instant.
        now: Timestamp,
        /// The bytes.
        random: Seeded,
    },
    /// A way out until the deadline.
    Acting(Arc<Budget>),
}

/// The state of one instance.
pub(crate) struct State {
    piece: Arc<Piece>,
    hook: &'static str,
    mode: Mode,
    pub(crate) meter: MemoryMeter,
    log: LogMeter,
    /// Made when it is first used: our own pieces never do.
    wasi: Option<Box<Wasi>>,
}

impl State {
    pub(crate) fn new(piece: Arc<Piece>, hook: &'static str, mode: Mode, meter: MemoryMeter) -> Self {
        Self {
            piece,
            hook,
            mode,
            meter,
            log: LogMeter::default(),
            wasi: None,
        }
    }

    /// Where this call is written down, if it is.
    pub(crate) fn measures(&self) -> Option<&Measures> {
        self.piece.measures.as_deref()
    }

    /// What it has sent and received.
    pub(crate) fn used(&self) -> Used {
        match &self.mode {
            Mode::Pure { .. } => Used::default(),
            Mode::Acting(budget) => budget.used(),
        }
    }

    /// A guest's text as one line for the operator: without our secrets and control characters, at most so long.
    pub(crate) fn line(&self, text: &str, bytes_max: usize) -> String {
        let clean = self.piece.egress.redactor();
        let mut line: String = clean
            .text(text)
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        line.truncate(line.floor_char_boundary(bytes_max));
        line
    }
}

/// The guest broke a rule of an import in a way that no result can tell it. Ends the call as garbage.
#[derive(Debug)]
struct Misuse(String);

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}

/// Links the whole world and the empty WASI, once for all pieces: `load` refuses what imports anything else.
pub(crate) fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    piece::http::add_to_linker::<State, HasSelf<State>>(linker, |state| state)?;
    piece::log::add_to_linker::<State, HasSelf<State>>(linker, |state| state)?;
    piece::clock::add_to_linker::<State, HasSelf<State>>(linker, |state| state)?;
    piece::random::add_to_linker::<State, HasSelf<State>>(linker, |state| state)?;
    piece::modal_locator::add_to_linker::<State, HasSelf<State>>(linker, |state| state)?;
    piece::types::add_to_linker::<State, HasSelf<State>>(linker, |state| state)?;
    wasi::link(linker)
}

impl piece::types::Host for State {}
