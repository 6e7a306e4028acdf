//! What stands in its whole linear memory: everything that ever came in, freed or not.
#![allow(unsafe_code, reason = "no safe code reads what it does not own")]

const PAGE_BYTES: usize = 64 * 1024;

/// How often a text stands in the memory. It is given with every byte raised by one, and never put together, so that the
/// search does not find itself.
pub(crate) fn occurrences(raised: &[u8]) -> usize {
    let end = pages() * PAGE_BYTES;
    let last = end.saturating_sub(raised.len());
    (1..=last).filter(|at| stands_at(*at, raised)).count()
}

fn stands_at(at: usize, raised: &[u8]) -> bool {
    raised
        .iter()
        .enumerate()
        .all(|(n, byte)| read(at + n) == byte.wrapping_sub(1))
}

fn read(at: usize) -> u8 {
    // SAFETY: below the memory's end, and nothing else runs. Volatile, because the compiler knows nothing of what is there.
    unsafe { std::ptr::without_provenance::<u8>(at).read_volatile() }
}

#[cfg(target_arch = "wasm32")]
fn pages() -> usize {
    core::arch::wasm32::memory_size(0)
}

/// Outside of the sandbox it searches nothing.
#[cfg(not(target_arch = "wasm32"))]
fn pages() -> usize {
    0
}
