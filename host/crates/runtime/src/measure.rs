//! What hook calls use, for tools that show it to authors. A host measures nothing: fuel makes guests several times slower.

use std::sync::{Mutex, PoisonError};

/// What one hook call used, from the start of its instance to the hook's return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The hook's name; `start` for an instance that was only tried out.
    pub hook: &'static str,
    /// WebAssembly instructions, about: wasmtime's unit of fuel. The same call takes the same on every machine.
    pub fuel: u64,
    /// Memories and tables together, in bytes.
    pub memory_bytes: usize,
    /// Requests that were sent, or refused.
    pub requests: usize,
    /// The bodies of the requests, in bytes.
    pub sent_bytes: usize,
    /// The bodies of the responses, in bytes.
    pub received_bytes: usize,
}

/// The calls of one runtime that have ended and were not taken yet.
#[derive(Debug, Default)]
pub(crate) struct Measures(Mutex<Vec<Measure>>);

impl Measures {
    pub(crate) fn add(&self, measure: Measure) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(measure);
    }

    pub(crate) fn take(&self) -> Vec<Measure> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
