//! Random bytes.

use crate::host;

/// `count` random bytes, at most 4,096. In a pure hook they are seeded: the same call gets the same bytes.
pub fn bytes(count: u32) -> Vec<u8> {
    host::bytes(count)
}
