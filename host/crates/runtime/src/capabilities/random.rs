//! Random bytes: the system's for an acting hook, a function of the call for a pure one.

use sha2::{Digest, Sha256};

use super::{Misuse, Mode, State};
use crate::bindings::frogbot::piece::random::Host;
use crate::guard::{Guard, stands};

/// The most bytes one call of the import gives (the contract's).
const BYTES_MAX: u32 = 4_096;

/// Bytes that depend on a seed alone: SHA-256 over the seed and a counter.
#[derive(Clone, Debug)]
pub(crate) struct Seeded {
    seed: [u8; 32],
    block: u64,
}

impl Seeded {
    /// The seed is what names the call: the same parts in the same order give the same bytes.
    pub(crate) fn by<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut seed = Sha256::new();
        for part in parts {
            // With its length, so that `ab, c` is another call than `a, bc`.
            seed.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            seed.update(part);
        }
        Self {
            seed: seed.finalize().into(),
            block: 0,
        }
    }

    /// The next bytes.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(32) {
            let mut block = Sha256::new();
            block.update(self.seed);
            block.update(self.block.to_be_bytes());
            self.block += 1;
            chunk.copy_from_slice(&block.finalize()[..chunk.len()]);
        }
    }
}

impl Host for State {
    fn bytes(&mut self, count: u32) -> wasmtime::Result<Vec<u8>> {
        if count > BYTES_MAX && stands(Guard::RandomBytes) {
            let misuse = Misuse(format!(
                "it asked for {count} random bytes, at most {BYTES_MAX} are given"
            ));
            return Err(wasmtime::Error::new(misuse));
        }
        let mut bytes = vec![0; usize::try_from(count)?];
        match &mut self.mode {
            Mode::Pure { random, .. } if stands(Guard::PureRandom) => random.fill(&mut bytes),
            Mode::Pure { .. } | Mode::Acting(_) => getrandom::fill(&mut bytes)?,
        }
        Ok(bytes)
    }
}
